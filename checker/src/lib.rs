//! Checks any FMU against the standard. Each finding names the rule, the place and the problem.
//!
//! The rules are a table ([`rules`]). [`check`] applies the rules about files and the model description, without running
//! the FMU. [`run`] applies the rules about behaviour. It runs the FMU in child processes, so that an FMU that crashes,
//! hangs or exits becomes a finding in the report.
//!
//! ```no_run
//! use fmu_checker::Severity;
//! use fmu_checker::run::{RunOptions, run};
//!
//! # fn main() -> Result<(), fmu_importer::Error> {
//! let (fmu, limits) = ("BouncingBall.fmu".as_ref(), Default::default());
//! let mut report = fmu_checker::check(fmu, &limits)?;
//! // The program `prober` calls `fmu_checker::run::child` with its arguments.
//! run(fmu, &limits, &RunOptions::new(vec!["prober".into()]), &mut report)?;
//! for finding in &report.findings {
//!     println!("{} {}: {}", finding.rule.id, finding.place, finding.problem);
//! }
//! println!("{} errors", report.count(Severity::Error));
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! `simulate` (default): the rule that compares the results of both interfaces, which needs a solver.

mod aliases;
mod archive;
mod binary;
mod capabilities;
mod described;
mod package;
mod root;
mod rules;
pub mod run;
mod schema;
mod structure;
mod subject;
mod types;
mod units;
mod variables;

use std::collections::HashSet;
use std::fmt;
use std::path::Path;

use fmu_importer::Error;
use fmu_importer::archive::Limits;

/// Errors and limits: the crate whose types appear in signatures here.
pub use fmu_importer as importer;
pub use rules::{Rule, rule, rules};

use rules::Check;
use subject::{Readable, Subject};

/// How serious a finding is for a person who received the FMU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The FMU deviates from the standard, but no importer is known to have a problem with it.
    Note,
    /// A problem for some importers or uses: a strict validation, another machine, a wrong call.
    Warning,
    /// An importer fails or calculates wrongly.
    Error,
}

impl Severity {
    /// From the most to the least serious.
    pub const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Note];
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// Where something was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The file inside the FMU; empty for the FMU as a whole.
    pub file: String,
    /// The line in it, from 1.
    pub line: Option<usize>,
    /// The item at that place: a variable, an entry, a call.
    pub item: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if !self.file.is_empty() && !self.item.is_empty() {
            f.write_str(", ")?;
        }
        f.write_str(&self.item)
    }
}

/// A problem that was found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// The rule that it breaks.
    pub rule: &'static Rule,
    /// Where it was found.
    pub place: Place,
    /// What is wrong there.
    pub problem: String,
}

/// The result of a check.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The problems, in the order of the rules.
    pub findings: Vec<Finding>,
    /// The number of problems, by rule, that are not in `findings` because their rule already has [`Report::LIMIT`].
    pub more: Vec<(&'static Rule, usize)>,
    /// What could not be checked, and why.
    pub skipped: Vec<String>,
    /// Whether an ordinary run of the FMU did not finish within the limits.
    pub unfinished: bool,
}

impl Report {
    /// The largest number of findings per rule.
    pub const LIMIT: usize = 1000;

    /// How many findings have a severity, including those that are not in `findings`.
    pub fn count(&self, severity: Severity) -> usize {
        let found = self
            .findings
            .iter()
            .filter(|finding| finding.rule.severity == severity)
            .count();
        let more = self.more.iter().filter(|(rule, _)| rule.severity == severity);
        found + more.map(|(_, count)| count).sum::<usize>()
    }

    /// Whether a rule has a finding.
    pub fn breaks(&self, id: &str) -> bool {
        self.findings.iter().any(|finding| finding.rule.id == id)
    }
}

/// Collects the findings of one rule.
pub(crate) struct Places<'r> {
    rule: &'static Rule,
    report: &'r mut Report,
    count: usize,
    /// Lines about which nothing more is reported.
    silent: &'r HashSet<usize>,
}

impl<'r> Places<'r> {
    fn new(rule: &'static Rule, report: &'r mut Report, silent: &'r HashSet<usize>) -> Self {
        Self {
            rule,
            report,
            count: 0,
            silent,
        }
    }

    pub fn add(&mut self, place: Place, problem: impl Into<String>) {
        if place.line.is_some_and(|line| self.silent.contains(&line)) {
            return;
        }
        self.count += 1;
        if self.count <= Report::LIMIT {
            self.report.findings.push(Finding {
                rule: self.rule,
                place,
                problem: problem.into(),
            });
        }
    }

    fn finish(self) {
        if let Some(more) = self.count.checked_sub(Report::LIMIT).filter(|more| *more > 0) {
            self.report.more.push((self.rule, more));
        }
    }
}

/// Checks the files and the description of an FMU, without running it.
///
/// # Errors
/// The FMU cannot be checked: the file cannot be read, exceeds the limits, or follows another version of the standard.
///
/// ```no_run
/// let report = fmu_checker::check("BouncingBall.fmu".as_ref(), &Default::default())?;
/// for finding in &report.findings {
///     println!("{} {}: {}", finding.rule.id, finding.place, finding.problem);
/// }
/// # Ok::<(), fmu_importer::Error>(())
/// ```
pub fn check(path: &Path, limits: &Limits) -> Result<Report, Error> {
    let subject = Subject::open(path, limits)?;
    Ok(report(&subject, |_| true))
}

/// Checks the text of a `modelDescription.xml` alone.
///
/// ```
/// let xml = r#"<?xml version="1.0" encoding="UTF-8"?>
/// <fmiModelDescription fmiVersion="2.0" modelName="Decay" guid="{1}">
///   <ModelExchange modelIdentifier="Decay" canNotUseMemoryManagementFunctions="true"/>
///   <ModelVariables>
///     <ScalarVariable name="k" valueReference="0" causality="parameter" variability="fixed"><Real/></ScalarVariable>
///   </ModelVariables>
///   <ModelStructure/>
/// </fmiModelDescription>"#;
/// let report = fmu_checker::check_description(xml.as_bytes())?;
/// assert_eq!(report.findings[0].rule.id, "V7");
/// assert_eq!(report.findings[0].place.line, Some(5));
/// # Ok::<(), fmu_importer::Error>(())
/// ```
pub fn check_description(xml: &[u8]) -> Result<Report, Error> {
    let subject = Subject::of_description(xml)?;
    Ok(report(&subject, |rule| {
        matches!(rule.check, Check::Schema | Check::Description(_))
    }))
}

fn report(subject: &Subject, wanted: fn(&Rule) -> bool) -> Report {
    let mut report = Report::default();
    if let Some(reason) = subject.unreadable() {
        report.skipped.push(reason);
    }
    let (nowhere, suspects) = (HashSet::new(), subject.suspects());
    for rule in rules().iter().filter(|rule| wanted(rule)) {
        let mut places = Places::new(rule, &mut report, &nowhere);
        // The schema covers some rules, wholly or in part.
        for found in subject
            .schema
            .problems
            .iter()
            .filter(|found| found.rule == rule.id)
        {
            places.add(found.place(), found.problem.as_str());
        }
        places.silent = &suspects;
        match (rule.check, &subject.description) {
            (Check::Files(check), _) => check(subject, &mut places),
            (Check::Description(check), Readable::Read(described)) => check(described, &mut places),
            (Check::Description(_) | Check::Schema | Check::Behaviour, _) => {}
        }
        places.finish();
    }
    report
}
