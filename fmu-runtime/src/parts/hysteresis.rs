//! A switch with two thresholds.

use crate::prelude::*;

/// A switch that turns on above one threshold, and off below a lower one.
///
/// ```
/// use fmu_runtime::native::{Native, Options};
/// use fmu_runtime::parts::Hysteresis;
/// use fmu_runtime::prelude::*;
///
/// /// A tank with a pump that empties it
/// #[model]
/// struct Tank {
///     /// Level
///     #[state(start = 1.5)]
///     level: f64,
///     /// Pump, on above 2 m and off below 1 m
///     #[part(connect(u), default = Hysteresis { low: 1.0, high: 2.0, ..Hysteresis::default() })]
///     pump: Hysteresis,
/// }
///
/// #[equations]
/// impl Model for Tank {
///     fn connections(&self, _t: f64) -> Connections<Self> {
///         Connections::<Self> { pump_u: self.level }
///     }
///     fn derivatives(&self, _t: f64) -> Derivatives<Self> {
///         Derivatives::<Self> { level: if self.pump.on { -0.5 } else { 0.25 } }
///     }
/// }
///
/// # fn main() -> Result<(), ModelError> {
/// let mut tank = Native::new(Tank::default());
/// tank.initialize(0.0)?;
/// // 2 s to the upper threshold, 2 s to the lower one, 4 s up again.
/// tank.simulate(9.0, Options::default())?;
/// assert_eq!(tank.events(), 3);
/// assert!(tank.pump.on && (tank.level - 1.5).abs() < 1e-9);
/// # Ok(())
/// # }
/// ```
#[model]
#[derive(Debug)]
pub struct Hysteresis {
    /// Watched value
    #[input(start = 0.0)]
    pub u: f64,
    /// Switched on
    #[discrete(start = false)]
    pub on: bool,
    /// Threshold below which it turns off
    #[parameter(start = 0.0, tunable)]
    pub low: f64,
    /// Threshold above which it turns on
    #[parameter(start = 1.0, tunable)]
    pub high: f64,
}

#[equations]
impl Model for Hysteresis {
    fn event_indicators(&self, _t: f64) -> [f64; 1] {
        [if self.on {
            self.u - self.low
        } else {
            self.u - self.high
        }]
    }

    fn event(&mut self, _at: Event) {
        self.on = if self.on {
            self.u > self.low
        } else {
            self.u > self.high
        };
    }
}
