//! The systems that are held to their tolerance, with the solutions of their equations.

use fmu_master::settings::{Algorithm, Interface};
use fmu_master::{Error, System};

use super::{INTERFACES, Interfaces, STOP, WITHOUT_CO_SIMULATION};
use crate::bench::{Bench, Result};
use crate::fmus::without_co_simulation;
use crate::reference::integrate;
use crate::rows::quarter_car;

/// A system with the solution of its equations.
pub struct Subject {
    pub name: &'static str,
    pub system: System,
    pub stop: f64,
    /// Outputs, with the nominal values that their FMUs declare.
    pub outputs: &'static [(&'static str, f64)],
    /// The outputs at increasing times from 0, computed without the master.
    pub solution: fn(&[f64]) -> Vec<Vec<f64>>,
    /// Orders of extrapolation.
    pub orders: &'static [u32],
    /// What must be refused, by algorithm and order.
    pub refused: fn(Algorithm, u32) -> Option<Refusal>,
    /// The interfaces through which it is run.
    pub interfaces: &'static [Interfaces],
}

/// Why a run must be refused.
#[derive(Clone, Copy)]
pub enum Refusal {
    /// The coupling is unstable however small the step is.
    Unstable,
    /// The algorithm does not take algebraic loops.
    Loop,
}

impl Refusal {
    /// Whether an error says just that.
    pub fn is(self, error: &Error) -> bool {
        match self {
            Refusal::Unstable => matches!(error, Error::Unstable { .. }),
            Refusal::Loop => {
                matches!(error, Error::Settings(said) if said.contains("no algebraic loop, but"))
            }
        }
    }

    /// As a limit.
    pub fn limit(self) -> &'static str {
        match self {
            Refusal::Unstable => "refused: unstable however small the step",
            Refusal::Loop => "refused: algebraic loop",
        }
    }
}

impl Subject {
    /// The interfaces through which it is run; fewer where time is short.
    pub fn interfaces(&self, smoke: bool) -> &'static [Interfaces] {
        match smoke {
            true => &self.interfaces[..self.interfaces.len().min(3)],
            false => self.interfaces,
        }
    }
}

const ONLY_MODEL_EXCHANGE: [Interfaces; 1] = [(WITHOUT_CO_SIMULATION, [Interface::ModelExchange; 2])];

/// Systems of two and three FMUs.
pub fn coupled(bench: &Bench) -> Result<Vec<Subject>> {
    let chain = System::new("chain")
        .component("lag", "FirstOrder.fmu")
        .component("sum", "Integrator.fmu")
        .set("sum.y", 0.0)
        .connect("lag.y", "sum.u");
    let oscillator = bench.system("oscillator")?;
    let car = bench.system("quarter-car")?;
    let gain = bench.system("loop-gain")?.set("one.d", 0.5);
    let [lag, sum] = ["FirstOrder", "Integrator"].map(|name| without_co_simulation(&bench.fmus, name));
    let only = System::new("chain")
        .component("lag", lag?)
        .component("sum", sum?)
        .set("sum.y", 0.0)
        .connect("lag.y", "sum.u");
    let ring = System::new("ring")
        .component("one", "FirstOrder.fmu")
        .component("two", "FirstOrder.fmu")
        .component("three", "FirstOrder.fmu")
        .set("one.b", -1.0)
        .connect("one.y", "two.u")
        .connect("two.y", "three.u")
        .connect("three.y", "one.u");
    let motor = bench.system("controlled-motor")?;
    Ok(vec![
        Subject {
            name: "lag and integrator",
            system: chain,
            stop: STOP,
            outputs: &[("lag.y", 1.0), ("sum.y", 1.0)],
            solution: |times| times.iter().map(|t| vec![(-t).exp(), 1.0 - (-t).exp()]).collect(),
            orders: &[0, 1, 2],
            refused: |_, _| None,
            interfaces: &INTERFACES,
        },
        Subject {
            name: "oscillator",
            system: oscillator,
            stop: STOP,
            outputs: &[("position.y", 1.0), ("velocity.y", 1.0)],
            solution: |times| times.iter().map(|t| vec![t.cos(), -t.sin()]).collect(),
            orders: &[0, 1, 2],
            refused: |_, _| None,
            interfaces: &INTERFACES,
        },
        Subject {
            name: "quarter car",
            system: car.clone(),
            stop: STOP,
            outputs: &quarter_car::VARIABLES,
            solution: |times| integrate(times, &[0.0; 4], 1e-4, quarter_car::equations),
            // Held inputs would take more than 200 000 steps at 1e-4: they have a shorter run.
            orders: &[1, 2],
            refused: |_, _| None,
            interfaces: &INTERFACES,
        },
        Subject {
            name: "quarter car, held",
            system: car,
            stop: 0.03,
            outputs: &quarter_car::VARIABLES,
            solution: |times| integrate(times, &[0.0; 4], 1e-4, quarter_car::equations),
            orders: &[0],
            refused: |_, _| None,
            interfaces: &INTERFACES,
        },
        Subject {
            name: "loop of gain -0.5",
            system: gain,
            stop: STOP,
            outputs: &[("one.y", 1.0), ("two.y", 1.0)],
            solution: |times| {
                let states = integrate(times, &[1.0, 1.0], 1e-3, |_, x, dx| {
                    let [y1, y2] = loop_outputs(x);
                    (dx[0], dx[1]) = (y2 - x[0], y1 - x[1]);
                });
                states.iter().map(|x| loop_outputs(x).to_vec()).collect()
            },
            orders: &[0, 1, 2],
            refused: |algorithm, order| match algorithm {
                Algorithm::Stabilized => Some(Refusal::Loop),
                // Slopes of sweeps are differences, and z^2 = -0.5 (2 z - 1) leaves the unit circle.
                Algorithm::GaussSeidel if order > 0 => Some(Refusal::Unstable),
                _ => None,
            },
            interfaces: &INTERFACES,
        },
        Subject {
            name: "lag and integrator that lack CS",
            system: only,
            stop: STOP,
            outputs: &[("lag.y", 1.0), ("sum.y", 1.0)],
            solution: |times| times.iter().map(|t| vec![(-t).exp(), 1.0 - (-t).exp()]).collect(),
            orders: &[0, 1, 2],
            refused: |_, _| None,
            interfaces: &ONLY_MODEL_EXCHANGE,
        },
        Subject {
            name: "ring of three",
            system: ring,
            stop: STOP,
            outputs: &[("one.y", 1.0), ("two.y", 1.0), ("three.y", 1.0)],
            solution: |times| {
                integrate(times, &[1.0; 3], 1e-3, |_, x, dx| {
                    (dx[0], dx[1], dx[2]) = (-x[0] - x[2], x[0] - x[1], x[1] - x[2]);
                })
            },
            orders: &[0, 1, 2],
            refused: |_, _| None,
            // All alike, and one apart from the others.
            interfaces: INTERFACES.split_at(3).0,
        },
        Subject {
            name: "sampled motor",
            system: motor,
            stop: STOP,
            outputs: &[
                ("motor.speed", 1.0),
                ("motor.current", 1.0),
                ("motor.torque", 1.0),
            ],
            solution: sampled_motor,
            orders: &[0, 1, 2],
            refused: |_, _| None,
            interfaces: &INTERFACES,
        },
    ])
}

/// y1 = x1 + 0.5 y2 and y2 = x2 - y1.
fn loop_outputs(x: &[f64]) -> [f64; 2] {
    let y1 = (x[0] + 0.5 * x[1]) / 1.5;
    [y1, x[1] - y1]
}

/// Speed, current and torque of the motor under the sampled controller, from sample to sample.
fn sampled_motor(times: &[f64]) -> Vec<Vec<f64>> {
    let (reference, kp, ki, period) = (100.0, 0.05, 0.25, 0.1);
    let (constant, resistance, inductance, inertia, friction) = (0.05, 1.0, 0.01, 5e-4, 1e-4);
    let (mut x, mut t, mut samples) = (vec![0.0, 0.0], 0.0, 0);
    let (mut integral, mut voltage) = (0.0, 0.0);
    let advance = |x: &mut Vec<f64>, from: f64, to: f64, voltage: f64| {
        let states = integrate(&[from, to], x, 1e-4, |_, x, dx| {
            dx[0] = (voltage - constant * x[1] - resistance * x[0]) / inductance;
            dx[1] = (constant * x[0] - friction * x[1]) / inertia;
        });
        x.clone_from(&states[1]);
    };
    let mut outputs = Vec::with_capacity(times.len());
    for &time in times {
        while f64::from(samples) * period <= time {
            let sample = f64::from(samples) * period;
            advance(&mut x, t, sample, voltage);
            let error = reference - x[1];
            integral += period * error;
            voltage = kp * error + ki * integral;
            (t, samples) = (sample, samples + 1);
        }
        advance(&mut x, t, time, voltage);
        t = time;
        outputs.push(vec![x[1], x[0], constant * x[0]]);
    }
    outputs
}

/// FMUs by themselves.
pub fn alone() -> [Subject; 5] {
    let wheel = Subject {
        name: "wheel alone",
        system: System::new("wheel").component("wheel", "Wheel.fmu"),
        stop: STOP,
        outputs: &[("wheel.x", 0.1), ("wheel.v", 2.0)],
        // With the chassis at rest.
        solution: |times| {
            integrate(times, &[0.0; 2], 1e-4, |_, x, dx| {
                let force = 150e3 * (0.1 - x[0]) - 15e3 * x[0] - 1e3 * x[1];
                (dx[0], dx[1]) = (x[1], force / 40.0);
            })
        },
        orders: &[],
        refused: |_, _| None,
        interfaces: &INTERFACES,
    };
    let lag = Subject {
        name: "lag alone",
        system: System::new("lag").component("lag", "FirstOrder.fmu"),
        stop: STOP,
        outputs: &[("lag.y", 1.0)],
        solution: |times| times.iter().map(|t| vec![(-t).exp()]).collect(),
        orders: &[],
        refused: |_, _| None,
        interfaces: &INTERFACES,
    };
    let chassis = Subject {
        name: "chassis alone",
        system: System::new("chassis")
            .component("chassis", "Chassis.fmu")
            .input("chassis.x_wheel", 0.1),
        stop: STOP,
        outputs: &[("chassis.x", 0.1), ("chassis.v", 0.5)],
        // On a wheel that stays 0.1 m up.
        solution: |times| {
            integrate(times, &[0.0; 2], 1e-4, |_, x, dx| {
                (dx[0], dx[1]) = (x[1], (15e3 * (0.1 - x[0]) - 1e3 * x[1]) / 400.0);
            })
        },
        orders: &[],
        refused: |_, _| None,
        interfaces: &INTERFACES,
    };
    let sum = Subject {
        name: "integrator alone",
        system: System::new("sum")
            .component("sum", "Integrator.fmu")
            .input("sum.u", -2.0),
        stop: STOP,
        outputs: &[("sum.y", 1.0)],
        solution: |times| times.iter().map(|t| vec![1.0 - 2.0 * t]).collect(),
        orders: &[],
        refused: |_, _| None,
        interfaces: &INTERFACES,
    };
    let motor = Subject {
        name: "motor alone",
        system: System::new("motor").component("motor", "DCMotor.fmu"),
        stop: STOP,
        outputs: &[
            ("motor.speed", 1.0),
            ("motor.current", 1.0),
            ("motor.torque", 1.0),
        ],
        // Under its 24 V.
        solution: |times| {
            let states = integrate(times, &[0.0; 2], 1e-4, |_, x, dx| {
                (dx[0], dx[1]) = (
                    (24.0 - 0.05 * x[1] - x[0]) / 0.01,
                    (0.05 * x[0] - 1e-4 * x[1]) / 5e-4,
                );
            });
            states.iter().map(|x| vec![x[1], x[0], 0.05 * x[0]]).collect()
        },
        orders: &[],
        refused: |_, _| None,
        interfaces: &INTERFACES,
    };
    [wheel, lag, chassis, sum, motor]
}
