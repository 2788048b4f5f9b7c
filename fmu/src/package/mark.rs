//! A fingerprint of what a library is built from: sources of the crate and of its path dependencies, versions of the
//! others, features. It is part of the mark that snapshots carry, and the same for all platforms of an FMU.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use cargo_metadata::{DependencyKind, Metadata, Package, PackageId};

use super::Error;
use super::workspace::{Model, Workspace, directory};

/// Folders of a package that no library is built from.
const LEFT_OUT: [&str; 4] = ["target", "tests", "benches", "examples"];

/// The fingerprint for one model.
pub(crate) fn of(workspace: &Workspace, model: Model<'_>) -> Result<String, Error> {
    let metadata = workspace.metadata();
    let mut text = format!("model {:?}\n", model.exported).into_bytes();
    let reached = reached(metadata, &model.package.id);
    let mut packages: Vec<&Package> = metadata
        .packages
        .iter()
        .filter(|package| reached.contains(&package.id))
        .collect();
    packages.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    for package in packages {
        let source = package.source.as_ref().map(|source| source.repr.as_str());
        let features = features(metadata, &package.id);
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
    Ok(fmi::fingerprint(&text))
}

/// The package and what it needs to be built, on whatever platform.
fn reached<'a>(metadata: &'a Metadata, from: &'a PackageId) -> BTreeSet<&'a PackageId> {
    let nodes = metadata.resolve.iter().flat_map(|resolve| &resolve.nodes);
    let nodes: Vec<_> = nodes.collect();
    let (mut reached, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(id) = open.pop() {
        for dependency in nodes
            .iter()
            .filter(|node| node.id == *id)
            .flat_map(|node| &node.deps)
        {
            let kinds = &dependency.dep_kinds;
            let is_built =
                kinds.is_empty() || kinds.iter().any(|info| info.kind != DependencyKind::Development);
            if is_built && reached.insert(&dependency.pkg) {
                open.push(&dependency.pkg);
            }
        }
    }
    reached
}

fn features(metadata: &Metadata, id: &PackageId) -> BTreeSet<String> {
    let nodes = metadata.resolve.iter().flat_map(|resolve| &resolve.nodes);
    let of_package = nodes.filter(|node| node.id == *id);
    of_package
        .flat_map(|node| node.features.iter().map(ToString::to_string))
        .collect()
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
