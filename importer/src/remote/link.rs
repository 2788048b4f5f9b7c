//! Memory that two processes share, and whose turn it is to write there.
//!
//! One side writes a message and passes the turn; the other side reads it, writes its answer and passes the turn back.
//! Messages that are longer than the memory go in pieces.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::time::Duration;

use super::memory::{Shareable, SharedMemory};
use super::wait::{self, Spin};

/// Bytes of a message that go at once. Memory that no message needs is never touched.
const ROOM: usize = 1 << 20;

/// How often a side that sleeps looks whether the other one is still there.
const LOOK: Duration = Duration::from_millis(20);

/// An atomic with a cache line of its own.
#[repr(C, align(64))]
struct Line(AtomicU32);

#[repr(C)]
struct Shared {
    /// The side whose turn it is.
    turn: Line,
    /// Whether each side is asleep.
    asleep: [Line; 2],
    /// The number of the function of the FMU that is running, 0 for none: see [`crate::watch`].
    running: Line,
    /// Counts while the client is alive.
    beat: Line,
    /// Bytes of the present piece.
    length: AtomicU32,
    /// Whether another piece follows.
    more: AtomicU32,
    room: [AtomicU8; ROOM],
}

// SAFETY: all fields are atomics.
unsafe impl Shareable for Shared {}

/// The two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Calls.
    Client = 0,
    /// Has the FMU.
    Server = 1,
}

/// Memory that is shared between the process that calls an FMU and the process that runs it.
///
/// ```
/// use fmu_importer::remote::Link;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("link");
/// let one_end = Link::create(&path)?;
/// let other_end = Link::open(&path)?;
/// # let _ = (one_end, other_end);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Link {
    memory: SharedMemory<Shared>,
}

/// The other process has gone.
#[derive(Debug)]
pub(super) struct Gone;

/// The process at the other end.
pub(super) trait Peer {
    /// Whether it has gone; asked now and then while this side sleeps.
    fn has_gone(&mut self) -> bool;
}

impl<F: FnMut() -> bool> Peer for F {
    fn has_gone(&mut self) -> bool {
        self()
    }
}

impl Link {
    /// Makes the file of a new link and maps it: the end of the process that calls.
    ///
    /// # Errors
    /// As for files; it is one if the file exists.
    pub fn create(path: &Path) -> io::Result<Link> {
        Ok(Link {
            memory: SharedMemory::create(path)?,
        })
    }

    /// Maps a link that another process has made: the end of the process that runs the FMU.
    ///
    /// # Errors
    /// As for files; also if the other process is of another build.
    pub fn open(path: &Path) -> io::Result<Link> {
        Ok(Link {
            memory: SharedMemory::open(path)?,
        })
    }

    #[inline]
    fn shared(&self) -> &Shared {
        self.memory.get()
    }

    /// Shows the other process that this one is alive; needed where a process cannot ask for its parent.
    pub fn beat(&self) {
        self.shared().beat.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Changes while the process that calls is alive.
    pub fn beats(&self) -> u32 {
        self.shared().beat.0.load(Ordering::Relaxed)
    }

    /// Notes which function of the FMU is running.
    pub(super) fn set_running(&self, function: u32) {
        self.shared().running.0.store(function, Ordering::Release);
    }

    /// The function of the FMU that is running.
    pub(super) fn running(&self) -> u32 {
        self.shared().running.0.load(Ordering::Acquire)
    }

    fn room(&self) -> *mut u8 {
        self.memory.address(std::mem::offset_of!(Shared, room))
    }

    fn pass(&self, from: Side) {
        let shared = self.shared();
        let to = 1 - from as usize;
        // Either this store is seen by the other side before it sleeps, or the other side is seen to be asleep.
        shared.turn.0.store(to as u32, Ordering::SeqCst);
        if shared.asleep[to].0.load(Ordering::SeqCst) != 0 {
            wait::wake(&shared.turn.0);
        }
    }
}

/// One end of a link, with what its side needs for waiting.
#[derive(Debug)]
pub(super) struct End<P> {
    pub link: Link,
    side: Side,
    spin: Spin,
    pub peer: P,
}

impl<P: Peer> End<P> {
    pub fn new(link: Link, side: Side, peer: P) -> End<P> {
        End {
            link,
            side,
            spin: Spin::default(),
            peer,
        }
    }

    /// Waits until it is the turn of this side.
    fn wait(&mut self) -> Result<(), Gone> {
        let shared = self.link.shared();
        let (mine, other) = (self.side as u32, 1 - self.side as u32);
        if self.spin.wait(&shared.turn.0, mine) {
            return Ok(());
        }
        let asleep = &shared.asleep[self.side as usize].0;
        asleep.store(1, Ordering::SeqCst);
        let mut there = Ok(());
        while shared.turn.0.load(Ordering::SeqCst) == other {
            wait::sleep(&shared.turn.0, other, LOOK);
            // What was written before the end still counts.
            if shared.turn.0.load(Ordering::SeqCst) == other
                && self.peer.has_gone()
                && shared.turn.0.load(Ordering::SeqCst) == other
            {
                there = Err(Gone);
                break;
            }
        }
        asleep.store(0, Ordering::SeqCst);
        there
    }

    /// Writes a message and passes the turn; it must be the turn of this side.
    pub fn send(&mut self, message: &[u8]) -> Result<(), Gone> {
        let mut rest = message;
        loop {
            let (piece, others) = rest.split_at(rest.len().min(ROOM));
            // SAFETY: the piece fits into the room, and the other side does not touch it before it has the turn.
            unsafe {
                self.link
                    .room()
                    .copy_from_nonoverlapping(piece.as_ptr(), piece.len());
            }
            let shared = self.link.shared();
            shared.length.store(piece.len() as u32, Ordering::Relaxed);
            shared
                .more
                .store(u32::from(!others.is_empty()), Ordering::Relaxed);
            self.link.pass(self.side);
            if others.is_empty() {
                return Ok(());
            }
            self.wait()?;
            rest = others;
        }
    }

    /// Waits for a message, written over `message`.
    pub fn receive(&mut self, message: &mut Vec<u8>) -> Result<(), Gone> {
        message.clear();
        loop {
            self.wait()?;
            let shared = self.link.shared();
            // An FMU may have written over the memory.
            let length = (shared.length.load(Ordering::Relaxed) as usize).min(ROOM);
            let begin = message.len();
            message.reserve(length);
            // SAFETY: the room has `length` bytes, `message` has memory for them, and the other side does not write
            // there while it is the turn of this one.
            unsafe {
                let to = message.as_mut_ptr().add(begin);
                self.link.room().copy_to_nonoverlapping(to, length);
                message.set_len(begin + length);
            }
            if shared.more.load(Ordering::Relaxed) == 0 {
                return Ok(());
            }
            self.link.pass(self.side);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{End, Link, ROOM, Side};

    #[test]
    fn messages_of_all_sizes_go_there_and_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("link");
        let mut client = End::new(Link::create(&path).unwrap(), Side::Client, || false);
        let mut server = End::new(Link::open(&path).unwrap(), Side::Server, || false);
        let sizes = [0, 1, 4096, ROOM, ROOM + 1, 3 * ROOM + 77];
        let echo = std::thread::spawn(move || {
            let mut message = Vec::new();
            for _ in sizes {
                server.receive(&mut message).unwrap();
                message.reverse();
                server.send(&message).unwrap();
            }
        });
        let mut answer = Vec::new();
        for size in sizes {
            let message: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
            client.send(&message).unwrap();
            client.receive(&mut answer).unwrap();
            assert!(answer.iter().rev().eq(message.iter()), "{size}");
        }
        echo.join().unwrap();
    }

    #[test]
    fn a_side_that_has_gone_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("link");
        let mut client = End::new(Link::create(&path).unwrap(), Side::Client, || true);
        client.send(b"question").unwrap();
        assert!(client.receive(&mut Vec::new()).is_err());
    }
}
