//! A fingerprint of what a library is built from: sources of the crate and of its path dependencies, versions of the
//! others, features. It is part of the mark that snapshots carry, and the same for all platforms of an FMU.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use cargo_metadata::Package;

use super::Error;
use super::workspace::{Model, Workspace, cargo, directory};

/// Folders of a package that no library is built from.
const LEFT_OUT: [&str; 4] = ["target", "tests", "benches", "examples"];

/// The fingerprint for one model.
pub(crate) fn of(workspace: &Workspace, model: Model<'_>) -> Result<String, Error> {
    let metadata = workspace.metadata();
    let mut text = format!("model {:?}\n", model.exported).into_bytes();
    let built = built(workspace.root(), &model.package.id.repr)?;
    let mut packages: Vec<(&Package, &BTreeSet<String>)> = metadata
        .packages
        .iter()
        .filter_map(|package| Some((package, built.get(&key(package))?)))
        .collect();
    packages.sort_by(|(a, _), (b, _)| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    for (package, features) in packages {
        let source = package.source.as_ref().map(|source| source.repr.as_str());
        text.extend(
            format!(
                "package {} {} {source:?} {features:?}\n",
                package.name, package.version
            )
            .bytes(),
        );
        if package.source.is_none() {
            let folder = directory(package);
            add_folder(&mut text, &folder, &folder)?;
        }
    }
    Ok(fmu_standard::fingerprint(&text))
}

/// Name and version, as `cargo tree` writes them.
fn key(package: &Package) -> String {
    format!("{} v{}", package.name, package.version)
}

/// The packages that a package is built from, on whatever platform, with the features that they have then. What
/// `cargo metadata` says is about the whole workspace: there the features that other members ask for count, too.
fn built(root: &Path, id: &str) -> Result<BTreeMap<String, BTreeSet<String>>, Error> {
    let program = cargo();
    let arguments = ["tree", "--quiet", "--edges", "normal,build", "--target", "all"];
    let format = ["--prefix", "none", "--format", "{p}|{f}", "--package", id];
    let output = Command::new(&program)
        .current_dir(root)
        .args(arguments)
        .args(format)
        .output()
        .map_err(|source| Error::Run {
            program: program.display().to_string(),
            source,
        })?;
    if !output.status.success() {
        return Err(Error::Tool {
            program: "cargo tree".to_owned(),
            message: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        });
    }
    let mut built: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        // `name v1.2.3 (a path, or what it is)|one,two`, and ` (*)` where it was listed before.
        let (package, features) = line.rsplit_once('|').unwrap_or((line, ""));
        let mut words = package.split(' ');
        let (Some(name), Some(version)) = (words.next(), words.next()) else {
            continue;
        };
        let features = features.trim_end_matches(" (*)").split(',');
        let features = features.filter(|feature| !feature.is_empty()).map(str::to_owned);
        built
            .entry(format!("{name} {version}"))
            .or_default()
            .extend(features);
    }
    Ok(built)
}

/// Appends names and contents of all files that may take part, in a fixed order.
fn add_folder(text: &mut Vec<u8>, root: &Path, folder: &Path) -> Result<(), Error> {
    let entries = fs::read_dir(folder).map_err(Error::file("read", folder))?;
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(Error::file("read", folder))?.path());
    }
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with('.') || name == "Cargo.lock" || name.ends_with(".md") {
            continue;
        }
        if path.is_dir() {
            // Another package in here counts for itself, if it counts.
            let is_part = !LEFT_OUT.contains(&&*name) && !path.join("Cargo.toml").is_file();
            if is_part {
                add_folder(text, root, &path)?;
            }
            continue;
        }
        let relative = path.strip_prefix(root).unwrap_or(&path);
        let relative = relative.to_string_lossy().replace('\\', "/");
        let content = fs::read(&path).map_err(Error::file("read", &path))?;
        text.extend(format!("file {relative} {}\n", content.len()).bytes());
        text.extend(content);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A workspace with a model, a runtime that it needs, and another member that needs the runtime.
    struct Sources(tempfile::TempDir);

    impl Sources {
        fn new() -> Sources {
            let sources = Sources(tempfile::tempdir().unwrap());
            sources.write("Cargo.toml", "[workspace]\nresolver = '2'\nmembers = ['*/']\n");
            sources.runtime("0.1.0");
            sources.member("model", "");
            sources.member("other", "");
            sources
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.0.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn runtime(&self, version: &str) {
            let manifest = format!(
                "[package]\nname = 'fmu-runtime'\nversion = '{version}'\nedition = '2024'\n[features]\nbdf = []\n"
            );
            self.write("runtime/Cargo.toml", &manifest);
            self.write("runtime/src/lib.rs", "");
        }

        fn member(&self, name: &str, features: &str) {
            let manifest = format!(
                "[package]\nname = '{name}'\nversion = '0.1.0'\nedition = '2024'\n[package.metadata.fmu]\n\
                 [dependencies]\nfmu-runtime = {{ path = '../runtime', features = [{features}] }}\n"
            );
            self.write(&format!("{name}/Cargo.toml"), &manifest);
            self.write(&format!("{name}/src/lib.rs"), "");
        }

        fn mark(&self) -> String {
            let workspace = Workspace::of(self.0.path()).unwrap();
            let names = ["model".to_owned()];
            let models = workspace.crates(&names).unwrap();
            of(&workspace, models[0]).unwrap()
        }
    }

    #[test]
    fn the_mark_knows_versions_and_features_of_what_is_built_and_of_nothing_else() {
        let sources = Sources::new();
        let mark = sources.mark();
        sources.member("other", "'bdf'");
        assert_eq!(sources.mark(), mark, "features that another member asks for");
        sources.member("model", "'bdf'");
        let with_feature = sources.mark();
        assert_ne!(with_feature, mark, "features of its own");
        sources.member("model", "");
        assert_eq!(sources.mark(), mark);
        sources.runtime("0.1.1");
        assert_ne!(sources.mark(), mark, "another version of the runtime");
    }
}
