//! What `fmu simulate` says about values, tables, warnings, and about files of runs that failed.

#![cfg(unix)]

use test_support::fmus;
#[path = "common/simulate.rs"]
mod run;

use std::fs;

use fmus::{DESCRIPTION, Recipe, TestFmu, faulty, oscillator};
use run::{simulate, text};

fn said(test: &TestFmu, arguments: &[&str]) -> (Option<i32>, String) {
    let output = simulate(test, arguments);
    (output.status.code(), text(&output.stderr))
}

#[test]
fn a_failure_says_what_is_in_the_file() {
    let test = faulty("INITIALIZATION_ERROR");
    fs::write(test.folder.path().join("o.csv"), "time,x\n0,1\n").unwrap();
    let (code, error) = said(&test, &["--output", "o.csv"]);
    assert_eq!(code, Some(1));
    assert!(
        error.contains("; o.csv is as it was before this run\n"),
        "{error}"
    );
    fs::remove_file(test.folder.path().join("o.csv")).unwrap();
    let (_, error) = said(&test, &["--output", "o.csv"]);
    assert!(!error.contains("before this run"), "{error}");

    for (status, words) in [(3, "returned fmi2Error"), (77, "returned the invalid status 77")] {
        let test = Recipe {
            flags: vec![format!("-DFAULT_STEP_STATUS={status}")],
            ..Default::default()
        }
        .build();
        let (code, error) = said(&test, &["--interface", "cs", "--output", "o.csv"]);
        assert_eq!(code, Some(1), "{error}");
        assert!(error.contains(words), "{error}");
        assert!(
            error.contains("; 51 rows up to time 0.5 are in o.csv\n"),
            "{error}"
        );
        let table = fs::read_to_string(test.folder.path().join("o.csv")).unwrap();
        assert_eq!(table.lines().count(), 52);
    }
}

#[test]
fn a_call_that_fails_without_a_word_names_the_option_that_shows_words() {
    let silent = |fault: &str| {
        let flags = vec![format!("-DFAULT_{fault}"), "-DFAULT_SILENT".into()];
        let test = Recipe {
            flags,
            ..Default::default()
        }
        .build();
        let system = "[simulation]\nstop = 1.0\nstep = 0.1\n[components.one]\nfmu = 'oscillator.fmu'\n";
        fs::write(test.folder.path().join("one.toml"), system).unwrap();
        test
    };
    let run = |test: &TestFmu, arguments: &str| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_fmu"))
            .args(arguments.split(' '))
            .current_dir(test.folder.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments}");
        text(&output.stderr)
    };
    let hint = "\n  --log shows what the FMU says about it\n";
    for (fault, arguments) in [
        (
            "STEP_STATUS=3",
            "simulate oscillator.fmu --interface cs --output o.csv",
        ),
        (
            "STEP_STATUS=4",
            "simulate oscillator.fmu --interface cs --in-process",
        ),
        ("STEP_STATUS=3", "couple one.toml"),
        ("STEP_STATUS=3", "couple one.toml --isolate one"),
        ("INITIALIZATION_ERROR", "simulate oscillator.fmu"),
        ("INITIALIZATION_ERROR", "linearize oscillator.fmu"),
        ("INITIALIZATION_ERROR", "couple one.toml --algorithm aggregate"),
    ] {
        let test = silent(fault);
        let error = run(&test, arguments);
        assert!(error.contains(hint), "{fault}, {arguments}: {error}");
        let error = run(&test, &format!("{arguments} --log"));
        assert!(!error.contains("--log"), "{fault}, {arguments}: {error}");
    }
    // An FMU that says why needs no hint.
    let error = run(&faulty("INITIALIZATION_ERROR"), "simulate oscillator.fmu");
    assert!(
        error.contains("no consistent initial values") && !error.contains("--log"),
        "{error}"
    );
}

#[test]
fn values_are_read_alike_on_the_command_line_and_in_tables() {
    let test = oscillator();
    for (value, read) in [("True", "1"), ("FALSE", "0"), ("false", "0"), ("1.0", "1")] {
        let set = format!("armed={value}");
        let output = simulate(&test, &["--set", &set, "--record", "armed", "--stop", "0.01"]);
        let table = text(&output.stdout);
        let cell = table.lines().last().and_then(|line| line.split(',').next_back());
        assert!(
            cell.is_some_and(|cell| cell == read || cell == (if read == "1" { "true" } else { "false" })),
            "{value}: {table}{}",
            text(&output.stderr)
        );
    }
    let (_, error) = said(&test, &["--set", "armed=yes"]);
    assert!(
        error.contains("`yes` is not a Boolean (true, false, 1 or 0)"),
        "{error}"
    );
    let (_, error) = said(&test, &["--set", "mode=7"]);
    assert!(
        error.contains("`7` is not one of 1 (free), 2 (driven)"),
        "{error}"
    );
    let (code, error) = said(&test, &["--set", "k=1", "--set", "k=2", "--stop", "0.1"]);
    assert_eq!(code, Some(0), "{error}");
    let sentence = "warning: --set k is given several times; the last value, 2, counts";
    assert!(error.contains(sentence), "{error}");
}

#[test]
fn tables_name_the_line_of_a_mistake() {
    let parameter =
        "name=\"mode\" valueReference=\"1\" causality=\"parameter\" variability=\"fixed\" initial=\"exact\"";
    let input = "name=\"mode\" valueReference=\"1\" causality=\"input\" variability=\"discrete\"";
    let test = Recipe {
        description: DESCRIPTION.replace(parameter, input),
        ..Default::default()
    }
    .build();
    let table = |text: &str| {
        fs::write(test.folder.path().join("in.csv"), text).unwrap();
        said(&test, &["--input", "in.csv", "--stop", "2"])
    };
    let (code, error) = table("time,mode\n0,1\n1,7\n");
    assert_eq!(code, Some(1));
    assert!(
        error.contains("in.csv, line 3, column mode: `7` is not one of"),
        "{error}"
    );
    let (code, error) = table("time,u\n0,0\n1,0\n1,5\n1,2\n2,2\n");
    assert_eq!(code, Some(0));
    assert!(
        error.contains("warning: in.csv, line 4: this row has no effect"),
        "{error}"
    );
    let (_, error) = table("time,u\n0,0\n1,0\n1,2\n2,2\n");
    assert!(!error.contains("no effect"), "{error}");
    let (_, error) = table("time;u\n0;1,5\n1;2,5\n");
    assert!(
        error.contains("line 2: 3 values for 2 names; if these are decimal commas"),
        "{error}"
    );
    let (code, error) = table("t [ms],u\n0,0\n1000,1\n");
    assert_eq!(code, Some(1), "{error}");
    let sentence =
        "in.csv, line 1: the first column is the time in seconds, but by its name, `t [ms]`, it is in `ms`";
    assert!(error.contains(sentence), "{error}");
}

#[test]
fn the_first_warning_of_an_fmu_is_named() {
    let test = faulty("WARNING");
    let (code, error) = said(&test, &["--set", "k=5", "--stop", "0.1"]);
    assert_eq!(code, Some(0), "{error}");
    let warnings: Vec<&str> = error
        .lines()
        .filter(|line| line.starts_with("warning:"))
        .collect();
    let sentence = "warning: the FMU returned fmi2Warning: k = 5, fmi2SetReal: k is large";
    assert_eq!(warnings, [sentence], "{error}");
    let sentence = "fmi2Warning from 2 calls (the first one is above; --log shows what the FMU says)";
    assert!(error.contains(sentence), "{error}");
}

#[test]
fn the_first_warning_of_each_fmu_of_a_system_is_named() {
    let test = faulty("WARNING");
    let name = test.path.file_name().unwrap().to_str().unwrap();
    let large = "warning: large returned fmi2Warning: k = 5, fmi2SetReal: k is large";
    let usual = "warning: usual returned fmi2Warning: fmi2DoStep";
    for (algorithm, expected) in [("jacobi", vec![large, usual]), ("aggregate", vec![large])] {
        let system = format!(
            "[simulation]\nstop = 0.1\nstep = 0.01\nalgorithm = '{algorithm}'\n[components.large]\nfmu = '{name}'\n\
             set = {{ k = 5 }}\n[components.usual]\nfmu = '{name}'\n"
        );
        fs::write(test.folder.path().join("system.toml"), system).unwrap();
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_fmu"))
            .args(["couple", "system.toml", "--output", "o.csv"])
            .current_dir(test.folder.path())
            .output()
            .unwrap();
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{error}");
        let warnings = error.lines().filter(|line| line.starts_with("warning:"));
        assert_eq!(warnings.collect::<Vec<_>>(), expected, "{error}");
    }
}

#[test]
fn a_step_that_cannot_be_repeated_was_not_tried_with_shorter_ones() {
    let description = DESCRIPTION.replace("canGetAndSetFMUstate=\"true\"", "");
    let test = Recipe {
        description,
        flags: vec!["-DFAULT_DISCARD".into()],
        ..Default::default()
    }
    .build();
    fs::write(
        test.folder.path().join("in.csv"),
        "time,u\n0,0\n1,0\n1,40\n9,40\n",
    )
    .unwrap();
    let (code, error) = said(&test, &["--interface", "cs", "--input", "in.csv"]);
    assert_eq!(code, Some(1), "{error}");
    assert!(
        error.contains(", and cannot repeat it with a shorter one"),
        "{error}"
    );
    assert!(!error.contains("however small"), "{error}");
}

#[test]
fn options_that_would_be_ignored_are_refused() {
    let test = oscillator();
    let run = |arguments: &str| {
        std::process::Command::new(env!("CARGO_BIN_EXE_fmu"))
            .args(arguments.split(' '))
            .current_dir(test.folder.path())
            .output()
            .unwrap()
    };
    for (arguments, sentence) in [
        ("check oscillator.fmu --timeout 1", "--run"),
        ("check oscillator.fmu --time-limit 1", "--run"),
        ("check oscillator.fmu --max-memory 1G", "--run"),
        ("check --rules oscillator.fmu", "--rules"),
        (
            "simulate oscillator.fmu --call-timeout -1",
            "expected a positive number of seconds",
        ),
    ] {
        let output = run(arguments);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {error}");
        assert!(
            error.contains(sentence) && !error.contains("-- -1"),
            "{arguments}: {error}"
        );
    }
    assert_eq!(run("check oscillator.fmu").status.code(), Some(0));
    assert_eq!(run("check --rules").status.code(), Some(0));
    let shown = text(&run("info oscillator.fmu --filter xyz*").stdout);
    assert!(shown.contains("No variable fits --filter"), "{shown}");
}

#[test]
fn times_and_counts_read_well() {
    let test = oscillator();
    let (_, error) = said(&test, &["--interface", "cs", "--stop", "0"]);
    assert!(error.contains("t = 0: 1 row\n"), "{error}");
    let (_, error) = said(&test, &["--stop", "0.1"]);
    assert!(error.contains("directional derivative"), "{error}");
}

#[test]
fn a_crash_after_the_last_step_has_the_time_of_its_end() {
    let test = Recipe {
        flags: vec!["-DMISBEHAVE".into()],
        ..Default::default()
    }
    .build();
    let output = run::command(&test, &["--interface", "cs", "--stop", "1", "--output", "o.csv"])
        .env("MISBEHAVE", "abort")
        .env("MISBEHAVE_IN", "fmi2Terminate")
        .output()
        .unwrap();
    let error = text(&output.stderr);
    assert!(error.contains("in fmi2Terminate at time 1 crashed"), "{error}");
}
