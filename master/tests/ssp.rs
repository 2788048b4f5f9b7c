//! SSP files in the shapes that other tools write.

#[path = "common/relay.rs"]
mod relay;

use master::System;
use relay::zip::{Entry, archive};
use relay::{Folder, last, relay as fmu, run};

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
<ssd:SystemStructureDescription xmlns:ssd=\"http://ssp-standard.org/SSP1/SystemStructureDescription\" \
xmlns:ssc=\"http://ssp-standard.org/SSP1/SystemStructureCommon\" \
xmlns:ssv=\"http://ssp-standard.org/SSP1/SystemStructureParameterValues\" \
xmlns:ssm=\"http://ssp-standard.org/SSP1/SystemStructureParameterMapping\" name=\"plant\" version=\"1.0\">\n";
const TAIL: &str = "\n</ssd:SystemStructureDescription>\n";

/// A component with its usual connectors, in one line.
fn component(name: &str, more: &str) -> String {
    format!(
        "<ssd:Component name=\"{name}\" type=\"application/x-fmu-sharedlibrary\" source=\"resources/relay.fmu\"><ssd:Connectors>\
         <ssd:Connector name=\"u\" kind=\"input\"><ssc:Real unit=\"m\"/><ssd:ConnectorGeometry x=\"0\" y=\"0.5\"/></ssd:Connector>\
         <ssd:Connector name=\"y\" kind=\"output\"><ssc:Real/></ssd:Connector>\
         <ssd:Connector name=\"gain\" kind=\"parameter\"><ssc:Real/></ssd:Connector>\
         </ssd:Connectors>{more}</ssd:Component>\n"
    )
}

fn parameters(inside: &str) -> String {
    format!("<ssd:ParameterBindings>{inside}</ssd:ParameterBindings>")
}

fn inline(parameters: &str) -> String {
    format!(
        "<ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version=\"1.0\" name=\"p\"><ssv:Parameters>\
         {parameters}</ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding>"
    )
}

fn real(name: &str, value: f64) -> String {
    format!("<ssv:Parameter name=\"{name}\"><ssv:Real value=\"{value}\"/></ssv:Parameter>")
}

fn wire(from: &str, to: &str, more: &str) -> String {
    let end = |side: &str, name: &str| match name.split_once('.') {
        Some((element, connector)) => {
            format!("{side}Element=\"{element}\" {side}Connector=\"{connector}\"")
        }
        None => format!("{side}Connector=\"{name}\""),
    };
    format!(
        "<ssd:Connection {} {}>{more}</ssd:Connection>\n",
        end("start", from),
        end("end", to)
    )
}

fn system(inside: &str) -> String {
    format!("{HEAD}<ssd:System name=\"root\">\n{inside}</ssd:System>{TAIL}")
}

fn elements(inside: &str) -> String {
    format!("<ssd:Elements>\n{inside}</ssd:Elements>\n")
}

fn connections(inside: &str) -> String {
    format!("<ssd:Connections>\n{inside}</ssd:Connections>\n")
}

/// An archive with this description, the FMU, and other files.
fn open(folder: &Folder, description: &str, files: &[(&str, &[u8])]) -> Result<System, master::SystemError> {
    let mut entries = vec![
        Entry::new("SystemStructure.ssd", description.as_bytes()),
        Entry::new("resources/relay.fmu", &fmu("", "")),
    ];
    entries.extend(files.iter().map(|(name, bytes)| Entry::new(name, bytes)));
    System::open(folder.write("plant.ssp", &archive(&entries)))
}

fn opened(description: &str, files: &[(&str, &[u8])]) -> System {
    let folder = Folder::new();
    open(&folder, description, files).unwrap_or_else(|error| panic!("{error}\n{description}"))
}

/// The last values of two outputs after a run, with an algorithm that needs no more than one step to settle a chain.
fn ends(system: &System, names: [&str; 2]) -> [f64; 2] {
    let results = run(&mut system.assemble().expect("it fits"));
    names.map(|name| last(&results, name))
}

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
fn damaged_descriptions_never_do_more_than_fail() {
    let folder = Folder::new();
    let text = system(
        &(elements(&(component("a", &parameters(&inline(&real("u", 2.0)))) + &component("b", "")))
            + &connections(&wire("a.y", "b.u", "<ssc:LinearTransformation factor=\"10\"/>"))),
    );
    let text = text.replace("resources/relay.fmu", "relay.fmu");
    assert!(System::open(folder.write("whole.ssd", text.as_bytes())).is_ok());
    for cut in (0..text.len())
        .step_by(7)
        .filter(|cut| text.is_char_boundary(*cut))
    {
        let path = folder.write("cut.ssd", text[..cut].as_bytes());
        assert!(System::open(&path).is_err(), "{cut}");
        // One character less may still be a description, of something else.
        let without = format!("{}{}", &text[..cut], text.get(cut + 1..).unwrap_or_default());
        let _ =
            System::open(folder.write("hole.ssd", without.as_bytes())).and_then(|system| system.assemble());
    }
    let deep = format!("{HEAD}{}", "<ssd:System>".repeat(100_000));
    let error = System::open(folder.write("deep.ssd", deep.as_bytes())).expect_err("it is too deep");
    assert!(
        error.to_string().ends_with("elements are nested too deeply"),
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

#[test]
fn what_is_wrong_or_unsupported_is_a_sentence() {
    let a = component("a", "");
    let both = elements(&(component("a", "") + &component("b", "")));
    let binding = |inside: &str| elements(&component("a", &parameters(inside)));
    for (inside, sentence) in [
        (
            "<ssd:SignalDictionaries><ssd:SignalDictionary name=\"bus\"/></ssd:SignalDictionaries>"
                .to_owned(),
            "line 4: <SignalDictionaries> is not supported",
        ),
        (
            elements("<ssd:SignalDictionaryReference name=\"bus\" dictionary=\"bus\"/>"),
            "line 5: <SignalDictionaryReference> is not supported",
        ),
        (
            both.clone() + &connections(&wire("a.y", "b.u", "<ssc:BooleanMappingTransformation/>")),
            "line 9: <BooleanMappingTransformation> is not supported",
        ),
        (
            elements(&a.replace("application/x-fmu-sharedlibrary", "text/x-modelica")),
            "line 5: component a is of type text/x-modelica; only FMUs are supported",
        ),
        (
            elements(&a.replace("type=", "implementation=\"ModelExchange\" type=")),
            "line 5: component a is for Model Exchange; only Co-Simulation is supported",
        ),
        (
            elements(&a.replace("<ssc:Real/>", "<ssc:Real/><ssd:Dimension size=\"3\"/>")),
            "line 5: <Dimension> is not supported",
        ),
        (
            elements(&a.replace("source=\"resources/relay.fmu\"", "")),
            "line 5: <Component> has no attribute source",
        ),
        (
            elements(&a.replace("resources/relay.fmu", "resources/other.fmu")),
            "line 5: source 'resources/other.fmu' is not in the archive",
        ),
        (
            elements(&a.replace("resources/relay.fmu", "../../relay.fmu")),
            "line 5: source '../../relay.fmu' leaves the archive by `..`",
        ),
        (
            elements(&a.replace("resources/relay.fmu", "https://example.org/relay.fmu")),
            "line 5: source 'https://example.org/relay.fmu' is not a file of this system, which is not supported",
        ),
        (elements(&(a.clone() + &a)), "line 6: two elements are called 'a'"),
        (
            both.clone() + &connections(&wire("a.y", "c.u", "")),
            "line 9: no element is called 'c'; did you mean 'a'?",
        ),
        (
            both.clone() + &connections(&wire("drive", "b.u", "")),
            "line 9: the system has no connector 'drive'",
        ),
        (
            both.clone() + &connections(&wire("a.u", "b.u", "")),
            "line 9: a.u and b.u are both sinks: they cannot be connected",
        ),
        (
            both.clone() + &connections(&wire("a.y", "b.y", "")),
            "line 9: a.y and b.y are both sources: they cannot be connected",
        ),
        (
            both.clone() + &connections(&(wire("a.y", "b.u", "") + &wire("b.y", "b.u", ""))),
            "line 10: b.u has two sources; an input takes one",
        ),
        (
            both.clone() + &connections(&wire("a.y", "b.gain", "")),
            "line 9: b.gain is a parameter: connections of parameters between components are not supported",
        ),
        (
            both.clone() + &connections("<ssd:Connection startElement=\"a\" startConnector=\"y\"/>"),
            "line 9: <Connection> has no attribute endConnector",
        ),
        (
            both.clone()
                + &connections(
                    &wire("a.y", "b.u", "")
                        .replace("<ssd:Connection ", "<ssd:Connection startIndices=\"1\" "),
                ),
            "line 9: startIndices of <Connection> is not supported",
        ),
        (
            both.clone() + &connections(&wire("a.y", "b.u", "<ssc:LinearTransformation factor=\"big\"/>")),
            "line 9: factor=\"big\" of <LinearTransformation> cannot be read",
        ),
        (
            binding("<ssd:ParameterBinding source=\"none.ssv\"/>"),
            "line 5: source 'none.ssv' is not in the archive",
        ),
        (
            binding("<ssd:ParameterBinding source=\"x.ssv\" sourceBase=\"component\"/>"),
            "line 5: sourceBase=\"component\" of <ParameterBinding> is not supported",
        ),
        (
            binding("<ssd:ParameterBinding/>"),
            "line 5: <ParameterBinding> has neither a source nor <ParameterValues>",
        ),
        (
            binding(&inline(
                "<ssv:Parameter name=\"b\"><ssv:Binary value=\"00\"/></ssv:Parameter>",
            )),
            "line 5: <Binary> is not supported",
        ),
        (
            binding(&inline(
                "<ssv:Parameter name=\"gain\"><ssv:String value=\"much\"/></ssv:Parameter>",
            )),
            "line 5: a.gain is a Real, and 'much' is none",
        ),
        (
            binding(&inline("<ssv:Parameter name=\"b\"/>")),
            "line 5: parameter b has no value",
        ),
        (
            "<ssd:Elements>\n".to_owned(),
            "line 5: ill-formed document: expected `</ssd:Elements>`, but `</ssd:System>` was found",
        ),
    ] {
        let folder = Folder::new();
        let found = open(&folder, &system(&inside), &[]).and_then(|system| system.assemble());
        let said = match found {
            Ok(_) => "nothing".to_owned(),
            Err(error) => folder.plain(&error.to_string()),
        };
        assert_eq!(
            said,
            format!("plant.ssp/SystemStructure.ssd, {sentence}"),
            "{inside}"
        );
    }
}

#[test]
fn mistakes_in_other_files_are_named_there() {
    let folder = Folder::new();
    let text = system(&elements(&component(
        "a",
        &parameters("<ssd:ParameterBinding source=\"p.ssv\"/>"),
    )));
    let values = "<ParameterSet name=\"p\" version=\"1.0\"><Parameters>\n<Parameter><Real value=\"1\"/></Parameter>\n</Parameters></ParameterSet>";
    for (values, sentence) in [
        (
            values,
            "plant.ssp/p.ssv, line 2: <Parameter> has no attribute name",
        ),
        (
            "<Other/>",
            "plant.ssp/p.ssv, line 1: this is <Other>, and should be <ParameterSet>",
        ),
        ("", "plant.ssp/p.ssv, line 1: there is no element"),
    ] {
        let error = open(&folder, &text, &[("p.ssv", values.as_bytes())]).expect_err(sentence);
        assert_eq!(folder.plain(&error.to_string()), sentence);
    }
}

#[test]
fn archives_that_are_none_are_refused() {
    let folder = Folder::new();
    let said = |bytes: &[u8]| {
        let error = System::open(folder.write("plant.ssp", bytes)).expect_err("it is refused");
        folder.plain(&error.to_string())
    };
    assert_eq!(
        said(b"no archive"),
        "cannot unpack plant.ssp: it is no zip archive, or its end is missing"
    );
    assert_eq!(
        said(&archive(&[Entry::new("a.txt", b"a")])),
        "plant.ssp: the archive has no SystemStructure.ssd"
    );
    let escaping = archive(&[
        Entry::new("SystemStructure.ssd", system("").as_bytes()),
        Entry::new("../evil.txt", b"a"),
    ]);
    assert_eq!(
        said(&escaping),
        "cannot unpack plant.ssp: entry `../evil.txt` has a name that leaves the archive by `..`: it is not unpacked"
    );
}

#[test]
fn fmus_of_another_standard_are_told() {
    let folder = Folder::new();
    let description = include_str!("fmus/relay.xml").replace("fmiVersion=\"2.0\"", "fmiVersion=\"3.0\"");
    let description = description.replace("UNIT_IN", "").replace("UNIT_OUT", "");
    let text = system(&elements(&component("a", "").replace("relay.fmu", "three.fmu")));
    let three = relay::packed(&description);
    let system = open(&folder, &text, &[("resources/three.fmu", &three)]).expect("it is read");
    let error = system.assemble().err().expect("it is refused");
    let said = folder.plain(&error.to_string());
    assert!(
        said.starts_with("plant.ssp/SystemStructure.ssd, line 5, component a: "),
        "{said}"
    );
    assert!(said.contains("3.0"), "{said}");
}
