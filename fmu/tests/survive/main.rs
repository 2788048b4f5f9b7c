//! Whatever an FMU does to its process, the command says what happened, keeps the rows, removes its folders and ends.

#![cfg(unix)]

use test_support::fmus;

mod signals;
mod values;

use std::path::Path;
use std::process::{Command, Output};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use fmus::{Recipe, TestFmu};

/// The FMU that misbehaves as the environment says.
fn fmu() -> TestFmu {
    Recipe {
        flags: vec!["-DMISBEHAVE".into()],
        ..Default::default()
    }
    .build()
}

/// A command on it in a folder of its own, which is also the folder for temporary files.
struct Run {
    fmu: TestFmu,
    output: Output,
    elapsed: Duration,
}

impl Run {
    fn new(kind: &str, at: &str, arguments: &[&str]) -> Run {
        Run::on(fmu(), kind, at, arguments)
    }

    fn on(fmu: TestFmu, kind: &str, at: &str, arguments: &[&str]) -> Run {
        let temporary = fmu.folder.path().join("tmp");
        std::fs::create_dir(&temporary).unwrap();
        let begin = Instant::now();
        let output = Command::new(env!("CARGO_BIN_EXE_fmu"))
            .args(arguments)
            .current_dir(fmu.folder.path())
            .env("TMPDIR", &temporary)
            .env("MISBEHAVE", kind)
            .env("MISBEHAVE_AT", at)
            .output()
            .expect("the command runs");
        Run {
            fmu,
            output,
            elapsed: begin.elapsed(),
        }
    }

    fn error(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    fn code(&self) -> Option<i32> {
        self.output.status.code()
    }

    fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.fmu.folder.path().join(name)).unwrap_or_default()
    }

    /// Nothing is left in the folder for temporary files.
    fn assert_clean(&self, kind: &str) {
        let left: Vec<_> = std::fs::read_dir(self.fmu.folder.path().join("tmp"))
            .unwrap()
            .flatten()
            .map(|entry| entry.file_name())
            .collect();
        assert!(left.is_empty(), "{kind} left {left:?}");
        assert!(
            self.elapsed < Duration::from_secs(30),
            "{kind} took {:?}",
            self.elapsed
        );
    }
}

/// Kinds that end the process, and a word of how it ended.
const DEADLY: [(&str, &str); 22] = [
    ("segfault", "segmentation fault (signal 11)"),
    ("jump-to-null", "segmentation fault (signal 11)"),
    ("write-to-code", "segmentation fault (signal 11)"),
    ("abort", "abort (signal 6)"),
    ("trap", "illegal instruction (signal 4)"),
    ("divide", "arithmetic error (signal 8)"),
    ("exit-0", "exit(0)"),
    ("exit-3", "exit(3)"),
    ("_exit-0", "exit(0)"),
    ("_exit-1", "exit(1)"),
    ("throw", "abort (signal 6)"),
    ("thread-exit", "abort (signal 6)"),
    ("longjmp", "crashed"),
    ("stack-overflow", "crashed"),
    ("kill-itself", "killed (signal 9)"),
    ("raise", "segmentation fault (signal 11)"),
    ("terminate-itself", "signal 15"),
    ("alarm", "signal 14"),
    ("memory", "crashed"),
    ("crash-later", "segmentation fault (signal 11)"),
    ("hang", "--call-timeout"),
    ("spin", "--call-timeout"),
];

/// Kinds that must not matter: what they do stays in the worker.
const HARMLESS: [&str; 18] = [
    "close-all",
    "none",
    "fork",
    "leave-process",
    "change-folder",
    "umask",
    "locale",
    "handlers",
    "block-signals",
    "print",
    "print-error",
    "print-much",
    "close-streams",
    "read",
    "setenv",
    "nice",
    "session",
    "trap-on-overflow",
];

/// Signals that a terminal sends. They are for the command, which asks its worker to stop.
const FOR_THE_COMMAND: [&str; 2] = ["interrupt", "hangup"];

/// The table of a run that nothing disturbs.
static UNDISTURBED: LazyLock<String> = LazyLock::new(|| {
    let run = Run::new("none", "0", &patient(SIMULATE));
    assert_eq!(run.code(), Some(0), "{}", run.error());
    run.file("out.csv")
});

const SIMULATE: [&str; 10] = [
    "simulate",
    "oscillator.fmu",
    "--interface",
    "cs",
    "--stop",
    "1",
    "--output",
    "out.csv",
    "--call-timeout",
    "2.5",
];

/// The command with a minute for each call: for FMUs whose calls end, however busy the machine is.
fn patient<const N: usize>(mut arguments: [&'static str; N]) -> [&'static str; N] {
    arguments[N - 1] = "60";
    arguments
}

#[test]
fn simulate_says_how_an_fmu_ended_and_keeps_the_rows() {
    for (kind, how) in DEADLY {
        let run = Run::new(kind, "0.55", &SIMULATE);
        let error = run.error();
        assert_eq!(run.code(), Some(1), "{kind}: {error}");
        let last = error.lines().last().unwrap_or_default();
        assert!(last.starts_with("error: "), "{kind}: {error}");
        for part in [
            how,
            "`Oscillator` in fmi2",
            "at time 0.5",
            "rows up to time 0.5",
            "out.csv",
            "--in-process",
        ] {
            assert!(last.contains(part), "{kind}, {part}: {error}");
        }
        let table = run.file("out.csv");
        assert!(
            table.ends_with('\n') && table.lines().count() >= 55,
            "{kind}: {table}"
        );
        assert!(
            UNDISTURBED.starts_with(&table),
            "{kind}: rows differ from an undisturbed run"
        );
        run.assert_clean(kind);
    }
}

#[test]
fn what_an_fmu_does_to_its_process_does_not_matter() {
    for kind in HARMLESS.into_iter().chain(FOR_THE_COMMAND) {
        let run = Run::new(kind, "0.55", &patient(SIMULATE));
        assert_eq!(run.code(), Some(0), "{kind}: {}", run.error());
        assert_eq!(run.file("out.csv"), *UNDISTURBED, "{kind}");
        assert!(
            run.output.stdout.is_empty(),
            "{kind}: standard output is the command's"
        );
        run.assert_clean(kind);
    }
}

/// The arguments that make `fmu couple` and `fmu linearize` run the FMU.
const LINEARIZE: [&str; 6] = [
    "linearize",
    "oscillator.fmu",
    "--at",
    "0.5",
    "--call-timeout",
    "2.5",
];
const COUPLE: [&str; 6] = [
    "couple",
    "two.toml",
    "--output",
    "out.csv",
    "--call-timeout",
    "2.5",
];

/// The FMU beside a system of two of it.
fn fmu_and_system() -> TestFmu {
    let fmu = fmu();
    let system = "[simulation]\nstop = 1.0\nstep = 0.01\n[components.first]\nfmu = \"oscillator.fmu\"\n\
                  [components.second]\nfmu = \"oscillator.fmu\"\n[[connections]]\nfrom = \"first.x\"\nto = \"second.u\"\n";
    std::fs::write(fmu.folder.path().join("two.toml"), system).unwrap();
    fmu
}

#[test]
fn what_an_fmu_does_to_its_process_matters_to_no_command() {
    let mut undisturbed: Option<(String, Vec<u8>)> = None;
    for kind in HARMLESS.into_iter().chain(FOR_THE_COMMAND) {
        let couple = Run::on(fmu_and_system(), kind, "0.55", &patient(COUPLE));
        assert_eq!(couple.code(), Some(0), "{kind}: {}", couple.error());
        assert!(couple.output.stdout.is_empty(), "{kind}");
        couple.assert_clean(kind);
        let linearize = Run::new(kind, "0.3", &patient(LINEARIZE));
        assert_eq!(linearize.code(), Some(0), "{kind}: {}", linearize.error());
        linearize.assert_clean(kind);
        let found = (couple.file("out.csv"), linearize.output.stdout);
        assert!(found.0.lines().count() > 100 && !found.1.is_empty(), "{kind}");
        let expected = undisturbed.get_or_insert_with(|| found.clone());
        assert!(*expected == found, "{kind}: {found:?}");
    }
}

/// The numbers of a table, row by row.
fn numbers(table: &str) -> Vec<Vec<f64>> {
    let row = |line: &str| line.split(',').flat_map(str::parse).collect();
    table.lines().skip(1).map(row).collect()
}

#[test]
fn an_fmu_that_rounds_in_another_way_changes_last_digits_only() {
    let assert_close = |what: &str, found: &str, expected: &str| {
        let (found, expected) = (numbers(found), numbers(expected));
        assert!(found.len() > 100 && found.len() == expected.len(), "{what}");
        for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
            assert!(
                (found - expected).abs() < 1e-12,
                "{what}: {found}, not {expected}"
            );
        }
    };
    let simulate = Run::new("rounding", "0.55", &patient(SIMULATE));
    assert_eq!(simulate.code(), Some(0), "{}", simulate.error());
    assert_close("simulate", &simulate.file("out.csv"), &UNDISTURBED);
    let [couple, plain] =
        ["rounding", "none"].map(|kind| Run::on(fmu_and_system(), kind, "0.55", &patient(COUPLE)));
    assert_eq!(couple.code(), Some(0), "{}", couple.error());
    assert_close("couple", &couple.file("out.csv"), &plain.file("out.csv"));
    let [linearize, plain] = ["rounding", "none"].map(|kind| Run::new(kind, "0.3", &patient(LINEARIZE)));
    assert_eq!(linearize.code(), Some(0), "{}", linearize.error());
    assert_eq!(linearize.output.stdout, plain.output.stdout);
    let check = Run::new("rounding", "0.3", &["check", "--run", "oscillator.fmu"]);
    let report = String::from_utf8_lossy(&check.output.stdout);
    assert!(
        report.contains("the floating-point mode is another: rounding"),
        "{report}"
    );
    for run in [simulate, couple, linearize, check] {
        run.assert_clean("rounding");
    }
}

#[test]
fn what_an_fmu_prints_goes_to_standard_error_without_control_characters() {
    let run = Run::new(
        "print",
        "0.55",
        &["simulate", "oscillator.fmu", "--interface", "cs", "--stop", "1"],
    );
    assert_eq!(run.code(), Some(0), "{}", run.error());
    assert_eq!(String::from_utf8_lossy(&run.output.stdout), *UNDISTURBED);
    assert!(
        run.error()
            .contains("the process of the FMU printed: hello, \\u{1b}[31mtime,x"),
        "{}",
        run.error()
    );
    assert!(!run.error().contains('\x1b'));
}

#[test]
fn linearize_and_couple_survive_too() {
    // One endless loop is enough: it takes as long as the time limit.
    for (kind, how) in DEADLY.into_iter().filter(|(kind, _)| *kind != "spin") {
        let linearize = Run::new(kind, "0.3", &LINEARIZE);
        assert_eq!(linearize.code(), Some(1), "{kind}: {}", linearize.error());
        let error = linearize.error();
        assert!(
            error.contains(how) && error.contains("`Oscillator` in fmi2") && error.contains("at time 0.3"),
            "{kind}: {error}"
        );
        linearize.assert_clean(kind);

        let couple = Run::on(fmu_and_system(), kind, "0.55", &COUPLE);
        let error = couple.error();
        assert_eq!(couple.code(), Some(1), "{kind}: {error}");
        for part in [how, "at time 0.5", "rows up to time 0.5", "out.csv"] {
            assert!(error.contains(part), "{kind}, {part}: {error}");
        }
        assert!(
            error.contains("`first`") || error.contains("`second`"),
            "{kind}: {error}"
        );
        assert!(couple.file("out.csv").lines().count() >= 55, "{kind}");
        couple.assert_clean(kind);
    }
}

/// A misbehaving component that steps at once with one that is slow.
fn step_at_once(sleepy: &TestFmu, kind: &str, more: &[&str]) -> Run {
    let system = "[simulation]\nstop = 1.0\nstep = 0.01\nalgorithm = \"jacobi\"\nparallel = \"always\"\n\
                  [components.sleepy]\nfmu = \"sleepy.fmu\"\n[components.second]\nfmu = \"oscillator.fmu\"\n";
    let fmu = fmu();
    let folder = fmu.folder.path();
    std::fs::copy(&sleepy.path, folder.join("sleepy.fmu")).unwrap();
    std::fs::write(folder.join("two.toml"), system).unwrap();
    let arguments = [&["couple", "two.toml", "--output", "out.csv"], more].concat();
    let run = Run::on(fmu, kind, "0.55", &arguments);
    assert_eq!(run.code(), Some(1), "{kind}: {}", run.error());
    run.assert_clean(kind);
    run
}

#[test]
fn of_components_that_step_at_once_the_one_that_crashed_is_named() {
    let sleepy = fmus::faulty("SLEEPY_SLAVE");
    let hang = &["--call-timeout", "2"][..];
    for (kind, how, more) in [
        ("late-segfault", "segmentation fault (signal 11)", &[][..]),
        ("late-exit", "exit(0)", &[]),
        ("hang", "took longer than 2 s (--call-timeout)", hang),
        // A process of its own identifies the component; a thread does not.
        ("late-_exit", "exit(0)", &["--isolate", "*"]),
        ("late-kill", "killed (signal 9)", &["--isolate", "*"]),
    ] {
        let error = step_at_once(&sleepy, kind, more).error();
        let last = error.lines().last().unwrap_or_default();
        assert!(
            last.starts_with("error: ") && last.contains("`second` in fmi2") && last.contains(how),
            "{kind}: {error}"
        );
        assert!(!last.contains("sleepy"), "{kind}: {error}");
    }
}

#[test]
fn where_an_end_leaves_no_trace_of_its_thread_the_sentence_says_so() {
    let sleepy = fmus::faulty("SLEEPY_SLAVE");
    for (kind, how) in [
        ("late-_exit", "ended its process by exit(0)"),
        ("late-kill", "crashed: killed (signal 9)"),
    ] {
        let error = step_at_once(&sleepy, kind, &[]).error();
        let last = error.lines().last().unwrap_or_default();
        let begin = format!("error: one of the calls under way {how}: `");
        assert!(last.starts_with(&begin), "{kind}: {error}");
        for part in [
            "`sleepy` in fmi2",
            "`second` in fmi2",
            "rows up to time 0.5",
            "--isolate '*'",
        ] {
            assert!(last.contains(part), "{kind}, {part}: {error}");
        }
    }
}

#[test]
fn a_time_limit_for_calls_needs_the_process_that_watches() {
    for command in [&SIMULATE[..], &COUPLE, &LINEARIZE] {
        let run = Run::on(
            fmu_and_system(),
            "none",
            "0",
            &[command, &["--in-process"]].concat(),
        );
        let error = run.error();
        assert_eq!(run.code(), Some(2), "{error}");
        assert!(
            error.contains("--call-timeout needs the worker process, which --in-process does without"),
            "{error}"
        );
        assert!(run.file("out.csv").is_empty(), "nothing has run");
    }
}

#[test]
fn check_says_what_each_of_them_did_and_goes_on() {
    let check = |kind: &str| {
        let arguments = ["check", "--run", "oscillator.fmu", "--timeout", "2.5"];
        let run = Run::new(kind, "0.3", &arguments);
        run.assert_clean(kind);
        let report = String::from_utf8_lossy(&run.output.stdout).into_owned() + &run.error();
        (run.code(), report)
    };
    for (kind, how) in DEADLY {
        let (code, report) = check(kind);
        // A time limit is not an error of the FMU.
        let (expected, how) = match how {
            "--call-timeout" => (2, "no answer within 2.5 s (--timeout)"),
            // In the words of `fmu_importer::watch::death`.
            "crashed" => (1, "the process ended"),
            how => (1, how),
        };
        assert_eq!(code, Some(expected), "{kind}: {report}");
        assert!(
            report.contains(how) && report.contains("a run with its start values"),
            "{kind}, {how}: {report}"
        );
    }
    for kind in HARMLESS {
        let (code, report) = check(kind);
        assert_eq!(code, Some(0), "{kind}: {report}");
        assert!(report.contains("no errors"), "{kind}: {report}");
    }
}

#[test]
fn rows_on_standard_output_are_kept_too() {
    let arguments = ["simulate", "oscillator.fmu", "--interface", "cs", "--stop", "1"];
    let run = Run::new("segfault", "0.005", &arguments);
    let error = run.error();
    assert_eq!(run.code(), Some(1), "{error}");
    assert!(
        error.contains("; 1 row up to time 0 is on standard output. To look"),
        "{error}"
    );
    let table = String::from_utf8_lossy(&run.output.stdout);
    assert!(
        UNDISTURBED.starts_with(&*table) && table.lines().count() == 2,
        "{table}"
    );
}

#[test]
fn json_names_the_crash_as_well() {
    let run = Run::new(
        "abort",
        "0.55",
        &["simulate", "oscillator.fmu", "--json", "--output", "out.csv"],
    );
    assert_eq!(run.code(), Some(1));
    let value: serde_json::Value = serde_json::from_slice(&run.output.stdout).expect("JSON");
    assert!(
        value["error"]
            .as_str()
            .is_some_and(|error| error.contains("abort (signal 6)")),
        "{value}"
    );
}

#[test]
fn an_fmu_that_crashes_while_it_is_made_or_freed_is_named() {
    for function in ["fmi2SetupExperiment", "fmi2Terminate", "fmi2FreeInstance"] {
        let fmu = fmu();
        let output = Command::new(env!("CARGO_BIN_EXE_fmu"))
            .args(SIMULATE)
            .current_dir(fmu.folder.path())
            .env("MISBEHAVE", "abort")
            .env("MISBEHAVE_IN", function)
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{function}: {error}");
        assert!(error.contains(&format!("in {function}")), "{function}: {error}");
    }
}

/// What is running after the command, by the path of the FMU in its command line.
fn processes_of(folder: &Path) -> usize {
    let folder = folder.as_os_str().as_encoded_bytes();
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return 0;
    };
    let about = |entry: &std::fs::DirEntry| {
        let line = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        line.windows(folder.len()).any(|part| part == folder)
    };
    entries.flatten().filter(about).count()
}

#[test]
fn no_process_stays() {
    let commands: [(&str, &[&str]); 3] = [("0.55", &SIMULATE), ("0.55", &COUPLE), ("0.3", &LINEARIZE)];
    for kind in ["leave-process", "fork", "session"] {
        for (at, arguments) in commands {
            let run = Run::on(fmu_and_system(), kind, at, arguments);
            let what = format!("{kind} in fmu {}", arguments[0]);
            assert_eq!(run.code(), Some(0), "{what}: {}", run.error());
            std::thread::sleep(Duration::from_millis(200));
            assert_eq!(processes_of(run.fmu.folder.path()), 0, "{what} left a process");
        }
    }
}
