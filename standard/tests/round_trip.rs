//! Reading is the inverse of writing, and no text makes the reader panic.

mod common;

use fmu_standard::description::*;
use fmu_standard::xml::{read, write};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

/// Text with everything that needs care: markup, white space, quotes, other alphabets; no character that XML
/// cannot carry.
fn text() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        4 => prop::char::range('a', 'z'),
        2 => prop::sample::select(vec!['<', '>', '&', '"', '\'', ' ', '\t', '\n', '\r', ';', '#', ']', '-', '\u{85}']),
        1 => any::<char>().prop_filter("XML has it", |c| *c >= ' ' && !matches!(*c, '\u{fffe}' | '\u{ffff}')),
    ];
    vec(character, 0..12).prop_map(String::from_iter)
}

fn real() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("NaN differs from itself", |x| !x.is_nan()),
        Just(0.0),
        Just(1.0),
        Just(-0.0)
    ]
}

fn one_of<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
    prop::sample::select(all)
}

fn real_attributes() -> impl Strategy<Value = RealAttributes> {
    let texts = (of(text()), of(text()), of(text()));
    (
        texts,
        of(any::<bool>()),
        of(real()),
        of(real()),
        of(real()),
        of(any::<bool>()),
    )
        .prop_map(
            |((quantity, unit, display_unit), relative_quantity, min, max, nominal, unbounded)| {
                RealAttributes {
                    float: FloatType::Float64,
                    quantity,
                    unit,
                    display_unit,
                    relative_quantity,
                    min,
                    max,
                    nominal,
                    unbounded,
                }
            },
        )
}

fn integer_attributes() -> impl Strategy<Value = IntegerAttributes> {
    (of(text()), of(any::<i32>()), of(any::<i32>())).prop_map(|(quantity, min, max)| IntegerAttributes {
        quantity,
        min: min.map(i128::from),
        max: max.map(i128::from),
        ..Default::default()
    })
}

fn annotation() -> impl Strategy<Value = VendorAnnotation> {
    let xml = prop::sample::select(vec![
        "",
        " ",
        "text",
        "<a/>",
        "<a b=\"c\">\r\n <Tool name=\"x\">&lt;</Tool></a>",
    ]);
    (text(), xml).prop_map(|(tool, xml)| VendorAnnotation {
        tool,
        xml: xml.into(),
    })
}

fn variable_kind() -> impl Strategy<Value = VariableKind> {
    prop_oneof![
        3 => (of(text()), real_attributes(), of(real()), of(index()), any::<bool>()).prop_map(
            |(declared_type, attributes, start, derivative, reinit)| VariableKind::Real {
                declared_type, attributes, start: Start::from(start), derivative: derivative.map(Reference::Missing), reinit
            }
        ),
        1 => (of(text()), integer_attributes(), of(any::<i32>())).prop_map(
            |(declared_type, attributes, start)| VariableKind::Integer { declared_type, attributes, start: Start::from(start.map(i128::from)) }
        ),
        1 => (of(text()), of(any::<bool>()))
            .prop_map(|(declared_type, start)| VariableKind::Boolean { declared_type, start: Start::from(start) }),
        1 => (of(text()), of(text())).prop_map(|(declared_type, start)| VariableKind::String { declared_type, start: Start::from(start) }),
        1 => (text(), integer_attributes(), of(any::<i32>())).prop_map(
            |(declared_type, attributes, start)| VariableKind::Enumeration { declared_type, attributes, start: Start::from(start.map(i128::from)) }
        ),
    ]
}

fn variable() -> impl Strategy<Value = ModelVariable> {
    let roles = (
        one_of(&Causality::ALL[..6]),
        one_of(Variability::ALL),
        of(one_of(Initial::ALL)),
        of(any::<bool>()),
    );
    (
        text(),
        any::<u32>(),
        of(text()),
        roles,
        variable_kind(),
        vec(annotation(), 0..2),
    )
        .prop_map(
            |(
                name,
                value_reference,
                description,
                (causality, variability, initial, multiple),
                kind,
                annotations,
            )| {
                ModelVariable {
                    name,
                    value_reference,
                    description,
                    causality,
                    variability,
                    initial,
                    can_handle_multiple_set_per_time_instant: multiple,
                    kind,
                    annotations,
                    ..Default::default()
                }
            },
        )
}

fn simple_type() -> impl Strategy<Value = SimpleType> {
    let item = (text(), any::<i32>(), of(text())).prop_map(|(name, value, description)| EnumerationItem {
        name,
        value: value.into(),
        description,
    });
    let kind = prop_oneof![
        real_attributes().prop_map(TypeKind::Real),
        integer_attributes().prop_map(TypeKind::Integer),
        Just(TypeKind::Boolean),
        Just(TypeKind::String),
        (of(text()), vec(item, 0..3)).prop_map(|(quantity, items)| TypeKind::Enumeration {
            quantity,
            min: None,
            max: None,
            items
        }),
    ];
    (text(), of(text()), kind).prop_map(|(name, description, kind)| SimpleType {
        name,
        description,
        kind,
    })
}

fn unit() -> impl Strategy<Value = Unit> {
    let base_unit = (any::<[i32; 8]>(), real(), real()).prop_map(|(exponents, factor, offset)| BaseUnit {
        exponents,
        factor,
        offset,
    });
    let display_unit = (text(), real(), real()).prop_map(|(name, factor, offset)| DisplayUnit {
        name,
        factor,
        offset,
        inverse: false,
    });
    (text(), of(base_unit), vec(display_unit, 0..3)).prop_map(|(name, base_unit, display_units)| Unit {
        name,
        base_unit,
        display_units,
    })
}

fn unknowns() -> impl Strategy<Value = Vec<Unknown>> {
    let unknown = (
        index(),
        of(vec(index(), 0..4)),
        of(vec(one_of(DependencyKind::ALL), 0..4)),
    )
        .prop_map(|(index, dependencies, dependencies_kind)| Unknown {
            variable: Reference::Missing(index),
            dependencies: dependencies.map(|all| all.into_iter().map(Reference::Missing).collect()),
            dependencies_kind,
        });
    vec(unknown, 0..4)
}

fn interface() -> impl Strategy<Value = Interface> {
    (text(), any::<[bool; 6]>(), vec(text(), 0..3)).prop_map(|(model_identifier, flags, source_files)| {
        let mut interface = Interface::new(model_identifier);
        interface.needs_execution_tool = flags[0];
        interface.can_be_instantiated_only_once_per_process = flags[1];
        interface.can_not_use_memory_management_functions = flags[2];
        interface.can_get_and_set_fmu_state = flags[3];
        interface.can_serialize_fmu_state = flags[4];
        interface.provides_directional_derivative = flags[5];
        interface.source_files = source_files;
        interface
    })
}

fn description() -> impl Strategy<Value = ModelDescription> {
    let model_exchange =
        (interface(), any::<bool>()).prop_map(|(interface, completed_integrator_step_not_needed)| {
            let mut me = ModelExchange::new(interface);
            me.completed_integrator_step_not_needed = completed_integrator_step_not_needed;
            me
        });
    let co_simulation =
        (interface(), any::<[bool; 3]>(), any::<u32>()).prop_map(|(interface, flags, order)| {
            let mut cs = CoSimulation::new(interface);
            cs.can_handle_variable_communication_step_size = flags[0];
            cs.can_interpolate_inputs = flags[1];
            cs.max_output_derivative_order = order;
            cs.can_run_asynchronuously = flags[2];
            cs
        });
    let experiment = (of(real()), of(real()), of(real()), of(real())).prop_map(
        |(start_time, stop_time, tolerance, step_size)| {
            let mut experiment = DefaultExperiment::default();
            experiment.start_time = start_time;
            experiment.stop_time = stop_time;
            experiment.tolerance = tolerance;
            experiment.step_size = step_size;
            experiment
        },
    );
    let category = (text(), of(text())).prop_map(|(name, description)| LogCategory { name, description });
    let names = (
        text(),
        text(),
        vec(of(text()), 7),
        one_of(VariableNamingConvention::ALL),
        of(any::<u64>()),
    );
    let definitions = (
        vec(unit(), 0..3),
        vec(simple_type(), 0..3),
        vec(category, 0..3),
        of(experiment),
    );
    (
        names,
        of(model_exchange),
        of(co_simulation),
        definitions,
        vec(annotation(), 0..3),
        vec(variable(), 0..5),
        [unknowns(), unknowns(), unknowns()],
    )
        .prop_map(
            |(
                names,
                model_exchange,
                co_simulation,
                definitions,
                vendor_annotations,
                variables,
                structure,
            )| {
                let (model_name, guid, mut texts, variable_naming_convention, number_of_event_indicators) =
                    names;
                let (unit_definitions, type_definitions, log_categories, default_experiment) = definitions;
                let [outputs, derivatives, initial_unknowns] = structure;
                let mut next = || texts.pop().flatten();
                resolved(ModelDescription {
                    fmi_version: "2.0".into(),
                    model_name,
                    guid,
                    description: next(),
                    author: next(),
                    version: next(),
                    copyright: next(),
                    license: next(),
                    generation_tool: next(),
                    generation_date_and_time: next(),
                    variable_naming_convention,
                    number_of_event_indicators,
                    model_exchange,
                    co_simulation,
                    unit_definitions,
                    type_definitions,
                    log_categories,
                    default_experiment,
                    vendor_annotations,
                    model_variables: variables,
                    model_structure: ModelStructure {
                        outputs,
                        derivatives,
                        initial_unknowns,
                        ..Default::default()
                    },
                    ..Default::default()
                })
            },
        )
}

/// The description with every index that belongs to a variable as a reference to it.
fn resolved(mut description: ModelDescription) -> ModelDescription {
    let count = description.model_variables.len();
    let resolve = |reference: &mut Reference| {
        let index = reference.index() as usize;
        if (1..=count).contains(&index) {
            *reference = Reference::to(index - 1);
        }
    };
    for variable in &mut description.model_variables {
        if let VariableKind::Real { derivative, .. } = &mut variable.kind {
            derivative.iter_mut().for_each(resolve);
        }
    }
    let structure = &mut description.model_structure;
    for list in [
        &mut structure.outputs,
        &mut structure.derivatives,
        &mut structure.initial_unknowns,
    ] {
        for unknown in list {
            resolve(&mut unknown.variable);
            unknown.dependencies.iter_mut().flatten().for_each(resolve);
        }
    }
    description
}

/// Numbers that are an index of one of the few variables about half of the time.
fn index() -> impl Strategy<Value = u32> {
    prop_oneof![0u32..8, any::<u32>()]
}

/// Changes to a text, byte by byte, of the kinds that reach deep into a parser.
#[derive(Clone, Debug)]
enum Mutation {
    Set(u8),
    Remove(usize),
    Insert(&'static str),
    Repeat(usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let token = prop::sample::select(vec![
        "<",
        ">",
        "/>",
        "</",
        "<a>",
        "\"",
        "'",
        "&",
        "&#",
        "&#x110000;",
        "&lt;",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<?",
        "<!DOCTYPE",
        "=",
        "\0",
        "\u{feff}",
        "\u{1f980}",
        " ",
        "-1",
        "1e999",
        "99999999999999999999",
        "</ModelVariables>",
    ]);
    prop_oneof![
        any::<u8>().prop_map(Mutation::Set),
        (1usize..40).prop_map(Mutation::Remove),
        token.prop_map(Mutation::Insert),
        (1usize..40).prop_map(Mutation::Repeat),
    ]
}

fn mutate(bytes: &mut Vec<u8>, at: usize, mutation: &Mutation) {
    if bytes.is_empty() {
        return;
    }
    let at = at % bytes.len();
    match *mutation {
        Mutation::Set(byte) => bytes[at] = byte,
        Mutation::Remove(count) => drop(bytes.drain(at..bytes.len().min(at + count))),
        Mutation::Insert(token) => drop(bytes.splice(at..at, token.bytes())),
        Mutation::Repeat(count) => {
            let piece = bytes[at..bytes.len().min(at + count)].to_vec();
            bytes.splice(at..at, piece);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reading_undoes_writing(description in description()) {
        let text = write(&description);
        let back = read(&text).unwrap();
        prop_assert_eq!(&back, &description, "{}", &text);
        // Signs of zero and other bits that `==` does not see.
        prop_assert_eq!(write(&back), text);
        prop_assert_eq!(fmu_standard::guid(&back), fmu_standard::guid(&description));
    }

    #[test]
    fn a_damaged_text_gives_a_description_or_an_error(
        mutations in vec((any::<usize>(), mutation()), 1..12),
    ) {
        let mut bytes = write(&common::rich()).into_bytes();
        for (at, mutation) in &mutations {
            mutate(&mut bytes, *at, mutation);
        }
        match read(&bytes) {
            // What was read can be written, and that can be read.
            Ok(description) => {
                let again = read(write(&description));
                prop_assert!(again.is_ok(), "{:?}", again);
            }
            Err(error) => prop_assert!(error.line >= 1 && error.column >= 1 && !error.to_string().is_empty()),
        }
    }

    #[test]
    fn random_bytes_give_an_error(bytes in vec(any::<u8>(), 0..200)) {
        prop_assert!(read(&bytes).is_err());
    }
}
