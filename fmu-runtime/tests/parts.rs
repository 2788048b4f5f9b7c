//! Models made of models: connections may read whatever is computed anywhere, in any order, as long as there is no loop.

use fmu_runtime::fmi2::{full_description, model_description};
use fmu_runtime::model::{Equations, Model, Structure};
use fmu_runtime::prelude::*;
use fmu_runtime::tangent::{Tangent, Unknowns};
use std::path::Path;

/// Doubles what comes in, at once
#[model]
struct Doubler {
    /// What comes in
    #[input(discrete)]
    u: f64,
    /// Twice that
    #[output]
    y: f64,
}

#[equations]
impl Model for Doubler {
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> { y: 2.0 * self.u }
    }
}

/// Follows what comes in, and starts there
#[model]
struct Lag {
    /// What comes in
    #[input]
    u: f64,
    /// What follows
    #[state(initial = "calculated")]
    x: f64,
}

#[equations]
impl Model for Lag {
    fn initial(&self, _t: f64) -> Initial<Self> {
        Initial::<Self> { x: self.u }
    }
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: self.u - self.x }
    }
}

/// Doubles four times before it follows, written in the order that is worst for evaluation
#[model]
struct Chain {
    /// What comes in
    #[input(start = 1.0)]
    u: f64,
    #[part(connect(u))]
    lag: Lag,
    #[part(connect(u))]
    doublers: [Doubler; 4],
    /// Three times what comes in
    #[local]
    triple: f64,
    /// What comes out of the last one, and some more
    #[local]
    late: f64,
}

#[equations]
impl Model for Chain {
    fn connections(&self, _t: f64) -> Connections<Self> {
        let y = |i: usize| self.doublers[i].y;
        Connections::<Self> {
            lag_u: self.late,
            doublers_u: [y(1), y(2), y(3), self.triple],
        }
    }
    fn locals(&self, _t: f64) -> Locals<Self> {
        Locals::<Self> {
            triple: 3.0 * self.u,
            late: self.doublers[0].y + 0.5,
        }
    }
}

#[test]
fn values_pass_through_a_chain_of_parts_in_one_evaluation() -> Result<(), ModelError> {
    let mut chain = Chain::default();
    chain.update_initial(0.0)?;
    assert_eq!(chain.lag.x, 48.5);
    let mut derivative = [0.0];
    for u in [1.0, -2.0, 7.0] {
        chain.u = u;
        chain.update_locals(0.0)?;
        chain.eval_derivatives(0.0, &mut derivative)?;
        assert_eq!(derivative[0], 48.0 * u + 0.5 - 48.5);
    }
    Ok(())
}

#[test]
fn derivatives_pass_through_it_too() -> Result<(), ModelError> {
    let chain = Chain::default();
    let mut tangent = Tangent::<Chain, 1>::new(&chain);
    tangent.load(&chain, 0.0);
    tangent.seed_real(0, 0, 1.0);
    tangent.evaluate(Unknowns::DERIVATIVES)?;
    assert_eq!(tangent.derivatives()[0].lanes, [48.0]);
    Ok(())
}

#[test]
fn a_connected_input_may_change_at_any_time() -> Result<(), ModelError> {
    let description = model_description::<Chain>()?;
    let input = description
        .model_variables
        .iter()
        .find(|variable| variable.name == "doublers[1].u");
    assert_eq!(
        input.map(|variable| variable.variability),
        Some(fmu_runtime::standard::description::Variability::Continuous)
    );
    Ok(())
}

/// Feeds a part with its own output
#[model]
struct Loop {
    #[part(connect(u), default = Doubler { u: 1.0, ..Doubler::default() })]
    doubler: Doubler,
}

#[equations]
impl Model for Loop {
    fn connections(&self, _t: f64) -> Connections<Self> {
        Connections::<Self> {
            doubler_u: self.doubler.y + 1.0,
        }
    }
}

#[test]
fn a_loop_is_an_error() {
    let error = Loop::default().update_locals(0.0).unwrap_err();
    assert!(error.message().contains("`Loop` form a loop"), "{error}");
}

#[test]
fn a_loop_is_refused_when_the_model_is_described() {
    let error = full_description::<Loop>(Path::new("")).unwrap_err();
    assert!(error.message().contains("`Loop` form a loop"), "{error}");
    assert!(error.message().contains("(`doubler.u`)"), "{error}");
}

/// Refuses what is not positive
#[model]
struct Root {
    /// What comes in
    #[input(start = 1.0)]
    u: f64,
    /// Its root
    #[local]
    root: f64,
}

#[equations]
impl Model for Root {
    fn locals(&self, _t: f64) -> Result<Locals<Self>, ModelError> {
        if self.u <= 0.0 {
            return Err(ModelError::new(format!("no root of {}", self.u)));
        }
        Ok(Locals::<Self> { root: self.u.sqrt() })
    }
}

/// Gives a part what it computes itself
#[model]
struct Square {
    /// What comes in
    #[input]
    u: f64,
    /// Its square
    #[local]
    square: f64,
    #[part(connect(u))]
    root: Root,
}

#[equations]
impl Model for Square {
    fn connections(&self, _t: f64) -> Connections<Self> {
        Connections::<Self> { root_u: self.square }
    }
    fn locals(&self, _t: f64) -> Locals<Self> {
        Locals::<Self> {
            square: self.u * self.u,
        }
    }
}

#[test]
fn a_part_fails_only_on_what_it_is_given_in_the_end() {
    fn root<M: Model>(model: &mut M, u: f64) -> Result<f64, ModelError> {
        model.set_real(0, u);
        model.update_locals(0.0)?;
        Ok(model.real(<M as Structure<f64>>::COUNTS.reals - 1))
    }
    // At first `square` is 0, which the part would refuse.
    let mut square = Square::default();
    assert_eq!(root(&mut square, -3.0).ok(), Some(3.0));
    assert_eq!(root(&mut square, 0.0).unwrap_err().message(), "no root of 0");
    assert_eq!(root(&mut square, 2.0).ok(), Some(2.0));
}
