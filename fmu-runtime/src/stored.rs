//! Types that can be written as bytes and read again: for the internal fields of a model in serialized snapshots.
//!
//! FMI variables are written by themselves. An `#[internal]` field is written if its type is [`Stored`]; numbers, text,
//! arrays, vectors, options, tuples, ordered maps, tables and enumerations are. A field that only `fn instantiate`
//! fills, and that stays as it is from then on, need not be: `#[internal(fixed)]`. With any other field the FMU keeps
//! snapshots in memory only, and packaging prints a note.

pub use crate::solver::{Damaged, Reader, Writer};

use crate::table::{Table1D, Table2D};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A type whose values can be written as bytes and read again, bit by bit.
///
/// ```
/// use fmu_runtime::stored::{Damaged, Reader, Stored, Writer};
///
/// #[derive(Clone, Debug, PartialEq)]
/// struct Sample {
///     time: f64,
///     values: Vec<f64>,
/// }
///
/// impl Stored for Sample {
///     fn store(&self, out: &mut Writer<'_>) {
///         self.time.store(out);
///         self.values.store(out);
///     }
///     fn load(from: &mut Reader<'_>) -> Result<Sample, Damaged> {
///         Ok(Sample { time: f64::load(from)?, values: Vec::load(from)? })
///     }
/// }
///
/// let sample = Sample { time: 0.1, values: vec![1.0, -0.0] };
/// let mut bytes = Vec::new();
/// sample.store(&mut Writer(&mut bytes));
/// assert_eq!(Sample::load(&mut Reader(&bytes)), Ok(sample));
/// assert!(Sample::load(&mut Reader(&bytes[..bytes.len() - 1])).is_err());
/// ```
pub trait Stored: Sized {
    /// Appends the value.
    fn store(&self, out: &mut Writer<'_>);
    /// Takes a value from the front of the bytes, whatever they are.
    fn load(from: &mut Reader<'_>) -> Result<Self, Damaged>;
}

macro_rules! stored_numbers {
    ($($number:ty),*) => {$(
        impl Stored for $number {
            fn store(&self, out: &mut Writer<'_>) {
                out.0.extend_from_slice(&self.to_le_bytes());
            }
            fn load(from: &mut Reader<'_>) -> Result<$number, Damaged> {
                let (bytes, rest) = from.0.split_first_chunk().ok_or(Damaged("they end too early"))?;
                from.0 = rest;
                Ok(<$number>::from_le_bytes(*bytes))
            }
        }
    )*};
}
stored_numbers!(f64, f32, i8, i16, i32, i64, i128, u8, u16, u32, u64, u128);

impl Stored for usize {
    fn store(&self, out: &mut Writer<'_>) {
        out.count(*self);
    }
    fn load(from: &mut Reader<'_>) -> Result<usize, Damaged> {
        from.count(usize::MAX)
    }
}

impl Stored for isize {
    fn store(&self, out: &mut Writer<'_>) {
        (*self as i64).store(out);
    }
    fn load(from: &mut Reader<'_>) -> Result<isize, Damaged> {
        isize::try_from(i64::load(from)?).map_err(|_| Damaged("a count is too large"))
    }
}

impl Stored for bool {
    fn store(&self, out: &mut Writer<'_>) {
        out.bool(*self);
    }
    fn load(from: &mut Reader<'_>) -> Result<bool, Damaged> {
        from.bool()
    }
}

impl Stored for char {
    fn store(&self, out: &mut Writer<'_>) {
        u32::from(*self).store(out);
    }
    fn load(from: &mut Reader<'_>) -> Result<char, Damaged> {
        char::from_u32(u32::load(from)?).ok_or(Damaged("a character is not one"))
    }
}

/// FNV-1a: every change of a single byte changes it.
pub(crate) fn check_sum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Takes bytes that have their number before them.
pub(crate) fn counted<'a>(from: &mut Reader<'a>) -> Result<&'a [u8], Damaged> {
    let length = from.count(usize::MAX)?;
    let (taken, rest) = from
        .0
        .split_at_checked(length)
        .ok_or(Damaged("they end too early"))?;
    from.0 = rest;
    Ok(taken)
}

impl Stored for String {
    fn store(&self, out: &mut Writer<'_>) {
        out.count(self.len());
        out.0.extend_from_slice(self.as_bytes());
    }
    fn load(from: &mut Reader<'_>) -> Result<String, Damaged> {
        let text = std::str::from_utf8(counted(from)?).map_err(|_| Damaged("a text is not UTF-8"))?;
        Ok(text.to_owned())
    }
}

impl<T: Stored> Stored for Option<T> {
    fn store(&self, out: &mut Writer<'_>) {
        out.bool(self.is_some());
        if let Some(value) = self {
            value.store(out);
        }
    }
    fn load(from: &mut Reader<'_>) -> Result<Option<T>, Damaged> {
        from.bool()?.then(|| T::load(from)).transpose()
    }
}

impl<T: Stored> Stored for Box<T> {
    fn store(&self, out: &mut Writer<'_>) {
        (**self).store(out);
    }
    fn load(from: &mut Reader<'_>) -> Result<Box<T>, Damaged> {
        T::load(from).map(Box::new)
    }
}

impl<T: Stored, const N: usize> Stored for [T; N] {
    fn store(&self, out: &mut Writer<'_>) {
        for value in self {
            value.store(out);
        }
    }
    fn load(from: &mut Reader<'_>) -> Result<[T; N], Damaged> {
        let mut values = Vec::with_capacity(N);
        for _ in 0..N {
            values.push(T::load(from)?);
        }
        values.try_into().map_err(|_| Damaged("they end too early"))
    }
}

macro_rules! stored_collections {
    ($($collection:ty where $($parameter:ident: $bound:path),+ => $item:ty;)*) => {$(
        impl<$($parameter: Stored + $bound),+> Stored for $collection {
            fn store(&self, out: &mut Writer<'_>) {
                out.count(self.len());
                for item in self {
                    item.store(out);
                }
            }
            fn load(from: &mut Reader<'_>) -> Result<$collection, Damaged> {
                // Nothing takes less than a byte, so damaged bytes cannot ask for more memory than they have.
                let count = from.count(from.0.len())?;
                (0..count).map(|_| <$item>::load(from)).collect()
            }
        }
    )*};
}
stored_collections! {
    Vec<T> where T: Sized => T;
    Box<[T]> where T: Sized => T;
    VecDeque<T> where T: Sized => T;
    BTreeSet<T> where T: Ord => T;
}

impl<K: Stored + Ord, V: Stored> Stored for BTreeMap<K, V> {
    fn store(&self, out: &mut Writer<'_>) {
        out.count(self.len());
        for (key, value) in self {
            key.store(out);
            value.store(out);
        }
    }
    fn load(from: &mut Reader<'_>) -> Result<BTreeMap<K, V>, Damaged> {
        let count = from.count(from.0.len())?;
        (0..count).map(|_| <(K, V)>::load(from)).collect()
    }
}

macro_rules! stored_tuples {
    ($(($($name:ident),+))*) => {$(
        impl<$($name: Stored),+> Stored for ($($name,)+) {
            #[allow(non_snake_case)]
            fn store(&self, out: &mut Writer<'_>) {
                let ($($name,)+) = self;
                $($name.store(out);)+
            }
            fn load(from: &mut Reader<'_>) -> Result<Self, Damaged> {
                Ok(($($name::load(from)?,)+))
            }
        }
    )*};
}
stored_tuples!((A)(A, B)(A, B, C)(A, B, C, D)(A, B, C, D, E)(A, B, C, D, E, F));

impl Stored for Table1D {
    fn store(&self, out: &mut Writer<'_>) {
        self.write_to(out);
    }
    fn load(from: &mut Reader<'_>) -> Result<Table1D, Damaged> {
        Table1D::read_from(from)
    }
}

impl Stored for Table2D {
    fn store(&self, out: &mut Writer<'_>) {
        self.write_to(out);
    }
    fn load(from: &mut Reader<'_>) -> Result<Table2D, Damaged> {
        Table2D::read_from(from)
    }
}
