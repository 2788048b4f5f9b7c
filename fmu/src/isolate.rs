//! Processes for components that run on their own: `isolated = true` in a system file, `--isolate` on the command line.
//!
//! The command starts itself again with the same arguments and with [`LINK`] in the environment. Such a process runs
//! one instance for the process that started it, which may be a worker, and ends with it.

use std::error::Error;
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fmu_importer::archive::{PrivateFolder, private_folder};
use fmu_importer::remote::{Host, Link, Process, Started};

use crate::cli::Exit;
use crate::output::say;
use crate::supervise::{self, CHANNEL, NO_CHANNEL};

/// The environment variable that makes a process run one instance: the path of its link.
const LINK: &str = "FMU_ISOLATED_LINK";

/// The environment variable with the number of the process that started it.
const PARENT: &str = "FMU_ISOLATED_PARENT";

/// How long a process may take to end after its instance was freed.
const PATIENCE: Duration = Duration::from_secs(2);

/// Starts a process per isolated component.
pub(crate) struct Processes {
    /// Made with the first process.
    folder: Mutex<Option<PrivateFolder>>,
    started: AtomicUsize,
    lost: Lost,
}

/// Errors of components that did not survive being freed.
type Lost = Arc<Mutex<Vec<String>>>;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Processes {
    pub fn new() -> Processes {
        Processes {
            folder: Mutex::new(None),
            started: AtomicUsize::new(0),
            lost: Lost::default(),
        }
    }

    /// The result of a command whose components have been freed: an error if one of them did not survive it.
    pub fn survived(&self, result: Result<(), Box<dyn Error>>) -> Result<(), Box<dyn Error>> {
        let lost = std::mem::take(&mut *lock(&self.lost));
        for error in &lost {
            say!("error: {error}");
        }
        match lost.is_empty() {
            true => result,
            false => result.and(Err(Exit(1).into())),
        }
    }
}

impl Host for Processes {
    fn start(&self, _: &str) -> io::Result<Started> {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let mut folder = lock(&self.folder);
        if folder.is_none() {
            *folder = Some(private_folder()?);
        }
        let Some(path) = folder
            .as_ref()
            .map(|folder| folder.path().join(format!("link-{number}")))
        else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let link = Link::create(&path)?;
        let process = Isolated::start(&path, &link, self.lost.clone())?;
        Ok(Started {
            link,
            process: Box::new(process),
        })
    }
}

/// The process of one component.
struct Isolated {
    child: Child,
    /// Whether it leads a process group. In a worker it does not: the parent of the worker ends the group of the worker.
    own_group: bool,
    lost: Lost,
    /// Kept while the process must be shown that this one is alive.
    #[cfg(not(unix))]
    _beats: std::sync::Arc<()>,
}

impl Isolated {
    fn start(path: &Path, link: &Link, lost: Lost) -> io::Result<Isolated> {
        let own_group = supervise::worker().is_none();
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args(std::env::args_os().skip(1))
            .env(LINK, path)
            .env(PARENT, std::process::id().to_string())
            .env_remove(CHANNEL)
            .stdin(Stdio::null())
            // Standard output is for results; a worker has none.
            .stdout(io::stderr());
        if own_group {
            supervise::own_group(&mut command);
        }
        let child = command.spawn()?;
        #[cfg(unix)]
        let _ = link;
        Ok(Isolated {
            child,
            own_group,
            lost,
            #[cfg(not(unix))]
            _beats: beat(link.clone()),
        })
    }
}

/// Shows the other process that this one is alive, as long as the value lives.
#[cfg(not(unix))]
fn beat(link: Link) -> std::sync::Arc<()> {
    let alive = std::sync::Arc::new(());
    let needed = std::sync::Arc::downgrade(&alive);
    std::thread::spawn(move || {
        while needed.upgrade().is_some() {
            link.beat();
            std::thread::sleep(Duration::from_secs(1));
        }
    });
    alive
}

impl Process for Isolated {
    fn ended(&mut self) -> Option<String> {
        match self.child.try_wait() {
            Ok(status) => status.map(supervise::how),
            Err(error) => Some(format!("cannot be watched: {error}")),
        }
    }

    fn lost(&mut self, error: &fmu_importer::Error) {
        lock(&self.lost).push(error.to_string());
    }
}

impl Drop for Isolated {
    fn drop(&mut self) {
        let begin = Instant::now();
        while self.ended().is_none() {
            if begin.elapsed() > PATIENCE {
                let _ = self.child.kill();
                let _ = self.child.wait();
                break;
            }
            std::thread::sleep(Duration::from_micros(500));
        }
        if self.own_group {
            supervise::end_group(&self.child);
        }
    }
}

/// Runs one instance if this process was started for that; whether it was.
///
/// # Errors
/// None: a process without a link ends.
pub(crate) fn serve_if_asked() -> Result<bool, Box<dyn Error>> {
    let Some(path) = std::env::var_os(LINK) else {
        return Ok(false);
    };
    let link = match Link::open(Path::new(&path)) {
        Ok(link) => link,
        Err(error) => {
            eprintln!("error: the process of an isolated component has no link: {error}");
            std::process::exit(NO_CHANNEL);
        }
    };
    // FMUs may start this program themselves.
    // SAFETY: no other thread runs yet.
    unsafe {
        std::env::remove_var(LINK);
    }
    supervise::leave_signals_to_the_parent();
    let parent = std::env::var(PARENT).ok().and_then(|number| number.parse().ok());
    let beats = link.clone();
    supervise::end_with_the_parent(parent, move || beats.beats());
    fmu_importer::remote::serve(link);
    Ok(true)
}
