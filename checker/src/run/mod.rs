//! Behaviour: runs the FMU in child processes and compares what it does with the rules.
//!
//! A child takes one step after the other (`steps`), each on a fresh instance, and writes what it is about to do and
//! what it found into a file (`protocol`). A child that crashes or exits is a finding about the step it was at, and
//! another child continues with the next step. Between parent and child there is a keeper process, which ends what the FMU
//! leaves behind and enforces a limit of memory.

#[cfg(feature = "simulate")]
mod agreement;
mod arguments;
mod child;
mod co_simulation;
mod dependencies;
mod derivatives;
mod drive;
mod family;
mod held;
mod instantiate;
mod keeper;
mod lifecycle;
mod model_exchange;
mod points;
mod protocol;
mod ranges;
mod raw;
mod references;
mod rules;
mod snapshots;
mod states;
mod step_size;
mod steps;
mod surroundings;
mod values;

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

pub use child::child;
pub(super) use rules::RULES;

use super::{Finding, Place, Report, Rule, Severity, rule};
use fmu_importer::archive::{Limits, PrivateFolder, private_folder};
use fmu_importer::{Error, Fmu};
use protocol::{Line, Reader};
use steps::Pass;

/// How behaviour is checked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunOptions {
    /// The program that a child is, with arguments that lead it to [`child`].
    pub command: Vec<OsString>,
    /// How long a step may take.
    pub timeout: Duration,
    /// How long all of it may take.
    pub budget: Duration,
    /// How much resident memory the processes of the FMU may have, in bytes.
    pub memory: u64,
    /// This process has no other children: those that it adopts because an FMU has killed its parent are ended.
    pub ends_orphans: bool,
}

impl RunOptions {
    /// The default limit of memory for the processes of an FMU, in bytes.
    pub const MEMORY: u64 = 4 << 30;

    /// Children are this program, called with these arguments first; 10 s per step, 300 s and 4 GiB in all.
    pub fn new(command: Vec<OsString>) -> Self {
        Self {
            command,
            timeout: Duration::from_secs(10),
            budget: Duration::from_secs(300),
            memory: Self::MEMORY,
            ends_orphans: false,
        }
    }
}

/// After so many crashes the rest is not worth trying.
const CRASHES: usize = 40;

/// Checks how an FMU behaves; findings are added to a report.
///
/// # Errors
/// Nothing could be tried, for example because the FMU has no library for this machine.
pub fn run(path: &Path, limits: &Limits, options: &RunOptions, report: &mut Report) -> Result<(), Error> {
    let fmu = Fmu::open_with(path, limits)?;
    let description = fmu.description();
    let interfaces = [
        ("me", description.model_exchange.as_ref().map(|me| &me.interface)),
        ("cs", description.co_simulation.as_ref().map(|cs| &cs.interface)),
    ];
    // A library that is missing for one interface is reported once, before anything is run.
    for (_, interface) in interfaces {
        if let Some(interface) = interface {
            fmu.library_file(&interface.model_identifier)?;
        }
    }
    let folder = fmu.folder()?;
    let begin = Instant::now();
    if options.ends_orphans {
        family::adopt_orphans();
    }
    for (name, interface) in interfaces {
        if interface.is_some() {
            let mut parent = Parent {
                folder: &folder,
                interface: name,
                notes: private_folder().map_err(Error::Temporary)?,
                options,
                report,
                crashes: 0,
                begin,
                slowest: Duration::ZERO,
            };
            for pass in Pass::ALL {
                if !parent.take(pass)? {
                    break;
                }
            }
        }
    }
    report.findings.sort_by_key(|finding| {
        super::rules()
            .iter()
            .position(|rule| std::ptr::eq(*rule, finding.rule))
    });
    Ok(())
}

/// One interface under examination.
struct Parent<'r> {
    folder: &'r Path,
    interface: &'static str,
    /// Where children write.
    notes: PrivateFolder,
    options: &'r RunOptions,
    report: &'r mut Report,
    crashes: usize,
    begin: Instant,
    /// The longest time that an ordinary step has taken.
    slowest: Duration,
}

/// How a child ended.
enum End {
    /// All steps are done.
    Done,
    /// It asks to be replaced after this step: the FMU may be in disarray.
    Replace,
    /// It says that going on makes no sense.
    GiveUp,
    /// It died, and how.
    Died(String),
    /// It was killed because a step took too long.
    Hung,
    /// It was killed because all steps together took too long.
    Late,
    /// It was killed because it had too much memory.
    TooLarge,
}

impl Parent<'_> {
    /// Takes all steps of a pass; `false` if the next pass makes no sense.
    fn take(&mut self, pass: Pass) -> Result<bool, Error> {
        let (mut from, mut without) = (0, Vec::new());
        loop {
            let file = tempfile::NamedTempFile::new_in(self.notes.path()).map_err(Error::Temporary)?;
            let mut reader = Reader::new(file.path());
            let end = self.child(pass, from, &without, file.path(), &mut reader)?;
            // The keeper ends what the FMU started, unless the FMU has ended the keeper.
            if self.options.ends_orphans && reader.ended().is_none() {
                family::end_orphans();
            }
            self.note(&mut reader);
            let last = reader.last_step();
            match &end {
                End::Done => return Ok(true),
                End::GiveUp => return Ok(false),
                End::Replace => {}
                End::Late => {
                    // What every importer does has not been tried to its end.
                    self.report.unfinished |= pass == Pass::Gentle;
                    let (name, seconds) = (self.name(), self.options.budget.as_secs_f64());
                    self.report
                        .skipped
                        .push(format!("{name}: further steps after {seconds} s (--time-limit)"));
                    return Ok(false);
                }
                End::Died(how) => self.crash(pass, &reader, how),
                End::Hung => self.hung(pass, &reader),
                End::TooLarge => self.crashes += 1,
            }
            // Without a step, loading the library did it; without a run, no step would get far.
            let hopeless = !matches!(end, End::Replace) && matches!(reader.at(), Some(("R1", _)) | None);
            self.report.unfinished |= hopeless && matches!(end, End::Hung | End::TooLarge);
            let Some(last) = last.filter(|_| !hopeless) else {
                return Ok(false);
            };
            without.extend(reader.group().map(String::from));
            from = last + 1;
            if self.crashes >= CRASHES {
                let skipped = format!("{}: further steps after {CRASHES} crashes", self.name());
                self.report.skipped.push(skipped);
                return Ok(false);
            }
        }
    }

    fn name(&self) -> &'static str {
        match self.interface {
            "me" => "Model Exchange",
            _ => "Co-Simulation",
        }
    }

    fn child(
        &mut self,
        pass: Pass,
        from: usize,
        without: &[String],
        file: &Path,
        reader: &mut Reader,
    ) -> Result<End, Error> {
        let [program, arguments @ ..] = &self.options.command[..] else {
            return Ok(End::GiveUp);
        };
        let mut command = Command::new(program);
        command.args(arguments).arg(child::KEEP);
        command.arg(self.options.memory.to_string());
        command.arg(self.folder).arg(file);
        command.args([self.interface, pass.name(), &from.to_string(), &without.join(",")]);
        // Files of the FMU's making stay among the notes, and go with them.
        let here = self.notes.path().join("working-folder");
        std::fs::create_dir_all(&here).map_err(Error::Temporary)?;
        command
            .current_dir(here)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child = command.spawn().map_err(|source| Error::Read {
            path: program.into(),
            source,
        })?;
        let mut child = Kept(child);
        let (mut moved, mut size) = (Instant::now(), 0);
        let mut pause = Duration::from_millis(1);
        loop {
            let ended = child.0.try_wait().map_err(|source| Error::Read {
                path: program.into(),
                source,
            })?;
            let now = reader.read();
            if let Some(status) = ended {
                return Ok(self.end(status, reader));
            }
            if now != size {
                if pass == Pass::Gentle {
                    self.slowest = self.slowest.max(moved.elapsed());
                }
                (moved, size) = (Instant::now(), now);
            }
            if moved.elapsed() > self.options.timeout {
                return Ok(End::Hung);
            }
            if self.begin.elapsed() > self.options.budget {
                return Ok(End::Late);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(50));
        }
    }

    /// How a child ended, after its keeper has.
    fn end(&self, status: ExitStatus, reader: &Reader) -> End {
        let Some((well, how)) = reader.ended() else {
            let how = fmu_importer::watch::death(status);
            return End::Died(format!("it ended the process that watches it: {how}"));
        };
        match reader.end() {
            _ if reader.is_too_large() => End::TooLarge,
            Some(Line::Done) if well => End::Done,
            Some(Line::Replace) => End::Replace,
            Some(Line::GiveUp) => End::GiveUp,
            // All steps were taken, and then the process crashed while it ended.
            Some(Line::Done) => End::Died(format!("after the last step: {how}")),
            _ => End::Died(how.into()),
        }
    }

    /// Takes over what a child found.
    fn note(&mut self, reader: &mut Reader) {
        let lines = reader.take();
        let (_, at) = reader.at().unwrap_or_default();
        for line in lines {
            match line {
                Line::Found {
                    rule: id,
                    place,
                    problem,
                } => {
                    self.found(&id, &place, problem);
                }
                Line::Left(names) if reader.end() == Some(&Line::Done) => {
                    self.found(
                        "R28",
                        "after the last instance was freed",
                        format!("it left {names}"),
                    );
                }
                Line::Memory(used) => {
                    let (used, limit) = (used >> 20, self.options.memory >> 20);
                    let problem = format!(
                        "it had {used} MiB of memory, more than {limit} MiB (--max-memory), and was ended"
                    );
                    self.found("R29", at, problem);
                }
                Line::Skipped(reason) => self.report.skipped.push(format!("{}: {reason}", self.name())),
                _ => {}
            }
        }
    }

    /// Adds a finding; what an FMU does to its process is reported once per interface.
    fn found(&mut self, id: &str, place: &str, problem: String) {
        let Some(rule) = rule(id) else { return };
        let place = self.place(place);
        let finding = Finding { rule, place, problem };
        let is_once = ["R26", "R27", "R28", "R29"]
            .iter()
            .any(|once| id.starts_with(once));
        let same = |other: &Finding| {
            std::ptr::eq(other.rule, rule)
                && match is_once {
                    true => other.place.item.starts_with(self.name()),
                    false => other.problem == finding.problem && other.place == finding.place,
                }
        };
        if !self.report.findings.iter().any(same) {
            self.report.findings.push(finding);
        }
    }

    /// A step that takes too long. Slowness is not a fault: where it may be the reason, the step is not checked.
    fn hung(&mut self, pass: Pass, reader: &Reader) {
        let (seconds, slowest) = (self.options.timeout.as_secs_f64(), self.slowest.as_secs_f64());
        if pass == Pass::Rough && 10.0 * slowest < seconds {
            let how =
                format!("no answer within {seconds} s, and no ordinary step took more than {slowest:.1} s");
            return self.crash(pass, reader, how);
        }
        self.crashes += 1;
        let (id, place) = reader.at().unwrap_or(("B5", "loading its library"));
        let name = self.name();
        self.report.skipped.push(format!(
            "{name}, {place} (rule {id}): no answer within {seconds} s (--timeout)"
        ));
    }

    fn crash(&mut self, pass: Pass, reader: &Reader, how: impl std::fmt::Display) {
        self.crashes += 1;
        let said = self.last_words();
        let (id, place) = reader.at().unwrap_or(("B5", "loading its library"));
        let place = self.place(place);
        // What every importer does must not end it, however small the rule that was looked at.
        let counts = |rule: &&Rule| pass == Pass::Rough || rule.severity == Severity::Error;
        if let Some(rule) = rule(id).filter(counts).or_else(|| rule("B5")) {
            self.report.findings.push(Finding {
                rule,
                place,
                problem: format!("the process ended: {how}{said}"),
            });
        }
    }

    /// What the process printed last, such as the message of an exception.
    fn last_words(&self) -> String {
        let last = |name| {
            let mut bytes = Vec::new();
            let file = std::fs::File::open(self.notes.path().join(name)).ok()?;
            file.take(1 << 16).read_to_end(&mut bytes).ok()?;
            let text = String::from_utf8_lossy(&bytes);
            let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
            Some(line.chars().take(200).collect::<String>())
        };
        let streams = surroundings::STREAMS.iter().rev();
        match streams.filter_map(|(name, _)| last(name)).next() {
            Some(line) => format!("; its last words: {line:?}"),
            None => String::new(),
        }
    }

    fn place(&self, item: &str) -> Place {
        Place {
            item: format!("{}, {item}", self.name()),
            ..Place::default()
        }
    }
}

/// Ends a keeper with its handle, whatever happens.
struct Kept(Child);

impl Drop for Kept {
    fn drop(&mut self) {
        // The end of its input lets the keeper end everything that it keeps.
        drop(self.0.stdin.take());
        let patience = Instant::now() + Duration::from_secs(5);
        while Instant::now() < patience && matches!(self.0.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
