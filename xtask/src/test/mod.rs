//! `cargo xtask test`: all tests in one command, or some parts of them.
//!
//! The tests of FMUs follow the Rust tests, in a second process of this program. Checks whose inputs have not changed since
//! they passed are not repeated; see [`passed`].

mod fmus;
mod parts;
mod passed;
mod rust;

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::sync::mpsc;
use std::time::Instant;

use clap::Args;
use fmu::package::Workspace;
use fmu_standard::naming::nearest;

use crate::chore::{Error, Place, Result, Tally, closing_line, heading};
pub use fmus::{Session, package_examples};
use parts::Part;
use passed::Passed;
pub use passed::{by_closing_lines, by_exit_code};

/// Arguments of `test`.
#[derive(Debug, Args)]
#[command(after_help = parts::help())]
pub struct Arguments {
    /// Parts of the tests (listed below) and crates to package instead of all examples [default: everything].
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Tests this FMU instead of packaging examples (may be repeated).
    #[arg(long = "fmu", value_name = "FILE")]
    fmus: Vec<PathBuf>,
    /// Skips the part `rust`.
    #[arg(long)]
    skip_rust: bool,
    /// Repeats checks that have passed with the same inputs.
    #[arg(long)]
    again: bool,
    /// The same as a NAME, for scripts of earlier versions.
    #[arg(long = "only", value_name = "PART", hide = true)]
    only: Vec<String>,
}

/// Runs the tests; the last line is the sum of them.
pub fn run(arguments: Arguments) -> Result<()> {
    let begin = Instant::now();
    let place = Place::find()?;
    let passed = Passed::open(&place, arguments.again)?;
    let (parts, crates) = arguments.selected()?;
    require_crates(&place, &crates)?;
    let mut rows: Vec<Row> = Vec::new();

    let others: Vec<Part> = parts.iter().copied().filter(|part| *part != Part::Rust).collect();
    if parts.contains(&Part::Rust) {
        heading("cargo test --workspace");
        let rust = rust::run(&place, &passed);
        let seconds = begin.elapsed().as_secs();
        // Not beside the Rust tests: some of them package examples, too, and models of one crate have libraries of one
        // name in the one target folder.
        let rest = match others.is_empty() {
            true => None,
            false => Some(Companion::start(&arguments, &others, &crates)?.finish()?),
        };
        rows.push(Row {
            name: Part::Rust.to_string(),
            tally: rust?,
            seconds,
        });
        rows.extend(rest.unwrap_or_default());
    } else {
        rows.extend(fmus::run(&place, &passed, &others, arguments.fmus, &crates)?);
    }

    heading(&format!("{SUMMARY}{} s", begin.elapsed().as_secs()));
    for row in &rows {
        println!("{row}");
    }
    let sum = rows.iter().fold(Tally::default(), |sum, row| sum + row.tally);
    println!("{sum}");
    if sum.failed == 0 {
        Ok(())
    } else {
        Err(Error::Tests {
            passed: sum.passed,
            failed: sum.failed,
        })
    }
}

/// Refuses a name that is neither a part nor a crate, before anything is compiled.
fn require_crates(place: &Place, crates: &[String]) -> Result<()> {
    if crates.is_empty() {
        return Ok(());
    }
    let found = Workspace::of(&place.root).and_then(|workspace| workspace.crates(crates).map(|_| ()));
    found.map_err(|error| match error {
        fmu::package::Error::NoSuchCrate { name, candidates, .. } => {
            Error::Name(no_such_name(&name, &candidates))
        }
        other => Error::Name(other.to_string()),
    })
}

/// What is said about a name that is neither a part nor a crate.
fn no_such_name(name: &str, crates: &[String]) -> String {
    let parts: Vec<String> = Part::all().map(|part| part.to_string()).collect();
    let names = parts.iter().chain(crates).map(String::as_str);
    let hint = match nearest(names, name) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`cargo xtask test --help` describes the parts.".to_owned(),
    };
    format!(
        "there is no part and no crate `{name}`; {hint}\nparts: {}\ncrates: {}",
        parts.join(", "),
        crates.join(", ")
    )
}

/// How the heading of the summary begins.
const SUMMARY: &str = "all tests, ";

/// A row of the summary: a part, what it counted, and how long it took.
#[derive(Debug, PartialEq)]
pub struct Row {
    name: String,
    tally: Tally,
    seconds: u64,
}

impl Row {
    /// A part that has begun at a time and ends now.
    fn new(name: impl ToString, tally: Tally, begin: Instant) -> Row {
        Row {
            name: name.to_string(),
            tally,
            seconds: begin.elapsed().as_secs(),
        }
    }

    /// Reads a row as it is printed.
    fn read(line: &str) -> Option<Row> {
        let (name, rest) = line.split_once(": ")?;
        let (counts, seconds) = rest.rsplit_once(", ")?;
        Some(Row {
            name: name.trim().to_owned(),
            tally: closing_line(counts)?,
            seconds: seconds.strip_suffix(" s")?.parse().ok()?,
        })
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:>16}: {}, {} s", self.name, self.tally, self.seconds)
    }
}

impl Arguments {
    /// The parts to run, in the order of the table, and the crates to package.
    fn selected(&self) -> Result<(Vec<Part>, Vec<String>)> {
        let (mut parts, mut crates) = (Vec::new(), Vec::new());
        for name in &self.names {
            match Part::named(name) {
                Some(part) => parts.push(part),
                None => crates.push(name.clone()),
            }
        }
        for name in &self.only {
            eprintln!("note: `--only {name}` can be written as a name: `cargo xtask test NAME...`");
            parts.push(Part::named(name).ok_or_else(|| Error::Missing {
                program: format!("the part '{name}' of the tests"),
                remedy: "`cargo xtask test --help` lists the parts",
            })?);
        }
        if !self.fmus.is_empty() && !crates.is_empty() {
            return Err(Error::Failed {
                what: "choosing FMUs".to_owned(),
                detail: format!(
                    "--fmu names files, and {} would be packaged; give one of the two",
                    crates.join(", ")
                ),
            });
        }
        let everything = parts.is_empty();
        let mut selected: Vec<Part> = Part::all()
            .filter(|part| everything || parts.contains(part))
            .collect();
        if self.skip_rust {
            selected.retain(|part| *part != Part::Rust);
        }
        Ok((selected, crates))
    }
}

/// A second process of this program, for all parts but `rust`.
struct Companion {
    process: std::thread::JoinHandle<std::io::Result<ExitStatus>>,
    lines: mpsc::Receiver<String>,
}

impl Companion {
    fn start(arguments: &Arguments, parts: &[Part], crates: &[String]) -> Result<Companion> {
        let cannot_start = |source| Error::Start {
            program: "cargo xtask test".to_owned(),
            source,
        };
        let mut command = Command::new(std::env::current_exe().map_err(cannot_start)?);
        command.arg("test");
        command.args(parts.iter().map(Part::to_string)).args(crates);
        for fmu in &arguments.fmus {
            command.arg("--fmu").arg(fmu);
        }
        command.args(arguments.again.then_some("--again"));
        let (reader, writer) = std::io::pipe().map_err(cannot_start)?;
        command
            .stdout(writer.try_clone().map_err(cannot_start)?)
            .stderr(writer);
        let mut child = command.spawn().map_err(cannot_start)?;
        // Its copies of the pipe would keep the reader waiting.
        drop(command);
        let (sender, lines) = mpsc::channel();
        let process = std::thread::spawn(move || {
            for line in BufReader::new(reader).split(b'\n') {
                let line = String::from_utf8_lossy(&line?).into_owned();
                if sender.send(line).is_err() {
                    break;
                }
            }
            child.wait()
        });
        Ok(Companion { process, lines })
    }

    /// Shows its output up to its summary, and returns what is in that.
    fn finish(self) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        let mut in_summary = false;
        for line in self.lines {
            in_summary |= line.starts_with(&format!("== {SUMMARY}"));
            match (in_summary, Row::read(&line)) {
                (true, Some(row)) => rows.push(row),
                (true, None) => {}
                (false, _) => println!("{line}"),
            }
        }
        let success = matches!(self.process.join(), Ok(Ok(status)) if status.success());
        if !success && rows.iter().all(|row| row.tally.failed == 0) {
            rows.push(Row::new("other parts", Tally::one(false), Instant::now()));
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_is_refused_with_the_nearest_one() {
        let place = Place::find().unwrap();
        let refused = |name: &str| {
            require_crates(&place, &[name.to_owned()])
                .unwrap_err()
                .to_string()
        };
        let sentence = refused("bouncing-bal");
        assert!(
            sentence
                .starts_with("there is no part and no crate `bouncing-bal`; did you mean `bouncing-ball`?\n"),
            "{sentence}"
        );
        assert!(sentence.contains("\nparts: rust, fmpy, fmi3, "), "{sentence}");
        assert!(sentence.contains(", bouncing-ball, "), "{sentence}");
        assert!(refused("c-interfaces").contains("did you mean `c-interface`?"));
        require_crates(
            &place,
            &["bouncing-ball".to_owned(), "quarter-car:Wheel".to_owned()],
        )
        .unwrap();
    }

    #[test]
    fn a_row_is_read_as_it_is_printed() {
        let row = Row {
            name: "c-interface".to_owned(),
            tally: Tally {
                passed: 12,
                failed: 0,
            },
            seconds: 34,
        };
        assert_eq!(row.to_string(), "     c-interface: 12 passed, 0 failed, 34 s");
        assert_eq!(Row::read(&row.to_string()), Some(row));
        assert_eq!(Row::read("12 passed, 0 failed"), None);
    }
}
