//! The fuzzer finds a write behind a buffer, and is content with an FMU that keeps to its buffers.

#![cfg(unix)]

use test_support::fmus;

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};

fn fuzzed(fmu: &fmus::TestFmu) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fuzz-calls"))
        .arg(&fmu.path)
        .args(["1", "1000"])
        .output()
        .expect("the fuzzer runs")
}

#[test]
fn one_value_too_many_is_a_crash() {
    let output = fuzzed(&fmus::faulty("OVERRUN"));
    assert_eq!(
        output.status.signal(),
        Some(11),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn a_write_before_a_buffer_is_named() {
    let output = fuzzed(&fmus::faulty("UNDERRUN"));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        error.contains("fmi2GetDerivatives wrote before its argument"),
        "{error}"
    );
}
