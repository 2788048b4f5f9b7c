//! A coupled system as a person describes it: FMUs, values, connections, and how to simulate them.
//!
//! A description comes from a TOML file, from an SSP file of another tool, or from a program ([`System::component`] and so
//! on); all three become a [`System`], which names things. [`System::assemble`] opens the FMUs, turns names into numbers
//! and checks them on the way.

mod assemble;
mod builder;
mod error;
mod file;
mod mapping;
mod ssp;
mod units;

#[cfg(feature = "aggregate")]
pub use assemble::aggregate::AssembledAggregate;
pub use assemble::{AssembleOptions, Assembled, Listener, RunError};
pub use error::{Place, SystemError};
pub use mapping::ValueMap;
pub use ssp::Unpacked;
pub use units::NamedUnit;

use std::path::{Path, PathBuf};

use crate::settings::{Advance, Algorithm, Interface, Settings, Solver};

/// A coupled system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct System {
    /// What it is called.
    pub name: String,
    /// The FMUs, in the order in which they are written.
    pub components: Vec<Component>,
    /// Parameters and start values by `component.variable`, beside those of the components and after them.
    pub values: Vec<Assignment>,
    /// Connections from outputs to inputs.
    pub connections: Vec<Connection>,
    /// Inputs that are fed by sums of outputs.
    pub sums: Vec<Sum>,
    /// What is given from outside.
    pub inputs: Vec<External>,
    /// The tables that they were read from.
    pub tables: Vec<PathBuf>,
    /// Other names of inputs and parameters, for values and inputs from outside.
    pub aliases: Vec<Alias>,
    /// Loops with an algorithm of their own.
    pub loops: Vec<LoopAlgorithm>,
    /// Whether the description asks for components that step or for one solver over all of them. Programs choose by
    /// calling [`System::assemble`] or [`System::aggregate`].
    pub advance: Advance,
    /// How to simulate.
    pub settings: Settings,
    /// Patterns of the variables to record; all outputs if empty.
    pub record: Vec<Pattern>,
    /// Names of outputs of the whole system, for recording; each is an output of a component.
    pub outputs: Vec<Alias>,
    /// The master whose step the file contains; `None` if the step is ours or the user's.
    pub step_from: Option<String>,
    /// Other descriptions in the same archive.
    pub variants: Vec<String>,
    /// The folder that the FMUs of an SSP file are in, as long as they are needed.
    pub unpacked: Option<Unpacked>,
}

/// An FMU in a system.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// Its name in the system.
    pub name: String,
    /// The FMU.
    pub fmu: PathBuf,
    /// The interface through which it steps; none: that of the settings or, if it has only one, that one.
    pub interface: Option<Interface>,
    /// The integrator around it, where it steps through Model Exchange.
    pub solver: Option<Solver>,
    /// Whether it runs in a process of its own, which [`AssembleOptions::host`] starts.
    pub isolated: bool,
    /// Parameters and start values; of two for one variable the later one counts.
    pub values: Vec<Assignment>,
    /// Where it is written.
    pub place: Place,
}

/// A parameter or start value: `gain * value + offset`, on top of a conversion of units.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// The variable: of its component, or `component.variable` where it stands for itself.
    pub variable: String,
    /// The value, as text.
    pub value: String,
    /// The unit of the value; none: that of the variable.
    pub unit: Option<NamedUnit>,
    /// Factor, for Real variables.
    pub gain: f64,
    /// Added to it, for Real variables.
    pub offset: f64,
    /// Whether it is left out where the FMU has no such variable: sets of parameters may be for many components.
    pub optional: bool,
    /// Where it is written.
    pub place: Place,
}

impl Assignment {
    /// A value as it is.
    pub fn new(variable: &str, value: impl Into<String>, place: Place) -> Assignment {
        Assignment {
            variable: variable.to_owned(),
            value: value.into(),
            unit: None,
            gain: 1.0,
            offset: 0.0,
            optional: false,
            place,
        }
    }
}

/// An output that feeds an input: `to = gain * from + offset`, on top of a conversion of units.
#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    /// `component.variable` of the output; a `*` stands for any text, and for the same text in `to`.
    pub from: String,
    /// `component.variable` of the input.
    pub to: String,
    /// Factor.
    pub gain: f64,
    /// Added to it.
    pub offset: f64,
    /// Whether units are converted; if not, numbers are taken as they are.
    pub convert: bool,
    /// What becomes of each value, for variables that are not Real.
    pub map: Option<ValueMap>,
    /// Where it is written.
    pub place: Place,
}

/// Outputs that feed an input together: the sum of `gain * from`, and an offset.
#[derive(Clone, Debug, PartialEq)]
pub struct Sum {
    /// `component.variable` of the outputs, each with its factor.
    pub terms: Vec<(String, f64)>,
    /// `component.variable` of the input.
    pub to: String,
    /// Added to the sum.
    pub offset: f64,
    /// Whether units are converted; if not, numbers are taken as they are.
    pub convert: bool,
    /// Where it is written.
    pub place: Place,
}

/// A value from outside for an input.
#[derive(Clone, Debug, PartialEq)]
pub struct External {
    /// `component.variable` of the input.
    pub to: String,
    /// Time and value; linear between them, constant before and after.
    pub points: Vec<(f64, f64)>,
    /// The unit of the values; none: that of the input.
    pub unit: Option<NamedUnit>,
    /// Where it is written.
    pub place: Place,
}

/// Another name of a variable: what is given by it becomes `gain * value + offset`. One name may stand for many variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Alias {
    /// The other name.
    pub name: String,
    /// `component.variable`.
    pub variable: String,
    /// Factor.
    pub gain: f64,
    /// Added to it.
    pub offset: f64,
    /// The unit of what is given or recorded by this name; none: that of the variable.
    pub unit: Option<NamedUnit>,
}

/// The algorithm for the steps of some components that need each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopAlgorithm {
    /// The names of the components.
    pub components: Vec<String>,
    /// Their algorithm.
    pub algorithm: Algorithm,
    /// Where it is written.
    pub place: Place,
}

/// A pattern of names, `component.variable` with `*` and `?`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// The pattern.
    pub text: String,
    /// Where it is written.
    pub place: Place,
}

impl System {
    /// Reads a system: an SSP archive (`.ssp`), a system structure description (`.ssd`), or else a system file in TOML. Paths
    /// in it are relative to its folder.
    ///
    /// ```no_run
    /// let system = fmu_master::System::open("quarter-car.toml")?;
    /// println!("{} FMUs", system.components.len());
    /// # Ok::<(), fmu_master::SystemError>(())
    /// ```
    pub fn open(path: impl AsRef<Path>) -> Result<System, SystemError> {
        System::open_with(path, &fmu_importer::archive::Limits::default())
    }

    /// The same, with other limits than the usual ones for what an archive may ask of this machine.
    pub fn open_with(
        path: impl AsRef<Path>,
        limits: &fmu_importer::archive::Limits,
    ) -> Result<System, SystemError> {
        System::open_variant(path, limits, None)
    }

    /// The same, of an archive with several descriptions: the one of this name, or the usual one.
    pub fn open_variant(
        path: impl AsRef<Path>,
        limits: &fmu_importer::archive::Limits,
        variant: Option<&str>,
    ) -> Result<System, SystemError> {
        let path = path.as_ref();
        let is = |extension: &str| {
            path.extension()
                .is_some_and(|other| other.eq_ignore_ascii_case(extension))
        };
        let mut system = match () {
            () if is("ssp") => ssp::open_archive(path, limits, variant)?,
            () if variant.is_some() => {
                let place = Place {
                    file: Some(path.to_owned()),
                    line: 0,
                };
                return Err(SystemError::wrong(
                    &place,
                    "only SSP archives (.ssp) have variants",
                ));
            }
            () if is("ssd") => ssp::open_description(path, limits)?,
            () => file::read(&read_text(path, NO_SYSTEM)?, path)?,
        };
        if system.name.is_empty() {
            system.name = path
                .file_stem()
                .map(|stem| stem.to_string_lossy().into_owned())
                .unwrap_or_default();
        }
        Ok(system)
    }

    /// What a person should know of the settings that the file brings along.
    pub fn notes(&self) -> Vec<String> {
        let step = self.settings.step;
        let by = |master: &String| format!("the step is {step}, as the file says for {master}");
        let mut notes: Vec<String> = self.step_from.iter().map(by).collect();
        if !self.variants.is_empty() {
            let others = self.variants.join(", ");
            notes.push(format!("the archive has other variants: {others} (--variant)"));
        }
        notes
    }

    /// Adds external inputs from a table of comma-separated values, whose columns are called `component.variable`.
    pub fn read_inputs(&mut self, path: impl AsRef<Path>) -> Result<(), SystemError> {
        self.inputs.extend(file::read_table(path.as_ref())?);
        self.tables.push(path.as_ref().into());
        Ok(())
    }

    /// Opens and instantiates the FMUs, checks every name, type and unit, and couples them.
    pub fn assemble(&self) -> Result<Assembled, SystemError> {
        self.assemble_with(&AssembleOptions::default())
    }

    /// The same, with options.
    pub fn assemble_with(&self, options: &AssembleOptions) -> Result<Assembled, SystemError> {
        assemble::assemble(self, options)
    }

    /// Opens and instantiates the FMUs for Model Exchange, and puts them under one solver: what a system file with
    /// `algorithm = "aggregate"` asks for.
    #[cfg(feature = "aggregate")]
    pub fn aggregate(&self) -> Result<AssembledAggregate, SystemError> {
        self.aggregate_with(&AssembleOptions::default())
    }

    /// The same, with options.
    #[cfg(feature = "aggregate")]
    pub fn aggregate_with(&self, options: &AssembleOptions) -> Result<AssembledAggregate, SystemError> {
        assemble::aggregate::assemble(self, options)
    }
}

/// The end of a sentence about a file that is not a text.
const NO_SYSTEM: &str = "not a system: a system is a TOML file, or an SSP file (.ssp, .ssd)";

/// Reads a file of text; `no_text` says what it is if it has anything else in it.
fn read_text(path: &Path, no_text: &str) -> Result<String, SystemError> {
    fmu_importer::read_text(path).map_err(|source| match source.kind() {
        std::io::ErrorKind::InvalidData => {
            let place = Place {
                file: Some(path.to_owned()),
                line: 0,
            };
            SystemError::wrong(&place, format!("this is not text, and {no_text}"))
        }
        _ => SystemError::Read {
            path: path.to_owned(),
            source,
        },
    })
}
