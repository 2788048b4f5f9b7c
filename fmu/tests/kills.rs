//! Commands that are killed at random moments leave no half of a file under its final name, and the next run removes
//! what else they left. `cargo xtask kills` kills more of them.

#![cfg(target_os = "linux")]

mod common;
use test_support::fmus;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::TestWorkspace;
use test_support::processes::{MARK, left, mark};

/// A command, what it writes, and how long it takes.
struct Victim {
    name: &'static str,
    arguments: Vec<&'static str>,
    folder: PathBuf,
    duration: Duration,
    /// The whole table, for commands that write one.
    table: String,
}

/// Numbers that look random: Knuth's linear congruential generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() * bound as f64) as usize
    }
}

impl Victim {
    fn new(name: &'static str, arguments: &[&'static str], folder: &Path) -> Victim {
        let mut victim = Victim {
            name,
            arguments: arguments.into(),
            folder: folder.into(),
            duration: Duration::ZERO,
            table: String::new(),
        };
        std::fs::create_dir_all(victim.temporary()).unwrap();
        let begin = Instant::now();
        let output = victim.command(0).output().unwrap();
        victim.duration = begin.elapsed();
        assert!(
            output.status.success(),
            "{name}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        victim.table = victim.read("out.csv").unwrap_or_default();
        assert_eq!(victim.problems(true), [""; 0], "{name}");
        victim
    }

    fn temporary(&self) -> PathBuf {
        self.folder.join("tmp")
    }

    fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.folder.join(name)).ok()
    }

    fn command(&self, number: usize) -> Command {
        let source = self.folder.join("models/decay/src/lib.rs");
        if let Ok(text) = std::fs::read_to_string(&source) {
            // Something to build.
            let text = text.lines().filter(|line| !line.starts_with("// change "));
            let text: Vec<_> = text.map(str::to_owned).collect();
            std::fs::write(&source, format!("{}\n// change {number}\n", text.join("\n"))).unwrap();
        }
        // A campaign may run beside a build that replaces the command.
        let fmu = std::env::var_os("KILLS_FMU").unwrap_or_else(|| env!("CARGO_BIN_EXE_fmu").into());
        let mut command = Command::new(fmu);
        command
            .args(&self.arguments)
            .current_dir(&self.folder)
            .env_remove("RUSTFLAGS")
            .env("TMPDIR", self.temporary())
            .env("CARGO_TARGET_DIR", self.folder.join("target"))
            .env(MARK, mark(self.name));
        command
    }

    /// What is not as it should be; `clean` if nothing unfinished may be left.
    fn problems(&self, clean: bool) -> Vec<String> {
        let mut problems = Vec::new();
        if let Some(table) = self.read("out.csv")
            && !(self.table.starts_with(&table) && (table.is_empty() || table.ends_with('\n')))
        {
            let at = table.len().saturating_sub(200);
            problems.push(format!("half of a table: ...{}", &table[at..]));
        }
        for name in ["plot.svg", "graph.svg"] {
            if let Some(drawing) = self.read(name)
                && !(drawing.starts_with('<') && drawing.trim_end().ends_with("</svg>"))
            {
                problems.push(format!("half of {name}"));
            }
        }
        if let Some(stats) = self.read("stats.json")
            && serde_json::from_str::<serde_json::Value>(&stats).is_err()
        {
            problems.push(format!("half of stats.json: {stats}"));
        }
        if let Ok(file) = std::fs::File::open(self.folder.join("made/Decay.fmu"))
            && let Err(error) = unpacked(file)
        {
            problems.push(format!("half of an FMU: {error}"));
        }
        if clean {
            for folder in [self.folder.clone(), self.folder.join("made"), self.temporary()] {
                let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
                let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
                let is_left = |name: &String| name.ends_with(".partial") || folder.ends_with("tmp");
                problems.extend(names.filter(is_left).map(|name| format!("{name} is left")));
            }
        }
        problems
    }

    /// Kills the command at a random time; problems are returned.
    fn kill(&self, number: usize, random: &mut Random) -> Vec<String> {
        for name in ["out.csv", "plot.svg", "graph.svg", "stats.json", "made/Decay.fmu"] {
            let _ = std::fs::remove_file(self.folder.join(name));
        }
        let signals = [
            libc::SIGKILL,
            libc::SIGKILL,
            libc::SIGTERM,
            libc::SIGINT,
            libc::SIGHUP,
        ];
        let signal = signals[random.below(signals.len())];
        let delay = self.duration.mul_f64(1.1 * random.next());
        let mut command = self.command(number);
        let null = || Stdio::null();
        let mut child = command
            .stdin(null())
            .stdout(null())
            .stderr(null())
            .spawn()
            .unwrap();
        std::thread::sleep(delay);
        // SAFETY: touches no memory; the child is ours and not yet waited for.
        unsafe { libc::kill(child.id() as i32, signal) };
        child.wait().unwrap();
        // A compiler that lost its caller ends when it is done.
        let alive = left(&mark(self.name), Duration::from_secs(20));
        let mut problems = self.problems(signal != libc::SIGKILL);
        if !alive.is_empty() {
            problems.push(format!("processes are left: {alive:?}"));
        }
        if signal == libc::SIGKILL {
            // The next run removes what is left.
            let output = self.command(number).output().unwrap();
            if !output.status.success() {
                problems.push(format!(
                    "the next run failed: {}",
                    String::from_utf8_lossy(&output.stderr)
                ));
            }
            problems.extend(
                self.problems(true)
                    .into_iter()
                    .map(|it| format!("after the next run: {it}")),
            );
        }
        let place = format!("{}, signal {signal} after {delay:?}", self.name);
        problems
            .iter()
            .map(|problem| format!("{place}: {problem}"))
            .collect()
    }
}

/// Reads all of an archive.
fn unpacked(file: std::fs::File) -> Result<(), Box<dyn std::error::Error>> {
    let mut archive = zip::ZipArchive::new(file)?;
    for at in 0..archive.len() {
        archive.by_index(at)?.read_to_end(&mut Vec::new())?;
    }
    Ok(())
}

#[test]
fn killed_commands_leave_nothing_half_and_the_next_run_sweeps() {
    let number = |name: &str, default: u64| {
        let value = std::env::var(name).ok();
        value.map_or(default, |value| value.parse().expect(name))
    };
    let (count, seed) = (number("KILLS", 24) as usize, number("KILLS_SEED", 1));
    let oscillator = fmus::oscillator();
    let folder = oscillator.folder.path();
    let simulated = Victim::new(
        "simulate",
        &[
            "simulate",
            "oscillator.fmu",
            "--interface",
            "cs",
            "--output-step",
            "1e-3",
            "--stop",
            "3",
            "--output",
            "out.csv",
            "--plot",
            "plot.svg",
        ],
        folder,
    );
    let other = fmus::oscillator();
    std::fs::write(
        other.folder.path().join("system.toml"),
        "[simulation]\nstop = 3.0\nstep = 1e-3\ninsist = true\n[components.a]\nfmu = 'oscillator.fmu'\n\
         [components.b]\nfmu = 'oscillator.fmu'\n[[connections]]\nfrom = 'a.x'\nto = 'b.u'\n",
    )
    .unwrap();
    let coupled = Victim::new(
        "couple",
        &[
            "couple",
            "system.toml",
            "--output",
            "out.csv",
            "--plot",
            "plot.svg",
            "--graph",
            "graph.svg",
            "--stats",
            "stats.json",
        ],
        other.folder.path(),
    );
    let workspace = TestWorkspace::new();
    workspace.add_model("decay", "Decay");
    let packaged = Victim::new(
        "package-fmu",
        &["package-fmu", "decay", "--debug", "--out", "made"],
        &workspace.root(),
    );
    let (victims, mut random) = ([simulated, coupled, packaged], Random(seed));
    let mut failures = 0;
    for kill in 0..count {
        let problems = victims[kill % victims.len()].kill(kill + 1, &mut random);
        for problem in &problems {
            println!("kill {kill}: {problem}");
        }
        failures += usize::from(!problems.is_empty());
    }
    println!("{count} kills, {failures} with problems");
    assert_eq!(failures, 0);
}
