//! Options of `fmu simulate` that contradict each other or change nothing, files that cannot be written, and who reads
//! what it prints.

use test_support::fmus;
#[path = "common/simulate.rs"]
mod run;

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use fmus::oscillator;
use run::{command, simulate, text};
use serde_json::Value;

#[test]
fn options_without_effect_are_reported() {
    let test = oscillator();
    let cases: [(&[&str], &str); 5] = [
        (
            &["--interface", "cs", "--solver", "rk4"],
            "warning: --solver has no effect",
        ),
        (
            &["--step", "0.1"],
            "warning: --step has no effect: the steps of bdf",
        ),
        (
            &["--solver", "euler", "--step", "0.01", "--tolerance", "1e-3"],
            "warning: --tolerance has no effect: the steps of euler are fixed",
        ),
        (
            &["--record", "x", "--record", "zz"],
            "warning: no variable of Oscillator fits zz",
        ),
        (&["--solver", "rk4", "--step", "0.01"], ""),
    ];
    for (arguments, sentence) in cases {
        let output = simulate(&test, &[arguments, &["--stop", "0.1"]].concat());
        assert!(output.status.success());
        let said = text(&output.stderr);
        match sentence {
            "" => assert!(!said.contains("warning"), "{said}"),
            sentence => assert!(said.contains(sentence), "{arguments:?}: {said}"),
        }
    }
}

#[test]
fn a_drawing_of_another_format_is_refused_and_nothing_is_written() {
    let test = oscillator();
    for name in ["x.png", "x.PDF", "folder.svg/x.html"] {
        let output = simulate(&test, &["--plot", name]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        let svg = format!("{}.svg", name.rsplit_once('.').unwrap().0);
        let sentence = format!("error: --plot {name}: drawings are SVG files; name it {svg}");
        assert!(said.starts_with(&sentence), "{said}");
        assert!(!test.folder.path().join(name).exists());
    }
    for name in ["x.svg", "x.SVG", "without-ending"] {
        let output = simulate(&test, &["--plot", name, "--stop", "0.1"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let drawing = std::fs::read_to_string(test.folder.path().join(name)).unwrap();
        assert!(drawing.starts_with("<svg"));
    }
}

#[test]
fn one_file_is_not_written_twice() {
    let test = oscillator();
    let output = simulate(&test, &["--output", "x.csv", "--plot", "x.csv"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("--output and --plot both want x.csv"), "{said}");
    assert!(!test.folder.path().join("x.csv").exists());
    let output = simulate(&test, &["--json", "--output", "-"]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_dash_is_standard_output() {
    let test = oscillator();
    let output = simulate(&test, &["--stop", "0.1", "--output", "-", "--plot", "x.svg"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("time,x,y,n,flag\n0,1,0,0,1\n"));
    assert!(!test.folder.path().join("-").exists());
}

#[test]
fn an_error_is_json_where_json_is_asked_for() {
    let test = oscillator();
    let output = simulate(
        &test,
        &["--json", "--stop", "0.1", "--record", "x", "--record", "zz"],
    );
    let json: Value = serde_json::from_slice(&output.stdout).expect("nothing but JSON");
    assert_eq!(json["warnings"].as_array().map(Vec::len), Some(1), "{json}");

    let output = simulate(&test, &["--json", "--set", "k=abc"]);
    assert_eq!(output.status.code(), Some(1));
    let json: Value = serde_json::from_slice(&output.stdout).expect("nothing but JSON");
    assert_eq!(json["error"], "`abc` is not of type Real, which k needs");
    assert!(text(&output.stderr).contains("error: `abc`"));
}

#[test]
fn a_single_row_is_a_point() {
    let test = oscillator();
    let output = simulate(&test, &["--stop", "0", "--record", "x", "--plot", "x.svg"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let drawing = std::fs::read_to_string(test.folder.path().join("x.svg")).expect("a drawing");
    assert_eq!(drawing.matches("<circle").count(), 1);
}

#[test]
fn limits_name_their_options() {
    let test = oscillator();
    for (option, value) in [("--max-entries", "1"), ("--max-size", "10")] {
        let output = simulate(&test, &[option, value]);
        assert_eq!(output.status.code(), Some(1));
        let said = text(&output.stderr);
        assert!(said.contains(&format!("raise the limit ({option})")), "{said}");
    }
}

#[test]
fn no_text_is_no_table() {
    let test = oscillator();
    let output = simulate(&test, &["--input", "oscillator.fmu"]);
    let said = text(&output.stderr);
    assert!(
        said.contains("oscillator.fmu: this is not a table of inputs"),
        "{said}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named() {
    let test = oscillator();
    let output = simulate(&test, &["--output", "/dev/full"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("error: cannot write /dev/full: "), "{said}");
}

/// The most resident memory of a command and of the processes that it has waited for, in bytes.
#[cfg(target_os = "linux")]
fn most_memory(mut command: std::process::Command) -> u64 {
    #[expect(clippy::zombie_processes, reason = "wait4 waits for it")]
    let child = command.spawn().expect("it starts");
    let (mut status, mut usage) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
    let id = libc::pid_t::try_from(child.id()).expect("a number");
    // SAFETY: waits for a child that nothing else waits for; both results are written here, and zeros are valid.
    let usage = unsafe {
        assert_eq!(libc::wait4(id, &mut status, 0, usage.as_mut_ptr()), id);
        usage.assume_init()
    };
    assert_eq!(status, 0, "it ends well");
    u64::try_from(usage.ru_maxrss).expect("a size") << 10
}

#[cfg(target_os = "linux")]
#[test]
fn a_drawing_takes_the_same_memory_for_any_number_of_rows() {
    for more in [&[][..], &["--in-process"]] {
        let memory = |step: &str| {
            let test = oscillator();
            let arguments = ["--interface", "cs", "--stop", "3", "--output-step", step];
            let arguments = [
                &arguments[..],
                &["--output", "/dev/null", "--plot", "x.svg"],
                more,
            ]
            .concat();
            let mut command = command(&test, &arguments);
            command.stderr(Stdio::null());
            let most = most_memory(command);
            assert!(test.folder.path().join("x.svg").exists());
            most
        };
        let (few, many) = (memory("1e-3"), memory("1e-5"));
        // 300 000 rows of five numbers are 12 MB. The ring between the two processes has 4 MiB, which many rows fill.
        assert!(
            many < few + (7 << 20),
            "{more:?}: {few} bytes, and {many} for 100 times the rows"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_closes_its_pipe_is_not_an_error() {
    let test = oscillator();
    let mut child = command(&test, &["--stop", "1000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut line = String::new();
    let mut reader = BufReader::new(child.stdout.take().expect("a pipe"));
    reader.read_line(&mut line).expect("a line");
    drop(reader);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn a_trace_has_a_row_per_step() {
    let test = oscillator();
    for (arguments, order) in [
        (&["--solver", "rk4", "--step", "0.01"][..], Some(4.0)),
        (&["--interface", "cs", "--step", "0.01"], Some(0.0)),
        (&["--solver", "tsit45"], Some(4.0)),
        (&["--solver", "esdirk34"], Some(3.0)),
        (&["--solver", "tr-bdf2"], Some(2.0)),
        (&["--solver", "bdf"], None),
    ] {
        let others = [
            "--stop",
            "0.1",
            "--trace",
            "steps.csv",
            "--json",
            "--plot",
            "x.svg",
        ];
        let output = simulate(&test, &[arguments, &others].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let summary: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let trace = std::fs::read_to_string(test.folder.path().join("steps.csv")).expect("the trace");
        let mut lines = trace.lines();
        let is_fixed = arguments.contains(&"--step");
        assert_eq!(
            lines.next(),
            Some(match is_fixed {
                true => "time,step,order,rejected,iterations,events",
                false => "time,step,error,order,rejected,iterations,events",
            }),
            "{arguments:?}"
        );
        let mut rows: Vec<Vec<f64>> = lines
            .map(|line| {
                line.split(',')
                    .map(|cell| cell.parse().expect("a number"))
                    .collect()
            })
            .collect();
        if !is_fixed {
            // Accepted steps keep the tolerance; over so short a time they have not grown to where they use all of it.
            let errors: Vec<f64> = rows.iter_mut().map(|row| row.remove(2)).collect();
            assert!(errors.iter().all(|error| (0.0..=1.0).contains(error)), "{trace}");
            assert!(errors.iter().any(|error| *error > 1e-4), "{trace}");
        }
        let sum: f64 = rows.iter().map(|row| row[1]).sum();
        assert!((sum - 0.1).abs() < 1e-9, "{arguments:?}: {sum}");
        match order {
            Some(order) => assert!(rows.iter().all(|row| row[2] == order), "{trace}"),
            // It begins with order 1 and raises it.
            None => {
                assert!(
                    rows[0][2] <= 2.0 && rows.iter().any(|row| row[2] > 1.0),
                    "{trace}"
                );
                assert_eq!(summary["steps"], rows.len(), "{summary}");
            }
        }
        assert!(test.folder.path().join("x.trace.svg").exists());
    }
}
