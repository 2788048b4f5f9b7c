//! An FMU for Co-Simulation as a component.

use fmu_importer::{
    BaseType, CoSimulation, Experiment, Fmu, InputDerivatives, Instance, RealVariables, Snapshot, Step, Value,
};
use fmu_standard::description::{Causality, Reference, Variability};
use fmu_standard::extension;

use super::{
    Capabilities, Component, ComponentError, Outcome, RefusedDerivatives, State, Stepping, Variables,
};
use crate::stabilize::Linear;
use crate::twin::{self, Start, Timetable};

/// An instance of an FMU, with the Real variables that take part in the coupling.
pub struct CoSimulationFmu {
    instance: CoSimulation,
    can: Capabilities,
    inputs: Vec<u32>,
    outputs: Vec<u32>,
    /// The same, looked up; `None` where one does not exist, which the call will report.
    known: Option<[RealVariables; 2]>,
    /// The order of each derivative, as the C interface wants it: once per input or output.
    orders: Vec<i32>,
    /// Which inputs are curves, and their value references; the others are held.
    curves: Vec<usize>,
    curve_references: Vec<u32>,
    /// Derivatives of these.
    derivatives: Vec<f64>,
    /// What is known of all variables, and the value references of the states that are not outputs.
    variables: Variables,
    shown: Vec<u32>,
    /// Value references of states and of their derivatives, then of the outputs that are continuous: `smooth` has the numbers
    /// of these. Others are constant between events.
    states: Vec<u32>,
    unknowns: Vec<u32>,
    smooth: Vec<usize>,
    /// Outputs that inputs feed through to, by their numbers and value references: others may not be asked how they depend
    /// on inputs, since a state is not an unknown while it is initialized, and a constant never is.
    through: Vec<usize>,
    fed: Vec<u32>,
    stabilized: bool,
    start: Start,
    /// When it samples, once that was asked for; none inside where it is not known.
    timetable: Option<Option<Timetable>>,
    snapshots: Vec<Option<Snapshot>>,
    column: Vec<f64>,
}

/// Whether an output depends on one of some inputs at the same time; where the FMU does not say so, it does.
pub(crate) fn feeds_through(fmu: &Fmu, output: u32, inputs: &[u32]) -> bool {
    let description = fmu.description();
    let is = |known: Reference, reference: u32| {
        description.variable(known).is_some_and(|variable| {
            variable.value_reference == reference && BaseType::of(&variable.kind) == BaseType::Real
        })
    };
    let unknowns = &description.model_structure.outputs;
    let found = unknowns.iter().find(|unknown| is(unknown.variable, output));
    match found.and_then(|unknown| unknown.depends_on()) {
        Some(mut on) => on.any(|(known, _)| inputs.iter().any(|&input| is(Reference::to(known), input))),
        None => true,
    }
}

/// What the coupled variables of an FMU are, and the value references of those states that are not outputs.
pub(crate) fn describe(fmu: &Fmu, inputs: &[u32], outputs: &[u32]) -> (Variables, Vec<u32>) {
    let variables = &fmu.description().model_variables;
    let is_discrete = |references: &[u32], causality: Causality| -> Vec<usize> {
        let continuous = |reference: u32| {
            let found = variables.iter().find(|variable| {
                variable.value_reference == reference
                    && variable.causality == causality
                    && BaseType::of(&variable.kind) == BaseType::Real
            });
            found.is_none_or(|variable| variable.variability == Variability::Continuous)
        };
        let numbers = 0..references.len();
        numbers.filter(|&one| !continuous(references[one])).collect()
    };
    let mut known = Variables {
        discrete_inputs: is_discrete(inputs, Causality::Input),
        discrete_outputs: is_discrete(outputs, Causality::Output),
        ..Variables::default()
    };
    let mut shown = Vec::new();
    for one in fmu.continuous_states().unwrap_or_default() {
        let reference = variables[one.state].value_reference;
        let output = outputs.iter().position(|&output| output == reference);
        let nominal = fmu.real_attributes(one.state).and_then(|real| real.nominal);
        let nominal = nominal.map(f64::abs).filter(|size| *size > 0.0).unwrap_or(1.0);
        known
            .states
            .push(State::new(&variables[one.state].name, nominal).output(output));
        if output.is_none() {
            shown.push(reference);
        }
    }
    (known, shown)
}

impl CoSimulationFmu {
    /// Takes an instance that is not initialized, and the value references of its coupled inputs and outputs.
    pub fn new(instance: CoSimulation, inputs: Vec<u32>, outputs: Vec<u32>) -> CoSimulationFmu {
        let fmu = instance.fmu();
        let variables = &fmu.description().model_variables;
        let reference = |position: usize| variables[position].value_reference;
        let of_states = fmu.continuous_states().unwrap_or_default();
        let states: Vec<u32> = of_states.iter().map(|one| reference(one.state)).collect();
        let derivatives = of_states.iter().map(|one| reference(one.derivative));
        let is_curve = |reference: u32| {
            let found = variables.iter().find(|variable| {
                variable.value_reference == reference && variable.causality == Causality::Input
            });
            found.is_some_and(|variable| variable.variability == Variability::Continuous)
        };
        let (described, shown) = describe(fmu, &inputs, &outputs);
        let smooth: Vec<usize> = (0..outputs.len())
            .filter(|output| !described.discrete_outputs.contains(output))
            .collect();
        let unknowns: Vec<u32> = derivatives
            .chain(smooth.iter().map(|&output| outputs[output]))
            .collect();
        let varies = |reference: u32| {
            let mut found = variables.iter().filter(|variable| {
                variable.value_reference == reference
                    && variable.causality == Causality::Output
                    && BaseType::of(&variable.kind) == BaseType::Real
            });
            found.all(|variable| {
                matches!(
                    variable.variability,
                    Variability::Continuous | Variability::Discrete
                )
            })
        };
        let curves: Vec<usize> = (0..inputs.len())
            .filter(|&input| is_curve(inputs[input]))
            .collect();
        let through: Vec<usize> = (0..outputs.len())
            .filter(|&output| varies(outputs[output]) && feeds_through(fmu, outputs[output], &inputs))
            .collect();
        let fed = through.iter().map(|&output| outputs[output]).collect();
        let mut can = Capabilities::default();
        if let Some(co_simulation) = &fmu.description().co_simulation {
            can = Capabilities {
                snapshots: co_simulation.interface.can_get_and_set_fmu_state,
                input_derivatives: if co_simulation.can_interpolate_inputs {
                    2
                } else {
                    0
                },
                output_derivatives: co_simulation.max_output_derivative_order,
                directional_derivatives: co_simulation.interface.provides_directional_derivative,
                outputs_follow_inputs: extension::outputs_follow_inputs(fmu.description()),
                events_by_inputs: fmu.description().event_indicators() > 0,
                variable_step: co_simulation.can_handle_variable_communication_step_size,
                cheap_snapshots: extension::is_own(fmu.description()),
                states: (instance.can_stabilize() && co_simulation.interface.provides_directional_derivative)
                    .then_some(states.len()),
                ..can
            };
        }
        let known = instance.real_variables(&inputs).ok();
        let known = known.zip(instance.real_variables(&outputs).ok());
        CoSimulationFmu {
            known: known.map(|(inputs, outputs)| [inputs, outputs]),
            orders: vec![0; inputs.len().max(outputs.len())],
            column: vec![0.0; unknowns.len().max(through.len())],
            curve_references: curves.iter().map(|&input| inputs[input]).collect(),
            derivatives: vec![0.0; curves.len()],
            curves,
            variables: described,
            shown,
            states,
            unknowns,
            smooth,
            through,
            fed,
            stabilized: false,
            start: Start::default(),
            timetable: None,
            instance,
            can,
            inputs,
            outputs,
            snapshots: Vec::new(),
        }
    }

    /// How derivatives of states and outputs change with states and inputs. Discrete inputs and outputs have no part in it,
    /// and the derivatives of constants are zero.
    fn matrices(&mut self, linear: &mut Linear) -> Result<(), ComponentError> {
        let n = self.states.len();
        for matrix in [&mut linear.a, &mut linear.b, &mut linear.c, &mut linear.d] {
            matrix.fill(0.0);
        }
        if self.unknowns.is_empty() {
            return Ok(());
        }
        let values = &mut self.column[..self.unknowns.len()];
        let knowns = self.states.iter().chain(&self.curve_references);
        for (column, known) in knowns.enumerate() {
            self.instance
                .directional_derivative(&self.unknowns, &[*known], &[1.0], values)?;
            let (dx, y) = values.split_at(n);
            let (mut of_states, mut of_outputs) = match column.checked_sub(n) {
                None => (linear.a.column_mut(column), linear.c.column_mut(column)),
                Some(curve) => {
                    let input = self.curves[curve];
                    (linear.b.column_mut(input), linear.d.column_mut(input))
                }
            };
            of_states.copy_from_slice(dx);
            for (&output, value) in self.smooth.iter().zip(y) {
                of_outputs[output] = *value;
            }
        }
        Ok(())
    }

    /// What a step means that was not done at once.
    #[cold]
    fn outcome(&mut self, mut step: Step) -> Result<Outcome, ComponentError> {
        while step == Step::Pending {
            std::thread::yield_now();
            step = self.instance.poll()?;
        }
        Ok(match step {
            Step::Done | Step::Pending => Outcome::Done,
            Step::Discarded {
                last_successful_time: reached,
                terminated: true,
            } => Outcome::Terminated { reached },
            Step::Discarded {
                last_successful_time: reached,
                terminated: false,
            } => Outcome::Discarded { reached },
        })
    }

    /// Follows derivatives of its inputs up to this order at most: `canInterpolateInputs` names none.
    pub fn limit_input_derivatives(&mut self, order: u32) {
        self.can.input_derivatives = self.can.input_derivatives.min(order);
    }

    /// The instance, for what is beyond coupling.
    pub fn instance(&mut self) -> &mut CoSimulation {
        &mut self.instance
    }
}

/// Those inputs that are curves, among all. The others are held: what drives all of them sees NaN in their places.
pub(crate) struct Curves {
    curves: Vec<usize>,
    u: Vec<f64>,
    du: Vec<f64>,
    all: Box<dyn InputDerivatives>,
}

impl Curves {
    /// `curves` are numbers among `inputs` inputs.
    pub fn new(curves: &[usize], inputs: usize, all: Box<dyn InputDerivatives>) -> Curves {
        Curves {
            curves: curves.to_vec(),
            u: vec![f64::NAN; inputs],
            du: vec![0.0; inputs],
            all,
        }
    }
}

impl InputDerivatives for Curves {
    fn derivatives(&mut self, time: f64, u: &[f64], x: &[f64], dx: &[f64], du: &mut [f64]) -> bool {
        for (&input, u) in self.curves.iter().zip(u) {
            self.u[input] = *u;
        }
        let result = self.all.derivatives(time, &self.u, x, dx, &mut self.du);
        for (&input, du) in self.curves.iter().zip(du) {
            *du = self.du[input];
        }
        result
    }
}

impl Component for CoSimulationFmu {
    fn capabilities(&self) -> Capabilities {
        self.can
    }

    fn into_stepping(self: Box<Self>) -> Option<Box<dyn Stepping>> {
        Some(self)
    }

    fn variables(&self) -> Variables {
        self.variables.clone()
    }

    #[inline]
    fn set_inputs(&mut self, u: &[f64]) -> Result<(), ComponentError> {
        match &self.known {
            _ if self.inputs.is_empty() => Ok(()),
            Some([inputs, _]) => Ok(self.instance.set_known_reals(inputs, u)?),
            None => Ok(self.instance.set_reals(&self.inputs, u)?),
        }
    }

    fn value(&mut self, base_type: BaseType, value_reference: u32) -> Result<Value, ComponentError> {
        Ok(self.instance.value(base_type, value_reference)?)
    }

    fn set_value(&mut self, value_reference: u32, value: &Value) -> Result<(), ComponentError> {
        Ok(self.instance.set_value(value_reference, value)?)
    }

    fn enter_initialization(
        &mut self,
        t: f64,
        stop: f64,
        tolerance: Option<f64>,
    ) -> Result<(), ComponentError> {
        self.timetable = None;
        self.start = Start {
            time: t,
            stop,
            tolerance,
        };
        self.instance
            .setup_experiment(&Experiment::starting_at(t).until(stop).with_tolerance(tolerance))?;
        Ok(self.instance.enter_initialization_mode()?)
    }

    fn exit_initialization(&mut self) -> Result<(), ComponentError> {
        Ok(self.instance.exit_initialization_mode()?)
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

impl Stepping for CoSimulationFmu {
    fn inner_states(&mut self, x: &mut [f64]) -> Result<(), ComponentError> {
        Ok(self.instance.get_reals(&self.shown, x)?)
    }

    fn set_input_derivatives(&mut self, order: u32, du: &[f64]) -> Result<(), ComponentError> {
        // Discrete inputs have none.
        if self.curve_references.is_empty() || self.stabilized {
            return Ok(());
        }
        let count = self.curves.len();
        self.orders[..count].fill(order as i32);
        for (value, &input) in self.derivatives.iter_mut().zip(&self.curves) {
            *value = du[input];
        }
        let set = self.instance.set_real_input_derivatives(
            &self.curve_references,
            &self.orders[..count],
            &self.derivatives,
        );
        Ok(set.map_err(|source| RefusedDerivatives {
            order,
            source: source.into(),
        })?)
    }

    #[inline]
    fn outputs(&mut self, y: &mut [f64]) -> Result<(), ComponentError> {
        match &self.known {
            _ if self.outputs.is_empty() => Ok(()),
            Some([_, outputs]) => Ok(self.instance.get_known_reals(outputs, y)?),
            None => Ok(self.instance.get_reals(&self.outputs, y)?),
        }
    }

    fn output_derivatives(&mut self, order: u32, dy: &mut [f64]) -> Result<(), ComponentError> {
        let orders = &mut self.orders[..self.outputs.len()];
        orders.fill(order as i32);
        if self.variables.discrete_outputs.is_empty() {
            return Ok(self.instance.real_output_derivatives(&self.outputs, orders, dy)?);
        }
        // Discrete outputs are constant between events.
        for (output, (reference, dy)) in self.outputs.iter().zip(dy).enumerate() {
            *dy = 0.0;
            if !self.variables.discrete_outputs.contains(&output) {
                let (reference, dy) = (std::slice::from_ref(reference), std::slice::from_mut(dy));
                self.instance
                    .real_output_derivatives(reference, &self.orders[..1], dy)?;
            }
        }
        Ok(())
    }

    fn feed_through(&mut self, matrix: &mut [f64]) -> Result<(), ComponentError> {
        let columns = self.inputs.len();
        matrix.fill(0.0);
        if self.fed.is_empty() {
            return Ok(());
        }
        let values = &mut self.column[..self.fed.len()];
        for (column, known) in self.inputs.iter().enumerate() {
            self.instance
                .directional_derivative(&self.fed, &[*known], &[1.0], values)?;
            for (&row, value) in self.through.iter().zip(&*values) {
                matrix[row * columns + column] = *value;
            }
        }
        Ok(())
    }

    #[inline]
    fn step(&mut self, t: f64, h: f64, final_: bool) -> Result<Outcome, ComponentError> {
        match self.instance.do_step_with(t, h, final_)? {
            Step::Done => Ok(Outcome::Done),
            step => self.outcome(step),
        }
    }

    #[inline]
    fn advance(
        &mut self,
        u: &[f64],
        t: f64,
        h: f64,
        final_: bool,
        y: &mut [f64],
    ) -> Result<Outcome, ComponentError> {
        let step = match &self.known {
            Some([inputs, outputs]) => self.instance.advance(inputs, u, t, h, final_, outputs, y)?,
            None => {
                self.set_inputs(u)?;
                self.instance.do_step_with(t, h, final_)?
            }
        };
        if step == Step::Done && self.known.is_some() {
            return Ok(Outcome::Done);
        }
        let outcome = self.outcome(step)?;
        if outcome == Outcome::Done {
            self.outputs(y)?;
        }
        Ok(outcome)
    }

    fn linearize(&mut self, linear: &mut Linear) -> Result<(), ComponentError> {
        // Only FMUs of this workspace report their states; of others only the matrices are read.
        if self.can.states.is_some() {
            let (x, dx) = (linear.x.as_mut_slice(), linear.dx.as_mut_slice());
            self.instance.states(x, dx)?;
        }
        self.matrices(linear)
    }

    fn linear_at_start(&mut self, differences: bool) -> Option<Linear> {
        // A description for Co-Simulation alone may leave out its states.
        if self.states.is_empty() && self.instance.fmu().description().model_exchange.is_none() {
            return None;
        }
        let coupled = (self.inputs.as_slice(), self.outputs.as_slice());
        twin::linear(&mut self.instance, coupled, self.start, differences)
    }

    fn next_event(&mut self, t: f64) -> Option<f64> {
        let known = match self.timetable {
            Some(known) => known,
            // A second instance answers for the start only.
            None if t != self.start.time => None,
            None => {
                let known = twin::timetable(&mut self.instance, (&self.inputs, &self.outputs), self.start);
                *self.timetable.insert(known)
            }
        };
        known.map(|timetable| timetable.after(t))
    }

    fn stabilize(&mut self, derivatives: Box<dyn InputDerivatives>) -> Result<(), ComponentError> {
        let some = Curves::new(&self.curves, self.inputs.len(), derivatives);
        self.instance
            .stabilize_inputs(&self.curve_references, Box::new(some))?;
        self.stabilized = true;
        Ok(())
    }

    fn save(&mut self, place: usize) -> Result<(), ComponentError> {
        if self.snapshots.len() <= place {
            self.snapshots.resize_with(place + 1, || None);
        }
        match &mut self.snapshots[place] {
            Some(snapshot) => self.instance.snapshot_into(snapshot)?,
            none => *none = Some(self.instance.snapshot()?),
        }
        Ok(())
    }

    fn restore(&mut self, place: usize) -> Result<(), ComponentError> {
        match self.snapshots.get(place) {
            Some(Some(snapshot)) => Ok(self.instance.restore(snapshot)?),
            _ => Err("nothing was saved there".into()),
        }
    }
}
