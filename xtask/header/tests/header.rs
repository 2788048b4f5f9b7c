//! The header of this workspace's own runtime.

use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn it_has_every_function_of_the_standard_and_the_description() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let header = fmu_header::header(&root.join("fmu-runtime/src/fmi2/entry_points.rs"), &[]).unwrap();
    let calls = header
        .split('(')
        .filter_map(|text| text.rsplit([' ', '*']).next());
    let found: BTreeSet<&str> = calls.filter(|name| name.starts_with("fm")).collect();
    let own = ["fmuDescribe", "fmuStabilizeInputs", "fmuGetStates"];
    let expected: BTreeSet<&str> = fmu_standard::fmi2::functions(true, true).chain(own).collect();
    assert_eq!(found, expected);
}
