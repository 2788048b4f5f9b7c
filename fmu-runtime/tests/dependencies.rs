//! `ModelStructure` as the equations have it: published patterns, and shapes that a guess would get wrong.

#[path = "common/hidden.rs"]
mod hidden;
use test_support::structure as lines;

use fmu_runtime::prelude::*;
use lines::structure;
use std::time::{Duration, Instant};

/// The quadruple tank (Johansson 2000), as a Modelica model of it has been published.
#[model]
struct QuadTank {
    /// Areas of the tanks
    #[parameter(start = 4.9e-4, unit = "m2")]
    area: [f64; 4],
    /// Areas of the outlets
    #[parameter(start = 0.03e-4, unit = "m2")]
    outlet: [f64; 4],
    /// Gravity
    #[parameter(start = 9.81, unit = "m/s2")]
    g: f64,
    /// Pump gains
    #[parameter(start = 0.56e-6, tunable)]
    k: [f64; 2],
    /// Share of the flow to the lower tanks
    #[parameter(start = 0.3)]
    share: [f64; 2],
    /// Levels
    #[state(start = [0.0627, 0.06044, 0.024, 0.023], unit = "m")]
    x: [f64; 4],
    /// Pump voltages
    #[input(unit = "V")]
    u: [f64; 2],
}

#[equations]
impl Model for QuadTank {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let out = |i: usize| self.outlet[i] * (2.0 * self.g * self.x[i]).sqrt();
        let pump = |i: usize| self.k[i] * self.u[i];
        Derivatives::<Self> {
            x: [
                (out(2) - out(0) + self.share[0] * pump(0)) / self.area[0],
                (out(3) - out(1) + self.share[1] * pump(1)) / self.area[1],
                ((1.0 - self.share[1]) * pump(1) - out(2)) / self.area[2],
                ((1.0 - self.share[0]) * pump(0) - out(3)) / self.area[3],
            ],
        }
    }
}

#[test]
fn the_quadruple_tank_couples_as_published() {
    assert_eq!(
        structure::<QuadTank>().derivatives(),
        [
            "der(x[1]): x[1] dependent, x[3] dependent, u[1] tunable",
            "der(x[2]): x[2] dependent, x[4] dependent, u[2] tunable",
            "der(x[3]): x[3] dependent, u[2] tunable",
            "der(x[4]): x[4] dependent, u[1] tunable",
        ]
    );
}

/// The upper half of a double pendulum (Andersson 2016, example 6.2.1).
#[model]
struct UpperPendulum {
    /// Angle
    #[state(start = -1.0, unit = "rad")]
    alpha: f64,
    /// Angular velocity
    #[state(start = 0.0, unit = "rad/s")]
    omega: f64,
    /// Forces of the lower pendulum
    #[input(unit = "N")]
    u: [f64; 2],
    /// Accelerations of the joint
    #[output(unit = "m/s2")]
    y: [f64; 2],
    /// Mass
    #[parameter(start = 1.0, unit = "kg")]
    m: f64,
    /// Length
    #[parameter(start = 1.0, unit = "m")]
    l: f64,
    /// Damping
    #[parameter(start = 0.5)]
    d: f64,
    /// Tangential force
    #[local(unit = "N")]
    tangential: f64,
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

#[test]
fn the_upper_pendulum_feeds_every_force_through() {
    let found = structure::<UpperPendulum>();
    let all = "alpha dependent, omega dependent, u[1] dependent, u[2] dependent";
    assert_eq!(found.outputs(), [format!("y[1]: {all}"), format!("y[2]: {all}")]);
    assert_eq!(
        found.derivatives(),
        [
            "der(alpha): omega constant",
            "der(omega): alpha dependent, omega fixed, u[1] dependent, u[2] dependent"
        ]
    );
}

/// The lower half of the double pendulum.
#[model]
struct LowerPendulum {
    /// Angle
    #[state(start = 0.3, unit = "rad")]
    alpha: f64,
    /// Angular velocity
    #[state(start = 0.0, unit = "rad/s")]
    omega: f64,
    /// Accelerations of the joint
    #[input(unit = "m/s2")]
    u: [f64; 2],
    /// Forces on the upper pendulum
    #[output(unit = "N")]
    y: [f64; 2],
    /// Mass
    #[parameter(start = 1.5, unit = "kg")]
    m: f64,
    /// Length
    #[parameter(start = 1.0, unit = "m")]
    l: f64,
}

#[equations]
impl Model for LowerPendulum {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let (sin, cos) = self.alpha.sin_cos();
        Derivatives::<Self> {
            alpha: self.omega,
            omega: (-9.81 * sin - self.u[0] * cos - self.u[1] * sin) / self.l,
        }
    }
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        let (sin, cos) = self.alpha.sin_cos();
        let tension = self.m * (self.u[0] * sin - self.u[1] * cos - self.l * self.omega.powi(2) - 9.81 * cos);
        Outputs::<Self> {
            y: [-tension * sin, tension * cos],
        }
    }
}

#[test]
fn the_lower_pendulum_feeds_every_acceleration_through() {
    let found = structure::<LowerPendulum>();
    let all = "alpha dependent, omega dependent, u[1] dependent, u[2] dependent";
    assert_eq!(found.outputs(), [format!("y[1]: {all}"), format!("y[2]: {all}")]);
    assert_eq!(
        found.derivatives(),
        [
            "der(alpha): omega constant",
            "der(omega): alpha dependent, u[1] dependent, u[2] dependent"
        ]
    );
}

/// Twelve branches inside each other, and a square root by iteration.
#[model]
struct Nested {
    /// What the branches look at
    #[input]
    gate: [f64; 12],
    /// What one combination alone reveals
    #[input]
    secret: f64,
    /// What the iteration is about
    #[state(start = 2.0)]
    x: f64,
    /// The secret, if all gates stand as they must
    #[output]
    revealed: f64,
    /// The square root
    #[output]
    root: f64,
    /// Beside all that
    #[output]
    beside: f64,
}

#[equations]
impl Model for Nested {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        let mut open = 0;
        while open < 12 && (self.gate[open] > 0.5) == (open % 3 == 0) {
            open += 1;
        }
        let mut root = self.x;
        while (root * root - self.x).abs() > 1e-12 {
            root = 0.5 * (root + self.x / root);
        }
        Outputs::<Self> {
            revealed: if open == 12 { self.secret } else { 0.0 },
            root,
            beside: 2.0 * self.gate[3],
        }
    }
}

#[test]
fn nested_branches_are_followed_and_an_endless_loop_is_dense_for_what_it_reaches() {
    let found = structure::<Nested>();
    let outputs = found.outputs();
    let gates: Vec<String> = (1..=12).map(|i| format!("gate[{i}] dependent")).collect();
    assert_eq!(
        outputs[0],
        format!("revealed: {}, secret dependent", gates.join(", "))
    );
    assert_eq!(
        outputs[1],
        format!(
            "root: {}, secret dependent, x dependent, time dependent",
            gates.join(", ")
        )
    );
    assert_eq!(outputs[2], "beside: gate[4] constant");
    assert_eq!(found.derivatives(), ["der(x): x constant"]);
    // One line, with the variable and the place.
    assert_eq!(found.notes.len(), 1, "{:?}", found.notes);
    assert!(
        found
            .notes
            .iter()
            .all(|note| note.starts_with("root ") && note.contains("dependencies.rs"))
    );
}

/// A switch and a table of modes
#[derive(Enumeration, Clone, Copy)]
enum Mode {
    Off,
    Slow,
    Fast,
}

/// Dependence on variables of other types than `f64`.
#[model]
struct Switched {
    /// A number
    #[input]
    u: f64,
    /// Another
    #[input]
    w: f64,
    /// A switch
    #[input]
    on: bool,
    /// A mode
    #[input(start = Mode::Off)]
    mode: Mode,
    /// A count
    #[input]
    n: i32,
    /// Sampled by events
    #[discrete(start = 2.0)]
    gain: f64,
    /// Set once
    #[discrete(start = false)]
    latched: bool,
    /// Switched
    #[output]
    switched: f64,
    /// By mode
    #[output]
    by_mode: f64,
    /// Count as a number
    #[output]
    counted: f64,
    /// Sampled gain
    #[output]
    amplified: f64,
    /// Latch
    #[output]
    held: f64,
    /// A comparison
    #[output]
    above: bool,
    /// Time
    #[output]
    clock: f64,
    /// Nothing at all
    #[output]
    fixed: f64,
}

#[equations]
impl Model for Switched {
    fn outputs(&self, t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            switched: if self.on { self.u } else { 0.0 },
            by_mode: match self.mode {
                Mode::Off => 0.0,
                Mode::Slow => self.u,
                Mode::Fast if self.w > 1.0 => 2.0 * self.u,
                Mode::Fast => self.u,
            },
            counted: self.n as f64,
            amplified: self.gain * self.u,
            held: if self.latched { self.w } else { 3.0 },
            above: self.u > self.w,
            clock: 2.0 * t,
            fixed: 1.0,
        }
    }
}

#[test]
fn control_and_discrete_variables_count() {
    let found = structure::<Switched>();
    assert_eq!(
        found.outputs(),
        [
            "switched: u discrete, on dependent",
            "by_mode: u dependent, w dependent, mode dependent",
            "counted: n dependent",
            "amplified: u discrete",
            "held: w discrete",
            "above: u dependent, w dependent",
            "clock: time constant",
            "fixed: ",
        ]
    );
}

/// Calculated parameters and initial equations.
#[model]
struct Started {
    /// Height
    #[parameter(start = 2.0)]
    height: f64,
    /// Density
    #[parameter(start = 3.0, tunable)]
    rho: f64,
    /// Product
    #[parameter(calculated, tunable)]
    p0: f64,
    /// Pressure
    #[state(initial = "calculated", output)]
    p: f64,
    /// Given
    #[state(start = 1.0, output)]
    q: f64,
    /// Input
    #[input]
    u: f64,
}

#[equations]
impl Model for Started {
    fn calculated(&self) -> Calculated<Self> {
        Calculated::<Self> {
            p0: self.rho * self.height,
        }
    }
    fn initial(&self, t: f64) -> Initial<Self> {
        Initial::<Self> {
            p: self.p0 + t + 2.0 * self.u,
        }
    }
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            p: self.p0 * self.q,
            q: self.height * self.p,
        }
    }
}

#[test]
fn initial_unknowns_follow_their_own_equations() {
    let found = structure::<Started>();
    assert_eq!(found.derivatives(), ["der(p): q tunable", "der(q): p fixed"]);
    assert_eq!(
        found.initial_unknowns(),
        [
            "p0: height dependent, rho dependent",
            "p: height dependent, rho dependent, u constant, time constant",
            "der(p): height dependent, rho dependent, q dependent",
            "der(q): height dependent, rho dependent, u dependent, time dependent",
        ]
    );
}

/// A rod with a valve in every cell: the flow decides from which side it takes the temperature.
#[model]
struct Upwind<const N: usize = 1000> {
    /// Temperatures
    #[state(start = 300.0)]
    temperature: [f64; N],
    /// Flows
    #[input(start = 1.0)]
    flow: [f64; N],
}

#[equations]
impl<const N: usize> Model for Upwind<N> {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let mut temperature = [0.0; N];
        for (i, rate) in temperature.iter_mut().enumerate() {
            let left = if i > 0 { self.temperature[i - 1] } else { 300.0 };
            let right = if i + 1 < N { self.temperature[i + 1] } else { 300.0 };
            *rate = if self.flow[i] > 0.0 {
                self.flow[i] * (left - self.temperature[i])
            } else {
                self.flow[i] * (self.temperature[i] - right)
            };
        }
        Derivatives::<Self> { temperature }
    }
}

#[test]
fn a_decision_in_every_cell_stays_local() {
    let start = Instant::now();
    let found = structure::<Upwind<1000>>();
    let elapsed = start.elapsed();
    assert_eq!(found.notes, Vec::<String>::new());
    for (row, unknown) in found.description.model_structure.derivatives.iter().enumerate() {
        let on = unknown.dependencies.as_ref().unwrap();
        let expected = if row == 0 || row == 999 { 3 } else { 4 };
        assert_eq!(on.len(), expected, "{}", found.line(unknown));
    }
    if !cfg!(debug_assertions) {
        assert!(elapsed < Duration::from_secs(5), "{elapsed:?}");
    }
}
