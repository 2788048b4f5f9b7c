//! Tables 7.2 and 7.3 of Andersson 2016: a part of a coupled system alone, in co-simulation, with inputs in segments as
//! a master would give them.

use fmu_runtime::cosim::{CoSimulation, Facts, Options, Solver, Workspace};
use fmu_runtime::evaluator::{Evaluator, Stale};
use fmu_runtime::model::Model;
use fmu_runtime::prelude::*;
use fmu_runtime::solver::bdf::Crossover;
use fmu_runtime::solver::{DormandPrince, Statistics, System, Tolerance};
use std::f64::consts::FRAC_PI_2;

const END: f64 = 2.0;

/// One column of a table.
pub struct Column {
    pub statistics: Statistics,
    /// The largest error at a communication point.
    pub error: f64,
    /// Steps, evaluations, Jacobians and failures of the error test, as published; none for what is ours alone.
    pub published: Option<[u64; 4]>,
}

impl Column {
    /// Second derivatives are evaluated at communication points only; they count as evaluations.
    pub fn cost(&self) -> u64 {
        self.statistics.evaluations + self.statistics.second_derivatives
    }
}

/// Restart, proceed, corrected in x', corrected in x' and x'', and our own correction.
pub type Table = [Column; 5];

const CROSSOVERS: [Crossover; 5] = [
    Crossover::Restart,
    Crossover::Proceed,
    Crossover::First,
    Crossover::FirstAndSecond,
    Crossover::Adaptive,
];

/// The right one of two masses with 20 linear segments. The source does not say where the masses begin.
pub fn table_7_2() -> Table {
    let published = [
        [598, 847, 19, 22],
        [876, 1257, 17, 87],
        [584, 833, 11, 47],
        [343, 466, 19, 18],
    ];
    let start = [1.0, 0.0, 0.0, 0.0];
    let points = reference(both_masses, start, 20);
    let segments: Vec<Segment<2>> = points[..20]
        .iter()
        .map(|&(t, x)| Segment {
            t,
            u: [x[0], x[1]],
            du: [x[1], both_masses(t, x)[1]],
        })
        .collect();
    table::<RightMass, 2>(&segments, right_mass, published)
}

/// The left one of two pendula with 40 constant segments.
pub fn table_7_3() -> Table {
    let published = [
        [1377, 1989, 55, 69],
        [1962, 2858, 38, 210],
        [1275, 1792, 24, 102],
        [850, 1144, 39, 42],
    ];
    let start = [FRAC_PI_2, 0.0, -FRAC_PI_2, 0.0];
    let points = reference(both_pendula, start, 40);
    let segments: Vec<Segment<3>> = points[..40]
        .iter()
        .map(|&(t, x)| Segment {
            t,
            u: forces(t, [x[0], x[2]], 0),
            du: [0.0; 3],
        })
        .collect();
    table::<LeftPendulum, 3>(&segments, left_pendulum, published)
}

/// Inputs from one communication point to the next.
struct Segment<const M: usize> {
    t: f64,
    u: [f64; M],
    du: [f64; M],
}

/// Runs a model, its two states before its inputs, with each way to cross over.
fn table<M: Model, const N: usize>(
    segments: &[Segment<N>],
    f: fn([f64; 2], [f64; N]) -> [f64; 2],
    published: [[u64; 4]; 4],
) -> Table {
    let mut published = published.into_iter();
    CROSSOVERS.map(|crossover| {
        let (statistics, error) = run::<M, N>(segments, f, crossover);
        Column {
            statistics,
            error,
            published: published.next(),
        }
    })
}

fn run<M: Model, const N: usize>(
    segments: &[Segment<N>],
    f: fn([f64; 2], [f64; N]) -> [f64; 2],
    crossover: Crossover,
) -> (Statistics, f64) {
    let options = match crossover {
        // As users of an FMU select it.
        Crossover::FirstAndSecond => Options::with(Solver::FirstAndSecondBdf),
        other => Options::with(Solver::Bdf).with_crossover(other),
    };
    let mut evaluator = Evaluator::new(Box::<M>::default());
    let mut cosimulation = CoSimulation::new(&Facts::of::<M>().unwrap(), options);
    let mut workspace = Workspace::default();
    set(&mut evaluator, &mut cosimulation, &segments[0]);
    evaluator.enter_initialization(0.0);
    evaluator.exit_initialization().unwrap();
    cosimulation.initialize(&mut evaluator, &mut workspace).unwrap();
    let (mut exact, mut x, mut error) = ([0.0; 2], [0.0; 2], 0.0f64);
    evaluator.states(&mut exact);
    for (i, segment) in segments.iter().enumerate() {
        let to = END * (i + 1) as f64 / segments.len() as f64;
        set(&mut evaluator, &mut cosimulation, segment);
        cosimulation
            .advance(&mut evaluator, &mut workspace, to, |_| {})
            .unwrap();
        let with_inputs = |t: f64, x: [f64; 2]| {
            f(
                x,
                std::array::from_fn(|j| segment.u[j] + (t - segment.t) * segment.du[j]),
            )
        };
        exact = tight(with_inputs, exact, segment.t, to);
        evaluator.states(&mut x);
        for (x, exact) in x.iter().zip(exact) {
            error = error.max((x - exact).abs());
        }
    }
    (cosimulation.statistics(), error)
}

/// What a master does at a communication point.
fn set<M: Model, const N: usize>(
    evaluator: &mut Evaluator<M>,
    cosimulation: &mut CoSimulation,
    segment: &Segment<N>,
) {
    for j in 0..N {
        evaluator.set_real(2 + j, segment.u[j], Stale::BY_VARIABLE);
        cosimulation.inputs_changed();
        assert!(cosimulation.set_input_derivative(2 + j, 1, segment.du[j]));
    }
}

/// The solution of the whole system at all communication points.
fn reference(f: fn(f64, [f64; 4]) -> [f64; 4], start: [f64; 4], segments: usize) -> Vec<(f64, [f64; 4])> {
    let mut points = vec![(0.0, start)];
    for i in 1..=segments {
        let (from, x) = points[i - 1];
        let to = END * i as f64 / segments as f64;
        points.push((to, tight(f, x, from, to)));
    }
    points
}

struct Closed<const N: usize, F>(F);

impl<const N: usize, F: Fn(f64, [f64; N]) -> [f64; N]> System for Closed<N, F> {
    type Error = ModelError;

    fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        dx.copy_from_slice(&(self.0)(t, x.try_into()?));
        Ok(())
    }
}

fn tight<const N: usize>(f: impl Fn(f64, [f64; N]) -> [f64; N], x: [f64; N], from: f64, to: f64) -> [f64; N] {
    let mut solver = DormandPrince::new(N, Tolerance::new(1e-13, &[1e-13; N]));
    let mut system = Closed(f);
    solver.restart(from, &x);
    while solver.time() < to {
        solver.step(&mut system, to).unwrap();
    }
    solver.states().try_into().unwrap()
}

const K: [f64; 3] = [10.0, 25.0, 50.0];
const C: [f64; 3] = [1.0, 0.1, 2.0];

/// Equation 7.16, as x1, v1, x2, v2.
fn both_masses(_t: f64, [x1, v1, x2, v2]: [f64; 4]) -> [f64; 4] {
    let a1 = -(K[0] + K[1]) * x1 - (C[0] + C[1]) * v1 + K[1] * x2 + C[1] * v2;
    let [_, a2] = right_mass([x2, v2], [x1, v1]);
    [v1, a1, v2, a2]
}

fn right_mass([x, v]: [f64; 2], [u1, u2]: [f64; 2]) -> [f64; 2] {
    [v, -(K[2] + K[1]) * x - (C[2] + C[1]) * v + K[1] * u1 + C[1] * u2]
}

/// The right mass alone, equation 7.17.
#[model]
pub struct RightMass {
    /// Position
    #[state(start = 0.0)]
    x: f64,
    /// Velocity
    #[state(start = 0.0)]
    v: f64,
    /// Position of the left mass
    #[input(start = 0.0)]
    u1: f64,
    /// Velocity of the left mass
    #[input(start = 0.0)]
    u2: f64,
}

#[equations]
impl Model for RightMass {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            x: self.v,
            v: -75.0 * self.x - 2.1 * self.v + 25.0 * self.u1 + 0.1 * self.u2,
        }
    }
}

/// Two pendula, with a spring of stiffness 1 between their bobs and the pivots moved by sin t: Pannu 2015, section 3.2,
/// with the signs of the geometry. As angle, angular velocity, angle, angular velocity.
fn both_pendula(t: f64, x: [f64; 4]) -> [f64; 4] {
    let one = |i: usize| left_pendulum([x[2 * i], x[2 * i + 1]], forces(t, [x[0], x[2]], i));
    let ([a, b], [c, d]) = (one(0), one(1));
    [a, b, c, d]
}

/// Of the `i`-th pendulum: acceleration of the pivot, force on the bob.
fn forces(t: f64, angles: [f64; 2], i: usize) -> [f64; 3] {
    const PIVOTS: [f64; 2] = [-2.0, 2.0];
    let bob = |i: usize| (PIVOTS[i] + angles[i].sin(), -angles[i].cos());
    let (own, other) = (bob(i), bob(1 - i));
    [t.sin(), other.0 - own.0, other.1 - own.1]
}

fn left_pendulum([angle, velocity]: [f64; 2], [u1, u2, u3]: [f64; 3]) -> [f64; 2] {
    [velocity, (-9.81 + u3) * angle.sin() + (u1 + u2) * angle.cos()]
}

/// The left pendulum alone, equation 7.18.
#[model]
pub struct LeftPendulum {
    /// Angle
    #[state(start = FRAC_PI_2)]
    angle: f64,
    /// Angular velocity
    #[state(start = 0.0)]
    velocity: f64,
    /// Acceleration of the pivot
    #[input(start = 0.0)]
    u1: f64,
    /// Horizontal force of the spring
    #[input(start = 0.0)]
    u2: f64,
    /// Vertical force of the spring
    #[input(start = 0.0)]
    u3: f64,
}

#[equations]
impl Model for LeftPendulum {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            angle: self.velocity,
            velocity: (-9.81 + self.u3) * self.angle.sin() + (self.u1 + self.u2) * self.angle.cos(),
        }
    }
}
