//! `documentation/index.html`: what a person who receives the FMU wants to know, in one page without other files.

use std::fmt::Write;

use fmu_standard::description::{
    Causality, Initial, IntegerAttributes, ModelDescription, ModelVariable, RealAttributes, Start, TypeKind,
    Variability, VariableKind,
};

use super::html::{escape, paragraphs};
use super::progress::count;

const STYLE: &str = include_str!("document.css");

/// The page for a model.
pub fn page(description: &ModelDescription) -> String {
    let name = escape(&description.model_name);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{name}</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n<h1>{name}</h1>\n"
    );
    page.push_str(&paragraphs(
        description.description.as_deref().unwrap_or_default(),
    ));
    facts(&mut page, description);
    usage(&mut page, description);
    variables(&mut page, description);
    types(&mut page, description);
    log_categories(&mut page, description);
    page.push_str("</body>\n</html>\n");
    page
}

fn facts(page: &mut String, description: &ModelDescription) {
    let mut rows: Vec<(&str, String)> = Vec::new();
    let texts = [
        ("Author", &description.author),
        ("Version", &description.version),
        ("Copyright", &description.copyright),
        ("License", &description.license),
    ];
    rows.extend(
        texts
            .into_iter()
            .filter_map(|(label, text)| Some((label, escape(text.as_deref()?)))),
    );
    let mut interfaces = Vec::new();
    interfaces.extend(description.model_exchange.as_ref().map(|_| "Model Exchange"));
    interfaces.extend(description.co_simulation.as_ref().map(|_| "Co-Simulation"));
    rows.push((
        "Interface",
        format!(
            "FMI {}, {}",
            escape(&description.fmi_version),
            interfaces.join(" and ")
        ),
    ));
    let states = description.number_of_states();
    let indicators = description.event_indicators();
    rows.push((
        "Size",
        format!(
            "{}, {}",
            count(states, "continuous state"),
            count(indicators, "event indicator")
        ),
    ));
    if let Some(experiment) = &description.default_experiment {
        let values = [
            ("from", experiment.start_time),
            ("to", experiment.stop_time),
            ("step", experiment.step_size),
            ("tolerance", experiment.tolerance),
        ];
        let words = values
            .into_iter()
            .filter_map(|(label, value)| Some(format!("{label} {}", value?)));
        rows.push(("Experiment", words.collect::<Vec<_>>().join(", ")));
    }
    rows.push(("GUID", format!("<code>{}</code>", escape(&description.guid))));
    if let Some(tool) = &description.generation_tool {
        rows.push(("Made by", escape(tool)));
    }
    page.push_str("<table class=\"facts\">\n");
    for (label, value) in rows {
        let _ = writeln!(page, "<tr><th>{label}</th><td>{value}</td></tr>");
    }
    page.push_str("</table>\n");
}

fn usage(page: &mut String, description: &ModelDescription) {
    let file = escape(&format!("{}.fmu", description.model_name));
    let parameter = description
        .model_variables
        .iter()
        .find_map(|variable| match &variable.kind {
            VariableKind::Real {
                start: Start::One(start),
                ..
            } if variable.causality == Causality::Parameter => {
                Some(format!(", start_values={{{:?}: {start:?}}}", variable.name))
            }
            _ => None,
        });
    let parameter = escape(&parameter.unwrap_or_default());
    let _ = write!(
        page,
        "<h2>Use</h2>\n<p>Any tool that imports FMI 2.0 runs this file. With <a href=\"https://fmpy.readthedocs.io\">FMPy</a> \
         (<code>pip install fmpy[plot]</code>), on the command line</p>\n<pre>fmpy simulate {file} --show-plot</pre>\n<p>or in Python</p>\n\
         <pre>from fmpy import simulate_fmu\nfrom fmpy.util import plot_result\n\
         plot_result(simulate_fmu('{file}'{parameter}))</pre>\n"
    );
}

/// A row of the table: a variable, or consecutive elements of an array that are alike in everything.
struct Row<'a> {
    first: &'a ModelVariable,
    last: &'a ModelVariable,
}

fn rows(variables: &[ModelVariable]) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for variable in variables {
        match rows.last_mut() {
            Some(row) if alike(row.last, variable) => row.last = variable,
            _ => rows.push(Row {
                first: variable,
                last: variable,
            }),
        }
    }
    rows
}

fn alike(a: &ModelVariable, b: &ModelVariable) -> bool {
    let array = |variable: &ModelVariable| variable.name.rfind('[').map(|at| variable.name[..at].to_owned());
    let same_kind = match (&a.kind, &b.kind) {
        (
            VariableKind::Real {
                declared_type: d1,
                attributes: a1,
                start: s1,
                derivative: x1,
                reinit: r1,
            },
            VariableKind::Real {
                declared_type: d2,
                attributes: a2,
                start: s2,
                derivative: x2,
                reinit: r2,
            },
        ) => (d1, a1, s1, x1.is_some(), r1) == (d2, a2, s2, x2.is_some(), r2),
        (a, b) => a == b,
    };
    array(a).is_some_and(|name| Some(name) == array(b))
        && same_kind
        && a.description == b.description
        && (a.causality, a.variability, a.initial) == (b.causality, b.variability, b.initial)
}

fn variables(page: &mut String, description: &ModelDescription) {
    let variables = &description.model_variables;
    let _ = writeln!(
        page,
        "<h2>Variables</h2>\n<p>{}, in the order of <code>modelDescription.xml</code>.</p>",
        count(variables.len() as u64, "variable")
    );
    page.push_str(
        "<table class=\"variables\">\n<thead><tr><th>Name</th><th>Description</th><th>Type</th><th>Start</th><th>Unit</th>\
         <th>Range</th><th>Causality</th><th>Variability</th><th>Reference</th></tr></thead>\n<tbody>\n",
    );
    let is_state = states(description);
    for row in rows(variables) {
        let variable = row.first;
        let several = !std::ptr::eq(row.first, row.last);
        let mut name = format!("<code>{}</code>", escape(&variable.name));
        let mut reference = variable.value_reference.to_string();
        if several {
            let _ = write!(name, " … <code>{}</code>", escape(&row.last.name));
            let _ = write!(reference, " … {}", row.last.value_reference);
        }
        let mut text = escape(variable.description.as_deref().unwrap_or_default());
        if is_state(variable) {
            text.push_str(" <em>state</em>");
        }
        let cells = [
            name,
            text,
            type_name(&variable.kind),
            start(variable, description),
            unit(&variable.kind),
            range(&variable.kind),
            causality(variable.causality).to_owned(),
            variability(variable.variability).to_owned(),
            reference,
        ];
        let _ = writeln!(page, "<tr><td>{}</td></tr>", cells.join("</td><td>"));
    }
    page.push_str("</tbody>\n</table>\n");
}

/// Whether a variable is a continuous state: one that a listed derivative is the derivative of.
fn states(description: &ModelDescription) -> impl Fn(&ModelVariable) -> bool {
    let mut names: Vec<&str> = Vec::new();
    for unknown in &description.model_structure.derivatives {
        if let Some(VariableKind::Real {
            derivative: Some(state),
            ..
        }) = description.variable(unknown.variable).map(|v| &v.kind)
        {
            names.extend(
                description
                    .variable(*state)
                    .map(|variable| variable.name.as_str()),
            );
        }
    }
    names.sort_unstable();
    move |variable| names.binary_search(&variable.name.as_str()).is_ok()
}

fn type_name(kind: &VariableKind) -> String {
    let declared = kind.declared_type();
    declared.map_or_else(|| kind.name().to_owned(), escape)
}

fn start(variable: &ModelVariable, description: &ModelDescription) -> String {
    let start = match &variable.kind {
        VariableKind::Real { start, .. } => start.one().map(|value| value.to_string()),
        VariableKind::Integer { start, .. } => start.one().map(|value| value.to_string()),
        VariableKind::Boolean { start, .. } => start.one().map(|value| value.to_string()),
        VariableKind::String { start, .. } => start.one().map(|value| format!("“{}”", escape(&value))),
        VariableKind::Enumeration {
            start, declared_type, ..
        } => start
            .one()
            .map(|value| escape(&item_name(description, declared_type, value))),
        VariableKind::Binary { .. } | VariableKind::Clock { .. } => None,
    };
    match (start, variable.initial) {
        (Some(start), _) => start,
        (None, Some(Initial::Calculated)) => "<em>calculated</em>".to_owned(),
        (None, _) => String::new(),
    }
}

fn item_name(description: &ModelDescription, declared_type: &str, value: i128) -> String {
    let simple_type = description
        .type_definitions
        .iter()
        .find(|simple_type| simple_type.name == declared_type);
    let name = simple_type.and_then(|simple_type| match &simple_type.kind {
        TypeKind::Enumeration { items, .. } => items.iter().find(|item| i128::from(item.value) == value),
        _ => None,
    });
    name.map_or_else(|| value.to_string(), |item| item.name.clone())
}

fn unit(kind: &VariableKind) -> String {
    let VariableKind::Real {
        attributes:
            RealAttributes {
                unit: Some(unit),
                display_unit,
                ..
            },
        ..
    } = kind
    else {
        return String::new();
    };
    match display_unit {
        Some(display) => format!("{} (shown in {})", escape(unit), escape(display)),
        None => escape(unit),
    }
}

fn range(kind: &VariableKind) -> String {
    let text = |min: Option<String>, max: Option<String>| match (min, max) {
        (Some(min), Some(max)) => format!("{min} … {max}"),
        (Some(min), None) => format!("≥ {min}"),
        (None, Some(max)) => format!("≤ {max}"),
        (None, None) => String::new(),
    };
    match kind {
        VariableKind::Real {
            attributes: RealAttributes { min, max, .. },
            ..
        } => text(
            min.map(|value| value.to_string()),
            max.map(|value| value.to_string()),
        ),
        VariableKind::Integer {
            attributes: IntegerAttributes { min, max, .. },
            ..
        } => text(
            min.map(|value| value.to_string()),
            max.map(|value| value.to_string()),
        ),
        _ => String::new(),
    }
}

fn causality(causality: Causality) -> &'static str {
    match causality {
        Causality::Parameter => "parameter",
        Causality::StructuralParameter => "structural parameter",
        Causality::CalculatedParameter => "calculated parameter",
        Causality::Input => "input",
        Causality::Output => "output",
        Causality::Local => "local",
        Causality::Independent => "independent",
    }
}

fn variability(variability: Variability) -> &'static str {
    match variability {
        Variability::Constant => "constant",
        Variability::Fixed => "fixed",
        Variability::Tunable => "tunable",
        Variability::Discrete => "discrete",
        Variability::Continuous => "continuous",
    }
}

fn types(page: &mut String, description: &ModelDescription) {
    let mut heading = "<h2>Enumerations</h2>\n";
    for simple_type in &description.type_definitions {
        let TypeKind::Enumeration { items, .. } = &simple_type.kind else {
            continue;
        };
        page.push_str(std::mem::take(&mut heading));
        let _ = writeln!(page, "<h3><code>{}</code></h3>", escape(&simple_type.name));
        page.push_str(&paragraphs(
            simple_type.description.as_deref().unwrap_or_default(),
        ));
        page.push_str(
            "<table>\n<thead><tr><th>Value</th><th>Name</th><th>Description</th></tr></thead>\n<tbody>\n",
        );
        for item in items {
            let text = escape(item.description.as_deref().unwrap_or_default());
            let _ = writeln!(
                page,
                "<tr><td>{}</td><td>{}</td><td>{text}</td></tr>",
                item.value,
                escape(&item.name)
            );
        }
        page.push_str("</tbody>\n</table>\n");
    }
}

fn log_categories(page: &mut String, description: &ModelDescription) {
    if description.log_categories.is_empty() {
        return;
    }
    page.push_str("<h2>Log categories</h2>\n<table>\n");
    for category in &description.log_categories {
        let text = escape(category.description.as_deref().unwrap_or_default());
        let _ = writeln!(
            page,
            "<tr><th><code>{}</code></th><td>{text}</td></tr>",
            escape(&category.name)
        );
    }
    page.push_str("</table>\n");
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
