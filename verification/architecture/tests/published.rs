//! What people expect of a published crate: it says what it is, it is complete once packed, and the types in its signatures
//! can be named through it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};

/// The published crates, with the crates of ours whose types appear in their public signatures.
const SHOWN: &[(&str, &[&str])] = &[
    ("fmu-standard", &[]),
    ("fmu-numerics", &[]),
    ("fmu-results", &[]),
    ("fmu-macros", &[]),
    ("fmu-runtime", &["fmu-standard", "fmu-numerics"]),
    ("fmu-solvers", &["fmu-numerics"]),
    (
        "fmu-importer",
        &["fmu-standard", "fmu-numerics", "fmu-results", "fmu-solvers"],
    ),
    ("fmu-checker", &["fmu-importer"]),
    (
        "fmu-master",
        &[
            "fmu-standard",
            "fmu-numerics",
            "fmu-results",
            "fmu-importer",
            "nalgebra",
        ],
    ),
    ("fmu", &["fmu-standard"]),
];

fn metadata() -> Metadata {
    MetadataCommand::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml"))
        .no_deps()
        .other_options(["--offline".to_owned()])
        .exec()
        .expect("cargo metadata")
}

fn published(metadata: &Metadata) -> Vec<(&Package, &[&str])> {
    let found = SHOWN.iter().map(|(name, shown)| {
        let mut packages = metadata.packages.iter();
        let package = packages.find(|package| package.name.as_str() == *name);
        (package.unwrap_or_else(|| panic!("no crate {name}")), *shown)
    });
    found.collect()
}

/// The folder of a crate.
fn folder(package: &Package) -> PathBuf {
    let manifest = package.manifest_path.as_std_path();
    manifest.parent().expect("a folder").to_owned()
}

/// The contents of all Rust files below a folder.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("a source");
                found.push((path, text));
            }
        }
    }
    assert!(!found.is_empty(), "{} has no sources", folder.display());
    found
}

#[test]
fn a_published_crate_says_what_it_is() {
    let metadata = metadata();
    for (package, _) in published(&metadata) {
        let name = &package.name;
        let description = package.description.as_deref().unwrap_or_default();
        assert!(description.len() > 20, "{name} has no description");
        assert_eq!(package.license.as_deref(), Some("MIT OR Apache-2.0"), "{name}");
        assert!(
            (1..=5).contains(&package.keywords.len()),
            "a registry takes one to five keywords: {name}"
        );
        assert!(!package.categories.is_empty(), "{name} has no categories");
        assert!(package.rust_version.is_some(), "{name} names no version of Rust");
        let readme = package.readme.as_ref().map(|readme| folder(package).join(readme));
        assert!(
            readme.is_some_and(|readme| readme.is_file()),
            "{name} has no readme"
        );
        let manifest = fs::read_to_string(&package.manifest_path).expect("a manifest");
        assert!(
            manifest.contains("\ninclude = ["),
            "{name} does not list the files it is packed with"
        );
    }
}

/// A file of another crate is missing once the crate is packed.
#[test]
fn a_published_crate_reads_no_file_of_another() {
    let metadata = metadata();
    for (package, _) in published(&metadata) {
        let folder = folder(package);
        for (path, text) in sources(&folder.join("src")) {
            let depth = path.strip_prefix(&folder).expect("below it").components().count() - 1;
            let leaves = "../".repeat(depth);
            for line in text
                .lines()
                .map(str::trim_start)
                .filter(|line| !line.starts_with("//"))
            {
                let reads = ["#[path", "include!(", "include_str!(", "include_bytes!("];
                let reads = reads.iter().any(|word| line.contains(word));
                assert!(
                    !(reads && line.contains(&format!("\"{leaves}../"))),
                    "{}: {line}",
                    path.display()
                );
                assert!(
                    !(reads && line.contains("CARGO_MANIFEST_DIR") && line.contains("/..")),
                    "{}: {line}",
                    path.display()
                );
            }
        }
    }
}

/// A user of one crate names the types in its signatures without a further dependency, whose version could be another one.
#[test]
fn types_in_signatures_can_be_named_through_the_crate() {
    let metadata = metadata();
    for (package, shown) in published(&metadata) {
        let sources = sources(&folder(package).join("src"));
        for other in shown {
            let path = other.replace('-', "_");
            let exported = sources.iter().any(|(_, text)| {
                text.lines().map(str::trim_start).any(|line| {
                    ["pub use ", "pub use ::"]
                        .iter()
                        .any(|begin| line.starts_with(&format!("{begin}{path}")))
                })
            });
            assert!(exported, "{} does not export {other}", package.name);
        }
    }
}

/// The list above is complete: a crate of ours that is named in a public signature is shown.
#[test]
fn signatures_name_only_crates_that_are_shown() {
    let metadata = metadata();
    for (package, shown) in published(&metadata) {
        let own: BTreeSet<String> = package
            .dependencies
            .iter()
            .filter(|dependency| dependency.kind == DependencyKind::Normal)
            .map(|dependency| dependency.name.replace('-', "_"))
            .filter(|name| name.starts_with("fmu") || name == "nalgebra")
            .collect();
        for (path, text) in sources(&folder(package).join("src")) {
            for line in text.lines().map(str::trim_start) {
                let is_public = ["pub fn ", "pub const fn ", "pub type "]
                    .iter()
                    .any(|begin| line.starts_with(begin));
                for name in own
                    .iter()
                    .filter(|name| is_public && line.contains(&format!("{name}::")))
                {
                    assert!(
                        shown.iter().any(|shown| shown.replace('-', "_") == *name),
                        "{} shows {name}: {}",
                        package.name,
                        path.display()
                    );
                }
            }
        }
    }
}

/// A registry would have to have the versions of crates that only tests need, among them such as depend on the crate itself. Cargo
/// leaves dependencies without a version out of the packed crate.
#[test]
fn tests_need_our_crates_by_path_only() {
    let metadata = metadata();
    for (package, _) in published(&metadata) {
        let of_tests = package
            .dependencies
            .iter()
            .filter(|dependency| dependency.kind == DependencyKind::Development && dependency.path.is_some());
        for dependency in of_tests {
            assert_eq!(
                dependency.req.to_string(),
                "*",
                "{}: the dev-dependency {} has a version",
                package.name,
                dependency.name
            );
        }
    }
}

/// Whether a struct is a collection of fields that grows: callers outside must not list them all.
fn grows(name: &str) -> bool {
    ["Settings", "Options", "Capabilities", "Summary", "Statistics"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// A new setting does not break callers.
#[test]
fn settings_and_summaries_can_grow() {
    let metadata = metadata();
    let mut seen = 0;
    // A crate of macros shows no types.
    let shows_types = |package: &Package| !package.targets.iter().any(|target| target.is_proc_macro());
    for (package, _) in published(&metadata)
        .into_iter()
        .filter(|(package, _)| shows_types(package))
    {
        for (path, text) in sources(&folder(package).join("src")) {
            let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
            for (at, line) in lines.iter().enumerate() {
                let Some(rest) = line.strip_prefix("pub struct ") else {
                    continue;
                };
                let name = rest
                    .split(|c: char| !c.is_alphanumeric())
                    .next()
                    .unwrap_or_default();
                let attributes = lines[..at].iter().rev().take_while(|line| {
                    line.starts_with("#[") || line.starts_with("///") || line.starts_with(')')
                });
                if grows(name) {
                    seen += 1;
                    assert!(
                        attributes.into_iter().any(|line| *line == "#[non_exhaustive]"),
                        "{}: {name} is not #[non_exhaustive]",
                        path.display()
                    );
                }
            }
        }
    }
    assert!(seen > 15, "only {seen} structs were found");
}
