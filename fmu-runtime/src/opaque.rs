//! The door for code that cannot be differentiated: someone else's library, a lookup, an iteration.

use std::panic::Location;

use crate::scalar::{Scalar, Symbol};

/// Calls plain `f64` code from equations.
///
/// The result depends on all `arguments`. Its derivatives are central differences of `function`, so about ten
/// digits of a smooth function are right; [`opaque_with`] takes them from the author instead.
///
/// The function must give the same value for the same arguments. What it reads beside its arguments must not depend on the
/// model's variables: a dependency through it would be missed.
///
/// ```
/// use fmu_runtime::opaque;
/// use fmu_runtime::scalar::Dual;
///
/// /// Someone else's code.
/// fn density(temperature: f64, pressure: f64) -> f64 {
///     pressure / (287.0 * temperature)
/// }
///
/// let temperature = Dual::<1>::variable(300.0, 0);
/// let rho = opaque(|[t, p]| density(t, p), [temperature, Dual::plain(1e5)]);
/// assert_eq!(rho.value, 1e5 / (287.0 * 300.0));
/// assert!((rho.lanes[0] / (-rho.value / 300.0) - 1.0).abs() < 1e-9);
/// ```
#[track_caller]
pub fn opaque<S: Scalar, F: Fn([f64; K]) -> f64, const K: usize>(function: F, arguments: [S; K]) -> S {
    let place = Location::caller();
    if let Some(symbol) = S::symbol(name::<F>(place), &arguments) {
        return symbol;
    }
    S::through(arguments, &function, &|x| differences(&function, x))
}

/// Calls plain `f64` code from equations, with its partial derivatives by each argument.
///
/// ```
/// use fmu_runtime::opaque_with;
/// use fmu_runtime::scalar::Dual;
///
/// let x = Dual::<1>::variable(3.0, 0);
/// let y = opaque_with(|[x]| x * x, |[x]| [2.0 * x], [x]);
/// assert_eq!((y.value, y.lanes), (9.0, [6.0]));
/// ```
#[track_caller]
pub fn opaque_with<S: Scalar, F: Fn([f64; K]) -> f64, D: Fn([f64; K]) -> [f64; K], const K: usize>(
    function: F,
    derivatives: D,
    arguments: [S; K],
) -> S {
    let place = Location::caller();
    if let Some(symbol) = S::symbol(name::<F>(place), &arguments) {
        return symbol;
    }
    S::through(arguments, &function, &derivatives)
}

/// What the call is known by in an expression. A closure that captures something may compute something else at
/// each call, and what it captured may have been chosen by any decision before.
fn name<F>(place: &'static Location<'static>) -> Symbol {
    let fields = [
        u64::from(place.line()),
        u64::from(place.column()),
        place.file().as_ptr() as u64,
    ];
    let number = fields
        .into_iter()
        .fold(1, |all: u64, field| (all ^ field).wrapping_mul(0x100_0000_01b3));
    if size_of::<F>() == 0 {
        Symbol::Named(number)
    } else {
        Symbol::Here(number)
    }
}

/// Central differences; on one side where the function has no value on the other.
fn differences<const K: usize>(function: &dyn Fn([f64; K]) -> f64, x: [f64; K]) -> [f64; K] {
    std::array::from_fn(|k| {
        // The cube root of the rounding error balances it with the error of the formula.
        let h = f64::EPSILON.cbrt() * x[k].abs().max(1e-3);
        let at = |shift: f64| {
            let mut moved = x;
            moved[k] += shift;
            (moved[k], function(moved))
        };
        let (right, left) = (at(h), at(-h));
        let usable = |(_, value): &(f64, f64)| value.is_finite();
        match (usable(&left), usable(&right)) {
            (true, true) => (right.1 - left.1) / (right.0 - left.0),
            (false, true) => (right.1 - function(x)) / (right.0 - x[k]),
            (true, false) => (function(x) - left.1) / (x[k] - left.0),
            (false, false) => 0.0,
        }
    })
}
