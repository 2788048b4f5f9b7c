//! Dependencies between the crates point the way that `ARCHITECTURE.md` shows.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};

/// The published crates, with the crates of this workspace that each may depend on.
const ARROWS: &[(&str, &[&str])] = &[
    ("fmu-standard", &[]),
    ("fmu-numerics", &[]),
    ("fmu-results", &[]),
    ("fmu-macros", &["fmu-standard"]),
    ("fmu-runtime", &["fmu-standard", "fmu-macros", "fmu-numerics"]),
    ("fmu-solvers", &["fmu-numerics"]),
    (
        "fmu-importer",
        &["fmu-standard", "fmu-numerics", "fmu-results", "fmu-solvers"],
    ),
    (
        "fmu-checker",
        &["fmu-standard", "fmu-numerics", "fmu-importer", "fmu-results"],
    ),
    (
        "fmu-master",
        &[
            "fmu-standard",
            "fmu-numerics",
            "fmu-results",
            "fmu-solvers",
            "fmu-importer",
            "fmu-runtime",
        ],
    ),
    (
        "fmu",
        &[
            "fmu-standard",
            "fmu-results",
            "fmu-importer",
            "fmu-checker",
            "fmu-master",
        ],
    ),
];

/// The one bridge between exporting and importing: crate, dependency and the feature that brings it.
const BRIDGE: (&str, &str, &str) = ("fmu-master", "fmu-runtime", "native");

const EXPORTERS: [&str; 2] = ["fmu-macros", "fmu-runtime"];
const IMPORTERS: [&str; 4] = ["fmu-importer", "fmu-checker", "fmu-master", "fmu"];

fn metadata() -> Metadata {
    MetadataCommand::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml"))
        .no_deps()
        .other_options(["--offline".to_owned()])
        .exec()
        .expect("cargo metadata")
}

fn package<'m>(metadata: &'m Metadata, name: &str) -> &'m Package {
    let mut packages = metadata.packages.iter();
    packages
        .find(|package| package.name.as_str() == name)
        .unwrap_or_else(|| panic!("the workspace has no crate {name}"))
}

/// The crates of this workspace that a crate depends on when it is used, optional ones included.
fn ours(metadata: &Metadata, package: &Package) -> BTreeSet<String> {
    let names: BTreeSet<&str> = metadata
        .packages
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    package
        .dependencies
        .iter()
        .filter(|dependency| dependency.kind != DependencyKind::Development)
        .filter(|dependency| names.contains(dependency.name.as_str()))
        .map(|dependency| dependency.name.clone())
        .collect()
}

#[test]
fn dependencies_point_one_way() {
    let metadata = metadata();
    for (name, allowed) in ARROWS {
        for dependency in ours(&metadata, package(&metadata, name)) {
            assert!(
                allowed.contains(&dependency.as_str()),
                "{name} depends on {dependency}, which ARCHITECTURE.md does not allow"
            );
        }
    }
    // The table itself has no circles: each crate may use those above it only.
    for (position, (name, allowed)) in ARROWS.iter().enumerate() {
        for dependency in *allowed {
            let above = ARROWS[..position].iter().any(|(name, _)| name == dependency);
            assert!(above, "{name} -> {dependency}");
        }
    }
}

#[test]
fn exporting_and_importing_meet_in_an_fmu_file_only() {
    let metadata = metadata();
    let mut reaches: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, _) in ARROWS {
        let mut all = BTreeSet::new();
        for dependency in ours(&metadata, package(&metadata, name)) {
            if (*name, dependency.as_str()) == (BRIDGE.0, BRIDGE.1) {
                continue;
            }
            all.extend(reaches.get(&dependency).cloned().unwrap_or_default());
            all.insert(dependency);
        }
        reaches.insert((*name).to_owned(), all);
    }
    for (one, others) in [
        (EXPORTERS.as_slice(), IMPORTERS.as_slice()),
        (&IMPORTERS, &EXPORTERS),
    ] {
        for name in one {
            let wrong = others.iter().find(|other| reaches[*name].contains(**other));
            assert_eq!(wrong, None, "{name} depends on the other side");
        }
    }
}

#[test]
fn the_bridge_is_behind_its_feature() {
    let metadata = metadata();
    let (name, other, feature) = BRIDGE;
    let package = package(&metadata, name);
    let mut dependencies = package.dependencies.iter();
    let bridge = dependencies
        .find(|dependency| dependency.name == other && dependency.kind == DependencyKind::Normal)
        .expect("the bridge");
    assert!(bridge.optional);
    let activation = format!("dep:{other}");
    for (candidate, enables) in &package.features {
        let through = |text: &String| *text == activation || text.starts_with(&format!("{other}/"));
        assert!(
            candidate == feature || !enables.iter().any(through),
            "the feature {candidate} of {name} brings {other}"
        );
    }
}

#[test]
fn numerics_has_no_default_features_and_one_optional_dependency() {
    let metadata = metadata();
    let numerics = package(&metadata, "fmu-numerics");
    assert!(!numerics.features.contains_key("default"));
    let used: Vec<_> = numerics
        .dependencies
        .iter()
        .filter(|dependency| dependency.kind != DependencyKind::Development)
        .map(|dependency| (dependency.name.as_str(), dependency.optional))
        .collect();
    assert_eq!(used, [("rsparse", true)]);
}

#[test]
fn what_is_published_depends_on_what_is_published() {
    let metadata = metadata();
    let published: BTreeSet<&str> = ARROWS.iter().map(|(name, _)| *name).collect();
    for (name, _) in ARROWS {
        for dependency in ours(&metadata, package(&metadata, name)) {
            assert!(published.contains(dependency.as_str()), "{name} -> {dependency}");
        }
    }
}

#[test]
fn models_of_the_examples_know_the_exporting_side_only() {
    let metadata = metadata();
    let mut models = 0;
    for package in &metadata.packages {
        let is_model = package.manifest_path.as_str().contains("/examples/")
            && !package.metadata.get("fmu").is_none_or(|fmu| fmu.is_null());
        if is_model {
            models += 1;
            for dependency in ours(&metadata, package) {
                let importing = IMPORTERS.contains(&dependency.as_str());
                assert!(!importing, "the model {} depends on {dependency}", package.name);
            }
        }
    }
    assert!(models > 5, "only {models} models were found");
}
