//! Instances that run in processes of their own: the C interface of FMI 2.0 over shared memory.
//!
//! An [`Instance`](crate::Instance) calls its FMU through a table of C functions. For an instance in another process
//! the functions of the table send their arguments through a [`Link`] to that process, which calls the FMU
//! ([`serve`]) and answers; nothing else in this library knows the difference. Snapshots are handles of the other
//! process, log messages come back while a call is under way.
//!
//! This library starts no processes: [`InstanceOptions::host`](crate::InstanceOptions::host) takes a [`Host`], which
//! does. When the other process crashes or exits, the call that is under way is an error that names instance,
//! function and time, and all later calls are refused.

mod client;
mod functions;
mod link;
mod memory;
mod message;
mod serve;
mod wait;

pub use link::Link;
pub use memory::{Shareable, SharedMemory};
pub use message::{Message, Plain, Reader};
pub use serve::serve;

pub(crate) use client::Isolated;
pub(crate) use functions::{STABILIZE, STATES, table};

use std::io;

use crate::Error;

/// Starts processes for instances.
pub trait Host: Send + Sync {
    /// Starts a process that opens the other end of the link and calls [`serve`].
    ///
    /// # Errors
    /// If no process can be started.
    fn start(&self, instance: &str) -> io::Result<Started>;
}

/// A process that was started for an instance.
pub struct Started {
    /// The memory that it shares with this one.
    pub link: Link,
    /// The process; it ends with the value.
    pub process: Box<dyn Process>,
}

/// A process that runs an instance. Dropping it ends the process; the FMU was freed before, if that was possible.
pub trait Process: Send {
    /// How it ended, as the end of a sentence such as 'crashed: segmentation fault'; none while it runs.
    fn ended(&mut self) -> Option<String>;

    /// Takes the error that the process did not survive `fmi2FreeInstance`. Instances are freed when they are dropped,
    /// which cannot fail, so the error has no other way to the program.
    fn lost(&mut self, error: &Error);
}

/// What is asked for beside the functions of the standard; those have the numbers of [`crate::watch`].
mod request {
    /// Loads the library.
    pub const LOAD: u32 = 100;
    /// `fmi2SetReal`, `fmi2DoStep` and `fmi2GetReal` in one.
    pub const ADVANCE: u32 = 101;
    /// `fmuStabilizeInputs`.
    pub const STABILIZE: u32 = 102;
    /// `fmuGetStates`.
    pub const STATES: u32 = 103;
    /// The end.
    pub const CLOSE: u32 = 104;
}

/// What comes back: the answer, or a question that must be answered before.
mod reply {
    /// The answer to the request.
    pub const ANSWER: u8 = 0;
    /// A log message.
    pub const LOG: u8 = 1;
    /// Derivatives of stabilized inputs are wanted.
    pub const DERIVATIVES: u8 = 2;
}
