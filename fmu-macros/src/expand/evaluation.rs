//! The equations of a model together with those of its parts: the traits `Equations` and `Discrete`.

use super::equations::sampling;
use super::{flat, groups, reference_bound, scalar};
use crate::ir::{Field, Model, Part};
use crate::role::{self, Group};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;
use syn::ext::IdentExt;

pub fn expand(model: &Model) -> TokenStream {
    let equations = equations(model);
    let discrete = discrete(model);
    quote!(#equations #discrete)
}

fn equations(model: &Model) -> TokenStream {
    let real = scalar();
    let (params, over, bound) = (model.impl_params(), model.over_real(), reference_bound());
    let own = quote!(<Self as __fmu_runtime::model::OwnEquations<#real>>);
    let part_indicators = model.parts().map(|part| {
        let (ty, count) = (&part.element, part.count());
        quote!(+ #count * <#ty as __fmu_runtime::bounds::PartEquations>::EVENT_INDICATORS)
    });
    let part_initial = model.parts().map(|part| {
        let ty = &part.element;
        quote!(|| <#ty as __fmu_runtime::bounds::PartEquations>::HAS_INITIAL)
    });
    let part_types = model.parts().map(|part| &part.element);
    let part_names: Vec<String> = model
        .parts()
        .map(|part| part.common.ident.unraw().to_string())
        .collect();
    let own_initial = model.variables().any(|variable| variable.initial_equation);
    let calculated = update(model, &own, &[role::CALCULATED]);
    let locals = [role::LOCALS, role::OUTPUTS];
    let initial = match connected(model).is_empty() {
        true => update(model, &own, &[role::INITIAL]),
        false => settle(model, &own, &[role::INITIAL, role::LOCALS, role::OUTPUTS]),
    };
    let locals = match connected(model).is_empty() {
        true => update(model, &own, &locals),
        false => settle(model, &own, &locals),
    };
    let outputs = store(model, &own, &role::OUTPUTS);
    let derivatives = eval(model, &own, &role::DERIVATIVES);
    let residuals = eval(model, &own, &role::RESIDUALS);
    let indicators = model.parts().map(|part| {
        let (ty, parts) = (&part.element, part.slice(&quote!(self)));
        quote! {
            for part in #parts {
                let (here, rest) = z.split_at_mut(<#ty as __fmu_runtime::bounds::PartEquations>::EVENT_INDICATORS);
                <#ty as __fmu_runtime::bounds::PartEquations>::eval_event_indicators::<#real>(part, t, here)?;
                z = rest;
            }
        }
    });
    let (bindings, bounds) = (groups::bindings(model), model.bounds());
    let of_parts = model.part_bounds();
    quote! {
        #[automatically_derived]
        #[allow(unused_mut, unused_variables, unused_assignments, clippy::all)]
        impl<#params> __fmu_runtime::model::Equations<#real> for #over
        where
            #bound,
            #(#bounds,)*
            Self: __fmu_runtime::model::OwnEquations<#real, #bindings>,
            #(#of_parts,)*
        {
            const EVENT_INDICATORS: usize = #own::OWN_EVENT_INDICATORS #(#part_indicators)*;
            const HAS_INITIAL: bool = #own_initial #(#part_initial)*;
            fn usages() -> __fmu_runtime::hidden::ModelUsages {
                if !<Self as __fmu_runtime::model::Structure<#real>>::UNBOUNDED {
                    return __fmu_runtime::hidden::ModelUsages::NONE;
                }
                __fmu_runtime::hidden::ModelUsages {
                    own: #own::own_usages,
                    parts: &[#(#part_names),*],
                    part: |name| match name {
                        #(#part_names => <#part_types as __fmu_runtime::bounds::PartEquations>::usages(),)*
                        _ => __fmu_runtime::hidden::ModelUsages::NONE,
                    },
                }
            }
            #[inline]
            fn update_calculated(&mut self) -> ::core::result::Result<(), __fmu_runtime::ModelError> {
                let this = self;
                #calculated
            }
            #[inline]
            fn update_initial(&mut self, t: #real) -> ::core::result::Result<(), __fmu_runtime::ModelError> {
                let this = self;
                #initial
            }
            #[inline]
            fn update_locals(&mut self, t: #real) -> ::core::result::Result<(), __fmu_runtime::ModelError> {
                let this = self;
                #locals
            }
            #[inline]
            fn update_outputs(&mut self, t: #real) -> ::core::result::Result<(), __fmu_runtime::ModelError> {
                let this = self;
                #outputs
                ::core::result::Result::Ok(())
            }
            #[inline]
            fn eval_derivatives(&self, t: #real, dx: &mut [#real]) -> ::core::result::Result<(), __fmu_runtime::ModelError> {
                #derivatives
            }
            #[inline]
            fn eval_residuals(&self, t: #real, r: &mut [#real]) -> ::core::result::Result<(), __fmu_runtime::ModelError> {
                #residuals
            }
            #[inline]
            fn eval_event_indicators(&self, t: #real, z: &mut [#real]) -> ::core::result::Result<(), __fmu_runtime::ModelError> {
                let (own, mut z) = z.split_at_mut(#own::OWN_EVENT_INDICATORS);
                #own::own_event_indicators(self, t, own)?;
                #(#indicators)*
                ::core::result::Result::Ok(())
            }
        }
    }
}

impl Group {
    /// The argument of the functions.
    fn argument(&self) -> Option<TokenStream> {
        self.takes_time().then(|| quote!(t))
    }
}

/// All steps of the parts, then the model's own: it may read everything of its parts. Its own outputs are not read
/// here, so they are evaluated when they are asked for.
fn update(model: &Model, own: &TokenStream, steps: &[Group]) -> TokenStream {
    let real = scalar();
    let parts: Vec<_> = model
        .parts()
        .map(|part| {
            let (ty, parts) = (&part.element, part.slice_mut(&quote!(this)));
            let calls = steps.iter().map(|step| {
                let method = format_ident!("update_{}", step.function);
                let argument = step.argument().into_iter();
                quote!(<#ty as __fmu_runtime::bounds::PartEquations>::#method::<#real>(part #(, #argument)*)?;)
            });
            quote!(for part in #parts { #(#calls)* })
        })
        .collect();
    let stores = steps
        .iter()
        .filter(|step| **step != role::OUTPUTS)
        .map(|step| store(model, own, step));
    let stores = quote!(#(#stores)* ::core::result::Result::Ok(()));
    if parts.is_empty() {
        return stores;
    }
    quote! {
        let mut parts = || -> ::core::result::Result<(), __fmu_runtime::ModelError> {
            #(#parts)*
            ::core::result::Result::Ok(())
        };
        // The model's own values come also where a part has failed: they may be what the part is given next.
        let parts = parts();
        let mut own = || -> ::core::result::Result<(), __fmu_runtime::ModelError> { #stores };
        parts.and(own())
    }
}

/// The model's own values, each stored in its field.
fn store(model: &Model, own: &TokenStream, group: &Group) -> TokenStream {
    let method = format_ident!("own_{}", group.function);
    let argument = group.argument().into_iter();
    let stores = groups::variables(model, group).map(|variable| {
        let ident = &variable.common.ident;
        quote!(this.#ident = values.#ident;)
    });
    quote! {
        let values = #own::#method(this #(, #argument)*)?;
        #(#stores)*
    }
}

/// The inputs of parts that the model drives.
fn connected(model: &Model) -> Vec<(&Part, &Ident)> {
    model
        .parts()
        .flat_map(|part| part.connected.iter().map(move |input| (part, input)))
        .collect()
}

/// An update of a model that drives inputs of its parts: what it gives them may depend on what they answer.
fn settle(model: &Model, own: &TokenStream, steps: &[Group]) -> TokenStream {
    let (update, connected) = (update(model, own, steps), connected(model));
    let links = connected.iter().map(|(part, _)| part.count());
    let names = connected
        .iter()
        .map(|(part, input)| format!("{}.{}", part.common.ident.unraw(), input.unraw()));
    let stores = connected.iter().enumerate().map(|(number, (part, input))| {
        let (ident, value) = (&part.common.ident, groups::connection(&part.common.ident, input));
        let connect = quote!(__fmu_runtime::parts::connect);
        let bit = number.min(63);
        match part.length {
            None => quote!(changed |= u64::from(#connect(&mut this.#ident.#input, values.#value)) << #bit;),
            Some(_) => quote! {
                for (part, value) in this.#ident.iter_mut().zip(values.#value) {
                    changed |= u64::from(#connect(&mut part.#input, value)) << #bit;
                }
            },
        }
    });
    let name = model.ident.to_string();
    quote! {
        __fmu_runtime::parts::settle(
            this,
            #name,
            &[#(#names),*],
            0 #(+ #links)*,
            |this: &mut Self| {
                let values = #own::own_connections(this, t)?;
                let mut changed = 0_u64;
                #(#stores)*
                ::core::result::Result::Ok(changed)
            },
            |this: &mut Self| { #update },
        )
    }
}

/// One number for each variable of a group, own ones and those of parts: derivatives of states, residuals of unknowns.
fn eval(model: &Model, own: &TokenStream, group: &Group) -> TokenStream {
    let real = scalar();
    let (target, count) = match *group == role::RESIDUALS {
        true => (format_ident!("r"), format_ident!("unknowns")),
        false => (format_ident!("dx"), format_ident!("states")),
    };
    let method = format_ident!("eval_{}", group.function);
    let own_method = format_ident!("own_{}", group.function);
    let steps = model.fields.iter().map(|field| match field {
        Field::Variable(variable) if group.gives(variable.role, variable.initial_equation) => {
            let (ident, length) = (&variable.common.ident, variable.length());
            let flat = flat(variable, &quote!(own.#ident));
            match variable.ty.dimensions.len() {
                0 => quote!(#target[first] = own.#ident; first += 1;),
                _ => quote!(#target[first..first + #length].copy_from_slice(#flat); first += #length;),
            }
        }
        Field::Part(part) => {
            let (ty, over) = (&part.element, part.element_over(&quote!(#real)));
            let parts = part.slice(&quote!(self));
            quote! {
                for part in #parts {
                    let length = <#over as __fmu_runtime::model::Structure<#real>>::COUNTS.#count;
                    <#ty as __fmu_runtime::bounds::PartEquations>::#method::<#real>(part, t, &mut #target[first..first + length])?;
                    first += length;
                }
            }
        }
        _ => TokenStream::new(),
    });
    quote! {
        let own = #own::#own_method(self, t)?;
        let mut first = 0usize;
        #(#steps)*
        ::core::result::Result::Ok(())
    }
}

/// Only over `f64` are there discrete functions, but an impl over every scalar is silent about a model that has no
/// equations at all: one message for that is enough.
fn discrete(model: &Model) -> TokenStream {
    let real = scalar();
    let (params, over) = (model.impl_params(), model.over_real());
    let own = quote!(<Self as __fmu_runtime::model::OwnDiscrete>);
    let has = |own_flag: &str, flag: &str| {
        let (own_flag, flag) = (quote::format_ident!("{own_flag}"), quote::format_ident!("{flag}"));
        let parts = model.parts().map(|part| {
            let ty = part.element_over(&quote!(#real));
            quote!(|| <#ty as __fmu_runtime::model::Discrete>::#flag)
        });
        quote!(const #flag: bool = #own::#own_flag #(#parts)*;)
    };
    let flags = [
        has("OWN_EVENT", "HAS_EVENT"),
        has("OWN_TIME_EVENTS", "HAS_TIME_EVENTS"),
        has("OWN_COMPLETED_STEP", "HAS_COMPLETED_STEP"),
        has("OWN_INSTANTIATE", "HAS_INSTANTIATE"),
    ];
    let each = |body: &TokenStream, mutable: bool| {
        let loops = model.parts().map(|part| {
            let parts = if mutable {
                part.slice_mut(&quote!(self))
            } else {
                part.slice(&quote!(self))
            };
            quote!(for part in #parts { #body })
        });
        quote!(#(#loops)*)
    };
    let words = |part: &Part| {
        let ty = part.element_over(&quote!(#real));
        quote!(<#ty as __fmu_runtime::model::Discrete>::EDGES)
    };
    let events = model.parts().map(|part| {
        let (words, parts) = (words(part), part.slice_mut(&quote!(self)));
        quote! {
            for part in #parts {
                let (here, rest) = held.split_at(#words);
                next = next.max(__fmu_runtime::model::Discrete::on_event(part, at, here)?);
                held = rest;
            }
        }
    });
    let events = quote!(#(#events)*);
    let edge_words = model.parts().map(|part| {
        let (words, count) = (words(part), part.count());
        quote!(+ #count * #words)
    });
    let edges = model.parts().map(|part| {
        let (words, parts) = (words(part), part.slice(&quote!(self)));
        quote! {
            for part in #parts {
                let (here, rest) = held.split_at_mut(#words);
                __fmu_runtime::model::Discrete::edges(part, t, here);
                held = rest;
            }
        }
    });
    let times = each(
        &quote! {
            earliest = match (earliest, __fmu_runtime::model::Discrete::upcoming_event_time(part, t)?) {
                (::core::option::Option::Some(a), ::core::option::Option::Some(b)) => ::core::option::Option::Some(a.min(b)),
                (a, b) => a.or(b),
            };
        },
        false,
    );
    let steps = each(
        &quote!(event |= __fmu_runtime::model::Discrete::on_completed_step(part, t)?;),
        true,
    );
    let instantiations = each(
        &quote!(__fmu_runtime::model::Discrete::on_instantiate(part, resources)?;),
        true,
    );
    let clocks = clocks(model, &own);
    let bounds = model.bounds();
    let of_parts = model.parts().map(|part| {
        let ty = part.element_over(&quote!(#real));
        quote!(#ty: __fmu_runtime::model::Discrete,)
    });
    quote! {
        #[automatically_derived]
        #[allow(unused_mut, unused_variables, clippy::all)]
        impl<#params> __fmu_runtime::model::Discrete for #over
        where
            #(#bounds,)*
            Self: __fmu_runtime::model::OwnDiscrete,
            #(#of_parts)*
        {
            #(#flags)*
            #clocks
            const EDGES: usize = #own::OWN_EDGES as usize #(#edge_words)*;
            fn edges(&self, t: f64, mut held: &mut [u64]) {
                #(#edges)*
                if #own::OWN_EDGES {
                    held[0] = #own::own_edges(self, t);
                }
            }
            fn on_event(&mut self, mut at: __fmu_runtime::Event, mut held: &[u64]) -> ::core::result::Result<__fmu_runtime::Next, __fmu_runtime::ModelError> {
                let mut next = __fmu_runtime::Next::Continue;
                #events
                if #own::OWN_EDGES {
                    at.held = held[0];
                }
                ::core::result::Result::Ok(next.max(#own::own_event(self, at)?))
            }
            fn upcoming_event_time(&self, t: f64) -> ::core::result::Result<::core::option::Option<f64>, __fmu_runtime::ModelError> {
                let mut earliest = #own::own_next_event_time(self, t)?;
                #times
                ::core::result::Result::Ok(earliest)
            }
            fn on_completed_step(&mut self, t: f64) -> ::core::result::Result<bool, __fmu_runtime::ModelError> {
                let mut event = #own::own_completed_step(self, t)?;
                #steps
                ::core::result::Result::Ok(event)
            }
            fn on_instantiate(&mut self, resources: &::std::path::Path) -> ::core::result::Result<(), __fmu_runtime::ModelError> {
                #instantiations
                #own::own_instantiate(self, resources)
            }
        }
    }
}

/// The sampled functions of the parts, then those of the model.
fn clocks(model: &Model, own: &TokenStream) -> TokenStream {
    let real = scalar();
    let of = |part: &Part| {
        let ty = part.element_over(&quote!(#real));
        quote!(<#ty as __fmu_runtime::model::Discrete>::CLOCKS)
    };
    let counts = model.parts().map(|part| {
        let (clocks, count) = (of(part), part.count());
        quote!(+ #count * #clocks)
    });
    let samplings = model.parts().map(|part| {
        let (clocks, parts) = (of(part), part.slice(&quote!(self)));
        let timing = part.sampled.as_ref().map(sampling);
        quote! {
            for part in #parts {
                if clock < #clocks {
                    let sampling = __fmu_runtime::model::Discrete::sampling(part, clock);
                    return __fmu_runtime::model::Sampling { #timing ..sampling };
                }
                clock -= #clocks;
            }
        }
    });
    let ticks = model.parts().map(|part| {
        let (clocks, parts) = (of(part), part.slice_mut(&quote!(self)));
        quote! {
            for part in #parts {
                if clock < #clocks {
                    return __fmu_runtime::model::Discrete::on_tick(part, clock, at);
                }
                clock -= #clocks;
            }
        }
    });
    quote! {
        const CLOCKS: usize = #own::OWN_CLOCKS #(#counts)*;
        fn sampling(&self, mut clock: usize) -> __fmu_runtime::model::Sampling {
            #(#samplings)*
            #own::own_sampling(self, clock)
        }
        fn on_tick(&mut self, mut clock: usize, at: __fmu_runtime::Event) -> ::core::result::Result<(), __fmu_runtime::ModelError> {
            #(#ticks)*
            #own::own_tick(self, clock, at)
        }
    }
}
