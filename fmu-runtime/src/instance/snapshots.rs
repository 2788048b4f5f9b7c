//! Snapshots of an instance. A handle is a number, not an address: nothing is ever read through it, so that one
//! that was freed, or belongs to another instance, is recognized.

use super::problem::{Outcome, Problem};
use super::{Instance, Run, panics};
use crate::model::Model;

impl<M: Model> Instance<M> {
    /// Takes a snapshot, into the one that `handle` names if it is not 0.
    pub fn get_fmu_state(&mut self, handle: &mut usize) -> Outcome {
        self.keep_snapshot(handle, self.run.clone())
    }

    pub(super) fn keep_snapshot(&mut self, handle: &mut usize, run: Run<M>) -> Outcome {
        if *handle != 0 {
            let kept = self.snapshots.get_mut(handle);
            let kept = kept.ok_or_else(|| unknown(self.vocabulary.snapshot, *handle))?;
            let former = std::mem::replace(&mut **kept, run);
            return panics::warn([panics::discard(former)]);
        }
        *handle = self.library.new_snapshot();
        self.snapshots.insert(*handle, Box::new(run));
        Ok(())
    }

    /// Goes back to the snapshot, which stays.
    pub fn set_fmu_state(&mut self, handle: usize) -> Outcome {
        let run = self.find_snapshot(handle)?.clone();
        let former = std::mem::replace(&mut self.run, run);
        let (lifted, reversed) = (self.lifted.take(), self.reversed.take());
        self.enter(self.run.mode);
        panics::warn([
            panics::discard(former),
            panics::discard(lifted),
            panics::discard(reversed),
        ])
    }

    /// Frees a snapshot.
    pub fn free_fmu_state(&mut self, handle: &mut usize) -> Outcome {
        if *handle != 0 {
            let former = self.snapshots.remove(handle);
            let former = former.ok_or_else(|| unknown(self.vocabulary.snapshot, *handle))?;
            *handle = 0;
            return panics::warn([panics::discard(former)]);
        }
        Ok(())
    }

    pub(super) fn find_snapshot(&self, handle: usize) -> Outcome<&Run<M>> {
        let found = self.snapshots.get(&handle);
        found
            .map(|run| &**run)
            .ok_or_else(|| unknown(self.vocabulary.snapshot, handle))
    }
}

fn unknown(argument: &str, handle: usize) -> Box<Problem> {
    match handle {
        0 => Problem::error(format!("{argument} is a null pointer")),
        _ => Problem::error(format!(
            "{argument} is not a state of this instance, or it was freed"
        )),
    }
}
