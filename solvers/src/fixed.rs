//! Fixed steps: the methods of `fmu-numerics` on a grid of time points.

use std::cell::RefCell;

use fmu_numerics::{Attached, Euler, Integrator, RungeKutta4, Statistics, StepError, Stepper, System};

use crate::{DynStepper, DynSystem, Error, Method, Options, evaluate};

/// The system, whose derivatives must be finite.
struct Finite<'s>(&'s RefCell<DynSystem<'s>>);

impl System for Finite<'_> {
    type Error = Error;

    fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Error> {
        match x.is_empty() {
            true => Ok(()),
            false => evaluate(self.0, t, x, dx),
        }
    }
}

pub(crate) fn integrate(
    method: Method,
    system: &RefCell<DynSystem<'_>>,
    time: f64,
    x: &[f64],
    options: &Options,
    body: &mut dyn FnMut(&mut DynStepper),
) {
    let finite = RefCell::new(Finite(system));
    // The grid alone limits the steps.
    let longest = f64::INFINITY;
    match method {
        Method::Rk4 => body(&mut Grid::new(
            RungeKutta4::new(x.len(), longest),
            &finite,
            time,
            x,
            options,
        )),
        _ => body(&mut Grid::new(
            Euler::new(x.len(), longest),
            &finite,
            time,
            x,
            options,
        )),
    }
}

/// Steps from point to point of the grid `origin + k step`, or to where they must end before.
struct Grid<'f, 's, M> {
    inner: Attached<'f, M, Finite<'s>>,
    step: f64,
    origin: f64,
    position: u64,
}

impl<'f, 's, M: Integrator<Finite<'s>>> Grid<'f, 's, M> {
    fn new(method: M, system: &'f RefCell<Finite<'s>>, time: f64, x: &[f64], options: &Options) -> Self {
        assert!(options.fixed_step > 0.0, "steps go forward");
        let mut grid = Grid {
            inner: Attached::new(method, system),
            step: options.fixed_step,
            origin: time,
            position: 0,
        };
        grid.restart(time, x);
        grid
    }
}

impl<'s, M: Integrator<Finite<'s>>> Stepper for Grid<'_, 's, M> {
    type Error = Error;

    fn time(&self) -> f64 {
        self.inner.time()
    }

    fn states(&self) -> &[f64] {
        self.inner.states()
    }

    fn order(&self) -> usize {
        self.inner.order()
    }

    fn statistics(&self) -> Statistics {
        self.inner.statistics()
    }

    fn restart(&mut self, time: f64, x: &[f64]) {
        self.position = ((time - self.origin) / self.step).floor().max(0.0) as u64;
        self.inner.restart(time, x);
    }

    fn step(&mut self, end: f64) -> Result<(), Error> {
        // A grid point that rounding puts next to here, or next to the end, is that time.
        let near = 1e-9 * self.step;
        while self.origin + self.position as f64 * self.step <= self.time() + near {
            self.position += 1;
        }
        let mut next = self.origin + self.position as f64 * self.step;
        if next > end - near {
            next = end;
        }
        self.inner.step(next).map_err(|error| match error {
            StepError::Model(error) => error,
            StepError::TooSmall { t, .. } => Error::Refused { time: t },
        })?;
        Error::not_finite(next, self.states(), false)
    }

    fn interpolate(&mut self, time: f64, x: &mut [f64]) {
        self.inner.interpolate(time, x);
    }
}
