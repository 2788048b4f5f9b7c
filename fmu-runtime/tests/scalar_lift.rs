//! Constants of a module inside lifted code, as the macros write them.

use fmu_runtime::__private::lift::{
    AsItself as _, ByValue as _, Cast, CastItself as _, CastNumber as _, Lift,
};
use fmu_runtime::scalar::{Dual, Scalar, ScalarRef};

const K: f64 = 2.5;
const ROW: [f64; 3] = [1.0, 2.0, 3.0];
const MATRIX: [[f64; 2]; 2] = [[1.0, 2.0], [3.0, 4.0]];
const POINTS: &[(f64, f64)] = &[(0.0, 1.0), (2.0, 5.0)];
const NESTED: &[&[f64]] = &[&[1.0], &[2.0, 3.0]];
const SIZE: usize = 3;
const FLAG: bool = true;
const NAME: &str = "rod";
static LIVE: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(7);

#[derive(Debug, Clone, PartialEq)]
struct Own {
    k: f64,
}
const OWN: Own = Own { k: 3.0 };

#[derive(Debug, Clone, Copy, PartialEq)]
enum Mode {
    On,
}
const MODE: Mode = Mode::On;
const MODES: [Mode; 2] = [Mode::On; 2];

macro_rules! lift {
    ($path:expr) => {
        *Lift(&$path).lift::<S>()
    };
}

macro_rules! operand {
    ($path:expr) => {
        *Lift(&$path).operand::<S>()
    };
}

struct Rod<S>(S);

impl<S: Scalar> Rod<S> {
    const START: [Option<S>; 1] = [None];
}

fn everything<S: Scalar>(x: S) -> S
where
    for<'a> &'a S: ScalarRef<S>,
{
    let k: S = lift!(K);
    let row: [S; 3] = lift!(ROW);
    let matrix: [[S; 2]; 2] = lift!(MATRIX);
    let element: S = lift!(ROW[2]);
    let points: &'static [(S, S)] = lift!(POINTS);
    let nested: &[&[S]] = lift!(NESTED);
    let size: usize = lift!(SIZE);
    let flag: bool = lift!(FLAG);
    let name: &str = lift!(NAME);
    let own = lift!(OWN).k;
    let mode: Mode = lift!(MODE);
    let modes: [Mode; 2] = lift!(MODES);
    let start = lift!(Rod::<S>::START);
    assert_eq!(
        (size, flag, name, own, mode, modes.len()),
        (3, true, "rod", 3.0, Mode::On, 2)
    );
    assert_eq!(lift!(LIVE).load(std::sync::atomic::Ordering::Relaxed), 7);
    assert!(start[0].is_none());
    let branch = if x > lift!(K) { lift!(K) } else { x };
    let of_rows: S = lift!(ROW).iter().map(|r| r * lift!(K)).sum();
    let pi: S = lift!(std::f64::consts::PI).sin();
    lift!(K) * x
        + k
        + row[0]
        + matrix[1][0]
        + element
        + points[1].1
        + nested[1][1]
        + branch
        + of_rows
        + pi * 0.0
}

#[test]
fn constants_become_scalars_and_all_else_stays_itself() {
    assert_eq!(
        everything(4.0),
        10.0 + 2.5 + 1.0 + 3.0 + 3.0 + 5.0 + 3.0 + 2.5 + 15.0
    );
}

fn operands<S: Scalar>(x: S, i: usize) -> S {
    let y: S = operand!(K) * x + operand!(ROW[i]) - x / operand!(OWN.k);
    let z: S = operand!(K) - operand!(K);
    let n: usize = operand!(SIZE) + i * operand!(SIZE);
    y + z + S::from(n as u32)
}

#[test]
fn constants_beside_an_operator_are_literals() {
    assert_eq!(operands(6.0, 1), 15.0 + 2.0 - 2.0 + 6.0);
    let y = operands(Dual::<1>::variable(6.0, 0), 1);
    assert_eq!((y.value, y.lanes), (21.0, [2.5 - 1.0 / 3.0]));
}

fn casts<S: Scalar>(x: S, count: usize, level: i32) -> S {
    let a: S = Cast(count).cast::<S>();
    let b: S = Cast(level - 1).cast::<S>();
    let c: S = Cast(2 + 3).cast::<S>();
    let d: S = Cast(1 << 3).cast::<S>();
    let e: S = Cast(x * a).cast::<S>();
    let f: S = Cast(x.value()).cast::<S>();
    let g: S = Cast([1, 2].len()).cast::<S>();
    a + b + c + d + e + f + g
}

#[test]
fn casts_of_integers_and_of_scalars_are_scalars() {
    assert_eq!(casts(0.5, 4, -1), 4.0 - 2.0 + 5.0 + 8.0 + 2.0 + 0.5 + 2.0);
}

fn shapes<S: Scalar>(xs: &[S], y: S) -> S
where
    for<'a> &'a S: ScalarRef<S>,
{
    let mut total = S::default();
    for x in xs {
        total += x * y + (-x) / y - y * x % y;
        total += *x;
        total -= x;
        total *= 2.0;
    }
    let largest = xs.iter().copied().fold(S::NEG_INFINITY, S::max);
    let norm = xs.iter().map(|x| x * x).sum::<S>().sqrt();
    let product: S = xs.iter().product();
    let plain: f64 = [1.0, 2.0].iter().map(|x| x * 2.0).sum::<f64>() * 0.5;
    let (s, c) = y.sin_cos();
    let referenced = &y;
    if referenced.abs() >= 1.0 && y != 3.0 {
        total
    } else {
        largest + norm * product * plain + s * s + c * c
    }
}

#[test]
fn operators_work_by_value_and_by_reference() {
    let f = |xs: &[f64], y: f64| -> f64 { shapes(xs, y) };
    let expected = 2.0 + (4.0 + 9.0f64).sqrt() * -6.0 * 3.0 + 1.0;
    assert!((f(&[2.0, -3.0], 0.5) - expected).abs() < 1e-12);
    assert_eq!(f(&[1.0], 2.0), (2.0 - 0.5 - 2.0 % 2.0) * 2.0);
}
