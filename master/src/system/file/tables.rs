//! The tables of a system file, as they are written.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SystemFile {
    pub name: Option<String>,
    #[serde(default)]
    pub simulation: Simulation,
    pub control: Option<ControlTable>,
    #[serde(default)]
    pub components: BTreeMap<Spanned<String>, ComponentTable>,
    #[serde(default)]
    pub connections: Vec<ConnectionTable>,
    #[serde(default)]
    pub inputs: Vec<InputTable>,
    #[serde(default)]
    pub loops: Vec<LoopTable>,
    #[serde(default)]
    pub record: Vec<Spanned<String>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct Simulation {
    pub start: Option<Spanned<f64>>,
    pub stop: Option<Spanned<f64>>,
    pub step: Option<Spanned<f64>>,
    pub algorithm: Option<Spanned<String>>,
    /// Of FMUs that have both.
    pub interface: Option<Spanned<String>>,
    pub extrapolation: Option<Spanned<u32>>,
    pub quadratic: Option<Spanned<String>>,
    pub differences: Option<bool>,
    pub correction: Option<Spanned<String>>,
    pub rule: Option<Spanned<String>>,
    pub smoothing: Option<bool>,
    pub iterations: Option<Spanned<usize>>,
    pub convergence: Option<Spanned<f64>>,
    /// Of the integrators inside the FMUs.
    pub tolerance: Option<Spanned<f64>>,
    pub parallel: Option<Spanned<String>>,
    /// Over all FMUs, where they are aggregated.
    pub solver: Option<Spanned<String>>,
    pub insist: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ControlTable {
    pub tolerance: Spanned<f64>,
    pub absolute: Option<Spanned<f64>>,
    pub minimum: Option<Spanned<f64>>,
    pub maximum: Option<Spanned<f64>>,
    pub per: Option<Spanned<String>>,
    pub norm: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ComponentTable {
    pub fmu: Spanned<String>,
    pub interface: Option<Spanned<String>>,
    /// Around an FMU for Model Exchange.
    pub solver: Option<Spanned<String>>,
    /// In a process of its own.
    #[serde(default)]
    pub isolated: bool,
    #[serde(default)]
    pub set: BTreeMap<Spanned<String>, Spanned<toml::Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConnectionTable {
    pub from: Option<Spanned<String>>,
    /// In place of `from`: several outputs.
    pub sum: Option<Vec<TermTable>>,
    pub to: Spanned<String>,
    #[serde(default = "one")]
    pub gain: f64,
    #[serde(default)]
    pub offset: f64,
    #[serde(default = "yes")]
    pub convert: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TermTable {
    pub from: String,
    #[serde(default = "one")]
    pub gain: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InputTable {
    pub to: Option<Spanned<String>>,
    pub value: Option<Spanned<f64>>,
    pub points: Option<Spanned<Vec<(f64, f64)>>>,
    pub file: Option<Spanned<String>>,
    pub column: Option<Spanned<String>>,
    pub unit: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LoopTable {
    pub of: Spanned<Vec<String>>,
    pub algorithm: Spanned<String>,
}

fn one() -> f64 {
    1.0
}

fn yes() -> bool {
    true
}
