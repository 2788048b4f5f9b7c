//! The memory as bytes. The factors of the matrix are not written: the Jacobian is, and gives the same factors again.

use super::{Bdf, MAX_ORDER};
use crate::bdf::newton::Newton;
use crate::{Damaged, Reader, Statistics, Writer};

impl Bdf {
    /// Appends the memory; the interpolant of the last step is a part of it.
    pub fn write_to(&self, out: &mut Writer<'_>) {
        out.f64(self.t);
        out.f64(self.h);
        out.count(self.q);
        out.f64s(self.z.all());
        out.f64s(&self.tau);
        out.bool(self.is_new);
        out.bool(self.crossed);
        out.f64(self.next_h);
        out.count(self.next_q);
        out.f64(self.growth);
        out.count(self.wait);
        out.f64(self.delta_scale);
        out.f64s(&self.delta_old);
        self.newton.write_to(out);
        self.statistics.write_to(out);
    }

    /// The memory that was written by a method for the same system.
    pub fn read_from(&self, from: &mut Reader<'_>) -> Result<Bdf, Damaged> {
        let mut read = self.clone();
        read.t = from.finite()?;
        read.h = positive(from)?;
        read.q = order(from)?;
        from.f64s(read.z.all_mut())?;
        for tau in &mut read.tau {
            *tau = from.nonnegative()?;
        }
        read.is_new = from.bool()?;
        read.crossed = from.bool()?;
        read.next_h = positive(from)?;
        read.next_q = order(from)?;
        read.growth = positive(from)?;
        read.wait = from.count(10)?;
        read.delta_scale = from.nonnegative()?;
        from.f64s(&mut read.delta_old)?;
        if read.next_q.abs_diff(read.q) > 1 || (read.next_q > read.q && read.delta_scale == 0.0) {
            return Err(Damaged("an order cannot follow the one before"));
        }
        read.newton = Newton::read_from(&self.newton, from)?;
        read.statistics = Statistics::read_from(from)?;
        Ok(read)
    }
}

fn order(from: &mut Reader<'_>) -> Result<usize, Damaged> {
    match from.count(MAX_ORDER)? {
        0 => Err(Damaged("an order is 0")),
        order => Ok(order),
    }
}

fn positive(from: &mut Reader<'_>) -> Result<f64, Damaged> {
    match from.finite()? {
        value if value > 0.0 => Ok(value),
        _ => Err(Damaged("a step size is not positive")),
    }
}
