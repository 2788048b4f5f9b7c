//! Where the first of several functions changes its sign: state events on the interpolant of a step.
//!
//! A function is positive, or it is not: 0 counts as negative, as it does for the event indicators of FMI (2.0.5, 3.1.1).
//! A NaN has no sign. It is not a crossing, neither where it begins nor where it ends; the sign before it stays in
//! force ([`remember`]), so that a crossing behind it is still found. A function that is NaN from the beginning takes the sign
//! of its first number, without a crossing.

/// A stretch of time in which some function changes its sign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// No sign has changed here.
    pub before: f64,
    /// Some sign has changed here.
    pub after: f64,
}

/// A function that is closer to 0 than this counts as exactly 0: exporters report such a value in place of 0.
const ON_ZERO: f64 = 1e-19;

/// The time of the event in a crossing, to a few roundings. Arguments are those of [`locate`]; `z1` contains the values at
/// the event.
///
/// Where a function is exactly 0, the event is one width later, if no sign changes in between. Otherwise an event that changes
/// nothing would see the same crossing again.
///
/// ```
/// use std::convert::Infallible;
/// use fmu_numerics::{Crossing, locate_event};
///
/// // It reaches 0 at 0.5 and stays there until 0.75.
/// let level = |t: f64, z: &mut [f64]| {
///     z[0] = (0.5 - t).max(0.0) + (0.75 - t).min(0.0);
///     Ok::<(), Infallible>(())
/// };
/// let step = Crossing { before: 0.0, after: 1.0 };
/// let (mut z0, mut z1) = ([0.5], [-0.25]);
/// let event = locate_event(step, &mut z0, &mut z1, &mut [0.0], level)?;
/// assert!(event > 0.5 && event < 0.5 + 1e-14);
/// assert_eq!(z1, [0.0]);
/// # Ok::<(), Infallible>(())
/// ```
pub fn locate_event<E>(
    crossing: Crossing,
    z0: &mut [f64],
    z1: &mut [f64],
    z: &mut [f64],
    mut evaluate: impl FnMut(f64, &mut [f64]) -> Result<(), E>,
) -> Result<f64, E> {
    let Crossing { before, after: end } = crossing;
    let width = 4.0 * f64::EPSILON * before.abs().max(end.abs());
    let event = locate(crossing, width, z0, z1, z, &mut evaluate)?.after;
    if event < end && z1.iter().any(|z| z.abs() < ON_ZERO) {
        let beyond = (event + width).min(end);
        evaluate(beyond, z)?;
        if !changed(z1, z) {
            remember(z1, z);
            return Ok(beyond);
        }
    }
    Ok(event)
}

/// Narrows a crossing down to `width`. `z0` and `z1` are the values of the functions at its two ends, and at the end
/// those of the result; `z` is working memory. `evaluate` writes the values at a time to its second argument.
///
/// The method is ITP (Oliveira and Takahashi, 2021): interpolate, truncate towards the middle, project to where
/// bisection would still be in time. It needs at most one evaluation more than bisection, and usually a few.
///
/// ```
/// use std::convert::Infallible;
/// use fmu_numerics::{Crossing, locate};
///
/// let whole = Crossing { before: 0.0, after: 1.0 };
/// let functions = |t: f64, z: &mut [f64]| {
///     z.copy_from_slice(&[t * t - 0.5, 0.9 - t]);
///     Ok::<(), Infallible>(())
/// };
/// let (mut z0, mut z1) = ([-0.5, 0.9], [0.5, -0.1]);
/// let found = locate(whole, 1e-15, &mut z0, &mut z1, &mut [0.0; 2], functions)?;
/// assert!((found.after - 0.5f64.sqrt()).abs() < 2e-15);
/// assert!(z1[0] > 0.0 && z1[1] > 0.0);
/// # Ok::<(), Infallible>(())
/// ```
pub fn locate<E>(
    mut crossing: Crossing,
    width: f64,
    z0: &mut [f64],
    z1: &mut [f64],
    z: &mut [f64],
    mut evaluate: impl FnMut(f64, &mut [f64]) -> Result<(), E>,
) -> Result<Crossing, E> {
    let whole = crossing.after - crossing.before;
    let mut bisection = 0.5 * width * 2f64.powf((whole / width).log2().ceil() + 1.0);
    while crossing.after - crossing.before > width {
        let Crossing { before: a, after: b } = crossing;
        let middle = a + 0.5 * (b - a);
        let secant = a + first_zero(z0, z1) * (b - a);
        let side = (middle - secant).signum();
        let truncated = match 0.2 * (b - a) * (b - a) / whole {
            nudge if nudge <= (middle - secant).abs() => secant + side * nudge,
            _ => middle,
        };
        let radius = bisection - 0.5 * (b - a);
        let t = match (truncated - middle).abs() <= radius {
            true => truncated,
            false => middle - side * radius,
        };
        bisection *= 0.5;
        // An end says nothing new: a little inside of it, the interval can still come to its end.
        let t = t.clamp(a + 0.5 * width, b - 0.5 * width);
        if t <= a || t >= b {
            break;
        }
        evaluate(t, z)?;
        if changed(z0, z) {
            crossing.after = t;
            z1.copy_from_slice(z);
        } else {
            crossing.before = t;
            remember(z0, z);
        }
    }
    Ok(crossing)
}

/// Whether some function has another sign than before.
///
/// ```
/// use fmu_numerics::changed;
///
/// assert!(changed(&[1.0, 2.0], &[1.0, 0.0]));
/// assert!(!changed(&[0.0, -1.0], &[-1.0, 0.0]));
/// assert!(!changed(&[1.0, f64::NAN], &[f64::NAN, 1.0]));
/// ```
pub fn changed(before: &[f64], after: &[f64]) -> bool {
    before.iter().zip(after).any(|(a, b)| crosses(*a, *b))
}

/// Whether a function has another sign than before; NaN has none.
///
/// ```
/// use fmu_numerics::crosses;
///
/// assert!(crosses(1.0, 0.0) && crosses(0.0, 1e-300));
/// assert!(!crosses(0.0, -1.0) && !crosses(1.0, f64::NAN));
/// ```
pub fn crosses(before: f64, after: f64) -> bool {
    (before > 0.0 && after <= 0.0) || (before <= 0.0 && after > 0.0)
}

/// Takes over `values` as those of the last look, except for NaN: its function keeps the value that it had.
///
/// ```
/// use fmu_numerics::{changed, remember};
///
/// let mut known = [3.0];
/// for (value, crosses) in [(1.0, false), (f64::NAN, false), (-1.0, true)] {
///     assert_eq!(changed(&known, &[value]), crosses);
///     remember(&mut known, &[value]);
/// }
/// ```
pub fn remember(known: &mut [f64], values: &[f64]) {
    for (known, value) in known.iter_mut().zip(values) {
        if !value.is_nan() {
            *known = *value;
        }
    }
}

/// The earliest zero of the secants of all functions that change sign, as a part of the interval.
fn first_zero(z0: &[f64], z1: &[f64]) -> f64 {
    let crossing = z0.iter().zip(z1).filter(|(a, b)| crosses(**a, **b));
    crossing.map(|(a, b)| a / (a - b)).fold(1.0, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Narrows the crossing in `[0, 1]`; the result, the values behind it, and the number of evaluations.
    fn narrow<const N: usize>(functions: impl Fn(f64) -> [f64; N]) -> (Crossing, [f64; N], usize) {
        let (mut z0, mut z1, mut evaluations) = (functions(0.0), functions(1.0), 0);
        let whole = Crossing {
            before: 0.0,
            after: 1.0,
        };
        let found = locate(whole, 1e-14, &mut z0, &mut z1, &mut [0.0; N], |t, z| {
            evaluations += 1;
            z.copy_from_slice(&functions(t));
            Ok::<(), ()>(())
        });
        (found.unwrap(), z1, evaluations)
    }

    #[test]
    fn the_first_of_several_crossings_is_found_to_roundings() {
        let (found, z, evaluations) = narrow(|t| [t.powi(3) - 0.5, (t - 0.3) * (2.0 - t), 1.0]);
        assert!((found.after - 0.3).abs() < 2e-14, "{found:?}");
        assert!(found.after > 0.3 - 1e-16 && z[1] > 0.0);
        assert!(evaluations < 30, "{evaluations}");
    }

    #[test]
    fn a_jump_takes_hardly_more_evaluations_than_bisection() {
        let (found, _, evaluations) = narrow(|t| [if t < 1.0 / 3.0 { -1.0 } else { 1e9 }]);
        assert!((found.after - 1.0 / 3.0).abs() < 2e-14, "{found:?}");
        assert!(evaluations <= 48, "{evaluations}");
    }

    /// The event of a step from 0 to 1, and the values there.
    fn event<const N: usize>(functions: impl Fn(f64) -> [f64; N]) -> (f64, [f64; N]) {
        let (mut z0, mut z1) = (functions(0.0), functions(1.0));
        let step = Crossing {
            before: 0.0,
            after: 1.0,
        };
        let found = locate_event(step, &mut z0, &mut z1, &mut [0.0; N], |t, z| {
            z.copy_from_slice(&functions(t));
            Ok::<(), ()>(())
        });
        (found.unwrap(), z1)
    }

    #[test]
    fn an_event_is_behind_a_function_that_is_exactly_0() {
        // The secant meets 0 exactly, and so the narrowest interval may end there.
        for zero in [0.5, 0.25, 0.75, 0.375] {
            let (found, z) = event(|t| [zero - t]);
            assert!(
                found > zero && found < zero + 2e-15,
                "{zero}: {found:e} {:e}",
                found - zero
            );
            assert!(z[0] < 0.0 && z[0] == zero - found, "{zero}: {z:?}");
        }
    }

    #[test]
    fn an_event_on_0_does_not_pass_the_next_crossing_or_the_end() {
        // The second function is positive at the first zero and at no later time.
        let (found, z) = event(|t| [0.5 - t, if t <= 0.5 { 1.0 } else { -1.0 }]);
        assert!((found - 0.5).abs() < 2e-15, "{found}");
        assert_eq!(z, [0.5 - found, if found <= 0.5 { 1.0 } else { -1.0 }]);
        assert_eq!(event(|t| [1.0 - t]), (1.0, [0.0]));
    }

    #[test]
    fn a_gap_of_nan_hides_no_crossing() {
        // Falls through 0 inside of the gap: the crossing is where numbers begin again.
        let gap = |t: f64| {
            [if (0.4..0.6).contains(&t) {
                f64::NAN
            } else {
                0.5 - t
            }]
        };
        let (found, z, _) = narrow(gap);
        assert!((found.after - 0.6).abs() < 2e-14 && z[0] < 0.0, "{found:?}");
        // The gap is before the crossing.
        let early = |t: f64| {
            [if (0.1..0.3).contains(&t) {
                f64::NAN
            } else {
                0.5 - t
            }]
        };
        assert!((narrow(early).0.after - 0.5).abs() < 2e-14);
    }
}
