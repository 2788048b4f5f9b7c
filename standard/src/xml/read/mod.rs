//! The reader: one pass over the text, element by element.

mod definitions;
mod encoding;
mod error;
mod source;
mod variables;

pub use error::{ReadError, ReadProblem};

use crate::description::*;
use definitions::{simple_type, unit};
use source::{Element, Source, Value};
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
/// let error = fmu_standard::xml::read(text).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 5, column 78: attribute `start` of `Real` is \"1,5\", expected a number"
/// );
///
/// let description = fmu_standard::xml::read(text.replace("1,5", "1.5"))?;
/// assert_eq!(description.model_variables[0].name, "x");
/// # Ok::<(), fmu_standard::xml::ReadError>(())
/// ```
pub fn read(xml: impl AsRef<[u8]>) -> Result<ModelDescription, ReadError> {
    let text = encoding::decode(xml.as_ref())?;
    let mut source = Source::new(&text);
    let root = source.root()?;
    if root.name() != "fmiModelDescription" {
        let found = root.name().into();
        return Err(source.error_in(&root, ReadProblem::Root { found }));
    }
    let mut description = root_attributes(&source, &root)?;
    root_content(&mut source, &root, &mut description)?;
    source.end()?;
    Ok(description)
}

fn root_attributes(source: &Source, root: &Element) -> Result<ModelDescription, ReadError> {
    // First of all the version: a description of another one fails in stranger ways.
    let mut version = None;
    source.attributes(root, |name, value| {
        if name == "fmiVersion" {
            version = Some(value.string()?);
        }
        Ok(())
    })?;
    let fmi_version = version.ok_or_else(|| source.missing_attribute(root, "fmiVersion"))?;
    if fmi_version.trim() != "2.0" && !fmi_version.starts_with("2.0.") {
        return Err(source.error_in(root, ReadProblem::Version { found: fmi_version }));
    }

    let mut d = ModelDescription {
        fmi_version,
        ..Default::default()
    };
    let (mut model_name, mut guid) = (None, None);
    source.attributes(root, |name, value| {
        match name {
            "modelName" => model_name = Some(value.string()?),
            "guid" => guid = Some(value.string()?),
            "description" => d.description = Some(value.string()?),
            "author" => d.author = Some(value.string()?),
            "version" => d.version = Some(value.string()?),
            "copyright" => d.copyright = Some(value.string()?),
            "license" => d.license = Some(value.string()?),
            "generationTool" => d.generation_tool = Some(value.string()?),
            "generationDateAndTime" => d.generation_date_and_time = Some(value.string()?),
            "variableNamingConvention" => {
                let all = VariableNamingConvention::ALL;
                d.variable_naming_convention = value.word(VariableNamingConvention::from_word, all)?;
            }
            "numberOfEventIndicators" => d.number_of_event_indicators = Some(value.whole()?),
            _ => {}
        }
        Ok(())
    })?;
    d.model_name = model_name.ok_or_else(|| source.missing_attribute(root, "modelName"))?;
    d.guid = guid.ok_or_else(|| source.missing_attribute(root, "guid"))?;
    Ok(d)
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
            "UnitDefinitions" => d.unit_definitions = source.list(&element, "Unit", unit)?,
            "TypeDefinitions" => d.type_definitions = source.list(&element, "SimpleType", simple_type)?,
            "LogCategories" => d.log_categories = source.list(&element, "Category", log_category)?,
            "DefaultExperiment" => d.default_experiment = Some(default_experiment(source, &element)?),
            "VendorAnnotations" => d.vendor_annotations = annotations(source, &element)?,
            "ModelVariables" => variables = Some(source.list(&element, "ScalarVariable", scalar_variable)?),
            "ModelStructure" => structure = Some(model_structure(source, &element)?),
            _ => source.skip(&element)?,
        }
    }
    let missing = |expected| {
        source.error_in(
            root,
            ReadProblem::MissingElement {
                parent: "fmiModelDescription".into(),
                expected,
            },
        )
    };
    d.model_variables = variables.ok_or_else(|| missing("its element `ModelVariables`"))?;
    d.model_structure = structure.ok_or_else(|| missing("its element `ModelStructure`"))?;
    resolve(d);
    Ok(())
}

/// Turns indices, which count variables from 1, into positions. Those that belong to no variable stay as they are.
fn resolve(d: &mut ModelDescription) {
    let count = d.model_variables.len();
    let resolve = |reference: &mut Reference| {
        if let Reference::Missing(index) = *reference
            && let Some(position) = (index as usize).checked_sub(1)
            && position < count
        {
            *reference = Reference::to(position);
        }
    };
    for variable in &mut d.model_variables {
        if let VariableKind::Real {
            derivative: Some(state),
            ..
        } = &mut variable.kind
        {
            resolve(state);
        }
    }
    let structure = &mut d.model_structure;
    let lists = [
        &mut structure.outputs,
        &mut structure.derivatives,
        &mut structure.initial_unknowns,
    ];
    for unknown in lists.into_iter().flatten() {
        resolve(&mut unknown.variable);
        unknown.dependencies.iter_mut().flatten().for_each(resolve);
    }
}

fn model_exchange(source: &mut Source, element: &Element) -> Result<ModelExchange, ReadError> {
    let mut me = ModelExchange::default();
    let mut identifier = None;
    source.attributes(element, |name, value| {
        match name {
            "modelIdentifier" => identifier = Some(value.string()?),
            "completedIntegratorStepNotNeeded" => me.completed_integrator_step_not_needed = value.flag()?,
            _ => capability(&mut me.interface, name, value)?,
        }
        Ok(())
    })?;
    me.interface.model_identifier =
        identifier.ok_or_else(|| source.missing_attribute(element, "modelIdentifier"))?;
    me.interface.source_files = source_files(source, element)?;
    Ok(me)
}

fn co_simulation(source: &mut Source, element: &Element) -> Result<CoSimulation, ReadError> {
    let mut cs = CoSimulation::default();
    let mut identifier = None;
    source.attributes(element, |name, value| {
        match name {
            "modelIdentifier" => identifier = Some(value.string()?),
            "canHandleVariableCommunicationStepSize" => {
                cs.can_handle_variable_communication_step_size = value.flag()?;
            }
            "canInterpolateInputs" => cs.can_interpolate_inputs = value.flag()?,
            "maxOutputDerivativeOrder" => cs.max_output_derivative_order = value.whole()?,
            "canRunAsynchronuously" => cs.can_run_asynchronuously = value.flag()?,
            _ => capability(&mut cs.interface, name, value)?,
        }
        Ok(())
    })?;
    cs.interface.model_identifier =
        identifier.ok_or_else(|| source.missing_attribute(element, "modelIdentifier"))?;
    cs.interface.source_files = source_files(source, element)?;
    Ok(cs)
}

/// A flag that both interfaces have.
fn capability(interface: &mut Interface, name: &str, value: &Value) -> Result<(), ReadError> {
    let flag = match name {
        "needsExecutionTool" => &mut interface.needs_execution_tool,
        "canBeInstantiatedOnlyOncePerProcess" => &mut interface.can_be_instantiated_only_once_per_process,
        "canNotUseMemoryManagementFunctions" => &mut interface.can_not_use_memory_management_functions,
        "canGetAndSetFMUstate" => &mut interface.can_get_and_set_fmu_state,
        "canSerializeFMUstate" => &mut interface.can_serialize_fmu_state,
        "providesDirectionalDerivative" => &mut interface.provides_directional_derivative,
        _ => return Ok(()),
    };
    *flag = value.flag()?;
    Ok(())
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

/// The one attribute of an element that matters.
fn required_string(source: &Source, element: &Element, attribute: &'static str) -> Result<String, ReadError> {
    let mut found = None;
    source.attributes(element, |name, value| {
        if name == attribute {
            found = Some(value.string()?);
        }
        Ok(())
    })?;
    found.ok_or_else(|| source.missing_attribute(element, attribute))
}

fn log_category(source: &mut Source, element: &Element) -> Result<LogCategory, ReadError> {
    let mut category = LogCategory {
        name: required_string(source, element, "name")?,
        description: None,
    };
    source.attributes(element, |name, value| {
        if name == "description" {
            category.description = Some(value.string()?);
        }
        Ok(())
    })?;
    source.skip(element)?;
    Ok(category)
}

fn default_experiment(source: &mut Source, element: &Element) -> Result<DefaultExperiment, ReadError> {
    let mut experiment = DefaultExperiment::default();
    source.attributes(element, |name, value| {
        match name {
            "startTime" => experiment.start_time = Some(value.real()?),
            "stopTime" => experiment.stop_time = Some(value.real()?),
            "tolerance" => experiment.tolerance = Some(value.real()?),
            "stepSize" => experiment.step_size = Some(value.real()?),
            _ => {}
        }
        Ok(())
    })?;
    source.skip(element)?;
    Ok(experiment)
}

/// The `Tool`s of `VendorAnnotations` or of a variable's `Annotations`.
fn annotations(source: &mut Source, element: &Element) -> Result<Vec<VendorAnnotation>, ReadError> {
    source.list(element, "Tool", |source, tool| {
        Ok(VendorAnnotation {
            tool: required_string(source, tool, "name")?,
            xml: source.inside(tool)?.into(),
        })
    })
}

fn model_structure(source: &mut Source, element: &Element) -> Result<ModelStructure, ReadError> {
    let mut structure = ModelStructure::default();
    while let Some(child) = source.child(element)? {
        match child.name() {
            "Outputs" => structure.outputs = source.list(&child, "Unknown", unknown)?,
            "Derivatives" => structure.derivatives = source.list(&child, "Unknown", unknown)?,
            "InitialUnknowns" => structure.initial_unknowns = source.list(&child, "Unknown", unknown)?,
            _ => source.skip(&child)?,
        }
    }
    Ok(structure)
}

fn unknown(source: &mut Source, element: &Element) -> Result<Unknown, ReadError> {
    let mut unknown = Unknown::default();
    let mut index = None;
    source.attributes(element, |name, value| {
        match name {
            "index" => index = Some(Reference::Missing(value.whole()?)),
            "dependencies" => unknown.dependencies = Some(value.references()?),
            "dependenciesKind" => {
                let all = DependencyKind::ALL;
                unknown.dependencies_kind = Some(value.words(DependencyKind::from_word, all)?);
            }
            _ => {}
        }
        Ok(())
    })?;
    unknown.variable = index.ok_or_else(|| source.missing_attribute(element, "index"))?;
    source.skip(element)?;
    Ok(unknown)
}
