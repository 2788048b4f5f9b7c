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

/// Evaluates a model that drives inputs of its parts, in whatever order its connections ask for. `connect` returns one bit per
/// name in `inputs` that says whether the input has changed; the last bit is for all further names.
///
/// A connection may read what a part computes (`sensor.y`) or a local variable of the model. So the parts are evaluated
/// again until no connection changes any more: once, where connections read states, inputs and parameters alone. Each
/// time at least one more of the `links` is right for good, unless they form a loop.
#[inline(always)]
pub fn settle<M>(
    model: &mut M,
    name: &str,
    inputs: &[&str],
    links: usize,
    connect: impl Fn(&mut M) -> Result<u64, ModelError>,
    evaluate: impl Fn(&mut M) -> Result<(), ModelError>,
) -> Result<(), ModelError> {
    connect(model)?;
    let mut changed = 0;
    for _ in 0..=links {
        let outcome = evaluate(model);
        changed = connect(model)?;
        if changed == 0 {
            return outcome;
        }
    }
    Err(loop_of_connections(name, inputs, changed))
}

/// Connections whose values change however often the parts are evaluated.
#[cold]
fn loop_of_connections(name: &str, inputs: &[&str], changed: u64) -> ModelError {
    let numbered = inputs.iter().enumerate();
    let names: Vec<String> = numbered
        .filter(|(number, _)| changed >> number.min(&LAST_INPUT) & 1 == 1)
        .map(|(_, name)| format!("`{name}`"))
        .collect();
    ModelError::new(format!(
        "the connections between the parts of `{name}` form a loop without a state in it: an input of a part depends \
         on what the part computes from it at the same time ({}); put a state into the loop, or make the input's value \
         an `#[implicit]` unknown of `{name}`",
        names.join(", ")
    ))
    .structural()
}

/// The bit for the last input with a bit of its own, and for all behind it.
pub const LAST_INPUT: usize = 63;
