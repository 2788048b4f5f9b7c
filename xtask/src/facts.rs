//! The facts of a `modelDescription.xml` that the C driver needs, as a text file that is easy to read in C: one record per
//! line, fields separated by tabs, every byte that is not plain as `%XX`, a value that is present begins with `=`.

use std::fmt::Write as _;
use std::path::Path;

use fmu_standard::description::{
    Interface, ModelDescription, ModelVariable, Reference, TypeKind, VariableKind,
};
use fmu_standard::legality::effective_initial;

/// Writes the facts of one unpacked FMU.
pub fn write(
    description: &ModelDescription,
    library: &Path,
    resources: &Path,
    reads_resources: bool,
) -> String {
    let mut text = String::new();
    let mut record = |fields: &[&str]| {
        let line: Vec<String> = fields.iter().map(|field| encode(field)).collect();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}", line.join("\t"));
    };
    record(&["model", &description.model_name]);
    record(&["guid", &description.guid]);
    record(&["library", &library.to_string_lossy()]);
    record(&["resources", &resources.to_string_lossy()]);
    record(&["reads_resources", bit(reads_resources)]);
    if let Some(interface) = &description.model_exchange {
        record(&interface_fields("ModelExchange", &interface.interface));
    }
    if let Some(interface) = &description.co_simulation {
        record(&interface_fields("CoSimulation", &interface.interface));
        record(&[
            "steps",
            bit(interface.can_handle_variable_communication_step_size),
            bit(interface.can_interpolate_inputs),
            &interface.max_output_derivative_order.to_string(),
        ]);
    }
    for category in &description.log_categories {
        record(&["category", &category.name]);
    }
    let experiment = description.default_experiment.unwrap_or_default();
    let start = experiment.start_time.unwrap_or(0.0);
    let stop = experiment.stop_time.unwrap_or(start + 1.0);
    let step = experiment.step_size.unwrap_or(0.0);
    record(&[
        "experiment",
        &start.to_string(),
        &stop.to_string(),
        &step.to_string(),
    ]);
    record(&[
        "indicators",
        &description.number_of_event_indicators.unwrap_or(0).to_string(),
    ]);
    for variable in &description.model_variables {
        let fields = variable_fields(description, variable);
        record(&fields.iter().map(String::as_str).collect::<Vec<_>>());
    }
    for unknown in &description.model_structure.derivatives {
        let derivative = description.variable(unknown.variable);
        let state = match derivative.map(|variable| &variable.kind) {
            Some(VariableKind::Real {
                derivative: Some(state),
                ..
            }) => state.index(),
            _ => 0,
        };
        record(&["state", &state.to_string(), &unknown.variable.index().to_string()]);
    }
    let structure = &description.model_structure;
    let simulated = structure
        .outputs
        .iter()
        .chain(&structure.derivatives)
        .map(|unknown| ("simulation", unknown));
    let initial = structure
        .initial_unknowns
        .iter()
        .map(|unknown| ("initial", unknown));
    for (when, unknown) in simulated.chain(initial) {
        if let Some(dependencies) = &unknown.dependencies {
            let list: String = dependencies
                .iter()
                .map(|known| format!("{} ", known.index()))
                .collect();
            record(&[
                "dependencies",
                when,
                &unknown.variable.index().to_string(),
                &format!(" {list}"),
            ]);
        }
    }
    text
}

fn bit(value: bool) -> &'static str {
    if value { "1" } else { "0" }
}

fn interface_fields<'a>(name: &'a str, interface: &Interface) -> [&'a str; 6] {
    [
        "interface",
        name,
        bit(interface.can_get_and_set_fmu_state),
        bit(interface.can_serialize_fmu_state),
        bit(interface.provides_directional_derivative),
        bit(interface.can_not_use_memory_management_functions),
    ]
}

/// `-`, or `=` and the value.
fn optional(value: Option<impl ToString>) -> String {
    value.map_or("-".to_owned(), |value| format!("={}", value.to_string()))
}

fn variable_fields(description: &ModelDescription, variable: &ModelVariable) -> [String; 12] {
    let initial = effective_initial(variable.causality, variable.variability, variable.initial);
    let declared = |name: &Option<String>| {
        let found = description
            .type_definitions
            .iter()
            .find(|t| Some(&t.name) == name.as_ref());
        found.map(|t| &t.kind)
    };
    let (kind, start, min, max, nominal, derivative) = match &variable.kind {
        VariableKind::Real {
            declared_type,
            attributes,
            start,
            derivative,
            ..
        } => {
            let inherited = match declared(declared_type) {
                Some(TypeKind::Real(inherited)) => inherited.clone(),
                _ => Default::default(),
            };
            (
                "Real",
                optional(start.one()),
                optional(attributes.min.or(inherited.min)),
                optional(attributes.max.or(inherited.max)),
                optional(attributes.nominal.or(inherited.nominal)),
                derivative.map_or(0, Reference::index),
            )
        }
        VariableKind::Integer {
            declared_type,
            attributes,
            start,
        } => {
            let inherited = match declared(declared_type) {
                Some(TypeKind::Integer(inherited)) => inherited.clone(),
                _ => Default::default(),
            };
            let (min, max) = (attributes.min.or(inherited.min), attributes.max.or(inherited.max));
            (
                "Integer",
                optional(start.one()),
                optional(min),
                optional(max),
                optional(None::<f64>),
                0,
            )
        }
        VariableKind::Enumeration {
            declared_type,
            attributes,
            start,
        } => {
            let values: Vec<i128> = match declared(&Some(declared_type.clone())) {
                Some(TypeKind::Enumeration { items, .. }) => {
                    items.iter().map(|item| item.value.into()).collect()
                }
                _ => Vec::new(),
            };
            let min = attributes.min.or(values.iter().min().copied());
            let max = attributes.max.or(values.iter().max().copied());
            (
                "Enumeration",
                optional(start.one()),
                optional(min),
                optional(max),
                optional(None::<f64>),
                0,
            )
        }
        VariableKind::Boolean { start, .. } => without_range("Boolean", optional(start.one())),
        VariableKind::String { start, .. } => without_range("String", optional(start.one())),
        VariableKind::Binary { .. } | VariableKind::Clock { .. } => {
            without_range(variable.kind.name(), optional(None::<f64>))
        }
    };
    [
        "variable".to_owned(),
        variable.name.clone(),
        variable.value_reference.to_string(),
        kind.to_owned(),
        variable.causality.as_str().to_owned(),
        variable.variability.as_str().to_owned(),
        initial.map_or("-", |initial| initial.as_str()).to_owned(),
        start,
        min,
        max,
        nominal,
        derivative.to_string(),
    ]
}

fn without_range(kind: &'static str, start: String) -> (&'static str, String, String, String, String, u32) {
    let absent = || "-".to_owned();
    (kind, start, absent(), absent(), absent(), 0)
}

fn encode(field: &str) -> String {
    let mut out = String::new();
    for byte in field.bytes() {
        if byte.is_ascii_graphic() && byte != b'%' {
            out.push(byte.into());
        } else {
            // Writing to a String cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use fmu_standard::description::*;

    #[test]
    fn a_record_is_one_line_whatever_the_texts_hold() {
        let mut description = ModelDescription {
            model_name: "A".to_owned(),
            guid: "{1}".to_owned(),
            ..Default::default()
        };
        description.model_variables.push(ModelVariable {
            name: "text".to_owned(),
            value_reference: 7,
            description: None,
            causality: Causality::Parameter,
            variability: Variability::Fixed,
            initial: None,
            can_handle_multiple_set_per_time_instant: None,
            kind: VariableKind::String {
                declared_type: None,
                start: Start::One("a\tb\n100 %ü".to_owned()),
            },
            ..Default::default()
        });
        let text = write(&description, Path::new("/l.so"), Path::new("/r"), false);
        let line = text
            .lines()
            .find(|line| line.starts_with("variable"))
            .unwrap_or_default();
        assert_eq!(
            line,
            "variable\ttext\t7\tString\tparameter\tfixed\texact\t=a%09b%0A100%20%25%C3%BC\t-\t-\t-\t0"
        );
    }
}
