//! A table with one argument.

use std::path::Path;
use std::sync::Arc;

use super::csv::{self, TableError};
use super::{Extrapolation, Interpolation, fingerprint, interval, slopes};
use crate::scalar::{Scalar, Symbol};
use crate::stored::{Damaged, Reader, Stored, Writer};

/// A function of one argument, given by points.
///
/// Copies share their points. The default is a table that is 0 everywhere.
///
/// ```
/// use fmu_runtime::table::{Extrapolation, Table1D};
/// use fmu_runtime::scalar::Dual;
///
/// let pump = Table1D::new([0.0, 1.0, 3.0], [10.0, 8.0, 0.0])?.extrapolate(Extrapolation::Linear);
/// assert_eq!(pump.at(2.0), 4.0);
/// assert_eq!(pump.at(4.0), -4.0);
/// let flow = Dual::<1>::variable(2.0, 0);
/// assert_eq!(pump.at(flow).lanes, [-4.0]);
/// # Ok::<(), fmu_runtime::table::TableError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Table1D {
    points: Arc<Points>,
    interpolation: Interpolation,
    extrapolation: Extrapolation,
    symbol: u64,
}

#[derive(Debug)]
struct Points {
    x: Vec<f64>,
    y: Vec<f64>,
    slopes: Vec<f64>,
}

impl Default for Table1D {
    fn default() -> Self {
        Table1D::from_points(vec![0.0], vec![0.0])
    }
}

impl Table1D {
    /// A table from points with strictly increasing arguments; linear between them, and held beyond.
    pub fn new(x: impl Into<Vec<f64>>, y: impl Into<Vec<f64>>) -> Result<Self, TableError> {
        let (x, y) = (x.into(), y.into());
        if x.len() != y.len() {
            return Err(TableError::Lengths {
                arguments: x.len(),
                values: y.len(),
            });
        }
        csv::check_grid("the argument", &x)?;
        csv::check_values(&y)?;
        Ok(Table1D::from_points(x, y))
    }

    /// A table from the first two columns of a CSV file: argument, value.
    ///
    /// Numbers are separated by commas, semicolons or tabs; empty lines, lines that begin with `#` and one line of headings
    /// are skipped.
    pub fn from_csv(path: impl AsRef<Path>) -> Result<Self, TableError> {
        let rows = csv::read(path.as_ref())?;
        csv::located(path.as_ref(), || {
            let column = |index: usize| -> Result<Vec<f64>, TableError> {
                rows.iter()
                    .map(|row| {
                        row.numbers.get(index).copied().ok_or(TableError::Columns {
                            line: row.line,
                            expected: 2,
                        })
                    })
                    .collect()
            };
            Table1D::new(column(0)?, column(1)?)
        })
    }

    fn from_points(x: Vec<f64>, y: Vec<f64>) -> Self {
        let slopes = slopes(&x, &y);
        let points = Arc::new(Points { x, y, slopes });
        let mut table = Table1D {
            points,
            interpolation: Interpolation::default(),
            extrapolation: Extrapolation::default(),
            symbol: 0,
        };
        table.name();
        table
    }

    /// The same points, read another way in between.
    pub fn interpolate(mut self, interpolation: Interpolation) -> Self {
        self.interpolation = interpolation;
        self.name();
        self
    }

    /// The same points with cubic interpolation.
    pub fn cubic(self) -> Self {
        self.interpolate(Interpolation::Cubic)
    }

    /// The same points, read another way beyond them.
    pub fn extrapolate(mut self, extrapolation: Extrapolation) -> Self {
        self.extrapolation = extrapolation;
        self.name();
        self
    }

    fn name(&mut self) {
        self.symbol = fingerprint(
            &[&self.points.x, &self.points.y],
            (self.interpolation, self.extrapolation),
        );
    }

    pub(crate) fn write_to(&self, out: &mut Writer<'_>) {
        super::write_options(self.interpolation, self.extrapolation, out);
        self.points.x.store(out);
        self.points.y.store(out);
    }

    pub(crate) fn read_from(from: &mut Reader<'_>) -> Result<Self, Damaged> {
        let (interpolation, extrapolation) = super::read_options(from)?;
        let table = Table1D::new(Vec::load(from)?, Vec::load(from)?);
        let table = table.map_err(|_| Damaged("a table is not one"))?;
        Ok(table.interpolate(interpolation).extrapolate(extrapolation))
    }

    /// The value at `x`.
    pub fn at<S: Scalar>(&self, x: S) -> S {
        if let Some(symbol) = S::symbol(Symbol::Named(self.symbol), &[x]) {
            return symbol;
        }
        let Points { x: grid, y, slopes } = &*self.points;
        let last = grid.len() - 1;
        let at = x.value();
        let cubic = self.interpolation == Interpolation::Cubic;
        if last == 0 {
            return S::constant(y[0]);
        }
        if at < grid[0] || at > grid[last] {
            let end = if at < grid[0] { 0 } else { last };
            if self.extrapolation == Extrapolation::Hold {
                return S::constant(y[end]);
            }
            let i = end.min(last - 1);
            let slope = if cubic {
                slopes[end]
            } else {
                (y[i + 1] - y[i]) / (grid[i + 1] - grid[i])
            };
            return (x - grid[end]) * slope + y[end];
        }
        let i = interval(grid, at);
        let width = grid[i + 1] - grid[i];
        let secant = (y[i + 1] - y[i]) / width;
        let d = x - grid[i];
        if !cubic {
            // From the nearer end, so that the points themselves are exact.
            let near_right = 2.0 * at > grid[i] + grid[i + 1];
            return if near_right {
                (x - grid[i + 1]) * secant + y[i + 1]
            } else {
                d * secant + y[i]
            };
        }
        let c2 = (3.0 * secant - 2.0 * slopes[i] - slopes[i + 1]) / width;
        let c3 = (slopes[i] + slopes[i + 1] - 2.0 * secant) / (width * width);
        ((d * c3 + c2) * d + slopes[i]) * d + y[i]
    }
}
