//! `fmu check`: every problem of an FMU with rule, place, severity and what to do.

use std::error::Error;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use fmu_checker::run::{self, RunOptions};
use fmu_checker::{Report, Rule, Severity, check, rules};
use fmu_importer::Fmu;
use fmu_importer::archive::{ArchiveError, Limits};
use serde_json::{Value, json};

use crate::cli::Exit;
use crate::output::{Printable, cannot_write, printable, say};

/// The hidden command that `check --run` starts in processes of their own.
pub const PROBE: &str = "check-probe";

/// Arguments of `check`.
#[derive(Debug, Args)]
#[command(after_help = "\
--run creates instances and calls them: each function in each state, wrong arguments, reset,
snapshots, derivatives, dependencies, both interfaces against each other. This happens in child
processes, so that an FMU that crashes or exits is a finding. They are ended with everything that
they started, and when they take too long (--timeout, --time-limit) or too much memory
(--max-memory). Steps that were not finished in time are listed as not checked.

Severities: an error means that an importer fails or calculates wrongly; a warning that some
importers or some uses suffer; a note that the standard demands something else, without known
harm.

Exit code: 0 without errors, 1 with errors, 2 if the FMU could not be checked or an ordinary run
of it took too long. With --strict warnings and notes count as errors.

Examples:
  fmu check BouncingBall.fmu
  fmu check --run --json BouncingBall.fmu
  fmu check --rules")]
pub struct CheckArguments {
    /// The FMU (FMI 2.0), a file or an unpacked folder.
    #[arg(
        value_name = "FMU",
        required_unless_present = "rules",
        conflicts_with = "rules"
    )]
    pub fmu: Option<PathBuf>,
    /// Also runs the FMU and checks its behaviour.
    #[arg(long)]
    pub run: bool,
    /// Prints JSON.
    #[arg(long)]
    pub json: bool,
    /// Shows every finding, not only ten per rule.
    #[arg(long)]
    pub all: bool,
    /// Counts warnings and notes as errors, as an exporter should.
    #[arg(long)]
    pub strict: bool,
    /// Prints the rules with their severities and the harm that they prevent; needs no FMU.
    #[arg(long)]
    pub rules: bool,
    /// Time limit of one step of --run; a step that takes longer is not checked.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 10.0,
        requires = "run",
        allow_negative_numbers = true
    )]
    pub timeout: f64,
    /// Time limit of --run; if it ends before all ordinary steps, the exit code is 2.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 300.0,
        requires = "run",
        allow_negative_numbers = true
    )]
    pub time_limit: f64,
    /// Limit of the resident memory of all processes of --run: bytes, or such as 500M or 16G.
    #[arg(long, value_name = "SIZE", requires = "run", default_value_t = Size(RunOptions::MEMORY))]
    pub max_memory: Size,
    /// Limits for unpacking the archive.
    #[command(flatten, next_help_heading = "Limits for unpacking the archive")]
    pub limits: LimitArguments,
}

/// A number of bytes, as people write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64);

/// Letters of 1024 and its powers.
const UNITS: [(char, u64); 3] = [('G', 1 << 30), ('M', 1 << 20), ('K', 1 << 10)];

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match UNITS
            .iter()
            .find(|(_, unit)| self.0 > 0 && self.0.is_multiple_of(*unit))
        {
            Some((letter, unit)) => write!(f, "{}{letter}", self.0 / unit),
            None => write!(f, "{}", self.0),
        }
    }
}

impl std::str::FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = UNITS.iter().find_map(|(letter, unit)| {
            let number = text.strip_suffix([*letter, letter.to_ascii_lowercase()])?;
            Some((number, *unit))
        });
        let (number, unit) = named.unwrap_or((text, 1));
        let bytes = number
            .parse::<u64>()
            .ok()
            .and_then(|number| number.checked_mul(unit));
        bytes
            .map(Self)
            .ok_or_else(|| "expected a number of bytes, such as 1000000, 500M or 16G".into())
    }
}

/// How large an archive may be.
#[derive(Clone, Copy, Debug, Args)]
pub struct LimitArguments {
    /// Largest unpacked size: bytes, or such as 500M or 16G.
    #[arg(long, value_name = "SIZE", default_value_t = Size(Limits::default().bytes))]
    pub max_size: Size,
    /// Largest ratio of unpacked to packed size, for more than 64M.
    #[arg(long, value_name = "TIMES", default_value_t = Limits::default().ratio)]
    pub max_ratio: u64,
    /// Largest number of entries.
    #[arg(long, value_name = "COUNT", default_value_t = Limits::default().entries)]
    pub max_entries: u64,
}

/// Names the option by which a limit is raised, if the archive exceeds one.
pub(crate) fn with_option(error: impl Into<Box<dyn Error>>) -> Box<dyn Error> {
    let error = error.into();
    let mut cause: Option<&(dyn Error + 'static)> = Some(&*error);
    while let Some(one) = cause {
        let boxed = one.downcast_ref::<Box<ArchiveError>>().map(|one| &**one);
        if let Some(option) = one.downcast_ref().or(boxed).and_then(option_of) {
            return format!("{error} ({option})").into();
        }
        cause = one.source();
    }
    error
}

fn option_of(error: &ArchiveError) -> Option<&'static str> {
    match error {
        ArchiveError::Limit { what: "entries", .. } => Some("--max-entries"),
        ArchiveError::Limit { .. } => Some("--max-size"),
        ArchiveError::Bomb { .. } => Some("--max-ratio"),
        _ => None,
    }
}

impl LimitArguments {
    /// Opens an FMU within the limits, and passes its warnings on.
    pub(crate) fn open(self, path: &Path) -> Result<Fmu, Box<dyn Error>> {
        let fmu = Fmu::open_with(path, &self.limits()).map_err(with_option)?;
        for warning in fmu.warnings() {
            say!("warning: {}", printable(&warning));
        }
        Ok(fmu)
    }

    /// As the library has them.
    pub fn limits(self) -> Limits {
        let usual = Limits::default();
        // A user who accepts a larger archive than usual accepts a larger description as well.
        let description = match self.max_size.0 > usual.bytes {
            true => self.max_size.0,
            false => usual.description.min(self.max_size.0),
        };
        usual
            .with_bytes(self.max_size.0)
            .with_ratio(self.max_ratio)
            .with_entries(self.max_entries)
            .with_description(description)
    }
}

/// Arguments of the hidden command.
#[derive(Debug, Args)]
pub struct ProbeArguments {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

impl ProbeArguments {
    pub(crate) fn run(self) -> Result<(), Box<dyn Error>> {
        match run::child(&self.arguments) {
            0 => Ok(()),
            code => Err(Exit(code).into()),
        }
    }
}

impl CheckArguments {
    pub(crate) fn run(self) -> Result<(), Box<dyn Error>> {
        self.print().map_err(|error| match error.downcast::<io::Error>() {
            Ok(error) => cannot_write(None, *error),
            Err(error) => error,
        })
    }

    fn print(self) -> Result<(), Box<dyn Error>> {
        let mut out = io::BufWriter::new(io::stdout().lock());
        let Some(path) = self.fmu.as_ref().filter(|_| !self.rules) else {
            return Ok(print_rules(&mut out, self.json)?);
        };
        let report = match self.report(path) {
            Ok(report) => report,
            Err(error) => {
                if self.json {
                    writeln!(out, "{:#}", json!({ "file": path, "error": error.to_string() }))?;
                }
                say!("error: {} could not be checked: {error}", path.display());
                return Err(Exit(2).into());
            }
        };
        if self.json {
            writeln!(out, "{:#}", as_json(path, &report))?;
        } else {
            let mut out = Printable::new(&mut out);
            print(&mut out, path, &report, if self.all { usize::MAX } else { 10 })?;
            out.flush()?;
        }
        out.flush()?;
        let counted = |severity: &Severity| self.strict || *severity == Severity::Error;
        let mut counts = Severity::ALL.into_iter().filter(counted);
        match counts.all(|severity| report.count(severity) == 0) {
            true if report.unfinished => Err(Exit(2).into()),
            true => Ok(()),
            false => Err(Exit(1).into()),
        }
    }

    fn report(&self, path: &Path) -> Result<Report, Box<dyn Error>> {
        for (option, seconds) in [("--timeout", self.timeout), ("--time-limit", self.time_limit)] {
            if !(seconds > 0.0 && seconds.is_finite()) {
                return Err(format!("{option} must be a positive number of seconds, not {seconds}").into());
            }
        }
        if self.run && self.max_memory.0 < 64 << 20 {
            return Err(
                "--max-memory must be at least 64M: a process without an FMU needs several MiB".into(),
            );
        }
        let limits = self.limits.limits();
        let mut report = check(path, &limits).map_err(with_option)?;
        if self.run {
            let mut options = RunOptions::new(vec![std::env::current_exe()?.into(), PROBE.into()]);
            options.timeout = Duration::try_from_secs_f64(self.timeout)?;
            options.budget = Duration::try_from_secs_f64(self.time_limit)?;
            options.memory = self.max_memory.0;
            options.ends_orphans = true;
            if let Err(error) = run::run(path, &limits, &options, &mut report) {
                // With errors at hand the reason is among them; without, nothing is known about the behaviour.
                if report.count(Severity::Error) == 0 {
                    return Err(error.into());
                }
                report.skipped.push(format!("behaviour, because {error}"));
            }
        }
        Ok(report)
    }
}

fn print(out: &mut impl Write, path: &Path, report: &Report, most: usize) -> io::Result<()> {
    let by_severity = |severity| rules().iter().filter(move |rule| rule.severity == severity);
    for rule in Severity::ALL.into_iter().flat_map(by_severity) {
        let findings: Vec<_> = report
            .findings
            .iter()
            .filter(|finding| finding.rule.id == rule.id)
            .collect();
        if findings.is_empty() {
            continue;
        }
        writeln!(
            out,
            "{} {}: {}{}",
            rule.severity,
            rule.id,
            rule.what,
            section(rule)
        )?;
        for finding in findings.iter().take(most) {
            match finding.place.to_string().as_str() {
                "" => writeln!(out, "  {}", finding.problem)?,
                place => writeln!(out, "  {place}: {}", finding.problem)?,
            }
        }
        let left_out = report
            .more
            .iter()
            .find(|(other, _)| other.id == rule.id)
            .map_or(0, |(_, count)| *count);
        let more = findings.len().saturating_sub(most) + left_out;
        if more > 0 {
            writeln!(out, "  and {more} more")?;
        }
        writeln!(out, "  harm: {}", rule.harm)?;
        writeln!(out, "  -> {}\n", rule.advice)?;
    }
    for skipped in &report.skipped {
        writeln!(out, "not checked: {skipped}")?;
    }
    let count = |severity, word: &str| match report.count(severity) {
        0 => format!("no {word}s"),
        1 => format!("1 {word}"),
        more => format!("{more} {word}s"),
    };
    let counts = Severity::ALL.map(|severity| count(severity, &severity.to_string()));
    writeln!(out, "{}: {}", path.display(), counts.join(", "))
}

fn section(rule: &Rule) -> String {
    match rule.section {
        "" => String::new(),
        section => format!(" (FMI 2.0.5, {section})"),
    }
}

fn as_json(path: &Path, report: &Report) -> Value {
    let findings: Vec<_> = report
        .findings
        .iter()
        .map(|finding| {
            json!({
                "rule": finding.rule.id,
                "severity": finding.rule.severity.to_string(),
                "section": finding.rule.section,
                "what": finding.rule.what,
                "file": finding.place.file,
                "line": finding.place.line,
                "item": finding.place.item,
                "problem": finding.problem,
                "harm": finding.rule.harm,
                "advice": finding.rule.advice,
            })
        })
        .collect();
    let more: serde_json::Map<String, Value> = report
        .more
        .iter()
        .map(|(rule, count)| (rule.id.into(), json!(count)))
        .collect();
    json!({
        "file": path,
        "errors": report.count(Severity::Error),
        "warnings": report.count(Severity::Warning),
        "notes": report.count(Severity::Note),
        "findings": findings,
        "more": more,
        "skipped": report.skipped,
        "unfinished": report.unfinished,
    })
}

fn print_rules(out: &mut impl Write, as_json: bool) -> io::Result<()> {
    if as_json {
        let rules: Vec<_> = rules()
            .iter()
            .map(|rule| {
                json!({
                    "rule": rule.id,
                    "severity": rule.severity.to_string(),
                    "section": rule.section,
                    "what": rule.what,
                    "harm": rule.harm,
                    "advice": rule.advice,
                    "run": rule.needs_a_run(),
                })
            })
            .collect();
        return writeln!(out, "{:#}", json!(rules));
    }
    for rule in rules() {
        let run = if rule.needs_a_run() { " [--run]" } else { "" };
        writeln!(
            out,
            "{:4} {:7} {}{}{run}\n             harm: {}",
            rule.id,
            rule.severity,
            rule.what,
            section(rule),
            rule.harm
        )?;
    }
    Ok(())
}
