//! How generated code turns plain constants and casts into scalars.
//!
//! A macro sees the name of a constant and not its type. So it writes
//!
//! ```text
//! *Lift(&K).lift::<S>()        for a constant or static K (or an element K[i], a field K.a of one)
//! *Lift(&K).operand::<S>()     the same beside one of + - * / %: an f64 becomes a Literal<S>
//! Cast(EXPR).cast::<S>()       for EXPR as f64
//! Given(CALL).given::<S>()     for what a function has returned
//! plain(LITERAL)               in .unwrap_or(LITERAL)
//! ```
//!
//! with the traits of this module in scope, and method resolution chooses (a method by value before one by
//! reference): `f64` becomes `S`,
//! arrays, tuples and static slices of `f64` become the same of `S`, and everything else (a
//! `usize`, an enumeration, a type of the author's, a scalar) stays what it is.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{LazyLock, Mutex};

use crate::scalar::{Literal, Scalar, literal};

/// The traits that lifted bodies need in scope.
pub mod prelude {
    pub use super::super::integer::{CheckNumber as _, CheckOther as _};
    pub use super::{AsItself as _, ByValue as _, CastItself as _, CastNumber as _, GivenItself as _};
}

/// A constant to be lifted.
pub struct Lift<'a, T: ?Sized>(pub &'a T);

/// An operand of `as f64`.
pub struct Cast<T>(pub T);

/// What a function has returned.
pub struct Given<T>(pub T);

impl Given<f64> {
    /// First choice: a plain number becomes a scalar.
    #[inline(always)]
    pub fn given<S: Scalar>(self) -> S {
        S::constant(self.0)
    }
}

/// Second choice: anything else stays itself.
pub trait GivenItself {
    /// What it is.
    type Itself;

    /// Nothing happens.
    fn given<S: Scalar>(self) -> Self::Itself;
}

impl<T> GivenItself for Given<T> {
    type Itself = T;

    #[inline(always)]
    fn given<S: Scalar>(self) -> T {
        self.0
    }
}

/// A literal whose type depends on its context: an `f64`, or a scalar.
#[inline(always)]
pub fn plain<T: From<f64>>(literal: f64) -> T {
    T::from(literal)
}

/// The result of a lift: borrowed where the type did not change, so that `f64` code pays nothing.
pub enum Lifted<'a, T> {
    /// The constant itself.
    Same(&'a T),
    /// A lifted copy.
    New(T),
}

impl<T> Deref for Lifted<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        match self {
            Lifted::Same(value) => value,
            Lifted::New(value) => value,
        }
    }
}

/// A type whose `f64`s can be replaced by `S`.
pub trait Liftable: 'static {
    /// The same type over `S`.
    type Over<S: Scalar>: Send + Sync + 'static;

    /// A copy over `S`.
    fn lifted<S: Scalar>(&self) -> Self::Over<S>;
}

/// First choice: the type contains `f64` in places that we know, and is lifted.
pub trait ByValue<'a> {
    /// What is lifted.
    type Plain: Liftable;

    /// The constant over `S`.
    fn lift<S: Scalar>(self) -> Lifted<'a, <Self::Plain as Liftable>::Over<S>>;

    /// The constant over `S`, beside an operator.
    #[inline(always)]
    fn operand<S: Scalar>(self) -> Lifted<'a, <Self::Plain as Liftable>::Over<S>>
    where
        Self: Sized,
    {
        self.lift::<S>()
    }
}

impl Lift<'_, f64> {
    /// A number beside an operator.
    #[inline(always)]
    pub fn operand<S: Scalar>(self) -> Lifted<'static, Literal<S>> {
        Lifted::New(literal(*self.0))
    }
}

impl<'a, T: Liftable> ByValue<'a> for Lift<'a, T> {
    type Plain = T;

    #[inline(always)]
    fn lift<S: Scalar>(self) -> Lifted<'a, T::Over<S>> {
        match (self.0 as &dyn Any).downcast_ref::<T::Over<S>>() {
            Some(same) => Lifted::Same(same),
            None => Lifted::New(self.0.lifted::<S>()),
        }
    }
}

/// Second choice: anything else stays itself.
pub trait AsItself<'a> {
    /// What it is.
    type Plain: ?Sized;

    /// The constant.
    fn lift<S: Scalar>(&self) -> &'a Self::Plain;

    /// The constant, beside an operator.
    #[inline(always)]
    fn operand<S: Scalar>(&self) -> &'a Self::Plain {
        self.lift::<S>()
    }
}

impl<'a, T: ?Sized> AsItself<'a> for Lift<'a, T> {
    type Plain = T;

    #[inline(always)]
    fn lift<S: Scalar>(&self) -> &'a T {
        self.0
    }
}

/// First choice of a cast: a primitive number.
pub trait CastNumber {
    /// The number as a scalar.
    fn cast<S: Scalar>(self) -> S;
}

/// Second choice of a cast: a scalar already.
pub trait CastItself {
    /// What it is.
    type Plain;

    /// The scalar itself.
    fn cast<S: Scalar>(&self) -> Self::Plain;
}

impl<T: Copy> CastItself for Cast<T> {
    type Plain = T;

    #[inline(always)]
    fn cast<S: Scalar>(&self) -> T {
        self.0
    }
}

macro_rules! cast_numbers {
    ($($ty:ty),*) => {
        $(impl CastNumber for Cast<$ty> {
            #[inline(always)]
            fn cast<S: Scalar>(self) -> S {
                S::constant(self.0 as f64)
            }
        })*
    };
}

cast_numbers!(
    i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32, f64
);

impl Liftable for f64 {
    type Over<S: Scalar> = S;

    #[inline(always)]
    fn lifted<S: Scalar>(&self) -> S {
        S::constant(*self)
    }
}

macro_rules! unchanged {
    ($($ty:ty),*) => {
        $(impl Liftable for $ty {
            type Over<S: Scalar> = $ty;

            #[inline(always)]
            fn lifted<S: Scalar>(&self) -> $ty {
                *self
            }
        })*
    };
}

unchanged!(
    i8,
    i16,
    i32,
    i64,
    i128,
    isize,
    u8,
    u16,
    u32,
    u64,
    u128,
    usize,
    f32,
    bool,
    char,
    &'static str,
    ()
);

impl<T: Liftable, const N: usize> Liftable for [T; N] {
    type Over<S: Scalar> = [T::Over<S>; N];

    #[inline(always)]
    fn lifted<S: Scalar>(&self) -> Self::Over<S> {
        std::array::from_fn(|i| self[i].lifted::<S>())
    }
}

macro_rules! tuples {
    ($(($($name:ident $index:tt),*);)*) => {
        $(impl<$($name: Liftable),*> Liftable for ($($name,)*) {
            type Over<S: Scalar> = ($($name::Over<S>,)*);

            #[inline(always)]
            fn lifted<S: Scalar>(&self) -> Self::Over<S> {
                ($(self.$index.lifted::<S>(),)*)
            }
        })*
    };
}

tuples! {
    (A 0);
    (A 0, B 1);
    (A 0, B 1, C 2);
    (A 0, B 1, C 2, D 3);
}

impl<T: Liftable> Liftable for &'static [T] {
    type Over<S: Scalar> = &'static [T::Over<S>];

    fn lifted<S: Scalar>(&self) -> Self::Over<S> {
        lift_static::<T, S>(self)
    }
}

impl<T: Liftable, const N: usize> Liftable for &'static [T; N] {
    type Over<S: Scalar> = &'static [T::Over<S>; N];

    fn lifted<S: Scalar>(&self) -> Self::Over<S> {
        lift_static::<T, S>(self.as_slice())
            .first_chunk()
            .expect("a lifted slice keeps its length")
    }
}

type Shared = HashMap<(TypeId, usize, usize), &'static (dyn Any + Send + Sync)>;

/// Lifted copies of slices behind `&'static`: one for each slice and scalar, kept until the process ends, since a
/// `&'static [S]` is what the code that names the constant may hold on to.
static SHARED: LazyLock<Mutex<Shared>> = LazyLock::new(Mutex::default);

fn lift_static<T: Liftable, S: Scalar>(plain: &'static [T]) -> &'static [T::Over<S>] {
    let key = (TypeId::of::<(T, S)>(), plain.as_ptr() as usize, plain.len());
    let mut shared = SHARED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(known) = shared
        .get(&key)
        .and_then(|any| any.downcast_ref::<Vec<T::Over<S>>>())
    {
        return known;
    }
    // A nested slice is lifted by the same function, so the lock must not be held meanwhile.
    drop(shared);
    let lifted: Vec<T::Over<S>> = plain.iter().map(|element| element.lifted::<S>()).collect();
    let lifted: &'static Vec<T::Over<S>> = Box::leak(Box::new(lifted));
    shared = SHARED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    shared.insert(key, lifted);
    lifted
}
