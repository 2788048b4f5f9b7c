//! nalgebra's vectors and matrices over every scalar (cargo feature `nalgebra`).
//!
//! Sums, products, `dot`, `cross`, `transpose` and their like are nalgebra's own. What it has
//! for real numbers alone (factorizations, norms) is here under names of its own: [`MatrixExt`].

use std::ops::{Div, DivAssign, Mul, MulAssign};

use nalgebra::allocator::Allocator;
use nalgebra::storage::{Storage, StorageMut};
use nalgebra::{DefaultAllocator, Dim, Matrix, OMatrix};
use num_traits::{One, Zero};

use super::linear::eliminate;
use super::{Adjoint, Dual, Jet, Literal, Scalar, Trace};

/// What a scalar must be for the linear algebra library in use.
pub trait Backend: nalgebra::Scalar + Zero + One {}

impl<T: nalgebra::Scalar + Zero + One> Backend for T {}

macro_rules! zero_and_one {
    ($([$($generics:tt)*] $ty:ty),*) => {
        $(impl<$($generics)*> Zero for $ty {
            #[inline(always)]
            fn zero() -> Self {
                Scalar::constant(0.0)
            }

            #[inline(always)]
            fn is_zero(&self) -> bool {
                *self == 0.0
            }
        }

        impl<$($generics)*> One for $ty {
            #[inline(always)]
            fn one() -> Self {
                Scalar::constant(1.0)
            }
        })*
    };
}

zero_and_one!([const N: usize] Dual<N>, [const ORDER: usize] Jet<ORDER>, [] Trace, [] Adjoint);

/// Linear solves and lengths, for matrices over every scalar.
///
/// ```
/// use fmu_runtime::scalar::{Dual, MatrixExt};
/// use nalgebra::{SMatrix, SVector};
///
/// let k = Dual::<1>::variable(2.0, 0);
/// let zero = Dual::plain(0.0);
/// let x = SMatrix::<_, 2, 2>::new(k, zero, zero, k).solve(&SVector::from([k * k, k])).unwrap();
/// assert_eq!((x[0].value, x[0].lanes), (2.0, [1.0]));
/// assert_eq!(SVector::from([3.0, 4.0]).length(), 5.0);
/// ```
pub trait MatrixExt<S: Scalar, R: Dim, C: Dim> {
    /// Solves `self * x = b` by Gaussian elimination; `None` where `self` is singular.
    ///
    /// # Panics
    /// Where `self` is not square, or `b` has another number of rows.
    fn solve<D: Dim, B: Storage<S, R, D>>(&self, b: &Matrix<S, R, D, B>) -> Option<OMatrix<S, R, D>>
    where
        DefaultAllocator: Allocator<R, C> + Allocator<R, D>;

    /// The inverse; `None` where `self` is singular. For real numbers nalgebra's own function of this name is used.
    ///
    /// # Panics
    /// Where `self` is not square.
    fn try_inverse(&self) -> Option<OMatrix<S, R, C>>
    where
        DefaultAllocator: Allocator<R, C>;

    /// The square root of the sum of the squares.
    fn length(&self) -> S;
}

impl<S: Scalar, R: Dim, C: Dim, A: Storage<S, R, C>> MatrixExt<S, R, C> for Matrix<S, R, C, A> {
    fn solve<D: Dim, B: Storage<S, R, D>>(&self, b: &Matrix<S, R, D, B>) -> Option<OMatrix<S, R, D>>
    where
        DefaultAllocator: Allocator<R, C> + Allocator<R, D>,
    {
        let n = self.nrows();
        assert!(
            self.is_square() && b.nrows() == n,
            "solve: a matrix of {} by {} and a right side of {} rows",
            n,
            self.ncols(),
            b.nrows()
        );
        let mut a = self.clone_owned();
        let mut x = b.clone_owned();
        (n == 0 || eliminate(a.as_mut_slice(), x.as_mut_slice(), n)).then_some(x)
    }

    fn try_inverse(&self) -> Option<OMatrix<S, R, C>>
    where
        DefaultAllocator: Allocator<R, C>,
    {
        let n = self.nrows();
        assert!(
            self.is_square(),
            "try_inverse: a matrix of {n} by {} is not square",
            self.ncols()
        );
        let mut a = self.clone_owned();
        let (rows, columns) = self.shape_generic();
        let mut x = OMatrix::from_fn_generic(rows, columns, |i, j| S::constant(f64::from(i == j)));
        (n == 0 || eliminate(a.as_mut_slice(), x.as_mut_slice(), n)).then_some(x)
    }

    fn length(&self) -> S {
        self.iter().map(|x| *x * x).sum::<S>().sqrt()
    }
}

impl<S: Scalar, R: Dim, C: Dim, A: Storage<S, R, C>> Mul<Matrix<S, R, C, A>> for Literal<S>
where
    DefaultAllocator: Allocator<R, C>,
{
    type Output = OMatrix<S, R, C>;

    fn mul(self, rhs: Matrix<S, R, C, A>) -> Self::Output {
        rhs.map(|x| x * self)
    }
}

impl<S: Scalar, R: Dim, C: Dim, A: Storage<S, R, C>> Mul<&Matrix<S, R, C, A>> for Literal<S>
where
    DefaultAllocator: Allocator<R, C>,
{
    type Output = OMatrix<S, R, C>;

    fn mul(self, rhs: &Matrix<S, R, C, A>) -> Self::Output {
        rhs.map(|x| x * self)
    }
}

macro_rules! literal_on_the_right {
    ($($op:ident $method:ident $assign:ident $assign_method:ident;)*) => {
        $(impl<S: Scalar, R: Dim, C: Dim, A: Storage<S, R, C>> $op<Literal<S>> for Matrix<S, R, C, A>
        where
            DefaultAllocator: Allocator<R, C>,
        {
            type Output = OMatrix<S, R, C>;

            fn $method(self, rhs: Literal<S>) -> Self::Output {
                self.map(|x| x.$method(rhs))
            }
        }

        impl<S: Scalar, R: Dim, C: Dim, A: Storage<S, R, C>> $op<Literal<S>> for &Matrix<S, R, C, A>
        where
            DefaultAllocator: Allocator<R, C>,
        {
            type Output = OMatrix<S, R, C>;

            fn $method(self, rhs: Literal<S>) -> Self::Output {
                self.map(|x| x.$method(rhs))
            }
        }

        impl<S: Scalar, R: Dim, C: Dim, A: StorageMut<S, R, C>> $assign<Literal<S>> for Matrix<S, R, C, A> {
            fn $assign_method(&mut self, rhs: Literal<S>) {
                self.apply(|x| x.$assign_method(rhs));
            }
        })*
    };
}

literal_on_the_right! {
    Mul mul MulAssign mul_assign;
    Div div DivAssign div_assign;
}
