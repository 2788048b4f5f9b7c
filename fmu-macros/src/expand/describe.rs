//! What the model says of itself: `Describe`.

use crate::ir::{About, Attributes, Base, Field, Group, Model, TypeDefinition, Variable};
use fmu_standard::description::{Causality, Initial, Variability};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Expr;
use syn::spanned::Spanned;

pub fn expand(model: &Model) -> TokenStream {
    let (params, over) = (model.const_params_bare(), model.over_f64());
    let types = model.about.types.iter().map(type_definition);
    let fields = model.fields.iter().map(|field| match field {
        Field::Variable(variable) => {
            let (entry, ident) = (entry(variable), &variable.common.ident);
            quote!(describer.field(#entry, &self.#ident);)
        }
        Field::Part(part) => {
            let (name, ident) = (&part.name, &part.common.ident);
            let connected = part.connected.iter().map(ToString::to_string);
            match part.length {
                None => quote!(describer.part(#name, &self.#ident, &[#(#connected),*]);),
                Some(_) => quote!(describer.parts(#name, &self.#ident, &[#(#connected),*]);),
            }
        }
        Field::Internal(_) => TokenStream::new(),
    });
    let (about, bounds) = (about(&model.about), model.bounds());
    let internals = super::internals::methods(model);
    quote! {
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        #[allow(clippy::all)]
        impl<#(#params),*> ::fmu_runtime::model::Describe for #over where #(#bounds,)* {
            fn describe(&self, describer: &mut ::fmu_runtime::describe::Describer) {
                #(#types)*
                #(#fields)*
            }
            fn about() -> ::fmu_runtime::model::About {
                #about
            }
            #internals
        }
    }
}

fn about(about: &About) -> TokenStream {
    let About {
        name, description, ..
    } = about;
    let [author, version, copyright, license] =
        [&about.author, &about.version, &about.copyright, &about.license].map(|text| option(text.as_ref()));
    let [start_time, stop_time, step_size, tolerance, max_step] = [
        &about.start_time,
        &about.stop_time,
        &about.step_size,
        &about.tolerance,
        &about.max_step,
    ]
    .map(real);
    let max_internal_steps = option(
        about
            .max_internal_steps
            .as_ref()
            .map(|steps| quote!((#steps) as i32))
            .as_ref(),
    );
    let (solver, solver_parameters) = (solver(about), about.solver_parameters.is_some());
    let solver_statistics = about.solver_statistics.is_some();
    let categories = about
        .log_categories
        .iter()
        .map(|(name, description)| quote!((#name, #description)));
    quote! {
        ::fmu_runtime::model::About {
            name: #name,
            description: #description,
            author: #author,
            version: #version,
            copyright: #copyright,
            license: #license,
            start_time: #start_time,
            stop_time: #stop_time,
            step_size: #step_size,
            tolerance: #tolerance,
            solver: #solver,
            max_step: #max_step,
            max_internal_steps: #max_internal_steps,
            solver_parameters: #solver_parameters,
            solver_statistics: #solver_statistics,
            log_categories: &[#(#categories),*],
        }
    }
}

/// The stiff integrator is there only if the author's `Cargo.toml` asks for it; the runtime's macro knows, and says what
/// to write.
fn solver(about: &About) -> TokenStream {
    match about.solver {
        None => quote!(::core::default::Default::default()),
        Some(("Bdf", span)) => quote_spanned!(span=> ::fmu_runtime::bdf_solver!()),
        Some((variant, span)) => {
            let variant = syn::Ident::new(variant, span);
            quote!(::fmu_runtime::cosim::Solver::#variant)
        }
    }
}

fn entry(variable: &Variable) -> TokenStream {
    let (name, docs) = (&variable.name, &variable.docs);
    let causality = match variable.causality {
        Causality::Parameter => "Parameter",
        Causality::CalculatedParameter => "CalculatedParameter",
        Causality::Input => "Input",
        Causality::Output => "Output",
        Causality::Local => "Local",
        Causality::Independent => "Independent",
    };
    let variability = match variable.variability {
        Variability::Constant => "Constant",
        Variability::Fixed => "Fixed",
        Variability::Tunable => "Tunable",
        Variability::Discrete => "Discrete",
        Variability::Continuous => "Continuous",
    };
    let initial = variable.initial.map(|initial| match initial {
        Initial::Exact => format_ident!("Exact"),
        Initial::Approx => format_ident!("Approx"),
        Initial::Calculated => format_ident!("Calculated"),
    });
    let initial =
        option(initial.map(|initial| quote!(::fmu_runtime::standard::description::Initial::#initial)));
    let group = match variable.group {
        Group::Given => "Given",
        Group::State => "State",
        Group::Calculated => "Calculated",
        Group::Local => "Local",
        Group::Output => "Output",
    };
    let [causality, variability, group] = [causality, variability, group].map(|name| format_ident!("{name}"));
    let values = &variable.values;
    let [unit, display_unit, quantity, declared_type] = [
        &values.unit,
        &values.display_unit,
        &values.quantity,
        &variable.declared_type,
    ]
    .map(|text| option(text.as_ref()));
    let bound = |bound: &Option<Expr>| match variable.ty.base {
        Base::Integer => option(
            bound
                .as_ref()
                .map(|value| quote_spanned!(value.span()=> f64::from({ let bound: i32 = #value; bound }))),
        ),
        _ => real(bound),
    };
    let (min, max, nominal) = (bound(&values.min), bound(&values.max), real(&values.nominal));
    let (unbounded, relative_quantity) = (option(values.unbounded), option(values.relative_quantity));
    quote! {
        ::fmu_runtime::describe::Field {
            name: #name,
            description: #docs,
            causality: ::fmu_runtime::standard::description::Causality::#causality,
            variability: ::fmu_runtime::standard::description::Variability::#variability,
            initial: #initial,
            group: ::fmu_runtime::describe::Group::#group,
            unit: #unit,
            display_unit: #display_unit,
            quantity: #quantity,
            declared_type: #declared_type,
            min: #min,
            max: #max,
            nominal: #nominal,
            unbounded: #unbounded,
            relative_quantity: #relative_quantity,
        }
    }
}

fn type_definition(definition: &TypeDefinition) -> TokenStream {
    let TypeDefinition {
        name,
        description,
        attributes,
    } = definition;
    let Attributes {
        unit,
        display_unit,
        quantity,
        min,
        max,
        nominal,
        unbounded,
        relative_quantity,
    } = attributes;
    let text = |text: &Option<String>| {
        option(
            text.as_ref()
                .map(|text| quote!(::std::string::String::from(#text))),
        )
    };
    let [unit, display_unit, quantity] = [unit, display_unit, quantity].map(text);
    let [min, max, nominal] = [min, max, nominal].map(real);
    let (unbounded, relative_quantity) = (option(*unbounded), option(*relative_quantity));
    let description = text(&Some(description.clone()).filter(|text| !text.is_empty()));
    quote! {
        describer.define_type(::fmu_runtime::standard::description::SimpleType {
            name: ::std::string::String::from(#name),
            description: #description,
            kind: ::fmu_runtime::standard::description::TypeKind::Real(::fmu_runtime::standard::description::RealAttributes {
                quantity: #quantity,
                unit: #unit,
                display_unit: #display_unit,
                relative_quantity: #relative_quantity,
                min: #min,
                max: #max,
                nominal: #nominal,
                unbounded: #unbounded,
            }),
        });
    }
}

fn option<T: ToTokens>(value: Option<T>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

fn real(expression: &Option<Expr>) -> TokenStream {
    option(
        expression
            .as_ref()
            .map(|value| quote_spanned!(value.span()=> { let value: f64 = #value; value })),
    )
}
