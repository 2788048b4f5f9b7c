use fmu_standard::description::{
    CoSimulation, EnumerationItem, LogCategory, ModelExchange, Reference, SimpleType, Unknown,
};

use super::*;

fn variable(name: &str, value_reference: u32, kind: VariableKind) -> ModelVariable {
    ModelVariable {
        name: name.to_owned(),
        value_reference,
        kind,
        ..Default::default()
    }
}

fn real(start: Option<f64>, derivative: Option<usize>) -> VariableKind {
    VariableKind::Real {
        declared_type: None,
        attributes: RealAttributes::default(),
        start: start.into(),
        derivative: derivative.map(Reference::to),
        reinit: false,
    }
}

/// A rod of three cells with a switch.
fn rod() -> ModelDescription {
    let mut variables = Vec::new();
    for cell in 1..=3 {
        variables.push(variable(
            &format!("T[{cell}]"),
            cell - 1,
            real(Some(293.15), None),
        ));
    }
    let mut source = variable("source", 3, real(Some(2.5), None));
    source.description = Some("Heat <into> the rod".to_owned());
    source.causality = Causality::Parameter;
    source.variability = Variability::Tunable;
    if let VariableKind::Real { attributes, .. } = &mut source.kind {
        attributes.unit = Some("W".to_owned());
        attributes.min = Some(0.0);
    }
    variables.push(source);
    let attributes = IntegerAttributes::default();
    let mode = VariableKind::Enumeration {
        declared_type: "Mode".to_owned(),
        attributes,
        start: Start::One(2),
    };
    variables.push(variable("mode", 0, mode));
    for cell in 1..=3 {
        let state = cell as usize - 1;
        let mut derivative = variable(&format!("der(T[{cell}])"), cell + 3, real(None, Some(state)));
        derivative.initial = Some(Initial::Calculated);
        variables.push(derivative);
    }
    let items = [("Off", 1), ("On", 2)].map(|(name, value)| EnumerationItem {
        name: name.to_owned(),
        value,
        description: None,
    });
    let mut description = ModelDescription {
        fmi_version: "2.0".to_owned(),
        model_name: "Rod".to_owned(),
        description: Some("A rod & its heat.".to_owned()),
        guid: "{1}".to_owned(),
        model_exchange: Some(ModelExchange::default()),
        co_simulation: Some(CoSimulation::default()),
        number_of_event_indicators: Some(1),
        model_variables: variables,
        log_categories: vec![LogCategory {
            name: "events".to_owned(),
            description: None,
        }],
        type_definitions: vec![SimpleType {
            name: "Mode".to_owned(),
            description: None,
            kind: TypeKind::Enumeration {
                quantity: None,
                min: None,
                max: None,
                items: items.into(),
            },
        }],
        ..ModelDescription::default()
    };
    description.model_structure.derivatives = (5..8).map(Unknown::at).collect();
    description
}

/// The cells of the table of variables, row by row.
fn cells(page: &str) -> Vec<Vec<String>> {
    let body = page
        .split("<tbody>")
        .nth(1)
        .unwrap()
        .split("</tbody>")
        .next()
        .unwrap();
    let rows = body
        .lines()
        .filter_map(|line| line.strip_prefix("<tr><td>")?.strip_suffix("</td></tr>"));
    rows.map(|row| row.split("</td><td>").map(str::to_owned).collect())
        .collect()
}

#[test]
fn the_table_has_what_one_needs_to_use_a_variable() {
    let table = cells(&page(&rod()));
    let source = table.iter().find(|row| row[0].contains("source")).unwrap();
    let expected = [
        "Heat &lt;into&gt; the rod",
        "Real",
        "2.5",
        "W",
        "≥ 0",
        "parameter",
        "tunable",
        "3",
    ];
    assert_eq!(source[1..], expected);
    let mode = table.iter().find(|row| row[0].contains("mode")).unwrap();
    assert_eq!(mode[2..4], ["Mode", "On"], "an enumeration shows its names");
}

#[test]
fn elements_of_an_array_that_are_alike_share_a_row() {
    let table = cells(&page(&rod()));
    assert_eq!(table[0][0], "<code>T[1]</code> … <code>T[3]</code>");
    assert_eq!(table[0][8], "0 … 2");
    assert_eq!(table[0][1].trim(), "<em>state</em>");
    assert_eq!(table[3][0], "<code>der(T[1])</code> … <code>der(T[3])</code>");
    assert_eq!(table[3][3], "<em>calculated</em>");
    assert_eq!(table.len(), 4);

    let mut different = rod();
    if let VariableKind::Real { start, .. } = &mut different.model_variables[1].kind {
        *start = Start::One(300.0);
    }
    assert_eq!(
        cells(&page(&different)).len(),
        6,
        "a start of its own needs a row of its own"
    );
}

#[test]
fn the_page_names_the_model_and_stands_alone() {
    let page = page(&rod());
    for text in [
        "<title>Rod</title>",
        "<p>A rod &amp; its heat.</p>",
        "FMI 2.0, Model Exchange and Co-Simulation",
        "3 continuous states, 1 event indicator",
        "fmpy simulate Rod.fmu --show-plot",
        "start_values={&quot;source&quot;: 2.5}",
        "<tr><td>2</td><td>On</td><td></td></tr>",
        "<code>events</code>",
    ] {
        assert!(page.contains(text), "{text} is missing in\n{page}");
    }
    for outside in ["<script", "src=", "<link", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
}
