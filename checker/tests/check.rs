//! Every rule about files and descriptions, broken once: one change to a good FMU, one rule in the report.

use test_support::fmus;

use std::collections::{BTreeMap, BTreeSet};

use fmu_checker::{Report, Severity, check, rules};
use fmus::{DESCRIPTION, Recipe, oscillator, write_archive, write_bytes};
use test_support::zip::Entry;

fn report(test: &fmus::TestFmu) -> Report {
    check(&test.path, &Default::default()).expect("it can be checked")
}

/// The rules that a report has findings for.
fn broken(report: &Report) -> BTreeSet<&'static str> {
    report.findings.iter().map(|finding| finding.rule.id).collect()
}

fn lines(report: &Report) -> String {
    let lines = report
        .findings
        .iter()
        .map(|finding| format!("{} {}: {}\n", finding.rule.id, finding.place, finding.problem));
    lines.collect()
}

/// A change of the description: rules that it breaks, a text in the good description, what comes in its place.
type Change = (&'static [&'static str], &'static str, &'static str);

const CHANGES: &[Change] = &[
    // The root.
    (&["P4a"], " encoding=\"UTF-8\"", ""),
    (&["P4a"], "UTF-8", "ISO-8859-1"),
    (&["X1"], "description=\"A damped", "nonsense=\"A damped"),
    (&["X1"], "<VendorAnnotations>", "<Unknown/><VendorAnnotations>"),
    (&["X1"], "<note>kept</note>", "<note/><note/>"),
    (&["X1"], "<DefaultExperiment", "text<DefaultExperiment"),
    (&["X1", "M5a"], "causality=\"input\"", "causality=\"inputs\""),
    (&["X1"], "start=\"0.1\"", "start=\"0,1\""),
    (&["X1"], " modelName=\"Oscillator\"", ""),
    (&["X1"], "</ModelStructure>", ""),
    (&["X2"], "fmiVersion=\"2.0\"", "fmiVersion=\"2.0.3\""),
    (&["X4"], "guid=\"{oscillator}\"", "guid=\" \""),
    (
        &["X5", "P6"],
        "<CoSimulation modelIdentifier=\"oscillator\"",
        "<CoSimulation modelIdentifier=\"2nd\"",
    ),
    (&["X6"], "2024-01-02T03:04:05Z", "2 January 2024"),
    (&["X6a"], "2024-01-02T03:04:05Z", "2024-01-02T03:04:05+01:00"),
    (
        &["X7"],
        "variableNamingConvention=\"structured\"",
        "variableNamingConvention=\"nested\"",
    ),
    (
        &["X8"],
        "numberOfEventIndicators=\"1\"",
        "numberOfEventIndicators=\"-1\"",
    ),
    (
        &["X8b"],
        "numberOfEventIndicators=\"1\"",
        "numberOfEventIndicators=\"2000000000\"",
    ),
    (&["X14"], "A damped", "A&#27;[31m damped"),
    (&["X14"], "A damped", "A\u{1b}[31m damped"),
    (&["X9"], "start=\"4\" min=\"0\"", "start=\"4\" max=\"INF\""),
    (&["X9"], "nominal=\"0.1\"", "nominal=\"1e999\""),
    (
        &["X10"],
        "<Category name",
        "<Category name=\"logAll\"/><Category name",
    ),
    (&["X11"], "<Tool name", "<Tool name=\"by hand\"/><Tool name"),
    (&["X12"], "stopTime=\"3\"", "stopTime=\"-3\""),
    (&["X12"], "stepSize=\"0.01\"", "stepSize=\"10\""),
    (&["X12"], "stepSize=\"0.01\"", "stepSize=\"0\""),
    (&["X12"], "tolerance=\"1e-6\"", "tolerance=\"-1e-6\""),
    // Units and types.
    (
        &["U1"],
        "<Unit name=\"m/s\">",
        "<Unit name=\"m/s\"/><Unit name=\"m/s\">",
    ),
    (&["U2"], "<DisplayUnit", "<DisplayUnit name=\"mm\"/><DisplayUnit"),
    (
        &["U3"],
        "<Real unit=\"m/s\" start=\"0\"/>",
        "<Real unit=\"knot\" start=\"0\"/>",
    ),
    (&["U4"], "displayUnit=\"mm\"", "displayUnit=\"cm\""),
    (
        &["U4"],
        "<Real start=\"0.1\"",
        "<Real displayUnit=\"mm\" start=\"0.1\"",
    ),
    (&["U5"], "factor=\"1000\"", "factor=\"0\""),
    (&["U5"], "<BaseUnit m=\"1\"/>", "<BaseUnit m=\"1\" factor=\"0\"/>"),
    (&["U5a"], "<BaseUnit m=\"1\"/>", "<BaseUnit m=\"1000\"/>"),
    (
        &["T1"],
        "<SimpleType name=\"Mode\">",
        "<SimpleType name=\"Mode\"><Real/></SimpleType><SimpleType name=\"Mode\">",
    ),
    (
        &["T1"],
        "<SimpleType name=\"Mode\">",
        "<SimpleType name=\"y\"><Real/></SimpleType><SimpleType name=\"Mode\">",
    ),
    (
        &["T2"],
        "<Real start=\"0.1\"",
        "<Real declaredType=\"Speed\" start=\"0.1\"",
    ),
    (
        &["T2"],
        "<Real start=\"0.1\"",
        "<Real declaredType=\"Mode\" start=\"0.1\"",
    ),
    (&["T3"], "name=\"driven\"", "name=\"free\""),
    (&["T3"], "value=\"2\"", "value=\"1\""),
    (&["T3"], "<Enumeration declaredType=\"Mode\"", "<Enumeration"),
    (&["T4"], "max=\"1000000\"", "max=\"-5\""),
    (
        &["T4"],
        "<Enumeration declaredType=\"Mode\"",
        "<Enumeration declaredType=\"Mode\" max=\"9\"",
    ),
    (
        &["T4"],
        "unit=\"m\" displayUnit",
        "min=\"3\" max=\"2\" unit=\"m\" displayUnit",
    ),
    (&["T5"], "start=\"4\" min=\"0\"", "start=\"4\" min=\"5\""),
    (
        &["T5"],
        "declaredType=\"Mode\" start=\"1\"",
        "declaredType=\"Mode\" start=\"3\"",
    ),
    (
        &["T5a", "V7"],
        "<Real start=\"0.1\" nominal=\"0.1\"/>",
        "<Real min=\"1\"/>",
    ),
    (
        &["T6"],
        "declaredType=\"Position\"",
        "declaredType=\"Position\" quantity=\"Height\"",
    ),
    (&["T7"], "nominal=\"0.1\"", "nominal=\"0\""),
    (
        &["T7"],
        "unit=\"m\" displayUnit",
        "nominal=\"-1\" unit=\"m\" displayUnit",
    ),
    // Variables.
    (&["V1"], "name=\"y\"", "name=\"u\""),
    (&["V1", "V2"], "name=\"y\"", "name=\"\""),
    (&["V2"], "name=\"y\"", "name=\"y(18)\""),
    (&["V2"], "name=\"flag\"", "name=\"der(flag)\""),
    (
        &["V3"],
        "name=\"flag\" valueReference=\"0\" causality=\"output\" variability=\"discrete\"",
        "name=\"flag\" valueReference=\"0\" causality=\"output\"",
    ),
    (
        &["V4"],
        "</ModelVariables>",
        "<ScalarVariable name=\"t\" valueReference=\"20\" causality=\"independent\"><Real/></ScalarVariable></ModelVariables>",
    ),
    (
        &["V4"],
        "causality=\"independent\" variability=\"continuous\"",
        "causality=\"independent\" variability=\"continuous\" initial=\"exact\"",
    ),
    (
        &["V5"],
        "causality=\"parameter\" variability=\"tunable\" initial=\"exact\"",
        "causality=\"parameter\" variability=\"discrete\"",
    ),
    (
        &["V6"],
        "causality=\"input\" variability=\"continuous\"",
        "causality=\"input\" variability=\"continuous\" initial=\"exact\"",
    ),
    (
        &["V6"],
        "variability=\"tunable\" initial=\"exact\"",
        "variability=\"tunable\" initial=\"approx\"",
    ),
    (&["V7"], "<Real start=\"0.1\"", "<Real"),
    (
        &["V7"],
        "<Real unit=\"m/s\" derivative=\"1\"/>",
        "<Real unit=\"m/s\" start=\"1\" derivative=\"1\"/>",
    ),
    (
        &["V10"],
        "name=\"y\"",
        "name=\"y\" canHandleMultipleSetPerTimeInstant=\"true\"",
    ),
    (
        &["V11", "M5a"],
        "<Real derivative=\"2\"/>",
        "<Real derivative=\"99\"/>",
    ),
    (
        &["V12"],
        "<Real start=\"0.1\"",
        "<Real reinit=\"true\" start=\"0.1\"",
    ),
    (&["V13"], "name=\"y\"", "description=\"a&#x7f;b\" name=\"y\""),
    // Aliases.
    (
        &["V8", "V9"],
        "name=\"mode\" valueReference=\"1\"",
        "name=\"mode\" valueReference=\"0\"",
    ),
    (
        &["V9"],
        "name=\"d\" valueReference=\"3\"",
        "name=\"d\" valueReference=\"2\"",
    ),
    (
        &["V9"],
        "name=\"time\" valueReference=\"8\"",
        "name=\"time\" valueReference=\"4\"",
    ),
    (
        &["V9"],
        "name=\"y\" valueReference=\"5\"",
        "name=\"y\" valueReference=\"6\"",
    ),
    (
        &["V9a"],
        "name=\"w\" valueReference=\"9\"",
        "name=\"w\" valueReference=\"5\"",
    ),
    // The structure.
    (&["M1"], "<Unknown index=\"7\" dependencies=\"13\"/>", ""),
    (
        &["M1"],
        "<Unknown index=\"7\" dependencies=\"13\"/>",
        "<Unknown index=\"7\"/><Unknown index=\"7\"/>",
    ),
    (
        &["M1"],
        "<Unknown index=\"7\" dependencies=\"13\"/>",
        "<Unknown index=\"7\"/><Unknown index=\"2\"/>",
    ),
    (
        &["M2"],
        "<Unknown index=\"11\" dependencies=\"2\" dependenciesKind=\"constant\"/>\n      <Unknown index=\"12\" \
        dependencies=\"1 2 5\"",
        "<Unknown index=\"11\" dependencies=\"2\" dependenciesKind=\"constant\"/><Unknown index=\"11\"/><Unknown \
        index=\"12\" dependencies=\"1 2 5\"",
    ),
    (&["M3"], "<Unknown index=\"14\" dependencies=\"3\"/>", ""),
    (
        &["M3"],
        "<Unknown index=\"14\" dependencies=\"3\"/>",
        "<Unknown index=\"14\"/><Unknown index=\"14\"/>",
    ),
    (
        &["M3"],
        "<Unknown index=\"14\" dependencies=\"3\"/>",
        "<Unknown index=\"13\"/><Unknown index=\"14\"/>",
    ),
    (
        &["M3a"],
        "<Unknown index=\"8\" dependencies=\"1\"/>\n      <Unknown index=\"11\" dependencies=\"2\" \
        dependenciesKind=\"constant\"/>",
        "<Unknown index=\"11\"/><Unknown index=\"8\"/>",
    ),
    (
        &["M4"],
        "<Unknown index=\"7\" dependencies=\"13\"/>",
        "<Unknown index=\"7\"/><Unknown index=\"99\"/>",
    ),
    (
        &["M4"],
        "<Unknown index=\"7\" dependencies=\"13\"/>",
        "<Unknown index=\"7\"/><Unknown index=\"0\"/>",
    ),
    (
        &["M5"],
        "<Unknown index=\"7\" dependencies=\"13\"/>",
        "<Unknown index=\"7\" dependencies=\"99\"/>",
    ),
    (
        &["M5b"],
        "<Unknown index=\"7\" dependencies=\"13\"/>",
        "<Unknown index=\"7\" dependencies=\"13 5\"/>",
    ),
    (
        &["M5b"],
        "<Unknown index=\"7\" dependencies=\"13\"/>",
        "<Unknown index=\"7\" dependencies=\"5 5\"/>",
    ),
    (
        &["M5a"],
        "<Unknown index=\"7\" dependencies=\"13\"/>",
        "<Unknown index=\"7\" dependencies=\"3\"/>",
    ),
    (
        &["M5a"],
        "<Unknown index=\"14\" dependencies=\"3\"/>",
        "<Unknown index=\"14\" dependencies=\"6\"/>",
    ),
    (
        &["M6"],
        "dependenciesKind=\"fixed tunable constant\"",
        "dependenciesKind=\"fixed tunable\"",
    ),
    (
        &["M6"],
        "dependenciesKind=\"fixed tunable constant\"",
        "dependenciesKind=\"fixed tunable linear\"",
    ),
    (
        &["M6"],
        "<Unknown index=\"7\" dependencies=\"13\"/>",
        "<Unknown index=\"7\" dependenciesKind=\"dependent\"/>",
    ),
    (
        &["M6a"],
        "<Unknown index=\"7\" dependencies=\"13\"/>",
        "<Unknown index=\"7\" dependencies=\"13\" dependenciesKind=\"constant\"/>",
    ),
    (
        &["M6a"],
        "<Unknown index=\"14\" dependencies=\"3\"/>",
        "<Unknown index=\"14\" dependencies=\"3\" dependenciesKind=\"fixed\"/>",
    ),
    // Capabilities.
    (
        &["C1"],
        "canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"true\"\n",
        "canNotUseMemoryManagementFunctions=\"true\"\n",
    ),
    (
        &["C6"],
        "canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"true\"\n",
        "canGetAndSetFMUstate=\"true\"\n",
    ),
];

/// Changes that need several replacements.
fn larger_changes() -> Vec<(&'static [&'static str], String)> {
    let without_element = |text: &str, name: &str| {
        let begin = text.find(&format!("<{name}")).expect("it begins");
        let end = begin + text[begin..].find("/>").expect("it ends") + 2;
        format!("{}{}", &text[..begin], &text[end..])
    };
    let slave = || without_element(DESCRIPTION, "ModelExchange");
    let no_directions = |text: String| {
        let at = text
            .rfind("providesDirectionalDerivative=\"true\"")
            .expect("the slave has it");
        format!(
            "{}{}",
            &text[..at],
            &text[at + "providesDirectionalDerivative=\"true\"".len()..]
        )
    };
    let constants = |a: &str, b: &str| {
        let constant = |name: &str, start: &str| {
            format!(
                "<ScalarVariable name=\"{name}\" valueReference=\"20\" causality=\"local\" variability=\"constant\">\
                 <Real start=\"{start}\"/></ScalarVariable>"
            )
        };
        let both = format!("{}{}</ModelVariables>", constant("a", a), constant("b", b));
        DESCRIPTION.replace("</ModelVariables>", &both)
    };
    let cycle = DESCRIPTION.replace(
        "</ModelVariables>",
        "<ScalarVariable name=\"a\" valueReference=\"20\"><Real derivative=\"17\"/></ScalarVariable>\
         <ScalarVariable name=\"b\" valueReference=\"21\"><Real derivative=\"16\"/></ScalarVariable></ModelVariables>",
    );
    let empty_units = {
        let begin = DESCRIPTION.find("<UnitDefinitions>").expect("it begins") + "<UnitDefinitions>".len();
        let end = DESCRIPTION.find("</UnitDefinitions>").expect("it ends");
        let without = format!("{}{}", &DESCRIPTION[..begin], &DESCRIPTION[end..]);
        without
            .replace(" unit=\"m\" displayUnit=\"mm\"", "")
            .replace(" unit=\"m/s\"", "")
    };
    vec![
        (&["X3"], without_element(&slave(), "CoSimulation")),
        (&["X8a"], slave()),
        (
            &["X13", "P11a"],
            DESCRIPTION.replace(
                "providesDirectionalDerivative=\"true\"/>\n  <UnitDefinitions>",
                "providesDirectionalDerivative=\"true\"><SourceFiles><File name=\"a.c\"/><File name=\"a.c\"/>\
                 </SourceFiles></CoSimulation><UnitDefinitions>",
            ),
        ),
        (&["X1"], empty_units),
        (
            &["V10", "X8a"],
            slave().replace("name=\"u\"", "name=\"u\" canHandleMultipleSetPerTimeInstant=\"true\""),
        ),
        (&["V12", "X8a"], slave().replace("<Real unit=\"m/s\" start=\"0\"/>", "<Real unit=\"m/s\" reinit=\"true\" start=\"0\"/>")),
        (&["V9"], constants("1", "2")),
        (&[], constants("1", "1")),
        (&["V11"], cycle),
        (&["M7", "M5a", "X8a"], no_directions(slave())),
        (&["M2a", "M5a", "M7", "X8a"], no_directions(slave()).replace(" derivative=\"1\"", "")),
        (&["V11a"], DESCRIPTION.replace(
            "name=\"v\" valueReference=\"1\" causality=\"local\" variability=\"continuous\" initial=\"exact\"",
            "name=\"v\" valueReference=\"1\" causality=\"input\" variability=\"continuous\"",
        )),
    ]
}

/// FMUs with something wrong outside the description.
fn other_changes() -> Vec<(&'static [&'static str], fmus::TestFmu)> {
    let with = |entry: Entry| {
        let more = vec![entry];
        Recipe {
            more,
            ..Default::default()
        }
        .build()
    };
    let file = |name: &str| Entry::new(name, b"text");
    let flags = |flags: &[&str]| {
        let flags = flags.iter().map(|flag| (*flag).into()).collect();
        Recipe {
            flags,
            ..Default::default()
        }
        .build()
    };
    let description = || Entry::new("modelDescription.xml", DESCRIPTION.as_bytes());
    let library = |library: &str| {
        let library = library.into();
        Recipe {
            library,
            ..Default::default()
        }
        .build()
    };
    let named = |extension: &str| {
        let mut test = oscillator();
        let path = test.path.with_extension(extension);
        std::fs::rename(&test.path, &path).expect("it is renamed");
        test.path = path;
        test
    };
    let build_description = || {
        Entry::new(
            "sources/buildDescription.xml",
            b"<fmiBuildDescription><BuildConfiguration><SourceFileSet><SourceFile name=\"a.c\"/></SourceFileSet>\
              </BuildConfiguration></fmiBuildDescription>",
        )
    };
    let without_directions = Recipe {
        description: DESCRIPTION.replace("providesDirectionalDerivative=\"true\"", ""),
        flags: vec!["-DFAULT_MISSING_FUNCTIONS".into()],
        ..Default::default()
    };
    vec![
        (&["P1"], write_bytes(b"no archive")),
        (
            &["P1"],
            with(Entry {
                flags: 1,
                ..file("resources/a")
            }),
        ),
        (
            &["P1"],
            with(Entry {
                method: 9,
                ..file("resources/a")
            }),
        ),
        (
            &["P1a"],
            with(Entry {
                version_needed: 45,
                ..file("resources/a")
            }),
        ),
        (
            &["P1"],
            with(Entry {
                crc32: 1,
                ..file("resources/a")
            }),
        ),
        (
            &["P1a"],
            with(Entry {
                flags: 1 << 3,
                ..Entry::stored("resources/a", b"text")
            }),
        ),
        (
            &["P2"],
            with(Entry {
                unix_mode: 0o120_777,
                ..file("resources/a")
            }),
        ),
        (&["P3"], with(file("../a"))),
        (&["P3"], with(file("/a"))),
        (&["P3"], with(file("resources\\a"))),
        (&["P3"], with(Entry::new("modelDescription.xml", b"<other/>"))),
        (&["P3a"], with(description())),
        (&["P3a"], with(file("Modeldescription.xml"))),
        (&["P3a"], with(file("resources/ä"))),
        (
            &["P4"],
            write_archive(&[file("deeper/modelDescription.xml"), file("sources/a.c")]),
        ),
        (
            &["P4"],
            write_archive(&[
                Entry::new(
                    "modelDescription.xml",
                    &DESCRIPTION
                        .replace("damped", "d\u{e4}mpfed")
                        .chars()
                        .map(|c| c as u8)
                        .collect::<Vec<_>>(),
                ),
                file("sources/a.c"),
            ]),
        ),
        (
            &["P4a"],
            write_archive(&[
                Entry::new(
                    "modelDescription.xml",
                    DESCRIPTION.replace(" encoding=\"UTF-8\"", "").as_bytes(),
                ),
                file("sources/a.c"),
            ]),
        ),
        (&["P5"], write_archive(&[description()])),
        (
            &["P6"],
            library(&format!(
                "binaries/{}/other.so",
                fmu_importer::platform_folders()[0]
            )),
        ),
        (&["P7"], with(file("binaries/amiga/oscillator.library"))),
        (&["P8"], flags(&["-Wl,--no-as-needed", "-lresolv"])),
        (&["P9"], with(file("documentation/LICENSE"))),
        (&["P9"], with(file("documentation/licenses/MIT.txt"))),
        (&["P10"], with(file("extra/mytool/data"))),
        (&["P11a"], with(build_description())),
        (&["P11"], write_archive(&[description(), build_description()])),
        (&["P13"], named("zip")),
        (&["B1"], flags(&["-DFAULT_MISSING_FUNCTIONS"])),
        (&["B1a"], without_directions.build()),
        (&["B2"], flags(&["-Dfmi2GetReal=oscillator_fmi2GetReal"])),
        (&["B4"], flags(&["-Dstatic="])),
        (&["B4"], flags(&["-Wl,-z,execstack"])),
        (&["B6"], with(Entry::new("binaries/win64/oscillator.dll", b"MZ"))),
        (&["B6"], library("binaries/linux32/oscillator.so")),
    ]
}

#[test]
fn a_good_fmu_breaks_no_rule() {
    let report = report(&oscillator());
    assert_eq!(lines(&report), "");
    assert_eq!(report.skipped, [""; 0]);
    assert_eq!(Severity::ALL.map(|severity| report.count(severity)), [0, 0, 0]);
}

#[test]
fn every_rule_is_broken_by_a_change_and_by_no_other() {
    let mut covered: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut expect = |expected: &[&'static str], test: &fmus::TestFmu, change: &str| {
        let report = report(test);
        expected
            .iter()
            .for_each(|rule| *covered.entry(rule).or_default() += 1);
        if broken(&report) != expected.iter().copied().collect() {
            wrong.push(format!("{change}\n  expected {expected:?}\n{}", lines(&report)));
        }
    };
    let described = |description: String| {
        Recipe {
            description,
            ..Default::default()
        }
        .build()
    };
    for (expected, old, new) in CHANGES {
        assert!(DESCRIPTION.contains(old), "not in the description: {old}");
        // The last one: a variable's attributes come after those of types and units.
        let at = DESCRIPTION.rfind(old).expect("it is there");
        let changed = format!("{}{new}{}", &DESCRIPTION[..at], &DESCRIPTION[at + old.len()..]);
        expect(expected, &described(changed), &format!("{old} -> {new}"));
    }
    for (expected, changed) in larger_changes() {
        expect(expected, &described(changed.clone()), &changed);
    }
    for (expected, test) in other_changes() {
        expect(expected, &test, &format!("{expected:?}"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let static_rules = rules()
        .iter()
        .filter(|rule| !rule.needs_a_run())
        .map(|rule| rule.id);
    let uncovered: Vec<_> = static_rules.filter(|id| !covered.contains_key(id)).collect();
    assert_eq!(uncovered, [""; 0], "rules without a negative test");
}
