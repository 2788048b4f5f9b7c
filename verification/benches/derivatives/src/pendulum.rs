//! One half of a double pendulum, as a model with shared local variables and trigonometric functions.

use fmu_runtime::prelude::*;

/// The upper pendulum of two: the lower one pulls at it.
#[model]
pub struct UpperPendulum {
    /// Angle
    #[state(start = -1.0, unit = "rad")]
    pub alpha: f64,
    /// Angular velocity
    #[state(start = 0.5, unit = "rad/s")]
    pub omega: f64,
    /// Forces of the lower pendulum
    #[input(unit = "N")]
    pub u: [f64; 2],
    /// Accelerations of the joint
    #[output(unit = "m/s2")]
    pub y: [f64; 2],
    /// Mass
    #[parameter(start = 1.0, unit = "kg")]
    pub m: f64,
    /// Length
    #[parameter(start = 1.0, unit = "m")]
    pub l: f64,
    /// Damping
    #[parameter(start = 0.5)]
    pub d: f64,
    /// Tangential force
    #[local(unit = "N")]
    pub tangential: f64,
}

#[equations]
impl Model for UpperPendulum {
    fn locals(&self, _t: f64) -> Locals<Self> {
        let (sin, cos) = self.alpha.sin_cos();
        Locals::<Self> {
            tangential: self.u[0] * cos + (self.u[1] - self.m * 9.81) * sin,
        }
    }

    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            alpha: self.omega,
            omega: (self.tangential * self.l - self.d * self.omega) / (self.m * self.l.powi(2)),
        }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        let (sin, cos) = self.alpha.sin_cos();
        let centripetal = self.omega.powi(2) * self.l;
        Outputs::<Self> {
            y: [
                cos / self.m * self.tangential - centripetal * sin,
                sin / self.m * self.tangential + centripetal * cos,
            ],
        }
    }
}
