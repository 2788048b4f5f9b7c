//! `fmu simulate` as a process of its own.

use std::process::{Command, Output};

use test_support::fmus::TestFmu;

/// The command, in the folder of the FMU: files by their bare names.
pub fn command(test: &TestFmu, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fmu"));
    command.arg("simulate").arg(&test.path).args(arguments);
    command.current_dir(test.folder.path());
    command
}

pub fn simulate(test: &TestFmu, arguments: &[&str]) -> Output {
    command(test, arguments).output().expect("the command runs")
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
