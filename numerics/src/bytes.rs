//! Memory as bytes: numbers one after the other, little endian, floats by their bits. The reader knows what to expect, and
//! reports when it is not there.

use std::fmt;

/// Why bytes cannot be read as memory.
///
/// ```
/// use fmu_numerics::Reader;
///
/// let problem = Reader(&[1, 2]).u64().unwrap_err();
/// assert!(problem.to_string().ends_with("they end too early"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged(pub &'static str);

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the bytes are damaged, or come from another model: {}", self.0)
    }
}

impl std::error::Error for Damaged {}

/// Appends to a vector of bytes.
///
/// ```
/// use fmu_numerics::{Reader, Writer};
///
/// let mut bytes = Vec::new();
/// let mut out = Writer(&mut bytes);
/// out.count(2);
/// out.f64s(&[0.1, -0.0]);
///
/// let (mut from, mut values) = (Reader(&bytes), [0.0; 2]);
/// assert_eq!(from.count(10)?, 2);
/// from.f64s(&mut values)?;
/// from.end()?;
/// assert_eq!(values[1].to_bits(), (-0.0f64).to_bits());
/// # Ok::<(), fmu_numerics::Damaged>(())
/// ```
pub struct Writer<'a>(pub &'a mut Vec<u8>);

impl Writer<'_> {
    /// Appends a whole number.
    pub fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// Appends a count.
    pub fn count(&mut self, value: usize) {
        self.u64(value as u64);
    }

    /// Appends a yes or no.
    pub fn bool(&mut self, value: bool) {
        self.0.push(value.into());
    }

    /// Appends a number.
    pub fn f64(&mut self, value: f64) {
        self.u64(value.to_bits());
    }

    /// Appends numbers; the reader knows how many.
    pub fn f64s(&mut self, values: &[f64]) {
        for value in values {
            self.f64(*value);
        }
    }
}

/// Takes values from the front of bytes; [`Writer`] has an example.
pub struct Reader<'a>(pub &'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Damaged> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(Damaged("they end too early"))?;
        self.0 = rest;
        Ok(*taken)
    }

    /// Takes a whole number.
    pub fn u64(&mut self) -> Result<u64, Damaged> {
        Ok(u64::from_le_bytes(self.take()?))
    }

    /// Takes a count of at most `most`.
    pub fn count(&mut self, most: usize) -> Result<usize, Damaged> {
        match usize::try_from(self.u64()?) {
            Ok(count) if count <= most => Ok(count),
            _ => Err(Damaged("a count is too large")),
        }
    }

    /// Takes a yes or no.
    pub fn bool(&mut self) -> Result<bool, Damaged> {
        match self.take()? {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(Damaged("a flag is neither 0 nor 1")),
        }
    }

    /// Takes a number.
    pub fn f64(&mut self) -> Result<f64, Damaged> {
        Ok(f64::from_bits(self.u64()?))
    }

    /// Takes a number that is not NaN and not below 0.
    pub fn nonnegative(&mut self) -> Result<f64, Damaged> {
        match self.f64()? {
            value if value >= 0.0 => Ok(value),
            _ => Err(Damaged("a number is negative or NaN")),
        }
    }

    /// Takes a finite number.
    pub fn finite(&mut self) -> Result<f64, Damaged> {
        match self.f64()? {
            value if value.is_finite() => Ok(value),
            _ => Err(Damaged("a number is not finite")),
        }
    }

    /// Takes as many numbers as `values` is long.
    pub fn f64s(&mut self, values: &mut [f64]) -> Result<(), Damaged> {
        for value in values {
            *value = self.f64()?;
        }
        Ok(())
    }

    /// Nothing is left.
    pub fn end(&self) -> Result<(), Damaged> {
        match self.0 {
            [] => Ok(()),
            _ => Err(Damaged("they go on after their end")),
        }
    }
}
