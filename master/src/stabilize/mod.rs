//! Linearly implicit stabilization of co-simulation (Viel 2014, after Arnold): while a component makes its step, its
//! inputs follow a linear model of all other components, which is driven by what the component itself does.
//!
//! The model is discretized over the time since the communication point, by the backward Euler method or the trapezoidal
//! rule, both stable whatever the step. With `tau` that time, `A` and `B` those of the other components closed among
//! themselves, and `dy` what the component's outputs have changed by, both rules give the change `xi` of their states as
//!
//! ```text
//! z = (I - r tau A)^-1 (dx + r B dy),   xi = tau z
//! ```
//!
//! with r = 1 and r = 1/2. What the inputs of the component need is the slope of the model, `dx + A xi + B dy`. For r = 1
//! that is `z` itself, as equation 19 has it; for r = 1/2 it is `2 z - dx`. (Equation 19 takes `z` for both, which has half
//! of the second-order term for r = 1/2; with the slope above, both rules are of second order in the step, and the
//! trapezoidal rule is the more accurate one: it is the default.)

mod environment;
mod hessenberg;

pub use environment::{Environment, Linear, Slopes, Surroundings};
pub use hessenberg::Hessenberg;

/// How the linear model is discretized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rule {
    /// Of second order, the default.
    #[default]
    Trapezoidal,
    /// Damps more.
    BackwardEuler,
}

impl Rule {
    /// The word for it in a system file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Rule::Trapezoidal => "trapezoidal",
            Rule::BackwardEuler => "backward-euler",
        }
    }

    /// The rule that a word of a system file means.
    pub fn from_word(word: &str) -> Option<Rule> {
        [Rule::Trapezoidal, Rule::BackwardEuler]
            .into_iter()
            .find(|rule| rule.as_str() == word)
    }
}
