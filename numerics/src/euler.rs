//! The explicit Euler method: one evaluation a step.

use super::{Damaged, FEW, Reader, Statistics, StepError, System, Writer, steps_to};

/// Steps of equal length, the longest up to a given one that end where they must; linear in between.
#[derive(Clone, Debug)]
pub struct Euler {
    /// The longest step.
    h: f64,
    t: f64,
    x: Box<[f64]>,
    /// The last step began here, with the derivative `k`.
    t_old: f64,
    x_old: Box<[f64]>,
    k: Box<[f64]>,
    statistics: Statistics,
}

impl Euler {
    /// For `n` states, with steps of at most `h`.
    pub fn new(n: usize, h: f64) -> Euler {
        let zero = vec![0.0; n].into_boxed_slice();
        Euler {
            h,
            t: 0.0,
            x: zero.clone(),
            t_old: 0.0,
            x_old: zero.clone(),
            k: zero,
            statistics: Statistics::default(),
        }
    }

    /// The time that is reached.
    #[inline]
    pub fn time(&self) -> f64 {
        self.t
    }

    /// The states there.
    #[inline]
    pub fn states(&self) -> &[f64] {
        &self.x
    }

    /// What has been done so far.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Begins at `(t, x)`.
    pub fn restart(&mut self, t: f64, x: &[f64]) {
        self.t = t;
        self.t_old = t;
        self.x.copy_from_slice(x);
    }

    /// Makes one step towards `end`.
    #[inline]
    pub fn step<S: System>(&mut self, system: &mut S, end: f64) -> Result<(), StepError<S::Error>> {
        let steps = steps_to(self.t, end, self.h);
        let h = (end - self.t) / steps;
        self.statistics.evaluations += 1;
        system
            .rhs(self.t, &self.x, &mut self.k)
            .map_err(StepError::Model)?;
        self.x_old.copy_from_slice(&self.x);
        for (x, k) in self.x.iter_mut().zip(&self.k) {
            *x += h * k;
        }
        self.t_old = self.t;
        self.t = if steps == 1.0 { end } else { self.t + h };
        self.statistics.steps += 1;
        Ok(())
    }

    /// Makes all steps to `end`. There is no interpolant afterwards.
    #[inline]
    pub fn run<S: System>(&mut self, system: &mut S, end: f64) -> Result<(), StepError<S::Error>> {
        match S::STATES {
            Some(n) if n <= FEW => self.run_few(system, end),
            _ => {
                while self.t < end {
                    self.step(system, end)?;
                }
                Ok(())
            }
        }
    }

    #[inline]
    fn run_few<S: System>(&mut self, system: &mut S, end: f64) -> Result<(), StepError<S::Error>> {
        let n = S::STATES.unwrap_or(FEW);
        let (t0, steps) = (self.t, steps_to(self.t, end, self.h));
        let h = (end - t0) / steps;
        let mut x = [0.0; FEW];
        x[..n].copy_from_slice(&self.x[..n]);
        let (count, mut done, mut t) = (steps as u64, 0, t0);
        let result = loop {
            self.statistics.evaluations += 1;
            let mut k = [0.0; FEW];
            if let Err(error) = system.rhs(t, &x[..n], &mut k[..n]) {
                break Err(StepError::Model(error));
            }
            for i in 0..n {
                x[i] += h * k[i];
            }
            done += 1;
            if done >= count {
                t = end;
                break Ok(());
            }
            t = t0 + done as f64 * h;
        };
        self.statistics.steps += done;
        self.t = t;
        self.t_old = self.t;
        self.x[..n].copy_from_slice(&x[..n]);
        result
    }

    /// The states at a time `t` in the last step.
    pub fn interpolate(&self, t: f64, x: &mut [f64]) {
        for ((x, x_old), k) in x.iter_mut().zip(&self.x_old).zip(&self.k) {
            *x = x_old + (t - self.t_old) * k;
        }
    }

    /// Appends the memory; the interpolant of the last step is no part of it.
    pub fn write_to(&self, out: &mut Writer<'_>) {
        out.f64(self.t);
        out.f64s(&self.x);
        self.statistics.write_to(out);
    }

    /// The memory that was written by a method for the same system.
    pub fn read_from(&self, from: &mut Reader<'_>) -> Result<Euler, Damaged> {
        let mut read = self.clone();
        read.t = from.finite()?;
        read.t_old = read.t;
        from.f64s(&mut read.x)?;
        read.statistics = Statistics::read_from(from)?;
        Ok(read)
    }
}
