//! The times at which inputs from outside jump or have a kink: every algorithm ends a step there.

use super::Master;
use crate::coupling::{Coupling, Link};
use crate::error::Error;
use crate::settings::{Correction, Settings};
use crate::signals::{Corner, Signals};

/// A corner within this part of a step from a grid point is at that point: the difference is rounding.
const NEAR: f64 = 1e-9;

/// The corners that are still ahead.
#[derive(Debug, Default)]
pub(super) struct Corners {
    /// Ascending, each with the inputs that jump there.
    ahead: Vec<(f64, Vec<usize>)>,
    passed: usize,
    /// A step that would end before this time does not meet a corner.
    near: f64,
    slack: f64,
}

impl Corners {
    /// All of the signals between start and stop; where steps are of one size only, those at the ends of steps, and a
    /// warning about the others.
    pub fn new(
        coupling: &Coupling,
        signals: &Signals,
        settings: &Settings,
        one_size: Option<&str>,
        warnings: &mut Vec<String>,
    ) -> Corners {
        let slack = NEAR * settings.step.min(settings.stop - settings.start);
        let mut all: Vec<Corner> = signals.corners().to_vec();
        all.retain(|corner| corner.time > settings.start && corner.time < settings.stop - slack);
        all.sort_by(|one, other| one.time.total_cmp(&other.time));
        if let Some(component) = one_size {
            let before = all.len();
            let off_grid = |corner: &Corner| {
                let steps = (corner.time - settings.start) / settings.step;
                (steps - steps.round()).abs() * settings.step > slack
            };
            let first = all
                .iter()
                .find(|corner| off_grid(corner))
                .map(|corner| corner.time);
            all.retain(|corner| !off_grid(corner));
            if let Some(first) = first {
                warnings.push(format!(
                    "inputs from outside jump or have a kink inside steps ({}, the first at t = {first}), which {component} \
                     cannot end there (canHandleVariableCommunicationStepSize): they are met up to a step too late",
                    match before - all.len() {
                        1 => "once".to_owned(),
                        more => format!("{more} times"),
                    }
                ));
            }
        }
        let mut ahead: Vec<(f64, Vec<usize>)> = Vec::new();
        for same in all.chunk_by(|one, next| next.time - one.time <= slack) {
            let jumping: Vec<usize> = same
                .iter()
                .filter(|corner| corner.jump)
                .map(|corner| corner.signal)
                .collect();
            ahead.push((same[same.len() - 1].time, follow(coupling, &jumping)));
        }
        let mut corners = Corners {
            ahead,
            slack,
            ..Corners::default()
        };
        corners.begin();
        corners
    }

    /// All are ahead.
    pub fn begin(&mut self) {
        self.passed = 0;
        self.look_ahead();
    }

    fn look_ahead(&mut self) {
        self.near = self.next() - self.slack;
    }

    /// The next corner; infinite if there is none.
    pub fn next(&self) -> f64 {
        self.ahead
            .get(self.passed)
            .map_or(f64::INFINITY, |corner| corner.0)
    }

    /// Whether a step to this time would meet a corner or go over it.
    #[inline]
    pub fn meets(&self, time: f64) -> bool {
        time >= self.near
    }

    /// Where a step of a grid ends that meets a corner, and whether that is the end of the grid's step, too.
    pub fn cut(&self, time: f64) -> (f64, bool) {
        (self.next(), self.next() >= time - self.slack)
    }

    /// Leaves all corners up to this time behind.
    #[inline]
    pub fn pass(&mut self, time: f64) {
        if self.meets(time) {
            while self.next() <= time {
                self.passed += 1;
            }
            self.look_ahead();
        }
    }
}

/// The inputs of signals that jump, and those that jump with them because outputs do.
fn follow(coupling: &Coupling, jumping: &[usize]) -> Vec<usize> {
    if jumping.is_empty() {
        return Vec::new();
    }
    let structure = coupling.structure();
    let jumps = |link: &Link| matches!(link, Link::Signal(signal) if jumping.contains(signal));
    let mut found: Vec<usize> = (0..coupling.inputs.len())
        .filter(|&input| jumps(&coupling.inputs[input].link))
        .collect();
    let mut at = 0;
    while let Some(&input) = found.get(at) {
        at += 1;
        for output in coupling.outputs_of(structure.inputs[input]) {
            if !structure.feed_through[output].contains(&input) {
                continue;
            }
            for fed in 0..coupling.inputs.len() {
                if structure.sources[fed] == Some(output) && !found.contains(&fed) {
                    found.push(fed);
                }
            }
        }
    }
    found
}

impl Master {
    /// Adds the present time, at which there is a corner, to the history: what inputs that jump were before says nothing
    /// about what follows. Returns whether inputs were set again.
    #[cold]
    pub(super) fn turn(&mut self) -> Result<bool, Error> {
        let jumping = std::mem::take(&mut self.corners.ahead[self.corners.passed].1);
        let corrected = self.settings.correction != Correction::None || self.plan.closes;
        // Outputs that jump with inputs are known at once where components report them, and after the next step if not.
        let restarts = !jumping.is_empty() && !corrected && self.plan.follows;
        if restarts {
            self.solve_algebra(false)?;
        }
        self.state.values.history.push(self.state.t, &self.state.values.u);
        for &input in &jumping {
            let given = matches!(self.coupling.inputs[input].link, Link::Signal(_));
            self.state
                .values
                .history
                .restart(input, given || corrected || restarts);
            self.state.values.end[input] = self.state.values.u[input];
        }
        self.corners.ahead[self.corners.passed].1 = jumping;
        Ok(restarts)
    }
}
