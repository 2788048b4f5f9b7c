//! Mapping transformations of SSP 1.0 in connections and in parameter mappings, and units of connectors of the whole system.

use test_support::relay;
use test_support::ssp;

use fmu_master::System;
use fmu_master::system::Pattern;
use relay::{Folder, last, relay as fmu, run};
use ssp::{component, connections, elements, ends, inline, opened, parameters, system, wire};
use test_support::zip::{Entry, archive};

/// A mapping transformation of a kind with entries.
fn map(kind: &str, entries: &[(&str, &str)]) -> String {
    let entry =
        |(source, target): &(&str, &str)| format!("<ssc:MapEntry source=\"{source}\" target=\"{target}\"/>");
    let entries: String = entries.iter().map(entry).collect();
    format!("<ssc:{kind}MappingTransformation>{entries}</ssc:{kind}MappingTransformation>")
}

/// Component `a` feeds `b`, with what stands in the connection.
fn fed(from: &str, to: &str, more: &str) -> System {
    let both = elements(&(component("a", "") + &component("b", "")));
    opened(&system(&(both + &connections(&wire(from, to, more)))), &[])
}

#[test]
fn values_are_mapped_one_by_one() {
    // count_out = 0 + 1, on_out = not false, mode_out = idle.
    for (from, to, more, seen, value) in [
        ("a.on_out", "b.on_in", String::new(), "b.on_out", 0.0),
        (
            "a.on_out",
            "b.on_in",
            map("Boolean", &[("true", "false"), ("false", "true")]),
            "b.on_out",
            1.0,
        ),
        (
            "a.on_out",
            "b.on_in",
            map("Boolean", &[("1", "0"), ("0", "1")]),
            "b.on_out",
            1.0,
        ),
        // A Real input is given what the mapped value is.
        (
            "a.on_out",
            "b.u",
            map("Boolean", &[("1", "0"), ("0", "1")]),
            "b.y",
            0.0,
        ),
        (
            "a.count_out",
            "b.count_in",
            map("Integer", &[("1", "40"), ("2", "50")]),
            "b.count_out",
            41.0,
        ),
        (
            "a.mode_out",
            "b.mode_in",
            map("Enumeration", &[("idle", "busy"), ("busy", "idle")]),
            "b.mode_out",
            2.0,
        ),
    ] {
        let found = ends(&fed(from, to, &more), [seen, seen])[0];
        assert_eq!(found, value, "{from} -> {to} {more}");
    }
}

#[test]
fn maps_that_do_not_fit_are_sentences() {
    let refused = |from: &str, to: &str, more: &str| {
        let found = fed(from, to, more).assemble().err();
        found.expect("it is refused").to_string()
    };
    for (from, to, more, problem) in [
        (
            "a.on_out",
            "b.on_in",
            map("Boolean", &[("true", "false")]),
            "has no entry for the value false",
        ),
        (
            "a.mode_out",
            "b.mode_in",
            map("Enumeration", &[("idle", "busy")]),
            "has no entry for the value 2",
        ),
        (
            "a.mode_out",
            "b.mode_in",
            map("Enumeration", &[("idle", "asleep"), ("busy", "idle")]),
            "b.mode_in is one of idle, busy, and not 'asleep'",
        ),
        (
            "a.y",
            "b.u",
            map("Integer", &[("1", "2")]),
            "a.y is a Real number",
        ),
    ] {
        let said = refused(from, to, &more);
        assert!(said.contains(problem), "{said}");
    }
    // Which values an Integer has is seen in the run.
    let mut assembled = fed("a.count_out", "b.count_in", &map("Integer", &[("7", "8")]))
        .assemble()
        .expect("it fits");
    let mut results = fmu_results::table::Results::default();
    let error = assembled.run(&mut results, |_| true).unwrap_err().to_string();
    assert!(
        error.contains("a.count_out is 1, and the mapping to b.count_in has no entry for that"),
        "{error}"
    );
    let folder = Folder::new();
    let twice = map("Integer", &[("7", "8"), ("7", "9")]);
    let text = system(
        &(elements(&(component("a", "") + &component("b", "")))
            + &connections(&wire("a.count_out", "b.count_in", &twice))),
    );
    let error = ssp::open(&folder, &text, &[]).unwrap_err().to_string();
    assert!(error.contains("has two entries for '7'"), "{error}");
}

/// A binding with one parameter and a mapping of it.
fn bound(typed: &str, target: &str, more: &str) -> System {
    let values = inline(&format!("<ssv:Parameter name=\"p\">{typed}</ssv:Parameter>"));
    let mapping = format!(
        "<ssd:ParameterMapping><ssm:ParameterMapping version=\"1.0\"><ssm:MappingEntry source=\"p\" target=\"{target}\">\
         {more}</ssm:MappingEntry></ssm:ParameterMapping></ssd:ParameterMapping></ssd:ParameterBinding>"
    );
    let values = values.replace("</ssd:ParameterBinding>", &mapping);
    opened(&system(&elements(&component("a", &parameters(&values)))), &[])
}

#[test]
fn parameters_are_mapped_one_by_one() {
    for (typed, target, more, seen, value) in [
        (
            "<ssv:Boolean value=\"true\"/>",
            "on_in",
            map("Boolean", &[("true", "false"), ("false", "true")]),
            "a.on_out",
            1.0,
        ),
        (
            "<ssv:Boolean value=\"1\"/>",
            "on_in",
            map("Boolean", &[("true", "false")]),
            "a.on_out",
            1.0,
        ),
        (
            "<ssv:Integer value=\"3\"/>",
            "count_in",
            map("Integer", &[("3", "30")]),
            "a.count_out",
            31.0,
        ),
        (
            "<ssv:Enumeration value=\"winter\"/>",
            "mode_in",
            map("Enumeration", &[("summer", "idle"), ("winter", "busy")]),
            "a.mode_out",
            2.0,
        ),
    ] {
        assert_eq!(
            ends(&bound(typed, target, &more), [seen, seen])[0],
            value,
            "{typed} {more}"
        );
    }
}

#[test]
fn a_parameter_without_an_entry_is_an_error() {
    let folder = Folder::new();
    let values = inline("<ssv:Parameter name=\"p\"><ssv:Integer value=\"3\"/></ssv:Parameter>");
    let mapping = format!(
        "<ssd:ParameterMapping><ssm:ParameterMapping version=\"1.0\"><ssm:MappingEntry source=\"p\" target=\"count_in\">\
         {}</ssm:MappingEntry></ssm:ParameterMapping></ssd:ParameterMapping></ssd:ParameterBinding>",
        map("Integer", &[("4", "5")])
    );
    let values = values.replace("</ssd:ParameterBinding>", &mapping);
    let text = system(&elements(&component("a", &parameters(&values))));
    let error = ssp::open(&folder, &text, &[]).unwrap_err().to_string();
    assert!(
        error.contains("the mapping of p has no entry for its value 3"),
        "{error}"
    );
}

/// A system whose input and output have units, around an FMU with an input and an output in m: y = gain u.
fn with_units(folder: &Folder, unit: &str, more: &str) -> System {
    let connector = |name: &str, kind: &str| {
        format!("<ssd:Connector name=\"{name}\" kind=\"{kind}\"><ssc:Real unit=\"{unit}\"/></ssd:Connector>")
    };
    let text = system(
        &(format!(
            "<ssd:Connectors>{}{}</ssd:Connectors>\n",
            connector("in", "input"),
            connector("out", "output")
        ) + &elements(&component("a", "").replace("<ssc:Real/>", "<ssc:Real unit=\"m\"/>"))
            + &connections(&(wire("in", "a.u", "") + &wire("a.y", "out", more)))),
    );
    let entries = [
        Entry::new("SystemStructure.ssd", text.as_bytes()),
        Entry::new("resources/relay.fmu", &fmu("m", "m")),
    ];
    let mut system = System::open(folder.write("plant.ssp", &archive(&entries))).unwrap();
    system.record = ["out", "a.y"]
        .map(|name| Pattern {
            text: name.to_owned(),
            ..Pattern::default()
        })
        .to_vec();
    system.values = vec![fmu_master::system::Assignment::new("in", "3", Default::default())];
    system
}

#[test]
fn connectors_of_the_whole_system_have_their_own_units() {
    let folder = Folder::new();
    // 3 mm in, 3 mm out: inside they are metres.
    let results = run(&mut with_units(&folder, "mm", "").assemble().unwrap());
    assert!((last(&results, "a.y") - 0.003).abs() < 1e-15);
    assert!((last(&results, "out") - 3.0).abs() < 1e-12);
    // A transformation comes behind the conversion.
    let twice = "<ssc:LinearTransformation factor=\"2\" offset=\"1\"/>";
    let results = run(&mut with_units(&folder, "mm", twice).assemble().unwrap());
    assert!(
        (last(&results, "out") - 7.0).abs() < 1e-12,
        "{}",
        last(&results, "out")
    );
    // A unit that does not fit is a warning, and the value is taken as it is.
    let mut assembled = with_units(&folder, "kg", "").assemble().unwrap();
    assert!(
        assembled
            .warnings
            .iter()
            .any(|warning| warning.starts_with("out: m") && warning.contains("measure different things")),
        "{:?}",
        assembled.warnings
    );
    assert_eq!(last(&run(&mut assembled), "out"), 3.0);
    let strict = fmu_master::system::AssembleOptions::default().strict_units(true);
    assert!(with_units(&folder, "kg", "").assemble_with(&strict).is_err());
}
