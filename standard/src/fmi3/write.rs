//! The writer of FMI 3.0: one `String`, elements in the order of the schema.

use super::default_variability;
use crate::description::*;
use crate::xml::Xml;
use crate::xml::elements::{
    annotation, begin, default_experiment, dependencies, enumeration_item, integer_attributes,
    log_categories, unit, written_annotations,
};

/// The text of `modelDescription.xml` (FMI 3.0, UTF-8) for a description.
///
/// Attributes that equal the standard's default are left out, except the variability of parameters; floats are printed in the shortest form that reads back to the same
/// bits. The text inside a [`VendorAnnotation`] is XML already and is copied as it is. What only FMI 2.0 has is not written.
///
/// ```
/// use fmu_standard::description::{ModelDescription, ModelVariable};
///
/// let mut description = ModelDescription { fmi_version: "3.0".into(), ..Default::default() };
/// description.model_variables.push(ModelVariable { name: "x".into(), ..Default::default() });
/// let text = fmu_standard::fmi3::write(&description);
/// assert!(text.contains(r#"<Float64 name="x" valueReference="0"/>"#));
/// ```
pub fn write(description: &ModelDescription) -> String {
    document(description, true)
}

/// The same text without token, `generationTool`, `generationDateAndTime` and dependencies: what the token is computed from.
pub(crate) fn write_interface(description: &ModelDescription) -> String {
    document(description, false)
}

fn document(d: &ModelDescription, with_identity: bool) -> String {
    let mut x = begin(d, "instantiationToken", with_identity);
    x.content();

    if let Some(me) = &d.model_exchange {
        model_exchange(&mut x, me);
    }
    if let Some(cs) = &d.co_simulation {
        co_simulation(&mut x, cs);
    }
    if let Some(se) = &d.scheduled_execution {
        x.open("ScheduledExecution");
        interface(&mut x, &se.interface);
        end_of_interface(&mut x, "ScheduledExecution", &se.interface);
    }
    x.list("UnitDefinitions", &d.unit_definitions, |x, entry| {
        unit(x, entry, true)
    });
    x.list("TypeDefinitions", &d.type_definitions, type_definition);
    log_categories(&mut x, &d.log_categories);
    default_experiment(&mut x, &d.default_experiment);

    x.open("ModelVariables");
    x.content();
    for variable in &d.model_variables {
        Variable { d, v: variable }.write(&mut x);
    }
    x.close("ModelVariables");

    x.open("ModelStructure");
    x.content();
    let structure = &d.model_structure;
    for (element, unknowns) in [
        ("Output", &structure.outputs),
        ("ContinuousStateDerivative", &structure.derivatives),
        ("ClockedState", &structure.clocked_states),
        ("InitialUnknown", &structure.initial_unknowns),
        ("EventIndicator", &structure.event_indicators),
    ] {
        for unknown in unknowns {
            x.open(element);
            x.optional_unsigned("valueReference", Some(number(d, unknown.variable)));
            if with_identity {
                dependencies(&mut x, unknown, |known| number(d, known));
            }
            x.close_empty();
        }
    }
    x.close("ModelStructure");

    annotations(&mut x, &written_annotations(d, with_identity));
    x.close("fmiModelDescription");
    x.text
}

/// The value reference of a variable, or the wrong number as it was read.
fn number(d: &ModelDescription, reference: Reference) -> u32 {
    match d.variable(reference) {
        Some(variable) => variable.value_reference,
        None => reference.index(),
    }
}

fn annotations<A: std::borrow::Borrow<VendorAnnotation>>(x: &mut Xml, list: &[A]) {
    x.list("Annotations", list, |x, one| {
        annotation(x, "Annotation", "type", one.borrow())
    });
}

fn model_exchange(x: &mut Xml, me: &ModelExchange) {
    x.open("ModelExchange");
    interface(x, &me.interface);
    x.flag(
        "needsCompletedIntegratorStep",
        !me.completed_integrator_step_not_needed,
    );
    x.flag(
        "providesEvaluateDiscreteStates",
        me.provides_evaluate_discrete_states,
    );
    end_of_interface(x, "ModelExchange", &me.interface);
}

fn co_simulation(x: &mut Xml, cs: &CoSimulation) {
    x.open("CoSimulation");
    interface(x, &cs.interface);
    x.flag(
        "canHandleVariableCommunicationStepSize",
        cs.can_handle_variable_communication_step_size,
    );
    x.optional_real("fixedInternalStepSize", cs.fixed_internal_step_size);
    if cs.max_output_derivative_order != 0 {
        x.optional_unsigned("maxOutputDerivativeOrder", Some(cs.max_output_derivative_order));
    }
    if cs.recommended_intermediate_input_smoothness != 0 {
        let smoothness = cs.recommended_intermediate_input_smoothness;
        x.optional_integer("recommendedIntermediateInputSmoothness", Some(smoothness));
    }
    x.flag("providesIntermediateUpdate", cs.provides_intermediate_update);
    x.flag("mightReturnEarlyFromDoStep", cs.might_return_early_from_do_step);
    x.flag(
        "canReturnEarlyAfterIntermediateUpdate",
        cs.can_return_early_after_intermediate_update,
    );
    x.flag("hasEventMode", cs.has_event_mode);
    x.flag(
        "providesEvaluateDiscreteStates",
        cs.provides_evaluate_discrete_states,
    );
    end_of_interface(x, "CoSimulation", &cs.interface);
}

fn interface(x: &mut Xml, interface: &Interface) {
    x.string("modelIdentifier", &interface.model_identifier);
    x.flag("needsExecutionTool", interface.needs_execution_tool);
    x.flag(
        "canBeInstantiatedOnlyOncePerProcess",
        interface.can_be_instantiated_only_once_per_process,
    );
    x.flag("canGetAndSetFMUState", interface.can_get_and_set_fmu_state);
    x.flag("canSerializeFMUState", interface.can_serialize_fmu_state);
    x.flag(
        "providesDirectionalDerivatives",
        interface.provides_directional_derivative,
    );
    x.flag(
        "providesAdjointDerivatives",
        interface.provides_adjoint_derivatives,
    );
    x.flag(
        "providesPerElementDependencies",
        interface.provides_per_element_dependencies,
    );
}

fn end_of_interface(x: &mut Xml, element: &str, interface: &Interface) {
    if interface.annotations.is_empty() {
        x.close_empty();
    } else {
        x.content();
        annotations(x, &interface.annotations);
        x.close(element);
    }
}

fn type_definition(x: &mut Xml, definition: &SimpleType) {
    let element = match &definition.kind {
        TypeKind::Real(attributes) => attributes.float.as_str(),
        TypeKind::Integer(attributes) => attributes.integer.as_str(),
        other => other.name(),
    };
    let element = format!("{element}Type");
    x.open(&element);
    x.string("name", &definition.name);
    x.optional_string("description", &definition.description);
    match &definition.kind {
        TypeKind::Real(attributes) => real_attributes(x, attributes),
        TypeKind::Integer(attributes) => integer_attributes(x, attributes),
        TypeKind::Boolean | TypeKind::String => {}
        TypeKind::Binary { mime_type, max_size } => {
            x.optional_string("mimeType", mime_type);
            x.optional_unsigned("maxSize", *max_size);
        }
        TypeKind::Clock(attributes) => clock_attributes(x, attributes),
        TypeKind::Enumeration {
            quantity,
            min,
            max,
            items,
        } => {
            x.optional_string("quantity", quantity);
            x.optional_integer("min", *min);
            x.optional_integer("max", *max);
            x.content();
            for item in items {
                enumeration_item(x, item);
            }
            x.close(&element);
            return;
        }
    }
    x.close_empty();
}

fn real_attributes(x: &mut Xml, a: &RealAttributes) {
    x.optional_string("quantity", &a.quantity);
    x.optional_string("unit", &a.unit);
    x.optional_string("displayUnit", &a.display_unit);
    x.optional_flag("relativeQuantity", a.relative_quantity);
    x.optional_flag("unbounded", a.unbounded);
    for (name, bound) in [("min", a.min), ("max", a.max), ("nominal", a.nominal)] {
        if let Some(bound) = bound {
            x.attribute(name, &[bound], |x, value| x.real(*value, a.float));
        }
    }
}

fn clock_attributes(x: &mut Xml, a: &ClockAttributes) {
    x.optional_flag("canBeDeactivated", a.can_be_deactivated);
    x.optional_unsigned("priority", a.priority);
    x.string("intervalVariability", a.interval_variability.as_str());
    x.optional_real("intervalDecimal", a.interval_decimal);
    x.optional_real("shiftDecimal", a.shift_decimal);
    x.optional_flag("supportsFraction", a.supports_fraction);
    x.optional_unsigned("resolution", a.resolution);
    x.optional_unsigned("intervalCounter", a.interval_counter);
    x.optional_unsigned("shiftCounter", a.shift_counter);
}

/// A variable and the description that its references belong to.
struct Variable<'d> {
    d: &'d ModelDescription,
    v: &'d ModelVariable,
}

impl Variable<'_> {
    fn write(&self, x: &mut Xml) {
        let v = self.v;
        let element = match &v.kind {
            VariableKind::Real { attributes, .. } => attributes.float.as_str(),
            VariableKind::Integer { attributes, .. } => attributes.integer.as_str(),
            other => other.name(),
        };
        x.open(element);
        self.common_attributes(x);
        self.own_attributes(x);
        let starts = match &v.kind {
            VariableKind::String { start, .. } => start.values().len(),
            VariableKind::Binary { start, .. } => start.values().len(),
            _ => 0,
        };
        if v.annotations.is_empty() && v.dimensions.is_empty() && v.aliases.is_empty() && starts == 0 {
            x.close_empty();
            return;
        }
        x.content();
        self.children(x);
        x.close(element);
    }

    fn common_attributes(&self, x: &mut Xml) {
        let v = self.v;
        x.string("name", &v.name);
        x.optional_unsigned("valueReference", Some(v.value_reference));
        x.optional_string("description", &v.description);
        if v.causality != Causality::default() {
            x.string("causality", v.causality.as_str());
        }
        // The first editions of FMI 3.0 do not say that the default of parameters is `fixed`, and tools that follow them
        // take it for `continuous`.
        let is_parameter = matches!(
            v.causality,
            Causality::Parameter | Causality::CalculatedParameter | Causality::StructuralParameter
        );
        if is_parameter || v.variability != default_variability(v.causality, &v.kind) {
            x.string("variability", v.variability.as_str());
        }
        x.optional_flag(
            "canHandleMultipleSetPerTimeInstant",
            v.can_handle_multiple_set_per_time_instant,
        );
        if !v.clocks.is_empty() {
            x.attribute("clocks", &v.clocks, |x, clock| {
                x.digits(number(self.d, *clock).into())
            });
        }
        x.flag("intermediateUpdate", v.intermediate_update);
        x.optional_unsigned("previous", v.previous.map(|previous| number(self.d, previous)));
        if let Some(declared_type) = v.kind.declared_type() {
            x.string("declaredType", declared_type);
        }
        if let Some(initial) = v.initial {
            x.string("initial", initial.as_str());
        }
    }

    fn own_attributes(&self, x: &mut Xml) {
        match &self.v.kind {
            VariableKind::Real {
                attributes,
                start,
                derivative,
                reinit,
                ..
            } => {
                real_attributes(x, attributes);
                if start.is_some() {
                    x.attribute("start", start.values(), |x, value| {
                        x.real(*value, attributes.float)
                    });
                }
                x.optional_unsigned("derivative", derivative.map(|state| number(self.d, state)));
                x.flag("reinit", *reinit);
            }
            VariableKind::Integer {
                attributes, start, ..
            }
            | VariableKind::Enumeration {
                attributes, start, ..
            } => {
                integer_attributes(x, attributes);
                if start.is_some() {
                    x.attribute("start", start.values(), |x, value| x.integer(*value));
                }
            }
            VariableKind::Boolean { start, .. } => {
                if start.is_some() {
                    let word = |value: bool| if value { "true" } else { "false" };
                    x.attribute("start", start.values(), |x, value| x.text.push_str(word(*value)));
                }
            }
            VariableKind::String { .. } => {}
            VariableKind::Binary {
                mime_type, max_size, ..
            } => {
                x.optional_string("mimeType", mime_type);
                x.optional_unsigned("maxSize", *max_size);
            }
            VariableKind::Clock { attributes, .. } => clock_attributes(x, attributes),
        }
    }

    fn children(&self, x: &mut Xml) {
        let v = self.v;
        annotations(x, &v.annotations);
        for dimension in &v.dimensions {
            x.open("Dimension");
            match *dimension {
                Dimension::Fixed(size) => x.optional_unsigned("start", Some(size)),
                Dimension::Parameter(parameter) => {
                    x.optional_unsigned("valueReference", Some(number(self.d, parameter)));
                }
            }
            x.close_empty();
        }
        match &v.kind {
            VariableKind::String { start, .. } => {
                for text in start.values() {
                    x.open("Start");
                    x.string("value", text);
                    x.close_empty();
                }
            }
            VariableKind::Binary { start, .. } => {
                for bytes in start.values() {
                    let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
                    x.open("Start");
                    x.string("value", &digits);
                    x.close_empty();
                }
            }
            _ => {}
        }
        for alias in &v.aliases {
            x.open("Alias");
            x.string("name", &alias.name);
            x.optional_string("description", &alias.description);
            x.optional_string("displayUnit", &alias.display_unit);
            x.close_empty();
        }
    }
}
