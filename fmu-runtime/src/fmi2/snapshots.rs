//! `fmi2GetFMUstate` and its sisters. A handle is a number, no address: nothing is ever read through it, so that one
//! that was freed, or belongs to another instance, is found out and not followed.

use super::instance::{Instance, Run};
use super::panics;
use super::problem::{Outcome, Problem};
use crate::model::Model;

impl<M: Model> Instance<M> {
    /// `fmi2GetFMUstate`: takes a snapshot, into the one that `handle` names if it is not 0.
    pub fn get_fmu_state(&mut self, handle: &mut usize) -> Outcome {
        self.keep_snapshot(handle, self.run.clone())
    }

    pub(super) fn keep_snapshot(&mut self, handle: &mut usize, run: Run<M>) -> Outcome {
        if *handle != 0 {
            let kept = self.snapshots.get_mut(handle).ok_or_else(|| unknown(*handle))?;
            let former = std::mem::replace(&mut **kept, run);
            return panics::warn([panics::discard(former)]);
        }
        *handle = self.library.new_snapshot();
        self.snapshots.insert(*handle, Box::new(run));
        Ok(())
    }

    /// `fmi2SetFMUstate`: back to the snapshot, which stays.
    pub fn set_fmu_state(&mut self, handle: usize) -> Outcome {
        let run = self.find_snapshot(handle)?.clone();
        let former = std::mem::replace(&mut self.run, run);
        let lifted = self.lifted.take();
        self.enter(self.run.mode);
        panics::warn([panics::discard(former), panics::discard(lifted)])
    }

    /// `fmi2FreeFMUstate`.
    pub fn free_fmu_state(&mut self, handle: &mut usize) -> Outcome {
        if *handle != 0 {
            let former = self.snapshots.remove(handle);
            let former = former.ok_or_else(|| unknown(*handle))?;
            *handle = 0;
            return panics::warn([panics::discard(former)]);
        }
        Ok(())
    }

    pub(super) fn find_snapshot(&self, handle: usize) -> Outcome<&Run<M>> {
        let found = self.snapshots.get(&handle);
        found.map(|run| &**run).ok_or_else(|| unknown(handle))
    }
}

fn unknown(handle: usize) -> Box<Problem> {
    match handle {
        0 => Problem::error("FMUstate is a null pointer"),
        _ => Problem::error("FMUstate is no state of this instance, or one that was freed"),
    }
}
