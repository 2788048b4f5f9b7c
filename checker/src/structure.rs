//! M1 to M9: `ModelStructure`.

use std::collections::{BTreeSet, HashMap, HashSet};

use fmu_standard::description::*;

use super::Places;
use super::described::{Described, ListOf, initial};
use super::rules::{
    Check::{Behaviour, Description},
    Rule, table,
};

pub(super) static RULES: &[Rule] = table! {
    "M1" Warning "2.2.8"
        "Outputs lists every variable of causality output, each once, and nothing else"
        "importers that go by Outputs do not offer, or mistake, the variable"
        "list the outputs; leave the element out if there are none"
        => Description(outputs);
    "M2" Error "2.2.8"
        "Derivatives lists continuous derivatives, each with an attribute derivative, and one for each state"
        "importers count states by this list: too few or too many are integrated"
        "list exactly the derivatives of the continuous states, in the order of the states"
        => Description(derivatives);
    "M2a" Warning "2.2.8"
        "Derivatives of an FMU for Co-Simulation without directional derivatives is right, although it is ignored"
        "none known: importers ignore the element, or refuse the FMU by mistake"
        "leave Derivatives out"
        => Description(ignored_derivatives);
    "M3" Warning "2.2.8"
        "InitialUnknowns lists the outputs, states and derivatives that are calculated or approximate initially and \
         the calculated parameters, each once, and nothing else"
        "importers that initialize coupled FMUs in order miss a dependency; none known for one FMU"
        "list exactly these"
        => Description(initial_unknowns);
    "M3a" Note "2.2.8"
        "InitialUnknowns is in ascending order"
        "none known"
        "sort the list by index"
        => Description(initial_order);
    "M4" Error "2.2.8"
        "An index counts variables from 1"
        "importers that look the variable up fail"
        "correct the index"
        => Description(indices);
    "M5" Error "2.2.8"
        "dependencies are indices of variables"
        "importers that look the variable up fail"
        "correct the list; an empty one means that there are none, none means that all may be"
        => Description(dependencies);
    "M5a" Warning "2.2.8"
        "dependencies are knowns: inputs, states and time; initially also variables of initial exact"
        "masters and solvers ignore the dependency, or ask for a derivative that does not exist"
        "correct the list; an empty one means that there are none, none means that all may be"
        => Description(knowns);
    "M5b" Note "2.2.8"
        "dependencies are in ascending order, each once"
        "none known"
        "sort the list"
        => Description(dependency_order);
    "M6" Error "2.2.8"
        "dependenciesKind has a word for each dependency"
        "importers take the wrong entries of a Jacobian for constant, or refuse the FMU"
        "write one word for each index in dependencies"
        => Description(kinds);
    "M6a" Note "2.2.8"
        "Kinds of dependencies other than dependent are for Real unknowns, and during initialization constant alone"
        "none known"
        "write dependent"
        => Description(kinds_for_unknowns);
    "M7" Note "2.2.8"
        "An FMU for Co-Simulation alone lists Derivatives only if it provides directional derivatives"
        "none known: the element is ignored"
        "leave Derivatives out, or set providesDirectionalDerivative"
        => Description(derivatives_of_slave);
    "M8" Error "2.2.8"
        "What an unknown depends on is declared"
        "masters evaluate in the wrong order, and sparse Jacobians lack entries"
        "add the missing dependency; export tools find it by following the equations"
        => Behaviour;
    "M8a" Warning "2.2.8"
        "What an unknown depends on during initialization is declared, and so is the state that an output is itself"
        "masters initialize in another order, and linearizations that trust the list lack an entry"
        "add the missing dependency; export tools find it by following the equations"
        => Behaviour;
    "M9" Error "2.2.8"
        "A dependency of kind constant has a constant partial derivative"
        "importers keep an entry of the Jacobian that has changed"
        "declare it as dependent, or as fixed, tunable or discrete"
        => Behaviour;
};

fn repeated_indices(described: &Described, list: ListOf, places: &mut Places) {
    let mut seen = HashSet::new();
    for (position, unknown) in described.list(list).iter().enumerate() {
        if unknown.variable.position().is_some() && !seen.insert(unknown.variable) {
            places.add(
                described.at_unknown(list, position),
                "it is listed more than once",
            );
        }
    }
}

fn listed(described: &Described, list: ListOf) -> HashSet<usize> {
    described
        .list(list)
        .iter()
        .filter_map(|unknown| unknown.variable.position())
        .collect()
}

fn outputs(described: &Described, places: &mut Places) {
    for (position, unknown) in described.list(ListOf::Outputs).iter().enumerate() {
        if let Some(variable) = described.model.variable(unknown.variable)
            && variable.causality != Causality::Output
        {
            let problem = format!("it is {}, no output", variable.causality);
            places.add(described.at_unknown(ListOf::Outputs, position), problem);
        }
    }
    repeated_indices(described, ListOf::Outputs, places);
    let listed = listed(described, ListOf::Outputs);
    for (position, variable) in described.variables() {
        if variable.causality == Causality::Output && !listed.contains(&position) {
            places.add(
                described.at_variable(position),
                "it is an output and not listed in Outputs",
            );
        }
    }
}

/// Whether the standard has importers ignore `Derivatives` (2.2.8).
fn derivatives_are_ignored(described: &Described) -> bool {
    let slave = described.model.co_simulation.as_ref();
    described.model.model_exchange.is_none()
        && slave.is_some_and(|cs| !cs.interface.provides_directional_derivative)
}

fn derivatives(described: &Described, places: &mut Places) {
    if !derivatives_are_ignored(described) {
        wrong_derivatives(described, places);
    }
}

fn ignored_derivatives(described: &Described, places: &mut Places) {
    if derivatives_are_ignored(described) {
        wrong_derivatives(described, places);
    }
}

/// Variables with `derivative` that are not listed are not findings: they may be derivatives of variables that are not states (2.2.7).
fn wrong_derivatives(described: &Described, places: &mut Places) {
    let mut derivative_of: HashMap<usize, usize> = HashMap::new();
    for (at, unknown) in described.list(ListOf::Derivatives).iter().enumerate() {
        let Some(position) = unknown.variable.position() else {
            continue;
        };
        let variable = &described.model.model_variables[position];
        let mut wrong = |problem: &str| places.add(described.at_unknown(ListOf::Derivatives, at), problem);
        if !matches!(
            variable.kind,
            VariableKind::Real {
                derivative: Some(_),
                ..
            }
        ) {
            wrong("it has no attribute `derivative` that names its state");
        } else if variable.variability != Variability::Continuous {
            wrong("it is not continuous");
        }
        if let Some(state) = described.state_of(variable)
            && derivative_of
                .insert(state, position)
                .is_some_and(|other| other != position)
        {
            wrong("another derivative of the same state is listed");
        }
    }
    repeated_indices(described, ListOf::Derivatives, places);
}

fn initial_unknowns(described: &Described, places: &mut Places) {
    let unknown =
        |variable: &ModelVariable| matches!(initial(variable), Some(Initial::Approx | Initial::Calculated));
    let mut expected = BTreeSet::new();
    let derivatives = listed(described, ListOf::Derivatives);
    for (position, variable) in described.variables() {
        let calculated_parameter = variable.causality == Causality::CalculatedParameter;
        let of_interest = variable.causality == Causality::Output
            || derivatives.contains(&position)
            || described.states.contains(&position);
        if calculated_parameter || of_interest && unknown(variable) {
            expected.insert(position);
        }
    }
    let list = described.list(ListOf::InitialUnknowns);
    for (at, entry) in list.iter().enumerate() {
        if let Some(position) = entry.variable.position()
            && !expected.contains(&position)
        {
            let problem = "it is neither an output, state or derivative that is calculated initially nor a calculated parameter";
            places.add(described.at_unknown(ListOf::InitialUnknowns, at), problem);
        }
    }
    repeated_indices(described, ListOf::InitialUnknowns, places);
    let listed = listed(described, ListOf::InitialUnknowns);
    for position in expected.into_iter().filter(|position| !listed.contains(position)) {
        places.add(
            described.at_variable(position),
            "it is not listed in InitialUnknowns",
        );
    }
}

fn initial_order(described: &Described, places: &mut Places) {
    let list = described.list(ListOf::InitialUnknowns);
    for at in 1..list.len() {
        if list[at - 1].variable.index() > list[at].variable.index() {
            places.add(
                described.at_unknown(ListOf::InitialUnknowns, at),
                "its index is smaller than the one before",
            );
        }
    }
}

fn indices(described: &Described, places: &mut Places) {
    let count = described.model.model_variables.len();
    for list in ListOf::ALL {
        for (position, unknown) in described.list(list).iter().enumerate() {
            if unknown.variable.position().is_none() {
                let problem = format!("index {} is not between 1 and {count}", unknown.variable.index());
                places.add(described.at_unknown(list, position), problem);
            }
        }
    }
}

/// Calls a function with every list of dependencies and its place.
fn each_dependencies(described: &Described, mut call: impl FnMut(ListOf, usize, &[Reference])) {
    for list in ListOf::ALL {
        for (position, unknown) in described.list(list).iter().enumerate() {
            if let Some(dependencies) = &unknown.dependencies {
                call(list, position, dependencies);
            }
        }
    }
}

fn dependencies(described: &Described, places: &mut Places) {
    let count = described.model.model_variables.len();
    each_dependencies(described, |list, position, dependencies| {
        let outside = |known: &&Reference| known.position().is_none();
        for known in dependencies.iter().filter(outside) {
            let problem = format!("the dependency {} is not between 1 and {count}", known.index());
            places.add(described.at_unknown(list, position), problem);
        }
    });
}

fn dependency_order(described: &Described, places: &mut Places) {
    each_dependencies(described, |list, position, dependencies| {
        if let Some(pair) = dependencies
            .windows(2)
            .find(|pair| pair[0].index() >= pair[1].index())
        {
            let problem = format!(
                "the dependencies {} and {} are not in ascending order",
                pair[0].index(),
                pair[1].index()
            );
            places.add(described.at_unknown(list, position), problem);
        }
    });
}

fn knowns(described: &Described, places: &mut Places) {
    // Without directional derivatives the states of a slave are its own affair.
    let hidden_states = derivatives_are_ignored(described);
    each_dependencies(described, |list, position, dependencies| {
        let mut wrong = |problem: String| places.add(described.at_unknown(list, position), problem);
        for known in dependencies.iter().filter_map(|known| known.position()) {
            let variable = &described.model.model_variables[known];
            let state = described.states.contains(&known);
            let allowed = match (variable.causality, list) {
                (Causality::Input | Causality::Independent, _) => true,
                // Whatever else is wrong with it, a parameter is given.
                (Causality::Parameter, ListOf::InitialUnknowns) => true,
                (_, ListOf::InitialUnknowns) => initial(variable) == Some(Initial::Exact),
                _ => state,
            };
            if !allowed {
                wrong(format!(
                    "it depends on `{}`, which is not a known here",
                    variable.name
                ));
            } else if hidden_states && state && list != ListOf::InitialUnknowns {
                wrong(format!(
                    "it depends on the state `{}`, without directional derivatives of the slave",
                    variable.name
                ));
            }
        }
    });
}

fn kinds(described: &Described, places: &mut Places) {
    for list in ListOf::ALL {
        for (position, unknown) in described.list(list).iter().enumerate() {
            let Some(kinds) = &unknown.dependencies_kind else {
                continue;
            };
            let mut wrong = |problem: String| places.add(described.at_unknown(list, position), problem);
            match &unknown.dependencies {
                None => wrong("it has dependenciesKind and no dependencies".into()),
                Some(dependencies) if dependencies.len() != kinds.len() => {
                    wrong(format!(
                        "{} dependencies have {} kinds",
                        dependencies.len(),
                        kinds.len()
                    ));
                }
                Some(_) => {}
            }
        }
    }
}

fn kinds_for_unknowns(described: &Described, places: &mut Places) {
    for list in ListOf::ALL {
        for (position, unknown) in described.list(list).iter().enumerate() {
            let kinds = unknown.dependencies_kind.as_deref().unwrap_or_default();
            let mut wrong = |problem: String| places.add(described.at_unknown(list, position), problem);
            let real = described
                .model
                .variable(unknown.variable)
                .is_none_or(|variable| matches!(variable.kind, VariableKind::Real { .. }));
            if let Some(kind) = kinds
                .iter()
                .find(|kind| **kind != DependencyKind::Dependent && !real)
            {
                wrong(format!("the kind {kind} is for Real unknowns"));
            }
            let later = |kind: &&DependencyKind| {
                matches!(
                    kind,
                    DependencyKind::Fixed | DependencyKind::Tunable | DependencyKind::Discrete
                )
            };
            if list == ListOf::InitialUnknowns
                && let Some(kind) = kinds.iter().find(later)
            {
                wrong(format!("the kind {kind} does not exist during initialization"));
            }
        }
    }
}

fn derivatives_of_slave(described: &Described, places: &mut Places) {
    if derivatives_are_ignored(described) && !described.list(ListOf::Derivatives).is_empty() {
        places.add(
            described.at_element("element `Derivatives`"),
            "it is ignored without directional derivatives",
        );
    }
}
