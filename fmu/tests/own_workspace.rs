//! The commands in a user's own workspace, through a `main` of three lines.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::{TestWorkspace, read_entry, stderr, stdout};

/// The folder of this repository.
fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// How dependencies are compiled here, package by package: so what is compiled here serves there.
fn profiles() -> String {
    let manifest = std::fs::read_to_string(repository().join("Cargo.toml")).unwrap();
    // A profile for a package that is not there would be warned of.
    let absent = ["cbindgen]", "random-models]"];
    let tables = manifest.split("\n[").skip(1);
    tables
        .filter_map(|table| table.strip_prefix("profile.dev.package."))
        .filter(|table| !absent.iter().any(|absent| table.starts_with(absent)))
        .map(|table| format!("[profile.dev.package.{}\n", table.trim_end()))
        .collect()
}

/// A workspace that uses this crate by its path, as the documentation says.
fn workspace() -> TestWorkspace {
    let workspace = TestWorkspace::new();
    let lock = std::fs::read_to_string(repository().join("Cargo.lock")).unwrap();
    workspace.write("Cargo.lock", &lock);
    let profiles = profiles();
    assert!(profiles.contains("clap_builder"), "{profiles}");
    workspace.write(
        "Cargo.toml",
        &format!("[workspace]\nresolver = '2'\nmembers = ['chores']\n{profiles}"),
    );
    workspace.write(
        ".cargo/config.toml",
        "[alias]\nxtask = 'run --quiet --package chores --'\n",
    );
    let fmu = repository().join("fmu").display().to_string();
    let manifest = format!(
        "[package]\nname = 'chores'\nedition = '2024'\n[dependencies]\n\
             fmu = {{ path = '{fmu}', default-features = false, features = ['package'] }}\n"
    );
    workspace.write("chores/Cargo.toml", &manifest);
    workspace.write(
        "chores/src/main.rs",
        "fn main() -> std::process::ExitCode {\n    fmu::cli::main()\n}\n",
    );
    workspace
}

fn cargo(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new("cargo");
    command.args(arguments).current_dir(folder);
    // What this test was built with need not be compiled again.
    let test = std::env::current_exe().unwrap();
    command.env("CARGO_TARGET_DIR", test.ancestors().nth(3).unwrap());
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "cargo {arguments:?}\n{}",
        stderr(&output)
    );
    output
}

#[test]
fn a_new_model_is_tested_and_packaged_at_once() {
    let workspace = workspace();
    let root = workspace.root();
    let help = cargo(&root, &["xtask", "--help"]);
    assert!(
        stdout(&help).contains("package-fmu") && stdout(&help).contains("new-model"),
        "{}",
        stdout(&help)
    );

    let created = cargo(&root, &["xtask", "new-model", "heat-pump"]);
    assert_eq!(stdout(&created), "heat-pump\n");
    assert!(
        stderr(&created).contains("then run: cargo xtask package-fmu heat-pump"),
        "{}",
        stderr(&created)
    );

    let tested = cargo(&root, &["test", "--package", "heat-pump"]);
    assert!(stdout(&tested).contains("1 passed"), "{}", stdout(&tested));

    let packaged = cargo(&root, &["xtask", "package-fmu", "--all", "--out", "made"]);
    assert_eq!(stdout(&packaged), "made/HeatPump.fmu\n");
    assert!(!stderr(&packaged).contains("warning"), "{}", stderr(&packaged));
    let xml = read_entry(&root.join("made/HeatPump.fmu"), "modelDescription.xml");
    let description = fmu_standard::xml::read(xml).unwrap();
    assert_eq!(
        description.description.as_deref(),
        Some("A cup of coffee that cools down in a room.")
    );
    let names: Vec<&str> = description
        .model_variables
        .iter()
        .map(|variable| variable.name.as_str())
        .collect();
    let expected = [
        "temperature",
        "room",
        "capacity",
        "conductance",
        "heat_flow",
        "der(temperature)",
        "time",
    ];
    assert_eq!(names, expected);
}
