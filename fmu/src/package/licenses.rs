//! The licences of everything that a library is made of.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{Package, PackageId};

use super::Error;
use super::archive::Contents;
use super::workspace::{self, Model, Workspace};

const FOLDER: &str = "documentation/licenses";

/// Adds the licence texts of the model, and of each crate linked into it, with a list of them in `license.txt`, the
/// entry point that the standard recommends.
pub(crate) fn add(
    contents: &mut Contents,
    workspace: &Workspace,
    model: Model<'_>,
    linked: &BTreeSet<PackageId>,
) -> Result<(), Error> {
    let mut texts = Texts {
        contents,
        places: BTreeMap::new(),
    };
    let mut list = String::new();
    texts.add(&mut list, "", model.package)?;
    list.push_str("\nThe library also contains parts of:\n\n");
    let mut packages: Vec<&Package> = linked.iter().map(|id| &workspace.metadata()[id]).collect();
    packages.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    for package in packages {
        texts.add(
            &mut list,
            &format!("{}-{}/", package.name, package.version),
            package,
        )?;
    }
    list.push_str("the standard library of Rust: MIT OR Apache-2.0\n");
    texts.contents.add(&format!("{FOLDER}/license.txt"), list)
}

struct Texts<'a> {
    contents: &'a mut Contents,
    /// Texts that are in the FMU already, and where.
    places: BTreeMap<Vec<u8>, String>,
}

impl Texts<'_> {
    fn add(&mut self, list: &mut String, folder: &str, package: &Package) -> Result<(), Error> {
        let license = package.license.as_deref().unwrap_or("no licence named");
        let _ = writeln!(list, "{} {}: {license}", package.name, package.version);
        for file in license_files(package) {
            let text = fs::read(&file).map_err(Error::file("read", &file))?;
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            if !self.places.contains_key(&text) {
                let place = format!("{folder}{name}");
                self.contents.add(&format!("{FOLDER}/{place}"), text.clone())?;
                self.places.insert(text.clone(), place);
            }
            let _ = writeln!(list, "    {}", self.places[&text]);
        }
        Ok(())
    }
}

/// The licence files of a package: its own, else those of the workspace that it comes from.
fn license_files(package: &Package) -> Vec<PathBuf> {
    let own = workspace::directory(package);
    let named = package
        .license_file()
        .map(PathBuf::from)
        .filter(|file| file.is_file());
    // A crate lies a few folders below its workspace; a folder without a manifest says nothing about the crate.
    let folders = own
        .ancestors()
        .take(4)
        .filter(|folder| folder.join("Cargo.toml").is_file());
    let mut files = folders
        .map(license_files_in)
        .find(|files| !files.is_empty())
        .unwrap_or_default();
    files.extend(
        named
            .filter(|file| !files.contains(file))
            .into_iter()
            .collect::<Vec<_>>(),
    );
    files
}

fn license_files_in(folder: &Path) -> Vec<PathBuf> {
    let is_license = |path: &PathBuf| {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_ascii_uppercase();
        let starts = [
            "LICENSE",
            "LICENCE",
            "COPYING",
            "COPYRIGHT",
            "NOTICE",
            "UNLICENSE",
        ];
        path.is_file() && starts.iter().any(|start| name.starts_with(start))
    };
    let items = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = items.map(|item| item.path()).filter(is_license).collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licence_files_are_known_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "LICENSE-MIT",
            "LICENSE-APACHE",
            "COPYING.md",
            "licence.txt",
            "README.md",
            "Cargo.toml",
        ] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        let names: Vec<_> = license_files_in(folder.path())
            .into_iter()
            .map(|path| path.file_name().unwrap().to_owned())
            .collect();
        assert_eq!(
            names,
            ["COPYING.md", "LICENSE-APACHE", "LICENSE-MIT", "licence.txt"]
        );
    }
}
