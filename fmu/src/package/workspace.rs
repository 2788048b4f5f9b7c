//! The user's workspace as cargo sees it: which crates it has, and what each is made of.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use cargo_metadata::{Metadata, MetadataCommand, Package, TargetKind};

use super::Error;

/// A workspace, or a single crate, which cargo treats alike.
pub struct Workspace {
    metadata: Metadata,
}

impl Workspace {
    /// The workspace that a folder belongs to.
    pub fn of(directory: &Path) -> Result<Workspace, Error> {
        let mut command = MetadataCommand::new();
        command.cargo_path(cargo()).current_dir(directory);
        let metadata = command.exec().map_err(|error| Error::Workspace {
            directory: directory.to_owned(),
            message: match error {
                cargo_metadata::Error::CargoMetadata { stderr } => {
                    stderr.trim().trim_start_matches("error: ").to_owned()
                }
                other => other.to_string(),
            },
        })?;
        Ok(Workspace { metadata })
    }

    /// The folder of the workspace.
    pub fn root(&self) -> &Path {
        self.metadata.workspace_root.as_std_path()
    }

    /// Where cargo builds.
    pub fn target_directory(&self) -> &Path {
        self.metadata.target_directory.as_std_path()
    }

    /// Everything cargo knows.
    pub(crate) fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The crates with the given names, in that order, each once.
    pub fn crates(&self, names: &[String]) -> Result<Vec<Model<'_>>, Error> {
        let mut seen = BTreeSet::new();
        names
            .iter()
            .filter(|name| seen.insert(name.as_str()))
            .map(|name| {
                let package = self
                    .metadata
                    .workspace_packages()
                    .into_iter()
                    .find(|package| package.name == *name);
                self.model(package.ok_or_else(|| {
                    Error::NoSuchCrate {
                        name: name.clone(),
                        root: self.root().to_owned(),
                        candidates: self
                            .marked_packages()
                            .iter()
                            .map(|package| package.name.to_string())
                            .collect(),
                    }
                })?)
            })
            .collect()
    }

    /// Every crate with `[package.metadata.fmu]`, by name.
    pub fn marked(&self) -> Result<Vec<Model<'_>>, Error> {
        let marked = self.marked_packages();
        if marked.is_empty() {
            return Err(Error::NothingMarked {
                root: self.root().to_owned(),
            });
        }
        marked.into_iter().map(|package| self.model(package)).collect()
    }

    fn marked_packages(&self) -> Vec<&Package> {
        let mut marked = self.metadata.workspace_packages();
        marked.retain(|package| package.metadata.get("fmu").is_some());
        marked.sort_by(|a, b| a.name.cmp(&b.name));
        marked
    }

    fn model<'a>(&'a self, package: &'a Package) -> Result<Model<'a>, Error> {
        let is_library = |kind: &TargetKind| {
            matches!(
                kind,
                TargetKind::Lib | TargetKind::RLib | TargetKind::CDyLib | TargetKind::DyLib
            )
        };
        let library = package
            .targets
            .iter()
            .find(|target| target.kind.iter().any(is_library));
        match library {
            Some(library) => Ok(Model {
                package,
                library: &library.name,
            }),
            None => Err(Error::NoLibrary {
                name: package.name.to_string(),
            }),
        }
    }
}

/// A crate that shall become an FMU.
#[derive(Clone, Copy)]
pub struct Model<'a> {
    pub(crate) package: &'a Package,
    pub(crate) library: &'a str,
}

impl Model<'_> {
    /// The name of the crate.
    pub fn name(&self) -> &str {
        self.package.name.as_str()
    }

    /// The folder of the crate.
    pub fn directory(&self) -> PathBuf {
        directory(self.package)
    }
}

/// The folder of a package.
pub(crate) fn directory(package: &Package) -> PathBuf {
    let manifest = package.manifest_path.as_std_path();
    manifest.parent().unwrap_or(manifest).to_owned()
}

/// The cargo that runs us, or the one on the path.
pub(crate) fn cargo() -> PathBuf {
    std::env::var_os("CARGO")
        .map(PathBuf::from)
        .unwrap_or_else(|| "cargo".into())
}
