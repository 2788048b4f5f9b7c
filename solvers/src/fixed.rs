//! Fixed steps: the explicit Euler method and the classical Runge-Kutta method.

use std::cell::RefCell;

use crate::{Error, Method, Options, Statistics, Stepper, System};

pub(crate) struct Fixed<'s> {
    method: Method,
    system: &'s RefCell<dyn System + 's>,
    step: f64,
    /// The grid is `origin + k step`.
    origin: f64,
    position: u64,
    time: f64,
    stop: f64,
    x: Vec<f64>,
    previous: Vec<f64>,
    previous_time: f64,
    /// The slopes of the stages; the first is that at the beginning of the step.
    slopes: [Vec<f64>; 4],
    stage: Vec<f64>,
    /// The slope at the end of the step, which interpolation needs; it is found when it is asked for.
    end_slope: Option<Vec<f64>>,
    statistics: Statistics,
}

impl<'s> Fixed<'s> {
    pub fn new(
        method: Method,
        system: &'s RefCell<dyn System + 's>,
        time: f64,
        x: &[f64],
        options: &Options,
    ) -> Self {
        let step = options.fixed_step;
        assert!(step > 0.0, "steps go forward");
        Self {
            method,
            system,
            step,
            origin: time,
            position: 0,
            time,
            stop: options.stop,
            x: x.to_vec(),
            previous: x.to_vec(),
            previous_time: time,
            slopes: std::array::from_fn(|_| vec![0.0; x.len()]),
            stage: vec![0.0; x.len()],
            end_slope: None,
            statistics: Statistics::default(),
        }
    }

    fn slope(&mut self, stage: usize, time: f64) -> Result<(), Error> {
        let mut system = self.system.borrow_mut();
        let refused = |_| Error::Refused { time };
        system
            .derivatives(time, &self.stage, &mut self.slopes[stage])
            .map_err(refused)?;
        Error::not_finite(time, &self.slopes[stage], true)
    }

    fn advance(&mut self, h: f64) -> Result<(), Error> {
        let t = self.time;
        self.stage.copy_from_slice(&self.x);
        self.slope(0, t)?;
        if self.method == Method::Euler {
            for (x, k) in self.x.iter_mut().zip(&self.slopes[0]) {
                *x += h * k;
            }
            return Ok(());
        }
        for (stage, part) in [(1, 0.5), (2, 0.5), (3, 1.0)] {
            for (i, value) in self.stage.iter_mut().enumerate() {
                *value = self.x[i] + part * h * self.slopes[stage - 1][i];
            }
            self.slope(stage, t + part * h)?;
        }
        for (i, x) in self.x.iter_mut().enumerate() {
            let [k1, k2, k3, k4] = &self.slopes;
            *x += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
        Ok(())
    }
}

impl Stepper for Fixed<'_> {
    fn time(&self) -> f64 {
        self.time
    }

    fn state(&self) -> &[f64] {
        &self.x
    }

    fn set_stop(&mut self, time: f64) {
        self.stop = time;
    }

    fn step(&mut self) -> Result<(), Error> {
        // A grid point that rounding puts next to here, or next to the time to stop at, is that time.
        let near = 1e-9 * self.step;
        while self.origin + self.position as f64 * self.step <= self.time + near {
            self.position += 1;
        }
        let mut next = self.origin + self.position as f64 * self.step;
        if next > self.stop - near {
            next = self.stop;
        }
        self.previous.copy_from_slice(&self.x);
        self.previous_time = self.time;
        self.end_slope = None;
        if !self.x.is_empty() {
            self.advance(next - self.time)?;
            Error::not_finite(next, &self.x, false)?;
        }
        self.time = next;
        self.statistics.steps += 1;
        Ok(())
    }

    fn interpolate(&mut self, time: f64, x: &mut [f64]) {
        let h = self.time - self.previous_time;
        let s = if h == 0.0 {
            1.0
        } else {
            (time - self.previous_time) / h
        };
        if self.method == Method::Euler {
            for (i, value) in x.iter_mut().enumerate() {
                *value = self.previous[i] + s * (self.x[i] - self.previous[i]);
            }
            return;
        }
        let end = self.end_slope.take().unwrap_or_else(|| {
            let mut slope = vec![0.0; self.x.len()];
            let result = self
                .system
                .borrow_mut()
                .derivatives(self.time, &self.x, &mut slope);
            // Without a slope at the end a straight line does.
            if result.is_err() || slope.iter().any(|value| !value.is_finite()) {
                for (i, value) in slope.iter_mut().enumerate() {
                    *value = (self.x[i] - self.previous[i]) / h;
                }
            }
            slope
        });
        // Hermite's cubic.
        let (a, b) = ((1.0 + 2.0 * s) * (1.0 - s).powi(2), s * (1.0 - s).powi(2));
        let (c, d) = (s.powi(2) * (3.0 - 2.0 * s), s.powi(2) * (s - 1.0));
        for (i, value) in x.iter_mut().enumerate() {
            *value = a * self.previous[i] + b * h * self.slopes[0][i] + c * self.x[i] + d * h * end[i];
        }
        self.end_slope = Some(end);
    }

    fn restart(&mut self, time: f64, x: &[f64]) -> Result<(), Error> {
        self.time = time;
        self.previous_time = time;
        self.position = ((time - self.origin) / self.step).floor().max(0.0) as u64;
        self.x.copy_from_slice(x);
        self.previous.copy_from_slice(x);
        self.end_slope = None;
        Ok(())
    }

    fn order(&self) -> usize {
        match self.method {
            Method::Rk4 => 4,
            _ => 1,
        }
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }
}
