//! Which variables are unknowns and what they depend on.

use super::words;

/// A reference to a variable.
///
/// The files count variables from 1 (FMI 2.0) or use value references (FMI 3.0). The readers translate both into the position in
/// [`model_variables`](super::ModelDescription::model_variables), and the writers translate back. A number that belongs to no
/// variable stays as it is written in the file, so that a checker can report it.
///
/// ```
/// use fmu_standard::description::Reference;
///
/// let third = Reference::to(2);
/// assert_eq!(third.position(), Some(2));
/// assert_eq!(third.index(), 3);
/// assert_eq!(Reference::Missing(99).position(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reference {
    /// The position of the variable in `model_variables`, from 0.
    Variable(u32),
    /// A number that belongs to no variable, as written: an index (2.0) or a value reference (3.0).
    Missing(u32),
}

impl Reference {
    /// The reference to the variable at a position of `model_variables`.
    pub const fn to(position: usize) -> Self {
        Self::Variable(position as u32)
    }

    /// The position in `model_variables`; `None` if the number in the file belongs to no variable.
    pub const fn position(self) -> Option<usize> {
        match self {
            Self::Variable(position) => Some(position as usize),
            Self::Missing(_) => None,
        }
    }

    /// The number that a file of FMI 2.0 has for it: the index of the variable, from 1, or the wrong number as written.
    pub const fn index(self) -> u32 {
        match self {
            Self::Variable(position) => position + 1,
            Self::Missing(number) => number,
        }
    }
}

impl Default for Reference {
    fn default() -> Self {
        Self::Variable(0)
    }
}

/// `ModelStructure`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelStructure {
    /// `Outputs` (2.0), `Output` (3.0).
    pub outputs: Vec<Unknown>,
    /// `Derivatives` (2.0), `ContinuousStateDerivative` (3.0); their order is the order of the continuous states.
    pub derivatives: Vec<Unknown>,
    /// `ClockedState`. FMI 3.0 only.
    pub clocked_states: Vec<Unknown>,
    /// `InitialUnknowns` (2.0), `InitialUnknown` (3.0).
    pub initial_unknowns: Vec<Unknown>,
    /// `EventIndicator`. FMI 3.0 only.
    pub event_indicators: Vec<Unknown>,
}

/// An unknown of `ModelStructure` and what it depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unknown {
    /// The variable: `index` (2.0), `valueReference` (3.0).
    pub variable: Reference,
    /// `dependencies`; `None` when absent, which means 'on all knowns'.
    pub dependencies: Option<Vec<Reference>>,
    /// `dependenciesKind`; `None` when absent, which means `dependent` for each.
    pub dependencies_kind: Option<Vec<DependencyKind>>,
}

impl Unknown {
    /// The unknown with a variable at a position of `model_variables`, without dependencies.
    pub fn at(position: usize) -> Self {
        Self {
            variable: Reference::to(position),
            ..Default::default()
        }
    }

    /// The positions of the variables that it depends on, each with its kind; `None` if it depends on all knowns.
    ///
    /// References to no variable are left out. A dependency without a kind is `dependent`.
    ///
    /// ```
    /// use fmu_standard::description::{DependencyKind, Reference, Unknown};
    ///
    /// let mut unknown = Unknown::at(0);
    /// assert!(unknown.depends_on().is_none());
    /// unknown.dependencies = Some(vec![Reference::to(4), Reference::Missing(99), Reference::to(7)]);
    /// unknown.dependencies_kind = Some(vec![DependencyKind::Constant]);
    /// let on: Vec<_> = unknown.depends_on().into_iter().flatten().collect();
    /// assert_eq!(on, [(4, DependencyKind::Constant), (7, DependencyKind::Dependent)]);
    /// ```
    pub fn depends_on(&self) -> Option<impl Iterator<Item = (usize, DependencyKind)> + Clone> {
        let kinds = self.dependencies_kind.as_deref().unwrap_or_default();
        let dependencies = self.dependencies.as_ref()?.iter().enumerate();
        Some(dependencies.filter_map(|(at, reference)| {
            let kind = kinds.get(at).copied().unwrap_or(DependencyKind::Dependent);
            Some((reference.position()?, kind))
        }))
    }
}

/// An entry of `dependenciesKind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DependencyKind {
    /// No particular structure.
    Dependent,
    /// The factor is a constant.
    Constant,
    /// The factor is fixed after initialization.
    Fixed,
    /// The factor changes with tunable parameters only.
    Tunable,
    /// The factor changes at events only.
    Discrete,
}

words!(DependencyKind {
    Dependent = "dependent",
    Constant = "constant",
    Fixed = "fixed",
    Tunable = "tunable",
    Discrete = "discrete",
});
