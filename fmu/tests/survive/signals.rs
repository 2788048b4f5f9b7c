//! Signals to the command while an FMU hangs.

use std::process::Command;
use std::time::{Duration, Instant};

use super::{UNDISTURBED, fmu, fmu_and_system, processes_of};
use test_support::fmus::TestFmu;

/// Starts the command on an FMU that hangs, and waits until it does.
fn hanging(fmu: &TestFmu, arguments: &[&str]) -> std::process::Child {
    let temporary = fmu.folder.path().join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_fmu"))
        .args(arguments)
        .current_dir(fmu.folder.path())
        .env("TMPDIR", &temporary)
        .env("MISBEHAVE", "hang")
        .env("MISBEHAVE_AT", "0.55")
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(700));
    child
}

const HANGS: [&str; 6] = [
    "simulate",
    "oscillator.fmu",
    "--interface",
    "cs",
    "--output",
    "out.csv",
];

/// The other commands, and the one without a worker, where the FMU hangs.
const OTHERS_HANG: [&[&str]; 3] = [
    &["couple", "two.toml", "--output", "out.csv"],
    &["linearize", "oscillator.fmu", "--at", "0.6"],
    &[
        "simulate",
        "oscillator.fmu",
        "--interface",
        "cs",
        "--output",
        "out.csv",
        "--in-process",
    ],
];

fn signal(child: &std::process::Child, signal: i32) {
    // SAFETY: kill has no requirements on memory, and the child was not waited for yet.
    unsafe { libc::kill(child.id() as i32, signal) };
}

fn rest(fmu: &TestFmu) -> Vec<std::ffi::OsString> {
    let entries = std::fs::read_dir(fmu.folder.path().join("tmp")).unwrap();
    entries.flatten().map(|entry| entry.file_name()).collect()
}

#[test]
fn signals_end_a_hanging_run_with_its_rows_and_without_its_folders() {
    for (number, code) in [(libc::SIGTERM, 143), (libc::SIGHUP, 129)] {
        let fmu = fmu();
        let child = hanging(&fmu, &HANGS);
        signal(&child, number);
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            output.status.code(),
            Some(code),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let table = std::fs::read_to_string(fmu.folder.path().join("out.csv")).unwrap();
        assert!(
            table.lines().count() >= 55 && UNDISTURBED.starts_with(&table),
            "{table}"
        );
        assert_eq!(rest(&fmu), Vec::<std::ffi::OsString>::new());
        assert_eq!(processes_of(fmu.folder.path()), 0);
    }
}

#[test]
fn ctrl_c_ends_a_hanging_run_after_five_seconds_and_the_second_one_at_once() {
    for second in [false, true] {
        let fmu = fmu();
        let child = hanging(&fmu, &HANGS);
        let begin = Instant::now();
        signal(&child, libc::SIGINT);
        if second {
            std::thread::sleep(Duration::from_millis(300));
            signal(&child, libc::SIGINT);
        }
        let output = child.wait_with_output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(130), "{error}");
        let seconds = begin.elapsed().as_secs_f64();
        assert!(
            if second {
                seconds < 3.0
            } else {
                (4.5..8.0).contains(&seconds)
            },
            "{seconds}"
        );
        assert_eq!(second, !error.contains("did not stop within 5 s"), "{error}");
        assert_eq!(rest(&fmu), Vec::<std::ffi::OsString>::new());
    }
}

#[test]
fn signals_end_every_command_that_hangs_and_nothing_is_left() {
    for arguments in OTHERS_HANG {
        // Ctrl-C once asks for an end, and an FMU that hangs does not hear it.
        for (number, times, code) in [
            (libc::SIGTERM, 1, 143),
            (libc::SIGHUP, 1, 129),
            (libc::SIGINT, 2, 130),
        ] {
            let fmu = fmu_and_system();
            let child = hanging(&fmu, arguments);
            let begin = Instant::now();
            for _ in 0..times {
                signal(&child, number);
                std::thread::sleep(Duration::from_millis(300));
            }
            let output = child.wait_with_output().unwrap();
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            let what = format!("{arguments:?}, signal {number}: {error}");
            assert_eq!(output.status.code(), Some(code), "{what}");
            assert!(begin.elapsed() < Duration::from_secs(4), "{what}");
            assert_eq!(rest(&fmu), Vec::<std::ffi::OsString>::new(), "{what}");
            assert_eq!(processes_of(fmu.folder.path()), 0, "{what}");
            if arguments[0] == "couple" {
                let table = std::fs::read_to_string(fmu.folder.path().join("out.csv")).unwrap();
                assert!(
                    table.lines().count() >= 55 && table.ends_with('\n'),
                    "{what}: {table}"
                );
            }
        }
    }
}

/// A copy of the channel of a run that is under way.
fn copy_of_its_channel(fmu: &TestFmu) -> std::path::PathBuf {
    let copy = fmu.folder.path().join("channel");
    let mut folders = vec![fmu.folder.path().join("tmp")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(entry.path()),
                false if entry.file_name() == "channel" => {
                    std::fs::copy(entry.path(), &copy).unwrap();
                }
                false => {}
            }
        }
    }
    assert!(copy.is_file(), "{:?}", rest(fmu));
    copy
}

#[test]
fn a_worker_whose_command_has_ended_before_it_could_look_ends_too() {
    let fmu = fmu();
    let mut child = hanging(&fmu, &HANGS);
    let channel = copy_of_its_channel(&fmu);
    signal(&child, libc::SIGKILL);
    child.wait().unwrap();
    // The parent of this worker is the test, which lives; the command that started it is said to be one that has ended.
    let mut worker = Command::new(env!("CARGO_BIN_EXE_fmu"))
        .args(HANGS)
        .current_dir(fmu.folder.path())
        .env("TMPDIR", fmu.folder.path().join("tmp"))
        .env("MISBEHAVE", "hang")
        .env("MISBEHAVE_AT", "0.55")
        .env("FMU_WORKER_CHANNEL", channel)
        .env("FMU_WORKER_PARENT", child.id().to_string())
        .spawn()
        .unwrap();
    let patience = Instant::now() + Duration::from_secs(10);
    let ended = loop {
        match worker.try_wait().unwrap() {
            Some(status) => break Some(status),
            None if Instant::now() > patience => break None,
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let _ = worker.kill();
    let _ = worker.wait();
    let status = ended.expect("the worker hangs although its command has ended");
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&status),
        Some(libc::SIGABRT)
    );
}

#[test]
fn when_the_command_is_killed_its_worker_ends_and_the_next_run_sweeps() {
    let fmu = fmu();
    let mut child = hanging(&fmu, &HANGS);
    signal(&child, libc::SIGKILL);
    child.wait().unwrap();
    std::thread::sleep(Duration::from_millis(600));
    assert_eq!(
        processes_of(fmu.folder.path()),
        0,
        "the worker ends with its parent"
    );
    assert!(
        !rest(&fmu).is_empty(),
        "a killed command cannot remove its folders"
    );
    let next = Command::new(env!("CARGO_BIN_EXE_fmu"))
        .args(["simulate", "oscillator.fmu", "--output", "next.csv"])
        .current_dir(fmu.folder.path())
        .env("TMPDIR", fmu.folder.path().join("tmp"))
        .output()
        .unwrap();
    assert!(next.status.success());
    assert_eq!(rest(&fmu), Vec::<std::ffi::OsString>::new());
}

#[test]
fn a_call_that_takes_long_is_named_while_it_does() {
    let fmu = fmu();
    let begin = Instant::now();
    let child = hanging(&fmu, &[&HANGS[..], &["--call-timeout", "12"]].concat());
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(begin.elapsed() >= Duration::from_secs(12), "{error}");
    let hint =
        "`Oscillator` has been in fmi2GetReal for 10 s; --call-timeout SECONDS ends calls that take too long";
    assert_eq!(error.matches(hint).count(), 1, "{error}");
}
