//! Which unknown depends on which known, and how: found by running the equations with expressions in place of
//! numbers.

use crate::scalar::Trace;
use crate::scalar::trace_explore;

/// What kind of variable a known is, which decides how a factor made of it may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// A continuous state.
    State,
    /// A continuous input.
    Input,
    /// The independent variable.
    Time,
    /// A variable that changes at events alone; one that is not a Real takes part by [`Trace::choose`].
    Discrete,
    /// A parameter that is fixed after initialization.
    Fixed,
    /// A parameter that may change at events.
    Tunable,
    /// A constant that is listed among the knowns.
    Constant,
}

/// How an unknown depends on a known (`dependenciesKind` of FMI), from the simplest to the most general.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// By a constant factor.
    Constant,
    /// By a factor of fixed parameters.
    Fixed,
    /// By a factor of tunable (and fixed) parameters.
    Tunable,
    /// By a factor of discrete variables (and parameters).
    Discrete,
    /// In any way.
    Dependent,
}

/// What one unknown depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnknownDependencies {
    /// The knowns by ascending index, each with the kind of the dependency.
    pub on: Vec<(usize, Kind)>,
    /// Why the unknown was taken to depend on everything, if it was: a sentence without the unknown's name.
    pub dense: Option<String>,
}

/// The result of an exploration: for each unknown, in the order that the equations return them, what it depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exploration {
    /// One entry per unknown.
    pub unknowns: Vec<UnknownDependencies>,
    /// Whether every path through the equations was run, so that nothing rests on the learning of which
    /// decisions matter.
    pub every_path: bool,
    /// How often the equations were run.
    pub runs: usize,
}

/// Runs the equations with expressions for numbers and finds what every unknown depends on.
///
/// `evaluate` gets one expression per known and returns one per unknown, always as many; `None` (or a panic)
/// where the equations have no value on this path. It must be deterministic.
///
/// ```
/// use fmu_runtime::pattern::{Class, Kind, explore};
///
/// // Flow through a valve that closes under back pressure.
/// let found = explore(&[Class::Input, Class::Input, Class::Fixed], |known| {
///     let (upstream, downstream, area) = (known[0], known[1], known[2]);
///     let drop = upstream - downstream;
///     let flow = if drop > 0.0 { area * drop } else { drop * 0.0 };
///     Some(vec![flow, area * upstream])
/// });
/// let [flow, force] = &found.unknowns[..] else { unreachable!() };
/// // The factor of the drop is chosen by a comparison of live values.
/// assert_eq!(flow.on, [(0, Kind::Dependent), (1, Kind::Dependent), (2, Kind::Dependent)]);
/// assert_eq!(force.on, [(0, Kind::Fixed), (2, Kind::Dependent)]);
/// ```
///
/// # What it promises
///
/// An unknown depends on a variable if the variable occurs in its expression on some path, or in a comparison
/// that chooses between different expressions. Casts of traced values do not exist, so comparisons (and
/// `is_nan` and its like) are the only way for a value to become control. `abs`, `min`, `max`,
/// `clamp` and tables are operations and choose nothing.
///
/// - Equations with at most 16 384 paths, none with more than 24 decisions, have *every path* run: nothing is missing.
/// - Beyond, it is *learned* which decisions matter to which unknown, all unknowns at once: decisions are changed in
///   groups against a common base; each unknown's own decisions are then taken through all their
///   combinations, together with those of other unknowns; every decision is taken both ways wherever
///   it was met; the places in the source that decide (the decisions of a loop are one place, few decisions at
///   a place are distinguished) are taken through all combinations of 12 of them; and random combinations of all decisions
///   (at least 256 runs, so that every combination of any three is met) must confirm what was learned, or it is
///   refined until they do.
/// - An unknown to which more than 16 decisions matter, or whose decisions could not be
///   distinguished within the bound on runs, depends on every known, with a reason. Others stay as they are.
/// - A run that does not end (after 65 536 decisions, or four million questions whose answers are known) makes
///   whatever its last decisions reach in other runs depend on every known, and everything if they reach nothing there.
pub fn explore(classes: &[Class], mut evaluate: impl FnMut(&[Trace]) -> Option<Vec<Trace>>) -> Exploration {
    trace_explore(classes, &mut evaluate)
}
