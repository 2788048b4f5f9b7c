//! Advice: which algorithm and which step a coupled system wants, and why, read off its linear model at the start.

mod limit;

pub use limit::{Model, explicit_limit};

use std::fmt;

/// What a linear model of a coupled system at its start says about how to simulate it.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// Components, connections and loops, in words.
    pub structure: String,
    /// The spectral radius of the feed-through around the loops, for steps of size 0.
    pub radius: f64,
    /// All continuous states; none if not all components tell theirs.
    pub states: Option<usize>,
    /// The size of the fastest eigenvalue of the coupled system.
    pub fastest: f64,
    /// The largest step for which explicit steps with held inputs are stable; infinite if they always are, zero if never,
    /// none if it is not known.
    pub limit: Option<f64>,
    /// All components let their inputs be stabilized.
    pub stabilizes: bool,
    /// All components can go back to an earlier time.
    pub snapshots: bool,
}

/// What to take.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// As it is written in a system file.
    pub algorithm: &'static str,
    /// What else is written there.
    pub besides: &'static str,
    /// The communication step to begin with; none: any, no state asks for one.
    pub step: Option<f64>,
    /// Why.
    pub why: String,
}

impl Advice {
    /// Half the period of the fastest oscillation: whoever looks less often does not see it.
    pub fn nyquist(&self) -> f64 {
        std::f64::consts::PI / self.fastest
    }

    /// What to take.
    pub fn proposal(&self) -> Proposal {
        // A step that resolves the fastest mode well.
        let resolves = self.nyquist() / 8.0;
        let step = if resolves.is_finite() { resolves } else { 0.01 };
        if self.states == Some(0) {
            return self.without_dynamics();
        }
        if self.radius > 0.0 {
            let algorithm = if self.snapshots { "newton" } else { "jacobi" };
            let besides = if self.snapshots {
                ""
            } else {
                ", correction = \"linear\""
            };
            return Proposal {
                algorithm,
                besides,
                step: Some(step),
                why: format!(
                    "the algebraic loop has to be solved in each step; explicit steps carry its errors on by a factor of \
                     {:.3}",
                    self.radius
                ),
            };
        }
        match self.limit {
            Some(0.0) => self.without_loss(step),
            Some(limit) if limit < 0.5 * resolves && self.stabilizes => Proposal {
                algorithm: "stabilized",
                besides: "",
                step: Some(step),
                why: format!(
                    "the components exchange energy nearly without loss: held inputs would need steps {:.0} times smaller",
                    step / (0.25 * limit)
                ),
            },
            Some(limit) if limit < 0.5 * resolves => Proposal {
                algorithm: if self.snapshots { "newton" } else { "jacobi" },
                besides: if self.snapshots { ", extrapolation = 1" } else { "" },
                step: Some(if self.snapshots { step } else { 0.25 * limit }),
                why: "the components exchange energy nearly without loss, and not all of them let their inputs be stabilized; \
                      with Model Exchange, aggregate is the better choice"
                    .to_owned(),
            },
            Some(limit) => Proposal {
                algorithm: "jacobi",
                besides: if self.snapshots {
                    ", extrapolation = 2, with [control] tolerance = 1e-4"
                } else {
                    ", extrapolation = 1"
                },
                step: Some(step.min(0.25 * limit)),
                why: "explicit steps are stable at the size that accuracy asks for, and can be made at once".to_owned(),
            },
            None => Proposal {
                algorithm: if self.snapshots { "newton" } else { "jacobi" },
                besides: "",
                step: Some(step),
                why: "not all components tell their derivatives: what cannot be foreseen is better solved for".to_owned(),
            },
        }
    }

    /// What to take where held inputs let the solution grow whatever the step.
    fn without_loss(&self, step: f64) -> Proposal {
        const GROWS: &str = "the components exchange energy without loss, and held inputs feed more into it in every step, \
                             however small";
        let (algorithm, besides, why) = match (self.stabilizes, self.snapshots) {
            (true, _) => ("stabilized", "", GROWS.to_owned()),
            (false, true) => (
                "newton",
                ", extrapolation = 1",
                format!("{GROWS}; with Model Exchange, aggregate is the better choice"),
            ),
            (false, false) => (
                "jacobi",
                ", extrapolation = 2",
                format!(
                    "{GROWS}; inputs that are extrapolated feed much less, but look at whether the energy grows; with Model \
                     Exchange, aggregate is the better choice"
                ),
            ),
        };
        Proposal {
            algorithm,
            besides,
            step: Some(step),
            why,
        }
    }

    /// What to take where nothing has continuous states: values go around, and no step is too long for them.
    fn without_dynamics(&self) -> Proposal {
        let (algorithm, besides, why) = match (self.radius > 0.0, self.snapshots) {
            (true, true) => (
                "newton",
                "",
                "the algebraic loop has to be solved in each step, and no continuous state limits the step: take one that \
                 meets the inputs and events that matter",
            ),
            (true, false) => (
                "jacobi",
                ", correction = \"linear\"",
                "the algebraic loop has to be solved after each step, and no continuous state limits the step; without \
                 components that can go back, a correction does it",
            ),
            (false, _) => (
                "gauss-seidel",
                "",
                "there is neither a loop nor a continuous state: one after another, values arrive within the step, however \
                 long it is",
            ),
        };
        Proposal {
            algorithm,
            besides,
            step: None,
            why: why.to_owned(),
        }
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let proposal = self.proposal();
        writeln!(f, "structure: {}", self.structure)?;
        match self.fastest > 0.0 && self.fastest.is_finite() {
            _ if self.states == Some(0) => writeln!(f, "time scale: none, there are no continuous states")?,
            true => writeln!(
                f,
                "time scale: the fastest mode of the coupled system is {:.3e} 1/s; its Nyquist period is {:.3e}",
                self.fastest,
                self.nyquist()
            )?,
            false => writeln!(
                f,
                "time scale: not known, or there are no states that are coupled"
            )?,
        }
        match self.limit {
            _ if self.radius > 1.0 => writeln!(
                f,
                "explicit steps: unstable however small, the spectral radius of the feed-through is {:.3}",
                self.radius
            )?,
            None => writeln!(f, "explicit steps: their limit is not known")?,
            Some(limit) if limit.is_infinite() => {
                writeln!(f, "explicit steps: stable, with held inputs, whatever the step")?
            }
            Some(0.0) => writeln!(
                f,
                "explicit steps: with held inputs unstable however small the step, although the system itself is not"
            )?,
            Some(limit) => {
                let part = limit / self.nyquist();
                let part = if part < 1e-3 {
                    format!("{part:.1e}")
                } else {
                    format!("{part:.4}")
                };
                writeln!(
                    f,
                    "explicit steps: with held inputs stable up to a step of {limit:.3e}, {part} of the Nyquist period"
                )?
            }
        }
        write!(
            f,
            "take: algorithm = \"{}\"{}",
            proposal.algorithm, proposal.besides
        )?;
        match proposal.step {
            Some(step) => writeln!(f, ", step = {step:.1e}")?,
            None => writeln!(f, ", and any step")?,
        }
        write!(f, "because {}", proposal.why)
    }
}
