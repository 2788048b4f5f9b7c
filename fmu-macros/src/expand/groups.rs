//! One struct per group of values: what the author's functions return.

use super::scalar;
use crate::ir::{Base, Model, Variable};
use crate::lift;
use crate::role::{CONNECTIONS, GROUPS, Group};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;

/// The variables of a group.
pub fn variables<'a>(model: &'a Model, group: &Group) -> impl Iterator<Item = &'a Variable> {
    let gives = |variable: &&Variable| group.gives(variable.role, variable.initial_equation);
    model.variables().filter(gives)
}

/// Field of `Connections` for an input of a part: `motor_u`.
pub fn connection(part: &Ident, input: &Ident) -> Ident {
    use syn::ext::IdentExt;
    format_ident!("{}_{}", part.unraw(), input.unraw(), span = input.span())
}

pub fn expand(model: &Model) -> TokenStream {
    let (params, over) = (model.impl_params(), model.over_real());
    // A struct with mistakes asks nothing of its fields.
    let bounds = if model.sound { model.bounds() } else { Vec::new() };
    let groups = group_structs(model);
    let definitions = groups.iter().map(|group| &group.definition);
    let types = groups
        .iter()
        .map(|GroupStruct { name, ty, .. }| quote!(type #name = #ty;));
    quote! {
        #(#definitions)*

        #[automatically_derived]
        impl<#params> __fmu_runtime::model::Groups for #over where #(#bounds,)* {
            #(#types)*
        }
    }
}

/// `Derivatives = BallDerivatives<Real>, ...`: a bound by `Groups` alone would hide what the types are.
pub fn bindings(model: &Model) -> TokenStream {
    let bindings = group_structs(model)
        .into_iter()
        .map(|GroupStruct { name, ty, .. }| quote!(#name = #ty));
    quote!(#(#bindings),*)
}

/// A group's struct.
struct GroupStruct {
    /// Name of the group.
    name: Ident,
    definition: TokenStream,
    /// The struct with its arguments.
    ty: TokenStream,
}

fn group_structs(model: &Model) -> Vec<GroupStruct> {
    let real = scalar();
    let of_variables = GROUPS.iter().filter(|group| **group != CONNECTIONS);
    let mut structs: Vec<GroupStruct> = of_variables
        .map(|group| {
            let variables: Vec<_> = variables(model, group).collect();
            let fields: Vec<TokenStream> = variables
                .iter()
                .map(|variable| {
                    let (ident, ty) = (&variable.common.ident, lift::lift_type(&variable.ty.ty));
                    quote!(#ident: #ty)
                })
                .collect();
            let over_scalar = variables.iter().any(|variable| variable.ty.base == Base::Real);
            group_struct(model, group, &fields, over_scalar)
        })
        .collect();
    let connections: Vec<TokenStream> = model
        .parts()
        .flat_map(|part| part.connected.iter().map(move |input| (part, input)))
        .map(|(part, input)| {
            let name = connection(&part.common.ident, input);
            match &part.length {
                None => quote!(#name: #real),
                Some(length) => quote!(#name: [#real; #length]),
            }
        })
        .collect();
    structs.push(group_struct(
        model,
        &CONNECTIONS,
        &connections,
        !connections.is_empty(),
    ));
    structs
}

/// A struct without numbers has no scalar parameter.
fn group_struct(model: &Model, group: &Group, fields: &[TokenStream], over_scalar: bool) -> GroupStruct {
    let (ident, visibility) = (model.group_ident(group.name), &model.visibility);
    let (consts, args) = (model.const_params_bare(), model.const_args());
    let real = scalar();
    let doc = format!("What `fn {}` of [`{}`] returns.", group.function, model.ident);
    let (params, ty) = if over_scalar {
        (
            quote!(<#(#consts,)* #real = f64>),
            quote!(#ident<#(#args,)* #real>),
        )
    } else {
        (quote!(<#(#consts,)*>), quote!(#ident<#(#args,)*>))
    };
    let definition = quote! {
        #[doc = #doc]
        #[derive(Clone)]
        #[allow(missing_docs)]
        #visibility struct #ident #params {
            #(pub #fields,)*
        }
    };
    GroupStruct {
        name: format_ident!("{}", group.name),
        definition,
        ty,
    }
}
