//! Explicit one-step methods: all they remember from one step to the next is where they are.

mod dormand_prince;
mod euler;
mod fixed_step;
mod runge_kutta_4;

pub use dormand_prince::DormandPrince;
pub use euler::{Euler, EulerRule};
pub use fixed_step::{FixedStep, Rule};
pub use runge_kutta_4::{Classical, RungeKutta4};

use crate::{Damaged, Reader, Statistics, Writer};

/// Where a method is, and where its last step began.
#[derive(Debug)]
struct Frame {
    t: f64,
    x: Box<[f64]>,
    t_old: f64,
    x_old: Box<[f64]>,
    statistics: Statistics,
}

crate::clone_in_place! { [] Frame => Frame { t, x, t_old, x_old, statistics } }

impl Frame {
    fn new(n: usize) -> Frame {
        let zero = vec![0.0; n].into_boxed_slice();
        Frame {
            t: 0.0,
            x: zero.clone(),
            t_old: 0.0,
            x_old: zero,
            statistics: Statistics::default(),
        }
    }

    /// Goes to `(t, x)`; there is no last step.
    #[inline]
    fn place(&mut self, t: f64, x: &[f64]) {
        self.t = t;
        self.t_old = t;
        self.x.copy_from_slice(x);
    }

    /// The size of the last step and the part of it that ends at `t`: 1 where there is no last step.
    #[inline]
    fn part(&self, t: f64) -> (f64, f64) {
        let h = self.t - self.t_old;
        (h, if h == 0.0 { 1.0 } else { (t - self.t_old) / h })
    }

    fn write_to(&self, out: &mut Writer<'_>) {
        out.f64(self.t);
        out.f64s(&self.x);
        self.statistics.write_to(out);
    }

    fn read_from(&mut self, from: &mut Reader<'_>) -> Result<(), Damaged> {
        self.t = from.finite()?;
        self.t_old = self.t;
        from.f64s(&mut self.x)?;
        self.statistics = Statistics::read_from(from)?;
        Ok(())
    }
}
