//! The reader of FMI 2.0: one pass over the text, element by element.

mod definitions;
mod variables;

use crate::description::*;
use crate::xml::common::{self, interface, required, required_string, resolve, root_element, unknown};
use crate::xml::{Element, ReadError, ReadProblem, Source};
use definitions::simple_type;
use variables::scalar_variable;

/// Reads a `modelDescription.xml` of FMI 2.0.
///
/// Elements and attributes that the standard does not know are passed over; what is inside a vendor annotation is
/// kept as text. Whether the description makes sense is not looked at: values have their types, required attributes
/// and elements are there, and no more. UTF-8 is expected; a file that declares ISO-8859-1 or windows-1252 is read
/// as that.
///
/// ```
/// let text = r#"<?xml version="1.0" encoding="UTF-8"?>
/// <fmiModelDescription fmiVersion="2.0" modelName="Decay" guid="{1}">
///   <ModelExchange modelIdentifier="Decay"/>
///   <ModelVariables>
///     <ScalarVariable name="x" valueReference="0" initial="exact"><Real start="1,5"/></ScalarVariable>
///   </ModelVariables>
///   <ModelStructure/>
/// </fmiModelDescription>"#;
/// let error = fmu_standard::fmi2::read(text).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 5, column 78: attribute `start` of `Real` is \"1,5\", expected a number"
/// );
///
/// let description = fmu_standard::fmi2::read(text.replace("1,5", "1.5"))?;
/// assert_eq!(description.model_variables[0].name, "x");
/// # Ok::<(), fmu_standard::xml::ReadError>(())
/// ```
pub fn read(xml: impl AsRef<[u8]>) -> Result<ModelDescription, ReadError> {
    common::document(xml.as_ref(), root_attributes, root_content)
}

fn root_attributes(source: &Source, root: &Element) -> Result<ModelDescription, ReadError> {
    // First of all the version: a description of another one fails in stranger ways.
    let fmi_version = required_string(source, root, "fmiVersion")?;
    if fmi_version.trim() != "2.0" && !fmi_version.starts_with("2.0.") {
        return Err(source.error_in(root, ReadProblem::Version { found: fmi_version }));
    }
    common::root_attributes(source, root, fmi_version, "guid", |d, name, value| {
        if name == "numberOfEventIndicators" {
            d.number_of_event_indicators = Some(value.whole()?);
        }
        Ok(())
    })
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
            "TypeDefinitions" => d.type_definitions = source.list(&element, "SimpleType", simple_type)?,
            "VendorAnnotations" => d.vendor_annotations = annotations(source, &element)?,
            "ModelVariables" => variables = Some(source.list(&element, "ScalarVariable", scalar_variable)?),
            "ModelStructure" => structure = Some(model_structure(source, &element)?),
            _ => root_element(source, &element, d)?,
        }
    }
    d.model_variables = required(source, root, variables, "its element `ModelVariables`")?;
    d.model_structure = required(source, root, structure, "its element `ModelStructure`")?;
    let count = d.model_variables.len();
    // Indices count variables from 1.
    resolve(d, |index| {
        (index as usize)
            .checked_sub(1)
            .filter(|position| *position < count)
    });
    Ok(())
}

fn model_exchange(source: &mut Source, element: &Element) -> Result<ModelExchange, ReadError> {
    let mut me = ModelExchange::default();
    me.interface = interface(source, element, flag, |name, value| {
        if name == "completedIntegratorStepNotNeeded" {
            me.completed_integrator_step_not_needed = value.flag()?;
        }
        Ok(())
    })?;
    me.interface.source_files = source_files(source, element)?;
    Ok(me)
}

fn co_simulation(source: &mut Source, element: &Element) -> Result<CoSimulation, ReadError> {
    let mut cs = CoSimulation::default();
    cs.interface = interface(source, element, flag, |name, value| {
        match name {
            "canHandleVariableCommunicationStepSize" => {
                cs.can_handle_variable_communication_step_size = value.flag()?;
            }
            "canInterpolateInputs" => cs.can_interpolate_inputs = value.flag()?,
            "maxOutputDerivativeOrder" => cs.max_output_derivative_order = value.whole()?,
            "canRunAsynchronuously" => cs.can_run_asynchronuously = value.flag()?,
            _ => {}
        }
        Ok(())
    })?;
    cs.interface.source_files = source_files(source, element)?;
    Ok(cs)
}

/// A flag that both interfaces have.
fn flag<'i>(interface: &'i mut Interface, name: &str) -> Option<&'i mut bool> {
    Some(match name {
        "needsExecutionTool" => &mut interface.needs_execution_tool,
        "canBeInstantiatedOnlyOncePerProcess" => &mut interface.can_be_instantiated_only_once_per_process,
        "canNotUseMemoryManagementFunctions" => &mut interface.can_not_use_memory_management_functions,
        "canGetAndSetFMUstate" => &mut interface.can_get_and_set_fmu_state,
        "canSerializeFMUstate" => &mut interface.can_serialize_fmu_state,
        "providesDirectionalDerivative" => &mut interface.provides_directional_derivative,
        _ => return None,
    })
}

fn source_files(source: &mut Source, interface: &Element) -> Result<Vec<String>, ReadError> {
    let mut files = Vec::new();
    while let Some(element) = source.child(interface)? {
        if element.name() == "SourceFiles" {
            files = source.list(&element, "File", |source, file| {
                let name = required_string(source, file, "name")?;
                source.skip(file)?;
                Ok(name)
            })?;
        } else {
            source.skip(&element)?;
        }
    }
    Ok(files)
}

/// The `Tool`s of `VendorAnnotations` or of a variable's `Annotations`.
fn annotations(source: &mut Source, element: &Element) -> Result<Vec<VendorAnnotation>, ReadError> {
    common::annotations(source, element, "Tool", "name")
}

fn model_structure(source: &mut Source, element: &Element) -> Result<ModelStructure, ReadError> {
    let entry = |source: &mut Source, element: &Element| unknown(source, element, "index");
    let mut structure = ModelStructure::default();
    while let Some(child) = source.child(element)? {
        match child.name() {
            "Outputs" => structure.outputs = source.list(&child, "Unknown", entry)?,
            "Derivatives" => structure.derivatives = source.list(&child, "Unknown", entry)?,
            "InitialUnknowns" => structure.initial_unknowns = source.list(&child, "Unknown", entry)?,
            _ => source.skip(&child)?,
        }
    }
    Ok(structure)
}
