//! The model description of FMI 2.0: variables flattened into scalars, with value references and indices.
//!
//! A value reference is the slot of the variable among those of its base type. Behind the Real variables of the model come
//! the derivatives of the states, then time. The index of a scalar is the number of the element plus 1.

use crate::ModelError;
use crate::cosim::MAX_OUTPUT_ORDER;
use crate::describe::document::{
    add_initial_notes, completed_steps_not_needed, default_experiment, independent, kind_of, log_categories,
    notes_on_bytes, real_attributes, simple_type, unit_definitions, unit_per_second,
};
use crate::describe::{
    Dependencies, Described, Role, Stage, Values, Variable, check_unknowns, dependencies, described,
    instantiated, is_serializable,
};
use crate::model::{Discrete, Equations, Model};
use fmu_standard::description as d;
use fmu_standard::description::{Causality, Initial, Variability};
use fmu_standard::extension;
use std::path::Path;

/// The model description of `M` with its dependencies: the content of `modelDescription.xml`. Beside it, one sentence per
/// unknown whose dependencies could not be determined.
///
/// The equations are run for it, so the model is instantiated first, with the folder `resources`.
pub fn full_description<M: Model>(
    resources: &Path,
) -> Result<(d::ModelDescription, Vec<String>), ModelError> {
    let described = described::<M>()?;
    let mut description = description_of::<M>(&described);
    let model = instantiated::<M>(resources)?;
    let d::ModelStructure {
        outputs,
        derivatives,
        initial_unknowns,
        ..
    } = &mut description.model_structure;
    // One exploration for outputs and derivatives: they share the same runs.
    let simulated = outputs.iter_mut().chain(derivatives).collect();
    let mut notes = add_dependencies(&*model, &described, Stage::Simulation, simulated)?;
    let initial = initial_unknowns.iter_mut().collect();
    let initially = add_dependencies(&*model, &described, Stage::Initialization, initial)?;
    add_initial_notes(&mut notes, initially);
    notes.extend(check_unknowns(&*model));
    notes.extend(notes_on_bytes(&*model));
    Ok((description, notes))
}

/// Fills in the dependencies of unknowns; returns notes.
fn add_dependencies<M: Model>(
    model: &M,
    described: &Described,
    stage: Stage,
    mut unknowns: Vec<&mut d::Unknown>,
) -> Result<Vec<String>, ModelError> {
    let elements = described.elements();
    // During the simulation, FMI 2.0 lists inputs, states and time among the knowns, and no parameters.
    let is_listed = |known: usize| {
        let role = elements.get(known).map(|(variable, _)| variable.field.role);
        stage == Stage::Initialization || role.is_none_or(|role| matches!(role, Role::Input | Role::State))
    };
    let numbers: Vec<usize> = unknowns
        .iter()
        .filter_map(|unknown| unknown.variable.position())
        .collect();
    let Dependencies { rows, notes, refusal } = dependencies(model, described, stage, &numbers);
    if let Some(sentence) = refusal {
        return Err(ModelError::new(sentence));
    }
    for (unknown, row) in unknowns.iter_mut().zip(rows) {
        let listed = row.into_iter().filter(|(known, _)| is_listed(*known));
        let (knowns, kinds) = listed
            .map(|(known, kind)| (d::Reference::to(known), kind_of(kind)))
            .unzip();
        unknown.dependencies = Some(knowns);
        unknown.dependencies_kind = Some(kinds);
    }
    Ok(notes)
}

/// The model description of `M` without its dependencies: what the GUID is computed from.
pub fn model_description<M: Model>() -> Result<d::ModelDescription, ModelError> {
    Ok(description_of::<M>(&described::<M>()?))
}

fn description_of<M: Model>(described: &Described) -> d::ModelDescription {
    let about = &described.about;
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let owned = |text: Option<&'static str>| text.map(str::to_owned);

    let elements = described.elements();
    let scalar = |&(variable, element)| scalar_variable(variable, element, <M as Discrete>::HAS_EVENT);
    let mut variables: Vec<d::ModelVariable> = elements.iter().map(scalar).collect();
    let reals = <M as crate::model::Structure<f64>>::COUNTS.reals;
    let first_derivative = variables.len();
    for (number, state) in described.states().into_iter().enumerate() {
        let derivative = derivative(&variables[state], elements[state].0, state, reals + number);
        variables.push(derivative);
    }
    let after_derivatives = variables.len();
    let states = after_derivatives - first_derivative;
    variables.push(independent(&variables, reals + states));

    let outputs = (0..variables.len())
        .filter(|&index| variables[index].causality == Causality::Output)
        .map(d::Unknown::at);
    let derivatives = (first_derivative..after_derivatives).map(d::Unknown::at);
    let initial_unknowns = (0..variables.len()).filter(|&index| {
        let role = elements.get(index).map(|(variable, _)| variable.field.role);
        let is_state_or_derivative = role.is_none_or(|role| role == Role::State);
        let variable = &variables[index];
        match variable.causality {
            Causality::CalculatedParameter => true,
            Causality::Output => variable.initial != Some(Initial::Exact),
            Causality::Local => is_state_or_derivative && variable.initial != Some(Initial::Exact),
            _ => false,
        }
    });
    let model_structure = d::ModelStructure {
        outputs: outputs.collect(),
        derivatives: derivatives.collect(),
        initial_unknowns: initial_unknowns.map(d::Unknown::at).collect(),
        ..Default::default()
    };

    let mut interface = d::Interface::new(about.name);
    interface.can_not_use_memory_management_functions = true;
    interface.can_get_and_set_fmu_state = true;
    interface.can_serialize_fmu_state = is_serializable::<M>();
    interface.provides_directional_derivative = true;
    let mut model_exchange = d::ModelExchange::new(interface.clone());
    model_exchange.completed_integrator_step_not_needed = completed_steps_not_needed::<M>(described);
    let mut co_simulation = d::CoSimulation::new(interface);
    co_simulation.can_handle_variable_communication_step_size = true;
    co_simulation.can_interpolate_inputs = true;
    co_simulation.max_output_derivative_order = MAX_OUTPUT_ORDER as u32;
    let type_definitions: Vec<d::SimpleType> = described.types.iter().map(simple_type).collect();
    let mut description = d::ModelDescription {
        fmi_version: "2.0".to_owned(),
        model_name: about.name.to_owned(),
        description: text(about.description),
        author: owned(about.author),
        version: owned(about.version),
        copyright: owned(about.copyright),
        license: owned(about.license),
        generation_tool: Some(concat!("fmu-runtime ", env!("CARGO_PKG_VERSION")).to_owned()),
        variable_naming_convention: d::VariableNamingConvention::Structured,
        number_of_event_indicators: Some(<M as Equations<f64>>::EVENT_INDICATORS as u64),
        model_exchange: Some(model_exchange),
        co_simulation: Some(co_simulation),
        vendor_annotations: vec![d::VendorAnnotation {
            tool: extension::TOOL.to_owned(),
            xml: extension::ANNOTATION.to_owned(),
        }],
        unit_definitions: unit_definitions(&variables, &type_definitions),
        type_definitions,
        log_categories: log_categories(about.log_categories),
        default_experiment: default_experiment(about),
        model_variables: variables,
        model_structure,
        ..Default::default()
    };
    description.guid = fmu_standard::guid(&description);
    description
}

fn scalar_variable(variable: &Variable, element: usize, events: bool) -> d::ModelVariable {
    let field = &variable.field;
    let declared_type = field.declared_type.map(str::to_owned);
    let has_start = variable.has_start();
    let integer_attributes = || d::IntegerAttributes {
        quantity: field.attributes.quantity.map(str::to_owned),
        min: field.attributes.min.map(|min| i128::from(min as i32)),
        max: field.attributes.max.map(|max| i128::from(max as i32)),
        ..Default::default()
    };
    let kind = match &variable.start {
        Values::Real(start) => d::VariableKind::Real {
            declared_type,
            attributes: real_attributes(&field.attributes),
            start: has_start.then_some(start[element]).into(),
            derivative: None,
            // An event function may set any state, and the importer must be ready for it.
            reinit: events && field.role == Role::State,
        },
        Values::Integer(start) => d::VariableKind::Integer {
            declared_type,
            attributes: integer_attributes(),
            start: has_start.then_some(i128::from(start[element])).into(),
        },
        Values::Enumeration(start, type_name) => d::VariableKind::Enumeration {
            declared_type: (*type_name).to_owned(),
            attributes: integer_attributes(),
            start: has_start.then_some(i128::from(start[element])).into(),
        },
        Values::Boolean(start) => d::VariableKind::Boolean {
            declared_type,
            start: has_start.then_some(start[element]).into(),
        },
        Values::String(start) => d::VariableKind::String {
            declared_type,
            start: has_start.then(|| start[element].clone()).into(),
        },
    };
    d::ModelVariable {
        name: variable.element_name(element),
        value_reference: (variable.slot + element) as u32,
        description: (!field.description.is_empty()).then(|| field.description.to_owned()),
        causality: variable.causality(),
        variability: variable.variability(),
        initial: variable.initial(),
        kind,
        ..Default::default()
    }
}

fn derivative(
    state: &d::ModelVariable,
    variable: &Variable,
    position_of_state: usize,
    value_reference: usize,
) -> d::ModelVariable {
    d::ModelVariable {
        name: format!("der({})", state.name),
        value_reference: value_reference as u32,
        description: Some(format!("Derivative of {} with respect to time", state.name)),
        causality: Causality::Local,
        variability: Variability::Continuous,
        initial: Some(Initial::Calculated),
        kind: d::VariableKind::Real {
            declared_type: None,
            attributes: d::RealAttributes {
                unit: variable.field.attributes.unit.and_then(unit_per_second),
                ..Default::default()
            },
            start: d::Start::None,
            derivative: Some(d::Reference::to(position_of_state)),
            reinit: false,
        },
        ..Default::default()
    }
}
