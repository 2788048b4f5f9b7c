//! The commands in a user's own workspace, through a `main` of three lines.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::{TestWorkspace, stderr, stdout};

/// The folder of this repository.
fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// A workspace that uses this crate by its path, as the documentation says.
fn workspace() -> TestWorkspace {
    let workspace = TestWorkspace::new();
    let lock = std::fs::read_to_string(repository().join("Cargo.lock")).unwrap();
    workspace.write("Cargo.lock", &lock);
    // The same profile as here, so that what is compiled here serves there.
    workspace.write(
        "Cargo.toml",
        "[workspace]\nresolver = '2'\nmembers = ['chores']\n[profile.dev.package.'*']\nopt-level = 1\n",
    );
    workspace.write(
        ".cargo/config.toml",
        "[alias]\nxtask = 'run --quiet --package chores --'\n",
    );
    let fmu = repository().join("fmu").display().to_string();
    let manifest =
        format!("[package]\nname = 'chores'\nedition = '2024'\n[dependencies]\nfmu = {{ path = '{fmu}' }}\n");
    workspace.write("chores/Cargo.toml", &manifest);
    workspace.write(
        "chores/src/main.rs",
        "fn main() -> std::process::ExitCode {\n    fmu::cli::main()\n}\n",
    );
    workspace
}

fn cargo_xtask(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new("cargo");
    command.arg("xtask").args(arguments).current_dir(folder);
    // What this test was built with need not be compiled again.
    let test = std::env::current_exe().unwrap();
    command.env("CARGO_TARGET_DIR", test.ancestors().nth(3).unwrap());
    command.output().unwrap()
}

#[test]
fn a_main_of_three_lines_has_both_commands() {
    let workspace = workspace();
    let output = cargo_xtask(&workspace.root(), &["--help"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("package-fmu"), "{}", stdout(&output));
    assert!(stdout(&output).contains("new-model"), "{}", stdout(&output));
}
