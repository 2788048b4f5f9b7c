//! The process between the command and the one that runs an FMU: it is the parent that the FMU sees, adopts what the
//! FMU leaves behind, holds the limit of memory, and ends everything when the command ends.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::family::Family;
use super::protocol::{Line, Writer};
use super::surroundings::STREAMS;

/// How often memory and streams are checked.
const PAUSE: Duration = Duration::from_millis(50);

/// What an FMU prints is cut off when it is more than this.
const PRINTED: u64 = 16 << 20;

/// How long processes of an FMU may live after it.
const GRACE: Duration = Duration::from_millis(500);

/// What the keeper waits for.
enum Event {
    /// The process of the FMU has ended.
    Ended(std::io::Result<ExitStatus>),
    /// The command closed the keeper's standard input, or has ended.
    Abandoned,
}

/// Starts a process with these arguments behind those that led here, and keeps it; the answer is the exit code.
pub(super) fn keep(memory: u64, arguments: &[OsString], file: &Path) -> u8 {
    let Ok(mut writer) = Writer::open(file) else {
        return 2;
    };
    match watch(memory, arguments, file.parent().unwrap_or(Path::new(""))) {
        Ok(lines) => {
            lines.iter().for_each(|line| writer.write(line));
            0
        }
        Err(error) => {
            writer.write(&Line::Ended {
                success: false,
                how: format!("it could not be started: {error}"),
            });
            1
        }
    }
}

fn watch(memory: u64, arguments: &[OsString], notes: &Path) -> std::io::Result<Vec<Line>> {
    let mut command = Command::new(std::env::current_exe()?);
    let all: Vec<_> = std::env::args_os().collect();
    // This process was called with these arguments and two more: that it is a keeper, and the limit of memory.
    let leading = all.len().saturating_sub(arguments.len() + 2);
    command.args(all.get(1..leading).unwrap_or_default());
    command.arg(super::child::PROBE).args(arguments);
    command.stdin(Stdio::null());
    let [out, error] = STREAMS.map(|(name, _)| {
        let options = &mut File::options();
        options.create(true).append(true).open(notes.join(name))
    });
    let (out, error) = (out?, error?);
    out.set_len(0)?;
    error.set_len(0)?;
    command.stdout(out.try_clone()?).stderr(error.try_clone()?);
    let (mut child, family) = Family::start(&mut command, memory)?;
    let (sender, events) = channel();
    let ended = sender.clone();
    std::thread::spawn(move || ended.send(Event::Ended(child.wait())));
    std::thread::spawn(move || {
        // Nothing is ever sent: the end of the stream is the message.
        let _ = std::io::stdin().read(&mut [0]);
        let _ = sender.send(Event::Abandoned);
    });
    let (status, mut lines) = outlast(memory, &family, &events, [&out, &error])?;
    let patience = Instant::now() + GRACE;
    while !family.alive().is_empty() && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(5));
    }
    let left = family.alive();
    if !left.is_empty() {
        family.bury();
        let names: Vec<_> = left.iter().map(ToString::to_string).collect();
        lines.push(Line::Left(names.join(", ")));
    }
    lines.push(Line::Ended {
        success: status.success(),
        how: fmu_importer::watch::death(status),
    });
    Ok(lines)
}

/// Waits for the end of the child, and brings it about if something is out of bounds.
fn outlast(
    memory: u64,
    family: &Family,
    events: &Receiver<Event>,
    streams: [&File; 2],
) -> std::io::Result<(ExitStatus, Vec<Line>)> {
    let mut lines = Vec::new();
    loop {
        match events.recv_timeout(PAUSE) {
            Ok(Event::Ended(status)) => return Ok((status?, lines)),
            Ok(Event::Abandoned) => family.end(),
            Err(RecvTimeoutError::Timeout) => {
                for stream in streams {
                    if stream.metadata().is_ok_and(|metadata| metadata.len() > PRINTED) {
                        let _ = stream.set_len(0);
                    }
                }
                let used = family.memory();
                if used > memory && lines.is_empty() {
                    family.end();
                    lines.push(Line::Memory(used));
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Err(std::io::ErrorKind::BrokenPipe.into()),
        }
    }
}
