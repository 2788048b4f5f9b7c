//! Equations without a solution: an error or a smaller step, and what is said of it.

use super::{initialized, simulate};
use fmu_runtime::cosim::{CoSimulation, Facts, Options, Workspace};
use fmu_runtime::evaluator::{Evaluator, Stale};
use fmu_runtime::fmi2::full_description;
use fmu_runtime::prelude::*;
use std::path::Path;

/// A flow that exists as long as there is pressure: `q |q| = p`, without the branch below 0.
#[model]
pub struct Flow {
    /// Pressure
    #[state(start = 1.0, output)]
    p: f64,
    /// Flow
    #[implicit(start = 1.0)]
    q: f64,
    /// Rate of the pressure
    #[parameter(start = -1.0)]
    rate: f64,
}

#[equations]
impl Model for Flow {
    fn residuals(&self, _t: f64) -> Residuals<Self> {
        Residuals::<Self> {
            q: self.q * self.q - self.p,
        }
    }
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            p: self.rate * self.q,
        }
    }
}

#[test]
fn at_a_trial_point_a_failure_is_recoverable_and_the_point_before_is_as_it_was() {
    let mut evaluator = initialized(Flow::default());
    evaluator.set_states(&[-1.0]);
    let error = evaluator.derivatives(&mut [0.0]).unwrap_err();
    assert!(error.is_recoverable());
    let sentence = error.to_string();
    assert!(
        sentence.starts_with("the implicit equations have no solution at t = 0: ")
            && sentence.contains("`q`"),
        "{sentence}"
    );
    evaluator.set_states(&[4.0]);
    let mut dx = [0.0];
    evaluator.derivatives(&mut dx).unwrap();
    assert_eq!(dx, [-2.0]);
}

#[test]
fn at_initialization_and_at_events_a_failure_is_an_error() {
    let mut evaluator = Evaluator::new(Box::new(Flow {
        p: -1.0,
        ..Flow::default()
    }));
    evaluator.enter_initialization(0.0);
    let error = evaluator.exit_initialization().unwrap_err();
    assert!(!error.is_recoverable(), "{error}");

    let mut evaluator = initialized(Flow::default());
    evaluator.set_states(&[-1.0]);
    evaluator.begin_event();
    assert!(!evaluator.ensure(Stale::FOR_LOCALS).unwrap_err().is_recoverable());
}

#[test]
fn a_co_simulation_tries_smaller_steps_up_to_where_there_is_no_solution() {
    // dp/dt = -sqrt(p): p = (1 - t/2)^2 up to t = 2, and nothing beyond.
    let (evaluator, _) = simulate(Flow::default(), Options::default(), 1.9, 2);
    assert!(
        (evaluator.model().p - 0.0025).abs() < 1e-5,
        "{}",
        evaluator.model().p
    );

    // Here the pressure falls through 0 with a slope.
    #[model]
    struct Falling {
        /// Pressure
        #[state(start = 1.0)]
        p: f64,
        /// Flow
        #[implicit(start = 1.0, output)]
        q: f64,
    }
    #[equations]
    impl Model for Falling {
        fn residuals(&self, _t: f64) -> Residuals<Self> {
            Residuals::<Self> {
                q: self.q * self.q - self.p,
            }
        }
        fn derivatives(&self, _t: f64) -> Derivatives<Self> {
            Derivatives::<Self> {
                p: -1.0 - 0.0 * self.q,
            }
        }
    }
    let mut evaluator = Evaluator::new(Box::new(Falling::default()));
    let mut cosimulation = CoSimulation::new(&Facts::of::<Falling>().unwrap(), Options::default());
    let mut workspace = Workspace::default();
    evaluator.enter_initialization(0.0);
    evaluator.exit_initialization().unwrap();
    cosimulation.initialize(&mut evaluator, &mut workspace).unwrap();
    let failure = cosimulation
        .advance(&mut evaluator, &mut workspace, 3.0, |_| {})
        .unwrap_err();
    assert!((0.5..=1.0 + 1e-6).contains(&failure.time), "{}", failure.time);
    assert!(failure.to_string().contains("`q`"), "{failure}");
}

#[test]
fn an_iteration_that_fails_from_the_anchor_begins_at_the_start_value() {
    // arctan: Newton's method, damped, fails nowhere, but a step into the flat part of 1/(1+x^2) does.
    #[model]
    struct Island {
        /// Selects where the solution is
        #[input(start = 1.0)]
        u: f64,
        /// Solution near 0.5 for u = 1, near -0.5 for u = -1
        #[implicit(start = 0.1)]
        x: f64,
    }
    #[equations]
    impl Model for Island {
        fn residuals(&self, _t: f64) -> Residuals<Self> {
            // Beyond 0.6 from 0 there is no number.
            Residuals::<Self> {
                x: (0.6 - self.x * self.u).sqrt() - (0.1_f64).sqrt() + 0.0 * self.x,
            }
        }
    }
    let mut evaluator = initialized(Island::default());
    assert!((evaluator.model().x - 0.5).abs() < 1e-15);
    // At the anchor, 0.5, the residual for u = 2 is not a number; at the start value it is one.
    evaluator.set_real(0, 2.0, Stale::BY_VARIABLE);
    evaluator.ensure(Stale::FOR_LOCALS).unwrap();
    assert!(
        (evaluator.model().x - 0.25).abs() < 1e-15,
        "{}",
        evaluator.model().x
    );
}

/// Two residuals that determine the same unknown.
#[model]
pub struct Singular {
    /// Determined twice
    #[implicit(start = 1.0)]
    a: f64,
    /// Not determined
    #[implicit(start = 1.0)]
    b: f64,
}

#[equations]
impl Model for Singular {
    fn residuals(&self, t: f64) -> Residuals<Self> {
        Residuals::<Self> {
            a: self.a - t,
            b: self.a.powi(2) - t,
        }
    }
}

#[test]
fn structurally_singular_equations_are_refused_with_what_is_left_over() {
    let error = full_description::<Singular>(Path::new("")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the implicit equations are structurally singular: the residual of `b` is left without an unknown to determine, and \
         no residual determines `b`"
    );
}

/// A system that is singular where the sum of its unknowns is all that counts.
#[model]
pub struct Sum {
    /// First
    #[implicit(start = 1.0)]
    a: f64,
    /// Second
    #[implicit(start = 1.0)]
    b: f64,
}

#[equations]
impl Model for Sum {
    fn residuals(&self, t: f64) -> Residuals<Self> {
        Residuals::<Self> {
            a: self.a + self.b - 3.0,
            b: 2.0 * (self.a + self.b) - 6.0 - t,
        }
    }
}

#[test]
fn numerically_singular_equations_are_noted_at_packaging_and_reported_at_run_time() {
    let (_, notes) = full_description::<Sum>(Path::new("")).unwrap();
    let note = notes.iter().find(|note| note.contains("singular"));
    assert!(
        note.is_some_and(
            |note| note.starts_with("with the start values, ") && note.contains("smallest pivot 0e0")
        ),
        "{notes:?}"
    );
    let mut evaluator = Evaluator::new(Box::new(Sum::default()));
    evaluator.enter_initialization(0.0);
    let sentence = evaluator.exit_initialization().unwrap_err().to_string();
    assert!(sentence.contains("do not determine `b`"), "{sentence}");
}

/// An initial value that needs what is not known yet.
#[model]
pub struct Early {
    /// Unknown
    #[implicit(start = 1.0)]
    v: f64,
    /// Begins where the unknown is
    #[state(initial = "calculated")]
    x: f64,
}

#[equations]
impl Model for Early {
    fn initial(&self, _t: f64) -> Initial<Self> {
        Initial::<Self> { x: 2.0 * self.v }
    }
    fn residuals(&self, t: f64) -> Residuals<Self> {
        Residuals::<Self> { v: self.v - t - 1.0 }
    }
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
}

#[test]
fn initial_equations_that_read_an_unknown_are_refused() {
    let error = full_description::<Early>(Path::new("")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`fn initial` reads the implicit unknown `v` for `x`, and runs before it is known"
    );
}
