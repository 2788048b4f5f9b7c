//! Prey and predators, each an FMU: two halves that feed each other through states, without feed-through.
//!
//! The integrator inside is the plainest there is, an explicit step of the size that `max_step` says: what a step of
//! such a pair costs is nearly all overhead, which is why `cargo xtask bench coupling` measures with it.

use fmu_runtime::prelude::*;

/// The prey of Lotka and Volterra: it multiplies, and is eaten
#[model(stop_time = 20.0, step_size = 0.001, solver = "euler", max_step = 0.001)]
pub struct Prey {
    /// Number of predators
    #[input(start = 10.0)]
    pub predators: f64,
    /// Number of prey
    #[state(start = 10.0, nominal = 10.0, output)]
    pub prey: f64,
    /// Births of each, in a time without enemies
    #[parameter(start = 1.1, unit = "1/s")]
    pub birth_rate: f64,
    /// How often one is eaten, by each predator
    #[parameter(start = 0.4, unit = "1/s")]
    pub predation_rate: f64,
}

#[equations]
impl Model for Prey {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            prey: (self.birth_rate - self.predation_rate * self.predators) * self.prey,
        }
    }
}

/// The predators of Lotka and Volterra: they live on prey, and starve without
#[model(stop_time = 20.0, step_size = 0.001, solver = "euler", max_step = 0.001)]
pub struct Predator {
    /// Number of prey
    #[input(start = 10.0)]
    pub prey: f64,
    /// Number of predators
    #[state(start = 10.0, nominal = 10.0, output)]
    pub predators: f64,
    /// Births of each, by each of the prey
    #[parameter(start = 0.1, unit = "1/s")]
    pub birth_rate: f64,
    /// Deaths of each, in a time without prey
    #[parameter(start = 0.4, unit = "1/s")]
    pub death_rate: f64,
}

#[equations]
impl Model for Predator {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            predators: (self.birth_rate * self.prey - self.death_rate) * self.predators,
        }
    }
}

export_fmu!(Prey, Predator);
