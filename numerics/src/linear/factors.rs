//! Triangular factors in the form that solving needs: small indices, no unit diagonal, reciprocals in place of divisions.

use super::flushed;
use rsparse::data::{Nmrc, Sprs, Symb};

/// `P M Q = L U`
#[derive(Clone, Debug, Default)]
pub(super) struct Factors {
    /// Where each row goes.
    rows: Vec<u32>,
    /// Where each column comes from.
    columns: Vec<u32>,
    lower: Triangle,
    upper: Triangle,
    /// Reciprocals of the diagonal of `U`.
    pivots: Vec<f64>,
    permuted: Vec<f64>,
}

/// The columns of a triangle without its diagonal.
#[derive(Clone, Debug, Default)]
struct Triangle {
    /// Where each column ends.
    ends: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl Triangle {
    /// `diagonal` is the place of the diagonal among the entries of a column, first or last.
    fn assign(&mut self, from: &Sprs<f64>, diagonal: impl Fn(usize, usize) -> usize) {
        self.ends.clear();
        self.rows.clear();
        self.values.clear();
        for column in from.p.windows(2) {
            let (start, end) = (column[0] as usize, column[1] as usize);
            let skipped = diagonal(start, end);
            for k in (start..end).filter(|&k| k != skipped) {
                self.rows.push(from.i[k] as u32);
                self.values.push(from.x[k]);
            }
            self.ends.push(self.rows.len() as u32);
        }
    }

    /// Subtracts a column `start..end` times `factor`.
    #[inline]
    fn eliminate(&self, start: usize, end: usize, factor: f64, x: &mut [f64]) {
        for (&row, value) in self.rows[start..end].iter().zip(&self.values[start..end]) {
            x[row as usize] -= value * factor;
        }
    }
}

impl Factors {
    /// Takes over what was factorized.
    pub fn assign(&mut self, factors: &Nmrc<f64>, ordering: &Symb) {
        let indices = |of: &Option<Vec<isize>>, to: &mut Vec<u32>| {
            to.clear();
            to.extend(of.iter().flatten().map(|&index| index as u32));
        };
        indices(&factors.pinv, &mut self.rows);
        indices(&ordering.q, &mut self.columns);
        self.lower.assign(&factors.l, |start, _| start);
        self.upper.assign(&factors.u, |_, end| end - 1);
        let ends = &factors.u.p[1..];
        self.pivots.clear();
        self.pivots
            .extend(ends.iter().map(|&end| 1.0 / factors.u.x[end as usize - 1]));
        self.permuted.resize(self.rows.len(), 0.0);
    }

    /// Solves `M x = b` in place.
    pub fn solve(&mut self, b: &mut [f64]) {
        let mut x = std::mem::take(&mut self.permuted);
        for (&row, b) in self.rows.iter().zip(&*b) {
            x[row as usize] = *b;
        }
        self.substitute(&mut x);
        match self.columns.is_empty() {
            true => b.copy_from_slice(&x),
            false => {
                for (&column, x) in self.columns.iter().zip(&x) {
                    b[column as usize] = *x;
                }
            }
        }
        self.permuted = x;
    }

    /// Solves `L U x = b` in place.
    fn substitute(&self, x: &mut [f64]) {
        let mut start = 0;
        for (j, &end) in self.lower.ends.iter().enumerate() {
            x[j] = flushed(x[j]);
            self.lower.eliminate(start, end as usize, x[j], x);
            start = end as usize;
        }
        let mut end = self.upper.rows.len();
        for (j, pivot) in self.pivots.iter().enumerate().rev() {
            let start = match j {
                0 => 0,
                _ => self.upper.ends[j - 1] as usize,
            };
            x[j] = flushed(x[j] * pivot);
            self.upper.eliminate(start, end, x[j], x);
            end = start;
        }
    }
}
