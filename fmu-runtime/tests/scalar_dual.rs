//! Dual numbers against finite differences, closed forms, and at kinks.

mod common;

use common::{Random, binary, close, slope, unary};
use fmu_runtime::scalar::{Dual, Scalar};

#[test]
fn every_function_of_one_argument_has_the_value_of_f64_and_the_slope_of_a_finite_difference() {
    let mut random = Random(1);
    for case in unary() {
        for _ in 0..200 {
            let margin = 0.05 * (case.high - case.low);
            let x = random.between(case.low + margin, case.high - margin);
            let seeds = [random.between(-2.0, 2.0), random.between(-2.0, 2.0)];
            let y = (case.dual)(Dual::new(x, seeds));
            let expected = slope(case.plain, x);
            assert!(
                y.value == (case.plain)(x),
                "{}: value {} at {x}",
                case.name,
                y.value
            );
            for (lane, seed) in y.lanes.iter().zip(seeds) {
                assert!(
                    close(*lane, expected * seed, 2e-9),
                    "{} at {x}: {lane} or {}",
                    case.name,
                    expected * seed
                );
            }
        }
    }
}

#[test]
fn every_function_of_two_arguments_has_the_value_of_f64_and_the_gradient_of_finite_differences() {
    let mut random = Random(2);
    for case in binary() {
        for _ in 0..200 {
            let pick = |[low, high]: [f64; 2], random: &mut Random| {
                let margin = 0.1 * (high - low);
                random.between(low + margin, high - margin)
            };
            let (x, y) = (pick(case.x, &mut random), pick(case.y, &mut random));
            let (a, b) = (random.between(-2.0, 2.0), random.between(-2.0, 2.0));
            let z = (case.dual)(Dual::new(x, [1.0, a]), Dual::new(y, [0.0, b]));
            let by_x = slope(|x| (case.plain)(x, y), x);
            let by_y = slope(|y| (case.plain)(x, y), y);
            assert!(
                z.value == (case.plain)(x, y),
                "{}: value at ({x}, {y})",
                case.name
            );
            for (lane, expected) in z.lanes.into_iter().zip([by_x, a * by_x + b * by_y]) {
                assert!(
                    close(lane, expected, 2e-9),
                    "{} at ({x}, {y}): {lane} or {expected}",
                    case.name
                );
            }
        }
    }
}

/// Derivative by x of f at x.
fn at(x: f64, f: impl Fn(Dual<1>) -> Dual<1>) -> f64 {
    f(Dual::variable(x, 0)).lanes[0]
}

#[test]
fn closed_forms_hold_to_rounding() {
    let mut random = Random(3);
    let exact =
        |name: &str, got: f64, want: f64| assert!(close(got, want, 2e-15), "{name}: {got:e} or {want:e}");
    for _ in 0..1000 {
        let x = random.between(0.01, 0.99);
        exact("tan", at(x, Scalar::tan), x.cos().powi(-2));
        exact("asin", at(x, Scalar::asin), ((1.0 - x) * (1.0 + x)).powf(-0.5));
        exact("acos", at(x, Scalar::acos), -((1.0 - x) * (1.0 + x)).powf(-0.5));
        exact("atan", at(x, Scalar::atan), 1.0 / (1.0 + x * x));
        exact("tanh", at(x, Scalar::tanh), 1.0 - x.tanh().powi(2));
        exact("sqrt", at(x, Scalar::sqrt), 0.5 * x.powf(-0.5));
        exact("ln", at(x, Scalar::ln), x.recip());
        exact("x^x", at(x, |x| x.powf(x)), x.powf(x) * (x.ln() + 1.0));
        exact("x/(1+x)", at(x, |x| x / (x + 1.0)), (1.0 + x).powi(-2));
    }
    // Where a textbook formula loses its digits or overflows.
    exact(
        "tanh far out",
        at(20.0, Scalar::tanh) * 1e17,
        4.0 * (-40.0f64).exp() * 1e17,
    );
    exact("asinh far out", at(1e200, Scalar::asinh) * 1e200, 1.0);
    exact(
        "atan2 far out",
        at(1e-200, |y| y.atan2(Dual::plain(1e-200))) * 1e-200,
        0.5,
    );
    assert_eq!(at(800.0, Scalar::tanh), 0.0);
}

#[test]
fn kinks_have_the_documented_one_sided_derivatives() {
    let zero = Dual::<1>::plain(0.0);
    assert_eq!(at(0.0, Scalar::abs), 1.0);
    assert_eq!(at(-0.0, Scalar::abs), 1.0);
    assert_eq!(at(0.0, |x| x.max(zero)), 1.0);
    assert_eq!(at(0.0, |x| zero.max(x)), 0.0);
    assert_eq!(at(0.0, |x| x.min(zero)), 1.0);
    assert_eq!(at(1.0, |x| x.clamp(zero, Dual::plain(1.0))), 1.0);
    assert_eq!(at(0.0, |x| x.hypot(zero)), 1.0);
    assert_eq!(at(0.0, |x| zero.hypot(x)), 1.0);
    assert_eq!(at(0.0, |x| x.atan2(zero)), 0.0);
    assert_eq!(at(0.0, |x| x.copysign(Dual::plain(-1.0))), -1.0);
    assert_eq!(at(0.0, |x| x.powf(Dual::plain(1.0))), 1.0);
    assert_eq!(at(0.0, |x| x.powf(Dual::plain(1.5))), 0.0);
    assert_eq!(at(0.0, |x| x.powf(Dual::plain(0.0))), 0.0);
    assert_eq!(at(0.0, |x| x.powi(0)), 0.0);
    assert_eq!(at(2.0, |x| zero.powf(x)), 0.0);
    assert_eq!(at(2.0, |x| Dual::plain(-3.0).powf(x)), 0.0);
    assert_eq!(at(0.0, |x| Dual::plain(2.0).max(Dual::NAN).max(x)), 0.0);
    assert_eq!(at(3.0, |x| x % Dual::INFINITY), 1.0);
}

type Function = fn(Dual<1>) -> Dual<1>;

#[test]
fn infinite_slopes_are_huge_and_finite_so_that_nothing_becomes_nan() {
    let one_sided: [(&str, f64, Function); 7] = [
        ("sqrt", 0.0, |x| x.sqrt()),
        ("cbrt", 0.0, |x| x.cbrt()),
        ("powf", 0.0, |x| x.powf(Dual::plain(0.3))),
        ("asin", 1.0, |x| x.asin()),
        ("asin", -1.0, |x| x.asin()),
        ("acosh", 1.0, |x| x.acosh()),
        ("acos", -1.0, |x| -x.acos()),
    ];
    for (name, x, f) in one_sided {
        let slope = at(x, f);
        assert!(slope > 1e100 && slope.is_finite(), "{name}: {slope}");
        assert_eq!(
            f(Dual::new(x, [0.0])).lanes,
            [0.0],
            "{name}: a known without influence"
        );
        assert_eq!(
            at(x, |y| f(y) * (y - x)),
            f(Dual::plain(x)).value,
            "{name} times 0"
        );
    }
    // The limit of x^1.5 is 0, and so is that of |x|.
    assert_eq!(at(0.0, |x| x.sqrt() * x), 0.0);
    assert_eq!(at(0.0, |x| (x * x).sqrt()), 0.0);
}

#[test]
fn comparisons_and_text_are_those_of_the_value() {
    let (a, b) = (Dual::<3>::variable(1.0, 2), Dual::<3>::plain(1.0));
    assert!(a == b && a <= b && a == 1.0 && a < 2.0 && a.total_cmp(&b).is_eq());
    assert!(Dual::<1>::NAN.partial_cmp(&Dual::plain(1.0)).is_none() && Dual::<1>::NAN.is_nan());
    assert_eq!(format!("{a:.2} {a} {a:e}"), "1.00 1 1e0");
    assert_eq!(Dual::<2>::from(3i32) + Dual::from(true) + Dual::from(0.5f32), 4.5);
}
