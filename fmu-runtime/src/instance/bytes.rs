//! A snapshot as bytes:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | mark and version of this format |
//! | 8 | length of everything, the check sum included |
//! | 8 + n | length and text of the model's GUID |
//! | 8 + n | length and text of the mark of the build |
//! | ... | the run: interface, mode, experiment, model, integrator |
//! | 8 | check sum of everything before |
//!
//! Numbers are little endian, floats by their bits: bytes of one machine can be read on another.

use super::co_simulation::Steps;
use super::pending::Pending;
use super::problem::{Outcome, Problem, Status};
use super::{Instance, Mode, Run};
use crate::cosim::{CoSimulation, Facts, Options};
use crate::evaluator::Evaluator;
use crate::model::Model;
use crate::stored::{Damaged, Reader, Stored, Writer, check_sum, counted};

const MARK: u64 = u64::from_le_bytes(*b"FMUrun 2");

/// The check sum's length.
const SUM: usize = size_of::<u64>();

impl<M: Model> Instance<M> {
    /// The size of a snapshot as bytes.
    pub fn serialized_fmu_state_size(&mut self, handle: usize) -> Outcome<usize> {
        Ok(self.bytes_of(handle)?.len())
    }

    /// Writes a snapshot as bytes; room that is left is filled with zeros.
    pub fn serialize_fmu_state(&mut self, handle: usize, room: &mut [u8]) -> Outcome {
        let bytes = self.bytes_of(handle)?;
        let Some((place, rest)) = room.split_at_mut_checked(bytes.len()) else {
            return Err(Problem::error(format!(
                "size is {}, but the state needs {} bytes, as {} returns",
                room.len(),
                bytes.len(),
                self.vocabulary.serialized_size
            )));
        };
        place.copy_from_slice(&bytes);
        rest.fill(0);
        Ok(())
    }

    /// Makes a snapshot of bytes.
    pub fn deserialize_fmu_state(&mut self, bytes: &[u8], handle: &mut usize) -> Outcome {
        self.check_serializable()?;
        let run = self.read_run(bytes)?;
        self.keep_snapshot(handle, run)
    }

    fn check_serializable(&self) -> Outcome {
        match self.variables.is_serializable {
            true => Ok(()),
            false => Err(Problem::error(format!(
                "this FMU does not serialize its states, as {} declares",
                self.vocabulary.can_serialize
            ))),
        }
    }

    fn bytes_of(&self, handle: usize) -> Outcome<Vec<u8>> {
        self.check_serializable()?;
        let run = self.find_snapshot(handle)?;
        let mut bytes = Vec::new();
        let out = &mut Writer(&mut bytes);
        out.u64(MARK);
        out.u64(0);
        let guid = self.library.guid();
        out.count(guid.len());
        out.0.extend_from_slice(guid);
        self.library.mark::<M>().store(out);
        run.write_to(out);
        let length = bytes.len() + SUM;
        bytes[8..16].copy_from_slice(&(length as u64).to_le_bytes());
        let sum = check_sum(&bytes);
        Writer(&mut bytes).u64(sum);
        Ok(bytes)
    }

    fn read_run(&self, bytes: &[u8]) -> Outcome<Run<M>> {
        let damaged = |damaged: Damaged| Problem::error(damaged.to_string());
        let content = self.content(bytes).map_err(damaged)?;
        let from = &mut Reader(content);
        let (theirs, ours) = (String::load(from).map_err(damaged)?, self.library.mark::<M>());
        if theirs != ours {
            return Err(Problem::error(format!(
                "the bytes come from another build of this model, with the mark {theirs}; this library has the mark \
                 {ours}, and a snapshot can be read by the build that has written it only"
            )));
        }
        let run = self.run_from(from).map_err(damaged)?;
        from.end().map_err(damaged)?;
        Ok(run)
    }

    /// What comes after the GUID, if everything around it is in order.
    fn content<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8], Damaged> {
        let head = &mut Reader(bytes);
        if head.u64()? != MARK {
            return Err(Damaged(
                "they are not the state of an FMU of this kind and version",
            ));
        }
        let length = head.count(bytes.len())?;
        let (bytes, rest) = bytes.split_at(length);
        if rest.iter().any(|byte| *byte != 0) {
            return Err(Damaged("they go on after their end"));
        }
        let (content, sum) = bytes.split_last_chunk().ok_or(Damaged("they end too early"))?;
        if u64::from_le_bytes(*sum) != check_sum(content) {
            return Err(Damaged("the check sum is wrong"));
        }
        let from = &mut Reader(content.get(16..).ok_or(Damaged("they end too early"))?);
        if counted(from)? != self.library.guid() {
            return Err(Damaged("the GUID is another one"));
        }
        Ok(from.0)
    }

    fn run_from(&self, from: &mut Reader<'_>) -> Result<Run<M>, Damaged> {
        let mode = Mode::load(from)?;
        let latest = from.finite()?;
        let start = Stored::load(from)?;
        let tolerance = Stored::load(from)?;
        let evaluator = Evaluator::read_from(self.new_model(), from)?;
        let pending = Pending::read_from(from, &self.variables)?;
        let steps = match (from.bool()?, &self.facts) {
            (true, Some(facts)) => Some(Box::new(Steps::read_from(facts, from)?)),
            (false, None) => None,
            _ => return Err(Damaged("they come from the other interface of the FMU")),
        };
        Ok(Run {
            mode,
            latest,
            start,
            tolerance,
            evaluator,
            pending,
            steps,
        })
    }
}

impl<M: Model> Run<M> {
    fn write_to(&self, out: &mut Writer<'_>) {
        self.mode.store(out);
        out.f64(self.latest);
        self.start.store(out);
        self.tolerance.store(out);
        self.evaluator.write_to(out);
        self.pending.write_to(out);
        out.bool(self.steps.is_some());
        if let Some(steps) = &self.steps {
            steps.write_to(out);
        }
    }
}

impl Steps {
    fn write_to(&self, out: &mut Writer<'_>) {
        let Options {
            solver,
            tolerance,
            max_step,
            max_internal_steps,
            ..
        } = *self.memory.options();
        solver.store(out);
        out.f64(tolerance);
        out.f64(max_step);
        max_internal_steps.store(out);
        out.bool(self.status == Status::Discard);
        out.bool(self.terminated);
        let mut memory = Vec::new();
        self.memory.write_to(&mut memory);
        out.count(memory.len());
        out.0.extend_from_slice(&memory);
    }

    fn read_from(facts: &Facts, from: &mut Reader<'_>) -> Result<Steps, Damaged> {
        let mut options = Options::with(Stored::load(from)?);
        options.tolerance = from.nonnegative()?;
        options.max_step = from.nonnegative()?;
        options.max_internal_steps = Stored::load(from)?;
        let (discarded, terminated) = (from.bool()?, from.bool()?);
        Ok(Steps {
            memory: CoSimulation::new(facts, options).read_from(counted(from)?)?,
            status: if discarded { Status::Discard } else { Status::Ok },
            terminated,
        })
    }
}
