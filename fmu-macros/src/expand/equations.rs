//! `#[equations]`: the author's functions over every scalar, and the traits that call them.

use super::{hidden, scalar};
use crate::errors::Errors;
use crate::ir::edges;
use crate::ir::equations::Equations;
use crate::ir::sampled::{Argument, Sampled, Timing};
use crate::lift;
use crate::role::GROUPS;
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{ImplItem, parse_quote};

pub fn expand(mut equations: Equations, errors: &mut Errors) -> TokenStream {
    let mut continuous = Vec::new();
    let mut discrete = Vec::new();
    let mut present = Vec::new();
    for entry in &mut equations.others {
        if let ImplItem::Fn(method) = entry {
            lift::lift_method(method, &equations.item.generics, &equations.fields, errors);
        }
        continuous.push(quote!(#entry));
    }
    for (helper, usage, seen) in &equations.helpers {
        continuous.push(hidden::of_helper(helper, usage, seen));
    }
    for function in &mut equations.functions {
        let method = &mut function.method;
        present.push(function.kind.name);
        // Inherent methods, so that tests and other models call them by name.
        method.vis = parse_quote!(pub);
        if function.kind.continuous {
            lift::lift_method(method, &equations.item.generics, &equations.fields, errors);
            method.attrs.push(parse_quote!(#[inline]));
            continuous.push(quote!(#method));
        } else {
            discrete.push(quote!(#method));
        }
    }
    if let Some((mut over_number, over_f64)) = edges::methods(&equations.edges) {
        lift::lift_method(
            &mut over_number,
            &equations.item.generics,
            &equations.fields,
            errors,
        );
        continuous.push(quote!(#over_number));
        discrete.push(over_f64);
    }
    for sampled in &mut equations.sampled {
        let method = &mut sampled.method;
        method.vis = parse_quote!(pub);
        discrete.push(quote!(#method));
    }
    let header = header(&equations);
    let (methods, attributes) = (header.over_number(&continuous), &equations.item.attrs);
    let methods = quote! {
        #(#attributes)*
        #[allow(missing_docs, unreachable_code, non_camel_case_types)]
        #methods
    };
    if !equations.of_model {
        return methods;
    }
    let discrete = header.over_f64(&discrete);
    // A model with mistakes has stubs of these already.
    let traits = equations.sound.then(|| traits(&header, &present, &equations));
    quote! {
        #methods
        #(#attributes)*
        #[allow(missing_docs)]
        #discrete
        #traits
    }
}

/// The impl over every scalar and over `f64`: generics, self types and where clause.
struct Header {
    params: Vec<TokenStream>,
    predicates: Vec<TokenStream>,
    self_ty: syn::Type,
}

fn header(equations: &Equations) -> Header {
    let item = &equations.item;
    let own = item
        .generics
        .where_clause
        .iter()
        .flat_map(|clause| clause.predicates.iter());
    let predicates = own.map(|predicate| quote!(#predicate));
    Header {
        params: item.generics.params.iter().map(|param| quote!(#param)).collect(),
        predicates: predicates.chain(equations.bounds.iter().cloned()).collect(),
        self_ty: (*item.self_ty).clone(),
    }
}

impl Header {
    fn over(&self, scalar: &TokenStream) -> TokenStream {
        lift::append_scalar(&self.self_ty, scalar)
    }

    fn over_number(&self, items: &[TokenStream]) -> TokenStream {
        let (params, predicates) = (&self.params, &self.predicates);
        // Rustc shows where a type parameter comes from.
        let number = lift::number_at(self.self_ty.span());
        let (over, bound) = (self.over(&quote!(#number)), super::reference_bound_of(&number));
        quote! {
            impl<#(#params,)* #number: __fmu_runtime::scalar::Scalar> #over where #bound, #(#predicates,)* {
                #(#items)*
            }
        }
    }

    fn over_f64(&self, items: &[TokenStream]) -> TokenStream {
        let (params, predicates, over) = (&self.params, &self.predicates, self.over(&quote!(f64)));
        quote! {
            impl<#(#params),*> #over where #(#predicates,)* {
                #(#items)*
            }
        }
    }
}

/// The traits by which the runtime calls the functions.
fn traits(header: &Header, present: &[&str], equations: &Equations) -> TokenStream {
    let real = scalar();
    let (params, predicates) = (&header.params, &header.predicates);
    let (over_real, over_f64) = (header.over(&quote!(#real)), header.over(&quote!(f64)));
    let bound = super::reference_bound();
    let own_equations = own_equations(present, equations);
    let own_discrete = own_discrete(present, equations);
    // What the trait asks of a model beside its equations (`Send`, for one) is asked at the author's own token.
    let model = quote_spanned! {header.self_ty.span()=>
        impl<#(#params),*> __fmu_runtime::model::Model for #over_f64
    };
    let (of_parts, part_equations) = (&equations.part_bounds, part_equations(&over_real));
    quote! {
        #[automatically_derived]
        impl<#(#params,)* #real: __fmu_runtime::scalar::Scalar> __fmu_runtime::model::OwnEquations<#real> for #over_real
        where #bound, #(#predicates,)* #(#of_parts,)*
        {
            #own_equations
        }

        #[automatically_derived]
        impl<#(#params),*> __fmu_runtime::model::OwnDiscrete for #over_f64 where #(#predicates,)* {
            #own_discrete
        }

        #[automatically_derived]
        impl<#(#params),*> __fmu_runtime::bounds::PartEquations for #over_f64
        where
            #(#predicates,)*
            #(#of_parts,)*
        {
            #part_equations
        }

        // A list of other models does not help an author whose own struct is not a model.
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        #model where #(#predicates,)* #(#of_parts,)* {
            type Lifted<#real: __fmu_runtime::scalar::Scalar> = #over_real where #bound;
            fn lifted<#real: __fmu_runtime::scalar::Scalar>(&self) -> #over_real where #bound {
                __fmu_runtime::model::Lift::lift(self)
            }
            fn lift_values_into<#real: __fmu_runtime::scalar::Scalar>(&self, target: &mut #over_real) where #bound {
                __fmu_runtime::model::Lift::lift_values(self, target);
            }
        }
    }
}

/// What a model around this one calls: the equations over every scalar.
pub fn part_equations(over_real: &TokenStream) -> TokenStream {
    let (real, bound) = (scalar(), super::reference_bound());
    let equations = quote!(__fmu_runtime::model::Equations::<#real>);
    let result = quote!(::core::result::Result<(), __fmu_runtime::ModelError>);
    let updates = [
        ("update_calculated", None),
        ("update_initial", Some(quote!(t))),
        ("update_locals", Some(quote!(t))),
        ("update_outputs", Some(quote!(t))),
    ]
    .map(|(name, argument)| {
        let (name, argument) = (format_ident!("{name}"), argument.into_iter().collect::<Vec<_>>());
        quote! {
            #[inline(always)]
            fn #name<#real: __fmu_runtime::scalar::Scalar>(part: &mut #over_real #(, #argument: #real)*) -> #result
            where #bound
            {
                #equations::#name(part #(, #argument)*)
            }
        }
    });
    let evaluations = ["eval_derivatives", "eval_residuals", "eval_event_indicators"].map(|name| {
        let name = format_ident!("{name}");
        quote! {
            #[inline(always)]
            fn #name<#real: __fmu_runtime::scalar::Scalar>(part: &#over_real, t: #real, values: &mut [#real]) -> #result
            where #bound
            {
                #equations::#name(part, t, values)
            }
        }
    });
    quote! {
        const EVENT_INDICATORS: usize = <Self as __fmu_runtime::model::Equations<f64>>::EVENT_INDICATORS;
        const HAS_INITIAL: bool = <Self as __fmu_runtime::model::Equations<f64>>::HAS_INITIAL;
        fn usages() -> __fmu_runtime::hidden::ModelUsages {
            <Self as __fmu_runtime::model::Equations<f64>>::usages()
        }
        #(#updates)*
        #(#evaluations)*
    }
}

/// A function that is not written, and not missing either, belongs to a group without variables.
fn own_equations(present: &[&str], equations: &Equations) -> TokenStream {
    let real = scalar();
    let methods = GROUPS.iter().map(|group| {
        let own = format_ident!("own_{}", group.function);
        let (function, name) = (
            format_ident!("{}", group.function),
            format_ident!("{}", group.name),
        );
        let (parameter, argument) = match group.takes_time() {
            true => (quote!(t: #real), quote!(t)),
            false => (quote!(), quote!()),
        };
        let obscured = hidden::obscured(group.function, equations);
        let body = if present.contains(&group.function) && !obscured.is_empty() {
            quote! {
                let mut values: __fmu_runtime::model::#name<Self> =
                    __fmu_runtime::IntoResult::into_result(self.#function(#argument))?;
                #obscured
                ::core::result::Result::Ok(values)
            }
        } else if present.contains(&group.function) {
            quote!(__fmu_runtime::IntoResult::into_result(self.#function(#argument)))
        } else if equations.missing.contains(&group.function) {
            quote!(::core::unreachable!())
        } else {
            quote!(::core::result::Result::Ok(__fmu_runtime::model::#name::<Self> {}))
        };
        quote! {
            #[inline(always)]
            #[allow(unused_variables)]
            fn #own(&self, #parameter) -> ::core::result::Result<Self::#name, __fmu_runtime::ModelError> {
                #body
            }
        }
    });
    let (count, body) = match &equations.indicators {
        Some(length) => (
            quote!(#length),
            quote! {
                let values: [#real; #length] = __fmu_runtime::IntoResult::into_result(self.event_indicators(t))?;
                z[..#length].copy_from_slice(&values);
            },
        ),
        None => (quote!(0), quote!()),
    };
    let (count, body) = match equations.edges.indicators.len() {
        0 => (count, body),
        edges => (
            quote!((#count) + #edges),
            quote! {
                #body
                z[(#count)..].copy_from_slice(&self.__edge_indicators(t));
            },
        ),
    };
    let usages = hidden::of_model(&equations.hidden);
    quote! {
        const OWN_EVENT_INDICATORS: usize = #count;
        #usages
        #(#methods)*
        #[inline(always)]
        #[allow(unused_variables)]
        fn own_event_indicators(&self, t: #real, z: &mut [#real]) -> ::core::result::Result<(), __fmu_runtime::ModelError> {
            #body
            ::core::result::Result::Ok(())
        }
    }
}

fn own_discrete(present: &[&str], equations: &Equations) -> TokenStream {
    let sampled = &equations.sampled;
    let has = |name: &str| present.contains(&name);
    let [event, times, step, instantiate] =
        ["event", "next_event_time", "completed_step", "instantiate"].map(has);
    let call = |present: bool, call: TokenStream, otherwise: TokenStream| {
        if present {
            quote!(__fmu_runtime::IntoResult::into_result(self.#call))
        } else {
            quote!(::core::result::Result::Ok(#otherwise))
        }
    };
    let clocks = clocks(sampled);
    let edges = (!equations.edges.conditions.is_empty()).then(|| {
        quote! {
            const OWN_EDGES: bool = true;
            fn own_edges(&self, t: f64) -> u64 {
                __fmu_runtime::edges::bits(self.__edge_conditions(t))
            }
        }
    });
    let (has_event, has_times) = (event || !sampled.is_empty(), times || !sampled.is_empty());
    let on_event = call(event, quote!(event(at)), quote!(__fmu_runtime::Next::Continue));
    let on_time = call(
        times,
        quote!(next_event_time(t)),
        quote!(::core::option::Option::None),
    );
    let on_step = call(step, quote!(completed_step(t)), quote!(false));
    let on_instantiate = call(instantiate, quote!(instantiate(resources)), quote!(()));
    quote! {
        const OWN_EVENT: bool = #has_event;
        const OWN_TIME_EVENTS: bool = #has_times;
        const OWN_COMPLETED_STEP: bool = #step;
        const OWN_INSTANTIATE: bool = #instantiate;
        #clocks
        #edges
        #[allow(unused_variables)]
        fn own_event(&mut self, at: __fmu_runtime::Event) -> ::core::result::Result<__fmu_runtime::Next, __fmu_runtime::ModelError> {
            #on_event
        }
        #[allow(unused_variables)]
        fn own_next_event_time(&self, t: f64) -> ::core::result::Result<::core::option::Option<f64>, __fmu_runtime::ModelError> {
            #on_time
        }
        #[allow(unused_variables)]
        fn own_completed_step(&mut self, t: f64) -> ::core::result::Result<bool, __fmu_runtime::ModelError> {
            #on_step
        }
        #[allow(unused_variables)]
        fn own_instantiate(&mut self, resources: &::std::path::Path) -> ::core::result::Result<(), __fmu_runtime::ModelError> {
            #on_instantiate
        }
    }
}

/// The functions that run at samples.
fn clocks(sampled: &[Sampled]) -> Option<TokenStream> {
    let count = sampled.len();
    if count == 0 {
        return None;
    }
    let clocks = 0usize..;
    let samplings = sampled.iter().zip(clocks.clone()).map(|(sampled, clock)| {
        let function = sampled.method.sig.ident.to_string();
        let timing = sampling(&sampled.timing);
        quote! {
            #clock => __fmu_runtime::model::Sampling {
                function: #function,
                #timing
                ..::core::default::Default::default()
            },
        }
    });
    let ticks = sampled.iter().zip(clocks).map(|(sampled, clock)| {
        let function = &sampled.method.sig.ident;
        let argument = match sampled.argument {
            Argument::Nothing => quote!(),
            Argument::Time => quote!(at.time),
            Argument::Event => quote!(at),
        };
        quote!(#clock => __fmu_runtime::IntoResult::into_result(self.#function(#argument)),)
    });
    Some(quote! {
        const OWN_CLOCKS: usize = #count;
        #[allow(clippy::needless_update)]
        fn own_sampling(&self, clock: usize) -> __fmu_runtime::model::Sampling {
            match clock {
                #(#samplings)*
                _ => ::core::default::Default::default(),
            }
        }
        #[allow(unused_variables)]
        fn own_tick(&mut self, clock: usize, at: __fmu_runtime::Event) -> ::core::result::Result<(), __fmu_runtime::ModelError> {
            match clock {
                #(#ticks)*
                _ => ::core::result::Result::Ok(()),
            }
        }
    })
}

/// The fields of `Sampling` that are declared.
pub fn sampling(timing: &Timing) -> TokenStream {
    let (period, offset) = (timing.period.iter(), timing.offset.iter());
    quote!(#(period: #period,)* #(offset: #offset,)*)
}
