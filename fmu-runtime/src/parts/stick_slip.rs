//! Dry friction that sticks.

use crate::prelude::*;

/// Dry friction: the contact slides with a constant force against the motion, or sticks until the other forces are larger
/// than the breakaway force.
///
/// Connect `velocity` with the relative velocity in the contact, and `load` with the sum of all other forces on the body (for a
/// contact that accelerates: less mass times acceleration). Add `force` to the forces on the body. While the contact sticks,
/// `force` is the opposite of `load`.
///
/// ```
/// use fmu_runtime::native::{Native, Options};
/// use fmu_runtime::parts::StickSlip;
/// use fmu_runtime::prelude::*;
///
/// /// A sledge of 1 kg that slides until it stops
/// #[model]
/// struct Sledge {
///     /// Velocity
///     #[state(start = 3.0, unit = "m/s")]
///     v: f64,
///     /// Friction
///     #[part(connect(velocity, load), default = StickSlip { sliding: 2.0, breakaway: 2.5, ..StickSlip::default() })]
///     friction: StickSlip,
/// }
///
/// #[equations]
/// impl Model for Sledge {
///     fn connections(&self, _t: f64) -> Connections<Self> {
///         Connections::<Self> { friction_velocity: self.v, friction_load: 0.0 }
///     }
///     fn derivatives(&self, _t: f64) -> Derivatives<Self> {
///         Derivatives::<Self> { v: self.friction.force }
///     }
/// }
///
/// # fn main() -> Result<(), ModelError> {
/// let mut sledge = Native::new(Sledge::default());
/// sledge.initialize(0.0)?;
/// sledge.simulate(1.0, Options::default())?;
/// assert!((sledge.v - 1.0).abs() < 1e-9 && sledge.friction.direction == 1);
/// sledge.simulate(10.0, Options::default())?;
/// assert!(sledge.v.abs() < 1e-9 && sledge.friction.direction == 0, "it sticks from t = 1.5 s on");
/// # Ok(())
/// # }
/// ```
#[model]
#[derive(Debug)]
pub struct StickSlip {
    /// Relative velocity
    #[input(start = 0.0, unit = "m/s")]
    pub velocity: f64,
    /// Sum of all other forces
    #[input(start = 0.0, unit = "N")]
    pub load: f64,
    /// Force of the friction
    #[output(unit = "N")]
    pub force: f64,
    /// Direction in which the contact slides; 0 while it sticks
    #[discrete(start = 0, min = -1, max = 1)]
    pub direction: i32,
    /// Force while the contact slides
    #[parameter(start = 1.0, unit = "N", min = 0.0)]
    pub sliding: f64,
    /// Largest force while the contact sticks
    #[parameter(start = 1.0, unit = "N", min = 0.0)]
    pub breakaway: f64,
}

#[equations]
impl Model for StickSlip {
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            force: match self.direction {
                0 => -self.load,
                1 => -self.sliding,
                _ => self.sliding,
            },
        }
    }

    fn event_indicators(&self, _t: f64) -> [f64; 1] {
        [match self.direction {
            0 => self.breakaway - self.load.abs(),
            1 => self.velocity,
            _ => -self.velocity,
        }]
    }

    fn event(&mut self, at: Event) {
        let pulled = if self.load > 0.0 { 1 } else { -1 };
        let sticks = self.load.abs() <= self.breakaway;
        self.direction = match self.direction {
            // A contact that moves at the start slides.
            0 if at.initial && self.velocity > 0.0 => 1,
            0 if at.initial && self.velocity < 0.0 => -1,
            0 if sticks => 0,
            0 => pulled,
            direction if f64::from(direction) * self.velocity > 0.0 => direction,
            _ if sticks => 0,
            _ => pulled,
        };
    }
}
