//! `fmu simulate` from outside: tables against the closed form, options, errors as sentences, exit codes, JSON, and an
//! interrupt that leaves what was computed.

use test_support::fmus;
#[path = "common/simulate.rs"]
mod run;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use fmus::{DESCRIPTION, Recipe, faulty, oscillator};
use run::{command, simulate, text};
use serde_json::Value;

/// A table of results: its names, and its rows.
struct Table {
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl Table {
    fn parse(text: &str) -> Self {
        assert!(text.ends_with('\n'), "the last line is complete");
        let mut lines = text.lines();
        let names: Vec<String> = lines
            .next()
            .expect("a header")
            .split(',')
            .map(String::from)
            .collect();
        let number = |field: &str| {
            field
                .parse::<f64>()
                .unwrap_or_else(|_| panic!("`{field}` is not a number"))
        };
        let rows: Vec<Vec<f64>> = lines.map(|line| line.split(',').map(number).collect()).collect();
        assert!(rows.iter().all(|row| row.len() == names.len()));
        Self { names, rows }
    }

    fn read(path: PathBuf) -> Self {
        Self::parse(&std::fs::read_to_string(path).expect("the table is there"))
    }

    fn of(output: &Output) -> Self {
        assert!(output.status.success(), "{}", text(&output.stderr));
        Self::parse(&text(&output.stdout))
    }

    fn column(&self, name: &str) -> Vec<f64> {
        let at = self.names.iter().position(|other| other == name);
        let at = at.unwrap_or_else(|| panic!("{name} is not recorded"));
        self.rows.iter().map(|row| row[at]).collect()
    }

    /// The largest distance of x from a solution.
    fn worst(&self, solution: impl Fn(f64) -> f64) -> f64 {
        let points = self.column("time").into_iter().zip(self.column("x"));
        points
            .map(|(time, x)| (x - solution(time)).abs())
            .fold(0.0, f64::max)
    }
}

/// x of x'' + 0.1 x' + k x = u from x(0) = 1 at rest, for a constant u.
fn exact(k: f64, u: f64, time: f64) -> f64 {
    let (decay, shift): (f64, f64) = (0.05, u / k);
    let w = (k - decay * decay).sqrt();
    shift + (1.0 - shift) * (-decay * time).exp() * ((w * time).cos() + decay / w * (w * time).sin())
}

#[test]
fn the_table_on_standard_output_follows_the_closed_form() {
    let output = simulate(&oscillator(), &[]);
    let table = Table::of(&output);
    assert_eq!(table.names, ["time", "x", "y", "n", "flag"]);
    assert!(table.worst(|t| exact(4.0, 0.0, t)) < 1e-5);
    assert_eq!(table.rows.last().map(|row| row[0]), Some(3.0));
    let report = text(&output.stderr);
    for part in [
        "Oscillator to t = 3: 308 rows, events: 2 state, 3 time (2 restarts)\n",
        "  bdf: ",
        " s in the FMU, ",
    ] {
        assert!(report.contains(part), "{part} is not in {report}");
    }
}

#[test]
fn options_choose_times_values_solvers_and_what_is_recorded() {
    let test = oscillator();
    let options = [
        "--start",
        "0.5",
        "--stop",
        "2.5",
        "--output-step",
        "0.25",
        "--set",
        "k=9",
        "--record",
        "x",
        "--record",
        "der(*)",
    ];
    let table = Table::of(&simulate(&test, &options));
    assert_eq!(table.names, ["time", "x", "der(x)", "der(v)"]);
    for point in 0..=8 {
        let time = 0.5 + 0.25 * f64::from(point);
        assert!(table.column("time").contains(&time), "{time} is recorded");
    }
    assert!(table.worst(|t| exact(9.0, 0.0, t - 0.5)) < 1e-5);

    for (solver, limit) in [
        ("bdf", 1e-5),
        ("esdirk34", 1e-5),
        ("tr-bdf2", 1e-5),
        ("tsit45", 1e-5),
        ("rk4", 1e-5),
        ("euler", 1e-2),
    ] {
        let table = Table::of(&simulate(&test, &["--solver", solver, "--step", "0.001"]));
        let worst = table.worst(|t| exact(4.0, 0.0, t));
        assert!(worst < limit, "{solver}: {worst}");
    }
    let coarse = Table::of(&simulate(&test, &["--tolerance", "1e-3"]));
    let fine = Table::of(&simulate(&test, &["--tolerance", "1e-9"]));
    let solution = |t: f64| exact(4.0, 0.0, t);
    assert!(fine.worst(solution) < 1e-8 && coarse.worst(solution) > 1e-6);

    let slave = simulate(
        &test,
        &["--interface", "cs", "--step", "0.05", "--output-step", "0.1"],
    );
    let table = Table::of(&slave);
    assert_eq!(table.rows.len(), 31);
    assert!(table.worst(solution) < 1e-6);
    assert!(text(&slave.stderr).contains("60 communication steps"));
}

#[test]
fn inputs_come_from_a_table() {
    let test = oscillator();
    let file = test.folder.path().join("in.csv");
    std::fs::write(&file, "time,u\n0,3\n10,3\n").expect("the inputs are written");
    let table = Table::of(&simulate(&test, &["--input", "in.csv"]));
    assert!(table.worst(|t| exact(4.0, 3.0, t)) < 1e-5);
    // y = v + 2 u, and v begins with 0.
    assert_eq!(table.column("y")[0], 6.0);
    std::fs::write(&file, "time,u\n0,0\n1,0\n1,2\n").expect("the inputs are written");
    let table = Table::of(&simulate(&test, &["--input", "in.csv", "--stop", "1.5"]));
    let rows: Vec<_> = table.rows.iter().filter(|row| row[0] == 1.0).collect();
    assert_eq!(rows.len(), 2, "before and after the jump");
    assert!((rows[1][2] - rows[0][2] - 4.0).abs() < 1e-9);
}

#[test]
fn files_and_json_leave_standard_output_to_json() {
    let test = oscillator();
    let output = simulate(&test, &["--output", "out.csv", "--plot", "out.svg", "--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).expect("nothing but JSON");
    assert_eq!(json["model"], "Oscillator");
    assert_eq!(json["end"], "reached");
    assert_eq!(json["time"], 3.0);
    assert_eq!(json["solver"], "bdf");
    assert_eq!(
        (&json["events"]["state"], &json["events"]["time"]),
        (&2.into(), &3.into())
    );
    for count in ["steps", "evaluations", "jacobians", "factorizations"] {
        assert!(json[count].as_u64() > Some(0), "{count}: {}", json[count]);
    }
    for part in ["total", "inFmu", "setup", "outside"] {
        assert!(json["seconds"][part].as_f64() >= Some(0.0), "{part}");
    }
    let table = Table::read(test.folder.path().join("out.csv"));
    assert_eq!(json["rows"], table.rows.len());
    let drawing = std::fs::read_to_string(test.folder.path().join("out.svg")).expect("the drawing is there");
    assert!(drawing.starts_with("<svg") && drawing.contains("Oscillator"));

    let output = simulate(&test, &["--plot", "out.svg"]);
    assert_eq!(text(&output.stdout), "");
}

#[test]
fn mistakes_are_sentences() {
    let test = oscillator();
    let write =
        |name: &str, text: &str| std::fs::write(test.folder.path().join(name), text).expect("written");
    write("unknown.csv", "time,z\n0,1\n");
    write("word.csv", "time,u\n0,1\n1,x\n");
    let cases: [(&[&str], &str); 11] = [
        (&["--set", "k=abc"], "`abc` is not of type Real, which k needs"),
        (
            &["--set", "kk=1"],
            "Oscillator has no variable `kk`; did you mean `k`?",
        ),
        (&["--set", "k=-1"], "fmi2Discard: k must not be negative"),
        (&["--stop", "-1"], "the end must not be before the beginning"),
        (&["--tolerance", "-1"], "the tolerance must be positive, not -1"),
        (
            &["--output-step", "0"],
            "the distance of outputs must be positive, not 0",
        ),
        (
            &["--record", "nothing"],
            "no variable of Oscillator fits what is to be recorded",
        ),
        (&["--output", "no/where.csv"], "cannot write no/where.csv: "),
        (&["--input", "none.csv"], "cannot read none.csv: "),
        (&["--input", "unknown.csv"], "Oscillator has no variable `z`"),
        (
            &["--input", "word.csv"],
            "word.csv, line 3, column u: `x` is not of type Real",
        ),
    ];
    for (arguments, sentence) in cases {
        let output = simulate(&test, arguments);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
        let last = error.lines().last().unwrap_or_default();
        assert!(
            last.starts_with("error: ") && last.contains(sentence),
            "{arguments:?}: {error}"
        );
        assert_eq!(text(&output.stdout), "", "{arguments:?}: no table");
    }
    // What the command line itself cannot mean.
    for (arguments, sentence) in [
        (
            ["--solver", "rk5"],
            "there is no solver `rk5`; there are bdf, esdirk34",
        ),
        (["--set", "k"], "expected NAME=VALUE"),
        (["--interface", "fmi"], "possible values: me, cs"),
    ] {
        let output = simulate(&test, &arguments);
        assert_eq!(output.status.code(), Some(2));
        let error = text(&output.stderr);
        assert!(error.contains(sentence), "{error}");
    }
    let slave = DESCRIPTION.find("<CoSimulation").expect("it has one");
    let end = slave + DESCRIPTION[slave..].find("/>").expect("it ends") + 2;
    let description = format!("{}{}", &DESCRIPTION[..slave], &DESCRIPTION[end..]);
    let alone = Recipe {
        description,
        ..Default::default()
    }
    .build();
    let output = simulate(&alone, &["--interface", "cs"]);
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.contains("Co-Simulation"), "{error}");
}

#[test]
fn an_error_in_the_middle_leaves_what_was_computed() {
    let test = faulty("DISCARD");
    // A push that takes x beyond what the FMU can compute.
    std::fs::write(
        test.folder.path().join("in.csv"),
        "time,u\n0,0\n1,0\n1,40\n9,40\n",
    )
    .expect("written");
    let output = simulate(
        &test,
        &["--input", "in.csv", "--output", "out.csv", "--plot", "out.svg"],
    );
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    let last = error.lines().last().unwrap_or_default();
    assert!(last.starts_with("error: at time 1."), "{error}");
    let table = Table::read(test.folder.path().join("out.csv"));
    assert!(table.rows.len() > 100, "one second, and a little more");
    assert!(test.folder.path().join("out.svg").exists());
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_what_was_computed() {
    for interface in ["me", "cs"] {
        let test = oscillator();
        let arguments = [
            "--interface",
            interface,
            "--stop",
            "1e7",
            "--output-step",
            "0.01",
            "--output",
            "out.csv",
        ];
        let mut child = command(&test, &arguments)
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let file = test.folder.path().join("out.csv");
        wait_for_rows(&file);
        let interrupt = format!("kill -INT {}", child.id());
        let sent = Command::new("sh").args(["-c", &interrupt]).status();
        assert!(sent.expect("a shell").success());
        let begin = Instant::now();
        while child.try_wait().expect("a child").is_none() {
            assert!(begin.elapsed() < Duration::from_secs(20), "it goes on");
            std::thread::sleep(Duration::from_millis(10));
        }
        let output = child.wait_with_output().expect("it ended");
        assert_eq!(output.status.code(), Some(130), "{interface}");
        let said = text(&output.stderr);
        let table = Table::read(file);
        let last = table.rows.last().expect("rows")[0];
        assert!(last > 0.0 && table.worst(|t| exact(4.0, 0.0, t)) < 1e-3);
        // The report names the time where it stopped, which is at most a step behind the last row.
        let stopped = said
            .lines()
            .find_map(|line| line.strip_prefix("interrupted at time "))
            .and_then(|rest| rest.split(';').next())
            .and_then(|time| time.parse::<f64>().ok())
            .unwrap_or_else(|| panic!("{said}"));
        assert!(
            stopped >= last && stopped < last + 0.011,
            "{interface}: the last row is at {last}, and it says {stopped}"
        );
    }
}

/// Rows arrive while the simulation runs.
fn wait_for_rows(file: &Path) {
    let begin = Instant::now();
    while std::fs::metadata(file).map_or(0, |file| file.len()) < 10_000 {
        assert!(begin.elapsed() < Duration::from_secs(30), "no rows arrive");
        std::thread::sleep(Duration::from_millis(10));
    }
}
