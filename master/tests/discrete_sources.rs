//! Components that change their discrete outputs by themselves at known times, under fixed steps that end elsewhere.

mod common;

use common::System;
use fmu_master::Master;
use fmu_master::component::{Capabilities, Component, ComponentError, Outcome, Stepping, Variables};
use fmu_master::coupling::{Coupling, Input, Link, Output};
use fmu_master::settings::{Algorithm, Settings};
use fmu_master::signals::Signals;

/// The full seconds that are over.
struct Clock {
    t: f64,
    saved: Vec<f64>,
}

fn full(t: f64) -> f64 {
    (t + 1e-9).floor()
}

impl Component for Clock {
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
        Variables::default().discrete_outputs(vec![0])
    }

    fn set_inputs(&mut self, _: &[f64]) -> Result<(), ComponentError> {
        Ok(())
    }

    fn enter_initialization(&mut self, t: f64, _: f64, _: Option<f64>) -> Result<(), ComponentError> {
        self.t = t;
        Ok(())
    }
}

impl Stepping for Clock {
    fn next_event(&mut self, t: f64) -> Option<f64> {
        Some(full(t) + 1.0)
    }

    fn outputs(&mut self, y: &mut [f64]) -> Result<(), ComponentError> {
        y[0] = full(self.t);
        Ok(())
    }

    fn feed_through(&mut self, _: &mut [f64]) -> Result<(), ComponentError> {
        Ok(())
    }

    fn step(&mut self, t: f64, h: f64, _: bool) -> Result<Outcome, ComponentError> {
        self.t = t + h;
        Ok(Outcome::Done)
    }

    fn save(&mut self, place: usize) -> Result<(), ComponentError> {
        self.saved.resize(self.saved.len().max(place + 1), 0.0);
        self.saved[place] = self.t;
        Ok(())
    }

    fn restore(&mut self, place: usize) -> Result<(), ComponentError> {
        self.t = self.saved[place];
        Ok(())
    }
}

/// The clock and the integral of its seconds to 3 s, which is 0 + 1 + 2; and the warnings.
fn run(algorithm: Algorithm, step: f64) -> (f64, Vec<String>) {
    let mut coupling = Coupling::default();
    let output = |name: &str| Output {
        name: name.to_owned(),
        nominal: 1.0,
        feed_through: Vec::new(),
    };
    coupling.add("clock", Vec::new(), vec![output("clock.y")]);
    let input = Input {
        name: "sum.u".to_owned(),
        link: Link::Output {
            output: 0,
            gain: 1.0,
            offset: 0.0,
        },
    };
    coupling.add("sum", vec![input], vec![output("sum.y")]);
    let sum = System::new(&[0.0], 1, 1, |_, _, u| vec![u[0]], |_, x, _| x.to_vec());
    let clock = Clock {
        t: 0.0,
        saved: Vec::new(),
    };
    let components: Vec<Box<dyn Component>> = vec![Box::new(clock), Box::new(sum)];
    let settings = Settings::default().algorithm(algorithm).step(step).stop(3.0);
    let mut master = Master::new(coupling, components, Signals::new(), settings).expect("a master");
    master.initialize(&[0.0]).expect("it begins");
    master.run(|_| true).expect("it runs");
    (master.outputs()[1], master.warnings().to_vec())
}

#[test]
fn changes_between_communication_points_are_warned_of_before_the_run() {
    let said = "clock changes discrete outputs every 1 s, which is not a multiple of the step";
    for algorithm in [
        Algorithm::Jacobi,
        Algorithm::GaussSeidel,
        Algorithm::IteratedGaussSeidel,
        Algorithm::Newton,
    ] {
        for (step, meets) in [(0.3, false), (0.35, false), (0.25, true), (0.1, true)] {
            let (sum, warnings) = run(algorithm, step);
            let off = (sum - 3.0).abs();
            let what = format!("{algorithm:?} {step}: {off:e}, {warnings:?}");
            assert_eq!(off < 1e-9, meets, "{what}");
            let warned = warnings.iter().any(|warning| warning.contains(said));
            assert_eq!(warned, !meets, "{what}");
        }
    }
}
