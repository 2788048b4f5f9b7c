//! The shapes of plain Rust that a model may have, each as source and as what it means.
//!
//! In the source `$0`, `$1`, `$2` stand for expressions. The meaning is plain `f64` code that no macro has seen.

/// The values of a model's variables.
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// States.
    pub a: f64,
    /// State.
    pub b: f64,
    /// States.
    pub v: [f64; 2],
    /// Input.
    pub u: f64,
    /// Input.
    pub w: f64,
    /// Parameter.
    pub p: f64,
    /// Tunable parameter.
    pub q: f64,
    /// Parameters.
    pub g: [[f64; 2]; 2],
    /// Changes at events.
    pub d: f64,
    /// Local variable.
    pub l: f64,
    /// Time.
    pub t: f64,
    /// A switch.
    pub on: bool,
    /// An integer from 0 to 3.
    pub n: i32,
    /// An item from 1 to 3.
    pub mode: i32,
}

/// A shape of source.
pub struct Shape {
    /// What is counted.
    pub name: &'static str,
    /// Number of expressions in it.
    pub arguments: usize,
    /// The source.
    pub source: &'static str,
    /// The value, by the values of the expressions in it.
    pub meaning: fn(&Values, &[f64]) -> f64,
}

/// What every model's source may use.
pub const PRELUDE: &str = r#"
pub const K: f64 = 1.25;
pub const TABLE: [f64; 3] = [0.5, -1.5, 2.0];
pub const GRID: [[f64; 2]; 2] = [[1.0, -2.0], [0.5, 3.0]];
pub const COUNT: usize = 3;

#[derive(Enumeration, Clone, Copy, Debug, PartialEq)]
pub enum Mode { Low, Middle, High }

#[differentiable]
pub fn square(x: f64) -> f64 { x * x }

#[differentiable]
pub fn early(x: f64, y: f64) -> f64 {
    if x > 1.0 { return y * 0.5; }
    if x < -1.0 { return x; }
    x + y
}

#[differentiable]
pub fn dot<const N: usize>(a: &[f64; N], b: [f64; N]) -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() }

#[differentiable]
pub fn larger<T: PartialOrd + Copy>(a: T, b: T) -> T { if a > b { a } else { b } }

#[differentiable]
pub fn twice<F: Fn(f64) -> f64>(f: F, x: f64) -> f64 { f(x) + f(0.5 * x) }

pub fn plain(x: f64) -> f64 { x * 0.5 - 0.25 }
"#;

const TABLE: [f64; 3] = [0.5, -1.5, 2.0];

fn early(x: f64, y: f64) -> f64 {
    if x > 1.0 {
        y * 0.5
    } else if x < -1.0 {
        x
    } else {
        x + y
    }
}

macro_rules! shapes {
    ($($name:literal $arguments:literal $source:literal |$values:pat_param, $x:pat_param| $meaning:expr;)*) => {
        /// All shapes.
        pub const SHAPES: &[Shape] = &[$(Shape {
            name: $name,
            arguments: $arguments,
            source: $source,
            meaning: |$values: &Values, $x: &[f64]| $meaning,
        },)*];
    };
}

shapes! {
    "add" 2 "($0 + $1)" |_, x| x[0] + x[1];
    "sub" 2 "($0 - $1)" |_, x| x[0] - x[1];
    "mul" 2 "($0 * $1)" |_, x| x[0] * x[1];
    "div" 2 "($0 / (1.5 + ($1).powi(2)))" |_, x| x[0] / (1.5 + x[1].powi(2));
    "neg" 1 "(-($0))" |_, x| -x[0];
    "rem" 1 "(($0) % 1.75)" |_, x| x[0] % 1.75;
    "literal left" 1 "(2.5 - $0 * 0.5)" |_, x| 2.5 - x[0] * 0.5;
    "literal over" 1 "(1.0 / (2.0 + ($0) * ($0)))" |_, x| 1.0 / (2.0 + x[0] * x[0]);
    "literal right" 1 "(($0) / 4.0 + -0.25)" |_, x| x[0] / 4.0 + -0.25;
    "assignments" 2 "{ let mut s = $0; s += 1.5; s *= 0.5; s -= $1; s /= 2.0; s %= 50.0; s += $1 * $1; s }" |_, x| {
        let mut s = x[0]; s += 1.5; s *= 0.5; s -= x[1]; s /= 2.0; s %= 50.0; s += x[1] * x[1]; s
    };
    "comparisons" 3 "(if $0 > $1 && $2 <= 1.0 || -2.0 > $1 { $0 } else { $2 })" |_, x| {
        if x[0] > x[1] && x[2] <= 1.0 || -2.0 > x[1] { x[0] } else { x[2] }
    };
    "equal" 2 "(if $0 == $1 { 1.0 } else if $0 != 0.5 { $0 } else { $1 })" |_, x| {
        if x[0] == x[1] { 1.0 } else if x[0] != 0.5 { x[0] } else { x[1] }
    };
    "powi" 1 "($0).sin().powi(3)" |_, x| x[0].sin().powi(3);
    "powf" 2 "(($0).powi(2) + 0.5).powf(($1).sin())" |_, x| (x[0].powi(2) + 0.5).powf(x[1].sin());
    "sqrt" 1 "(($0) * ($0) + 0.3).sqrt()" |_, x| (x[0] * x[0] + 0.3).sqrt();
    "cbrt" 1 "(($0) + 0.0).cbrt()" |_, x| x[0].cbrt();
    "exp" 1 "($0).sin().exp()" |_, x| x[0].sin().exp();
    "exp_m1" 1 "($0).cos().exp_m1()" |_, x| x[0].cos().exp_m1();
    "ln" 1 "(($0).powi(2) + 0.2).ln()" |_, x| (x[0].powi(2) + 0.2).ln();
    "ln_1p" 1 "($0).abs().ln_1p()" |_, x| x[0].abs().ln_1p();
    "log10" 1 "(1.0 + ($0).powi(2)).log10()" |_, x| (1.0 + x[0].powi(2)).log10();
    "log2" 1 "(1.0 + ($0).powi(2)).log2()" |_, x| (1.0 + x[0].powi(2)).log2();
    "sin" 1 "($0).sin()" |_, x| x[0].sin();
    "cos" 1 "($0).cos()" |_, x| x[0].cos();
    "tan" 1 "(($0).sin()).tan()" |_, x| x[0].sin().tan();
    "asin" 1 "(0.9 * ($0).sin()).asin()" |_, x| (0.9 * x[0].sin()).asin();
    "acos" 1 "(0.9 * ($0).cos()).acos()" |_, x| (0.9 * x[0].cos()).acos();
    "atan" 1 "($0).atan()" |_, x| x[0].atan();
    "atan2" 2 "($0).atan2(2.5 + ($1).sin())" |_, x| x[0].atan2(2.5 + x[1].sin());
    "sinh" 1 "($0).sin().sinh()" |_, x| x[0].sin().sinh();
    "cosh" 1 "($0).sin().cosh()" |_, x| x[0].sin().cosh();
    "tanh" 1 "($0).tanh()" |_, x| x[0].tanh();
    "asinh" 1 "($0).asinh()" |_, x| x[0].asinh();
    "acosh" 1 "(1.5 + ($0).powi(2)).acosh()" |_, x| (1.5 + x[0].powi(2)).acosh();
    "atanh" 1 "(0.9 * ($0).tanh()).atanh()" |_, x| (0.9 * x[0].tanh()).atanh();
    "hypot" 2 "($0).hypot($1 + 0.1)" |_, x| x[0].hypot(x[1] + 0.1);
    "abs" 1 "($0).abs()" |_, x| x[0].abs();
    "signum" 1 "(($0).signum() * 0.5)" |_, x| x[0].signum() * 0.5;
    "min" 2 "($0).min($1)" |_, x| x[0].min(x[1]);
    "max" 2 "($0).max($1)" |_, x| x[0].max(x[1]);
    "clamp" 1 "($0).clamp(-0.75, 1.25)" |_, x| x[0].clamp(-0.75, 1.25);
    "mul_add" 3 "($0).mul_add($1, $2)" |_, x| x[0].mul_add(x[1], x[2]);
    "recip" 1 "(2.0 + ($0).cos()).recip()" |_, x| (2.0 + x[0].cos()).recip();
    "rem_euclid" 1 "($0).rem_euclid(1.3)" |_, x| x[0].rem_euclid(1.3);
    "floor" 1 "(($0).floor() + 0.25)" |_, x| x[0].floor() + 0.25;
    "ceil" 1 "(($0).ceil() * 0.5)" |_, x| x[0].ceil() * 0.5;
    "round" 1 "(($0) - ($0).round())" |_, x| x[0] - x[0].round();
    "trunc" 1 "(($0).trunc() + $0)" |_, x| x[0].trunc() + x[0];
    "to_radians" 1 "(30.0 * ($0)).to_radians()" |_, x| (30.0 * x[0]).to_radians();
    "to_degrees" 1 "(0.01 * ($0)).to_degrees()" |_, x| (0.01 * x[0]).to_degrees();
    "sin_cos" 1 "{ let (s, c) = ($0).sin_cos(); s * c }" |_, x| { let (s, c) = x[0].sin_cos(); s * c };
    "consts" 1 "(std::f64::consts::FRAC_PI_2 * ($0) - f64::EPSILON)" |_, x| std::f64::consts::FRAC_PI_2 * x[0] - f64::EPSILON;
    "cast" 1 "(self.n as f64 * ($0) + COUNT as f64)" |v, x| f64::from(v.n) * x[0] + 3.0;
    "f64::from" 1 "(f64::from(self.n) - $0)" |v, x| f64::from(v.n) - x[0];
    "sum" 2 "[$0, $1, self.a].iter().sum::<f64>()" |v, x| [x[0], x[1], v.a].iter().sum::<f64>();
    "product" 2 "[$0, 0.5, $1].iter().product::<f64>()" |_, x| x[0] * 0.5 * x[1];
    "fold" 2 "self.v.iter().fold($0, |s, v| s * 0.5 + v * $1)" |v, x| v.v.iter().fold(x[0], |s, v| s * 0.5 + v * x[1]);
    "map" 1 "self.v.iter().enumerate().map(|(i, v)| i as f64 * v + $0).sum::<f64>()" |v, x| (0.0 + v.v[0] * 0.0 + x[0]) + (v.v[1] + x[0]);
    "typed let" 1 "{ let x: f64 = $0; let y: f64 = 0.5; x * y + x }" |_, x| x[0] * 0.5 + x[0];
    "vector" 2 "{ let mut list: Vec<f64> = Vec::new(); list.push($0); list.push(1.5); list.extend([$1]); list[0] * list[2] + list[1] }" |_, x| x[0] * x[1] + 1.5;
    "vec macro" 2 "{ let list = vec![0.5, $0, $1]; list.iter().map(|x| x * x).sum::<f64>() }" |_, x| 0.25 + x[0] * x[0] + x[1] * x[1];
    "zeros" 1 "{ let mut row = vec![0.0; COUNT]; row[1] = $0; row[0] + row[1] }" |_, x| x[0];
    "arrays" 2 "{ let m = [[$0, 1.0], [2.0, $1]]; m[0][0] * m[1][1] - m[0][1] * m[1][0] }" |_, x| x[0] * x[1] - 2.0;
    "grid" 1 "{ let mut s = 0.0; for i in 0..2 { for j in 0..2 { s += self.g[i][j] * ($0); } } s }" |v, x| {
        let mut s = 0.0;
        for row in v.g { for g in row { s += g * x[0]; } }
        s
    };
    "closure" 2 "{ let f = |x: f64| x * $1 + 0.5; f($0) - f(0.25) }" |_, x| (x[0] * x[1] + 0.5) - (0.25 * x[1] + 0.5);
    "changing closure" 2 "{ let mut s = 0.0; let mut add = |x: f64| s += x; add($0); add($1); s }" |_, x| 0.0 + x[0] + x[1];
    "guards" 2 "match self.mode { Mode::Low if $0 > 0.5 => $1, Mode::Low => $0, Mode::Middle => 0.5, Mode::High => $0 * $1 }" |v, x| match v.mode {
        1 if x[0] > 0.5 => x[1],
        1 => x[0],
        2 => 0.5,
        _ => x[0] * x[1],
    };
    "match" 2 "match self.n { 0 => $0, 1 | 2 => $1, _ => K }" |v, x| match v.n { 0 => x[0], 1 | 2 => x[1], _ => 1.25 };
    "switch" 2 "(if self.on { $0 } else { $1 })" |v, x| if v.on { x[0] } else { x[1] };
    "early return" 2 "early($0, $1)" |_, x| early(x[0], x[1]);
    "method with early return" 2 "self.settle($0, $1)" |v, x| if x[0] > v.p { x[1] } else { x[0] - v.u };
    "for" 2 "{ let mut s = $0; for i in 0..3 { s = 0.5 * s + TABLE[i] * ($1); } s }" |_, x| {
        let mut s = x[0];
        for k in TABLE { s = 0.5 * s + k * x[1]; }
        s
    };
    "while" 2 "{ let mut s = $0; let mut k = 0; while s.abs() < 2.0 && k < 3 { s = s * 1.5 + $1; k += 1; } s }" |_, x| {
        let mut s = x[0];
        let mut k = 0;
        while s.abs() < 2.0 && k < 3 { s = s * 1.5 + x[1]; k += 1; }
        s
    };
    "loop" 1 "{ let mut s = $0; let mut k = 0; loop { k += 1; if s > 0.5 || k == 3 { break s; } s = s * 0.5 + 0.4; } }" |_, x| {
        let mut s = x[0];
        let mut k = 0;
        loop { k += 1; if s > 0.5 || k == 3 { break s; } s = s * 0.5 + 0.4; }
    };
    "helper" 1 "square($0)" |_, x| x[0] * x[0];
    "generic length" 2 "dot(&self.v, [$0, $1])" |v, x| 0.0 + v.v[0] * x[0] + v.v[1] * x[1];
    "generic helper" 2 "larger($0, $1)" |_, x| if x[0] > x[1] { x[0] } else { x[1] };
    "closure argument" 2 "twice(|x| x * ($1), $0)" |_, x| x[0] * x[1] + 0.5 * x[0] * x[1];
    "svector" 2 "SVector::<f64, 3>::new($0, 1.0, $1).dot(&SVector::from([self.a, 0.5, self.b]))" |v, x| x[0] * v.a + 0.5 + x[1] * v.b;
    "smatrix" 2 "{ let m = SMatrix::<f64, 2, 2>::new(1.0, $0, 0.5, self.p); (m * SVector::<f64, 2>::new($1, 2.0)).sum() }" |v, x| (x[1] + x[0] * 2.0) + (0.5 * x[1] + v.p * 2.0);
    "dmatrix" 2 "{ let m = DMatrix::from_fn(2, 2, |i, j| if i == j { $0 } else { 0.5 }); (&m * &m)[(0, 1)] * ($1) }" |_, x| (x[0] * 0.5 + 0.5 * x[0]) * x[1];
    "small solve" 2 "{ let m = SMatrix::<f64, 2, 2>::new(4.0, ($0).sin(), 1.0, 5.0); m.solve(&SVector::<f64, 2>::new($1, 1.0)).map_or(0.0, |x| x[0] - x[1]) }" |_, x| {
        let (s, det) = (x[0].sin(), 20.0 - x[0].sin());
        (5.0 * x[1] - s) / det - (4.0 - x[1]) / det
    };
    "array solve" 2 "solve([[3.0, 1.0], [($0).cos(), 4.0]], [1.0, $1]).map_or(0.0, |x| x[1])" |_, x| (3.0 * x[1] - x[0].cos()) / (12.0 - x[0].cos());
    "constant left" 1 "(K * ($0) - K)" |_, x| 1.25 * x[0] - 1.25;
    "constant right" 1 "(($0) / K + K)" |_, x| x[0] / 1.25 + 1.25;
    "constant branch" 1 "(if $0 > 0.25 { K } else { $0 })" |_, x| if x[0] > 0.25 { 1.25 } else { x[0] };
    "constant element" 1 "(TABLE[self.n as usize % COUNT] * ($0) + GRID[1][0])" |v, x| TABLE[v.n as usize % 3] * x[0] + 0.5;
    "constant row" 1 "{ let mut s = $0; for (i, k) in TABLE.iter().enumerate() { s += k * i as f64; } s }" |_, x| {
        let mut s = x[0];
        for (i, k) in TABLE.iter().enumerate() { s += k * i as f64; }
        s
    };
    "constant element branch" 1 "(if self.on { TABLE[1] } else { $0 })" |v, x| if v.on { -1.5 } else { x[0] };
    "plain integers" 1 "{ let j = (COUNT * 2 - 1) / 2; let k: usize = j + self.n as usize; k as f64 * 0.5 * ($0) }" |v, x| (2 + v.n) as f64 * 0.5 * x[0];
    "plain numbers" 1 "(plain(self.scale) * ($0) + self.scale)" |_, x| (0.75 * 0.5 - 0.25) * x[0] + 0.75;
    "assert" 1 "{ let x = $0; assert!(x > -1e9 || x.is_nan(), \"{x} is below {}\", -1e9); debug_assert!(COUNT == 3); x }" |_, x| x[0];
    "matches" 2 "(if matches!(self.mode, Mode::Low | Mode::High if $0 > 0.1) { $1 } else { $0 })" |v, x| if v.mode != 2 && x[0] > 0.1 { x[1] } else { x[0] };
    "format" 1 "(if format!(\"{:?} {}\", self.mode, 1.5).len() > 7 { $0 } else { 0.5 * ($0) })" |v, x| if v.mode == 1 { 0.5 * x[0] } else { x[0] };
    "opaque" 1 "opaque_with(|[x]| x.sin(), |[x]| [x.cos()], [$0])" |_, x| x[0].sin();
}
