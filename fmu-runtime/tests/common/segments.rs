//! Tables 7.2 and 7.3 of Andersson 2016: a part of a coupled system alone, with inputs in segments as a master would give them.

use super::systems::stiff::{Dense, System};
use fmu_runtime::solver::bdf::{Bdf, Crossover, Pattern};
use fmu_runtime::solver::{DormandPrince, Statistics, Tolerance};
use std::f64::consts::FRAC_PI_2;

pub const END: f64 = 2.0;
const TOLERANCE: f64 = 1e-6;

/// One column of a table.
pub struct Column {
    pub crossover: Crossover,
    pub statistics: Statistics,
    /// The largest error at a communication point.
    pub error: f64,
    /// Steps, evaluations, Jacobians and failures of the error test, as published.
    pub published: [u64; 4],
}

/// In the order of [`Crossover`].
pub type Table = [Column; 4];

const CROSSOVERS: [Crossover; 4] = [
    Crossover::Restart,
    Crossover::Proceed,
    Crossover::First,
    Crossover::FirstAndSecond,
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
    let (times, points) = reference(BothMasses, start, 20);
    let segments: Vec<RightMass> = (0..20)
        .map(|i| {
            let derivatives = BothMasses.f(times[i], points[i]);
            RightMass {
                t0: times[i],
                u: [points[i][0], points[i][1]],
                du: [derivatives[0], derivatives[1]],
            }
        })
        .collect();
    table(&segments, [start[2], start[3]], published)
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
    let (times, points) = reference(BothPendula, start, 40);
    let segments: Vec<Pendulum> = (0..40)
        .map(|i| Pendulum {
            u: BothPendula::inputs(times[i], [points[i][0], points[i][2]], 0),
        })
        .collect();
    table(&segments, [start[0], start[1]], published)
}

fn table<D: Dense<2> + Clone>(segments: &[D], start: [f64; 2], published: [[u64; 4]; 4]) -> Table {
    let mut published = published.into_iter();
    CROSSOVERS.map(|crossover| {
        let (statistics, error) = run(segments, start, crossover);
        Column {
            crossover,
            statistics,
            error,
            published: published.next().unwrap_or_default(),
        }
    })
}

fn run<D: Dense<2> + Clone>(segments: &[D], start: [f64; 2], crossover: Crossover) -> (Statistics, f64) {
    let tolerance = Tolerance::new(TOLERANCE, &[TOLERANCE; 2]);
    let mut solver = Bdf::new(&Pattern::dense(2), tolerance).with_crossover(crossover);
    solver.restart(0.0, &start);
    let (mut exact, mut error) = (start, 0.0f64);
    for (i, segment) in segments.iter().enumerate() {
        let from = END * i as f64 / segments.len() as f64;
        let to = END * (i + 1) as f64 / segments.len() as f64;
        let mut system = System(segment.clone());
        while solver.time() < to {
            solver.step(&mut system, to).unwrap();
        }
        solver.cross_over();
        exact = tight(segment.clone(), exact, from, to);
        for (x, exact) in solver.states().iter().zip(exact) {
            error = error.max((x - exact).abs());
        }
    }
    (solver.statistics(), error)
}

/// The solution of the whole system at all communication points.
fn reference<D: Dense<4> + Copy>(system: D, start: [f64; 4], segments: usize) -> (Vec<f64>, Vec<[f64; 4]>) {
    let times: Vec<f64> = (0..=segments).map(|i| END * i as f64 / segments as f64).collect();
    let mut points = vec![start];
    for pair in times.windows(2) {
        points.push(tight(system, points[points.len() - 1], pair[0], pair[1]));
    }
    (times, points)
}

fn tight<const N: usize>(system: impl Dense<N>, x: [f64; N], from: f64, to: f64) -> [f64; N] {
    let mut solver = DormandPrince::new(N, Tolerance::new(1e-13, &[1e-13; N]));
    let mut system = System(system);
    solver.restart(from, &x);
    while solver.time() < to {
        solver.step(&mut system, to).unwrap();
    }
    solver.states().try_into().unwrap()
}

const K: [f64; 3] = [10.0, 25.0, 50.0];
const C: [f64; 3] = [1.0, 0.1, 2.0];

/// Equation 7.16, as x1, v1, x2, v2.
#[derive(Clone, Copy)]
struct BothMasses;

impl Dense<4> for BothMasses {
    fn f(&self, _t: f64, [x1, v1, x2, v2]: [f64; 4]) -> [f64; 4] {
        let a1 = -(K[0] + K[1]) * x1 - (C[0] + C[1]) * v1 + K[1] * x2 + C[1] * v2;
        let a2 = -(K[2] + K[1]) * x2 - (C[2] + C[1]) * v2 + K[1] * x1 + C[1] * v1;
        [v1, a1, v2, a2]
    }

    fn jacobian(&self, _t: f64, _x: [f64; 4]) -> [[f64; 4]; 4] {
        unreachable!("the reference is explicit")
    }
}

/// Equation 7.17 with its inputs by equation 7.3.
#[derive(Clone)]
struct RightMass {
    t0: f64,
    u: [f64; 2],
    du: [f64; 2],
}

impl Dense<2> for RightMass {
    fn f(&self, t: f64, [x, v]: [f64; 2]) -> [f64; 2] {
        let [u1, u2] = [0, 1].map(|i| self.u[i] + (t - self.t0) * self.du[i]);
        [v, -(K[2] + K[1]) * x - (C[2] + C[1]) * v + K[1] * u1 + C[1] * u2]
    }

    fn jacobian(&self, _t: f64, _x: [f64; 2]) -> [[f64; 2]; 2] {
        [[0.0, 1.0], [-(K[2] + K[1]), -(C[2] + C[1])]]
    }

    fn by_time(&self, _t: f64, _x: [f64; 2]) -> [f64; 2] {
        [0.0, K[1] * self.du[0] + C[1] * self.du[1]]
    }
}

/// Two pendula, with a spring of stiffness 1 between their bobs and the pivots moved by sin t: the coupled pendula of an aggregation paper, section 3.2, with
/// the signs of the geometry. As angle, angular velocity, angle, angular velocity.
#[derive(Clone, Copy)]
struct BothPendula;

impl BothPendula {
    /// Of the `i`-th pendulum: acceleration of the pivot, force on the bob.
    fn inputs(t: f64, angles: [f64; 2], i: usize) -> [f64; 3] {
        const PIVOTS: [f64; 2] = [-2.0, 2.0];
        let bob = |i: usize| (PIVOTS[i] + angles[i].sin(), -angles[i].cos());
        let (own, other) = (bob(i), bob(1 - i));
        [t.sin(), other.0 - own.0, other.1 - own.1]
    }
}

impl Dense<4> for BothPendula {
    fn f(&self, t: f64, x: [f64; 4]) -> [f64; 4] {
        let acceleration = |i: usize| {
            let u = BothPendula::inputs(t, [x[0], x[2]], i);
            Pendulum { u }.f(t, [x[2 * i], x[2 * i + 1]])[1]
        };
        [x[1], acceleration(0), x[3], acceleration(1)]
    }

    fn jacobian(&self, _t: f64, _x: [f64; 4]) -> [[f64; 4]; 4] {
        unreachable!("the reference is explicit")
    }
}

/// Equation 7.18.
#[derive(Clone)]
struct Pendulum {
    u: [f64; 3],
}

const G: f64 = 9.81;

impl Dense<2> for Pendulum {
    fn f(&self, _t: f64, [x1, x2]: [f64; 2]) -> [f64; 2] {
        let [u1, u2, u3] = self.u;
        [x2, (-G + u3) * x1.sin() + (u1 + u2) * x1.cos()]
    }

    fn jacobian(&self, _t: f64, [x1, _x2]: [f64; 2]) -> [[f64; 2]; 2] {
        let [u1, u2, u3] = self.u;
        [[0.0, 1.0], [(-G + u3) * x1.cos() - (u1 + u2) * x1.sin(), 0.0]]
    }
}
