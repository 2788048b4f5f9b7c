//! A stack for large models. Equations return arrays by value, over dual numbers and jets several times as long, and
//! code without optimization copies them: a model with thousands of states needs more than the threads of some hosts
//! have. Each instance of it has a stack of its own.

mod measure;
#[cfg(all(unix, target_arch = "x86_64"))]
mod own;
// Also where it is not used, its tests run.
#[cfg(any(test, not(all(unix, target_arch = "x86_64"))))]
mod thread;

pub use measure::note;
#[cfg(all(unix, target_arch = "x86_64"))]
pub use own::{Stack, on_host};
#[cfg(not(all(unix, target_arch = "x86_64")))]
pub use thread::{Stack, on_host};

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

/// A stack for an instance, where its model needs one.
pub fn for_instance<M>() -> Option<Stack> {
    is_needed::<M>().then(|| Stack::new(size::<M>())).flatten()
}

/// Runs a call there, or here.
pub fn run<T>(stack: Option<&Stack>, call: impl FnOnce() -> T) -> T {
    match stack {
        Some(stack) => stack.run(call),
        None => call(),
    }
}

#[cfg(test)]
mod tests;
