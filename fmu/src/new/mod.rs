//! Creates a model crate that can be packaged at once.

mod members;
mod name;
mod runtime;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use toml_edit::DocumentMut;

use crate::package::cargo;

pub use name::ModelName;

/// The files of a new crate, with `{{...}}` where its names go.
const TEMPLATES: [(&str, &str); 3] = [
    ("Cargo.toml", include_str!("../../templates/model/Cargo.toml.in")),
    ("README.md", include_str!("../../templates/model/README.md.in")),
    ("src/lib.rs", include_str!("../../templates/model/src/lib.rs.in")),
];

/// Why a crate could not be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Not a name for a crate.
    #[error("`{name}` cannot be the name of a model crate: {reason}")]
    Name {
        /// The name.
        name: String,
        /// Why not, and what to write instead.
        reason: String,
    },
    /// Something is there already.
    #[error("{} exists already; nothing was changed", path.display())]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// The workspace has a crate of that name.
    #[error("the workspace has a crate `{name}` already, in {}; nothing was changed", path.display())]
    Taken {
        /// The name.
        name: String,
        /// The folder of that crate.
        path: PathBuf,
    },
    /// It is unknown where `fmu-runtime` comes from.
    #[error(
        "it is not known where the crate fmu-runtime comes from; add it to [workspace.dependencies], or name its folder \
         with --runtime-path"
    )]
    NoRuntime,
    /// `--runtime-path` leads elsewhere.
    #[error("{} is not the folder of the crate fmu-runtime", path.display())]
    NotRuntime {
        /// The folder.
        path: PathBuf,
    },
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// "read", "write", ...
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The manifest of the workspace does not parse, or has members that are not a list.
    #[error("cannot understand {}: {message}", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// Why.
        message: String,
    },
}

/// A crate that was created.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Created {
    /// Its folder.
    pub folder: PathBuf,
    /// The name of the model in it.
    pub model: String,
    /// The manifest that it was added to, if it was not covered already.
    pub added_to: Option<PathBuf>,
}

/// The crate to create.
///
/// ```
/// let mut options = fmu::new::Options::new("heat-pump");
/// options.stiff = true;
/// assert_eq!(options.command, "fmu package-fmu");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The name of the crate, in kebab-case.
    pub name: String,
    /// The folder of `fmu-runtime`, if it is not the one that the workspace uses.
    pub runtime_path: Option<PathBuf>,
    /// The command that packages, for the readme.
    pub command: String,
    /// A model for the stiff integrator.
    pub stiff: bool,
}

impl Options {
    /// A crate with this name, for the runtime of its workspace and the default integrator.
    pub fn new(name: impl Into<String>) -> Options {
        Options {
            name: name.into(),
            runtime_path: None,
            command: "fmu package-fmu".to_owned(),
            stiff: false,
        }
    }
}

/// Creates a crate in a new folder below `directory`, and adds it to the workspace there.
pub fn new_model(directory: &Path, options: &Options) -> Result<Created, Error> {
    let name = ModelName::parse(&options.name)?;
    let folder = directory.join(name.krate());
    if folder.symlink_metadata().is_ok() {
        return Err(Error::Exists { path: folder });
    }
    let workspace = Workspace::of(directory)?;
    if let Some(workspace) = &workspace {
        runtime::refuse_taken_name(workspace, name.krate())?;
    }
    let mut runtime = runtime::dependency(&folder, workspace.as_ref(), options.runtime_path.as_deref())?;
    let mut solver = "";
    if options.stiff {
        runtime = runtime::with_feature(&runtime, "bdf");
        solver = ", solver = \"bdf\"";
    }
    let new_manifest = workspace
        .as_ref()
        .map(|workspace| members::with_member(workspace, &folder))
        .transpose()?
        .flatten();

    let fill = |text: &str| {
        text.replace("{{name}}", name.krate())
            .replace("{{model}}", name.model())
            .replace("{{command}}", &options.command)
            .replace("{{runtime}}", &runtime)
            .replace("{{solver}}", solver)
    };
    if let Err(error) = write_files(&folder, fill) {
        // Everything in this folder is ours and less than a second old.
        let _ = fs::remove_dir_all(&folder);
        return Err(error);
    }
    let mut created = Created {
        folder,
        model: name.model().to_owned(),
        added_to: None,
    };
    if let (Some(workspace), Some(text)) = (workspace, new_manifest) {
        if let Err(error) =
            fs::write(&workspace.manifest, text).map_err(file_error("write", &workspace.manifest))
        {
            let _ = fs::remove_dir_all(&created.folder);
            return Err(error);
        }
        created.added_to = Some(workspace.manifest);
    }
    Ok(created)
}

fn write_files(folder: &Path, fill: impl Fn(&str) -> String) -> Result<(), Error> {
    for (path, text) in TEMPLATES {
        let path = folder.join(path);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(file_error("create", parent))?;
        fs::write(&path, fill(text)).map_err(file_error("write", &path))?;
    }
    Ok(())
}

/// The workspace that the new crate comes to lie in.
struct Workspace {
    manifest: PathBuf,
    root: PathBuf,
    document: DocumentMut,
}

impl Workspace {
    /// The workspace that a folder belongs to; a single crate is not a workspace.
    fn of(directory: &Path) -> Result<Option<Workspace>, Error> {
        let located = Command::new(cargo())
            .args(["locate-project", "--workspace", "--message-format", "plain"])
            .current_dir(directory)
            .output()
            .map_err(file_error("run cargo in", directory))?;
        let manifest = PathBuf::from(String::from_utf8_lossy(&located.stdout).trim());
        if !located.status.success() || manifest.as_os_str().is_empty() {
            return Ok(None);
        }
        let text = fs::read_to_string(&manifest).map_err(file_error("read", &manifest))?;
        let document: DocumentMut = text
            .parse()
            .map_err(|error: toml_edit::TomlError| Error::Manifest {
                path: manifest.clone(),
                message: error.to_string(),
            })?;
        if document.get("workspace").is_none() {
            return Ok(None);
        }
        let root = manifest.parent().unwrap_or(directory).to_owned();
        Ok(Some(Workspace {
            manifest,
            root,
            document,
        }))
    }
}

fn file_error(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::File { action, path, source }
}

/// The way from one folder to another, with forward slashes; absolute if there is none.
fn relative(from: &Path, to: &Path) -> String {
    let common = from
        .components()
        .zip(to.components())
        .take_while(|(a, b)| a == b)
        .count();
    if common == 0 {
        return to.to_string_lossy().into_owned();
    }
    let up = from.components().skip(common).map(|_| "..".to_owned());
    let down = to
        .components()
        .skip(common)
        .map(|part| part.as_os_str().to_string_lossy().into_owned());
    let parts: Vec<String> = up.chain(down).collect();
    if parts.is_empty() {
        ".".to_owned()
    } else {
        parts.join("/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_from_one_folder_to_another() {
        assert_eq!(relative(Path::new("/a/b/c"), Path::new("/a/d")), "../../d");
        assert_eq!(relative(Path::new("/a"), Path::new("/a/b/c")), "b/c");
        assert_eq!(relative(Path::new("/a"), Path::new("/a")), ".");
    }

    #[test]
    fn every_placeholder_of_the_templates_is_known() {
        for (path, text) in TEMPLATES {
            for placeholder in text
                .split("{{")
                .skip(1)
                .map(|rest| rest.split("}}").next().unwrap())
            {
                assert!(
                    ["name", "model", "command", "runtime", "solver"].contains(&placeholder),
                    "{path}: {placeholder}"
                );
            }
        }
    }
}
