//! The error that a model's own code returns.

use std::fmt;

/// Why an equation or event function could not give a result. It reaches the log of the simulation tool.
///
/// Any standard error converts with `?`, text with [`ModelError::new`]. In turn, `?` converts a `ModelError` to
/// `Box<dyn Error>`. It does not implement [`std::error::Error`] itself, because then not every standard error could convert to it.
///
/// ```
/// use fmu_runtime::ModelError;
/// fn flow(dp: f64) -> Result<f64, ModelError> {
///     if dp < 0.0 {
///         return Err(ModelError::new(format!("pressure difference {dp} Pa is negative")).recoverable());
///     }
///     Ok(dp.sqrt())
/// }
/// assert!(flow(-1.0).unwrap_err().is_recoverable());
/// ```
pub struct ModelError {
    message: String,
    recoverable: bool,
    structural: bool,
}

impl ModelError {
    /// An error that ends the simulation (`fmi2Error`).
    pub fn new(message: impl Into<String>) -> ModelError {
        ModelError {
            message: message.into(),
            recoverable: false,
            structural: false,
        }
    }

    /// Marks it as one that a smaller step or other values may avoid (`fmi2Discard`).
    pub fn recoverable(self) -> ModelError {
        ModelError {
            recoverable: true,
            ..self
        }
    }

    /// A smaller step or other values may avoid it.
    pub fn is_recoverable(&self) -> bool {
        self.recoverable
    }

    /// Marks it as one of the equations themselves: no values of the variables avoid it.
    pub(crate) fn structural(self) -> ModelError {
        ModelError {
            structural: true,
            ..self
        }
    }

    /// No values of the variables avoid it.
    pub(crate) fn is_structural(&self) -> bool {
        self.structural
    }

    /// The sentence.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<E: std::error::Error> From<E> for ModelError {
    fn from(error: E) -> ModelError {
        ModelError::new(error.to_string())
    }
}

/// The same error as a standard one.
#[derive(Debug)]
struct Standard(ModelError);

impl fmt::Display for Standard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Standard {}

impl From<ModelError> for Box<dyn std::error::Error + Send + Sync> {
    fn from(error: ModelError) -> Self {
        Box::new(Standard(error))
    }
}

impl From<ModelError> for Box<dyn std::error::Error> {
    fn from(error: ModelError) -> Self {
        Box::new(Standard(error))
    }
}

#[cfg(test)]
mod tests {
    use super::ModelError;

    fn parse(text: &str) -> Result<i32, ModelError> {
        Ok(text.parse::<i32>()?)
    }

    #[test]
    fn it_converts_from_and_to_standard_errors() {
        fn one() -> Result<i32, Box<dyn std::error::Error>> {
            Ok(parse("1")? + parse("one")?)
        }
        fn across_threads() -> Result<i32, Box<dyn std::error::Error + Send + Sync>> {
            Ok(parse("two")?)
        }
        assert_eq!(one().unwrap_err().to_string(), "invalid digit found in string");
        assert_eq!(
            across_threads().unwrap_err().to_string(),
            "invalid digit found in string"
        );
    }
}
