//! What can go wrong between a file and a simulation, as sentences.

use std::io;
use std::path::{Path, PathBuf};

use crate::archive::ArchiveError;
use crate::log::Message;
use crate::{BaseType, State, Status};

/// Why an FMU cannot be opened, loaded or called.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// The archive is refused.
    #[error("{}: {source}", path.display())]
    Archive {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Box<ArchiveError>,
    },
    /// There is no temporary folder to unpack to.
    #[error("cannot make a temporary folder: {0}")]
    Temporary(#[source] io::Error),
    /// It has no description.
    #[error("{} has no modelDescription.xml in its root: it is not an FMU", path.display())]
    NoDescription {
        /// The file.
        path: PathBuf,
    },
    /// The description cannot be read.
    #[error("{}, modelDescription.xml: {source}", path.display())]
    Description {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: Box<fmu_standard::xml::ReadError>,
    },
    /// Another version of the standard.
    #[error(
        "{} is an FMU of FMI {version}; FMI 2.0 is supported (Model Exchange and Co-Simulation): \
         export the model as FMI 2.0", path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// `fmiVersion` as written.
        version: String,
    },
    /// An entry of `Derivatives` in the structure is not a derivative.
    #[error(
        "{}: the index {index} in the Derivatives of ModelStructure is not a derivative of a variable", path.display()
    )]
    Structure {
        /// The file.
        path: PathBuf,
        /// The index as written.
        index: u32,
    },
    /// It does not offer the interface that was asked for.
    #[error("{fmu} has no {interface} interface{}", also(*.other))]
    NoInterface {
        /// The model.
        fmu: String,
        /// The interface asked for.
        interface: &'static str,
        /// The interface that it has.
        other: Option<&'static str>,
    },
    /// It has no library for this machine.
    #[error(
        "{fmu} has no library for this machine: {} expected, {}", .expected.join(" or "), has(.found)
    )]
    NoLibrary {
        /// The model.
        fmu: String,
        /// Where the library would be.
        expected: Vec<String>,
        /// The platform folders that are there.
        found: Vec<String>,
    },
    /// The library cannot be loaded.
    #[error("cannot load {}: {reason}", library.display())]
    Load {
        /// The library.
        library: PathBuf,
        /// What the operating system says.
        reason: String,
    },
    /// The library lacks a function.
    #[error("{} lacks the function {function}", library.display())]
    MissingFunction {
        /// The library.
        library: PathBuf,
        /// The function.
        function: &'static str,
    },
    /// The description asks for more than any model has.
    #[error(
        "{fmu} claims {what} = {claimed}; more than {most} are not supported: its description is damaged"
    )]
    Claim {
        /// The model.
        fmu: String,
        /// The attribute.
        what: &'static str,
        /// Its value.
        claimed: u64,
        /// The most that is accepted.
        most: u64,
    },
    /// The FMU refused to make an instance.
    #[error("{fmu} made no instance{}", said(.messages))]
    Instantiate {
        /// The model.
        fmu: String,
        /// What it logged.
        messages: Vec<Message>,
    },
    /// The FMU allows one instance in a process, and there is one.
    #[error(
        "{fmu} can be instantiated only once in a process (canBeInstantiatedOnlyOncePerProcess), and there is an \
         instance"
    )]
    OnlyOnce {
        /// The model.
        fmu: String,
    },
    /// A call failed.
    #[error("{function} of instance {instance} returned {status}{}", said(.messages))]
    Call {
        /// The instance.
        instance: String,
        /// The function.
        function: &'static str,
        /// What it returned.
        status: Status,
        /// What the FMU logged meanwhile.
        messages: Vec<Message>,
    },
    /// A call returned a number that the standard does not define.
    #[error("{function} of instance {instance} returned the invalid status {status}{}", said(.messages))]
    InvalidStatus {
        /// The instance.
        instance: String,
        /// The function.
        function: &'static str,
        /// What it returned.
        status: i32,
        /// What the FMU logged meanwhile.
        messages: Vec<Message>,
    },
    /// The process that runs the instance has ended.
    #[error("`{instance}` in {function}{} {how}", at(*.time))]
    ProcessEnded {
        /// The instance.
        instance: String,
        /// The function that was running.
        function: &'static str,
        /// The time of the instance, if it was set.
        time: Option<f64>,
        /// How it ended, as the end of a sentence.
        how: String,
    },
    /// There is no process for an instance that needs one of its own.
    #[error("cannot start a process for {instance}: {reason}")]
    Isolate {
        /// The instance.
        instance: String,
        /// Why.
        reason: String,
    },
    /// The standard does not allow the call now.
    #[error("{function} is not allowed: instance {instance} is {state}")]
    NotAllowed {
        /// The instance.
        instance: String,
        /// The function.
        function: &'static str,
        /// The state of the instance.
        state: State,
    },
    /// The FMU does not declare the capability that the call needs.
    #[error("{fmu} does not offer {function}: {capability} is false")]
    NoCapability {
        /// The model.
        fmu: String,
        /// The function.
        function: &'static str,
        /// The attribute of the description.
        capability: &'static str,
    },
    /// There is no such variable.
    #[error("{fmu} has no variable `{name}`{}", meant(.similar))]
    UnknownVariable {
        /// The model.
        fmu: String,
        /// The name.
        name: String,
        /// A variable whose name is similar.
        similar: Option<String>,
    },
    /// There is no variable of this type with this value reference.
    #[error("{fmu} has no {base_type} variable with value reference {value_reference}")]
    UnknownValueReference {
        /// The model.
        fmu: String,
        /// The type.
        base_type: BaseType,
        /// The value reference.
        value_reference: u32,
    },
    /// The variable has another type.
    #[error("variable `{name}` is {found}, not {expected}")]
    WrongType {
        /// The variable.
        name: String,
        /// The type asked for.
        expected: BaseType,
        /// The type that it has.
        found: BaseType,
    },
    /// Two arrays do not fit.
    #[error("{function} needs {expected} values, {found} are given")]
    Length {
        /// The function.
        function: &'static str,
        /// How many are needed.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A text with a zero byte cannot be passed to C.
    #[error("a text with a zero byte cannot be passed to an FMU: {0:?}")]
    ZeroByte(String),
    /// A snapshot of another instance.
    #[error("the snapshot was taken of another instance than {instance}")]
    ForeignSnapshot {
        /// The instance.
        instance: String,
    },
    /// The FMU answered something that makes no sense.
    #[error("{function} of instance {instance} answered {answer}")]
    Nonsense {
        /// The instance.
        instance: String,
        /// The function.
        function: &'static str,
        /// The answer.
        answer: String,
    },
}

impl Error {
    #[doc(hidden)]
    pub fn archive(path: &Path, source: ArchiveError) -> Self {
        Self::Archive {
            path: path.into(),
            source: Box::new(source),
        }
    }

    /// Whether the FMU said `fmi2Discard`: other values or a smaller step may do.
    pub fn is_discard(&self) -> bool {
        matches!(
            self,
            Self::Call {
                status: Status::Discard,
                ..
            }
        )
    }
}

impl fmu_numerics::Failure for Error {
    fn is_recoverable(&self) -> bool {
        matches!(
            self,
            Error::Call {
                status: Status::Discard,
                ..
            }
        )
    }
}

fn also(other: Option<&str>) -> String {
    other.map_or(String::new(), |other| format!(", it is for {other}"))
}

fn has(found: &[String]) -> String {
    match found {
        [] => "there is none for any machine".into(),
        found => format!("it has {}", found.join(", ")),
    }
}

fn at(time: Option<f64>) -> String {
    time.map_or(String::new(), |time| {
        format!(" at time {}", fmu_results::table::number(time))
    })
}

pub(crate) fn said(messages: &[Message]) -> String {
    let mut text = String::new();
    for (position, message) in messages.iter().enumerate() {
        text += if position == 0 { ": " } else { "; " };
        text += message.text.trim_end();
    }
    text
}

fn meant(similar: &Option<String>) -> String {
    similar
        .as_ref()
        .map_or(String::new(), |name| format!("; did you mean `{name}`?"))
}
