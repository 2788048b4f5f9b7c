//! Discrete inputs and tunable parameters that were set in continuous-time mode. The standard lets a host set them in
//! event mode only; many hosts do it in between. Their values wait here: the end of the integrator's step asks for event
//! mode, where they take effect.

use super::Instance;
use super::problem::{Outcome, Problem};
use super::variables::Variables;
use crate::evaluator::Evaluator;
use crate::model::Model;
use crate::stored::{Damaged, Reader, Stored, Writer};

/// Values that wait, by slot; each differs from the value that counts now. Strings are few, so lists are enough.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pending {
    pub reals: Waiting<f64>,
    pub integers: Waiting<i32>,
    pub booleans: Waiting<bool>,
    pub strings: Waiting<String>,
}

/// The values of one type.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting<T>(Vec<(u32, T)>);

impl<T> Default for Waiting<T> {
    fn default() -> Waiting<T> {
        Waiting(Vec::new())
    }
}

impl<T> Waiting<T> {
    /// The value that waits for a slot.
    pub fn get(&self, slot: u32) -> Option<&T> {
        let found = self.0.iter().find(|(known, _)| *known == slot);
        found.map(|(_, value)| value)
    }

    /// Keeps a value, or forgets the slot if the value is the one that counts already.
    fn put(&mut self, slot: u32, value: T, is_same: bool) {
        self.0.retain(|(known, _)| *known != slot);
        if !is_same {
            self.0.push((slot, value));
        }
    }
}

impl Pending {
    /// No value waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        let numbers = self.reals.0.is_empty() && self.integers.0.is_empty();
        numbers && self.booleans.0.is_empty() && self.strings.0.is_empty()
    }

    pub fn put_real<M: Model>(&mut self, evaluator: &Evaluator<M>, slot: u32, value: f64) {
        let now = evaluator.real(slot as usize);
        self.reals.put(slot, value, now.to_bits() == value.to_bits());
    }

    pub fn put_integer<M: Model>(&mut self, evaluator: &Evaluator<M>, slot: u32, value: i32) {
        let now = evaluator.model().integer(slot as usize);
        self.integers.put(slot, value, now == value);
    }

    pub fn put_boolean<M: Model>(&mut self, evaluator: &Evaluator<M>, slot: u32, value: bool) {
        let now = evaluator.model().boolean(slot as usize);
        self.booleans.put(slot, value, now == value);
    }

    pub fn put_string<M: Model>(&mut self, evaluator: &Evaluator<M>, slot: u32, value: &str) {
        let is_same = evaluator.model().string(slot as usize) == value;
        self.strings.put(slot, value.to_owned(), is_same);
    }

    /// An event has begun: the values take effect.
    fn apply<M: Model>(self, evaluator: &mut Evaluator<M>, variables: &Variables) {
        for (slot, value) in self.reals.0 {
            let slot = slot as usize;
            evaluator.set_real(slot, value, variables.reals[slot].spoils);
        }
        for (slot, value) in self.integers.0 {
            let slot = slot as usize;
            evaluator.set_integer(slot, value, variables.integers[slot].spoils);
        }
        for (slot, value) in self.booleans.0 {
            let slot = slot as usize;
            evaluator.set_boolean(slot, value, variables.booleans[slot].spoils);
        }
        for (slot, value) in self.strings.0 {
            let slot = slot as usize;
            evaluator.set_string(slot, &value, variables.strings[slot].spoils);
        }
    }

    /// From the bytes of a snapshot. Only what may wait is taken.
    pub fn read_from(from: &mut Reader<'_>, variables: &Variables) -> Result<Pending, Damaged> {
        let read = Pending {
            reals: Waiting::load(from)?,
            integers: Waiting::load(from)?,
            booleans: Waiting::load(from)?,
            strings: Waiting::load(from)?,
        };
        let slots = [
            (read.reals.slots(), &variables.reals),
            (read.integers.slots(), &variables.integers),
            (read.booleans.slots(), &variables.booleans),
            (read.strings.slots(), &variables.strings),
        ];
        for (slots, entries) in slots {
            let may_wait = |slot: &u32| entries.get(*slot as usize).is_some_and(|entry| entry.may_wait());
            if !slots.iter().all(may_wait) {
                return Err(Damaged("a value waits for a variable that never waits"));
            }
        }
        Ok(read)
    }

    pub fn write_to(&self, out: &mut Writer<'_>) {
        self.reals.store(out);
        self.integers.store(out);
        self.booleans.store(out);
        self.strings.store(out);
    }
}

impl<T> Waiting<T> {
    fn slots(&self) -> Vec<u32> {
        self.0.iter().map(|(slot, _)| *slot).collect()
    }
}

impl<T: Stored> Stored for Waiting<T> {
    fn store(&self, out: &mut Writer<'_>) {
        self.0.store(out);
    }
    fn load(from: &mut Reader<'_>) -> Result<Waiting<T>, Damaged> {
        Ok(Waiting(Stored::load(from)?))
    }
}

impl<M: Model> Instance<M> {
    /// An event has begun: what waited takes effect.
    pub(super) fn apply_pending(&mut self) {
        if !self.run.pending.is_empty() {
            let pending = std::mem::take(&mut self.run.pending);
            pending.apply(&mut self.run.evaluator, &self.variables);
        }
    }

    /// The first time that a value waits is worth a warning; more of them would fill the log.
    pub(super) fn warn_of_pending(&mut self) -> Outcome {
        if self.run.pending.is_empty() || self.has_warned_of_pending {
            return Ok(());
        }
        self.has_warned_of_pending = true;
        Err(Problem::warning(format!(
            "discrete inputs and tunable parameters can be set in event mode only; values that are set at t = {} in \
             continuous-time mode take effect at the next event, which {} asks for",
            self.run.evaluator.time(),
            self.vocabulary.completed_integrator_step
        )))
    }
}
