//! Inputs as curves: polynomials in time around the beginning of a communication step.

use crate::evaluator::{Evaluator, Stale};
use crate::model::Model;
use crate::scalar::Jet;
use crate::solver::{Damaged, Reader, Writer};

/// The highest derivative of an input that is heeded.
pub const MAX_INPUT_ORDER: usize = 3;

/// The continuous inputs of a model, each with its derivatives.
///
/// Values and derivatives belong to the beginning of a communication step. Derivatives hold for the one step that
/// follows: an input whose derivatives are not given again stays where its curve has ended.
#[derive(Clone, Debug)]
pub(super) struct Inputs {
    curves: Box<[Curve]>,
    /// Where the curves have their values.
    t0: f64,
    /// Something was given for the step to come; what is not given is constant.
    fresh: bool,
    /// Some curve is more than a constant in the step at hand.
    moving: bool,
}

/// How an input does not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Break {
    /// It bends.
    Slope,
    /// It jumps.
    Value,
}

#[derive(Clone, Copy, Debug)]
struct Curve {
    slot: usize,
    /// Value at `t0`.
    u: f64,
    derivatives: [f64; MAX_INPUT_ORDER],
    /// Value and derivatives with which the last communication step has ended.
    ended: [f64; MAX_INPUT_ORDER + 1],
}

impl Curve {
    fn constant(slot: usize, u: f64) -> Curve {
        let mut ended = [0.0; MAX_INPUT_ORDER + 1];
        ended[0] = u;
        Curve {
            slot,
            u,
            derivatives: [0.0; MAX_INPUT_ORDER],
            ended,
        }
    }

    fn moves(&self) -> bool {
        self.derivatives.iter().any(|derivative| *derivative != 0.0)
    }

    /// The derivative of order `k`, `s` after `t0`.
    fn derivative(&self, k: usize, s: f64) -> f64 {
        let mut sum = 0.0;
        for j in (k..=MAX_INPUT_ORDER).rev() {
            let derivative = if j == 0 { self.u } else { self.derivatives[j - 1] };
            sum = sum * s / (j - k + 1) as f64 + derivative;
        }
        sum
    }

    /// Value and derivatives, `s` after `t0`.
    fn at(&self, s: f64) -> [f64; MAX_INPUT_ORDER + 1] {
        std::array::from_fn(|k| self.derivative(k, s))
    }
}

impl Inputs {
    pub fn new(slots: &[usize]) -> Inputs {
        Inputs {
            curves: slots.iter().map(|&slot| Curve::constant(slot, 0.0)).collect(),
            t0: 0.0,
            fresh: false,
            moving: false,
        }
    }

    /// Something is given for the step to come: the curves of the last one are over.
    pub fn renew(&mut self) {
        if !self.fresh {
            self.fresh = true;
            for curve in &mut self.curves {
                curve.derivatives = [0.0; MAX_INPUT_ORDER];
            }
        }
    }

    /// Sets a derivative of order 1 to [`MAX_INPUT_ORDER`]; false if there is no such input or order.
    pub fn set_derivative(&mut self, slot: usize, order: usize, value: f64) -> bool {
        let Some(index) = self.curves.iter().position(|curve| curve.slot == slot) else {
            return false;
        };
        if order == 0 || order > MAX_INPUT_ORDER {
            return false;
        }
        self.renew();
        self.curves[index].derivatives[order - 1] = value;
        true
    }

    /// A communication step begins: takes the values from the model. Answers how they do not go on as the last step has
    /// ended, if so.
    pub fn begin<M: Model>(&mut self, evaluator: &Evaluator<M>, t: f64) -> Option<Break> {
        // Without a word about them, derivatives end with their step.
        self.renew();
        self.fresh = false;
        self.t0 = t;
        let mut found = None;
        for curve in &mut self.curves {
            curve.u = evaluator.real(curve.slot);
            if curve.at(0.0) != curve.ended {
                let [u, ..] = curve.ended;
                // Whoever goes on from the end of a curve has computed it in another way.
                let rounding = 16.0 * f64::EPSILON * u.abs().max(curve.u.abs());
                found = found.max(Some(match (curve.u - u).abs() <= rounding {
                    true => Break::Slope,
                    false => Break::Value,
                }));
            }
        }
        self.moving = self.curves.iter().any(Curve::moves);
        found
    }

    /// A communication step has ended: the same curves, around `t`.
    pub fn end(&mut self, t: f64) {
        for curve in &mut self.curves {
            curve.ended = curve.at(t - self.t0);
            let [u, derivatives @ ..] = curve.ended;
            (curve.u, curve.derivatives) = (u, derivatives);
        }
        self.t0 = t;
    }

    /// Some input is more than a constant in the step to come.
    #[inline]
    pub fn will_move(&self) -> bool {
        self.fresh && self.curves.iter().any(Curve::moves)
    }

    /// A communication step has passed in which no input moved.
    #[inline]
    pub fn stay<M: Model>(&mut self, evaluator: &Evaluator<M>, t: f64) {
        self.fresh = false;
        self.moving = false;
        self.t0 = t;
        for curve in &mut self.curves {
            *curve = Curve::constant(curve.slot, evaluator.real(curve.slot));
        }
    }

    /// Brings the model's inputs to where they are at `t`.
    #[inline]
    pub fn apply<M: Model>(&self, evaluator: &mut Evaluator<M>, t: f64) {
        if !self.moving {
            return;
        }
        for curve in &self.curves {
            if curve.moves() {
                evaluator.set_real(curve.slot, curve.derivative(0, t - self.t0), Stale::BY_VARIABLE);
            }
        }
    }

    /// Slot and first derivative of each input that moves at `t`.
    #[cfg(feature = "bdf")]
    pub fn velocities(&self, t: f64) -> impl Iterator<Item = (usize, f64)> {
        let moving = self.curves.iter().filter(|curve| curve.moves());
        moving.map(move |curve| (curve.slot, curve.derivative(1, t - self.t0)))
    }

    /// Slot and series of each input, with the value that the model has now.
    pub fn series<M: Model>(
        &self,
        evaluator: &Evaluator<M>,
    ) -> impl Iterator<Item = (usize, Jet<MAX_INPUT_ORDER>)> {
        self.curves.iter().map(|curve| {
            let jet = Jet::from_derivatives(evaluator.real(curve.slot), &curve.derivatives);
            (curve.slot, jet)
        })
    }

    pub fn write_to(&self, out: &mut Writer<'_>) {
        out.f64(self.t0);
        out.bool(self.fresh);
        out.bool(self.moving);
        for curve in &self.curves {
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
        for curve in &mut read.curves {
            curve.u = from.f64()?;
            from.f64s(&mut curve.derivatives)?;
            from.f64s(&mut curve.ended)?;
        }
        Ok(read)
    }
}
