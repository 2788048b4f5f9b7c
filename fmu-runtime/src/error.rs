//! The error that a model's own code returns.

use std::fmt;

/// Why an equation or event function could not give a result. It reaches the log of the simulation tool.
///
/// Any standard error converts with `?`; text converts with [`ModelError::new`] or `.into()`.
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
}

impl ModelError {
    /// An error that ends the simulation (`fmi2Error`).
    pub fn new(message: impl Into<String>) -> ModelError {
        ModelError {
            message: message.into(),
            recoverable: false,
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
