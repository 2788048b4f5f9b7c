//! The components with their values, and how inputs are closed at every evaluation.

use std::ops::Range;

use fmu_importer::simulate::hybrid::Stopwatch;

use super::discrete::{Discrete, same};
use super::external::ExternalEvent;
use super::jacobian::Jacobian;
use super::plan::{EvaluationPlan, Unknowns};
use super::signals::TimedSignals;
use crate::Error;
use crate::component::{ComponentError, ModelExchange};
use crate::coupling::{Coupling, Link};
use crate::plan::Evaluation;
use crate::solve::{Equations, Sparse, Unsolved, Why};

/// Iterations of Newton's method over an algebraic loop.
const ITERATIONS: usize = 50;

/// A component in its place.
pub(super) struct Place {
    pub component: Box<dyn ModelExchange>,
    /// Its states, inputs, outputs, indicators and partial derivatives among all.
    pub states: Range<usize>,
    pub inputs: Range<usize>,
    pub outputs: Range<usize>,
    pub indicators: Range<usize>,
    pub partials: Range<usize>,
    /// How many evaluations its partial derivatives take.
    pub groups: usize,
    /// Outputs that only the observer needs.
    pub shown: Vec<usize>,
    /// It is in event mode.
    pub active: bool,
    /// Its event iteration goes on.
    pub pending: bool,
    pub next_event: f64,
    /// It asked for an event after a step.
    pub asked: bool,
    pub evaluations: usize,
    pub output_evaluations: usize,
    pub events: usize,
}

/// All components as one system of differential equations.
pub(super) struct Network {
    pub places: Vec<Place>,
    pub coupling: Coupling,
    pub plan: EvaluationPlan,
    pub jacobian: Jacobian,
    pub signals: TimedSignals,
    pub external: Vec<ExternalEvent>,
    /// The residual of a loop that counts as zero: relative, and as a part of the nominal value.
    pub convergence: f64,
    pub time: f64,
    /// Where the simulation ends.
    pub stop: f64,
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    pub u: Vec<f64>,
    /// What the components have as inputs.
    pub given: Vec<f64>,
    /// The values of signals.
    pub w: Vec<f64>,
    pub scratch: Vec<f64>,
    /// Outputs that have a value; all of them, once initialized.
    pub known: Vec<bool>,
    /// Inputs belong to the states at this time.
    pub closed: bool,
    /// All components have the states `x`: outputs that are states need not be asked for.
    pub moving: bool,
    /// New inputs let components take part in the event.
    pub in_event: bool,
    /// States were changed by an external event.
    pub acted: bool,
    /// The component that ended the simulation.
    pub terminated: Option<usize>,
    /// What moves at events only.
    pub discrete: Discrete,
    /// The first error that ends everything, and the last that a smaller step may avoid.
    pub error: Option<Error>,
    pub refusal: Option<Error>,
    pub evaluations: usize,
    pub indicator_evaluations: usize,
    pub in_components: Stopwatch,
}

impl Network {
    /// An error of a component, with its name.
    pub fn of(&self, component: usize, source: ComponentError) -> Error {
        Error::Component {
            component: self.coupling.components[component].clone(),
            time: self.time,
            source,
        }
    }

    /// Goes to a point in continuous time, with inputs that belong to it.
    pub fn go(&mut self, time: f64, x: &[f64]) -> Result<(), Error> {
        if self.closed && time == self.time && x == self.x {
            return Ok(());
        }
        self.closed = false;
        self.time = time;
        self.x.copy_from_slice(x);
        let direct = self.follow_states();
        for at in 0..self.places.len() {
            let place = &mut self.places[at];
            let set = place.component.set_time(time);
            let set = set.and_then(|()| place.component.set_states(&x[place.states.clone()]));
            let set = set.and_then(|()| match direct {
                true => place.component.set_inputs(&self.u[place.inputs.clone()]),
                false => Ok(()),
            });
            set.map_err(|source| self.of(at, source))?;
        }
        if !direct {
            self.moving = true;
            let closed = self.close();
            self.moving = false;
            closed?;
        }
        self.closed = true;
        Ok(())
    }

    /// Outputs and inputs that belong to the states, where all of them are states: returns whether they are.
    fn follow_states(&mut self) -> bool {
        let Some(direct) = &self.plan.direct else {
            return false;
        };
        for &(output, state) in &direct.outputs {
            self.y[output] = self.x[state];
        }
        for followed in &direct.inputs {
            let value = followed.gain * self.x[followed.state] + followed.offset;
            self.u[followed.input] = value;
            self.given[followed.input] = value;
        }
        true
    }

    /// The derivatives of all states at a point in continuous time. Where all inputs are states, the components alone go
    /// there: outputs and all else that only an observer or an event reads are left for the next [`Network::go`].
    #[inline]
    pub fn evaluate(&mut self, time: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Error> {
        let Some(direct) = &self.plan.direct else {
            self.go(time, x)?;
            return self.derivatives(dx);
        };
        self.closed = false;
        self.time = time;
        for followed in &direct.inputs {
            self.u[followed.input] = followed.gain * x[followed.state] + followed.offset;
        }
        for (at, place) in self.places.iter_mut().enumerate() {
            place.evaluations += usize::from(!place.states.is_empty());
            let (own, u) = (&x[place.states.clone()], &self.u[place.inputs.clone()]);
            let slopes = &mut dx[place.states.clone()];
            if let Err(source) = place.component.evaluate(time, own, u, slopes) {
                return Err(self.of(at, source));
            }
        }
        Ok(())
    }

    /// Evaluates outputs and inputs for each other where the components are.
    pub fn close(&mut self) -> Result<(), Error> {
        self.signals.evaluate(self.time, &mut self.w);
        let mut plan = std::mem::take(&mut self.plan);
        let closed = self.follow(&mut plan);
        self.plan = plan;
        closed?;
        for at in 0..self.places.len() {
            for input in self.places[at].inputs.clone() {
                if !self.plan.solved[input] {
                    self.take(input);
                }
            }
            self.give(at)?;
        }
        Ok(())
    }

    fn follow(&mut self, plan: &mut EvaluationPlan) -> Result<(), Error> {
        for step in &plan.steps {
            match step {
                Evaluation::Of(reading) => {
                    if let (true, Some(states)) = (self.moving, &reading.states) {
                        for (&output, &state) in reading.outputs.iter().zip(states) {
                            self.y[output] = self.x[state];
                        }
                        continue;
                    }
                    if !reading.inputs.is_empty() {
                        for &input in &reading.inputs {
                            self.take(input);
                        }
                        self.give(reading.component)?;
                    }
                    self.read(reading.component, &reading.which, &reading.outputs)?;
                }
                Evaluation::Loop(number) => self.solve(&mut plan.loops[*number])?,
            }
        }
        Ok(())
    }

    /// Takes the value of an input that is not discrete, if its source is known.
    #[inline]
    fn take(&mut self, input: usize) {
        if let (false, Some(value)) = (self.discrete.inputs[input], self.source(input)) {
            self.u[input] = value;
        }
    }

    /// What the source of an input gives, if it is known.
    #[inline]
    pub fn source(&self, input: usize) -> Option<f64> {
        match self.coupling.inputs[input].link {
            Link::Output { output, .. } if !self.known[output] => None,
            Link::Output { output, gain, offset } => Some(gain * self.y[output] + offset),
            Link::Signal(signal) => Some(self.w[signal]),
            Link::Fixed(value) => Some(value),
        }
    }

    /// Sets the inputs of a component, unless it has them. At an event, a component with a new input takes part in it.
    #[inline]
    pub fn give(&mut self, at: usize) -> Result<(), Error> {
        let place = &mut self.places[at];
        let (u, given) = (
            &self.u[place.inputs.clone()],
            &mut self.given[place.inputs.clone()],
        );
        if u.iter().zip(given.iter()).all(|(u, given)| same(*u, *given)) {
            return Ok(());
        }
        given.copy_from_slice(u);
        if self.in_event {
            self.activate(at)?;
        }
        let place = &mut self.places[at];
        let set = place.component.set_inputs(&self.u[place.inputs.clone()]);
        set.map_err(|source| self.of(at, source))
    }

    fn read(&mut self, at: usize, which: &[usize], outputs: &[usize]) -> Result<(), Error> {
        let place = &mut self.places[at];
        place.output_evaluations += 1;
        let values = &mut self.scratch[..which.len()];
        let read = place.component.some_outputs(which, values);
        read.map_err(|source| self.of(at, source))?;
        for (value, &output) in self.scratch.iter().zip(outputs) {
            self.y[output] = *value;
            self.known[output] = true;
        }
        Ok(())
    }

    /// Reads the outputs that only the observer needs.
    pub fn show(&mut self) -> Result<(), Error> {
        for at in 0..self.places.len() {
            let which = std::mem::take(&mut self.places[at].shown);
            let first = self.places[at].outputs.start;
            let values = &mut self.scratch[..which.len()];
            let read = self.places[at].component.some_outputs(&which, values);
            for (value, output) in self.scratch.iter().zip(&which) {
                self.y[first + output] = *value;
            }
            self.places[at].shown = which;
            read.map_err(|source| self.of(at, source))?;
        }
        Ok(())
    }

    /// The derivatives of all states where the components are.
    pub fn derivatives(&mut self, dx: &mut [f64]) -> Result<(), Error> {
        for at in 0..self.places.len() {
            let place = &mut self.places[at];
            if place.states.is_empty() {
                continue;
            }
            place.evaluations += 1;
            let slopes = place.component.derivatives(&mut dx[place.states.clone()]);
            slopes.map_err(|source| self.of(at, source))?;
        }
        Ok(())
    }

    /// The partial derivatives of a component where it is.
    pub fn partials(&mut self, at: usize) -> Result<(), Error> {
        let place = &mut self.places[at];
        let (x, u) = (&self.x[place.states.clone()], &self.u[place.inputs.clone()]);
        let found = place
            .component
            .partials(x, u, self.jacobian.values(place.partials.clone()));
        found.map_err(|source| self.of(at, source))
    }

    /// Solves a loop, from its last solution and with the last matrix while that is good.
    fn solve(&mut self, unknowns: &mut Unknowns) -> Result<(), Error> {
        for &input in &unknowns.known {
            self.take(input);
        }
        let mut newton = std::mem::take(&mut unknowns.newton);
        for (x, &input) in newton.x.iter_mut().zip(&unknowns.inputs) {
            *x = self.u[input];
        }
        let solved = newton.solve(
            &mut Algebra {
                network: self,
                unknowns,
            },
            ITERATIONS,
        );
        unknowns.newton = newton;
        unknowns.solved += 1;
        match solved? {
            Ok(iterations) => {
                unknowns.iterations += iterations as u64;
                Ok(())
            }
            Err(unsolved) => {
                unknowns.newton.forget();
                Err(self.unsolved(unknowns, unsolved))
            }
        }
    }

    fn unsolved(&self, unknowns: &Unknowns, unsolved: Unsolved) -> Error {
        let input = unknowns.inputs.get(unsolved.worst).copied().unwrap_or(0);
        let mut variables = self.coupling.output_names(unknowns.outputs.iter().copied());
        variables.extend(self.coupling.input_names(unknowns.inputs.iter().copied()));
        Error::Loop {
            variables,
            time: self.time,
            iterations: unsolved.iterations,
            residual: unsolved.residual.abs(),
            worst: self.coupling.inputs[input].name.clone(),
            iterates: unsolved.iterates,
            advice: match unsolved.why {
                Why::Singular => {
                    "The loop has no solution, or many: its gain is exactly 1. Check the signs of the connections"
                }
                Why::NoNumber => "Its outputs are not numbers: give other start values for its inputs",
                Why::Slow | Why::Stuck => {
                    "Give start values near a solution, or change which side of a coupling computes what"
                }
            },
        }
    }
}

/// The equations of an algebraic loop: each input is what its source gives for all inputs.
struct Algebra<'a> {
    network: &'a mut Network,
    unknowns: &'a Unknowns,
}

impl Equations for Algebra<'_> {
    type Stop = Error;

    fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), Error> {
        let (network, unknowns) = (&mut *self.network, self.unknowns);
        for (&input, x) in unknowns.inputs.iter().zip(x) {
            network.u[input] = *x;
        }
        for reading in &unknowns.readings {
            network.give(reading.component)?;
            network.read(reading.component, &reading.which, &reading.outputs)?;
        }
        for ((r, x), &input) in r.iter_mut().zip(x).zip(&unknowns.inputs) {
            if let Link::Output { output, gain, offset } = network.coupling.inputs[input].link {
                *r = gain * network.y[output] + offset - x;
            }
        }
        Ok(())
    }

    fn jacobian(&mut self, x: &[f64], _: &[f64], matrix: &mut Sparse) -> Result<(), Error> {
        let (network, unknowns) = (&mut *self.network, self.unknowns);
        for (&input, x) in unknowns.inputs.iter().zip(x) {
            network.u[input] = *x;
        }
        for reading in &unknowns.readings {
            network.give(reading.component)?;
            network.partials(reading.component)?;
        }
        for (row, &input) in unknowns.inputs.iter().enumerate() {
            if let Link::Output { output, gain, .. } = network.coupling.inputs[input].link {
                for (column, &other) in unknowns.inputs.iter().enumerate() {
                    matrix[(row, column)] = gain * network.jacobian.feed_through(output, other);
                }
            }
            matrix[(row, row)] -= 1.0;
        }
        Ok(())
    }

    fn tolerated(&self, equation: usize, x: f64) -> f64 {
        self.network.convergence * (self.unknowns.nominals[equation] + x.abs())
    }

    /// Matrices are exact but not cheap: the last one is kept.
    fn exact(&self) -> bool {
        false
    }
}
