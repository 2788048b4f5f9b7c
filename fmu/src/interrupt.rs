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
    crate::cleanup::on_signals(Some(flag.clone()))?;
    Ok(flag)
}
