//! Working memory: each stepper has its own, allocated once.

use super::Master;
use super::algebra::Algebra;
use super::compare::Comparison;
use super::curves::Extrapolation;
use super::jacobi::AtOnce;
use super::plain::Plain;
use super::stability::Watch;
use super::stabilized::Stabilized;
use super::state::Values;
use super::stopped::Replay;
use crate::component::Capabilities;
use crate::settings::Settings;

/// The memory of all steppers.
#[derive(Default)]
pub(super) struct Memory {
    pub algebra: Algebra,
    pub extrapolation: Extrapolation,
    pub at_once: AtOnce,
    pub plain: Plain,
    pub replay: Replay,
    pub stabilized: Stabilized,
    pub comparison: Comparison,
    pub watch: Watch,
    /// Times and values at the places of snapshots.
    pub snapshots: Vec<(f64, Values)>,
}

impl Memory {
    /// `explicit`: no loop has an algorithm of its own.
    pub fn new(
        settings: &Settings,
        can: &[Capabilities],
        at_once: Vec<usize>,
        [inputs, outputs, signals]: [usize; 3],
        explicit: bool,
    ) -> Memory {
        Memory {
            algebra: Algebra::new(outputs, signals),
            extrapolation: Extrapolation::new(settings, inputs, outputs),
            at_once: AtOnce::new(at_once),
            replay: Replay::new(settings, can, explicit),
            ..Memory::default()
        }
    }
}

impl Master {
    /// Whether plain steps are possible is known once all else is.
    pub(super) fn choose_plain(&mut self) {
        self.memory.plain.possible = self.is_plain();
    }
}
