//! The tests of `cargo test --workspace`, with the test programs side by side. Cargo runs them one after the other, and many of
//! them wait for one long test.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::{Message, Metadata, MetadataCommand, Package};

use super::passed::{Check, Inputs, Passed, Sources, by_closing_lines};
use crate::chore::{Error, Place, Result, Tally, run_quiet};

const RUST: &str = "install a Rust toolchain";

/// Tests outside of `examples/` that read or package the examples: the package, and the name of the test if it is not all of
/// them. The unit test below holds this list against the sources.
const READ_EXAMPLES: &[(&str, Option<&str>)] = &[
    ("architecture", None),
    ("example-tests", None),
    ("fmu", Some("own_workspace")),
    ("fmu", Some("versions")),
    ("guide", None),
];

/// Tests that take longest, which begin first.
const LONG: [&str; 11] = [
    "large",
    "ui",
    "survive",
    "check",
    "proof",
    "contain",
    "packaged",
    "commands",
    "own_workspace",
    "several_models",
    "package",
];

/// A test program that is built.
#[derive(Debug)]
struct Program {
    package: String,
    manifest: PathBuf,
    version: String,
    target: String,
    path: PathBuf,
}

/// Builds all test programs, and runs those whose inputs have changed since they passed, and all examples in documentation.
pub fn run(place: &Place, passed: &Passed) -> Result<Tally> {
    let metadata = MetadataCommand::new()
        .manifest_path(place.root.join("Cargo.toml"))
        .no_deps()
        .exec()?;
    let mut programs = build(place, &metadata)?;
    programs.sort_by_key(|program| {
        let rank = LONG.iter().position(|name| *name == program.target);
        rank.unwrap_or(LONG.len())
    });
    let sources = Sources::list(place);
    let common = match &sources {
        Some(sources) => Some(inputs_outside_examples(sources)?),
        None => None,
    };
    let with_examples = match (&sources, &common) {
        (Some(sources), Some(common)) => {
            Some(sources.add(common.clone(), |path| path.starts_with("examples"))?)
        }
        _ => None,
    };
    // Examples in documentation: cargo alone knows how to build them. They take seconds.
    let mut documentation = cargo(place);
    documentation.args(["test", "--quiet", "--workspace", "--doc", "--no-fail-fast"]);
    let mut checks = vec![Check {
        name: "documentation".to_owned(),
        title: "     Running the examples in documentation".to_owned(),
        inputs: None,
        command: documentation,
    }];
    for program in programs {
        let inputs = if program.reads_examples(place) {
            &with_examples
        } else {
            &common
        };
        let inputs = match inputs {
            Some(inputs) => Some(inputs.clone().program(&program.path)?),
            None => None,
        };
        checks.push(Check {
            name: format!("rust-{}-{}", program.package, program.target),
            title: format!("     Running {} of {}", program.target, program.package),
            inputs,
            command: program.command(),
        });
    }
    passed.run(checks, RUST, by_closing_lines)
}

fn cargo(place: &Place) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(&place.root);
    command
}

/// What every test program may read or compile while it runs: all files that are not examples, and the toolchain.
fn inputs_outside_examples(sources: &Sources) -> Result<Inputs> {
    let version = run_quiet("rustc --version", Command::new("rustc").arg("-vV"), RUST)?;
    sources.add(Inputs::of("rust").text(&version), |path| {
        !path.starts_with("examples")
    })
}

/// Builds the test programs, and returns them in the order in which they were finished.
fn build(place: &Place, metadata: &Metadata) -> Result<Vec<Program>> {
    let mut command = cargo(place);
    command.args([
        "test",
        "--workspace",
        "--no-run",
        "--message-format=json-render-diagnostics",
    ]);
    let failed = |detail: String| Error::Failed {
        what: "building the tests".to_owned(),
        detail,
    };
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|source| Error::Start {
            program: "cargo".to_owned(),
            source,
        })?;
    let mut programs = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        for message in Message::parse_stream(BufReader::new(stdout)) {
            let message = message.map_err(|error| failed(error.to_string()))?;
            let Message::CompilerArtifact(artifact) = message else {
                continue;
            };
            let package = metadata
                .packages
                .iter()
                .find(|package| package.id == artifact.package_id);
            if let (true, Some(path), Some(package)) = (artifact.profile.test, artifact.executable, package) {
                programs.push(Program::of(package, &artifact.target.name, path.into()));
            }
        }
    }
    let status = child.wait().map_err(|error| failed(error.to_string()))?;
    match status.success() {
        true => Ok(programs),
        false => Err(failed(status.to_string())),
    }
}

impl Program {
    fn of(package: &Package, target: &str, path: PathBuf) -> Program {
        Program {
            package: package.name.to_string(),
            manifest: package.manifest_path.clone().into(),
            version: package.version.to_string(),
            target: target.to_owned(),
            path,
        }
    }

    fn folder(&self) -> &Path {
        self.manifest.parent().unwrap_or(&self.manifest)
    }

    fn reads_examples(&self, place: &Place) -> bool {
        let is_example = self.folder().starts_with(place.root.join("examples"));
        let is_listed = READ_EXAMPLES.iter().any(|(package, target)| {
            *package == self.package && target.is_none_or(|target| target == self.target)
        });
        is_example || is_listed
    }

    /// As cargo starts it: in the folder of its package, and with cargo's variables.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        for (name, _) in std::env::vars_os() {
            // Those of `cargo xtask` itself.
            let name = name.to_string_lossy();
            if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_BIN_") {
                command.env_remove(name.as_ref());
            }
        }
        command
            .current_dir(self.folder())
            .env("CARGO", env!("CARGO"))
            .env("CARGO_MANIFEST_DIR", self.folder())
            .env("CARGO_MANIFEST_PATH", &self.manifest)
            .env("CARGO_PKG_NAME", &self.package)
            .env("CARGO_PKG_VERSION", &self.version);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All Rust files below a folder.
    fn sources(folder: &Path) -> Vec<PathBuf> {
        let (mut open, mut found) = (vec![folder.to_owned()], Vec::new());
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                match (path.is_dir(), path.extension()) {
                    (true, _) => open.push(path),
                    (false, Some(extension)) if extension == "rs" => found.push(path),
                    _ => {}
                }
            }
        }
        found
    }

    /// Whether a file has a path to the examples in its code, or packages one of them by its name.
    fn names_examples(path: &Path, names: &[String]) -> bool {
        let text = std::fs::read_to_string(path).expect("a source");
        let code: String = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        let paths = ["\"examples", "/examples", "examples/"];
        let packages =
            code.contains("package(") && names.iter().any(|name| code.contains(&format!("\"{name}\"")));
        packages || paths.iter().any(|part| code.contains(part))
    }

    /// A test that reads the examples and is not listed would not be repeated when one of them changes.
    #[test]
    fn tests_that_read_examples_are_listed() {
        let metadata = MetadataCommand::new()
            .manifest_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
            .no_deps()
            .exec()
            .expect("the workspace");
        let root: PathBuf = metadata.workspace_root.clone().into();
        let entries = std::fs::read_dir(root.join("examples")).expect("the examples");
        let names: Vec<String> = entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        let mut read = Vec::new();
        for package in metadata.workspace_packages() {
            let folder = package.manifest_path.parent().expect("a folder").as_std_path();
            let everything = READ_EXAMPLES.contains(&(package.name.as_str(), None));
            if folder.starts_with(root.join("examples")) || everything {
                continue;
            }
            for path in sources(&folder.join("tests")) {
                let name = path.strip_prefix(folder.join("tests")).expect("below it");
                let target = name.components().next().expect("a name");
                let target = Path::new(target.as_os_str()).file_stem().expect("a stem");
                let target = target.to_str().expect("UTF-8").to_owned();
                let listed = READ_EXAMPLES.contains(&(package.name.as_str(), Some(target.as_str())));
                if names_examples(&path, &names) && !listed {
                    read.push(path);
                }
            }
        }
        assert!(
            read.is_empty(),
            "these tests read examples, and are not listed: {read:?}"
        );
    }
}
