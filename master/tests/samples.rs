//! Loops with a sampled controller: every algorithm gives each sample the values of its time, in whatever order components
//! are listed; loops in which that is impossible are warned of before the run.

mod common;

use common::System;
use fmu_importer::{BaseType, Value};
use fmu_master::Master;
use fmu_master::component::{Capabilities, Component, ComponentError, Outcome, State, Stepping, Variables};
use fmu_master::coupling::{Coupling, DiscreteLink, Input, Link, Output};
use fmu_master::settings::{Algorithm, Control, Settings};
use fmu_master::signals::Signals;

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

impl Component for Controller {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
            .snapshots(self.snapshots)
            .variable_step(true)
            .directional_derivatives(true)
            .outputs_follow_inputs(true)
            .states(Some(0))
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
        self.y = u[0];
        Ok(())
    }

    fn enter_initialization(&mut self, _: f64, _: f64, _: Option<f64>) -> Result<(), ComponentError> {
        self.sample();
        Ok(())
    }
}

impl Stepping for Controller {
    fn outputs(&mut self, y: &mut [f64]) -> Result<(), ComponentError> {
        y[0] = self.u;
        Ok(())
    }

    fn feed_through(&mut self, matrix: &mut [f64]) -> Result<(), ComponentError> {
        matrix.fill(0.0);
        Ok(())
    }

    fn linearize(&mut self, _: &mut fmu_master::stabilize::Linear) -> Result<(), ComponentError> {
        Ok(())
    }

    fn stabilize(&mut self, _: Box<dyn fmu_importer::InputDerivatives>) -> Result<(), ComponentError> {
        Ok(())
    }

    fn step(&mut self, t: f64, h: f64, _: bool) -> Result<Outcome, ComponentError> {
        if t + h > f64::from(self.samples) * SAMPLE - 1e-9 {
            self.sample();
        }
        Ok(Outcome::Done)
    }

    fn save(&mut self, place: usize) -> Result<(), ComponentError> {
        self.saved.resize(self.saved.len().max(place + 1), (0.0, 0.0, 0));
        self.saved[place] = (self.y, self.u, self.samples);
        Ok(())
    }

    fn restore(&mut self, place: usize) -> Result<(), ComponentError> {
        (self.y, self.u, self.samples) = self.saved[place];
        Ok(())
    }
}

fn sampling(snapshots: bool) -> Controller {
    Controller {
        y: 0.0,
        u: 0.0,
        samples: 0,
        snapshots,
        saved: Vec::new(),
    }
}

/// The controller and `x' = u - x` from 0, one of them listed first; in a loop, or with the controller's input alone.
fn master(algorithm: Algorithm, controller_first: bool, is_loop: bool, snapshots: bool) -> Master {
    let (controller, plant) = if controller_first { (0, 1) } else { (1, 0) };
    let mut coupling = Coupling::default();
    let mut components: Vec<Box<dyn Component>> = Vec::new();
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
        components.push(match number == controller {
            true => Box::new(sampling(snapshots)),
            false => Box::new(system),
        });
    }
    let settings = Settings::default().algorithm(algorithm).step(STEP).stop(0.5);
    let mut master = Master::new(coupling, components, Signals::new(), settings).expect("a master");
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

const ALGORITHMS: [Algorithm; 5] = [
    Algorithm::Jacobi,
    Algorithm::GaussSeidel,
    Algorithm::IteratedGaussSeidel,
    Algorithm::Newton,
    Algorithm::Stabilized,
];

#[test]
fn samples_have_the_values_of_their_time_in_any_order() {
    for algorithm in ALGORITHMS {
        for controller_first in [false, true] {
            let mut master = master(algorithm, controller_first, true, true);
            master.run(|_| true).expect("it runs");
            let x = master.outputs()[usize::from(controller_first)];
            assert!(
                (x - exact(5)).abs() < 1e-6,
                "{algorithm:?} {controller_first}: {x} {}",
                exact(5)
            );
            // The plant has no linear model to be stabilized with.
            let warned = master
                .warnings()
                .iter()
                .filter(|line| !line.contains("fmuStabilizeInputs"));
            assert_eq!(warned.count(), 0, "{algorithm:?}: {:?}", master.warnings());
        }
    }
}

/// A room that a heater warms while it is on, or the thermostat that switches it: `x' = 1 - x` or `x' = -x`, sampled.
struct Heating {
    is_room: bool,
    x: f64,
    on: bool,
    samples: u32,
    saved: Vec<(f64, bool, u32)>,
}

impl Component for Heating {
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
        match self.is_room {
            true => Variables::default().states(vec![State::new("x", 1.0).output(0)]),
            false => Variables::default().discrete_inputs(vec![0]),
        }
    }

    fn set_inputs(&mut self, u: &[f64]) -> Result<(), ComponentError> {
        u.iter().for_each(|x| self.x = *x);
        Ok(())
    }

    fn value(&mut self, _: BaseType, _: u32) -> Result<Value, ComponentError> {
        Ok(Value::Boolean(self.on))
    }

    fn set_value(&mut self, _: u32, value: &Value) -> Result<(), ComponentError> {
        self.on = *value == Value::Boolean(true);
        Ok(())
    }
}

impl Stepping for Heating {
    fn outputs(&mut self, y: &mut [f64]) -> Result<(), ComponentError> {
        y.fill(self.x);
        Ok(())
    }

    fn feed_through(&mut self, matrix: &mut [f64]) -> Result<(), ComponentError> {
        matrix.fill(0.0);
        Ok(())
    }

    fn step(&mut self, t: f64, h: f64, _: bool) -> Result<Outcome, ComponentError> {
        if self.is_room {
            let end = f64::from(u8::from(self.on));
            self.x = end + (self.x - end) * (-h).exp();
        } else if t + h > f64::from(self.samples + 1) * SAMPLE - 1e-9 {
            self.on = self.x < THRESHOLD;
            self.samples += 1;
        }
        Ok(Outcome::Done)
    }

    fn save(&mut self, place: usize) -> Result<(), ComponentError> {
        self.saved
            .resize(self.saved.len().max(place + 1), (0.0, false, 0));
        self.saved[place] = (self.x, self.on, self.samples);
        Ok(())
    }

    fn restore(&mut self, place: usize) -> Result<(), ComponentError> {
        (self.x, self.on, self.samples) = self.saved[place];
        Ok(())
    }
}

const THRESHOLD: f64 = 0.15;

/// A Boolean command acts on the room from the sample on: neither a step earlier nor a step later.
#[test]
fn a_boolean_command_of_a_thermostat_acts_from_its_sample_on() {
    let decay = (-SAMPLE).exp();
    let (mut exact, mut on) = (0.0, 1.0);
    for _ in 0..5 {
        exact = on + (exact - on) * decay;
        on = f64::from(u8::from(exact < THRESHOLD));
    }
    for algorithm in ALGORITHMS {
        for room in [0, 1] {
            let thermostat = 1 - room;
            let mut coupling = Coupling::default();
            let mut components: Vec<Box<dyn Component>> = Vec::new();
            for number in 0..2 {
                let (inputs, outputs) = match number == room {
                    true => {
                        let output = Output {
                            name: "room.x".to_owned(),
                            nominal: 1.0,
                            feed_through: Vec::new(),
                        };
                        (vec![], vec![output])
                    }
                    false => {
                        let link = Link::Output {
                            output: 0,
                            gain: 1.0,
                            offset: 0.0,
                        };
                        let input = Input {
                            name: "thermostat.x".to_owned(),
                            link,
                        };
                        (vec![input], vec![])
                    }
                };
                let name = if number == room { "room" } else { "thermostat" };
                coupling.add(name, inputs, outputs);
                components.push(Box::new(Heating {
                    is_room: number == room,
                    x: 0.0,
                    on: true,
                    samples: 0,
                    saved: Vec::new(),
                }));
            }
            coupling.discrete.push(DiscreteLink {
                names: ("thermostat.on".to_owned(), "room.on".to_owned()),
                base_type: BaseType::Boolean,
                into: BaseType::Boolean,
                gain: 1.0,
                offset: 0.0,
                map: Vec::new(),
                from: (thermostat, 0),
                to: (room, 0),
            });
            let settings = Settings::default().algorithm(algorithm).step(STEP).stop(0.5);
            let mut master = Master::new(coupling, components, Signals::new(), settings).expect("a master");
            master.initialize(&[0.0]).expect("it begins");
            master.run(|_| true).expect("it runs");
            let x = master.outputs()[0];
            assert!((x - exact).abs() < 1e-9, "{algorithm:?} {room}: {x} {exact}");
            let late = master.warnings().iter().filter(|line| line.contains("too late"));
            assert_eq!(late.count(), 0, "{algorithm:?}: {:?}", master.warnings());
        }
    }
}

/// Two components that sample each other at the same time: one of them steps first.
#[test]
fn samples_of_another_time_are_warned_of_before_the_run() {
    let control = Some(Control::new(1e-3, 0.5));
    let fixed = "from other.y come to one.u one communication step (0.01 s) too late:";
    let varied = "from other.y come to one.u one communication step too late:";
    for (algorithm, control, said) in [
        (Algorithm::Jacobi, None, fixed),
        (Algorithm::GaussSeidel, None, fixed),
        (Algorithm::GaussSeidel, control, varied),
    ] {
        let mut coupling = Coupling::default();
        let mut components: Vec<Box<dyn Component>> = Vec::new();
        for (name, output) in [("one", 1), ("other", 0)] {
            let link = Link::Output {
                output,
                gain: 1.0,
                offset: 0.0,
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
            components.push(Box::new(sampling(true)));
        }
        let settings = Settings::default()
            .algorithm(algorithm)
            .step(STEP)
            .stop(0.5)
            .control(control);
        let mut master = Master::new(coupling, components, Signals::new(), settings).expect("a master");
        master.initialize(&[0.0, 0.0]).expect("it begins");
        let [warning] = master.warnings() else {
            panic!("{algorithm:?}: {:?}", master.warnings());
        };
        assert!(warning.contains(said), "{warning}");
        assert_eq!(warning.contains("0.01"), control.is_none(), "{warning}");
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
