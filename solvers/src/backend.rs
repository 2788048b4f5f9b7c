//! A system as diffsol wants it, over its dense or its sparse matrices.

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;

use diffsol::matrix::sparsity::MatrixSparsity;
use diffsol::op::ParameterisedOp;
use diffsol::{
    ConstantOp, FaerContext, FaerSparseLU, FaerSparseMat, FaerVec, LinearSolver, Matrix, NalgebraContext,
    NalgebraMat, NalgebraVec, NonLinearOp, NonLinearOpJacobian, OdeEquations, OdeEquationsRef, Op,
    UnitCallable, Vector, VectorCommon,
};

use crate::{DynSystem, Error, Pattern, evaluate};

/// What stands for values that the system refused: far outside of any usual tolerance, and small enough for its square.
pub(crate) const NOWHERE: f64 = 1e60;

/// Vectors and matrices of diffsol, and how to reach their numbers.
pub(crate) trait Backend: Sized + 'static {
    type C: diffsol::Context;
    type V: Vector<T = f64, C = Self::C> + diffsol::DefaultDenseMatrix;
    type M: Matrix<T = f64, V = Self::V, C = Self::C>;
    type Solver: LinearSolver<Self::M>;
    fn numbers(vector: &Self::V) -> &[f64];
    fn numbers_mut(vector: &mut Self::V) -> &mut [f64];
    fn entries_mut(matrix: &mut Self::M) -> &mut [f64];
    fn sparsity(pattern: Option<&Pattern>) -> Option<<Self::M as Matrix>::Sparsity>;
}

pub(crate) struct Dense;

impl Backend for Dense {
    type C = NalgebraContext;
    type V = NalgebraVec<f64>;
    type M = NalgebraMat<f64>;
    type Solver = crate::linear::Dense;

    fn numbers(vector: &Self::V) -> &[f64] {
        vector.inner().as_slice()
    }
    fn numbers_mut(vector: &mut Self::V) -> &mut [f64] {
        vector.inner_mut().as_mut_slice()
    }
    fn entries_mut(matrix: &mut Self::M) -> &mut [f64] {
        matrix.inner_mut().as_mut_slice()
    }
    fn sparsity(_: Option<&Pattern>) -> Option<<Self::M as Matrix>::Sparsity> {
        None
    }
}

pub(crate) struct Sparse;

impl Backend for Sparse {
    type C = FaerContext;
    type V = FaerVec<f64>;
    type M = FaerSparseMat<f64>;
    type Solver = FaerSparseLU<f64>;

    fn numbers(vector: &Self::V) -> &[f64] {
        vector.inner().col_as_slice(0)
    }
    fn numbers_mut(vector: &mut Self::V) -> &mut [f64] {
        vector.inner_mut().col_as_slice_mut(0)
    }
    fn entries_mut(matrix: &mut Self::M) -> &mut [f64] {
        matrix.inner_mut()[0].val_mut()
    }
    fn sparsity(pattern: Option<&Pattern>) -> Option<<Self::M as Matrix>::Sparsity> {
        let pattern = pattern?;
        // The order of a pattern is that of compressed columns, so entries need no rearranging.
        let sparsity = MatrixSparsity::<Self::M>::try_from_indices(
            pattern.rows(),
            pattern.columns(),
            pattern.iter().collect(),
        );
        Some(sparsity.expect("indices of a pattern are inside of it"))
    }
}

/// The equations of a system.
pub(crate) struct Equations<'s, B: Backend> {
    pub system: &'s RefCell<DynSystem<'s>>,
    size: usize,
    context: B::C,
    sparsity: Option<<B::M as Matrix>::Sparsity>,
    start: Vec<f64>,
    /// What was refused last, until it is forgotten.
    refused: Cell<Option<Error>>,
    backend: PhantomData<B>,
}

impl<'s, B: Backend> Equations<'s, B> {
    pub fn new(system: &'s RefCell<DynSystem<'s>>, start: &[f64]) -> Self {
        let sparsity = B::sparsity(system.borrow().pattern());
        Self {
            system,
            size: start.len(),
            context: B::C::default(),
            sparsity,
            start: start.to_vec(),
            refused: Cell::new(None),
            backend: PhantomData,
        }
    }

    /// Evaluates the derivatives; what is not finite is refused.
    pub fn derivatives(&self, time: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Error> {
        evaluate(self.system, time, x, dx)
    }

    /// What was refused last since this was asked before.
    pub fn take_refused(&self) -> Option<Error> {
        self.refused.take()
    }
}

/// The right-hand side, or the initial values.
pub(crate) struct Borrowed<'a, 's, B: Backend>(&'a Equations<'s, B>);

macro_rules! op {
    ($type:ty, <$($lifetime:lifetime),+>, |$this:ident| $equations:expr) => {
        impl<$($lifetime,)+ B: Backend> Op for $type {
            type T = f64;
            type V = B::V;
            type M = B::M;
            type C = B::C;
            fn context(&self) -> &B::C {
                let $this = self;
                &$equations.context
            }
            fn nstates(&self) -> usize {
                let $this = self;
                $equations.size
            }
            fn nout(&self) -> usize {
                let $this = self;
                $equations.size
            }
            fn nparams(&self) -> usize {
                0
            }
        }
    };
}

op!(Equations<'s, B>, <'s>, |this| this);
op!(Borrowed<'a, 's, B>, <'a, 's>, |this| this.0);

impl<B: Backend> NonLinearOp for Borrowed<'_, '_, B> {
    fn call_inplace(&self, x: &B::V, time: f64, dx: &mut B::V) {
        let dx = B::numbers_mut(dx);
        if let Err(error) = self.0.derivatives(time, B::numbers(x), dx) {
            dx.fill(NOWHERE);
            self.0.refused.set(Some(error));
        }
    }
}

impl<B: Backend> NonLinearOpJacobian for Borrowed<'_, '_, B> {
    fn jac_mul_inplace(&self, x: &B::V, time: f64, v: &B::V, y: &mut B::V) {
        let mut matrix = B::M::new_from_sparsity(
            self.0.size,
            self.0.size,
            self.0.sparsity.clone(),
            self.0.context.clone(),
        );
        self.jacobian_inplace(x, time, &mut matrix);
        matrix.gemv(1.0, v, 0.0, y);
    }

    fn jacobian_inplace(&self, x: &B::V, time: f64, matrix: &mut B::M) {
        let entries = B::entries_mut(matrix);
        let result = self.0.system.borrow_mut().jacobian(time, B::numbers(x), entries);
        if result.is_err() || entries.iter().any(|value| !value.is_finite()) {
            // A wrong Jacobian lets Newton's method fail; one that is not finite would spoil the factorization.
            entries.fill(0.0);
        }
    }

    fn jacobian_sparsity(&self) -> Option<<B::M as Matrix>::Sparsity> {
        self.0.sparsity.clone()
    }
}

impl<B: Backend> ConstantOp for Borrowed<'_, '_, B> {
    fn call_inplace(&self, _: f64, y: &mut B::V) {
        B::numbers_mut(y).copy_from_slice(&self.0.start);
    }
}

impl<'a, 's, B: Backend> OdeEquationsRef<'a> for Equations<'s, B> {
    type Mass = ParameterisedOp<'a, UnitCallable<B::M>>;
    type Rhs = Borrowed<'a, 's, B>;
    type Root = ParameterisedOp<'a, UnitCallable<B::M>>;
    type Init = Borrowed<'a, 's, B>;
    type Out = ParameterisedOp<'a, UnitCallable<B::M>>;
    type Reset = ParameterisedOp<'a, UnitCallable<B::M>>;
}

impl<'s, B: Backend> OdeEquations for Equations<'s, B> {
    fn rhs(&self) -> Borrowed<'_, 's, B> {
        Borrowed(self)
    }
    fn mass(&self) -> Option<<Self as OdeEquationsRef<'_>>::Mass> {
        None
    }
    fn init(&self) -> Borrowed<'_, 's, B> {
        Borrowed(self)
    }
    fn set_params(&mut self, _: &B::V) {}
    fn get_params(&self, _: &mut B::V) {}
}
