//! Variables that stand for elements of parts: `for wheel in &self.wheels`, `self.wheels.iter().any(|wheel| ...)`.

use super::usage::Usage;
use super::walk::{Walk, own_field, own_path};
use proc_macro2::TokenStream;
use std::collections::BTreeSet;
use syn::{Expr, Member};

/// Methods after which the elements are still the parts.
const PASSING: &[&str] = &[
    "iter",
    "into_iter",
    "enumerate",
    "rev",
    "skip",
    "take",
    "step_by",
    "filter",
    "skip_while",
    "take_while",
    "as_slice",
];

impl Walk<'_> {
    /// The path of the part, or the array of parts, whose elements an expression goes through.
    pub fn part_of(&mut self, expression: &Expr) -> Option<String> {
        match expression {
            Expr::Reference(inner) if inner.mutability.is_none() => self.part_of(&inner.expr),
            Expr::Paren(inner) => self.part_of(&inner.expr),
            Expr::Index(index) => match self.expr(&index.index).is_empty() {
                true => self.part_of(&index.expr),
                false => None,
            },
            Expr::MethodCall(call) if PASSING.iter().any(|known| call.method == known) => {
                self.part_of(&call.receiver)
            }
            Expr::Field(_) => {
                let is_part = |name: &String| self.fields.get(name).is_some_and(|known| known.part);
                let name = own_field(expression).filter(is_part)?;
                match own_path(expression) {
                    Some(_) => None,
                    None => Some(name),
                }
            }
            _ => None,
        }
    }

    /// What closures and numbers on the way to the elements use.
    pub fn on_the_way(&mut self, expression: &Expr) -> Usage {
        match expression {
            Expr::Reference(inner) => self.on_the_way(&inner.expr),
            Expr::Paren(inner) => self.on_the_way(&inner.expr),
            Expr::MethodCall(call) => {
                let mut usage = self.on_the_way(&call.receiver);
                for argument in &call.args {
                    let more = self.expr(argument);
                    usage.add(&more);
                }
                usage
            }
            _ => Usage::default(),
        }
    }

    /// Notes variables that stand for elements.
    pub fn name_elements(&mut self, pattern: TokenStream, part: &str) {
        for name in super::tokens::names(pattern) {
            self.elements.entry(name).or_default().insert(part.to_owned());
        }
    }

    pub fn is_element(&self, base: &Expr) -> bool {
        matches!(base, Expr::Path(path)
            if path.path.get_ident().is_some_and(|ident| self.elements.contains_key(&ident.to_string())))
    }

    /// `wheel.slips`.
    pub fn element_field(&self, base: &Expr, member: &Member) -> Usage {
        let Expr::Path(path) = base else {
            return Usage::default();
        };
        let name = path.path.get_ident().map(ToString::to_string).unwrap_or_default();
        let parts: BTreeSet<String> = self.elements.get(&name).cloned().unwrap_or_default();
        // It may be something else as well, where the name is used again.
        let mut usage = self.variables.get(&name).cloned().unwrap_or_default();
        usage.carries.retain(|cause| !parts.contains(&cause.what));
        for part in parts {
            usage.add(&match member {
                Member::Named(field) => self.part_field(&part, &field.to_string()),
                Member::Unnamed(_) => self.field(&part),
            });
        }
        usage
    }
}
