//! An FMU for Model Exchange as a component.

use std::collections::HashMap;

use fmu_importer::partials::{Of, Partials};
use fmu_importer::{BaseType, CompletedStep, EventInfo, Experiment, Instance, RealVariables, State, Value};
use fmu_numerics::Pattern;
use fmu_standard::description::{Causality, Unknown, Variability};

use crate::component::{
    Capabilities, Component, ComponentError, ModelExchange, State as ContinuousState, Stepping, Variables,
};
use crate::model_exchange::SteppedModel;
use crate::settings::Solver;

/// An instance of an FMU for Model Exchange.
pub struct FmuModel {
    instance: fmu_importer::ModelExchange,
    /// Positions of its Real inputs and outputs in the description, and their value references.
    inputs: Vec<(usize, u32)>,
    outputs: Vec<(usize, u32)>,
    coupled: RealVariables,
    /// The coupled inputs that may change in continuous time, and their places, if others may not.
    continuous: Option<(RealVariables, Vec<usize>)>,
    changing: Vec<f64>,
    asked: Vec<u32>,
    partials: Option<Partials>,
    /// Where the entries of `partials` are, if discrete variables are coupled as well, which have none.
    places: Option<Vec<usize>>,
    entries: Vec<f64>,
    /// States and inputs, one after another.
    point: Vec<f64>,
    tells_steps: bool,
}

impl FmuModel {
    /// Takes an instance that is not initialized.
    pub fn new(instance: fmu_importer::ModelExchange) -> FmuModel {
        let description = instance.fmu().description();
        let of = |causality: Causality| -> Vec<(usize, u32)> {
            let variables = description.model_variables.iter().enumerate();
            variables
                .filter(|(_, variable)| {
                    variable.causality == causality && BaseType::of(&variable.kind) == BaseType::Real
                })
                .map(|(position, variable)| (position, variable.value_reference))
                .collect()
        };
        let exchange = description.model_exchange.as_ref();
        FmuModel {
            inputs: of(Causality::Input),
            outputs: of(Causality::Output),
            tells_steps: exchange.is_none_or(|me| !me.completed_integrator_step_not_needed),
            coupled: RealVariables::default(),
            continuous: None,
            changing: Vec::new(),
            asked: Vec::new(),
            partials: None,
            places: None,
            entries: Vec::new(),
            point: Vec::new(),
            instance,
        }
    }

    fn is_discrete(&self, position: usize) -> bool {
        let variables = &self.instance.fmu().description().model_variables;
        variables[position].variability != Variability::Continuous
    }

    /// The instance, for what is beyond coupling.
    pub fn instance(&mut self) -> &mut fmu_importer::ModelExchange {
        &mut self.instance
    }
}

impl Component for FmuModel {
    fn capabilities(&self) -> Capabilities {
        let interface = self.instance.interface();
        Capabilities {
            snapshots: interface.can_get_and_set_fmu_state,
            directional_derivatives: interface.provides_directional_derivative,
            outputs_follow_inputs: true,
            events_by_inputs: self.instance.number_of_event_indicators() > 0,
            variable_step: true,
            ..Capabilities::default()
        }
    }

    /// All Real inputs and outputs, with the usual solver around it.
    fn into_stepping(self: Box<Self>) -> Option<Box<dyn Stepping>> {
        let references = |list: &[(usize, u32)]| list.iter().map(|one| one.1).collect::<Vec<u32>>();
        let (inputs, outputs) = (references(&self.inputs), references(&self.outputs));
        let stepped = SteppedModel::new(self.instance, &inputs, &outputs, Solver::default());
        Some(Box::new(stepped.ok()?))
    }

    fn into_model_exchange(self: Box<Self>) -> Option<Box<dyn ModelExchange>> {
        Some(self)
    }

    fn variables(&self) -> Variables {
        let fmu = self.instance.fmu();
        let variables = &fmu.description().model_variables;
        let name = |position: usize| variables[position].name.clone();
        let start = |position: usize| variables[position].kind.start_number().unwrap_or(0.0);
        let nominal = |position: usize| {
            let given = fmu.real_attributes(position).and_then(|real| real.nominal);
            let size = given.map_or(1.0, f64::abs);
            if size > 0.0 && size.is_finite() { size } else { 1.0 }
        };
        let with = |list: &[(usize, u32)], number: &dyn Fn(usize) -> f64| {
            list.iter()
                .map(|(position, _)| (name(*position), number(*position)))
                .collect()
        };
        let discrete = |list: &[(usize, u32)]| {
            let numbers = 0..list.len();
            numbers.filter(|at| self.is_discrete(list[*at].0)).collect()
        };
        let states = fmu.continuous_states().unwrap_or_default();
        let state = |position: usize| {
            let output = self.outputs.iter().position(|output| output.0 == position);
            ContinuousState::new(name(position), nominal(position)).output(output)
        };
        Variables {
            states: states.iter().map(|one| state(one.state)).collect(),
            inputs: with(&self.inputs, &start),
            outputs: with(&self.outputs, &nominal),
            discrete_inputs: discrete(&self.inputs),
            discrete_outputs: discrete(&self.outputs),
        }
    }

    fn enter_initialization(
        &mut self,
        start: f64,
        stop: f64,
        tolerance: Option<f64>,
    ) -> Result<(), ComponentError> {
        self.instance.setup_experiment(
            &Experiment::starting_at(start)
                .until(stop)
                .with_tolerance(tolerance),
        )?;
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

    fn set_inputs(&mut self, u: &[f64]) -> Result<(), ComponentError> {
        match &self.continuous {
            _ if u.is_empty() => Ok(()),
            Some((references, places)) if self.instance.state() == State::ContinuousTime => {
                for (value, place) in self.changing.iter_mut().zip(places) {
                    *value = u[*place];
                }
                Ok(self.instance.set_known_reals(references, &self.changing)?)
            }
            _ => Ok(self.instance.set_known_reals(&self.coupled, u)?),
        }
    }

    fn find_variable(&self, name: &str) -> Option<(BaseType, u32)> {
        let variable = self.instance.fmu().variable(name).ok()?;
        Some((BaseType::of(&variable.kind), variable.value_reference))
    }

    fn value(&mut self, base_type: BaseType, value_reference: u32) -> Result<Value, ComponentError> {
        Ok(self.instance.value(base_type, value_reference)?)
    }

    fn set_value(&mut self, value_reference: u32, value: &Value) -> Result<(), ComponentError> {
        Ok(self.instance.set_value(value_reference, value)?)
    }

    fn terminate(&mut self) -> Result<(), ComponentError> {
        Ok(self.instance.terminate()?)
    }

    fn as_fmu(&mut self) -> Option<&mut Instance> {
        Some(&mut self.instance)
    }
}

impl ModelExchange for FmuModel {
    fn couple(&mut self, inputs: &[usize], outputs: &[usize]) -> Result<Pattern, ComponentError> {
        let fmu = self.instance.fmu().clone();
        let structure = &fmu.description().model_structure;
        let states: Vec<usize> = fmu.continuous_states()?.iter().map(|state| state.state).collect();
        let listed: HashMap<usize, &Unknown> = structure
            .outputs
            .iter()
            .filter_map(|unknown| Some((unknown.variable.position()?, unknown)))
            .collect();
        let mut unknowns: Vec<&Unknown> = structure.derivatives.iter().collect();
        for &output in outputs {
            let position = self.outputs[output].0;
            let Some(unknown) = listed.get(&position) else {
                let name = &fmu.description().model_variables[position].name;
                return Err(format!("its model structure does not list the output {name}").into());
            };
            unknowns.push(unknown);
        }
        let given: Vec<usize> = inputs.iter().map(|input| self.inputs[*input].0).collect();
        let variables = &fmu.description().model_variables;
        let continuous = |position: usize| variables[position].variability == Variability::Continuous;
        let of = |unknowns: &[&Unknown], inputs: &[usize]| {
            let of = Of {
                knowns: states.iter().chain(inputs).copied().collect(),
                unknowns: unknowns.to_vec(),
                states: states.len(),
            };
            Partials::new(&fmu, &of, true)
        };
        let whole = of(&unknowns, &given);
        let pattern = whole.pattern().clone();
        let references: Vec<u32> = inputs.iter().map(|input| self.inputs[*input].1).collect();
        self.coupled = self.instance.real_variables(&references)?;
        self.asked = Vec::with_capacity(self.outputs.len());
        let moves = |unknown: &&Unknown| unknown.variable.position().is_some_and(continuous);
        let columns: Vec<usize> = (0..given.len()).filter(|at| continuous(given[*at])).collect();
        let rows: Vec<usize> = (0..unknowns.len())
            .filter(|at| *at < states.len() || moves(&unknowns[*at]))
            .collect();
        if columns.len() == given.len() && rows.len() == unknowns.len() {
            self.partials = Some(whole);
        } else {
            let some: Vec<usize> = columns.iter().map(|at| given[*at]).collect();
            let kept: Vec<&Unknown> = rows.iter().map(|at| unknowns[*at]).collect();
            let partials = of(&kept, &some);
            let n = states.len();
            let place = |(row, column): (usize, usize)| {
                let column = if column < n {
                    column
                } else {
                    n + columns[column - n]
                };
                let found = pattern.position(rows[row], column);
                found.unwrap_or_else(|| unreachable!("an entry of the pattern"))
            };
            self.places = Some(partials.pattern().iter().map(place).collect());
            self.entries = vec![0.0; partials.pattern().entries()];
            self.changing = vec![0.0; columns.len()];
            let moving: Vec<u32> = columns.iter().map(|at| references[*at]).collect();
            self.continuous = Some((self.instance.real_variables(&moving)?, columns));
            self.partials = Some(partials);
        }
        self.point = vec![0.0; states.len() + given.len()];
        Ok(pattern)
    }

    fn set_time(&mut self, time: f64) -> Result<(), ComponentError> {
        Ok(self.instance.set_time(time)?)
    }

    fn set_states(&mut self, x: &[f64]) -> Result<(), ComponentError> {
        match x.is_empty() {
            true => Ok(()),
            false => Ok(self.instance.set_continuous_states(x)?),
        }
    }

    fn states(&mut self, x: &mut [f64]) -> Result<(), ComponentError> {
        match x.is_empty() {
            true => Ok(()),
            false => Ok(self.instance.continuous_states(x)?),
        }
    }

    fn derivatives(&mut self, dx: &mut [f64]) -> Result<(), ComponentError> {
        match dx.is_empty() {
            true => Ok(()),
            false => Ok(self.instance.derivatives(dx)?),
        }
    }

    fn evaluate(&mut self, time: f64, x: &[f64], u: &[f64], dx: &mut [f64]) -> Result<(), ComponentError> {
        if self.continuous.is_none() {
            return Ok(self.instance.evaluate(time, x, &self.coupled, u, dx)?);
        }
        self.set_time(time)?;
        self.set_states(x)?;
        self.set_inputs(u)?;
        self.derivatives(dx)
    }

    fn some_outputs(&mut self, which: &[usize], y: &mut [f64]) -> Result<(), ComponentError> {
        if which.is_empty() {
            return Ok(());
        }
        self.asked.clear();
        self.asked
            .extend(which.iter().map(|output| self.outputs[*output].1));
        Ok(self.instance.get_reals(&self.asked, y)?)
    }

    fn partials(&mut self, x: &[f64], u: &[f64], values: &mut [f64]) -> Result<(), ComponentError> {
        let Some(partials) = &mut self.partials else {
            return Err("it is not coupled yet".into());
        };
        self.point[..x.len()].copy_from_slice(x);
        let (Some(places), Some((_, columns))) = (&self.places, &self.continuous) else {
            self.point[x.len()..].copy_from_slice(u);
            return Ok(partials.evaluate(&mut self.instance, &self.point, values)?);
        };
        for (value, column) in self.point[x.len()..].iter_mut().zip(columns) {
            *value = u[*column];
        }
        let point = &self.point[..x.len() + columns.len()];
        partials.evaluate(&mut self.instance, point, &mut self.entries)?;
        values.fill(0.0);
        for (entry, place) in self.entries.iter().zip(places) {
            values[*place] = *entry;
        }
        Ok(())
    }

    fn has_exact_partials(&self) -> bool {
        self.partials.as_ref().is_some_and(Partials::is_exact)
    }

    fn evaluations_of_partials(&self) -> Option<usize> {
        self.partials.as_ref().map(Partials::groups)
    }

    fn partial_evaluations(&self) -> usize {
        let partials = self.partials.as_ref();
        partials.map_or(0, |partials| partials.calls + partials.evaluations)
    }

    fn nominals(&mut self, sizes: &mut [f64]) -> Result<(), ComponentError> {
        match sizes.is_empty() {
            true => Ok(()),
            false => Ok(self.instance.nominals_of_continuous_states(sizes)?),
        }
    }

    fn number_of_event_indicators(&self) -> usize {
        self.instance.number_of_event_indicators()
    }

    fn event_indicators(&mut self, z: &mut [f64]) -> Result<(), ComponentError> {
        match z.is_empty() {
            true => Ok(()),
            false => Ok(self.instance.event_indicators(z)?),
        }
    }

    fn needs_completed_steps(&self) -> bool {
        self.tells_steps
    }

    fn completed_step(&mut self) -> Result<CompletedStep, ComponentError> {
        match self.tells_steps {
            true => Ok(self.instance.completed_integrator_step(true)?),
            false => Ok(CompletedStep::default()),
        }
    }

    fn enter_event_mode(&mut self) -> Result<(), ComponentError> {
        // Factors that stay between events may be others now.
        self.partials.iter_mut().for_each(Partials::forget);
        Ok(self.instance.enter_event_mode()?)
    }

    fn new_discrete_states(&mut self) -> Result<EventInfo, ComponentError> {
        Ok(self.instance.new_discrete_states()?)
    }

    fn enter_continuous_time_mode(&mut self) -> Result<(), ComponentError> {
        Ok(self.instance.enter_continuous_time_mode()?)
    }
}
