//! Numbers and texts as bytes for another process: numbers as this machine has them, since both processes run on it.

/// A number that is copied byte by byte.
///
/// # Safety
/// Every pattern of bytes is a value, and there are no bytes between fields.
pub unsafe trait Plain: Copy + Default {}

// SAFETY: all of these are numbers without invalid patterns.
unsafe impl Plain for u8 {}
// SAFETY: as above.
unsafe impl Plain for u32 {}
// SAFETY: as above.
unsafe impl Plain for i32 {}
// SAFETY: as above.
unsafe impl Plain for u64 {}
// SAFETY: as above.
unsafe impl Plain for f64 {}

fn bytes_of<T: Plain>(values: &[T]) -> &[u8] {
    // SAFETY: plain numbers have no bytes that are not initialized, and the length is that of the slice.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// A message that is being put together. Its memory is used again.
///
/// ```
/// use fmu_importer::remote::{Message, Reader};
///
/// let mut message = Message::default();
/// message.put(7_u32).text("level").array(&[1.5, 2.5]);
/// let mut reader = Reader(&message.0);
/// assert_eq!(reader.take::<u32>(), Some(7));
/// assert_eq!(reader.text().as_deref(), Some("level"));
/// let mut values = [0.0; 2];
/// assert_eq!(reader.array_into(&mut values), Some(()));
/// assert_eq!(reader.take::<u8>(), None, "this is the end");
/// ```
#[derive(Debug, Default)]
pub struct Message(
    /// Its bytes.
    pub Vec<u8>,
);

impl Message {
    /// Begins a new one.
    pub fn clear(&mut self) -> &mut Message {
        self.0.clear();
        self
    }

    /// Appends a number.
    pub fn put<T: Plain>(&mut self, value: T) -> &mut Message {
        self.0.extend_from_slice(bytes_of(&[value]));
        self
    }

    /// Appends how many there are, and then the numbers.
    pub fn array<T: Plain>(&mut self, values: &[T]) -> &mut Message {
        self.put(values.len() as u64);
        self.0.extend_from_slice(bytes_of(values));
        self
    }

    /// Appends a text.
    pub fn text(&mut self, text: &str) -> &mut Message {
        self.array(text.as_bytes())
    }
}

/// Takes a message apart; `None` where it ends too early, which only damaged memory brings about.
#[derive(Debug)]
pub struct Reader<'a>(
    /// The bytes that are left.
    pub &'a [u8],
);

impl<'a> Reader<'a> {
    /// The next number.
    pub fn take<T: Plain>(&mut self) -> Option<T> {
        let mut value = [T::default()];
        self.fill(&mut value)?;
        Some(value[0])
    }

    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn fill<T: Plain>(&mut self, values: &mut [T]) -> Option<()> {
        let bytes = self.bytes(size_of_val(values))?;
        // SAFETY: both have this many bytes, do not overlap, and every pattern is a value.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), values.as_mut_ptr().cast::<u8>(), bytes.len());
        }
        Some(())
    }

    fn length(&mut self) -> Option<usize> {
        usize::try_from(self.take::<u64>()?).ok()
    }

    /// An array, written over `values`.
    pub fn array<T: Plain>(&mut self, values: &mut Vec<T>) -> Option<()> {
        let length = self.length()?;
        // What follows must be there before memory is asked for.
        if length.checked_mul(size_of::<T>())? > self.0.len() {
            return None;
        }
        values.resize(length, T::default());
        self.fill(values)
    }

    /// An array of exactly this length.
    pub fn array_into<T: Plain>(&mut self, values: &mut [T]) -> Option<()> {
        (self.length()? == values.len()).then_some(())?;
        self.fill(values)
    }

    /// Bytes that were appended as an array.
    pub fn blob(&mut self) -> Option<&'a [u8]> {
        let length = self.length()?;
        self.bytes(length)
    }

    /// A text; what is not UTF-8 in it is replaced.
    pub fn text(&mut self) -> Option<String> {
        self.blob()
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::{Message, Reader};

    #[test]
    fn what_is_put_comes_out_again_and_short_messages_are_noticed() {
        let mut message = Message::default();
        message.put(7_u32).array(&[1.5, f64::NAN]).text("ä").put(-1_i32);
        let read = |bytes: &[u8]| {
            let mut reader = Reader(bytes);
            let mut values = Vec::new();
            let number: u32 = reader.take()?;
            reader.array::<f64>(&mut values)?;
            Some((
                number,
                values[0],
                values[1].is_nan(),
                reader.text()?,
                reader.take::<i32>()?,
            ))
        };
        assert_eq!(read(&message.0), Some((7, 1.5, true, "ä".into(), -1)));
        for length in 0..message.0.len() {
            assert_eq!(read(&message.0[..length]), None, "{length}");
        }
        // A length that exceeds every memory.
        message.clear().put(7_u32).put(u64::MAX / 8);
        assert_eq!(read(&message.0), None);
    }
}
