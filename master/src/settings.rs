//! How a coupled system is simulated: one set of settings, whether components step or are aggregated.

mod control;
mod solver;

pub use control::{Control, Norm, Per};
pub use solver::Solver;

use crate::stabilize::Rule;

/// Gives settings one function per field, so that programs can choose values although later versions may have more fields.
macro_rules! setters {
    ($of:ty { $($(#[$attribute:meta])* $field:ident: $type:ty,)* }) => {
        impl $of {
            $(
                $(#[$attribute])*
                #[doc = concat!("Sets [`", stringify!($field), "`](Self::", stringify!($field), ").")]
                #[must_use]
                pub fn $field(mut self, $field: $type) -> Self {
                    self.$field = $field.into();
                    self
                }
            )*
        }
    };
}
pub(crate) use setters;

/// How a system is advanced in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Advance {
    /// Components make communication steps, by an [`Algorithm`] ([`Master`](crate::Master)).
    #[default]
    Stepping,
    /// One solver integrates the equations of all components, which is what Model Exchange is for (Pannu 2015).
    Aggregate,
}

impl Advance {
    /// The word for aggregation in a system file, in the place of an [`Algorithm`].
    pub const AGGREGATE: &str = "aggregate";
}

/// The algorithm of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// All components step at once, with inputs that are extrapolated (Andersson 2016, algorithm 3).
    #[default]
    Jacobi,
    /// One after another, each with the newest outputs of those before it.
    GaussSeidel,
    /// The same, repeated from the beginning of the step until nothing changes.
    IteratedGaussSeidel,
    /// Loops of components are solved by Newton's method over whole steps.
    Newton,
    /// All step at once, with inputs that follow a linear model of the other components (Viel 2014).
    Stabilized,
}

impl Algorithm {
    /// The word for it in a system file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Algorithm::Jacobi => "jacobi",
            Algorithm::GaussSeidel => "gauss-seidel",
            Algorithm::IteratedGaussSeidel => "iterated-gauss-seidel",
            Algorithm::Newton => "newton",
            Algorithm::Stabilized => "stabilized",
        }
    }

    /// All of them.
    pub const ALL: [Algorithm; 5] = [
        Algorithm::Jacobi,
        Algorithm::GaussSeidel,
        Algorithm::IteratedGaussSeidel,
        Algorithm::Newton,
        Algorithm::Stabilized,
    ];

    /// The algorithm that a word of a system file means.
    pub fn from_word(word: &str) -> Option<Algorithm> {
        Algorithm::ALL
            .into_iter()
            .find(|algorithm| algorithm.as_str() == word)
    }

    /// Components step at once, none with what another one has just done.
    pub const fn at_once(self) -> bool {
        matches!(self, Algorithm::Jacobi | Algorithm::Stabilized)
    }

    /// Steps are repeated, so components must be able to go back.
    pub const fn repeats(self) -> bool {
        matches!(self, Algorithm::IteratedGaussSeidel | Algorithm::Newton)
    }
}

/// How an input is extrapolated with order 2 from its last three values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quadratic {
    /// By the parabola through them: of second order.
    #[default]
    Parabola,
    /// By the first and second difference as derivatives at the newest point (Andersson 2016, equation 6.30): of first
    /// order, and stable for larger steps.
    Differences,
}

impl Quadratic {
    /// All of them.
    pub const ALL: [Quadratic; 2] = [Quadratic::Parabola, Quadratic::Differences];

    /// The word for it in a system file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Quadratic::Parabola => "parabola",
            Quadratic::Differences => "differences",
        }
    }

    /// What a word of a system file means.
    pub fn from_word(word: &str) -> Option<Quadratic> {
        Quadratic::ALL.into_iter().find(|one| one.as_str() == word)
    }

    /// The weights of the last values, the newest first, in the value a step later, for extrapolation of an order and
    /// equal steps.
    ///
    /// ```
    /// use fmu_master::settings::Quadratic;
    ///
    /// assert_eq!(Quadratic::Parabola.weights(2), [3.0, -3.0, 1.0]);
    /// assert_eq!(Quadratic::Differences.weights(2), [2.5, -2.0, 0.5]);
    /// ```
    pub const fn weights(self, order: u32) -> &'static [f64] {
        match (order, self) {
            (0, _) => &[1.0],
            (1, _) => &[2.0, -1.0],
            (_, Quadratic::Parabola) => &[3.0, -3.0, 1.0],
            (_, Quadratic::Differences) => &[2.5, -2.0, 0.5],
        }
    }
}

/// The interface of FMI through which an FMU takes part in a coupled simulation with steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interface {
    /// The FMU steps by itself, with the integrator that its author has chosen for it.
    #[default]
    CoSimulation,
    /// The FMU gives its equations, and an integrator of this crate is put around them
    /// ([`SteppedModel`](crate::model_exchange::SteppedModel)).
    ModelExchange,
}

impl Interface {
    /// All of them.
    pub const ALL: [Interface; 2] = [Interface::CoSimulation, Interface::ModelExchange];

    /// The word for it in a system file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Interface::CoSimulation => "co-simulation",
            Interface::ModelExchange => "model-exchange",
        }
    }

    /// The interface that a word of a system file means.
    pub fn from_word(word: &str) -> Option<Interface> {
        Interface::ALL
            .into_iter()
            .find(|interface| interface.as_str() == word)
    }

    /// Its name in the standard.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Interface::CoSimulation => "Co-Simulation",
            Interface::ModelExchange => "Model Exchange",
        }
    }
}

/// What is done about outputs that depend on inputs at the same time, once all components have stepped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Correction {
    /// Nothing: the inputs of the next step are those outputs that belong to old inputs.
    #[default]
    None,
    /// One step of Newton's method with the feed-through that components report (Andersson 2016, algorithms 5 and 6).
    Linear,
    /// Outputs and inputs are solved for each other (algorithm 4); components must compute outputs for new inputs.
    Consistent,
}

impl Correction {
    /// The word for it in a system file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Correction::None => "none",
            Correction::Linear => "linear",
            Correction::Consistent => "consistent",
        }
    }

    /// The correction that a word of a system file means.
    pub fn from_word(word: &str) -> Option<Correction> {
        [Correction::None, Correction::Linear, Correction::Consistent]
            .into_iter()
            .find(|correction| correction.as_str() == word)
    }
}

/// How a coupled system is simulated.
///
/// ```
/// use fmu_master::settings::{Algorithm, Settings};
///
/// let settings = Settings::default().stop(2.0).step(1e-3).algorithm(Algorithm::GaussSeidel);
/// assert_eq!((settings.start, settings.stop), (0.0, 2.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    /// Start time.
    pub start: f64,
    /// Stop time; components are never evaluated beyond it.
    pub stop: f64,
    /// The communication step; the first one, with error control. Aggregated components have no communication steps: for
    /// them it is the distance between output points.
    pub step: f64,
    /// Algorithm of a step.
    pub algorithm: Algorithm,
    /// The interface of FMUs that have both; components may have their own. FMUs with one interface use that one.
    pub interface: Interface,
    /// Order of the polynomials that inputs follow inside a step: 0, 1 or 2.
    pub extrapolation: u32,
    /// How inputs are extrapolated with order 2 by differences.
    pub quadratic: Quadratic,
    /// Derivatives of inputs by differences, also where components report those of their outputs.
    pub differences: bool,
    /// What is done about feed-through after a step.
    pub correction: Correction,
    /// Inputs continue from where they were extrapolated to, without jumps (Andersson 2016, algorithm 7).
    pub smoothing: bool,
    /// How stabilized steps discretize their linear model.
    pub rule: Rule,
    /// Most iterations of a loop or a step; repeated sweeps that converge steadily go on, unless `insist` is set.
    pub iterations: usize,
    /// The change that counts as zero: relative, and as a part of the nominal value.
    pub convergence: f64,
    /// Relative tolerance of the integration: passed to each component where components step, and that of the one solver
    /// where they are aggregated. `None`: with error control 1 % of its tolerance (aggregated: all of it); otherwise what
    /// each component proposes (aggregated: 1e-6).
    pub tolerance: Option<f64>,
    /// Whether components step at once, where the algorithm lets them.
    pub parallel: Parallel,
    /// The solver of Model Exchange components: around each of them where they step and do not have their own
    /// ([`Component::solver`](crate::system::Component::solver)), and over all where they are aggregated.
    pub solver: Solver,
    /// Whether the Jacobian of aggregated components is sparse.
    #[cfg(feature = "aggregate")]
    pub matrices: fmu_importer::simulate::Matrices,
    /// Error control, if wanted.
    pub control: Option<Control>,
    /// Snapshots for repeating discarded steps; those that the algorithm needs are always taken.
    pub snapshots: Snapshots,
    /// A diverging coupling and loops that do not converge are warnings, not errors.
    pub insist: bool,
}

setters!(Settings {
    start: f64,
    stop: f64,
    step: f64,
    algorithm: Algorithm,
    interface: Interface,
    extrapolation: u32,
    quadratic: Quadratic,
    differences: bool,
    correction: Correction,
    smoothing: bool,
    rule: Rule,
    iterations: usize,
    convergence: f64,
    tolerance: impl Into<Option<f64>>,
    parallel: Parallel,
    solver: Solver,
    #[cfg(feature = "aggregate")]
    matrices: fmu_importer::simulate::Matrices,
    control: impl Into<Option<Control>>,
    snapshots: Snapshots,
    insist: bool,
});

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            start: 0.0,
            stop: 1.0,
            step: 0.01,
            algorithm: Algorithm::default(),
            interface: Interface::default(),
            extrapolation: 0,
            quadratic: Quadratic::default(),
            differences: false,
            correction: Correction::default(),
            smoothing: false,
            rule: Rule::default(),
            iterations: 50,
            convergence: 1e-8,
            tolerance: None,
            parallel: Parallel::default(),
            solver: Solver::default(),
            #[cfg(feature = "aggregate")]
            matrices: fmu_importer::simulate::Matrices::default(),
            control: None,
            snapshots: Snapshots::default(),
            insist: false,
        }
    }
}

impl Settings {
    /// The tolerance that is passed to components that step.
    pub(crate) fn component_tolerance(&self) -> Option<f64> {
        let controlled = self.control.map(|control| (1e-2 * control.relative).max(1e-12));
        self.tolerance.or(controlled)
    }

    /// The tolerance of one solver over all components.
    #[cfg(feature = "aggregate")]
    pub(crate) fn solver_tolerance(&self) -> f64 {
        let controlled = self.control.map(|control| control.relative);
        self.tolerance.or(controlled).unwrap_or(1e-6)
    }
}

/// Whether components step at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Parallel {
    /// When their steps take long enough that it pays.
    #[default]
    WhenItPays,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Snapshots before each step, only in case a component discards it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Snapshots {
    /// Where they are cheap for all components.
    #[default]
    WhereCheap,
    /// Where all components can go back.
    Always,
    /// Not at all.
    Never,
}
