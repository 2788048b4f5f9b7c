//! Whether a run does what the equations of its system do: warned of before it where a linear model says so, found by steps
//! of half the size where components can go back, and otherwise said not to be known.

mod common;

use common::System;
use fmu_master::component::{Capabilities, Component, ComponentError, Outcome, Stepping};
use fmu_master::coupling::{Coupling, Input, Link, Output};
use fmu_master::settings::{Algorithm, Settings};
use fmu_master::signals::Signals;
use fmu_master::stabilize::Linear;
use fmu_master::{End, Error, Master};

/// What components let a master know.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Known {
    Model,
    Snapshots,
    Nothing,
}

/// `x' = a x + b u`, `y = x`, with its linear model.
struct Part {
    system: System,
    a: f64,
    b: f64,
    known: Known,
}

impl Component for Part {
    fn capabilities(&self) -> Capabilities {
        self.system
            .can
            .snapshots(self.known != Known::Nothing)
            .directional_derivatives(self.known == Known::Model)
            .states((self.known == Known::Model).then_some(1))
    }

    fn into_stepping(self: Box<Self>) -> Option<Box<dyn Stepping>> {
        Some(self)
    }

    fn set_inputs(&mut self, u: &[f64]) -> Result<(), ComponentError> {
        self.system.set_inputs(u)
    }

    fn enter_initialization(
        &mut self,
        t: f64,
        stop: f64,
        tolerance: Option<f64>,
    ) -> Result<(), ComponentError> {
        self.system.enter_initialization(t, stop, tolerance)
    }
}

impl Stepping for Part {
    fn set_input_derivatives(&mut self, order: u32, du: &[f64]) -> Result<(), ComponentError> {
        self.system.set_input_derivatives(order, du)
    }

    fn outputs(&mut self, y: &mut [f64]) -> Result<(), ComponentError> {
        self.system.outputs(y)
    }

    fn output_derivatives(&mut self, order: u32, dy: &mut [f64]) -> Result<(), ComponentError> {
        self.system.output_derivatives(order, dy)
    }

    fn feed_through(&mut self, matrix: &mut [f64]) -> Result<(), ComponentError> {
        self.system.feed_through(matrix)
    }

    fn step(&mut self, t: f64, h: f64, final_: bool) -> Result<Outcome, ComponentError> {
        self.system.step(t, h, final_)
    }

    fn save(&mut self, place: usize) -> Result<(), ComponentError> {
        self.system.save(place)
    }

    fn restore(&mut self, place: usize) -> Result<(), ComponentError> {
        self.system.restore(place)
    }

    fn linearize(&mut self, linear: &mut Linear) -> Result<(), ComponentError> {
        (linear.a[(0, 0)], linear.b[(0, 0)], linear.c[(0, 0)]) = (self.a, self.b, 1.0);
        Ok(())
    }
}

/// Two parts that feed each other, `x1' = a x1 + b1 x2`, `x2' = a x2 + b2 x1`, from 1 and 0.
fn pair(a: f64, b: [f64; 2], known: Known, settings: Settings) -> Master {
    let mut coupling = Coupling::default();
    let mut components: Vec<Box<dyn Component>> = Vec::new();
    for (number, b) in b.into_iter().enumerate() {
        let input = Input {
            name: format!("p{number}.u"),
            link: Link::Output {
                output: 1 - number,
                gain: 1.0,
                offset: 0.0,
            },
        };
        let output = Output {
            name: format!("p{number}.y"),
            nominal: 1.0,
            feed_through: Vec::new(),
        };
        coupling.add(&format!("p{number}"), vec![input], vec![output]);
        let x = if number == 0 { 1.0 } else { 0.0 };
        let f = move |_: f64, x: &[f64], u: &[f64]| vec![a * x[0] + b * u[0]];
        let system = System::new(&[x], 1, 1, f, |_, x, _| vec![x[0]]);
        components.push(Box::new(Part { system, a, b, known }));
    }
    let mut master = Master::new(coupling, components, Signals::new(), settings).expect("a master");
    master.initialize(&[0.0, 0.0]).expect("it begins");
    master
}

fn settings(algorithm: Algorithm, step: f64, stop: f64) -> Settings {
    Settings::default().algorithm(algorithm).step(step).stop(stop)
}

/// The warnings before the run, those after it, and the size of the solution at its end.
fn run(mut master: Master) -> (String, String, f64) {
    let before = master.warnings().join("\n");
    let end = master.run(|_| true).expect("it runs");
    assert_eq!(end, End::Reached);
    let size = master.outputs()[0].hypot(master.outputs()[1]);
    let after = master.warnings()[usize::from(!before.is_empty())..].join("\n");
    (before, after, size)
}

/// The oscillator `x'' = -x`: held inputs multiply its amplitude by sqrt(1 + h^2) in each step.
#[test]
fn slow_growth_of_an_oscillator_is_warned_of_before_the_run() {
    let oscillator = |algorithm, stop| pair(0.0, [1.0, -1.0], Known::Model, settings(algorithm, 0.01, stop));
    let (before, _, size) = run(oscillator(Algorithm::Jacobi, 100.0));
    assert!((size - 1.0001f64.powi(5000)).abs() < 1e-3, "{size}");
    assert!(before.contains("not accurate over the whole run"), "{before}");
    assert!(before.contains("1.649 times its size"), "{before}");
    // Half a percent is nothing to mention, and one after another the steps keep the amplitude.
    assert_eq!(run(oscillator(Algorithm::Jacobi, 1.0)).0, "");
    let (before, _, size) = run(oscillator(Algorithm::GaussSeidel, 100.0));
    assert_eq!(before, "");
    assert!((size - 1.0).abs() < 0.01, "{size}");
    // Newton's method with held inputs takes away what the other one adds.
    let (before, _, size) = run(oscillator(Algorithm::Newton, 100.0));
    assert!(before.contains("0.607 times its size"), "{before}");
    assert!((size - (-0.5f64).exp()).abs() < 0.01, "{size}");
}

#[test]
fn slow_growth_is_found_by_steps_of_half_the_size() {
    let oscillator = |stop| {
        let settings = settings(Algorithm::Jacobi, 0.01, stop);
        pair(0.0, [1.0, -1.0], Known::Snapshots, settings)
    };
    let (before, after, size) = run(oscillator(100.0));
    assert_eq!(before, "");
    assert!(after.contains("compared with steps of half the size"), "{after}");
    // Comparing changes nothing.
    assert!((size - 1.0001f64.powi(5000)).abs() < 1e-3, "{size}");
    assert_eq!(run(oscillator(1.0)).1, "");
}

/// The trapezoidal rule turns an oscillator by 2 atan(h / 2) per step instead of h, and keeps its amplitude: after 100 s in steps of
/// 0.2 it is 0.332 s late. Errors by half steps are up to twice as large.
#[test]
fn a_wrong_phase_is_distinguished_from_a_wrong_size_by_steps_of_half_the_size() {
    let settings = settings(Algorithm::Newton, 0.2, 100.0).extrapolation(1);
    let (before, after, size) = run(pair(0.0, [1.0, -1.0], Known::Snapshots, settings));
    assert_eq!(before, "");
    assert!((size - 1.0).abs() < 1e-3, "{size}");
    let late = after.split("values come up to ").nth(1).expect(&after);
    let (seconds, rest) = late.split_once(" s too ").expect(&after);
    let seconds: f64 = seconds.parse().expect(&after);
    assert!((0.332..0.664).contains(&seconds), "{after}");
    assert!(rest.starts_with("late"), "{after}");
    // The size grows, and the phase is right: by 1 / 300 of a second.
    let settings = Settings::default()
        .algorithm(Algorithm::Jacobi)
        .step(0.01)
        .stop(100.0);
    let (_, after, _) = run(pair(0.0, [1.0, -1.0], Known::Snapshots, settings));
    assert!(
        after.contains("add up to") && !after.contains(" s too "),
        "{after}"
    );
}

#[test]
fn what_cannot_be_verified_is_said_once() {
    let settings = settings(Algorithm::Jacobi, 0.01, 100.0);
    let mut master = pair(0.0, [1.0, -1.0], Known::Nothing, settings);
    master.run(|_| true).expect("it runs");
    let notes = master.notes();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].starts_with("accuracy not verified"), "{notes:?}");
}

/// `x' = x / 2 + 1.5 y`, `y' = y / 2 + 1.5 x` grows as e^(2 t), by its equations: to 10^7 in 8 s, and to 10^17 in 20 s.
#[test]
fn a_system_that_grows_by_its_equations_is_no_error() {
    for (known, extrapolation, step, stop) in
        [(Known::Model, 1, 2e-3, 20.0), (Known::Snapshots, 0, 2.5e-4, 8.0)]
    {
        let settings = settings(Algorithm::Jacobi, step, stop).extrapolation(extrapolation);
        let mut master = pair(0.5, [1.5, 1.5], known, settings);
        let before = master.warnings().join("\n");
        let end = master.run(|_| true);
        assert_eq!(end.ok(), Some(End::Reached), "{known:?}");
        let exact = 0.5 * (2.0 * stop).exp();
        assert!((master.outputs()[0] / exact - 1.0).abs() < 0.01, "{known:?}");
        assert_eq!(before, "", "{known:?}");
    }
}

/// The same coupling with damping inside, which holds the system together, and steps that are too long for it.
#[test]
fn a_coupling_that_grows_although_its_system_does_not_is_an_error() {
    for known in [Known::Model, Known::Snapshots, Known::Nothing] {
        // x' = -x + 10 y, y' = -y - 10 x decays as e^-t; with held inputs a step of 1 multiplies by 6.3.
        let settings = settings(Algorithm::Jacobi, 1.0, 100.0);
        let mut master = pair(-1.0, [10.0, -10.0], known, settings);
        if known == Known::Model {
            let before = master.warnings().join("\n");
            assert!(before.contains("although no mode"), "{before}");
        }
        let error = master.run(|_| true).expect_err("it diverges");
        assert!(matches!(error, Error::Diverged { .. }), "{known:?}: {error}");
        let said = error.to_string();
        assert_eq!(said.contains("newton"), known != Known::Nothing, "{said}");
    }
}
