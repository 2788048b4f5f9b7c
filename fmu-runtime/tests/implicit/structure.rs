//! Dependencies and the model description.

use super::{Bridge, Chain};
use fmu_runtime::fmi2::full_description;
use fmu_runtime::prelude::*;
use fmu_runtime::standard::description::{Causality, Initial, Variability};
use std::path::Path;
use test_support::structure::structure;

#[test]
fn every_unknown_of_a_block_depends_on_every_known_of_it() {
    assert_eq!(
        structure::<Bridge>().outputs(),
        [
            "vc: vc constant",
            "v[1]: vc dependent, u dependent",
            "v[2]: vc dependent, u dependent",
            "v[3]: vc dependent, u dependent",
            "v[4]: vc dependent, u dependent",
        ]
    );
    assert_eq!(
        structure::<Bridge>().derivatives(),
        ["der(vc): vc dependent, u dependent"]
    );
    assert_eq!(structure::<Chain>().derivatives(), ["der(x): x dependent"]);
}

/// Three blocks: a linear pair, a nonlinear unknown behind it, and one that depends on nothing of the others.
#[model]
struct Blocks {
    /// Of the pair
    #[input]
    u: f64,
    /// Of the last
    #[input]
    w: f64,
    /// Gain
    #[parameter(start = 2.0, tunable)]
    k: f64,
    /// Pair
    #[implicit(start = 0.0, output)]
    pair: [f64; 2],
    /// Behind the pair
    #[implicit(start = 1.0, output)]
    behind: f64,
    /// Alone
    #[implicit(start = 1.0, output)]
    alone: f64,
    /// Of the pair and an input
    #[output]
    sum: f64,
}

#[equations]
impl Model for Blocks {
    fn residuals(&self, t: f64) -> Residuals<Self> {
        Residuals::<Self> {
            pair: [
                self.pair[0] + 0.5 * self.pair[1] - self.u,
                self.pair[1] - self.k * self.pair[0],
            ],
            behind: self.behind.powi(3) - self.pair[0] - 1.0,
            alone: self.alone - self.w - 2.0 * t,
        }
    }
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            sum: self.pair[0] + self.alone,
        }
    }
}

#[test]
fn blocks_keep_what_they_depend_on_apart_and_their_kinds() {
    assert_eq!(
        structure::<Blocks>().outputs(),
        [
            "pair[1]: u tunable",
            "pair[2]: u tunable",
            "behind: u dependent",
            "alone: w constant, time constant",
            "sum: u tunable, w constant, time constant",
        ]
    );
}

#[test]
fn an_unknown_is_described_as_a_guess() {
    let (description, notes) = full_description::<Bridge>(Path::new("")).unwrap();
    assert!(notes.is_empty(), "{notes:?}");
    let v = description
        .model_variables
        .iter()
        .find(|variable| variable.name == "v[2]")
        .unwrap();
    assert_eq!(
        (v.causality, v.variability, v.initial),
        (Causality::Output, Variability::Continuous, Some(Initial::Approx))
    );
    assert!(format!("{:?}", v.kind).contains("-1.0"), "{:?}", v.kind);
    assert!(
        !description
            .model_exchange
            .unwrap()
            .completed_integrator_step_not_needed
    );
    let initial: Vec<usize> = description
        .model_structure
        .initial_unknowns
        .iter()
        .filter_map(|unknown| unknown.variable.position())
        .collect();
    // The four voltages, and the derivative of the state.
    assert_eq!(initial, [2, 3, 4, 5, 11]);
}
