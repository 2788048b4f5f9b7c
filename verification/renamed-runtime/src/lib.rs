//! Every macro, in a crate where nothing is called `fmu_runtime`.

use dynamics::prelude::*;

/// Position of a valve
#[derive(Clone, Copy, Debug, Enumeration, PartialEq)]
#[enumeration(crate = "dynamics")]
pub enum Valve {
    /// Nothing flows.
    Closed,
    /// It flows freely.
    Open,
}

/// Flow by gravity out of a hole with a coefficient
#[differentiable(crate = "dynamics")]
pub fn outflow(coefficient: f64, level: f64) -> f64 {
    coefficient * level.max(0.0).sqrt()
}

/// A tank
#[model(crate = "dynamics")]
pub struct Tank {
    /// Level
    #[state(start = 1.0, unit = "m")]
    pub level: f64,
    /// Inflow over area
    #[input]
    pub inflow: f64,
    /// What the tank has seen
    #[internal]
    pub seen: Vec<f64>,
}

#[equations]
impl Model for Tank {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            level: self.inflow - outflow(0.5, self.level),
        }
    }
}

/// Two tanks with a valve between them
#[model(crate = "dynamics", stop_time = 1.0, solver_parameters, solver_statistics)]
pub struct Plant {
    /// The upper tank
    #[part]
    pub upper: Tank,
    /// The lower tank
    #[part(connect(inflow))]
    pub lower: Tank,
    /// The valve
    #[discrete(start = Valve::Open)]
    pub valve: Valve,
    /// Sum of the levels
    #[output(unit = "m")]
    pub total: f64,
}

#[equations]
impl Model for Plant {
    fn connections(&self, _t: f64) -> Connections<Self> {
        Connections::<Self> {
            lower_inflow: self.through_the_valve(),
        }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            total: self.upper.level + self.lower.level,
        }
    }

    fn event_indicators(&self, _t: f64) -> [f64; 1] {
        [self.upper.level - 0.25]
    }

    fn event(&mut self, _at: Event) {
        if self.upper.level <= 0.25 {
            self.valve = Valve::Closed;
            log!("logEvents", "the valve closes at {}", self.upper.level);
        }
    }
}

#[equations]
impl Plant {
    /// What the lower tank receives.
    pub fn through_the_valve(&self) -> f64 {
        match self.valve {
            Valve::Closed => 0.0,
            Valve::Open => outflow(0.5, self.upper.level),
        }
    }
}

export_fmu!(crate = "dynamics", Plant);
