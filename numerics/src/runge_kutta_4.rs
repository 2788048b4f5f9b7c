//! The classical Runge-Kutta method of order 4: four evaluations a step.

use super::{Damaged, FEW, Reader, Statistics, StepError, System, Writer, steps_to};

/// Steps of equal length, the longest up to a given one that end where they must; Hermite's cubic in between.
#[derive(Clone, Debug)]
pub struct RungeKutta4 {
    /// The longest step.
    h: f64,
    t: f64,
    x: Box<[f64]>,
    /// The last step began here.
    t_old: f64,
    x_old: Box<[f64]>,
    k: [Box<[f64]>; 4],
    /// `f(t, x)` for the interpolant.
    k_end: Box<[f64]>,
    /// The argument of a stage.
    y: Box<[f64]>,
    statistics: Statistics,
}

impl RungeKutta4 {
    /// For `n` states, with steps of at most `h`.
    pub fn new(n: usize, h: f64) -> RungeKutta4 {
        let zero = vec![0.0; n].into_boxed_slice();
        RungeKutta4 {
            h,
            t: 0.0,
            x: zero.clone(),
            t_old: 0.0,
            x_old: zero.clone(),
            k: std::array::from_fn(|_| zero.clone()),
            k_end: zero.clone(),
            y: zero,
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
        let (t, steps) = (self.t, steps_to(self.t, end, self.h));
        let h = (end - t) / steps;
        let [k1, k2, k3, k4] = &mut self.k;
        let (x, y) = (&mut self.x, &mut self.y);
        self.statistics.evaluations += 4;
        system.rhs(t, x, k1).map_err(StepError::Model)?;
        stage(y, x, 0.5 * h, k1);
        system.rhs(t + 0.5 * h, y, k2).map_err(StepError::Model)?;
        stage(y, x, 0.5 * h, k2);
        system.rhs(t + 0.5 * h, y, k3).map_err(StepError::Model)?;
        stage(y, x, h, k3);
        system.rhs(t + h, y, k4).map_err(StepError::Model)?;
        self.x_old.copy_from_slice(x);
        for (i, x) in x.iter_mut().enumerate() {
            *x += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
        }
        self.t_old = t;
        self.t = if steps == 1.0 { end } else { t + h };
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
            self.statistics.evaluations += 4;
            if let Err(error) = few_stages(system, n, t, h, &mut x) {
                break Err(StepError::Model(error));
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

    /// Before [`RungeKutta4::interpolate`]: evaluates the derivative at the end of the last step.
    pub fn prepare<S: System>(&mut self, system: &mut S) -> Result<(), StepError<S::Error>> {
        self.statistics.evaluations += 1;
        system
            .rhs(self.t, &self.x, &mut self.k_end)
            .map_err(StepError::Model)
    }

    /// The states at a time `t` in the last step.
    pub fn interpolate(&self, t: f64, x: &mut [f64]) {
        let h = self.t - self.t_old;
        let theta = (t - self.t_old) / h;
        for (i, x) in x.iter_mut().enumerate() {
            let (x0, x1) = (self.x_old[i], self.x[i]);
            let (k0, k1) = (h * self.k[0][i], h * self.k_end[i]);
            let bend = (1.0 - 2.0 * theta) * (x1 - x0) + (theta - 1.0) * k0 + theta * k1;
            *x = (1.0 - theta) * x0 + theta * x1 + theta * (theta - 1.0) * bend;
        }
    }

    /// Appends the memory; the interpolant of the last step is no part of it.
    pub fn write_to(&self, out: &mut Writer<'_>) {
        out.f64(self.t);
        out.f64s(&self.x);
        self.statistics.write_to(out);
    }

    /// The memory that was written by a method for the same system.
    pub fn read_from(&self, from: &mut Reader<'_>) -> Result<RungeKutta4, Damaged> {
        let mut read = self.clone();
        read.t = from.finite()?;
        read.t_old = read.t;
        from.f64s(&mut read.x)?;
        read.statistics = Statistics::read_from(from)?;
        Ok(read)
    }
}

/// One step of `n` states.
#[inline(always)]
fn few_stages<S: System>(
    system: &mut S,
    n: usize,
    t: f64,
    h: f64,
    x: &mut [f64; FEW],
) -> Result<(), S::Error> {
    let (mut k1, mut k2, mut k3, mut k4) = ([0.0; FEW], [0.0; FEW], [0.0; FEW], [0.0; FEW]);
    let mut y = [0.0; FEW];
    system.rhs(t, &x[..n], &mut k1[..n])?;
    stage(&mut y[..n], &x[..n], 0.5 * h, &k1[..n]);
    system.rhs(t + 0.5 * h, &y[..n], &mut k2[..n])?;
    stage(&mut y[..n], &x[..n], 0.5 * h, &k2[..n]);
    system.rhs(t + 0.5 * h, &y[..n], &mut k3[..n])?;
    stage(&mut y[..n], &x[..n], h, &k3[..n]);
    system.rhs(t + h, &y[..n], &mut k4[..n])?;
    for i in 0..n {
        x[i] += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
    }
    Ok(())
}

/// `y = x + h k`
#[inline]
fn stage(y: &mut [f64], x: &[f64], h: f64, k: &[f64]) {
    for ((y, x), k) in y.iter_mut().zip(x).zip(k) {
        *y = x + h * k;
    }
}
