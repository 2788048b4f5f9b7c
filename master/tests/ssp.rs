//! SSP files in the shapes that other tools write.

use test_support::relay;
use test_support::ssp;

use fmu_master::System;
use relay::{Folder, last, relay as fmu, run};
use ssp::{
    TAIL, component, connections, elements, ends, inline, open, opened, parameters, real, system, wire,
};

#[test]
fn components_connections_and_parameters() {
    let text = system(
        &(elements(
            &(component("a", &parameters(&inline(&(real("gain", 3.0) + &real("u", 2.0)))))
                + &component("b", "")),
        ) + &connections(&wire(
            "a.y",
            "b.u",
            "<ssc:LinearTransformation factor=\"10\" offset=\"1\"/><ssd:ConnectionGeometry pointsX=\"0\" pointsY=\"0\"/>",
        )) + "<ssd:Annotations><ssc:Annotation type=\"org.openmodelica\"><oms:Anything xmlns:oms=\"x\" step=\"7\"/>\
              </ssc:Annotation></ssd:Annotations>\n"),
    );
    let text = text.replace(
        TAIL,
        "<ssd:DefaultExperiment startTime=\"1\" stopTime=\"3\"><ssd:Annotations/></ssd:DefaultExperiment></ssd:SystemStructureDescription>",
    );
    let system = opened(&text, &[]);
    assert_eq!(
        (system.name.as_str(), system.settings.start, system.settings.stop),
        ("plant", 1.0, 3.0)
    );
    assert_eq!(ends(&system, ["a.y", "b.y"]), [6.0, 61.0]);
}

#[test]
fn data_flows_from_outputs_to_inputs_whatever_end_is_the_start() {
    let inside = elements(&(component("a", &parameters(&inline(&real("u", 2.0)))) + &component("b", "")));
    let system = opened(&system(&(inside + &connections(&wire("b.u", "a.y", "")))), &[]);
    assert_eq!(system.connections[0].from, "a.y");
    assert_eq!(ends(&system, ["a.y", "b.y"]), [2.0, 2.0]);
}

#[test]
fn nested_systems_are_flattened() {
    let connector = |name: &str, kind: &str| {
        format!("<ssd:Connector name=\"{name}\" kind=\"{kind}\"><ssc:Real/></ssd:Connector>")
    };
    let inner = format!(
        "<ssd:System name=\"inner\"><ssd:Connectors>{}{}{}</ssd:Connectors>\n{}{}</ssd:System>\n",
        connector("in", "input"),
        connector("out", "output"),
        connector("k", "parameter"),
        elements(&component("c", "")),
        connections(
            &(wire("in", "c.u", "<ssc:LinearTransformation factor=\"2\"/>")
                + &wire("c.y", "out", "<ssc:LinearTransformation offset=\"5\"/>")
                + &wire("k", "c.gain", "<ssc:LinearTransformation factor=\"100\"/>"))
        )
    );
    let text = system(
        &(format!(
            "<ssd:Connectors>{}{}</ssd:Connectors>\n",
            connector("drive", "input"),
            connector("result", "output")
        ) + &elements(&(component("a", "") + &inner + &component("b", "")))
            + &connections(
                &(wire("drive", "a.u", "<ssc:LinearTransformation factor=\"3\"/>")
                    + &wire("a.y", "inner.in", "<ssc:LinearTransformation offset=\"1\"/>")
                    + &wire("inner.out", "b.u", "<ssc:LinearTransformation factor=\"-1\"/>")
                    + &wire("b.y", "result", "")),
            )
            + &parameters(&inline(&(real("drive", 4.0) + &real("inner.k", 0.5))))),
    );
    let system = opened(&text, &[]);
    let names: Vec<&str> = system
        .components
        .iter()
        .map(|component| component.name.as_str())
        .collect();
    assert_eq!(names, ["a", "inner.c", "b"]);
    // a = 3 * 4; c = 50 * 2 (a + 1); b = -(c + 5).
    assert_eq!(ends(&system, ["inner.c.y", "b.y"]), [1300.0, -1305.0]);

    // What is given to a connector of the root goes the same way.
    let folder = Folder::new();
    let mut driven = system.clone();
    driven
        .read_inputs(folder.write("in.csv", b"time,drive\n0,1\n1,1\n"))
        .expect("a table");
    assert_eq!(ends(&driven, ["a.y", "inner.c.y"]), [3.0, 400.0]);
    assert_eq!(
        ends(&system.set("drive", 0.0), ["a.y", "inner.c.y"]),
        [0.0, 100.0]
    );
}

#[test]
fn connectors_that_feed_each_other_lead_nowhere() {
    let inner = format!(
        "<ssd:System name=\"n\"><ssd:Connectors><ssd:Connector name=\"a\" kind=\"input\"/><ssd:Connector name=\"b\" \
         kind=\"output\"/></ssd:Connectors>{}{}</ssd:System>\n",
        connections(&wire("a", "b", "")),
        parameters(&inline(&real("a", 1.0)))
    );
    let text = system(&(elements(&(inner + &component("c", ""))) + &connections(&wire("n.b", "n.a", ""))));
    assert_eq!(opened(&text, &[]).connections, []);
    let fed = text.replace(
        "</ssd:Connections>\n</ssd:System>\n</",
        &format!("{}</ssd:Connections>\n</ssd:System>\n</", wire("n.b", "c.u", "")),
    );
    assert_ne!(fed, text);
    let error = open(&Folder::new(), &fed, &[]).expect_err("it has no source");
    assert!(
        error.to_string().ends_with(": c.u is connected to itself"),
        "{error}"
    );
}

#[test]
fn values_come_from_files_with_prefixes_and_mappings_and_outer_ones_count() {
    let values = "<?xml version=\"1.0\"?>\n<ssv:ParameterSet xmlns:ssv=\"http://ssp-standard.org/SSP1/SystemStructureParameterValues\" \
                  version=\"1.0\" name=\"set\">\n<ssv:Parameters>\
                  <ssv:Parameter name=\"gain\"><ssv:Real value=\"7\"/></ssv:Parameter>\
                  <ssv:Parameter name=\"nobody\"><ssv:Real value=\"1\"/></ssv:Parameter>\
                  <ssv:Parameter name=\"mode_in\"><ssv:Enumeration value=\"busy\"/></ssv:Parameter>\
                  <ssv:Parameter name=\"count_in\"><ssv:Integer value=\"41\"/></ssv:Parameter>\
                  <ssv:Parameter name=\"on_in\"><ssv:Boolean value=\"true\"/></ssv:Parameter>\
                  <ssv:Parameter name=\"text_in\"><ssv:String value=\"a &amp; b\"/></ssv:Parameter>\
                  </ssv:Parameters></ssv:ParameterSet>";
    let mapping = "<ssm:ParameterMapping xmlns:ssm=\"http://ssp-standard.org/SSP1/SystemStructureParameterMapping\" \
                   xmlns:ssc=\"http://ssp-standard.org/SSP1/SystemStructureCommon\" version=\"1.0\">\
                   <ssm:MappingEntry source=\"gain\" target=\"b.u\"><ssc:LinearTransformation factor=\"2\" offset=\"1\"/>\
                   </ssm:MappingEntry></ssm:ParameterMapping>";
    let text = system(
        &(elements(&(component("a", &parameters(&inline(&real("gain", 3.0)))) + &component("b", "")))
            + &parameters(
                "<ssd:ParameterBinding source=\"resources/my%20values.ssv\" prefix=\"a.\"/>\
                 <ssd:ParameterBinding type=\"application/x-ssp-parameter-set\" source=\"resources/my%20values.ssv\">\
                 <ssd:ParameterMapping source=\"map.ssm\"/></ssd:ParameterBinding>",
            )),
    );
    let system = opened(
        &text,
        &[
            ("resources/my values.ssv", values.as_bytes()),
            ("map.ssm", mapping.as_bytes()),
        ],
    )
    .record("*");
    let results = run(&mut system.assemble().expect("it fits"));
    for (name, value) in [
        ("a.gain", 7.0),
        ("b.gain", 1.0),
        ("b.u", 15.0),
        ("a.mode_out", 2.0),
        ("a.count_out", 42.0),
        ("a.on_out", 0.0),
    ] {
        assert_eq!(last(&results, name), value, "{name}");
    }
    assert_eq!(results.texts("a.text_out").expect("a text")[0], "<a & b>");
}

#[test]
fn units_are_converted_unless_it_is_suppressed() {
    let folder = Folder::new();
    let (metres, millimetres) = (fmu("", "m"), fmu("mm", ""));
    let text = |suppressed: &str| {
        system(
            &(elements(
                &(component("a", &parameters(&inline(&real("u", 2.0)))).replace("relay.fmu", "m.fmu")
                    + &component("b", "").replace("relay.fmu", "mm.fmu")
                    + &component(
                        "c",
                        &parameters(
                            &inline("<ssv:Parameter name=\"u\"><ssv:Real value=\"3\" unit=\"inch\"/></ssv:Parameter>").replace(
                                "</ssv:Parameters>",
                                "</ssv:Parameters><ssv:Units><ssc:Unit name=\"inch\"><ssc:BaseUnit m=\"1\" factor=\"0.0254\"/>\
                                 </ssc:Unit></ssv:Units>",
                            ),
                        ),
                    )
                    .replace("relay.fmu", "mm.fmu")),
            ) + &connections(
                &wire("a.y", "b.u", "").replace("<ssd:Connection ", &format!("<ssd:Connection {suppressed} ")),
            )),
        )
    };
    for (suppressed, expected) in [("", 2000.0), ("suppressUnitConversion=\"true\"", 2.0)] {
        let files: [(&str, &[u8]); 2] = [("resources/m.fmu", &metres), ("resources/mm.fmu", &millimetres)];
        let system = open(&folder, &text(suppressed), &files).expect("it is read");
        let [b, c] = ends(&system, ["b.y", "c.y"]);
        assert_eq!(b, expected);
        assert!((c - 76.2).abs() < 1e-12, "three inches are {c} mm");
    }
}

#[test]
fn a_description_alone_names_fmus_beside_it() {
    let folder = Folder::new();
    // Some tools write no prefixes, others a byte order mark.
    let text = system(&elements(&component("a", &parameters(&inline(&real("u", 2.0))))));
    let text = text
        .replace("ssd:", "")
        .replace("xmlns:ssd=", "xmlns=")
        .replace("resources/relay.fmu", "../relay.fmu");
    let path = folder.write("deep/plant.ssd", format!("\u{feff}{text}").as_bytes());
    let system = System::open(path).expect("it is read");
    assert_eq!(ends(&system, ["a.y", "a.y"]), [2.0, 2.0]);
}
