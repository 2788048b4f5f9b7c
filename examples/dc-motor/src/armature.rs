//! The electrical side.

use fmu_runtime::prelude::*;

/// A coil with a resistance, in which the rotation induces a voltage.
#[model]
pub struct Armature {
    /// Current
    #[state(start = 0.0, unit = "A")]
    pub current: f64,
    /// Voltage at the terminals
    #[input(start = 0.0, unit = "V")]
    pub voltage: f64,
    /// Voltage that the rotation induces
    #[input(start = 0.0, unit = "V")]
    pub back_voltage: f64,
    /// Resistance
    #[parameter(start = 1.0, unit = "Ohm", min = 0.0)]
    pub resistance: f64,
    /// Inductance
    #[parameter(start = 0.01, unit = "H", display_unit = "mH", min = 1e-9)]
    pub inductance: f64,
}

#[equations]
impl Model for Armature {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let voltage = self.voltage - self.back_voltage - self.resistance * self.current;
        Derivatives::<Self> {
            current: voltage / self.inductance,
        }
    }
}
