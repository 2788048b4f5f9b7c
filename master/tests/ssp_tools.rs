//! SSP files as other tools write them: steps in annotations, systems in files of their own, dictionaries, variants, values
//! of other types and with wrong units.

use test_support::relay;
use test_support::ssp;

use fmu_importer::archive::Limits;
use fmu_master::System;
use fmu_master::system::{AssembleOptions, Pattern};
use fmu_results::table::Results;
use relay::{Folder, last, relay as fmu, run};
use ssp::{
    HEAD, TAIL, component, connections, elements, ends, inline, open, opened, parameters, real, system, wire,
};
use test_support::zip::{Entry, archive};

/// A system with one component, in which something more stands before the components and after the system.
fn annotated(inside: &str, after: &str) -> System {
    let text = format!(
        "{HEAD}<ssd:System name=\"root\">\n{inside}{}</ssd:System>{after}{TAIL}",
        elements(&component("a", ""))
    );
    opened(&text, &[])
}

#[test]
fn entries_may_begin_with_a_dot() {
    let folder = Folder::new();
    let text = system(&elements(
        &component("a", &parameters(&inline(&real("u", 2.0)))).replace("\"resources/", "\"./resources/"),
    ));
    let bytes = archive(&[
        Entry::new("./", b""),
        Entry::new("./SystemStructure.ssd", text.as_bytes()),
        Entry::new("./resources/", b""),
        Entry::new("./resources/relay.fmu", &fmu("", "")),
    ]);
    let system = System::open(folder.write("plant.ssp", &bytes)).expect("it is read");
    assert_eq!(ends(&system, ["a.y", "a.y"]), [2.0, 2.0]);
}

#[test]
fn steps_of_known_masters_are_taken() {
    let osp = |inside: &str| {
        format!(
            "<ssd:DefaultExperiment stopTime=\"2\"><ssd:Annotations><ssc:Annotation type=\"com.opensimulationplatform\">\
             {inside}</ssc:Annotation></ssd:Annotations></ssd:DefaultExperiment>"
        )
    };
    let oms = |inside: &str| {
        format!(
            "<ssd:Annotations><ssc:Annotation type=\"org.openmodelica\">{inside}</ssc:Annotation></ssd:Annotations>\n"
        )
    };
    let base = "<osp:FixedStepAlgorithm baseStepSize=\"2.5e-2\"/>";
    let fixed = "<oms:SimulationInformation><oms:FixedStepMaster description=\"oms-ma\" stepSize=\"0.020000\" \
                 absoluteTolerance=\"0.0001\" relativeTolerance=\"0.0001\"/></oms:SimulationInformation>";
    for (system, step, master) in [
        (
            annotated("", &osp(&format!("<osp:Algorithm>{base}</osp:Algorithm>"))),
            0.025,
            "libcosim",
        ),
        (
            annotated(
                "",
                &osp(&format!(
                    "<osp:SimulationInformation>{base}</osp:SimulationInformation>"
                )),
            ),
            0.025,
            "libcosim",
        ),
        (annotated(&oms(fixed), ""), 0.02, "OMSimulator"),
        (
            annotated(&oms(&format!("<oms:Annotations>{fixed}</oms:Annotations>")), ""),
            0.02,
            "OMSimulator",
        ),
        (
            annotated(
                "<ssd:SimulationInformation><FixedStepMaster stepSize=\"0.02\"/></ssd:SimulationInformation>\n",
                "",
            ),
            0.02,
            "OMSimulator",
        ),
    ] {
        assert_eq!(system.settings.step, step);
        let notes = system.assemble().expect("it fits").notes;
        assert_eq!(
            notes,
            [format!("the step is {step}, as the file says for {master}")]
        );
    }
    // Another tool's, one that is not a number, and one that is longer than the run are not taken.
    for system in [
        annotated(
            "",
            &osp(base).replace("com.opensimulationplatform", "com.example"),
        ),
        annotated("", &osp(&base.replace("2.5e-2", "small"))),
        annotated("", &osp(&base.replace("2.5e-2", "3"))),
    ] {
        assert_eq!(system.settings.step, 0.02);
        assert!(system.assemble().expect("it fits").notes.is_empty());
    }
}

/// A system that multiplies by 5, with connectors of its own; `gain` is one of its parameters.
fn inner(source: &str) -> String {
    let connectors = "<ssd:Connectors><ssd:Connector name=\"in\" kind=\"input\"><ssc:Real/></ssd:Connector>\
                      <ssd:Connector name=\"out\" kind=\"output\"><ssc:Real/></ssd:Connector></ssd:Connectors>\n";
    let amplifier = component("amplifier", &parameters(&inline(&real("gain", 5.0))));
    let text = system(
        &(connectors.to_owned()
            + &elements(&amplifier.replace("resources/relay.fmu", source))
            + &connections(&(wire("in", "amplifier.u", "") + &wire("amplifier.y", "out", "")))),
    );
    text.replace("name=\"plant\"", "name=\"inner\"")
}

#[test]
fn systems_may_stand_in_files_of_their_own() {
    let nested = |kind: &str, source: &str, more: &str| {
        format!("<ssd:Component name=\"n\" {kind} source=\"{source}\">{more}</ssd:Component>\n")
    };
    let package = archive(&[
        Entry::new("SystemStructure.ssd", inner("resources/relay.fmu").as_bytes()),
        Entry::new("resources/relay.fmu", &fmu("", "")),
    ]);
    let beside = inner("relay.fmu");
    let above = inner("../resources/relay.fmu");
    let files: [(&str, &[u8]); 4] = [
        ("resources/inner.ssd", beside.as_bytes()),
        ("other/inner.ssd", above.as_bytes()),
        ("resources/inner.ssp", &package),
        ("resources/inner.zip", &package),
    ];
    for (kind, source) in [
        ("type=\"application/x-ssp-definition\"", "resources/inner.ssd"),
        ("type=\"application/x-ssp-definition\"", "other/inner.ssd"),
        ("", "resources/inner.ssd"),
        ("type=\"application/x-ssp-package\"", "resources/inner.ssp"),
        ("type=\"application/x-ssp-package\"", "resources/inner.zip"),
        ("", "resources/inner.ssp"),
    ] {
        // Values at the component count more than those inside.
        for (more, gain) in [
            (String::new(), 5.0),
            (parameters(&inline(&real("amplifier.gain", 7.0))), 7.0),
        ] {
            let text = system(
                &(elements(
                    &(component("a", &parameters(&inline(&real("u", 2.0)))) + &nested(kind, source, &more)),
                ) + &connections(&wire("a.y", "n.in", ""))),
            );
            let system = opened(&text, &files);
            let values = ends(&system, ["a.y", "n.amplifier.y"]);
            assert_eq!(values, [2.0, 2.0 * gain], "{source}");
        }
    }
    // A description beside its files may name a package, too.
    let folder = Folder::new();
    folder.write("inner.ssp", &package);
    let text = system(
        &(elements(
            &(component("a", &parameters(&inline(&real("u", 2.0))))
                .replace("resources/relay.fmu", "relay.fmu")
                + &nested("", "inner.ssp", "")),
        ) + &connections(&wire("a.y", "n.in", ""))),
    );
    let system = System::open(folder.write("plant.ssd", text.as_bytes())).expect("it is read");
    assert_eq!(ends(&system, ["a.y", "n.amplifier.y"]), [2.0, 10.0]);
}

#[test]
fn signals_of_a_dictionary_connect_elements_on_all_levels() {
    let reference = |name: &str| {
        format!(
            "<ssd:SignalDictionaryReference name=\"{name}\" dictionary=\"can\"><ssd:Connectors><ssd:Connector \
             name=\"speed\" kind=\"inout\"><ssc:Real/></ssd:Connector></ssd:Connectors></ssd:SignalDictionaryReference>\n"
        )
    };
    let entries = "<ssb:SignalDictionary version=\"1.0\"><ssb:DictionaryEntry name=\"speed\"><ssc:Real/>\
                   </ssb:DictionaryEntry></ssb:SignalDictionary>";
    let inner = format!(
        "<ssd:System name=\"in\">{}{}</ssd:System>\n",
        elements(&(component("c", "") + &reference("there"))),
        connections(&wire(
            "there.speed",
            "c.u",
            "<ssc:LinearTransformation factor=\"10\"/>"
        ))
    );
    let whole = |dictionary: &str| {
        system(
            &(format!("<ssd:SignalDictionaries>{dictionary}</ssd:SignalDictionaries>\n")
                + &elements(
                    &(component("a", &parameters(&inline(&real("u", 3.0))))
                        + &component("b", "")
                        + &reference("here")
                        + &inner),
                )
                // The start of a connection need not be its source.
                + &connections(&(wire("a.y", "here.speed", "") + &wire("b.u", "here.speed", "")))),
        )
    };
    for (dictionary, files) in [
        (
            format!("<ssd:SignalDictionary name=\"can\">{entries}</ssd:SignalDictionary>"),
            vec![],
        ),
        (
            "<ssd:SignalDictionary name=\"can\" source=\"can.ssb\"/>".to_owned(),
            vec![("can.ssb", entries.as_bytes())],
        ),
    ] {
        let system = opened(&whole(&dictionary), &files);
        assert_eq!(ends(&system, ["b.y", "in.c.y"]), [3.0, 30.0]);
    }
}

#[test]
fn variants_are_listed_and_chosen() {
    let folder = Folder::new();
    let with = |name: &str, u: f64| {
        system(&elements(&component("a", &parameters(&inline(&real("u", u))))))
            .replace("name=\"plant\"", &format!("name=\"{name}\""))
    };
    let bytes = archive(&[
        Entry::new("SystemStructure.ssd", with("usual", 1.0).as_bytes()),
        Entry::new("VarB.ssd", with("with trailer", 2.0).as_bytes()),
        Entry::new("extra/Other.ssd", b"no variant"),
        Entry::new("resources/relay.fmu", &fmu("", "")),
    ]);
    let path = folder.write("plant.ssp", &bytes);
    let choose = |variant| System::open_variant(&path, &Limits::default(), variant);
    for (variant, u, other) in [
        (None, 1.0, "with trailer (VarB.ssd)"),
        (Some("SystemStructure"), 1.0, "with trailer (VarB.ssd)"),
        (Some("VarB"), 2.0, "usual (SystemStructure.ssd)"),
        (Some("VarB.ssd"), 2.0, "usual (SystemStructure.ssd)"),
        (Some("with trailer"), 2.0, "usual (SystemStructure.ssd)"),
    ] {
        let system = choose(variant).expect("it is read");
        assert_eq!(ends(&system, ["a.y", "a.y"]), [u, u], "{variant:?}");
        let notes = system.assemble().expect("it fits").notes;
        assert_eq!(
            notes,
            [format!("the archive has other variants: {other} (--variant)")]
        );
    }
    let error = choose(Some("VarC")).expect_err("there is none").to_string();
    assert_eq!(
        folder.plain(&error),
        "plant.ssp: there is no variant 'VarC'; there are usual (SystemStructure.ssd), with trailer (VarB.ssd)"
    );
    let toml = folder.write("system.toml", b"[components.a]\nfmu = 'relay.fmu'\n");
    let error = System::open_variant(toml, &Limits::default(), Some("x")).expect_err("it has none");
    assert!(error.to_string().contains("only SSP archives"), "{error}");
}

#[test]
fn outputs_of_the_whole_are_recorded_by_their_names() {
    let connectors = "<ssd:Connectors><ssd:Connector name=\"speed\" kind=\"output\"><ssc:Real/></ssd:Connector>\
                      <ssd:Connector name=\"count\" kind=\"output\"><ssc:Integer/></ssd:Connector></ssd:Connectors>\n";
    let mut system = opened(
        &system(
            &(connectors.to_owned()
                + &elements(&component("a", &parameters(&inline(&real("u", 2.0)))))
                + &connections(
                    &(wire(
                        "a.y",
                        "speed",
                        "<ssc:LinearTransformation factor=\"3\" offset=\"1\"/>",
                    ) + &wire("a.count_out", "count", "")),
                )),
        ),
        &[],
    );
    let pattern = |text: &str| Pattern {
        text: text.to_owned(),
        ..Pattern::default()
    };
    system.record = ["speed", "count", "a.y"].map(pattern).to_vec();
    let results: Results = run(&mut system.assemble().expect("it fits"));
    assert_eq!(results.columns().len(), 3);
    assert_eq!(last(&results, "speed"), 7.0);
    assert_eq!(last(&results, "count"), 1.0);
    assert_eq!(last(&results, "a.y"), 2.0);
    // They are returned on request only.
    system.record = Vec::new();
    let results = run(&mut system.assemble().expect("it fits"));
    assert!(results.numbers("speed").is_none());
}

#[test]
fn units_that_a_file_does_not_define_well_are_warnings() {
    let with = |unit: &str, units: &str| {
        let set = inline(&format!(
            "<ssv:Parameter name=\"u\"><ssv:Real value=\"3\" unit=\"{unit}\"/></ssv:Parameter>"
        ));
        let text = format!(
            "{HEAD}<ssd:System name=\"root\">\n{}</ssd:System><ssd:Units>{units}</ssd:Units>{TAIL}",
            elements(&component("a", &parameters(&set)).replace("relay.fmu", "metre.fmu"))
        );
        opened(&text, &[("resources/metre.fmu", &fmu("m", "m"))])
    };
    for (unit, units, problem) in [
        (
            "furlong",
            "",
            "no unit definition describes furlong in base units",
        ),
        (
            "mm",
            "<ssc:Unit name=\"mm\"><ssc:BaseUnit kg=\"1\"/></ssc:Unit>",
            "measure different things",
        ),
    ] {
        let system = with(unit, units);
        let mut assembled = system.assemble().expect("it fits");
        assert_eq!(assembled.warnings.len(), 1);
        let said = &assembled.warnings[0];
        assert!(
            said.contains(problem) && said.contains("a.u") && said.contains("the value 3 is taken as it is"),
            "{said}"
        );
        assert_eq!(last(&run(&mut assembled), "a.y"), 3.0);
        let strict = AssembleOptions::default().strict_units(true);
        let error = system
            .assemble_with(&strict)
            .err()
            .expect("it is refused")
            .to_string();
        assert!(error.contains(problem), "{error}");
    }
    // What is right is converted, without a word.
    let mut assembled = with("mm", "").assemble().expect("it fits");
    assert!(assembled.warnings.is_empty());
    assert!((last(&run(&mut assembled), "a.y") - 0.003).abs() < 1e-15);
}

#[test]
fn numbers_and_truths_feed_inputs_that_can_hold_them() {
    let both = elements(&(component("a", "") + &component("b", "")));
    let fed = |from: &str, to: &str, more: &str| {
        opened(
            &system(&(both.clone() + &connections(&wire(from, to, more)))),
            &[],
        )
    };
    let ten = "<ssc:LinearTransformation factor=\"10\" offset=\"0.5\"/>";
    // count_out = 0 + 1, on_out = not false, mode_out = 1.
    for (from, to, more, seen, value) in [
        ("a.count_out", "b.u", "", "b.y", 1.0),
        ("a.count_out", "b.u", ten, "b.y", 10.5),
        ("a.on_out", "b.u", "", "b.y", 1.0),
        ("a.on_out", "b.u", ten, "b.y", 10.5),
        ("a.on_out", "b.count_in", "", "b.count_out", 2.0),
        ("a.count_out", "b.mode_in", "", "b.mode_out", 1.0),
        ("a.mode_out", "b.count_in", "", "b.count_out", 2.0),
        ("a.mode_out", "b.u", "", "b.y", 1.0),
    ] {
        assert_eq!(
            ends(&fed(from, to, more), [seen, seen])[0],
            value,
            "{from} -> {to}"
        );
    }
    for (from, to) in [
        ("a.y", "b.count_in"),
        ("a.text_out", "b.u"),
        ("a.count_out", "b.on_in"),
    ] {
        let error = fed(from, to, "")
            .assemble()
            .err()
            .expect("it is refused")
            .to_string();
        assert!(error.contains("they cannot be connected"), "{error}");
    }
    // Values of another type count as well, if nothing is lost.
    let set = |parameter: &str| {
        let text = system(&elements(&component("a", &parameters(&inline(parameter)))));
        opened(&text, &[])
    };
    for (parameter, seen, value) in [
        (
            "<ssv:Parameter name=\"u\"><ssv:Integer value=\"4\"/></ssv:Parameter>",
            "a.y",
            4.0,
        ),
        (
            "<ssv:Parameter name=\"u\"><ssv:Boolean value=\"true\"/></ssv:Parameter>",
            "a.y",
            1.0,
        ),
        (
            "<ssv:Parameter name=\"count_in\"><ssv:Real value=\"4.0\"/></ssv:Parameter>",
            "a.count_out",
            5.0,
        ),
        (
            "<ssv:Parameter name=\"mode_in\"><ssv:Integer value=\"2\"/></ssv:Parameter>",
            "a.mode_out",
            2.0,
        ),
    ] {
        assert_eq!(ends(&set(parameter), [seen, seen])[0], value, "{parameter}");
    }
    let lost = set("<ssv:Parameter name=\"count_in\"><ssv:Real value=\"4.5\"/></ssv:Parameter>");
    assert!(lost.assemble().is_err());
}

#[test]
fn an_input_that_a_number_feeds_takes_no_other_source() {
    let folder = Folder::new();
    let text = system(
        &(elements(&(component("a", "") + &component("b", "")))
            + &connections(&(wire("a.count_out", "b.u", "") + &wire("a.y", "b.u", "")))),
    );
    let found = open(&folder, &text, &[]).and_then(|system| system.assemble());
    let error = found.err().expect("it is refused").to_string();
    assert!(error.contains("b.u has two sources"), "{error}");
}

#[test]
fn components_for_model_exchange_are_read() {
    let text = system(&elements(&component("a", "").replace(
        "<ssd:Component ",
        "<ssd:Component implementation=\"ModelExchange\" ",
    )));
    assert_eq!(opened(&text, &[]).components.len(), 1);
}
