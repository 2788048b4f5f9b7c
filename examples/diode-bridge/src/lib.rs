//! A rectifier: voltages that no formula gives, only equations.
//!
//! The current through a diode is an exponential of its voltage, and the voltages of four diodes in a bridge depend on all
//! four currents. No formula solves these equations for the voltages. An `#[implicit]` variable is an unknown of such
//! equations: `fn residuals` returns one number for each, and the FMU finds the values at which all of them are zero, at
//! every point in time. `start` is the guess with which that begins. Derivatives of everything that depends on the
//! unknowns stay exact.

use fmu_runtime::prelude::*;

/// Current through a diode at the voltage of its junction. The leakage decides how diodes that block share a voltage.
#[differentiable]
fn diode(v: f64, saturation: f64, thermal: f64, leakage: f64) -> f64 {
    saturation * ((v / thermal).exp() - 1.0) + leakage * v
}

/// A bridge of four diodes between an alternating source and a capacitor with a load.
#[model(stop_time = 0.04, step_size = 0.0001)]
pub struct DiodeBridge {
    /// Voltage of the capacitor
    #[state(start = 0.0, unit = "V", output)]
    pub vc: f64,
    /// Voltages of the junctions: to the positive side from each end of the source, from the negative side to each end
    #[implicit(start = [0.5, -1.0, -1.0, 0.5], unit = "V")]
    pub v: [f64; 4],
    /// Current of the source
    #[local(unit = "A", output)]
    pub current: f64,
    /// Amplitude of the source
    #[parameter(start = 10.0, unit = "V")]
    pub amplitude: f64,
    /// Frequency of the source
    #[parameter(start = 50.0, unit = "Hz", min = 0.0)]
    pub frequency: f64,
    /// Phase of the source at time 0
    #[parameter(start = 0.5, unit = "rad")]
    pub phase: f64,
    /// Resistance of the source
    #[parameter(start = 10.0, unit = "Ohm", min = 0.0)]
    pub source: f64,
    /// Resistance of each diode
    #[parameter(start = 0.5, unit = "Ohm", min = 0.0)]
    pub bulk: f64,
    /// Saturation current of each diode
    #[parameter(start = 1e-9, unit = "A", min = 0.0, nominal = 1e-9)]
    pub saturation: f64,
    /// Thermal voltage
    #[parameter(start = 0.02585, unit = "V", min = 0.0, nominal = 0.02585)]
    pub thermal: f64,
    /// Leakage of each diode
    #[parameter(start = 1e-5, unit = "S", min = 0.0, nominal = 1e-5)]
    pub leakage: f64,
    /// Resistance of the load
    #[parameter(start = 1000.0, unit = "Ohm", min = 0.0)]
    pub load: f64,
    /// Capacitance
    #[parameter(start = 1e-4, unit = "F", min = 0.0, nominal = 1e-4)]
    pub capacitance: f64,
}

#[equations]
impl DiodeBridge {
    /// Voltage of the source without a current.
    fn open_circuit(&self, t: f64) -> f64 {
        self.amplitude * (2.0 * std::f64::consts::PI * self.frequency * t + self.phase).sin()
    }

    /// Currents through the diodes.
    fn currents(&self) -> [f64; 4] {
        self.v
            .map(|v| diode(v, self.saturation, self.thermal, self.leakage))
    }
}

#[equations]
impl Model for DiodeBridge {
    fn locals(&self, _t: f64) -> Locals<Self> {
        let i = self.currents();
        Locals::<Self> { current: i[0] - i[2] }
    }

    fn residuals(&self, t: f64) -> Residuals<Self> {
        let i = self.currents();
        let drop = |k: usize| self.v[k] + self.bulk * i[k];
        Residuals::<Self> {
            v: [
                // Around the capacitor, by way of each end of the source.
                drop(0) + drop(2) + self.vc,
                drop(1) + drop(3) + self.vc,
                // What leaves the source at one end comes back at the other.
                i[0] - i[2] + i[1] - i[3],
                // Around the source.
                drop(3) - drop(2) + self.source * self.current - self.open_circuit(t),
            ],
        }
    }

    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let i = self.currents();
        Derivatives::<Self> {
            vc: (i[0] + i[1] - self.vc / self.load) / self.capacitance,
        }
    }
}

export_fmu!(DiodeBridge);
