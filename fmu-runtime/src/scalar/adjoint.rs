//! Reverse mode: numbers that record how they were computed, for the derivatives of one result by all its arguments.
//!
//! Each operation appends its partial derivatives to a [`Tape`]; going back over the tape sums them up. The partial
//! derivatives are those of dual numbers, so both modes take the same side at a kink.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::mem::ManuallyDrop;

use super::operators::{by_value, constants, operators, predicates_by_value};
use super::{Dual, Scalar};

/// The node of a number that depends on nothing.
const NONE: u32 = u32::MAX;

/// Most operations that a tape records: 96 MB.
const MOST: usize = 4 << 20;

/// A number in reverse mode: its value, and the operation on the tape that computed it.
///
/// ```
/// use fmu_runtime::scalar::{Adjoint, Scalar, Tape};
///
/// let mut tape = Box::<Tape>::default();
/// let (x, y, z) = tape.record(|| {
///     let (x, y) = (Adjoint::variable(3.0), Adjoint::variable(4.0));
///     (x, y, x.hypot(y) * x)
/// });
/// assert_eq!(z.value(), 15.0);
/// tape.go_back([(z, 1.0)]);
/// assert_eq!((tape.derivative(x), tape.derivative(y)), (5.0 + 3.0 * 0.6, 3.0 * 0.8));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Adjoint {
    value: f64,
    node: u32,
}

/// One operation: its arguments, and the partial derivatives by them.
#[derive(Clone, Copy, Debug)]
struct Operation {
    arguments: [u32; 2],
    partials: [f64; 2],
}

/// The operations of an evaluation in their order. Its memory is kept for the next evaluation.
#[derive(Debug, Default)]
pub struct Tape {
    operations: Vec<Operation>,
    derivatives: Vec<f64>,
    is_full: bool,
}

thread_local! {
    /// The tape that records now. Without a destructor: a library can be unloaded while the thread lives.
    static RECORDING: Cell<Option<ManuallyDrop<Box<Tape>>>> = const { Cell::new(None) };
}

/// Gives the tape back to its owner, and the recording to the evaluation around it, also after a panic.
struct Recording<'a> {
    owner: &'a mut Box<Tape>,
    outer: Option<ManuallyDrop<Box<Tape>>>,
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        if let Some(tape) = RECORDING.replace(self.outer.take()) {
            *self.owner = ManuallyDrop::into_inner(tape);
        }
    }
}

impl Tape {
    /// Runs an evaluation on an empty tape. Evaluations may be nested, each with its own tape.
    pub fn record<T>(self: &mut Box<Tape>, evaluation: impl FnOnce() -> T) -> T {
        let mut tape = std::mem::take(self);
        tape.operations.clear();
        tape.is_full = false;
        let recording = Recording {
            owner: self,
            outer: RECORDING.replace(Some(ManuallyDrop::new(tape))),
        };
        let result = evaluation();
        drop(recording);
        result
    }

    /// Whether the evaluation had more operations than a tape records: then there are no derivatives.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Sums up the derivatives of a weighted sum of results.
    pub fn go_back(&mut self, results: impl IntoIterator<Item = (Adjoint, f64)>) {
        self.derivatives.clear();
        self.derivatives.resize(self.operations.len(), 0.0);
        for (result, weight) in results {
            if let Some(derivative) = self.derivatives.get_mut(result.node as usize) {
                *derivative += weight;
            }
        }
        for index in (0..self.operations.len()).rev() {
            let derivative = self.derivatives[index];
            if derivative == 0.0 {
                continue;
            }
            let Operation { arguments, partials } = self.operations[index];
            for (argument, partial) in arguments.into_iter().zip(partials) {
                if let Some(place) = self.derivatives.get_mut(argument as usize) {
                    *place += partial * derivative;
                }
            }
        }
    }

    /// The derivative by a number of the evaluation, after [`Tape::go_back`].
    pub fn derivative(&self, by: Adjoint) -> f64 {
        self.derivatives.get(by.node as usize).copied().unwrap_or(0.0)
    }

    /// Whether two nodes were computed by the same operations from the same variables.
    fn is_same(&self, one: u32, other: u32) -> bool {
        let mut open = vec![(one, other)];
        let mut compared = BTreeSet::new();
        while let Some((one, other)) = open.pop() {
            if one == other || !compared.insert((one, other)) {
                continue;
            }
            let operation = |node: u32| self.operations.get(node as usize);
            let (Some(a), Some(b)) = (operation(one), operation(other)) else {
                return false;
            };
            // Two variables are not the same, even if they have the same value.
            let is_variable = a.arguments == [NONE; 2] || b.arguments == [NONE; 2];
            if is_variable || a.partials.map(f64::to_bits) != b.partials.map(f64::to_bits) {
                return false;
            }
            open.extend(a.arguments.into_iter().zip(b.arguments));
        }
        true
    }

    #[inline]
    fn push(&mut self, operation: Operation) -> u32 {
        if self.operations.len() >= MOST {
            self.is_full = true;
            return NONE;
        }
        self.operations.push(operation);
        (self.operations.len() - 1) as u32
    }
}

/// Appends an operation to the tape that records, if there is one.
#[inline]
fn record(arguments: [u32; 2], partials: [f64; 2]) -> u32 {
    let Some(mut tape) = RECORDING.take() else {
        return NONE;
    };
    let node = tape.push(Operation { arguments, partials });
    RECORDING.set(Some(tape));
    node
}

impl Adjoint {
    /// A number that depends on nothing.
    #[inline(always)]
    const fn plain(value: f64) -> Adjoint {
        Adjoint { value, node: NONE }
    }

    /// A number to differentiate by; a plain number where no tape records.
    pub fn variable(value: f64) -> Adjoint {
        Adjoint {
            value,
            node: record([NONE; 2], [0.0; 2]),
        }
    }

    /// Whether it depends on nothing.
    #[inline(always)]
    fn is_plain(self) -> bool {
        self.node == NONE
    }

    #[inline(always)]
    fn one(self, function: impl Fn(Dual<1>) -> Dual<1>) -> Adjoint {
        if self.is_plain() {
            return Adjoint::plain(function(Dual::plain(self.value)).value);
        }
        let Dual { value, lanes } = function(Dual::variable(self.value, 0));
        Adjoint {
            value,
            node: record([self.node, NONE], [lanes[0], 0.0]),
        }
    }

    #[inline(always)]
    fn two(self, other: Adjoint, function: impl Fn(Dual<2>, Dual<2>) -> Dual<2>) -> Adjoint {
        let Dual { value, lanes } = function(Dual::variable(self.value, 0), Dual::variable(other.value, 1));
        if self.is_plain() && other.is_plain() {
            return Adjoint::plain(value);
        }
        Adjoint {
            value,
            node: record([self.node, other.node], lanes),
        }
    }

    /// A function of several arguments by its value and its partial derivatives.
    fn many(value: f64, arguments: impl IntoIterator<Item = (Adjoint, f64)>) -> Adjoint {
        let mut node = NONE;
        for (argument, partial) in arguments {
            if !argument.is_plain() {
                node = record([node, argument.node], [1.0, partial]);
            }
        }
        Adjoint { value, node }
    }

    fn three(self, a: Adjoint, b: Adjoint, function: impl Fn([Dual<3>; 3]) -> Dual<3>) -> Adjoint {
        let arguments = [self, a, b];
        let Dual { value, lanes } = function(std::array::from_fn(|lane| {
            Dual::variable(arguments[lane].value, lane)
        }));
        Adjoint::many(value, arguments.into_iter().zip(lanes))
    }

    #[inline(always)]
    fn plus(self, rhs: Self) -> Self {
        self.two(rhs, |a, b| a + b)
    }

    #[inline(always)]
    fn minus(self, rhs: Self) -> Self {
        self.two(rhs, |a, b| a - b)
    }

    #[inline(always)]
    fn times(self, rhs: Self) -> Self {
        self.two(rhs, |a, b| a * b)
    }

    #[inline(always)]
    fn over(self, rhs: Self) -> Self {
        self.two(rhs, |a, b| a / b)
    }

    #[inline(always)]
    fn modulo(self, rhs: Self) -> Self {
        self.two(rhs, |a, b| a % b)
    }

    #[inline(always)]
    fn plus_plain(self, rhs: f64) -> Self {
        // The derivative is that of `self`: nothing to record.
        Adjoint {
            value: self.value + rhs,
            node: self.node,
        }
    }

    #[inline(always)]
    fn minus_plain(self, rhs: f64) -> Self {
        Adjoint {
            value: self.value - rhs,
            node: self.node,
        }
    }

    #[inline(always)]
    fn times_plain(self, rhs: f64) -> Self {
        self.one(|a| a * rhs)
    }

    #[inline(always)]
    fn over_plain(self, rhs: f64) -> Self {
        self.one(|a| a / rhs)
    }

    #[inline(always)]
    fn modulo_plain(self, rhs: f64) -> Self {
        self.one(|a| a % rhs)
    }

    #[inline(always)]
    fn negated(self) -> Self {
        self.one(|a| -a)
    }
}

operators! { impl [] Adjoint }
by_value! { impl [] Adjoint }

macro_rules! functions_of_one {
    ($($name:ident),+ $(,)?) => {
        $(#[inline]
        fn $name(self) -> Self {
            self.one(Scalar::$name)
        })+
    };
}

macro_rules! functions_of_two {
    ($($name:ident),+ $(,)?) => {
        $(#[inline]
        fn $name(self, other: Self) -> Self {
            self.two(other, Scalar::$name)
        })+
    };
}

impl Scalar for Adjoint {
    constants!(Adjoint::plain);

    #[inline(always)]
    fn constant(value: f64) -> Self {
        Adjoint::plain(value)
    }

    #[inline(always)]
    fn value(self) -> f64 {
        self.value
    }

    /// A number that is computed again has another node, but is the same.
    fn same(self, other: Self) -> bool {
        if self.value.to_bits() != other.value.to_bits() {
            return false;
        }
        let Some(tape) = RECORDING.take() else {
            return self.node == other.node;
        };
        let is_same = tape.is_same(self.node, other.node);
        RECORDING.set(Some(tape));
        is_same
    }

    fn through<const K: usize>(
        arguments: [Self; K],
        value: &dyn Fn([f64; K]) -> f64,
        gradient: &dyn Fn([f64; K]) -> [f64; K],
    ) -> Self {
        let x = arguments.map(|argument| argument.value);
        if arguments.iter().all(|argument| argument.is_plain()) {
            return Adjoint::plain(value(x));
        }
        Adjoint::many(value(x), arguments.into_iter().zip(gradient(x)))
    }

    #[inline(always)]
    fn literal_minus(self, literal: f64) -> Self {
        self.one(|a| a.literal_minus(literal))
    }

    #[inline(always)]
    fn literal_over(self, literal: f64) -> Self {
        self.one(|a| a.literal_over(literal))
    }

    #[inline]
    fn powi(self, n: i32) -> Self {
        self.one(|a| a.powi(n))
    }

    #[inline]
    fn sin_cos(self) -> (Self, Self) {
        (self.sin(), self.cos())
    }

    #[inline]
    fn clamp(self, min: Self, max: Self) -> Self {
        self.three(min, max, |[x, min, max]| x.clamp(min, max))
    }

    #[inline]
    fn mul_add(self, a: Self, b: Self) -> Self {
        self.three(a, b, |[x, a, b]| x.mul_add(a, b))
    }

    functions_of_one! {
        sqrt, cbrt, exp, exp2, exp_m1, ln, ln_1p, log10, log2, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh,
        acosh, atanh, abs, signum, recip, floor, ceil, round, round_ties_even, trunc, fract, to_radians, to_degrees,
    }

    functions_of_two! { powf, log, atan2, hypot, copysign, min, max, rem_euclid, div_euclid, midpoint }

    predicates_by_value! {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function that uses what there is, over any scalar.
    fn all<S: Scalar>(x: S, y: S, z: S) -> S {
        let a = x.sin() * y.exp() / (z + 2.0) - S::constant(3.0) * x.powi(3) + y.powf(z);
        let b = x
            .hypot(y)
            .max(z)
            .min(x + y)
            .clamp(S::constant(-10.0), S::constant(10.0));
        let (s, c) = z.sin_cos();
        let c = s.mul_add(c, x.atan2(y)) + x.abs().sqrt().tanh() + (x % y) + y.recip().ln_1p();
        let d = S::through([x, y, z], &|[x, y, z]| x * y * z, &|[x, y, z]| {
            [y * z, x * z, x * y]
        });
        (a * b + c * d).cbrt() + 2.0 - x + [x, y, z].into_iter().sum::<S>()
    }

    #[test]
    fn it_agrees_with_forward_mode() {
        let mut tape = Box::<Tape>::default();
        let mut state = 1_u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            0.1 + 2.0 * ((state >> 11) as f64 / (1_u64 << 53) as f64)
        };
        for _ in 0..10_000 {
            let at = [random(), random(), random()];
            let (variables, result) = tape.record(|| {
                let [x, y, z] = at.map(Adjoint::variable);
                ([x, y, z], all(x, y, z))
            });
            tape.go_back([(result, 1.0)]);
            let forward = all(
                Dual::<3>::variable(at[0], 0),
                Dual::variable(at[1], 1),
                Dual::variable(at[2], 2),
            );
            assert_eq!(result.value.to_bits(), forward.value.to_bits());
            for (variable, wanted) in variables.into_iter().zip(forward.lanes) {
                let found = tape.derivative(variable);
                // Relative to the terms that may cancel.
                let scale = 1e3 * (1.0 + wanted.abs());
                assert!(
                    (found - wanted).abs() <= 1e-12 * scale,
                    "{at:?}: {found} {wanted}"
                );
            }
        }
    }

    #[test]
    fn both_modes_take_the_same_side_of_a_kink() {
        let kinks: [fn(Adjoint, Adjoint) -> Adjoint; 4] = [
            |x, y| x.max(y),
            |x, y| x.min(y),
            |x, y| (x - y).abs(),
            |x, y| (x - y).hypot(y - x),
        ];
        let duals: [fn(Dual<2>, Dual<2>) -> Dual<2>; 4] = [
            |x, y| x.max(y),
            |x, y| x.min(y),
            |x, y| (x - y).abs(),
            |x, y| (x - y).hypot(y - x),
        ];
        let mut tape = Box::<Tape>::default();
        for (kink, dual) in kinks.into_iter().zip(duals) {
            let (x, y, result) = tape.record(|| {
                let (x, y) = (Adjoint::variable(1.0), Adjoint::variable(1.0));
                (x, y, kink(x, y))
            });
            tape.go_back([(result, 1.0)]);
            let wanted = dual(Dual::variable(1.0, 0), Dual::variable(1.0, 1)).lanes;
            assert_eq!([tape.derivative(x), tape.derivative(y)], wanted);
        }
    }

    #[test]
    fn evaluations_are_nested_and_survive_panics() {
        let mut outer = Box::<Tape>::default();
        let (x, y) = outer.record(|| {
            let x = Adjoint::variable(2.0);
            let mut inner = Box::<Tape>::default();
            let (u, v) = inner.record(|| {
                let u = Adjoint::variable(5.0);
                (u, u * u)
            });
            inner.go_back([(v, 1.0)]);
            assert_eq!(inner.derivative(u), 10.0);
            let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                inner.record(|| {
                    let _ = Adjoint::variable(1.0) * 3.0;
                    panic!("in the middle");
                })
            }));
            assert!(panicked.is_err());
            (x, x * x * x)
        });
        outer.go_back([(y, 2.0)]);
        assert_eq!(outer.derivative(x), 24.0);
        assert!(Adjoint::variable(1.0).is_plain(), "no tape records here");
    }

    /// Connections between parts are evaluated until they do not change any more.
    #[test]
    fn what_is_computed_again_is_the_same() {
        let mut tape = Box::<Tape>::default();
        tape.record(|| {
            let (x, y) = (Adjoint::variable(3.0), Adjoint::variable(3.0));
            let value = |x: Adjoint| x.sin() * x + 2.0;
            assert!(value(x).same(value(x)) && x.same(x));
            assert!(!value(x).same(value(y)) && !x.same(y), "another variable");
            assert!(!value(x).same(Adjoint::plain(value(x).value)), "a constant");
            assert!(!(x * 1.0).same(x * 1.0 * y / y), "another way to the same value");
        });
    }
}
