//! A stack for large models. Equations return arrays by value, over dual numbers and jets several times as long, and
//! code without optimization copies them: a model with thousands of states needs more than the threads of some hosts
//! have. Its calls run on a thread of their own while the host's thread waits.

use super::functions::Function;
use std::thread;

/// A model of this size needs about 256 KiB of stack in its longest calls.
const LARGE: usize = 12 << 10;

/// What the calls of a large model get, and as a multiple of its size.
const LEAST: usize = 16 << 20;
const MULTIPLE: usize = 128;

/// Whether calls of a model need a stack of their own.
pub const fn is_needed<M>() -> bool {
    size_of::<M>() > LARGE
}

/// The size of that stack.
pub const fn size<M>() -> usize {
    let wanted = MULTIPLE * size_of::<M>();
    if wanted > LEAST { wanted } else { LEAST }
}

impl Function {
    /// Whether the function neither evaluates nor copies the model.
    pub(super) const fn is_light(self) -> bool {
        matches!(
            self,
            Function::SetTime
                | Function::SetContinuousStates
                | Function::SetDebugLogging
                | Function::GetNominalsOfContinuousStates
                | Function::FreeFMUstate
        )
    }
}

/// Runs a call on a stack of its own; on the present one if the system has no thread left.
pub fn on_own<M, T: Send>(call: impl FnOnce() -> T + Send) -> T {
    let mut call = Some(call);
    let taken = &mut call;
    let result = thread::scope(|scope| {
        let run = move || taken.take().map(|call| call());
        let spawned = thread::Builder::new()
            .stack_size(size::<M>())
            .spawn_scoped(scope, run);
        spawned.ok().and_then(|thread| thread.join().ok().flatten())
    });
    match (result, call) {
        (Some(result), _) => result,
        (None, Some(call)) => call(),
        (None, None) => std::process::abort(),
    }
}
