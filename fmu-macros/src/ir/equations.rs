//! The impl behind `#[equations]`, checked with the model's summary: which functions are there, and which values they
//! leave out.

use super::edges::{self, Edges};
use super::sampled::{self, Sampled};
use crate::decisions::{self, HiddenDecisions, Seen, Usage, hidden_decisions};
use crate::errors::{Errors, closest, suggestion};
use crate::lift;
use crate::parse::equations::{FUNCTIONS, ModelFunction, array_length};
use crate::parse::{model::tokens_of, options};
use crate::role::{CALCULATED, GROUPS, Group, Role};
use crate::summary::{FieldSummary, ModelSummary, State};
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::HashSet;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, Expr, ExprStruct, GenericArgument, GenericParam, ImplItem, ImplItemFn, ItemImpl, Member,
    PathArguments, ReturnType, Type, parse_quote,
};

/// The impl, resolved.
pub struct Equations {
    /// Generics and self type.
    pub item: ItemImpl,
    /// Functions of the model, none for an impl of helper methods.
    pub functions: Vec<Function>,
    /// Conditions of `rising` and `falling` in `fn event`.
    pub edges: Edges,
    /// Functions that run at samples.
    pub sampled: Vec<Sampled>,
    /// Everything else: helper methods and constants.
    pub others: Vec<ImplItem>,
    /// Length of the array that `fn event_indicators` returns.
    pub indicators: Option<Expr>,
    /// It is `impl Model for ...`.
    pub of_model: bool,
    /// Names of the functions that are missing although the model has variables for them.
    pub missing: Vec<&'static str>,
    /// What is asked of the types of fields.
    pub bounds: Vec<TokenStream>,
    /// That the parts have equations.
    pub part_bounds: Vec<TokenStream>,
    /// What the walk over bodies must know of the fields.
    pub fields: lift::Fields,
    /// Decisions in them that exploration may not see.
    pub hidden: HiddenDecisions,
    /// Helper methods, with what they read and what was seen in them.
    pub helpers: Vec<(Ident, Usage, Seen)>,
    /// Names of the variables that are numbers or arrays of them.
    pub reals: HashSet<String>,
    /// The struct was understood.
    pub sound: bool,
}

/// A function of the model.
pub struct Function {
    pub kind: &'static ModelFunction,
    pub method: ImplItemFn,
}

/// The fields that a function gives.
fn members<'a>(group: &Group, summary: &'a ModelSummary) -> Vec<&'a FieldSummary> {
    summary.fields.iter().filter(|field| group.has(field)).collect()
}

/// Checks the impl. `None` if there is nothing to expand.
pub fn resolve(mut item: ItemImpl, summary: &ModelSummary, errors: &mut Errors) -> Option<Equations> {
    if summary.state == State::Absent {
        return None;
    }
    let of_model = item.trait_.is_some();
    let headed = check_header(&mut item, summary, errors);
    let sound = summary.state == State::Sound;
    let mut equations = Equations {
        functions: Vec::new(),
        edges: Edges::default(),
        sampled: Vec::new(),
        others: Vec::new(),
        indicators: None,
        missing: Vec::new(),
        bounds: summary.bounds.clone(),
        part_bounds: summary.part_bounds.clone(),
        fields: lift::Fields {
            internal: names(summary, |field| field.role == Role::Internal),
            numbers: names(summary, |field| field.number && field.role != Role::Connection),
        },
        hidden: HiddenDecisions::default(),
        helpers: Vec::new(),
        reals: names(summary, |field| field.real),
        of_model,
        sound,
        item,
    };
    for entry in std::mem::take(&mut equations.item.items) {
        match entry {
            ImplItem::Fn(method) if method.attrs.iter().any(is_sampled) => {
                sampled_function(method, &mut equations, summary, errors);
            }
            ImplItem::Fn(method) if of_model => function(method, &mut equations, summary, errors),
            ImplItem::Fn(method) => equations.others.push(ImplItem::Fn(method)),
            other => {
                if of_model {
                    errors.on(
                        &other,
                        "`impl Model` has functions only: move this in front of the impl",
                    );
                }
                // Inherent associated types do not exist, so they could only lead to another error.
                if !of_model || matches!(other, ImplItem::Const(_)) {
                    equations.others.push(other);
                }
            }
        }
    }
    equations.missing = missing(&equations, summary);
    if sound && headed {
        let mut functions = equations.functions.iter_mut();
        if let Some(event) = functions.find(|function| function.kind.name == "event") {
            equations.edges = edges::resolve(&mut event.method, summary, errors);
        }
    }
    if sound && headed {
        if of_model {
            let functions = equations.functions.iter();
            let functions: Vec<_> = functions
                .map(|function| (function.kind.name, &function.method))
                .collect();
            equations.hidden = hidden_decisions(summary, &functions);
            report_missing(&equations, summary, errors);
            for (_, method) in functions.iter().filter(|(name, _)| *name == CALCULATED.function) {
                refuse_variables(method.block.to_token_stream(), summary, errors);
            }
        } else if decisions::is_possible(summary) {
            let read = |entry: &ImplItem| match entry {
                ImplItem::Fn(method) if method.sig.receiver().is_some() => {
                    let (usage, seen) = decisions::helper(summary, method);
                    Some((method.sig.ident.clone(), usage, seen))
                }
                _ => None,
            };
            equations.helpers = equations.others.iter().filter_map(read).collect();
        }
        for block in equations.blocks() {
            Literals { summary, errors }.visit_block_mut(block);
        }
    } else {
        for block in equations.blocks() {
            *block = stub();
        }
    }
    Some(equations)
}

impl Equations {
    fn blocks(&mut self) -> impl Iterator<Item = &mut Block> {
        let of_functions = self
            .functions
            .iter_mut()
            .map(|function| &mut function.method.block);
        let of_others = self.others.iter_mut().filter_map(|entry| match entry {
            ImplItem::Fn(method) => Some(&mut method.block),
            _ => None,
        });
        let of_sampled = self.sampled.iter_mut().map(|sampled| &mut sampled.method.block);
        of_functions.chain(of_sampled).chain(of_others)
    }
}

/// Reports fields that change during a simulation where calculated parameters are computed, which do not. Helper methods and
/// parts are followed when the model is packaged.
fn refuse_variables(tokens: TokenStream, summary: &ModelSummary, errors: &mut Errors) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (i, token) in tokens.iter().enumerate() {
        let (dot, name, behind) = match token {
            TokenTree::Group(group) => {
                refuse_variables(group.stream(), summary, errors);
                continue;
            }
            TokenTree::Ident(ident) if ident == "self" => {
                (tokens.get(i + 1), tokens.get(i + 2), tokens.get(i + 3))
            }
            _ => continue,
        };
        let (Some(TokenTree::Punct(dot)), Some(TokenTree::Ident(name))) = (dot, name) else {
            continue;
        };
        let is_call =
            matches!(behind, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
        let field = summary.fields.iter().find(|field| field.ident == *name);
        let Some(field) = field.filter(|_| dot.as_char() == '.' && !is_call) else {
            continue;
        };
        let role = field.role;
        if matches!(
            role,
            Role::State | Role::Input | Role::Output | Role::Local | Role::Discrete | Role::Implicit
        ) {
            errors.on(
                name,
                format!(
                    "a calculated parameter is constant during a simulation (FMI 2.0.5, 2.2.7), and `{name}` is {} {}: make \
                     what is computed from it a `#[local]`, and compute it in `fn locals`",
                    role.article(),
                    role.noun()
                ),
            );
        }
    }
}

fn names(summary: &ModelSummary, chosen: impl Fn(&FieldSummary) -> bool) -> HashSet<String> {
    let fields = summary.fields.iter().filter(|field| chosen(field));
    fields.map(|field| field.ident.to_string()).collect()
}

/// A body for a function that cannot have its own.
fn stub() -> Block {
    parse_quote!({ ::core::unreachable!() })
}

/// The self type names every const parameter of the model by one of the impl's; otherwise that is reported and corrected.
fn check_header(item: &mut ItemImpl, summary: &ModelSummary, errors: &mut Errors) -> bool {
    let Type::Path(path) = &*item.self_ty else {
        return true;
    };
    let Some(last) = path.path.segments.last() else {
        return true;
    };
    let arguments: Vec<String> = match &last.arguments {
        PathArguments::AngleBracketed(arguments) => arguments
            .args
            .iter()
            .map(|argument| match argument {
                GenericArgument::Type(Type::Path(path)) => path.path.get_ident().map(Ident::to_string),
                GenericArgument::Const(Expr::Path(path)) => path.path.get_ident().map(Ident::to_string),
                _ => None,
            })
            .map(Option::unwrap_or_default)
            .collect(),
        _ => Vec::new(),
    };
    let declared = |name: &String| {
        item.generics
            .params
            .iter()
            .any(|param| matches!(param, GenericParam::Const(param) if param.ident == name))
    };
    if arguments.len() == summary.consts.len() && arguments.iter().all(declared) {
        return true;
    }
    let (consts, ident) = (&summary.consts, &summary.ident);
    let names: Vec<&Ident> = consts.iter().map(|param| &param.ident).collect();
    let model = if item.trait_.is_some() { "Model for " } else { "" };
    let message = if consts.is_empty() {
        format!("the equations of a model hold for all kinds of numbers: write `impl {model}{ident}`")
    } else {
        let declarations: Vec<String> = consts
            .iter()
            .map(|param| format!("const {}: {}", param.ident, type_text(&param.ty)))
            .collect();
        let list: Vec<String> = names.iter().map(ToString::to_string).collect();
        format!(
            "`{ident}` has const parameters, and its equations hold for all of their values: write `impl<{}> {model}{ident}<{}>`",
            declarations.join(", "),
            list.join(", ")
        )
    };
    errors.on(&*item.self_ty, message);
    item.generics = parse_quote!(<#(#consts),*>);
    if let Type::Path(path) = &mut *item.self_ty
        && let Some(last) = path.path.segments.last_mut()
    {
        last.arguments = match names.is_empty() {
            true => PathArguments::None,
            false => PathArguments::AngleBracketed(parse_quote!(<#(#names),*>)),
        };
    }
    false
}

fn type_text(ty: &Type) -> String {
    quote!(#ty).to_string().replace(' ', "")
}

fn function(mut method: ImplItemFn, equations: &mut Equations, summary: &ModelSummary, errors: &mut Errors) {
    let ident = method.sig.ident.clone();
    let Some(kind) = FUNCTIONS.iter().find(|function| ident == function.name) else {
        let names: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
        let hint = match closest(&ident.to_string(), &names) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!(
                "helper methods go into `#[equations] impl {} {{ }}`; a model has {}",
                summary.ident,
                names.join(", ")
            ),
        };
        errors.on(&ident, format!("a model has no function `{ident}`: {hint}"));
        equations.others.push(ImplItem::Fn(method));
        return;
    };
    if equations
        .functions
        .iter()
        .any(|known| known.kind.name == kind.name)
    {
        errors.on(&ident, format!("there is a `fn {ident}` already: keep one"));
        return;
    }
    if let Some(place) = kind.difference(&method.sig) {
        let returns = !matches!(method.sig.output, ReturnType::Default);
        let message = if kind.name == "event_indicators" && returns && kind.difference_is_output(&method.sig)
        {
            "the number of indicators is part of the type: return an array such as `[f64; 1]`".to_owned()
        } else {
            let or = if kind.name == "event" {
                ", or the same with `-> Next`"
            } else {
                ""
            };
            format!("`fn {ident}` has another shape: write `{}`{or}", kind.signature)
        };
        errors.on(place, message);
        if let Ok(mut signature) = kind.canonical() {
            signature.ident = ident;
            method.sig = signature;
        }
        method.block = stub();
    }
    if kind.name == "event_indicators"
        && let ReturnType::Type(_, ty) = &method.sig.output
    {
        equations.indicators = array_length(ty);
    }
    equations.functions.push(Function { kind, method });
}

fn is_sampled(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("sampled")
}

/// A function with `#[sampled]`.
fn sampled_function(
    mut method: ImplItemFn,
    equations: &mut Equations,
    summary: &ModelSummary,
    errors: &mut Errors,
) {
    let numbers = summary
        .fields
        .iter()
        .filter(|field| field.role != Role::Connection);
    let fields: Vec<(String, bool)> = numbers
        .map(|field| (field.ident.to_string(), field.number || field.role == Role::Part))
        .collect();
    let mut timing = None;
    for attribute in method.attrs.extract_if(.., |attribute| is_sampled(attribute)) {
        if !equations.of_model {
            sampled::misplaced(attribute.path().span(), errors);
        }
        let options = options::parse(tokens_of(&attribute), errors);
        timing = Some(sampled::timing(&options, &fields, errors));
    }
    let ident = method.sig.ident.clone();
    if FUNCTIONS.iter().any(|function| ident == function.name) {
        errors.on(
            &ident,
            format!(
                "`fn {ident}` has a meaning of its own in a model: give the sampled function another name"
            ),
        );
        return;
    }
    if let Some(argument) = sampled::argument(&method, errors) {
        equations.sampled.push(Sampled {
            method,
            timing: timing.unwrap_or_default(),
            argument,
        });
    }
}

/// Functions that are missing altogether, although the model has variables that need them.
fn missing(equations: &Equations, summary: &ModelSummary) -> Vec<&'static str> {
    GROUPS
        .iter()
        .filter(|group| !members(group, summary).is_empty())
        .map(|group| group.function)
        .filter(|name| {
            !equations
                .functions
                .iter()
                .any(|function| function.kind.name == *name)
        })
        .collect()
}

fn report_missing(equations: &Equations, summary: &ModelSummary, errors: &mut Errors) {
    for group in GROUPS
        .iter()
        .filter(|group| equations.missing.contains(&group.function))
    {
        // A function under a misspelt name was reported already.
        let misspelt = equations.others.iter().any(|entry| {
            matches!(entry, ImplItem::Fn(method)
                if closest(&method.sig.ident.to_string(), &[group.function]).is_some())
        });
        let Some(kind) = FUNCTIONS.iter().find(|function| function.name == group.function) else {
            continue;
        };
        if misspelt {
            continue;
        }
        let names: Vec<String> = members(group, summary)
            .iter()
            .map(|field| format!("`{}`", field.ident))
            .collect();
        let (verb, plural) = if names.len() == 1 {
            ("has", "")
        } else {
            ("have", "s")
        };
        errors.on(
            &equations.item.self_ty,
            format!(
                "{} {verb} no {}{plural}: write `{}`",
                enumerated(&names),
                group.lacks,
                kind.signature
            ),
        );
    }
}

/// `a`, `b` and `c`; a long list is cut.
fn enumerated(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] if names.len() <= 6 => format!("{} and {last}", first.join(", ")),
        _ => format!("{} and {} more", names[..5].join(", "), names.len() - 5),
    }
}

/// Looks at `Derivatives::<Self> { .. }` and the like: every variable once, and nothing else.
struct Literals<'a> {
    summary: &'a ModelSummary,
    errors: &'a mut Errors,
}

impl VisitMut for Literals<'_> {
    fn visit_expr_struct_mut(&mut self, literal: &mut ExprStruct) {
        visit_mut::visit_expr_struct_mut(self, literal);
        let Some(last) = literal.path.segments.last() else {
            return;
        };
        let of_self = matches!(&last.arguments, PathArguments::AngleBracketed(arguments)
            if matches!(arguments.args.first(), Some(GenericArgument::Type(Type::Path(path)))
                if path.path.is_ident("Self") || path.path.is_ident(&self.summary.ident)));
        let Some(group) = GROUPS.iter().find(|group| of_self && last.ident == group.name) else {
            return;
        };
        self.check(literal, group);
    }
}

impl Literals<'_> {
    fn check(&mut self, literal: &mut ExprStruct, group: &Group) {
        let members = members(group, self.summary);
        let is_member = |member: &Member| matches!(member, Member::Named(ident) if members.iter().any(|field| field.ident == *ident));
        for value in &literal.fields {
            if let Member::Named(ident) = &value.member
                && !is_member(&value.member)
            {
                self.errors
                    .on(ident, unexpected(ident, group, &members, self.summary));
            }
        }
        let strangers = literal
            .fields
            .iter()
            .filter(|value| !is_member(&value.member))
            .count();
        literal.fields = std::mem::take(&mut literal.fields)
            .into_iter()
            .filter(|value| is_member(&value.member))
            .collect();
        if literal.rest.is_some() {
            return;
        }
        let missing: Vec<&&FieldSummary> = members
            .iter()
            .filter(|field| {
                !literal
                    .fields
                    .iter()
                    .any(|value| matches!(&value.member, Member::Named(ident) if *ident == field.ident))
            })
            .collect();
        // A stranger is the missing one under another name: one mistake.
        for field in missing.iter().skip(strangers) {
            self.errors.on(
                &literal.path,
                format!(
                    "the {} `{}` has no {}: add `{}: ...`",
                    field.role.noun(),
                    field.ident,
                    group.lacks,
                    field.ident
                ),
            );
        }
        for field in missing {
            let ident = &field.ident;
            literal.fields.push(parse_quote!(#ident: ::core::unreachable!()));
        }
    }
}

/// The message about a field that is not in the group.
fn unexpected(ident: &Ident, group: &Group, members: &[&FieldSummary], summary: &ModelSummary) -> String {
    if let Some(field) = summary.fields.iter().find(|field| field.ident == *ident) {
        let elsewhere = GROUPS
            .iter()
            .find(|other| other.has(field))
            .map(|other| format!("give it in `fn {}`", other.function))
            .unwrap_or_else(|| "remove it".to_owned());
        return format!(
            "`{ident}` is {} {} and has no {}: {elsewhere}",
            field.role.article(),
            field.role.noun(),
            group.lacks
        );
    }
    let names: Vec<String> = members.iter().map(|field| field.ident.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let hint = if names.is_empty() {
        "remove it".to_owned()
    } else {
        suggestion(&ident.to_string(), &names)
    };
    format!("`{}` has no field `{ident}`: {hint}", group.name)
}
