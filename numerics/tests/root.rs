//! Implicit unknowns: values at rounding, few evaluations, damping, and why there is no solution.

use fmu_numerics::{Residuals, Root, Square, WhyNoRoot};

/// Equations as a function, with the Jacobian as another one: `matrix[row][column]`.
struct Given<const N: usize, F, J>(F, J);

impl<const N: usize, F, J> Residuals for Given<N, F, J>
where
    F: Fn([f64; N]) -> Option<[f64; N]>,
    J: Fn([f64; N]) -> [[f64; N]; N],
{
    type Error = &'static str;

    fn residuals(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), Self::Error> {
        let x: [f64; N] = x.try_into().map_err(|_| "length")?;
        r.copy_from_slice(&(self.0)(x).ok_or("outside")?);
        Ok(())
    }

    fn jacobian(&mut self, x: &[f64], r: &mut [f64], matrix: &mut Square) -> Result<(), Self::Error> {
        self.residuals(x, r)?;
        let rows = (self.1)(x.try_into().map_err(|_| "length")?);
        *matrix = Square::from_fn(N, |row, column| rows[row][column]);
        Ok(())
    }
}

const THERMAL: f64 = 0.02585;

/// Four diodes in series with resistors, each node coupled with its neighbours: exponentials that are steep.
fn ladder(source: f64) -> impl Residuals<Error = &'static str> {
    let current = |v: f64| 1e-9 * ((v / THERMAL).exp() - 1.0);
    let slope = |v: f64| 1e-9 * (v / THERMAL).exp() / THERMAL;
    let neighbour = |x: [f64; 4], k: usize| [x[(k + 3) % 4], x[(k + 1) % 4]];
    Given(
        move |x: [f64; 4]| {
            let node = |k: usize| {
                let [a, b] = neighbour(x, k);
                current(x[k]) + (x[k] - a) / 50.0 + (x[k] - b) / 70.0 - (source - x[k]) / (100.0 + k as f64)
            };
            Some(std::array::from_fn(node))
        },
        move |x: [f64; 4]| {
            let mut rows = [[0.0; 4]; 4];
            for k in 0..4 {
                rows[k][k] = slope(x[k]) + 1.0 / 50.0 + 1.0 / 70.0 + 1.0 / (100.0 + k as f64);
                rows[k][(k + 3) % 4] -= 1.0 / 50.0;
                rows[k][(k + 1) % 4] -= 1.0 / 70.0;
            }
            rows
        },
    )
}

#[test]
fn four_unknowns_within_1e_4_take_four_evaluations_and_two_factorizations() {
    let mut root = Root::new(&[1.0; 4]);
    root.solve(&mut ladder(5.0), &[0.6; 4]).unwrap();
    let exact: Vec<f64> = root.x().to_vec();
    for offsets in [
        [1e-4, 1e-4, 1e-4, 1e-4],
        [-1e-4, 1e-4, 3e-5, -1e-4],
        [1e-5, 0.0, -1e-6, 1e-4],
    ] {
        let start: Vec<f64> = exact.iter().zip(offsets).map(|(x, offset)| x + offset).collect();
        let before = root.statistics();
        root.solve(&mut ladder(5.0), &start).unwrap();
        let after = root.statistics();
        let evaluations = after.evaluations - before.evaluations;
        let factorizations = after.factorizations - before.factorizations;
        assert!(evaluations <= 4, "{evaluations} evaluations");
        assert!(factorizations <= 2, "{factorizations} factorizations");
        for (found, exact) in root.x().iter().zip(&exact) {
            assert!(
                (found - exact).abs() <= 4.0 * f64::EPSILON * exact.abs(),
                "{found} {exact}"
            );
        }
    }
}

#[test]
fn the_result_depends_on_nothing_but_the_start() {
    let mut root = Root::new(&[1.0; 4]);
    root.solve(&mut ladder(5.0), &[0.5; 4]).unwrap();
    let first = root.x().to_vec();
    root.solve(&mut ladder(-3.0), &[0.5; 4]).unwrap();
    root.solve(&mut ladder(5.0), &[0.5; 4]).unwrap();
    assert_eq!(root.x(), first);
}

#[test]
fn a_far_start_of_a_steep_exponential_is_damped() {
    // From 0 V the first step of Newton's method goes to hundreds of volts, where the exponential overflows.
    for source in [5.0, 50.0, -20.0] {
        let mut root = Root::new(&[1.0; 4]);
        root.solve(&mut ladder(source), &[0.0; 4]).unwrap();
        let mut r = [0.0; 4];
        ladder(source).residuals(root.x(), &mut r).unwrap();
        assert!(
            r.iter().all(|r| r.abs() < 1e-13 * source.abs()),
            "{source}: {r:?}"
        );
    }
}

#[test]
fn the_scales_of_equations_and_unknowns_have_no_influence() {
    let scaled = |a: f64, b: f64| {
        let equations = move |x: [f64; 2]| {
            let (u, v) = (x[0] / a, x[1] / b);
            Some([1e7 * (u * u + v - 3.0), 1e-9 * (u - v * v + 1.0)])
        };
        let jacobian = move |x: [f64; 2]| {
            let (u, v) = (x[0] / a, x[1] / b);
            [[1e7 * 2.0 * u / a, 1e7 / b], [1e-9 / a, -1e-9 * 2.0 * v / b]]
        };
        let mut root = Root::new(&[a, b]);
        root.solve(&mut Given(equations, jacobian), &[a, b]).unwrap();
        [root.x()[0] / a, root.x()[1] / b]
    };
    let plain = scaled(1.0, 1.0);
    for (a, b) in [(1e6, 1e-6), (1e-3, 1e5)] {
        for (found, expected) in scaled(a, b).iter().zip(plain) {
            assert!(
                (found - expected).abs() <= 8.0 * f64::EPSILON * expected.abs(),
                "{found} {expected}"
            );
        }
    }
}

#[test]
fn a_trial_outside_the_domain_is_only_a_step_that_is_too_large() {
    // ln x = -3, from a start whose first step leads to negative numbers.
    let equations = |x: [f64; 1]| (x[0] > 0.0).then(|| [x[0].ln() + 3.0]);
    let mut root = Root::new(&[1.0]);
    root.solve(&mut Given(equations, |x: [f64; 1]| [[1.0 / x[0]]]), &[2.0])
        .unwrap();
    assert!((root.x()[0] - (-3.0f64).exp()).abs() < 1e-16);
}

#[test]
fn what_has_no_solution_says_why() {
    let mut root = Root::new(&[1.0]);
    let none = root.solve(
        &mut Given(
            |x: [f64; 1]| Some([x[0] * x[0] + 1.0]),
            |x: [f64; 1]| [[2.0 * x[0]]],
        ),
        &[2.0],
    );
    let why = none.unwrap_err().why;
    assert!(
        matches!(
            why,
            WhyNoRoot::Stuck | WhyNoRoot::Slow | WhyNoRoot::Singular { .. }
        ),
        "{why:?}"
    );
    let outside = root.solve(&mut Given(|_: [f64; 1]| None, |_: [f64; 1]| [[1.0]]), &[2.0]);
    assert_eq!(outside.unwrap_err().why, WhyNoRoot::Failed("outside"));
    // The second unknown is in no equation.
    let mut root = Root::new(&[1.0, 1.0]);
    let equations = Given(
        |x: [f64; 2]| Some([x[0] - 1.0, x[0] + 1.0]),
        |_: [f64; 2]| [[1.0, 0.0], [1.0, 0.0]],
    );
    let singular = root.solve(&mut { equations }, &[0.0, 0.0]).unwrap_err().why;
    assert_eq!(
        singular,
        WhyNoRoot::Singular {
            unknown: 1,
            pivot: 0.0
        }
    );
}

#[test]
fn small_unknowns_beside_a_large_nominal_value_are_solved_to_their_own_rounding() {
    let equations = |x: [f64; 1]| Some([(x[0] * 1e9).exp() - 2.0]);
    let mut root = Root::new(&[1.0]);
    root.solve(
        &mut Given(equations, |x: [f64; 1]| [[1e9 * (x[0] * 1e9).exp()]]),
        &[0.0],
    )
    .unwrap();
    let exact = 2f64.ln() * 1e-9;
    assert!(
        (root.x()[0] - exact).abs() <= 4.0 * f64::EPSILON * exact,
        "{}",
        root.x()[0]
    );
}
