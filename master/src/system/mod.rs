//! A coupled system as a person describes it: FMUs, values, connections, and how to simulate them.

mod assemble;
mod file;

pub use assemble::Assembled;

use std::fmt;
use std::path::{Path, PathBuf};

use importer::Value;

use crate::settings::Settings;

/// A coupled system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct System {
    /// The FMUs, in the order in which they are written.
    pub components: Vec<Component>,
    /// Who feeds whom.
    pub connections: Vec<Connection>,
    /// What is given from outside.
    pub inputs: Vec<External>,
    /// How to simulate.
    pub settings: Settings,
    /// Patterns of the variables to record; none: all coupled outputs.
    pub record: Vec<String>,
}

/// An FMU in a system.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// Its name in the system, without dots.
    pub name: String,
    /// The FMU.
    pub fmu: PathBuf,
    /// Parameters and start values, as text.
    pub values: Vec<(String, String)>,
    /// Where it is written.
    pub place: Place,
}

/// An output that feeds an input: `to = gain * from + offset`, on top of a conversion of units.
#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    /// `component.variable` of the output.
    pub from: String,
    /// `component.variable` of the input.
    pub to: String,
    /// Factor.
    pub gain: f64,
    /// Added to it.
    pub offset: f64,
    /// Where it is written.
    pub place: Place,
}

/// A value from outside for an input.
#[derive(Clone, Debug, PartialEq)]
pub struct External {
    /// `component.variable` of the input.
    pub to: String,
    /// Time and value; linear between them.
    pub points: Vec<(f64, f64)>,
    /// Where it is written.
    pub place: Place,
}

/// Where something is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file, if it is from one.
    pub file: Option<PathBuf>,
    /// The line, from 1; 0 if it is not known.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (None, _) => f.write_str("the system"),
            (Some(file), 0) => write!(f, "{}", file.display()),
            (Some(file), line) => write!(f, "{}, line {line}", file.display()),
        }
    }
}

/// Why a system cannot be read or put together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SystemError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// Something in it is wrong.
    #[error("{place}: {problem}")]
    Wrong {
        /// Where.
        place: Place,
        /// What, and what to do.
        problem: String,
    },
    /// An FMU cannot be opened or instantiated.
    #[error("{place}, component {component}: {source}")]
    Fmu {
        /// Where it is named.
        place: Place,
        /// The component.
        component: String,
        /// Why.
        source: Box<importer::Error>,
    },
    /// The master refuses it.
    #[error(transparent)]
    Master(#[from] crate::Error),
}

impl SystemError {
    fn wrong(place: &Place, problem: impl Into<String>) -> SystemError {
        SystemError::Wrong {
            place: place.clone(),
            problem: problem.into(),
        }
    }
}

impl System {
    /// Reads a system file; paths in it are relative to its folder.
    pub fn open(path: impl AsRef<Path>) -> Result<System, SystemError> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path).map_err(|source| SystemError::Read {
            path: path.to_owned(),
            source,
        })?;
        file::read(&text, path)
    }

    /// Adds an FMU.
    #[must_use]
    pub fn component(mut self, name: &str, fmu: impl Into<PathBuf>) -> System {
        self.components.push(Component {
            name: name.to_owned(),
            fmu: fmu.into(),
            values: Vec::new(),
            place: Place::default(),
        });
        self
    }

    /// Sets a parameter or start value, `component.variable`, of a component that was added before.
    ///
    /// # Panics
    /// Where there is no such component.
    #[must_use]
    pub fn set(mut self, variable: &str, value: impl Into<Value>) -> System {
        let (component, name) = variable.split_once('.').unwrap_or((variable, ""));
        let found = self.components.iter_mut().find(|other| other.name == component);
        #[allow(clippy::expect_used)]
        let component = found.expect("a component of this system");
        component.values.push((name.to_owned(), text(&value.into())));
        self
    }

    /// Connects an output to an input.
    #[must_use]
    pub fn connect(self, from: &str, to: &str) -> System {
        self.connect_with(from, to, 1.0, 0.0)
    }

    /// Connects an output to an input: `to = gain * from + offset`.
    #[must_use]
    pub fn connect_with(mut self, from: &str, to: &str, gain: f64, offset: f64) -> System {
        self.connections.push(Connection {
            from: from.to_owned(),
            to: to.to_owned(),
            gain,
            offset,
            place: Place::default(),
        });
        self
    }

    /// Says how to simulate.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> System {
        self.settings = settings;
        self
    }

    /// Opens and instantiates the FMUs, checks every name, type and unit, and couples them.
    pub fn assemble(&self) -> Result<Assembled, SystemError> {
        assemble::assemble(self)
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Real(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Boolean(value) => value.to_string(),
        Value::String(value) => value.clone(),
    }
}
