//! Co-Simulation: the FMU integrates from one communication point to the next (FMI 2.0.5, 4.2).

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::driver::Driver;
use super::experiment::Experiment;
use super::record::Recorder;
use super::settings::at;
use super::{End, SimulateError, Simulation, Sink, SolverStep, Summary};
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
    let mut instance = fmu.co_simulation_with(fmu.name(), simulation.options.clone())?;
    let (inputs, mut warnings) = simulation.initialize(&mut instance, &experiment)?;
    // Not before: a mistake in the settings leaves no empty table behind.
    sink.begin(&recorder.columns)?;
    let described = fmu.description().co_simulation.as_ref();
    let variable = described.is_some_and(|cs| cs.can_handle_variable_communication_step_size);
    if fmu.continuous_states().is_err() {
        warnings.push(format!(
            "the element Derivatives of {} names variables that are not derivatives of states; it is ignored, since \
             Co-Simulation does not need it",
            fmu.name()
        ));
    }
    let mut run = Run {
        step: simulation.step.unwrap_or(experiment.output_step),
        simulation,
        experiment,
        instance: Some(instance),
        inputs,
        recorder,
        sink,
        variable,
        repeats: variable && described.is_some_and(|cs| cs.interface.can_get_and_set_fmu_state),
        interpolates: described.is_some_and(|cs| cs.can_interpolate_inputs),
        snapshots_from: f64::INFINITY,
        snapshot: None,
        written: 0,
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
    if let Reached::Again(time) = run.whole()? {
        run.begin_again(time)?;
        run.whole()?;
    }
    let mut summary = run.summary;
    summary.not_finite = run.recorder.not_finite.take();
    let instance = instance_of(&mut run.instance);
    instance.terminate().map_err(at(run.time))?;
    summary.warned = instance.warned();
    summary.first_warning = instance.first_warning().map(str::to_owned);
    summary.time = run.time;
    summary.in_fmu = run.in_fmu;
    summary.total = begin.elapsed();
    Ok(summary)
}

/// How far a run came.
enum Reached {
    /// To its end.
    End,
    /// To a discarded step at this time, before which no snapshot was taken.
    Again(f64),
}

/// How a communication step went.
enum Advance {
    Done,
    /// The FMU wants the simulation to end.
    Ended,
    /// It was discarded, and cannot be repeated without a snapshot.
    Lost,
}

struct Run<'r, 'f> {
    simulation: Simulation<'f>,
    experiment: Experiment,
    /// There is always one but while it is replaced.
    instance: Option<CoSimulation>,
    inputs: Driver,
    recorder: Recorder,
    sink: &'r mut dyn Sink,
    step: f64,
    /// Steps need not have one size.
    variable: bool,
    /// A discarded step can be repeated.
    repeats: bool,
    interpolates: bool,
    /// From this time on a snapshot is taken before each step. Most FMUs discard no step, and some that announce
    /// snapshots crash when they take one, so there are none before they are needed.
    snapshots_from: f64,
    snapshot: Option<Snapshot>,
    /// Rows that the sink already has from a run that was given up.
    written: usize,
    summary: Summary,
    next_output: u64,
    /// Communication points are `start + position step`.
    position: u64,
    time: f64,
    in_fmu: Duration,
}

fn instance_of(instance: &mut Option<CoSimulation>) -> &mut CoSimulation {
    instance
        .as_mut()
        .expect("an instance is only replaced, never taken away")
}

impl Run<'_, '_> {
    fn whole(&mut self) -> Result<Reached, SimulateError> {
        self.record(false)?;
        while self.time < self.experiment.stop {
            if let Some(progress) = &mut self.simulation.progress {
                progress(self.time);
            }
            let interrupt = self.simulation.interrupt.as_ref();
            if interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                self.summary.end = End::Interrupted;
                return Ok(Reached::End);
            }
            let to = self.next_point();
            let begin = self.time;
            let jump = self.inputs.next_event(self.time).is_some_and(|event| event <= to);
            match self.advance(to)? {
                Advance::Done => {}
                Advance::Ended => {
                    self.summary.end = End::ByFmu;
                    self.record(false)?;
                    return Ok(Reached::End);
                }
                Advance::Lost => return Ok(Reached::Again(self.time)),
            }
            if let Some(steps) = &mut self.simulation.steps {
                steps(SolverStep {
                    time: self.time,
                    size: self.time - begin,
                    events: usize::from(jump),
                    ..SolverStep::default()
                });
            }
            let due = self.experiment.is_due(self.next_output, self.time);
            if due || jump {
                self.record(jump)?;
            }
            if jump {
                self.jump()?;
            }
        }
        Ok(Reached::End)
    }

    /// Makes a new instance that goes the same way again, up to a step that the first one discarded, and takes snapshots
    /// from there on.
    fn begin_again(&mut self, time: f64) -> Result<(), SimulateError> {
        let fmu = self.simulation.fmu;
        self.summary.warnings.push(format!(
            "{} discarded its step at time {time}; the simulation was run once more from the beginning, with snapshots \
             from that time on, so that such steps are repeated in parts",
            fmu.name()
        ));
        // The old one goes first: some FMUs allow one instance at a time.
        self.instance = None;
        let mut instance = fmu.co_simulation_with(fmu.name(), self.simulation.options.clone())?;
        self.inputs.rewind(self.experiment.start);
        self.simulation
            .initialize_with(&mut instance, &self.experiment, &mut self.inputs)?;
        self.instance = Some(instance);
        self.snapshots_from = time;
        self.written = self.summary.rows;
        self.summary = Summary {
            setup: self.summary.setup,
            discarded: self.summary.discarded,
            warnings: std::mem::take(&mut self.summary.warnings),
            ..Summary::default()
        };
        (self.next_output, self.position, self.time) = (0, 0, self.experiment.start);
        Ok(())
    }

    /// Goes beyond a jump of the inputs, and records what is so after it.
    fn jump(&mut self) -> Result<(), SimulateError> {
        let time = self.time;
        self.summary.events.input += 1;
        self.inputs.pass(time);
        let instance = instance_of(&mut self.instance);
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

    fn advance(&mut self, to: f64) -> Result<Advance, SimulateError> {
        let begin = Instant::now();
        let result = self.steps(to);
        self.in_fmu += begin.elapsed();
        result
    }

    fn steps(&mut self, to: f64) -> Result<Advance, SimulateError> {
        let (mut target, mut halvings) = (to, 0);
        while self.time < to {
            let time = self.time;
            let step = self.nominal(target - time);
            self.set_inputs(step)?;
            let instance = instance_of(&mut self.instance);
            if time >= self.snapshots_from {
                let taken = match &mut self.snapshot {
                    Some(snapshot) => instance.snapshot_into(snapshot),
                    none => instance.snapshot().map(|snapshot| *none = Some(snapshot)),
                };
                taken.map_err(at(time))?;
            }
            // A snapshot is one of this very point, so nothing before it is ever restored.
            let mut outcome = instance.do_step(time, step).map_err(at(time))?;
            while outcome == Step::Pending {
                std::thread::sleep(Duration::from_micros(100));
                outcome = instance.poll().map_err(at(time))?;
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
                return Ok(Advance::Ended);
            }
            if self.repeats && self.snapshot.is_none() {
                return Ok(Advance::Lost);
            }
            halvings += 1;
            target = self.shorter(step, last, halvings)?;
        }
        Ok(Advance::Done)
    }

    /// A step without the roundings of the points of time: some FMUs accept one step size only, to the last bit.
    fn nominal(&self, step: f64) -> f64 {
        let sizes = [self.step, self.experiment.output_step];
        let is = |size: &f64| (step - size).abs() <= ROUNDING * size;
        sizes.into_iter().find(is).unwrap_or(step)
    }

    /// Goes back to before a discarded step, and proposes a shorter one.
    fn shorter(&mut self, step: f64, last: Option<f64>, halvings: u32) -> Result<f64, SimulateError> {
        let reason = match &self.snapshot {
            Some(snapshot) if halvings <= HALVINGS => {
                instance_of(&mut self.instance)
                    .restore(snapshot)
                    .map_err(at(self.time))?;
                let came = last.filter(|last| *last > self.time && *last < self.time + step);
                return Ok(came.unwrap_or(self.time + 0.5 * step));
            }
            Some(_) => format!("and all shorter ones, too; the last one had {step:e} s"),
            None => "and cannot repeat it with a shorter one (canGetAndSetFMUstate and \
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
        let instance = instance_of(&mut self.instance);
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
            .read(instance_of(&mut self.instance), self.time, event)
            .map_err(at(self.time))?;
        self.summary.rows += 1;
        if self.summary.rows > self.written {
            self.sink.row(&row)?;
        }
        Ok(())
    }
}
