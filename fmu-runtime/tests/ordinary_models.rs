//! Models as people write them: their structure, entry by entry and with its kinds, is the one that is found by hand.

use fmu_runtime::fmi2::full_description;
use fmu_runtime::prelude::*;
use std::path::Path;
use test_support::structure::structure;

const NO_NOTES: [&str; 0] = [];

/// Four tanks (Johansson 2000) with helper methods and a counter that no equation reads.
#[model]
struct QuadrupleTank {
    /// Levels
    #[state(start = [12.4, 12.7, 1.8, 1.4], unit = "cm")]
    h: [f64; 4],
    /// Pump voltages
    #[input(start = 3.0, unit = "V")]
    v: [f64; 2],
    /// Areas
    #[parameter(start = [28.0, 32.0, 28.0, 32.0], unit = "cm2")]
    area: [f64; 4],
    /// Outlets
    #[parameter(start = [0.071, 0.057, 0.071, 0.057], unit = "cm2")]
    outlet: [f64; 4],
    /// Pump gains
    #[parameter(start = [3.33, 3.35])]
    k: [f64; 2],
    /// Valve positions
    #[parameter(start = [0.7, 0.6], tunable)]
    gamma: [f64; 2],
    /// Batch number, for the operator
    #[parameter(start = 4711)]
    batch: i32,
    /// Name of the plant
    #[parameter(start = "lab")]
    plant: String,
    /// Level sensors
    #[output(unit = "V")]
    y: [f64; 2],
    /// A lower tank is nearly full
    #[output]
    full: bool,
}

#[equations]
impl QuadrupleTank {
    fn outflow(&self, i: usize) -> f64 {
        self.outlet[i] * (2.0 * 981.0 * self.h[i].max(0.0)).sqrt()
    }
    fn pumped(&self, i: usize) -> f64 {
        self.k[i] * self.v[i]
    }
}

#[equations]
impl QuadrupleTank {
    fn net(&self, i: usize) -> f64 {
        (match i {
            0 => self.outflow(2) + self.gamma[0] * self.pumped(0),
            1 => self.outflow(3) + self.gamma[1] * self.pumped(1),
            2 => (1.0 - self.gamma[1]) * self.pumped(1),
            _ => (1.0 - self.gamma[0]) * self.pumped(0),
        }) - self.outflow(i)
    }
}

#[equations]
impl Model for QuadrupleTank {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            h: std::array::from_fn(|i| self.net(i) / self.area[i]),
        }
    }
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            y: [0.5 * self.h[0], 0.5 * self.h[1]],
            full: self.h[0] > 19.0 || self.h[1] > 19.0,
        }
    }
}

#[test]
fn the_quadruple_tank() {
    let found = structure::<QuadrupleTank>();
    assert_eq!(
        found.derivatives(),
        [
            "der(h[1]): h[1] dependent, h[3] dependent, v[1] tunable",
            "der(h[2]): h[2] dependent, h[4] dependent, v[2] tunable",
            "der(h[3]): h[3] dependent, v[2] tunable",
            "der(h[4]): h[4] dependent, v[1] tunable",
        ]
    );
    assert_eq!(
        found.outputs(),
        [
            "y[1]: h[1] constant",
            "y[2]: h[2] constant",
            "full: h[1] dependent, h[2] dependent",
        ]
    );
    assert_eq!(found.notes, NO_NOTES);
}

/// Direction of an H-bridge
#[derive(Clone, Copy, Debug, PartialEq, Enumeration)]
enum Drive {
    Coast,
    Forward,
    Backward,
    Brake,
}

/// A motor behind an H-bridge.
#[model]
struct HBridge {
    /// Current
    #[state(start = 0.0, unit = "A", output)]
    i: f64,
    /// Speed
    #[state(start = 0.0, unit = "rad/s")]
    w: f64,
    /// Supply
    #[input(start = 12.0, unit = "V")]
    supply: f64,
    /// Load
    #[input(unit = "N.m")]
    load: f64,
    /// Drive
    #[input(start = Drive::Forward)]
    drive: Drive,
    /// Pulses counted so far
    #[discrete(start = 0)]
    pulses: i32,
    /// Resistance
    #[parameter(start = 1.0, unit = "Ohm")]
    r: f64,
    /// Inductance
    #[parameter(start = 1e-3, unit = "H")]
    l: f64,
    /// Motor constant
    #[parameter(start = 0.1)]
    k: f64,
    /// Voltage at the motor
    #[output(unit = "V")]
    voltage: f64,
    /// Current limit reached
    #[output]
    limited: bool,
}

#[equations]
impl HBridge {
    fn terminal(&self) -> f64 {
        match self.drive {
            Drive::Coast => self.k * self.w,
            Drive::Forward => self.supply,
            Drive::Backward => -self.supply,
            Drive::Brake => 0.0,
        }
    }
}

#[equations]
impl Model for HBridge {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            i: (self.terminal() - self.r * self.i - self.k * self.w) / self.l,
            w: self.k * self.i - self.load,
        }
    }
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            voltage: self.terminal(),
            limited: self.i.abs() > 10.0,
        }
    }
    fn event(&mut self, _at: Event) {
        self.pulses += 1;
    }
    fn event_indicators(&self, _t: f64) -> [f64; 1] {
        [self.i.abs() - 10.0]
    }
}

#[test]
fn the_h_bridge() {
    let found = structure::<HBridge>();
    assert_eq!(
        found.derivatives(),
        [
            "der(i): i fixed, w discrete, supply discrete, drive dependent",
            "der(w): i fixed, load constant",
        ]
    );
    assert_eq!(
        found.outputs(),
        [
            "i: i constant",
            "voltage: w discrete, supply discrete, drive dependent",
            "limited: i dependent",
        ]
    );
    assert_eq!(found.notes, NO_NOTES);
}

/// A wheel with a counter of its own.
#[model]
struct Wheel {
    /// Speed
    #[state(start = 10.0, unit = "rad/s")]
    w: f64,
    /// Torque
    #[input(unit = "N.m")]
    torque: f64,
    /// Vehicle speed
    #[input(unit = "m/s")]
    v: f64,
    /// Radius
    #[parameter(start = 0.3, unit = "m")]
    radius: f64,
    /// Revolutions
    #[discrete(start = 0)]
    revolutions: i32,
    /// Slip
    #[output]
    slip: f64,
    /// Force on the road
    #[output(unit = "N")]
    force: f64,
    /// It slips
    #[output]
    slips: bool,
}

#[equations]
impl Wheel {
    fn slip_speed(&self) -> f64 {
        self.w * self.radius - self.v
    }
}

#[equations]
impl Model for Wheel {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            w: self.torque - self.radius * 100.0 * self.slip_speed(),
        }
    }
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            slip: self.slip_speed(),
            force: 100.0 * self.slip_speed(),
            slips: self.slip_speed() > 1.0,
        }
    }
}

/// An axle of two wheels.
#[model]
struct Axle {
    #[part(connect(torque, v))]
    wheels: [Wheel; 2],
    /// Drive torque
    #[input(unit = "N.m")]
    torque: f64,
    /// Vehicle speed
    #[input(unit = "m/s")]
    v: f64,
    /// Force of both wheels
    #[output(unit = "N")]
    force: f64,
    /// Either wheel slips
    #[output]
    slips: bool,
}

#[equations]
impl Model for Axle {
    fn connections(&self, _t: f64) -> Connections<Self> {
        Connections::<Self> {
            wheels_torque: [0.5 * self.torque; 2],
            wheels_v: [self.v; 2],
        }
    }
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            force: self.wheels[0].force + self.wheels[1].force,
            slips: self.wheels.iter().any(|wheel| wheel.slips),
        }
    }
}

/// A vehicle of three levels of parts.
#[model]
struct Vehicle {
    #[part(connect(torque, v))]
    front: Axle,
    /// Speed
    #[state(start = 3.0, unit = "m/s", output)]
    v: f64,
    /// Mass
    #[parameter(start = 1000.0, unit = "kg")]
    mass: f64,
    /// Throttle
    #[input]
    throttle: f64,
    /// Acceleration
    #[output(unit = "m/s2")]
    acceleration: f64,
    /// Warning lamp
    #[output]
    lamp: bool,
    /// A hard pull
    #[output]
    hard: bool,
}

#[equations]
impl Model for Vehicle {
    fn connections(&self, _t: f64) -> Connections<Self> {
        Connections::<Self> {
            front_torque: 200.0 * self.throttle,
            front_v: self.v,
        }
    }
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            v: self.front.force / self.mass,
        }
    }
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            acceleration: self.front.force / self.mass,
            lamp: self.front.slips,
            hard: self.front.force > 500.0,
        }
    }
}

#[test]
fn a_vehicle_of_three_levels_of_parts() {
    let found = structure::<Vehicle>();
    let wheels = "front.wheels[1].w fixed, front.wheels[2].w fixed";
    let compared = "front.wheels[1].w dependent, front.wheels[2].w dependent, v dependent";
    let outputs = found.outputs();
    let own = |name: &str| {
        let start = format!("{name}:");
        outputs
            .iter()
            .find(|line| line.starts_with(&start))
            .cloned()
            .unwrap()
    };
    assert_eq!(own("v"), "v: v constant");
    assert_eq!(own("acceleration"), format!("acceleration: {wheels}, v fixed"));
    assert_eq!(own("lamp"), format!("lamp: {compared}"));
    assert_eq!(own("hard"), format!("hard: {compared}"));
    assert_eq!(own("front.slips"), format!("front.slips: {compared}"));
    assert_eq!(
        own("front.wheels[2].slips"),
        "front.wheels[2].slips: front.wheels[2].w dependent, v dependent"
    );
    assert_eq!(
        found.derivatives(),
        [
            "der(front.wheels[1].w): front.wheels[1].w fixed, v fixed, throttle constant".to_owned(),
            "der(front.wheels[2].w): front.wheels[2].w fixed, v fixed, throttle constant".to_owned(),
            format!("der(v): {wheels}, v fixed"),
        ]
    );
    assert_eq!(found.notes, NO_NOTES);
}

/// A transport delay by a ring of samples in internal fields.
#[model]
struct Conveyor {
    /// Flow onto the belt
    #[input(unit = "kg/s")]
    flow: f64,
    /// Gain of the scale
    #[parameter(start = 1.0, tunable)]
    gain: f64,
    /// The next sample
    #[discrete(start = 0.0, unit = "s")]
    next: f64,
    #[internal(default = vec![0.0; 16])]
    samples: Vec<f64>,
    #[internal(default = 0)]
    head: usize,
    #[internal(default = 1.0)]
    drift: f64,
    /// Mass on the scale
    #[state(start = 0.0, unit = "kg", output)]
    mass: f64,
    /// Flow off the belt
    #[output(unit = "kg/s")]
    delivered: f64,
    /// Flow off the belt less the flow onto it
    #[output(unit = "kg/s")]
    difference: f64,
    /// By a factor that is stored at events
    #[output(unit = "kg/s")]
    drifted: f64,
    /// Mean of the belt
    #[output(unit = "kg/s")]
    mean: f64,
}

#[equations]
impl Conveyor {
    fn oldest(&self) -> f64 {
        self.samples[self.head]
    }
}

#[equations]
impl Model for Conveyor {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            mass: self.samples[self.head],
        }
    }
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        let mut sum = 0.0;
        for sample in &self.samples {
            sum += *sample;
        }
        Outputs::<Self> {
            delivered: self.gain * self.oldest(),
            difference: self.oldest() - self.flow,
            drifted: self.drift * self.flow,
            mean: sum / self.samples.len() as f64,
        }
    }
    fn event(&mut self, at: Event) {
        self.samples[self.head] = self.flow;
        self.head = (self.head + 1) % self.samples.len();
        self.drift *= 1.01;
        self.next = at.time + 0.1;
    }
    fn next_event_time(&self, _t: f64) -> Option<f64> {
        Some(self.next)
    }
}

#[test]
fn a_transport_delay_by_internal_fields() {
    let found = structure::<Conveyor>();
    assert_eq!(found.derivatives(), ["der(mass): "]);
    assert_eq!(
        found.outputs(),
        [
            "mass: mass constant",
            "delivered: ",
            "difference: flow constant",
            "drifted: flow discrete",
            "mean: ",
        ]
    );
    assert_eq!(found.notes, NO_NOTES);
}

/// The next random number.
fn draw(random: &mut u64) -> f64 {
    *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    (*random >> 11) as f64 / (1u64 << 53) as f64 - 0.5
}

/// A sensor with noise that is drawn at events.
#[model]
struct NoisySensor {
    /// The quantity
    #[input]
    x: f64,
    /// Amplitude
    #[parameter(start = 0.1, tunable)]
    amplitude: f64,
    /// Seed
    #[parameter(start = 1)]
    seed: i32,
    /// Noise of this sample
    #[discrete(start = 0.0)]
    noise: f64,
    #[internal]
    random: u64,
    /// What is measured
    #[output]
    y: f64,
    /// Beyond the range
    #[output]
    saturated: bool,
}

#[equations]
impl NoisySensor {
    fn measured(&self) -> f64 {
        self.x + self.amplitude * self.noise
    }
}

#[equations]
impl Model for NoisySensor {
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            y: self.measured(),
            saturated: self.measured().abs() > 1.0,
        }
    }
    fn event(&mut self, at: Event) {
        if at.initial {
            self.random = self.seed as u64;
        }
        self.noise = draw(&mut self.random);
    }
    fn next_event_time(&self, t: f64) -> Option<f64> {
        Some(t + 0.1)
    }
}

#[test]
fn a_noisy_sensor() {
    let found = structure::<NoisySensor>();
    assert_eq!(found.outputs(), ["y: x constant", "saturated: x dependent"]);
    assert_eq!(found.notes, NO_NOTES);
}

/// A gain that a helper method takes from an input, so that it would be computed from whichever value the input had when
/// it was read first.
#[model]
struct Scaled {
    /// What comes in
    #[input(start = 2.0)]
    u: f64,
    /// Twice that
    #[parameter(calculated)]
    gain: f64,
    /// What goes out
    #[output]
    y: f64,
}

#[equations]
impl Scaled {
    fn twice(&self) -> f64 {
        2.0 * self.u
    }
}

#[equations]
impl Model for Scaled {
    fn calculated(&self) -> Calculated<Self> {
        Calculated::<Self> { gain: self.twice() }
    }
    fn outputs(&self, t: f64) -> Outputs<Self> {
        Outputs::<Self> { y: self.gain * t }
    }
}

#[test]
fn a_calculated_parameter_that_follows_an_input_is_refused() {
    let error = full_description::<Scaled>(Path::new("")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`fn calculated` computes `gain` from `u`, but a calculated parameter is constant during a simulation \
         (FMI 2.0.5, 2.2.7); make it a `#[local]`, and compute it in `fn locals`"
    );
}
