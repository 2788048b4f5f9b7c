//! How the stiff integrator's time grows with the size of a rod, and what its exact sparse Jacobian saves against a
//! dense one by differences. Run it with `--release`.

#[path = "../tests/common/mod.rs"]
mod common;

use common::systems::stiff::Rod;
use fmu_runtime::ModelError;
use fmu_runtime::solver::bdf::{Bdf, Pattern};
use fmu_runtime::solver::{ImplicitSystem, Statistics, System, Tolerance};
use std::time::{Duration, Instant};

fn main() {
    println!(
        "{:>8} {:>12} {:>8} {:>12} {:>10}",
        "cells", "Jacobian", "steps", "evaluations", "time"
    );
    let mut last = None;
    for n in [1000, 2000, 5000, 10_000] {
        let (statistics, time) = run(&mut Rod::new(n), &Rod::new(n).pattern(), n);
        report(n, "sparse", statistics, time);
        if let Some((m, before)) = last.replace((n, time)) {
            let ratio: f64 = time.as_secs_f64() / Duration::as_secs_f64(&before);
            println!(
                "{:>33} N^{:.2}",
                "grows like",
                ratio.ln() / (n as f64 / f64::from(m as u32)).ln()
            );
        }
    }
    let n = 1000;
    let (_, sparse) = run(&mut Rod::new(n), &Rod::new(n).pattern(), n);
    let (statistics, dense) = run(&mut Differences(Rod::new(n)), &Pattern::dense(n), n);
    report(n, "differences", statistics, dense);
    println!(
        "sparse and exact is {:.0} times faster",
        dense.as_secs_f64() / sparse.as_secs_f64()
    );
}

fn run(system: &mut impl ImplicitSystem, pattern: &Pattern, n: usize) -> (Statistics, Duration) {
    let mut solver = Bdf::new(pattern, Tolerance::new(1e-6, &vec![1e-6; n]));
    let begin = Instant::now();
    solver.restart(0.0, &vec![1.0; n]);
    while solver.time() < 1.0 {
        if let Err(error) = solver.step(system, 1.0) {
            println!("{error}");
            break;
        }
    }
    (solver.statistics(), begin.elapsed())
}

fn report(n: usize, jacobian: &str, statistics: Statistics, time: Duration) {
    let Statistics {
        steps, evaluations, ..
    } = statistics;
    println!("{n:>8} {jacobian:>12} {steps:>8} {evaluations:>12} {time:>10.1?}");
}

/// The rod with its Jacobian by differences, dense.
struct Differences(Rod);

impl System for Differences {
    fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        self.0.rhs(t, x, dx)
    }
}

impl ImplicitSystem for Differences {
    fn jacobian(&mut self, t: f64, x: &[f64], values: &mut [f64]) -> Result<(), ModelError> {
        let (n, mut x) = (x.len(), x.to_vec());
        let mut dx = vec![0.0; n];
        self.rhs(t, &x, &mut dx)?;
        for (j, column) in values.chunks_exact_mut(n).enumerate() {
            let kept = x[j];
            x[j] += f64::EPSILON.sqrt() * kept.abs().max(1.0);
            self.rhs(t, &x, column)?;
            for (value, dx) in column.iter_mut().zip(&dx) {
                *value = (*value - dx) / (x[j] - kept);
            }
            x[j] = kept;
        }
        Ok(())
    }

    fn second_derivative(
        &mut self,
        t: f64,
        x: &[f64],
        dx: &[f64],
        ddx: &mut [f64],
    ) -> Result<(), ModelError> {
        self.0.second_derivative(t, x, dx, ddx)
    }
}
