//! Laying out new model crates.

mod common;

use std::fs;
use std::path::Path;

use common::{TestWorkspace, fmu_in, stderr, stdout};
use fmu::new::{Error, Options, new_model};

fn options(name: &str) -> Options {
    Options::new(name)
}

/// A workspace that has a crate with the name of the runtime.
fn workspace() -> TestWorkspace {
    let workspace = TestWorkspace::new();
    workspace.write(
        "models/fmu-runtime/Cargo.toml",
        "[package]\nname = 'fmu-runtime'\nedition = '2024'\n",
    );
    workspace.write("models/fmu-runtime/src/lib.rs", "");
    workspace
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn a_stiff_model_asks_for_its_integrator_in_both_places() {
    let workspace = workspace();
    let mut options = options("heat-pump");
    options.stiff = true;
    let created = new_model(&workspace.root(), &options).unwrap();
    let manifest = text(&created.folder.join("Cargo.toml"));
    let line = "fmu-runtime = { path = \"../models/fmu-runtime\", features = [\"bdf\"] }";
    assert!(manifest.contains(line), "{manifest}");
    let source = text(&created.folder.join("src/lib.rs"));
    let line = "#[model(stop_time = 3600.0, step_size = 10.0, solver = \"bdf\")]";
    assert!(source.contains(line), "{source}");
}

#[test]
fn a_crate_is_laid_out_and_added_to_the_workspace() {
    let workspace = workspace();
    let root = workspace.root();
    workspace.write(
        ".cargo/config.toml",
        "[alias]\nxtask = 'run --quiet --package chores --'\n",
    );
    let output = fmu_in(
        &root,
        &["new-model", "heat-pump"],
        &[("CARGO_PKG_NAME", "chores")],
    );
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stdout(&output), "heat-pump\n");
    let manifest = root.join("Cargo.toml").display().to_string();
    assert_eq!(
        stderr(&output).replace(&manifest, "MANIFEST"),
        "     Created heat-pump with the model HeatPump\n       Added it to the members in MANIFEST\n        \
         Next edit heat-pump/src/lib.rs, then run: cargo xtask package-fmu heat-pump\n"
    );

    let manifest = text(&root.join("heat-pump/Cargo.toml"));
    assert!(manifest.contains("name = \"heat-pump\""), "{manifest}");
    assert!(manifest.contains("[package.metadata.fmu]"), "{manifest}");
    assert!(
        manifest.contains("fmu-runtime = { path = \"../models/fmu-runtime\" }"),
        "{manifest}"
    );
    let source = text(&root.join("heat-pump/src/lib.rs"));
    assert!(source.contains("pub struct HeatPump {"), "{source}");
    assert!(source.contains("export_fmu!(HeatPump);"), "{source}");
    assert!(text(&root.join("heat-pump/README.md")).contains("cargo xtask package-fmu heat-pump"));
    assert!(text(&root.join("Cargo.toml")).contains("members = ['models/*', \"heat-pump\"]"));

    let metadata = std::process::Command::new("cargo")
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root.join("heat-pump"))
        .output()
        .unwrap();
    assert!(metadata.status.success(), "{}", stderr(&metadata));
}

#[test]
fn a_crate_that_a_pattern_covers_needs_no_line() {
    let workspace = workspace();
    let before = text(&workspace.root().join("Cargo.toml"));
    let created = new_model(&workspace.root().join("models"), &options("tank")).unwrap();
    assert_eq!(created.folder, workspace.root().join("models/tank"));
    assert_eq!((created.model.as_str(), created.added_to), ("Tank", None));
    assert_eq!(text(&workspace.root().join("Cargo.toml")), before);
    let manifest = text(&created.folder.join("Cargo.toml"));
    assert!(
        manifest.contains("fmu-runtime = { path = \"../fmu-runtime\" }"),
        "{manifest}"
    );
}

#[test]
fn the_runtime_is_taken_from_where_the_workspace_has_it() {
    let runtime_of = |workspace: &TestWorkspace| {
        let created = new_model(&workspace.root(), &options("tank"))?;
        let manifest = text(&created.folder.join("Cargo.toml"));
        Ok::<_, Error>(manifest.lines().last().unwrap_or_default().to_owned())
    };
    let root = "[workspace]\nresolver = '2'\nmembers = ['models/*']\n";

    let workspace = TestWorkspace::new();
    workspace.write(
        "Cargo.toml",
        &format!("{root}[workspace.dependencies]\nfmu-runtime = {{ path = 'far' }}\n"),
    );
    assert_eq!(runtime_of(&workspace).unwrap(), "fmu-runtime.workspace = true");

    for (used, expected) in [
        (
            "fmu-runtime = { path = '../../far/fmu-runtime' }",
            "fmu-runtime = { path = \"../far/fmu-runtime\" }",
        ),
        (
            "fmu = { path = '../../far/fmu' }",
            "fmu-runtime = { path = \"../far/fmu-runtime\" }",
        ),
        (
            "fmu = { git = 'https://host/fmus', tag = 'v1' }",
            "fmu-runtime = { git = \"https://host/fmus\", tag = \"v1\" }",
        ),
        ("fmu-runtime = '0.4'", "fmu-runtime = \"^0.4\""),
    ] {
        let workspace = TestWorkspace::new();
        for name in ["fmu", "fmu-runtime"] {
            workspace.write(
                &format!("far/{name}/Cargo.toml"),
                &format!("[package]\nname = '{name}'\n"),
            );
            workspace.write(&format!("far/{name}/src/lib.rs"), "");
        }
        let manifest = format!("[package]\nname = 'xtask'\nedition = '2024'\n[dependencies]\n{used}\n");
        workspace.write("models/xtask/Cargo.toml", &manifest);
        workspace.write("models/xtask/src/main.rs", "fn main() {}");
        assert_eq!(runtime_of(&workspace).unwrap(), expected, "{used}");
    }

    let workspace = TestWorkspace::new();
    let before = text(&workspace.root().join("Cargo.toml"));
    assert!(matches!(runtime_of(&workspace), Err(Error::NoRuntime)));
    assert!(
        !workspace.root().join("tank").exists(),
        "a failure leaves nothing behind"
    );
    assert_eq!(text(&workspace.root().join("Cargo.toml")), before);
}

#[test]
fn outside_a_workspace_the_runtime_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = folder.path().join("framework/fmu-runtime");
    fs::create_dir_all(&runtime).unwrap();
    fs::write(runtime.join("Cargo.toml"), "[package]\nname = 'fmu-runtime'\n").unwrap();
    let output = fmu_in(
        folder.path(),
        &["new", "tank", "--runtime-path", "framework/fmu-runtime"],
        &[],
    );
    assert!(output.status.success(), "{}", stderr(&output));
    let next = "Next cd tank, edit src/lib.rs, then run: fmu package-fmu tank\n";
    assert!(stderr(&output).ends_with(next), "{}", stderr(&output));
    let manifest = text(&folder.path().join("tank/Cargo.toml"));
    assert!(
        manifest.contains("fmu-runtime = { path = \"../framework/fmu-runtime\" }"),
        "{manifest}"
    );

    let output = fmu_in(
        folder.path(),
        &["new", "pump", "--runtime-path", "framework"],
        &[],
    );
    assert_eq!(
        stderr(&output),
        "error: framework is not the folder of the crate fmu-runtime\n"
    );
    let output = fmu_in(folder.path(), &["new", "pump"], &[]);
    assert!(stderr(&output).starts_with("error: it is not known where the crate fmu-runtime comes from; "));
}

#[test]
fn nothing_is_ever_overwritten() {
    let workspace = workspace();
    workspace.write("tank/notes.txt", "mine");
    let error = new_model(&workspace.root(), &options("tank"))
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("tank exists already; nothing was changed"),
        "{error}"
    );
    assert_eq!(fs::read_dir(workspace.root().join("tank")).unwrap().count(), 1);

    workspace.add_source("pump", "");
    let error = new_model(&workspace.root(), &options("pump"))
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("the workspace has a crate `pump` already, in "),
        "{error}"
    );
    assert!(!workspace.root().join("pump").exists());
}

#[test]
fn a_name_that_is_none_is_refused_with_a_proposal() {
    let workspace = workspace();
    let output = workspace.fmu(&["new-model", "HeatPump"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        stderr(&output),
        "error: `HeatPump` cannot be the name of a model crate: it must be lower-case words joined by hyphens, and begin \
         with a letter; try `heat-pump`\n"
    );
}
