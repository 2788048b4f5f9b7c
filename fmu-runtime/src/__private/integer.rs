//! `x as usize` in equations: fine for integers, refused for numbers of the model.
//!
//! A truncated number has derivative 0 everywhere, and whatever it then selects would be missing from the
//! dependencies. So generated code asks first: `CheckCast(x).checked() as usize`.

use crate::scalar::Scalar;

/// An operand of a cast to an integer.
pub struct CheckCast<T>(pub T);

/// What may be cast to an integer.
#[diagnostic::on_unimplemented(
    message = "a number of the model cannot be cast to an integer: its derivative would be lost",
    label = "look values up with `Table1D` or `Table2D`, or put the code behind `opaque(...)`",
    note = "integers that change at events belong in `#[discrete]` variables"
)]
pub trait CastsToInteger {
    /// The same number as rustc may cast it.
    type Plain;

    /// Nothing happens.
    fn plain(self) -> Self::Plain;
}

/// First choice: a number.
pub trait CheckNumber {
    /// Its type.
    type Number;

    /// Compiles only if the cast loses no derivative.
    fn checked(self) -> <Self::Number as CastsToInteger>::Plain
    where
        Self::Number: CastsToInteger;
}

impl<T: Scalar> CheckNumber for CheckCast<T> {
    type Number = T;

    #[inline(always)]
    fn checked(self) -> T::Plain
    where
        T: CastsToInteger,
    {
        self.0.plain()
    }
}

macro_rules! casts {
    ($($ty:ty),*) => {$(
        impl CastsToInteger for $ty {
            type Plain = $ty;

            #[inline(always)]
            fn plain(self) -> $ty {
                self
            }
        }
    )*};
}
casts!(
    i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32, f64
);

macro_rules! numbers {
    ($($ty:ty),*) => {$(
        impl CheckNumber for CheckCast<$ty> {
            type Number = $ty;

            #[inline(always)]
            fn checked(self) -> $ty {
                self.0
            }
        }
    )*};
}
numbers!(
    i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32
);

/// Second choice: anything else (an enum, a bool) is rustc's to judge.
pub trait CheckOther {
    /// Its type.
    type Itself;

    /// Always compiles.
    fn checked(&self) -> Self::Itself;
}

impl<T: Copy> CheckOther for CheckCast<T> {
    type Itself = T;

    #[inline(always)]
    fn checked(&self) -> T {
        self.0
    }
}
