//! The anchor: the same bits whatever was evaluated before, snapshots, bytes.

use super::{Bridge, initialized, simulate};
use fmu_runtime::cosim::{CoSimulation, Facts, Options, Reached, Workspace};
use fmu_runtime::evaluator::Evaluator;
use fmu_runtime::stored::{Reader, Writer};

fn derivative(evaluator: &mut Evaluator<Bridge>, vc: f64) -> (u64, [u64; 4]) {
    let mut dx = [0.0];
    evaluator.set_states(&[vc]);
    evaluator.derivatives(&mut dx).unwrap();
    (dx[0].to_bits(), evaluator.model().v.map(f64::to_bits))
}

#[test]
fn going_back_to_a_point_gives_the_same_bits() {
    let mut evaluator = initialized(Bridge::default());
    let a = derivative(&mut evaluator, 2.3);
    let b = derivative(&mut evaluator, 4.9);
    assert_eq!(derivative(&mut evaluator, 2.3), a);
    let mut other = initialized(Bridge::default());
    assert_eq!(derivative(&mut other, 4.9), b);
    assert_eq!(derivative(&mut other, 2.3), a);
}

#[test]
fn a_completed_step_moves_the_anchor_and_a_snapshot_remembers_it() {
    let mut evaluator = initialized(Bridge::default());
    derivative(&mut evaluator, 3.0);
    evaluator.completed_step().unwrap();
    let snapshot = evaluator.clone();
    let mut bytes = Vec::new();
    evaluator.write_to(&mut Writer(&mut bytes));
    let next = derivative(&mut evaluator, 3.4);
    assert_eq!(derivative(&mut snapshot.clone(), 3.4), next);
    let mut read = Evaluator::<Bridge>::read_from(Box::default(), &mut Reader(&bytes)).unwrap();
    assert_eq!(derivative(&mut read, 3.4), next);
    // The way back is the same as well.
    derivative(&mut evaluator, 9.0);
    assert_eq!(derivative(&mut evaluator, 3.4), next);
}

#[test]
fn a_point_that_was_evaluated_before_a_completed_step_stays_the_same_after_it() {
    let mut evaluator = initialized(Bridge::default());
    for k in 1..200 {
        let vc = 2.0 + 0.013 * f64::from(k);
        derivative(&mut evaluator, vc);
        evaluator.completed_step().unwrap();
        let here = derivative(&mut evaluator, vc);
        derivative(&mut evaluator, vc + 1e-6);
        assert_eq!(derivative(&mut evaluator, vc), here, "{vc}");
    }
}

#[test]
fn a_repeated_communication_step_gives_the_same_bits() {
    let facts = Facts::of::<Bridge>().unwrap();
    let mut evaluator = Evaluator::new(Box::new(Bridge::default()));
    let mut cosimulation = CoSimulation::new(&facts, Options::default());
    let mut workspace = Workspace::default();
    evaluator.enter_initialization(0.0);
    evaluator.exit_initialization().unwrap();
    cosimulation.initialize(&mut evaluator, &mut workspace).unwrap();
    let mut advance = |evaluator: &mut Evaluator<Bridge>, cosimulation: &mut CoSimulation, end: f64| {
        let reached = cosimulation.advance(evaluator, &mut workspace, end, |_| {});
        assert_eq!(reached.unwrap(), Reached::End);
        (
            evaluator.model().vc.to_bits(),
            evaluator.model().v.map(f64::to_bits),
        )
    };
    advance(&mut evaluator, &mut cosimulation, 0.01);
    let (kept, memory) = (evaluator.clone(), cosimulation.clone());
    let first = advance(&mut evaluator, &mut cosimulation, 0.03);
    let (mut again, mut memory) = (kept, memory);
    assert_eq!(advance(&mut again, &mut memory, 0.03), first);
}

#[test]
fn a_start_value_that_is_set_is_where_the_iteration_begins() {
    // x^2 = 4 has two solutions.
    use fmu_runtime::prelude::*;
    #[model]
    struct Square {
        /// Root
        #[implicit(start = 1.0)]
        x: f64,
    }
    #[equations]
    impl Model for Square {
        fn residuals(&self, _t: f64) -> Residuals<Self> {
            Residuals::<Self> {
                x: self.x * self.x - 4.0,
            }
        }
    }
    let mut evaluator = Evaluator::new(Box::new(Square::default()));
    evaluator
        .ensure(fmu_runtime::evaluator::Stale::FOR_LOCALS)
        .unwrap();
    assert_eq!(evaluator.model().x, 2.0);
    // It was evaluated before it was set: that does not matter.
    evaluator.set_real(0, -1.0, fmu_runtime::evaluator::Stale::BY_VARIABLE);
    evaluator.enter_initialization(0.0);
    evaluator.exit_initialization().unwrap();
    assert_eq!(evaluator.model().x, -2.0);
    let (other, _) = simulate(Square::default(), Options::default(), 1.0, 2);
    assert_eq!(other.model().x, 2.0);
}
