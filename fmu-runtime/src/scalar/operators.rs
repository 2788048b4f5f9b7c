//! What follows from the arithmetic of a scalar type: operators on references, with plain numbers,
//! with literals, assignment, sums, conversions.

/// One operator of a scalar type in all its forms, from two functions: by the type itself, and by an `f64`.
macro_rules! operator {
    ([$($generics:tt)*] $ty:ty: $op:ident $method:ident $assign:ident $assign_method:ident, $both:ident, $plain:ident) => {
        impl<$($generics)*> std::ops::$op<$ty> for $ty {
            type Output = $ty;
            #[inline(always)]
            fn $method(self, rhs: $ty) -> $ty {
                self.$both(rhs)
            }
        }
        impl<$($generics)*> std::ops::$op<&$ty> for $ty {
            type Output = $ty;
            #[inline(always)]
            fn $method(self, rhs: &$ty) -> $ty {
                self.$both(*rhs)
            }
        }
        impl<$($generics)*> std::ops::$op<$ty> for &$ty {
            type Output = $ty;
            #[inline(always)]
            fn $method(self, rhs: $ty) -> $ty {
                (*self).$both(rhs)
            }
        }
        impl<$($generics)*> std::ops::$op<&$ty> for &$ty {
            type Output = $ty;
            #[inline(always)]
            fn $method(self, rhs: &$ty) -> $ty {
                (*self).$both(*rhs)
            }
        }
        impl<$($generics)*> std::ops::$op<f64> for $ty {
            type Output = $ty;
            #[inline(always)]
            fn $method(self, rhs: f64) -> $ty {
                self.$plain(rhs)
            }
        }
        impl<$($generics)*> std::ops::$op<f64> for &$ty {
            type Output = $ty;
            #[inline(always)]
            fn $method(self, rhs: f64) -> $ty {
                (*self).$plain(rhs)
            }
        }
        impl<$($generics)*> std::ops::$op<$crate::scalar::Literal<$ty>> for $ty {
            type Output = $ty;
            #[inline(always)]
            fn $method(self, rhs: $crate::scalar::Literal<$ty>) -> $ty {
                self.$plain(rhs.value())
            }
        }
        impl<$($generics)*> std::ops::$op<$crate::scalar::Literal<$ty>> for &$ty {
            type Output = $ty;
            #[inline(always)]
            fn $method(self, rhs: $crate::scalar::Literal<$ty>) -> $ty {
                (*self).$plain(rhs.value())
            }
        }
        impl<$($generics)*> std::ops::$assign<$ty> for $ty {
            #[inline(always)]
            fn $assign_method(&mut self, rhs: $ty) {
                *self = self.$both(rhs);
            }
        }
        impl<$($generics)*> std::ops::$assign<&$ty> for $ty {
            #[inline(always)]
            fn $assign_method(&mut self, rhs: &$ty) {
                *self = self.$both(*rhs);
            }
        }
        impl<$($generics)*> std::ops::$assign<f64> for $ty {
            #[inline(always)]
            fn $assign_method(&mut self, rhs: f64) {
                *self = self.$plain(rhs);
            }
        }
        impl<$($generics)*> std::ops::$assign<$crate::scalar::Literal<$ty>> for $ty {
            #[inline(always)]
            fn $assign_method(&mut self, rhs: $crate::scalar::Literal<$ty>) {
                *self = self.$plain(rhs.value());
            }
        }
    };
}

/// All operators of a scalar type, without [`sums`].
macro_rules! operators {
    (impl [$($generics:tt)*] $ty:ty) => {
        $crate::scalar::operators::operator! { [$($generics)*] $ty: Add add AddAssign add_assign, plus, plus_plain }
        $crate::scalar::operators::operator! { [$($generics)*] $ty: Sub sub SubAssign sub_assign, minus, minus_plain }
        $crate::scalar::operators::operator! { [$($generics)*] $ty: Mul mul MulAssign mul_assign, times, times_plain }
        $crate::scalar::operators::operator! { [$($generics)*] $ty: Div div DivAssign div_assign, over, over_plain }
        $crate::scalar::operators::operator! { [$($generics)*] $ty: Rem rem RemAssign rem_assign, modulo, modulo_plain }

        impl<$($generics)*> std::ops::Neg for $ty {
            type Output = $ty;
            #[inline(always)]
            fn neg(self) -> $ty {
                self.negated()
            }
        }
        impl<$($generics)*> std::ops::Neg for &$ty {
            type Output = $ty;
            #[inline(always)]
            fn neg(self) -> $ty {
                (*self).negated()
            }
        }
        impl<'a, $($generics)*> std::iter::Sum<&'a $ty> for $ty {
            #[inline]
            fn sum<I: Iterator<Item = &'a $ty>>(iter: I) -> $ty {
                iter.copied().sum()
            }
        }
        impl<$($generics)*> std::iter::Product<$ty> for $ty {
            #[inline]
            fn product<I: Iterator<Item = $ty>>(iter: I) -> $ty {
                iter.reduce(|a, b| a.times(b)).unwrap_or(<$ty as $crate::scalar::Scalar>::constant(1.0))
            }
        }
        impl<'a, $($generics)*> std::iter::Product<&'a $ty> for $ty {
            #[inline]
            fn product<I: Iterator<Item = &'a $ty>>(iter: I) -> $ty {
                iter.copied().product()
            }
        }
        impl<$($generics)*> Default for $ty {
            #[inline(always)]
            fn default() -> $ty {
                <$ty as $crate::scalar::Scalar>::constant(0.0)
            }
        }
        $crate::scalar::operators::conversions! {
            impl [$($generics)*] $ty: f64, f32, i8, i16, i32, u8, u16, u32, bool
        }
    };
}

/// Sums of a scalar type, term by term.
macro_rules! sums {
    (impl [$($generics:tt)*] $ty:ty) => {
        // The neutral element starts no sum: it would cost an operation, and `0 + x` is `x`.
        impl<$($generics)*> std::iter::Sum<$ty> for $ty {
            #[inline]
            fn sum<I: Iterator<Item = $ty>>(iter: I) -> $ty {
                iter.reduce(|a, b| a.plus(b)).unwrap_or_default()
            }
        }
    };
}

macro_rules! conversions {
    (impl $generics:tt $ty:ty: $($from:ty),*) => {
        $($crate::scalar::operators::conversions! { @one $generics $ty: $from })*
    };
    (@one [$($generics:tt)*] $ty:ty: $from:ty) => {
        impl<$($generics)*> From<$from> for $ty {
            #[inline(always)]
            fn from(value: $from) -> $ty {
                <$ty as $crate::scalar::Scalar>::constant(value.into())
            }
        }
    };
}

/// Comparison and display by the value alone.
macro_rules! by_value {
    (impl [$($generics:tt)*] $ty:ty) => {
        impl<$($generics)*> PartialEq for $ty {
            #[inline(always)]
            fn eq(&self, other: &$ty) -> bool {
                $crate::scalar::Scalar::value(*self) == $crate::scalar::Scalar::value(*other)
            }
        }
        impl<$($generics)*> PartialOrd for $ty {
            #[inline(always)]
            fn partial_cmp(&self, other: &$ty) -> Option<std::cmp::Ordering> {
                $crate::scalar::Scalar::value(*self).partial_cmp(&$crate::scalar::Scalar::value(*other))
            }
            #[inline(always)]
            fn lt(&self, other: &$ty) -> bool {
                $crate::scalar::Scalar::value(*self) < $crate::scalar::Scalar::value(*other)
            }
            #[inline(always)]
            fn le(&self, other: &$ty) -> bool {
                $crate::scalar::Scalar::value(*self) <= $crate::scalar::Scalar::value(*other)
            }
            #[inline(always)]
            fn gt(&self, other: &$ty) -> bool {
                $crate::scalar::Scalar::value(*self) > $crate::scalar::Scalar::value(*other)
            }
            #[inline(always)]
            fn ge(&self, other: &$ty) -> bool {
                $crate::scalar::Scalar::value(*self) >= $crate::scalar::Scalar::value(*other)
            }
        }
        impl<$($generics)*> PartialEq<f64> for $ty {
            #[inline(always)]
            fn eq(&self, other: &f64) -> bool {
                $crate::scalar::Scalar::value(*self) == *other
            }
        }
        impl<$($generics)*> PartialOrd<f64> for $ty {
            #[inline(always)]
            fn partial_cmp(&self, other: &f64) -> Option<std::cmp::Ordering> {
                $crate::scalar::Scalar::value(*self).partial_cmp(other)
            }
            #[inline(always)]
            fn lt(&self, other: &f64) -> bool {
                $crate::scalar::Scalar::value(*self) < *other
            }
            #[inline(always)]
            fn le(&self, other: &f64) -> bool {
                $crate::scalar::Scalar::value(*self) <= *other
            }
            #[inline(always)]
            fn gt(&self, other: &f64) -> bool {
                $crate::scalar::Scalar::value(*self) > *other
            }
            #[inline(always)]
            fn ge(&self, other: &f64) -> bool {
                $crate::scalar::Scalar::value(*self) >= *other
            }
        }
        impl<$($generics)*> std::fmt::Display for $ty {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(&$crate::scalar::Scalar::value(*self), f)
            }
        }
        impl<$($generics)*> std::fmt::LowerExp for $ty {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::LowerExp::fmt(&$crate::scalar::Scalar::value(*self), f)
            }
        }
    };
}

/// The constants of [`Scalar`](super::Scalar), by the constructor of a value that depends on nothing.
macro_rules! constants {
    ($plain:path) => {
        const INFINITY: Self = $plain(f64::INFINITY);
        const NEG_INFINITY: Self = $plain(f64::NEG_INFINITY);
        const NAN: Self = $plain(f64::NAN);
        const EPSILON: Self = $plain(f64::EPSILON);
        const MAX: Self = $plain(f64::MAX);
        const MIN: Self = $plain(f64::MIN);
        const MIN_POSITIVE: Self = $plain(f64::MIN_POSITIVE);
    };
}

/// The methods of [`Scalar`](super::Scalar) that ask for the value alone.
macro_rules! predicates_by_value {
    ($($name:ident),+) => {
        $(#[inline(always)]
        fn $name(self) -> bool {
            self.value.$name()
        })+
    };
    () => {
        $crate::scalar::operators::predicates_by_value! {
            is_nan, is_finite, is_infinite, is_normal, is_subnormal, is_sign_positive, is_sign_negative
        }

        #[inline(always)]
        fn total_cmp(&self, other: &Self) -> std::cmp::Ordering {
            self.value.total_cmp(&other.value)
        }
    };
}

pub(crate) use {by_value, constants, conversions, operator, operators, predicates_by_value, sums};
