//! Everything as JSON.

use std::io::{self, Write};

use fmu_importer::Fmu;
use fmu_standard::description::*;
use serde_json::{Value, json};

pub(super) fn write(mut out: impl Write, fmu: &Fmu, variables: &[(usize, &ModelVariable)]) -> io::Result<()> {
    let description = fmu.description();
    let files: Vec<_> = fmu
        .files()
        .iter()
        .map(|file| json!({ "path": file.path, "size": file.size, "packed": file.packed }))
        .collect();
    let variables: Vec<_> = variables
        .iter()
        .map(|(position, variable)| of_variable(fmu, *position, variable))
        .collect();
    let structure = &description.model_structure;
    let libraries: Vec<_> = fmu
        .libraries()
        .iter()
        .map(|library| {
            let glibc = library.glibc.map(|(major, minor)| format!("{major}.{minor}"));
            json!({
                "path": library.path,
                "machines": library.machines,
                "needs": library.needed,
                "glibc": glibc,
                "size": library.size,
            })
        })
        .collect();
    let document = json!({
        "file": fmu.path(),
        "fmiVersion": description.fmi_version,
        "modelName": description.model_name,
        "guid": description.guid,
        "description": description.description,
        "author": description.author,
        "version": description.version,
        "copyright": description.copyright,
        "license": description.license,
        "generationTool": description.generation_tool,
        "generationDateAndTime": description.generation_date_and_time,
        "variableNamingConvention": description.variable_naming_convention.as_str(),
        "numberOfEventIndicators": description.number_of_event_indicators.unwrap_or(0),
        "numberOfContinuousStates": structure.derivatives.len(),
        "modelExchange": description.model_exchange.as_ref().map(of_model_exchange),
        "coSimulation": description.co_simulation.as_ref().map(of_co_simulation),
        "defaultExperiment": description.default_experiment.map(|experiment| json!({
            "startTime": experiment.start_time,
            "stopTime": experiment.stop_time,
            "tolerance": experiment.tolerance,
            "stepSize": experiment.step_size,
        })),
        "logCategories": description.log_categories.iter().map(|category| &category.name).collect::<Vec<_>>(),
        "platforms": fmu.platforms(),
        "libraries": libraries,
        "files": files,
        "variables": variables,
        "structure": {
            "outputs": of_unknowns(&structure.outputs),
            "derivatives": of_unknowns(&structure.derivatives),
            "initialUnknowns": of_unknowns(&structure.initial_unknowns),
        },
    });
    serde_json::to_writer_pretty(&mut out, &document)?;
    writeln!(out)
}

/// The flags of an interface under the names of the standard.
pub(super) fn flags(interface: &Interface) -> Vec<(&'static str, bool)> {
    vec![
        ("needsExecutionTool", interface.needs_execution_tool),
        (
            "canBeInstantiatedOnlyOncePerProcess",
            interface.can_be_instantiated_only_once_per_process,
        ),
        (
            "canNotUseMemoryManagementFunctions",
            interface.can_not_use_memory_management_functions,
        ),
        ("canGetAndSetFMUstate", interface.can_get_and_set_fmu_state),
        ("canSerializeFMUstate", interface.can_serialize_fmu_state),
        (
            "providesDirectionalDerivative",
            interface.provides_directional_derivative,
        ),
    ]
}

/// The flags that only Co-Simulation has.
pub(super) fn slave_flags(slave: &CoSimulation) -> Vec<(&'static str, bool)> {
    vec![
        (
            "canHandleVariableCommunicationStepSize",
            slave.can_handle_variable_communication_step_size,
        ),
        ("canInterpolateInputs", slave.can_interpolate_inputs),
        ("canRunAsynchronuously", slave.can_run_asynchronuously),
    ]
}

fn of_interface(interface: &Interface) -> serde_json::Map<String, Value> {
    let mut map: serde_json::Map<_, _> = flags(interface)
        .into_iter()
        .map(|(name, flag)| (name.to_owned(), json!(flag)))
        .collect();
    map.insert("modelIdentifier".into(), json!(interface.model_identifier));
    map.insert("sourceFiles".into(), json!(interface.source_files));
    map
}

fn of_model_exchange(model: &ModelExchange) -> Value {
    let mut map = of_interface(&model.interface);
    let flag = json!(model.completed_integrator_step_not_needed);
    map.insert("completedIntegratorStepNotNeeded".into(), flag);
    map.into()
}

fn of_co_simulation(slave: &CoSimulation) -> Value {
    let mut map = of_interface(&slave.interface);
    map.extend(
        slave_flags(slave)
            .into_iter()
            .map(|(name, flag)| (name.to_owned(), json!(flag))),
    );
    map.insert(
        "maxOutputDerivativeOrder".into(),
        json!(slave.max_output_derivative_order),
    );
    map.into()
}

fn of_variable(fmu: &Fmu, position: usize, variable: &ModelVariable) -> Value {
    let mut map = serde_json::Map::new();
    let mut put = |name: &str, value: Value| {
        if !value.is_null() {
            map.insert(name.into(), value);
        }
    };
    put("index", json!(position + 1));
    put("name", json!(variable.name));
    put("valueReference", json!(variable.value_reference));
    put("type", json!(variable.kind.name()));
    put("causality", json!(variable.causality.as_str()));
    put("variability", json!(variable.variability.as_str()));
    put("initial", json!(variable.initial.map(Initial::as_str)));
    put("description", json!(variable.description));
    match &variable.kind {
        VariableKind::Real {
            declared_type,
            attributes,
            start,
            derivative,
            reinit,
        } => {
            put("declaredType", json!(declared_type));
            put("quantity", json!(attributes.quantity));
            put("unit", json!(attributes.unit));
            put("displayUnit", json!(attributes.display_unit));
            put("min", json!(attributes.min));
            put("max", json!(attributes.max));
            put("nominal", json!(attributes.nominal));
            put("start", json!(start.one()));
            put("derivative", json!(derivative.map(Reference::index)));
            put("reinit", json!(reinit.then_some(true)));
        }
        VariableKind::Integer {
            declared_type,
            attributes,
            start,
        } => {
            put("declaredType", json!(declared_type));
            put("min", json!(attributes.min));
            put("max", json!(attributes.max));
            put("start", json!(start.one()));
        }
        VariableKind::Enumeration {
            declared_type,
            attributes,
            start,
        } => {
            let of_item = |item: &EnumerationItem| json!({ "name": item.name, "value": item.value });
            let items: Vec<_> = fmu.items(position).iter().map(of_item).collect();
            put("declaredType", json!(declared_type));
            put("items", json!(items));
            put("min", json!(attributes.min));
            put("max", json!(attributes.max));
            put("start", json!(start.one()));
        }
        VariableKind::Boolean { declared_type, start } => {
            put("declaredType", json!(declared_type));
            put("start", json!(start.one()));
        }
        VariableKind::String { declared_type, start } => {
            put("declaredType", json!(declared_type));
            put("start", json!(start.one()));
        }
        VariableKind::Binary { .. } | VariableKind::Clock { .. } => {
            put("declaredType", json!(variable.kind.declared_type()));
        }
    }
    map.into()
}

fn of_unknowns(unknowns: &[Unknown]) -> Vec<Value> {
    let of = |unknown: &Unknown| {
        let kinds = unknown.dependencies_kind.as_ref();
        let kinds: Option<Vec<_>> = kinds.map(|kinds| kinds.iter().map(|kind| kind.as_str()).collect());
        let on = unknown.dependencies.as_ref();
        let on: Option<Vec<u32>> = on.map(|on| on.iter().map(|known| known.index()).collect());
        json!({ "index": unknown.variable.index(), "dependencies": on, "dependenciesKind": kinds })
    };
    unknowns.iter().map(of).collect()
}
