//! `x as usize` in equations: fine for integers, refused for numbers of the model.
//!
//! A truncated number has derivative 0 everywhere, and whatever it then selects would be missing from the
//! dependencies. So generated code asks first: `CheckCast(&x).check()`.

use super::Scalar;

/// An operand of a cast to an integer.
pub struct CheckCast<'a, T>(pub &'a T);

/// What may be cast to an integer.
#[diagnostic::on_unimplemented(
    message = "a number of the model cannot be cast to an integer: its derivative would be lost",
    label = "depends on the model's variables",
    note = "look values up with `Table1D` or `Table2D`, or put the code behind `opaque(...)`; \
            integers that change at events belong in `#[discrete]` variables"
)]
pub trait CastsToInteger {}

/// First choice: a number.
pub trait CheckNumber {
    /// Its type.
    type Number;

    /// Compiles only if the cast loses no derivative.
    fn check(self)
    where
        Self::Number: CastsToInteger;
}

impl<T: Scalar> CheckNumber for CheckCast<'_, T> {
    type Number = T;

    #[inline(always)]
    fn check(self)
    where
        T: CastsToInteger,
    {
    }
}

macro_rules! plain_numbers {
    ($($ty:ty),*) => {$(
        impl CastsToInteger for $ty {}
        impl CheckNumber for CheckCast<'_, $ty> {
            type Number = $ty;

            #[inline(always)]
            fn check(self) {}
        }
    )*};
}
plain_numbers!(
    i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32
);
impl CastsToInteger for f64 {}

/// Second choice: anything else (an enum, a bool) is rustc's to judge.
pub trait CheckOther {
    /// Always compiles.
    #[inline(always)]
    fn check(&self) {}
}

impl<T> CheckOther for CheckCast<'_, T> {}
