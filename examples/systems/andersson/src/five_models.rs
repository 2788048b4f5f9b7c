//! Five models with feed-through (section 5.3.1): the fewest evaluations that initialize them.
//!
//! The figure of their couplings is not in words; this is a graph with everything that the text says of it: outputs 1 and
//! 4 of the first model feed no feed-through, there is one loop, between the third and the fifth model, and outputs 2 and 3
//! of the first and both outputs of the second can be joined. The numbers are ours.

use fmu_runtime::prelude::*;

/// The first of five models: u1 and u2 go to two outputs each; the outer ones feed nothing that is fed through.
#[model(stop_time = 1.0, step_size = 0.01)]
pub struct Model1 {
    /// Input 1
    #[input(start = 0.0)]
    pub u1: f64,
    /// Input 2
    #[input(start = 0.0)]
    pub u2: f64,
    /// Output 1
    #[output]
    pub y1: f64,
    /// Output 2
    #[output]
    pub y2: f64,
    /// Output 3
    #[output]
    pub y3: f64,
    /// Output 4
    #[output]
    pub y4: f64,
}

#[equations]
impl Model for Model1 {
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            y1: self.u1,
            y2: 2.0 * self.u1,
            y3: 3.0 * self.u2,
            y4: 0.5 * self.u2,
        }
    }
}

/// The second of five models: two outputs that can be had at once.
#[model(stop_time = 1.0, step_size = 0.01)]
pub struct Model2 {
    /// Input 1
    #[input(start = 0.0)]
    pub u1: f64,
    /// Input 2
    #[input(start = 0.0)]
    pub u2: f64,
    /// Output 1
    #[output]
    pub y1: f64,
    /// Output 2
    #[output]
    pub y2: f64,
}

#[equations]
impl Model for Model2 {
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            y1: self.u1 + 1.0,
            y2: self.u2 - 1.0,
        }
    }
}

/// The third of five models: one half of the only loop, and an input that reaches a state alone.
#[model(stop_time = 1.0, step_size = 0.01)]
pub struct Model3 {
    /// Input 1
    #[input(start = 0.0)]
    pub u1: f64,
    /// Input 2
    #[input(start = 0.0)]
    pub u2: f64,
    /// State
    #[state(start = 0.0)]
    pub x: f64,
    /// Output 1
    #[output]
    pub y1: f64,
}

#[equations]
impl Model for Model3 {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: self.u2 - self.x }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> { y1: 0.5 * self.u1 }
    }
}

/// The fourth of five models: where everything begins: its output is a state.
#[model(stop_time = 1.0, step_size = 0.01)]
pub struct Model4 {
    /// Input 1
    #[input(start = 0.0)]
    pub u1: f64,
    /// Output 1, a state
    #[state(start = 1.0, output)]
    pub y1: f64,
}

#[equations]
impl Model for Model4 {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            y1: self.u1 - self.y1,
        }
    }
}

/// The fifth of five models: the other half of the only loop.
#[model(stop_time = 1.0, step_size = 0.01)]
pub struct Model5 {
    /// Input 1
    #[input(start = 0.0)]
    pub u1: f64,
    /// Input 2
    #[input(start = 0.0)]
    pub u2: f64,
    /// Input 3
    #[input(start = 0.0)]
    pub u3: f64,
    /// Output 1
    #[output]
    pub y1: f64,
    /// Output 2
    #[output]
    pub y2: f64,
}

#[equations]
impl Model for Model5 {
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            y1: self.u1,
            y2: self.u2 + self.u3,
        }
    }
}
