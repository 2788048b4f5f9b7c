//! The reader of FMI 3.0: one pass over the text, element by element.

mod types;
mod variables;

use crate::description::*;
use crate::xml::common::{self, required, required_string, resolve, root_element, unknown};
use crate::xml::{Element, ReadError, ReadProblem, Source, Value};
use types::type_definition;
use variables::variable;

/// Reads a `modelDescription.xml` of FMI 3.0.
///
/// Elements and attributes that the standard does not know are passed over. Of annotations, those of the root, of interfaces and
/// of variables are kept, as text. Whether the description makes sense is not checked: values have their types, required attributes and
/// elements are there, and no more. A reference to a variable that does not exist stays a [`Reference::Missing`].
///
/// ```
/// use fmu_standard::description::{Dimension, Start, VariableKind};
///
/// let description = fmu_standard::fmi3::read(r#"<?xml version="1.0" encoding="UTF-8"?>
/// <fmiModelDescription fmiVersion="3.0" modelName="Rod" instantiationToken="{1}">
///   <CoSimulation modelIdentifier="Rod"/>
///   <ModelVariables>
///     <Float64 name="T" valueReference="7" causality="output" initial="exact" start="290 291">
///       <Dimension start="2"/>
///     </Float64>
///   </ModelVariables>
///   <ModelStructure><Output valueReference="7"/></ModelStructure>
/// </fmiModelDescription>"#)?;
/// let rod = &description.model_variables[0];
/// assert_eq!(rod.dimensions, [Dimension::Fixed(2)]);
/// assert!(matches!(&rod.kind, VariableKind::Real { start, .. } if start.values() == [290.0, 291.0]));
/// assert_eq!(description.model_structure.outputs[0].variable.position(), Some(0));
/// # Ok::<(), fmu_standard::xml::ReadError>(())
/// ```
pub fn read(xml: impl AsRef<[u8]>) -> Result<ModelDescription, ReadError> {
    common::document(xml.as_ref(), root_attributes, root_content)
}

fn root_attributes(source: &Source, root: &Element) -> Result<ModelDescription, ReadError> {
    let fmi_version = required_string(source, root, "fmiVersion")?;
    if !fmi_version.trim_ascii().starts_with("3.") {
        let problem = ReadProblem::OtherVersion { found: fmi_version };
        return Err(source.error_in(root, problem));
    }
    common::root_attributes(source, root, fmi_version, "instantiationToken", |_, _, _| Ok(()))
}

fn root_content<'a>(
    source: &mut Source<'a>,
    root: &Element<'a>,
    d: &mut ModelDescription,
) -> Result<(), ReadError> {
    let (mut variables, mut structure) = (None, None);
    while let Some(element) = source.child(root)? {
        match element.name() {
            "ModelExchange" => d.model_exchange = Some(model_exchange(source, &element)?),
            "CoSimulation" => d.co_simulation = Some(co_simulation(source, &element)?),
            "ScheduledExecution" => {
                let interface = interface(source, &element, |_, _| Ok(()))?;
                d.scheduled_execution = Some(ScheduledExecution { interface });
            }
            "TypeDefinitions" => d.type_definitions = source.children(&element, type_definition)?,
            "ModelVariables" => variables = Some(source.children(&element, variable)?),
            "ModelStructure" => structure = Some(model_structure(source, &element)?),
            "Annotations" => d.vendor_annotations = annotations(source, &element)?,
            _ => root_element(source, &element, d)?,
        }
    }
    d.model_variables = required(source, root, variables, "its element `ModelVariables`")?;
    d.model_structure = required(source, root, structure, "its element `ModelStructure`")?;
    // Of two variables with the same value reference the first counts.
    let mut positions: Vec<(u32, usize)> = d
        .model_variables
        .iter()
        .enumerate()
        .map(|(position, variable)| (variable.value_reference, position))
        .collect();
    positions.sort_unstable();
    positions.dedup_by_key(|(reference, _)| *reference);
    resolve(d, |number| {
        let found = positions.binary_search_by_key(&number, |(reference, _)| *reference);
        found.ok().map(|at| positions[at].1)
    });
    Ok(())
}

fn model_exchange(source: &mut Source, element: &Element) -> Result<ModelExchange, ReadError> {
    let mut me = ModelExchange {
        completed_integrator_step_not_needed: true,
        ..Default::default()
    };
    me.interface = interface(source, element, |name, value| {
        match name {
            "needsCompletedIntegratorStep" => me.completed_integrator_step_not_needed = !value.flag()?,
            "providesEvaluateDiscreteStates" => me.provides_evaluate_discrete_states = value.flag()?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(me)
}

fn co_simulation(source: &mut Source, element: &Element) -> Result<CoSimulation, ReadError> {
    let mut cs = CoSimulation::default();
    cs.interface = interface(source, element, |name, value| {
        match name {
            "canHandleVariableCommunicationStepSize" => {
                cs.can_handle_variable_communication_step_size = value.flag()?;
            }
            "fixedInternalStepSize" => cs.fixed_internal_step_size = Some(value.real()?),
            "maxOutputDerivativeOrder" => cs.max_output_derivative_order = value.whole()?,
            "recommendedIntermediateInputSmoothness" => {
                cs.recommended_intermediate_input_smoothness = value.whole()?;
            }
            "providesIntermediateUpdate" => cs.provides_intermediate_update = value.flag()?,
            "mightReturnEarlyFromDoStep" => cs.might_return_early_from_do_step = value.flag()?,
            "canReturnEarlyAfterIntermediateUpdate" => {
                cs.can_return_early_after_intermediate_update = value.flag()?;
            }
            "hasEventMode" => cs.has_event_mode = value.flag()?,
            "providesEvaluateDiscreteStates" => cs.provides_evaluate_discrete_states = value.flag()?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(cs)
}

/// An interface with its annotations; `own` takes the attributes that not all interfaces have.
fn interface(
    source: &mut Source,
    element: &Element,
    own: impl FnMut(&str, &Value) -> Result<(), ReadError>,
) -> Result<Interface, ReadError> {
    let mut interface = common::interface(source, element, flag, own)?;
    while let Some(child) = source.child(element)? {
        match child.name() {
            "Annotations" => interface.annotations = annotations(source, &child)?,
            _ => source.skip(&child)?,
        }
    }
    Ok(interface)
}

/// A flag that all interfaces have.
fn flag<'i>(interface: &'i mut Interface, name: &str) -> Option<&'i mut bool> {
    Some(match name {
        "needsExecutionTool" => &mut interface.needs_execution_tool,
        "canBeInstantiatedOnlyOncePerProcess" => &mut interface.can_be_instantiated_only_once_per_process,
        "canGetAndSetFMUState" => &mut interface.can_get_and_set_fmu_state,
        "canSerializeFMUState" => &mut interface.can_serialize_fmu_state,
        "providesDirectionalDerivatives" => &mut interface.provides_directional_derivative,
        "providesAdjointDerivatives" => &mut interface.provides_adjoint_derivatives,
        "providesPerElementDependencies" => &mut interface.provides_per_element_dependencies,
        _ => return None,
    })
}

/// The `Annotation`s of `Annotations`.
fn annotations(source: &mut Source, element: &Element) -> Result<Vec<VendorAnnotation>, ReadError> {
    common::annotations(source, element, "Annotation", "type")
}

fn model_structure(source: &mut Source, element: &Element) -> Result<ModelStructure, ReadError> {
    let mut structure = ModelStructure::default();
    while let Some(child) = source.child(element)? {
        let list = match child.name() {
            "Output" => &mut structure.outputs,
            "ContinuousStateDerivative" => &mut structure.derivatives,
            "ClockedState" => &mut structure.clocked_states,
            "InitialUnknown" => &mut structure.initial_unknowns,
            "EventIndicator" => &mut structure.event_indicators,
            _ => {
                source.skip(&child)?;
                continue;
            }
        };
        list.push(unknown(source, &child, "valueReference")?);
    }
    Ok(structure)
}
