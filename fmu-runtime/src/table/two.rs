//! A table with two arguments.

use std::path::Path;
use std::sync::Arc;

use super::csv::{self, TableError};
use super::{Extrapolation, Interpolation, fingerprint, interval, slopes};
use crate::scalar::{Scalar, Symbol};
use crate::stored::{Damaged, Reader, Stored, Writer};

/// A function of two arguments, given by values on a rectangular grid.
///
/// Linear interpolation is bilinear; cubic interpolation is bicubic with a continuous gradient, and along each grid line that
/// of [`Table1D`](super::Table1D). Beyond the grid, each argument is held or continued on its own.
///
/// ```
/// use fmu_runtime::table::Table2D;
///
/// // Torque by speed and throttle.
/// let engine = Table2D::new([0.0, 100.0], [0.0, 0.5, 1.0], [[0.0, 40.0, 90.0], [0.0, 60.0, 110.0]])?;
/// assert_eq!(engine.at(50.0, 0.75), 75.0);
/// # Ok::<(), fmu_runtime::table::TableError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Table2D {
    grid: Arc<Grid>,
    interpolation: Interpolation,
    extrapolation: Extrapolation,
    symbol: u64,
}

#[derive(Debug)]
struct Grid {
    x: Vec<f64>,
    y: Vec<f64>,
    /// One per grid point, `x` slowest: the value, and its derivatives by x, by y, by both.
    nodes: Vec<[f64; 4]>,
}

impl Default for Table2D {
    fn default() -> Self {
        Table2D::from_values(vec![0.0], vec![0.0], vec![0.0])
    }
}

impl Table2D {
    /// A table from strictly increasing grids and one row of values for each `x`.
    pub fn new<R: AsRef<[f64]>>(
        x: impl Into<Vec<f64>>,
        y: impl Into<Vec<f64>>,
        rows: impl AsRef<[R]>,
    ) -> Result<Self, TableError> {
        let (x, y) = (x.into(), y.into());
        let rows = rows.as_ref();
        csv::check_grid("the first argument", &x)?;
        csv::check_grid("the second argument", &y)?;
        if rows.len() != x.len() {
            return Err(TableError::Lengths {
                arguments: x.len(),
                values: rows.len(),
            });
        }
        let mut values = Vec::with_capacity(x.len() * y.len());
        for row in rows {
            let row = row.as_ref();
            if row.len() != y.len() {
                return Err(TableError::Lengths {
                    arguments: y.len(),
                    values: row.len(),
                });
            }
            values.extend_from_slice(row);
        }
        csv::check_values(&values)?;
        Ok(Table2D::from_values(x, y, values))
    }

    /// A table from a CSV file: the first line has the second argument's grid after one cell that is not read, each
    /// further line the first argument and the values.
    ///
    /// Separators and comments are those of [`Table1D::from_csv`](super::Table1D::from_csv).
    pub fn from_csv(path: impl AsRef<Path>) -> Result<Self, TableError> {
        let (y, rows) = csv::read_grid(path.as_ref())?;
        csv::located(path.as_ref(), || {
            for row in &rows {
                if row.numbers.len() != y.len() + 1 {
                    return Err(TableError::Columns {
                        line: row.line,
                        expected: y.len() + 1,
                    });
                }
            }
            let x: Vec<f64> = rows.iter().map(|row| row.numbers[0]).collect();
            let values: Vec<&[f64]> = rows.iter().map(|row| &row.numbers[1..]).collect();
            Table2D::new(x, y, values)
        })
    }

    fn from_values(x: Vec<f64>, y: Vec<f64>, values: Vec<f64>) -> Self {
        let (n, m) = (x.len(), y.len());
        let column = |of: &dyn Fn(usize) -> f64| slopes(&x, &(0..n).map(of).collect::<Vec<_>>());
        let by_x: Vec<Vec<f64>> = (0..m).map(|j| column(&|i| values[i * m + j])).collect();
        let by_y: Vec<Vec<f64>> = (0..n).map(|i| slopes(&y, &values[i * m..(i + 1) * m])).collect();
        // The twist from either side; the mean of both does not prefer an argument.
        let twist_x: Vec<Vec<f64>> = (0..m).map(|j| column(&|i| by_y[i][j])).collect();
        let twist_y: Vec<Vec<f64>> = (0..n)
            .map(|i| slopes(&y, &(0..m).map(|j| by_x[j][i]).collect::<Vec<_>>()))
            .collect();
        let mut nodes = Vec::with_capacity(n * m);
        for i in 0..n {
            for j in 0..m {
                let twist = 0.5 * (twist_x[j][i] + twist_y[i][j]);
                nodes.push([values[i * m + j], by_x[j][i], by_y[i][j], twist]);
            }
        }
        let mut table = Table2D {
            grid: Arc::new(Grid { x, y, nodes }),
            interpolation: Interpolation::default(),
            extrapolation: Extrapolation::default(),
            symbol: 0,
        };
        table.name();
        table
    }

    /// The same values, read another way in between.
    pub fn interpolate(mut self, interpolation: Interpolation) -> Self {
        self.interpolation = interpolation;
        self.name();
        self
    }

    /// The same values with cubic interpolation.
    pub fn cubic(self) -> Self {
        self.interpolate(Interpolation::Cubic)
    }

    /// The same values, read another way beyond the grid.
    pub fn extrapolate(mut self, extrapolation: Extrapolation) -> Self {
        self.extrapolation = extrapolation;
        self.name();
        self
    }

    fn name(&mut self) {
        let Grid { x, y, nodes } = &*self.grid;
        self.symbol = fingerprint(
            &[x, y, nodes.as_flattened()],
            (self.interpolation, self.extrapolation),
        );
    }

    pub(crate) fn write_to(&self, out: &mut Writer<'_>) {
        super::write_options(self.interpolation, self.extrapolation, out);
        let Grid { x, y, nodes } = &*self.grid;
        x.store(out);
        y.store(out);
        for [value, ..] in nodes {
            value.store(out);
        }
    }

    pub(crate) fn read_from(from: &mut Reader<'_>) -> Result<Self, Damaged> {
        let (interpolation, extrapolation) = super::read_options(from)?;
        let (x, y) = (<Vec<f64>>::load(from)?, <Vec<f64>>::load(from)?);
        let row = |_| (0..y.len()).map(|_| f64::load(from)).collect();
        let rows = (0..x.len()).map(row).collect::<Result<Vec<Vec<f64>>, _>>()?;
        let table = Table2D::new(x, y, rows).map_err(|_| Damaged("a table is not one"))?;
        Ok(table.interpolate(interpolation).extrapolate(extrapolation))
    }

    /// The value at (`x`, `y`).
    pub fn at<S: Scalar>(&self, x: S, y: S) -> S {
        if let Some(symbol) = S::symbol(Symbol::Named(self.symbol), &[x, y]) {
            return symbol;
        }
        let m = self.grid.y.len();
        let (i, along_x) = self.weights(&self.grid.x, x);
        let (j, along_y) = self.weights(&self.grid.y, y);
        let mut sum = S::constant(0.0);
        for (di, [value_x, slope_x]) in along_x.into_iter().enumerate().take(self.grid.x.len()) {
            for (dj, [value_y, slope_y]) in along_y.into_iter().enumerate().take(m) {
                let [value, by_x, by_y, twist] = self.grid.nodes[(i + di) * m + j + dj];
                sum += value_x * value_y * value;
                if self.interpolation == Interpolation::Cubic {
                    sum += slope_x * value_y * by_x + value_x * slope_y * by_y + slope_x * slope_y * twist;
                }
            }
        }
        sum
    }

    /// The interval of an argument, and how values and slopes at its two ends weigh.
    fn weights<S: Scalar>(&self, grid: &[f64], x: S) -> (usize, [[S; 2]; 2]) {
        let (zero, one) = (S::constant(0.0), S::constant(1.0));
        if grid.len() == 1 {
            return (0, [[one, zero], [zero, zero]]);
        }
        let last = grid.len() - 1;
        let at = x.value();
        let i = interval(grid, at);
        let width = grid[i + 1] - grid[i];
        let outside = at < grid[0] || at > grid[last];
        if outside && self.extrapolation == Extrapolation::Hold {
            let ends = if at < grid[0] {
                [[one, zero], [zero, zero]]
            } else {
                [[zero, zero], [one, zero]]
            };
            return (i, ends);
        }
        let t = (x - grid[i]) / width;
        if self.interpolation == Interpolation::Linear {
            return (i, [[one - t, zero], [t, zero]]);
        }
        if outside {
            // The value at the end, and its slope times the distance.
            let left = [[one, x - grid[0]], [zero, zero]];
            let right = [[zero, zero], [one, x - grid[last]]];
            return (i, if at < grid[0] { left } else { right });
        }
        let u = one - t;
        let left = [(t * 2.0 + 1.0) * u * u, t * u * u * width];
        let right = [(u * 2.0 + 1.0) * t * t, -u * t * t * width];
        (i, [left, right])
    }
}
