//! Inputs as curves: polynomials in time around the beginning of a communication step.

use crate::evaluator::{Evaluator, Stale};
use crate::model::Model;
use crate::scalar::Jet;
use crate::solver::{Break, Curve, Damaged, Reader, Writer};

/// The highest derivative of an input that is used.
pub const MAX_INPUT_ORDER: usize = crate::solver::MAX_CURVE_ORDER;

/// The continuous inputs of a model, each with its derivatives.
///
/// Values and derivatives belong to the beginning of a communication step. Derivatives hold for the one step that
/// follows: an input whose derivatives are not given again stays where its curve has ended.
#[derive(Debug)]
pub(super) struct Inputs {
    inputs: Box<[Input]>,
    /// Where the curves have their values.
    t0: f64,
    /// Something was given for the step to come; what is not given is constant.
    fresh: bool,
    /// Some curve is more than a constant in the step at hand.
    moving: bool,
}

fmu_numerics::clone_in_place! { [] Inputs => Inputs { inputs, t0, fresh, moving } }

/// A continuous input.
#[derive(Clone, Copy, Debug)]
struct Input {
    slot: usize,
    curve: Curve,
}

impl Inputs {
    pub fn new(slots: &[usize]) -> Inputs {
        Inputs {
            inputs: slots
                .iter()
                .map(|&slot| Input {
                    slot,
                    curve: Curve::constant(0.0),
                })
                .collect(),
            t0: 0.0,
            fresh: false,
            moving: false,
        }
    }

    /// Something is given for the step to come: the curves of the last one are over.
    pub fn renew(&mut self) {
        if !self.fresh {
            self.fresh = true;
            for input in &mut self.inputs {
                input.curve.derivatives = [0.0; MAX_INPUT_ORDER];
            }
        }
    }

    /// Sets a derivative of order 1 to [`MAX_INPUT_ORDER`]; false if there is no such input or order.
    pub fn set_derivative(&mut self, slot: usize, order: usize, value: f64) -> bool {
        let Some(index) = self.inputs.iter().position(|input| input.slot == slot) else {
            return false;
        };
        if order == 0 || order > MAX_INPUT_ORDER {
            return false;
        }
        self.renew();
        self.inputs[index].curve.derivatives[order - 1] = value;
        true
    }

    /// A communication step begins: takes the values from the model. Returns how they do not go on as the last step has
    /// ended, if so.
    pub fn begin<M: Model>(&mut self, evaluator: &Evaluator<M>, t: f64) -> Option<Break> {
        // Without a word about them, derivatives end with their step.
        self.renew();
        self.fresh = false;
        self.t0 = t;
        let mut found = None;
        for input in &mut self.inputs {
            input.curve.u = evaluator.real(input.slot);
            found = found.max(input.curve.broken());
        }
        self.moving = self.inputs.iter().any(|input| input.curve.moves());
        found
    }

    /// A communication step has ended: the same curves, around `t`.
    pub fn end(&mut self, t: f64) {
        for input in &mut self.inputs {
            input.curve.end(t - self.t0);
        }
        self.t0 = t;
    }

    /// Some input is more than a constant in the step to come.
    #[inline]
    pub fn will_move(&self) -> bool {
        self.fresh && self.inputs.iter().any(|input| input.curve.moves())
    }

    /// A communication step has passed in which no input moved.
    #[inline]
    pub fn stay<M: Model>(&mut self, evaluator: &Evaluator<M>, t: f64) {
        self.fresh = false;
        self.moving = false;
        self.t0 = t;
        for input in &mut self.inputs {
            input.curve = Curve::constant(evaluator.real(input.slot));
        }
    }

    /// Brings the model's inputs to where they are at `t`.
    #[inline]
    pub fn apply<M: Model>(&self, evaluator: &mut Evaluator<M>, t: f64) {
        if !self.moving {
            return;
        }
        for Input { slot, curve } in &self.inputs {
            if curve.moves() {
                evaluator.set_real(*slot, curve.derivative(0, t - self.t0), Stale::BY_VARIABLE);
            }
        }
    }

    /// Slot and first derivative of each input that moves at `t`.
    #[cfg(feature = "bdf")]
    pub fn velocities(&self, t: f64) -> impl Iterator<Item = (usize, f64)> {
        let moving = self.inputs.iter().filter(|input| input.curve.moves());
        moving.map(move |input| (input.slot, input.curve.derivative(1, t - self.t0)))
    }

    /// Slot and series of each input, with the value that the model has now.
    pub fn series<M: Model>(
        &self,
        evaluator: &Evaluator<M>,
    ) -> impl Iterator<Item = (usize, Jet<MAX_INPUT_ORDER>)> {
        self.inputs.iter().map(|Input { slot, curve }| {
            let jet = Jet::from_derivatives(evaluator.real(*slot), &curve.derivatives);
            (*slot, jet)
        })
    }

    pub fn write_to(&self, out: &mut Writer<'_>) {
        out.f64(self.t0);
        out.bool(self.fresh);
        out.bool(self.moving);
        for Input { curve, .. } in &self.inputs {
            out.f64(curve.u);
            out.f64s(&curve.derivatives);
            out.f64s(&curve.ended);
        }
    }

    pub fn read_from(&self, from: &mut Reader<'_>) -> Result<Inputs, Damaged> {
        let mut read = self.clone();
        read.t0 = from.finite()?;
        read.fresh = from.bool()?;
        read.moving = from.bool()?;
        for Input { curve, .. } in &mut read.inputs {
            curve.u = from.f64()?;
            from.f64s(&mut curve.derivatives)?;
            from.f64s(&mut curve.ended)?;
        }
        Ok(read)
    }
}
