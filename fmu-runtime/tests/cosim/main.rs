//! Communication steps without any C: events, curves, failures, memory.

#[path = "../common/mod.rs"]
mod common;
mod curves;
mod events;
mod memory;
mod steps;
#[cfg(feature = "bdf")]
mod stiff;

use fmu_runtime::cosim::{CoSimulation, Facts, Failure, Happening, Options, Reached, Solver, Workspace};
use fmu_runtime::evaluator::{Evaluator, Stale};
use fmu_runtime::model::Model;
use test_support::allocations::{self, Counting};

#[global_allocator]
static COUNTING: Counting = Counting;

/// A model in co-simulation. A clone is a snapshot.
struct Slave<M: Model> {
    evaluator: Evaluator<M>,
    cosimulation: CoSimulation,
    workspace: Workspace<M>,
}

impl<M: Model> Slave<M> {
    fn new(options: Options) -> Slave<M> {
        Slave::with(&Facts::of::<M>().unwrap(), options)
    }

    fn with(facts: &Facts, options: Options) -> Slave<M> {
        let mut slave = Slave {
            evaluator: Evaluator::new(Box::default()),
            cosimulation: CoSimulation::new(facts, options),
            workspace: Workspace::default(),
        };
        slave.evaluator.enter_initialization(0.0);
        slave.evaluator.exit_initialization().unwrap();
        let initialized = slave
            .cosimulation
            .initialize(&mut slave.evaluator, &mut slave.workspace);
        assert_eq!(initialized.unwrap(), Reached::End);
        slave
    }

    fn try_advance(&mut self, end: f64, on_event: impl FnMut(&Happening)) -> Result<Reached, Failure> {
        self.cosimulation
            .advance(&mut self.evaluator, &mut self.workspace, end, on_event)
    }

    fn advance(&mut self, end: f64) {
        assert_eq!(self.try_advance(end, |_| {}).unwrap(), Reached::End);
        assert_eq!(self.evaluator.time(), end);
    }

    fn model(&self) -> &M {
        self.evaluator.model()
    }

    fn set(&mut self, slot: usize, value: f64) {
        self.evaluator.set_real(slot, value, Stale::BY_VARIABLE);
        self.cosimulation.inputs_changed();
    }

    fn snapshot(&self) -> (Evaluator<M>, CoSimulation) {
        (self.evaluator.clone(), self.cosimulation.clone())
    }

    fn restore(&mut self, snapshot: &(Evaluator<M>, CoSimulation)) {
        (self.evaluator, self.cosimulation) = snapshot.clone();
    }

    fn states(&self) -> Vec<u64> {
        let mut x = vec![0.0; M::COUNTS.states];
        self.evaluator.states(&mut x);
        x.into_iter().map(f64::to_bits).collect()
    }
}

fn solvers() -> Vec<Options> {
    let fixed = |solver: Solver| Options::with(solver).with_max_step(1e-3);
    vec![
        fixed(Solver::Euler),
        fixed(Solver::RungeKutta4),
        Options::with(Solver::DormandPrince),
        #[cfg(feature = "bdf")]
        Options::with(Solver::Bdf),
    ]
}
