//! `modelDescription.xml`: [`write`] makes the text of a [`ModelDescription`](crate::description::ModelDescription).

mod text;
mod write;

pub use write::write;
pub(crate) use write::write_interface;
