//! Syntax to our own structs: which attributes are there, with which options. Nothing is judged here but form.

pub mod equations;
pub mod model;
pub mod options;
