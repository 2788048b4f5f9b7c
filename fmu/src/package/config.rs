//! The part of cargo's configuration files that packaging needs: linkers and compiler flags.

use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item, Value};

/// The configuration files that cargo reads in a folder, nearest first.
pub(crate) struct Configuration {
    files: Vec<(PathBuf, DocumentMut)>,
}

impl Configuration {
    /// Reads the files; one that cannot be read or parsed is cargo's to complain about.
    pub fn of(directory: &Path, cargo_home: Option<&Path>) -> Configuration {
        let folders = directory.ancestors().map(|folder| folder.join(".cargo"));
        let mut paths: Vec<PathBuf> = Vec::new();
        for folder in folders.chain(cargo_home.map(Path::to_owned)) {
            let candidates = [folder.join("config"), folder.join("config.toml")];
            let Some(path) = candidates.into_iter().find(|path| path.is_file()) else {
                continue;
            };
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        let files = paths.into_iter().filter_map(|path| {
            let text = std::fs::read_to_string(&path).ok()?;
            Some((path, text.parse().ok()?))
        });
        Configuration {
            files: files.collect(),
        }
    }

    /// Whether a file names a linker for the target.
    pub fn names_linker(&self, triple: &str) -> bool {
        self.files.iter().any(|(_, document)| {
            target_tables(document).any(|(key, table)| {
                (key == triple || key.starts_with("cfg(")) && table.get("linker").is_some()
            })
        })
    }

    /// The alias under which cargo runs a package, such as `xtask`.
    pub fn alias_of(&self, package: &str) -> Option<String> {
        let runs = |value: &Item| {
            let words: Vec<&str> = match (value.as_str(), value.as_array()) {
                (Some(text), _) => text.split_whitespace().collect(),
                (None, Some(list)) => list.iter().filter_map(Value::as_str).collect(),
                (None, None) => Vec::new(),
            };
            words.contains(&"run") && words.contains(&package)
        };
        let tables = self
            .files
            .iter()
            .filter_map(|(_, document)| document.get("alias")?.as_table_like());
        tables
            .flat_map(|table| table.iter())
            .find(|(_, value)| runs(value))
            .map(|(name, _)| name.to_owned())
    }

    /// The files that set compiler flags, for any target.
    pub fn files_with_flags(&self) -> impl Iterator<Item = &Path> {
        let sets_flags = |document: &DocumentMut| {
            document
                .get("build")
                .and_then(|build| build.get("rustflags"))
                .is_some()
                || target_tables(document).any(|(_, table)| table.get("rustflags").is_some())
        };
        self.files
            .iter()
            .filter(move |(_, document)| sets_flags(document))
            .map(|(path, _)| path.as_path())
    }
}

fn target_tables(document: &DocumentMut) -> impl Iterator<Item = (&str, &Item)> {
    document
        .get("target")
        .and_then(Item::as_table_like)
        .into_iter()
        .flat_map(|table| table.iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_all_parent_folders_count() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/b");
        std::fs::create_dir_all(inner.join(".cargo")).unwrap();
        std::fs::create_dir_all(folder.path().join(".cargo")).unwrap();
        let flags = folder.path().join(".cargo/config.toml");
        std::fs::write(&flags, "[build]\nrustflags = ['-Cpanic=abort']").unwrap();
        std::fs::write(
            inner.join(".cargo/config.toml"),
            "[target.x86_64-pc-windows-gnu]\nlinker = 'ld'\n[alias]\nb = 'build'\nchore = 'run -q -p chores --'\n",
        )
        .unwrap();

        let configuration = Configuration::of(&inner, None);
        assert!(configuration.names_linker("x86_64-pc-windows-gnu"));
        assert!(!configuration.names_linker("aarch64-unknown-linux-gnu"));
        assert_eq!(configuration.alias_of("chores").as_deref(), Some("chore"));
        assert_eq!(configuration.alias_of("build"), None);
        assert!(configuration.files_with_flags().any(|path| path == flags));
    }
}
