//! Coloured Jacobians against dense ones.

mod common;

use std::sync::Arc;

use common::{Random, close};
use fmu_runtime::jacobian::{Compressed, Directional};
use fmu_runtime::pattern::{Class, explore};
use fmu_runtime::scalar::{Dual, Scalar, Trace};
use fmu_runtime::{Coloring, Pattern};

/// A function of many variables, and how often it was evaluated.
struct Function<F, const LANES: usize> {
    f: F,
    x: Vec<Dual<LANES>>,
    evaluations: usize,
}

impl<F: Fn(&[Dual<LANES>]) -> Vec<Dual<LANES>>, const LANES: usize> Directional<LANES>
    for Function<F, LANES>
{
    type Error = std::convert::Infallible;

    fn seed(&mut self, color: &[u32], first: u32) {
        for (x, color) in self.x.iter_mut().zip(color) {
            x.lanes = std::array::from_fn(|lane| f64::from(u8::from(first + lane as u32 == *color)));
        }
    }

    fn evaluate(&mut self, unknowns: &mut [Dual<LANES>]) -> Result<(), Self::Error> {
        self.evaluations += 1;
        unknowns.copy_from_slice(&(self.f)(&self.x));
        Ok(())
    }
}

/// Columns of one colour share no row.
fn check(coloring: &Coloring) {
    let pattern = coloring.pattern();
    for row in 0..pattern.rows() {
        let in_row = pattern.iter().filter(|entry| entry.0 == row);
        let mut colors: Vec<u32> = in_row.map(|(_, column)| coloring.color_of()[column]).collect();
        let entries = colors.len();
        colors.sort_unstable();
        colors.dedup();
        assert_eq!(colors.len(), entries, "row {row}");
    }
}

#[test]
fn bands_need_as_many_colours_as_they_are_wide() {
    for width in 1..6usize {
        let rows = (0..200usize).map(|i| i.saturating_sub(width / 2)..(i + width.div_ceil(2)).min(200));
        let coloring = Coloring::new(Pattern::from_rows(200, rows));
        check(&coloring);
        assert_eq!(coloring.colors(), width);
        assert_eq!(coloring.passes(4), width.div_ceil(4));
    }
}

#[test]
fn extremes() {
    let diagonal = Coloring::new(Pattern::from_rows(50, (0..50).map(|i| [i])));
    assert_eq!(diagonal.colors(), 1);
    let dense = Coloring::new(Pattern::from_rows(7, (0..3).map(|_| 0..7)));
    assert_eq!(dense.colors(), 7);
    let empty = Coloring::new(Pattern::from_rows(3, (0..3).map(|_| [])));
    // Nothing to be found takes no evaluation.
    assert_eq!((empty.colors(), empty.passes(4)), (0, 0));
    // An arrow: one full column, one full row.
    let arrow = Coloring::new(Pattern::from_rows(
        20,
        (0..20).map(|i| if i == 0 { (0..20).collect() } else { vec![0, i] }),
    ));
    check(&arrow);
    assert_eq!(arrow.colors(), 20);
    let unsorted = Pattern::from_rows(4, [vec![2, 0, 2, 1]]);
    assert!(unsorted.iter().eq([(0, 0), (0, 1), (0, 2)]));
}

#[test]
fn a_coloured_jacobian_is_the_dense_one() {
    let mut random = Random(61);
    for round in 0..50 {
        let (rows, columns) = (1 + random.below(30), 1 + random.below(30));
        // Random products of pairs of variables.
        let terms: Vec<Vec<(usize, usize)>> = (0..rows)
            .map(|_| {
                (0..random.below(4))
                    .map(|_| (random.below(columns), random.below(columns)))
                    .collect()
            })
            .collect();
        fn evaluate<S: Scalar>(terms: &[Vec<(usize, usize)>], x: &[S]) -> Vec<S> {
            terms
                .iter()
                .map(|row| row.iter().map(|&(i, j)| x[i].sin() * x[j]).sum())
                .collect()
        }
        let found = explore(&vec![Class::State; columns], |x| {
            Some(evaluate::<Trace>(&terms, x))
        });
        let coloring = Coloring::new(Pattern::from_rows(
            columns,
            found
                .unknowns
                .iter()
                .map(|unknown| unknown.on.iter().map(|entry| entry.0)),
        ));
        check(&coloring);
        let x: Vec<f64> = (0..columns).map(|_| random.between(-2.0, 2.0)).collect();
        let passes = coloring.passes(4);
        let coloring = Arc::new(coloring);
        let model = Function {
            f: |x: &[Dual<4>]| evaluate(&terms, x),
            x: vec![Dual::plain(0.0); columns],
            evaluations: 0,
        };
        let mut jacobian = Compressed::new(model, coloring.clone());
        // The second evaluation finds seeds of the first.
        jacobian.evaluate().unwrap();
        for (known, x) in jacobian.model().x.iter_mut().zip(&x) {
            known.value = *x;
        }
        jacobian.evaluate().unwrap();
        assert_eq!(jacobian.model().evaluations, 2 * passes, "round {round}");
        let values: Vec<f64> = jacobian.entries().collect();
        assert_eq!(values.len(), coloring.pattern().entries());
        for column in 0..columns {
            let mut single: Vec<Dual<1>> = x.iter().map(|&x| Dual::plain(x)).collect();
            single[column].lanes[0] = 1.0;
            for (row, exact) in evaluate(&terms, &single).into_iter().enumerate() {
                let entry = coloring.pattern().position(row, column);
                let value = entry.map_or(0.0, |entry| values[entry]);
                assert!(
                    close(value, exact.lanes[0], 1e-15),
                    "round {round}: ({row}, {column})"
                );
            }
        }
    }
}
