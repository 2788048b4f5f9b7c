//! The header of this workspace's own runtime.

use std::collections::BTreeSet;
use std::path::Path;

fn functions_in(version: fmu_header::Version, file: &str) -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let header = fmu_header::header(version, &root.join(file), &[]).unwrap();
    let calls = header
        .split('(')
        .filter_map(|text| text.rsplit([' ', '*']).next());
    calls
        .filter(|name| name.starts_with("fm"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn it_has_every_function_of_the_standard_and_the_description() {
    let found = functions_in(fmu_header::Version::Two, "fmu-runtime/src/fmi2/entry_points.rs");
    let own = ["fmuDescribe", "fmuStabilizeInputs", "fmuGetStates"];
    let expected = fmu_standard::fmi2::functions(true, true).chain(own);
    assert_eq!(found, expected.map(str::to_owned).collect());
}

#[test]
fn that_of_3_0_has_its_own() {
    let found = functions_in(fmu_header::Version::Three, "fmu-runtime/src/fmi3/entry_points");
    let expected = fmu_standard::fmi3::functions().chain(["fmuDescribe3"]);
    assert_eq!(found, expected.map(str::to_owned).collect());
}
