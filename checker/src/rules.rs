//! The table of rules.

use std::sync::LazyLock;

use super::described::Described;
use super::subject::Subject;
use super::{Places, Severity};

/// A rule of the standard, or one that importers rely on.
#[derive(Debug)]
#[non_exhaustive]
pub struct Rule {
    /// Its name in reports.
    pub id: &'static str,
    /// How serious a finding is.
    pub severity: Severity,
    /// The section of FMI 2.0.5 that it comes from; empty if the standard does not contain it.
    pub section: &'static str,
    /// What it asks for.
    pub what: &'static str,
    /// The harm that it prevents, in one clause.
    pub harm: &'static str,
    /// What to do about a finding.
    pub advice: &'static str,
    pub(super) check: Check,
}

impl Rule {
    /// Whether the FMU must run to find out.
    pub fn needs_a_run(&self) -> bool {
        matches!(self.check, Check::Behaviour)
    }
}

/// How a rule is checked.
#[derive(Clone, Copy)]
pub(super) enum Check {
    /// On the files.
    Files(fn(&Subject, &mut Places)),
    /// With the schema alone.
    Schema,
    /// On the description, if it can be read.
    Description(fn(&Described, &mut Places)),
    /// On the running FMU, in a child process.
    Behaviour,
}

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Files(_) => "Files",
            Self::Schema => "Schema",
            Self::Description(_) => "Description",
            Self::Behaviour => "Behaviour",
        })
    }
}

/// Makes rows of the table; a row is `id severity section "what" "harm" "advice" => check`.
macro_rules! table {
    ($($id:literal $severity:ident $section:literal $what:literal $harm:literal $advice:literal => $check:expr;)+) => {
        &[$($crate::rules::Rule {
            id: $id,
            severity: $crate::Severity::$severity,
            section: $section,
            what: $what,
            harm: $harm,
            advice: $advice,
            check: $check,
        }),+]
    };
}
pub(super) use table;

/// All rules, in the order of reports.
pub fn rules() -> &'static [&'static Rule] {
    static ALL: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
        let groups: [&'static [Rule]; 11] = [
            super::archive::RULES,
            super::package::RULES,
            super::binary::RULES,
            super::root::RULES,
            super::units::RULES,
            super::types::RULES,
            super::variables::RULES,
            super::aliases::RULES,
            super::structure::RULES,
            super::capabilities::RULES,
            super::run::RULES,
        ];
        groups.into_iter().flatten().collect()
    });
    &ALL
}

/// The rule with a name.
pub fn rule(id: &str) -> Option<&'static Rule> {
    rules().iter().find(|rule| rule.id == id).copied()
}
