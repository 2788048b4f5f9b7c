//! `fmu info`: what is in an FMU.

mod json;
mod text;

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use fmu_importer::{Fmu, Glob};
use fmu_standard::description::{Causality, ModelVariable};

use crate::check::LimitArguments;
use crate::output::{Printable, cannot_write};

/// Arguments of `info`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fmu info BouncingBall.fmu
  fmu info Plant.fmu --causality input --causality output --sort name
  fmu info Plant.fmu --filter 'motor.*' --json")]
pub struct InfoArguments {
    /// The FMU (FMI 2.0), a file or an unpacked folder.
    #[arg(value_name = "FMU")]
    pub fmu: PathBuf,
    /// Prints JSON.
    #[arg(long)]
    pub json: bool,
    /// Only variables whose names match, with `*` and `?` (may be repeated).
    #[arg(long, value_name = "GLOB")]
    pub filter: Vec<String>,
    /// Only variables of a causality, such as input or parameter (may be repeated).
    #[arg(long, value_name = "CAUSALITY", value_parser = causality)]
    pub causality: Vec<Causality>,
    /// Only Real, Integer, Boolean, String or Enumeration variables (may be repeated).
    #[arg(long = "type", value_name = "TYPE", ignore_case = true, hide_possible_values = true, value_parser = TYPES)]
    pub types: Vec<String>,
    /// The order of the variables: index, name, type or causality.
    #[arg(long, value_enum, value_name = "ORDER", hide_possible_values = true, default_value_t = Sort::Index)]
    pub sort: Sort,
    /// Shows every variable and dependency, not only 50 variables.
    #[arg(long)]
    pub all: bool,
    /// Limits for unpacking the archive.
    #[command(flatten, next_help_heading = "Limits for unpacking the archive")]
    pub limits: LimitArguments,
}

/// Orders of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    /// As in the description.
    Index,
    /// By name.
    Name,
    /// By type, then as in the description.
    Type,
    /// By causality, then as in the description.
    Causality,
}

fn causality(word: &str) -> Result<Causality, String> {
    Causality::from_word(word).ok_or_else(|| {
        let words: Vec<_> = Causality::ALL
            .iter()
            .map(|causality| causality.as_str())
            .collect();
        format!("expected one of {}", words.join(", "))
    })
}

/// Types of variables, by the names of the standard.
const TYPES: [&str; 5] = ["Real", "Integer", "Boolean", "String", "Enumeration"];

impl InfoArguments {
    pub(crate) fn run(self) -> Result<(), Box<dyn Error>> {
        let fmu = self.limits.open(&self.fmu)?;
        let variables = self.variables(&fmu);
        let mut out = io::BufWriter::new(io::stdout().lock());
        let written = match self.json {
            true => json::write(&mut out, &fmu, &variables),
            false => {
                let mut out = Printable::new(&mut out);
                text::write(&mut out, &fmu, &variables, self.all).and_then(|()| out.flush())
            }
        };
        written
            .and_then(|()| out.flush())
            .map_err(|error| cannot_write(None, error))
    }

    /// The requested variables with their positions, in the requested order.
    fn variables<'f>(&self, fmu: &'f Fmu) -> Vec<(usize, &'f ModelVariable)> {
        let globs: Vec<_> = self.filter.iter().map(|pattern| Glob::new(pattern)).collect();
        let wanted = |(_, variable): &(usize, &ModelVariable)| {
            (globs.is_empty() || globs.iter().any(|glob| glob.matches(&variable.name)))
                && (self.causality.is_empty() || self.causality.contains(&variable.causality))
                && (self.types.is_empty()
                    || self
                        .types
                        .iter()
                        .any(|name| name.eq_ignore_ascii_case(variable.kind.name())))
        };
        let mut variables: Vec<_> = fmu
            .description()
            .model_variables
            .iter()
            .enumerate()
            .filter(wanted)
            .collect();
        match self.sort {
            Sort::Index => {}
            Sort::Name => variables.sort_by(|a, b| a.1.name.cmp(&b.1.name)),
            Sort::Type => variables.sort_by_key(|(_, variable)| variable.kind.name()),
            Sort::Causality => variables.sort_by_key(|(_, variable)| {
                Causality::ALL
                    .iter()
                    .position(|causality| *causality == variable.causality)
            }),
        }
        variables
    }
}
