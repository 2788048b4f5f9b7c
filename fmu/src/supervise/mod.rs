//! FMUs run in a worker process, and the command watches it: whatever an FMU does to its process, the rows that were
//! computed are written and a sentence says what happened.
//!
//! The command starts itself again with the same arguments and with [`CHANNEL`] in the environment. The worker does
//! the work and sends rows, texts and files through shared memory ([`channel`]); the parent writes them. Only a final
//! frame from the worker is success.

mod calls;
mod channel;
mod crash;
mod frame;
mod parent;
mod worker;

pub(crate) use channel::Streams;
pub(crate) use parent::Supervision;
#[cfg(feature = "couple")]
pub(crate) use parent::{end_group, how, own_group};
pub(crate) use worker::{SentTable, worker};
#[cfg(feature = "couple")]
pub(crate) use worker::{end_with_the_parent, leave_signals_to_the_parent};

use clap::Args;

use crate::cli::Exit;
use crate::output::say;

/// The environment variable that makes a process a worker: the path of its channel.
pub(crate) const CHANNEL: &str = "FMU_WORKER_CHANNEL";

/// The environment variable with the number of the process that started the worker. The worker cannot find out for itself:
/// if that process has already ended, another one is its parent.
const PARENT: &str = "FMU_WORKER_PARENT";

/// The exit code of a worker that cannot open its channel.
pub(crate) const NO_CHANNEL: i32 = 70;

/// How the process of an FMU is watched.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct WatchArguments {
    /// Runs FMUs in this process, for debuggers: a crash then ends the command without a message.
    #[arg(long)]
    pub in_process: bool,
    /// Ends a call of an FMU that takes longer than this [default: no limit].
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    pub call_timeout: Option<f64>,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if seconds > 0.0 && seconds < 1e9 => Ok(seconds),
        _ => Err("expected a positive number of seconds".into()),
    }
}

impl WatchArguments {
    /// Whether this process should start a worker and watch it.
    ///
    /// # Errors
    /// If the options contradict each other.
    pub(crate) fn starts_worker(&self) -> Result<bool, Exit> {
        if self.in_process && self.call_timeout.is_some() {
            say!(
                "error: --call-timeout needs the worker process, which --in-process does without: a call that does not \
                 return can only be ended together with its process. Leave one of the two options out"
            );
            return Err(Exit(2));
        }
        Ok(!self.in_process && worker().is_none())
    }
}

/// The end of a command: a worker sends its exit code.
pub(crate) fn finish(code: u8) {
    if let Some(worker) = worker() {
        worker.finish(code);
    }
}
