//! Models of one equation each: with parameters, few models serve many systems.
//!
//! A crate that is a box of building blocks. What a system file says decides what they are: `FirstOrder` with `d = 0` feeds
//! nothing through, with `d` not 0 it closes algebraic loops; a `Gain` has no state at all and still is an FMU.

use fmu_runtime::prelude::*;

/// A linear system with one state, one input, one output: x' = a x + b u, y = c x + d u.
#[model(stop_time = 1.0, step_size = 0.01, tolerance = 1e-9)]
pub struct FirstOrder {
    /// Input
    #[input(start = 0.0)]
    pub u: f64,
    /// State
    #[state(start = 1.0)]
    pub x: f64,
    /// Output
    #[output]
    pub y: f64,
    /// How the state changes by itself
    #[parameter(start = -1.0)]
    pub a: f64,
    /// How the input changes the state
    #[parameter(start = 1.0)]
    pub b: f64,
    /// How the output shows the state
    #[parameter(start = 1.0)]
    pub c: f64,
    /// How the output shows the input: feed-through
    #[parameter(start = 0.0)]
    pub d: f64,
}

#[equations]
impl Model for FirstOrder {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            x: self.a * self.x + self.b * self.u,
        }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            y: self.c * self.x + self.d * self.u,
        }
    }
}

/// A factor and an offset, without memory: y = k u + offset.
#[model(stop_time = 1.0, step_size = 0.01)]
pub struct Gain {
    /// Input
    #[input(start = 0.0)]
    pub u: f64,
    /// Output
    #[output]
    pub y: f64,
    /// Factor
    #[parameter(start = 1.0)]
    pub k: f64,
    /// Added to it
    #[parameter(start = 0.0)]
    pub offset: f64,
}

#[equations]
impl Model for Gain {
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            y: self.k * self.u + self.offset,
        }
    }
}

/// The integral of an input: x' = k u, y = x.
#[model(stop_time = 1.0, step_size = 0.01, tolerance = 1e-9)]
pub struct Integrator {
    /// Input
    #[input(start = 0.0)]
    pub u: f64,
    /// Integral
    #[state(start = 1.0, output)]
    pub y: f64,
    /// Factor
    #[parameter(start = 1.0)]
    pub k: f64,
}

#[equations]
impl Model for Integrator {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { y: self.k * self.u }
    }
}

export_fmu!(FirstOrder, Gain, Integrator);
