//! The summary of a model: what `#[equations]` must know of the struct behind `#[model]`.
//!
//! A macro sees one item only. So `#[model] struct Ball` also defines a macro of the same name, which puts the summary
//! in front of the tokens it is given and hands both to `equations_of!`; `#[equations]` calls it:
//!
//! ```text
//! #[equations] impl Model for Ball { .. }   =>   Ball! { impl Model for Ball { .. } }
//!                                           =>   equations_of! { {summary} impl Model for Ball { .. } }
//! ```
//!
//! The name of the struct and the name of the macro are in different namespaces, and `use` brings in both.

use crate::role::Role;
use crate::runtime::Runtime;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{ConstParam, Ident, Token, WherePredicate, braced, bracketed};

/// What is known of a model.
pub struct ModelSummary {
    /// The path of the runtime.
    pub runtime: Runtime,
    pub ident: Ident,
    pub state: State,
    pub consts: Vec<ConstParam>,
    /// What is asked of the types of fields, for the `where` clause of every impl.
    pub bounds: Vec<TokenStream>,
    /// That the parts have equations.
    pub part_bounds: Vec<TokenStream>,
    pub fields: Vec<FieldSummary>,
}

/// Whether the struct was understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Yes.
    Sound,
    /// No, and that is reported: its equations get signatures and no bodies, so that nothing else is reported.
    Broken,
    /// It is not a struct with fields at all.
    Absent,
}

/// A field, or an input of a part that the model drives.
#[derive(Clone)]
pub struct FieldSummary {
    pub ident: Ident,
    pub role: Role,
    /// A single `f64`.
    pub number: bool,
    /// `fn initial` gives its value at the start.
    pub initial: bool,
    /// An `f64`, or an array of them.
    pub real: bool,
    /// An `i32`, or an array of them.
    pub integer: bool,
    /// It has too many values to try them all.
    pub unbounded: bool,
    /// An internal field that nothing but `fn instantiate` changes.
    pub fixed: bool,
}

const ROLES: &[(Role, &str)] = &[
    (Role::State, "state"),
    (Role::Input, "input"),
    (Role::Output, "output"),
    (Role::Local, "local"),
    (Role::Parameter, "parameter"),
    (Role::Calculated, "calculated"),
    (Role::Constant, "constant"),
    (Role::Discrete, "discrete"),
    (Role::Implicit, "implicit"),
    (Role::Internal, "internal"),
    (Role::Part, "part"),
    (Role::Connection, "connection"),
];

const STATES: &[(State, &str)] = &[
    (State::Sound, "sound"),
    (State::Broken, "broken"),
    (State::Absent, "absent"),
];

impl ToTokens for ModelSummary {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let ModelSummary {
            runtime,
            ident,
            state,
            consts,
            bounds,
            part_bounds,
            fields,
        } = self;
        let state = word(*state, STATES);
        let fields = fields.iter().map(|field| {
            let (ident, role) = (&field.ident, word(field.role, ROLES));
            let number = field.number.then(|| quote!(number));
            let initial = field.initial.then(|| quote!(initial));
            let real = field.real.then(|| quote!(real));
            let integer = field.integer.then(|| quote!(integer));
            let unbounded = field.unbounded.then(|| quote!(unbounded));
            let fixed = field.fixed.then(|| quote!(fixed));
            quote!(#role #ident #number #initial #real #integer #unbounded #fixed)
        });
        tokens.extend(
            quote!({ [#runtime] #state #ident [#(#consts),*] [#(#bounds),*] [#(#part_bounds),*] [#(#fields),*] }),
        );
    }
}

fn word<T: Copy + PartialEq>(value: T, words: &[(T, &str)]) -> Option<Ident> {
    words
        .iter()
        .find(|(known, _)| *known == value)
        .map(|(_, word)| format_ident!("{word}", span = Span::call_site()))
}

fn meaning<T: Copy>(input: ParseStream, words: &[(T, &str)]) -> syn::Result<T> {
    let ident: Ident = input.parse()?;
    words
        .iter()
        .find(|(_, word)| ident == word)
        .map(|(known, _)| *known)
        .ok_or_else(|| syn::Error::new(ident.span(), "not a word of the summary of a model"))
}

impl Parse for ModelSummary {
    fn parse(input: ParseStream) -> syn::Result<ModelSummary> {
        let content;
        braced!(content in input);
        let path;
        bracketed!(path in content);
        let runtime = Runtime::at(path.parse()?);
        let state = meaning(&content, STATES)?;
        let ident = content.parse()?;
        let (consts, bounds, part_bounds, fields);
        bracketed!(consts in content);
        bracketed!(bounds in content);
        bracketed!(part_bounds in content);
        bracketed!(fields in content);
        Ok(ModelSummary {
            runtime,
            ident,
            state,
            consts: Punctuated::<ConstParam, Token![,]>::parse_terminated(&consts)?
                .into_iter()
                .collect(),
            bounds: predicates(&bounds)?,
            part_bounds: predicates(&part_bounds)?,
            fields: Punctuated::<FieldSummary, Token![,]>::parse_terminated(&fields)?
                .into_iter()
                .collect(),
        })
    }
}

fn predicates(input: ParseStream) -> syn::Result<Vec<TokenStream>> {
    let predicates = Punctuated::<WherePredicate, Token![,]>::parse_terminated(input)?;
    Ok(predicates.into_iter().map(ToTokens::into_token_stream).collect())
}

impl Parse for FieldSummary {
    fn parse(input: ParseStream) -> syn::Result<FieldSummary> {
        let role = meaning(input, ROLES)?;
        let ident = input.parse()?;
        let mut field = FieldSummary {
            ident,
            role,
            number: false,
            initial: false,
            real: false,
            integer: false,
            unbounded: false,
            fixed: false,
        };
        while input.peek(syn::Ident) {
            let flag: Ident = input.parse()?;
            field.number |= flag == "number";
            field.initial |= flag == "initial";
            field.real |= flag == "real";
            field.integer |= flag == "integer";
            field.unbounded |= flag == "unbounded";
            field.fixed |= flag == "fixed";
        }
        Ok(field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn a_summary_survives_the_way_through_a_macro() {
        let summary: ModelSummary = parse_quote!({ [dynamics] sound Rod [const N: usize] [for<'a> Motor: Part<'a>] [] [state x initial, parameter k number real, parameter n integer unbounded, internal table] });
        let again: ModelSummary = syn::parse2(summary.to_token_stream()).unwrap();
        assert_eq!(
            again.to_token_stream().to_string(),
            summary.to_token_stream().to_string()
        );
        assert_eq!(
            (again.state, again.consts.len(), again.bounds.len()),
            (State::Sound, 1, 1)
        );
        let fields: Vec<_> = again
            .fields
            .iter()
            .map(|field| (field.ident.to_string(), field.role, field.number, field.initial))
            .collect();
        assert_eq!(
            fields,
            [
                ("x".to_owned(), Role::State, false, true),
                ("k".to_owned(), Role::Parameter, true, false),
                ("n".to_owned(), Role::Parameter, false, false),
                ("table".to_owned(), Role::Internal, false, false),
            ]
        );
        let n = &again.fields[2];
        assert_eq!((n.real, n.integer, n.unbounded), (false, true, true));
        assert!(again.fields[1].real);
    }
}
