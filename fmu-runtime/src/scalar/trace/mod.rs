//! The trace scalar: which unknown depends on which known, and how.

mod arena;
mod combine;
mod diagram;
mod explore;
mod factors;
mod functions;
mod give_up;
mod learn;
mod ranges;
mod screen;
mod session;
mod stopped;
#[cfg(test)]
mod tests;
mod tree;

use std::cmp::Ordering;
use std::fmt;

use arena::{Op, Operand, Unary};
pub(crate) use explore::explore;
use ranges::order;
use session::{Property, compares, has, with};

/// An expression: a `Copy` handle into an arena of hash-consed expressions of this thread.
///
/// Arithmetic builds expressions. Comparing two of them is a *decision*, which
/// [`explore`](crate::pattern::explore) takes both ways. Outside of an exploration every decision is
/// answered with no.
#[derive(Clone, Copy)]
pub struct Trace(Operand);

impl Trace {
    /// A constant.
    pub const fn new(value: f64) -> Trace {
        Trace(Operand::constant(value))
    }

    /// The value of a constant; nothing for all else.
    pub const fn as_constant(self) -> Option<f64> {
        self.0.as_constant()
    }

    /// A value below `options` that a discrete variable of another type has: a decision for each of its bits.
    ///
    /// `explore` runs the equations with every value. It is how a Boolean (two options) or an
    /// enumeration takes part in an exploration, since it is not a scalar itself.
    ///
    /// # Panics
    /// Where there is no option.
    #[track_caller]
    pub fn choose(self, options: usize) -> usize {
        assert!(options > 0, "a choice between no options");
        let bits = options.next_power_of_two().trailing_zeros();
        let chosen = (0..bits)
            .map(|bit| usize::from(has(self, Property::Bit(bit), |_| false)) << bit)
            .sum::<usize>();
        chosen.min(options - 1)
    }

    fn binary(self, op: Op, other: Trace) -> Trace {
        with(|session| session.arena.binary(op, self, other))
    }

    fn unary(self, function: Unary) -> Trace {
        with(|session| session.arena.unary(function, self))
    }

    fn plus(self, rhs: Self) -> Self {
        self.binary(Op::Add, rhs)
    }

    fn minus(self, rhs: Self) -> Self {
        self.binary(Op::Sub, rhs)
    }

    fn times(self, rhs: Self) -> Self {
        self.binary(Op::Mul, rhs)
    }

    fn over(self, rhs: Self) -> Self {
        self.binary(Op::Div, rhs)
    }

    fn modulo(self, rhs: Self) -> Self {
        self.binary(Op::Rem, rhs)
    }

    fn plus_plain(self, rhs: f64) -> Self {
        self.plus(Trace::new(rhs))
    }

    fn minus_plain(self, rhs: f64) -> Self {
        self.minus(Trace::new(rhs))
    }

    fn times_plain(self, rhs: f64) -> Self {
        self.times(Trace::new(rhs))
    }

    fn over_plain(self, rhs: f64) -> Self {
        self.over(Trace::new(rhs))
    }

    fn modulo_plain(self, rhs: f64) -> Self {
        self.modulo(Trace::new(rhs))
    }

    fn negated(self) -> Self {
        with(|session| session.arena.neg(self))
    }
}

super::operators::operators! { impl [] Trace }
super::operators::sums! { impl [] Trace }

macro_rules! comparisons {
    ($rhs:ty, |$other:ident| $trace:expr) => {
        impl PartialEq<$rhs> for Trace {
            #[track_caller]
            fn eq(&self, $other: &$rhs) -> bool {
                compares(*self, $trace, order::EQUAL)
            }

            // Not the negation of the default method, which would hide the place of the caller.
            #[track_caller]
            #[allow(clippy::partialeq_ne_impl)]
            fn ne(&self, $other: &$rhs) -> bool {
                !compares(*self, $trace, order::EQUAL)
            }
        }

        impl PartialOrd<$rhs> for Trace {
            #[track_caller]
            fn partial_cmp(&self, $other: &$rhs) -> Option<Ordering> {
                if compares(*self, $trace, order::LESS) {
                    Some(Ordering::Less)
                } else if compares(*self, $trace, order::GREATER) {
                    Some(Ordering::Greater)
                } else if compares(*self, $trace, order::EQUAL) {
                    Some(Ordering::Equal)
                } else {
                    None
                }
            }

            #[track_caller]
            fn lt(&self, $other: &$rhs) -> bool {
                compares(*self, $trace, order::LESS)
            }

            #[track_caller]
            fn le(&self, $other: &$rhs) -> bool {
                compares(*self, $trace, order::LESS | order::EQUAL)
            }

            #[track_caller]
            fn gt(&self, $other: &$rhs) -> bool {
                compares(*self, $trace, order::GREATER)
            }

            #[track_caller]
            fn ge(&self, $other: &$rhs) -> bool {
                compares(*self, $trace, order::GREATER | order::EQUAL)
            }
        }
    };
}

comparisons!(Trace, |other| *other);
comparisons!(f64, |other| Trace::new(*other));

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_constant() {
            Some(value) => fmt::Debug::fmt(&value, f),
            None => write!(f, "expression {}", self.0.node().unwrap_or_default()),
        }
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_constant() {
            Some(value) => fmt::Display::fmt(&value, f),
            None => f.pad("?"),
        }
    }
}

impl fmt::LowerExp for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_constant() {
            Some(value) => fmt::LowerExp::fmt(&value, f),
            None => f.pad("?"),
        }
    }
}
