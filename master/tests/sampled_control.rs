//! Error control of loops with a sampled controller whose output saturates: while it does, nothing that can be seen from
//! outside changes at a sample.

mod common;

use common::System;
use fmu_master::component::{Capabilities, Component, ComponentError, Outcome, Stepping, Variables};
use fmu_master::coupling::{Coupling, Input, Link, Output};
use fmu_master::settings::{Algorithm, Control, Settings};
use fmu_master::signals::Signals;
use fmu_master::{Error, Master};

const STOP: f64 = 60.0;
/// Of the tank: `x' = FLOW u - LEAK x`, and `y' = (x - y) / LAG`.
const FLOW: f64 = 0.3;
const LEAK: f64 = 0.2;
const LAG: f64 = 2.0;
const REFERENCE: f64 = 0.5;
const GAIN: f64 = 4.0;
const RESET: f64 = 5.0;

/// A PI controller with samples each second and an output from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
struct Controller {
    level: f64,
    u: f64,
    sum: f64,
    samples: u32,
    /// It goes on to integrate while its output is at a limit.
    winds_up: bool,
    /// It provides the times of its samples.
    knows: bool,
}

impl Controller {
    fn new(winds_up: bool, knows: bool) -> Controller {
        Controller {
            level: 0.0,
            u: 0.0,
            sum: 0.0,
            samples: 0,
            winds_up,
            knows,
        }
    }

    fn sample(&mut self) {
        let error = REFERENCE - self.level;
        let wanted = GAIN * error + self.sum;
        self.u = wanted.clamp(0.0, 1.0);
        if wanted == self.u || self.winds_up {
            self.sum += GAIN / RESET * error;
        }
        self.samples += 1;
    }
}

struct Sampled {
    now: Controller,
    saved: Vec<Controller>,
}

impl Component for Sampled {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
            .snapshots(true)
            .variable_step(true)
            .outputs_follow_inputs(true)
    }

    fn into_stepping(self: Box<Self>) -> Option<Box<dyn Stepping>> {
        Some(self)
    }

    fn variables(&self) -> Variables {
        Variables::default()
            .discrete_inputs(vec![0])
            .discrete_outputs(vec![0])
    }

    fn set_inputs(&mut self, u: &[f64]) -> Result<(), ComponentError> {
        self.now.level = u[0];
        Ok(())
    }

    fn enter_initialization(&mut self, _: f64, _: f64, _: Option<f64>) -> Result<(), ComponentError> {
        self.now.sample();
        Ok(())
    }
}

impl Stepping for Sampled {
    fn next_event(&mut self, _: f64) -> Option<f64> {
        self.now.knows.then(|| f64::from(self.now.samples))
    }

    fn outputs(&mut self, y: &mut [f64]) -> Result<(), ComponentError> {
        y[0] = self.now.u;
        Ok(())
    }

    fn feed_through(&mut self, matrix: &mut [f64]) -> Result<(), ComponentError> {
        matrix.fill(0.0);
        Ok(())
    }

    fn step(&mut self, t: f64, h: f64, _: bool) -> Result<Outcome, ComponentError> {
        while t + h >= f64::from(self.now.samples) - 1e-12 {
            self.now.sample();
        }
        Ok(Outcome::Done)
    }

    fn save(&mut self, place: usize) -> Result<(), ComponentError> {
        let size = self.saved.len().max(place + 1);
        self.saved.resize(size, self.now.clone());
        self.saved[place] = self.now.clone();
        Ok(())
    }

    fn restore(&mut self, place: usize) -> Result<(), ComponentError> {
        self.now = self.saved[place].clone();
        Ok(())
    }
}

/// Both levels after some time with a held opening, in closed form.
fn held([x, y]: [f64; 2], u: f64, t: f64) -> [f64; 2] {
    let end = FLOW * u / LEAK;
    let (slow, fast) = ((-LEAK * t).exp(), (-t / LAG).exp());
    let part = (x - end) / (1.0 - LEAK * LAG);
    [
        end + (x - end) * slow,
        end + part * slow + (y - end - part) * fast,
    ]
}

/// The level that is measured, at any time.
fn exact(winds_up: bool) -> impl Fn(f64) -> f64 {
    let mut controller = Controller::new(winds_up, true);
    let mut points = Vec::new();
    let mut levels = [3.0, 3.0];
    controller.level = levels[1];
    controller.sample();
    for _ in 0..STOP as usize {
        points.push((levels, controller.u));
        levels = held(levels, controller.u, 1.0);
        controller.level = levels[1];
        controller.sample();
    }
    points.push((levels, controller.u));
    move |t| {
        let (levels, u) = points[t as usize];
        held(levels, u, t - t.floor())[1]
    }
}

fn run(algorithm: Algorithm, extrapolation: u32, tolerance: f64, controller: Controller) -> (f64, Master) {
    try_run(algorithm, extrapolation, tolerance, controller).expect("it runs")
}

fn try_run(
    algorithm: Algorithm,
    extrapolation: u32,
    tolerance: f64,
    controller: Controller,
) -> Result<(f64, Master), Error> {
    let settings = Settings::default()
        .algorithm(algorithm)
        .extrapolation(extrapolation)
        .step(0.25)
        .stop(STOP)
        .control(Some(Control::new(tolerance, STOP)));
    try_settings(settings, controller)
}

fn try_settings(settings: Settings, controller: Controller) -> Result<(f64, Master), Error> {
    let mut coupling = Coupling::default();
    let link = |output| Link::Output {
        output,
        gain: 1.0,
        offset: 0.0,
    };
    for (name, output) in [("tank", 1), ("controller", 0)] {
        let input = Input {
            name: format!("{name}.u"),
            link: link(output),
        };
        let output = Output {
            name: format!("{name}.y"),
            nominal: 1.0,
            feed_through: Vec::new(),
        };
        coupling.add(name, vec![input], vec![output]);
    }
    let exact = exact(controller.winds_up);
    let mut tank = System::new(
        &[3.0, 3.0],
        1,
        1,
        |_, x, u| vec![FLOW * u[0] - LEAK * x[0], (x[0] - x[1]) / LAG],
        |_, x, _| vec![x[1]],
    );
    tank.can.snapshots = true;
    let controller = Sampled {
        now: Controller {
            level: 3.0,
            ..controller
        },
        saved: Vec::new(),
    };
    let components: Vec<Box<dyn Component>> = vec![Box::new(tank), Box::new(controller)];
    let mut master = Master::new(coupling, components, Signals::new(), settings).expect("a master");
    master.initialize(&[0.0, 3.0]).expect("it begins");
    let mut worst: f64 = 0.0;
    master.run(|point| {
        worst = worst.max((point.y[0] - exact(point.t)).abs());
        true
    })?;
    Ok((worst, master))
}

const ALGORITHMS: [(Algorithm, u32); 5] = [
    (Algorithm::Jacobi, 0),
    (Algorithm::Jacobi, 2),
    (Algorithm::GaussSeidel, 0),
    (Algorithm::Newton, 1),
    (Algorithm::Stabilized, 0),
];

#[test]
fn error_control_ends_steps_at_samples_that_are_known() {
    for (algorithm, extrapolation) in ALGORITHMS {
        for tolerance in [1e-3, 1e-4, 1e-5] {
            for winds_up in [false, true] {
                let controller = Controller::new(winds_up, true);
                let (error, master) = run(algorithm, extrapolation, tolerance, controller);
                let what = format!("{algorithm:?} {extrapolation} {tolerance} {winds_up}: {error:e}");
                assert!(error < 10.0 * tolerance * 3.0, "{what}");
                // No sample has to be searched for.
                assert!(
                    master.statistics().steps < 1000,
                    "{what}: {:?}",
                    master.statistics()
                );
            }
        }
    }
}

#[test]
fn error_control_holds_the_error_where_samples_are_not_known() {
    for (algorithm, extrapolation) in ALGORITHMS {
        for tolerance in [1e-3, 1e-4, 1e-5] {
            let controller = Controller::new(false, false);
            let (error, master) = run(algorithm, extrapolation, tolerance, controller);
            let what = format!("{algorithm:?} {extrapolation} {tolerance}: {error:e}");
            assert!(error < 30.0 * tolerance, "{what}");
            let said = "controller samples its inputs at times that it does not provide";
            let notes = master.notes().iter().filter(|note| note.contains(said));
            assert_eq!(notes.count(), 1, "{:?}", master.notes());
        }
    }
}

#[test]
fn tolerances_that_unknown_samples_do_not_keep_are_refused_with_what_helps() {
    let mut refused = 0;
    for tolerance in [1e-7, 1e-9, 1e-11] {
        let Err(error) = try_run(Algorithm::Jacobi, 2, tolerance, Controller::new(false, false)) else {
            println!("{tolerance:e} ran");
            continue;
        };
        refused += 1;
        let error = error.to_string();
        let said = "controller samples its inputs at times that it does not provide";
        assert!(error.contains(said), "{error}");
        assert!(
            error.contains("algorithm = \"gauss-seidel\", without a tolerance"),
            "{error}"
        );
        assert!(!error.contains("extrapolation"), "{error}");
    }
    assert!(refused > 0);
}

#[test]
fn fixed_steps_that_do_not_meet_samples_are_warned_of_before_the_run() {
    let said = "controller samples every 1 s, which is not a multiple of the step";
    for algorithm in [Algorithm::Jacobi, Algorithm::GaussSeidel, Algorithm::Newton] {
        for (step, meets) in [
            (0.3, false),
            (0.4, false),
            (1.5, false),
            (0.25, true),
            (0.1, true),
            (1.0, true),
        ] {
            let settings = Settings::default().algorithm(algorithm).step(step).stop(STOP);
            let (_, master) = try_settings(settings, Controller::new(false, true)).expect("it runs");
            let mut warnings = master.warnings().iter();
            let warned = warnings.find(|warning| warning.contains(said));
            let what = format!("{algorithm:?} {step}: {:?}", master.warnings());
            assert_eq!(warned.is_none(), meets, "{what}");
            if let Some(warning) = warned {
                let late =
                    format!("samples take effect up to {step} s late. Take 1, 0.5 or 0.25, or error control");
                assert!(warning.contains(&late), "{what}");
                assert!(!what.contains("add up to"), "{what}");
            }
        }
    }
}
