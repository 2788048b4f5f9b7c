//! Co-Simulation: the FMU integrates from one communication point to the next (FMI 2.0.5, 4.2).

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::driver::Driver;
use super::experiment::Experiment;
use super::record::Recorder;
use super::settings::at;
use super::{End, SimulateError, Simulation, Sink, Summary};
use crate::{CoSimulation, Snapshot, Step};

/// A step that is discarded is halved at most this often.
const HALVINGS: u32 = 30;

/// A point of time that is nearer to a communication point than this part of a step is that point.
const NEAR: f64 = 1e-6;

/// Points that are a smaller part of a step apart than this differ by roundings.
const ROUNDING: f64 = 1e-9;

pub(super) fn run(
    mut simulation: Simulation,
    experiment: Experiment,
    recorder: Recorder,
    sink: &mut dyn Sink,
) -> Result<Summary, SimulateError> {
    let begin = Instant::now();
    let fmu = simulation.fmu;
    let options = std::mem::take(&mut simulation.options);
    let mut instance = fmu.co_simulation_with("simulation", options)?;
    let inputs = simulation.initialize(&mut instance, &experiment)?;
    // Not before: a mistake in the settings leaves no empty table behind.
    sink.begin(&recorder.columns)?;
    let described = fmu.description().co_simulation.as_ref();
    let variable = described.is_some_and(|cs| cs.can_handle_variable_communication_step_size);
    let repeats = variable && described.is_some_and(|cs| cs.interface.can_get_and_set_fmu_state);
    let warnings = inputs.warnings(experiment.start);
    let mut run = Run {
        step: simulation.step.unwrap_or(experiment.output_step),
        simulation,
        experiment,
        instance,
        inputs,
        recorder,
        sink,
        variable,
        repeats,
        interpolates: described.is_some_and(|cs| cs.can_interpolate_inputs),
        snapshot: None,
        summary: Summary {
            setup: begin.elapsed(),
            warnings,
            ..Summary::default()
        },
        next_output: 0,
        position: 0,
        time: experiment.start,
        in_fmu: Duration::ZERO,
    };
    run.warn_of_fixed_steps();
    run.whole()?;
    let mut summary = run.summary;
    run.instance.terminate().map_err(at(run.time))?;
    summary.time = run.time;
    summary.in_fmu = run.in_fmu;
    summary.total = begin.elapsed();
    Ok(summary)
}

struct Run<'r, 'f> {
    simulation: Simulation<'f>,
    experiment: Experiment,
    instance: CoSimulation,
    inputs: Driver,
    recorder: Recorder,
    sink: &'r mut dyn Sink,
    step: f64,
    /// Steps need not have one size.
    variable: bool,
    /// A discarded step can be repeated.
    repeats: bool,
    interpolates: bool,
    snapshot: Option<Snapshot>,
    summary: Summary,
    next_output: u64,
    /// Communication points are `start + position step`.
    position: u64,
    time: f64,
    in_fmu: Duration,
}

impl Run<'_, '_> {
    fn whole(&mut self) -> Result<(), SimulateError> {
        self.record(false)?;
        while self.time < self.experiment.stop {
            if let Some(progress) = &mut self.simulation.progress {
                progress(self.time);
            }
            let interrupt = self.simulation.interrupt.as_ref();
            if interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                self.summary.end = End::Interrupted;
                return Ok(());
            }
            let to = self.next_point();
            let jump = self.inputs.next_event(self.time).is_some_and(|event| event <= to);
            if !self.advance(to)? {
                self.summary.end = End::ByFmu;
                return self.record(false);
            }
            let due = self.experiment.is_due(self.next_output, self.time);
            if due || jump {
                self.record(jump)?;
            }
            if jump {
                self.jump()?;
            }
        }
        Ok(())
    }

    /// Goes beyond a jump of the inputs, and records what is so after it.
    fn jump(&mut self) -> Result<(), SimulateError> {
        let time = self.time;
        self.summary.events.input += 1;
        self.inputs.pass(time);
        let instance = &mut self.instance;
        self.inputs.set_continuous(instance, time).map_err(at(time))?;
        self.inputs.set_held(instance, time).map_err(at(time))?;
        self.record(true)
    }

    /// Says when changes of the inputs come late, since the FMU takes steps of one size only.
    fn warn_of_fixed_steps(&mut self) {
        let Experiment { start, stop, .. } = self.experiment;
        if self.variable {
            return;
        }
        let beside = |time: &f64| {
            let steps = (time - start) / self.step;
            (steps - steps.round()).abs() > NEAR
        };
        let changes = self.inputs.changes().into_iter();
        let mut late = changes.filter(|time| (start..stop).contains(time)).filter(beside);
        if let Some(first) = late.next() {
            let fmu = self.simulation.fmu.name();
            let others = match late.count() {
                0 => String::new(),
                others => format!(", and at {others} other times"),
            };
            self.summary.warnings.push(format!(
                "inputs change at time {first}{others}, between two communication points, and {fmu} takes steps of one \
                 size only (canHandleVariableCommunicationStepSize is false): it sees the change with the next step; \
                 a step that divides these times, or a smaller one, is more exact"
            ));
        }
    }

    /// The next communication point; where the FMU allows it, outputs, and jumps and kinks of inputs, are such points.
    fn next_point(&mut self) -> f64 {
        let near = NEAR * self.step;
        let grid = |position: u64| self.experiment.start + position as f64 * self.step;
        while grid(self.position) <= self.time + near {
            self.position += 1;
        }
        let mut next = grid(self.position);
        if !self.variable {
            return next;
        }
        if next > self.experiment.stop - near {
            next = self.experiment.stop;
        }
        next = next.min(self.experiment.output(self.next_output));
        let changes = [
            self.inputs.next_event(self.time),
            self.inputs.next_kink(self.time),
        ];
        let input = changes.into_iter().flatten().fold(f64::INFINITY, f64::min);
        // Points that roundings keep apart are one: that of the table, which says on which side of a jump it is.
        match input <= next + ROUNDING * self.step && input <= self.experiment.stop {
            true => input,
            false => next,
        }
    }

    /// Answers whether the FMU goes on.
    fn advance(&mut self, to: f64) -> Result<bool, SimulateError> {
        let begin = Instant::now();
        let result = self.steps(to);
        self.in_fmu += begin.elapsed();
        result
    }

    fn steps(&mut self, to: f64) -> Result<bool, SimulateError> {
        let (mut target, mut halvings) = (to, 0);
        while self.time < to {
            let (time, step) = (self.time, target - self.time);
            self.set_inputs(step)?;
            if self.repeats {
                let taken = match &mut self.snapshot {
                    Some(snapshot) => self.instance.snapshot_into(snapshot),
                    none => self.instance.snapshot().map(|snapshot| *none = Some(snapshot)),
                };
                taken.map_err(at(time))?;
            }
            let mut outcome = self
                .instance
                .do_step_with(time, step, !self.repeats)
                .map_err(at(time))?;
            while outcome == Step::Pending {
                std::thread::sleep(Duration::from_micros(100));
                outcome = self.instance.poll().map_err(at(time))?;
            }
            let Step::Discarded {
                last_successful_time: last,
                terminated,
            } = outcome
            else {
                self.summary.communication_steps += 1;
                self.time = target;
                target = to;
                continue;
            };
            self.summary.discarded += 1;
            if terminated {
                self.time = last.filter(|last| (time..=target).contains(last)).unwrap_or(time);
                return Ok(false);
            }
            halvings += 1;
            target = self.shorter(step, last, halvings)?;
        }
        Ok(true)
    }

    /// Goes back to before a discarded step, and proposes a shorter one.
    fn shorter(&mut self, step: f64, last: Option<f64>, halvings: u32) -> Result<f64, SimulateError> {
        let reason = match &self.snapshot {
            Some(snapshot) if halvings <= HALVINGS => {
                self.instance.restore(snapshot).map_err(at(self.time))?;
                let came = last.filter(|last| *last > self.time && *last < self.time + step);
                return Ok(came.unwrap_or(self.time + 0.5 * step));
            }
            Some(_) => format!("the last one had {step:e} s"),
            None => "it cannot repeat it with a shorter one (canGetAndSetFMUstate and \
                     canHandleVariableCommunicationStepSize are not both true); try a smaller step"
                .into(),
        };
        Err(SimulateError::Discarded {
            fmu: self.simulation.fmu.name().into(),
            time: self.time,
            reason,
        })
    }

    fn set_inputs(&mut self, step: f64) -> Result<(), SimulateError> {
        let time = self.time;
        let instance = &mut self.instance;
        self.inputs.set_continuous(instance, time).map_err(at(time))?;
        self.inputs.set_held(instance, time).map_err(at(time))?;
        if self.interpolates && self.inputs.has_continuous() {
            let (references, slopes) = self.inputs.slopes(time, step);
            let orders = vec![1; references.len()];
            instance
                .set_real_input_derivatives(references, &orders, &slopes)
                .map_err(at(time))?;
        }
        Ok(())
    }

    fn record(&mut self, event: bool) -> Result<(), SimulateError> {
        self.next_output = self.experiment.next_output(self.next_output, self.time);
        let row = self
            .recorder
            .read(&mut self.instance, self.time, event)
            .map_err(at(self.time))?;
        self.sink.row(&row)?;
        self.summary.rows += 1;
        Ok(())
    }
}
