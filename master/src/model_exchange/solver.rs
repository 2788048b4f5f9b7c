//! The integrators around a Model Exchange FMU.

use fmu_numerics::bdf::Bdf;
use fmu_numerics::{DormandPrince, Method, Pattern, Still, Tolerance};

use crate::settings::Solver;

/// An integrator for states with these nominal values; the pattern is that of the Jacobian.
pub(super) fn method(solver: Solver, tolerance: f64, nominals: &[f64], pattern: &Pattern) -> Method {
    let n = nominals.len();
    let tolerance = Tolerance::of_nominals(tolerance, nominals.iter().copied());
    match solver {
        _ if n == 0 => Method::Still(Still::default()),
        Solver::DormandPrince => Method::DormandPrince(DormandPrince::new(n, tolerance)),
        _ => Method::Bdf(Box::new(Bdf::new(pattern, tolerance))),
    }
}

/// Gives the steps to come another relative tolerance.
pub(super) fn tolerate(method: &mut Method, relative: f64, nominals: &[f64]) {
    if let Some(tolerance) = method.tolerance_mut()
        && tolerance.relative() != relative
    {
        tolerance.retune(relative, nominals);
    }
}
