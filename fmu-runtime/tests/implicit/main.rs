//! Implicit unknowns: values, derivatives by the implicit function theorem, dependencies, memory and failures.

mod adjoint;
mod derivatives;
mod failures;
mod memory;
mod structure;

use fmu_runtime::cosim::{CoSimulation, Facts, Options, Reached, Workspace};
use fmu_runtime::evaluator::Evaluator;
use fmu_runtime::model::Model as Complete;
use fmu_runtime::prelude::*;
use test_support::reference::integrate;

/// Thermal voltage at room temperature.
const THERMAL: f64 = 0.02585;
/// Saturation current.
const SATURATION: f64 = 1e-9;

/// Current through a junction.
#[differentiable]
fn junction(v: f64) -> f64 {
    SATURATION * ((v / THERMAL).exp() - 1.0)
}

/// A rectifier: four diodes between a source with a resistance and a capacitor with a load.
#[model]
pub struct Bridge {
    /// Voltage of the capacitor
    #[state(start = 2.0, unit = "V", output)]
    vc: f64,
    /// Voltage of the source
    #[input(start = 5.0, unit = "V")]
    u: f64,
    /// Voltages of the junctions
    #[implicit(start = [0.6, -1.0, -1.0, 0.6], unit = "V", output)]
    v: [f64; 4],
    /// Current of the source
    #[local(unit = "A")]
    source: f64,
    /// Resistance of the source
    #[parameter(start = 10.0, unit = "Ohm")]
    rs: f64,
    /// Resistance of a diode
    #[parameter(start = 0.5, unit = "Ohm")]
    rd: f64,
    /// Load
    #[parameter(start = 100.0, unit = "Ohm", tunable)]
    load: f64,
    /// Capacitance
    #[parameter(start = 1e-3, unit = "F")]
    c: f64,
}

#[equations]
impl Model for Bridge {
    fn locals(&self, _t: f64) -> Locals<Self> {
        Locals::<Self> {
            source: junction(self.v[0]) - junction(self.v[2]),
        }
    }

    fn residuals(&self, _t: f64) -> Residuals<Self> {
        let i = self.v.map(|v| junction(v));
        let drop = |k: usize| self.v[k] + self.rd * i[k];
        Residuals::<Self> {
            v: [
                drop(0) + drop(2) + self.vc,
                drop(1) + drop(3) + self.vc,
                i[0] - i[2] + i[1] - i[3],
                drop(3) - drop(2) - self.u + self.rs * self.source,
            ],
        }
    }

    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        let current = junction(self.v[0]) + junction(self.v[1]);
        Derivatives::<Self> {
            vc: (current - self.vc / self.load) / self.c,
        }
    }
}

/// A part with an unknown of its own: `y + y^3 = u`.
#[model]
pub struct Cubic {
    /// Right-hand side
    #[input(start = 2.0)]
    u: f64,
    /// Solution
    #[implicit(start = 0.5, output)]
    y: f64,
}

#[equations]
impl Model for Cubic {
    fn residuals(&self, _t: f64) -> Residuals<Self> {
        Residuals::<Self> {
            y: self.y + self.y.powi(3) - self.u,
        }
    }
}

/// Parts with unknowns, driven by a state and by each other, and an unknown of the model that reads one of theirs.
#[model]
pub struct Chain {
    /// Source
    #[state(start = 2.0)]
    x: f64,
    /// Three equations
    #[part(connect(u))]
    cubic: [Cubic; 3],
    /// Root of the last one, plus a number
    #[implicit(start = 1.0)]
    root: f64,
}

#[equations]
impl Model for Chain {
    fn connections(&self, _t: f64) -> Connections<Self> {
        Connections::<Self> {
            cubic_u: [self.x, 2.0 * self.cubic[0].y, self.cubic[1].y + self.x],
        }
    }
    fn residuals(&self, _t: f64) -> Residuals<Self> {
        Residuals::<Self> {
            root: self.root.powi(2) - self.cubic[2].y - 3.0,
        }
    }
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.root }
    }
}

/// The real root of `y + y^3 = u`, by Cardano.
fn cardano(u: f64) -> f64 {
    let d = (u * u / 4.0 + 1.0 / 27.0).sqrt();
    (u / 2.0 + d).cbrt() + (u / 2.0 - d).cbrt()
}

fn initialized<M: Complete>(model: M) -> Evaluator<M> {
    let mut evaluator = Evaluator::new(Box::new(model));
    evaluator.enter_initialization(0.0);
    evaluator.exit_initialization().unwrap();
    evaluator.event_pass().unwrap();
    evaluator.enter_continuous_time().unwrap();
    evaluator
}

/// A co-simulation from 0 to `end` in communication steps.
fn simulate<M: Complete>(model: M, options: Options, end: f64, steps: usize) -> (Evaluator<M>, CoSimulation) {
    let mut evaluator = Evaluator::new(Box::new(model));
    let mut cosimulation = CoSimulation::new(&Facts::of::<M>().unwrap(), options);
    let mut workspace = Workspace::default();
    evaluator.enter_initialization(0.0);
    evaluator.exit_initialization().unwrap();
    cosimulation.initialize(&mut evaluator, &mut workspace).unwrap();
    for step in 1..=steps {
        let to = end * step as f64 / steps as f64;
        let reached = cosimulation.advance(&mut evaluator, &mut workspace, to, |_| {});
        assert_eq!(reached.unwrap(), Reached::End);
    }
    (evaluator, cosimulation)
}

#[test]
fn a_bridge_rectifies_and_its_residuals_are_zero() {
    let mut evaluator = initialized(Bridge::default());
    evaluator.solved().unwrap();
    let bridge = evaluator.model();
    let i = bridge.v.map(junction);
    // The current goes through the first and the last diode, and what is left is the loop of source and capacitor.
    assert!(
        i[0] > 0.1 && i[1].abs() < 1e-8 && i[2].abs() < 1e-8 && i[3] > 0.1,
        "{i:?}"
    );
    assert!(
        bridge.residuals(0.0).v.iter().all(|r| r.abs() < 2e-15),
        "{:?}",
        bridge.residuals(0.0).v
    );
    assert!((i[0] - i[2] - bridge.source).abs() < 1e-17);
}

#[test]
fn unknowns_of_parts_and_of_the_model_around_them_are_solved_together() {
    let mut evaluator = initialized(Chain::default());
    evaluator.solved().unwrap();
    let chain = evaluator.model();
    let first = cardano(2.0);
    let second = cardano(2.0 * first);
    let third = cardano(second + 2.0);
    for (cubic, exact) in chain.cubic.iter().zip([first, second, third]) {
        assert!((cubic.y - exact).abs() < 1e-15, "{} {exact}", cubic.y);
    }
    assert!((chain.root - (third + 3.0).sqrt()).abs() < 1e-15);
}

#[test]
fn a_simulation_of_a_chain_agrees_with_its_closed_form() {
    let mut options = Options::default();
    options.tolerance = 1e-10;
    let (evaluator, _) = simulate(Chain::default(), options, 0.5, 10);
    // The same by a fine Runge-Kutta method and Cardano.
    let slope = |x: f64| -(cardano(cardano(2.0 * cardano(x)) + x) + 3.0).sqrt();
    let states = integrate(&[0.0, 0.5], &[2.0], 0.5 / 2000.0, |_, x, dx| dx[0] = slope(x[0]));
    let x = states[1][0];
    assert!(
        (evaluator.model().x - x).abs() < 1e-9,
        "{} {x}",
        evaluator.model().x
    );
}

#[test]
fn a_block_of_four_unknowns_takes_four_evaluations_and_two_factorizations() {
    let mut evaluator = initialized(Bridge::default());
    let before = evaluator.implicit_statistics();
    // The unknowns move by less than 1e-4 V.
    evaluator.set_states(&[2.0 + 1e-4]);
    evaluator.derivatives(&mut [0.0]).unwrap();
    let after = evaluator.implicit_statistics();
    let evaluations = after.evaluations - before.evaluations;
    let factorizations = after.factorizations - before.factorizations;
    assert!(
        evaluations <= 4 && factorizations <= 2,
        "{evaluations} {factorizations}"
    );
    // Another search, from the solution itself, moves nothing but roundings.
    let mut again = evaluator.clone();
    again.completed_step().unwrap();
    again.set_time(1.0);
    again.derivatives(&mut [0.0]).unwrap();
    for (found, exact) in evaluator.model().v.iter().zip(again.model().v) {
        assert!(
            (found - exact).abs() <= 4.0 * f64::EPSILON * exact.abs(),
            "{found} {exact}"
        );
    }
    // One more factorization serves all derivatives at this point.
    for _ in 0..3 {
        evaluator.solved().unwrap();
    }
    assert_eq!(
        evaluator.implicit_statistics().factorizations,
        after.factorizations + 1
    );
}
