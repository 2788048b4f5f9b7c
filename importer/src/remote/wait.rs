//! Waiting for another process: first by reading a word repeatedly for a short time, then asleep.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// How long a process looks again and again before it sleeps.
const SPIN: Duration = Duration::from_micros(20);

/// After this many consecutive futile waits it sleeps at once...
const IN_VAIN: u32 = 4;

/// ...but for every so-manieth time.
const TRY_AGAIN: u32 = 64;

/// Whether looking again and again was worth it the last times.
#[derive(Debug, Default)]
pub(super) struct Spin {
    in_vain: u32,
    single_core: Option<bool>,
}

impl Spin {
    /// Waits for a short time without sleeping; returns whether `word` has become `wanted`.
    pub fn wait(&mut self, word: &AtomicU32, wanted: u32) -> bool {
        if word.load(Ordering::Acquire) == wanted {
            return true;
        }
        let single = *self
            .single_core
            .get_or_insert_with(|| std::thread::available_parallelism().is_ok_and(|cores| cores.get() == 1));
        if single || (self.in_vain >= IN_VAIN && !self.in_vain.is_multiple_of(TRY_AGAIN)) {
            self.in_vain = self.in_vain.wrapping_add(1).max(IN_VAIN);
            return false;
        }
        let begin = Instant::now();
        loop {
            for _ in 0..32 {
                if word.load(Ordering::Acquire) == wanted {
                    self.in_vain = 0;
                    return true;
                }
                std::hint::spin_loop();
            }
            if begin.elapsed() >= SPIN {
                self.in_vain = self.in_vain.wrapping_add(1);
                return false;
            }
        }
    }
}

/// Sleeps while `word` is `unwanted`, at most this long; may return early.
#[cfg(target_os = "linux")]
pub(super) fn sleep(word: &AtomicU32, unwanted: u32, limit: Duration) {
    let limit = libc::timespec {
        tv_sec: limit.as_secs() as libc::time_t,
        tv_nsec: limit.subsec_nanos() as libc::c_long,
    };
    // SAFETY: the word is aligned and mapped, and the time lives as long as the call. The memory is shared between
    // processes, so the futex is not a private one.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT,
            unwanted,
            &raw const limit,
        );
    }
}

/// Wakes the process that sleeps at `word`.
#[cfg(target_os = "linux")]
pub(super) fn wake(word: &AtomicU32) {
    // SAFETY: the word is aligned and mapped.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, 1);
    }
}

/// Where processes have no common futex, sleeping means looking from time to time.
#[cfg(not(target_os = "linux"))]
pub(super) fn sleep(word: &AtomicU32, unwanted: u32, limit: Duration) {
    let end = Instant::now() + limit;
    let mut pause = Duration::from_micros(50);
    while word.load(Ordering::Acquire) == unwanted && Instant::now() < end {
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(1));
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn wake(_: &AtomicU32) {}
