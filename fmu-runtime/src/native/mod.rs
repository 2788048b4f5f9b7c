//! A model without any FMU around it, for plain tests and quick looks: set fields, initialize, evaluate, fire events,
//! simulate.
//!
//! ```
//! use fmu_runtime::native::{Native, Options, Solver};
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
//!
//! // The integrators, tolerances and events of the co-simulation, and a table of all values.
//! let precise = Options::with(Solver::DormandPrince).with_tolerance(1e-10);
//! let table = cup.record(20.0, 0.5, precise)?;
//! assert_eq!((table.len(), table.times()[20]), (21, 20.0));
//! let exact = 70.0 * (-4.0_f64).exp();
//! assert!((table.column("excess").unwrap()[20] - exact).abs() < 1e-8);
//! # Ok(())
//! # }
//! ```
//!
//! [`Native::drive`] connects a [`Signal`] to an input.

mod signal;
mod table;

pub use crate::cosim::{Options, Solver};
pub use signal::Signal;
pub use table::Table;

use crate::cosim::{CoSimulation, Environment, Facts, Failure, Point, Reached, Reason, Workspace};
use crate::describe::instantiated;
use crate::evaluator::{Evaluator, Stale};
use crate::log::{Message, Recording};
use crate::model::Model;
use crate::solver::{Statistics, StepError};
use crate::{ModelError, Next};
use signal::Driven;
use std::ops::{Deref, DerefMut};
use std::path::Path;

/// A model that runs by itself. Its fields are the model's: `native.x` reads, `native.x = 1.0` sets; the values of
/// outputs and local variables are those of the last [`Native::update`], which the other functions call for you.
pub struct Native<M: Model> {
    evaluator: Evaluator<M>,
    next_event_time: Option<f64>,
    events: usize,
    is_over: bool,
    messages: Vec<Message>,
    signals: Vec<Driven>,
    /// The integrator of the last simulation.
    steps: Option<CoSimulation>,
    options: Options,
    /// Fields, time or events have changed the model since the last simulation.
    is_changed: bool,
    /// The event indicators after the last event or simulation.
    z: Vec<f64>,
}

impl<M: Model> Native<M> {
    /// A model that is to be initialized.
    pub fn new(model: M) -> Native<M> {
        Native::of(Box::new(model))
    }

    /// A model with its start values that has read its resources: `fn instantiate` is called with the folder `resources`, for
    /// the model and its parts. It is to be initialized.
    ///
    /// ```
    /// use fmu_runtime::native::Native;
    /// use fmu_runtime::prelude::*;
    ///
    /// /// Reads its gain from a file
    /// #[model]
    /// struct Gain {
    ///     /// Gain
    ///     #[output]
    ///     y: f64,
    ///     #[internal]
    ///     gain: f64,
    /// }
    ///
    /// #[equations]
    /// impl Model for Gain {
    ///     fn instantiate(&mut self, resources: &Path) -> Result<(), ModelError> {
    ///         self.gain = std::fs::read_to_string(resources.join("gain.txt"))?.trim().parse()?;
    ///         Ok(())
    ///     }
    ///     fn outputs(&self, _t: f64) -> Outputs<Self> {
    ///         Outputs::<Self> { y: f64::from(self.gain) }
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), ModelError> {
    /// let folder = std::env::temp_dir().join(format!("gain-{}", std::process::id()));
    /// std::fs::create_dir_all(&folder)?;
    /// std::fs::write(folder.join("gain.txt"), "2.5")?;
    /// let mut gain = Native::<Gain>::instantiate(&folder)?;
    /// gain.initialize(0.0)?;
    /// assert_eq!(gain.y, 2.5);
    /// # std::fs::remove_dir_all(&folder)?;
    /// assert!(Native::<Gain>::instantiate(&folder).is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn instantiate(resources: impl AsRef<Path>) -> Result<Native<M>, ModelError> {
        instantiated(resources.as_ref()).map(Native::of)
    }

    fn of(model: Box<M>) -> Native<M> {
        Native {
            evaluator: Evaluator::new(model),
            next_event_time: None,
            events: 0,
            is_over: false,
            messages: Vec::new(),
            signals: Vec::new(),
            steps: None,
            options: Options::default(),
            is_changed: false,
            z: vec![0.0; M::EVENT_INDICATORS],
        }
    }

    /// The time.
    pub fn time(&self) -> f64 {
        self.evaluator.time()
    }

    /// Sets the time; nothing happens in between.
    pub fn set_time(&mut self, time: f64) {
        self.is_changed = true;
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

    /// What the integrator of the last simulation has done.
    pub fn statistics(&self) -> Statistics {
        self.steps
            .as_ref()
            .map_or_else(Statistics::default, CoSimulation::statistics)
    }

    /// Connects a signal to an input, by its name in the FMU (`u`, `motor.u`, `u[2]`), from the next
    /// [`Native::initialize`] or simulation on. The integrator evaluates the signal wherever it evaluates the model, and
    /// stops where the signal jumps or bends. A jump of a discrete input is an event.
    ///
    /// ```
    /// use fmu_runtime::native::{Native, Options, Signal};
    /// use fmu_runtime::prelude::*;
    ///
    /// /// An integrator
    /// #[model]
    /// struct Integrator {
    ///     /// Rate
    ///     #[input(start = 0.0)]
    ///     u: f64,
    ///     /// Sum
    ///     #[state(start = 0.0)]
    ///     x: f64,
    /// }
    ///
    /// #[equations]
    /// impl Model for Integrator {
    ///     fn derivatives(&self, _t: f64) -> Derivatives<Self> {
    ///         Derivatives::<Self> { x: self.u }
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), ModelError> {
    /// let mut integrator = Native::new(Integrator::default());
    /// integrator.drive("u", Signal::steps([(0.0, 1.0), (0.5, -2.0)]))?;
    /// integrator.initialize(0.0)?;
    /// integrator.simulate(1.0, Options::default())?;
    /// assert!((integrator.x - (0.5 - 1.0)).abs() < 1e-12);
    /// # Ok(())
    /// # }
    /// ```
    pub fn drive(&mut self, input: &str, signal: Signal) -> Result<(), ModelError> {
        let driven = Driven::new::<M>(input, signal)?;
        self.signals.retain(|known| known.name != driven.name);
        self.signals.push(driven);
        // The integrator treats inputs that a signal moves differently from those that stay.
        self.steps = None;
        Ok(())
    }

    /// Calculated parameters, initial equations and the initial event, at `time`.
    pub fn initialize(&mut self, time: f64) -> Result<(), ModelError> {
        self.is_over = false;
        self.events = 0;
        self.steps = None;
        for driven in &self.signals {
            driven.apply(&mut self.evaluator, time, time)?;
        }
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
        self.is_changed = true;
        loop {
            let pass = self.listen(Evaluator::event_pass)?;
            if pass.next != Next::Iterate {
                self.next_event_time = pass.next_event_time;
                self.is_over = pass.next == Next::Terminate;
                self.listen(Evaluator::enter_continuous_time)?;
                self.z = self.indicators()?;
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

    /// Simulates to `end` with the integrator of a co-simulation; events are found and handled.
    ///
    /// `how` is an [`Options`] (integrator, tolerance, longest step), a [`Solver`], or a number: the length of the fixed
    /// steps of the classical Runge-Kutta method. [`Options::of`] has what the attributes of the model say.
    pub fn simulate(&mut self, end: f64, how: impl Into<Options>) -> Result<(), ModelError> {
        self.simulate_with(end, how, |_, _| {})
    }

    /// [`Native::simulate`], with a look at the model after each step of the integrator and each event.
    pub fn simulate_with(
        &mut self,
        end: f64,
        how: impl Into<Options>,
        mut look: impl FnMut(f64, &M),
    ) -> Result<(), ModelError> {
        let options = how.into();
        // A model without states is also checked after each step of this length.
        let every = match options.solver.is_fixed() {
            true => options.max_step,
            false => f64::INFINITY,
        };
        let mut observe = |evaluator: &mut Evaluator<M>, _point: Point| {
            evaluator.ensure(Stale::FOR_OUTPUTS)?;
            look(evaluator.time(), evaluator.model());
            Ok(())
        };
        self.run(end, every, options, &mut observe, &mut |_| Ok(()))
    }

    /// [`Native::simulate`], with a table of all values: one row now, one every `every` seconds, one at `end`, and two at
    /// each event.
    ///
    /// The table is plain data. `fmu-results`, as a dev-dependency, draws it:
    /// `Plot::new("Coffee").with(Panel::new(Some("K")).with(Series::new("T", table.points("temperature")))).to_svg()`.
    pub fn record(&mut self, end: f64, every: f64, how: impl Into<Options>) -> Result<Table, ModelError> {
        let table = std::cell::RefCell::new(Table::of::<M>()?);
        self.listen(|evaluator| table.borrow_mut().push(evaluator))?;
        let mut observe = |evaluator: &mut Evaluator<M>, point: Point| match point {
            Point::Step => Ok(()),
            Point::BeforeEvent | Point::AfterEvent => table.borrow_mut().push(evaluator),
        };
        let mut communicate = |evaluator: &mut Evaluator<M>| {
            let mut table = table.borrow_mut();
            match table.ends_at(evaluator.time()) {
                true => Ok(()),
                false => table.push(evaluator),
            }
        };
        self.run(end, every, how.into(), &mut observe, &mut communicate)?;
        Ok(table.into_inner())
    }

    /// To `end`, in communication steps that end every `every` seconds and where a signal has a break.
    fn run(
        &mut self,
        end: f64,
        every: f64,
        options: Options,
        observe: &mut Observe<'_, M>,
        communicate: &mut dyn FnMut(&mut Evaluator<M>) -> Result<(), ModelError>,
    ) -> Result<(), ModelError> {
        if every.is_nan() || every <= 0.0 {
            return Err(ModelError::new(format!(
                "the length of a step is {every}: it must be greater than 0"
            )));
        }
        if self.is_over || self.time() >= end {
            return Ok(());
        }
        let mut steps = self.prepare(options)?;
        let signals = std::mem::take(&mut self.signals);
        let recording = Recording::start();
        let begin = self.time();
        let mut workspace = Workspace::within(Around {
            signals: &signals,
            from: begin,
            observe,
        });
        let evaluator = &mut self.evaluator;
        let mut reached = Ok(Reached::End);
        while matches!(reached, Ok(Reached::End)) && evaluator.time() < end {
            let now = evaluator.time();
            workspace.environment_mut().from = now;
            reached = apply(&signals, evaluator, &mut steps).and_then(|()| {
                let next = (begin + (((now - begin) / every + 1e-6).floor() + 1.0) * every).min(end);
                let breaks = signals.iter().filter_map(|driven| driven.signal.next_break(now));
                let next = breaks.fold(next, f64::min);
                let events = &mut self.events;
                let count =
                    |happening: &crate::cosim::Happening| *events += usize::from(happening.iteration == 0);
                let reached = steps
                    .advance(evaluator, &mut workspace, next, count)
                    .map_err(of_failure)?;
                communicate(evaluator)?;
                Ok(reached)
            });
        }
        self.messages.extend(recording.stop());
        self.signals = signals;
        self.next_event_time = steps.next_event_time();
        self.z.copy_from_slice(steps.indicators());
        self.steps = Some(steps);
        self.is_changed = false;
        self.is_over = reached? == Reached::Termination;
        self.update()
    }

    /// The integrator, where the model is.
    fn prepare(&mut self, options: Options) -> Result<CoSimulation, ModelError> {
        let known = self.steps.take().filter(|_| self.options == options);
        let is_new = known.is_none();
        let mut steps = match known {
            Some(steps) => steps,
            None => {
                let continuous = self.signals.iter().filter(|driven| !driven.is_discrete);
                let driven: Vec<usize> = continuous.map(|driven| driven.slot).collect();
                let facts = Facts::for_options(self.evaluator.model(), &options, &driven)?;
                CoSimulation::new(&facts, options)
            }
        };
        self.options = options;
        if is_new || self.is_changed {
            steps.resume(&self.evaluator, self.next_event_time, &self.z, is_new);
        }
        Ok(steps)
    }
}

/// Sets all inputs that have a signal, at the beginning of a piece.
fn apply<M: Model>(
    signals: &[Driven],
    evaluator: &mut Evaluator<M>,
    steps: &mut CoSimulation,
) -> Result<(), ModelError> {
    let now = evaluator.time();
    for driven in signals {
        let before = driven.get(evaluator);
        driven.apply(evaluator, now, now)?;
        if driven.is_discrete && driven.get(evaluator) != before {
            steps.request_event();
        } else if driven.signal.has_break(now) {
            steps.equations_changed();
        }
    }
    Ok(())
}

fn of_failure(failure: Failure) -> ModelError {
    match failure.reason {
        Reason::Step(StepError::Model(error)) => error,
        _ => ModelError::new(failure.to_string()),
    }
}

type Observe<'a, M> = dyn FnMut(&mut Evaluator<M>, Point) -> Result<(), ModelError> + 'a;

/// Signals and an observer, during a simulation.
struct Around<'a, 'o, M: Model> {
    signals: &'a [Driven],
    /// Where the present piece of all signals begins.
    from: f64,
    observe: &'a mut Observe<'o, M>,
}

impl<M: Model> Environment<M> for Around<'_, '_, M> {
    const IS_PRESENT: bool = true;

    fn apply(&mut self, evaluator: &mut Evaluator<M>, t: f64) {
        for driven in self.signals.iter().filter(|driven| !driven.is_discrete) {
            driven.set_real(evaluator, self.from, t);
        }
    }

    fn velocities(&self, t: f64, put: &mut dyn FnMut(usize, f64)) {
        for driven in self.signals.iter().filter(|driven| !driven.is_discrete) {
            put(driven.slot, driven.signal.slope(self.from, t));
        }
    }

    fn reached(&mut self, evaluator: &mut Evaluator<M>, point: Point) -> Result<(), ModelError> {
        (self.observe)(evaluator, point)
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
        self.is_changed = true;
        self.evaluator.model_mut()
    }
}
