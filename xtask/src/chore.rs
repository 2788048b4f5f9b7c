//! What the chores share: where things are, how another program is run and shown, and why a chore failed.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};

/// Why a chore could not be done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A program that the machine does not have.
    #[error("`{program}` is not there; {remedy}")]
    Missing {
        /// The program.
        program: String,
        /// What to install.
        remedy: &'static str,
    },
    /// A name that stands for nothing.
    #[error("{0}")]
    Name(String),
    /// A program that could not be started.
    #[error("`{program}` cannot be started")]
    Start {
        /// The program.
        program: String,
        /// Why.
        source: std::io::Error,
    },
    /// A program that was not content.
    #[error("{what} failed: {detail}")]
    Failed {
        /// What was attempted.
        what: String,
        /// What is known about it.
        detail: String,
    },
    /// A file or folder that could not be read or written.
    #[error("{}: {what}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What was attempted.
        what: &'static str,
        /// Why it failed.
        source: std::io::Error,
    },
    /// An archive that is none.
    #[error("{}: not a readable archive", path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// Why.
        source: zip::result::ZipError,
    },
    /// A description that cannot be read.
    #[error("{}: {detail}", path.display())]
    Description {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// `cargo metadata` failed.
    #[error("cargo cannot read this workspace")]
    Workspace(#[from] cargo_metadata::Error),
    /// Some tests failed; the summary has said which.
    #[error("{failed} of {} failed", failed + passed)]
    Tests {
        /// How many passed.
        passed: u64,
        /// How many did not.
        failed: u64,
    },
    /// A figure is worse than its limit; the table has said which.
    #[error("{0} figure(s) beyond their limit")]
    Figures(usize),
}

/// The result of a chore.
pub type Result<T> = std::result::Result<T, Error>;

/// The folders of this workspace.
#[derive(Debug)]
pub struct Place {
    /// The workspace.
    pub root: PathBuf,
    /// Its target folder.
    pub target: PathBuf,
}

impl Place {
    /// The workspace that this program was built from.
    pub fn find() -> Result<Place> {
        let metadata = cargo_metadata::MetadataCommand::new()
            .manifest_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
            .no_deps()
            .exec()?;
        Ok(Place {
            root: metadata.workspace_root.into(),
            target: metadata.target_directory.into(),
        })
    }

    /// A folder under `target/`, made if it is not there.
    pub fn folder(&self, name: &str) -> Result<PathBuf> {
        let path = self.target.join(name);
        std::fs::create_dir_all(&path).map_err(file(&path, "cannot be made"))?;
        Ok(path)
    }
}

/// Turns an I/O error about `path` into ours.
pub fn file(path: &Path, what: &'static str) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::File { path, what, source }
}

/// Says what comes next.
pub fn heading(text: &str) {
    println!("\n== {text}");
}

/// Starts a program, shows its standard output line by line, and returns all of it.
pub fn run_shown(command: &mut Command, remedy: &'static str) -> Result<(ExitStatus, Vec<String>)> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|source| cannot_start(command, remedy, source))?;
    let mut lines = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).split(b'\n') {
            let Ok(line) = line else { break };
            let line = String::from_utf8_lossy(&line).into_owned();
            println!("{line}");
            lines.push(line);
        }
    }
    let status = child
        .wait()
        .map_err(|source| cannot_start(command, remedy, source))?;
    Ok((status, lines))
}

/// What a program printed, and how it ended.
pub type Outcome = (ExitStatus, Vec<String>);

/// Runs programs side by side, as many as there are processors, and shows the output of each as a whole and in order,
/// under its title if that is not empty. `done` receives the position and the outcome of each.
pub fn run_all_shown(
    commands: Vec<(String, Command)>,
    remedy: &'static str,
    mut done: impl FnMut(usize, Outcome) -> Result<()>,
) -> Result<()> {
    let lanes = lanes().min(commands.len());
    let queue = Mutex::new(commands.into_iter().enumerate());
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..lanes {
            let (queue, sender) = (&queue, sender.clone());
            scope.spawn(move || {
                let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                while let Some((at, (title, mut command))) = next() {
                    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
                    let output = output.map_err(|source| cannot_start(&command, remedy, source));
                    if sender.send((at, title, output)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let (mut early, mut shown) = (BTreeMap::new(), 0);
        for (at, title, output) in receiver {
            early.insert(at, (title, output));
            while let Some((title, output)) = early.remove(&shown) {
                if !title.is_empty() {
                    println!("{title}");
                }
                let output = output?;
                let lines: Vec<String> = String::from_utf8_lossy(&output.stdout)
                    .lines()
                    .map(String::from)
                    .collect();
                lines.iter().for_each(|line| println!("{line}"));
                done(shown, (output.status, lines))?;
                shown += 1;
            }
        }
        Ok(())
    })
}

/// How many programs run side by side.
pub fn lanes() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Does something with each of many things, side by side; the results are in the order of the things.
pub fn side_by_side<T: Sync, R: Send>(things: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let lane = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(thing) = things.get(at) else { return done };
            done.push((at, work(thing)));
        }
    };
    let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..lanes()).map(|_| scope.spawn(lane)).collect();
        let join = |lane: std::thread::ScopedJoinHandle<'_, Vec<(usize, R)>>| match lane.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        lanes.into_iter().flat_map(join).collect()
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Runs a program quietly and returns its standard output; if it fails, the error contains its output.
pub fn run_quiet(what: &str, command: &mut Command, remedy: &'static str) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|source| cannot_start(command, remedy, source))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = [output.stdout, output.stderr].concat();
    Err(Error::Failed {
        what: what.to_owned(),
        detail: format!("{}\n{}", output.status, String::from_utf8_lossy(&said).trim_end()),
    })
}

fn cannot_start(command: &Command, remedy: &'static str, source: std::io::Error) -> Error {
    let program = command.get_program().to_string_lossy().into_owned();
    if source.kind() == std::io::ErrorKind::NotFound {
        Error::Missing { program, remedy }
    } else {
        Error::Start { program, source }
    }
}

/// Writes an archive.
pub fn pack(path: &Path, files: &[(&str, &[u8])]) -> Result<()> {
    let write = || -> zip::result::ZipResult<()> {
        let mut archive = zip::ZipWriter::new(std::fs::File::create(path)?);
        for (name, bytes) in files {
            archive.start_file(*name, zip::write::SimpleFileOptions::default())?;
            archive.write_all(bytes)?;
        }
        archive.finish().map(drop)
    };
    write().map_err(|source| Error::Archive {
        path: path.to_owned(),
        source,
    })
}

/// How many checks passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Passed.
    pub passed: u64,
    /// Failed.
    pub failed: u64,
}

impl Tally {
    /// One check.
    pub fn one(passed: bool) -> Tally {
        Tally {
            passed: passed.into(),
            failed: (!passed).into(),
        }
    }

    /// The sum of all closing lines in the output of a test program: `N passed, M failed`, or `cargo test`'s own.
    ///
    /// A program that ended badly without a failure of its own to show counts as one.
    pub fn of(lines: &[String], success: bool) -> Tally {
        let mut sum = lines
            .iter()
            .filter_map(|line| closing_line(line))
            .fold(Tally::default(), |a, b| a + b);
        if !success && sum.failed == 0 {
            sum.failed = 1;
        }
        sum
    }
}

impl std::ops::Add for Tally {
    type Output = Tally;
    fn add(self, other: Tally) -> Tally {
        Tally {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

/// The closing line of a test program.
pub fn closing_line(line: &str) -> Option<Tally> {
    let counts = match line.strip_prefix("test result: ") {
        Some(rest) => rest.split_once(". ")?.1,
        None => line,
    };
    let mut parts = counts.split([',', ';']).map(str::trim);
    let passed = parts.next()?.strip_suffix(" passed")?.parse().ok()?;
    let failed = parts.next()?.strip_suffix(" failed")?.parse().ok()?;
    Some(Tally { passed, failed })
}

#[cfg(test)]
mod tests {
    use super::Tally;

    #[test]
    fn closing_lines_are_summed() {
        let lines: Vec<String> = [
            "running 3 tests",
            "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
            "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
            "40 passed, 1 failed",
            "it passed, then failed",
        ]
        .map(String::from)
        .into();
        assert_eq!(
            Tally::of(&lines, false),
            Tally {
                passed: 44,
                failed: 3
            }
        );
    }

    #[test]
    fn programs_run_side_by_side_and_answer_in_order() {
        let commands = (0..5)
            .map(|k| {
                let mut command = std::process::Command::new("sh");
                // The first takes longest.
                command.args(["-c", &format!("sleep 0.{}; echo {k}; exit {k}", 4 - k)]);
                (format!("program {k}"), command)
            })
            .collect();
        let mut seen = Vec::new();
        let done = |at, (status, lines): super::Outcome| {
            seen.push((at, status.code(), lines.concat()));
            Ok(())
        };
        super::run_all_shown(commands, "install a shell", done).expect("they run");
        let expected: Vec<_> = (0..5).map(|k| (k as usize, Some(k), k.to_string())).collect();
        assert_eq!(seen, expected);
    }

    #[test]
    fn everything_is_done_once_and_in_order() {
        assert_eq!(
            super::side_by_side(&[1, 2, 3, 4, 5], |x| x * x),
            [1, 4, 9, 16, 25]
        );
        assert!(super::side_by_side(&[] as &[i32], |x| x * x).is_empty());
    }

    #[test]
    fn a_program_that_dies_counts_as_a_failure() {
        assert_eq!(Tally::of(&[], false), Tally { passed: 0, failed: 1 });
        assert_eq!(Tally::of(&[], true), Tally::default());
    }
}
