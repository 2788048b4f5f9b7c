//! Quaternions and rotations over any scalar, under the names that nalgebra has for real numbers.

use super::Scalar;
use std::ops::Mul;

/// A quaternion `w + i i + j j + k k`. One of norm 1 is a rotation.
///
/// ```
/// use fmu_runtime::scalar::{Dual, Quaternion};
/// use std::f64::consts::FRAC_PI_2;
///
/// // A quarter turn around z takes x to y.
/// let turn = Quaternion::from_axis_angle([0.0, 0.0, 1.0], FRAC_PI_2);
/// let [x, y, z] = turn.transform_vector([1.0, 0.0, 0.0]);
/// assert!(x.abs() < 1e-15 && (y - 1.0).abs() < 1e-15 && z == 0.0);
///
/// // Its derivative with respect to the angle.
/// let angle = Dual::<1>::variable(FRAC_PI_2, 0);
/// let axis = [0.0, 0.0, 1.0].map(Dual::plain);
/// let moved = Quaternion::from_axis_angle(axis, angle).transform_vector([1.0, 0.0, 0.0].map(Dual::plain));
/// assert!((moved[0].lanes[0] + 1.0).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quaternion<S = f64> {
    /// Scalar part.
    pub w: S,
    /// First component of the vector part.
    pub i: S,
    /// Second component of the vector part.
    pub j: S,
    /// Third component of the vector part.
    pub k: S,
}

impl<S: Scalar> Quaternion<S> {
    /// From its components.
    pub fn new(w: S, i: S, j: S, k: S) -> Quaternion<S> {
        Quaternion { w, i, j, k }
    }

    /// No rotation.
    pub fn identity() -> Quaternion<S> {
        let [zero, one] = [0.0, 1.0].map(S::constant);
        Quaternion::new(one, zero, zero, zero)
    }

    /// The components, the scalar part first.
    pub fn to_array(self) -> [S; 4] {
        [self.w, self.i, self.j, self.k]
    }

    /// The vector part.
    pub fn vector(self) -> [S; 3] {
        [self.i, self.j, self.k]
    }

    /// A rotation around an axis of length 1.
    pub fn from_axis_angle(axis: [S; 3], angle: S) -> Quaternion<S> {
        let (sin, cos) = (angle * 0.5).sin_cos();
        let [x, y, z] = axis;
        Quaternion::new(cos, x * sin, y * sin, z * sin)
    }

    /// A rotation by roll, pitch and yaw: around x, then around the fixed y, then around the fixed z.
    pub fn from_euler_angles(roll: S, pitch: S, yaw: S) -> Quaternion<S> {
        let [zero, one] = [0.0, 1.0].map(S::constant);
        let around_x = Quaternion::from_axis_angle([one, zero, zero], roll);
        let around_y = Quaternion::from_axis_angle([zero, one, zero], pitch);
        let around_z = Quaternion::from_axis_angle([zero, zero, one], yaw);
        around_z * around_y * around_x
    }

    /// The opposite vector part: the inverse of a rotation.
    pub fn conjugate(self) -> Quaternion<S> {
        Quaternion::new(self.w, -self.i, -self.j, -self.k)
    }

    /// The sum of the squares.
    pub fn norm_squared(self) -> S {
        self.w * self.w + self.i * self.i + self.j * self.j + self.k * self.k
    }

    /// The square root of the sum of the squares.
    pub fn norm(self) -> S {
        self.norm_squared().sqrt()
    }

    /// With the norm 1.
    pub fn normalize(self) -> Quaternion<S> {
        let norm = self.norm();
        Quaternion::new(self.w / norm, self.i / norm, self.j / norm, self.k / norm)
    }

    /// The rotated vector.
    pub fn transform_vector(self, v: [S; 3]) -> [S; 3] {
        let u = self.vector();
        let t = cross(u, v).map(|t| t * 2.0);
        let s = cross(u, t);
        [0, 1, 2].map(|n| v[n] + self.w * t[n] + s[n])
    }

    /// The vector rotated back.
    pub fn inverse_transform_vector(self, v: [S; 3]) -> [S; 3] {
        self.conjugate().transform_vector(v)
    }

    /// The matrix of the rotation, by rows.
    pub fn to_rotation_matrix(self) -> [[S; 3]; 3] {
        let [zero, one] = [0.0, 1.0].map(S::constant);
        let x = self.transform_vector([one, zero, zero]);
        let y = self.transform_vector([zero, one, zero]);
        let z = self.transform_vector([zero, zero, one]);
        [0, 1, 2].map(|n| [x[n], y[n], z[n]])
    }

    /// The derivative of the attitude of a body that turns with the angular velocity `omega`, in coordinates of the body:
    /// `q omega / 2`.
    pub fn derivative(self, omega: [S; 3]) -> Quaternion<S> {
        let [i, j, k] = omega.map(|omega| omega * 0.5);
        self * Quaternion::new(S::constant(0.0), i, j, k)
    }
}

impl<S: Scalar> Mul for Quaternion<S> {
    type Output = Quaternion<S>;

    fn mul(self, other: Quaternion<S>) -> Quaternion<S> {
        let (a, b) = (self, other);
        Quaternion::new(
            a.w * b.w - a.i * b.i - a.j * b.j - a.k * b.k,
            a.w * b.i + a.i * b.w + a.j * b.k - a.k * b.j,
            a.w * b.j - a.i * b.k + a.j * b.w + a.k * b.i,
            a.w * b.k + a.i * b.j - a.j * b.i + a.k * b.w,
        )
    }
}

impl<S> From<[S; 4]> for Quaternion<S> {
    fn from([w, i, j, k]: [S; 4]) -> Quaternion<S> {
        Quaternion { w, i, j, k }
    }
}

/// The cross product.
///
/// ```
/// assert_eq!(fmu_runtime::scalar::cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), [0.0, 0.0, 1.0]);
/// ```
pub fn cross<S: Scalar>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}
