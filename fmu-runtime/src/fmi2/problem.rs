//! Why a call did not give `fmi2OK`.

use crate::ModelError;
use fmi::fmi2::{fmi2Discard, fmi2Error, fmi2Status, fmi2Warning};

/// A status other than `fmi2OK`, and the sentence that explains it.
#[derive(Debug, PartialEq, Eq)]
pub struct Problem {
    /// What the function returns.
    pub status: fmi2Status,
    /// What the logger says, without the name of the function.
    pub sentence: String,
}

/// The result of a call; boxed, so that the good case fits into a register.
pub type Outcome<T = ()> = Result<T, Box<Problem>>;

impl Problem {
    /// The instance cannot go on.
    pub fn error(sentence: impl Into<String>) -> Box<Problem> {
        Problem::of(fmi2Error, sentence)
    }

    /// Nothing was done; other values may do.
    pub fn discard(sentence: impl Into<String>) -> Box<Problem> {
        Problem::of(fmi2Discard, sentence)
    }

    /// Done, but worth a word.
    pub fn warning(sentence: impl Into<String>) -> Box<Problem> {
        Problem::of(fmi2Warning, sentence)
    }

    #[cold]
    fn of(status: fmi2Status, sentence: impl Into<String>) -> Box<Problem> {
        Box::new(Problem {
            status,
            sentence: sentence.into(),
        })
    }
}

impl From<ModelError> for Box<Problem> {
    #[cold]
    fn from(error: ModelError) -> Box<Problem> {
        match error.is_recoverable() {
            true => Problem::discard(error.message()),
            false => Problem::error(error.message()),
        }
    }
}
