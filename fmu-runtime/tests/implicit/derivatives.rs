//! Derivatives by the implicit function theorem.

use super::{Bridge, Chain, SATURATION, THERMAL, cardano, initialized, simulate};
use fmu_runtime::cosim::{Options, Workspace};
use fmu_runtime::prelude::*;
use fmu_runtime::tangent::{Tangent, Unknowns};

/// Solves a linear system by Gauss, with the largest pivots.
fn gauss<const N: usize>(mut a: [[f64; N]; N], mut b: [f64; N]) -> [f64; N] {
    for k in 0..N {
        let pivot = (k..N)
            .max_by(|i, j| a[*i][k].abs().total_cmp(&a[*j][k].abs()))
            .unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..N {
            let factor = a[i][k] / a[k][k];
            let above = a[k];
            for (entry, above) in a[i][k..].iter_mut().zip(&above[k..]) {
                *entry -= factor * above;
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..N).rev() {
        let rest: f64 = (k + 1..N).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - rest) / a[k][k];
    }
    b
}

/// `dv/du` and `dv/dvc` of the bridge, by hand.
pub fn by_hand(bridge: &Bridge) -> ([f64; 4], [f64; 4]) {
    let g = bridge.v.map(|v| SATURATION * (v / THERMAL).exp() / THERMAL);
    let d = g.map(|g| 1.0 + bridge.rd * g);
    let (rs, rows) = (bridge.rs, [[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]]);
    let jacobian = [
        std::array::from_fn(|k| rows[0][k] * d[k]),
        std::array::from_fn(|k| rows[1][k] * d[k]),
        [g[0], g[1], -g[2], -g[3]],
        [rs * g[0], 0.0, -d[2] - rs * g[2], d[3]],
    ];
    (
        gauss(jacobian, [0.0, 0.0, 0.0, 1.0]),
        gauss(jacobian, [-1.0, -1.0, 0.0, 0.0]),
    )
}

#[test]
fn derivatives_of_a_bridge_are_those_of_the_implicit_function_theorem() {
    for (u, vc) in [(5.0, 2.0), (-7.0, 1.0), (0.3, 0.2), (12.0, 8.0)] {
        let mut evaluator = initialized(Bridge {
            u,
            vc,
            ..Bridge::default()
        });
        let solved = evaluator.solved().unwrap();
        let bridge = solved.0.clone();
        let mut tangent = Tangent::<Bridge, 2>::new(&bridge);
        tangent.load_solved(solved, 0.0);
        // Slots: vc, u, then the voltages.
        tangent.seed_real(1, 0, 1.0);
        tangent.seed_state(0, 1, 1.0);
        tangent.evaluate(Unknowns::ALL).unwrap();
        let (by_u, by_vc) = by_hand(&bridge);
        for k in 0..4 {
            let found = tangent.real(2 + k).lanes;
            for (found, exact) in found.into_iter().zip([by_u[k], by_vc[k]]) {
                assert!(
                    (found - exact).abs() <= 1e-12 * exact.abs().max(1.0),
                    "{u} {vc}: {found} {exact}"
                );
            }
        }
        let slope = |v: f64| SATURATION * (v / THERMAL).exp() / THERMAL;
        let current = |by: [f64; 4]| slope(bridge.v[0]) * by[0] + slope(bridge.v[1]) * by[1];
        let by_state = (current(by_vc) - 1.0 / bridge.load) / bridge.c;
        let [by_input, found] = tangent.derivatives()[0].lanes;
        assert!(
            (found - by_state).abs() <= 1e-12 * by_state.abs(),
            "{found} {by_state}"
        );
        let exact = current(by_u) / bridge.c;
        assert!(
            (by_input - exact).abs() <= 1e-12 * exact.abs().max(1.0),
            "{by_input} {exact}"
        );
        // A tangent that finds the factors by itself has the same derivatives.
        let mut alone = Tangent::<Bridge, 2>::new(&bridge);
        alone.load(&bridge, 0.0);
        alone.seed_real(1, 0, 1.0);
        alone.seed_state(0, 1, 1.0);
        alone.evaluate(Unknowns::ALL).unwrap();
        for (own, given) in alone.derivatives()[0]
            .lanes
            .into_iter()
            .zip(tangent.derivatives()[0].lanes)
        {
            assert!((own - given).abs() <= 1e-13 * given.abs(), "{own} {given}");
        }
    }
}

#[test]
fn derivatives_through_parts_agree_with_those_of_cardano() {
    let mut evaluator = initialized(Chain::default());
    let solved = evaluator.solved().unwrap();
    let mut tangent = Tangent::<Chain, 1>::new(solved.0);
    tangent.load_solved(solved, 0.0);
    tangent.seed_state(0, 0, 1.0);
    tangent.evaluate(Unknowns::ALL).unwrap();
    // dy/du = 1 / (1 + 3 y^2).
    let by = |y: f64| 1.0 / (1.0 + 3.0 * y * y);
    let y1 = cardano(2.0);
    let y2 = cardano(2.0 * y1);
    let y3 = cardano(y2 + 2.0);
    let dy2 = by(y2) * 2.0 * by(y1);
    let exact = -0.5 * by(y3) * (dy2 + 1.0) / (y3 + 3.0).sqrt();
    let found = tangent.derivatives()[0].lanes[0];
    assert!((found - exact).abs() < 1e-14, "{found} {exact}");
}

/// `y + e^y = t`: all derivatives by time are known.
#[model]
struct Lambert {
    /// Solution
    #[implicit(start = 0.0, output)]
    y: f64,
    /// It twice, and a state's share
    #[output]
    twice: f64,
    /// State
    #[state(start = 1.0)]
    x: f64,
}

#[equations]
impl Model for Lambert {
    fn residuals(&self, t: f64) -> Residuals<Self> {
        Residuals::<Self> {
            y: self.y + self.y.exp() - t,
        }
    }
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            twice: 2.0 * self.y + self.x,
        }
    }
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: self.y }
    }
}

#[test]
fn derivatives_by_time_to_order_three_have_their_closed_form() {
    let (mut evaluator, cosimulation) = simulate(Lambert::default(), Options::default(), 1.5, 3);
    let mut workspace = Workspace::default();
    evaluator
        .ensure(fmu_runtime::evaluator::Stale::FOR_OUTPUTS)
        .unwrap();
    let y = evaluator.model().y;
    let series = workspace.series(&mut evaluator, &cosimulation).unwrap();
    // With e = e^y: y' = 1/(1+e), y'' = -e y'^3, y''' = e (2 e - 1) y'^5.
    let e = y.exp();
    let d1 = 1.0 / (1.0 + e);
    let d2 = -e * d1.powi(3);
    let d3 = e * (2.0 * e - 1.0) * d1.powi(5);
    for (k, exact) in [(1, d1), (2, d2), (3, d3)] {
        let found = series.derivative(0, k);
        assert!((found - exact).abs() < 1e-14, "{k}: {found} {exact}");
    }
    // twice' = 2 y' + y, and so on.
    for (k, exact) in [(1, 2.0 * d1 + y), (2, 2.0 * d2 + d1), (3, 2.0 * d3 + d2)] {
        let found = series.derivative(1, k);
        assert!((found - exact).abs() < 1e-13, "{k}: {found} {exact}");
    }
}

#[cfg(feature = "bdf")]
#[test]
fn the_stiff_integrator_has_exact_jacobians_and_agrees_with_the_other_one() {
    use super::junction;
    use fmu_runtime::cosim::Solver;
    let bridge = || Bridge {
        u: 9.0,
        ..Bridge::default()
    };
    let options = |solver| {
        let mut options = Options::default();
        (options.tolerance, options.solver) = (1e-9, solver);
        options
    };
    let (explicit, _) = simulate(bridge(), options(Solver::DormandPrince), 0.2, 4);
    let (stiff, cosimulation) = simulate(bridge(), options(Solver::Bdf), 0.2, 4);
    let (a, b) = (explicit.model().vc, stiff.model().vc);
    assert!((a - b).abs() < 1e-6, "{a} {b}");
    assert!(cosimulation.statistics().jacobians > 0);
    // At rest the current through the load is that through two diodes.
    let i = stiff.model().v.map(junction);
    assert!(i[0] > 0.0 && i[3] > 0.0);
}

#[test]
fn no_derivatives_are_made_of_differences_of_a_model_at_another_point() {
    // The Jacobian belongs to the point at which the evaluator is, not to the one before.
    let mut evaluator = initialized(Bridge::default());
    evaluator.solved().unwrap();
    evaluator.set_states(&[3.0]);
    let solved = evaluator.solved().unwrap();
    let mut tangent = Tangent::<Bridge, 1>::new(solved.0);
    tangent.load_solved(solved, 0.0);
    tangent.seed_state(0, 0, 1.0);
    tangent.evaluate(Unknowns::ALL).unwrap();
    let (_, by_vc) = by_hand(evaluator.model());
    let found = tangent.real(2).lanes[0];
    assert!(
        (found - by_vc[0]).abs() <= 1e-12 * by_vc[0].abs(),
        "{found} {}",
        by_vc[0]
    );
}
