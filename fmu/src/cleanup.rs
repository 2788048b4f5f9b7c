//! Removes unfinished files and unpacked folders when a signal ends the command.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Files that are not complete yet.
static FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn files() -> MutexGuard<'static, Vec<PathBuf>> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that is removed by signals as long as this value lives.
#[derive(Debug)]
pub(crate) struct Unfinished(PathBuf);

impl Unfinished {
    pub fn new(path: &Path) -> Unfinished {
        files().push(path.to_owned());
        Unfinished(path.to_owned())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        files().retain(|path| *path != self.0);
    }
}

/// Removes what is unfinished and private.
fn remove_all() {
    for path in files().drain(..) {
        let _ = fs::remove_file(path);
    }
    #[cfg(feature = "import")]
    fmu_importer::archive::remove_private_folders();
}

/// From now on SIGINT, SIGTERM and SIGHUP (Ctrl-C on Windows) remove what is unfinished before they end the process. With `interrupt`, the
/// first SIGINT sets that flag and nothing more.
pub(crate) fn on_signals(interrupt: Option<Arc<AtomicBool>>) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        use std::sync::atomic::Ordering;
        let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        std::thread::spawn(move || {
            for signal in signals.forever() {
                if signal == SIGINT
                    && let Some(flag) = &interrupt
                    && !flag.swap(true, Ordering::Relaxed)
                {
                    continue;
                }
                remove_all();
                std::process::exit(128 + signal);
            }
        });
    }
    #[cfg(not(unix))]
    {
        use std::sync::atomic::Ordering;
        let act = move || {
            if let Some(flag) = &interrupt
                && !flag.swap(true, Ordering::Relaxed)
            {
                return;
            }
            remove_all();
            std::process::exit(130);
        };
        // SAFETY: Windows runs the handler of Ctrl-C on a thread of its own, so it may lock, remove files and exit.
        unsafe { signal_hook::low_level::register(signal_hook::consts::SIGINT, act) }?;
    }
    Ok(())
}
