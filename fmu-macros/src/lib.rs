//! The macros: parse, ir, expand.
