//! What the reader reads, tolerates and refuses.

mod common;

use fmu_standard::description::*;
use fmu_standard::xml::{ReadError, ReadProblem, read, write};

const SMALL: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Small" guid="{1}">
  <ModelExchange modelIdentifier="Small"/>
  <ModelVariables>
    <ScalarVariable name="x" valueReference="7" variability="discrete">
      <Real start="1.5"/>
    </ScalarVariable>
  </ModelVariables>
  <ModelStructure>
    <Outputs><Unknown index="1" dependencies=""/></Outputs>
  </ModelStructure>
</fmiModelDescription>
"#;

/// The error of `SMALL` with one text replaced by another.
#[track_caller]
fn error_after(from: &str, to: &str) -> ReadError {
    assert!(SMALL.contains(from));
    read(SMALL.replacen(from, to, 1)).unwrap_err()
}

#[test]
fn everything_of_the_standard_survives() {
    let rich = common::rich();
    assert_eq!(read(write(&rich)).unwrap(), rich);
}

#[test]
fn the_defaults_of_the_standard() {
    let description = read(SMALL).unwrap();
    assert_eq!(
        description.variable_naming_convention,
        VariableNamingConvention::Flat
    );
    assert_eq!(description.number_of_event_indicators, None);
    assert_eq!(description.co_simulation, None);
    assert_eq!(description.default_experiment, None);
    let x = &description.model_variables[0];
    assert_eq!(
        (x.causality, x.variability, x.initial),
        (Causality::Local, Variability::Discrete, None)
    );
    assert_eq!(x.value_reference, 7);
    let expected = VariableKind::Real {
        declared_type: None,
        attributes: RealAttributes::default(),
        start: Start::One(1.5),
        derivative: None,
        reinit: false,
    };
    assert_eq!(x.kind, expected);
    let unknown = Unknown {
        variable: Reference::to(0),
        dependencies: Some(vec![]),
        dependencies_kind: None,
    };
    assert_eq!(description.model_structure.outputs, [unknown]);
}

#[test]
fn what_the_standard_does_not_know_is_passed_over() {
    let description = read(
        r#"<!DOCTYPE fmiModelDescription><!-- before -->
        <fmiModelDescription xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="a.xsd"
            fmiVersion="2.0" modelName="m" guid="g" numberOfContinuousStates="1">
          <Extra><ModelVariables><ScalarVariable/></ModelVariables>text &unknown; <![CDATA[ <x> ]]></Extra>
          <ModelVariables extra="1"> text <!-- comment --> <?instruction?>
            <Other/>
            <ScalarVariable name="a" valueReference="0" variability='fixed' causality='parameter' clock="2">
              <Before/><Boolean start=" 1 " other="x"><Inside/></Boolean><Annotations/><After/>
            </ScalarVariable>
          </ModelVariables>
          <ModelStructure><Extra/><Outputs><Extra/></Outputs></ModelStructure>
        </fmiModelDescription><!-- after -->"#,
    )
    .unwrap();
    assert_eq!(description.model_variables.len(), 1);
    assert_eq!(description.model_variables[0].causality, Causality::Parameter);
    assert_eq!(
        description.model_variables[0].kind,
        VariableKind::Boolean {
            declared_type: None,
            start: Start::One(true)
        }
    );
}

#[test]
fn text_as_xml_has_it() {
    let text = SMALL.replace("\"Small\"", "\"a\r\nb\tc &lt;&#x41;&#10;&apos;\u{e9}\"");
    assert_eq!(read(text).unwrap().model_name, "a b c <A\n'\u{e9}");
    let annotated = SMALL.replace(
        "<ModelVariables>",
        "<VendorAnnotations><Tool name=\"t\"> <a>&lt;</a>\n<Tool><!-- c --></Tool> </Tool></VendorAnnotations><ModelVariables>",
    );
    let expected = VendorAnnotation {
        tool: "t".into(),
        xml: " <a>&lt;</a>\n<Tool><!-- c --></Tool> ".into(),
    };
    assert_eq!(read(annotated).unwrap().vendor_annotations, [expected]);
}

#[test]
fn numbers_as_the_schema_has_them() {
    for (text, value) in [
        (" 1 ", 1.0),
        ("-1.5E3", -1500.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("+2", 2.0),
        ("INF", f64::INFINITY),
    ] {
        let description = read(SMALL.replace("1.5", text)).unwrap();
        assert!(
            matches!(description.model_variables[0].kind, VariableKind::Real { start: Start::One(start), .. } if start == value),
            "{text}"
        );
    }
}

#[test]
fn encodings() {
    let with_bom = [b"\xef\xbb\xbf", SMALL.as_bytes()].concat();
    assert_eq!(read(with_bom).unwrap().model_name, "Small");

    let latin = |encoding: &str, letter: u8| {
        let mut bytes = SMALL
            .replace("UTF-8", encoding)
            .replace("\"Small\"", "\"?\"")
            .into_bytes();
        let at = bytes.windows(3).position(|w| w == b"\"?\"").unwrap() + 1;
        bytes[at] = letter;
        bytes
    };
    assert_eq!(read(latin("ISO-8859-1", 0xfc)).unwrap().model_name, "\u{fc}");
    assert_eq!(read(latin("windows-1252", 0x80)).unwrap().model_name, "\u{20ac}");

    let error = read(latin("UTF-8", 0xfc)).unwrap_err();
    assert_eq!((error.line, error.column), (2, 50));
    assert_eq!(
        error.to_string(),
        "line 2, column 50: byte 0xfc is not UTF-8; a model description must be in UTF-8"
    );

    let text = SMALL
        .replace("UTF-8", "UTF-16")
        .replace("\"Small\"", "\"\u{1d11e}\"");
    for mark in ["\u{feff}", ""] {
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            let units: Vec<u16> = format!("{mark}{text}").encode_utf16().collect();
            let bytes: Vec<u8> = units.iter().copied().flat_map(order).collect();
            assert_eq!(read(&bytes).unwrap().model_name, "\u{1d11e}");
            let error = read(&bytes[..bytes.len() - 1]).unwrap_err().to_string();
            assert!(error.contains("UTF-16"), "{error}");
        }
    }
}

#[test]
fn other_versions_are_refused_with_a_sentence() {
    for version in ["1.0", "3.0", "3.0-beta.2", "2.1", ""] {
        let error = error_after("fmiVersion=\"2.0\"", &format!("fmiVersion=\"{version}\""));
        assert_eq!(
            error.problem,
            ReadProblem::Version {
                found: version.into()
            }
        );
        let sentence = format!(
            "line 2, column 1: a model description of FMI {version}: only FMI 2.0 is supported, \
             export the model as FMI 2.0"
        );
        assert_eq!(error.to_string(), sentence);
    }
    assert_eq!(
        read(SMALL.replace("\"2.0\"", "\"2.0.4\"")).unwrap().fmi_version,
        "2.0.4"
    );
    assert_eq!(
        error_after(" fmiVersion=\"2.0\"", "").to_string(),
        "line 2, column 1: `fmiModelDescription` lacks its attribute `fmiVersion`"
    );
}

#[test]
fn errors_say_where_and_what_was_expected() {
    for (from, to, sentence) in [
        (
            "start=\"1.5\"",
            "start=\"1,5\"",
            "line 6, column 20: attribute `start` of `Real` is \"1,5\", expected a number",
        ),
        (
            "valueReference=\"7\"",
            "valueReference=\"-7\"",
            "line 5, column 46: attribute `valueReference` of `ScalarVariable` is \"-7\", \
             expected a whole number in the range of its type",
        ),
        (
            "\"discrete\"",
            "\"sometimes\"",
            "line 5, column 62: attribute `variability` of `ScalarVariable` is \"sometimes\", \
             expected one of `constant`, `fixed`, `tunable`, `discrete`, `continuous`",
        ),
        (
            "start=\"1.5\"",
            "unbounded=\"yes\"",
            "line 6, column 24: attribute `unbounded` of `Real` is \"yes\", expected `true` or `false`",
        ),
        (
            "dependencies=\"\"",
            "dependencies=\"1 x\"",
            "line 10, column 47: attribute `dependencies` of `Unknown` is \"1 x\", \
             expected indices of variables, separated by blanks",
        ),
        (
            "dependencies=\"\"",
            "dependenciesKind=\"dependant\"",
            "line 10, column 51: attribute `dependenciesKind` of `Unknown` is \"dependant\", expected words out of \
             `dependent`, `constant`, `fixed`, `tunable`, `discrete`",
        ),
        (
            "valueReference=\"7\"",
            "",
            "line 5, column 5: `ScalarVariable` lacks its attribute `valueReference`",
        ),
        (
            "<Real start=\"1.5\"/>",
            "",
            "line 5, column 5: `ScalarVariable x` lacks one of the elements \
             `Real`, `Integer`, `Boolean`, `String`, `Enumeration`",
        ),
        (
            "<Real start=\"1.5\"/>",
            "<Real/><Integer/>",
            "line 6, column 14: a further `Integer` in `ScalarVariable x`, expected one",
        ),
        (
            "<Real start=\"1.5\"/>",
            "<Enumeration/>",
            "line 6, column 7: `Enumeration` lacks its attribute `declaredType`",
        ),
    ] {
        assert_eq!(error_after(from, to).to_string(), sentence);
    }
    let error = read(SMALL.replace("ModelStructure", "Structure")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 2, column 1: `fmiModelDescription` lacks its element `ModelStructure`"
    );
    let error = read("<?xml version=\"1.0\"?>\n <html/>").unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 2, column 2: not a model description: its root element is `html`, expected `fmiModelDescription`"
    );
}

#[test]
fn what_is_not_well_formed_is_refused() {
    for text in [
        "",
        "  \n",
        "text",
        "<a",
        "<a>",
        "<!-- -->",
        "\u{0}",
        "<",
        "&",
        "<fmiModelDescription",
    ] {
        let error = read(text).unwrap_err();
        assert!(
            matches!(error.problem, ReadProblem::Syntax(_) | ReadProblem::Root { .. }),
            "{text}: {error}"
        );
    }
    for (from, to) in [
        ("</ModelVariables>", "</Variables>"),
        ("</ModelVariables>", ""),
        ("name=\"x\"", "name=\"x\" name=\"y\""),
        ("name=\"x\"", "name=x"),
        ("name=\"x\"", "name=\"&unknown;\""),
        ("name=\"x\"", "name=\"&#0;\""),
        ("name=\"x\"", "name=\"&\""),
        ("</fmiModelDescription>", ""),
        ("</fmiModelDescription>", "</fmiModelDescription>text"),
        ("</fmiModelDescription>", "</fmiModelDescription><a/>"),
    ] {
        let error = error_after(from, to);
        assert!(matches!(error.problem, ReadProblem::Syntax(_)), "{to}: {error}");
    }
    let error = error_after("</fmiModelDescription>", "");
    assert_eq!(
        error.to_string(),
        "line 2, column 1: not well-formed XML: `fmiModelDescription` is not closed"
    );
}

#[test]
fn deep_nesting_takes_no_stack() {
    let nested = format!("{}{}", "<a>".repeat(200_000), "</a>".repeat(200_000));
    let text = SMALL.replace("<ModelVariables>", &format!("{nested}<ModelVariables>"));
    assert_eq!(read(text).unwrap().model_variables.len(), 1);
}
