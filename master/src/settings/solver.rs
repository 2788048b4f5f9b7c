//! The solvers of Model Exchange components.

use std::fmt;
use std::str::FromStr;

/// A solver of the equations of Model Exchange components. Some can be put around one component that steps, some over all
/// components together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Solver {
    /// Backward differentiation formulas of variable order. The default: nothing in an FMU says whether it is stiff, and an
    /// explicit method makes millions of steps where it is. Around a component its history is kept over communication
    /// points.
    #[default]
    Bdf,
    /// The explicit Runge-Kutta pair of Dormand and Prince, around one component: cheaper for models that are not stiff.
    DormandPrince,
    /// A singly diagonally implicit Runge-Kutta method of order 3, over all components: for many events.
    Esdirk34,
    /// The trapezoidal rule with a backward differentiation formula, of order 2, over all components: for many events.
    TrBdf2,
    /// The explicit Runge-Kutta pair of Tsitouras, of order 5, over all components that are not stiff.
    Tsit45,
    /// The explicit Euler method with fixed steps, over all components.
    Euler,
    /// The classical Runge-Kutta method with fixed steps, over all components.
    Rk4,
}

impl Solver {
    /// All of them.
    pub const ALL: [Solver; 7] = [
        Solver::Bdf,
        Solver::DormandPrince,
        Solver::Esdirk34,
        Solver::TrBdf2,
        Solver::Tsit45,
        Solver::Euler,
        Solver::Rk4,
    ];

    /// Those that can be put around one component.
    pub const OF_COMPONENTS: [Solver; 2] = [Solver::Bdf, Solver::DormandPrince];

    /// The word for it in a system file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Solver::Bdf => "bdf",
            Solver::DormandPrince => "dormand-prince",
            Solver::Esdirk34 => "esdirk34",
            Solver::TrBdf2 => "tr-bdf2",
            Solver::Tsit45 => "tsit45",
            Solver::Euler => "euler",
            Solver::Rk4 => "rk4",
        }
    }

    /// Whether it can be put around one component that steps.
    pub fn is_of_components(self) -> bool {
        Solver::OF_COMPONENTS.contains(&self)
    }

    /// The solver over all components, if it is one.
    #[cfg(feature = "aggregate")]
    pub fn over_all(self) -> Option<fmu_importer::simulate::Method> {
        self.as_str().parse().ok()
    }

    /// A solver that can be put around one component, by its word.
    pub fn of_component(word: &str) -> Result<Solver, String> {
        let known = Solver::OF_COMPONENTS;
        let found = known.into_iter().find(|solver| solver.as_str() == word);
        found.ok_or_else(|| {
            format!(
                "no integrator of a component is called '{word}'; there are {}",
                known.map(Solver::as_str).join(", ")
            )
        })
    }
}

impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Solver {
    type Err = String;

    fn from_str(word: &str) -> Result<Solver, String> {
        let lower = word.to_ascii_lowercase();
        let found = Solver::ALL.into_iter().find(|solver| solver.as_str() == lower);
        found.ok_or_else(|| {
            format!(
                "there is no solver `{word}`; there are {}",
                Solver::ALL.map(Solver::as_str).join(", ")
            )
        })
    }
}
