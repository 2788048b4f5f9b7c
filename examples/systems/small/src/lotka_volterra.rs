//! Prey and predator, each with a fixed explicit step inside: what they cost is known, and small.

use fmu_runtime::prelude::*;

/// Those who are eaten: x' = x (growth - eaten * predators).
#[model(stop_time = 20.0, step_size = 0.01, solver = "rk4", max_step = 0.01)]
pub struct Prey {
    /// How many predators there are
    #[input(start = 1.0)]
    pub predators: f64,
    /// How many prey there are
    #[state(start = 1.5, output)]
    pub x: f64,
    /// Growth without predators
    #[parameter(start = 1.0, unit = "1/s")]
    pub growth: f64,
    /// Eaten by each predator
    #[parameter(start = 1.0, unit = "1/s")]
    pub eaten: f64,
}

#[equations]
impl Model for Prey {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            x: self.x * (self.growth - self.eaten * self.predators),
        }
    }
}

/// Those who eat: x' = x (fed * prey - death).
#[model(stop_time = 20.0, step_size = 0.01, solver = "rk4", max_step = 0.01)]
pub struct Predator {
    /// How many prey there are
    #[input(start = 1.0)]
    pub prey: f64,
    /// How many predators there are
    #[state(start = 1.0, output)]
    pub x: f64,
    /// Death without prey
    #[parameter(start = 1.0, unit = "1/s")]
    pub death: f64,
    /// Born for each prey
    #[parameter(start = 1.0, unit = "1/s")]
    pub fed: f64,
}

#[equations]
impl Model for Predator {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            x: self.x * (self.fed * self.prey - self.death),
        }
    }
}
