//! Why a call did not succeed.

use crate::ModelError;

/// How a call ended. All versions of the standard have these, by the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    /// It succeeded.
    Ok = 0,
    /// It succeeded, with a remark.
    Warning = 1,
    /// It did not succeed, and nothing was changed; the caller may go on in another way.
    Discard = 2,
    /// It failed.
    Error = 3,
}

/// A status other than [`Status::Ok`], and the sentence that explains it.
#[derive(Debug, PartialEq, Eq)]
pub struct Problem {
    /// What the function returns.
    pub status: Status,
    /// What the logger receives, without the name of the function.
    pub sentence: String,
    /// An evaluation has failed, so that the values of the instance cannot be relied on. Otherwise the call was refused
    /// before it changed anything.
    pub has_failed: bool,
}

/// The result of a call; boxed, so that the good case fits into a register.
pub type Outcome<T = ()> = Result<T, Box<Problem>>;

impl Problem {
    /// The call is refused; nothing was changed.
    pub fn error(sentence: impl Into<String>) -> Box<Problem> {
        Problem::of(Status::Error, sentence)
    }

    /// Nothing was done; other values may do.
    pub fn discard(sentence: impl Into<String>) -> Box<Problem> {
        Problem::of(Status::Discard, sentence)
    }

    /// Done, with a remark.
    pub fn warning(sentence: impl Into<String>) -> Box<Problem> {
        Problem::of(Status::Warning, sentence)
    }

    #[cold]
    fn of(status: Status, sentence: impl Into<String>) -> Box<Problem> {
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
