//! The integrators around a Model Exchange FMU, behind one face.

use std::str::FromStr;

use fmu_numerics::bdf::Bdf;
use fmu_numerics::{DormandPrince, Pattern, StepError, Tolerance};

use super::plant::Plant;

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

/// An integrator with its memory.
#[derive(Clone, Debug)]
pub(super) enum Method {
    /// Nothing to integrate: only time passes.
    Still(f64),
    DormandPrince(Box<DormandPrince>),
    Bdf(Box<Bdf>),
}

impl Method {
    /// An integrator for states with these nominal values; the pattern is that of the Jacobian.
    pub fn new(solver: Solver, tolerance: f64, nominals: &[f64], pattern: &Pattern) -> Method {
        let n = nominals.len();
        let tolerance = Tolerance::of_nominals(tolerance, nominals.iter().copied());
        match solver {
            _ if n == 0 => Method::Still(0.0),
            Solver::Bdf => Method::Bdf(Box::new(Bdf::new(pattern, tolerance))),
            Solver::DormandPrince => Method::DormandPrince(Box::new(DormandPrince::new(n, tolerance))),
        }
    }

    /// Takes another relative tolerance for the steps to come.
    pub fn tolerate(&mut self, relative: f64, nominals: &[f64]) {
        let tolerance = match self {
            Method::Still(_) => return,
            Method::DormandPrince(inner) => inner.tolerance_mut(),
            Method::Bdf(inner) => inner.tolerance_mut(),
        };
        if tolerance.relative() != relative {
            tolerance.retune(relative, nominals);
        }
    }

    pub fn time(&self) -> f64 {
        match self {
            Method::Still(t) => *t,
            Method::DormandPrince(inner) => inner.time(),
            Method::Bdf(inner) => inner.time(),
        }
    }

    pub fn states(&self) -> &[f64] {
        match self {
            Method::Still(_) => &[],
            Method::DormandPrince(inner) => inner.states(),
            Method::Bdf(inner) => inner.states(),
        }
    }

    /// Begins anew.
    pub fn restart(&mut self, t: f64, x: &[f64]) {
        match self {
            Method::Still(time) => *time = t,
            Method::DormandPrince(inner) => inner.restart(t, x),
            Method::Bdf(inner) => inner.restart(t, x),
        }
    }

    /// Goes on from where states have jumped.
    pub fn jump(&mut self, t: f64, x: &[f64]) {
        match self {
            Method::DormandPrince(inner) => inner.go_on(t, x),
            method => method.restart(t, x),
        }
    }

    /// Goes on where inputs that are states of the integration have been set again, and what drives them has changed: a
    /// history is kept (Andersson 2016, section 7.3).
    pub fn go_on(&mut self, t: f64, x: &[f64]) {
        match self {
            Method::DormandPrince(inner) => inner.go_on(t, x),
            Method::Bdf(inner) => inner.go_on(x),
            method => method.restart(t, x),
        }
    }

    /// Goes on where the equations have changed and the states have not.
    pub fn cross_over(&mut self) {
        match self {
            Method::Still(_) => {}
            Method::DormandPrince(inner) => inner.cross_over(),
            Method::Bdf(inner) => inner.cross_over(),
        }
    }

    /// Goes on where inputs have bent, and nothing has jumped.
    pub fn bend(&mut self) {
        match self {
            Method::Bdf(inner) => inner.bend(),
            method => method.cross_over(),
        }
    }

    /// Makes one step towards `end`, and never beyond it.
    pub fn step(&mut self, plant: &mut Plant<'_>, end: f64) -> Result<(), StepError<fmu_importer::Error>> {
        match self {
            Method::Still(t) => {
                *t = end;
                Ok(())
            }
            Method::DormandPrince(inner) => inner.step(plant, end),
            Method::Bdf(inner) => inner.step(plant, end),
        }
    }

    /// Before [`Method::interpolate`].
    pub fn prepare(&mut self) {
        if let Method::DormandPrince(inner) = self {
            inner.prepare();
        }
    }

    /// The states at a time in the last step.
    pub fn interpolate(&self, t: f64, x: &mut [f64]) {
        match self {
            Method::Still(_) => {}
            Method::DormandPrince(inner) => inner.interpolate(t, x),
            Method::Bdf(inner) => inner.interpolate(t, x),
        }
    }

    /// The last step is over at `t` already, with the states `x` of the interpolant.
    pub fn back_to(&mut self, t: f64, x: &[f64]) {
        match self {
            Method::Bdf(inner) => inner.back_to(t),
            method => method.jump(t, x),
        }
    }
}
