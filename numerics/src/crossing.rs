//! Where the first of several functions changes its sign: state events on the interpolant of a step.

/// A point at which functions are known to have changed their sign since `before`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// All signs are still the old ones here.
    pub before: f64,
    /// Some sign is a new one here.
    pub after: f64,
}

/// Narrows a crossing down to `width`. `z0` and `z1` are the values of the functions at its two ends, `z` is scratch
/// for those in between; `evaluate` writes the values at a time to `z`.
///
/// The method is ITP (Oliveira and Takahashi, 2021): interpolate, truncate towards the middle, project to where
/// bisection would still be in time. It needs at most one evaluation more than bisection, and usually a few.
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
        let reach = bisection - 0.5 * (b - a);
        let t = match (truncated - middle).abs() <= reach {
            true => truncated,
            false => middle - side * reach,
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
            z0.copy_from_slice(z);
        }
    }
    Ok(crossing)
}

/// Some function has another sign than before. NaN is a sign of its own kind: never a crossing.
pub fn changed(before: &[f64], after: &[f64]) -> bool {
    before.iter().zip(after).any(|(a, b)| crosses(*a, *b))
}

fn crosses(a: f64, b: f64) -> bool {
    (a > 0.0 && b <= 0.0) || (a <= 0.0 && b > 0.0)
}

/// The earliest zero of the secants of all functions that change sign, as a part of the interval.
fn first_zero(z0: &[f64], z1: &[f64]) -> f64 {
    let crossing = z0.iter().zip(z1).filter(|(a, b)| crosses(**a, **b));
    crossing.map(|(a, b)| a / (a - b)).fold(1.0, f64::min)
}
