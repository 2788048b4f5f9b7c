//! Components that change their discrete outputs by themselves at known times, under fixed steps that end elsewhere.

mod common;

use common::System;
use fmu_master::component::{Capabilities, Component, ComponentError, Outcome, Stepping, Variables};
use fmu_master::coupling::{Coupling, Input, Link, Output};
use fmu_master::settings::{Algorithm, Control, Settings};
use fmu_master::signals::Signals;
use fmu_master::{End, Master};

/// The full seconds that are over. It may end the simulation at some of them; from there on it makes no step.
struct Clock {
    t: f64,
    top: f64,
    has_ended: bool,
    saved: Vec<(f64, bool)>,
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
        if self.has_ended {
            return Err("it has ended the simulation".into());
        }
        self.t = (t + h).min(self.top);
        self.has_ended = full(self.t) >= self.top;
        Ok(match self.has_ended {
            true => Outcome::Terminated {
                reached: Some(self.t),
            },
            false => Outcome::Done,
        })
    }

    fn save(&mut self, place: usize) -> Result<(), ComponentError> {
        self.saved.resize(self.saved.len().max(place + 1), (0.0, false));
        self.saved[place] = (self.t, self.has_ended);
        Ok(())
    }

    fn restore(&mut self, place: usize) -> Result<(), ComponentError> {
        (self.t, self.has_ended) = self.saved[place];
        Ok(())
    }
}

/// The clock and the integral of its seconds, which is 0 + 1 + 2 after 3 s.
fn run(settings: Settings, top: f64) -> (End, Master) {
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
        top,
        has_ended: false,
        saved: Vec::new(),
    };
    let components: Vec<Box<dyn Component>> = vec![Box::new(clock), Box::new(sum)];
    let mut master = Master::new(coupling, components, Signals::new(), settings).expect("a master");
    master.initialize(&[0.0]).expect("it begins");
    let end = master.run(|_| true).expect("it runs");
    (end, master)
}

const ALGORITHMS: [Algorithm; 4] = [
    Algorithm::Jacobi,
    Algorithm::GaussSeidel,
    Algorithm::IteratedGaussSeidel,
    Algorithm::Newton,
];

/// Error control ends a step where the clock jumps and ends the simulation, and tries jumps there: that must not make it forget the end.
#[test]
fn an_end_at_a_known_event_is_kept_under_error_control() {
    for algorithm in ALGORITHMS {
        for extrapolation in 0..3 {
            let settings = Settings::default()
                .algorithm(algorithm)
                .extrapolation(extrapolation)
                .step(0.35)
                .stop(5.0)
                .control(Some(Control::new(1e-4, 5.0)));
            let (end, master) = run(settings, 3.0);
            let sum = master.outputs()[1];
            assert!(matches!(end, End::Terminated { .. }), "{algorithm:?}: {end:?}");
            assert!(
                (master.time() - 3.0).abs() < 1e-9 && (sum - 3.0).abs() < 1e-9,
                "{algorithm:?}: {sum}"
            );
        }
    }
}

#[test]
fn changes_between_communication_points_are_warned_of_before_the_run() {
    let said = "clock changes discrete outputs every 1 s, which is not a multiple of the step";
    for algorithm in ALGORITHMS {
        for (step, meets) in [(0.3, false), (0.35, false), (0.25, true), (0.1, true)] {
            let settings = Settings::default().algorithm(algorithm).step(step).stop(3.0);
            let (_, master) = run(settings, f64::INFINITY);
            let (off, warnings) = ((master.outputs()[1] - 3.0).abs(), master.warnings());
            let what = format!("{algorithm:?} {step}: {off:e}, {warnings:?}");
            assert_eq!(off < 1e-9, meets, "{what}");
            let warned = warnings.iter().any(|warning| warning.contains(said));
            assert_eq!(warned, !meets, "{what}");
        }
    }
}
