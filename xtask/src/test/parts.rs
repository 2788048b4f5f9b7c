//! The parts of the tests, with their usual times.

use std::fmt;

/// A part of the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// `cargo test --workspace`.
    Rust,
    /// FMPy on our FMUs.
    Fmpy,
    /// Our FMUs of FMI 3.0.
    Fmi3,
    /// `fmu check`.
    Check,
    /// `fmu simulate` against FMPy.
    Simulate,
    /// Commands that people read.
    Documents,
    /// The papers, shortly.
    Papers,
    /// The C driver.
    CInterface,
    /// The C driver on planted faults.
    PlantedFaults,
    /// Random sequences of calls.
    RandomCalls,
    /// The C header.
    Header,
}

/// What is known about a part.
struct About {
    part: Part,
    name: &'static str,
    /// Its name in earlier versions.
    old_name: &'static str,
    what: &'static str,
    /// Usual seconds on two cores if everything is compiled and packaged.
    seconds: u32,
}

const PARTS: [About; 11] = [
    about(Part::Rust, "rust", "Rust", "cargo test --workspace", 150),
    about(
        Part::Fmpy,
        "fmpy",
        "FMPy",
        "FMPy validates and simulates our FMUs",
        20,
    ),
    about(
        Part::Fmi3,
        "fmi3",
        "FMI 3.0",
        "FMPy and a C driver on our FMUs of FMI 3.0",
        30,
    ),
    about(
        Part::Check,
        "check",
        "fmu check",
        "fmu check on our FMUs and on those of other exporters",
        10,
    ),
    about(
        Part::Simulate,
        "simulate",
        "fmu simulate",
        "fmu simulate against FMPy",
        5,
    ),
    about(
        Part::Documents,
        "documents",
        "printed commands",
        "commands printed in the documentation of FMUs and new models",
        20,
    ),
    about(
        Part::Papers,
        "papers",
        "papers",
        "the papers as coupled FMUs, short version",
        50,
    ),
    about(
        Part::CInterface,
        "c-interface",
        "C interface",
        "a C driver calls all functions of our FMUs",
        10,
    ),
    about(
        Part::PlantedFaults,
        "planted-faults",
        "planted faults",
        "the C driver finds planted faults",
        5,
    ),
    about(
        Part::RandomCalls,
        "random-calls",
        "random calls",
        "all functions in random sequences",
        5,
    ),
    about(
        Part::Header,
        "header",
        "C header",
        "our C functions against the headers of the standard",
        1,
    ),
];

const fn about(
    part: Part,
    name: &'static str,
    old_name: &'static str,
    what: &'static str,
    seconds: u32,
) -> About {
    About {
        part,
        name,
        old_name,
        what,
        seconds,
    }
}

impl Part {
    /// All parts, in the order in which they run.
    pub fn all() -> impl Iterator<Item = Part> {
        PARTS.iter().map(|about| about.part)
    }

    /// The part with this name, new or old.
    pub fn named(name: &str) -> Option<Part> {
        let found = PARTS
            .iter()
            .find(|about| about.name == name || about.old_name == name);
        found.map(|about| about.part)
    }

    /// Whether the part needs our FMUs.
    pub fn needs_fmus(self) -> bool {
        !matches!(self, Part::Rust | Part::Papers | Part::Header)
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let about = PARTS.iter().find(|about| about.part == *self);
        f.write_str(about.map_or("", |about| about.name))
    }
}

/// The table of parts, for the help.
pub fn help() -> String {
    let rows: String = PARTS
        .iter()
        .map(|about| format!("  {:<15} {:>5} s  {}\n", about.name, about.seconds, about.what))
        .collect();
    format!(
        "Parts, with their usual times on two idle cores when everything is compiled and packaged:\n{rows}\n\
         Everything from nothing takes 15 to 20 minutes on two idle cores, most of it for compiling. After a change in one \
         example it takes about a minute: checks whose inputs have not changed since they passed are not repeated."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_found_by_both_names() {
        for about in &PARTS {
            assert_eq!(Part::named(about.name), Some(about.part));
            assert_eq!(Part::named(about.old_name), Some(about.part));
            assert_eq!(about.part.to_string(), about.name);
        }
        assert_eq!(Part::named("bouncing-ball"), None);
    }
}
