//! The worker: the process that runs FMUs and sends what comes out of them to the command that started it.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use fmu_importer::remote::Message;
use fmu_results::table::{Column, Row, Sink};

use super::channel::{Channel, Streams};
use super::frame::{kind, put_columns, put_row};
use super::{CHANNEL, PARENT};

/// This process as a worker.
pub(crate) struct Worker {
    channel: Channel,
    /// A frame that is being put together; the lock keeps frames of several threads apart.
    frame: Mutex<Message>,
    /// An FMU may fork: the copy of this process must not send.
    process: u32,
}

/// This process as a worker, if it is one.
pub(crate) fn worker() -> Option<&'static Worker> {
    static WORKER: OnceLock<Option<Worker>> = OnceLock::new();
    WORKER.get_or_init(Worker::start).as_ref()
}

impl Worker {
    fn start() -> Option<Worker> {
        let path = std::env::var_os(CHANNEL)?;
        let channel = match Channel::open(Path::new(&path)) {
            Ok(channel) => channel,
            Err(error) => {
                eprintln!("error: the worker has no channel to the command: {error}");
                std::process::exit(super::NO_CHANNEL);
            }
        };
        leave_signals_to_the_parent();
        super::crash::show_no_dialog();
        fmu_importer::watch::observe(channel.calls_for_ever());
        super::crash::note_in(channel.crashed_for_ever());
        let beats = channel.clone();
        let parent = std::env::var(PARENT).ok().and_then(|number| number.parse().ok());
        end_with_the_parent(parent, move || beats.beats());
        Some(Worker {
            channel,
            frame: Mutex::default(),
            process: std::process::id(),
        })
    }

    fn send(&self, kind: u8, fill: impl FnOnce(&mut Message)) {
        if std::process::id() != self.process {
            std::process::exit(0);
        }
        let mut frame = self.frame.lock().unwrap_or_else(PoisonError::into_inner);
        frame.clear();
        fill(&mut frame);
        self.channel.write(kind, &frame.0);
    }

    /// Text for standard error.
    pub fn error(&self, text: &str) {
        self.send(kind::ERROR, |frame| frame.0.extend_from_slice(text.as_bytes()));
    }

    /// Bytes for standard output.
    pub fn output(&self, bytes: &[u8]) {
        self.send(kind::OUTPUT, |frame| frame.0.extend_from_slice(bytes));
    }

    /// A whole file.
    pub fn file(&self, path: &Path, bytes: &[u8]) {
        let path = path.to_string_lossy();
        self.send(kind::FILE, |frame| {
            frame.text(&path);
            frame.0.extend_from_slice(bytes);
        });
    }

    /// A folder that files go to.
    pub fn folder(&self, path: &Path) {
        self.send(kind::FOLDER, |frame| {
            frame.text(&path.to_string_lossy());
        });
    }

    /// The end: everything that was to be done is done.
    pub fn finish(&self, code: u8) {
        self.send(kind::FINISH, |frame| {
            frame.put(code);
        });
    }

    /// What the parent's standard streams are.
    pub fn streams(&self) -> Streams {
        self.channel.streams()
    }

    /// A flag that is set when the parent wants the simulation to end.
    pub fn interrupt(&self) -> Arc<AtomicBool> {
        let flag = Arc::new(AtomicBool::new(false));
        let (channel, set) = (self.channel.clone(), flag.clone());
        std::thread::spawn(move || {
            while !channel.is_asked_to_stop() {
                std::thread::sleep(Duration::from_millis(10));
            }
            set.store(true, Ordering::Relaxed);
        });
        flag
    }
}

/// Ignores the signals of a terminal: the command answers them, and asks this process to stop.
pub(crate) fn leave_signals_to_the_parent() {
    #[cfg(unix)]
    for signal in [libc::SIGINT, libc::SIGHUP] {
        // SAFETY: ignoring a signal has no requirements on memory.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

/// Ends this process when its parent has gone: nothing reads what it computes any more. `parent` is the number of the
/// parent where it is known; `beats` changes while the parent is alive.
pub(crate) fn end_with_the_parent(parent: Option<u32>, beats: impl Fn() -> u32 + Send + 'static) {
    #[cfg(unix)]
    let parent = parent.unwrap_or_else(std::os::unix::process::parent_id);
    #[cfg(not(unix))]
    let _ = parent;
    std::thread::spawn(move || {
        #[cfg(unix)]
        while std::os::unix::process::parent_id() == parent {
            std::thread::sleep(Duration::from_millis(100));
        }
        #[cfg(not(unix))]
        loop {
            let before = beats();
            std::thread::sleep(Duration::from_secs(10));
            if beats() == before {
                break;
            }
        }
        drop(beats);
        std::process::abort();
    });
}

/// A table whose rows go to the parent.
pub(crate) struct SentTable<'a> {
    worker: &'a Worker,
    number: u8,
    title: String,
}

impl<'a> SentTable<'a> {
    pub fn new(worker: &'a Worker, number: u8, title: &str) -> SentTable<'a> {
        SentTable {
            worker,
            number,
            title: title.into(),
        }
    }
}

impl Sink for SentTable<'_> {
    fn begin(&mut self, columns: &[Column]) -> io::Result<()> {
        self.worker.send(kind::COLUMNS, |frame| {
            put_columns(frame, self.number, &self.title, columns);
        });
        Ok(())
    }

    fn row(&mut self, row: &Row) -> io::Result<()> {
        self.worker
            .send(kind::ROW, |frame| put_row(frame, self.number, row));
        Ok(())
    }
}
