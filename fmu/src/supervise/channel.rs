//! Memory that a worker process shares with the command that watches it: a ring of frames from the worker, the calls
//! that its FMUs are in, and the wish that it stop.
//!
//! The worker writes, the parent reads. A frame counts once the worker has moved `written` past it, so a worker that
//! dies in the middle of one loses that frame and none before it.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use fmu_importer::remote::{Shareable, SharedMemory};
use fmu_importer::watch::CallRecord;

/// Bytes of the ring. A worker that is this far ahead of the parent waits.
const RING: usize = 4 << 20;

/// The most bytes of a frame that go into the ring at once; longer frames go in pieces.
const PIECE: usize = RING / 4;

/// Marks a piece that another piece of the same frame follows.
const MORE: u8 = 0x80;

/// Instances whose calls are recorded; further ones run unrecorded.
const RECORDS: usize = 1024;

#[repr(C)]
struct Shared {
    /// Bytes that the worker has written since the start.
    written: AtomicU64,
    /// Bytes that the parent has read since the start.
    read: AtomicU64,
    /// The parent wants the worker to end its simulation.
    stop: AtomicU32,
    /// Counts while the parent is alive.
    beat: AtomicU32,
    /// What the parent's standard streams are: see [`Streams`].
    streams: AtomicU32,
    /// The number of the worker's thread that crashed, 0 for none: see [`super::crash`].
    crashed: AtomicU32,
    calls: [CallRecord; RECORDS],
    ring: [AtomicU8; RING],
}

// SAFETY: all fields are atomics, those of the records included.
unsafe impl Shareable for Shared {}

/// Whether the parent's standard streams are terminals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Streams {
    pub stdout: bool,
    pub stderr: bool,
}

/// One end of the channel. Clones share the memory.
#[derive(Clone)]
pub(super) struct Channel(SharedMemory<Shared>);

impl Channel {
    /// Makes the file of a new channel and maps it.
    pub fn create(path: &Path) -> io::Result<Channel> {
        SharedMemory::create(path).map(Channel)
    }

    /// Maps the channel that a parent has made.
    pub fn open(path: &Path) -> io::Result<Channel> {
        SharedMemory::open(path).map(Channel)
    }

    fn shared(&self) -> &Shared {
        self.0.get()
    }

    /// What instances are doing.
    pub fn calls(&self) -> &[CallRecord] {
        &self.shared().calls
    }

    /// The same, for as long as the process lives.
    pub fn calls_for_ever(&self) -> &'static [CallRecord] {
        &self.0.keep().calls
    }

    /// Where the number of a thread that crashes is noted; like [`Channel::calls_for_ever`].
    pub fn crashed_for_ever(&self) -> &'static AtomicU32 {
        &self.0.keep().crashed
    }

    /// The number of the thread that crashed.
    pub fn crashed(&self) -> Option<u32> {
        Some(self.shared().crashed.load(Ordering::Acquire)).filter(|number| *number != 0)
    }

    /// Asks the worker to stop.
    pub fn ask_to_stop(&self) {
        self.shared().stop.store(1, Ordering::Relaxed);
    }

    /// Whether the parent wants the worker to stop.
    pub fn is_asked_to_stop(&self) -> bool {
        self.shared().stop.load(Ordering::Relaxed) != 0
    }

    /// Shows the worker that the parent is alive.
    pub fn beat(&self) {
        self.shared().beat.fetch_add(1, Ordering::Relaxed);
    }

    /// Changes while the parent is alive.
    pub fn beats(&self) -> u32 {
        self.shared().beat.load(Ordering::Relaxed)
    }

    pub fn set_streams(&self, streams: Streams) {
        let bits = u32::from(streams.stdout) | u32::from(streams.stderr) << 1;
        self.shared().streams.store(bits, Ordering::Relaxed);
    }

    pub fn streams(&self) -> Streams {
        let bits = self.shared().streams.load(Ordering::Relaxed);
        Streams {
            stdout: bits & 1 != 0,
            stderr: bits & 2 != 0,
        }
    }

    /// Writes one frame and waits while the ring is full. Only one thread may write at a time.
    pub fn write(&self, kind: u8, payload: &[u8]) {
        let mut rest = payload;
        while rest.len() > PIECE {
            let (piece, others) = rest.split_at(PIECE);
            self.write_piece(kind | MORE, piece);
            rest = others;
        }
        self.write_piece(kind, rest);
    }

    fn write_piece(&self, kind: u8, payload: &[u8]) {
        let shared = self.shared();
        let written = shared.written.load(Ordering::Relaxed);
        let size = (HEADER + payload.len()) as u64;
        let mut pause = Duration::from_micros(20);
        while written + size - shared.read.load(Ordering::Acquire) > RING as u64 {
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(2));
        }
        let length = (payload.len() as u32).to_le_bytes();
        self.put(written, &length);
        self.put(written + 4, &[kind]);
        self.put(written + HEADER as u64, payload);
        shared.written.store(written + size, Ordering::Release);
    }

    /// Appends the next piece to `frame` and returns its kind.
    fn read_piece(&self, frame: &mut Vec<u8>) -> Option<u8> {
        let shared = self.shared();
        let read = shared.read.load(Ordering::Relaxed);
        let available = shared.written.load(Ordering::Acquire).wrapping_sub(read);
        // An FMU may have written over the ring; what cannot be a frame ends the reading.
        if available < HEADER as u64 || available > RING as u64 {
            return None;
        }
        let mut head = [0; HEADER];
        self.get(read, &mut head);
        let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        if length > PIECE || (HEADER + length) as u64 > available {
            return None;
        }
        let begin = frame.len();
        frame.resize(begin + length, 0);
        self.get(read + HEADER as u64, &mut frame[begin..]);
        shared
            .read
            .store(read + (HEADER + length) as u64, Ordering::Release);
        Some(head[4])
    }

    /// Copies bytes into the ring, around its end if need be.
    fn put(&self, at: u64, bytes: &[u8]) {
        let start = (at % RING as u64) as usize;
        let first = bytes.len().min(RING - start);
        let ring = self.ring();
        // SAFETY: both pieces lie inside the ring. The parent does not read them before `written` is moved, and has read
        // what was there before, because `write` waited for it.
        unsafe {
            ring.add(start).copy_from_nonoverlapping(bytes.as_ptr(), first);
            ring.copy_from_nonoverlapping(bytes[first..].as_ptr(), bytes.len() - first);
        }
    }

    fn get(&self, at: u64, bytes: &mut [u8]) {
        let start = (at % RING as u64) as usize;
        let first = bytes.len().min(RING - start);
        let ring = self.ring();
        // SAFETY: both pieces lie inside the ring, and the worker does not write there before `read` is moved.
        unsafe {
            ring.add(start).copy_to_nonoverlapping(bytes.as_mut_ptr(), first);
            ring.copy_to_nonoverlapping(bytes[first..].as_mut_ptr(), bytes.len() - first);
        }
    }

    fn ring(&self) -> *mut u8 {
        self.0.address(std::mem::offset_of!(Shared, ring))
    }
}

/// The length of the payload and the kind of the frame.
const HEADER: usize = 5;

/// The parent's end: puts the pieces of frames together.
pub(super) struct Reader {
    channel: Channel,
    frame: Vec<u8>,
    is_complete: bool,
}

impl Reader {
    pub fn new(channel: Channel) -> Reader {
        Reader {
            channel,
            frame: Vec::new(),
            is_complete: false,
        }
    }

    /// The next frame, if a whole one is there.
    pub fn next(&mut self) -> Option<(u8, &[u8])> {
        if std::mem::take(&mut self.is_complete) {
            self.frame.clear();
        }
        loop {
            let kind = self.channel.read_piece(&mut self.frame)?;
            if kind & MORE == 0 {
                self.is_complete = true;
                return Some((kind, &self.frame));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Channel, PIECE, RING, Reader};

    #[test]
    fn frames_arrive_in_order_around_the_end_of_the_ring() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("channel");
        let mut parent = Reader::new(Channel::create(&path).unwrap());
        let worker = Channel::open(&path).unwrap();
        let sizes = [0, 1, 777, 65_537, PIECE, 3 * RING];
        let rounds = 5;
        let writer = std::thread::spawn(move || {
            for round in 0..rounds {
                for (kind, size) in sizes.into_iter().enumerate() {
                    worker.write(kind as u8, &vec![(round % 251) as u8; size]);
                }
            }
        });
        for round in 0..rounds {
            for (kind, size) in sizes.into_iter().enumerate() {
                loop {
                    if let Some((found, frame)) = parent.next() {
                        assert_eq!((found, frame.len()), (kind as u8, size));
                        assert!(frame.iter().all(|byte| *byte == (round % 251) as u8));
                        break;
                    }
                }
            }
        }
        writer.join().unwrap();
        assert_eq!(parent.next(), None);
    }

    #[test]
    fn a_ring_that_was_written_over_yields_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let channel = Channel::create(&folder.path().join("channel")).unwrap();
        channel.write(1, b"abc");
        channel.put(0, &[0xff; 64]);
        assert_eq!(Reader::new(channel).next(), None);
    }
}
