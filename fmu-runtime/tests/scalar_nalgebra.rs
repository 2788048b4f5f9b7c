//! Vectors and matrices of nalgebra in lifted code.

mod common;

use common::{Random, close, slope};
use fmu_runtime::pattern::{Class, Kind, explore};
use fmu_runtime::scalar::{Dual, Jet, MatrixExt, Scalar, ScalarRef, Trace, literal};
use nalgebra::{DMatrix, DVector, SMatrix, SVector};

/// Products, sums, transposes, literals on either side, a solve: as the macros would write it.
fn fixed<S: Scalar>(x: S) -> S
where
    for<'a> &'a S: ScalarRef<S>,
{
    let a = SMatrix::<S, 2, 2>::new(x, S::constant(1.0), -x * x, S::constant(3.0));
    let b: SVector<S, 2> = [x.sin(), S::constant(2.0)].into();
    let c = literal(2.0) * (a * b) + a.transpose() * b * literal(0.5) - b / literal(4.0);
    let mut d = a.solve(&(c * x)).unwrap();
    d *= literal(3.0);
    let e = SVector::<S, 3>::new(x, d[0], d[1]).cross(&SVector::from_element(x));
    d.dot(&b) + a.trace() + e.length() + (a * a)[(0, 1)]
}

fn dynamic<S: Scalar>(x: S) -> S {
    let a = DMatrix::from_fn(4, 4, |i, j| {
        if i == j {
            x * 4.0
        } else {
            (x * (i + 2 * j) as f64).cos()
        }
    });
    let b = DVector::from_fn(4, |i, _| x.powi(i as i32));
    let inverse = a.solve(&DMatrix::identity(4, 4)).unwrap();
    (&inverse * &b).dot(&b) + a.solve(&b).unwrap().sum() + (&a * &inverse).sum()
}

fn check(name: &str, plain: fn(f64) -> f64, dual: fn(Dual<1>) -> Dual<1>, jet: fn(Jet<2>) -> Jet<2>) {
    let mut random = Random(21);
    for _ in 0..100 {
        let x = random.between(0.5, 2.0);
        let (d, j) = (dual(Dual::variable(x, 0)), jet(Jet::variable(x)));
        assert!(
            close(d.value, plain(x), 1e-12) && close(j.value, plain(x), 1e-12),
            "{name}: value at {x}"
        );
        assert!(
            close(d.lanes[0], slope(plain, x), 1e-7),
            "{name}: {} at {x}",
            d.lanes[0]
        );
        assert!(
            close(d.lanes[0], j.terms[0], 1e-10),
            "{name}: {} at {x}",
            j.terms[0]
        );
        let second = slope(|x| dual(Dual::variable(x, 0)).lanes[0], x);
        assert!(
            close(j.derivative(2), second, 1e-6),
            "{name}: {} or {second} at {x}",
            j.derivative(2)
        );
    }
}

#[test]
fn fixed_sizes_differentiate() {
    check("fixed", fixed, fixed, fixed);
}

#[test]
fn dynamic_sizes_differentiate() {
    check("dynamic", dynamic, dynamic, dynamic);
}

#[test]
fn solves_agree_with_those_of_nalgebra() {
    let mut random = Random(22);
    for n in 1..12 {
        let a = DMatrix::from_fn(n, n, |_, _| random.between(-1.0, 1.0));
        let b = DMatrix::from_fn(n, 3, |_, _| random.between(-1.0, 1.0));
        let expected = a.clone().lu().solve(&b).unwrap();
        assert!(
            (a.solve(&b).unwrap() - &expected).amax() <= 1e-9 * (1.0 + expected.amax()),
            "n = {n}"
        );
    }
    assert!(
        SMatrix::<f64, 2, 2>::new(1.0, 2.0, 2.0, 4.0)
            .solve(&SVector::from([1.0, 1.0]))
            .is_none()
    );
}

#[test]
fn products_and_solves_depend_on_what_they_are_made_of() {
    let zero = Trace::new(0.0);
    let found = explore(&[Class::Fixed, Class::State, Class::State, Class::Input], |k| {
        let a = SMatrix::<Trace, 2, 2>::new(k[0], zero, Trace::new(2.0), k[0]);
        let x = SVector::from([k[1], k[2]]);
        let product = a * x * literal(2.0) + SVector::from([zero, k[3]]);
        let solution = a.solve(&x)?;
        Some(product.iter().chain(solution.iter()).copied().collect())
    });
    let fixed = |known: usize| (known, Kind::Fixed);
    let own = (0, Kind::Dependent);
    assert_eq!(found.unknowns[0].on, [own, fixed(1)]);
    assert_eq!(
        found.unknowns[1].on,
        [own, (1, Kind::Constant), fixed(2), (3, Kind::Constant)]
    );
    assert_eq!(found.unknowns[2].on, [own, fixed(1)]);
    assert_eq!(found.unknowns[3].on, [own, fixed(1), fixed(2)]);
}
