//! A model in Rust, a struct with `#[model]`, in the place of an FMU; and coupling equations that are differentiated by
//! running them over dual numbers.

use std::collections::HashMap;
use std::path::Path;

use fmu_importer::partials::Of;
use fmu_importer::{BaseType, CompletedStep, EventInfo, Value};
use fmu_numerics::{Coloring, Pattern};
use fmu_runtime::evaluator::{Evaluator, Stale};
use fmu_runtime::model::Model;
use fmu_runtime::scalar::Dual;
use fmu_runtime::tangent::{Tangent, Unknowns};
use fmu_runtime::{ModelError, Next, fmi2};
use fmu_standard::description::{Causality, ModelDescription, Unknown, Variability, VariableKind};

use super::equation::CouplingEquation;
use crate::component::{Capabilities, Component, ComponentError, ModelExchange, State, Variables};

/// So many directions are followed at once.
const LANES: usize = 4;

/// What a model says, as an error of a component.
fn said(error: ModelError) -> ComponentError {
    error.to_string().into()
}

/// A model that runs without any FMU around it.
pub struct NativeModel<M: Model> {
    evaluator: Evaluator<M>,
    description: ModelDescription,
    /// Positions in the description.
    states: Vec<usize>,
    inputs: Vec<usize>,
    outputs: Vec<usize>,
    /// Slots of the outputs.
    slots: Vec<usize>,
    /// Slots of the coupled inputs and outputs.
    coupled: Vec<usize>,
    asked: Vec<usize>,
    pattern: Pattern,
    groups: Vec<Vec<usize>>,
    /// The model over dual numbers, and the revision that its internal fields belong to.
    tangent: Option<(u64, Tangent<M, LANES>)>,
    passes: usize,
}

impl<M: Model> NativeModel<M> {
    /// A model with the values of its fields; its own `fn instantiate` is called with no folder of resources.
    pub fn new(model: M) -> Result<NativeModel<M>, ModelError> {
        NativeModel::with_resources(model, Path::new(""))
    }

    /// The same, with a folder of resources.
    pub fn with_resources(mut model: M, resources: &Path) -> Result<NativeModel<M>, ModelError> {
        let (description, _) = fmi2::full_description::<M>(resources)?;
        model.on_instantiate(resources)?;
        let of = |causality: Causality| -> Vec<usize> {
            let variables = description.model_variables.iter().enumerate();
            let found = variables.filter(|(_, variable)| {
                variable.causality == causality && matches!(variable.kind, VariableKind::Real { .. })
            });
            found.map(|(position, _)| position).collect()
        };
        let (inputs, outputs) = (of(Causality::Input), of(Causality::Output));
        let derivatives = description.model_structure.derivatives.iter();
        let state = |unknown: &Unknown| match description.variable(unknown.variable)?.kind {
            VariableKind::Real { derivative, .. } => derivative?.position(),
            _ => None,
        };
        let states: Vec<usize> = derivatives.filter_map(state).collect();
        let slot = |position: &usize| description.model_variables[*position].value_reference as usize;
        Ok(NativeModel {
            evaluator: Evaluator::new(Box::new(model)),
            slots: outputs.iter().map(slot).collect(),
            coupled: Vec::new(),
            asked: Vec::new(),
            pattern: Pattern::full(0, 0),
            groups: Vec::new(),
            tangent: None,
            passes: 0,
            description,
            states,
            inputs,
            outputs,
        })
    }

    /// The model.
    pub fn model(&self) -> &M {
        self.evaluator.model()
    }

    fn is_discrete(&self, position: usize) -> bool {
        self.description.model_variables[position].variability != Variability::Continuous
    }

    fn nominal(&self, position: usize) -> Option<f64> {
        match &self.description.model_variables[position].kind {
            VariableKind::Real { attributes, .. } => attributes.nominal,
            _ => None,
        }
    }

    fn reference(&self, position: usize) -> usize {
        self.description.model_variables[position].value_reference as usize
    }
}

impl<M: Model> Component for NativeModel<M>
where
    M::Lifted<Dual<LANES>>: Send,
{
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
            .directional_derivatives(true)
            .outputs_follow_inputs(true)
    }

    fn into_model_exchange(self: Box<Self>) -> Option<Box<dyn ModelExchange>> {
        Some(self)
    }

    fn variables(&self) -> Variables {
        let name = |position: &usize| self.description.model_variables[*position].name.clone();
        let nominal = |position: &usize| self.nominal(*position).map_or(1.0, f64::abs);
        let start = |position: &usize| self.evaluator.real(self.reference(*position));
        let discrete = |positions: &[usize]| {
            let numbers = 0..positions.len();
            numbers.filter(|at| self.is_discrete(positions[*at])).collect()
        };
        let state = |position: &usize| {
            let output = self.outputs.iter().position(|output| output == position);
            State::new(name(position), nominal(position)).output(output)
        };
        Variables {
            states: self.states.iter().map(state).collect(),
            inputs: self.inputs.iter().map(|at| (name(at), start(at))).collect(),
            outputs: self.outputs.iter().map(|at| (name(at), nominal(at))).collect(),
            discrete_inputs: discrete(&self.inputs),
            discrete_outputs: discrete(&self.outputs),
        }
    }

    fn enter_initialization(&mut self, start: f64, _: f64, _: Option<f64>) -> Result<(), ComponentError> {
        self.evaluator.enter_initialization(start);
        Ok(())
    }

    fn exit_initialization(&mut self) -> Result<(), ComponentError> {
        self.evaluator.exit_initialization().map_err(said)
    }

    fn set_inputs(&mut self, u: &[f64]) -> Result<(), ComponentError> {
        for (slot, value) in self.coupled.iter().zip(u) {
            self.evaluator.set_real(*slot, *value, Stale::BY_VARIABLE);
        }
        Ok(())
    }

    fn find_variable(&self, name: &str) -> Option<(BaseType, u32)> {
        let mut variables = self.description.model_variables.iter();
        let variable = variables.find(|variable| variable.name == name)?;
        Some((BaseType::of(&variable.kind), variable.value_reference))
    }

    fn value(&mut self, base_type: BaseType, value_reference: u32) -> Result<Value, ComponentError> {
        self.evaluator.ensure(Stale::FOR_OUTPUTS).map_err(said)?;
        let (model, slot) = (self.evaluator.model(), value_reference as usize);
        Ok(match base_type {
            BaseType::Real => Value::Real(self.evaluator.real(slot)),
            BaseType::Integer => Value::Integer(model.integer(slot)),
            BaseType::Boolean => Value::Boolean(model.boolean(slot)),
            BaseType::String => Value::String(model.string(slot).to_owned()),
        })
    }

    fn set_value(&mut self, value_reference: u32, value: &Value) -> Result<(), ComponentError> {
        let (slot, spoils) = (value_reference as usize, Stale::BY_VARIABLE);
        match value {
            Value::Real(value) => self.evaluator.set_real(slot, *value, spoils),
            Value::Boolean(value) => self.evaluator.set_boolean(slot, *value, spoils),
            Value::String(value) => self.evaluator.set_string(slot, value, spoils),
            Value::Integer(value) => {
                if !self.evaluator.set_integer(slot, *value, spoils) {
                    return Err(format!("its enumeration has no item {value}").into());
                }
            }
        }
        Ok(())
    }
}

impl<M: Model> ModelExchange for NativeModel<M>
where
    M::Lifted<Dual<LANES>>: Send,
{
    fn couple(&mut self, inputs: &[usize], outputs: &[usize]) -> Result<Pattern, ComponentError> {
        let structure = &self.description.model_structure;
        let listed: HashMap<usize, &Unknown> = structure
            .outputs
            .iter()
            .filter_map(|unknown| Some((unknown.variable.position()?, unknown)))
            .collect();
        let rows = outputs
            .iter()
            .filter_map(|output| listed.get(&self.outputs[*output]).copied());
        let columns = inputs.iter().map(|input| self.inputs[*input]);
        let of = Of {
            unknowns: structure.derivatives.iter().chain(rows).collect(),
            knowns: self.states.iter().copied().chain(columns).collect(),
            states: self.states.len(),
        };
        self.pattern = of.pattern(&self.description);
        self.groups = Coloring::new(self.pattern.clone()).groups();
        self.coupled = inputs
            .iter()
            .map(|input| self.reference(self.inputs[*input]))
            .collect();
        self.asked = outputs.iter().map(|output| self.slots[*output]).collect();
        Ok(self.pattern.clone())
    }

    fn set_time(&mut self, time: f64) -> Result<(), ComponentError> {
        self.evaluator.set_time(time);
        Ok(())
    }

    fn set_states(&mut self, x: &[f64]) -> Result<(), ComponentError> {
        self.evaluator.set_states(x);
        Ok(())
    }

    fn states(&mut self, x: &mut [f64]) -> Result<(), ComponentError> {
        self.evaluator.ensure(Stale::FOR_INITIAL).map_err(said)?;
        self.evaluator.states(x);
        Ok(())
    }

    fn derivatives(&mut self, dx: &mut [f64]) -> Result<(), ComponentError> {
        self.evaluator.derivatives(dx).map_err(said)
    }

    fn some_outputs(&mut self, which: &[usize], y: &mut [f64]) -> Result<(), ComponentError> {
        self.evaluator.ensure(Stale::FOR_OUTPUTS).map_err(said)?;
        for (y, output) in y.iter_mut().zip(which) {
            *y = self.evaluator.real(self.slots[*output]);
        }
        Ok(())
    }

    fn partials(&mut self, _: &[f64], _: &[f64], values: &mut [f64]) -> Result<(), ComponentError> {
        // Calculated parameters are constants here, but must have their values.
        self.evaluator.ensure(Stale::FOR_INITIAL).map_err(said)?;
        let (time, revision) = (self.evaluator.time(), self.evaluator.revision());
        let solved = self.evaluator.solved().map_err(said)?;
        let (_, tangent) = match &mut self.tangent {
            Some(tangent) if tangent.0 == revision => tangent,
            stale => stale.insert((revision, Tangent::new(solved.0))),
        };
        let states = M::COUNTS.states;
        for groups in self.groups.chunks(LANES) {
            tangent.load_solved(solved, time);
            for (lane, group) in groups.iter().enumerate() {
                for &column in group {
                    match column.checked_sub(states) {
                        None => tangent.seed_state(column, lane, 1.0),
                        Some(input) => tangent.seed_real(self.coupled[input], lane, 1.0),
                    }
                }
            }
            tangent.evaluate(Unknowns::ALL).map_err(said)?;
            self.passes += 1;
            for (lane, group) in groups.iter().enumerate() {
                for position in group.iter().flat_map(|column| self.pattern.range(*column)) {
                    let row = self.pattern.row(position);
                    values[position] = match row.checked_sub(states) {
                        None => tangent.derivatives()[row].lanes[lane],
                        Some(output) => tangent.real(self.asked[output]).lanes[lane],
                    };
                }
            }
        }
        Ok(())
    }

    fn partial_evaluations(&self) -> usize {
        self.passes
    }

    fn nominals(&mut self, sizes: &mut [f64]) -> Result<(), ComponentError> {
        for (size, position) in sizes.iter_mut().zip(&self.states) {
            *size = self.nominal(*position).unwrap_or(1.0);
        }
        Ok(())
    }

    fn number_of_event_indicators(&self) -> usize {
        M::EVENT_INDICATORS
    }

    fn event_indicators(&mut self, z: &mut [f64]) -> Result<(), ComponentError> {
        self.evaluator.event_indicators(z).map_err(said)
    }

    fn needs_completed_steps(&self) -> bool {
        M::HAS_COMPLETED_STEP || M::COUNTS.unknowns > 0
    }

    fn completed_step(&mut self) -> Result<CompletedStep, ComponentError> {
        let mut step = CompletedStep::default();
        step.enter_event_mode = self.evaluator.completed_step().map_err(said)?;
        Ok(step)
    }

    fn enter_event_mode(&mut self) -> Result<(), ComponentError> {
        self.evaluator.begin_event();
        Ok(())
    }

    fn new_discrete_states(&mut self) -> Result<EventInfo, ComponentError> {
        let pass = self.evaluator.event_pass().map_err(said)?;
        let mut info = EventInfo::default();
        info.new_discrete_states_needed = pass.next == Next::Iterate;
        info.terminate_simulation = pass.next == Next::Terminate;
        info.values_of_continuous_states_changed = pass.states_changed;
        info.next_event_time = pass.next_event_time;
        Ok(info)
    }

    fn enter_continuous_time_mode(&mut self) -> Result<(), ComponentError> {
        self.evaluator.enter_continuous_time().map_err(said)
    }
}

/// A coupling equation of a function marked `#[differentiable]`: `READS` outputs and the time give `GIVES` inputs.
///
/// ```
/// use fmu_runtime::prelude::*;
/// use fmu_master::aggregate::Differentiable;
///
/// #[differentiable]
/// fn spring(_t: f64, x: [f64; 2]) -> [f64; 2] {
///     let force = 3.0 * (x[1] - x[0]);
///     [force, -force]
/// }
///
/// let spring = Differentiable::new(spring, spring);
/// ```
pub struct Differentiable<const READS: usize, const GIVES: usize> {
    function: Plain<READS, GIVES>,
    dual: Lifted<READS, GIVES>,
}

type Plain<const READS: usize, const GIVES: usize> = fn(f64, [f64; READS]) -> [f64; GIVES];
type Lifted<const READS: usize, const GIVES: usize> =
    fn(Dual<READS>, [Dual<READS>; READS]) -> [Dual<READS>; GIVES];

impl<const READS: usize, const GIVES: usize> Differentiable<READS, GIVES> {
    /// The function twice: over numbers, and over dual numbers.
    pub fn new(function: Plain<READS, GIVES>, dual: Lifted<READS, GIVES>) -> Self {
        Self { function, dual }
    }
}

fn array<const N: usize>(values: &[f64]) -> [f64; N] {
    std::array::from_fn(|at| values.get(at).copied().unwrap_or(0.0))
}

impl<const READS: usize, const GIVES: usize> CouplingEquation for Differentiable<READS, GIVES> {
    fn reads(&self) -> usize {
        READS
    }

    fn gives(&self) -> usize {
        GIVES
    }

    fn evaluate(&mut self, t: f64, y: &[f64], u: &mut [f64]) {
        u.copy_from_slice(&(self.function)(t, array(y)));
    }

    fn derivative(&mut self, t: f64, y: &[f64], matrix: &mut [f64]) {
        let mut y = array(y).map(Dual::plain);
        for (lane, y) in y.iter_mut().enumerate() {
            y.lanes[lane] = 1.0;
        }
        let u = (self.dual)(Dual::plain(t), y);
        for (row, u) in matrix.chunks_exact_mut(READS.max(1)).zip(u) {
            row.copy_from_slice(&u.lanes);
        }
    }
}
