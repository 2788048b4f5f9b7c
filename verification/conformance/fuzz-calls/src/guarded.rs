//! Buffers that end where a page begins that must not be touched, so that one byte too far is a crash.

use std::ptr;

/// Bytes before the data that must stay as they are.
const CANARY: usize = 64;
const PATTERN: u8 = 0xa5;

/// A place for the data of one argument.
pub struct Guarded {
    start: *mut u8,
    size: usize,
    used: usize,
}

impl Guarded {
    /// With room for `room` bytes.
    pub fn new(room: usize) -> Guarded {
        // SAFETY: an anonymous mapping touches nothing that exists; the result is checked.
        let (start, size) = unsafe {
            let page = libc::sysconf(libc::_SC_PAGESIZE) as usize;
            let size = (room + CANARY).div_ceil(page) * page;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let start = libc::mmap(
                ptr::null_mut(),
                size + page,
                libc::PROT_READ | libc::PROT_WRITE,
                flags,
                -1,
                0,
            );
            assert!(start != libc::MAP_FAILED, "no memory");
            assert_eq!(libc::mprotect(start.byte_add(size), page, libc::PROT_NONE), 0);
            (start.cast::<u8>(), size)
        };
        Guarded { start, size, used: 0 }
    }

    /// The bytes, their end at the guard page.
    pub fn place(&mut self, bytes: &[u8]) -> *mut u8 {
        assert!(bytes.len() + CANARY <= self.size);
        self.used = bytes.len();
        // SAFETY: canary and bytes lie within the mapping, by the assertion.
        unsafe {
            let data = self.start.add(self.size - bytes.len());
            ptr::write_bytes(data.sub(CANARY), PATTERN, CANARY);
            ptr::copy_nonoverlapping(bytes.as_ptr(), data, bytes.len());
            data
        }
    }

    /// Room for values of a type, zeroed.
    pub fn room<T>(&mut self, count: usize) -> *mut T {
        self.place(&vec![0; count * size_of::<T>()]).cast()
    }

    /// Values of a type.
    pub fn values<T: Copy>(&mut self, values: &[T]) -> *mut T {
        // SAFETY: the types used here are numbers and pointers, all of whose bytes are initialized.
        let bytes = unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values)) };
        self.place(bytes).cast()
    }

    /// Whether the bytes before the data are as they were.
    pub fn is_intact(&self) -> bool {
        if self.used == 0 {
            return true;
        }
        // SAFETY: the canary lies within the mapping.
        let canary = unsafe {
            let data = self.start.add(self.size - self.used);
            std::slice::from_raw_parts(data.sub(CANARY), CANARY)
        };
        canary.iter().all(|byte| *byte == PATTERN)
    }

    /// What is there now.
    pub fn bytes(&self) -> Vec<u8> {
        // SAFETY: the data lies within the mapping.
        unsafe { std::slice::from_raw_parts(self.start.add(self.size - self.used), self.used) }.to_vec()
    }
}
