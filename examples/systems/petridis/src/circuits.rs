//! Circuits that are cut where current and voltage change their roles.

use fmu_runtime::prelude::*;

/// A source and a capacitor behind a resistor that varies with time (table 3): what current it takes at a voltage.
#[model(stop_time = 10.0, step_size = 0.1, tolerance = 1e-9)]
pub struct VaryingResistor {
    /// Voltage at the node
    #[input(start = 0.0, unit = "V")]
    pub vi: f64,
    /// Voltage of the capacitor
    #[state(start = 0.0, unit = "V", output)]
    pub x: f64,
    /// Current from the node
    #[output(unit = "A")]
    pub ii: f64,
    /// How far the resistance swings to both sides; negative: it falls first
    #[parameter(start = 1000.0, unit = "Ohm")]
    pub swing: f64,
    /// Angular frequency of the source
    #[parameter(start = 9.42477796076938, unit = "rad/s")]
    pub omega: f64,
}

#[equations]
impl Model for VaryingResistor {
    fn derivatives(&self, t: f64) -> Derivatives<Self> {
        // 0.5 x' + x - ii - sin(omega t) = 0
        Derivatives::<Self> {
            x: 2.0 * (self.current(t) + (self.omega * t).sin() - self.x),
        }
    }

    fn outputs(&self, t: f64) -> Outputs<Self> {
        Outputs::<Self> { ii: self.current(t) }
    }
}

#[equations]
impl VaryingResistor {
    fn current(&self, t: f64) -> f64 {
        (self.vi - self.x) / (self.swing * (0.2 * PI * t).sin() + 1001.0)
    }
}

/// pi, for the frequencies of table 3
const PI: f64 = std::f64::consts::PI;

/// The node between two varying resistors (table 3): what voltage it has at two currents.
#[model(stop_time = 10.0, step_size = 0.1, tolerance = 1e-9)]
pub struct Node {
    /// Current into the first branch
    #[input(start = 0.0, unit = "A")]
    pub ii1: f64,
    /// Current into the second branch
    #[input(start = 0.0, unit = "A")]
    pub ii2: f64,
    /// Voltage of the capacitor behind the node
    #[state(start = 0.0, unit = "V", output)]
    pub x3: f64,
    /// Voltage at the node
    #[output(unit = "V")]
    pub vi: f64,
}

#[equations]
impl Model for Node {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        // 0.0001 (x3 - vi) + 0.01 x3' = 0 and ii1 + ii2 = 0.0001 (x3 - vi)
        Derivatives::<Self> {
            x3: -100.0 * (self.ii1 + self.ii2),
        }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            vi: self.x3 - 1e4 * (self.ii1 + self.ii2),
        }
    }
}

/// The first part of a resistor-capacitor circuit (section 5.4): a source that switches, and most of the resistor.
#[model(stop_time = 6.0, step_size = 0.1)]
pub struct SourceResistor {
    /// Current
    #[input(start = 0.0, unit = "A")]
    pub i: f64,
    /// Voltage at the cut
    #[output(unit = "V")]
    pub y: f64,
    /// The other part of the resistor; both are 1 Ohm together
    #[parameter(start = 0.001, unit = "Ohm")]
    pub r_part2: f64,
    /// Voltage of the source: 0 V, from 2 s on 4 V, from 4 s on 2 V
    #[discrete(start = 0.0, unit = "V", output)]
    pub u: f64,
}

#[equations]
impl Model for SourceResistor {
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            y: self.u + self.i * (1.0 - self.r_part2),
        }
    }

    fn event(&mut self, at: Event) {
        self.u = match at.time {
            t if t < 2.0 => 0.0,
            t if t < 4.0 => 4.0,
            _ => 2.0,
        };
    }

    fn next_event_time(&self, t: f64) -> Option<f64> {
        [2.0, 4.0].into_iter().find(|&switch| switch > t)
    }
}

/// The second part (section 5.4): the rest of the resistor, and the capacitor.
#[model(stop_time = 6.0, step_size = 0.1, tolerance = 1e-9)]
pub struct ResistorCapacitor {
    /// Voltage at the cut
    #[input(start = 2.0, unit = "V")]
    pub y: f64,
    /// Voltage of the capacitor
    #[state(start = 2.0, unit = "V", output)]
    pub x: f64,
    /// Current
    #[output(unit = "A")]
    pub i: f64,
    /// This part of the resistor: the smaller, the closer the index is to two
    #[parameter(start = 0.001, unit = "Ohm", min = 1e-9)]
    pub r_part2: f64,
}

#[equations]
impl Model for ResistorCapacitor {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.current() }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> { i: self.current() }
    }
}

#[equations]
impl ResistorCapacitor {
    fn current(&self) -> f64 {
        (self.x - self.y) / self.r_part2
    }
}
