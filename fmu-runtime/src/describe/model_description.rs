//! From a described model to the model description of the standard.

use super::{Described, Group, Value, Variable, dependencies, described, is_serializable};
use crate::ModelError;
use crate::cosim::MAX_OUTPUT_ORDER;
use crate::model::{Discrete, Equations, Model};
use fmu_standard::description as d;
use fmu_standard::description::{Causality, Initial, Variability};
use std::path::Path;

/// Who speaks in the vendor annotation.
const TOOL: &str = "fmu-runtime";

/// What these FMUs can do beyond the standard: answer for new inputs without a step (`fmi2GetReal` and
/// `fmi2GetDirectionalDerivative` after `fmi2SetReal` at the same communication point), and take part in the stabilization
/// of strongly coupled systems by two more functions of the library.
const ANNOTATION: &str = "<CoSimulation outputsFollowInputsWithoutStep=\"true\" \
                          stabilizeInputs=\"fmuStabilizeInputs\" getStates=\"fmuGetStates\"/>";

/// The model description of `M` with its dependencies: what `modelDescription.xml` says. Beside it, a sentence for each
/// unknown whose dependencies could not be told apart.
///
/// The equations are run for it, so the model is instantiated first, with the folder `resources`.
pub fn full_description<M: Model>(
    resources: &Path,
) -> Result<(d::ModelDescription, Vec<String>), ModelError> {
    let described = described::<M>()?;
    let mut description = description_of::<M>(&described);
    let model = instantiated::<M>(resources)?;
    let structure = std::mem::take(&mut description.model_structure);
    let found = dependencies::find(&*model, &described, &description.model_variables, structure);
    description.model_structure = found.structure;
    let mut notes = found.notes;
    model.unstored("", &mut |field| {
        notes.push(format!(
            "the internal field `{field}` cannot be written as bytes, so this FMU does not serialize its states: \
             implement `Stored` for its type, or mark it `#[internal(fixed)]` if nothing but `fn instantiate` changes it"
        ));
    });
    Ok((description, notes))
}

/// What the derivatives of the states depend on, one unknown a state: the part of [`full_description`] that an implicit
/// integrator needs.
#[cfg(feature = "bdf")]
pub fn derivative_dependencies<M: Model>(resources: &Path) -> Result<Vec<d::Unknown>, ModelError> {
    let described = described::<M>()?;
    let mut description = description_of::<M>(&described);
    let model = instantiated::<M>(resources)?;
    let structure = d::ModelStructure {
        derivatives: std::mem::take(&mut description.model_structure.derivatives),
        ..Default::default()
    };
    let found = dependencies::find(&*model, &described, &description.model_variables, structure);
    Ok(found.structure.derivatives)
}

/// A model with its internal fields filled, so that its equations can be run.
fn instantiated<M: Model>(resources: &Path) -> Result<Box<M>, ModelError> {
    let mut model = Box::new(M::default());
    model.on_instantiate(resources).map_err(|error| {
        ModelError::new(format!(
            "`fn instantiate` failed, and the equations cannot be run without it: {error}"
        ))
    })?;
    Ok(model)
}

/// The model description of `M` without its dependencies: what the GUID is computed from.
pub fn model_description<M: Model>() -> Result<d::ModelDescription, ModelError> {
    Ok(description_of::<M>(&described::<M>()?))
}

fn description_of<M: Model>(described: &Described) -> d::ModelDescription {
    let about = &described.about;
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let owned = |text: Option<&'static str>| text.map(str::to_owned);

    let mut variables: Vec<d::ScalarVariable> = described
        .variables
        .iter()
        .map(|variable| scalar_variable(variable, <M as Discrete>::HAS_EVENT))
        .collect();
    let state_indices: Vec<usize> = (0..variables.len())
        .filter(|&index| described.variables[index].field.group == Group::State)
        .collect();
    let reals = <M as crate::model::Structure<f64>>::COUNTS.reals;
    let first_derivative = variables.len();
    for (number, &state) in state_indices.iter().enumerate() {
        variables.push(derivative(&described.variables[state], state + 1, reals + number));
    }
    variables.push(independent(&variables, reals + state_indices.len()));

    let unknown = |index: usize| d::Unknown {
        index: index as u32 + 1,
        ..Default::default()
    };
    let outputs = (0..variables.len())
        .filter(|&index| variables[index].causality == Causality::Output)
        .map(unknown);
    let derivatives = (0..state_indices.len()).map(|number| unknown(first_derivative + number));
    let initial_unknowns = (0..variables.len()).filter(|&index| {
        let is_state_or_derivative =
            index >= first_derivative || described.variables[index].field.group == Group::State;
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
        initial_unknowns: initial_unknowns.map(unknown).collect(),
    };

    let interface = d::Interface {
        model_identifier: about.name.to_owned(),
        can_not_use_memory_management_functions: true,
        can_get_and_set_fmu_state: true,
        can_serialize_fmu_state: is_serializable::<M>(),
        provides_directional_derivative: true,
        ..Default::default()
    };
    // A value that is set in continuous-time mode and has to wait asks for its event at the end of a step.
    let may_wait = variables.iter().any(|variable| {
        let is_continuous = variable.variability == Variability::Continuous;
        let is_tunable =
            variable.causality == Causality::Parameter && variable.variability == Variability::Tunable;
        (variable.causality == Causality::Input && !is_continuous) || is_tunable
    });
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
        model_exchange: Some(d::ModelExchange {
            interface: interface.clone(),
            completed_integrator_step_not_needed: !<M as Discrete>::HAS_COMPLETED_STEP && !may_wait,
        }),
        co_simulation: Some(d::CoSimulation {
            interface,
            can_handle_variable_communication_step_size: true,
            can_interpolate_inputs: true,
            max_output_derivative_order: MAX_OUTPUT_ORDER as u32,
            can_run_asynchronuously: false,
        }),
        vendor_annotations: vec![d::VendorAnnotation {
            tool: TOOL.to_owned(),
            xml: ANNOTATION.to_owned(),
        }],
        unit_definitions: unit_definitions(&variables, &described.types),
        type_definitions: described.types.clone(),
        log_categories: log_categories(about.log_categories),
        default_experiment: default_experiment(&described.about),
        model_variables: variables,
        model_structure,
        ..Default::default()
    };
    description.guid = fmu_standard::guid(&description);
    description
}

fn scalar_variable(variable: &Variable, events: bool) -> d::ScalarVariable {
    let field = &variable.field;
    let owned = |text: Option<&'static str>| text.map(str::to_owned);
    // Calculated values have no start; approximate ones do, as the first guess.
    let has_start = match field.causality {
        Causality::Input | Causality::Parameter => true,
        _ => field.variability == Variability::Constant || field.initial != Some(Initial::Calculated),
    };
    let integer_attributes = || d::IntegerAttributes {
        quantity: owned(field.quantity),
        min: field.min.map(|min| min as i32),
        max: field.max.map(|max| max as i32),
    };
    let kind = match &variable.value {
        Value::Real(start) => d::VariableKind::Real {
            declared_type: owned(field.declared_type),
            attributes: d::RealAttributes {
                quantity: owned(field.quantity),
                unit: owned(field.unit),
                display_unit: owned(field.display_unit),
                relative_quantity: field.relative_quantity,
                min: field.min,
                max: field.max,
                nominal: field.nominal,
                unbounded: field.unbounded,
            },
            start: has_start.then_some(*start),
            derivative: None,
            // An event function may set any state, and the importer must be ready for it.
            reinit: events && field.group == Group::State,
        },
        Value::Integer(start) => d::VariableKind::Integer {
            declared_type: owned(field.declared_type),
            attributes: integer_attributes(),
            start: has_start.then_some(*start),
        },
        Value::Enumeration(start, type_name) => d::VariableKind::Enumeration {
            declared_type: (*type_name).to_owned(),
            attributes: integer_attributes(),
            start: has_start.then_some(*start),
        },
        Value::Boolean(start) => d::VariableKind::Boolean {
            declared_type: owned(field.declared_type),
            start: has_start.then_some(*start),
        },
        Value::String(start) => d::VariableKind::String {
            declared_type: owned(field.declared_type),
            start: has_start.then(|| start.clone()),
        },
    };
    d::ScalarVariable {
        name: variable.name.clone(),
        value_reference: variable.slot as u32,
        description: (!field.description.is_empty()).then(|| field.description.to_owned()),
        causality: field.causality,
        variability: field.variability,
        initial: field.initial,
        can_handle_multiple_set_per_time_instant: None,
        kind,
        annotations: Vec::new(),
    }
}

fn derivative(state: &Variable, index_of_state: usize, value_reference: usize) -> d::ScalarVariable {
    d::ScalarVariable {
        name: format!("der({})", state.name),
        value_reference: value_reference as u32,
        description: Some(format!("Derivative of {} with respect to time", state.name)),
        causality: Causality::Local,
        variability: Variability::Continuous,
        initial: Some(Initial::Calculated),
        can_handle_multiple_set_per_time_instant: None,
        kind: d::VariableKind::Real {
            declared_type: None,
            attributes: d::RealAttributes {
                unit: state.field.unit.and_then(unit_per_second),
                ..Default::default()
            },
            start: None,
            derivative: Some(index_of_state as u32),
            reinit: false,
        },
        annotations: Vec::new(),
    }
}

/// The unit of a derivative, written as people write it: `m` -> `m/s` -> `m/s2`.
fn unit_per_second(unit: &str) -> Option<String> {
    let base = fmu_standard::units::parse(unit).ok()?;
    // A rate has no zero point: degC changes by K/s.
    let unit = if base.offset == 0.0 { unit } else { "K" };
    let name = match unit.rsplit_once('/') {
        Some((numerator, "s")) => format!("{numerator}/s2"),
        Some((numerator, "s2")) => format!("{numerator}/s3"),
        Some((numerator, denominator)) => {
            format!("{numerator}/({}.s)", denominator.trim_matches(['(', ')']))
        }
        None => format!("{unit}/s"),
    };
    fmu_standard::units::parse(&name).is_ok().then_some(name)
}

/// `time`, or `time_1`, `time_2`, ... if the author's variables have taken the name.
fn independent(taken: &[d::ScalarVariable], value_reference: usize) -> d::ScalarVariable {
    let free = |name: &String| !taken.iter().any(|variable| variable.name == *name);
    let name = std::iter::once("time".to_owned())
        .chain((1..).map(|number| format!("time_{number}")))
        .find(free)
        .unwrap_or_default();
    d::ScalarVariable {
        name,
        value_reference: value_reference as u32,
        description: Some("Simulation time".to_owned()),
        causality: Causality::Independent,
        variability: Variability::Continuous,
        initial: None,
        can_handle_multiple_set_per_time_instant: None,
        kind: d::VariableKind::Real {
            declared_type: None,
            attributes: d::RealAttributes {
                unit: Some("s".to_owned()),
                ..Default::default()
            },
            start: None,
            derivative: None,
            reinit: false,
        },
        annotations: Vec::new(),
    }
}

/// Every unit in use once, in order of first use, each with the display units in use.
fn unit_definitions(variables: &[d::ScalarVariable], types: &[d::SimpleType]) -> Vec<d::Unit> {
    let of_variables = variables.iter().filter_map(|variable| match &variable.kind {
        d::VariableKind::Real { attributes, .. } => Some(attributes),
        _ => None,
    });
    let of_types = types.iter().filter_map(|definition| match &definition.kind {
        d::TypeKind::Real(attributes) => Some(attributes),
        _ => None,
    });
    let mut units: Vec<d::Unit> = Vec::new();
    for attributes in of_types.chain(of_variables) {
        let Some(name) = &attributes.unit else { continue };
        let position = units
            .iter()
            .position(|unit| unit.name == *name)
            .unwrap_or_else(|| {
                let base_unit = fmu_standard::units::parse(name).ok();
                units.push(d::Unit {
                    name: name.clone(),
                    base_unit,
                    display_units: Vec::new(),
                });
                units.len() - 1
            });
        let unit = &mut units[position];
        if let Some(display) = &attributes.display_unit
            && !unit.display_units.iter().any(|known| known.name == *display)
            && let Ok(display) = fmu_standard::units::display_unit(name, display)
        {
            unit.display_units.push(display);
        }
    }
    units
}

/// The categories of the standard that the runtime uses, then the author's.
fn log_categories(own: &[(&str, &str)]) -> Vec<d::LogCategory> {
    crate::log::STANDARD_CATEGORIES
        .iter()
        .chain(own)
        .map(|(name, description)| d::LogCategory {
            name: (*name).to_owned(),
            description: (!description.is_empty()).then(|| (*description).to_owned()),
        })
        .collect()
}

fn default_experiment(about: &crate::model::About) -> Option<d::DefaultExperiment> {
    let experiment = d::DefaultExperiment {
        start_time: about.start_time,
        stop_time: about.stop_time,
        tolerance: about.tolerance,
        step_size: about.step_size,
    };
    (experiment != d::DefaultExperiment::default()).then_some(experiment)
}
