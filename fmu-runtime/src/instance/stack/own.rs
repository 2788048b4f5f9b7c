//! A stack of our own: memory with a page below it that nothing may touch, and a switch to it and back. The thread stays
//! the host's, so thread-local values and the floating-point environment do, too.

use std::any::Any;
use std::arch::naked_asm;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The part at the low end that faults; a multiple of all sizes of pages.
const GUARD: usize = 64 << 10;

const PAINT: u8 = 0xa5;
const PAGE: [u8; 4096] = [PAINT; 4096];

unsafe extern "C" {
    fn mmap(
        at: *mut c_void,
        size: usize,
        access: c_int,
        flags: c_int,
        file: c_int,
        offset: i64,
    ) -> *mut c_void;
    fn mprotect(at: *mut c_void, size: usize, access: c_int) -> c_int;
    fn munmap(at: *mut c_void, size: usize) -> c_int;
}

const NO_ACCESS: c_int = 0;
const READ_AND_WRITE: c_int = 3;
/// Private, anonymous, and without a claim on memory that is never touched.
#[cfg(target_os = "linux")]
const FLAGS: c_int = 0x02 | 0x20 | 0x4000;
#[cfg(not(target_os = "linux"))]
const FLAGS: c_int = 0x02 | 0x1000;

thread_local! {
    /// Where the host's stack ends while a call runs on one of ours. Without a destructor, so that the library can be unloaded.
    static HOST: Cell<usize> = const { Cell::new(0) };
}

/// Memory for a stack.
pub struct Stack {
    base: *mut u8,
    size: usize,
}

impl Stack {
    /// `None` if the system has no memory for it.
    pub fn new(size: usize) -> Option<Stack> {
        let size = size.next_multiple_of(GUARD) + GUARD;
        // SAFETY: asks for new memory anywhere.
        let base = unsafe { mmap(std::ptr::null_mut(), size, READ_AND_WRITE, FLAGS, -1, 0) };
        if base.addr() == usize::MAX {
            return None;
        }
        let stack = Stack {
            base: base.cast(),
            size,
        };
        // SAFETY: the memory is ours, and nothing is in it.
        match unsafe { mprotect(base, GUARD, NO_ACCESS) } {
            0 => Some(stack),
            _ => None,
        }
    }

    /// Runs a call here. A panic goes on in the caller.
    pub fn run<T>(&self, call: impl FnOnce() -> T) -> T {
        let before = HOST.get();
        let top = self.base.addr() + self.size;
        let result = switched(top, &mut |host| HOST.set(host), call);
        HOST.set(before);
        result
    }

    /// Fills it with a pattern: see [`Stack::used`]. Nothing may run on it.
    pub fn paint(&mut self) {
        // SAFETY: all but the guard is ours, and no frame is in it.
        unsafe { self.base.add(GUARD).write_bytes(PAINT, self.size - GUARD) };
    }

    /// How many bytes of a painted stack were ever used, in whole pages.
    pub fn used(&self) -> usize {
        // SAFETY: all but the guard is ours, and was painted.
        let bytes = unsafe { std::slice::from_raw_parts(self.base.add(GUARD), self.size - GUARD) };
        let pages = bytes.chunks_exact(PAGE.len());
        let untouched = pages.take_while(|page| **page == PAGE).count();
        bytes.len() - untouched * PAGE.len()
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: the memory is ours, and no frame is in it.
        unsafe { munmap(self.base.cast(), self.size) };
    }
}

/// Runs a function of the host on the host's own stack, on which it expects to be: some compare addresses with its ends.
pub fn on_host<T>(call: impl FnOnce() -> T) -> T {
    match HOST.replace(0) {
        0 => call(),
        host => {
            // Below what the host's thread has in use, and what a function may use beyond it without a word.
            let result = switched(host - 256, &mut |_| {}, call);
            HOST.set(host);
            result
        }
    }
}

/// Runs `call` on the stack that ends at `top`; `note` gets the end of the present one.
fn switched<T>(top: usize, note: &mut dyn FnMut(usize), call: impl FnOnce() -> T) -> T {
    struct Job<'a, F, T> {
        call: Option<F>,
        note: &'a mut dyn FnMut(usize),
        result: Option<Result<T, Box<dyn Any + Send>>>,
    }
    /// A function of C, from which no panic gets out.
    unsafe extern "C" fn work<F: FnOnce() -> T, T>(job: *mut c_void, host: usize) {
        // SAFETY: the job of the frame below, which waits for this function.
        let job = unsafe { &mut *job.cast::<Job<'_, F, T>>() };
        (job.note)(host);
        job.result = job.call.take().map(|call| catch_unwind(AssertUnwindSafe(call)));
    }
    fn function_of<F: FnOnce() -> T, T>(_: &Job<'_, F, T>) -> unsafe extern "C" fn(*mut c_void, usize) {
        work::<F, T>
    }
    let mut job = Job {
        call: Some(call),
        note,
        result: None,
    };
    let function = function_of(&job);
    // SAFETY: `top` is the end of memory that nothing uses, and the job lives until the function returns.
    unsafe { switch((&raw mut job).cast(), function, top & !15) };
    match job.result {
        Some(Ok(result)) => result,
        Some(Err(payload)) => resume_unwind(payload),
        None => std::process::abort(),
    }
}

/// Calls `function` with the job and the end of the present stack, on the stack that ends at `top`. The frame is found by
/// rbp and described for backtraces, which go on in the host's frames.
#[unsafe(naked)]
unsafe extern "C" fn switch(
    job: *mut c_void,
    function: unsafe extern "C" fn(*mut c_void, usize),
    top: usize,
) {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "mov rax, rsi",
        "mov rsi, rsp",
        "mov rsp, rdx",
        "call rax",
        "mov rsp, rbp",
        "pop rbp",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
    )
}
