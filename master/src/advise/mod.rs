//! Advice: which algorithm and step suit a coupled system, and why, from its linear model at the start.

mod drift;
mod limit;
mod step_map;
mod trajectory;

pub use drift::{Drift, drift};
pub use limit::{Model, explicit_limit, limit_of};
pub use step_map::Stepping;
pub use trajectory::{Beginning, Miss, largest_deviation};

use std::fmt;

/// What is known of a coupled system at its start about how to simulate it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Advice {
    /// Components, connections and loops, in words.
    pub structure: String,
    /// The number of algebraic loops.
    pub algebraic_loops: usize,
    /// The spectral radius of the feed-through around the loops, for steps of size 0; `None` if a component does not provide
    /// its feed-through.
    pub radius: Option<f64>,
    /// All continuous states; `None` if not all components provide a linear model.
    pub states: Option<usize>,
    /// The size of the fastest eigenvalue of the coupled system; `None` if it is not known.
    pub fastest: Option<f64>,
    /// The largest steps for which explicit steps are stable, with inputs that are held, and extrapolated with order 1 and
    /// 2 where components follow that; infinite if they always are, zero if never, `None` if it is not known.
    pub limits: Option<Vec<f64>>,
    /// A step from the start whose error, compared with two of half the size, is small compared with the outputs; `None`
    /// if it was not tried, because the time scale is known or a component cannot go back.
    pub tried: Option<f64>,
    /// Duration and communication step of the system's settings.
    pub duration: f64,
    /// The communication step.
    pub step: f64,
    /// A component that samples values of a loop which it is part of; `None` if no component does.
    pub samples: Option<Samples>,
    /// All components let their inputs be stabilized.
    pub stabilizes: bool,
    /// All components can go back to an earlier time.
    pub snapshots: bool,
    /// All components take steps of any size.
    pub variable_step: bool,
    /// Inputs may trigger events in a component.
    pub events_by_inputs: bool,
    /// All components provide directional derivatives.
    pub directional_derivatives: bool,
    /// All components provide outputs for new inputs without a step.
    pub outputs_follow_inputs: bool,
    /// All components have Model Exchange, so that one solver can take them all.
    pub model_exchange: bool,
}

/// A component that samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// Its name.
    pub component: String,
    /// The time between samples; `None` if it is not known.
    pub period: Option<f64>,
}

/// What to take.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Proposal {
    /// As it is written in a system file.
    pub algorithm: &'static str,
    /// What else is written there.
    pub besides: &'static str,
    /// The communication step to begin with; `None` if any step suits, because there are no states.
    pub step: Option<f64>,
    /// Why.
    pub why: String,
}

/// What the error of a step that is tried may be, as a part of each output.
pub(crate) const TRIED: f64 = 1e-4;

/// A run has at least that many steps.
const LEAST_STEPS: f64 = 10.0;

const CONTROL: &str = ", with [control] tolerance = 1e-4";

impl Advice {
    /// Half the period of the fastest oscillation: longer steps do not resolve it; `None` if it is not known.
    pub fn nyquist(&self) -> Option<f64> {
        let fastest = self
            .fastest
            .filter(|fastest| *fastest > 0.0 && fastest.is_finite());
        fastest.map(|fastest| std::f64::consts::PI / fastest)
    }

    /// A step that resolves the fastest mode well or, where that is not known, the one of the settings.
    fn resolving_step(&self) -> f64 {
        let of_settings = self.step.min(self.duration / 100.0);
        let known = self.nyquist().map(|nyquist| nyquist / 8.0);
        let step = known.or(self.tried).unwrap_or(of_settings);
        // A system that hardly moves at its start may move later.
        step.min(self.duration / LEAST_STEPS)
    }

    /// What to take.
    pub fn proposal(&self) -> Proposal {
        let step = self.resolving_step();
        if let Some(samples) = self.samples.as_ref().filter(|_| self.algebraic_loops == 0) {
            return self.with_samples(samples);
        }
        if self.states == Some(0) {
            return self.without_dynamics();
        }
        if self.algebraic_loops > 0 {
            return self.with_loops(step);
        }
        let held = self.limits.as_ref().and_then(|limits| limits.first().copied());
        match held {
            Some(0.0) => self.without_loss(step),
            Some(limit) if limit < 0.5 * step && self.stabilizes => Proposal {
                algorithm: "stabilized",
                besides: "",
                step: Some(step),
                why: format!(
                    "the components exchange energy nearly without loss: held inputs would need steps {:.0} times smaller",
                    step / (0.25 * limit)
                ),
            },
            Some(limit) if limit < 0.5 * step => self.strongly_coupled(step, 0.25 * limit),
            Some(_) => self.explicit(step),
            None => self.unknown(step),
        }
    }

    /// Explicit steps are stable at the step that accuracy wants: with the order that allows the largest one.
    fn explicit(&self, step: f64) -> Proposal {
        let limits = self.limits.as_deref().unwrap_or_default();
        let order = match (self.snapshots && self.variable_step, limits) {
            // Of high order as long as it is stable at a good step.
            (true, [.., quadratic]) if limits.len() > 2 && *quadratic >= step => 2,
            (_, [_, linear, ..]) if *linear >= 0.5 * step => 1,
            _ => 0,
        };
        let limit = limits.get(order).copied().unwrap_or(f64::INFINITY);
        let besides = match (order, self.snapshots && self.variable_step) {
            (2, _) => ", extrapolation = 2, with [control] tolerance = 1e-4",
            (1, true) => ", extrapolation = 1, with [control] tolerance = 1e-4",
            (1, false) => ", extrapolation = 1",
            (_, true) => CONTROL,
            (_, false) => "",
        };
        Proposal {
            algorithm: "jacobi",
            besides,
            step: Some(step.min(0.25 * limit)),
            why: "explicit steps are stable at the size that accuracy asks for, and can be made at once"
                .to_owned(),
        }
    }

    /// Components exchange energy nearly without loss, and do not let their inputs be stabilized.
    fn strongly_coupled(&self, step: f64, small: f64) -> Proposal {
        const WHY: &str = "the components exchange energy nearly without loss, and not all of them let their inputs be \
                           stabilized";
        let (algorithm, besides, step) = match (self.model_exchange, self.snapshots) {
            (true, _) => ("aggregate", "", step),
            (false, true) => ("newton", ", extrapolation = 1", step),
            (false, false) => ("jacobi", "", small),
        };
        Proposal {
            algorithm,
            besides,
            step: Some(step),
            why: match self.model_exchange {
                true => {
                    format!("{WHY}; they all have Model Exchange, so that one solver can take them together")
                }
                false => WHY.to_owned(),
            },
        }
    }

    /// No linear model: what is advised is what the components can do.
    fn unknown(&self, step: f64) -> Proposal {
        let (algorithm, besides, why) = match (self.model_exchange, self.snapshots, self.variable_step) {
            (true, ..) => (
                "aggregate",
                "",
                "not all components provide derivatives, and all have Model Exchange: one solver over all of them controls \
                 the error",
            ),
            (false, true, true) => (
                "jacobi",
                CONTROL,
                "not all components provide derivatives: error control finds the step by itself",
            ),
            (false, true, false) => (
                "newton",
                "",
                "not all components provide derivatives, and not all take steps of any size",
            ),
            (false, false, _) => (
                "gauss-seidel",
                "",
                "the components provide neither derivatives nor snapshots: compare the results with those of half the step",
            ),
        };
        Proposal {
            algorithm,
            besides,
            step: Some(step),
            why: why.to_owned(),
        }
    }

    /// What to take where samples close a loop: a step that ends at each of them.
    fn with_samples(&self, Samples { component, period }: &Samples) -> Proposal {
        let wanted = self.resolving_step();
        let (step, why) = match *period {
            Some(period) => (
                period / (period / wanted).ceil().max(1.0),
                format!("{component} samples each {period} s, and steps end at each of its samples"),
            ),
            None => (
                wanted,
                format!(
                    "{component} samples values of a loop: take a step that divides its sample time, which it does not provide"
                ),
            ),
        };
        let (algorithm, why) = match self.model_exchange {
            true => (
                "aggregate",
                format!(
                    "{component} samples values of a loop, and all components have Model Exchange: one solver over all of them \
                     has an event at each sample, and controls the error between samples"
                ),
            ),
            false => (
                "gauss-seidel",
                format!("{why}; one after another, each sample sees the values of its time"),
            ),
        };
        Proposal {
            algorithm,
            besides: "",
            step: Some(step),
            why,
        }
    }

    /// What to take where there are algebraic loops, or may be.
    fn with_loops(&self, step: f64) -> Proposal {
        let known = match self.radius {
            Some(radius) => {
                format!("the algebraic loop has to be solved in each step; explicit steps carry its errors on by a factor of {radius:.3}")
            }
            None => "there may be an algebraic loop (a component does not provide its feed-through), which is better solved \
                     in each step"
                .to_owned(),
        };
        let (algorithm, besides) = match () {
            () if self.snapshots && self.variable_step => ("newton", CONTROL),
            () if self.snapshots => ("newton", ""),
            () if self.model_exchange => ("aggregate", ""),
            () if self.outputs_follow_inputs => ("jacobi", ", correction = \"consistent\""),
            () if self.directional_derivatives => ("jacobi", ", correction = \"linear\""),
            () => {
                let why = match self.radius {
                    Some(_) => known,
                    None => "whether outputs follow inputs at once is not known, and no component can go back: one after \
                             another, values arrive within the step. Compare the results with those of half the step; \
                             values that grow from step to step show a loop that such steps cannot close"
                        .to_owned(),
                };
                return Proposal {
                    algorithm: "gauss-seidel",
                    besides: "",
                    step: Some(step),
                    why,
                };
            }
        };
        Proposal {
            algorithm,
            besides,
            step: Some(step),
            why: known,
        }
    }

    /// What to take where held inputs let the solution grow whatever the step.
    fn without_loss(&self, step: f64) -> Proposal {
        const GROWS: &str = "the components exchange energy without loss, and held inputs feed more into it in every step, \
                             however small";
        let (algorithm, besides, why) = match (self.stabilizes, self.model_exchange, self.snapshots) {
            (true, ..) => ("stabilized", "", GROWS.to_owned()),
            (false, true, _) => (
                "aggregate",
                "",
                format!(
                    "{GROWS}; all components have Model Exchange, so that one solver can take them together"
                ),
            ),
            (false, false, true) => ("newton", ", extrapolation = 1", GROWS.to_owned()),
            (false, false, false) => (
                "jacobi",
                ", extrapolation = 2",
                format!(
                    "{GROWS}; inputs that are extrapolated feed much less, but look at whether the energy grows"
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
        const LOOP: &str = "the algebraic loop has to be solved in each step, and no continuous state limits the step: take \
                            one that meets the inputs and events that matter";
        let (algorithm, besides, why) = match self.algebraic_loops > 0 {
            true => {
                let Proposal {
                    algorithm, besides, ..
                } = self.with_loops(self.step);
                // Without states there is no error to control but that of late events.
                let besides = if self.events_by_inputs || besides != CONTROL {
                    besides
                } else {
                    ""
                };
                (algorithm, besides, LOOP)
            }
            false if self.events_by_inputs && self.snapshots && self.variable_step => {
                return Proposal {
                    algorithm: "gauss-seidel",
                    besides: CONTROL,
                    step: Some(self.resolving_step()),
                    why: "inputs trigger events, which error control finds; there is neither a loop nor a continuous state"
                        .to_owned(),
                };
            }
            false => (
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

    /// What is known about one order of extrapolation, as a sentence.
    fn limit_sentence(&self, inputs: &str, limit: f64) -> String {
        if limit.is_infinite() {
            return format!("explicit steps: stable, with {inputs} inputs, whatever the step");
        }
        if limit == 0.0 {
            return format!(
                "explicit steps: with {inputs} inputs unstable however small the step, although the system itself is not"
            );
        }
        let part = limit / self.nyquist().unwrap_or(f64::NAN);
        let part = if part < 1e-3 {
            format!("{part:.1e}")
        } else {
            format!("{part:.4}")
        };
        format!(
            "explicit steps: with {inputs} inputs stable up to a step of {limit:.3e}, {part} of the Nyquist period"
        )
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let proposal = self.proposal();
        writeln!(f, "structure: {}", self.structure)?;
        match (self.fastest, self.nyquist()) {
            _ if self.states == Some(0) => writeln!(f, "time scale: none, there are no continuous states")?,
            (Some(fastest), Some(nyquist)) => writeln!(
                f,
                "time scale: the fastest mode of the coupled system is {fastest:.3e} 1/s; its Nyquist period is {nyquist:.3e}"
            )?,
            (Some(_), None) if self.samples.is_some() => {
                writeln!(f, "time scale: states are coupled by samples only")?;
            }
            (Some(_), None) => writeln!(f, "time scale: there are no states that are coupled")?,
            (None, _) => {
                write!(
                    f,
                    "time scale: not known, because not all FMUs provide derivatives (directional ones or Model Exchange); "
                )?;
                match self.tried {
                    Some(step) => writeln!(
                        f,
                        "tried at the start, a step of {step:.1e} has an error of at most {TRIED:e} of each output"
                    )?,
                    None => writeln!(f, "the run takes {} s in steps of {} s", self.duration, self.step)?,
                }
            }
        }
        match (self.radius, &self.limits) {
            (Some(radius), _) if radius <= 1.0 && self.samples.is_some() => writeln!(
                f,
                "explicit steps: a linear model sees the system between samples only, and not the loop that they close"
            )?,
            (Some(radius), _) if radius > 1.0 => writeln!(
                f,
                "explicit steps: unstable however small, the spectral radius of the feed-through is {radius:.3}"
            )?,
            (None, _) => writeln!(
                f,
                "explicit steps: whether they are stable is not known, because a component does not provide its feed-through"
            )?,
            (_, None) => writeln!(f, "explicit steps: their limit is not known")?,
            (_, Some(limits)) => {
                let names = ["held", "linearly extrapolated", "quadratically extrapolated"];
                for (inputs, &limit) in names.iter().zip(limits) {
                    writeln!(f, "{}", self.limit_sentence(inputs, limit))?;
                }
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
