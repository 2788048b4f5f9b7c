//! Runs that start again with new instances, because something about a component came to light on the way.

use crate::settings::{Settings, Snapshots};

/// What a run that starts again does differently.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// It takes snapshots before each step, so that a discarded step can be repeated.
    Snapshots,
    /// It takes no snapshots but those that the algorithm needs: a component cannot be saved.
    NoSnapshots,
}

impl Remedy {
    /// Changes settings accordingly.
    pub(crate) fn apply(&self, settings: &mut Settings) {
        match self {
            Remedy::Snapshots => settings.snapshots = Snapshots::Always,
            Remedy::NoSnapshots => settings.snapshots = Snapshots::Never,
        }
    }

    /// What is different now, as the end of a sentence.
    pub(crate) const fn note(&self) -> &'static str {
        match self {
            Remedy::Snapshots => "with a snapshot before each step",
            Remedy::NoSnapshots => "without snapshots",
        }
    }
}
