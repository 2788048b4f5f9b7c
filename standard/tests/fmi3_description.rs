//! The model description of FMI 3.0: reader and writer against a description that uses every element, and against each other.

use fmu_standard::description::*;
use fmu_standard::fmi3::{read, write};
use fmu_standard::xml::ReadProblem;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

/// Every element and every attribute of the schema of 3.0.2, with values that are not defaults.
const EVERYTHING: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="Tank &amp; pump" instantiationToken="{8c4e}" description="All of it"
    author="An author" version="1.2" copyright="(c)" license="MIT" generationTool="by hand"
    generationDateAndTime="2026-01-02T03:04:05Z" variableNamingConvention="structured">
  <ModelExchange modelIdentifier="tank" needsExecutionTool="true" canBeInstantiatedOnlyOncePerProcess="true"
      canGetAndSetFMUState="true" canSerializeFMUState="true" providesDirectionalDerivatives="true"
      providesAdjointDerivatives="true" providesPerElementDependencies="true" needsCompletedIntegratorStep="true"
      providesEvaluateDiscreteStates="true">
    <Annotations><Annotation type="org.example.me">plain text</Annotation></Annotations>
  </ModelExchange>
  <CoSimulation modelIdentifier="tank_cs" canHandleVariableCommunicationStepSize="true" fixedInternalStepSize="0.01"
      maxOutputDerivativeOrder="2" recommendedIntermediateInputSmoothness="-1" providesIntermediateUpdate="true"
      mightReturnEarlyFromDoStep="true" canReturnEarlyAfterIntermediateUpdate="true" hasEventMode="true"
      providesEvaluateDiscreteStates="true"/>
  <ScheduledExecution modelIdentifier="tank_se"/>
  <UnitDefinitions>
    <Unit name="l/km">
      <BaseUnit m="2" factor="1e-6"/>
      <DisplayUnit name="mpg" factor="235.2" inverse="true"/>
      <DisplayUnit name="half" factor="0.5" offset="1"><Annotations><Annotation type="a"/></Annotations></DisplayUnit>
      <Annotations><Annotation type="a"/></Annotations>
    </Unit>
    <Unit name="odd"><BaseUnit kg="1" s="-1" A="2" K="-2" mol="3" cd="-3" rad="4" offset="2"/></Unit>
  </UnitDefinitions>
  <TypeDefinitions>
    <Float32Type name="Single" min="0.1" max="2" nominal="1"/>
    <Float64Type name="Height" description="Height" quantity="Length" unit="l/km" displayUnit="mpg"
        relativeQuantity="true" unbounded="true" min="-1" max="1e3" nominal="10"><Annotations><Annotation type="a"/></Annotations></Float64Type>
    <Int8Type name="T8" quantity="q" min="-128" max="127"/>
    <UInt8Type name="U8" max="255"/>
    <Int16Type name="T16" min="-32768"/>
    <UInt16Type name="U16" max="65535"/>
    <Int32Type name="T32" min="-2147483648"/>
    <UInt32Type name="U32" max="4294967295"/>
    <Int64Type name="T64" min="-9223372036854775808"/>
    <UInt64Type name="U64" max="18446744073709551615"/>
    <BooleanType name="Flag"/>
    <StringType name="Text"/>
    <BinaryType name="Image" mimeType="image/png" maxSize="4096"/>
    <EnumerationType name="Mode" quantity="mode" min="-5" max="9000000000">
      <Item name="off" value="-5" description="nothing"/>
      <Item name="on" value="9000000000"><Annotations><Annotation type="a"/></Annotations></Item>
    </EnumerationType>
    <ClockType name="Tick" canBeDeactivated="true" priority="3" intervalVariability="countdown" intervalDecimal="0.1"
        shiftDecimal="0.05" supportsFraction="true" resolution="1000" intervalCounter="100" shiftCounter="50"/>
  </TypeDefinitions>
  <LogCategories><Category name="events" description="Events"><Annotations><Annotation type="a"/></Annotations></Category></LogCategories>
  <DefaultExperiment startTime="1" stopTime="2" tolerance="1e-5" stepSize="0.01"><Annotations><Annotation type="a"/></Annotations></DefaultExperiment>
  <ModelVariables>
    <Float64 name="time" valueReference="0" causality="independent"/>
    <Float32 name="f" valueReference="1" declaredType="Single" initial="exact" start="0.1"/>
    <UInt64 name="n" valueReference="2" causality="structuralParameter" variability="tunable" start="2"/>
    <Float64 name="h" valueReference="3" description="Level" causality="output" canHandleMultipleSetPerTimeInstant="false"
        intermediateUpdate="true" declaredType="Height" initial="exact" quantity="Length" unit="l/km" displayUnit="mpg"
        relativeQuantity="false" unbounded="false" min="0" max="10" nominal="1" start="1 2.5 -3e-4 4" reinit="true">
      <Annotations><Annotation type="org.example"><colour>red</colour></Annotation></Annotations>
      <Dimension valueReference="2"/>
      <Dimension start="2"/>
      <Alias name="level" description="The same" displayUnit="half"/>
      <Alias name="level2"/>
    </Float64>
    <Float64 name="der(h)" valueReference="4" derivative="3"><Dimension valueReference="2"/><Dimension start="2"/></Float64>
    <Int8 name="i8" valueReference="5" start="-128"/>
    <UInt8 name="u8" valueReference="6" start="255"/>
    <Int16 name="i16" valueReference="7" start="-32768"/>
    <UInt16 name="u16" valueReference="8" start="65535"/>
    <Int32 name="i32" valueReference="9" start="-2147483648" min="-2147483648" max="5" quantity="q"/>
    <UInt32 name="u32" valueReference="10" start="4294967295"/>
    <Int64 name="i64" valueReference="11" start="-9223372036854775808"/>
    <UInt64 name="u64" valueReference="12" start="18446744073709551615"/>
    <Boolean name="b" valueReference="13" causality="input" start="true false 1 0"><Dimension start="4"/></Boolean>
    <String name="s" valueReference="14" causality="parameter">
      <Dimension start="2"/><Start value="first &lt;"/><Start value=""/><Alias name="text"/>
    </String>
    <Binary name="raw" valueReference="15" causality="parameter" mimeType="image/png" maxSize="3"><Start value="00fFA0"/></Binary>
    <Enumeration name="mode" valueReference="16" declaredType="Mode" causality="input" start="9000000000"/>
    <Clock name="tick" valueReference="17" causality="input" declaredType="Tick" intervalVariability="constant"
        intervalDecimal="0.5"/>
    <Clock name="triggered" valueReference="18" causality="output" intervalVariability="triggered"/>
    <Int32 name="counter" valueReference="19" clocks="17 18" previous="20" initial="exact" start="0"/>
    <Int32 name="pre(counter)" valueReference="20" clocks="17"/>
    <Float64 name="z" valueReference="21" causality="local"/>
    <Binary name="empty" valueReference="22" initial="exact"><Start value=""/></Binary>
  </ModelVariables>
  <ModelStructure>
    <Output valueReference="3" dependencies="3 13" dependenciesKind="constant dependent"/>
    <ContinuousStateDerivative valueReference="4" dependencies=""/>
    <ClockedState valueReference="19" dependencies="20" dependenciesKind="fixed"><Annotations><Annotation type="a"/></Annotations></ClockedState>
    <InitialUnknown valueReference="4" dependencies="0 2 3" dependenciesKind="tunable discrete dependent"/>
    <EventIndicator valueReference="21"/>
  </ModelStructure>
  <Annotations><Annotation type="fmu-runtime"><CoSimulation a="b"/></Annotation><Annotation type="bare"/></Annotations>
</fmiModelDescription>
"#;

fn everything() -> ModelDescription {
    read(EVERYTHING).unwrap()
}

fn variable<'d>(description: &'d ModelDescription, name: &str) -> &'d ModelVariable {
    let found = description
        .model_variables
        .iter()
        .find(|variable| variable.name == name);
    found.unwrap_or_else(|| panic!("no variable {name}"))
}

#[test]
fn every_element_is_read() {
    let d = everything();
    assert_eq!(
        (d.model_name.as_str(), d.guid.as_str()),
        ("Tank & pump", "{8c4e}")
    );
    let me = d.model_exchange.as_ref().unwrap();
    assert!(!me.completed_integrator_step_not_needed && me.provides_evaluate_discrete_states);
    assert!(me.interface.provides_adjoint_derivatives && me.interface.provides_per_element_dependencies);
    assert_eq!(me.interface.annotations[0].xml, "plain text");
    let cs = d.co_simulation.as_ref().unwrap();
    assert_eq!(cs.fixed_internal_step_size, Some(0.01));
    assert_eq!(cs.recommended_intermediate_input_smoothness, -1);
    assert!(cs.has_event_mode && cs.provides_intermediate_update && cs.might_return_early_from_do_step);
    assert!(cs.can_return_early_after_intermediate_update && cs.provides_evaluate_discrete_states);
    assert_eq!(
        d.scheduled_execution.as_ref().unwrap().interface.model_identifier,
        "tank_se"
    );
    assert!(d.unit_definitions[0].display_units[0].inverse);
    assert_eq!(
        d.unit_definitions[1].base_unit.unwrap().exponents,
        [1, 0, -1, 2, -2, 3, -3, 4]
    );
    assert_eq!(d.type_definitions.len(), 15);
    let kind = |name: &str| &d.type_definitions.iter().find(|t| t.name == name).unwrap().kind;
    assert!(
        matches!(kind("Single"), TypeKind::Real(a) if a.float == FloatType::Float32 && a.min == Some(f64::from(0.1f32)))
    );
    assert!(
        matches!(kind("U64"), TypeKind::Integer(a) if a.integer == IntegerType::UInt64 && a.max == Some(u64::MAX.into()))
    );
    assert!(matches!(
        kind("Image"),
        TypeKind::Binary {
            max_size: Some(4096),
            ..
        }
    ));
    assert!(
        matches!(kind("Mode"), TypeKind::Enumeration { items, max: Some(9_000_000_000), .. } if items[1].value == 9_000_000_000)
    );
    assert!(
        matches!(kind("Tick"), TypeKind::Clock(a) if a.interval_variability == IntervalVariability::Countdown && a.shift_counter == Some(50))
    );
    assert_eq!(d.vendor_annotations.len(), 2);

    // References are positions, whatever the value references are.
    let h = variable(&d, "h");
    assert_eq!(
        h.dimensions,
        [Dimension::Parameter(Reference::to(2)), Dimension::Fixed(2)]
    );
    assert_eq!(
        (h.aliases.len(), h.aliases[0].display_unit.as_deref()),
        (2, Some("half"))
    );
    assert!(h.intermediate_update && h.can_handle_multiple_set_per_time_instant == Some(false));
    assert!(
        matches!(&h.kind, VariableKind::Real { start, reinit: true, .. } if start.values() == [1.0, 2.5, -3e-4, 4.0])
    );
    let derivative = &variable(&d, "der(h)").kind;
    assert!(
        matches!(derivative, VariableKind::Real { derivative: Some(state), .. } if state.position() == Some(3))
    );
    let counter = variable(&d, "counter");
    assert_eq!(
        (&counter.clocks[..], counter.previous),
        (
            &[Reference::to(17), Reference::to(18)][..],
            Some(Reference::to(20))
        )
    );
    assert!(
        matches!(&variable(&d, "b").kind, VariableKind::Boolean { start, .. } if start.values() == [true, false, true, false])
    );
    assert!(
        matches!(&variable(&d, "s").kind, VariableKind::String { start, .. } if start.values() == ["first <", ""])
    );
    assert!(
        matches!(&variable(&d, "raw").kind, VariableKind::Binary { start, .. } if start.one() == Some(vec![0, 255, 160]))
    );
    assert!(
        matches!(&variable(&d, "empty").kind, VariableKind::Binary { start, .. } if start.one() == Some(vec![]))
    );
    assert!(
        matches!(&variable(&d, "u64").kind, VariableKind::Integer { start, .. } if start.one() == Some(u64::MAX.into()))
    );
    assert!(
        matches!(&variable(&d, "f").kind, VariableKind::Real { start, .. } if start.one() == Some(f64::from(0.1f32)))
    );

    // The default of variability depends on causality and type (2.4.7.4).
    let variability = |name: &str| variable(&d, name).variability;
    assert_eq!(variability("h"), Variability::Continuous);
    assert_eq!(variability("n"), Variability::Tunable);
    assert_eq!(variability("s"), Variability::Fixed);
    assert_eq!(variability("i8"), Variability::Discrete);
    assert_eq!(variability("tick"), Variability::Discrete);

    let structure = &d.model_structure;
    let on: Vec<_> = structure.outputs[0].depends_on().unwrap().collect();
    assert_eq!(
        on,
        [(3, DependencyKind::Constant), (13, DependencyKind::Dependent)]
    );
    assert_eq!(structure.derivatives[0].dependencies, Some(vec![]));
    assert_eq!(structure.clocked_states[0].variable.position(), Some(19));
    assert_eq!(structure.initial_unknowns[0].depends_on().unwrap().count(), 3);
    assert_eq!(structure.event_indicators[0].dependencies, None);
}

#[test]
fn what_was_read_is_written_and_read_back() {
    let description = everything();
    let text = write(&description);
    assert_eq!(read(&text).unwrap(), description, "{text}");
    assert_eq!(fmu_standard::xml::read_any_version(&text).unwrap(), description);
}

#[test]
fn references_to_no_variable_stay_as_they_are_written() {
    let text = EVERYTHING
        .replace(
            "<EventIndicator valueReference=\"21\"/>",
            "<EventIndicator valueReference=\"99\" dependencies=\"3 77\"/>",
        )
        .replace("derivative=\"3\"", "derivative=\"88\"")
        .replace("previous=\"20\"", "previous=\"66\"");
    let d = read(&text).unwrap();
    let indicator = &d.model_structure.event_indicators[0];
    assert_eq!(indicator.variable, Reference::Missing(99));
    assert_eq!(
        indicator.dependencies,
        Some(vec![Reference::to(3), Reference::Missing(77)])
    );
    assert!(matches!(
        variable(&d, "der(h)").kind,
        VariableKind::Real {
            derivative: Some(Reference::Missing(88)),
            ..
        }
    ));
    assert_eq!(variable(&d, "counter").previous, Some(Reference::Missing(66)));
    assert_eq!(read(write(&d)).unwrap(), d);
}

#[test]
fn wrong_values_are_located() {
    for (from, to, sentence) in [
        (
            "start=\"-128\"",
            "start=\"-129\"",
            "attribute `start` of `Int8` is \"-129\", expected whole numbers in the range of their type",
        ),
        (
            "start=\"1 2.5 -3e-4 4\"",
            "start=\"1 2,5\"",
            "attribute `start` of `Float64` is \"1 2,5\", expected numbers, separated by blanks",
        ),
        (
            "value=\"00fFA0\"",
            "value=\"00f\"",
            "attribute `value` of `Start` is \"00f\", expected pairs of hexadecimal digits",
        ),
        (
            " intervalVariability=\"triggered\"",
            "",
            "`Clock` lacks its attribute `intervalVariability`",
        ),
        (
            " declaredType=\"Mode\"",
            "",
            "`Enumeration` lacks its attribute `declaredType`",
        ),
        (
            "<Dimension start=\"4\"/>",
            "<Dimension/>",
            "`Dimension` lacks one of the attributes `start`, `valueReference`",
        ),
        (
            " instantiationToken=\"{8c4e}\"",
            "",
            "`fmiModelDescription` lacks its attribute `instantiationToken`",
        ),
        (
            "causality=\"independent\"",
            "causality=\"time\"",
            "expected one of `parameter`",
        ),
    ] {
        assert!(EVERYTHING.contains(from), "{from}");
        let error = read(EVERYTHING.replacen(from, to, 1)).unwrap_err();
        assert!(error.to_string().contains(sentence), "{error}");
    }
    let old = EVERYTHING.replace("fmiVersion=\"3.0\"", "fmiVersion=\"2.0\"");
    assert!(matches!(read(old).unwrap_err().problem, ReadProblem::OtherVersion { found } if found == "2.0"));
    // The reader of 2.0 refuses 3.0 with a sentence.
    let refused = fmu_standard::fmi2::read(EVERYTHING).unwrap_err().to_string();
    assert!(refused.contains("a model description of FMI 3.0"), "{refused}");
}

#[test]
fn the_token_is_made_of_the_interface() {
    let mut d = everything();
    let token = fmu_standard::instantiation_token(&d);
    d.guid = token.clone();
    d.generation_date_and_time = None;
    d.model_structure.outputs[0].dependencies = None;
    assert_eq!(fmu_standard::instantiation_token(&d), token);
    d.model_variables[3].dimensions.pop();
    assert_ne!(fmu_standard::instantiation_token(&d), token);
}

fn text() -> impl Strategy<Value = String> {
    "[ -~\u{e4}\u{20ac}\t\n\r]{0,6}"
}

fn one_of<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
    prop::sample::select(all)
}

fn reals(float: FloatType) -> impl Strategy<Value = f64> + Clone {
    any::<u64>().prop_map(move |bits| {
        let value = match float {
            FloatType::Float64 => f64::from_bits(bits),
            FloatType::Float32 => f32::from_bits(bits as u32).into(),
        };
        if value.is_finite() { value } else { 0.5 }
    })
}

fn start<T: Clone + std::fmt::Debug>(
    value: impl Strategy<Value = T>,
    least: usize,
) -> impl Strategy<Value = Start<T>> {
    of(vec(value, least..4)).prop_map(|values| values.map_or(Start::None, Start::from))
}

fn reference() -> impl Strategy<Value = Reference> {
    prop_oneof![
        (0u32..6).prop_map(Reference::Variable),
        (100u32..).prop_map(Reference::Missing)
    ]
}

fn real_kind() -> impl Strategy<Value = VariableKind> {
    one_of(FloatType::ALL).prop_flat_map(|float| {
        let texts = (of(text()), of(text()), of(text()), of(text()));
        let numbers = (of(reals(float)), of(reals(float)), of(reals(float)));
        let flags = (of(any::<bool>()), of(any::<bool>()), any::<bool>());
        (texts, numbers, flags, start(reals(float), 0), of(reference())).prop_map(
            move |(
                (declared_type, quantity, unit, display_unit),
                (min, max, nominal),
                flags,
                start,
                derivative,
            )| {
                VariableKind::Real {
                    declared_type,
                    attributes: RealAttributes {
                        float,
                        quantity,
                        unit,
                        display_unit,
                        relative_quantity: flags.0,
                        min,
                        max,
                        nominal,
                        unbounded: flags.1,
                    },
                    start,
                    derivative,
                    reinit: flags.2,
                }
            },
        )
    })
}

fn integers(integer: IntegerType) -> impl Strategy<Value = i128> + Clone {
    let (least, most) = integer.range().into_inner();
    prop_oneof![Just(least), Just(most), least..=most]
}

fn integer_attributes(integer: IntegerType) -> impl Strategy<Value = IntegerAttributes> {
    (of(text()), of(integers(integer)), of(integers(integer))).prop_map(move |(quantity, min, max)| {
        IntegerAttributes {
            integer,
            quantity,
            min,
            max,
        }
    })
}

fn clock_attributes() -> impl Strategy<Value = ClockAttributes> {
    let flags = (of(any::<bool>()), of(any::<bool>()));
    let numbers = (
        of(any::<u32>()),
        of(any::<u64>()),
        of(any::<u64>()),
        of(any::<u64>()),
    );
    let decimals = (of(reals(FloatType::Float64)), of(reals(FloatType::Float64)));
    (flags, numbers, decimals, one_of(IntervalVariability::ALL)).prop_map(
        |(
            (can_be_deactivated, supports_fraction),
            numbers,
            (interval_decimal, shift_decimal),
            interval_variability,
        )| {
            ClockAttributes {
                can_be_deactivated,
                priority: numbers.0,
                interval_variability,
                interval_decimal,
                shift_decimal,
                supports_fraction,
                resolution: numbers.1,
                interval_counter: numbers.2,
                shift_counter: numbers.3,
            }
        },
    )
}

fn kind() -> impl Strategy<Value = VariableKind> {
    let integer = one_of(IntegerType::ALL).prop_flat_map(|integer| {
        (
            of(text()),
            integer_attributes(integer),
            start(integers(integer), 0),
        )
            .prop_map(|(declared_type, attributes, start)| VariableKind::Integer {
                declared_type,
                attributes,
                start,
            })
    });
    let enumeration = (
        text(),
        integer_attributes(IntegerType::Int64),
        start(integers(IntegerType::Int64), 0),
    )
        .prop_map(|(declared_type, attributes, start)| VariableKind::Enumeration {
            declared_type,
            attributes: IntegerAttributes {
                integer: IntegerType::default(),
                ..attributes
            },
            start,
        });
    let bytes = vec(any::<u8>(), 0..5);
    prop_oneof![
        real_kind(),
        integer,
        enumeration,
        (of(text()), start(any::<bool>(), 0))
            .prop_map(|(declared_type, start)| VariableKind::Boolean { declared_type, start }),
        (of(text()), start(text(), 1))
            .prop_map(|(declared_type, start)| VariableKind::String { declared_type, start }),
        (of(text()), of(text()), of(any::<u64>()), start(bytes, 1)).prop_map(
            |(declared_type, mime_type, max_size, start)| {
                VariableKind::Binary {
                    declared_type,
                    mime_type,
                    max_size,
                    start,
                }
            }
        ),
        (of(text()), clock_attributes()).prop_map(|(declared_type, attributes)| VariableKind::Clock {
            declared_type,
            attributes
        }),
    ]
}

fn annotation() -> impl Strategy<Value = VendorAnnotation> {
    let xml = prop::sample::select(vec![
        "",
        "text",
        "<a/>",
        "<a b=\"c\"> <Annotation type=\"x\">&lt;</Annotation></a>",
    ]);
    (text(), xml).prop_map(|(tool, xml)| VendorAnnotation {
        tool,
        xml: xml.into(),
    })
}

fn variables() -> impl Strategy<Value = Vec<ModelVariable>> {
    let roles = (
        one_of(Causality::ALL),
        one_of(Variability::ALL),
        of(one_of(Initial::ALL)),
    );
    let dimension = prop_oneof![
        any::<u64>().prop_map(Dimension::Fixed),
        reference().prop_map(Dimension::Parameter)
    ];
    let alias = (text(), of(text()), of(text())).prop_map(|(name, description, display_unit)| Alias {
        name,
        description,
        display_unit,
    });
    let references = (vec(reference(), 0..3), of(reference()), vec(dimension, 0..3));
    let rest = (
        of(any::<bool>()),
        any::<bool>(),
        vec(alias, 0..3),
        vec(annotation(), 0..2),
    );
    let one = (text(), of(text()), roles, kind(), references, rest).prop_map(
        |(
            name,
            description,
            (causality, variability, initial),
            kind,
            (clocks, previous, dimensions),
            rest,
        )| ModelVariable {
            name,
            value_reference: 0,
            description,
            causality,
            variability,
            initial,
            can_handle_multiple_set_per_time_instant: rest.0,
            kind,
            dimensions,
            clocks,
            previous,
            intermediate_update: rest.1,
            aliases: rest.2,
            annotations: rest.3,
        },
    );
    // Six variables, so that every reference above has its target; value references in no order.
    (vec(one, 6), Just([40u32, 3, 77, 0, 12, 5]).prop_shuffle()).prop_map(|(mut all, references)| {
        for (variable, reference) in all.iter_mut().zip(references) {
            variable.value_reference = reference;
        }
        all
    })
}

fn unknowns() -> impl Strategy<Value = Vec<Unknown>> {
    let unknown = (
        reference(),
        of(vec(reference(), 0..4)),
        of(vec(one_of(DependencyKind::ALL), 0..4)),
    )
        .prop_map(|(variable, dependencies, dependencies_kind)| Unknown {
            variable,
            dependencies,
            dependencies_kind,
        });
    vec(unknown, 0..3)
}

fn interface() -> impl Strategy<Value = Interface> {
    (text(), any::<[bool; 7]>(), vec(annotation(), 0..2)).prop_map(
        |(model_identifier, flags, annotations)| {
            let mut interface = Interface::new(model_identifier);
            interface.needs_execution_tool = flags[0];
            interface.can_be_instantiated_only_once_per_process = flags[1];
            interface.can_get_and_set_fmu_state = flags[2];
            interface.can_serialize_fmu_state = flags[3];
            interface.provides_directional_derivative = flags[4];
            interface.provides_adjoint_derivatives = flags[5];
            interface.provides_per_element_dependencies = flags[6];
            interface.annotations = annotations;
            interface
        },
    )
}

fn types() -> impl Strategy<Value = Vec<SimpleType>> {
    let item = (text(), any::<i64>(), of(text())).prop_map(|(name, value, description)| EnumerationItem {
        name,
        value,
        description,
    });
    let kind = prop_oneof![
        real_kind().prop_map(|kind| match kind {
            VariableKind::Real { attributes, .. } => TypeKind::Real(attributes),
            _ => TypeKind::Boolean,
        }),
        one_of(IntegerType::ALL)
            .prop_flat_map(integer_attributes)
            .prop_map(TypeKind::Integer),
        Just(TypeKind::Boolean),
        Just(TypeKind::String),
        (of(text()), of(any::<u64>()))
            .prop_map(|(mime_type, max_size)| TypeKind::Binary { mime_type, max_size }),
        clock_attributes().prop_map(TypeKind::Clock),
        (of(text()), of(any::<i64>()), of(any::<i64>()), vec(item, 0..3)).prop_map(
            |(quantity, min, max, items)| TypeKind::Enumeration {
                quantity,
                min,
                max,
                items
            }
        ),
    ];
    let one = (text(), of(text()), kind).prop_map(|(name, description, kind)| SimpleType {
        name,
        description,
        kind,
    });
    vec(one, 0..4)
}

fn description() -> impl Strategy<Value = ModelDescription> {
    let me = (interface(), any::<[bool; 2]>()).prop_map(|(interface, flags)| {
        let mut me = ModelExchange::new(interface);
        me.completed_integrator_step_not_needed = flags[0];
        me.provides_evaluate_discrete_states = flags[1];
        me
    });
    let numbers = (of(reals(FloatType::Float64)), any::<u32>(), any::<i32>());
    let cs = (interface(), any::<[bool; 6]>(), numbers).prop_map(|(interface, flags, numbers)| {
        let mut cs = CoSimulation::new(interface);
        cs.can_handle_variable_communication_step_size = flags[0];
        cs.fixed_internal_step_size = numbers.0;
        cs.max_output_derivative_order = numbers.1;
        cs.recommended_intermediate_input_smoothness = numbers.2;
        cs.provides_intermediate_update = flags[1];
        cs.might_return_early_from_do_step = flags[2];
        cs.can_return_early_after_intermediate_update = flags[3];
        cs.has_event_mode = flags[4];
        cs.provides_evaluate_discrete_states = flags[5];
        cs
    });
    let se = interface().prop_map(ScheduledExecution::new);
    let structure = [unknowns(), unknowns(), unknowns(), unknowns(), unknowns()];
    let interfaces = (of(me), of(cs), of(se));
    (
        text(),
        text(),
        vec(of(text()), 7),
        interfaces,
        types(),
        variables(),
        structure,
        vec(annotation(), 0..3),
    )
        .prop_map(
            |(
                model_name,
                guid,
                mut texts,
                interfaces,
                type_definitions,
                model_variables,
                structure,
                vendor_annotations,
            )| {
                let [
                    outputs,
                    derivatives,
                    clocked_states,
                    initial_unknowns,
                    event_indicators,
                ] = structure;
                let mut next = || texts.pop().flatten();
                ModelDescription {
                    fmi_version: "3.0".into(),
                    model_name,
                    guid,
                    description: next(),
                    author: next(),
                    version: next(),
                    copyright: next(),
                    license: next(),
                    generation_tool: next(),
                    generation_date_and_time: next(),
                    model_exchange: interfaces.0,
                    co_simulation: interfaces.1,
                    scheduled_execution: interfaces.2,
                    type_definitions,
                    vendor_annotations,
                    model_variables,
                    model_structure: ModelStructure {
                        outputs,
                        derivatives,
                        clocked_states,
                        initial_unknowns,
                        event_indicators,
                    },
                    ..Default::default()
                }
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reading_undoes_writing(description in description()) {
        let text = write(&description);
        let back = read(&text).unwrap();
        prop_assert_eq!(&back, &description, "{}", &text);
        // Signs of zero and other bits that `==` does not see.
        prop_assert_eq!(write(&back), text);
    }

    #[test]
    fn a_damaged_text_gives_a_description_or_an_error(
        at in any::<prop::sample::Index>(),
        length in 0usize..30,
        instead in prop::sample::select(vec!["", "<", ">", "\"", "&", "</Float64>", "1e999", "-1", "\u{1f980}"]),
    ) {
        let mut bytes = EVERYTHING.as_bytes().to_vec();
        let at = at.index(bytes.len());
        bytes.splice(at..(at + length).min(EVERYTHING.len()), instead.bytes());
        match read(&bytes) {
            Ok(description) => prop_assert!(read(write(&description)).is_ok()),
            Err(error) => prop_assert!(error.line >= 1 && !error.to_string().is_empty()),
        }
    }
}
