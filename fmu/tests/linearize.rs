//! `fmu linearize` from outside: the matrices of the oscillator in every format, at other times and values, and errors.

use test_support::fmus;

use std::process::{Command, Output};

use fmus::{DESCRIPTION, Recipe, TestFmu, faulty, oscillator};
use serde_json::{Value, json};

fn linearize(test: &TestFmu, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fmu"));
    command.arg("linearize").arg(&test.path).args(arguments);
    command
        .current_dir(test.folder.path())
        .output()
        .expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn as_json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("nothing but JSON")
}

// der(x) = v, der(v) = -k x - d v + u, and the outputs are x and y = v + 2 u.

#[test]
fn the_matrices_are_those_of_the_equations() {
    let output = linearize(&oscillator(), &["--json"]);
    let linear = as_json(&output);
    assert_eq!(linear["states"], json!(["x", "v"]));
    assert_eq!(linear["inputs"], json!(["u"]));
    assert_eq!(linear["outputs"], json!(["x", "y"]));
    assert_eq!((&linear["time"], &linear["x"]), (&json!(0.0), &json!([1.0, 0.0])));
    assert_eq!(linear["A"], json!([[0.0, 1.0], [-4.0, -0.1]]));
    assert_eq!(linear["B"], json!([[0.0], [1.0]]));
    assert_eq!(linear["C"], json!([[1.0, 0.0], [0.0, 1.0]]));
    assert_eq!(linear["D"], json!([[0.0], [2.0]]));
    assert_eq!(linear["exact"], true);
    let said = text(&output.stderr);
    let calls = format!("{} calls of fmi2GetDirectionalDerivative", linear["calls"]);
    assert!(
        said.contains("2 states, 1 input, 2 outputs") && said.contains(&calls),
        "{said}"
    );
}

#[test]
fn another_time_and_other_values() {
    let test = oscillator();
    let linear = as_json(&linearize(
        &test,
        &["--json", "--at", "1", "--set", "k=9", "--set", "d=0"],
    ));
    assert_eq!(linear["time"], 1.0);
    assert_eq!(linear["A"], json!([[0.0, 1.0], [-9.0, 0.0]]));
    // Without damping x = cos(3 t).
    let x = linear["x"][0].as_f64().expect("a number");
    assert!((x - 3f64.cos()).abs() < 1e-5, "{x}");
}

#[test]
fn without_directional_derivatives_differences_do() {
    let description = DESCRIPTION.replace(" providesDirectionalDerivative=\"true\"", "");
    let test = Recipe {
        description,
        ..Default::default()
    }
    .build();
    let linear = as_json(&linearize(&test, &["--json"]));
    assert_eq!(linear["exact"], false);
    let found = linear["A"][1][0].as_f64().expect("a number");
    assert!((found + 4.0).abs() < 1e-6, "{found}");
}

#[test]
fn only_declared_entries_are_in_a_sparse_result() {
    let test = oscillator();
    let sparse = as_json(&linearize(&test, &["--json", "--sparse"]));
    // Column by column.
    assert_eq!(
        sparse["A"],
        json!({ "rows": 2, "columns": 2, "entries": [[1, 0, -4.0], [0, 1, 1.0], [1, 1, -0.1]] })
    );
    let shown = text(&linearize(&test, &["--sparse"]).stdout);
    assert!(shown.contains("A (2 x 2, 3 entries)\n"), "{shown}");
    let dense = text(&linearize(&test, &["--dense"]).stdout);
    for name in ["A", "B", "C", "D", "x", "v", "u", "y"] {
        assert!(dense.contains(name), "{name} is not in {dense}");
    }
}

#[test]
fn matrix_market_is_one_file_a_matrix() {
    let test = oscillator();
    let output = linearize(
        &test,
        &["--format", "matrix-market", "--output", "out", "--sparse"],
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let names: Vec<_> = text(&output.stdout).lines().map(String::from).collect();
    assert_eq!(names, ["out/A.mtx", "out/B.mtx", "out/C.mtx", "out/D.mtx"]);
    let read =
        |name: &str| std::fs::read_to_string(test.folder.path().join(name)).expect("the file is there");
    let a = read("out/A.mtx");
    assert!(
        a.starts_with("%%MatrixMarket matrix coordinate real general\n"),
        "{a}"
    );
    let numbers: Vec<_> = a.lines().filter(|line| !line.starts_with('%')).collect();
    assert_eq!(numbers[0], "2 2 3");
    let mut entries: Vec<Vec<f64>> = numbers[1..]
        .iter()
        .map(|line| {
            line.split_whitespace()
                .map(|field| field.parse().expect("a number"))
                .collect()
        })
        .collect();
    entries.sort_by(|one, other| one.partial_cmp(other).expect("numbers"));
    assert_eq!(entries, [[1.0, 2.0, 1.0], [2.0, 1.0, -4.0], [2.0, 2.0, -0.1]]);
}

#[test]
fn a_file_takes_the_result() {
    let test = oscillator();
    let output = linearize(&test, &["--json", "--output", "linear.json"]);
    assert_eq!(text(&output.stdout), "");
    let written = std::fs::read(test.folder.path().join("linear.json")).expect("the file is there");
    let linear: Value = serde_json::from_slice(&written).expect("JSON");
    assert_eq!(linear["model"], "Oscillator");
}

#[test]
fn mistakes_are_sentences() {
    let test = oscillator();
    std::fs::write(test.folder.path().join("file"), "").expect("a file");
    let cases: [(&[&str], i32, &str); 8] = [
        (&["--at", "-1"], 1, "the end must not be before the beginning"),
        (
            &["--set", "kk=1"],
            1,
            "Oscillator has no variable `kk`; did you mean `k`?",
        ),
        (
            &["--output", "no/where.txt"],
            1,
            "cannot write no/where.txt: No such file or directory (os error 2)\n",
        ),
        (
            &["--format", "matrix-market", "--output", "-"],
            1,
            "matrix-market is four files: --output must name a folder for them",
        ),
        (
            &["--format", "matrix-market", "--output", "file"],
            1,
            "file is a file; a folder is needed",
        ),
        (
            &["--format", "matrix-market", "--json"],
            1,
            "--json and --format matrix-market contradict each other",
        ),
        (&["--dense", "--sparse"], 2, "cannot be used with"),
        (
            &["--format", "latex"],
            2,
            "possible values: text, json, matrix-market",
        ),
    ];
    for (arguments, code, sentence) in cases {
        let output = linearize(&test, arguments);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
        assert!(
            error.starts_with("error: ") && error.contains(sentence),
            "{arguments:?}: {error}"
        );
    }
    let begin = DESCRIPTION.find("<ModelExchange").expect("it has one");
    let end = begin + DESCRIPTION[begin..].find("/>").expect("it ends") + 2;
    let description = format!("{}{}", &DESCRIPTION[..begin], &DESCRIPTION[end..]);
    let slave = Recipe {
        description,
        ..Default::default()
    }
    .build();
    let output = linearize(&slave, &[]);
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.contains("Model Exchange"), "{error}");
}

#[test]
fn a_dash_is_standard_output_and_times_are_numbers() {
    let test = oscillator();
    let output = linearize(&test, &["--json", "--output", "-"]);
    assert_eq!(as_json(&output)["A"], json!([[0.0, 1.0], [-4.0, -0.1]]));
    let output = linearize(&test, &["--at", "nan"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("NaN, is not a finite number"));
}

#[test]
fn an_fmu_that_ends_earlier_is_reported() {
    // It ends itself after a second.
    let output = linearize(&faulty("ENDS"), &["--json", "--at", "2"]);
    assert_eq!(as_json(&output)["time"], 1.0);
    let said = text(&output.stderr);
    assert!(
        said.contains("warning: Oscillator ended its simulation at time 1, before 2"),
        "{said}"
    );
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_at_once_and_without_a_result() {
    let test = oscillator();
    let child = Command::new(env!("CARGO_BIN_EXE_fmu"))
        .args(["linearize", "oscillator.fmu", "--at", "1e7"])
        .current_dir(test.folder.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    std::thread::sleep(std::time::Duration::from_millis(500));
    let interrupt = format!("kill -INT {}", child.id());
    let sent = Command::new("sh").args(["-c", &interrupt]).status();
    assert!(sent.expect("a shell").success());
    let begin = std::time::Instant::now();
    let output = child.wait_with_output().expect("it ended");
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{error}");
    assert!(error.starts_with("interrupted at time "), "{error}");
    assert_eq!(text(&output.stdout), "");
    assert!(begin.elapsed().as_secs() < 4, "{:?}", begin.elapsed());
}

#[test]
fn a_missing_folder_for_temporary_files_is_named() {
    let test = oscillator();
    let commands: [&[&str]; 3] = [&["linearize"], &["simulate", "--in-process"], &["check", "--run"]];
    for arguments in commands {
        let output = Command::new(env!("CARGO_BIN_EXE_fmu"))
            .args(arguments)
            .arg("oscillator.fmu")
            .current_dir(test.folder.path())
            .env("TMPDIR", "/no/such/folder")
            .output()
            .expect("the command runs");
        let error = text(&output.stderr);
        let sentence = "the folder for temporary files, /no/such/folder, does not exist";
        assert!(error.contains(sentence) && error.contains("TMPDIR"), "{error}");
    }
}
