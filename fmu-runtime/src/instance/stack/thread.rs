//! Where the stack of a thread cannot be switched, a thread for each call has the stack.

use std::panic::resume_unwind;
use std::thread;

/// The size of the stacks.
pub struct Stack {
    size: usize,
}

/// What the host's thread lends to the other one.
struct Lent<T>(T);
// SAFETY: the host's thread waits until the other one has ended, so only one of them uses what is lent.
unsafe impl<T> Send for Lent<T> {}
impl<T> Lent<T> {
    /// A method, so that closures take the whole of it.
    fn get(self) -> T {
        self.0
    }
}

impl Stack {
    /// Always possible: see [`Stack::run`].
    pub fn new(size: usize) -> Option<Stack> {
        Some(Stack { size })
    }

    /// Runs a call on a new thread, in the default floating-point environment, which the caller has set here; on the
    /// present stack if the system has no thread left. A panic goes on in the caller.
    pub fn run<T>(&self, call: impl FnOnce() -> T) -> T {
        let mut call = Some(Lent(call));
        let taken = &mut call;
        let result = thread::scope(|scope| {
            let run = move || taken.take().map(|call| Lent(call.get()()));
            let builder = thread::Builder::new().stack_size(self.size);
            builder.spawn_scoped(scope, run).ok().map(|thread| thread.join())
        });
        match (result, call) {
            (Some(Ok(Some(result))), _) => result.get(),
            (Some(Err(payload)), _) => resume_unwind(payload),
            (_, Some(call)) => call.get()(),
            (_, None) => std::process::abort(),
        }
    }
}

/// The host's functions are called where the model runs.
pub fn on_host<T>(call: impl FnOnce() -> T) -> T {
    call()
}
