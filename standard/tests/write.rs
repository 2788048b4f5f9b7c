//! What the writer writes.

mod common;

use fmu_standard::description::*;

/// The attributes of the first element with this text in its tag.
#[track_caller]
fn tag<'a>(xml: &'a str, begin: &str) -> &'a str {
    let at = xml.find(begin).unwrap_or_else(|| panic!("no {begin} in\n{xml}"));
    let rest = &xml[at..];
    &rest[..=rest.find('>').unwrap()]
}

#[test]
fn a_small_description_to_the_letter() {
    let mut model_exchange = ModelExchange::new(Interface::new("Decay"));
    model_exchange.completed_integrator_step_not_needed = true;
    let mut experiment = DefaultExperiment::default();
    experiment.stop_time = Some(3.0);
    let description = ModelDescription {
        fmi_version: "2.0".into(),
        model_name: "Decay".into(),
        guid: "{1}".into(),
        number_of_event_indicators: Some(0),
        model_exchange: Some(model_exchange),
        unit_definitions: vec![fmu_standard::units::unit("bar").unwrap()],
        default_experiment: Some(experiment),
        model_variables: vec![
            ModelVariable {
                name: "x".into(),
                value_reference: 0,
                description: Some("Pressure".into()),
                causality: Causality::Output,
                variability: Variability::Continuous,
                initial: Some(Initial::Exact),
                can_handle_multiple_set_per_time_instant: None,
                kind: VariableKind::Real {
                    declared_type: None,
                    attributes: RealAttributes {
                        unit: Some("bar".into()),
                        ..Default::default()
                    },
                    start: Start::One(1.0),
                    derivative: None,
                    reinit: false,
                },
                ..Default::default()
            },
            ModelVariable {
                name: "der(x)".into(),
                value_reference: 1,
                description: None,
                causality: Causality::Local,
                variability: Variability::Continuous,
                initial: None,
                can_handle_multiple_set_per_time_instant: None,
                kind: VariableKind::Real {
                    declared_type: None,
                    attributes: RealAttributes::default(),
                    start: Start::None,
                    derivative: Some(Reference::to(0)),
                    reinit: false,
                },
                ..Default::default()
            },
        ],
        model_structure: ModelStructure {
            outputs: vec![Unknown {
                variable: Reference::to(0),
                dependencies: Some(vec![Reference::to(0)]),
                dependencies_kind: None,
            }],
            derivatives: vec![Unknown {
                variable: Reference::to(1),
                dependencies: Some(vec![Reference::to(0)]),
                dependencies_kind: Some(vec![DependencyKind::Constant]),
            }],
            initial_unknowns: vec![Unknown {
                variable: Reference::to(1),
                dependencies: None,
                dependencies_kind: None,
            }],
            ..Default::default()
        },
        ..Default::default()
    };
    let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Decay" guid="{1}" numberOfEventIndicators="0">
  <ModelExchange modelIdentifier="Decay" completedIntegratorStepNotNeeded="true"/>
  <UnitDefinitions>
    <Unit name="bar">
      <BaseUnit kg="1" m="-1" s="-2" factor="100000.0"/>
    </Unit>
  </UnitDefinitions>
  <DefaultExperiment stopTime="3.0"/>
  <ModelVariables>
    <ScalarVariable name="x" valueReference="0" description="Pressure" causality="output" initial="exact">
      <Real unit="bar" start="1.0"/>
    </ScalarVariable>
    <ScalarVariable name="der(x)" valueReference="1">
      <Real derivative="1"/>
    </ScalarVariable>
  </ModelVariables>
  <ModelStructure>
    <Outputs>
      <Unknown index="1" dependencies="1"/>
    </Outputs>
    <Derivatives>
      <Unknown index="2" dependencies="1" dependenciesKind="constant"/>
    </Derivatives>
    <InitialUnknowns>
      <Unknown index="2"/>
    </InitialUnknowns>
  </ModelStructure>
</fmiModelDescription>
"#;
    assert_eq!(fmu_standard::xml::write(&description), expected);
}

#[test]
fn text_is_escaped() {
    let xml = fmu_standard::xml::write(&common::rich());
    // Left beside the build, for a look and for a validation against the schemas.
    std::fs::write(concat!(env!("CARGO_TARGET_TMPDIR"), "/rich.xml"), &xml).unwrap();
    assert!(
        xml.contains(r#"modelName="Rich &lt;&amp;&gt; &quot;quoted&quot;""#),
        "{xml}"
    );
    assert!(
        xml.contains("description=\"Two lines,&#10;&#9;a tab, an apostrophe ' and \u{fc}\u{1f980}\""),
        "{xml}"
    );
    assert!(
        xml.contains(r#"start=" &lt;blank&gt; &amp; &#13;&#10; end ""#),
        "{xml}"
    );
    assert!(
        xml.contains("<Tool name=\"one\"><a b=\"c\">\n  <d>text &amp; more</d>\n</a></Tool>"),
        "{xml}"
    );
}

#[test]
fn characters_that_xml_cannot_carry_are_replaced() {
    let description = ModelDescription {
        model_name: "a\0b\u{1}c\u{1f}d\u{ffff}e\u{7f}f\u{85}".into(), // the last two are allowed
        ..Default::default()
    };
    let xml = fmu_standard::xml::write(&description);
    assert!(
        xml.contains("modelName=\"a\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}e\u{7f}f\u{85}\""),
        "{xml}"
    );
}

#[test]
fn floats_read_back_to_the_same_bits() {
    let values = [
        0.1,
        -0.0,
        1.0,
        1e300,
        5e-324,
        f64::MAX,
        1.0 / 3.0,
        123456789.123,
        -9.81,
        1e16,
        1e-5,
    ];
    for value in values {
        let mut experiment = DefaultExperiment::default();
        experiment.start_time = Some(value);
        let xml = fmu_standard::xml::write(&ModelDescription {
            default_experiment: Some(experiment),
            ..Default::default()
        });
        let text = tag(&xml, "<DefaultExperiment").split('"').nth(1).unwrap();
        assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits(), "{text}");
    }
}

#[test]
fn variability_is_explicit_for_all_but_reals() {
    let mut description = common::rich();
    for variable in &mut description.model_variables {
        variable.variability = Variability::Continuous;
    }
    let xml = fmu_standard::xml::write(&description);
    for name in ["n", "on", "label", "gear"] {
        assert!(
            tag(&xml, &format!("<ScalarVariable name=\"{name}\"")).contains("variability=\"continuous\"")
        );
    }
    assert!(!tag(&xml, "<ScalarVariable name=\"x\"").contains("variability"));
}

#[test]
fn guid_has_the_form_of_a_guid() {
    let guid = fmu_standard::guid(&common::rich());
    let groups: Vec<_> = guid
        .strip_prefix('{')
        .unwrap()
        .strip_suffix('}')
        .unwrap()
        .split('-')
        .collect();
    assert_eq!(
        groups.iter().map(|group| group.len()).collect::<Vec<_>>(),
        [8, 4, 4, 4, 12]
    );
    assert!(
        groups
            .concat()
            .bytes()
            .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    );
}

#[test]
fn guid_follows_the_interface_alone() {
    let rich = common::rich();
    let guid = fmu_standard::guid(&rich);
    let with = |change: fn(&mut ModelDescription)| {
        let mut changed = rich.clone();
        change(&mut changed);
        fmu_standard::guid(&changed)
    };
    assert_eq!(with(|d| d.guid = "other".into()), guid);
    assert_eq!(with(|d| d.generation_tool = None), guid);
    assert_eq!(
        with(|d| d.generation_date_and_time = Some("2027-01-01T00:00:00Z".into())),
        guid
    );

    // A library finds its dependencies when it is packaged, and answers to its GUID every time it is loaded.
    assert_eq!(with(|d| d.model_structure.outputs[0].dependencies = None), guid);
    assert_eq!(
        with(|d| d.model_structure.outputs[0].dependencies_kind = None),
        guid
    );

    let mut all = vec![
        guid,
        with(|d| d.model_name.push('!')),
        with(|d| d.description = None),
        with(|d| d.number_of_event_indicators = Some(3)),
        with(|d| d.co_simulation = None),
        with(|d| {
            d.model_exchange
                .as_mut()
                .unwrap()
                .interface
                .can_get_and_set_fmu_state = false
        }),
        with(|d| d.unit_definitions[0].base_unit.as_mut().unwrap().factor = 2.0),
        with(|d| d.unit_definitions[0].display_units[0].offset = 0.0),
        with(|d| d.type_definitions.truncate(2)),
        with(|d| d.log_categories.truncate(1)),
        with(|d| d.default_experiment = None),
        with(|d| d.model_variables.swap(0, 1)),
        with(|d| d.model_variables[0].name = "u".into()),
        with(|d| d.model_variables[0].value_reference = 9),
        with(|d| d.model_variables[0].description = None),
        with(|d| d.model_variables[0].variability = Variability::Discrete),
        with(|d| d.model_variables[2].causality = Causality::Local),
        with(|d| d.model_variables[2].initial = None),
        with(|d| d.model_structure.outputs[0].variable = Reference::to(0)),
        with(|d| d.model_structure.derivatives.clear()),
    ];
    let variants = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), variants, "two different interfaces have the same GUID");
}
