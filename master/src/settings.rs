//! How a coupled system is simulated.

use crate::model_exchange::Solver;
use crate::stabilize::Rule;

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
    /// No steps of communication: FMUs for Model Exchange under one solver (Pannu 2015).
    Aggregate,
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
            Algorithm::Aggregate => "aggregate",
        }
    }

    /// All of them.
    pub const ALL: [Algorithm; 6] = [
        Algorithm::Jacobi,
        Algorithm::GaussSeidel,
        Algorithm::IteratedGaussSeidel,
        Algorithm::Newton,
        Algorithm::Stabilized,
        Algorithm::Aggregate,
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
    /// One step of Newton's method with the feed-through that components tell (Andersson 2016, algorithms 5 and 6).
    Linear,
    /// Outputs and inputs are solved for each other (algorithm 4); components must tell outputs for new inputs.
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Start time.
    pub start: f64,
    /// Stop time.
    pub stop: f64,
    /// Communication step; the first one, with error control.
    pub step: f64,
    /// Algorithm of a step.
    pub algorithm: Algorithm,
    /// The interface of FMUs that have both; components may have their own. FMUs with one interface use that one.
    pub interface: Interface,
    /// Order of the polynomials that inputs follow inside a step: 0, 1 or 2.
    pub extrapolation: u32,
    /// How inputs are extrapolated with order 2 by differences.
    pub quadratic: Quadratic,
    /// Derivatives of inputs by differences, also where components tell those of their outputs.
    pub differences: bool,
    /// What is done about feed-through after a step.
    pub correction: Correction,
    /// Inputs go on from where they were extrapolated to, without jumps (Andersson 2016, algorithm 7).
    pub smoothing: bool,
    /// How stabilized steps discretize their linear model.
    pub rule: Rule,
    /// Most iterations of a loop or a step; repeated sweeps that converge steadily go on, unless `insist` is set.
    pub iterations: usize,
    /// What counts as no change: relative, and as a part of the nominal value.
    pub convergence: f64,
    /// Tolerance of the integrators inside components; none: so much less than the error control tolerates that the
    /// coupling alone counts or, without error control, what they propose.
    pub tolerance: Option<f64>,
    /// Whether components step at once, where the algorithm lets them.
    pub parallel: Parallel,
    /// The integrator around components that step through Model Exchange and have none of their own
    /// ([`Component::solver`](crate::system::Component::solver)).
    pub integrator: Solver,
    /// The solver over all components, for [`Algorithm::Aggregate`].
    #[cfg(feature = "aggregate")]
    pub solver: fmu_importer::simulate::Method,
    /// Error control, if wanted.
    pub control: Option<Control>,
    /// Snapshots for repeating discarded steps; those that the algorithm needs are always taken.
    pub snapshots: Snapshots,
    /// A diverging coupling and loops that do not converge are warnings, no errors.
    pub insist: bool,
}

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
            integrator: Solver::default(),
            #[cfg(feature = "aggregate")]
            solver: fmu_importer::simulate::Method::default(),
            control: None,
            snapshots: Snapshots::default(),
            insist: false,
        }
    }
}

impl Settings {
    /// What components are told as their tolerance.
    pub(crate) fn slave_tolerance(&self) -> Option<f64> {
        let controlled = self.control.map(|control| (1e-2 * control.relative).max(1e-12));
        self.tolerance.or(controlled)
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

/// Error control by step doubling.
///
/// ```
/// use fmu_master::settings::Control;
///
/// let control = Control { maximum: 0.5, ..Control::new(1e-5, 10.0) };
/// assert_eq!((control.relative, control.absolute), (1e-5, 1e-5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Control {
    /// Relative tolerance.
    pub relative: f64,
    /// Absolute tolerance, as a part of the nominal value.
    pub absolute: f64,
    /// Smallest step.
    pub minimum: f64,
    /// Largest step.
    pub maximum: f64,
    /// What the tolerance applies to: the error of the whole run, or that of a step.
    pub per: Per,
    /// How the errors of many variables become one number.
    pub norm: Norm,
}

impl Control {
    /// The defaults for a relative tolerance and a run of this duration.
    pub fn new(tolerance: f64, duration: f64) -> Control {
        Control {
            relative: tolerance,
            absolute: tolerance,
            minimum: 1e-10 * duration,
            maximum: duration,
            per: Per::default(),
            norm: Norm::default(),
        }
    }
}

/// What the tolerance of error control applies to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Per {
    /// A step may add as much of the tolerated error as its part of the run: the errors of all steps together stay within
    /// the tolerance, and the error at the end falls in proportion to it.
    #[default]
    UnitStep,
    /// Each step may add the whole tolerated error (Andersson 2016, section 9.3.2).
    Step,
}

impl Per {
    /// All of them.
    pub const ALL: [Per; 2] = [Per::UnitStep, Per::Step];

    /// The word for it in a system file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Per::UnitStep => "unit-step",
            Per::Step => "step",
        }
    }

    /// What a word of a system file means.
    pub fn from_word(word: &str) -> Option<Per> {
        Per::ALL.into_iter().find(|per| per.as_str() == word)
    }
}

/// How the errors of many variables become one number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Norm {
    /// The largest one.
    #[default]
    Maximum,
    /// The root of the mean square over the outputs that feed inputs, estimated with the order that was asked for: so the
    /// step counts of Andersson 2016 are found. It hides one large error among many small ones.
    RootMeanSquare,
}

impl Norm {
    /// All of them.
    pub const ALL: [Norm; 2] = [Norm::Maximum, Norm::RootMeanSquare];

    /// The word for it in a system file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Norm::Maximum => "maximum",
            Norm::RootMeanSquare => "root-mean-square",
        }
    }

    /// What a word of a system file means.
    pub fn from_word(word: &str) -> Option<Norm> {
        Norm::ALL.into_iter().find(|norm| norm.as_str() == word)
    }
}
