//! Why a text is not a model description that we can read, and where.

use std::fmt;

/// A problem and its place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// What is wrong there.
    pub problem: ReadProblem,
}

/// What can be wrong with a `modelDescription.xml`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadProblem {
    /// The bytes are not a text in an encoding that we read.
    Encoding(String),
    /// The text is not well-formed XML.
    Syntax(String),
    /// The root element is not `fmiModelDescription`.
    Root {
        /// The element found instead.
        found: String,
    },
    /// Not FMI 2.0, which the reader of 2.0 expects.
    Version {
        /// `fmiVersion` as written.
        found: String,
    },
    /// Not FMI 3.0, which the reader of 3.0 expects.
    OtherVersion {
        /// `fmiVersion` as written.
        found: String,
    },
    /// An element that must be there is not.
    MissingElement {
        /// The element that lacks it, and its name if it has one.
        parent: String,
        /// What is missing.
        expected: &'static str,
    },
    /// An element that may occur once occurs again.
    RepeatedElement {
        /// The element.
        element: String,
        /// The element around it, and its name if it has one.
        parent: String,
    },
    /// An attribute that must be there is not.
    MissingAttribute {
        /// The element that lacks it.
        element: String,
        /// The attribute.
        attribute: &'static str,
    },
    /// An attribute has a value that its type does not have.
    Value {
        /// The element.
        element: String,
        /// The attribute.
        attribute: String,
        /// The value as written.
        value: String,
        /// What was expected.
        expected: String,
    },
}

impl ReadError {
    /// The error at a byte of the text.
    pub(crate) fn at(text: &str, offset: usize, problem: ReadProblem) -> Self {
        let (line, column) = crate::lines::line_and_column(text, offset);
        Self {
            line,
            column,
            problem,
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.problem)
    }
}

impl fmt::Display for ReadProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Encoding(problem) => f.write_str(problem),
            Self::Syntax(problem) => write!(f, "not well-formed XML: {problem}"),
            Self::Root { found } => {
                write!(
                    f,
                    "not a model description: its root element is `{found}`, expected `fmiModelDescription`"
                )
            }
            Self::Version { found } => {
                write!(
                    f,
                    "a model description of FMI {found}: only FMI 2.0 is supported, export the model as FMI 2.0"
                )
            }
            Self::OtherVersion { found } => {
                write!(f, "a model description of FMI {found}, expected FMI 3.0")
            }
            Self::MissingElement { parent, expected } => write!(f, "`{parent}` lacks {expected}"),
            Self::RepeatedElement { element, parent } => {
                write!(f, "a further `{element}` in `{parent}`, expected one")
            }
            Self::MissingAttribute { element, attribute } => {
                write!(f, "`{element}` lacks its attribute `{attribute}`")
            }
            Self::Value {
                element,
                attribute,
                value,
                expected,
            } => {
                write!(
                    f,
                    "attribute `{attribute}` of `{element}` is \"{value}\", expected {expected}"
                )
            }
        }
    }
}

impl std::error::Error for ReadError {}
