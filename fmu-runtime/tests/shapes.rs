//! The shapes of plain Rust that equations may take: each is compiled by `#[equations]`, run over `f64` and over a dual
//! number, and held to its closed form and that form's derivative.

// Shapes as authors write them.
#![allow(
    clippy::needless_range_loop,
    clippy::let_and_return,
    clippy::unnecessary_literal_unwrap,
    clippy::useless_vec
)]

use fmu_runtime::model::Model as _;
use fmu_runtime::prelude::*;
use fmu_runtime::scalar::Dual;
use std::collections::BTreeMap;

mod physics {
    pub const GRAVITY: f64 = 9.81;
    pub const OFFSETS: [f64; 3] = [0.25, 0.5, 1.0];
}

use physics::OFFSETS;

const K: f64 = 2.5;
const ROW: [f64; 3] = [1.0, 2.0, 3.0];
const MATRIX: [[f64; 2]; 2] = [[1.0, 2.0], [3.0, 4.0]];
const POINTS: &[(f64, f64)] = &[(0.0, 1.0), (2.0, 5.0)];
const COUNT: usize = 3;
static SCALE: f64 = 4.0;

struct Gas {
    r: f64,
    name: &'static str,
}
const AIR: Gas = Gas {
    r: 287.0,
    name: "air",
};

#[derive(Enumeration, Clone, Copy, Debug, PartialEq)]
enum Mode {
    Low,
    High,
}

#[differentiable]
fn square(x: f64) -> f64 {
    x * x
}

#[differentiable]
fn power(x: f64, n: u32) -> f64 {
    if n == 0 { 1.0 } else { x * power(x, n - 1) }
}

#[differentiable]
fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[differentiable]
fn apply<F: Fn(f64) -> f64>(f: F, x: f64) -> f64 {
    f(x) + 1.0
}

#[differentiable]
fn smooth(x: f64) -> impl Fn(f64) -> f64 {
    move |y| x * y + 0.5
}

/// No `f64` in it: generic as it is.
#[differentiable]
fn larger<T: PartialOrd + Copy>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

fn plain(x: f64) -> f64 {
    x / 2.0
}

fn fail(message: &str) -> ! {
    panic!("{message}")
}

/// One of each kind of field
#[model]
struct Shapes<const N: usize = 3> {
    /// The variable of all closed forms
    #[state(start = 1.0)]
    x: f64,
    #[parameter(start = [1.0, 2.0, 4.0])]
    weights: [f64; 3],
    #[parameter(start = [[1.0, 2.0], [3.0, 4.0]])]
    grid: [[f64; 2]; 2],
    #[parameter(start = 2)]
    n: i32,
    #[parameter(start = true)]
    on: bool,
    #[parameter(start = Mode::High)]
    mode: Mode,
    #[internal(default = 3.0)]
    scale: f64,
    #[internal(default = vec![1.0, 3.0])]
    table: Vec<f64>,
    #[internal(default = BTreeMap::from([(2, 0.5)]))]
    map: BTreeMap<i32, f64>,
    #[parameter(start = 0.0)]
    chain: [f64; N],
}

#[equations]
impl<const N: usize> Model for Shapes<N> {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: self.x }
    }
}

/// Checks value and slope at several points: `$slope` is the derivative of `$value` by `$x`.
macro_rules! shapes {
    ($($(#[$attribute:meta])* fn $name:ident(&$self:ident) $body:block = |$x:ident| $value:expr, $slope:expr;)*) => {
        #[equations]
        impl<const N: usize> Shapes<N> {
            $($(#[$attribute])* fn $name(&$self) -> f64 $body)*
        }

        $(#[test]
        fn $name() {
            for $x in [0.3, 1.0, 1.7, 2.9f64] {
                let model = Shapes::<3> { x: $x, ..Shapes::default() };
                let value = model.$name();
                let mut lifted = model.lifted::<Dual<1>>();
                lifted.x = Dual::variable($x, 0);
                let dual = lifted.$name();
                let (expected, slope): (f64, f64) = ($value, $slope);
                assert!((value - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{value} is not {expected}");
                assert_eq!(dual.value, value);
                let error = (dual.lanes[0] - slope).abs();
                assert!(error <= 1e-12 * slope.abs().max(1.0), "slope {} is not {slope}", dual.lanes[0]);
            }
        })*
    };
}

shapes! {
    fn literals_stand_on_either_side(&self) {
        2.0 * self.x + self.x * 3.0 - 1.0 / self.x + (self.x - -0.5) % 10.0 + 1e0_f64
    } = |x| 5.0 * x - 1.0 / x + (x + 0.5) % 10.0 + 1.0, 6.0 + 1.0 / (x * x);

    fn literals_beside_literals(&self) {
        1.0 / 4.0 * self.x + 2.0 * 3.0 - -(1.0)
    } = |x| 0.25 * x + 7.0, 0.25;

    fn assignment_operators(&self) {
        let mut y = self.x;
        y += 1.0;
        y *= y;
        y -= self.x;
        y /= 2.0;
        y += K;
        y -= ROW[0];
        y %= 1e6;
        y
    } = |x| ((x + 1.0) * (x + 1.0) - x) / 2.0 + 1.5, (2.0 * (x + 1.0) - 1.0) / 2.0;

    fn comparisons(&self) {
        if self.x > 1.5 && 0.0 < self.x && self.x != K || K <= self.x {
            self.x * self.x
        } else if self.x >= 1.0 {
            2.0 * self.x
        } else {
            self.x
        }
    } = |x| if x > 1.5 { x * x } else if x >= 1.0 { 2.0 * x } else { x },
        if x > 1.5 { 2.0 * x } else if x >= 1.0 { 2.0 } else { 1.0 };

    fn constants_on_either_side(&self) {
        K * self.x + self.x * K + K - K / self.x + physics::GRAVITY * self.x - SCALE + -K
    } = |x| 5.0 * x - 2.5 / x + 9.81 * x - 4.0, 5.0 + 2.5 / (x * x) + 9.81;

    fn constants_as_values_of_branches(&self) {
        let k = if self.on { K } else { self.x };
        let r = match self.n {
            0 => ROW[0],
            1 => self.x,
            _ => physics::GRAVITY,
        };
        k * self.x + r
    } = |x| 2.5 * x + 9.81, 2.5;

    fn elements_of_constant_arrays(&self) {
        let mut sum = 0.0;
        for i in 0..COUNT {
            sum += ROW[i] * self.x - OFFSETS[COUNT - 1 - i];
        }
        sum + MATRIX[1][0] * self.x + POINTS[1].1 * self.x
    } = |x| 6.0 * x - 1.75 + 8.0 * x, 14.0;

    fn rows_of_constant_arrays(&self) {
        let row = MATRIX[1];
        let borrowed = &MATRIX[0];
        let slice: &[f64] = &ROW;
        let mut sum = row[0] * self.x + borrowed[1] + slice[2];
        for (x, y) in POINTS {
            sum += x * self.x + y;
        }
        for weight in ROW {
            sum += weight * self.x;
        }
        sum + ROW.iter().map(|w| w * self.x).sum::<f64>()
    } = |x| 3.0 * x + 5.0 + 2.0 * x + 6.0 + 12.0 * x, 17.0;

    fn fields_of_constants(&self) {
        AIR.r * self.x + AIR.name.len() as f64
    } = |x| 287.0 * x + 3.0, 287.0;

    fn constants_inside_the_body(&self) {
        const LOCAL: f64 = 1.5;
        const PAIR: [f64; 2] = [1.0, LOCAL];
        use std::f64::consts::PI;
        LOCAL * self.x + PAIR[1] + PI * self.x
    } = |x| 1.5 * x + 1.5 + std::f64::consts::PI * x, 1.5 + std::f64::consts::PI;

    fn constants_of_f64(&self) {
        let largest = [self.x, 2.0 * self.x].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        largest * std::f64::consts::TAU + f64::EPSILON.min(0.0) + f64::from(self.n) + f64::MAX.recip() * 0.0
    } = |x| 2.0 * std::f64::consts::TAU * x + 2.0, 2.0 * std::f64::consts::TAU;

    fn methods_of_f64(&self) {
        let x = self.x / 4.0;
        let (s, c) = x.sin_cos();
        s * s + c * c
            + x.powi(3) + x.powf(1.5) + x.sqrt() + x.cbrt() + x.exp() + x.exp_m1() + x.ln() + x.ln_1p()
            + x.log10() + x.log2() + x.tan() + x.asin() + x.acos() + x.atan() + x.atan2(2.0)
            + x.sinh() + x.cosh() + x.tanh() + x.asinh() + (x + 1.0).acosh() + x.atanh() + x.hypot(1.0)
            + x.abs() + x.signum() + x.min(9.0) + x.max(0.0) + x.clamp(0.0, 1.0) + x.mul_add(2.0, 1.0)
            + x.recip() + x.rem_euclid(5.0) + x.floor() + x.ceil() + x.round() + x.trunc()
            + x.to_radians() + x.to_degrees()
    } = |y| {
        let x = y / 4.0;
        1.0 + x.powi(3) + x.powf(1.5) + x.sqrt() + x.cbrt() + x.exp() + x.exp_m1() + x.ln() + x.ln_1p()
            + x.log10() + x.log2() + x.tan() + x.asin() + x.acos() + x.atan() + x.atan2(2.0)
            + x.sinh() + x.cosh() + x.tanh() + x.asinh() + (x + 1.0).acosh() + x.atanh() + x.hypot(1.0)
            + x + 1.0 + x + x + x + 2.0 * x + 1.0
            + x.recip() + x + 0.0 + 1.0 + x.round() + 0.0
            + x.to_radians() + x.to_degrees()
    }, {
        let x = y / 4.0;
        let slope = 3.0 * x * x + 1.5 * x.sqrt() + 0.5 / x.sqrt() + 1.0 / (3.0 * x.cbrt() * x.cbrt())
            + 2.0 * x.exp() + 1.0 / x + 1.0 / (1.0 + x) + 1.0 / (x * std::f64::consts::LN_10)
            + 1.0 / (x * std::f64::consts::LN_2) + 1.0 / (x.cos() * x.cos())
            + 1.0 / (1.0 + x * x) + 2.0 / (4.0 + x * x)
            + x.cosh() + x.sinh() + 1.0 / (x.cosh() * x.cosh()) + 1.0 / (x * x + 1.0).sqrt()
            + 1.0 / ((x + 1.0) * (x + 1.0) - 1.0).sqrt() + 1.0 / (1.0 - x * x) + x / x.hypot(1.0)
            + 1.0 + 1.0 + 1.0 + 1.0 + 2.0 - 1.0 / (x * x) + 1.0
            + 1f64.to_radians() + 1f64.to_degrees();
        slope / 4.0
    };

    fn literals_have_methods(&self) {
        2f64.powf(self.x) + 4.0_f64.sqrt() * self.x + 1.0f64.max(0.5) + (-1.0f64).abs()
    } = |x| 2f64.powf(x) + 2.0 * x + 2.0, 2f64.powf(x) * std::f64::consts::LN_2 + 2.0;

    fn casts_from_integers(&self) {
        let length: usize = self.table.len();
        (self.n + 1) as f64 * self.x + N as f64 + length as f64 * self.x + (COUNT as f64).sqrt() + f64::from(7u8)
            + (1 << 3) as f64
    } = |x| 5.0 * x + 3.0 + 3f64.sqrt() + 15.0, 5.0;

    fn casts_between_integers(&self) {
        let i = self.n as usize - 1;
        let j = (COUNT as i32 - self.n) as usize;
        let k = self.mode as usize + self.on as usize - 2;
        ROW[i] * self.x + self.weights[j] * self.x + ROW[k]
    } = |x| 4.0 * x + 1.0, 4.0;

    fn sums_products_and_folds(&self) {
        let sum: f64 = self.weights.iter().sum();
        let scaled = self.weights.iter().map(|w| w * self.x).sum::<f64>();
        let product: f64 = self.weights.iter().map(|w| w + self.x).product();
        let folded = self.weights.iter().fold(0.0, |a, w| a + w * self.x);
        let counted = (0..3).map(|i| i as f64 * self.x).sum::<f64>();
        sum + scaled + product + folded + counted
    } = |x| 7.0 + 17.0 * x + (1.0 + x) * (2.0 + x) * (4.0 + x),
        17.0 + (2.0 + x) * (4.0 + x) + (1.0 + x) * (4.0 + x) + (1.0 + x) * (2.0 + x);

    fn iterators(&self) {
        let doubled: Vec<f64> = self.weights.iter().rev().enumerate().map(|(i, w)| w * i as f64).collect();
        let pairs: f64 = self.weights.windows(2).map(|w| w[1] - w[0]).sum();
        let largest = self.weights.iter().copied().max_by(|a, b| a.total_cmp(b)).unwrap_or(0.0);
        let positive = self.weights.iter().filter(|w| **w > 1.5).count();
        let zipped: f64 = self.weights.iter().zip(&ROW).map(|(a, b)| a * *b).sum();
        (doubled[1] + pairs + largest + zipped) * self.x + positive as f64
    } = |x| (2.0 + 3.0 + 4.0 + 17.0) * x + 2.0, 26.0;

    fn typed_variables(&self) {
        let x: f64 = self.x;
        let y: f64 = K;
        let z: f64 = self.scale;
        let mut row: [f64; 2] = [x, 1.0];
        let list: Vec<f64> = vec![x, y, 0.5];
        let pair: (f64, usize) = (2.0 * x, 1);
        let maybe: Option<f64> = Some(x);
        row[1] += z;
        row[0] * row[1] + list[1] + list[pair.1] + pair.0 + maybe.unwrap_or(0.0)
    } = |x| 4.0 * x + 5.0 + 3.0 * x, 7.0;

    fn vectors_of_numbers(&self) {
        let mut v: Vec<f64> = Vec::new();
        v.push(1.0);
        v.push(self.x);
        v.extend([K, self.x]);
        let mut zeros = vec![0.0; N];
        zeros[0] = self.x;
        v.sort_by(|a, b| a.total_cmp(b));
        v.iter().sum::<f64>() + zeros.iter().sum::<f64>() + vec![1.0, self.x][1]
    } = |x| 3.5 + 4.0 * x, 4.0;

    fn arrays_of_arrays(&self) {
        let mut m = [[0.0; 2]; 2];
        for i in 0..2 {
            for j in 0..2 {
                m[i][j] = self.grid[i][j] * self.x;
            }
        }
        let doubled = m.map(|row| row.map(|value| value * 2.0));
        let tuple = (m[0], 1.0);
        doubled[1][1] + tuple.0[1] * tuple.1 + MATRIX[1][1]
    } = |x| 8.0 * x + 2.0 * x + 4.0, 10.0;

    fn closures(&self) {
        let scale = 3.0;
        let f = |x: f64| x * scale + 1.0;
        let g = |x| f(x) * self.x;
        let mut count = 0.0;
        let mut add = |x: f64| count += x;
        add(self.x);
        add(0.5);
        let boxed: Box<dyn Fn(f64) -> f64> = Box::new(move |x| x - 1.0);
        g(2.0) + count + boxed(self.x)
    } = |x| 7.0 * x + x + 0.5 + x - 1.0, 9.0;

    fn early_returns(&self) {
        if self.x > 2.0 {
            return 3.0 * self.x;
        }
        let Some(first) = self.weights.first() else {
            return 0.0;
        };
        if self.mode == Mode::Low {
            return K;
        }
        first * self.x
    } = |x| if x > 2.0 { 3.0 * x } else { x }, if x > 2.0 { 3.0 } else { 1.0 };

    fn loops(&self) {
        let mut x = 1.0;
        // Newton's method for a square root.
        while (x * x - self.x).abs() > 1e-15 * self.x {
            let next = 0.5 * (x + self.x / x);
            if next == x {
                break;
            }
            x = next;
        }
        let found = loop {
            if x > 0.0 {
                break x;
            }
        };
        let mut sum = 0.0;
        'rows: for (i, row) in self.grid.iter().enumerate() {
            for value in row {
                if i == 1 {
                    break 'rows;
                }
                sum += value * self.x;
            }
        }
        // One step more, since the last one is not followed by the derivative.
        0.5 * (found + self.x / found) + sum
    } = |x| x.sqrt() + 3.0 * x, 0.5 / x.sqrt() + 3.0;

    fn matches_with_guards(&self) {
        match (self.mode, self.n) {
            (Mode::High, _) if self.x > 1.5 => self.x * self.x,
            (Mode::High, n @ 0..=5) => self.x * n as f64,
            (Mode::Low, _) | (Mode::High, _) => 0.0,
        }
    } = |x| if x > 1.5 { x * x } else { 2.0 * x }, if x > 1.5 { 2.0 * x } else { 2.0 };

    fn if_let_chains(&self) {
        if let Some(w) = self.weights.get(1)
            && self.x > 1.5
            && let [a, ..] = self.weights
        {
            w * self.x + a
        } else {
            self.x
        }
    } = |x| if x > 1.5 { 2.0 * x + 1.0 } else { x }, if x > 1.5 { 2.0 } else { 1.0 };

    fn macros(&self) {
        assert!(self.x > 0.0, "{} is not above {:.1}", self.x, 0.0);
        assert_eq!(self.n, 2);
        debug_assert!(self.x < 1e3);
        let text = format!("{:.2} {x:e} {}", self.x, 1.5, x = self.x);
        let high = matches!(self.mode, Mode::High if self.x > 0.1) && !matches!(self.n, 0 | 1);
        let row = vec![0.5, self.x];
        if high && text.ends_with("1.5") { row[0] * row[1] } else { unreachable!("never") }
    } = |x| 0.5 * x, 0.5;

    fn functions_inside(&self) {
        fn cube(x: f64) -> f64 {
            let two = 2.0;
            x.powi(2) * x * two / 2.0
        }
        fn index(i: usize) -> usize {
            (i as f64 * 1.0) as usize
        }
        cube(self.x) + ROW[index(1)]
    } = |x| x * x * x + 2.0, 3.0 * x * x;

    fn differentiable_functions(&self) {
        square(self.x) + power(self.x, 3) + apply(|x| x * K, self.x) + smooth(self.x)(2.0) + square(1.5)
            + dot(&self.weights, &[self.x, 0.0, 1.0]) + larger(self.x, 0.0) + apply(square, self.x)
    } = |x| 2.0 * x * x + x.powi(3) + 2.5 * x + 2.0 * x + 0.5 + 2.25 + x + 4.0 + x + 2.0,
        4.0 * x + 3.0 * x * x + 6.5;

    fn plain_data_beside(&self) {
        let offset = plain(self.scale);
        let entry = self.map.get(&self.n).copied().unwrap_or(0.0);
        let last = self.table[self.table.len() - 1];
        let halves: f64 = self.table.iter().map(|x| x / 2.0).sum();
        let steps = (COUNT + 2 * N) / 2 - self.n as usize;
        let size = self.table[1] as usize;
        self.scale * self.x + offset + self.x * entry + last * self.x + self.x * halves + (steps * size) as f64
    } = |x| 3.0 * x + 1.5 + 0.5 * x + 3.0 * x + 2.0 * x + 6.0, 8.5;

    fn functions_that_never_return(&self) {
        let label = match self.mode {
            Mode::High => "high",
            Mode::Low => fail("low"),
        };
        if label.len() == 4 { self.x } else { fail(label) }
    } = |x| x, 1.0;

    fn opaque_code(&self) {
        opaque_with(|[x, k]| plain(x) * 4.0 * k, |[x, k]| [2.0 * k, 2.0 * x], [self.x, 1.5])
    } = |x| 3.0 * x, 3.0;

    fn references(&self) {
        let x = &self.x;
        let y = *x * 2.0 + x * x;
        let list = [x, &y];
        let mut z = y;
        let r = &mut z;
        *r += 1.0;
        list.iter().map(|v| **v).sum::<f64>() + z - -x
    } = |x| 2.0 * x + 2.0 * (2.0 * x + x * x) + 1.0, 6.0 + 4.0 * x;

    fn swaps_and_slices(&self) {
        let mut a = [self.x, 1.0, 2.0];
        a.swap(0, 2);
        let (mut p, mut q) = (a[0], a[2]);
        std::mem::swap(&mut p, &mut q);
        let tail = &a[1..];
        let filled: [f64; 3] = std::array::from_fn(|i| i as f64 * self.x);
        p * 2.0 + tail[1] + q + filled[2] + self.chain.len() as f64
    } = |x| 2.0 * x + x + 2.0 + 2.0 * x + 3.0, 5.0;

    fn shadowing(&self) {
        let x = 2;
        let x = x as f64 * self.x;
        let x = { let x = x + 1.0; x * x };
        x
    } = |x| (2.0 * x + 1.0).powi(2), 4.0 * (2.0 * x + 1.0);

    #[allow(non_snake_case)]
    fn capital_letters_in_patterns(&self) {
        let A = [[self.x, 1.0], [0.0, 2.0]];
        let [R, _] = A;
        R[0] * A[1][1]
    } = |x| 2.0 * x, 2.0;

    fn text_and_truth(&self) {
        let label = if self.x > 1.5 { "large" } else { "small" };
        let sign = if label.len() == 5 && !self.on { -1.0 } else { 1.0 };
        sign * self.x
    } = |x| x, 1.0;
}

/// A failing function and `?`, in and out of a `Result`.
#[equations]
impl<const N: usize> Shapes<N> {
    fn checked(&self, limit: f64) -> Result<f64, ModelError> {
        if self.x > limit {
            return Err(ModelError::new(format!("{} is above {limit}", self.x)));
        }
        Ok(2.0 * self.x)
    }

    fn twice_checked(&self) -> Result<f64, ModelError> {
        let first = self.checked(2.0)?;
        Ok(first + self.checked(K)?)
    }
}

#[test]
fn results_and_question_marks() {
    let model = Shapes::<3>::default();
    assert_eq!(model.twice_checked().unwrap(), 4.0);
    let mut lifted = model.lifted::<Dual<1>>();
    lifted.x = Dual::variable(1.5, 0);
    assert_eq!(lifted.twice_checked().unwrap().lanes, [4.0]);
    lifted.x = Dual::variable(2.5, 0);
    assert_eq!(lifted.twice_checked().unwrap_err().to_string(), "2.5 is above 2");
}
