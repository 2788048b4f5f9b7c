//! The integrators around a Model Exchange FMU.

use std::str::FromStr;

use fmu_numerics::bdf::Bdf;
use fmu_numerics::{DormandPrince, Method, Pattern, Still, Tolerance};

/// The integrator around a Model Exchange FMU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// Backward differentiation formulas of variable order. The default: nothing in an FMU says whether it is stiff, and an
    /// explicit method makes millions of steps where it is. Its history is kept over communication points.
    #[default]
    Bdf,
    /// The explicit Runge-Kutta pair of Dormand and Prince: cheaper for models that are not stiff.
    DormandPrince,
}

impl Solver {
    /// All of them.
    pub const ALL: [Solver; 2] = [Solver::Bdf, Solver::DormandPrince];

    /// The word for it in a system file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Solver::Bdf => "bdf",
            Solver::DormandPrince => "dormand-prince",
        }
    }
}

impl FromStr for Solver {
    type Err = String;

    fn from_str(word: &str) -> Result<Solver, String> {
        let known = Solver::ALL.map(Solver::as_str);
        let found = Solver::ALL.into_iter().find(|solver| solver.as_str() == word);
        found.ok_or_else(|| {
            format!(
                "no integrator of a component is called '{word}'; there are {}",
                known.join(", ")
            )
        })
    }
}

/// An integrator for states with these nominal values; the pattern is that of the Jacobian.
pub(super) fn method(solver: Solver, tolerance: f64, nominals: &[f64], pattern: &Pattern) -> Method {
    let n = nominals.len();
    let tolerance = Tolerance::of_nominals(tolerance, nominals.iter().copied());
    match solver {
        _ if n == 0 => Method::Still(Still::default()),
        Solver::Bdf => Method::Bdf(Box::new(Bdf::new(pattern, tolerance))),
        Solver::DormandPrince => Method::DormandPrince(DormandPrince::new(n, tolerance)),
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
