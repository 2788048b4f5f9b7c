//! Systems with events: sources that jump, a ball whose bounces another component counts on, sampled control.

use fmu_master::aggregate::{Assembly, NativeModel};
use fmu_master::component::{Capabilities, Component, ComponentError, Outcome, Stepping, Variables};
use fmu_master::signals::Signals;
use fmu_runtime::prelude::*;

use crate::case::{Case, Parts};
use crate::linear::Linear;
use crate::network::{plant, wire};

/// Outputs that are functions of time alone, computed exactly.
struct Scripted {
    outputs: fn(f64) -> Vec<f64>,
    discrete: Vec<usize>,
    t: f64,
    saved: Vec<f64>,
}

/// A controller that samples its input every `PERIOD` and holds its command in between. A sample at the end of a step belongs
/// to it.
struct Sampler {
    /// It reports when it samples.
    reports: bool,
    t: f64,
    u: f64,
    command: f64,
    saved: Vec<(f64, f64, f64)>,
}

impl Sampler {
    fn new(reports: bool) -> Sampler {
        Sampler {
            reports,
            t: 0.0,
            u: 0.0,
            command: 0.0,
            saved: Vec::new(),
        }
    }

    /// The number of samples up to a time, but for rounding.
    fn samples(t: f64) -> f64 {
        (t / PERIOD + 1e-9).floor()
    }
}

const PERIOD: f64 = 0.1;
const GAIN: f64 = 2.0;
const REFERENCE: f64 = 1.0;

fn capabilities() -> Capabilities {
    Capabilities::default()
        .snapshots(true)
        .outputs_follow_inputs(true)
        .directional_derivatives(true)
        .variable_step(true)
}

impl Component for Scripted {
    fn capabilities(&self) -> Capabilities {
        capabilities()
    }

    fn into_stepping(self: Box<Self>) -> Option<Box<dyn Stepping>> {
        Some(self)
    }

    fn variables(&self) -> Variables {
        Variables::default().discrete_outputs(self.discrete.clone())
    }

    fn set_inputs(&mut self, _: &[f64]) -> Result<(), ComponentError> {
        Ok(())
    }

    fn enter_initialization(&mut self, t: f64, _: f64, _: Option<f64>) -> Result<(), ComponentError> {
        self.t = t;
        Ok(())
    }
}

impl Stepping for Scripted {
    fn outputs(&mut self, y: &mut [f64]) -> Result<(), ComponentError> {
        y.copy_from_slice(&(self.outputs)(self.t));
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

impl Component for Sampler {
    fn capabilities(&self) -> Capabilities {
        capabilities()
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
        self.u = u[0];
        Ok(())
    }

    fn enter_initialization(&mut self, t: f64, _: f64, _: Option<f64>) -> Result<(), ComponentError> {
        self.t = t;
        Ok(())
    }
}

impl Stepping for Sampler {
    fn set_input_derivatives(&mut self, order: u32, du: &[f64]) -> Result<(), ComponentError> {
        assert!(
            du.iter().all(|du| *du == 0.0),
            "discrete inputs have no derivatives of order {order}"
        );
        Ok(())
    }

    fn outputs(&mut self, y: &mut [f64]) -> Result<(), ComponentError> {
        y[0] = self.command;
        Ok(())
    }

    fn feed_through(&mut self, matrix: &mut [f64]) -> Result<(), ComponentError> {
        matrix.fill(0.0);
        Ok(())
    }

    fn step(&mut self, t: f64, h: f64, _: bool) -> Result<Outcome, ComponentError> {
        if Sampler::samples(t + h) > Sampler::samples(t) {
            self.command = GAIN * (REFERENCE - self.u);
        }
        self.t = t + h;
        Ok(Outcome::Done)
    }

    fn next_event(&mut self, t: f64) -> Option<f64> {
        self.reports.then(|| (Sampler::samples(t) + 1.0) * PERIOD)
    }

    fn save(&mut self, place: usize) -> Result<(), ComponentError> {
        self.saved
            .resize(self.saved.len().max(place + 1), (0.0, 0.0, 0.0));
        self.saved[place] = (self.t, self.u, self.command);
        Ok(())
    }

    fn restore(&mut self, place: usize) -> Result<(), ComponentError> {
        (self.t, self.u, self.command) = self.saved[place];
        Ok(())
    }
}

/// x' = u - a x.
#[model]
pub struct Store {
    /// What comes in, at events
    #[input(discrete, start = 0.0)]
    pub u: f64,
    /// Contents
    #[state(start = 0.0, output)]
    pub x: f64,
    /// Loss
    #[parameter(start = 0.0)]
    pub a: f64,
}

#[equations]
impl Model for Store {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            x: self.u - self.a * self.x,
        }
    }
}

/// Jumps between 1 and -1 at given times.
#[model]
pub struct Switch {
    /// Level
    #[discrete(start = 1.0, output)]
    pub level: f64,
    /// Jumps so far
    #[discrete(start = 0)]
    pub jumps: i32,
}

const JUMPS: [f64; 3] = [0.137, 0.29, 0.41];

#[equations]
impl Model for Switch {
    fn event(&mut self, at: Event) {
        if at.scheduled {
            self.level = -self.level;
            self.jumps += 1;
        }
    }

    fn next_event_time(&self, _t: f64) -> Option<f64> {
        JUMPS.get(self.jumps as usize).copied()
    }
}

/// A ball on an elastic ground that counts its bounces.
#[model]
pub struct Ball {
    /// Height
    #[state(start = 0.1, output)]
    pub h: f64,
    /// Velocity
    #[state(start = 0.0)]
    pub v: f64,
    /// Bounces so far
    #[discrete(start = 0.0, output)]
    pub bounces: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { h: self.v, v: -9.81 }
    }
    fn event_indicators(&self, _t: f64) -> [f64; 1] {
        [self.h]
    }
    fn event(&mut self, _at: Event) {
        if self.h <= 0.0 && self.v < 0.0 {
            self.h = 0.0;
            self.v = -self.v;
            self.bounces += 1.0;
        }
    }
}

/// The controller, for the aggregate.
#[model]
pub struct Controller {
    /// Measurement
    #[input(discrete, start = 0.0)]
    pub u: f64,
    /// Command
    #[discrete(start = 0.0, output)]
    pub command: f64,
    /// Samples so far
    #[discrete(start = 0)]
    pub samples: i32,
}

#[equations]
impl Model for Controller {
    fn event(&mut self, at: Event) {
        if at.scheduled {
            self.command = GAIN * (REFERENCE - self.u);
            self.samples += 1;
        }
    }

    fn next_event_time(&self, _t: f64) -> Option<f64> {
        Some(f64::from(self.samples + 1) * PERIOD)
    }
}

fn switched(t: f64) -> Vec<f64> {
    let before = JUMPS.iter().filter(|jump| t >= **jump - 1e-12).count();
    vec![if before % 2 == 0 { 1.0 } else { -1.0 }]
}

/// x' = -x plus the switch, from 0.
fn behind_switch(times: &[f64]) -> Vec<Vec<f64>> {
    let at = |&t: &f64| {
        let (mut x, mut from, mut level) = (0.0, 0.0, 1.0);
        for jump in JUMPS.into_iter().filter(|jump| *jump < t).chain([t]) {
            x = level + (x - level) * f64::exp(from - jump);
            (from, level) = (jump, -level);
        }
        vec![switched(t)[0], x]
    };
    times.iter().map(at).collect()
}

/// Height and bounces of an elastic ball from 0.1 m.
fn ball(t: f64) -> Vec<f64> {
    let fall = (2.0 * 0.1 / 9.81_f64).sqrt();
    let bounces = ((t + fall) / (2.0 * fall) + 1e-12).floor();
    let since = t - 2.0 * fall * bounces;
    vec![0.1 - 0.5 * 9.81 * since * since, bounces]
}

/// The bounces integrated.
fn counted(times: &[f64]) -> Vec<Vec<f64>> {
    let fall = (2.0 * 0.1 / 9.81_f64).sqrt();
    let at = |&t: &f64| {
        let bounces = (0..)
            .map(|k| fall * f64::from(1 + 2 * k))
            .take_while(|bounce| *bounce < t);
        let contents = bounces.map(|bounce| t - bounce).sum();
        ball(t).into_iter().chain([contents]).collect()
    };
    times.iter().map(at).collect()
}

/// Command and plant of sampled control: x' = u - x, from 0.
fn sampled(times: &[f64]) -> Vec<Vec<f64>> {
    let at = |&t: &f64| {
        let (mut x, mut u, mut from) = (0.0, 0.0, 0.0);
        let last = (t / PERIOD + 1e-9).floor() as i32;
        for sample in 1..=last {
            let now = f64::from(sample) * PERIOD;
            x = u + (x - u) * f64::exp(from - now);
            (u, from) = (GAIN * (REFERENCE - x), now);
        }
        vec![u, u + (x - u) * f64::exp(from - t)]
    };
    times.iter().map(at).collect()
}

fn native<M: fmu_runtime::model::Model>(model: M) -> NativeModel<M> {
    NativeModel::new(model).expect("a model that can be simulated")
}

fn scripted(outputs: fn(f64) -> Vec<f64>, discrete: &[usize]) -> Box<dyn Component> {
    Box::new(Scripted {
        outputs,
        discrete: discrete.to_vec(),
        t: 0.0,
        saved: Vec::new(),
    })
}

/// `x' = u - a x`, `y = x`, from 0.
fn store(a: f64) -> Box<dyn Component> {
    Box::new(Linear::new(&plant(&[&[-a]], &[&[1.0]], &[&[1.0]], &[], &[0.0])))
}

pub fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "a source that jumps".to_owned(),
            stop: 0.5,
            condition: 1.0,
            parts: Box::new(|| Parts {
                coupling: wire(&[("s1", &[], 1), ("s2", &[0], 1)]),
                components: vec![scripted(switched, &[0]), store(1.0)],
                signals: Signals::new(),
            }),
            assembly: Box::new(|| {
                let mut system = Assembly::new();
                system.add("s1", native(Switch::default()));
                system.add(
                    "s2",
                    native(Store {
                        a: 1.0,
                        ..Store::default()
                    }),
                );
                system.connect("s1.level", "s2.u");
                system
            }),
            discrete: vec![0],
            reference: Box::new(behind_switch),
        },
        Case {
            name: "events in one component that change another".to_owned(),
            stop: 0.6,
            condition: 1.6,
            parts: Box::new(|| Parts {
                coupling: wire(&[("s1", &[], 2), ("s2", &[1], 1)]),
                components: vec![scripted(ball, &[1]), store(0.0)],
                signals: Signals::new(),
            }),
            assembly: Box::new(|| {
                let mut system = Assembly::new();
                system.add("s1", native(Ball::default()));
                system.add("s2", native(Store::default()));
                system.connect("s1.bounces", "s2.u");
                system
            }),
            discrete: vec![1],
            reference: Box::new(counted),
        },
        sampled_control("sampled control", true),
        sampled_control("sampled control, samples not known", false),
    ]
}

/// A lag under a controller that samples, and reports when or not.
fn sampled_control(name: &str, reports: bool) -> Case {
    Case {
        name: name.to_owned(),
        stop: 0.45,
        condition: 1.2,
        parts: Box::new(move || Parts {
            coupling: wire(&[("s1", &[1], 1), ("s2", &[0], 1)]),
            components: vec![Box::new(Sampler::new(reports)), store(1.0)],
            signals: Signals::new(),
        }),
        assembly: Box::new(|| {
            let mut system = Assembly::new();
            system.add("s1", native(Controller::default()));
            system.add(
                "s2",
                native(Store {
                    a: 1.0,
                    ..Store::default()
                }),
            );
            system.connect("s1.command", "s2.u").connect("s2.x", "s1.u");
            system
        }),
        discrete: vec![0],
        reference: Box::new(sampled),
    }
}
