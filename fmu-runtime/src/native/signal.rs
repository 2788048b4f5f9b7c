//! Signals at the inputs of a model.

use crate::ModelError;
use crate::describe::{Base, Role, described};
use crate::evaluator::{Evaluator, Stale};
use crate::model::Model;
use std::fmt;

/// A value over time, for an input.
///
/// ```
/// use fmu_runtime::native::Signal;
///
/// let ramp = Signal::line([(0.0, 0.0), (1.0, 5.0)]);
/// assert_eq!((ramp.value(0.5), ramp.value(3.0)), (2.5, 5.0));
/// let step = Signal::steps([(0.0, 0.0), (1.0, 5.0)]);
/// assert_eq!((step.value(0.5), step.value(1.0)), (0.0, 5.0));
/// let sine = Signal::function(|t| (2.0 * t).sin());
/// assert_eq!(sine.value(0.5), 1f64.sin());
/// ```
pub struct Signal {
    kind: Kind,
    /// Where the signal jumps or bends, in ascending order.
    breaks: Vec<f64>,
}

enum Kind {
    Function(Box<dyn Fn(f64) -> f64 + Send>),
    /// Time and value, in ascending order of time.
    Line(Vec<(f64, f64)>),
    Steps(Vec<(f64, f64)>),
}

impl fmt::Debug for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Function(_) => write!(f, "Function with breaks {:?}", self.breaks),
            Kind::Line(points) => write!(f, "Line {points:?}"),
            Kind::Steps(points) => write!(f, "Steps {points:?}"),
        }
    }
}

impl Signal {
    /// The same value at all times.
    pub fn constant(value: f64) -> Signal {
        Signal::steps([(0.0, value)])
    }

    /// A smooth function of time. [`Signal::with_breaks`] declares where it is not smooth.
    pub fn function(value: impl Fn(f64) -> f64 + Send + 'static) -> Signal {
        Signal {
            kind: Kind::Function(Box::new(value)),
            breaks: Vec::new(),
        }
    }

    /// A function that jumps or bends at some times: the integrator stops there. At a break the function returns the value
    /// after it; the value before it is taken from the number before the break.
    pub fn with_breaks(mut self, breaks: impl IntoIterator<Item = f64>) -> Signal {
        self.breaks.extend(breaks);
        self.breaks.sort_by(f64::total_cmp);
        self.breaks.dedup();
        self
    }

    /// Straight lines between points of time and value; constant before the first and after the last one. Two points at the
    /// same time are a jump.
    pub fn line(points: impl IntoIterator<Item = (f64, f64)>) -> Signal {
        Signal::of_points(Kind::Line, points)
    }

    /// Each value holds from its time to that of the next one; the first one holds before, too. For continuous and discrete
    /// inputs of all types but text: a Boolean is true where the value is not 0.
    pub fn steps(points: impl IntoIterator<Item = (f64, f64)>) -> Signal {
        Signal::of_points(Kind::Steps, points)
    }

    fn of_points(
        kind: impl Fn(Vec<(f64, f64)>) -> Kind,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Signal {
        let mut points: Vec<(f64, f64)> = points.into_iter().collect();
        // Points at the same time stay in their order.
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let breaks = points.iter().map(|point| point.0);
        Signal {
            breaks: Vec::new(),
            kind: kind(points.clone()),
        }
        .with_breaks(breaks)
    }

    /// The value at `t`; where the signal jumps, the one after the jump.
    pub fn value(&self, t: f64) -> f64 {
        self.on(t, t)
    }

    /// The first break after `t`.
    pub(super) fn next_break(&self, t: f64) -> Option<f64> {
        let next = self.breaks.partition_point(|at| *at <= t);
        self.breaks.get(next).copied()
    }

    /// Whether there is a break at `t`.
    pub(super) fn has_break(&self, t: f64) -> bool {
        self.breaks.binary_search_by(|at| at.total_cmp(&t)).is_ok()
    }

    /// The value at `t`, on the smooth piece that contains `from`: at a break behind it, the value before the break.
    fn on(&self, from: f64, t: f64) -> f64 {
        match &self.kind {
            Kind::Function(value) => match self.next_break(from) {
                Some(next) if t >= next => value(next.next_down()),
                _ => value(t),
            },
            Kind::Steps(points) => {
                let next = points.partition_point(|point| point.0 <= from);
                let held = points.get(next.saturating_sub(1));
                held.map_or(0.0, |point| point.1)
            }
            Kind::Line(points) => {
                let next = points.partition_point(|point| point.0 <= from);
                match (points.get(next.wrapping_sub(1)), points.get(next)) {
                    (Some(&(t0, v0)), Some(&(t1, v1))) => {
                        let part = (t - t0) / (t1 - t0);
                        v0 + part * (v1 - v0)
                    }
                    (Some(only), None) | (None, Some(only)) => only.1,
                    (None, None) => 0.0,
                }
            }
        }
    }

    /// The first derivative at `t`, on the smooth piece that contains `from`: a difference for a function.
    pub(super) fn slope(&self, from: f64, t: f64) -> f64 {
        match &self.kind {
            Kind::Steps(_) => 0.0,
            _ => {
                let end = self.next_break(from).unwrap_or(f64::INFINITY);
                let h = f64::EPSILON.cbrt() * t.abs().max(1.0);
                let (a, b) = ((t - h).max(from), (t + h).min(end));
                (self.on(from, b) - self.on(from, a)) / (b - a)
            }
        }
    }
}

/// The signal at one scalar input.
#[derive(Debug)]
pub(super) struct Driven {
    pub name: String,
    base: Base,
    pub slot: usize,
    /// It changes at events only.
    pub is_discrete: bool,
    pub signal: Signal,
}

impl Driven {
    /// Finds the input by its name.
    pub fn new<M: Model>(name: &str, signal: Signal) -> Result<Driven, ModelError> {
        let described = described::<M>()?;
        let elements = described.elements();
        let inputs = || {
            elements
                .iter()
                .filter(|(variable, _)| variable.field.role == Role::Input)
        };
        let mut named = inputs().filter(|(variable, element)| variable.element_name(*element) == name);
        let Some((variable, element)) = named.next() else {
            let names: Vec<String> = inputs().map(|(of, element)| of.element_name(*element)).collect();
            return Err(ModelError::new(match names.is_empty() {
                true => format!("there is no input `{name}`: the model has none"),
                false => format!(
                    "there is no input `{name}`: the inputs are `{}`",
                    names.join("`, `")
                ),
            }));
        };
        let is_discrete = !variable.is_continuous_input();
        if variable.base() == Base::String {
            return Err(ModelError::new(format!(
                "`{name}` is a text: a signal is a number"
            )));
        }
        if is_discrete && !matches!(signal.kind, Kind::Steps(_)) {
            return Err(ModelError::new(format!(
                "`{name}` is a discrete input, which changes at events only: write `Signal::steps([(time, value), ...])`"
            )));
        }
        Ok(Driven {
            name: name.to_owned(),
            base: variable.base(),
            slot: variable.slot + element,
            is_discrete,
            signal,
        })
    }

    /// The present value.
    pub fn get<M: Model>(&self, evaluator: &Evaluator<M>) -> f64 {
        let model = evaluator.model();
        match self.base {
            Base::Real => evaluator.real(self.slot),
            Base::Boolean => f64::from(model.boolean(self.slot)),
            _ => f64::from(model.integer(self.slot)),
        }
    }

    /// Sets a Real input to its value at `t`, on the piece that contains `from`.
    pub fn set_real<M: Model>(&self, evaluator: &mut Evaluator<M>, from: f64, t: f64) {
        evaluator.set_real(self.slot, self.signal.on(from, t), Stale::BY_VARIABLE);
    }

    /// Sets the input to its value at `t`, on the piece that contains `from`.
    pub fn apply<M: Model>(&self, evaluator: &mut Evaluator<M>, from: f64, t: f64) -> Result<(), ModelError> {
        let value = self.signal.on(from, t);
        match self.base {
            Base::Real => self.set_real(evaluator, from, t),
            Base::Boolean => evaluator.set_boolean(self.slot, value != 0.0, Stale::BY_VARIABLE),
            _ => {
                if !evaluator.set_integer(self.slot, value.round() as i32, Stale::BY_VARIABLE) {
                    return Err(ModelError::new(format!(
                        "the signal of `{}` is {value} at t = {t}: its enumeration has no such item",
                        self.name
                    )));
                }
            }
        }
        Ok(())
    }
}
