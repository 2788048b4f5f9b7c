//! The writer of FMI 2.0: one `String`, elements and attributes in the order of the schema.

use crate::description::*;
use crate::xml::Xml;
use crate::xml::elements::{
    annotation, begin, default_experiment, dependencies, enumeration_item, integer_attributes,
    log_categories, unit, written_annotations,
};

/// The text of `modelDescription.xml` (FMI 2.0, UTF-8) for a description.
///
/// Attributes that equal the standard's default are left out; floats are printed in the shortest form that reads
/// back to the same bits. Characters that XML 1.0 cannot carry at all (most control characters) become U+FFFD.
/// The text inside a [`VendorAnnotation`] is XML already and is copied as it is.
///
/// What only FMI 3.0 has is not written: dimensions, clocks, aliases, further interfaces. A variable of a type that 2.0 lacks is
/// written as the nearest type of 2.0, without its start value.
///
/// ```
/// use fmu_standard::description::{ModelDescription, ModelExchange};
///
/// let mut description = ModelDescription { fmi_version: "2.0".into(), ..Default::default() };
/// description.model_name = "A & B".into();
/// description.model_exchange = Some(ModelExchange::default());
/// let text = fmu_standard::fmi2::write(&description);
/// assert!(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription"));
/// assert!(text.contains("modelName=\"A &amp; B\""));
/// ```
pub fn write(description: &ModelDescription) -> String {
    document(description, true)
}

/// The same text without `guid`, `generationTool`, `generationDateAndTime` and dependencies: what the GUID is computed
/// from.
pub(crate) fn write_interface(description: &ModelDescription) -> String {
    document(description, false)
}

fn document(d: &ModelDescription, with_identity: bool) -> String {
    let mut x = begin(d, "guid", with_identity);
    x.optional_unsigned("numberOfEventIndicators", d.number_of_event_indicators);
    x.content();

    if let Some(me) = &d.model_exchange {
        model_exchange(&mut x, me);
    }
    if let Some(cs) = &d.co_simulation {
        co_simulation(&mut x, cs);
    }
    x.list("UnitDefinitions", &d.unit_definitions, |x, entry| {
        unit(x, entry, false)
    });
    x.list("TypeDefinitions", &d.type_definitions, simple_type);
    log_categories(&mut x, &d.log_categories);
    default_experiment(&mut x, &d.default_experiment);
    x.list(
        "VendorAnnotations",
        &written_annotations(d, with_identity),
        |x, one| tool(x, one),
    );

    x.open("ModelVariables");
    x.content();
    for variable in &d.model_variables {
        scalar_variable(&mut x, variable);
    }
    x.close("ModelVariables");

    x.open("ModelStructure");
    x.content();
    x.list("Outputs", &d.model_structure.outputs, |x, entry| {
        unknown(x, entry, with_identity)
    });
    x.list("Derivatives", &d.model_structure.derivatives, |x, entry| {
        unknown(x, entry, with_identity)
    });
    x.list(
        "InitialUnknowns",
        &d.model_structure.initial_unknowns,
        |x, entry| unknown(x, entry, with_identity),
    );
    x.close("ModelStructure");

    x.close("fmiModelDescription");
    x.text
}

fn model_exchange(x: &mut Xml, me: &ModelExchange) {
    x.open("ModelExchange");
    x.string("modelIdentifier", &me.interface.model_identifier);
    x.flag("needsExecutionTool", me.interface.needs_execution_tool);
    x.flag(
        "completedIntegratorStepNotNeeded",
        me.completed_integrator_step_not_needed,
    );
    shared_capabilities(x, &me.interface);
    source_files(x, "ModelExchange", &me.interface.source_files);
}

fn co_simulation(x: &mut Xml, cs: &CoSimulation) {
    x.open("CoSimulation");
    x.string("modelIdentifier", &cs.interface.model_identifier);
    x.flag("needsExecutionTool", cs.interface.needs_execution_tool);
    x.flag(
        "canHandleVariableCommunicationStepSize",
        cs.can_handle_variable_communication_step_size,
    );
    x.flag("canInterpolateInputs", cs.can_interpolate_inputs);
    if cs.max_output_derivative_order != 0 {
        x.optional_unsigned("maxOutputDerivativeOrder", Some(cs.max_output_derivative_order));
    }
    x.flag("canRunAsynchronuously", cs.can_run_asynchronuously);
    shared_capabilities(x, &cs.interface);
    source_files(x, "CoSimulation", &cs.interface.source_files);
}

fn shared_capabilities(x: &mut Xml, interface: &Interface) {
    x.flag(
        "canBeInstantiatedOnlyOncePerProcess",
        interface.can_be_instantiated_only_once_per_process,
    );
    x.flag(
        "canNotUseMemoryManagementFunctions",
        interface.can_not_use_memory_management_functions,
    );
    x.flag("canGetAndSetFMUstate", interface.can_get_and_set_fmu_state);
    x.flag("canSerializeFMUstate", interface.can_serialize_fmu_state);
    x.flag(
        "providesDirectionalDerivative",
        interface.provides_directional_derivative,
    );
}

/// Ends the element of an interface, with `SourceFiles` inside it if there are any.
fn source_files(x: &mut Xml, element: &str, files: &[String]) {
    if files.is_empty() {
        x.close_empty();
        return;
    }
    x.content();
    x.list("SourceFiles", files, |x, file| {
        x.open("File");
        x.string("name", file);
        x.close_empty();
    });
    x.close(element);
}

fn simple_type(x: &mut Xml, simple_type: &SimpleType) {
    x.open("SimpleType");
    x.string("name", &simple_type.name);
    x.optional_string("description", &simple_type.description);
    x.content();
    match &simple_type.kind {
        TypeKind::Real(attributes) => {
            x.open("Real");
            real_attributes(x, attributes);
            x.close_empty();
        }
        TypeKind::Integer(attributes) => {
            x.open("Integer");
            integer_attributes(x, attributes);
            x.close_empty();
        }
        // Clocks and binary data are of FMI 3.0; a type of 2.0 that has room for their values stands for them.
        TypeKind::Boolean | TypeKind::Clock(_) => {
            x.open("Boolean");
            x.close_empty();
        }
        TypeKind::String | TypeKind::Binary { .. } => {
            x.open("String");
            x.close_empty();
        }
        TypeKind::Enumeration { quantity, items, .. } => {
            x.open("Enumeration");
            x.optional_string("quantity", quantity);
            x.content();
            for item in items {
                enumeration_item(x, item);
            }
            x.close("Enumeration");
        }
    }
    x.close("SimpleType");
}

fn real_attributes(x: &mut Xml, a: &RealAttributes) {
    x.optional_string("quantity", &a.quantity);
    x.optional_string("unit", &a.unit);
    x.optional_string("displayUnit", &a.display_unit);
    x.optional_flag("relativeQuantity", a.relative_quantity);
    x.optional_real("min", a.min);
    x.optional_real("max", a.max);
    x.optional_real("nominal", a.nominal);
    x.optional_flag("unbounded", a.unbounded);
}

fn scalar_variable(x: &mut Xml, v: &ModelVariable) {
    x.open("ScalarVariable");
    x.string("name", &v.name);
    x.optional_unsigned("valueReference", Some(v.value_reference));
    x.optional_string("description", &v.description);
    if v.causality != Causality::default() {
        // FMI 2.0 has no structural parameters.
        let causality = match v.causality {
            Causality::StructuralParameter => Causality::Parameter,
            causality => causality,
        };
        x.string("causality", causality.as_str());
    }
    // The default is `continuous` for every type, and only a Real may have it.
    if v.variability != Variability::default() || !matches!(v.kind, VariableKind::Real { .. }) {
        x.string("variability", v.variability.as_str());
    }
    if let Some(initial) = v.initial {
        x.string("initial", initial.as_str());
    }
    x.optional_flag(
        "canHandleMultipleSetPerTimeInstant",
        v.can_handle_multiple_set_per_time_instant,
    );
    x.content();
    match &v.kind {
        VariableKind::Real {
            declared_type,
            attributes,
            start,
            derivative,
            reinit,
        } => {
            x.open("Real");
            x.optional_string("declaredType", declared_type);
            real_attributes(x, attributes);
            x.optional_real("start", start.one());
            x.optional_unsigned("derivative", derivative.map(Reference::index));
            x.flag("reinit", *reinit);
        }
        VariableKind::Integer {
            declared_type,
            attributes,
            start,
        } => {
            x.open("Integer");
            x.optional_string("declaredType", declared_type);
            integer_attributes(x, attributes);
            x.optional_integer("start", start.one());
        }
        VariableKind::Boolean { declared_type, start } => {
            x.open("Boolean");
            x.optional_string("declaredType", declared_type);
            x.optional_flag("start", start.one());
        }
        VariableKind::Clock { declared_type, .. } => {
            x.open("Boolean");
            x.optional_string("declaredType", declared_type);
        }
        VariableKind::Binary { declared_type, .. } => {
            x.open("String");
            x.optional_string("declaredType", declared_type);
        }
        VariableKind::String { declared_type, start } => {
            x.open("String");
            x.optional_string("declaredType", declared_type);
            if let Start::One(start) = start {
                x.string("start", start);
            }
        }
        VariableKind::Enumeration {
            declared_type,
            attributes,
            start,
        } => {
            x.open("Enumeration");
            x.string("declaredType", declared_type);
            integer_attributes(x, attributes);
            x.optional_integer("start", start.one());
        }
    }
    x.close_empty();
    x.list("Annotations", &v.annotations, tool);
    x.close("ScalarVariable");
}

fn tool(x: &mut Xml, tool: &VendorAnnotation) {
    annotation(x, "Tool", "name", tool);
}

fn unknown(x: &mut Xml, unknown: &Unknown, with_dependencies: bool) {
    x.open("Unknown");
    x.optional_unsigned("index", Some(unknown.variable.index()));
    if with_dependencies {
        dependencies(x, unknown, Reference::index);
    }
    x.close_empty();
}
