//! An FMU for Model Exchange as a component that steps: its equations with an integrator of ours around them, so that it
//! is coupled like an FMU for Co-Simulation.
//!
//! | file | what |
//! |---|---|
//! | `plant.rs` | the FMU as a system of equations, with inputs that follow curves |
//! | `solver.rs` | the integrators |
//! | `advance.rs` | a communication step: integration and events |
//! | `driven.rs` | inputs that are states of the integration |
//! | `derivatives.rs` | derivatives of outputs by time |
//! | `linear.rs` | A, B, C and D |
//!
//! The integrators never step beyond the end of a communication step, so nothing has to be taken back there. All that is
//! remembered beside the FMU's own state is in [`Memory`]: a snapshot is a clone of it and an `fmi2FMUstate`, and a
//! repeated step gives the same bits.

mod advance;
mod derivatives;
mod driven;
mod linear;
mod plant;
mod solver;

pub use crate::settings::Solver;

use fmu_importer::partials::Partials;
use fmu_importer::{BaseType, Experiment, InputDerivatives, Instance, ModelExchange, Snapshot, State, Value};
use fmu_numerics::{Method, Still};

use crate::component::{
    Capabilities, Component, ComponentError, Curves, Outcome, Stepping, Variables, describe,
};
use crate::stabilize::Linear;
use plant::{ByTime, Facts, Inputs, Plant, Scratch};

/// The relative tolerance where neither the master nor the FMU names one.
const TOLERANCE: f64 = 1e-6;
/// The derivatives of inputs that are followed.
const INPUT_ORDER: u32 = fmu_numerics::MAX_CURVE_ORDER as u32;

/// An instance of an FMU for Model Exchange, with an integrator and the Real variables that take part in the coupling.
///
/// ```no_run
/// use fmu_importer::Fmu;
/// use fmu_master::model_exchange::{Solver, SteppedModel};
/// use fmu_master::component::{Component, Stepping};
///
/// let instance = Fmu::open("BouncingBall.fmu")?.model_exchange("ball")?;
/// let height = instance.fmu().value_reference("h", fmu_importer::BaseType::Real)?;
/// let mut ball = SteppedModel::new(instance, &[], &[height], Solver::default())?;
/// ball.enter_initialization(0.0, 3.0, Some(1e-8))?;
/// ball.exit_initialization()?;
/// ball.step(0.0, 0.5, true)?;
/// let mut h = [0.0];
/// ball.outputs(&mut h)?;
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
pub struct SteppedModel {
    instance: ModelExchange,
    facts: Facts,
    can: Capabilities,
    /// What is known of the variables, and the value references of the states that are not outputs.
    variables: Variables,
    shown: Vec<u32>,
    solver: Solver,
    tolerance: f64,
    /// The tolerance of the step to come: error control may ask for a smaller one.
    tighter: f64,
    /// The stop time of the simulation.
    stop: f64,
    memory: Memory,
    saved: Vec<Option<(Snapshot, Memory)>>,
    scratch: Scratch,
    /// What drives the continuous inputs, if they are states of the integration.
    driver: Option<Curves>,
    /// How A, B, C and D are found, once they were asked for.
    linear: Option<Partials>,
    /// Event indicators: present ones, and room to locate a crossing.
    z: [Vec<f64>; 3],
    /// States and driven inputs.
    x: Vec<f64>,
    u: Vec<f64>,
}

/// All that is remembered beside the state of the FMU itself.
#[derive(Clone, Debug)]
struct Memory {
    method: Method,
    inputs: Inputs,
    /// What is known of the Jacobian until the next event.
    jacobian: Partials,
    nominals: Vec<f64>,
    /// The end of the communication step at hand.
    end: f64,
    /// Event indicators where the integrator is.
    z: Vec<f64>,
    next_event: Option<f64>,
    /// Discrete inputs that are not Real, by value reference: they are set at the next event.
    pending: Vec<(u32, Value)>,
    terminated: bool,
    /// It is initialized and has not stepped yet.
    at_start: bool,
    /// Events that come closer to each other than `quick` are counted.
    quick: f64,
    quick_events: u64,
    last_event: f64,
}

impl SteppedModel {
    /// Takes an instance that is not initialized, and the value references of its coupled inputs and outputs.
    pub fn new(
        instance: ModelExchange,
        inputs: &[u32],
        outputs: &[u32],
        solver: Solver,
    ) -> Result<SteppedModel, ComponentError> {
        if !solver.is_of_components() {
            return Err(format!("{solver} is a solver over all components, and not around one").into());
        }
        let facts = Facts::new(&instance, inputs, outputs)?;
        let jacobian = facts.jacobian(instance.fmu(), false)?;
        let interface = instance.interface();
        let can = Capabilities {
            snapshots: interface.can_get_and_set_fmu_state,
            input_derivatives: INPUT_ORDER,
            output_derivatives: match facts.of_outputs {
                ByTime::Unknown => 0,
                ByTime::Known | ByTime::Independent => derivatives::HIGHEST,
            },
            directional_derivatives: interface.provides_directional_derivative,
            outputs_follow_inputs: true,
            variable_step: true,
            cheap_snapshots: fmu_standard::extension::is_own(instance.fmu().description()),
            states: Some(facts.states),
            events_by_inputs: instance.number_of_event_indicators() > 0,
            ..Capabilities::default()
        };
        let (variables, shown) = describe(instance.fmu(), inputs, outputs);
        let (states, indicators) = (facts.states, instance.number_of_event_indicators());
        Ok(SteppedModel {
            memory: Memory {
                method: Method::Still(Still::default()),
                inputs: Inputs::at(0.0, &vec![0.0; inputs.len()]),
                jacobian,
                nominals: vec![1.0; states],
                end: f64::INFINITY,
                z: vec![0.0; indicators],
                next_event: None,
                pending: Vec::new(),
                terminated: false,
                at_start: false,
                quick: 0.0,
                quick_events: 0,
                last_event: f64::NEG_INFINITY,
            },
            z: std::array::from_fn(|_| vec![0.0; indicators]),
            x: vec![0.0; states],
            u: Vec::with_capacity(inputs.len()),
            saved: Vec::new(),
            scratch: Scratch::default(),
            driver: None,
            linear: None,
            tolerance: TOLERANCE,
            tighter: TOLERANCE,
            stop: f64::INFINITY,
            instance,
            facts,
            can,
            variables,
            shown,
            solver,
        })
    }

    /// The instance, for what is beyond coupling.
    pub fn instance(&mut self) -> &mut ModelExchange {
        &mut self.instance
    }

    /// The integrator, and the equations that it integrates.
    fn parts(&mut self) -> (&mut Method, Plant<'_>) {
        let Memory {
            method,
            inputs,
            jacobian,
            nominals,
            end,
            ..
        } = &mut self.memory;
        let plant = Plant {
            instance: &mut self.instance,
            facts: &self.facts,
            inputs,
            jacobian,
            nominals,
            end: *end,
            scratch: &mut self.scratch,
            driver: self.driver.as_mut(),
        };
        (method, plant)
    }

    fn is_initializing(&self) -> bool {
        self.instance.state() == State::Initialization
    }
}

impl Component for SteppedModel {
    fn capabilities(&self) -> Capabilities {
        self.can
    }

    fn into_stepping(self: Box<Self>) -> Option<Box<dyn Stepping>> {
        Some(self)
    }

    /// All Real inputs and outputs, without the solver around it.
    #[cfg(feature = "aggregate")]
    fn into_model_exchange(self: Box<Self>) -> Option<Box<dyn crate::component::ModelExchange>> {
        Some(Box::new(crate::aggregate::FmuModel::new(self.instance)))
    }

    fn variables(&self) -> Variables {
        self.variables.clone()
    }

    fn set_inputs(&mut self, u: &[f64]) -> Result<(), ComponentError> {
        self.memory.inputs.set(u);
        if self.is_initializing() {
            return match u.is_empty() {
                true => Ok(()),
                false => Ok(self.instance.set_known_reals(&self.facts.inputs, u)?),
            };
        }
        let (_, mut plant) = self.parts();
        plant.set_given_inputs()?;
        Ok(self.take_discrete_at_start()?)
    }

    fn value(&mut self, base_type: BaseType, value_reference: u32) -> Result<Value, ComponentError> {
        Ok(self.instance.value(base_type, value_reference)?)
    }

    fn set_value(&mut self, value_reference: u32, value: &Value) -> Result<(), ComponentError> {
        if self.is_initializing() {
            return Ok(self.instance.set_value(value_reference, value)?);
        }
        let base_type = value.base_type();
        let pending = &mut self.memory.pending;
        pending.retain(|(other, old)| (*other, old.base_type()) != (value_reference, base_type));
        if self.instance.value(base_type, value_reference)? != *value {
            pending.push((value_reference, value.clone()));
        }
        Ok(self.take_discrete_at_start()?)
    }

    fn enter_initialization(
        &mut self,
        t: f64,
        stop: f64,
        tolerance: Option<f64>,
    ) -> Result<(), ComponentError> {
        let own = self.instance.fmu().description().default_experiment.as_ref();
        let own = own.and_then(|experiment| experiment.tolerance);
        let sensible = |tolerance: &f64| *tolerance > 0.0 && tolerance.is_finite();
        self.tolerance = tolerance.or(own).filter(sensible).unwrap_or(TOLERANCE);
        self.tighter = self.tolerance;
        self.stop = stop;
        self.memory.method = Method::Still(Still::at(t));
        self.instance
            .setup_experiment(&Experiment::starting_at(t).until(stop).with_tolerance(tolerance))?;
        Ok(self.instance.enter_initialization_mode()?)
    }

    fn exit_initialization(&mut self) -> Result<(), ComponentError> {
        self.instance.exit_initialization_mode()?;
        let t = self.memory.method.time();
        self.u.resize(self.memory.inputs.curves.len(), 0.0);
        if !self.u.is_empty() {
            self.instance.get_known_reals(&self.facts.inputs, &mut self.u)?;
        }
        self.memory.inputs = Inputs::at(t, &self.u);
        self.memory.terminated = false;
        self.memory.at_start = true;
        self.memory.last_event = f64::NEG_INFINITY;
        self.renew_method()?;
        Ok(self.settle()?)
    }

    fn warnings(&self) -> Vec<String> {
        self.instance.lost_values().to_vec()
    }

    fn warned(&self) -> u64 {
        self.instance.warned()
    }

    fn first_warning(&self) -> Option<&str> {
        self.instance.first_warning()
    }

    fn terminate(&mut self) -> Result<(), ComponentError> {
        Ok(self.instance.terminate()?)
    }

    fn as_fmu(&mut self) -> Option<&mut Instance> {
        Some(&mut self.instance)
    }
}

impl Stepping for SteppedModel {
    fn inner_states(&mut self, x: &mut [f64]) -> Result<(), ComponentError> {
        match x.is_empty() {
            true => Ok(()),
            false => Ok(self.instance.get_reals(&self.shown, x)?),
        }
    }

    fn set_input_derivatives(&mut self, order: u32, du: &[f64]) -> Result<(), ComponentError> {
        if self.driver.is_some() {
            return Ok(());
        }
        if order == 0 || order > INPUT_ORDER {
            return Err(format!(
                "it follows derivatives of its inputs of order 1 to {INPUT_ORDER}, not {order}"
            )
            .into());
        }
        for &input in &self.facts.continuous {
            self.memory
                .inputs
                .set_derivative(input, order as usize, du[input]);
        }
        Ok(())
    }

    fn outputs(&mut self, y: &mut [f64]) -> Result<(), ComponentError> {
        match y.is_empty() {
            true => Ok(()),
            false => Ok(self.instance.get_known_reals(&self.facts.outputs, y)?),
        }
    }

    fn output_derivatives(&mut self, order: u32, dy: &mut [f64]) -> Result<(), ComponentError> {
        if order > self.can.output_derivatives {
            return Err(format!("it has no derivatives of its outputs of order {order}").into());
        }
        self.smooth_derivatives(order, dy)
    }

    fn feed_through(&mut self, matrix: &mut [f64]) -> Result<(), ComponentError> {
        matrix.fill(0.0);
        let facts = &self.facts;
        let columns = facts.inputs.value_references().len();
        let mut values = vec![0.0; facts.fed.len()];
        for &input in &facts.continuous {
            if facts.fed.is_empty() {
                break;
            }
            let known = facts.inputs.value_references()[input];
            self.instance
                .directional_derivative(&facts.fed_references, &[known], &[1.0], &mut values)?;
            for (&output, value) in facts.fed.iter().zip(&values) {
                matrix[output * columns + input] = *value;
            }
        }
        Ok(())
    }

    fn step(&mut self, t: f64, h: f64, _: bool) -> Result<Outcome, ComponentError> {
        let start = self.memory.method.time();
        if (t - start).abs() > 1e-9 * h.max(t.abs()) {
            return Err(
                format!("a step from t = {t} does not begin where the last one ended, at {start}").into(),
            );
        }
        let advanced = match self.memory.terminated {
            true => Ok(()),
            false => self.advance(t + h),
        };
        let now = self.memory.method.time();
        match advanced {
            Ok(()) if self.memory.terminated => Ok(Outcome::Terminated { reached: Some(now) }),
            Ok(()) => Ok(Outcome::Done),
            Err(problem) if problem.is_discard() || problem.is_of_the_integrator() && now > start => {
                Ok(Outcome::Discarded { reached: Some(now) })
            }
            Err(problem) => Err(problem.into()),
        }
    }

    fn next_event(&mut self, t: f64) -> Option<f64> {
        self.memory.next_event.filter(|&due| due > t)
    }

    fn tolerate(&mut self, tolerance: f64) {
        self.tighter = self.tolerance.min(tolerance);
    }

    fn save(&mut self, place: usize) -> Result<(), ComponentError> {
        if self.saved.len() <= place {
            self.saved.resize_with(place + 1, || None);
        }
        match &mut self.saved[place] {
            Some((snapshot, memory)) => {
                self.instance.snapshot_into(snapshot)?;
                memory.clone_from(&self.memory);
            }
            none => *none = Some((self.instance.snapshot()?, self.memory.clone())),
        }
        Ok(())
    }

    fn restore(&mut self, place: usize) -> Result<(), ComponentError> {
        match self.saved.get(place) {
            Some(Some((snapshot, memory))) => {
                self.instance.restore(snapshot)?;
                self.memory.clone_from(memory);
                Ok(())
            }
            _ => Err("nothing was saved there".into()),
        }
    }

    fn linearize(&mut self, linear: &mut Linear) -> Result<(), ComponentError> {
        self.linear_model(linear)
    }

    fn stabilize(&mut self, derivatives: Box<dyn InputDerivatives>) -> Result<(), ComponentError> {
        self.drive(derivatives)
    }
}
