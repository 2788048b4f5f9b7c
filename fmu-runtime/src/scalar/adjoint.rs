//! Reverse mode: numbers that record how they were computed, for the derivatives of one result by all its arguments.
//!
//! Each operation with several arguments appends its partial derivatives to a [`Tape`]; going back over the tape sums them up.
//! A function of one argument appends nothing: its result is that of the same operation, times a slope. The partial
//! derivatives are those of dual numbers, so both modes take the same side at a kink.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::mem::ManuallyDrop;

use super::operators::{by_value, constants, operators, predicates_by_value};
use super::{Dual, Scalar};

/// The node of a number that depends on nothing.
const NONE: u32 = u32::MAX;

/// Most arguments that a tape records: 96 MB.
const MOST: usize = 6 << 20;

/// So many terms of a sum become one operation.
const TERMS: usize = 8;

/// A number in reverse mode: its value, and the operation on the tape that computed it.
///
/// ```
/// use fmu_runtime::scalar::{Adjoint, Scalar, Tape};
///
/// let mut tape = Tape::default();
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
    /// The derivative by the node.
    slope: f64,
    node: u32,
}

/// An argument of an operation, and the partial derivative by it.
#[derive(Clone, Copy, Debug)]
struct Argument {
    partial: f64,
    node: u32,
}

impl Argument {
    const NONE: Argument = Argument {
        partial: 0.0,
        node: NONE,
    };
}

/// The operations of an evaluation in their order. Its memory is kept for the next evaluation.
#[derive(Debug, Default)]
pub struct Tape(
    /// Not here while it records.
    Option<Box<Operations>>,
);

/// What a tape has recorded.
#[derive(Debug, Default)]
struct Operations {
    /// The arguments of all operations.
    arguments: Vec<Argument>,
    /// Where those of each operation end. A variable is an operation without arguments.
    ends: Vec<u32>,
    /// The first operations are variables.
    variables: usize,
    derivatives: Vec<f64>,
    is_full: bool,
}

thread_local! {
    /// The tape that records now. Without a destructor: a library can be unloaded while the thread lives.
    static RECORDING: Cell<Option<ManuallyDrop<Box<Operations>>>> = const { Cell::new(None) };
}

/// Gives the tape back to its owner, and the recording to the evaluation around it, also after a panic.
struct Recording<'a> {
    owner: &'a mut Tape,
    outer: Option<ManuallyDrop<Box<Operations>>>,
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        if let Some(tape) = RECORDING.replace(self.outer.take()) {
            self.owner.0 = Some(ManuallyDrop::into_inner(tape));
        }
    }
}

impl Tape {
    /// Runs an evaluation on an empty tape. Evaluations may be nested, each with its own tape.
    pub fn record<T>(&mut self, evaluation: impl FnOnce() -> T) -> T {
        self.record_with(0, evaluation)
    }

    /// Runs an evaluation on a tape with so many variables: see [`Adjoint::numbered`].
    pub fn record_with<T>(&mut self, variables: usize, evaluation: impl FnOnce() -> T) -> T {
        let mut tape = self.0.take().unwrap_or_default();
        tape.arguments.clear();
        tape.ends.clear();
        tape.is_full = variables > MOST;
        tape.variables = if tape.is_full { 0 } else { variables };
        tape.ends.resize(tape.variables, 0);
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
        self.0.as_ref().is_some_and(|tape| tape.is_full)
    }

    /// Sums up the derivatives of a weighted sum of results.
    pub fn go_back(&mut self, results: impl IntoIterator<Item = (Adjoint, f64)>) {
        if let Some(tape) = &mut self.0 {
            tape.sum_up(results, |term| term);
        }
    }

    /// Sums up the magnitudes of all terms of these derivatives instead: what the derivatives would be if no terms cancelled. The
    /// roundings of derivatives are relative to it.
    pub fn go_back_by_magnitude(&mut self, results: impl IntoIterator<Item = (Adjoint, f64)>) {
        if let Some(tape) = &mut self.0 {
            tape.sum_up(results, f64::abs);
        }
    }

    /// The derivative by a number of the evaluation that is the result of an operation or a variable, after [`Tape::go_back`].
    pub fn derivative(&self, by: Adjoint) -> f64 {
        let tape = self.0.as_ref();
        let found = tape.and_then(|tape| tape.derivatives.get(by.node as usize));
        found.copied().unwrap_or(0.0)
    }

    /// The derivatives by the variables of [`Tape::record_with`], after [`Tape::go_back`].
    pub fn derivatives(&self) -> &[f64] {
        let tape = self.0.as_ref();
        tape.and_then(|tape| tape.derivatives.get(..tape.variables))
            .unwrap_or(&[])
    }
}

impl Operations {
    #[inline(always)]
    fn sum_up(&mut self, results: impl IntoIterator<Item = (Adjoint, f64)>, of: impl Fn(f64) -> f64) {
        self.derivatives.clear();
        self.derivatives.resize(self.ends.len(), 0.0);
        for (result, weight) in results {
            if let Some(derivative) = self.derivatives.get_mut(result.node as usize) {
                *derivative += of(weight * result.slope);
            }
        }
        let mut end = self.arguments.len();
        for operation in (self.variables..self.ends.len()).rev() {
            let start = match operation.checked_sub(1) {
                Some(before) => self.ends[before] as usize,
                None => 0,
            };
            // Arguments come before their operation.
            let (before, own) = self.derivatives.split_at_mut(operation);
            let derivative = own[0];
            if derivative != 0.0 {
                for &Argument { partial, node } in &self.arguments[start..end] {
                    if let Some(place) = before.get_mut(node as usize) {
                        *place += of(partial * derivative);
                    }
                }
            }
            end = start;
        }
    }

    /// Whether two nodes were computed by the same operations from the same variables.
    fn is_same(&self, one: u32, other: u32) -> bool {
        let mut open = vec![(one, other)];
        let mut compared = BTreeSet::new();
        while let Some((one, other)) = open.pop() {
            if one == other || !compared.insert((one, other)) {
                continue;
            }
            let (Some(a), Some(b)) = (self.operation(one), self.operation(other)) else {
                return false;
            };
            // Two variables are not the same, even if they have the same value.
            if a.is_empty() || a.len() != b.len() {
                return false;
            }
            for (a, b) in a.iter().zip(b) {
                if a.partial.to_bits() != b.partial.to_bits() {
                    return false;
                }
                open.push((a.node, b.node));
            }
        }
        true
    }

    /// The arguments of an operation.
    fn operation(&self, node: u32) -> Option<&[Argument]> {
        let end = *self.ends.get(node as usize)? as usize;
        let start = node
            .checked_sub(1)
            .map_or(0, |before| self.ends[before as usize] as usize);
        self.arguments.get(start..end)
    }

    #[inline(always)]
    fn push(&mut self, arguments: &[Argument]) -> u32 {
        // Variables count, too: they have no arguments.
        if self.arguments.len() + self.ends.len() >= MOST {
            self.is_full = true;
            return NONE;
        }
        self.arguments.extend_from_slice(arguments);
        let node = self.ends.len() as u32;
        self.ends.push(self.arguments.len() as u32);
        node
    }
}

/// Appends an operation to the tape that records, if there is one.
#[inline(always)]
fn record(arguments: &[Argument]) -> u32 {
    let Some(mut tape) = RECORDING.take() else {
        return NONE;
    };
    let node = tape.push(arguments);
    RECORDING.set(Some(tape));
    node
}

impl Adjoint {
    /// A number that depends on nothing.
    #[inline(always)]
    const fn plain(value: f64) -> Adjoint {
        Adjoint {
            value,
            slope: 0.0,
            node: NONE,
        }
    }

    /// The result of an operation.
    #[inline(always)]
    fn at(value: f64, node: u32) -> Adjoint {
        Adjoint {
            value,
            slope: 1.0,
            node,
        }
    }

    /// A number to differentiate by; a plain number where no tape records.
    pub fn variable(value: f64) -> Adjoint {
        Adjoint::at(value, record(&[]))
    }

    /// The variable with a number, of those that [`Tape::record_with`] provides.
    #[inline(always)]
    pub fn numbered(value: f64, number: usize) -> Adjoint {
        Adjoint::at(value, number as u32)
    }

    /// Its number, if it was made by [`Adjoint::numbered`] and nothing was computed since.
    #[inline(always)]
    pub fn variable_number(self) -> Option<usize> {
        (!self.is_plain()).then_some(self.node as usize)
    }

    /// Whether it depends on nothing.
    #[inline(always)]
    fn is_plain(self) -> bool {
        self.node == NONE
    }

    /// As an argument of an operation.
    #[inline(always)]
    fn argument(self, partial: f64) -> Argument {
        Argument {
            partial: partial * self.slope,
            node: self.node,
        }
    }

    #[inline(always)]
    fn one(self, function: impl Fn(Dual<1>) -> Dual<1>) -> Adjoint {
        if self.is_plain() {
            return Adjoint::plain(function(Dual::plain(self.value)).value);
        }
        let Dual { value, lanes } = function(Dual::variable(self.value, 0));
        Adjoint {
            value,
            slope: lanes[0] * self.slope,
            node: self.node,
        }
    }

    #[inline(always)]
    fn two(self, other: Adjoint, function: impl Fn(Dual<2>, Dual<2>) -> Dual<2>) -> Adjoint {
        let Dual { value, lanes } = function(Dual::variable(self.value, 0), Dual::variable(other.value, 1));
        // What depends on one number alone is a function of one argument.
        let (slope, node) = match (self.is_plain(), other.is_plain()) {
            (true, true) => return Adjoint::plain(value),
            (true, false) => (lanes[1] * other.slope, other.node),
            (false, true) => (lanes[0] * self.slope, self.node),
            (false, false) => (1.0, record(&[self.argument(lanes[0]), other.argument(lanes[1])])),
        };
        Adjoint { value, slope, node }
    }

    /// A function of several arguments by its value and its partial derivatives.
    fn many(value: f64, arguments: impl IntoIterator<Item = (Adjoint, f64)>) -> Adjoint {
        let mut sum = Terms::default();
        for (argument, partial) in arguments {
            sum.push(argument, partial);
        }
        sum.result(value)
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
        Adjoint {
            value: self.value + rhs,
            ..self
        }
    }

    #[inline(always)]
    fn minus_plain(self, rhs: f64) -> Self {
        Adjoint {
            value: self.value - rhs,
            ..self
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

/// The arguments of a sum that is under way: a few become one operation.
struct Terms {
    arguments: [Argument; TERMS],
    count: usize,
}

impl Default for Terms {
    #[inline(always)]
    fn default() -> Terms {
        Terms {
            arguments: [Argument::NONE; TERMS],
            count: 0,
        }
    }
}

impl Terms {
    #[inline(always)]
    fn push(&mut self, term: Adjoint, partial: f64) {
        if term.is_plain() {
            return;
        }
        if self.count == TERMS {
            // The sum so far is the first of the next terms.
            self.arguments[0] = Argument {
                partial: 1.0,
                node: record(&self.arguments),
            };
            self.count = 1;
        }
        self.arguments[self.count] = term.argument(partial);
        self.count += 1;
    }

    fn result(self, value: f64) -> Adjoint {
        match self.arguments.get(..self.count) {
            None | Some([]) => Adjoint::plain(value),
            Some(&[Argument { partial, node }]) => Adjoint {
                value,
                slope: partial,
                node,
            },
            Some(arguments) => Adjoint::at(value, record(arguments)),
        }
    }
}

impl std::iter::Sum<Adjoint> for Adjoint {
    #[inline]
    fn sum<I: Iterator<Item = Adjoint>>(mut iter: I) -> Adjoint {
        let Some(first) = iter.next() else {
            return Adjoint::plain(0.0);
        };
        let (mut value, mut is_plain, mut count) = (first.value, first.is_plain(), 1);
        let mut arguments = [Argument::NONE; TERMS];
        arguments[0] = first.argument(1.0);
        loop {
            // What depends on nothing is an argument that leads nowhere: to leave it out would cost more.
            for place in &mut arguments[1..] {
                let Some(term) = iter.next() else {
                    return match (is_plain, &arguments[..count]) {
                        (true, _) => Adjoint::plain(value),
                        (false, &[Argument { partial, node }]) => Adjoint {
                            value,
                            slope: partial,
                            node,
                        },
                        (false, arguments) => Adjoint::at(value, record(arguments)),
                    };
                };
                value += term.value;
                is_plain &= term.is_plain();
                *place = term.argument(1.0);
                count += 1;
            }
            if !is_plain {
                // The sum so far is the first of the next terms.
                arguments[0] = Argument {
                    partial: 1.0,
                    node: record(&arguments),
                };
            }
            count = 1;
        }
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
        if self.value.to_bits() != other.value.to_bits() || self.slope.to_bits() != other.slope.to_bits() {
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
        let mut tape = Tape::default();
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
        let mut tape = Tape::default();
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
        let mut outer = Tape::default();
        let (x, y) = outer.record(|| {
            let x = Adjoint::variable(2.0);
            let mut inner = Tape::default();
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

    /// More terms than one operation takes, sums in sums, and terms that depend on nothing.
    #[test]
    fn sums_have_any_number_of_terms() {
        let mut tape = Tape::default();
        for count in 0..40 {
            let sum = tape.record_with(count, || {
                let terms = (0..count).map(|number| {
                    let x = Adjoint::numbered(number as f64, number);
                    let inner: Adjoint = [x * 2.0, Adjoint::plain(1.0), x * x, x].into_iter().sum();
                    inner * 3.0
                });
                terms.sum::<Adjoint>()
            });
            tape.go_back([(sum, 2.0)]);
            let value: f64 = (0..count)
                .map(|x| 3.0 * (3.0 * x as f64 + 1.0 + (x * x) as f64))
                .sum();
            assert_eq!(sum.value, value);
            let wanted: Vec<f64> = (0..count).map(|x| 6.0 * (3.0 + 2.0 * x as f64)).collect();
            assert_eq!(tape.derivatives(), wanted);
        }
    }

    /// Connections between parts are evaluated until they do not change any more.
    #[test]
    fn what_is_computed_again_is_the_same() {
        let mut tape = Tape::default();
        tape.record(|| {
            let (x, y) = (Adjoint::variable(3.0), Adjoint::variable(3.0));
            let value = |x: Adjoint| x.sin() * x + 2.0;
            assert!(value(x).same(value(x)) && x.same(x));
            assert!(!value(x).same(value(y)) && !x.same(y), "another variable");
            assert!(!value(x).same(Adjoint::plain(value(x).value)), "a constant");
            assert!(!(x * 1.0).same(x * 1.0 * y / y), "another way to the same value");
            assert!((x * 1.0).same(x), "the same slope by the same number");
        });
    }
}
