//! The methods of diffsol behind [`Stepper`].

use std::cell::RefCell;

use diffsol::error::OdeSolverError;
use diffsol::matrix::MatrixRef;
use diffsol::{
    Bdf, BdfState, DefaultDenseMatrix, DiffsolError, InitialConditionSolverOptions, OdeSolverConfig,
    OdeSolverMethod, OdeSolverOptions, OdeSolverProblem, OdeSolverState, RkState, Sdirk, Tableau, Vector,
    VectorRef,
};

use crate::backend::{Backend, Dense, Equations, NOWHERE, Sparse};
use crate::estimate;
use crate::{DynStepper, DynSystem, Error, Method, Options, Statistics, Stepper};

type DenseOf<B> = <<B as Backend>::V as DefaultDenseMatrix>::M;

/// A step that has failed this often will not get better.
const FAILURES: usize = 200;

/// A step that is a smaller part of the time than this gets nowhere.
const ROUNDING: f64 = 1e-13;

/// Steps that are a smaller part of the remaining interval than this do not reach its end, if many in a row are as short.
const CRAWL: f64 = 1e-12;

/// The number of such steps that is accepted: the first steps, and those of fast damped oscillations, may be as short.
const CRAWLS: usize = 5_000;

/// What is done with a stepper.
type Body<'b> = &'b mut dyn FnMut(&mut DynStepper);

pub(crate) fn integrate(
    method: Method,
    system: &RefCell<DynSystem<'_>>,
    time: f64,
    x: &[f64],
    options: &Options,
    body: Body,
) -> Result<(), Error> {
    if method.is_implicit() {
        let sparse = system.borrow().pattern().is_some();
        let implicit = if sparse {
            implicit::<Sparse>
        } else {
            implicit::<Dense>
        };
        return implicit(method, system, time, x, options, body);
    }
    let problem = problem::<Dense>(method, system, time, x, options);
    let stopped = stopped(method, time);
    let state = RkState::<_, DenseOf<Dense>>::new_without_initialise(&problem).map_err(&stopped)?;
    let solver = problem
        .explicit_rk_solver(state, Tableau::tsit45())
        .map_err(&stopped)?;
    let mut stepper = Adaptive::<Dense, _>::new(method, solver, &problem, 5, |_, _| {});
    stepper.restart(time, x);
    body(&mut stepper);
    Ok(())
}

fn implicit<B: Backend>(
    method: Method,
    system: &RefCell<DynSystem<'_>>,
    time: f64,
    x: &[f64],
    options: &Options,
    body: Body,
) -> Result<(), Error>
where
    for<'b> &'b B::V: VectorRef<B::V>,
    for<'b> &'b B::M: MatrixRef<B::M>,
{
    let problem = problem::<B>(method, system, time, x, options);
    let problem = &problem;
    let stopped = stopped(method, time);
    if method == Method::Bdf {
        let state = BdfState::<_, DenseOf<B>>::new_without_initialise(problem).map_err(&stopped)?;
        let solver = Bdf::<_, B::Solver>::new(problem, state, B::Solver::default()).map_err(&stopped)?;
        let mut stepper = Adaptive::<B, _>::new(method, solver, problem, 1, |solver, most| {
            solver.config_mut().maximum_newton_fails = most;
        });
        stepper.fresh_at_restart = options.tuning.fresh_at_restart;
        stepper.restart(time, x);
        body(&mut stepper);
        return Ok(());
    }
    let tableau = if method == Method::TrBdf2 {
        Tableau::tr_bdf2()
    } else {
        Tableau::esdirk34()
    };
    let order = tableau.order();
    let state = RkState::<_, DenseOf<B>>::new_without_initialise(problem).map_err(&stopped)?;
    let solver =
        Sdirk::<_, B::Solver>::new(problem, state, tableau, B::Solver::default()).map_err(&stopped)?;
    let mut stepper = Adaptive::<B, _>::new(method, solver, problem, order, |solver, most| {
        solver.config_mut().maximum_newton_fails = most;
    });
    stepper.restart(time, x);
    body(&mut stepper);
    Ok(())
}

fn problem<'s, B: Backend>(
    method: Method,
    system: &'s RefCell<DynSystem<'s>>,
    time: f64,
    x: &[f64],
    options: &Options,
) -> OdeSolverProblem<Equations<'s, B>> {
    let is_bdf = method == Method::Bdf;
    OdeSolverProblem {
        eqn: Equations::new(system, x),
        rtol: options.relative,
        atol: B::V::from_slice(&options.absolute, B::C::default()),
        t0: time,
        h0: 1.0,
        integrate_out: false,
        sens_rtol: None,
        sens_atol: None,
        out_rtol: None,
        out_atol: None,
        param_rtol: None,
        param_atol: None,
        ic_options: InitialConditionSolverOptions::default(),
        ode_options: OdeSolverOptions {
            max_error_test_failures: FAILURES,
            min_timestep: f64::MIN_POSITIVE,
            update_rhs_jacobian_after_steps: options.jacobian_age,
            min_timestep_growth: is_bdf.then_some(options.tuning.least_growth),
            max_timestep_growth: is_bdf.then_some(options.tuning.most_growth),
            pi_control_integral: if is_bdf { options.tuning.integral_gain } else { 0.5 },
            threshold_to_update_jacobian: if is_bdf {
                options.tuning.matrix_threshold
            } else {
                0.3
            },
            ..OdeSolverOptions::default()
        },
    }
}

fn stopped(method: Method, time: f64) -> impl Fn(DiffsolError) -> Error {
    move |error| match error {
        DiffsolError::OdeSolverError(
            OdeSolverError::StepSizeTooSmall { time }
            | OdeSolverError::TooManyErrorTestFailures { time, .. }
            | OdeSolverError::TooManyNonlinearSolverFailures { time, .. },
        ) => Error::TooSmall { time, method },
        error => Error::Stopped {
            time,
            method,
            reason: error.to_string(),
        },
    }
}

/// A solver of diffsol. `S` borrows the problem, whose equations borrow the system.
struct Adaptive<'a, 's, B: Backend, S> {
    method: Method,
    solver: S,
    problem: &'a OdeSolverProblem<Equations<'s, B>>,
    order: usize,
    /// The end of the last step that was asked for, and whether the solver knows it.
    stop: f64,
    knows_stop: bool,
    /// The solver was put to other states, and has to begin there.
    is_new: bool,
    between: B::V,
    /// The estimated error of the last step.
    error: Option<f64>,
    /// How many steps in a row were too short to lead anywhere.
    crawled: usize,
    /// Limits the failures of Newton's method, which diffsol counts over the whole run.
    limit_failures: fn(&mut S, usize),
    /// See [`crate::Tuning::fresh_at_restart`]; the first start always finds one.
    fresh_at_restart: bool,
    first: bool,
}

impl<'a, 's, B: Backend, S: OdeSolverMethod<'a, Equations<'s, B>>> Adaptive<'a, 's, B, S> {
    fn new(
        method: Method,
        solver: S,
        problem: &'a OdeSolverProblem<Equations<'s, B>>,
        order: usize,
        limit_failures: fn(&mut S, usize),
    ) -> Self {
        let between = solver.state().y.clone();
        Self {
            method,
            solver,
            problem,
            order,
            stop: f64::INFINITY,
            knows_stop: true,
            is_new: true,
            between,
            error: None,
            crawled: 0,
            limit_failures,
            fresh_at_restart: true,
            first: true,
        }
    }

    /// Finds what the first step needs: the derivatives, its size, and the Jacobian.
    fn begin(&mut self) -> Result<(), Error> {
        let (time, x) = (self.solver.state().t, B::numbers(self.solver.state().y).to_vec());
        Error::not_finite(time, &x, false)?;
        let mut dx = vec![0.0; x.len()];
        self.problem.eqn.derivatives(time, &x, &mut dx)?;
        let h = self.first_step(time, &x, &dx);
        let state = self.solver.state_mut();
        B::numbers_mut(state.dy).copy_from_slice(&dx);
        *state.h = h;
        self.is_new = false;
        if self.method.is_implicit() && (self.fresh_at_restart || self.first) {
            self.first = false;
            // Finds the Jacobian here; the one from before the change may be of another system.
            let _ = self.solver.checkpoint();
        }
        Ok(())
    }

    /// The size of the first step (Hairer, Nørsett and Wanner 1993, II.4), evaluated not beyond the end of the step.
    fn first_step(&self, time: f64, x: &[f64], dx: &[f64]) -> f64 {
        let (relative, absolute) = (self.problem.rtol, B::numbers(&self.problem.atol));
        let norm = |v: &[f64]| {
            let terms = v.iter().zip(x).zip(absolute);
            let sum: f64 = terms
                .map(|((v, x), a)| (v / (a + relative * x.abs())).powi(2))
                .sum();
            (sum / x.len() as f64).sqrt()
        };
        let limit = if self.stop > time {
            self.stop - time
        } else {
            f64::INFINITY
        };
        let (d0, d1) = (norm(x), norm(dx));
        let h0 = if d0 < 1e-5 || d1 < 1e-5 {
            1e-6
        } else {
            0.01 * d0 / d1
        };
        let h0 = h0.min(limit);
        let probe: Vec<f64> = x.iter().zip(dx).map(|(x, dx)| x + h0 * dx).collect();
        let mut slope = vec![0.0; x.len()];
        let result = self.problem.eqn.derivatives(time + h0, &probe, &mut slope);
        if result.is_err() {
            return h0.min(1e-6);
        }
        for (slope, dx) in slope.iter_mut().zip(dx) {
            *slope -= dx;
        }
        let largest = d1.max(norm(&slope) / h0);
        let h1 = if largest < 1e-15 {
            (h0 * 1e-3).max(1e-6)
        } else {
            (0.01 / largest).powf(1.0 / (1.0 + self.order as f64))
        };
        (100.0 * h0).min(h1).min(limit)
    }
}

impl<'a, 's, B: Backend, S: OdeSolverMethod<'a, Equations<'s, B>>> Adaptive<'a, 's, B, S> {
    /// Whether an evaluation that was refused during an accepted step can be distinguished from others: where states are
    /// enormous, [`NOWHERE`] is a place like any other.
    fn distinguishes(&self, before: f64, refused: Error) -> Result<(), Error> {
        let step = self.solver.state().t - before;
        let absolute = B::numbers(&self.problem.atol).iter();
        let mut allowed = self
            .states()
            .iter()
            .zip(absolute)
            .map(|(x, a)| a + self.problem.rtol * x.abs());
        match allowed.all(|allowed| 1e6 * allowed < step * NOWHERE) {
            true => Ok(()),
            false => Err(refused),
        }
    }

    /// Whether steps lead anywhere.
    fn see_progress(&mut self, before: f64, after: f64) -> Result<(), Error> {
        let left = if self.stop.is_finite() {
            self.stop - before
        } else {
            0.0
        };
        let crawls = after - before <= (ROUNDING * after.abs()).max(CRAWL * left);
        self.crawled = if crawls { self.crawled + 1 } else { 0 };
        if after <= before || self.crawled > CRAWLS {
            return Err(Error::TooSmall {
                time: before,
                method: self.method,
            });
        }
        Ok(())
    }
}

impl<'a, 's, B: Backend, S: OdeSolverMethod<'a, Equations<'s, B>>> Stepper for Adaptive<'a, 's, B, S> {
    type Error = Error;

    fn time(&self) -> f64 {
        let time = self.solver.state().t;
        // The solver stops a few roundings before or after, and the rest is too short for a step.
        if self.stop.is_finite() && (time - self.stop).abs() <= 2.0 * ROUNDING * self.stop.abs() {
            self.stop
        } else {
            time
        }
    }

    fn states(&self) -> &[f64] {
        B::numbers(self.solver.state().y)
    }

    fn step(&mut self, end: f64) -> Result<(), Error> {
        if end != self.stop {
            self.stop = end;
            self.knows_stop = end.is_infinite();
        }
        let time = self.solver.state().t;
        if self.time() >= self.stop {
            return Ok(());
        }
        if self.is_new {
            self.begin()?;
        }
        if !self.knows_stop {
            self.knows_stop = true;
            self.solver
                .set_stop_time(self.stop)
                .map_err(stopped(self.method, time))?;
        }
        let failures = self.solver.get_statistics().number_of_nonlinear_solver_fails;
        (self.limit_failures)(&mut self.solver, failures + FAILURES);
        *self.solver.config_mut().as_base_mut().minimum_timestep = ROUNDING * time.abs();
        let result = self.solver.step().map_err(stopped(self.method, time));
        self.error = estimate::take();
        let refused = self.problem.eqn.take_refused();
        match (result, refused) {
            (Ok(_), None) => {}
            (Ok(_), Some(refused)) => self.distinguishes(time, refused)?,
            // However small the step was, a value was not finite.
            (Err(_), Some(refused @ Error::NotFinite { .. })) => return Err(refused),
            (Err(error), _) => return Err(error),
        }
        let after = self.solver.state().t;
        Error::not_finite(after, self.states(), false)?;
        self.see_progress(time, after)
    }

    fn interpolate(&mut self, time: f64, x: &mut [f64]) {
        let end = self.solver.state().t;
        if time < end && self.solver.interpolate_inplace(time, &mut self.between).is_ok() {
            x.copy_from_slice(B::numbers(&self.between));
        } else {
            x.copy_from_slice(self.states());
        }
    }

    fn restart(&mut self, time: f64, x: &[f64]) {
        let state = self.solver.state_mut();
        B::numbers_mut(state.y).copy_from_slice(x);
        *state.t = time;
        self.knows_stop = self.stop.is_infinite();
        self.is_new = true;
        self.crawled = 0;
    }

    fn order(&self) -> usize {
        self.solver.order()
    }

    fn error(&self) -> Option<f64> {
        self.error
    }

    fn statistics(&self) -> Statistics {
        let counted = self.solver.get_statistics();
        // The system counts its evaluations itself.
        let mut statistics = Statistics::default();
        statistics.steps = counted.number_of_steps as u64;
        statistics.error_failures = counted.number_of_error_test_failures as u64;
        statistics.newton_iterations = counted.number_of_nonlinear_solver_iterations as u64;
        statistics.convergence_failures = counted.number_of_nonlinear_solver_fails as u64;
        statistics.factorizations = counted.number_of_linear_solver_setups as u64;
        statistics
    }
}
