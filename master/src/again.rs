//! Runs that start again with new instances, because a property of a component was found during the run.

use crate::settings::{Settings, Snapshots};

/// What a run that starts again does differently.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// It takes snapshots before each step, so that a discarded step can be repeated.
    Snapshots,
    /// It takes no snapshots but those that the algorithm needs: a component cannot be saved.
    NoSnapshots,
    /// The inputs of a component, by its number, are extrapolated with this order at most: it refuses higher derivatives.
    InputOrder {
        /// The number of the component.
        component: usize,
        /// The order.
        order: u32,
    },
}

impl Remedy {
    /// Changes settings accordingly.
    pub(crate) fn apply(&self, settings: &mut Settings) {
        match self {
            Remedy::Snapshots => settings.snapshots = Snapshots::Always,
            Remedy::NoSnapshots => settings.snapshots = Snapshots::Never,
            // The new components know it.
            Remedy::InputOrder { .. } => {}
        }
    }

    /// What is different now, as the end of a sentence.
    pub(crate) fn note(&self) -> String {
        match self {
            Remedy::Snapshots => "with a snapshot before each step".to_owned(),
            Remedy::NoSnapshots => "without snapshots".to_owned(),
            Remedy::InputOrder { order, .. } => format!("with its inputs extrapolated with order {order}"),
        }
    }
}
