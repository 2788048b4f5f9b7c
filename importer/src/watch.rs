//! Which call of an FMU is under way, written before each call to memory that outlives a crash.
//!
//! A program that runs FMUs in a child process maps memory into both processes and passes it to [`observe`] in the
//! child. When the child dies inside an FMU, the parent reads component, function and time from it. Without
//! [`observe`] nothing is recorded.

use std::cell::Cell;
use std::process::ExitStatus;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

use fmu_standard::fmi2::{CO_SIMULATION_FUNCTIONS, COMMON_FUNCTIONS, MODEL_EXCHANGE_FUNCTIONS};

/// The number of bytes of a component's name that are kept.
const NAME: usize = 88;

/// What one instance is doing. All fields are atomic, so that another process may read them at any time; zeroed
/// memory is a free record.
#[repr(C)]
#[derive(Debug)]
pub struct CallRecord {
    /// Whether an instance uses this record.
    taken: AtomicU32,
    /// The number of the function that is running, 0 for none.
    running: AtomicU32,
    /// The number of the thread that is calling: see [`thread_number`].
    thread: AtomicU32,
    /// Calls that have begun.
    calls: AtomicU64,
    /// The bits of the time that the instance was last moved to.
    time: AtomicU64,
    name: [AtomicU8; NAME],
}

/// A call that is under way.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Call {
    /// The name of the instance.
    pub component: String,
    /// The function of the standard, or what is done beside them, such as loading the library.
    pub function: &'static str,
    /// The time of the instance; NaN before it was first set.
    pub time: f64,
    /// How many calls of this instance have begun, this one included.
    pub number: u64,
    /// The number of the thread that is calling: see [`thread_number`].
    pub thread: u32,
}

thread_local! {
    static THREAD: Cell<u32> = const { Cell::new(0) };
}

/// The number of this thread among those that have called an FMU while calls were observed; 0 if it has not. A signal
/// handler may ask for it.
pub fn thread_number() -> u32 {
    // A thread that is about to end has lost its number.
    THREAD.try_with(Cell::get).unwrap_or(0)
}

/// The same, with a number for a thread that has none.
#[inline]
fn numbered_thread() -> u32 {
    static LAST: AtomicU32 = AtomicU32::new(0);
    let number = thread_number();
    if number != 0 {
        return number;
    }
    let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
    let _ = THREAD.try_with(|thread| thread.set(number));
    number
}

/// What happens to a library outside the functions of the standard.
pub(crate) const LOADING: &str = "the start of its library";

static RECORDS: OnceLock<&'static [CallRecord]> = OnceLock::new();

/// Records the calls of all instances that are made from now on. The first call of it counts.
pub fn observe(records: &'static [CallRecord]) {
    let _ = RECORDS.set(records);
}

/// The number of a function in a record: its position, counted from 1.
pub(crate) const fn number_of(function: &str) -> u32 {
    let mut number = 1;
    let lists: [&[&str]; 4] = [
        &COMMON_FUNCTIONS,
        &MODEL_EXCHANGE_FUNCTIONS,
        &CO_SIMULATION_FUNCTIONS,
        &[LOADING],
    ];
    let mut list = 0;
    while list < lists.len() {
        let mut at = 0;
        while at < lists[list].len() {
            if same(lists[list][at], function) {
                return number;
            }
            number += 1;
            at += 1;
        }
        list += 1;
    }
    panic!("not a function of the standard")
}

const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

pub(crate) fn function(number: u32) -> Option<&'static str> {
    let position = (number as usize).checked_sub(1)?;
    let functions = COMMON_FUNCTIONS
        .iter()
        .chain(&MODEL_EXCHANGE_FUNCTIONS)
        .chain(&CO_SIMULATION_FUNCTIONS);
    functions.chain(&[LOADING]).copied().nth(position)
}

impl CallRecord {
    /// The call that is under way, if there is one.
    pub fn running(&self) -> Option<Call> {
        if self.taken.load(Ordering::Acquire) == 0 {
            return None;
        }
        let function = function(self.running.load(Ordering::Acquire))?;
        let bytes: Vec<u8> = self
            .name
            .iter()
            .map(|byte| byte.load(Ordering::Relaxed))
            .collect();
        let length = bytes.iter().position(|byte| *byte == 0).unwrap_or(NAME);
        Some(Call {
            component: String::from_utf8_lossy(&bytes[..length]).into_owned(),
            function,
            time: f64::from_bits(self.time.load(Ordering::Relaxed)),
            number: self.calls.load(Ordering::Relaxed),
            thread: self.thread.load(Ordering::Relaxed),
        })
    }
}

/// The record of one instance; writes nothing where no calls are observed.
#[derive(Debug, Default)]
pub(crate) struct Recorder(Option<&'static CallRecord>);

impl Recorder {
    /// Takes a free record, if calls are observed and one is left.
    pub fn new(component: &str) -> Recorder {
        let free = |record: &&CallRecord| {
            let taken = record
                .taken
                .compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed);
            taken.is_ok()
        };
        let record = RECORDS.get().and_then(|records| records.iter().find(free));
        if let Some(record) = record {
            record.time.store(f64::NAN.to_bits(), Ordering::Relaxed);
            record.calls.store(0, Ordering::Relaxed);
            let bytes = component.bytes().filter(|byte| *byte != 0);
            let padded = bytes.chain(std::iter::repeat(0));
            for (place, byte) in record.name.iter().zip(padded) {
                place.store(byte, Ordering::Relaxed);
            }
        }
        Recorder(record)
    }

    /// A call begins.
    #[inline]
    pub fn enter(&self, function: u32) {
        if let Some(record) = self.0 {
            // One instance has one caller at a time, so this needs no atomic addition.
            record
                .calls
                .store(record.calls.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
            record.thread.store(numbered_thread(), Ordering::Relaxed);
            record.running.store(function, Ordering::Release);
        }
    }

    /// The call has returned.
    #[inline]
    pub fn leave(&self) {
        if let Some(record) = self.0 {
            record.running.store(0, Ordering::Release);
        }
    }

    /// Whether a call has begun and not returned: then an exception of the FMU is on its way through our frames, and
    /// the record must last until the process ends.
    pub fn is_running(&self) -> bool {
        self.0
            .is_some_and(|record| record.running.load(Ordering::Relaxed) != 0)
    }

    /// The instance is moved to this time.
    #[inline]
    pub fn at(&self, time: f64) {
        if let Some(record) = self.0 {
            record.time.store(time.to_bits(), Ordering::Relaxed);
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if let Some(record) = self.0.filter(|_| !self.is_running()) {
            record.taken.store(0, Ordering::Release);
        }
    }
}

/// How a process ended, in words.
pub fn death(status: ExitStatus) -> String {
    match (crash(status), status.code()) {
        (Some(crash), _) => crash,
        // The C library of Windows ends a process so after `abort`.
        (None, Some(3)) if cfg!(windows) => "it called exit(3), or abort()".into(),
        (None, Some(code)) => format!("it called exit({code})"),
        (None, None) => "for an unknown reason".into(),
    }
}

/// What ended a process that did not end by itself: a signal, or on Windows an exception.
pub fn crash(status: ExitStatus) -> Option<String> {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        if let Some(signal) = status.signal() {
            let name = match signal {
                4 => "illegal instruction",
                6 => "abort",
                7 => "bus error",
                8 => "arithmetic error",
                9 => "killed",
                11 => "segmentation fault",
                _ => "signal",
            };
            return Some(format!("{name} (signal {signal})"));
        }
    }
    let code = status.code()?;
    let name = exception(code)?;
    Some(format!("{name} (exception {code:#X})"))
}

/// The name of an exception of Windows, which is the exit code of the process that it ended.
fn exception(code: i32) -> Option<&'static str> {
    Some(match code.cast_unsigned() {
        0xC000_0005 => "access violation",
        0xC000_0006 => "error while reading a page",
        0xC000_001D => "illegal instruction",
        0xC000_008C => "array index out of bounds",
        0xC000_008D..=0xC000_0093 => "floating-point error",
        0xC000_0094 => "division by zero",
        0xC000_0095 => "integer overflow",
        0xC000_0096 => "privileged instruction",
        0xC000_00FD => "stack overflow",
        0xC000_0135 | 0xC000_0139 => "a library could not be loaded",
        0xC000_0374 => "corrupted heap",
        0xC000_0409 => "abort",
        // What C++ throws.
        0xE06D_7363 | 0x2047_4343 => "C++ exception",
        0xC000_0000..=0xCFFF_FFFF => "exception",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{LOADING, exception, function, number_of};

    #[test]
    fn functions_and_numbers_belong_together() {
        for name in [
            "fmi2GetTypesPlatform",
            "fmi2DoStep",
            "fmi2GetDerivatives",
            "fmi2GetStringStatus",
            LOADING,
        ] {
            assert_eq!(function(number_of(name)), Some(name));
        }
        assert_eq!(function(0), None);
        assert_eq!(function(46), None);
    }

    #[test]
    fn exit_codes_of_windows_that_are_exceptions_have_names() {
        assert_eq!(exception(-1073741819), Some("access violation"));
        assert_eq!(exception(-1073741676), Some("division by zero"));
        assert_eq!(exception(-1073740791), Some("abort"));
        for code in [0, 1, 3, 101, 255, -1] {
            assert_eq!(exception(code), None, "{code}");
        }
    }
}
