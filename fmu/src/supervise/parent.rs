//! The parent: starts a worker, writes what comes from it, and says how it ended.

use std::error::Error;
use std::io::{BufRead, BufReader, IsTerminal, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use fmu_importer::remote::Reader as Bytes;
use fmu_importer::watch::Call;
use fmu_results::table::number;

use super::calls::{Watched, at_the_end, place, under_way};
use super::channel::{Channel, Reader, Streams};
use super::frame::{Received, kind, take_columns};
use super::{CHANNEL, NO_CHANNEL, PARENT};
use crate::cli::Exit;
use crate::output::{Table, cannot_write, make_folder, printable, write_file};

/// How long a worker that was asked to stop may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// A worker, and the destinations of what it sends.
pub(crate) struct Supervision {
    tables: Vec<Received<Table>>,
    timeout: Option<Duration>,
}

/// How a worker ended.
enum Outcome {
    /// It did its work and answered with this exit code.
    Finished(u8),
    /// It died, was killed, or its results could not be written.
    Failed(Box<dyn Error>),
}

impl Supervision {
    /// For a worker that sends these tables.
    pub fn new(tables: impl IntoIterator<Item = Table>, call_timeout: Option<f64>) -> Supervision {
        Supervision {
            tables: tables.into_iter().map(Received::new).collect(),
            timeout: call_timeout.map(Duration::from_secs_f64),
        }
    }

    /// Starts this program again as a worker, watches it, and completes its tables.
    ///
    /// # Errors
    /// [`Exit`] with the worker's exit code if it is not 0; otherwise what went wrong.
    pub fn run(mut self) -> Result<(), Box<dyn Error>> {
        let outcome = self.watch()?;
        // What a worker that died had unpacked.
        fmu_importer::archive::sweep(&std::env::temp_dir());
        // Results before a failure are written as well as the failure.
        let mut completed = Ok(());
        for table in self.tables {
            completed = completed.and(table.sink.finish());
        }
        match outcome {
            Outcome::Failed(error) => Err(error),
            Outcome::Finished(0) => completed,
            Outcome::Finished(code) => completed.and(Err(Exit(code).into())),
        }
    }

    fn watch(&mut self) -> Result<Outcome, Box<dyn Error>> {
        // First of all: after a signal the folder must be removed.
        let signals = Signals::listen()?;
        let unmade = |error: std::io::Error| {
            let place = std::env::temp_dir();
            let place = place.display();
            format!(
                "cannot make a temporary folder with 5 MB in {place}: {error}; make room there, or name another folder \
                 with the environment variable TMPDIR"
            )
        };
        let folder =
            fmu_importer::archive::private_folder().map_err(|error| match std::env::temp_dir().is_dir() {
                true => unmade(error),
                false => error.to_string(),
            })?;
        let path = folder.path().join("channel");
        let channel = Channel::create(&path).map_err(unmade)?;
        channel.set_streams(Streams {
            stdout: std::io::stdout().is_terminal(),
            stderr: std::io::stderr().is_terminal(),
        });
        let mut worker = Worker::start(&path, channel.clone())?;
        let mut reader = Reader::new(channel.clone());
        let mut finished = None;
        let mut pause = Pause::default();
        let mut asked: Option<Instant> = None;
        let mut watched = Watched::default();
        loop {
            channel.beat();
            let ended = worker.ended()?;
            // A worker that is faster than the disk never runs out of frames.
            while (ended.is_some() || !signals.are_waiting())
                && let Some((kind, bytes)) = reader.next()
            {
                pause.reset();
                match self.take(kind, bytes) {
                    Ok(Some(code)) => finished = Some((code, Instant::now())),
                    Ok(None) => {}
                    Err(error) => {
                        worker.kill();
                        return Ok(Outcome::Failed(error));
                    }
                }
            }
            if let Some(status) = ended {
                worker.drain_output();
                return Ok(match finished {
                    Some((code, _)) => Outcome::Finished(code),
                    None => Outcome::Failed(self.sentence(&how(status), &at_the_end(&channel)).into()),
                });
            }
            if let Some((_, since)) = finished
                && since.elapsed() > PATIENCE
            {
                // Everything has arrived; only the end of the process is missing.
                worker.kill();
                continue;
            }
            if let Some(signal) = signals.terminated() {
                worker.kill();
                return Ok(Outcome::Failed(Exit(128 + signal as u8).into()));
            }
            if signals.interrupted() {
                if asked.is_some() {
                    worker.kill();
                    return Ok(Outcome::Failed(Exit(130).into()));
                }
                channel.ask_to_stop();
                asked = Some(Instant::now());
            }
            if asked.is_some_and(|asked| asked.elapsed() > PATIENCE) && finished.is_none() {
                worker.kill();
                let reason = self.sentence(
                    "did not stop within 5 s of Ctrl-C and was ended",
                    &under_way(&channel),
                );
                eprintln!("{reason}");
                return Ok(Outcome::Failed(Exit(130).into()));
            }
            watched.look(&channel);
            if let Some(hint) = watched.hint() {
                eprintln!("{hint}");
            }
            if let Some(limit) = self.timeout
                && let late @ [_, ..] = &*watched.longer_than(limit)
            {
                worker.kill();
                let what = format!(
                    "took longer than {} s (--call-timeout) and was ended",
                    limit.as_secs_f64()
                );
                return Ok(Outcome::Failed(self.sentence(&what, late).into()));
            }
            worker.wait_for_output(pause.next());
        }
    }

    /// Does what a frame asks for; returns the exit code if it is the last one.
    fn take(&mut self, kind: u8, bytes: &[u8]) -> Result<Option<u8>, Box<dyn Error>> {
        let mut reader = Bytes(bytes);
        match kind {
            kind::COLUMNS => {
                if let Some((number, title, columns)) = take_columns(&mut reader)
                    && let Some(table) = self.tables.get_mut(usize::from(number))
                {
                    table.sink.set_title(&title);
                    let begun = table.begin(&columns);
                    begun.map_err(|error| table.sink.unwritten(error))?;
                }
            }
            kind::ROW => {
                if let Some(number) = reader.take::<u8>()
                    && let Some(table) = self.tables.get_mut(usize::from(number))
                {
                    let written = table.row(&mut reader);
                    written.map_err(|error| table.sink.unwritten(error))?;
                }
            }
            kind::ERROR => {
                // Nothing can be done where standard error is closed.
                let _ = std::io::stderr().write_all(bytes);
            }
            kind::OUTPUT => {
                let mut out = std::io::stdout().lock();
                let written = out.write_all(bytes).and_then(|()| out.flush());
                written.map_err(|error| cannot_write(None, error))?;
            }
            kind::FILE => {
                if let Some(path) = reader.text() {
                    write_file(Path::new(&path), reader.0)?;
                }
            }
            kind::FOLDER => {
                if let Some(path) = reader.text() {
                    make_folder(Path::new(&path))?;
                }
            }
            kind::FINISH => return Ok(Some(reader.take::<u8>().unwrap_or(1))),
            _ => {}
        }
        Ok(None)
    }

    /// What happened, where, what is left, what to do.
    fn sentence(&self, what: &str, calls: &[Call]) -> String {
        let places: Vec<_> = calls.iter().map(place).collect();
        let mut sentence = match &places[..] {
            [] => format!("the process that runs the FMU {what}"),
            [place] => format!("{place} {what}"),
            several => format!("one of the calls under way {what}: {}", several.join(", ")),
        };
        for table in &self.tables {
            if let Some(place) = table.sink.place().filter(|_| table.rows > 0) {
                let (rows, are) = if table.rows == 1 {
                    ("row", "is")
                } else {
                    ("rows", "are")
                };
                sentence += &format!(
                    "; {} {rows} up to time {} {are} {place}",
                    table.rows,
                    number(table.time)
                );
            }
        }
        if places.len() > 1 {
            sentence += ". Which of them it was leaves no trace in a process that several components share: --isolate '*' \
                         gives each of them its own, and the error then names the component";
        }
        sentence + ". To look at it in a debugger, run the same command with --in-process"
    }
}

/// How a process ended, as the end of a sentence.
pub(crate) fn how(status: ExitStatus) -> String {
    match status.code() {
        Some(NO_CHANNEL) => "could not open its channel to this command".to_owned(),
        Some(101) => "ended by a panic of this program, which is a defect of it: please report it".to_owned(),
        code => match (fmu_importer::watch::crash(status), code) {
            (None, Some(3)) if cfg!(windows) => "ended its process by exit(3), or abort()".to_owned(),
            (None, Some(code)) => format!("ended its process by exit({code})"),
            (Some(crash), _) => format!("crashed: {crash}"),
            (None, None) => format!("crashed: {}", fmu_importer::watch::death(status)),
        },
    }
}

/// How long the parent sleeps between two looks: short while frames come.
#[derive(Default)]
struct Pause(Duration);

impl Pause {
    fn reset(&mut self) {
        self.0 = Duration::from_micros(500);
    }

    fn next(&mut self) -> Duration {
        self.0 = (self.0 * 2).clamp(Duration::from_millis(1), Duration::from_millis(20));
        self.0
    }
}

/// Signals that this command handles.
struct Signals {
    interrupt: Arc<AtomicBool>,
    terminate: Arc<AtomicUsize>,
}

impl Signals {
    fn listen() -> std::io::Result<Signals> {
        use signal_hook::consts::{SIGINT, SIGTERM};
        let signals = Signals {
            interrupt: Arc::default(),
            terminate: Arc::default(),
        };
        signal_hook::flag::register(SIGINT, signals.interrupt.clone())?;
        signal_hook::flag::register_usize(SIGTERM, signals.terminate.clone(), SIGTERM as usize)?;
        #[cfg(unix)]
        {
            use signal_hook::consts::SIGHUP;
            signal_hook::flag::register_usize(SIGHUP, signals.terminate.clone(), SIGHUP as usize)?;
        }
        Ok(signals)
    }

    /// Whether Ctrl-C was pressed since the last question.
    fn interrupted(&self) -> bool {
        self.interrupt.swap(false, Ordering::Relaxed)
    }

    /// Whether a signal has arrived that is not handled yet.
    fn are_waiting(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed) || self.terminated().is_some()
    }

    fn terminated(&self) -> Option<usize> {
        Some(self.terminate.load(Ordering::Relaxed)).filter(|signal| *signal != 0)
    }
}

/// The process of the worker; it is ended with the value.
struct Worker {
    child: Child,
    /// Closed when both streams of the worker are.
    streams: Receiver<()>,
    readers: Vec<std::thread::JoinHandle<()>>,
    status: Option<ExitStatus>,
}

impl Worker {
    fn start(path: &Path, channel: Channel) -> Result<Worker, Box<dyn Error>> {
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args(std::env::args_os().skip(1))
            .env(CHANNEL, path)
            .env(PARENT, std::process::id().to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        own_group(&mut command);
        let mut child = command.spawn().map_err(|error| {
            format!("cannot start a worker process: {error}; --in-process does without one")
        })?;
        drop(channel);
        let (sender, streams) = channel_of_streams();
        let mut readers = Vec::new();
        if let Some(out) = child.stdout.take() {
            readers.push(forward(out, sender.clone()));
        }
        if let Some(error) = child.stderr.take() {
            readers.push(forward(error, sender));
        }
        Ok(Worker {
            child,
            streams,
            readers,
            status: None,
        })
    }

    fn ended(&mut self) -> std::io::Result<Option<ExitStatus>> {
        if self.status.is_none() {
            self.status = self.child.try_wait()?;
        }
        Ok(self.status)
    }

    /// Sleeps, but not beyond the end of the worker.
    fn wait_for_output(&self, pause: Duration) {
        if let Err(RecvTimeoutError::Disconnected) = self.streams.recv_timeout(pause) {
            std::thread::sleep(pause.min(Duration::from_millis(1)));
        }
    }

    /// Lets what the worker printed last be printed. Processes that the FMU left behind may keep the streams open, so
    /// this does not wait for long.
    fn drain_output(&mut self) {
        end_group(&self.child);
        let end = Instant::now() + Duration::from_millis(500);
        while Instant::now() < end && !self.readers.iter().all(|reader| reader.is_finished()) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn kill(&mut self) {
        if self.status.is_none() {
            end_group(&self.child);
            let _ = self.child.kill();
            self.status = self.child.wait().ok();
        }
        self.drain_output();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}

fn channel_of_streams() -> (Sender<()>, Receiver<()>) {
    channel()
}

/// Passes what an FMU prints on to standard error, with a prefix, line by line.
fn forward(stream: impl Read + Send + 'static, open: Sender<()>) -> std::thread::JoinHandle<()> {
    /// A line without an end must not take all memory.
    const LONGEST: u64 = 64 << 10;
    std::thread::spawn(move || {
        let mut stream = BufReader::new(stream);
        let mut line = Vec::new();
        loop {
            line.clear();
            match (&mut stream).take(LONGEST).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => break,
                Ok(_) => {
                    let text = String::from_utf8_lossy(&line);
                    crate::progress::show(&format!(
                        "the process of the FMU printed: {}",
                        printable(text.trim_end())
                    ));
                }
            }
        }
        drop(open);
    })
}

/// A process group of its own: Ctrl-C on the terminal reaches the command alone, and processes that an FMU starts can
/// be ended together with it.
pub(crate) fn own_group(command: &mut Command) {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        command.process_group(0);
    }
    #[cfg(windows)]
    {
        use std::os::windows::process::CommandExt;
        const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
        command.creation_flags(CREATE_NEW_PROCESS_GROUP);
    }
}

/// Ends what is left of the worker's process group.
pub(crate) fn end_group(child: &Child) {
    #[cfg(unix)]
    if let Ok(group) = i32::try_from(child.id()) {
        // SAFETY: kill has no requirements on memory; the group is the worker's own, made by `own_group`.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
    #[cfg(not(unix))]
    let _ = child;
}
