//! Which thread of a worker crashed or called `exit`: this identifies the component if several step at once.

use std::sync::atomic::AtomicU32;

#[cfg(unix)]
use std::sync::{OnceLock, atomic::Ordering};

/// Notes the number of the thread that crashes or ends the process in `thread`.
#[cfg(unix)]
pub(super) fn note_in(thread: &'static AtomicU32) {
    if THREAD.set(thread).is_err() {
        return;
    }
    for (signal, before) in SIGNALS.iter().zip(&BEFORE) {
        // SAFETY: an empty set of signals and no flags are valid; what is missing is filled in below.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        action.sa_sigaction = crashed as *const () as libc::sighandler_t;
        // On the stack for signals, where the thread has one: its own may be what has overflowed.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
        // SAFETY: as above.
        let mut old: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: both actions live as long as the call, and the handler does only what a handler may do.
        if unsafe { libc::sigaction(*signal, &action, &mut old) } == 0 {
            let _ = before.set(Action(old));
        }
    }
    // SAFETY: the function takes nothing and may run at any time before the process ends.
    unsafe { libc::atexit(ended) };
}

#[cfg(not(unix))]
pub(super) fn note_in(_: &'static AtomicU32) {}

/// Windows shows no dialog when this process crashes, or when a library of an FMU is missing: nothing would answer it,
/// and the process would stay. The parent reports the crash.
pub(super) fn show_no_dialog() {
    #[cfg(windows)]
    {
        const FAIL_CRITICAL_ERRORS: u32 = 0x1;
        const NO_CRASH_DIALOG: u32 = 0x2;
        #[link(name = "kernel32")]
        unsafe extern "system" {
            fn SetErrorMode(mode: u32) -> u32;
        }
        // SAFETY: the function takes a number and has no requirements.
        unsafe { SetErrorMode(FAIL_CRITICAL_ERRORS | NO_CRASH_DIALOG) };
    }
}

#[cfg(unix)]
static THREAD: OnceLock<&'static AtomicU32> = OnceLock::new();

/// What a crash is.
#[cfg(unix)]
const SIGNALS: [libc::c_int; 5] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGABRT,
];

/// What happened at these signals before.
#[cfg(unix)]
static BEFORE: [OnceLock<Action>; SIGNALS.len()] = [const { OnceLock::new() }; SIGNALS.len()];

#[cfg(unix)]
struct Action(libc::sigaction);

// SAFETY: the handler in it is a function or a constant, both of the whole process.
#[cfg(unix)]
unsafe impl Send for Action {}
// SAFETY: as above, and it is never changed.
#[cfg(unix)]
unsafe impl Sync for Action {}

/// The first thread counts: what comes later is a consequence.
#[cfg(unix)]
fn note() {
    if let Some(thread) = THREAD.get() {
        let number = fmu_importer::watch::thread_number();
        let _ = thread.compare_exchange(0, number, Ordering::Release, Ordering::Relaxed);
    }
}

/// Notes the thread and lets what was there before do the rest.
#[cfg(unix)]
extern "C" fn crashed(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    note();
    let number = SIGNALS.iter().position(|one| *one == signal);
    if let Some(before) = number.and_then(|number| BEFORE[number].get()) {
        // SAFETY: the action was given out by the operating system for this signal.
        unsafe { libc::sigaction(signal, &before.0, std::ptr::null_mut()) };
    }
    // SAFETY: the operating system passes a valid pointer with SA_SIGINFO.
    let by_an_instruction = unsafe { (*info).si_code } > 0;
    // The instruction is executed again, and fails again; what a call has sent is sent again. Handlers that were there before
    // may wait for an instruction, and let a signal that was sent pass.
    if !by_an_instruction {
        // SAFETY: raising a signal has no requirements on memory, and its default action ends the process.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
}

#[cfg(unix)]
extern "C" fn ended() {
    note();
}
