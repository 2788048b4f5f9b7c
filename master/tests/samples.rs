//! Loops with a sampled controller: steps one after another give each sample the values of its time, in whatever order
//! components are listed; algorithms that do not are warned of before the run.

mod common;

use common::System;
use fmu_master::Master;
use fmu_master::coupling::{Coupling, Input, Link, Output};
use fmu_master::settings::{Algorithm, Settings};
use fmu_master::signals::Signals;
use fmu_master::slave::{Capabilities, Outcome, Slave, SlaveError, Variables};

/// Sample time, gain and reference of the controller.
const SAMPLE: f64 = 0.1;
const GAIN: f64 = 4.0;
const REFERENCE: f64 = 1.0;
const STEP: f64 = 0.01;

/// `u = GAIN (REFERENCE - y)`, sampled at each multiple of `SAMPLE` up to the end of a step.
struct Controller {
    y: f64,
    u: f64,
    samples: u32,
    snapshots: bool,
    saved: Vec<(f64, f64, u32)>,
}

impl Controller {
    fn sample(&mut self) {
        self.u = GAIN * (REFERENCE - self.y);
        self.samples += 1;
    }
}

impl Slave for Controller {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            snapshots: self.snapshots,
            variable_step: true,
            directional_derivatives: true,
            outputs_follow_inputs: true,
            states: Some(0),
            ..Capabilities::default()
        }
    }
    fn variables(&self) -> Variables {
        Variables {
            discrete_inputs: vec![0],
            discrete_outputs: vec![0],
            ..Variables::default()
        }
    }
    fn set_inputs(&mut self, u: &[f64]) -> Result<(), SlaveError> {
        self.y = u[0];
        Ok(())
    }
    fn set_input_derivatives(&mut self, _: u32, _: &[f64]) -> Result<(), SlaveError> {
        Ok(())
    }
    fn outputs(&mut self, y: &mut [f64]) -> Result<(), SlaveError> {
        y[0] = self.u;
        Ok(())
    }
    fn output_derivatives(&mut self, _: u32, _: &mut [f64]) -> Result<(), SlaveError> {
        Err("it has none".into())
    }
    fn feed_through(&mut self, matrix: &mut [f64]) -> Result<(), SlaveError> {
        matrix.fill(0.0);
        Ok(())
    }
    fn linearize(&mut self, _: &mut fmu_master::stabilize::Linear) -> Result<(), SlaveError> {
        Ok(())
    }
    fn step(&mut self, t: f64, h: f64, _: bool) -> Result<Outcome, SlaveError> {
        if t + h > f64::from(self.samples) * SAMPLE - 1e-9 {
            self.sample();
        }
        Ok(Outcome::Done)
    }
    fn save(&mut self, place: usize) -> Result<(), SlaveError> {
        self.saved.resize(self.saved.len().max(place + 1), (0.0, 0.0, 0));
        self.saved[place] = (self.y, self.u, self.samples);
        Ok(())
    }
    fn restore(&mut self, place: usize) -> Result<(), SlaveError> {
        (self.y, self.u, self.samples) = self.saved[place];
        Ok(())
    }
    fn enter_initialization(&mut self, _: f64, _: f64, _: Option<f64>) -> Result<(), SlaveError> {
        self.sample();
        Ok(())
    }
    fn exit_initialization(&mut self) -> Result<(), SlaveError> {
        Ok(())
    }
    fn terminate(&mut self) -> Result<(), SlaveError> {
        Ok(())
    }
}

/// The controller and `x' = u - x` from 0, one of them listed first; in a loop, or with the controller's input alone.
fn master(algorithm: Algorithm, controller_first: bool, is_loop: bool, snapshots: bool) -> Master {
    let (controller, plant) = if controller_first { (0, 1) } else { (1, 0) };
    let mut coupling = Coupling::default();
    let mut slaves: Vec<Box<dyn Slave>> = Vec::new();
    for number in 0..2 {
        let (name, source) = match number == controller {
            true => ("controller", plant),
            false => ("plant", controller),
        };
        let link = match is_loop || number == controller {
            true => Link::Output {
                output: source,
                gain: 1.0,
                offset: 0.0,
            },
            false => Link::Fixed(1.0),
        };
        let input = Input {
            name: format!("{name}.u"),
            link,
        };
        let output = Output {
            name: format!("{name}.y"),
            nominal: 1.0,
            feed_through: Vec::new(),
        };
        coupling.add(name, vec![input], vec![output]);
        let mut system = System::new(&[0.0], 1, 1, |_, x, u| vec![u[0] - x[0]], |_, x, _| vec![x[0]]);
        system.can.snapshots = snapshots;
        slaves.push(match number == controller {
            true => Box::new(Controller {
                y: 0.0,
                u: 0.0,
                samples: 0,
                snapshots,
                saved: Vec::new(),
            }),
            false => Box::new(system),
        });
    }
    let settings = Settings {
        algorithm,
        step: STEP,
        stop: 0.5,
        ..Settings::default()
    };
    let mut master = Master::new(coupling, slaves, Signals::new(), settings).expect("a master");
    let mut start = [0.0, 0.0];
    start[plant] = GAIN * REFERENCE;
    master.initialize(&start).expect("it begins");
    master
}

/// The plant after some samples, exactly.
fn exact(samples: u32) -> f64 {
    let decay = (-SAMPLE).exp();
    (0..samples).fold(0.0, |x, _| decay * x + (1.0 - decay) * GAIN * (REFERENCE - x))
}

#[test]
fn gauss_seidel_gives_samples_the_values_of_their_time_in_any_order() {
    for controller_first in [false, true] {
        let mut master = master(Algorithm::GaussSeidel, controller_first, true, true);
        master.run(|_| true).expect("it runs");
        let x = master.outputs()[usize::from(controller_first)];
        assert!(
            (x - exact(5)).abs() < 1e-6,
            "{controller_first}: {x} {}",
            exact(5)
        );
        assert!(master.warnings().is_empty(), "{:?}", master.warnings());
        assert!(master.notes().is_empty(), "{:?}", master.notes());
    }
}

#[test]
fn samples_of_another_time_are_warned_of_before_the_run() {
    for (algorithm, word) in [
        (Algorithm::Jacobi, "late"),
        (Algorithm::IteratedGaussSeidel, "early"),
        (Algorithm::Newton, "early"),
    ] {
        for controller_first in [false, true] {
            let mut master = master(algorithm, controller_first, true, true);
            let [warning] = master.warnings() else {
                panic!("{algorithm:?}: {:?}", master.warnings());
            };
            let said = format!("one communication step (0.01 s) too {word}");
            assert!(warning.contains(&said), "{warning}");
            assert!(warning.contains("\"gauss-seidel\""), "{warning}");
            master.run(|_| true).expect("it runs");
            let x = master.outputs()[usize::from(controller_first)];
            assert!((x - exact(5)).abs() > 1e-3, "{algorithm:?}: {x} {}", exact(5));
        }
    }
}

#[test]
fn what_only_reads_samples_is_not_warned_of() {
    for snapshots in [true, false] {
        let mut master = master(Algorithm::Jacobi, true, false, snapshots);
        master.run(|_| true).expect("it runs");
        assert!(master.warnings().is_empty(), "{:?}", master.warnings());
        // Between events there is nothing that a linear model could say.
        let verified = !master.notes().iter().any(|note| note.contains("not verified"));
        assert_eq!(verified, snapshots);
    }
}
