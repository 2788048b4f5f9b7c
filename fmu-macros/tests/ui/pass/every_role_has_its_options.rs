// One of everything.
use fmu_runtime::prelude::*;

/// How the valve is driven
#[derive(Enumeration, Clone, Copy, Debug, PartialEq)]
enum Mode {
    /// Nothing flows
    Closed = 1,
    /// Everything flows
    Open,
}

/// One of everything
#[model(
    name = "Everything",
    start_time = 1.0,
    stop_time = 2.0,
    step_size = 0.1,
    tolerance = 1e-6,
    author = "Anna",
    version = "1.0",
    copyright = "nobody",
    license = "MIT",
    log_categories("valve" = "Valve movements", "pump"),
    types(Pressure(unit = "Pa", display_unit = "bar", min = 0.0, nominal = 1e5, quantity = "Pressure", description = "Absolute")),
)]
#[derive(Debug)]
struct All {
    /// A state
    #[state(start = 1.0, unit = "m", min = -1.0, max = 1e3, nominal = 10.0, unbounded, output)]
    x: f64,
    #[state(start = [1.0, 2.0], initial = "exact")]
    pair: [f64; 2],
    #[state(initial = "calculated", declared_type = Pressure, display_unit = "bar")]
    p: f64,
    #[input(start = 293.15, unit = "K", display_unit = "degC", relative_quantity)]
    u: f64,
    #[input(discrete)]
    sample: f64,
    #[input]
    mode: Mode,
    #[output(discrete)]
    y: f64,
    #[output]
    label: String,
    #[local(output)]
    z: f64,
    #[local(discrete)]
    held: f64,
    #[parameter(start = GAINS[0] * 2.0)]
    k: f64,
    #[parameter(start = 3, min = 1, max = 5, tunable)]
    n: i32,
    #[parameter(calculated)]
    twice: f64,
    #[constant(start = 9.81, output)]
    g: f64,
    #[discrete(start = [false; 3], output)]
    flags: [bool; 3],
    #[discrete(start = "idle", initial = "approx")]
    state: String,
    #[internal(default = vec![1.0])]
    table: Vec<f64>,
}

const GAINS: [f64; 1] = [0.5];

#[equations]
impl Model for All {
    fn calculated(&self) -> Calculated<Self> {
        Calculated::<Self> { twice: 2.0 * self.k }
    }

    fn initial(&self, _t: f64) -> Initial<Self> {
        Initial::<Self> {
            p: 1e5,
            state: self.state.clone(),
        }
    }

    fn locals(&self, t: f64) -> Locals<Self> {
        Locals::<Self> {
            z: t + self.table[0],
            held: self.sample,
        }
    }

    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            x: self.u,
            pair: [self.x, self.k],
            p: 0.0,
        }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            y: self.held,
            label: format!("{:?} {:.1}", self.mode, self.x),
        }
    }
}

fn main() {
    let all = All::default();
    assert_eq!((all.k, all.mode, all.pair), (1.0, Mode::Closed, [1.0, 2.0]));
    assert_eq!(all.outputs(0.0).label, "Closed 1.0");
}
