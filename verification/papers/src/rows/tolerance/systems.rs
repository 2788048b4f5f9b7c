//! The systems that are held to their tolerance, with the solutions of their equations.

use fmu_master::System;
use fmu_master::settings::Algorithm;

use crate::bench::{Bench, Result};
use crate::reference::integrate;
use crate::rows::quarter_car;

/// A system with the solution of its equations.
pub struct Subject {
    pub name: &'static str,
    pub system: System,
    /// Outputs, with the nominal values that their FMUs declare.
    pub outputs: &'static [(&'static str, f64)],
    /// The outputs at increasing times from 0, computed without the master.
    pub solution: fn(&[f64]) -> Vec<Vec<f64>>,
    /// Orders of extrapolation.
    pub orders: &'static [u32],
    /// What must be refused, because the coupling is unstable however small the step is or because the algorithm does not take
    /// algebraic loops: by algorithm and order.
    pub refused: fn(Algorithm, u32) -> bool,
}

/// Systems of two FMUs.
pub fn coupled(bench: &Bench) -> Result<Vec<Subject>> {
    let chain = System::new("chain")
        .component("lag", "FirstOrder.fmu")
        .component("sum", "Integrator.fmu")
        .set("sum.y", 0.0)
        .connect("lag.y", "sum.u");
    let oscillator = bench.system("oscillator")?;
    let car = bench.system("quarter-car")?;
    let gain = bench.system("loop-gain")?.set("one.d", 0.5);
    Ok(vec![
        Subject {
            name: "lag and integrator",
            system: chain,
            outputs: &[("lag.y", 1.0), ("sum.y", 1.0)],
            solution: |times| times.iter().map(|t| vec![(-t).exp(), 1.0 - (-t).exp()]).collect(),
            orders: &[0, 1, 2],
            refused: |_, _| false,
        },
        Subject {
            name: "oscillator",
            system: oscillator,
            outputs: &[("position.y", 1.0), ("velocity.y", 1.0)],
            solution: |times| times.iter().map(|t| vec![t.cos(), -t.sin()]).collect(),
            orders: &[0, 1, 2],
            refused: |_, _| false,
        },
        Subject {
            name: "quarter car",
            system: car,
            outputs: &quarter_car::VARIABLES,
            solution: |times| integrate(times, &[0.0; 4], 1e-4, quarter_car::equations),
            // Held inputs would take more than 200 000 steps at 1e-4.
            orders: &[1, 2],
            refused: |_, _| false,
        },
        Subject {
            name: "loop of gain -0.5",
            system: gain,
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
                Algorithm::Stabilized => true,
                // Slopes of sweeps are differences, and z^2 = -0.5 (2 z - 1) leaves the unit circle.
                Algorithm::GaussSeidel => order > 0,
                _ => false,
            },
        },
    ])
}

/// y1 = x1 + 0.5 y2 and y2 = x2 - y1.
fn loop_outputs(x: &[f64]) -> [f64; 2] {
    let y1 = (x[0] + 0.5 * x[1]) / 1.5;
    [y1, x[1] - y1]
}

/// FMUs by themselves.
pub fn alone() -> [Subject; 2] {
    let wheel = Subject {
        name: "wheel alone",
        system: System::new("wheel").component("wheel", "Wheel.fmu"),
        outputs: &[("wheel.x", 0.1), ("wheel.v", 2.0)],
        // With the chassis at rest.
        solution: |times| {
            integrate(times, &[0.0; 2], 1e-4, |_, x, dx| {
                let force = 150e3 * (0.1 - x[0]) - 15e3 * x[0] - 1e3 * x[1];
                (dx[0], dx[1]) = (x[1], force / 40.0);
            })
        },
        orders: &[],
        refused: |_, _| false,
    };
    let lag = Subject {
        name: "lag alone",
        system: System::new("lag").component("lag", "FirstOrder.fmu"),
        outputs: &[("lag.y", 1.0)],
        solution: |times| times.iter().map(|t| vec![(-t).exp()]).collect(),
        orders: &[],
        refused: |_, _| false,
    };
    [wheel, lag]
}
