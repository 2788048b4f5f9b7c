//! Linear systems of full matrices, solved for diffsol by our own factorization: the pattern of many Jacobians is not
//! declared, and then most of their entries are zeros, which it skips.

use diffsol::{LaError, LaLinearOp, Matrix, MatrixCommon, NalgebraContext, NalgebraMat, NalgebraVec, Vector};
use diffsol_la::LinearSolver;
use fmu_numerics::Lu;

/// The factors of the last matrix.
#[derive(Default)]
pub(crate) struct Dense {
    /// The matrix as diffsol writes it, and its factors.
    memory: Option<(NalgebraMat<f64>, Lu)>,
    regular: bool,
}

impl Dense {
    fn refused(reason: &str) -> LaError {
        LaError::Other(reason.into())
    }
}

impl LinearSolver<NalgebraMat<f64>> for Dense {
    fn set_sparsity<C>(&mut self, op: &C)
    where
        C: LaLinearOp<T = f64, V = NalgebraVec<f64>, M = NalgebraMat<f64>, C = NalgebraContext>,
    {
        let matrix = C::M::new_from_sparsity(op.nrows(), op.ncols(), op.sparsity(), *op.context());
        self.memory = Some((matrix, Lu::new(op.nrows())));
        self.regular = false;
    }

    fn set_linearisation<C>(&mut self, op: &C)
    where
        C: LaLinearOp<T = f64, V = NalgebraVec<f64>, M = NalgebraMat<f64>, C = NalgebraContext>,
    {
        if let Some((matrix, lu)) = &mut self.memory {
            op.matrix_inplace(matrix);
            lu.matrix_mut()
                .entries_mut()
                .copy_from_slice(matrix.inner().as_slice());
            self.regular = lu.factorize_in_place();
        }
    }

    fn solve_in_place(&self, b: &mut NalgebraVec<f64>) -> Result<(), LaError> {
        match &self.memory {
            Some((_, lu)) if self.regular => {
                lu.solve(b.inner_mut().as_mut_slice());
                Ok(())
            }
            _ => Err(Self::refused("the matrix is singular")),
        }
    }

    fn solve_transpose_in_place(&self, _: &mut NalgebraVec<f64>) -> Result<(), LaError> {
        Err(Self::refused("adjoint systems are not solved here"))
    }
}
