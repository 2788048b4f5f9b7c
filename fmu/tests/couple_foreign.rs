//! FMUs of other tools in coupled systems: what `fmu simulate` bears, `fmu couple` bears as well.

use test_support::fmus;

use std::process::Command;

use fmus::{Recipe, TestFmu};

/// The oscillator with these flags of its library.
fn fmu(flags: &[String]) -> TestFmu {
    Recipe {
        flags: flags.to_vec(),
        ..Default::default()
    }
    .build()
}

/// Couples two of an FMU in a loop to 3 s; standard error and the table.
fn couple(fmu: &TestFmu, algorithm: &str, step: &str) -> (Option<i32>, String, String) {
    let system = format!(
        "[simulation]\nstop = 3.0\nstep = {step}\nalgorithm = \"{algorithm}\"\ninsist = true\n\
         [components.first]\nfmu = \"oscillator.fmu\"\n[components.second]\nfmu = \"oscillator.fmu\"\n\
         [[connections]]\nfrom = \"first.x\"\nto = \"second.u\"\nconvert = false\n\
         [[connections]]\nfrom = \"second.x\"\nto = \"first.u\"\nconvert = false\n"
    );
    std::fs::write(fmu.folder.path().join("pair.toml"), system).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_fmu"))
        .args(["couple", "pair.toml"])
        .current_dir(fmu.folder.path())
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stderr), text(output.stdout))
}

/// The same table as that of the FMU without a fault.
fn assert_undisturbed(flags: &[String], algorithm: &str, step: &str) {
    let (_, _, expected) = couple(&fmu(&[]), algorithm, step);
    let (code, said, table) = couple(&fmu(flags), algorithm, step);
    assert_eq!(code, Some(0), "{flags:?} {algorithm} {step}: {said}");
    assert!(
        table.lines().count() > 10 && table == expected,
        "{flags:?} {algorithm} {step}: {said}"
    );
    let last = table.lines().last().unwrap_or_default();
    assert!(last.starts_with("3,"), "{flags:?} {algorithm} {step}: {last}");
}

#[test]
fn algorithms_without_repetitions_neither_announce_them_nor_take_snapshots() {
    // The first takes a step that is announced as one that may be repeated for a repetition; the second aborts the process
    // in fmi2GetFMUstate.
    for fault in ["REPEATS", "GET_STATE"] {
        for algorithm in ["jacobi", "gauss-seidel"] {
            assert_undisturbed(&[format!("-DFAULT_{fault}")], algorithm, "0.05");
        }
    }
}

#[test]
fn repetitions_from_the_current_point_are_no_repetitions_from_an_earlier_one() {
    for algorithm in ["iterated-gauss-seidel", "newton"] {
        assert_undisturbed(&["-DFAULT_REPEATS".into()], algorithm, "0.05");
    }
}

#[test]
fn an_fmu_that_knows_one_step_and_no_margin_gets_both_to_the_last_bit() {
    for step in ["0.02", "0.1", "0.3"] {
        let flags = [
            format!("-DFAULT_NOMINAL_STEP={step}"),
            "-DFAULT_STRICT_STOP".into(),
        ];
        for algorithm in ["jacobi", "gauss-seidel", "iterated-gauss-seidel", "newton"] {
            assert_undisturbed(&flags, algorithm, step);
        }
    }
}
