//! A linearization as text.

use std::fmt::{self, Write};

use super::{Linearization, Matrix};

/// How a matrix is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// All entries up to a dozen columns, and more only where there is something.
    #[default]
    Auto,
    /// All entries.
    Dense,
    /// The entries of the pattern.
    Sparse,
}

impl Style {
    fn is_dense(self, matrix: &Matrix) -> bool {
        match self {
            Self::Auto => matrix.columns() <= 12,
            Self::Dense => true,
            Self::Sparse => false,
        }
    }
}

/// All four matrices for a person: names beside rows and above columns.
pub fn write_text(linear: &Linearization, style: Style) -> String {
    let mut out = String::new();
    let matrices = [
        ("A", &linear.a, &linear.derivatives, &linear.states),
        ("B", &linear.b, &linear.derivatives, &linear.inputs),
        ("C", &linear.c, &linear.outputs, &linear.states),
        ("D", &linear.d, &linear.outputs, &linear.inputs),
    ];
    for (name, matrix, rows, columns) in matrices {
        let result = write_matrix(&mut out, name, matrix, (rows, columns), style.is_dense(matrix));
        result.expect("a string takes everything");
    }
    out
}

fn write_matrix(
    out: &mut String,
    name: &str,
    matrix: &Matrix,
    (rows, columns): (&[String], &[String]),
    dense: bool,
) -> fmt::Result {
    let size = format!("{} x {}", matrix.rows(), matrix.columns());
    if matrix.rows() == 0 || matrix.columns() == 0 {
        return writeln!(out, "{name} ({size})\n");
    }
    let width = |names: &[String]| names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let left = width(rows);
    if !dense {
        writeln!(out, "{name} ({size}, {} entries)", matrix.entries())?;
        let middle = width(columns);
        for (row, column, value) in matrix.iter() {
            writeln!(
                out,
                "  {:left$}  {:middle$}  {}",
                rows[row],
                columns[column],
                number(value)
            )?;
        }
        return writeln!(out);
    }
    writeln!(out, "{name} ({size})")?;
    let table = matrix.dense();
    let texts: Vec<Vec<String>> = table
        .iter()
        .map(|row| row.iter().map(|value| number(*value)).collect())
        .collect();
    let widths: Vec<usize> = (0..matrix.columns())
        .map(|column| {
            let longest = texts.iter().map(|row| row[column].len()).max().unwrap_or(0);
            longest.max(columns[column].chars().count())
        })
        .collect();
    write!(out, "  {:left$}", "")?;
    for (name, width) in columns.iter().zip(&widths) {
        write!(out, "  {name:>width$}")?;
    }
    writeln!(out)?;
    for (name, row) in rows.iter().zip(&texts) {
        write!(out, "  {name:left$}")?;
        for (text, width) in row.iter().zip(&widths) {
            write!(out, "  {text:>width$}")?;
        }
        writeln!(out)?;
    }
    writeln!(out)
}

fn number(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e7).contains(&size) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

/// A matrix in the exchange format of the same name: coordinates, or all entries column by column.
pub fn matrix_market(matrix: &Matrix, style: Style) -> String {
    let mut out = String::new();
    let mut write = || -> fmt::Result {
        if style == Style::Dense {
            writeln!(out, "%%MatrixMarket matrix array real general")?;
            writeln!(out, "{} {}", matrix.rows(), matrix.columns())?;
            for column in 0..matrix.columns() {
                for row in 0..matrix.rows() {
                    writeln!(out, "{:e}", matrix.get(row, column))?;
                }
            }
            return Ok(());
        }
        writeln!(out, "%%MatrixMarket matrix coordinate real general")?;
        writeln!(out, "{} {} {}", matrix.rows(), matrix.columns(), matrix.entries())?;
        for (row, column, value) in matrix.iter() {
            writeln!(out, "{} {} {value:e}", row + 1, column + 1)?;
        }
        Ok(())
    };
    write().expect("a string takes everything");
    out
}
