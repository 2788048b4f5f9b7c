//! What an author's function may return: a value, or a `Result` of it.

use crate::{ModelError, Next};

/// What an author's function may return where a `T` is needed: the `T`, or a `Result` of it.
/// Generated code converts through it, so that both forms cost the same line.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this function must return `{T}` or `Result<{T}, ModelError>`",
    label = "returns `{Self}`"
)]
pub trait IntoResult<T> {
    fn into_result(self) -> Result<T, ModelError>;
}

impl<T> IntoResult<T> for T {
    #[inline(always)]
    fn into_result(self) -> Result<T, ModelError> {
        Ok(self)
    }
}

impl<T, E: Into<ModelError>> IntoResult<T> for Result<T, E> {
    #[inline(always)]
    fn into_result(self) -> Result<T, ModelError> {
        self.map_err(Into::into)
    }
}

impl IntoResult<Next> for () {
    fn into_result(self) -> Result<Next, ModelError> {
        Ok(Next::Continue)
    }
}

impl<E: Into<ModelError>> IntoResult<Next> for Result<(), E> {
    fn into_result(self) -> Result<Next, ModelError> {
        self.map(|()| Next::Continue).map_err(Into::into)
    }
}
