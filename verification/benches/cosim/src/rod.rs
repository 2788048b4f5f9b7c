//! The heat rod of the examples, 1000 s in communication steps of 10 s, with a relative tolerance of 1e-6.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use fmu_runtime::ModelError;
use fmu_runtime::cosim::{CoSimulation, Facts, Options, Solver, Workspace};
use fmu_runtime::evaluator::Evaluator;
use fmu_runtime::solver::bdf::Bdf;
use fmu_runtime::solver::{ImplicitSystem, Pattern, Statistics, System, Tolerance};
use heat_rod::HeatRod;

const TOLERANCE: f64 = 1e-6;

fn ends() -> impl Iterator<Item = f64> {
    (1..=100).map(|i| 10.0 * f64::from(i))
}

fn initialized<const N: usize>() -> Result<Evaluator<HeatRod<N>>, ModelError> {
    let mut evaluator = Evaluator::new(Box::<HeatRod<N>>::default());
    evaluator.enter_initialization(0.0);
    evaluator.exit_initialization()?;
    Ok(evaluator)
}

/// Through co-simulation, with the exact Jacobian and its pattern.
pub fn sparse<const N: usize>() -> Result<(), Box<dyn Error>> {
    let sentence = |error: ModelError| error.to_string();
    let facts = Facts::explored::<HeatRod<N>>(Path::new("")).map_err(sentence)?;
    let mut workspace = Workspace::default();
    // A clock that counts thousandths of a second needs some of them.
    let rounds = (20_000 / N).max(1);
    let mut statistics = Statistics::default();
    let begin = Clock::now();
    for _ in 0..rounds {
        let mut evaluator = initialized::<N>().map_err(sentence)?;
        let mut cosimulation = CoSimulation::new(&facts, Options::with(Solver::Bdf));
        cosimulation.initialize(&mut evaluator, &mut workspace)?;
        for end in ends() {
            cosimulation.advance(&mut evaluator, &mut workspace, end, |_| {})?;
        }
        statistics = cosimulation.statistics();
    }
    report(&begin, rounds, statistics);
    Ok(())
}

/// The same integrator, with what an FMU without derivatives would have to do.
pub fn differences<const N: usize>() -> Result<(), Box<dyn Error>> {
    let mut system = Differences(initialized::<N>().map_err(|error| error.to_string())?);
    let mut x = vec![0.0; N];
    system.0.states(&mut x);
    let tolerance = Tolerance::of_nominals(TOLERANCE, vec![300.0; N]);
    let mut solver = Bdf::new(&Pattern::full(N, N), tolerance);
    let begin = Clock::now();
    solver.restart(0.0, &x);
    for end in ends() {
        while solver.time() < end {
            solver.step(&mut system, end)?;
        }
    }
    report(&begin, 1, solver.statistics());
    Ok(())
}

fn report(begin: &Clock, rounds: usize, statistics: Statistics) {
    let Statistics {
        steps,
        evaluations,
        jacobians,
        factorizations,
        ..
    } = statistics;
    println!(
        "{:.6} {steps} {evaluations} {jacobians} {factorizations}",
        begin.elapsed() / rounds as f64
    );
}

/// The time that this thread was running, where the system reports it: other programs have little influence on it.
struct Clock {
    running: Option<u64>,
    begin: Instant,
}

impl Clock {
    fn running() -> Option<u64> {
        let said = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        said.split(' ').next()?.parse().ok()
    }

    fn now() -> Clock {
        Clock {
            running: Clock::running(),
            begin: Instant::now(),
        }
    }

    fn elapsed(&self) -> f64 {
        match (self.running, Clock::running()) {
            (Some(before), Some(after)) => (after - before) as f64 * 1e-9,
            _ => self.begin.elapsed().as_secs_f64(),
        }
    }
}

struct Differences<const N: usize>(Evaluator<HeatRod<N>>);

impl<const N: usize> System for Differences<N> {
    type Error = ModelError;

    fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        self.0.set_time(t);
        self.0.set_states(x);
        self.0.derivatives(dx)
    }
}

impl<const N: usize> ImplicitSystem for Differences<N> {
    fn jacobian(&mut self, t: f64, x: &[f64], values: &mut [f64]) -> Result<(), ModelError> {
        let mut x = x.to_vec();
        let mut dx = vec![0.0; N];
        self.rhs(t, &x, &mut dx)?;
        for (j, column) in values.chunks_exact_mut(N).enumerate() {
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

    /// By a difference along the solution.
    fn second_derivative(
        &mut self,
        t: f64,
        x: &[f64],
        dx: &[f64],
        ddx: &mut [f64],
    ) -> Result<(), ModelError> {
        let h = 1e-6;
        let moved: Vec<f64> = x.iter().zip(dx).map(|(x, dx)| x + h * dx).collect();
        self.rhs(t + h, &moved, ddx)?;
        for (ddx, dx) in ddx.iter_mut().zip(dx) {
            *ddx = (*ddx - dx) / h;
        }
        Ok(())
    }
}
