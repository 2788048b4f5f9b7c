//! Texts that an FMU returns, read with care: the pointer may lead to nothing, and the text may have no end.

use std::ffi::{c_char, c_long};

unsafe extern "C" {
    /// Copies a string of at most `limit` bytes to `to`, which has room for one more.
    fn fmu_importer_text(from: *const c_char, to: *mut c_char, limit: usize) -> c_long;
}

/// The longest text that is read.
const LONGEST: usize = 64 << 20;

/// Writes the text at a pointer over `text`, an empty one for a null pointer. `buffer` keeps its memory between calls.
///
/// # Errors
/// A part of a sentence: what is wrong with the text.
pub(crate) fn read(
    pointer: *const c_char,
    text: &mut String,
    buffer: &mut Vec<u8>,
) -> Result<(), &'static str> {
    text.clear();
    if pointer.is_null() {
        return Ok(());
    }
    let mut limit = buffer.len().saturating_sub(1).max(4 << 10);
    while limit <= LONGEST {
        buffer.resize(limit + 1, 0);
        // SAFETY: the operating system checks the source while it copies; the destination has `limit + 1` bytes.
        let length = unsafe { fmu_importer_text(pointer, buffer.as_mut_ptr().cast(), limit) };
        match usize::try_from(length) {
            Err(_) => return Err("a pointer to memory that cannot be read"),
            Ok(length) if length < limit => {
                *text += &String::from_utf8_lossy(&buffer[..length]);
                return Ok(());
            }
            Ok(_) => limit *= 16,
        }
    }
    Err("a text without an end")
}

#[cfg(test)]
mod tests {
    #[test]
    fn texts_are_read_and_nonsense_is_refused() {
        let read = |pointer| {
            let mut text = String::from("before");
            super::read(pointer, &mut text, &mut Vec::new()).map(|()| text)
        };
        assert_eq!(read(c"plain \xc3\xa4".as_ptr()).as_deref(), Ok("plain ä"));
        let long = format!("{}\0", "x".repeat(5 << 20));
        assert_eq!(read(long.as_ptr().cast()).map(|text| text.len()), Ok(5 << 20));
        assert_eq!(read(std::ptr::null()).as_deref(), Ok(""));
        for address in [8, 0x10_0000_0000, usize::MAX - 5] {
            assert!(
                read(std::ptr::without_provenance(address)).is_err(),
                "{address:#x}"
            );
        }
    }
}
