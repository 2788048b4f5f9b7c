//! A crate with several models: each becomes an FMU, and both lists of them have to agree.

mod common;

use std::process::Output;

use common::{TestWorkspace, read_entry, stderr, stdout};

/// A workspace with one crate, `tank`, whose manifest lists models; its source exports the given models.
fn workspace(listed: &str, exported: &str) -> TestWorkspace {
    let workspace = TestWorkspace::new();
    let model = |name: &str, rate: &str| {
        format!(
            "/// A tank.\n#[model]\npub struct {name} {{\n    /// Level\n    #[state(start = 1.0, output)]\n    level: f64,\n}}\n\
             #[equations]\nimpl Model for {name} {{\n    fn derivatives(&self, _t: f64) -> Derivatives<Self> {{\n        \
             Derivatives::<Self> {{ level: {rate} * self.level }}\n    }}\n}}\n"
        )
    };
    let source = format!(
        "//! Tanks.\nuse fmu_runtime::prelude::*;\n{}{}export_fmu!({exported});\n",
        model("Leaking", "-1.0"),
        model("Filling", "1.0")
    );
    workspace.add_with_runtime("tank", "", listed, &source);
    workspace
}

fn package(workspace: &TestWorkspace, what: &str) -> Output {
    workspace.package_in("several-models", &[what, "--debug", "--out", "made"])
}

#[test]
fn each_model_becomes_an_fmu() {
    let workspace = workspace("models = ['Leaking', 'Filling']", "Leaking, Filling");
    let output = package(&workspace, "tank");
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stdout(&output), "made/Leaking.fmu\nmade/Filling.fmu\n");
    for name in ["Leaking", "Filling"] {
        let fmu = workspace.root().join(format!("made/{name}.fmu"));
        let description = fmu_standard::xml::read(read_entry(&fmu, "modelDescription.xml")).unwrap();
        assert_eq!(description.model_name, name);
    }

    let output = package(&workspace, "tank:Filling");
    assert_eq!(stdout(&output), "made/Filling.fmu\n", "{}", stderr(&output));

    let output = package(&workspace, "tank:Draining");
    assert!(!output.status.success());
    assert_eq!(
        stderr(&output),
        "error: the crate `tank` lists no model `Draining`; it lists Leaking, Filling\n"
    );
}

#[test]
fn the_lists_in_source_and_manifest_agree() {
    let refusal = |listed: &str, exported: &str| {
        let output = package(&workspace(listed, exported), "tank");
        assert!(!output.status.success(), "{listed} with {exported}");
        stderr(&output)
    };
    let should = "models = [\"Leaking\", \"Filling\"]";
    let none = refusal("", "Leaking, Filling");
    let expected = format!(
        "this crate exports several models; list them in its Cargo.toml: [package.metadata.fmu] {should}"
    );
    assert!(none.contains(&expected), "{none}");
    let forgotten = refusal("models = ['Leaking']", "Leaking, Filling");
    let expected =
        format!("`Filling` is missing in Cargo.toml, which should say: [package.metadata.fmu] {should}");
    assert!(forgotten.contains(&expected), "{forgotten}");
    let unknown = refusal("models = ['Draining', 'Leaking', 'Filling']", "Leaking, Filling");
    let expected = "error: Cargo.toml lists a model that is not exported here";
    assert!(unknown.contains(expected), "{unknown}");
    assert!(
        unknown.contains("the crate `tank:Draining` does not build"),
        "{unknown}"
    );
    let other = refusal("models = ['Filling']", "Leaking");
    assert!(other.contains("`Leaking` is missing in Cargo.toml"), "{other}");
    let number = refusal("models = 3", "Leaking");
    assert!(
        number.contains(
            "the crate `tank` has `[package.metadata.fmu] models = 3` in its Cargo.toml; it should be a list"
        ),
        "{number}"
    );
}

#[test]
fn a_crate_may_be_left_out_of_all() {
    let workspace = workspace("all = false\nmodels = ['Leaking', 'Filling']", "Leaking, Filling");
    let output = package(&workspace, "--all");
    assert!(!output.status.success());
    assert!(
        stderr(&output).contains("is marked as an FMU; add a line `[package.metadata.fmu]`"),
        "{}",
        stderr(&output)
    );
}
