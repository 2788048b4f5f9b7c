//! A model under way as bytes: all its variables and internal fields, and where it stands.

use super::clocks::Clocks;
use super::events::Progress;
use super::indicators::Indicators;
use super::stale::Flags;
use super::{Evaluator, Stale};
use crate::model::Model;
use crate::stored::{Damaged, Reader, Stored, Writer};

impl<M: Model> Evaluator<M> {
    /// Appends everything. Internal fields are part of it where they are [`Stored`].
    pub fn write_to(&self, out: &mut Writer<'_>) {
        let (model, counts) = (&*self.model, M::COUNTS);
        for slot in 0..counts.reals {
            out.f64(model.real(slot));
        }
        for slot in 0..counts.integers {
            model.integer(slot).store(out);
        }
        for slot in 0..counts.booleans {
            out.bool(model.boolean(slot));
        }
        for slot in 0..counts.strings {
            out.count(model.string(slot).len());
            out.0.extend_from_slice(model.string(slot).as_bytes());
        }
        model.store_internal(out);
        out.u64(self.revision);
        out.f64(self.time);
        self.stale.store(out);
        self.spoilable.store(out);
        out.f64s(self.derivatives.get(counts.states));
        self.indicators.write_to(out);
        self.progress.store(out);
        self.clocks.write_to(out);
        for held in &self.held {
            out.u64(*held);
        }
        if let Some(implicit) = &self.implicit {
            implicit.write_to(out);
        }
    }

    /// What was written by [`Evaluator::write_to`]. Internal fields that are not in the bytes are those of `model`, which
    /// is as `fn instantiate` has left it.
    pub fn read_from(mut model: Box<M>, from: &mut Reader<'_>) -> Result<Evaluator<M>, Damaged> {
        let counts = M::COUNTS;
        for slot in 0..counts.reals {
            model.set_real(slot, from.f64()?);
        }
        for slot in 0..counts.integers {
            if !model.set_integer(slot, i32::load(from)?) {
                return Err(Damaged("an enumeration has no such item"));
            }
        }
        for slot in 0..counts.booleans {
            model.set_boolean(slot, from.bool()?);
        }
        for slot in 0..counts.strings {
            model.set_string(slot, &String::load(from)?);
        }
        model.load_internal(from)?;
        let mut read = Evaluator::new(model);
        read.revision = from.u64()?;
        read.time = from.finite()?;
        read.stale = Flags::load(from)?;
        read.spoilable = Stale::load(from)?;
        from.f64s(read.derivatives.get_mut(counts.states))?;
        read.indicators = Indicators::read_from(M::EVENT_INDICATORS, from)?;
        read.progress = Progress::load(from)?;
        read.clocks = Clocks::read_from(M::CLOCKS, from)?;
        for held in &mut read.held {
            *held = from.u64()?;
        }
        if let Some(implicit) = &mut read.implicit {
            implicit.read_from(from)?;
        }
        Ok(read)
    }
}
