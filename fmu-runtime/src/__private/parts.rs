//! Functions that generated equations call.

use crate::ModelError;
use crate::scalar::Scalar;

/// A number, or an array of them, whose dependencies exploration cannot determine.
pub trait Obscure {
    /// Makes it depend on everything, where dependencies are searched for.
    fn obscure(&mut self, because: &'static str);
}

impl<S: Scalar> Obscure for S {
    #[inline(always)]
    fn obscure(&mut self, because: &'static str) {
        *self = self.obscured(because);
    }
}

impl<T: Obscure, const N: usize> Obscure for [T; N] {
    #[inline(always)]
    fn obscure(&mut self, because: &'static str) {
        for element in self {
            element.obscure(because);
        }
    }
}

/// Gives an input of a part its value; true if it is another than before.
#[inline(always)]
pub fn connect<S: Scalar>(input: &mut S, value: S) -> bool {
    let changed = !input.same(value);
    *input = value;
    changed
}

/// Evaluates a model that drives inputs of its parts, in whatever order its connections ask for.
///
/// A connection may read what a part computes (`sensor.y`) or a local variable of the model. So the parts are evaluated
/// again until no connection changes any more: once, where connections read states, inputs and parameters alone. Each
/// time at least one more of the `links` is right for good, unless they form a loop.
#[inline(always)]
pub fn settle<M>(
    model: &mut M,
    name: &str,
    links: usize,
    connect: impl Fn(&mut M) -> Result<bool, ModelError>,
    evaluate: impl Fn(&mut M) -> Result<(), ModelError>,
) -> Result<(), ModelError> {
    connect(model)?;
    for _ in 0..=links {
        let outcome = evaluate(model);
        if !connect(model)? {
            return outcome;
        }
    }
    Err(ModelError::new(format!(
        "the connections between the parts of `{name}` form a loop without a state in it: an input of a part depends \
         on what the part computes from it at the same time"
    )))
}
