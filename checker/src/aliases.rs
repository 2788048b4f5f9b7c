//! V8 and V9: variables that share a value reference.

use std::collections::HashMap;

use fmu_standard::description::*;

use super::Places;
use super::described::{Described, alias_key, is_settable};
use super::rules::{Check::Description, Rule, table};
use fmu_importer::BaseType;

pub(super) static RULES: &[Rule] = table! {
    "V8" Warning "2.2.7"
        "Value references are per base type: Integer and Enumeration share theirs, and one value has one kind"
        "setting one variable changes another of a different kind"
        "give variables of different kinds different value references"
        => Description(kinds);
    "V9" Warning "2.2.7"
        "Of aliases at most one can be set, none of these is independent, at most one has a start value, constants are \
         aliases of equal constants alone, and all have the same unit"
        "a value that is set depends on which alias comes last"
        "give the variables different value references"
        => Description(aliases);
    "V9a" Note "2.2.7"
        "Aliases have the same variability"
        "an importer misses changes of the alias that it takes for constant"
        "give all the highest variability among them"
        => Description(variabilities);
};

/// Sets of at least two variables with one value, in the order of the file.
fn sets(described: &Described) -> Vec<Vec<usize>> {
    let mut sets: HashMap<(BaseType, u32), Vec<usize>> = HashMap::new();
    for (position, variable) in described.variables() {
        sets.entry(alias_key(variable)).or_default().push(position);
    }
    let mut sets: Vec<_> = sets.into_values().filter(|set| set.len() > 1).collect();
    sets.sort();
    sets
}

fn kinds(described: &Described, places: &mut Places) {
    let variables = &described.model.model_variables;
    for set in sets(described) {
        let is_enumeration =
            |position: &usize| matches!(variables[*position].kind, VariableKind::Enumeration { .. });
        let first = is_enumeration(&set[0]);
        if let Some(other) = set.iter().find(|position| is_enumeration(position) != first) {
            let name = &variables[set[0]].name;
            let problem = format!("it is an alias of `{name}`; one is an Integer, the other an Enumeration");
            places.add(described.at_variable(*other), problem);
        }
    }
}

fn aliases(described: &Described, places: &mut Places) {
    let variables = &described.model.model_variables;
    for set in sets(described) {
        let members = || set.iter().map(|position| (*position, &variables[*position]));
        let name = |position: usize| &variables[position].name;

        let constant = |variable: &ModelVariable| variable.variability == Variability::Constant;
        if members().any(|(_, variable)| constant(variable)) {
            let (first, begin) = (set[0], &variables[set[0]]);
            for (position, variable) in members().skip(1) {
                if constant(variable) != constant(begin) {
                    let problem = format!(
                        "it is an alias of `{}`, and only one of the two is constant",
                        name(first)
                    );
                    places.add(described.at_variable(position), problem);
                } else if !same_start(&variable.kind, &begin.kind) {
                    let problem = format!(
                        "it is an alias of the constant `{}` with another value",
                        name(first)
                    );
                    places.add(described.at_variable(position), problem);
                }
            }
            continue;
        }
        let mut settable = members().filter(|(_, variable)| is_settable(variable));
        if let Some((first, _)) = settable.next() {
            for (position, _) in settable {
                let problem = format!("it is an alias of `{}`, and both can be set", name(first));
                places.add(described.at_variable(position), problem);
            }
            let independent = members().find(|(_, variable)| variable.causality == Causality::Independent);
            if let Some((position, _)) = independent {
                let problem = format!(
                    "it is independent and an alias of `{}`, which can be set",
                    name(first)
                );
                places.add(described.at_variable(position), problem);
            }
        } else {
            // Those that can be set and have start values are reported above.
            let mut with_start = members().filter(|(_, variable)| variable.kind.has_start());
            if let Some((first, _)) = with_start.next() {
                for (position, _) in with_start {
                    let problem = format!("it is an alias of `{}`, and both have a start value", name(first));
                    places.add(described.at_variable(position), problem);
                }
            }
        }
        let unit = |position: usize| {
            described
                .real(&variables[position].kind)
                .and_then(|real| real.unit)
        };
        let expected = unit(set[0]);
        for position in &set[1..] {
            let found = unit(*position);
            if found != expected {
                let word =
                    |unit: Option<String>| unit.map_or("no unit".into(), |unit| format!("unit `{unit}`"));
                let problem = format!(
                    "it is an alias of `{}` and has {}, the other {}",
                    name(set[0]),
                    word(found),
                    word(expected.clone())
                );
                places.add(described.at_variable(*position), problem);
            }
        }
    }
}

fn same_start(a: &VariableKind, b: &VariableKind) -> bool {
    match (a, b) {
        (VariableKind::Real { start: a, .. }, VariableKind::Real { start: b, .. }) => a == b,
        (VariableKind::Boolean { start: a, .. }, VariableKind::Boolean { start: b, .. }) => a == b,
        (VariableKind::String { start: a, .. }, VariableKind::String { start: b, .. }) => a == b,
        (
            VariableKind::Integer { start: a, .. } | VariableKind::Enumeration { start: a, .. },
            VariableKind::Integer { start: b, .. } | VariableKind::Enumeration { start: b, .. },
        ) => a == b,
        _ => false,
    }
}

fn variabilities(described: &Described, places: &mut Places) {
    let variables = &described.model.model_variables;
    for set in sets(described) {
        let members = || set.iter().map(|position| &variables[*position]);
        // With a parameter or an input among them, that one decides.
        let decided = |variable: &ModelVariable| {
            matches!(variable.causality, Causality::Parameter | Causality::Input)
                || variable.variability == Variability::Constant
        };
        if members().any(decided) {
            continue;
        }
        let first = &variables[set[0]];
        for position in &set[1..] {
            let variable = &variables[*position];
            if variable.variability != first.variability {
                let (own, other) = (variable.variability, first.variability);
                let problem = format!("it is {own}, its alias `{}` is {other}", first.name);
                places.add(described.at_variable(*position), problem);
            }
        }
    }
}
