//! Syntax to our own structs: which attributes are there, with which options. Only the form is checked here.

pub mod equations;
pub mod model;
pub mod options;
