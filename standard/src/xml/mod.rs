//! `modelDescription.xml`: [`write()`] makes the text of a [`ModelDescription`](crate::description::ModelDescription),
//! `read` (cargo feature `read`) does the reverse.

#[cfg(feature = "read")]
mod read;
mod text;
mod write;

#[cfg(feature = "read")]
pub use read::{ReadError, ReadProblem, read};
pub use write::write;
pub(crate) use write::write_interface;
