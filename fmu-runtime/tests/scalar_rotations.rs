//! Quaternions and factors of small matrices over every scalar, against closed forms and differences.

mod common;

use common::{Random, close, slope};
use fmu_runtime::scalar::{Cholesky, Dual, Jet, Lu, Quaternion, Scalar, cross, try_inverse};

/// Rodrigues' formula: the rotation without a quaternion.
fn rodrigues(axis: [f64; 3], angle: f64, v: [f64; 3]) -> [f64; 3] {
    let (sin, cos) = angle.sin_cos();
    let dot: f64 = axis.iter().zip(v).map(|(a, v)| a * v).sum();
    let crossed = cross(axis, v);
    [0, 1, 2].map(|n| v[n] * cos + crossed[n] * sin + axis[n] * dot * (1.0 - cos))
}

fn near(a: [f64; 3], b: [f64; 3]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-14)
}

#[test]
fn rotations_agree_with_rodrigues() {
    let mut random = Random(5);
    for _ in 0..200 {
        let mut direction = || random.between(-1.0, 1.0);
        let axis = [direction(), direction(), direction()];
        let length = axis.iter().map(|a| a * a).sum::<f64>().sqrt();
        let axis = axis.map(|a| a / length);
        let (angle, v) = (3.0 * direction(), [direction(), direction(), direction()]);
        let q = Quaternion::from_axis_angle(axis, angle);
        assert!((q.norm() - 1.0).abs() < 1e-15);
        let turned = q.transform_vector(v);
        assert!(near(turned, rodrigues(axis, angle, v)));
        assert!(near(q.inverse_transform_vector(turned), v));
        let by_matrix = q.to_rotation_matrix();
        assert!(near(
            by_matrix.map(|row| row.iter().zip(v).map(|(r, v)| r * v).sum()),
            turned
        ));
        // One rotation after the other is a product.
        let other = Quaternion::from_euler_angles(direction(), direction(), direction());
        assert!(near(
            (other * q).transform_vector(v),
            other.transform_vector(turned)
        ));
    }
    let yaw = Quaternion::from_euler_angles(0.0, 0.0, 0.3);
    assert!(near(
        yaw.transform_vector([1.0, 0.0, 0.0]),
        [0.3f64.cos(), 0.3f64.sin(), 0.0]
    ));
}

/// Something of everything, for a derivative.
fn everything<S: Scalar>(x: S) -> S {
    let c = S::constant;
    let q = Quaternion::from_euler_angles(x, x * x, x.sin());
    let q = (q * Quaternion::new(x, c(0.3), -x, c(1.0))).normalize();
    let v = q.transform_vector([x, c(1.0), x * 2.0]);
    let rate = q.derivative(v).to_array();
    let a = [
        [x * 4.0, x, c(0.5)],
        [x, c(5.0), x * x],
        [c(0.5), x * x, x * 3.0 + 2.0],
    ];
    let cholesky = Cholesky::new(a).unwrap();
    let lu = Lu::new(a);
    let [s, t, u] = cholesky.solve(v);
    let inverse = try_inverse(a).unwrap();
    s + t * u + rate[1] + inverse[0][2] * lu.determinant() + lu.solve(v).unwrap()[0] - cholesky.determinant()
}

#[test]
fn derivatives_agree_with_differences() {
    let mut random = Random(9);
    for _ in 0..100 {
        let x = random.between(0.5, 1.5);
        let dual = everything(Dual::<1>::variable(x, 0));
        assert!(close(dual.value, everything(x), 1e-12), "at {x}");
        assert!(close(dual.lanes[0], slope(everything, x), 1e-6), "at {x}");
        let jet = everything(Jet::<2>::from_derivatives(x, &[1.0, 0.0]));
        assert!(close(jet.derivative(1), dual.lanes[0], 1e-10), "at {x}");
    }
}

#[test]
fn factors_reproduce_their_matrix() {
    let mut random = Random(13);
    for _ in 0..100 {
        let mut b = [[0.0; 4]; 4];
        b.as_flattened_mut()
            .iter_mut()
            .for_each(|b| *b = random.between(-1.0, 1.0));
        // b b^T + 1 is positive definite.
        let mut a = [[0.0; 4]; 4];
        for i in 0..4 {
            for j in 0..4 {
                a[i][j] = f64::from(i == j) + (0..4).map(|k| b[i][k] * b[j][k]).sum::<f64>();
            }
        }
        let cholesky = Cholesky::new(a).unwrap();
        let l = cholesky.l();
        let inverse = try_inverse(a).unwrap();
        for i in 0..4 {
            for j in 0..4 {
                let product: f64 = (0..4).map(|k| l[i][k] * l[j][k]).sum();
                assert!((product - a[i][j]).abs() < 1e-13);
                let unit: f64 = (0..4).map(|k| a[i][k] * inverse[k][j]).sum();
                assert!((unit - f64::from(i == j)).abs() < 1e-12);
            }
        }
        let determinant = Lu::new(a).determinant();
        assert!((determinant / cholesky.determinant() - 1.0).abs() < 1e-12);
    }
    assert!(Cholesky::new([[1.0, 0.0], [0.0, -1.0]]).is_none());
    assert!(try_inverse([[1.0, 1.0], [1.0, 1.0]]).is_none());
    assert_eq!(Lu::new([[1.0, 1.0], [1.0, 1.0]]).determinant(), 0.0);
}
