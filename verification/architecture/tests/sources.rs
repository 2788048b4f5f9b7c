//! Names of FMI in the sources stay where they belong.
//!
//! Identifiers are read from tokens, so that comments and texts do not count: a message may name a function of the standard.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All Rust files below a folder of the repository, by their paths from its root.
fn sources(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).expect("a folder") {
            let entry = entry.expect("an entry");
            let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                open.push(name);
            } else if name.ends_with(".rs") {
                found.push(name);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "{folder} has no sources");
    found
}

/// The identifiers of a file.
fn identifiers(path: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(root().join(path)).expect("a source");
    let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut names = BTreeSet::new();
    collect(tokens, &mut names);
    names
}

fn collect(tokens: TokenStream, names: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => collect(group.stream(), names),
            TokenTree::Ident(name) => {
                names.insert(name.to_string());
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Files that have identifiers of a kind, with the first of them.
fn with(folder: &str, is_wrong: impl Fn(&str) -> bool) -> BTreeMap<String, String> {
    let files = sources(folder).into_iter().filter_map(|path| {
        let wrong = identifiers(&path).into_iter().find(|name| is_wrong(name))?;
        Some((path, wrong))
    });
    files.collect()
}

/// Names that belong to one version of the standard.
fn is_of_a_version(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["fmi1", "fmi2", "fmi3"]
        .iter()
        .any(|version| name.contains(version))
}

/// Terms of the description of an FMU, which the model layer does not use.
fn is_of_the_description(name: &str) -> bool {
    matches!(
        name,
        "ScalarVariable"
            | "VariableKind"
            | "ModelStructure"
            | "ModelDescription"
            | "value_reference"
            | "valueReference"
    )
}

#[test]
fn numerics_knows_neither_fmi_nor_models() {
    let wrong = with("numerics/src", |name| {
        is_of_a_version(name) || is_of_the_description(name) || name.starts_with("fmu_") || name == "Fmu"
    });
    assert_eq!(wrong, BTreeMap::new());
}

#[test]
fn results_know_no_fmu() {
    let wrong = with("results/src", |name| {
        is_of_a_version(name) || is_of_the_description(name) || matches!(name, "Fmu" | "FMU")
    });
    assert_eq!(wrong, BTreeMap::new());
}

/// Compares files with a list of exceptions, each with its reason. An exception that is not needed any more is wrong, too:
/// the list only shrinks.
fn compare(wrong: BTreeMap<String, String>, exceptions: &[(&str, &str)]) {
    let unexpected: BTreeMap<_, _> = wrong
        .iter()
        .filter(|(path, _)| !exceptions.iter().any(|(exception, _)| path == exception))
        .collect();
    assert_eq!(
        unexpected,
        BTreeMap::new(),
        "files with a name in the wrong place"
    );
    for (path, reason) in exceptions {
        assert!(
            wrong.contains_key(*path),
            "{path} is not an exception any more ({reason}): remove it from the list"
        );
    }
}

/// Expanded code, and the macros themselves, speak of the model's own terms.
#[test]
fn expanded_code_knows_no_version() {
    let wrong = with("fmu-macros/src", |name| {
        is_of_a_version(name) || is_of_the_description(name)
    });
    assert_eq!(wrong, BTreeMap::new());
}

/// The model layer: everything of the runtime but the folders of the versions.
#[test]
fn the_model_layer_knows_no_version() {
    let mut wrong = with("fmu-runtime/src", is_of_a_version);
    wrong.retain(|path, _| {
        !path.starts_with("fmu-runtime/src/fmi2/") && !path.starts_with("fmu-runtime/src/fmi3/")
    });
    compare(
        wrong,
        &[
            (
                "fmu-runtime/src/lib.rs",
                "it declares the folders of the versions",
            ),
            (
                "fmu-runtime/src/__private/mod.rs",
                "`export_fmu!` finds the C functions of a version there",
            ),
        ],
    );
}

/// What both versions share: everything of the standard but the folders of the versions.
#[test]
fn shared_facts_know_no_version() {
    let mut wrong = with("standard/src", is_of_a_version);
    wrong
        .retain(|path, _| !path.starts_with("standard/src/fmi2/") && !path.starts_with("standard/src/fmi3/"));
    compare(
        wrong,
        &[
            ("standard/src/lib.rs", "it declares the folders of the versions"),
            (
                "standard/src/extension.rs",
                "functions of the extension are rows of the calling sequence of 2.0",
            ),
            (
                "standard/src/guid.rs",
                "the GUID is a fingerprint of what a version writes",
            ),
            (
                "standard/src/legality.rs",
                "it exports what belongs to 2.0 under its former path",
            ),
            (
                "standard/src/xml/mod.rs",
                "it chooses the reader of a file's version",
            ),
        ],
    );
}

/// Where the C interface of FMI 2.0 is at home on the importing side: a file or a folder, which ends with `/`.
const ROOMS: &[&str] = &[
    // Calls of a library, and the same calls through another process.
    "importer/src/instance/",
    "importer/src/remote/",
    "importer/src/library.rs",
    "importer/src/log.rs",
    "importer/src/watch.rs",
    // The rules about behaviour, which call a library without the tables of the importer.
    "checker/src/run/",
];

#[test]
fn names_of_a_version_stay_in_their_rooms() {
    let folders = [
        "importer/src",
        "checker/src",
        "master/src",
        "solvers/src",
        "fmu/src",
    ];
    let mut wrong: BTreeMap<_, _> = folders
        .iter()
        .flat_map(|folder| with(folder, is_of_a_version))
        .collect();
    for room in ROOMS {
        assert!(
            wrong.keys().any(|path| path.starts_with(room)),
            "{room} has no name of a version: remove it from the list"
        );
    }
    wrong.retain(|path, _| !ROOMS.iter().any(|room| path.starts_with(room)));
    compare(
        wrong,
        &[
            (
                "checker/src/binary.rs",
                "the functions that a library must export, by interface",
            ),
            (
                "fmu/src/package/library.rs",
                "the functions that a packaged library must export",
            ),
            (
                "master/src/aggregate/native.rs",
                "start values and dependencies of a native model come from its description",
            ),
        ],
    );
}

/// Ways to start a process.
fn starts_a_process(name: &str) -> bool {
    ["Command", "posix_spawn", "CreateProcessW"].contains(&name)
}

#[test]
fn libraries_start_no_processes() {
    // The checker is asked to: `RunOptions::command` names the program.
    for folder in [
        "standard/src",
        "numerics/src",
        "solvers/src",
        "fmu-runtime/src",
        "importer/src",
        "results/src",
        "master/src",
    ] {
        compare(with(folder, starts_a_process), &[]);
    }
    assert!(
        !with("checker/src", starts_a_process).is_empty(),
        "the names are those of today"
    );
}
