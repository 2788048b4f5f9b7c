//! Components for tests: systems of equations in plain closures, integrated with steps so small that the coupling alone
//! counts.

#![allow(dead_code, reason = "each test binary uses a part of this")]

use fmu_master::component::{Capabilities, Component, ComponentError, Outcome, Stepping};
use fmu_master::coupling::{Coupling, Input, Link, Output};
use fmu_master::settings::{Algorithm, Settings};
use fmu_master::signals::Signals;
use fmu_master::{Error, Master};
use test_support::reference;

type Function = Box<dyn Fn(f64, &[f64], &[f64]) -> Vec<f64> + Send>;

/// `x' = f(t, x, u)`, `y = g(t, x, u)`.
pub struct System {
    pub f: Function,
    pub g: Function,
    pub x: Vec<f64>,
    pub outputs: usize,
    pub can: Capabilities,
    /// The usual size of its outputs.
    pub nominals: Vec<f64>,
    /// It ends a step that would go over this time there.
    pub stops_at: Option<f64>,
    t: f64,
    u: [Vec<f64>; 3],
    saved: Vec<(f64, Vec<f64>, [Vec<f64>; 3])>,
}

impl System {
    pub fn new(
        x: &[f64],
        inputs: usize,
        outputs: usize,
        f: impl Fn(f64, &[f64], &[f64]) -> Vec<f64> + Send + 'static,
        g: impl Fn(f64, &[f64], &[f64]) -> Vec<f64> + Send + 'static,
    ) -> System {
        System {
            f: Box::new(f),
            g: Box::new(g),
            x: x.to_vec(),
            outputs,
            nominals: vec![1.0; outputs],
            stops_at: None,
            can: Capabilities::default()
                .snapshots(true)
                .input_derivatives(2)
                .output_derivatives(0)
                .directional_derivatives(true)
                .outputs_follow_inputs(true)
                .variable_step(true)
                .cheap_snapshots(false)
                .states(None),
            t: 0.0,
            u: [vec![0.0; inputs], vec![0.0; inputs], vec![0.0; inputs]],
            saved: Vec::new(),
        }
    }

    fn inputs_after(&self, h: f64) -> Vec<f64> {
        let [u, du, ddu] = &self.u;
        (0..u.len())
            .map(|i| u[i] + h * (du[i] + 0.5 * h * ddu[i]))
            .collect()
    }
}

impl Component for System {
    fn capabilities(&self) -> Capabilities {
        self.can
    }

    fn into_stepping(self: Box<Self>) -> Option<Box<dyn Stepping>> {
        Some(self)
    }

    fn set_inputs(&mut self, u: &[f64]) -> Result<(), ComponentError> {
        self.u[0].copy_from_slice(u);
        self.u[1].fill(0.0);
        self.u[2].fill(0.0);
        Ok(())
    }

    fn enter_initialization(&mut self, t: f64, _: f64, _: Option<f64>) -> Result<(), ComponentError> {
        self.t = t;
        Ok(())
    }
}

impl Stepping for System {
    fn set_input_derivatives(&mut self, order: u32, du: &[f64]) -> Result<(), ComponentError> {
        self.u[order as usize].copy_from_slice(du);
        Ok(())
    }

    fn outputs(&mut self, y: &mut [f64]) -> Result<(), ComponentError> {
        y.copy_from_slice(&(self.g)(self.t, &self.x, &self.u[0]));
        Ok(())
    }

    /// By differences along the solution: good to eight digits.
    fn output_derivatives(&mut self, order: u32, dy: &mut [f64]) -> Result<(), ComponentError> {
        assert_eq!(order, 1);
        let h = 1e-5;
        let along = |h: f64| {
            let dx = (self.f)(self.t, &self.x, &self.u[0]);
            let x: Vec<f64> = self.x.iter().zip(dx).map(|(x, dx)| x + h * dx).collect();
            (self.g)(self.t + h, &x, &self.inputs_after(h))
        };
        for (dy, (after, before)) in dy.iter_mut().zip(along(h).into_iter().zip(along(-h))) {
            *dy = (after - before) / (2.0 * h);
        }
        Ok(())
    }

    fn feed_through(&mut self, matrix: &mut [f64]) -> Result<(), ComponentError> {
        let inputs = self.u[0].len();
        for column in 0..inputs {
            let mut u = [self.u[0].clone(), self.u[0].clone()];
            u[0][column] -= 1e-4;
            u[1][column] += 1e-4;
            let [before, after] = u.map(|u| (self.g)(self.t, &self.x, &u));
            for row in 0..self.outputs {
                matrix[row * inputs + column] = (after[row] - before[row]) / 2e-4;
            }
        }
        Ok(())
    }

    fn step(&mut self, t: f64, h: f64, _: bool) -> Result<Outcome, ComponentError> {
        assert!((t - self.t).abs() < 1e-12, "called at {t}, is at {}", self.t);
        if let Some(reached) = self.stops_at.filter(|&at| t < at - 1e-12 && t + h > at + 1e-12) {
            // Where it is now does not matter: a caller that goes on has to go back first.
            self.t = f64::NAN;
            return Ok(Outcome::Discarded {
                reached: Some(reached),
            });
        }
        const STEPS: usize = 20;
        let dt = h / STEPS as f64;
        for step in 0..STEPS {
            let s = step as f64 * dt;
            let mut x = std::mem::take(&mut self.x);
            reference::step(t + s, &mut x, dt, |time, x, dx| {
                dx.copy_from_slice(&(self.f)(time, x, &self.inputs_after(time - t)));
            });
            self.x = x;
        }
        self.t = t + h;
        self.u[0] = self.inputs_after(h);
        for i in 0..self.u[1].len() {
            self.u[1][i] += h * self.u[2][i];
        }
        Ok(Outcome::Done)
    }

    fn save(&mut self, place: usize) -> Result<(), ComponentError> {
        let now = (self.t, self.x.clone(), self.u.clone());
        if self.saved.len() <= place {
            self.saved.resize(place + 1, now.clone());
        }
        self.saved[place] = now;
        Ok(())
    }

    fn restore(&mut self, place: usize) -> Result<(), ComponentError> {
        (self.t, self.x, self.u) = self.saved[place].clone();
        Ok(())
    }
}

/// A component, the outputs (over all components) that feed its inputs, and the own inputs that each output depends on.
pub type Part = (System, Vec<usize>, Vec<Vec<usize>>);

/// A coupled system: components with the outputs (over all components) that feed their inputs, and which of their own
/// inputs each output depends on.
pub fn couple(parts: Vec<Part>, settings: Settings) -> Result<Master, Error> {
    couple_with(parts, settings, &[])
}

/// The same, with loops that have their own algorithm.
pub fn couple_with(
    parts: Vec<Part>,
    settings: Settings,
    loops: &[(Vec<usize>, Algorithm)],
) -> Result<Master, Error> {
    let mut coupling = Coupling::default();
    let mut components: Vec<Box<dyn Component>> = Vec::new();
    for (number, (system, sources, feed_through)) in parts.into_iter().enumerate() {
        let name = format!("s{}", number + 1);
        let inputs = sources.iter().enumerate().map(|(i, &output)| Input {
            name: format!("{name}.u{}", i + 1),
            link: Link::Output {
                output,
                gain: 1.0,
                offset: 0.0,
            },
        });
        let outputs: Vec<Output> = feed_through
            .into_iter()
            .enumerate()
            .map(|(i, feed_through)| Output {
                name: format!("{name}.y{}", i + 1),
                nominal: system.nominals[i],
                feed_through,
            })
            .collect();
        coupling.add(&name, inputs.collect(), outputs);
        components.push(Box::new(system));
    }
    Master::with_loops(coupling, components, Signals::new(), settings, loops)
}
