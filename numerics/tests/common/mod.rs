//! Shared by the tests of the integrators.
#![allow(dead_code)]

pub mod systems;
