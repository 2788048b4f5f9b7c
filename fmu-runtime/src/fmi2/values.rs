//! `fmi2GetXXX` and `fmi2SetXXX`. Every reference and every value is checked before the first one is written.

use super::functions::Mode;
use super::instance::Instance;
use super::pending::Pending;
use super::problem::{Outcome, Problem};
use super::variables::{Entry, Variables, name_of};
use crate::describe::Base;
use crate::evaluator::Stale;
use crate::model::Model;
use fmu_standard::fmi2::{fmi2Boolean, fmi2Integer, fmi2Real, fmi2String, fmi2ValueReference, fmi2Warning};
use std::ffi::CString;

/// One of the four tables, with its name.
#[derive(Clone, Copy)]
struct Table {
    name: &'static str,
    base: Base,
    entries: fn(&Variables) -> &[Entry],
}

const REAL: Table = Table {
    name: "Real",
    base: Base::Real,
    entries: |variables| &variables.reals,
};
const INTEGER: Table = Table {
    name: "Integer",
    base: Base::Integer,
    entries: |variables| &variables.integers,
};
const BOOLEAN: Table = Table {
    name: "Boolean",
    base: Base::Boolean,
    entries: |variables| &variables.booleans,
};
const STRING: Table = Table {
    name: "String",
    base: Base::String,
    entries: |variables| &variables.strings,
};

impl<M: Model> Instance<M> {
    /// `fmi2GetReal`.
    #[inline]
    pub fn get_real(&mut self, references: &[fmi2ValueReference], values: &mut [fmi2Real]) -> Outcome {
        self.prepare(REAL, references)?;
        for (value, &reference) in values.iter_mut().zip(references) {
            *value = self.run.evaluator.real(reference as usize);
        }
        if !self.run.pending.is_empty() {
            self.overlay(references, values, |pending, slot| {
                pending.reals.get(slot).copied()
            });
        }
        Ok(())
    }

    /// `fmi2GetInteger`.
    pub fn get_integer(&mut self, references: &[fmi2ValueReference], values: &mut [fmi2Integer]) -> Outcome {
        self.prepare(INTEGER, references)?;
        for (value, &reference) in values.iter_mut().zip(references) {
            *value = self.run.evaluator.model().integer(reference as usize);
        }
        self.overlay(references, values, |pending, slot| {
            pending.integers.get(slot).copied()
        });
        Ok(())
    }

    /// `fmi2GetBoolean`.
    pub fn get_boolean(&mut self, references: &[fmi2ValueReference], values: &mut [fmi2Boolean]) -> Outcome {
        self.prepare(BOOLEAN, references)?;
        for (value, &reference) in values.iter_mut().zip(references) {
            *value = self.run.evaluator.model().boolean(reference as usize).into();
        }
        self.overlay(references, values, |pending, slot| {
            pending.booleans.get(slot).map(|value| (*value).into())
        });
        Ok(())
    }

    /// `fmi2GetString`: the strings stay until the next call.
    pub fn get_string(&mut self, references: &[fmi2ValueReference], values: &mut [fmi2String]) -> Outcome {
        self.prepare(STRING, references)?;
        self.lent_strings.clear();
        for (value, &reference) in values.iter_mut().zip(references) {
            // C ends a string at the first zero byte, so nothing after it could be read anyway.
            let waiting = self.run.pending.strings.get(reference).map(String::as_str);
            let text = waiting.unwrap_or_else(|| self.run.evaluator.model().string(reference as usize));
            let text = text.split('\0').next().unwrap_or_default();
            let lent = CString::new(text).unwrap_or_default();
            *value = lent.as_ptr();
            self.lent_strings.push(lent);
        }
        Ok(())
    }

    /// `fmi2SetReal`.
    #[inline]
    pub fn set_real(&mut self, references: &[fmi2ValueReference], values: &[fmi2Real]) -> Outcome {
        let warning = self.check_all(REAL, references, |index| values[index])?;
        self.take_note(REAL, references, |model, slot, index| {
            model.real(slot).to_bits() == values[index].to_bits()
        });
        for (&value, &reference) in values.iter().zip(references) {
            let entry = self.variables.reals[reference as usize];
            if self.waits(entry) {
                self.run.pending.put_real(&self.run.evaluator, reference, value);
            } else {
                self.run
                    .evaluator
                    .set_real(reference as usize, value, entry.spoils);
            }
        }
        warning.and_then(|()| self.warn_of_pending())
    }

    /// [`Instance::set_real`] in continuous-time mode, if every reference and every value is good.
    #[inline(always)]
    pub fn set_real_shortcut(
        &mut self,
        references: Option<&[fmi2ValueReference]>,
        values: Option<&[fmi2Real]>,
    ) -> bool {
        let (Some(references), Some(values)) = (references, values) else {
            return false;
        };
        let mode = self.run.mode;
        if mode != Mode::ContinuousTime {
            return false;
        }
        let entries = &self.variables.reals;
        let good = |(&reference, &value): (&fmi2ValueReference, &fmi2Real)| {
            let entry = entries.get(reference as usize);
            entry
                .is_some_and(|entry| entry.is_settable_in(mode) && self.variables.has_room_for(*entry, value))
        };
        if !references.iter().zip(values).all(good) {
            return false;
        }
        for (&reference, &value) in references.iter().zip(values) {
            if let Some(entry) = entries.get(reference as usize) {
                self.run
                    .evaluator
                    .set_real(reference as usize, value, entry.spoils);
            }
        }
        true
    }

    /// `fmi2SetInteger`.
    pub fn set_integer(&mut self, references: &[fmi2ValueReference], values: &[fmi2Integer]) -> Outcome {
        let warning = self.check_all(INTEGER, references, |index| values[index].into())?;
        self.take_note(INTEGER, references, |model, slot, index| {
            model.integer(slot) == values[index]
        });
        for (&value, &reference) in values.iter().zip(references) {
            let entry = self.variables.integers[reference as usize];
            if self.waits(entry) {
                self.run
                    .pending
                    .put_integer(&self.run.evaluator, reference, value);
                continue;
            }
            let known = self
                .run
                .evaluator
                .set_integer(reference as usize, value, entry.spoils);
            if !known {
                return Err(Problem::discard(format!("{value} is no item of the enumeration")));
            }
        }
        warning.and_then(|()| self.warn_of_pending())
    }

    /// `fmi2SetBoolean`: everything but 0 is true.
    pub fn set_boolean(&mut self, references: &[fmi2ValueReference], values: &[fmi2Boolean]) -> Outcome {
        let warning = self.check_all(BOOLEAN, references, |index| values[index].into())?;
        self.take_note(BOOLEAN, references, |model, slot, index| {
            model.boolean(slot) == (values[index] != 0)
        });
        for (&value, &reference) in values.iter().zip(references) {
            let (entry, value) = (self.variables.booleans[reference as usize], value != 0);
            if self.waits(entry) {
                self.run
                    .pending
                    .put_boolean(&self.run.evaluator, reference, value);
            } else {
                self.run
                    .evaluator
                    .set_boolean(reference as usize, value, entry.spoils);
            }
        }
        warning.and_then(|()| self.warn_of_pending())
    }

    /// `fmi2SetString`.
    pub fn set_string(&mut self, references: &[fmi2ValueReference], values: &[&str]) -> Outcome {
        let warning = self.check_all(STRING, references, |_| 0.0)?;
        self.take_note(STRING, references, |model, slot, index| {
            model.string(slot) == values[index]
        });
        for (value, &reference) in values.iter().zip(references) {
            let entry = self.variables.strings[reference as usize];
            if self.waits(entry) {
                self.run.pending.put_string(&self.run.evaluator, reference, value);
            } else {
                self.run
                    .evaluator
                    .set_string(reference as usize, value, entry.spoils);
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
    fn overlay<T>(
        &self,
        references: &[fmi2ValueReference],
        values: &mut [T],
        waiting: impl Fn(&Pending, u32) -> Option<T>,
    ) {
        for (value, &reference) in values.iter_mut().zip(references) {
            if let Some(waiting) = waiting(&self.run.pending, reference) {
                *value = waiting;
            }
        }
    }

    /// Between two communication steps: tells the integrator what is about to be set. What is no curve is an event for
    /// the model, as it is in Model Exchange, if it has another value than before.
    #[inline]
    fn take_note(
        &mut self,
        table: Table,
        references: &[fmi2ValueReference],
        is_same: impl Fn(&M, usize, usize) -> bool,
    ) {
        let Some(steps) = &mut self.run.steps else {
            return;
        };
        if self.run.mode != Mode::StepComplete {
            return;
        }
        let entries = (table.entries)(&self.variables);
        for (index, &reference) in references.iter().enumerate() {
            let entry = entries[reference as usize];
            if entry.is_curve() {
                steps.memory.inputs_changed();
            } else if !is_same(self.run.evaluator.model(), reference as usize, index) {
                steps.memory.request_event();
                if entry.spoils == Stale::BY_PARAMETER {
                    steps.memory.equations_changed();
                }
            }
        }
    }

    /// Checks the references, and evaluates what they need.
    #[inline]
    fn prepare(&mut self, table: Table, references: &[fmi2ValueReference]) -> Outcome {
        let entries = (table.entries)(&self.variables);
        let mut needs = Stale::NOTHING;
        for &reference in references {
            match entries.get(reference as usize) {
                Some(entry) => needs = needs | entry.needs,
                None => return Err(unknown(table, reference, entries.len())),
            }
        }
        Ok(self.run.evaluator.ensure(needs)?)
    }

    /// Checks references and values. The outer result says whether anything may be stored, the inner one is a
    /// warning for afterwards.
    #[inline]
    fn check_all(
        &self,
        table: Table,
        references: &[fmi2ValueReference],
        value: impl Fn(usize) -> f64,
    ) -> Outcome<Outcome> {
        let entries = (table.entries)(&self.variables);
        let mut warning = Ok(());
        for (index, &reference) in references.iter().enumerate() {
            let Some(&entry) = entries.get(reference as usize) else {
                return Err(unknown(table, reference, entries.len()));
            };
            if !entry.is_settable_in(self.run.mode) && !self.waits(entry) {
                return Err(self.not_settable(table, reference));
            }
            if let Err(problem) = self.variables.check(entry, value(index)) {
                let problem = self.about(table, reference, *problem);
                if problem.status != fmi2Warning {
                    return Err(problem);
                }
                warning = Err(problem);
            }
        }
        Ok(warning)
    }

    #[cold]
    fn not_settable(&self, table: Table, reference: fmi2ValueReference) -> Box<Problem> {
        self.about(
            table,
            reference,
            *Problem::error(format!("it cannot be set in {}", self.run.mode)),
        )
    }

    /// Puts the variable's name before a sentence about it.
    #[cold]
    fn about(&self, table: Table, reference: fmi2ValueReference, problem: Problem) -> Box<Problem> {
        let name = name_of::<M>(table.base, reference as usize);
        Box::new(Problem {
            sentence: format!(
                "{} variable '{name}' (value reference {reference}): {}",
                table.name, problem.sentence
            ),
            ..problem
        })
    }
}

#[cold]
fn unknown(table: Table, reference: fmi2ValueReference, count: usize) -> Box<Problem> {
    let known = match count {
        0 => "there are none".to_owned(),
        count => format!("there are 0 to {}", count - 1),
    };
    Problem::error(format!(
        "no {} variable has the value reference {reference}; {known}",
        table.name
    ))
}
