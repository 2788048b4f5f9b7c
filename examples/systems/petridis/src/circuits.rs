//! Circuits that are cut where current and voltage change their roles.

use fmu_runtime::prelude::*;

/// A source and a capacitor behind a resistor that varies with time (table 3). It takes the voltage of the node and gives
/// its current, or the other way round.
#[model(stop_time = 10.0, step_size = 0.1, tolerance = 1e-9)]
pub struct VaryingResistor {
    /// Voltage at the node
    #[input(start = 0.0, unit = "V")]
    pub vi: f64,
    /// Current from the node, where the branch takes a current
    #[input(start = 0.0, unit = "A")]
    pub i: f64,
    /// Voltage of the capacitor
    #[state(start = 0.0, unit = "V", output)]
    pub x: f64,
    /// Current from the node, that belongs to its voltage
    #[output(unit = "A")]
    pub ii: f64,
    /// Voltage at the node, that belongs to its current
    #[output(unit = "V")]
    pub v: f64,
    /// It takes the current, not the voltage
    #[parameter(start = false)]
    pub takes_current: bool,
    /// How far the resistance swings to both sides; negative: it falls first
    #[parameter(start = 1000.0, unit = "Ohm")]
    pub swing: f64,
    /// Angular frequency of the source
    #[parameter(start = 9.42477796076938, unit = "rad/s", min = 1e-3)]
    pub omega: f64,
    /// The source jumps between 1 and -1 in place of swinging
    #[parameter(start = false)]
    pub jumps: bool,
    /// What the source jumps between
    #[discrete(start = 1.0, unit = "V")]
    pub level: f64,
    /// Jumps of the source so far
    #[discrete(start = 0)]
    pub switched: i32,
}

#[equations]
impl Model for VaryingResistor {
    fn derivatives(&self, t: f64) -> Derivatives<Self> {
        let current = if self.takes_current {
            self.i
        } else {
            self.current(t)
        };
        let source = if self.jumps {
            self.level
        } else {
            (self.omega * t).sin()
        };
        // 0.5 x' + x - ii - source = 0
        Derivatives::<Self> {
            x: 2.0 * (current + source - self.x),
        }
    }

    fn outputs(&self, t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            ii: self.current(t),
            v: self.x + self.resistance(t) * self.i,
        }
    }

    fn event(&mut self, at: Event) {
        if at.scheduled {
            self.switched += 1;
            self.level = -self.level;
        }
    }

    fn next_event_time(&self, _t: f64) -> Option<f64> {
        self.jumps.then(|| f64::from(self.switched + 1) * PI / self.omega)
    }
}

#[equations]
impl VaryingResistor {
    fn resistance(&self, t: f64) -> f64 {
        self.swing * (0.2 * PI * t).sin() + 1001.0
    }

    fn current(&self, t: f64) -> f64 {
        (self.vi - self.x) / self.resistance(t)
    }
}

/// pi, for the frequencies of table 3
const PI: f64 = std::f64::consts::PI;

/// The node between two varying resistors (table 3), with its capacitor behind a large resistor. What it takes and what it
/// gives is the direction of the signals.
#[model(stop_time = 10.0, step_size = 0.1, tolerance = 1e-9)]
pub struct Node {
    /// Current into the first branch
    #[input(start = 0.0, unit = "A")]
    pub ii1: f64,
    /// Current into the second branch
    #[input(start = 0.0, unit = "A")]
    pub ii2: f64,
    /// Voltage at the node, where a branch gives it
    #[input(start = 0.0, unit = "V")]
    pub v: f64,
    /// Voltage of the first capacitor, where the node has both resistors
    #[input(start = 0.0, unit = "V")]
    pub x1: f64,
    /// Voltage of the second capacitor, where the node has both resistors
    #[input(start = 0.0, unit = "V")]
    pub x2: f64,
    /// Voltage of the capacitor of another node
    #[input(start = 0.0, unit = "V")]
    pub other: f64,
    /// Voltage of the capacitor behind the node
    #[state(start = 0.0, unit = "V", output)]
    pub x3: f64,
    /// Voltage at the node, from both currents
    #[output(unit = "V")]
    pub vi: f64,
    /// Current into the first branch, from the voltage and the other current
    #[output(unit = "A")]
    pub rest: f64,
    /// Current into the first branch, from the voltages of all capacitors
    #[output(unit = "A")]
    pub current1: f64,
    /// Current into the second branch, from the voltages of all capacitors
    #[output(unit = "A")]
    pub current2: f64,
    /// Voltage at the node, from the voltages of all capacitors
    #[output(unit = "V")]
    pub between: f64,
    /// What it takes: 0 both currents, 1 the voltage and the second current, 2 the voltages of the capacitors
    #[parameter(start = 0, min = 0, max = 2)]
    pub direction: i32,
    /// How far both resistances swing, in opposite directions, where the node has them
    #[parameter(start = 1000.0, unit = "Ohm")]
    pub swing: f64,
    /// Conductance to the capacitor of another node
    #[parameter(start = 0.0, unit = "S", min = 0.0)]
    pub link: f64,
}

#[equations]
impl Model for Node {
    fn derivatives(&self, t: f64) -> Derivatives<Self> {
        // 0.0001 (x3 - vi) + 0.01 x3' = 0 and ii1 + ii2 = 0.0001 (x3 - vi)
        let x3 = if self.direction == 0 {
            -100.0 * (self.ii1 + self.ii2)
        } else if self.direction == 1 {
            0.01 * (self.v - self.x3)
        } else {
            0.01 * (self.solved(t) - self.x3)
        };
        Derivatives::<Self> {
            x3: x3 + 100.0 * self.link * (self.other - self.x3),
        }
    }

    fn outputs(&self, t: f64) -> Outputs<Self> {
        let [g1, g2] = self.conductances(t);
        let between = self.solved(t);
        Outputs::<Self> {
            vi: self.x3 - 1e4 * (self.ii1 + self.ii2),
            rest: 1e-4 * (self.x3 - self.v) - self.ii2,
            current1: g1 * (between - self.x1),
            current2: g2 * (between - self.x2),
            between,
        }
    }
}

#[equations]
impl Node {
    fn conductances(&self, t: f64) -> [f64; 2] {
        let swing = self.swing * (0.2 * PI * t).sin();
        [1.0 / (1001.0 + swing), 1.0 / (1001.0 - swing)]
    }

    fn solved(&self, t: f64) -> f64 {
        let [g1, g2] = self.conductances(t);
        (g1 * self.x1 + g2 * self.x2 + 1e-4 * self.x3) / (g1 + g2 + 1e-4)
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
