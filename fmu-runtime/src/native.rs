//! A model without any FMU around it, for plain tests and quick looks: set fields, initialize, evaluate, fire events,
//! simulate.
//!
//! ```
//! use fmu_runtime::native::Native;
//! use fmu_runtime::prelude::*;
//!
//! /// A cup of coffee
//! #[model]
//! pub struct Cup {
//!     /// Temperature
//!     #[state(start = 90.0, unit = "degC")]
//!     temperature: f64,
//!     /// Rate of cooling
//!     #[parameter(start = 0.1, unit = "1/s")]
//!     rate: f64,
//!     /// Temperature above the room's
//!     #[output]
//!     excess: f64,
//! }
//!
//! #[equations]
//! impl Model for Cup {
//!     fn derivatives(&self, _t: f64) -> Derivatives<Self> {
//!         Derivatives::<Self> { temperature: -self.rate * (self.temperature - 20.0) }
//!     }
//!     fn outputs(&self, _t: f64) -> Outputs<Self> {
//!         Outputs::<Self> { excess: self.temperature - 20.0 }
//!     }
//! }
//!
//! # fn main() -> Result<(), ModelError> {
//! let mut cup = Native::new(Cup::default());
//! cup.rate = 0.2;
//! cup.initialize(0.0)?;
//! assert_eq!(cup.excess, 70.0);
//! assert_eq!(cup.derivatives(0.0).temperature, -14.0);
//!
//! cup.simulate(10.0, 0.01)?;
//! let exact = 20.0 + 70.0 * (-2.0_f64).exp();
//! assert!((cup.temperature - exact).abs() < 1e-8);
//! # Ok(())
//! # }
//! ```

use crate::evaluator::{Evaluator, Stale};
use crate::log::{Message, Recording};
use crate::model::Model;
use crate::solver::{Crossing, RungeKutta4, StepError, System, changed, locate, remember};
use crate::{ModelError, Next};
use std::ops::{Deref, DerefMut};

/// More events than this without a step in between are a mistake of the model.
const MOST_EVENTS_AT_ONCE: usize = 1000;

/// A model that runs by itself. Its fields are the model's: `native.x` reads, `native.x = 1.0` sets; the values of
/// outputs and local variables are those of the last [`Native::update`], which the other functions call for you.
pub struct Native<M: Model> {
    evaluator: Evaluator<M>,
    next_event_time: Option<f64>,
    events: usize,
    is_over: bool,
    messages: Vec<Message>,
    /// The event indicators at the last look since an event.
    z: Vec<f64>,
}

impl<M: Model> Native<M> {
    /// A model that is to be initialized.
    pub fn new(model: M) -> Native<M> {
        Native {
            evaluator: Evaluator::new(Box::new(model)),
            next_event_time: None,
            events: 0,
            is_over: false,
            messages: Vec::new(),
            z: vec![f64::NAN; M::EVENT_INDICATORS],
        }
    }

    /// The time.
    pub fn time(&self) -> f64 {
        self.evaluator.time()
    }

    /// Sets the time; nothing happens in between.
    pub fn set_time(&mut self, time: f64) {
        self.evaluator.set_time(time);
    }

    /// When the model's next time event is due.
    pub fn upcoming_event(&self) -> Option<f64> {
        self.next_event_time
    }

    /// How many events there were, the initial one not counted.
    pub fn events(&self) -> usize {
        self.events
    }

    /// The model has ended the simulation with [`Next::Terminate`].
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// The messages that the model has sent with `log!`.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Calculated parameters, initial equations and the initial event, at `time`.
    pub fn initialize(&mut self, time: f64) -> Result<(), ModelError> {
        self.is_over = false;
        self.events = 0;
        self.evaluator.enter_initialization(time);
        self.listen(Evaluator::exit_initialization)?;
        self.iterate()?;
        self.update()
    }

    /// Brings local variables and outputs up to date.
    pub fn update(&mut self) -> Result<(), ModelError> {
        self.listen(|evaluator| evaluator.ensure(Stale::FOR_OUTPUTS))
    }

    /// The continuous states, in the order of their declaration.
    pub fn states(&self) -> Vec<f64> {
        let mut x = vec![0.0; M::COUNTS.states];
        self.evaluator.states(&mut x);
        x
    }

    /// The derivatives of the states, in the same order.
    pub fn state_derivatives(&mut self) -> Result<Vec<f64>, ModelError> {
        let mut dx = vec![0.0; M::COUNTS.states];
        self.listen(|evaluator| evaluator.derivatives(&mut dx))?;
        Ok(dx)
    }

    /// The event indicators as an importer sees them: never exactly 0.
    pub fn indicators(&mut self) -> Result<Vec<f64>, ModelError> {
        let mut z = vec![0.0; M::EVENT_INDICATORS];
        self.listen(|evaluator| evaluator.event_indicators(&mut z))?;
        Ok(z)
    }

    /// An event at the present time: calls the model's event function until it is settled.
    pub fn fire(&mut self) -> Result<Next, ModelError> {
        self.events += 1;
        self.evaluator.begin_event();
        let next = self.iterate()?;
        self.update()?;
        Ok(next)
    }

    fn iterate(&mut self) -> Result<Next, ModelError> {
        loop {
            let pass = self.listen(Evaluator::event_pass)?;
            if pass.next != Next::Iterate {
                self.next_event_time = pass.next_event_time;
                self.is_over = pass.next == Next::Terminate;
                self.listen(Evaluator::enter_continuous_time)?;
                self.z.fill(f64::NAN);
                return Ok(pass.next);
            }
        }
    }

    fn listen<R>(&mut self, call: impl FnOnce(&mut Evaluator<M>) -> R) -> R {
        let recording = Recording::start();
        let result = call(&mut self.evaluator);
        self.messages.extend(recording.stop());
        result
    }

    /// Simulates to `end` with Runge-Kutta steps of fourth order, `step` long; events are found and handled.
    pub fn simulate(&mut self, end: f64, step: f64) -> Result<(), ModelError> {
        self.simulate_with(end, step, |_, _| {})
    }

    /// [`Native::simulate`], with a look at the model after each step and each event.
    pub fn simulate_with(
        &mut self,
        end: f64,
        step: f64,
        mut look: impl FnMut(f64, &M),
    ) -> Result<(), ModelError> {
        let begin = self.time();
        let mut at_once = 0;
        while self.time() < end && !self.is_over {
            let done = ((self.time() - begin) / step + 1e-6).floor();
            let regular = (begin + (done + 1.0) * step).min(end);
            let due = self.next_event_time.filter(|&due| due <= regular);
            let crossed = self.step(due.unwrap_or(regular))?;
            self.update()?;
            look(self.time(), self.evaluator.model());
            let asked = self.listen(Evaluator::completed_step)?;
            let is_due = due.is_some_and(|due| self.time() >= due);
            if !(crossed || asked || is_due) {
                at_once = 0;
                continue;
            }
            at_once += 1;
            if at_once > MOST_EVENTS_AT_ONCE {
                return Err(ModelError::new(format!(
                    "events without end at t = {}",
                    self.time()
                )));
            }
            self.fire()?;
            look(self.time(), self.evaluator.model());
        }
        Ok(())
    }

    /// To `end`, or to the first event indicator that changes its sign on the way: then true.
    fn step(&mut self, end: f64) -> Result<bool, ModelError> {
        let (begin, x) = (self.time(), self.states());
        let mut z1 = self.indicators()?;
        remember(&mut self.z, &z1);
        let mut z0 = self.z.clone();
        let mut method = RungeKutta4::new(x.len(), f64::INFINITY);
        let mut go = |native: &mut Self, t: f64, z: &mut [f64]| -> Result<(), ModelError> {
            method.restart(begin, &x);
            let stepped = method.step(&mut Continuous(native), t);
            stepped.map_err(|error| match error {
                StepError::Model(error) => error,
                error => error.into(),
            })?;
            native.set(t, method.states());
            native.listen(|evaluator| evaluator.event_indicators(z))
        };
        go(self, end, &mut z1)?;
        if !changed(&z0, &z1) {
            return Ok(false);
        }
        let width = 4.0 * f64::EPSILON * begin.abs().max(end.abs());
        let whole = Crossing {
            before: begin,
            after: end,
        };
        let mut z = z0.clone();
        let found = locate(whole, width, &mut z0, &mut z1, &mut z, |t, z| go(self, t, z))?;
        go(self, found.after, &mut z)?;
        Ok(true)
    }

    fn set(&mut self, time: f64, x: &[f64]) {
        self.evaluator.set_time(time);
        self.evaluator.set_states(x);
    }
}

/// The model between two events.
struct Continuous<'a, M: Model>(&'a mut Native<M>);

impl<M: Model> System for Continuous<'_, M> {
    type Error = ModelError;

    fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        self.0.set(t, x);
        self.0.listen(|evaluator| evaluator.derivatives(dx))
    }
}

impl<M: Model> Deref for Native<M> {
    type Target = M;

    fn deref(&self) -> &M {
        self.evaluator.model()
    }
}

impl<M: Model> DerefMut for Native<M> {
    fn deref_mut(&mut self) -> &mut M {
        self.evaluator.model_mut()
    }
}
