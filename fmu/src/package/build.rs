//! Building the library of a model: one call of `cargo rustc` in the user's own workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufReader;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use cargo_metadata::{CrateType, Message, PackageId};

use super::config::Configuration;
use super::linker::{self, Linker};
use super::mark;
use super::platform::System;
use super::platforms;
use super::toolchain::Toolchain;
use super::tools::{Tools, linker_variable};
use super::workspace::{self, Model, Workspace};
use super::{Arrays, Build, Error, Platform, Progress, Versions};

/// A library that cargo has built.
pub(crate) struct Artifact {
    /// Where it is.
    pub path: PathBuf,
    /// The other packages that it contains.
    pub packages: BTreeSet<PackageId>,
}

/// Builds libraries of one workspace.
pub(crate) struct Builder<'a> {
    workspace: &'a Workspace,
    toolchain: &'a Toolchain,
    tools: Tools,
    cargo_home: Option<PathBuf>,
    build: Build,
}

impl<'a> Builder<'a> {
    pub fn new(
        workspace: &'a Workspace,
        toolchain: &'a Toolchain,
        (configuration, tools): (&Configuration, Tools),
        build: Build,
        progress: &mut dyn Progress,
    ) -> Builder<'a> {
        for path in configuration.files_with_flags() {
            progress.warning(&format!(
                "the rustflags of {} are left out, so that the FMU also runs on other machines; the variable \
                 RUSTFLAGS adds flags",
                path.display()
            ));
        }
        Builder {
            workspace,
            toolchain,
            tools,
            cargo_home: cargo_home(),
            build,
        }
    }

    /// Fails with what to install if something that a platform needs is missing.
    pub fn require(&self, platform: &Platform) -> Result<(), Error> {
        if let Some(remedy) = platforms::standard_library(platform, &self.tools) {
            self.toolchain.require_known(platform)?;
            return Err(Error::MissingTarget {
                triple: platform.triple.clone(),
                remedy: remedy.sentence(),
            });
        }
        self.linker(platform).map(drop)
    }

    /// Builds the library of a model for a platform.
    pub fn build(
        &self,
        model: Model<'_>,
        platform: &Platform,
        (versions, arrays): (Versions, Arrays),
    ) -> Result<Artifact, Error> {
        let program = workspace::cargo();
        let mut command = Command::new(&program);
        command.current_dir(self.workspace.root());
        command.args([
            "rustc",
            "--message-format",
            "json-render-diagnostics",
            "--lib",
            "--crate-type",
            "cdylib",
        ]);
        command.args(["--package", &model.package.id.repr, "--target", &platform.triple]);
        command.args(self.profile());
        command
            .arg("--")
            .args(chosen(model, versions, arrays))
            .args(link_arguments(model, platform));
        // This variable outranks every other source of flags; each of them could turn unwinding off.
        command.env(
            "CARGO_ENCODED_RUSTFLAGS",
            self.compiler_flags(platform).join("\x1f"),
        );
        command.env("FMU_BUILD_MARK", mark::of(self.workspace, model)?);
        if self.build != Build::Debug {
            // Incremental builds cut the code into units that depend on what was built before.
            command.env("CARGO_INCREMENTAL", "0");
        }
        let linker = self.linker(platform)?;
        if let Linker::Program(program) = linker {
            command.env(linker_variable(&platform.triple), program);
        }
        let run = |source| Error::Run {
            program: program.display().to_string(),
            source,
        };
        let mut cargo = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(run)?;
        let mut library = None;
        let mut packages = BTreeSet::new();
        if let Some(output) = cargo.stdout.take() {
            for message in Message::parse_stream(BufReader::new(output)) {
                let Message::CompilerArtifact(artifact) = message.map_err(run)? else {
                    continue;
                };
                let mut files = artifact.filenames.into_iter();
                if artifact.package_id == model.package.id
                    && artifact.target.crate_types.contains(&CrateType::CDyLib)
                {
                    library = files.find(|file| file.extension() == Some(platform.system.extension()));
                } else if files.any(|file| file.components().any(|part| part.as_str() == platform.triple)) {
                    // What runs in the compiler is built elsewhere, even if it is built for the same platform.
                    packages.insert(artifact.package_id);
                }
            }
        }
        let failed = |hint: Option<&str>| Error::Build {
            name: model.name(),
            triple: platform.triple.clone(),
            hint: hint.map(str::to_owned),
        };
        if !cargo.wait().map_err(run)?.success() {
            let own_linker = linker == Linker::Own && *platform != self.toolchain.host;
            return Err(failed(platform.linking_hint().filter(|_| own_linker)));
        }
        match library {
            Some(path) => Ok(Artifact {
                path: path.into(),
                packages,
            }),
            None => Err(failed(Some("cargo reported no library"))),
        }
    }

    /// A profile of our own, given on the command line, which outranks manifests, configuration and environment.
    fn profile(&self) -> Vec<String> {
        let release = [
            "inherits='release'",
            // A count that overflows is an error of the model, and never a wrong result. The price: no instruction in
            // an evaluation, 2 to 8 % of the instructions of a communication step, 1 to 2 % of the size.
            "overflow-checks=true",
            "strip='symbols'",
            "debug=false",
            "incremental=false",
        ];
        let (name, settings): (_, Vec<&str>) = match self.build {
            Build::Debug => ("fmu-debug", vec!["inherits='dev'"]),
            Build::Quick => (
                "fmu-quick",
                [&release[..], &["codegen-units=16", "lto='off'"]].concat(),
            ),
            Build::Release => (
                "fmu-release",
                [&release[..], &["codegen-units=1", "lto=true"]].concat(),
            ),
        };
        let mut arguments = vec!["--profile".to_owned(), name.to_owned()];
        for setting in settings.into_iter().chain(["panic='unwind'"]) {
            arguments.extend(["--config".to_owned(), format!("profile.{name}.{setting}")]);
        }
        arguments
    }

    /// Flags for every crate of the library.
    fn compiler_flags(&self, platform: &Platform) -> Vec<String> {
        let mut flags = without_panic(flags_of_environment());
        flags.push("-Cpanic=unwind".to_owned());
        // The C runtime of Visual Studio is not part of Windows; a library for musl cannot contain its own.
        if platform.triple.ends_with("-msvc") {
            flags.push("-Ctarget-feature=+crt-static".to_owned());
        } else if platform.triple.contains("-musl") {
            flags.push("-Ctarget-feature=-crt-static".to_owned());
        }
        flags.extend(
            self.remapped_paths()
                .into_iter()
                .map(|(path, name)| format!("--remap-path-prefix={}={name}", path.display())),
        );
        flags
    }

    /// Folders of this machine that would otherwise be written into the library, and what is written instead. The
    /// last one that fits counts, so longer paths come later.
    fn remapped_paths(&self) -> Vec<(PathBuf, String)> {
        let mut names: BTreeMap<PathBuf, String> = BTreeMap::new();
        let root = self.workspace.root();
        for package in &self.workspace.metadata().packages {
            let folder = workspace::directory(package);
            if package.source.is_none() && !folder.starts_with(root) {
                names.insert(folder, format!("/{}", package.name));
            }
        }
        let sources = self.toolchain.sysroot.join("lib/rustlib/src/rust");
        names.insert(sources, format!("/rustc/{}", self.toolchain.commit));
        if let Some(cargo_home) = &self.cargo_home {
            names.insert(cargo_home.clone(), "/cargo".to_owned());
        }
        names.insert(self.workspace.target_directory().to_owned(), "/target".to_owned());
        names.insert(root.to_owned(), "/workspace".to_owned());
        let mut names: Vec<_> = names.into_iter().collect();
        names.sort_by_key(|(path, _)| path.as_os_str().len());
        names
    }

    /// What links for a platform.
    fn linker(&self, platform: &Platform) -> Result<Linker, Error> {
        linker::choose(platform, &self.tools).map_err(|remedy| Error::MissingLinker {
            triple: platform.triple.clone(),
            remedy: remedy.sentence(),
        })
    }
}

/// The flags by which `export_fmu!` knows that a library for an FMU is built, for which model and versions, and which models
/// Cargo.toml lists.
fn chosen(model: Model<'_>, versions: Versions, arrays: Arrays) -> Vec<String> {
    let mut words = vec!["fmu_export".to_owned()];
    if let Some(name) = model.exported {
        words.push(format!("fmu_export={name:?}"));
        words.push("fmu_models".to_owned());
        words.extend(model.listed().map(|name| format!("fmu_models={name:?}")));
    }
    words.extend(versions.flag().map(|word| format!("fmu_fmi={word:?}")));
    if arrays == Arrays::Scalar && versions != Versions::Two {
        words.push("fmu_arrays=\"scalar\"".to_owned());
    }
    let mut arguments: Vec<String> = words
        .into_iter()
        .flat_map(|word| ["--cfg".to_owned(), word])
        .collect();
    for name in ["fmu_export", "fmu_models", "fmu_fmi", "fmu_arrays"] {
        let known = format!("cfg({name}, values(any()))");
        arguments.extend(["--check-cfg".to_owned(), known]);
    }
    arguments
}

/// Arguments for the linker of the library itself: nothing of time and place may be written into it.
fn link_arguments(model: Model<'_>, platform: &Platform) -> Vec<String> {
    let link_argument = |argument: String| format!("-Clink-arg={argument}");
    match platform.system {
        System::Darwin => vec![link_argument(format!(
            "-Wl,-install_name,@rpath/{}.dylib",
            model.library
        ))],
        System::Windows if platform.triple.ends_with("-msvc") => vec![link_argument("/Brepro".to_owned())],
        System::Windows => vec![link_argument("-Wl,--no-insert-timestamp".to_owned())],
        System::Linux => Vec::new(),
    }
}

/// Compiler flags that the caller has set in the environment, read as cargo reads them.
fn flags_of_environment() -> Vec<String> {
    let not_empty = |flag: &&str| !flag.is_empty();
    if let Ok(flags) = std::env::var("CARGO_ENCODED_RUSTFLAGS") {
        return flags.split('\x1f').filter(not_empty).map(str::to_owned).collect();
    }
    let flags = std::env::var("RUSTFLAGS").unwrap_or_default();
    flags
        .split(' ')
        .map(str::trim)
        .filter(not_empty)
        .map(str::to_owned)
        .collect()
}

/// Removes every `-C panic=...`, whichever way it is spelled.
fn without_panic(flags: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for flag in flags {
        let codegen_option = flag
            .strip_prefix("-C")
            .or_else(|| flag.strip_prefix("--codegen="));
        if codegen_option.is_some_and(|option| option.starts_with("panic=")) {
            continue;
        }
        if flag.starts_with("panic=") && kept.pop_if(|last| last == "-C" || last == "--codegen").is_some() {
            continue;
        }
        kept.push(flag);
    }
    kept
}

/// The folder of cargo itself.
pub(super) fn cargo_home() -> Option<PathBuf> {
    let home = std::env::home_dir().map(|home| home.join(".cargo"));
    std::env::var_os("CARGO_HOME").map(PathBuf::from).or(home)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_panic_strategy_is_removed() {
        let flags = "-C panic=abort -Cpanic=abort --codegen panic=abort --codegen=panic=abort -C opt-level=3 -Dwarnings";
        let flags = flags.split(' ').map(str::to_owned).collect();
        assert_eq!(without_panic(flags), ["-C", "opt-level=3", "-Dwarnings"]);
    }
}
