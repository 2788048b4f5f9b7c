//! SSP files that are wrong, damaged, hostile, or ask for more than there is.

use test_support::relay;
use test_support::ssp;

use fmu_master::System;
use relay::Folder;
use ssp::{HEAD, component, connections, elements, inline, open, parameters, real, system, wire};
use test_support::zip::{Entry, archive};

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
        let path = folder.write("cut.ssd", &text.as_bytes()[..cut]);
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
fn what_is_wrong_or_unsupported_is_a_sentence() {
    let a = component("a", "");
    let both = elements(&(component("a", "") + &component("b", "")));
    let binding = |inside: &str| elements(&component("a", &parameters(inside)));
    for (inside, sentence) in [
        (
            elements(&(a.clone() + "<ssd:SignalDictionaryReference name=\"bus\" dictionary=\"can\"/>\n"))
                + &connections(&wire("a.y", "bus.s", "")),
            "line 6: there is no signal dictionary 'can' here",
        ),
        (
            "<ssd:SignalDictionaries><ssd:SignalDictionary name=\"can\"><ssb:SignalDictionary>\
             <ssb:DictionaryEntry name=\"t\"/></ssb:SignalDictionary></ssd:SignalDictionary></ssd:SignalDictionaries>\n"
                .to_owned()
                + &elements(&(a.clone() + "<ssd:SignalDictionaryReference name=\"bus\" dictionary=\"can\"/>\n"))
                + &connections(&wire("a.y", "bus.s", "")),
            "line 10: the signal dictionary can has no entry 's'",
        ),
        (
            elements(
                "<ssd:Component name=\"in\" type=\"application/x-ssp-definition\" source=\"SystemStructure.ssd\"/>",
            ),
            "line 5: systems are nested too deeply, or one contains itself",
        ),
        (
            both.clone() + &connections(&wire("a.y", "b.u", "<ssc:BooleanMappingTransformation/>")),
            "line 9: <BooleanMappingTransformation> has no <MapEntry>",
        ),
        (
            elements(&a.replace("application/x-fmu-sharedlibrary", "text/x-modelica")),
            "line 5: component a is of type text/x-modelica; only FMUs and SSP files are supported",
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
            "line 5: other.fmu is not in the archive; --fmus DIR names a folder to look in",
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
        "cannot unpack plant.ssp: it is not a zip archive, or its end is missing"
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
fn fmus_of_another_standard_are_reported() {
    let folder = Folder::new();
    let description = relay::DESCRIPTION.replace("fmiVersion=\"2.0\"", "fmiVersion=\"3.0\"");
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
