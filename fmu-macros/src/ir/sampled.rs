//! `#[sampled(period = "ts", offset = 0.5)]` on a function or a part: when it runs.

use crate::errors::{Errors, suggestion};
use crate::parse::options::OptionItem;
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, FnArg, Ident, ImplItemFn, Lit, Token, Type};

/// Period and offset of samples, as expressions of type `f64` where `self` is the model.
#[derive(Default)]
pub struct Timing {
    pub period: Option<TokenStream>,
    pub offset: Option<TokenStream>,
}

/// A function that runs at samples.
pub struct Sampled {
    pub method: ImplItemFn,
    pub timing: Timing,
    /// What it is given beside the model.
    pub argument: Argument,
}

/// What a sampled function is given beside the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    Nothing,
    Time,
    Event,
}

const SHAPE: &str =
    "write `fn name(&mut self)`, `fn name(&mut self, t: f64)` or `fn name(&mut self, at: Event)`";

/// Reads the options. `fields` has the names of the fields, and whether each is an `f64` or a part.
pub fn timing(options: &[OptionItem], fields: &[(String, bool)], errors: &mut Errors) -> Timing {
    let mut timing = Timing::default();
    for item in options {
        match item.name().as_str() {
            "period" => timing.period = value(item, "ts", fields, errors),
            "offset" => timing.offset = value(item, "ts", fields, errors),
            other => errors.at(
                item.span(),
                format!(
                    "`#[sampled]` has no option `{other}`: {}",
                    suggestion(other, &["period", "offset"])
                ),
            ),
        }
    }
    timing
}

/// A number, or the name of a field in quotes: `"ts"`, `"controller.ts"`.
fn value(
    item: &OptionItem,
    example: &str,
    fields: &[(String, bool)],
    errors: &mut Errors,
) -> Option<TokenStream> {
    let expression = item.expression(&format!("\"{example}\""), errors)?;
    let Expr::Lit(ExprLit {
        lit: Lit::Str(text), ..
    }) = &expression
    else {
        return Some(quote!((#expression)));
    };
    let Ok(path) = text.parse_with(Punctuated::<Ident, Token![.]>::parse_separated_nonempty) else {
        errors.at(
            text.span(),
            format!("name a field: write `{} = \"{example}\"`, or a number", item.key),
        );
        return None;
    };
    let first = path.first().map(ToString::to_string).unwrap_or_default();
    match fields.iter().find(|(name, _)| *name == first) {
        None => {
            let numbers = fields.iter().filter(|(_, is_number)| *is_number);
            let names: Vec<&str> = numbers.map(|(name, _)| name.as_str()).collect();
            let hint = match names.is_empty() {
                true => "add a parameter, or write a number".to_owned(),
                false => suggestion(&first, &names),
            };
            errors.at(text.span(), format!("there is no field `{first}`: {hint}"));
            return None;
        }
        Some((_, false)) => {
            errors.at(
                text.span(),
                format!("`{first}` is not an `f64`: a period and an offset are times in seconds"),
            );
            return None;
        }
        Some((_, true)) => {}
    }
    let path = path.iter();
    Some(quote!(__fmu_runtime::scalar::Scalar::value(self #(.#path)*)))
}

/// Checks the shape of a sampled function.
pub fn argument(method: &ImplItemFn, errors: &mut Errors) -> Option<Argument> {
    let signature = &method.sig;
    let mut inputs = signature.inputs.iter();
    let receiver = match inputs.next() {
        Some(FnArg::Receiver(receiver)) => receiver.reference.is_some() && receiver.mutability.is_some(),
        _ => false,
    };
    let argument = match inputs.next() {
        None => Some(Argument::Nothing),
        Some(FnArg::Typed(typed)) => match &*typed.ty {
            Type::Path(path) => path.path.segments.last().and_then(|last| match () {
                () if last.ident == "f64" => Some(Argument::Time),
                () if last.ident == "Event" => Some(Argument::Event),
                () => None,
            }),
            _ => None,
        },
        Some(FnArg::Receiver(_)) => None,
    };
    match argument {
        Some(argument) if receiver && inputs.next().is_none() && signature.generics.params.is_empty() => {
            Some(argument)
        }
        _ => {
            errors.on(
                &signature.ident,
                format!("a sampled function has another shape: {SHAPE}"),
            );
            None
        }
    }
}

/// `#[sampled]` where it does not belong.
pub fn misplaced(span: Span, errors: &mut Errors) {
    errors.at(
        span,
        "`#[sampled]` belongs on a part, or on a function of `impl Model for ...`",
    );
}
