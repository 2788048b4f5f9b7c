//! One model as an FMU of FMI 2.0, of FMI 3.0, and of both.

mod common;

use std::path::{Path, PathBuf};

use common::{Recorder, TestWorkspace, crates, description, entries, read_entry, source};
use fmu::package::{Arrays, Build, LibraryFacts, Versions};
use fmu_standard::description::ModelDescription;

fn package(name: &str, fmi: Versions, arrays: Arrays, out: &Path) -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut options = crates(&[name]).with_out(out);
    options.fmi = Some(fmi);
    options.arrays = arrays;
    let mut recorder = Recorder::default();
    let paths = fmu::package::package(here, &options, &mut recorder).unwrap();
    assert_eq!(recorder.warnings, Vec::<String>::new());
    paths
}

fn described(fmu: &Path) -> ModelDescription {
    fmu_standard::xml::read_any_version(read_entry(fmu, "modelDescription.xml")).unwrap()
}

/// The bytes of the library in an FMU, and its path there.
fn library(fmu: &Path) -> (String, Vec<u8>) {
    let is_library = |entry: &String| entry.starts_with("binaries/");
    let path = entries(fmu).into_iter().find(is_library).unwrap();
    let bytes = read_entry(fmu, &path);
    (path, bytes)
}

fn exports(bytes: &[u8], prefix: &str) -> usize {
    let library = LibraryFacts::read_whole("", bytes).unwrap();
    library
        .exports
        .iter()
        .filter(|name| name.starts_with(prefix))
        .count()
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn each_version_has_its_folders_its_functions_and_its_size() {
    let folder = tempfile::tempdir().unwrap();
    let in_folder = |name: &str| folder.path().join(name);
    let package = |fmi, name: &str| package("bouncing-ball", fmi, Arrays::Whole, &in_folder(name));

    let two = package(Versions::Two, "two");
    let (place, of_two) = library(&two[0]);
    assert_eq!(place, "binaries/linux64/BouncingBall.so");
    assert_eq!(
        exports(&of_two, "fmi3"),
        0,
        "a library of FMI 2.0 carries nothing of 3.0"
    );

    let three = package(Versions::Three, "three");
    assert_eq!(three, [in_folder("three").join("BouncingBall.fmu")]);
    let (place, of_three) = library(&three[0]);
    assert_eq!(place, "binaries/x86_64-linux/BouncingBall.so");
    let functions = fmu_standard::fmi3::functions().count();
    assert_eq!(
        (exports(&of_three, "fmi3"), exports(&of_three, "fmi2")),
        (functions, 0)
    );
    let facts = LibraryFacts::read_whole("", &of_three).unwrap();
    for name in fmu_standard::fmi3::functions() {
        assert!(facts.exports.contains(name), "{name} is missing");
    }
    for entry in ["documentation/index.html", "documentation/licenses/license.txt"] {
        assert!(entries(&three[0]).iter().any(|name| name == entry), "{entry}");
    }

    let both = package(Versions::Both, "both");
    let names = ["BouncingBall.fmu", "BouncingBall.fmi3.fmu"];
    assert_eq!(both, names.map(|name| in_folder("both").join(name)));
    assert_eq!(
        both.iter()
            .map(|fmu| described(fmu).fmi_version)
            .collect::<Vec<_>>(),
        ["2.0", "3.0"]
    );
    let [of_both, again] = [0, 1].map(|at: usize| library(&both[at]).1);
    assert!(of_both == again, "one library in two FMUs");

    let ratio = |bytes: &[u8]| bytes.len() as f64 / of_two.len() as f64;
    println!(
        "3.0 / 2.0: {:.3}, both / 2.0: {:.3}",
        ratio(&of_three),
        ratio(&of_both)
    );
    assert!(
        ratio(&of_three) <= 1.3,
        "FMI 3.0 has {:.2} times the size",
        ratio(&of_three)
    );
    assert!(
        ratio(&of_both) <= 1.6,
        "both have {:.2} times the size",
        ratio(&of_both)
    );
}

#[test]
fn arrays_are_whole_or_scalar() {
    let folder = tempfile::tempdir().unwrap();
    let described = |arrays, name: &str| {
        let paths = package("heat-rod", Versions::Three, arrays, &folder.path().join(name));
        described(&paths[0])
    };
    let whole = described(Arrays::Whole, "whole");
    let scalar = described(Arrays::Scalar, "scalar");
    assert_eq!(
        (whole.number_of_states(), scalar.number_of_states()),
        (1000, 1000)
    );
    assert!(whole.model_variables.len() < 20 && scalar.model_variables.len() > 2000);
    assert!(
        scalar
            .model_variables
            .iter()
            .all(|variable| variable.dimensions.is_empty())
    );
    let names: Vec<&str> = scalar
        .model_variables
        .iter()
        .map(|variable| variable.name.as_str())
        .collect();
    assert!(names.contains(&"temperature[1000]") && names.contains(&"der(temperature[1])"));
    assert_ne!(whole.guid, scalar.guid);
    // Restricted to inputs, states and time, the dependencies of the elements are those of FMI 2.0.
    let two = package(
        "heat-rod",
        Versions::Two,
        Arrays::Whole,
        &folder.path().join("two"),
    );
    let two = self::described(&two[0]);
    let rows = |of: &ModelDescription| -> Vec<Vec<(String, String)>> {
        let is_known_of_two = |position: usize| {
            use fmu_standard::description::Causality;
            let causality = of.model_variables[position].causality;
            !matches!(causality, Causality::Parameter | Causality::CalculatedParameter)
        };
        let row = |unknown: &fmu_standard::description::Unknown| {
            let on = unknown.depends_on().into_iter().flatten();
            on.filter(|(position, _)| is_known_of_two(*position))
                .map(|(position, kind)| (of.model_variables[position].name.clone(), kind.to_string()))
                .collect()
        };
        let structure = &of.model_structure;
        structure
            .derivatives
            .iter()
            .chain(&structure.outputs)
            .map(row)
            .collect()
    };
    assert_eq!(rows(&scalar), rows(&two));
}

#[test]
fn the_key_in_the_manifest_counts_and_must_be_a_version() {
    let workspace = TestWorkspace::new();
    let xml = fmu_standard::xml::write(&description("Decay"));
    workspace.add_source("decay", &source(&xml, ""));
    let manifest = workspace.root().join("models/decay/Cargo.toml");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let package = |key: &str, fmi: Option<Versions>| {
        let metadata = format!("\n[package.metadata.fmu]\n{key}\n");
        let without = text.replace("[package.metadata.fmu]\n", "");
        std::fs::write(&manifest, without + &metadata).unwrap();
        let mut options = crates(&["decay"]).with_build(Build::Debug);
        options.fmi = fmi;
        workspace.package(&options).map_err(|error| error.to_string())
    };
    let refused = package("fmi = 4", None).unwrap_err();
    assert!(refused.contains("`[package.metadata.fmu] fmi = 4`"), "{refused}");
    assert!(refused.contains("\"2\", \"3\" or \"both\""), "{refused}");
    let missing = package("fmi = 'both'", None).unwrap_err();
    assert!(missing.contains("does not export fmi3GetVersion"), "{missing}");
    assert!(package("fmi = 2", None).is_ok() && package("fmi = 'both'", Some(Versions::Two)).is_ok());
}
