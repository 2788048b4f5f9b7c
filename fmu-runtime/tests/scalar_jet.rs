//! Jets against the derivatives of dual numbers, closed forms, and at kinks.

mod common;

use common::{Random, binary, close, slope, unary};
use fmu_runtime::scalar::{Dual, Jet, Scalar};

/// The polynomial of a jet and its first derivative at `t`.
fn path(jet: Jet<3>, t: f64) -> (f64, f64) {
    let [a, b, c] = jet.terms;
    (
        jet.value + t * (a + t * (b + t * c)),
        a + t * (2.0 * b + t * 3.0 * c),
    )
}

/// Second derivative of a function by a central difference of order 8, from its first derivative's values.
fn curvature(f: impl Fn(f64) -> f64) -> f64 {
    let h = 8e-3;
    let d = |k: f64| f(k * h) + f(-k * h) - 2.0 * f(0.0);
    (d(1.0) * (8.0 / 5.0) - d(2.0) / 5.0 + d(3.0) * (8.0 / 315.0) - d(4.0) / 560.0) / (h * h)
}

fn check(name: &str, jet: Jet<3>, value: f64, rate: impl Fn(f64) -> f64) {
    assert!(jet.value == value, "{name}: value {} or {value}", jet.value);
    let expected = [rate(0.0), slope(&rate, 0.0), curvature(&rate)];
    for (order, (expected, tolerance)) in (1..).zip(expected.into_iter().zip([1e-14, 1e-8, 1e-6])) {
        let got = jet.derivative(order);
        assert!(
            close(got, expected, tolerance),
            "{name}: derivative {order} is {got} or {expected}"
        );
    }
}

#[test]
fn every_function_of_one_argument_follows_the_derivatives_of_dual_numbers() {
    let mut random = Random(11);
    for case in unary() {
        for _ in 0..100 {
            let margin = 0.1 * (case.high - case.low);
            let x = random.between(case.low + margin, case.high - margin);
            let mut term = || random.between(-1.0, 1.0) * margin.min(1.0);
            let x = Jet::new(x, [term(), term(), term()]);
            check(case.name, (case.jet)(x), (case.plain)(x.value), |t| {
                let (x, rate) = path(x, t);
                (case.dual)(Dual::new(x, [rate, 0.0])).lanes[0]
            });
        }
    }
}

#[test]
fn every_function_of_two_arguments_follows_the_derivatives_of_dual_numbers() {
    let mut random = Random(12);
    for case in binary() {
        for _ in 0..100 {
            let mut pick = |[low, high]: [f64; 2]| {
                let margin = 0.2 * (high - low);
                let x = random.between(low + margin, high - margin);
                let mut term = || random.between(-1.0, 1.0) * margin.min(1.0);
                Jet::new(x, [term(), term(), term()])
            };
            let (x, y) = (pick(case.x), pick(case.y));
            check(case.name, (case.jet)(x, y), (case.plain)(x.value, y.value), |t| {
                let (x, x_rate) = path(x, t);
                let (y, y_rate) = path(y, t);
                (case.dual)(Dual::new(x, [x_rate, 0.0]), Dual::new(y, [y_rate, 0.0])).lanes[0]
            });
        }
    }
}

#[test]
fn closed_forms_hold_to_rounding() {
    let mut random = Random(13);
    for _ in 0..1000 {
        let t = random.between(0.1, 2.0);
        let jet = Jet::<3>::variable(t);
        let exact = |name: &str, got: Jet<3>, want: [f64; 3]| {
            for (order, want) in (1..).zip(want) {
                let got = got.derivative(order);
                assert!(
                    close(got, want, 1e-14),
                    "{name} at {t}: derivative {order} is {got} or {want}"
                );
            }
        };
        exact("exp", jet.exp(), [t.exp(); 3]);
        exact("sin", jet.sin(), [t.cos(), -t.sin(), -t.cos()]);
        exact("ln", jet.ln(), [t.powi(-1), -t.powi(-2), 2.0 * t.powi(-3)]);
        exact(
            "1/t",
            jet.recip(),
            [-t.powi(-2), 2.0 * t.powi(-3), -6.0 * t.powi(-4)],
        );
        exact(
            "t^5",
            jet.powi(5),
            [5.0 * t.powi(4), 20.0 * t.powi(3), 60.0 * t.powi(2)],
        );
        exact(
            "sqrt",
            jet.sqrt(),
            [0.5 * t.powf(-0.5), -0.25 * t.powf(-1.5), 0.375 * t.powf(-2.5)],
        );
        exact("cosh", jet.cosh(), [t.sinh(), t.cosh(), t.sinh()]);
        let d = 1.0 + t * t;
        exact(
            "atan",
            jet.atan(),
            [1.0 / d, -2.0 * t / (d * d), (6.0 * t * t - 2.0) / (d * d * d)],
        );
    }
}

#[test]
fn derivatives_are_factorials_times_terms() {
    let jet = Jet::<3>::from_derivatives(1.0, &[2.0, 3.0, 4.0, 5.0]);
    assert_eq!(jet.terms, [2.0, 1.5, 4.0 / 6.0]);
    assert_eq!(
        [0, 1, 2, 3, 4].map(|k| jet.derivative(k)),
        [1.0, 2.0, 3.0, 4.0, 0.0]
    );
}

#[test]
fn kinks_take_the_side_of_what_comes_next() {
    let zero = Jet::<2>::plain(0.0);
    let t = Jet::<2>::variable(0.0);
    assert_eq!(t.abs().terms, [1.0, 0.0]);
    assert_eq!((-t).abs().terms, [1.0, 0.0]);
    assert_eq!((t * t * -2.0).abs().terms, [0.0, 2.0]);
    assert_eq!(zero.max(t).terms, [1.0, 0.0]);
    assert_eq!(t.max(t * t).terms, [1.0, 0.0]);
    assert_eq!(t.min(zero).terms, [0.0, 0.0]);
    assert_eq!((t + 1.0).clamp(zero, zero + 1.0).terms, [0.0, 0.0]);
    assert_eq!((-t + 1.0).clamp(zero, zero + 1.0).terms, [-1.0, 0.0]);
    assert_eq!((t * 3.0).hypot(t * 4.0).terms, [5.0, 0.0]);
    assert_eq!((t * t * 4.0).sqrt().terms, [2.0, 0.0]);
    assert_eq!(Jet::<3>::variable(0.0).powi(3).cbrt().terms, [1.0, 0.0, 0.0]);
    assert_eq!(
        Jet::<3>::variable(0.0).powi(2).powf(Jet::plain(1.5)).terms,
        [0.0, 0.0, 1.0]
    );
    assert_eq!(zero.atan2(t).terms, [0.0, 0.0]);
    assert_eq!(t.powf(Jet::plain(2.5)).terms, [0.0, 0.0]);
}

#[test]
fn infinite_slopes_are_those_of_dual_numbers_and_nothing_becomes_nan() {
    type Function<S> = fn(S) -> S;
    let cases: [(f64, Function<Jet<2>>, Function<Dual<1>>); 5] = [
        (0.0, |x| x.sqrt(), |x| x.sqrt()),
        (0.0, |x| x.cbrt(), |x| x.cbrt()),
        (0.0, |x| x.powf(Jet::plain(0.3)), |x| x.powf(Dual::plain(0.3))),
        (1.0, |x| x.asin(), |x| x.asin()),
        (1.0, |x| x.acosh(), |x| x.acosh()),
    ];
    for (i, (x, jet, dual)) in cases.into_iter().enumerate() {
        let y = jet(Jet::variable(x));
        assert!(
            close(y.terms[0], dual(Dual::variable(x, 0)).lanes[0], 1e-12),
            "case {i}: {y:?}"
        );
        assert_eq!(y.terms[1], 0.0, "case {i}");
        assert_eq!(jet(Jet::plain(x)).terms, [0.0, 0.0], "case {i}: a constant");
    }
}
