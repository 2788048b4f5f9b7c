//! Reading and setting variables by slot. Every slot and every value is checked before the first one is written.

use super::pending::Pending;
use super::problem::{Outcome, Problem, Status};
use super::variables::{Entry, Variables, name_of};
use super::{Instance, Mode};
use crate::describe::Base;
use crate::evaluator::Stale;
use crate::model::Model;
use std::ffi::{CString, c_char};

/// One of the four tables.
#[derive(Clone, Copy)]
struct Table {
    base: Base,
    entries: fn(&Variables) -> &[Entry],
}

const REAL: Table = Table {
    base: Base::Real,
    entries: |variables| &variables.reals,
};
const INTEGER: Table = Table {
    base: Base::Integer,
    entries: |variables| &variables.integers,
};
const BOOLEAN: Table = Table {
    base: Base::Boolean,
    entries: |variables| &variables.booleans,
};
const STRING: Table = Table {
    base: Base::String,
    entries: |variables| &variables.strings,
};

impl<M: Model> Instance<M> {
    /// Reads Real variables.
    #[inline]
    pub fn get_reals(&mut self, slots: &[u32], values: &mut [f64]) -> Outcome {
        self.prepare(REAL, slots)?;
        for (value, &slot) in values.iter_mut().zip(slots) {
            *value = self.run.evaluator.real(slot as usize);
        }
        if !self.run.pending.is_empty() {
            self.overlay(slots, values, |pending, slot| pending.reals.get(slot).copied());
        }
        Ok(())
    }

    /// Reads Integer variables and enumerations.
    pub fn get_integers(&mut self, slots: &[u32], values: &mut [i32]) -> Outcome {
        self.prepare(INTEGER, slots)?;
        for (value, &slot) in values.iter_mut().zip(slots) {
            *value = self.run.evaluator.model().integer(slot as usize);
        }
        self.overlay(slots, values, |pending, slot| pending.integers.get(slot).copied());
        Ok(())
    }

    /// Reads Boolean variables; `put` gets the position of each and its value.
    pub fn get_booleans(&mut self, slots: &[u32], mut put: impl FnMut(usize, bool)) -> Outcome {
        self.prepare(BOOLEAN, slots)?;
        for (index, &slot) in slots.iter().enumerate() {
            let waiting = self.run.pending.booleans.get(slot).copied();
            put(
                index,
                waiting.unwrap_or_else(|| self.run.evaluator.model().boolean(slot as usize)),
            );
        }
        Ok(())
    }

    /// Reads String variables; the strings stay until the next call.
    pub fn get_strings(&mut self, slots: &[u32], values: &mut [*const c_char]) -> Outcome {
        self.prepare(STRING, slots)?;
        self.lent_strings.clear();
        for (value, &slot) in values.iter_mut().zip(slots) {
            // C ends a string at the first zero byte, so nothing after it could be read anyway.
            let waiting = self.run.pending.strings.get(slot).map(String::as_str);
            let text = waiting.unwrap_or_else(|| self.run.evaluator.model().string(slot as usize));
            let text = text.split('\0').next().unwrap_or_default();
            let lent = CString::new(text).unwrap_or_default();
            *value = lent.as_ptr();
            self.lent_strings.push(lent);
        }
        Ok(())
    }

    /// Sets Real variables.
    #[inline]
    pub fn set_reals(&mut self, slots: &[u32], values: &[f64]) -> Outcome {
        let warning = self.check_all(REAL, slots, |index| values[index])?;
        self.announce(REAL, slots, |model, slot, index| {
            model.real(slot).to_bits() == values[index].to_bits()
        });
        for (&value, &slot) in values.iter().zip(slots) {
            let entry = self.variables.reals[slot as usize];
            if self.waits(entry) {
                self.run.pending.put_real(&self.run.evaluator, slot, value);
            } else {
                self.run.evaluator.set_real(slot as usize, value, entry.spoils);
            }
        }
        warning.and_then(|()| self.warn_of_pending())
    }

    /// [`Instance::set_reals`] in continuous-time mode, if every reference and every value is good.
    #[inline(always)]
    pub fn set_reals_shortcut(&mut self, slots: Option<&[u32]>, values: Option<&[f64]>) -> bool {
        let (Some(slots), Some(values)) = (slots, values) else {
            return false;
        };
        let mode = self.run.mode;
        if mode != Mode::ContinuousTime {
            return false;
        }
        let entries = &self.variables.reals;
        let good = |(&slot, &value): (&u32, &f64)| {
            let entry = entries.get(slot as usize);
            entry
                .is_some_and(|entry| entry.is_settable_in(mode) && self.variables.has_room_for(*entry, value))
        };
        if !slots.iter().zip(values).all(good) {
            return false;
        }
        for (&slot, &value) in slots.iter().zip(values) {
            if let Some(entry) = entries.get(slot as usize) {
                self.run.evaluator.set_real(slot as usize, value, entry.spoils);
            }
        }
        true
    }

    /// Sets Integer variables and enumerations.
    pub fn set_integers(&mut self, slots: &[u32], values: &[i32]) -> Outcome {
        let warning = self.check_all(INTEGER, slots, |index| values[index].into())?;
        self.announce(INTEGER, slots, |model, slot, index| {
            model.integer(slot) == values[index]
        });
        for (&value, &slot) in values.iter().zip(slots) {
            let entry = self.variables.integers[slot as usize];
            if self.waits(entry) {
                self.run.pending.put_integer(&self.run.evaluator, slot, value);
                continue;
            }
            let known = self.run.evaluator.set_integer(slot as usize, value, entry.spoils);
            if !known {
                return Err(Problem::discard(format!(
                    "{value} is not an item of the enumeration"
                )));
            }
        }
        warning.and_then(|()| self.warn_of_pending())
    }

    /// Sets Boolean variables to the values that `value` gives by position.
    pub fn set_booleans(&mut self, slots: &[u32], value: impl Fn(usize) -> bool) -> Outcome {
        let warning = self.check_all(BOOLEAN, slots, |index| f64::from(u8::from(value(index))))?;
        self.announce(BOOLEAN, slots, |model, slot, index| {
            model.boolean(slot) == value(index)
        });
        for (index, &slot) in slots.iter().enumerate() {
            let (entry, value) = (self.variables.booleans[slot as usize], value(index));
            if self.waits(entry) {
                self.run.pending.put_boolean(&self.run.evaluator, slot, value);
            } else {
                self.run.evaluator.set_boolean(slot as usize, value, entry.spoils);
            }
        }
        warning.and_then(|()| self.warn_of_pending())
    }

    /// Sets String variables.
    pub fn set_strings(&mut self, slots: &[u32], values: &[&str]) -> Outcome {
        let warning = self.check_all(STRING, slots, |_| 0.0)?;
        self.announce(STRING, slots, |model, slot, index| {
            model.string(slot) == values[index]
        });
        for (value, &slot) in values.iter().zip(slots) {
            let entry = self.variables.strings[slot as usize];
            if self.waits(entry) {
                self.run.pending.put_string(&self.run.evaluator, slot, value);
            } else {
                self.run.evaluator.set_string(slot as usize, value, entry.spoils);
            }
        }
        warning.and_then(|()| self.warn_of_pending())
    }

    /// Whether a value of the variable waits for the next event if it is set now.
    #[inline]
    fn waits(&self, entry: Entry) -> bool {
        self.run.mode == Mode::ContinuousTime && entry.may_wait()
    }

    /// Puts values that wait in the place of those that count: reading gives what was set last.
    fn overlay<T>(&self, slots: &[u32], values: &mut [T], waiting: impl Fn(&Pending, u32) -> Option<T>) {
        for (value, &slot) in values.iter_mut().zip(slots) {
            if let Some(waiting) = waiting(&self.run.pending, slot) {
                *value = waiting;
            }
        }
    }

    /// Between two communication steps, and at events that the environment handles: announces to the integrator what is about to be set. A new value of a variable
    /// that is not a continuous input is an event for the model, as it is in Model Exchange.
    #[inline]
    fn announce(&mut self, table: Table, slots: &[u32], is_same: impl Fn(&M, usize, usize) -> bool) {
        let Some(steps) = &mut self.run.steps else {
            return;
        };
        if !matches!(self.run.mode, Mode::StepComplete | Mode::Event) {
            return;
        }
        let entries = (table.entries)(&self.variables);
        for (index, &slot) in slots.iter().enumerate() {
            let entry = entries[slot as usize];
            if entry.is_curve() {
                steps.memory.inputs_changed();
            } else if !is_same(self.run.evaluator.model(), slot as usize, index) {
                steps.memory.request_event();
                if entry.spoils == Stale::BY_PARAMETER {
                    steps.memory.equations_changed();
                }
            }
        }
    }

    /// Checks the slots, and evaluates what they need.
    #[inline]
    fn prepare(&mut self, table: Table, slots: &[u32]) -> Outcome {
        let entries = (table.entries)(&self.variables);
        let mut needs = Stale::NOTHING;
        for &slot in slots {
            match entries.get(slot as usize) {
                Some(entry) => needs = needs | entry.needs,
                None => return Err(self.unknown(table, slot)),
            }
        }
        // Before initialization there is nothing to compute with: all variables have their start values.
        if self.run.mode == Mode::Instantiated {
            return Ok(());
        }
        Ok(self.run.evaluator.ensure(needs)?)
    }

    /// Checks slots and values. The outer result is an error if nothing may be stored, the inner one is a
    /// warning for afterwards.
    #[inline]
    fn check_all(&self, table: Table, slots: &[u32], value: impl Fn(usize) -> f64) -> Outcome<Outcome> {
        let entries = (table.entries)(&self.variables);
        let mut warning = Ok(());
        for (index, &slot) in slots.iter().enumerate() {
            let Some(&entry) = entries.get(slot as usize) else {
                return Err(self.unknown(table, slot));
            };
            if !entry.is_settable_in(self.run.mode) && !self.waits(entry) {
                return Err(self.not_settable(table, slot));
            }
            if let Err(problem) = self.variables.check(entry, value(index)) {
                let problem = self.about(table, slot, *problem);
                if problem.status != Status::Warning {
                    return Err(problem);
                }
                warning = Err(problem);
            }
        }
        Ok(warning)
    }

    #[cold]
    fn not_settable(&self, table: Table, slot: u32) -> Box<Problem> {
        self.about(
            table,
            slot,
            *Problem::error(format!(
                "it cannot be set in {}",
                self.vocabulary.place(self.run.mode)
            )),
        )
    }

    /// Puts the variable's name before a sentence about it.
    #[cold]
    fn about(&self, table: Table, slot: u32, problem: Problem) -> Box<Problem> {
        let name = name_of::<M>(table.base, slot as usize);
        let variable = (self.vocabulary.variable)(table.base, &name, slot as usize);
        Box::new(Problem {
            sentence: format!("{variable}: {}", problem.sentence),
            ..problem
        })
    }

    #[cold]
    fn unknown(&self, table: Table, slot: u32) -> Box<Problem> {
        let count = (table.entries)(&self.variables).len();
        Problem::error((self.vocabulary.unknown_variable)(
            table.base,
            slot as usize,
            count,
        ))
    }
}
