//! `fmu check --run` contains what an FMU does to processes and memory: nothing is left, and the command goes on.

#![cfg(target_os = "linux")]

use test_support::fmus;

mod common;

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use common::TestWorkspace;
use fmus::{Recipe, TestFmu};
use test_support::processes::{MARK, alive, left, mark};

fn fmu(kind: &str) -> TestFmu {
    let mut flags = vec![format!("-DFAULT_MISBEHAVE=\"{kind}\"")];
    flags.extend((kind == "throw").then(|| "-DTHROWS".into()));
    Recipe {
        flags,
        ..Default::default()
    }
    .build()
}

/// `fmu check --run` on it; the mark is in the environment of all its processes.
fn check(test: &TestFmu, mark: &str) -> Command {
    let temporary = test.folder.path().join("tmp");
    std::fs::create_dir_all(&temporary).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_fmu"));
    command
        .args(["check", "--run", "--max-memory", "300M", "--timeout", "2"])
        .arg(&test.path)
        .env("TMPDIR", temporary)
        .env(MARK, mark);
    command
}

fn assert_nothing_is_left(test: &TestFmu, mark: &str) {
    assert_eq!(left(mark, Duration::from_secs(5)), [""; 0], "{mark}");
    let left = std::fs::read_dir(test.folder.path().join("tmp")).unwrap();
    let left: Vec<_> = left.flatten().map(|entry| entry.file_name()).collect();
    assert!(left.is_empty(), "{mark} left {left:?}");
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn no_process_and_no_folder_is_left_and_the_report_says_why() {
    for (kind, code, said) in [
        ("leave-process", 0, "it left fmu ("),
        ("daemon", 0, "it left fmu ("),
        ("fork-chain", 0, "it left "),
        ("fork", 0, "no errors, no warnings"),
        ("resident", 2, "more than 300 MiB (--max-memory), and was ended"),
        (
            "kill-parent",
            1,
            "it ended the process that watches it: killed (signal 9)",
        ),
        (
            "orphan",
            1,
            "it ended the process that watches it: killed (signal 9)",
        ),
        ("hang", 2, "no answer within 2 s (--timeout)"),
        (
            "throw",
            1,
            "abort (signal 6); its last words: \"fatal runtime error: Rust cannot catch foreign exceptions",
        ),
    ] {
        let (test, mark) = (fmu(kind), mark(kind));
        let output = check(&test, &mark).output().unwrap();
        let shown = text(&output);
        assert_eq!(output.status.code(), Some(code), "{kind}: {shown}");
        assert!(shown.contains(said), "{kind}: {shown}");
        assert_nothing_is_left(&test, &mark);
    }
}

/// Waits until the FMU runs, which it does in the second process behind the command.
fn started(mark: &str, child: &mut Child) {
    let patience = Instant::now() + Duration::from_secs(20);
    while alive(mark).len() < 3 {
        assert!(
            Instant::now() < patience && child.try_wait().unwrap().is_none(),
            "{mark}"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(200));
}

#[test]
fn when_the_command_is_killed_the_fmu_ends() {
    for signal in [libc::SIGKILL, libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
        let (test, mark) = (fmu("hang"), mark(&format!("signal-{signal}")));
        let mut command = check(&test, &mark);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        started(&mark, &mut child);
        // SAFETY: touches no memory; the child is ours and not yet waited for.
        unsafe { libc::kill(child.id() as i32, signal) };
        child.wait().unwrap();
        if signal == libc::SIGKILL {
            // The next run removes what is left.
            let output = check(&fmu("none"), "next")
                .env("TMPDIR", test.folder.path().join("tmp"))
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        }
        assert_nothing_is_left(&test, &mark);
    }
}

/// A command in a folder, with a small disk of its own as the folder `small`, in a namespace that any user may make. The
/// last line of standard error says what is left on the disk.
fn on_a_small_disk(folder: &Path, size: &str, command: &str) -> Option<Output> {
    std::fs::create_dir_all(folder.join("small")).unwrap();
    let script = format!(
        "mount -t tmpfs -o size={size} tmpfs small || exit 77; {command}; code=$?; echo left: $(ls -A small) >&2; exit $code"
    );
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", &script]);
    let output = command.current_dir(folder).output().ok()?;
    // Not every system lets its users do that.
    (output.status.code() != Some(77) && !text(&output).contains("unshare failed")).then_some(output)
}

const NO_SMALL_DISKS: &str = "this system has no disks for its users";

#[test]
fn a_full_disk_is_a_sentence_in_every_command() {
    let test = fmu("none");
    let folder = test.folder.path();
    let system = "[simulation]\nstop = 3.0\nstep = 1e-4\n[components.one]\nfmu = \"oscillator.fmu\"\n";
    std::fs::write(folder.join("one.toml"), system).unwrap();
    for (size, arguments, left) in [
        ("100k", "simulate oscillator.fmu", ""),
        ("100k", "linearize oscillator.fmu", ""),
        ("100k", "couple one.toml", ""),
        ("4k", "check --run oscillator.fmu", ""),
        ("4k", "simulate oscillator.fmu --in-process", ""),
        ("4k", "couple one.toml --in-process", ""),
        (
            "8M",
            "simulate oscillator.fmu --stop 3 --output-step 1e-5 --output small/out.csv",
            "out.csv",
        ),
        ("5M", "couple one.toml --output small/out.csv", "out.csv"),
    ] {
        let command = format!("TMPDIR=$PWD/small {} {arguments}", env!("CARGO_BIN_EXE_fmu"));
        let Some(output) = on_a_small_disk(folder, size, &command) else {
            eprintln!("{NO_SMALL_DISKS}");
            return;
        };
        let said = text(&output);
        let code = if arguments.starts_with("check") { 2 } else { 1 };
        assert_eq!(output.status.code(), Some(code), "{arguments}: {said}");
        let lines: Vec<_> = said.lines().collect();
        let [error, rest] = lines[..] else {
            panic!("{arguments}: {said}");
        };
        assert!(
            error.starts_with("error: ") && error.contains("No space left on device"),
            "{arguments}: {said}"
        );
        assert_eq!(rest, format!("left: {left}").trim_end(), "{arguments}");
    }
}

#[test]
fn packaging_onto_a_full_disk_is_a_sentence_and_leaves_nothing() {
    let workspace = TestWorkspace::new();
    workspace.add_model("decay", "Decay");
    // The compiler needs room, too; it has done its work then.
    let output = workspace.fmu(&["package-fmu", "decay"]);
    assert!(output.status.success(), "{}", text(&output));
    let command = format!("{} package-fmu decay --out small", env!("CARGO_BIN_EXE_fmu"));
    let Some(output) = on_a_small_disk(&workspace.root(), "4k", &command) else {
        eprintln!("{NO_SMALL_DISKS}");
        return;
    };
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let lines: Vec<_> = said.lines().rev().collect();
    assert_eq!(lines[0].trim_end(), "left:", "{said}");
    assert!(
        lines[1].starts_with("error: ") && lines[1].contains("No space left on device"),
        "{said}"
    );
    assert_eq!(said.matches("error: ").count(), 1, "{said}");
}
