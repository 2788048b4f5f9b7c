//! Descriptions that the tests share.

use fmu_standard::description::*;

/// A description in which every element and every attribute of the standard occurs, with values other than the
/// defaults.
pub fn rich() -> ModelDescription {
    let mut model_exchange = ModelExchange::new(interface(&["all.c", "me/solve.c"]));
    model_exchange.completed_integrator_step_not_needed = true;
    let mut co_simulation = CoSimulation::new(interface(&[]));
    co_simulation.can_handle_variable_communication_step_size = true;
    co_simulation.can_interpolate_inputs = true;
    co_simulation.max_output_derivative_order = 3;
    co_simulation.can_run_asynchronuously = true;
    let mut experiment = DefaultExperiment::default();
    experiment.start_time = Some(-0.5);
    experiment.stop_time = Some(1e10);
    experiment.tolerance = Some(1e-6);
    experiment.step_size = Some(0.1);
    ModelDescription {
        fmi_version: "2.0".into(),
        model_name: "Rich <&> \"quoted\"".into(),
        guid: "{0}".into(),
        description: Some("Two lines,\n\ta tab, an apostrophe ' and \u{fc}\u{1f980}".into()),
        author: Some("An author".into()),
        version: Some("1.2.3".into()),
        copyright: Some("\u{a9} 2026".into()),
        license: Some("MIT OR Apache-2.0".into()),
        generation_tool: Some("a tool".into()),
        generation_date_and_time: Some("2026-01-02T03:04:05Z".into()),
        variable_naming_convention: VariableNamingConvention::Structured,
        number_of_event_indicators: Some(2),
        model_exchange: Some(model_exchange),
        scheduled_execution: None,
        co_simulation: Some(co_simulation),
        unit_definitions: vec![
            Unit {
                name: "K".into(),
                base_unit: Some(fmu_standard::units::parse("K").unwrap()),
                display_units: vec![fmu_standard::units::display_unit("K", "degC").unwrap()],
            },
            Unit {
                name: "degF".into(),
                base_unit: Some(fmu_standard::units::parse("degF").unwrap()),
                display_units: vec![DisplayUnit {
                    name: "degF too".into(),
                    factor: 1.0,
                    offset: 0.0,
                    inverse: false,
                }],
            },
            fmu_standard::units::unit("kg.m2.s-3.A-1.K-2.mol2.cd.rad").unwrap(),
            Unit {
                name: "Euro/PersonYear".into(),
                base_unit: None,
                display_units: vec![],
            },
        ],
        type_definitions: types(),
        log_categories: vec![
            LogCategory {
                name: "logAll".into(),
                description: Some("Everything".into()),
            },
            LogCategory {
                name: "logEvents".into(),
                description: None,
            },
        ],
        default_experiment: Some(experiment),
        vendor_annotations: vec![
            VendorAnnotation {
                tool: "one".into(),
                xml: "<a b=\"c\">\n  <d>text &amp; more</d>\n</a>".into(),
            },
            VendorAnnotation {
                tool: "two".into(),
                xml: String::new(),
            },
        ],
        model_variables: variables(),
        model_structure: ModelStructure {
            outputs: vec![
                Unknown {
                    variable: Reference::to(2),
                    dependencies: Some(vec![Reference::to(0), Reference::to(1)]),
                    dependencies_kind: Some(vec![DependencyKind::Dependent, DependencyKind::Tunable]),
                },
                Unknown {
                    variable: Reference::to(4),
                    dependencies: None,
                    dependencies_kind: None,
                },
            ],
            derivatives: vec![Unknown {
                variable: Reference::to(1),
                dependencies: Some(vec![Reference::to(0), Reference::to(2), Reference::to(7)]),
                dependencies_kind: Some(vec![
                    DependencyKind::Constant,
                    DependencyKind::Fixed,
                    DependencyKind::Discrete,
                ]),
            }],
            initial_unknowns: vec![
                Unknown {
                    variable: Reference::to(1),
                    dependencies: Some(vec![]),
                    dependencies_kind: None,
                },
                Unknown {
                    variable: Reference::to(4),
                    dependencies: Some(vec![]),
                    dependencies_kind: Some(vec![]),
                },
            ],
            ..Default::default()
        },
    }
}

fn interface(source_files: &[&str]) -> Interface {
    let mut interface = Interface::new("Rich");
    interface.needs_execution_tool = true;
    interface.can_be_instantiated_only_once_per_process = true;
    interface.can_not_use_memory_management_functions = true;
    interface.can_get_and_set_fmu_state = true;
    interface.can_serialize_fmu_state = true;
    interface.provides_directional_derivative = true;
    interface.source_files = source_files.iter().map(ToString::to_string).collect();
    interface
}

fn types() -> Vec<SimpleType> {
    let named = |name: &str, kind| SimpleType {
        name: name.into(),
        description: Some(format!("type {name}")),
        kind,
    };
    vec![
        named("Temperature", TypeKind::Real(real_attributes())),
        named("Count", TypeKind::Integer(integer_attributes())),
        SimpleType {
            name: "Flag".into(),
            description: None,
            kind: TypeKind::Boolean,
        },
        named("Text", TypeKind::String),
        named(
            "Gear",
            TypeKind::Enumeration {
                quantity: Some("gear".into()),
                min: None,
                max: None,
                items: vec![
                    EnumerationItem {
                        name: "reverse".into(),
                        value: -1,
                        description: Some("backwards".into()),
                    },
                    EnumerationItem {
                        name: "first".into(),
                        value: 1,
                        description: None,
                    },
                ],
            },
        ),
    ]
}

fn real_attributes() -> RealAttributes {
    RealAttributes {
        float: FloatType::Float64,
        quantity: Some("ThermodynamicTemperature".into()),
        unit: Some("K".into()),
        display_unit: Some("degC".into()),
        relative_quantity: Some(false),
        min: Some(0.0),
        max: Some(f64::MAX),
        nominal: Some(300.0),
        unbounded: Some(true),
    }
}

fn integer_attributes() -> IntegerAttributes {
    IntegerAttributes {
        quantity: Some("count".into()),
        min: Some(i32::MIN.into()),
        max: Some(i32::MAX.into()),
        ..Default::default()
    }
}

fn variables() -> Vec<ModelVariable> {
    use Causality::*;
    use Variability::*;
    let variable = |name: &str, value_reference, causality, variability, kind| ModelVariable {
        name: name.into(),
        value_reference,
        description: None,
        causality,
        variability,
        initial: None,
        can_handle_multiple_set_per_time_instant: None,
        kind,
        ..Default::default()
    };
    let real = |start, derivative, reinit| VariableKind::Real {
        declared_type: None,
        attributes: RealAttributes::default(),
        start: Start::from(start),
        derivative,
        reinit,
    };
    let text = |start: &str| VariableKind::String {
        declared_type: Some("Text".into()),
        start: Start::One(start.into()),
    };
    vec![
        ModelVariable {
            can_handle_multiple_set_per_time_instant: Some(false),
            description: Some("an input".into()),
            ..variable("u[1,2].'a b'", 0, Input, Continuous, real(Some(0.1), None, false))
        },
        variable(
            "der(x)",
            1,
            Local,
            Continuous,
            real(None, Some(Reference::to(2)), false),
        ),
        ModelVariable {
            initial: Some(Initial::Exact),
            annotations: vec![VendorAnnotation {
                tool: "plotter".into(),
                xml: "<color>red</color>".into(),
            }],
            ..variable(
                "x",
                2,
                Output,
                Continuous,
                VariableKind::Real {
                    declared_type: Some("Temperature".into()),
                    attributes: real_attributes(),
                    start: Start::One(-1.5e-7),
                    derivative: None,
                    reinit: true,
                },
            )
        },
        variable(
            "n",
            0,
            Parameter,
            Tunable,
            VariableKind::Integer {
                declared_type: Some("Count".into()),
                attributes: integer_attributes(),
                start: Start::One(-7),
            },
        ),
        ModelVariable {
            initial: Some(Initial::Calculated),
            ..variable(
                "on",
                0,
                Output,
                Discrete,
                VariableKind::Boolean {
                    declared_type: Some("Flag".into()),
                    start: Start::None,
                },
            )
        },
        variable("label", 0, Parameter, Fixed, text(" <blank> & \r\n end ")),
        ModelVariable {
            initial: Some(Initial::Approx),
            ..variable(
                "gear",
                1,
                CalculatedParameter,
                Fixed,
                VariableKind::Enumeration {
                    declared_type: "Gear".into(),
                    attributes: IntegerAttributes {
                        quantity: Some("gear".into()),
                        min: Some(-1),
                        max: Some(1),
                        ..Default::default()
                    },
                    start: Start::One(1),
                },
            )
        },
        variable("time", 3, Independent, Continuous, real(None, None, false)),
        variable("c", 4, Local, Constant, real(Some(1.0), None, false)),
        variable(
            "flag",
            1,
            Local,
            Constant,
            VariableKind::Boolean {
                declared_type: None,
                start: Start::One(true),
            },
        ),
        variable("empty", 1, Local, Constant, text("")),
    ]
}
