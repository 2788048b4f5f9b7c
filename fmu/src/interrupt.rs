//! Ctrl-C ends a simulation, and not the process, so that what was computed is kept.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A flag that the first Ctrl-C sets; the second ends the process.
pub(crate) fn interrupted() -> io::Result<Arc<AtomicBool>> {
    // A worker gets no Ctrl-C: the command that started it does, and asks the worker to stop.
    if let Some(worker) = crate::supervise::worker() {
        return Ok(worker.interrupt());
    }
    let flag = Arc::new(AtomicBool::new(false));
    // In this order: the second one finds the flag that the first one has set.
    signal_hook::flag::register_conditional_shutdown(signal_hook::consts::SIGINT, 130, flag.clone())?;
    signal_hook::flag::register(signal_hook::consts::SIGINT, flag.clone())?;
    Ok(flag)
}
