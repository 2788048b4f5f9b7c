//! Tables of values, for every scalar: interpolated exactly where derivatives are asked for, and one operation
//! (never a decision) where dependencies are.

mod csv;
mod one;
mod two;

pub use csv::TableError;
pub use one::Table1D;
pub use two::Table2D;

use crate::stored::{Damaged, Reader, Writer};

/// How a table is read between its points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// Straight lines. At a point the derivative is that of the side towards larger arguments.
    #[default]
    Linear,
    /// Cubic polynomials with a continuous derivative that never overshoot: where the values rise, so does the
    /// curve, and at an extreme value it is level (Fritsch and Butland).
    Cubic,
}

/// How a table is read beyond its points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Extrapolation {
    /// The last value stays.
    #[default]
    Hold,
    /// A straight line with the slope at the last point.
    Linear,
}

fn write_options(interpolation: Interpolation, extrapolation: Extrapolation, out: &mut Writer<'_>) {
    out.bool(interpolation == Interpolation::Cubic);
    out.bool(extrapolation == Extrapolation::Linear);
}

fn read_options(from: &mut Reader<'_>) -> Result<(Interpolation, Extrapolation), Damaged> {
    let interpolation = match from.bool()? {
        true => Interpolation::Cubic,
        false => Interpolation::Linear,
    };
    let extrapolation = match from.bool()? {
        true => Extrapolation::Linear,
        false => Extrapolation::Hold,
    };
    Ok((interpolation, extrapolation))
}

/// The interval of `grid` that `x` is in, by the number of its left end; the outermost ones reach beyond.
fn interval(grid: &[f64], x: f64) -> usize {
    grid.partition_point(|&g| g <= x)
        .saturating_sub(1)
        .min(grid.len().saturating_sub(2))
}

/// Slopes at the points of a curve that keep it monotone where the points are: the weighted harmonic mean of
/// the slopes on either side, 0 where they differ in sign (Fritsch and Butland 1984).
fn slopes(x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = x.len();
    if n < 2 {
        return vec![0.0; n];
    }
    let width = |i: usize| x[i + 1] - x[i];
    let secant = |i: usize| (y[i + 1] - y[i]) / width(i);
    let inner = |i: usize| {
        let (left, right) = (secant(i - 1), secant(i));
        if left * right <= 0.0 {
            return 0.0;
        }
        let (w1, w2) = (2.0 * width(i) + width(i - 1), width(i) + 2.0 * width(i - 1));
        (w1 + w2) / (w1 / left + w2 / right)
    };
    // At the ends a parabola through three points, kept from overshooting.
    let end = |near: usize, far: usize| {
        let (s, t) = (secant(near), secant(far));
        let slope = ((2.0 * width(near) + width(far)) * s - width(near) * t) / (width(near) + width(far));
        if slope * s <= 0.0 {
            0.0
        } else if s * t <= 0.0 && slope.abs() > 3.0 * s.abs() {
            3.0 * s
        } else {
            slope
        }
    };
    match n {
        2 => vec![secant(0); 2],
        _ => {
            let mut all: Vec<f64> = (1..n - 1).map(inner).collect();
            all.insert(0, end(0, 1));
            all.push(end(n - 2, n - 3));
            all
        }
    }
}

/// A number that differs for tables with different contents.
fn fingerprint(parts: &[&[f64]], options: (Interpolation, Extrapolation)) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    options.hash(&mut hasher);
    for part in parts {
        part.len().hash(&mut hasher);
        part.iter().for_each(|value| value.to_bits().hash(&mut hasher));
    }
    hasher.finish()
}
