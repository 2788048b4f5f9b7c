//! Rows of systems of equations, linear and not.

use fmu_runtime::prelude::*;

/// A row of a linear system, solved for its own unknown: (p + t ps) x + (a + t as) u1 + (b + t bs) u2 = r.
#[model(stop_time = 10.0, step_size = 0.1)]
pub struct LinearRow {
    /// First of the other unknowns
    #[input(start = 0.0)]
    pub u1: f64,
    /// Second of the other unknowns
    #[input(start = 0.0)]
    pub u2: f64,
    /// Right-hand side
    #[input(start = 0.0)]
    pub r: f64,
    /// The unknown of this row
    #[output]
    pub x: f64,
    /// Coefficient of the unknown
    #[parameter(start = 3.0)]
    pub p: f64,
    /// Coefficient of the first of the others, at t = 0
    #[parameter(start = 0.1)]
    pub a: f64,
    /// How that one grows with time
    #[parameter(start = 0.0, unit = "1/s")]
    pub a_slope: f64,
    /// Coefficient of the second of the others, at t = 0
    #[parameter(start = 0.1)]
    pub b: f64,
    /// How that one grows with time
    #[parameter(start = 0.0, unit = "1/s")]
    pub b_slope: f64,
}

#[equations]
impl Model for LinearRow {
    fn outputs(&self, t: f64) -> Outputs<Self> {
        let (a, b) = (self.a + self.a_slope * t, self.b + self.b_slope * t);
        Outputs::<Self> {
            x: (self.r - a * self.u1 - b * self.u2) / self.p,
        }
    }
}

/// Right-hand sides that are constant, or grow with time: r = (1, t, 1) as printed in table 4.
#[model(stop_time = 10.0, step_size = 0.1)]
pub struct RightHandSide {
    /// Of the first row
    #[output]
    pub r1: f64,
    /// Of the second row
    #[output]
    pub r2: f64,
    /// Of the third row
    #[output]
    pub r3: f64,
    /// A sine
    #[output]
    pub wave: f64,
    /// How the second one grows
    #[parameter(start = 1.0, unit = "1/s")]
    pub slope: f64,
    /// Angular frequency of the sine
    #[parameter(start = 5.0, unit = "rad/s")]
    pub omega: f64,
}

#[equations]
impl Model for RightHandSide {
    fn outputs(&self, t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            r1: 1.0,
            r2: self.slope * t,
            r3: 1.0,
            wave: (self.omega * t).sin(),
        }
    }
}

/// The sum of three numbers.
#[model(stop_time = 10.0, step_size = 0.1)]
pub struct Sum {
    /// First
    #[input(start = 0.0)]
    pub u1: f64,
    /// Second
    #[input(start = 0.0)]
    pub u2: f64,
    /// Third
    #[input(start = 0.0)]
    pub u3: f64,
    /// Their sum
    #[output]
    pub y: f64,
}

#[equations]
impl Model for Sum {
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            y: self.u1 + self.u2 + self.u3,
        }
    }
}

/// How far a number is from e^-t: the measure of precision of table 2.
#[model(stop_time = 10.0, step_size = 0.1)]
pub struct Defect {
    /// What should be e^-t
    #[input(start = 1.0)]
    pub x: f64,
    /// What it lacks
    #[output]
    pub y: f64,
}

#[equations]
impl Model for Defect {
    fn outputs(&self, t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            y: (-t).exp() - self.x,
        }
    }
}

/// An exponential, for an equation that is not linear: y = e^-u.
#[model(stop_time = 10.0, step_size = 0.1)]
pub struct Exponential {
    /// Exponent, negative
    #[input(start = 0.0)]
    pub u: f64,
    /// e^-u
    #[output]
    pub y: f64,
}

#[equations]
impl Model for Exponential {
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> { y: (-self.u).exp() }
    }
}

/// A row of a system of differential equations with one product: x' = k + a x + b u1 + c u2 + m x u1.
#[model(stop_time = 50.0, step_size = 0.01, tolerance = 1e-9)]
pub struct BilinearRow {
    /// First of the others
    #[input(start = 0.0)]
    pub u1: f64,
    /// Second of the others
    #[input(start = 0.0)]
    pub u2: f64,
    /// The state of this row
    #[state(start = 1.0, output)]
    pub x: f64,
    /// Constant
    #[parameter(start = 0.0)]
    pub k: f64,
    /// Coefficient of the state
    #[parameter(start = 0.0)]
    pub a: f64,
    /// Coefficient of the first of the others
    #[parameter(start = 0.0)]
    pub b: f64,
    /// Coefficient of the second of the others
    #[parameter(start = 0.0)]
    pub c: f64,
    /// Coefficient of the product of the state and the first of the others
    #[parameter(start = 0.0)]
    pub m: f64,
}

#[equations]
impl Model for BilinearRow {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let linear = self.k + self.a * self.x + self.b * self.u1 + self.c * self.u2;
        Derivatives::<Self> {
            x: linear + self.m * self.x * self.u1,
        }
    }
}
