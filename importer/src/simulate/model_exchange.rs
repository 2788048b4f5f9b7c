//! Model Exchange: from event to event, with a solver in between (FMI 2.0.5, 3.2.4).

use std::cell::RefCell;
use std::sync::atomic::Ordering;
use std::time::Instant;

use ode::{Options, Stepper, System};

use super::chatter::Chatter;
use super::events::Next;
use super::locate::{Bracket, changed};
use super::record::Recorder;
use super::settings::{Experiment, at};
use super::system::FmuSystem;
use super::{End, Plant, SimulateError, Simulation, Sink, Summary};
use crate::Error;

pub(super) fn run(
    mut simulation: Simulation,
    experiment: Experiment,
    recorder: Recorder,
    sink: &mut dyn Sink,
    at_end: impl FnOnce(&mut Plant, f64) -> Result<(), Error>,
) -> Result<Summary, SimulateError> {
    let begin = Instant::now();
    let fmu = simulation.fmu;
    let options = std::mem::take(&mut simulation.options);
    let mut instance = fmu.model_exchange_with("simulation", options)?;
    let inputs = simulation.initialize(&mut instance, &experiment)?;
    // Not before: a mistake in the settings leaves no empty table behind.
    sink.begin(&recorder.columns)?;
    let indicators = instance.number_of_event_indicators();
    let described = fmu.description().model_exchange.as_ref();
    let tells_steps = described.is_none_or(|me| !me.completed_integrator_step_not_needed);
    let plant = Plant::new(fmu, instance, simulation.compressed)?;
    let system = FmuSystem::new(plant, inputs, simulation.extra.take(), simulation.matrices);
    let size = system.size();
    let summary = Summary {
        setup: begin.elapsed(),
        method: Some(simulation.method),
        sparse: system.is_sparse(),
        jacobian_groups: system.plant.a.groups(),
        ..Summary::default()
    };
    let system = RefCell::new(system);
    let mut run = Run {
        simulation,
        experiment,
        system: &system,
        recorder,
        sink,
        summary,
        chatter: Chatter::default(),
        tells_steps,
        next_output: 0,
        recorded: None,
        time: experiment.start,
        next_event: None,
        x: vec![0.0; size],
        signs: vec![0.0; indicators],
        z: vec![0.0; indicators],
        point: vec![0.0; size],
        is_there: true,
        before: vec![0.0; size],
        after: vec![0.0; size],
    };
    run.whole()?;
    let (time, mut summary) = (run.time, run.summary);
    let mut system = system.into_inner();
    at_end(&mut system.plant, time).map_err(at(time))?;
    system.plant.instance.terminate().map_err(at(time))?;
    summary.time = time;
    summary.evaluations = system.evaluations;
    summary.indicator_evaluations = system.indicator_evaluations;
    summary.jacobians = system.jacobians;
    summary.directional_derivatives = system.plant.calls();
    summary.in_fmu = system.in_fmu.total();
    summary.total = begin.elapsed();
    Ok(summary)
}

pub(super) struct Run<'r, 'f> {
    pub simulation: Simulation<'f>,
    pub experiment: Experiment,
    /// Shared with the solver.
    pub system: &'r RefCell<FmuSystem<'f>>,
    recorder: Recorder,
    sink: &'r mut dyn Sink,
    pub summary: Summary,
    pub chatter: Chatter,
    pub tells_steps: bool,
    next_output: u64,
    /// The time of the last row.
    recorded: Option<f64>,
    pub time: f64,
    /// When the FMU wants an event.
    pub next_event: Option<f64>,
    /// The states at `time`, those of extra equations included.
    pub x: Vec<f64>,
    /// The event indicators after the last event, whose signs count.
    pub signs: Vec<f64>,
    pub z: Vec<f64>,
    /// States within the last step, and whether the instance has been put there.
    point: Vec<f64>,
    is_there: bool,
    /// Slopes before and after an event.
    pub before: Vec<f64>,
    pub after: Vec<f64>,
}

impl Run<'_, '_> {
    fn whole(&mut self) -> Result<(), SimulateError> {
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

    /// Integrates until the tolerances change or it is the end.
    fn stretch(&mut self) -> Result<(), SimulateError> {
        let tolerance = self.experiment.tolerance * self.simulation.method.share(!self.z.is_empty());
        let mut options = Options::new(tolerance, self.absolute_tolerances(tolerance)?);
        options.stop = self.next_stop();
        options.jacobian_age = self.system.borrow().jacobian_age();
        options.fixed_step = self.simulation.step.unwrap_or(self.experiment.output_step);
        let (system, time, x) = (self.system, self.time, self.x.clone());
        let result = ode::integrate(self.simulation.method, system, time, &x, &options, |stepper| {
            let result = self.steps(stepper);
            let (did, total) = (stepper.statistics(), &mut self.summary.solver);
            total.steps += did.steps;
            total.rejected += did.rejected;
            total.newton_iterations += did.newton_iterations;
            total.newton_failures += did.newton_failures;
            total.factorizations += did.factorizations;
            result
        });
        result.unwrap_or_else(|error| Err(system.borrow_mut().failure(time, error)))
    }

    fn steps(&mut self, stepper: &mut dyn Stepper) -> Result<(), SimulateError> {
        while self.time < self.experiment.stop {
            if let Some(progress) = &mut self.simulation.progress {
                progress(self.time);
            }
            let interrupt = self.simulation.interrupt.as_ref();
            if interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                self.summary.end = End::Interrupted;
                return Ok(());
            }
            let event = self.next_planned();
            stepper.set_stop(self.next_stop());
            let system = self.system;
            let result = stepper.step();
            result.map_err(|error| system.borrow_mut().failure(stepper.time(), error))?;
            system.borrow_mut().accepted();
            match self.follow(stepper, event)? {
                Next::Continue => {}
                Next::Restart => {
                    self.summary.restarts += 1;
                    if self.time >= self.experiment.stop {
                        return Ok(());
                    }
                    stepper.set_stop(self.next_stop());
                    let result = stepper.restart(self.time, &self.x);
                    result.map_err(|error| system.borrow_mut().failure(self.time, error))?;
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
    fn follow(&mut self, stepper: &mut dyn Stepper, planned: f64) -> Result<Next, SimulateError> {
        let end = stepper.time();
        let mut from = self.time;
        self.z.copy_from_slice(&self.signs);
        let mut last = self.z.clone();
        loop {
            let output = self.experiment.output(self.next_output);
            let to = output.min(end);
            stepper.interpolate(to, &mut self.point);
            self.look(to)?;
            if self
                .z
                .iter()
                .zip(&self.signs)
                .any(|(now, before)| changed(*before, *now))
            {
                let bracket = Bracket {
                    from,
                    to,
                    before: last,
                    after: self.z.clone(),
                };
                return self.crossing(stepper, bracket, end);
            }
            from = to;
            last.copy_from_slice(&self.z);
            if to == end {
                break;
            }
            self.go_there(to)?;
            self.record_point(to)?;
        }
        self.time = end;
        self.x.copy_from_slice(&self.point);
        let is_output = self.experiment.output(self.next_output) <= end;
        if self.tells_steps || end >= planned || is_output {
            self.go_there(end)?;
        }
        let asked = self.complete()?;
        if end >= planned || asked.enter_event_mode || asked.terminate_simulation {
            return self.event(end >= planned, asked, &[]);
        }
        if is_output {
            self.record(false)?;
        }
        Ok(Next::Continue)
    }

    /// Evaluates the event indicators at the point between two steps.
    fn look(&mut self, time: f64) -> Result<(), SimulateError> {
        self.is_there = !self.z.is_empty();
        if !self.is_there {
            return Ok(());
        }
        let mut system = self.system.borrow_mut();
        let result = system.indicators(time, &self.point, &mut self.z);
        result.map_err(at(time))
    }

    /// Puts the instance to the point between two steps, if it is not there.
    fn go_there(&mut self, time: f64) -> Result<(), SimulateError> {
        if self.is_there {
            return Ok(());
        }
        self.is_there = true;
        self.system.borrow_mut().set(time, &self.point).map_err(at(time))
    }

    fn crossing(
        &mut self,
        stepper: &mut dyn Stepper,
        mut bracket: Bracket,
        end: f64,
    ) -> Result<Next, SimulateError> {
        let (system, point) = (self.system, &mut self.point);
        bracket.narrow(&self.signs, |time, z| {
            stepper.interpolate(time, point);
            system.borrow_mut().indicators(time, point, z).map_err(at(time))
        })?;
        let time = bracket.to;
        stepper.interpolate(time, &mut self.point);
        self.look(time)?;
        let signs = self.z.iter().zip(&self.signs).enumerate();
        let crossed: Vec<usize> = signs
            .filter(|(_, (now, before))| changed(**before, **now))
            .map(|(at, _)| at)
            .collect();
        self.time = time;
        self.x.copy_from_slice(&self.point);
        let asked = self.complete()?;
        let planned = self.next_planned() <= time;
        let next = self.event(planned, asked, &crossed)?;
        // The solver has gone on beyond the event, by equations that no longer hold.
        Ok(match next {
            Next::Continue if time < end => Next::Restart,
            next => next,
        })
    }

    /// The next time at which the FMU or the inputs want an event.
    fn next_planned(&self) -> f64 {
        let input = self.system.borrow().inputs.next_event(self.time);
        let event = self.next_event.unwrap_or(f64::INFINITY);
        event.min(input.unwrap_or(f64::INFINITY))
    }

    /// How far the solver may go: to an event, a kink of the inputs, or the end.
    fn next_stop(&self) -> f64 {
        let kink = self.system.borrow().inputs.next_kink(self.time);
        self.next_planned()
            .min(kink.unwrap_or(f64::INFINITY))
            .min(self.experiment.stop)
    }

    fn absolute_tolerances(&mut self, tolerance: f64) -> Result<Vec<f64>, SimulateError> {
        let mut system = self.system.borrow_mut();
        let mut sizes = vec![0.0; system.plant.states()];
        if !sizes.is_empty() {
            let result = system.plant.instance.nominals_of_continuous_states(&mut sizes);
            result.map_err(at(self.time))?;
        }
        for size in &mut sizes {
            *size = if *size > 0.0 && size.is_finite() {
                *size
            } else {
                1.0
            };
        }
        if let Some(extra) = &system.extra {
            sizes.resize(self.x.len(), extra.nominal());
        }
        let scale = 0.01 * tolerance;
        Ok(sizes.into_iter().map(|size| scale * size).collect())
    }

    /// Records the point between two steps; the instance is there.
    fn record_point(&mut self, time: f64) -> Result<(), SimulateError> {
        let here = std::mem::replace(&mut self.time, time);
        let result = self.record(false);
        self.time = here;
        result
    }

    /// Records where the instance is.
    pub fn record(&mut self, event: bool) -> Result<(), SimulateError> {
        while self.experiment.output(self.next_output) <= self.time {
            let last = self.experiment.output(self.next_output) >= self.experiment.stop;
            self.next_output = if last { u64::MAX } else { self.next_output + 1 };
        }
        let mut system = self.system.borrow_mut();
        let row = system
            .timed(|system| self.recorder.read(&mut system.plant.instance, self.time, event))
            .map_err(at(self.time))?;
        self.sink.row(&row)?;
        self.recorded = Some(self.time);
        self.summary.rows += 1;
        Ok(())
    }

    /// Records what is so before an event, unless it was just recorded.
    pub fn record_before(&mut self) -> Result<(), SimulateError> {
        if self.recorded == Some(self.time) {
            Ok(())
        } else {
            self.record(true)
        }
    }
}
