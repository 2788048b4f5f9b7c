//! Where the crate `fmu-runtime` comes from in a workspace.

use std::path::Path;

use cargo_metadata::{Metadata, MetadataCommand};
use toml_edit::Item;

use super::{Error, Workspace, relative};
use crate::package::cargo;

const RUNTIME: &str = "fmu-runtime";

/// The line of `[dependencies]` for a crate in `folder`.
pub(super) fn dependency(
    folder: &Path,
    workspace: Option<&Workspace>,
    runtime_path: Option<&Path>,
) -> Result<String, Error> {
    if let Some(path) = runtime_path {
        return from_folder(folder, path);
    }
    let workspace = workspace.ok_or(Error::NoRuntime)?;
    if workspace.document["workspace"]
        .get("dependencies")
        .and_then(|table| table.get(RUNTIME))
        .is_some()
    {
        return Ok(format!("{RUNTIME}.workspace = true"));
    }
    let metadata = metadata(workspace).ok_or(Error::NoRuntime)?;
    as_others_do(folder, &metadata).ok_or(Error::NoRuntime)
}

/// The same line with a feature of the crate; a line that is not TOML remains unchanged.
pub(super) fn with_feature(line: &str, feature: &str) -> String {
    let Ok(document) = line.parse::<toml_edit::DocumentMut>() else {
        return line.to_owned();
    };
    let mut table = toml_edit::InlineTable::new();
    match document.get(RUNTIME) {
        Some(Item::Value(toml_edit::Value::InlineTable(own))) => table = own.clone(),
        // `fmu-runtime.workspace = true`
        Some(Item::Table(own)) => table.extend(own.iter().filter_map(|(key, item)| {
            let value = item.as_value()?.clone();
            Some((key.to_owned(), value.decorated(" ", "")))
        })),
        Some(Item::Value(version)) => {
            table.insert("version", version.clone().decorated(" ", ""));
        }
        _ => return line.to_owned(),
    }
    table.insert("features", toml_edit::Array::from_iter([feature]).into());
    table.fmt();
    format!("{RUNTIME} = {}", table.to_string().trim_start())
}

fn from_folder(folder: &Path, path: &Path) -> Result<String, Error> {
    let refuse = || Error::NotRuntime {
        path: path.to_owned(),
    };
    let real = path.canonicalize().map_err(|_| refuse())?;
    let manifest = std::fs::read_to_string(real.join("Cargo.toml")).map_err(|_| refuse())?;
    let document: toml_edit::DocumentMut = manifest.parse().map_err(|_| refuse())?;
    let name = document
        .get("package")
        .and_then(|package| package.get("name"))
        .and_then(Item::as_str);
    if name != Some(RUNTIME) {
        return Err(refuse());
    }
    Ok(path_dependency(folder, &real))
}

fn path_dependency(folder: &Path, runtime: &Path) -> String {
    // The folder does not exist yet, but its parent does, and may be reached through a link.
    let parent = folder.parent().and_then(|parent| parent.canonicalize().ok());
    let folder = match (parent, folder.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        _ => folder.to_owned(),
    };
    format!(
        "{RUNTIME} = {{ path = {} }}",
        toml_edit::Value::from(relative(&folder, runtime))
    )
}

/// What the other crates of the workspace do: they have or use the runtime, or they use the packager, beside which the
/// runtime lies.
fn as_others_do(folder: &Path, metadata: &Metadata) -> Option<String> {
    let members = metadata.workspace_packages();
    let used = |name: &str| {
        members
            .iter()
            .flat_map(|p| &p.dependencies)
            .find(|dependency| dependency.name == name)
    };
    let beside = |manifest: &Path| manifest.parent()?.parent().map(|parent| parent.join(RUNTIME));

    if let Some(package) = members.iter().find(|package| package.name == RUNTIME) {
        return Some(path_dependency(
            folder,
            package.manifest_path.as_std_path().parent()?,
        ));
    }
    for name in [RUNTIME, "fmu"] {
        let Some(dependency) = used(name) else { continue };
        if let Some(path) = &dependency.path {
            let runtime = if name == RUNTIME {
                path.clone().into_std_path_buf()
            } else {
                beside(path.join("Cargo.toml").as_std_path()).filter(|path| path.is_dir())?
            };
            return Some(path_dependency(folder, &runtime));
        }
        return match dependency.source.as_ref().map(|source| source.repr.as_str()) {
            Some(source) if source.starts_with("git+") => Some(git_dependency(source)),
            _ => Some(format!("{RUNTIME} = \"{}\"", dependency.req)),
        };
    }
    None
}

/// From cargo's spelling of a source, `git+https://...?branch=main`.
fn git_dependency(source: &str) -> String {
    let source = source.trim_start_matches("git+");
    let source = source.split('#').next().unwrap_or(source);
    match source.split_once('?') {
        Some((url, query)) => {
            let (key, value) = query.split_once('=').unwrap_or(("rev", query));
            format!("{RUNTIME} = {{ git = \"{url}\", {key} = \"{value}\" }}")
        }
        None => format!("{RUNTIME} = {{ git = \"{source}\" }}"),
    }
}

/// Fails if a crate of the workspace has the name; cargo would refuse to work with two.
pub(super) fn refuse_taken_name(workspace: &Workspace, name: &str) -> Result<(), Error> {
    let metadata = metadata(workspace);
    let packages = metadata.iter().flat_map(|metadata| metadata.workspace_packages());
    match packages.into_iter().find(|package| package.name == name) {
        Some(package) => {
            let path = package
                .manifest_path
                .parent()
                .map(|path| path.as_std_path().to_owned())
                .unwrap_or_default();
            Err(Error::Taken {
                name: name.to_owned(),
                path,
            })
        }
        None => Ok(()),
    }
}

/// The crates of the workspace itself; `None` if cargo finds something wrong, which it will say better when it builds.
fn metadata(workspace: &Workspace) -> Option<Metadata> {
    MetadataCommand::new()
        .cargo_path(cargo())
        .current_dir(&workspace.root)
        .no_deps()
        .exec()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feature_goes_to_every_kind_of_line() {
        for (line, with) in [
            (
                "fmu-runtime.workspace = true",
                "{ workspace = true, features = [\"bdf\"] }",
            ),
            (
                "fmu-runtime = \"0.1\"",
                "{ version = \"0.1\", features = [\"bdf\"] }",
            ),
            (
                "fmu-runtime = { path = \"../fmu-runtime\" }",
                "{ path = \"../fmu-runtime\", features = [\"bdf\"] }",
            ),
        ] {
            assert_eq!(with_feature(line, "bdf"), format!("fmu-runtime = {with}"));
        }
    }

    #[test]
    fn git_sources_are_spelled_as_in_a_manifest() {
        assert_eq!(
            git_dependency("git+https://host/x"),
            "fmu-runtime = { git = \"https://host/x\" }"
        );
        assert_eq!(
            git_dependency("git+https://host/x?branch=main#0123"),
            "fmu-runtime = { git = \"https://host/x\", branch = \"main\" }"
        );
    }
}
