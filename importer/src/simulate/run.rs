//! From event to event, with a solver in between (FMI 2.0.5, 3.2.4).

use std::cell::RefCell;
use std::sync::atomic::Ordering;

use fmu_numerics::{Crossing, changed, crosses, locate_event, remember};
use fmu_solvers::{DynStepper, Options};

use super::chatter::Chatter;
use super::experiment::Experiment;
use super::hybrid::{Hybrid, Observe, RunSettings};
use super::{End, Events, SolverStep, Summary};
use crate::CompletedStep;

/// What the solver has to do after an event.
enum Next {
    /// Go on as before.
    Continue,
    /// Restart the solver.
    Restart,
    /// Restart the solver with other tolerances.
    Rebuild,
    /// Nothing: it is the end.
    End,
}

pub(super) struct Run<'r, 'c, H: Hybrid> {
    settings: RunSettings<'c>,
    experiment: Experiment,
    /// Shared with the solver.
    system: &'r RefCell<H>,
    observe: &'r mut Observe<'r, H>,
    summary: Summary,
    chatter: Chatter,
    needs_completed_steps: bool,
    next_output: u64,
    /// The time of the last row.
    recorded: Option<f64>,
    time: f64,
    /// The states at `time`.
    x: Vec<f64>,
    /// The event indicators at the last look since an event, whose signs count; at present; and working memory.
    last: Vec<f64>,
    z: Vec<f64>,
    between: Vec<f64>,
    /// States within the last step, and whether the system has been put there.
    point: Vec<f64>,
    is_there: bool,
    /// Slopes before and after an event.
    before: Vec<f64>,
    after: Vec<f64>,
}

impl<'r, 'c, H: Hybrid> Run<'r, 'c, H> {
    pub fn whole(
        system: &'r RefCell<H>,
        settings: RunSettings<'c>,
        observe: &'r mut Observe<'r, H>,
    ) -> Result<Summary, H::Fault> {
        let size = system.borrow().number_of_states();
        let indicators = system.borrow().number_of_event_indicators();
        let summary = Summary {
            method: Some(settings.method),
            ..Summary::default()
        };
        let mut run = Run {
            experiment: settings.experiment(),
            time: settings.start,
            settings,
            system,
            observe,
            summary,
            chatter: Chatter::default(),
            needs_completed_steps: system.borrow().needs_completed_steps(),
            next_output: 0,
            recorded: None,
            x: vec![0.0; size],
            last: vec![0.0; indicators],
            z: vec![0.0; indicators],
            between: vec![0.0; indicators],
            point: vec![0.0; size],
            is_there: true,
            before: vec![0.0; size],
            after: vec![0.0; size],
        };
        run.all_stretches()?;
        let mut summary = run.summary;
        summary.time = run.time;
        Ok(summary)
    }

    fn all_stretches(&mut self) -> Result<(), H::Fault> {
        let goes_on = self.begin()?;
        self.record(false)?;
        if !goes_on {
            self.summary.end = End::ByFmu;
        }
        while self.time < self.experiment.stop && self.summary.end == End::Reached {
            self.stretch()?;
        }
        Ok(())
    }

    /// The first event iteration, and the states that follow from it. Returns whether the simulation goes on.
    fn begin(&mut self) -> Result<bool, H::Fault> {
        let mut system = self.system.borrow_mut();
        let info = system.iterate(self.time, &mut self.summary.events.iterations)?;
        system.resume(self.time)?;
        system.states(self.time, &mut self.x)?;
        if !self.last.is_empty() {
            system.signs(self.time, &mut self.last)?;
        }
        Ok(!info.terminate_simulation)
    }

    /// Integrates until the tolerances change or it is the end.
    fn stretch(&mut self) -> Result<(), H::Fault> {
        let has_events = !self.z.is_empty() || self.next_planned() < self.experiment.stop;
        let tolerance = self.experiment.tolerance * self.settings.method.share(has_events);
        let mut options = Options::new(tolerance, self.absolute_tolerances(tolerance)?);
        options.tuning = self.settings.tuning;
        options.jacobian_age = self.system.borrow().jacobian_age();
        options.fixed_step = self.settings.fixed_step.unwrap_or(self.experiment.output_step);
        let (system, time, x) = (self.system, self.time, self.x.clone());
        let result = fmu_solvers::integrate(self.settings.method, system, time, &x, &options, |stepper| {
            let result = self.steps(stepper);
            let (did, total) = (stepper.statistics(), &mut self.summary.solver);
            *total += did;
            result
        });
        result.unwrap_or_else(|error| Err(system.borrow_mut().failure(time, error)))
    }

    fn steps(&mut self, stepper: &mut DynStepper) -> Result<(), H::Fault> {
        while self.time < self.experiment.stop && self.summary.end == End::Reached {
            if let Some(progress) = &mut self.settings.progress {
                progress(self.time);
            }
            let interrupt = self.settings.interrupt.as_ref();
            if interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                self.summary.end = End::Interrupted;
                return Ok(());
            }
            let event = self.next_planned();
            let traced = self.settings.steps.is_some();
            let before = traced.then(|| (self.time, stepper.statistics(), self.summary.events.total()));
            let system = self.system;
            let result = stepper.step(self.stop_before(event));
            result.map_err(|error| system.borrow_mut().failure(stepper.time(), error))?;
            system.borrow_mut().accepted();
            let next = self.follow(stepper, event)?;
            if let (Some(steps), Some(before)) = (&mut self.settings.steps, before) {
                let (begin, counted, events) = before;
                let now = stepper.statistics();
                steps(SolverStep {
                    time: self.time,
                    size: self.time - begin,
                    error: stepper.error(),
                    order: stepper.order(),
                    rejected: (now.error_failures - counted.error_failures) as usize,
                    iterations: (now.newton_iterations - counted.newton_iterations) as usize,
                    events: self.summary.events.total() - events,
                });
            }
            match next {
                Next::Continue => {}
                Next::Restart => {
                    self.summary.restarts += 1;
                    if self.time >= self.experiment.stop {
                        return Ok(());
                    }
                    stepper.restart(self.time, &self.x);
                }
                Next::Rebuild => {
                    self.summary.restarts += 1;
                    return Ok(());
                }
                Next::End => {
                    self.summary.end = End::ByFmu;
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Goes through the step that the solver has taken: records, looks for events, handles the first one.
    fn follow(&mut self, stepper: &mut DynStepper, planned: f64) -> Result<Next, H::Fault> {
        let end = stepper.time();
        let mut from = self.time;
        loop {
            let output = self.experiment.output(self.next_output);
            // A point that roundings keep apart from an event is that event.
            let at_event = end >= planned && self.experiment.is_due(self.next_output, end);
            let to = match at_event && output > end - 1e-9 * self.experiment.output_step {
                true => end,
                false => output.min(end),
            };
            stepper.interpolate(to, &mut self.point);
            self.look(to)?;
            if changed(&self.last, &self.z) {
                let stretch = Crossing {
                    before: from,
                    after: to,
                };
                return self.crossing(stepper, stretch, end);
            }
            from = to;
            remember(&mut self.last, &self.z);
            if to == end {
                break;
            }
            self.go_there(to)?;
            self.record_point(to)?;
        }
        self.time = end;
        self.x.copy_from_slice(&self.point);
        let is_output = self.experiment.output(self.next_output) <= end;
        if self.needs_completed_steps || end >= planned || is_output {
            self.go_there(end)?;
        }
        let asked = self.system.borrow_mut().completed(self.time)?;
        if end >= planned || asked.enter_event_mode || asked.terminate_simulation {
            return self.event(end >= planned, asked, &[]);
        }
        if is_output {
            self.record(false)?;
        }
        Ok(Next::Continue)
    }

    /// Evaluates the event indicators at the point between two steps.
    fn look(&mut self, time: f64) -> Result<(), H::Fault> {
        self.is_there = !self.z.is_empty();
        if !self.is_there {
            return Ok(());
        }
        let mut system = self.system.borrow_mut();
        system.indicators(time, &self.point, &mut self.z)
    }

    /// Puts the system to the point between two steps, if it is not there.
    fn go_there(&mut self, time: f64) -> Result<(), H::Fault> {
        if self.is_there {
            return Ok(());
        }
        self.is_there = true;
        self.system.borrow_mut().set(time, &self.point)
    }

    fn crossing(&mut self, stepper: &mut DynStepper, stretch: Crossing, end: f64) -> Result<Next, H::Fault> {
        let (system, point) = (self.system, &mut self.point);
        let (z0, z1) = (&mut self.last, &mut self.z);
        let time = locate_event(stretch, z0, z1, &mut self.between, |time, z| {
            stepper.interpolate(time, point);
            system.borrow_mut().indicators(time, point, z)
        })?;
        stepper.interpolate(time, &mut self.point);
        self.look(time)?;
        let signs = self.z.iter().zip(&self.last).enumerate();
        let crossed: Vec<usize> = signs
            .filter(|(_, (now, before))| crosses(**before, **now))
            .map(|(at, _)| at)
            .collect();
        self.time = time;
        self.x.copy_from_slice(&self.point);
        let asked = self.system.borrow_mut().completed(self.time)?;
        let planned = self.next_planned() <= time;
        let next = self.event(planned, asked, &crossed)?;
        // The solver has gone on beyond the event, by equations that no longer hold.
        Ok(match next {
            Next::Continue if time < end => Next::Restart,
            next => next,
        })
    }

    /// The next time at which the system or its inputs want an event.
    fn next_planned(&self) -> f64 {
        let system = self.system.borrow();
        system.next_time_event().min(system.next_jump(self.time))
    }

    /// How far the solver may go: to the next event, a kink of the inputs, or the end.
    fn stop_before(&self, event: f64) -> f64 {
        let kink = self.system.borrow().next_kink(self.time);
        event.min(kink).min(self.experiment.stop)
    }

    fn absolute_tolerances(&mut self, tolerance: f64) -> Result<Vec<f64>, H::Fault> {
        let mut sizes = vec![0.0; self.x.len()];
        self.system.borrow_mut().nominals(self.time, &mut sizes)?;
        for size in &mut sizes {
            *size = if *size > 0.0 && size.is_finite() {
                *size
            } else {
                1.0
            };
        }
        let scale = 0.01 * tolerance;
        Ok(sizes.into_iter().map(|size| scale * size).collect())
    }

    /// Records the point between two steps; the system is there.
    fn record_point(&mut self, time: f64) -> Result<(), H::Fault> {
        let here = std::mem::replace(&mut self.time, time);
        let result = self.record(false);
        self.time = here;
        result
    }

    /// Records where the system is.
    fn record(&mut self, event: bool) -> Result<(), H::Fault> {
        self.next_output = self.experiment.next_output(self.next_output, self.time);
        let goes_on = (self.observe)(&mut self.system.borrow_mut(), self.time, event)?;
        if !goes_on && self.summary.end == End::Reached {
            self.summary.end = End::Interrupted;
        }
        self.recorded = Some(self.time);
        self.summary.rows += 1;
        Ok(())
    }

    /// Records what is so before an event, unless it was just recorded.
    fn record_before(&mut self) -> Result<(), H::Fault> {
        if self.recorded == Some(self.time) {
            Ok(())
        } else {
            self.record(true)
        }
    }

    /// Handles the event where the system is. It was `planned`, or `asked` for, or indicators `crossed` zero.
    fn event(&mut self, planned: bool, asked: CompletedStep, crossed: &[usize]) -> Result<Next, H::Fault> {
        self.record_before()?;
        if asked.terminate_simulation {
            return Ok(Next::End);
        }
        self.chatter.event(self.time, crossed)?;
        self.count(planned, asked, crossed);
        let system = self.system;
        system.borrow_mut().slopes(self.time, &mut self.before)?;
        system.borrow_mut().enter(self.time, crossed)?;
        let passes = &mut self.summary.events.iterations;
        let mut info = system.borrow_mut().iterate(self.time, passes)?;
        // An event that is due at once belongs to this one.
        while system.borrow().next_time_event() <= self.time && !info.terminate_simulation {
            self.chatter.event(self.time, &[])?;
            self.summary.events.time += 1;
            let again = system.borrow_mut().iterate(self.time, passes)?;
            info.values_of_continuous_states_changed |= again.values_of_continuous_states_changed;
            info.nominals_of_continuous_states_changed |= again.nominals_of_continuous_states_changed;
            info.terminate_simulation |= again.terminate_simulation;
        }
        if info.terminate_simulation {
            self.record(true)?;
            return Ok(Next::End);
        }
        system.borrow_mut().resume(self.time)?;
        let jumped = info.values_of_continuous_states_changed;
        self.read(jumped)?;
        self.record(true)?;
        Ok(if info.nominals_of_continuous_states_changed {
            Next::Rebuild
        } else if jumped || self.before != self.after {
            Next::Restart
        } else {
            Next::Continue
        })
    }

    fn count(&mut self, planned: bool, asked: CompletedStep, crossed: &[usize]) {
        let announced = self.system.borrow().next_time_event() <= self.time;
        let Events {
            state,
            time,
            step,
            input,
            ..
        } = &mut self.summary.events;
        *state += usize::from(!crossed.is_empty());
        *step += usize::from(asked.enter_event_mode);
        *time += usize::from(planned && announced);
        *input += usize::from(planned && !announced);
    }

    /// States, slopes and signs after an event.
    fn read(&mut self, jumped: bool) -> Result<(), H::Fault> {
        let mut system = self.system.borrow_mut();
        if jumped {
            system.states(self.time, &mut self.x)?;
        }
        system.slopes(self.time, &mut self.after)?;
        if !self.last.is_empty() {
            system.signs(self.time, &mut self.last)?;
        }
        Ok(())
    }
}
