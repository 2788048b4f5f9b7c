//! Systems with many connections.

mod common;

use common::{System, couple};
use master::coupling::Link;
use master::settings::{Algorithm, Settings};

const MEMBERS: usize = 12;
const INPUTS: usize = 20;
const GAIN: f64 = 0.02;
