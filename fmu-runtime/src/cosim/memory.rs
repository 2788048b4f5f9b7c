//! The memory as bytes, with a mark at the beginning and a check sum at the end.

use super::CoSimulation;
use super::workspace::new_stamp;
use crate::solver::{Damaged, Reader, Writer};
use crate::stored::check_sum;

const MARK: u64 = u64::from_le_bytes(*b"cosim  1");

impl CoSimulation {
    /// Appends the memory, without the model itself.
    pub fn write_to(&self, bytes: &mut Vec<u8>) {
        let start = bytes.len();
        let out = &mut Writer(bytes);
        out.u64(MARK);
        out.count(self.surroundings.stabilized.len());
        for slot in &self.surroundings.stabilized {
            out.count(*slot);
        }
        self.method.write_to(out);
        self.surroundings.inputs.write_to(out);
        out.f64s(&self.z);
        out.bool(self.next_event_time.is_some());
        out.f64(self.next_event_time.unwrap_or(0.0));
        out.bool(self.terminated);
        out.bool(self.changed);
        out.bool(self.event_requested);
        out.u64(self.events);
        out.f64(self.last_event_time);
        out.u64(self.quick_events);
        let sum = check_sum(&bytes[start..]);
        Writer(bytes).u64(sum);
    }

    /// The memory that was written by a co-simulation of the same model with the same options.
    pub fn read_from(&self, bytes: &[u8]) -> Result<CoSimulation, Damaged> {
        let (content, sum) = bytes.split_last_chunk().ok_or(Damaged("they end too early"))?;
        if u64::from_le_bytes(*sum) != check_sum(content) {
            return Err(Damaged("the check sum is wrong"));
        }
        let from = &mut Reader(content);
        if from.u64()? != MARK {
            return Err(Damaged("they are not those of a co-simulation"));
        }
        let mut read = self.clone();
        let stabilized = from.count(self.surroundings.facts.inputs.len())?;
        let slots = (0..stabilized).map(|_| from.count(usize::MAX));
        if !read.stabilize(&slots.collect::<Result<Vec<_>, _>>()?) {
            return Err(Damaged("a stabilized input is not an input"));
        }
        read.method = read.method.read_from(from)?;
        read.surroundings.inputs = self.surroundings.inputs.read_from(from)?;
        from.f64s(&mut read.z)?;
        let is_due = from.bool()?;
        let due = from.finite()?;
        read.next_event_time = is_due.then_some(due);
        read.terminated = from.bool()?;
        read.changed = from.bool()?;
        read.event_requested = from.bool()?;
        read.events = from.u64()?;
        read.last_event_time = from.f64()?;
        read.quick_events = from.u64()?;
        from.end()?;
        read.surroundings.stamp = new_stamp();
        Ok(read)
    }
}
