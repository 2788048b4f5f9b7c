//! The resolved model as plain data, and the sentences about what is wrong with it.

use super::*;
use crate::parse::model;
use crate::summary::ModelSummary;
use fmu_runtime::describe;
use fmu_standard::description::{Causality, Initial, Variability};
use fmu_standard::legality;
use proc_macro2::TokenStream;
use quote::quote;
use syn::parse_quote;

fn resolved(options: TokenStream, item: syn::Item) -> (Model, Vec<String>) {
    let mut errors = Errors::default();
    let syntax = match model::parse(options, item, &mut errors) {
        Ok(syntax) => syntax,
        Err(_) => panic!("{:?}", errors.messages()),
    };
    let model = resolve(syntax, &mut errors);
    assert_eq!(model.sound, errors.messages().is_empty());
    (model, errors.messages())
}

/// A variable as the runtime sees it, which gives it its place in the terms of the standard.
fn described(variable: &Variable) -> describe::Variable {
    use crate::role::Role;
    use describe::Values;
    describe::Variable {
        name: String::new(),
        field: describe::Field {
            name: "",
            description: "",
            role: match variable.role {
                Role::State => describe::Role::State,
                Role::Input => describe::Role::Input,
                Role::Output => describe::Role::Output,
                Role::Local => describe::Role::Local,
                Role::Parameter => describe::Role::Parameter,
                Role::Calculated => describe::Role::Calculated,
                Role::Constant => describe::Role::Constant,
                Role::Discrete => describe::Role::Discrete,
                Role::Implicit => describe::Role::Implicit,
                Role::Internal | Role::Part | Role::Connection => unreachable!(),
            },
            output: variable.output,
            discrete: variable.discrete,
            tunable: variable.tunable,
            initial: match variable.initial {
                variable::InitialValue::Start => describe::InitialValue::Start,
                variable::InitialValue::Guess => describe::InitialValue::Guess,
                variable::InitialValue::Calculated => describe::InitialValue::Calculated,
            },
            declared_type: None,
            attributes: describe::Attributes::default(),
        },
        shape: Vec::new(),
        start: match variable.ty.base {
            Base::Real => Values::Real(vec![0.0]),
            Base::Integer => Values::Integer(vec![0]),
            Base::Boolean => Values::Boolean(vec![false]),
            Base::String => Values::String(vec![String::new()]),
            Base::Enumeration => Values::Enumeration(vec![0], ""),
        },
        slot: 0,
    }
}

/// The class of the one variable with this role and type.
fn class(role: TokenStream, ty: TokenStream) -> (Causality, Variability, Option<Initial>) {
    let (model, errors) = resolved(quote!(), parse_quote!(struct M { #[#role] v: #ty }));
    assert_eq!(errors, Vec::<String>::new(), "#[{role}]");
    let variable = described(model.variables().next().unwrap());
    (variable.causality(), variable.variability(), variable.initial())
}

#[test]
fn roles_become_causality_variability_and_initial() {
    use Causality::*;
    use Initial::{Approx, Calculated, Exact};
    use Variability::*;
    for (role, ty, expected) in [
        (
            quote!(state(start = 0.0)),
            quote!(f64),
            (Local, Continuous, Some(Exact)),
        ),
        (
            quote!(state(start = 0.0, output)),
            quote!(f64),
            (Output, Continuous, Some(Exact)),
        ),
        (
            quote!(state(start = 0.0, initial = "approx")),
            quote!([f64; 3]),
            (Local, Continuous, Some(Approx)),
        ),
        (
            quote!(state(initial = "calculated")),
            quote!(f64),
            (Local, Continuous, Some(Calculated)),
        ),
        (quote!(input), quote!(f64), (Input, Continuous, None)),
        (quote!(input(discrete)), quote!(f64), (Input, Discrete, None)),
        (quote!(input), quote!(bool), (Input, Discrete, None)),
        (
            quote!(output),
            quote!(f64),
            (Output, Continuous, Some(Calculated)),
        ),
        (
            quote!(output),
            quote!(String),
            (Output, Discrete, Some(Calculated)),
        ),
        (quote!(local), quote!(f64), (Local, Continuous, Some(Calculated))),
        (
            quote!(local(output, discrete)),
            quote!(f64),
            (Output, Discrete, Some(Calculated)),
        ),
        (
            quote!(parameter(start = 1)),
            quote!(i32),
            (Parameter, Fixed, Some(Exact)),
        ),
        (
            quote!(parameter(start = 1.0, tunable)),
            quote!(f64),
            (Parameter, Tunable, Some(Exact)),
        ),
        (
            quote!(parameter(calculated)),
            quote!(f64),
            (CalculatedParameter, Fixed, Some(Calculated)),
        ),
        (
            quote!(parameter(calculated, tunable)),
            quote!(f64),
            (CalculatedParameter, Tunable, Some(Calculated)),
        ),
        (
            quote!(constant(start = 1.0)),
            quote!(f64),
            (Local, Constant, Some(Exact)),
        ),
        (
            quote!(constant(start = 1.0, output)),
            quote!(f64),
            (Output, Constant, Some(Exact)),
        ),
        (
            quote!(discrete(start = 0.0)),
            quote!(f64),
            (Local, Discrete, Some(Exact)),
        ),
        (
            quote!(discrete(start = Mode::Off, output)),
            quote!(Mode),
            (Output, Discrete, Some(Exact)),
        ),
        (
            quote!(implicit(start = 0.5)),
            quote!([f64; 2]),
            (Local, Continuous, Some(Approx)),
        ),
        (
            quote!(implicit(start = 0.5, output)),
            quote!(f64),
            (Output, Continuous, Some(Approx)),
        ),
    ] {
        assert_eq!(class(role.clone(), ty), expected, "#[{role}]");
    }
}

/// Whatever combination of options is tried: what passes is allowed by the standard.
#[test]
fn nothing_passes_that_the_standard_forbids() {
    let options = [
        quote!(start = 1.0),
        quote!(output),
        quote!(tunable),
        quote!(calculated),
        quote!(discrete),
        quote!(initial = "exact"),
        quote!(initial = "approx"),
        quote!(initial = "calculated"),
    ];
    let roles = [
        "state",
        "input",
        "output",
        "local",
        "parameter",
        "constant",
        "discrete",
        "implicit",
    ];
    let mut passed = 0;
    for role in roles {
        let role = quote::format_ident!("{role}");
        for chosen in 0..1u32 << options.len() {
            let list: Vec<_> = (0..options.len())
                .filter(|i| chosen >> i & 1 == 1)
                .map(|i| &options[i])
                .collect();
            let (model, errors) = resolved(quote!(), parse_quote!(struct M { #[#role(#(#list),*)] v: f64 }));
            if !errors.is_empty() {
                continue;
            }
            passed += 1;
            let variable = model.variables().next().unwrap();
            let described = described(variable);
            let (causality, variability, initial) = (
                described.causality(),
                described.variability(),
                described.initial(),
            );
            let declared = format!("#[{role}({})]", quote!(#(#list),*));
            assert!(legality::is_allowed(causality, variability), "{declared}");
            if let Some(initial) = initial {
                let allowed = legality::allowed_initials(causality, variability);
                assert!(allowed.contains(&initial), "{declared}");
            }
            match legality::start(causality, variability, initial) {
                legality::Start::Required => assert!(
                    variable.start.is_some() || causality == Causality::Input,
                    "{declared}"
                ),
                legality::Start::Forbidden => assert!(variable.start.is_none(), "{declared}"),
            }
        }
    }
    assert!(passed > 30, "only {passed} combinations pass");
}

#[test]
fn every_option_that_does_not_belong_has_its_sentence() {
    for (role, sentence) in [
        (quote!(input(initial = "exact")), "allows no `initial`"),
        (quote!(input(output)), "cannot be an output"),
        (quote!(parameter(start = 1.0, output)), "cannot be an output"),
        (quote!(output(start = 1.0)), "has no start value"),
        (quote!(local(value = 1.0)), "has no start value"),
        (quote!(constant(start = 1.0, initial = "exact")), "always exact"),
        (quote!(state(start = 1.0, tunable)), "is for parameters"),
        (
            quote!(state(start = 1.0, type = Pressure)),
            "declared_type = Name",
        ),
        (quote!(state(value = 1.0)), "write `start = ...`"),
        (quote!(state(start = 1.0, doc = "x")), "doc comment"),
    ] {
        let (_, errors) = resolved(quote!(), parse_quote!(struct M { #[#role] v: f64 }));
        assert!(
            errors.len() == 1 && errors[0].contains(sentence),
            "#[{role}]: {errors:?}"
        );
    }
}

#[test]
fn a_declared_type_is_inherited_where_the_variable_is_silent() {
    let (model, errors) = resolved(
        quote!(types(Pressure(
            unit = "Pa",
            display_unit = "bar",
            min = 0.0,
            max = 1e6,
            nominal = 1e5
        ))),
        parse_quote!(
            struct M {
                #[state(start = 1e5, declared_type = Pressure, max = 1e5)]
                a: f64,
                #[state(start = 1e5, declared_type = Pressure, display_unit = "mbar")]
                b: f64,
            }
        ),
    );
    assert_eq!(errors, Vec::<String>::new());
    let shown: Vec<_> = model
        .variables()
        .map(|variable| {
            let number = |bound: &Option<syn::Expr>| bound.as_ref().and_then(crate::parse::options::number);
            let values = &variable.values;
            (
                values.unit.clone().unwrap(),
                values.display_unit.clone().unwrap(),
                number(&values.min),
                number(&values.max),
                number(&values.nominal),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("Pa".to_owned(), "bar".to_owned(), Some(0.0), Some(1e5), Some(1e5)),
            (
                "Pa".to_owned(),
                "mbar".to_owned(),
                Some(0.0),
                Some(1e6),
                Some(1e5)
            ),
        ]
    );
}

#[test]
fn mistakes_are_reported_together_and_what_is_right_stays() {
    let (model, errors) = resolved(
        quote!(stop_time = -1.0),
        parse_quote!(
            struct M {
                #[state(start = 1, unit = "metre")]
                a: f64,
                #[paramter(start = 1.0)]
                b: f64,
                c: f64,
                #[input]
                d: f64,
            }
        ),
    );
    assert_eq!(errors.len(), 5, "{errors:?}");
    let names: Vec<_> = model
        .fields
        .iter()
        .map(|field| field.common().ident.to_string())
        .collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
    assert_eq!(model.variables().count(), 3);
}

fn summary() -> ModelSummary {
    parse_quote!({
        [::fmu_runtime] sound Ball [] [] []
        [state h number, state v number, parameter g number, output y number, discrete d number initial, connection motor_u number]
    })
}

/// The sentences about an impl.
fn judged(item: syn::ItemImpl) -> Vec<String> {
    let mut errors = Errors::default();
    equations::resolve(item, &summary(), &mut errors);
    errors.messages()
}

#[test]
fn missing_functions_are_named_with_their_variables() {
    assert_eq!(
        judged(parse_quote!(impl Model for Ball {})),
        [
            "`d` has no initial value: write `fn initial(&self, t: f64) -> Initial<Self>`",
            "`motor_u` has no value: write `fn connections(&self, t: f64) -> Connections<Self>`",
            "`h` and `v` have no derivatives: write `fn derivatives(&self, t: f64) -> Derivatives<Self>`",
            "`y` has no value: write `fn outputs(&self, t: f64) -> Outputs<Self>`",
        ]
    );
}

#[test]
fn fields_of_a_group_are_counted_one_by_one() {
    let of = |literal: syn::Expr| {
        judged(parse_quote!(impl Ball { fn f(&self) -> Derivatives<Self> { #literal } }))
    };
    assert_eq!(
        of(parse_quote!(Derivatives::<Self> { h: 1.0, v: 2.0 })),
        Vec::<String>::new()
    );
    assert_eq!(
        of(parse_quote!(Derivatives::<Self> { h: 1.0, ..rest })),
        Vec::<String>::new()
    );
    assert_eq!(
        of(parse_quote!(Derivatives::<Other> { x: 1.0 })),
        Vec::<String>::new()
    );
    assert_eq!(
        of(parse_quote!(Derivatives::<Self> { h: 1.0 })),
        ["the state `v` has no derivative: add `v: ...`"]
    );
    assert_eq!(
        of(parse_quote!(Derivatives::<Self> {
            h: 1.0,
            v: 1.0,
            g: 0.0,
            y: 0.0,
            w: 0.0
        })),
        [
            "`g` is a parameter and has no derivative: remove it",
            "`y` is an output and has no derivative: give it in `fn outputs`",
            "`Derivatives` has no field `w`: expected one of: h, v",
        ]
    );
}

#[test]
fn a_header_that_forgets_const_parameters_is_mended() {
    let summary: ModelSummary =
        parse_quote!({ [::fmu_runtime] sound Rod [const N: usize, const M: usize] [] [] [state x] });
    for (item, right) in [
        (
            parse_quote!(impl Model for Rod { fn derivatives(&self, t: f64) -> Derivatives<Self> { todo!() } }),
            false,
        ),
        (
            parse_quote!(
                impl<const A: usize, const B: usize> Model for Rod<A, B> {
                    fn derivatives(&self, t: f64) -> Derivatives<Self> {
                        todo!()
                    }
                }
            ),
            true,
        ),
        (
            parse_quote!(
                impl<const A: usize> Model for Rod<A, 3> {
                    fn derivatives(&self, t: f64) -> Derivatives<Self> {
                        todo!()
                    }
                }
            ),
            false,
        ),
    ] {
        let mut errors = Errors::default();
        let equations = equations::resolve(item, &summary, &mut errors).unwrap();
        assert_eq!(errors.messages().is_empty(), right, "{:?}", errors.messages());
        assert_eq!(equations.item.generics.params.len(), 2);
    }
}
