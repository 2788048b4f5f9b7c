//! Why a call did not give `fmi2OK`.

use crate::ModelError;
use fmu_standard::fmi2::{fmi2Discard, fmi2Error, fmi2Status, fmi2Warning};

/// A status other than `fmi2OK`, and the sentence that explains it.
#[derive(Debug, PartialEq, Eq)]
pub struct Problem {
    /// What the function returns.
    pub status: fmi2Status,
    /// What the logger says, without the name of the function.
    pub sentence: String,
    /// An evaluation has failed, so that the values of the instance cannot be relied on. Else the call was refused
    /// before it changed anything.
    pub has_failed: bool,
}

/// The result of a call; boxed, so that the good case fits into a register.
pub type Outcome<T = ()> = Result<T, Box<Problem>>;

impl Problem {
    /// The call is refused; nothing was changed.
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
            has_failed: false,
        })
    }

    /// The same for an evaluation that has failed: an error then puts the instance into the state 'error'.
    pub fn of_evaluation(mut self: Box<Problem>) -> Box<Problem> {
        self.has_failed = true;
        self
    }
}

impl From<ModelError> for Box<Problem> {
    #[cold]
    fn from(error: ModelError) -> Box<Problem> {
        let problem = match error.is_recoverable() {
            true => Problem::discard(error.message()),
            false => Problem::error(error.message()),
        };
        problem.of_evaluation()
    }
}
