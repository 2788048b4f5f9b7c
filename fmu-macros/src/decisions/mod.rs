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
//! An internal field that events change is of the same kind: its other values are not known at all.

mod comparisons;
#[cfg(test)]
mod tests;
mod tokens;
mod usage;
mod walk;

pub use usage::{Causes, Usage};

use crate::role::{DERIVATIVES, GROUPS, Role};
use crate::summary::ModelSummary;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::HashMap;
use syn::{Expr, ImplItemFn};

/// What is known of a field.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// An integer with too many values to try them all.
    pub integer: bool,
    pub usage: Usage,
}

/// The decisions that exploration may not see in the equations of a model.
#[derive(Default)]
pub struct HiddenDecisions {
    /// For each function and each of its variables, the fields that may decide it.
    pub decided: Vec<(&'static str, String, Causes)>,
    /// Integers to try, as expressions.
    pub integers: Vec<Expr>,
    /// Names of the parts, and of internal fields that events change.
    pub parts: Causes,
    changing: Causes,
    /// Those of the parts that are arrays.
    pub arrays: Causes,
}

impl HiddenDecisions {
    /// Why something is listed as dependent on everything: a sentence about the first cause.
    pub fn reason(&self, causes: &Causes) -> String {
        let own = causes.iter().find(|cause| !self.parts.contains(*cause));
        let cause = own.or(causes.first()).map_or("", String::as_str);
        if self.parts.contains(cause) {
            format!("a value of `{cause}` that has too many to try them all may decide in it")
        } else if self.changing.contains(cause) {
            format!(
                "events change the internal field `{cause}`, whose other values are not known: use `#[discrete]`"
            )
        } else {
            format!(
                "`{cause}` may decide in it and has too many values to try them all: give an integer `min` and `max`, \
                 or compare it with numbers alone"
            )
        }
    }
}

/// Reads the functions of a model.
pub fn hidden_decisions(
    summary: &ModelSummary,
    functions: &[(&'static str, &ImplItemFn)],
) -> HiddenDecisions {
    let mut fields: HashMap<String, Known> = HashMap::new();
    let (mut parts, mut changing) = (Causes::new(), Causes::new());
    let arrays = summary.fields.iter().filter(|field| field.array);
    let arrays = arrays.map(|field| field.ident.to_string()).collect();
    for field in &summary.fields {
        let name = field.ident.to_string();
        let changes = field.role == Role::Internal && is_changed(&name, functions);
        let mut usage = match field.unbounded || field.role == Role::Part {
            true => Usage::carried(&name),
            false => Usage::default(),
        };
        if changes {
            usage = Usage::carried(&name).deciding();
            changing.insert(name.clone());
        }
        if field.role == Role::Part {
            parts.insert(name.clone());
        }
        let integer = field.unbounded && field.integer;
        fields.insert(name, Known { integer, usage });
    }
    if fields.values().all(|field| field.usage.is_empty()) {
        return HiddenDecisions::default();
    }
    let mut integers: Vec<Expr> = Vec::new();
    loop {
        let (mut grown, mut decided) = (false, Vec::new());
        for (name, method) in functions {
            let Some(group) = GROUPS.iter().find(|group| group.function == *name) else {
                continue;
            };
            let found = walk::function(method, &fields, &mut integers);
            for field in summary.fields.iter().filter(|field| group.has(field)) {
                let ident = field.ident.to_string();
                let usage = found.of(&ident);
                if !usage.decided.is_empty() {
                    decided.push((*name, ident.clone(), usage.decided.clone()));
                }
                let computed = match field.role {
                    // What is given to a part may come back from any part.
                    Role::Connection => summary
                        .fields
                        .iter()
                        .filter(|part| part.role == Role::Part)
                        .collect(),
                    Role::State if *group == DERIVATIVES => Vec::new(),
                    _ => vec![field],
                };
                for target in computed {
                    if let Some(known) = fields.get_mut(&target.ident.to_string()) {
                        grown |= known.usage.add(usage);
                    }
                }
            }
        }
        if !grown {
            return HiddenDecisions {
                decided,
                integers,
                parts,
                changing,
                arrays,
            };
        }
    }
}

/// Whether a discrete function may change a field: it assigns to it, borrows it for that, or calls one of its methods
/// that is not known to leave it alone.
fn is_changed(name: &str, functions: &[(&'static str, &ImplItemFn)]) -> bool {
    functions
        .iter()
        .filter(|(function, _)| matches!(*function, "event" | "completed_step"))
        .any(|(_, method)| changes(name, method.block.to_token_stream()))
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
