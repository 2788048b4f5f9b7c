//! The user's workspace as cargo sees it: which crates it has, and what each is made of.

use std::path::{Path, PathBuf};

use cargo_metadata::{Metadata, MetadataCommand, Package, TargetKind};

use super::{Error, Versions};

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

    /// The models of the crates with the given names, in that order, each once; `crate:Model` is one model of a crate.
    pub fn crates(&self, names: &[String]) -> Result<Vec<Model<'_>>, Error> {
        let mut models: Vec<Model<'_>> = Vec::new();
        for name in names {
            let (name, wanted) = match name.split_once(':') {
                Some((name, model)) => (name, Some(model)),
                None => (name.as_str(), None),
            };
            let packages = self.metadata.workspace_packages();
            let Some(package) = packages.into_iter().find(|package| package.name == name) else {
                let marked = self.marked_packages();
                return Err(Error::NoSuchCrate {
                    name: name.to_owned(),
                    root: self.root().to_owned(),
                    candidates: marked.iter().map(|package| package.name.to_string()).collect(),
                });
            };
            let mut of_crate = self.models(package)?;
            if let Some(wanted) = wanted {
                let candidates = of_crate.iter().filter_map(|model| model.exported);
                let candidates = candidates.map(str::to_owned).collect();
                of_crate.retain(|model| model.exported == Some(wanted));
                if of_crate.is_empty() {
                    return Err(Error::NoSuchModel {
                        name: name.to_owned(),
                        model: wanted.to_owned(),
                        candidates,
                    });
                }
            }
            for model in of_crate {
                let same = |other: &Model<'_>| {
                    (&other.package.id, other.exported) == (&model.package.id, model.exported)
                };
                if !models.iter().any(same) {
                    models.push(model);
                }
            }
        }
        Ok(models)
    }

    /// Every model of every crate with `[package.metadata.fmu]`, by the crate's name; a crate that says `all = false` there
    /// is packaged by its name only.
    pub fn marked(&self) -> Result<Vec<Model<'_>>, Error> {
        let mut marked = self.marked_packages();
        marked.retain(|package| {
            package.metadata["fmu"].get("all").and_then(|all| all.as_bool()) != Some(false)
        });
        if marked.is_empty() {
            return Err(Error::NothingMarked {
                root: self.root().to_owned(),
            });
        }
        let models: Result<Vec<_>, Error> = marked.into_iter().map(|package| self.models(package)).collect();
        Ok(models?.into_iter().flatten().collect())
    }

    fn marked_packages(&self) -> Vec<&Package> {
        let mut marked = self.metadata.workspace_packages();
        marked.retain(|package| package.metadata.get("fmu").is_some());
        marked.sort_by(|a, b| a.name.cmp(&b.name));
        marked
    }

    /// The models of a crate: those that its `[package.metadata.fmu]` lists, or the only one.
    fn models<'a>(&'a self, package: &'a Package) -> Result<Vec<Model<'a>>, Error> {
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
        let Some(library) = library else {
            return Err(Error::NoLibrary {
                name: package.name.to_string(),
            });
        };
        let model = |exported| Model {
            package,
            library: &library.name,
            exported,
        };
        let listed = package.metadata.get("fmu").and_then(|fmu| fmu.get("models"));
        let Some(listed) = listed else {
            return Ok(vec![model(None)]);
        };
        let names: Option<Vec<&str>> = listed
            .as_array()
            .and_then(|names| names.iter().map(|name| name.as_str()).collect());
        match names {
            Some(names) if !names.is_empty() => Ok(names.into_iter().map(|name| model(Some(name))).collect()),
            _ => Err(Error::Models {
                name: package.name.to_string(),
                listed: listed.to_string(),
            }),
        }
    }
}

/// A model of a crate, which shall become an FMU.
#[derive(Clone, Copy)]
pub struct Model<'a> {
    pub(crate) package: &'a Package,
    pub(crate) library: &'a str,
    /// Its name, where the crate lists its models.
    pub(crate) exported: Option<&'a str>,
}

impl Model<'_> {
    /// What a person calls it: the name of the crate, and of the model where the crate lists its models.
    pub fn name(&self) -> String {
        match self.exported {
            Some(model) => format!("{}:{model}", self.package.name),
            None => self.package.name.to_string(),
        }
    }

    /// All models that the crate lists.
    pub(crate) fn listed(&self) -> impl Iterator<Item = &str> {
        let listed = self.package.metadata.get("fmu").and_then(|fmu| fmu.get("models"));
        let names = listed.and_then(|names| names.as_array()).into_iter().flatten();
        names.filter_map(|name| name.as_str())
    }

    /// The versions of FMI that `fmi` in the crate's `[package.metadata.fmu]` asks for; FMI 2.0 without it.
    pub(crate) fn versions(&self) -> Result<Versions, Error> {
        let Some(value) = self.package.metadata.get("fmu").and_then(|fmu| fmu.get("fmi")) else {
            return Ok(Versions::default());
        };
        let word = match (value.as_str(), value.as_u64()) {
            (Some(word), _) => word.to_owned(),
            (None, Some(number)) => number.to_string(),
            (None, None) => value.to_string(),
        };
        Versions::of(&word).ok_or_else(|| Error::Versions {
            name: self.package.name.to_string(),
            value: value.to_string(),
        })
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
