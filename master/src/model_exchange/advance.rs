//! One communication step of a Model Exchange FMU: integration, and the events on the way.

use std::fmt;

use fmu_importer::{Error, EventInfo};
use fmu_numerics::{Break, Crossing, Curve, Failure, StepError, changed, locate_event, remember};

use super::SteppedModel;
use super::plant::usual_size;
use super::solver::{method, tolerate};

/// A communication step that would take more steps of the integrator does not end in useful time. After the first number
/// of steps, and each time after twice as many, it is judged by its progress.
const MOST_STEPS: f64 = 1e7;
const FIRST_JUDGED: u64 = 1 << 14;
/// This many consecutive events with hardly any time between them mean that the model chatters.
const MOST_QUICK_EVENTS: u64 = 200;
/// An event iteration as long as this has no end.
const MOST_PASSES: usize = 1000;

/// Why a communication step was not completed.
#[derive(Debug)]
pub(super) enum Problem {
    /// A call of the FMU failed, or the integrator cannot go on.
    Step(StepError<Error>),
    /// Events follow each other without time between them.
    Chattering(f64),
    /// The integrator makes no progress.
    Slow(f64),
    /// An event iteration does not end.
    Iteration(f64),
}

impl Problem {
    /// Other inputs or a shorter communication step may avoid it: a call returned `fmi2Discard`.
    pub fn is_discard(&self) -> bool {
        matches!(self, Problem::Step(StepError::Model(error)) if error.is_recoverable())
    }

    /// The integrator cannot go on, although every call was answered.
    pub fn is_of_the_integrator(&self) -> bool {
        !matches!(self, Problem::Step(StepError::Model(_)))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Step(StepError::Model(error)) => write!(f, "{error}"),
            Problem::Step(StepError::TooSmall { t, h }) => write!(
                f,
                "the integrator cannot go on at t = {t}: to meet the tolerance it would need steps of {h:e}. The model may \
                 have a pole there, or a discontinuity without an event"
            ),
            Problem::Chattering(t) => write!(
                f,
                "more than {MOST_QUICK_EVENTS} events in a row came without time between them at t = {t}: the model \
                 chatters"
            ),
            Problem::Slow(t) => write!(
                f,
                "at t = {t} the integrator has made thousands of steps without getting far. The model may be stiff and \
                 need solver = \"bdf\", or its values grow without bounds"
            ),
            Problem::Iteration(t) => write!(
                f,
                "the event iteration at t = {t} has not ended after {MOST_PASSES} passes (newDiscreteStatesNeeded)"
            ),
        }
    }
}

impl std::error::Error for Problem {}

impl From<StepError<Error>> for Problem {
    fn from(error: StepError<Error>) -> Problem {
        Problem::Step(error)
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        Problem::Step(StepError::Model(error))
    }
}

/// Whether an event is due in a step to `end`. One that comes some roundings later belongs to it as well: the step goes on to
/// its very time, because the FMU may compare it with its own, but not beyond the stop time.
fn is_due(due: f64, end: f64, stop: f64) -> bool {
    due <= end || due <= stop && due - 16.0 * f64::EPSILON * due.abs() <= end
}

impl SteppedModel {
    /// Integrates to `end`, with all events up to there. After a problem the FMU is where it was last successful.
    pub(super) fn advance(&mut self, end: f64) -> Result<(), Problem> {
        let result = self.advance_to(end);
        let placed = match (&result, self.memory.terminated) {
            // The event that ended the simulation has left the FMU as it should be.
            (_, true) => Ok(()),
            _ => self.place(),
        };
        self.memory.inputs.end(self.memory.method.time());
        if self.driver.is_some() {
            self.end_driven();
        }
        result.and(placed.map_err(Problem::from))
    }

    /// Between initialization and the first step, discrete inputs take effect at once: components find their common start
    /// there.
    pub(super) fn take_discrete_at_start(&mut self) -> Result<(), Problem> {
        let inputs = &self.memory.inputs;
        let jumps = |&input: &usize| inputs.curves[input].broken().is_some();
        let waits = !self.memory.pending.is_empty() || self.variables.discrete_inputs.iter().any(jumps);
        if !self.memory.at_start || self.memory.terminated || !waits {
            return Ok(());
        }
        self.event()?;
        for &input in &self.variables.discrete_inputs {
            let curve = &mut self.memory.inputs.curves[input];
            *curve = Curve::constant(curve.u);
        }
        Ok(())
    }

    fn advance_to(&mut self, end: f64) -> Result<(), Problem> {
        self.memory.at_start = false;
        let start = self.memory.method.time();
        (self.memory.quick, self.memory.end) = (1e-9 * (end - start), end);
        tolerate(&mut self.memory.method, self.tighter, &self.memory.nominals);
        self.begin()?;
        // The step may be repeated from its beginning wherever there is a snapshot.
        let no_set_state_before = self.saved.iter().all(Option::is_none);
        let mut steps = 0_u64;
        while !self.memory.terminated && self.memory.method.time() < end {
            let before = self.memory.method.time();
            let due = self.memory.next_event.filter(|due| is_due(*due, end, self.stop));
            if due.is_some_and(|due| due <= before) {
                self.event()?;
                continue;
            }
            let (method, mut plant) = self.parts();
            method.step(&mut plant, due.unwrap_or(end))?;
            steps += 1;
            self.check_progress(steps, start, before, end)?;

            let crossed = self.find_crossing(before)?;
            let timed = due.is_some_and(|due| due <= self.memory.method.time());
            let mut asked = fmu_importer::CompletedStep::default();
            if timed || self.facts.announces_steps {
                self.place()?;
            }
            if self.facts.announces_steps {
                asked = self.instance.completed_integrator_step(no_set_state_before)?;
            }
            if asked.terminate_simulation {
                self.memory.terminated = true;
            } else if crossed || timed || asked.enter_event_mode {
                self.event()?;
            }
        }
        Ok(())
    }

    /// Takes up what has happened to inputs since the last step. A jump is an external event (FMI 2.0.5, 3.1); where
    /// only slopes change, the integrator alone has to know.
    fn begin(&mut self) -> Result<(), Problem> {
        let t = self.memory.method.time();
        if self.driver.is_some() {
            self.begin_driven();
        }
        let broken = self.memory.inputs.begin(t);
        self.place()?;
        if broken == Some(Break::Value) || !self.memory.pending.is_empty() {
            return self.event();
        }
        if broken == Some(Break::Slope) {
            self.memory.method.bend();
        }
        self.indicators()?;
        match changed(&self.memory.z, &self.z[0]) {
            true => self.event(),
            false => Ok(()),
        }
    }

    /// Steps that lead nowhere must end.
    fn check_progress(&self, steps: u64, start: f64, before: f64, end: f64) -> Result<(), Problem> {
        let now = self.memory.method.time();
        if now.is_nan() || now <= before {
            return Err(StepError::TooSmall { t: before, h: 0.0 }.into());
        }
        if steps >= FIRST_JUDGED && steps.is_power_of_two() {
            let expected = steps as f64 * (end - start) / (now - start);
            if expected > MOST_STEPS {
                return Err(Problem::Slow(now));
            }
        }
        Ok(())
    }

    /// Brings the FMU to where the integrator is.
    fn place(&mut self) -> Result<(), Error> {
        let (method, mut plant) = self.parts();
        plant.place(method.time(), method.states())
    }

    /// The event indicators where the FMU is, into the first of `z`.
    fn indicators(&mut self) -> Result<(), Error> {
        let [z, ..] = &mut self.z;
        match z.is_empty() {
            true => Ok(()),
            false => self.instance.event_indicators(z),
        }
    }

    /// Whether an event indicator has changed its sign in the step from `before` to now; if so, the step ends there.
    fn find_crossing(&mut self, before: f64) -> Result<bool, Problem> {
        if self.memory.z.is_empty() {
            return Ok(false);
        }
        self.place()?;
        self.indicators()?;
        if !changed(&self.memory.z, &self.z[0]) {
            remember(&mut self.memory.z, &self.z[0]);
            return Ok(false);
        }
        let (method, mut plant) = self.parts();
        method.prepare(&mut plant)?;
        let mut zs = std::mem::take(&mut self.z);
        let mut x = std::mem::take(&mut self.x);
        let [z1, z0, z] = &mut zs;
        z0.copy_from_slice(&self.memory.z);
        let (method, mut plant) = self.parts();
        let after = method.time();
        let indicators = |t: f64, z: &mut [f64]| {
            method.interpolate(t, &mut x);
            plant.place(t, &x)?;
            plant.instance.event_indicators(z)
        };
        let found = locate_event(Crossing { before, after }, z0, z1, z, indicators);
        if let Ok(t) = found
            && t < after
        {
            method.interpolate(t, &mut x);
            method.back_to(t, &x);
        }
        (self.z, self.x) = (zs, x);
        found?;
        self.place()?;
        Ok(true)
    }

    /// An event at the present time, where the FMU is.
    fn event(&mut self) -> Result<(), Problem> {
        let memory = &mut self.memory;
        let t = memory.method.time();
        memory.quick_events = match t - memory.last_event <= memory.quick {
            true => memory.quick_events + 1,
            false => 0,
        };
        memory.last_event = t;
        if memory.quick_events > MOST_QUICK_EVENTS {
            return Err(Problem::Chattering(t));
        }
        self.instance.enter_event_mode()?;
        self.set_event_inputs()?;
        self.settle()
    }

    /// In event mode: sets all inputs, discrete ones included.
    fn set_event_inputs(&mut self) -> Result<(), Error> {
        let memory = &mut self.memory;
        let t = memory.method.time();
        self.u.clear();
        self.u
            .extend((0..memory.inputs.curves.len()).map(|input| memory.inputs.value(input, t)));
        if self.driver.is_some() {
            self.gather_driven(self.memory.at_start);
            let driven = &self.x[self.facts.states..];
            for (&input, u) in self.facts.continuous.iter().zip(driven) {
                self.u[input] = *u;
            }
        }
        if !self.u.is_empty() {
            self.instance.set_known_reals(&self.facts.inputs, &self.u)?;
        }
        for (reference, value) in self.memory.pending.drain(..) {
            self.instance.set_value(reference, &value)?;
        }
        Ok(())
    }

    /// In event mode: iterates until nothing changes, and goes on in continuous time.
    pub(super) fn settle(&mut self) -> Result<(), Problem> {
        let t = self.memory.method.time();
        let mut all = EventInfo::default();
        for pass in 0.. {
            let info = self.instance.new_discrete_states()?;
            all.values_of_continuous_states_changed |= info.values_of_continuous_states_changed;
            all.nominals_of_continuous_states_changed |= info.nominals_of_continuous_states_changed;
            self.memory.next_event = info.next_event_time;
            if info.terminate_simulation {
                self.memory.terminated = true;
                return Ok(());
            }
            if !info.new_discrete_states_needed {
                break;
            }
            if pass == MOST_PASSES {
                return Err(Problem::Iteration(t));
            }
        }
        self.instance.enter_continuous_time_mode()?;
        // Factors that stay between events may be others now.
        self.memory.jacobian.forget();
        self.indicators()?;
        self.memory.z.copy_from_slice(&self.z[0]);
        if all.nominals_of_continuous_states_changed {
            self.renew_method()?;
        } else if all.values_of_continuous_states_changed {
            self.read_states()?;
            self.memory.method.jump(t, &self.x);
        } else {
            self.memory.method.cross_over();
        }
        Ok(())
    }

    /// A new integrator at the present states, with the nominal values that the FMU has now.
    pub(super) fn renew_method(&mut self) -> Result<(), Error> {
        let t = self.memory.method.time();
        // Those of driven inputs stay.
        let nominals = &mut self.memory.nominals[..self.facts.states];
        if !nominals.is_empty() {
            self.instance.nominals_of_continuous_states(nominals)?;
        }
        nominals
            .iter_mut()
            .for_each(|nominal| *nominal = usual_size(*nominal));
        self.read_states()?;
        let pattern = self.facts.pattern(&self.memory.jacobian);
        self.memory.method = method(self.solver, self.tolerance, &self.memory.nominals, &pattern);
        self.memory.method.restart(t, &self.x);
        Ok(())
    }

    /// The states where the FMU is, and the driven inputs behind them.
    fn read_states(&mut self) -> Result<(), Error> {
        if self.driver.is_some() {
            self.gather_driven(self.memory.at_start);
        }
        match self.facts.states {
            0 => Ok(()),
            states => self.instance.continuous_states(&mut self.x[..states]),
        }
    }
}
