//! An option that does not belong to a role: why not, and what to write instead.

use super::attributes;
use super::variable::own_keys;
use crate::errors::{closest, suggestion};
use crate::role::Role;

/// The message about the option `name` on a field with this role.
pub fn message(role: Role, name: &str) -> String {
    match (role, name) {
        (Role::Input, "initial") => {
            "an input is set from outside, so the standard allows no `initial`: remove it".to_owned()
        }
        (Role::Parameter, "initial") => {
            "a parameter is always exact: remove `initial`; one that follows from others is `#[parameter(calculated)]`"
                .to_owned()
        }
        (Role::Constant, "initial") => "a constant is always exact: remove `initial`".to_owned(),
        (Role::Output | Role::Local, "initial") => {
            "outputs and locals are always calculated: remove `initial`, which is for states and discrete variables"
                .to_owned()
        }
        (Role::Output | Role::Local, "start" | "default" | "value") => {
            "a calculated variable has no start value: remove it, or use `#[discrete(start = ...)]` for one with memory"
                .to_owned()
        }
        (Role::Input, "output") => {
            "an input cannot be an output too: add an `#[output]` and give it the value in `fn outputs`".to_owned()
        }
        (Role::Parameter, "output") => {
            "a parameter cannot be an output too: add an `#[output]` and give it the value in `fn outputs`".to_owned()
        }
        (Role::Output, "output") => "it is an output already: remove the flag".to_owned(),
        (Role::Discrete, "discrete") => "it is discrete already: remove the flag".to_owned(),
        (Role::Implicit, "initial") => {
            "an implicit unknown always starts from a guess, which is `start`: remove `initial`".to_owned()
        }
        (Role::State | Role::Implicit, "discrete") => {
            format!(
                "{} {} changes continuously: use `#[discrete]` for a value that events change",
                role.article(),
                role.noun()
            )
        }
        (Role::Parameter | Role::Constant, "discrete") => {
            "parameters and constants do not change at events: use `#[discrete]` for a value that does".to_owned()
        }
        (Role::Input, "tunable") => {
            "an input changes anyway: remove `tunable`, or write `#[parameter(tunable)]`, or `#[input(discrete)]` for \
             one that changes at events only"
                .to_owned()
        }
        (_, "tunable" | "calculated") => {
            format!("`{name}` is for parameters: remove it, or write `#[parameter({name})]`")
        }
        (_, "description" | "doc") => {
            "the description is the doc comment: write `/// ...` above the field".to_owned()
        }
        (_, "type") => "write `declared_type = Name`, with `Name` from `#[model(types(Name(...)))]`".to_owned(),
        (_, "default" | "value") => format!("there is no option `{name}` here: write `start = ...`"),
        _ => {
            let keys: Vec<&str> = own_keys(role).iter().chain(attributes::KEYS).copied().collect();
            format!("there is no option `{name}` here: {}", suggestion(name, &keys))
        }
    }
}

/// Whether a start value was meant, so that its absence need not be reported too.
pub fn meant_start(name: &str) -> bool {
    matches!(name, "start" | "default" | "value") || closest(name, &["start"]).is_some()
}
