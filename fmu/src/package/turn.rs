//! One model at a time: cargo gives the libraries of a crate one file name, whatever they were built for. So another command
//! that packages in the same target folder must not build until the library of this one has been read and has described itself.

use std::fs::{self, File, TryLockError};
use std::path::Path;

use super::Progress;

/// The file in the target folder that is locked.
const LOCK: &str = ".fmu-package.lock";

/// The turn to build libraries and to read them; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    _lock: Option<File>,
}

impl Turn {
    /// Waits for the turn in a target folder. Where files cannot be locked, nothing waits, as in cargo itself.
    pub fn wait(target_directory: &Path, progress: &mut dyn Progress) -> Turn {
        let open = || {
            fs::create_dir_all(target_directory)?;
            let mut options = File::options();
            options.create(true).write(true).truncate(false);
            options.open(target_directory.join(LOCK))
        };
        let lock = open().ok();
        if let Some(file) = &lock
            && let Err(TryLockError::WouldBlock) = file.try_lock()
        {
            progress.step(
                "Waiting",
                "for another command that packages in this target folder",
            );
            let _ = file.lock();
        }
        Turn { _lock: lock }
    }
}
