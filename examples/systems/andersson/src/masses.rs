//! Two masses between three springs and three dampers (section 6.4.1, parameters of table 7.1), cut in the middle.

use fmu_runtime::prelude::*;

/// The left mass (equation 6.85): how far the right one is away goes in, position and velocity come out.
#[model(stop_time = 10.0, step_size = 0.085, tolerance = 1e-9)]
pub struct LeftMass {
    /// Distance to the other mass
    #[input(start = 0.0, unit = "m")]
    pub distance: f64,
    /// How that changes
    #[input(start = 0.0, unit = "m/s")]
    pub approach: f64,
    /// Position
    #[state(start = 1.0, unit = "m", output)]
    pub x: f64,
    /// Velocity
    #[state(start = 0.0, unit = "m/s", output)]
    pub v: f64,
    /// Mass
    #[parameter(start = 1.0, unit = "kg", min = 1e-3)]
    pub m1: f64,
    /// Spring to the wall
    #[parameter(start = 10.0, unit = "N/m")]
    pub k1: f64,
    /// Spring between the masses
    #[parameter(start = 25.0, unit = "N/m")]
    pub k2: f64,
    /// Damper to the wall
    #[parameter(start = 1.0, unit = "N.s/m")]
    pub c1: f64,
    /// Damper between the masses
    #[parameter(start = 0.1, unit = "N.s/m")]
    pub c2: f64,
}

#[equations]
impl Model for LeftMass {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let own = -self.k1 * self.x - self.c1 * self.v;
        let coupled = self.k2 * self.distance + self.c2 * self.approach;
        Derivatives::<Self> {
            x: self.v,
            v: (own + coupled) / self.m1,
        }
    }
}

/// The right mass (equation 6.86): position and velocity of the left one go in, how far it is away comes out.
#[model(stop_time = 10.0, step_size = 0.085, tolerance = 1e-9)]
pub struct RightMass {
    /// Position of the other mass
    #[input(start = 0.0, unit = "m")]
    pub x1: f64,
    /// Velocity of the other mass
    #[input(start = 0.0, unit = "m/s")]
    pub v1: f64,
    /// Position
    #[state(start = 0.0, unit = "m", output)]
    pub x: f64,
    /// Velocity
    #[state(start = 0.0, unit = "m/s")]
    pub v: f64,
    /// Distance to the other mass
    #[output(unit = "m")]
    pub distance: f64,
    /// How that changes
    #[output(unit = "m/s")]
    pub approach: f64,
    /// Mass
    #[parameter(start = 1.0, unit = "kg", min = 1e-3)]
    pub m2: f64,
    /// Spring between the masses
    #[parameter(start = 25.0, unit = "N/m")]
    pub k2: f64,
    /// Spring to the wall
    #[parameter(start = 50.0, unit = "N/m")]
    pub k3: f64,
    /// Damper between the masses
    #[parameter(start = 0.1, unit = "N.s/m")]
    pub c2: f64,
    /// Damper to the wall
    #[parameter(start = 2.0, unit = "N.s/m")]
    pub c3: f64,
}

#[equations]
impl Model for RightMass {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let own = -(self.k3 + self.k2) * self.x - (self.c3 + self.c2) * self.v;
        let coupled = self.k2 * self.x1 + self.c2 * self.v1;
        Derivatives::<Self> {
            x: self.v,
            v: (own + coupled) / self.m2,
        }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            distance: self.x - self.x1,
            approach: self.v - self.v1,
        }
    }
}
