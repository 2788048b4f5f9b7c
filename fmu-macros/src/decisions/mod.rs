//! Decisions that exploration may not see, because an integer or a string with too many values makes them.
//!
//! Dependencies come from running the equations along all decisions (`fmu_runtime::pattern`). Comparisons of numbers are
//! seen there, and Booleans, enumerations and integers of a small range are tried with all their values. An integer
//! without such a range is not: `if self.n == 42` would have to be tried with 42. So the equations are read:
//!
//! - a comparison or a `match` of the field itself with literals gives the values to try, and no others matter;
//! - arithmetic alone (`self.n + 1`, `self.n as f64 * self.u`) shows what it does with a few values, small and large;
//! - everything else (an index, a loop, a function, a comparison of something computed) may hide a decision, and the values
//!   that depend on it are listed as dependent on everything. They are found by name, rather too many than too few.
//!
//! An internal field that events change is of the same kind: its other values are not known at all. But what is made of
//! internal fields alone is a constant between events, whatever they decide in it.
//!
//! A macro sees one impl. What helper methods and parts do is known elsewhere, so a usage names them, and
//! `fmu_runtime::__private::hidden` follows the names when the model is packaged.

mod comparisons;
mod elements;
#[cfg(test)]
mod tests;
mod tokens;
mod usage;
mod walk;

pub use usage::{Cause, Causes, Usage};
pub use walk::Seen;

use crate::role::{DERIVATIVES, GROUPS, Role};
use crate::summary::{FieldSummary, ModelSummary};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{BTreeSet, HashMap};
use syn::ImplItemFn;

/// What is known of a field.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// An integer with too many values to try them all.
    pub integer: bool,
    /// An internal field.
    pub internal: bool,
    /// A part.
    pub part: bool,
    pub usage: Usage,
}

/// The decisions that exploration may not see in the equations of a model.
#[derive(Default)]
pub struct HiddenDecisions {
    /// There may be any at all.
    pub possible: bool,
    /// For each function and each of its variables, what it makes of values that cannot be tried one by one.
    pub usages: Vec<(&'static str, String, Usage)>,
    pub seen: Seen,
    /// Variables that have too many values to try them all.
    pub unbounded: Vec<String>,
    /// Internal fields that event functions change.
    pub changed: Vec<String>,
    /// Internal fields that they may change by a method that they call.
    pub changeable: Vec<String>,
    /// Those methods.
    pub called: BTreeSet<String>,
    /// Variables whose usage of other values matters: all but those that nothing decides and no stored factor changes.
    pub decided: Vec<(&'static str, String)>,
}

/// Whether the model has anything that exploration cannot try, or may have it in a part.
pub fn is_possible(summary: &ModelSummary) -> bool {
    let may_hide =
        |field: &FieldSummary| field.unbounded || matches!(field.role, Role::Part) || is_changeable(field);
    summary.fields.iter().any(may_hide)
}

fn is_changeable(field: &FieldSummary) -> bool {
    field.role == Role::Internal && !field.fixed
}

/// The fields as a function sees them. What other functions compute is known where `computed` is false.
fn known_fields(
    summary: &ModelSummary,
    computed: bool,
    carrying: impl Fn(&str) -> bool,
) -> HashMap<String, Known> {
    let fields = summary.fields.iter().map(|field| {
        let name = field.ident.to_string();
        let is_computed = computed
            && GROUPS
                .iter()
                .any(|group| *group != DERIVATIVES && group.has(field));
        let usage = match field.role {
            Role::Part => Usage::carried(&name),
            Role::Internal if carrying(&name) => Usage::carried(&name),
            _ if field.unbounded => Usage::carried(&name),
            _ if is_computed => Usage::computed(&name),
            _ => Usage::default(),
        };
        let known = Known {
            integer: field.unbounded && field.integer,
            internal: field.role == Role::Internal,
            part: field.role == Role::Part,
            usage,
        };
        (name, known)
    });
    fields.collect()
}

/// Reads a helper method: what its result is made of.
pub fn helper(summary: &ModelSummary, method: &ImplItemFn) -> (Usage, Seen) {
    let is_internal = |name: &str| {
        let fields = summary.fields.iter();
        fields.filter(|field| field.ident == name).any(is_changeable)
    };
    let (fields, mut seen) = (known_fields(summary, true, is_internal), Seen::default());
    let usage = walk::function(method, &fields, &mut seen).everywhere;
    (usage, seen)
}

/// Reads the functions of a model.
pub fn hidden_decisions(
    summary: &ModelSummary,
    functions: &[(&'static str, &ImplItemFn)],
) -> HiddenDecisions {
    if !is_possible(summary) {
        return HiddenDecisions::default();
    }
    let names = |chosen: &dyn Fn(&FieldSummary) -> bool| -> Vec<String> {
        let fields = summary.fields.iter().filter(|field| chosen(field));
        fields.map(|field| field.ident.to_string()).collect()
    };
    let mut called = BTreeSet::new();
    for (_, method) in functions.iter().filter(|(name, _)| changes_fields(name)) {
        methods_of_self(method.block.to_token_stream(), &mut called);
    }
    let changed = names(&|field| is_changeable(field) && is_changed(&field.ident.to_string(), functions));
    let changeable = match called.is_empty() {
        true => Vec::new(),
        false => names(&is_changeable),
    };
    let carrying = |name: &str| changed.iter().chain(&changeable).any(|known| known == name);
    let mut fields = known_fields(summary, false, carrying);
    let mut seen = Seen::default();
    loop {
        let (mut grown, mut usages) = (false, Vec::new());
        for (name, method) in functions {
            let Some(group) = GROUPS.iter().find(|group| group.function == *name) else {
                continue;
            };
            let found = walk::function(method, &fields, &mut seen);
            for field in summary.fields.iter().filter(|field| group.has(field)) {
                let ident = field.ident.to_string();
                let usage = found.of(&ident);
                let is_variable =
                    field.role != Role::Connection && !(field.role == Role::State && *group == DERIVATIVES);
                if is_variable && let Some(known) = fields.get_mut(&ident) {
                    grown |= known.usage.add(&usage);
                }
                if !usage.is_empty() {
                    usages.push((*name, ident, usage));
                }
            }
        }
        if !grown {
            let decided = usages.iter().filter(|(_, _, usage)| !usage.decided.is_empty());
            return HiddenDecisions {
                possible: true,
                decided: decided
                    .map(|(function, field, _)| (*function, field.clone()))
                    .collect(),
                usages,
                seen,
                unbounded: names(&|field| field.unbounded),
                changed,
                changeable,
                called,
            };
        }
    }
}

/// Whether a function may change fields while a simulation goes on.
fn changes_fields(function: &str) -> bool {
    matches!(function, "event" | "completed_step")
}

/// Whether a discrete function may change a field: it assigns to it, borrows it for that, or calls one of its methods
/// that is not known to leave it alone.
fn is_changed(name: &str, functions: &[(&'static str, &ImplItemFn)]) -> bool {
    functions
        .iter()
        .filter(|(function, _)| changes_fields(function))
        .any(|(_, method)| changes(name, method.block.to_token_stream()))
}

/// The methods that are called on `self`; a `self` that is handed on counts as one.
fn methods_of_self(tokens: TokenStream, found: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (i, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => methods_of_self(group.stream(), found),
            TokenTree::Ident(ident) if ident == "self" => {
                match (tokens.get(i + 1), tokens.get(i + 2), tokens.get(i + 3)) {
                    (
                        Some(TokenTree::Punct(dot)),
                        Some(TokenTree::Ident(name)),
                        Some(TokenTree::Group(group)),
                    ) if dot.as_char() == '.' && group.delimiter() == Delimiter::Parenthesis => {
                        found.insert(name.to_string());
                    }
                    (Some(TokenTree::Punct(dot)), Some(_), _) if dot.as_char() == '.' => {}
                    _ => {
                        found.insert("handed_on".to_owned());
                    }
                }
            }
            _ => {}
        }
    }
}

/// Methods that only look at what they belong to.
const LOOKING: &[&str] = &[
    "at",
    "value",
    "eval",
    "get",
    "len",
    "iter",
    "is_empty",
    "first",
    "last",
    "contains",
    "contains_key",
    "clone",
    "copied",
    "as_ref",
    "as_str",
    "is_some",
    "is_none",
];

fn changes(name: &str, tokens: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let text = |i: usize| tokens.get(i).map(ToString::to_string).unwrap_or_default();
    for i in 0..tokens.len() {
        if let TokenTree::Group(group) = &tokens[i]
            && changes(name, group.stream())
        {
            return true;
        }
        if text(i) != "self" || text(i + 1) != "." || text(i + 2) != name {
            continue;
        }
        if i >= 2 && text(i - 1) == "mut" {
            return true;
        }
        // To the end of `.a[i].b`.
        let mut end = i + 3;
        loop {
            match (text(end).as_str(), tokens.get(end + 1), tokens.get(end + 2)) {
                (".", Some(TokenTree::Ident(method)), Some(TokenTree::Group(_))) => {
                    if LOOKING.iter().any(|known| method == known) {
                        break;
                    }
                    return true;
                }
                (".", Some(_), _) => end += 2,
                _ if matches!(tokens.get(end), Some(TokenTree::Group(_))) => end += 1,
                _ => break,
            }
        }
        let assigns = match (text(end).as_str(), text(end + 1).as_str()) {
            ("=", next) => next != "=" && next != ">",
            ("+" | "-" | "*" | "/" | "%" | "&" | "|" | "^", "=") => true,
            _ => false,
        };
        if assigns {
            return true;
        }
    }
    false
}
