//! Components in processes of their own: the same results, and a sentence when one of them crashes, exits or hangs.

#![cfg(unix)]

use test_support::fmus;

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use fmus::{Recipe, TestFmu};

/// Two oscillators that drive each other.
const SYSTEM: &str = "\
[simulation]
stop = 1.0
step = 0.01
[components.first]
fmu = \"oscillator.fmu\"
[components.second]
fmu = \"oscillator.fmu\"
set = { k = 9.0 }
[[connections]]
from = \"first.x\"
to = \"second.u\"
[[connections]]
from = \"second.x\"
to = \"first.u\"
";

fn fmu(recipe: Recipe) -> TestFmu {
    let fmu = recipe.build();
    std::fs::create_dir(fmu.folder.path().join("tmp")).unwrap();
    fmu
}

fn plain() -> TestFmu {
    fmu(Recipe::default())
}

/// The FMU that misbehaves as the environment says.
fn misbehaving() -> TestFmu {
    fmu(Recipe {
        flags: vec!["-DMISBEHAVE".into()],
        ..Default::default()
    })
}

/// `fmu couple` on a system of FMUs in their folder, which is also the folder for temporary files.
fn couple(fmu: &TestFmu, system: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    let folder = fmu.folder.path();
    std::fs::write(folder.join("system.toml"), system).unwrap();
    Command::new(env!("CARGO_BIN_EXE_fmu"))
        .args(["couple", "system.toml", "--output", "out.csv"])
        .args(arguments)
        .current_dir(folder)
        .env("TMPDIR", folder.join("tmp"))
        .envs(environment.iter().copied())
        .output()
        .expect("the command runs")
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn rows(fmu: &TestFmu) -> String {
    std::fs::read_to_string(fmu.folder.path().join("out.csv")).unwrap_or_default()
}

/// Processes that were started in the folder, by their environment.
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

/// Neither a file nor a process is left.
fn assert_clean(fmu: &TestFmu, what: &str) {
    let left: Vec<_> = std::fs::read_dir(fmu.folder.path().join("tmp"))
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert!(left.is_empty(), "{what} left {left:?}");
    assert_eq!(processes_of(fmu.folder.path()), 0, "{what} left a process");
}

/// The rows of a run that succeeds.
fn succeed(fmu: &TestFmu, system: &str, arguments: &[&str]) -> String {
    let output = couple(fmu, system, arguments, &[]);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", error(&output));
    assert_clean(fmu, &format!("{arguments:?}"));
    rows(fmu)
}

#[test]
fn results_are_the_same_bits_for_all_algorithms_and_interfaces() {
    let fmu = plain();
    for (arguments, more) in [
        (&[][..], ""),
        (&["--algorithm", "gauss-seidel"], ""),
        (&["--algorithm", "iterated-gauss-seidel"], ""),
        (&["--algorithm", "newton"], ""),
        (&["--algorithm", "aggregate"], ""),
        (&["--tolerance", "1e-2"], ""),
        (&["--tolerance", "1e-2", "--algorithm", "newton"], ""),
        (&["--record", "*"], "interface = \"model-exchange\"\n"),
        (&["--tolerance", "1e-2"], "interface = \"model-exchange\"\n"),
    ] {
        let system = SYSTEM.replace("step = 0.01\n", &format!("step = 0.01\n{more}"));
        let together = succeed(&fmu, &system, arguments);
        assert!(together.lines().count() > 20, "{arguments:?}: {together}");
        for isolate in ["*", "second"] {
            let apart = succeed(&fmu, &system, &[arguments, &["--isolate", isolate]].concat());
            assert!(
                together == apart,
                "{arguments:?} {more} differ with --isolate {isolate}"
            );
        }
    }
    // A file says the same, also without the process that watches.
    let together = succeed(&fmu, SYSTEM, &[]);
    let system = SYSTEM.replace("fmu = ", "isolated = true\nfmu = ");
    assert!(together == succeed(&fmu, &system, &[]));
    assert!(together == succeed(&fmu, &system, &["--in-process"]));
}

#[test]
fn a_step_that_is_discarded_is_repeated_in_the_other_process_too() {
    let fmu = fmu(Recipe {
        flags: vec!["-DFAULT_DISCARD".into()],
        ..Default::default()
    });
    let run = |arguments: &[&str]| {
        let output = couple(&fmu, SYSTEM, arguments, &[]);
        let said: Vec<String> = error(&output)
            .lines()
            .filter(|line| line.starts_with("error"))
            .map(str::to_owned)
            .collect();
        assert_clean(&fmu, "a discarded step");
        (output.status.code(), said, rows(&fmu))
    };
    assert_eq!(run(&[]), run(&["--isolate", "*"]));
}

#[test]
fn one_of_two_that_crashes_or_exits_is_named_and_the_rows_are_kept() {
    let fmu = misbehaving();
    let undisturbed = succeed(&fmu, SYSTEM, &[]);
    for (kind, how) in [
        ("segfault", "crashed: segmentation fault (signal 11)"),
        ("abort", "crashed: abort (signal 6)"),
        ("exit-0", "ended its process by exit(0)"),
        ("_exit-1", "ended its process by exit(1)"),
        ("stack-overflow", "crashed"),
        ("kill-itself", "crashed: killed (signal 9)"),
    ] {
        for more in [&[][..], &["--in-process"]] {
            let arguments = [&["--isolate", "second"], more].concat();
            let environment = [
                ("MISBEHAVE", kind),
                ("MISBEHAVE_AT", "0.55"),
                // Only the process of an isolated component has this variable.
                ("MISBEHAVE_IF", "FMU_ISOLATED_PARENT"),
            ];
            let begin = Instant::now();
            let output = couple(&fmu, SYSTEM, &arguments, &environment);
            let error = error(&output);
            assert_eq!(output.status.code(), Some(1), "{kind}: {error}");
            for part in ["`second` in fmi2", "at time 0.5", how] {
                assert!(error.contains(part), "{kind}, {part}: {error}");
            }
            let table = rows(&fmu);
            assert!(
                table.lines().count() >= 55 && undisturbed.starts_with(&table),
                "{kind}: {table}"
            );
            assert!(begin.elapsed() < Duration::from_secs(20), "{kind}");
            assert_clean(&fmu, kind);
        }
    }
}

#[test]
fn one_that_does_not_survive_being_freed_is_an_error() {
    let fmu = misbehaving();
    let undisturbed = succeed(&fmu, SYSTEM, &[]);
    for (kind, how) in [
        ("segfault", "crashed: segmentation fault (signal 11)"),
        ("exit-0", "ended its process by exit(0)"),
    ] {
        for more in [
            &[][..],
            &["--in-process"],
            &["--algorithm", "aggregate"],
            &["--advise"],
        ] {
            // Advice has no results.
            let output = if more == ["--advise"] {
                "--graph"
            } else {
                "--output"
            };
            let arguments = [
                &["couple", "system.toml", output, "out.csv", "--isolate", "second"],
                more,
            ]
            .concat();
            let folder = fmu.folder.path();
            let output = Command::new(env!("CARGO_BIN_EXE_fmu"))
                .args(&arguments)
                .current_dir(folder)
                .env("TMPDIR", folder.join("tmp"))
                .env("MISBEHAVE", kind)
                .env("MISBEHAVE_IN", "fmi2FreeInstance")
                .env("MISBEHAVE_IF", "FMU_ISOLATED_PARENT")
                .output()
                .unwrap();
            let error = error(&output);
            assert_eq!(output.status.code(), Some(1), "{kind} {more:?}: {error}");
            let said: Vec<_> = error
                .lines()
                .filter(|line| line.contains("`second` in fmi2FreeInstance"))
                .collect();
            assert!(
                matches!(said[..], [line] if line.starts_with("error: ") && line.contains(how)),
                "{kind} {more:?}: {error}"
            );
            if more == ["--in-process"] || more.is_empty() {
                assert!(undisturbed == rows(&fmu), "{kind} {more:?}: all rows are written");
            }
            assert_clean(&fmu, kind);
        }
    }
}

#[test]
fn one_that_hangs_is_named_and_ended() {
    let fmu = misbehaving();
    let environment = [
        ("MISBEHAVE", "hang"),
        ("MISBEHAVE_AT", "0.55"),
        ("MISBEHAVE_IF", "FMU_ISOLATED_PARENT"),
    ];
    let output = couple(
        &fmu,
        SYSTEM,
        &["--isolate", "second", "--call-timeout", "1.5"],
        &environment,
    );
    let error = error(&output);
    assert_eq!(output.status.code(), Some(1), "{error}");
    for part in [
        "`second` in fmi2DoStep at time 0.5",
        "--call-timeout",
        "rows up to time 0.5",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert!(rows(&fmu).lines().count() >= 55);
    std::thread::sleep(Duration::from_millis(300));
    assert_clean(&fmu, "a hang");
}

#[test]
fn when_the_command_is_killed_all_processes_end() {
    for more in [None, Some("--in-process")] {
        let fmu = misbehaving();
        let folder = fmu.folder.path();
        std::fs::write(folder.join("system.toml"), SYSTEM).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_fmu"))
            .args(["couple", "system.toml", "--output", "out.csv", "--isolate", "*"])
            .args(more)
            .current_dir(folder)
            .env("TMPDIR", folder.join("tmp"))
            .env("MISBEHAVE", "hang")
            .env("MISBEHAVE_AT", "0.55")
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let begin = Instant::now();
        let all = 3 + usize::from(more.is_none());
        let mut found = 0;
        while found < all && begin.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(20));
            found = processes_of(folder);
        }
        // Until it hangs.
        std::thread::sleep(Duration::from_millis(300));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(
            found, all,
            "{more:?}: the command, its worker and two isolated components"
        );
        let begin = Instant::now();
        while processes_of(folder) > 0 {
            assert!(
                begin.elapsed() < Duration::from_secs(5),
                "{more:?}: processes stay"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn an_fmu_that_exists_once_per_process_can_be_coupled_with_itself() {
    let fmu = fmu(Recipe {
        description: fmus::DESCRIPTION.replace(
            "<CoSimulation ",
            "<CoSimulation canBeInstantiatedOnlyOncePerProcess=\"true\" ",
        ),
        flags: vec!["-DFAULT_ONE_INSTANCE".into()],
        ..Default::default()
    });
    let refused = couple(&fmu, SYSTEM, &[], &[]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        error(&refused).contains("--isolate second, or isolated = true"),
        "{}",
        error(&refused)
    );
    let apart = succeed(&fmu, SYSTEM, &["--isolate", "second"]);
    assert!(apart == succeed(&plain(), SYSTEM, &[]));
}

#[test]
fn messages_and_output_of_an_isolated_component_are_shown() {
    let fmu = misbehaving();
    let environment = [("MISBEHAVE", "print"), ("MISBEHAVE_AT", "0.55")];
    for more in [&[][..], &["--in-process"]] {
        let arguments = [&["--isolate", "*", "--log"], more].concat();
        let output = couple(&fmu, SYSTEM, &arguments, &environment);
        let error = error(&output);
        assert_eq!(output.status.code(), Some(0), "{error}");
        assert!(output.stdout.is_empty(), "standard output is for results");
        assert!(error.contains("hello, "), "{error}");
        assert!(error.contains("second [logAll]"), "{error}");
    }
}

#[test]
fn a_component_that_does_not_exist_cannot_be_isolated() {
    let output = couple(&plain(), SYSTEM, &["--isolate", "third"], &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        error(&output).contains("--isolate third: no component is called so; there are first, second"),
        "{}",
        error(&output)
    );
}
