//! The model's description of itself: `Describe`.

use crate::ir::{About, Attributes, Base, Field, Model, TypeDefinition, Variable};
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
        impl<#(#params),*> __fmu_runtime::model::Describe for #over where #(#bounds,)* {
            fn describe(&self, describer: &mut __fmu_runtime::describe::Describer) {
                #(#types)*
                #(#fields)*
            }
            fn about() -> __fmu_runtime::model::About {
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
        __fmu_runtime::model::About {
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

/// The stiff integrator is there only if the author's `Cargo.toml` asks for it; the runtime's macro knows, and its message shows what
/// to write.
fn solver(about: &About) -> TokenStream {
    match about.solver {
        None => quote!(::core::default::Default::default()),
        Some(("Bdf", span)) => quote_spanned!(span=> __fmu_runtime::bdf_solver!()),
        Some((variant, span)) => {
            let variant = syn::Ident::new(variant, span);
            quote!(__fmu_runtime::cosim::Solver::#variant)
        }
    }
}

fn entry(variable: &Variable) -> TokenStream {
    let Variable {
        name,
        docs,
        output,
        discrete,
        tunable,
        ..
    } = variable;
    // The runtime has the same names.
    let [role, initial] = [format!("{:?}", variable.role), format!("{:?}", variable.initial)]
        .map(|name| format_ident!("{name}"));
    let declared_type = option(variable.declared_type.as_ref());
    let attributes = attributes(&variable.values, variable.ty.base);
    quote! {
        __fmu_runtime::describe::Field {
            name: #name,
            description: #docs,
            role: __fmu_runtime::describe::Role::#role,
            output: #output,
            discrete: #discrete,
            tunable: #tunable,
            initial: __fmu_runtime::describe::InitialValue::#initial,
            declared_type: #declared_type,
            attributes: #attributes,
        }
    }
}

fn attributes(attributes: &Attributes, base: Base) -> TokenStream {
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
    let [unit, display_unit, quantity] = [unit, display_unit, quantity].map(|text| option(text.as_ref()));
    let bound = |bound: &Option<Expr>| match base {
        Base::Integer => option(
            bound
                .as_ref()
                .map(|value| quote_spanned!(value.span()=> f64::from({ let bound: i32 = #value; bound }))),
        ),
        _ => real(bound),
    };
    let (min, max, nominal) = (bound(min), bound(max), real(nominal));
    let (unbounded, relative_quantity) = (option(*unbounded), option(*relative_quantity));
    quote! {
        __fmu_runtime::describe::Attributes {
            unit: #unit,
            display_unit: #display_unit,
            quantity: #quantity,
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
        name, description, ..
    } = definition;
    let attributes = attributes(&definition.attributes, Base::Real);
    quote! {
        describer.define_type(__fmu_runtime::describe::TypeDefinition {
            name: #name,
            description: #description,
            kind: __fmu_runtime::describe::TypeKind::Real(#attributes),
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
