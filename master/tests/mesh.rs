//! Systems with many connections: what Newton's method over steps costs there, counted in steps of components.

mod common;

use common::{Part, System, couple};
use fmu_master::settings::{Algorithm, Settings};

const MEMBERS: usize = 12;
const INPUTS: usize = 20;

/// Members `x' = -x + GAIN (u1 + u2 + ...)`, each with inputs from many others.
fn mesh(start: impl Fn(usize) -> f64, curved: bool) -> Vec<Part> {
    const GAIN: f64 = 0.02;
    let member = |number: usize| -> Part {
        let f = move |_: f64, x: &[f64], u: &[f64]| {
            let sum: f64 = u.iter().sum();
            let through = if curved { 20.0 * (0.05 * sum).sin() } else { sum };
            vec![-x[0] + GAIN * through]
        };
        let system = System::new(&[start(number)], INPUTS, INPUTS, f, |_, x, _| vec![x[0]; INPUTS]);
        let sources = (0..INPUTS).map(|input| {
            let other = (number + 1 + (7 * input) % (MEMBERS - 1)) % MEMBERS;
            other * INPUTS + input
        });
        (system, sources.collect(), vec![Vec::new(); INPUTS])
    };
    (0..MEMBERS).map(member).collect()
}

/// The last output and the steps that a component made per communication step.
fn newton(parts: Vec<Part>, steps: usize) -> (f64, f64) {
    let settings = Settings::default()
        .algorithm(Algorithm::Newton)
        .step(0.01)
        .stop(0.01 * steps as f64);
    let mut master = couple(parts, settings).expect("a system");
    let start = vec![0.0; MEMBERS * INPUTS];
    master.initialize(&start).expect("it starts");
    master.run(|_| true).expect("it runs");
    let made = master.statistics().components[0].steps;
    (master.outputs()[0], made as f64 / steps as f64)
}

/// All members are alike, so that with inputs held at their values at the end of each step
/// `x_new = e^-h x + (1 - e^-h) 0.4 x_new` in closed form. A matrix takes 20 steps, and serves for the whole run.
#[test]
fn a_matrix_with_many_unknowns_is_made_once() {
    let (x, each) = newton(mesh(|_| 1.0, false), 100);
    let decay = (-0.01f64).exp();
    let exact = (decay / (1.0 - 0.4 * (1.0 - decay))).powi(100);
    assert!((x - exact).abs() < 1e-6, "{x} {exact}");
    assert!(each < 4.0, "{each} steps of a component per step");
}

/// The same where the matrix changes: it is kept as long as it serves, and a step stays below 20 steps of a component,
/// which is what the matrix alone would take.
#[test]
fn a_matrix_that_changes_is_kept_as_long_as_it_serves() {
    let (x, each) = newton(mesh(|number| number as f64, true), 100);
    assert!(
        x.is_finite() && each < 6.0,
        "{each} steps of a component per step"
    );
    // The same system of equations with a small step, by another algorithm.
    let settings = Settings::default().step(0.0005).stop(1.0);
    let mut master = couple(mesh(|number| number as f64, true), settings).expect("a system");
    master
        .initialize(&vec![0.0; MEMBERS * INPUTS])
        .expect("it starts");
    master.run(|_| true).expect("it runs");
    let reference = master.outputs()[0];
    assert!((x - reference).abs() < 0.02, "{x} {reference}");
}

/// The eigenvalues of a ring of equal gains lie on a circle, where a plain search for them never ends.
#[test]
fn a_ring_of_equal_gains_is_foreseen() {
    for (gain, stable) in [(0.9, true), (-1.1, false)] {
        let stage = |number: usize| -> Part {
            let system = System::new(
                &[],
                1,
                1,
                |_, _, _| vec![],
                move |_, _, u| vec![1.0 + gain * u[0]],
            );
            (system, vec![(number + 50 - 1) % 50], vec![vec![0]])
        };
        let settings = Settings::default().stop(0.1);
        let mut master = couple((0..50).map(stage).collect(), settings).expect("a system");
        let begun = master.initialize(&[0.0; 50]);
        assert_eq!(begun.is_ok(), stable, "{begun:?}");
    }
}
