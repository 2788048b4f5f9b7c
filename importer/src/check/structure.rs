//! M1 to M9: `ModelStructure`.

use std::collections::{BTreeSet, HashMap, HashSet};

use fmi::description::*;

use super::Places;
use super::described::{Described, ListOf, initial};
use super::rules::{
    Check::{Behaviour, Description},
    Rule, table,
};

pub(super) static RULES: &[Rule] = table! {
    "M1" Error "2.2.8"
        "Outputs lists every variable of causality output, each once, and nothing else"
        "list the outputs; leave the element out if there are none"
        => Description(outputs);
    "M2" Error "2.2.8"
        "Derivatives lists derivatives of continuous-time states, each once; for Model Exchange all of them"
        "list the derivatives in the order of the states"
        => Description(derivatives);
    "M3" Error "2.2.8"
        "InitialUnknowns lists, in ascending order, the outputs, states and derivatives that are calculated or \
         approximate initially and the calculated parameters, and nothing else"
        "list exactly these"
        => Description(initial_unknowns);
    "M4" Error "2.2.8"
        "An index counts variables from 1"
        "correct the index"
        => Description(indices);
    "M5" Error "2.2.8"
        "dependencies are ascending indices of knowns: inputs, states and time; initially also variables of initial exact"
        "correct the list; an empty one means that there are none, none means that all may be"
        => Description(dependencies);
    "M6" Error "2.2.8"
        "dependenciesKind has a word for each dependency, and other words than dependent for Real unknowns alone"
        "write one word for each index in dependencies"
        => Description(kinds);
    "M7" Warning "2.2.8"
        "An FMU for Co-Simulation alone lists Derivatives only if it provides directional derivatives"
        "leave Derivatives out, or set providesDirectionalDerivative"
        => Description(derivatives_of_slave);
    "M8" Error "2.2.8"
        "What an unknown depends on is declared"
        "add the missing dependency; export tools find it by following the equations"
        => Behaviour;
    "M9" Error "2.2.8"
        "A dependency of kind constant has a constant partial derivative"
        "declare it as dependent, or as fixed, tunable or discrete"
        => Behaviour;
};

fn repeated_indices(described: &Described, list: ListOf, places: &mut Places) {
    let mut seen = HashSet::new();
    for (position, unknown) in described.list(list).iter().enumerate() {
        if described.position(unknown.index).is_some() && !seen.insert(unknown.index) {
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
        .filter_map(|unknown| described.position(unknown.index))
        .collect()
}

fn outputs(described: &Described, places: &mut Places) {
    for (position, unknown) in described.list(ListOf::Outputs).iter().enumerate() {
        if let Some(variable) = described.variable(unknown.index)
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

fn derivatives(described: &Described, places: &mut Places) {
    let mut derivative_of: HashMap<usize, usize> = HashMap::new();
    for (at, unknown) in described.list(ListOf::Derivatives).iter().enumerate() {
        let Some(position) = described.position(unknown.index) else {
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
    if described.model.model_exchange.is_none() {
        return;
    }
    let listed = listed(described, ListOf::Derivatives);
    for (position, variable) in described.variables() {
        if variable.variability == Variability::Continuous
            && described.state_of(variable).is_some()
            && !listed.contains(&position)
            // A second derivative need not be listed if the first is no state.
            && !is_input_derivative(described, variable)
        {
            places.add(
                described.at_variable(position),
                "it is a derivative and not listed in Derivatives",
            );
        }
    }
}

/// Derivatives of inputs are inputs, and of no interest to a solver.
fn is_input_derivative(described: &Described, variable: &ScalarVariable) -> bool {
    let state = described
        .state_of(variable)
        .map(|state| &described.model.model_variables[state]);
    variable.causality == Causality::Input || state.is_some_and(|state| state.causality == Causality::Input)
}

fn initial_unknowns(described: &Described, places: &mut Places) {
    let unknown =
        |variable: &ScalarVariable| matches!(initial(variable), Some(Initial::Approx | Initial::Calculated));
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
        if let Some(position) = described.position(entry.index)
            && !expected.contains(&position)
        {
            let problem = "it is no output, state or derivative that is calculated initially, and no calculated parameter";
            places.add(described.at_unknown(ListOf::InitialUnknowns, at), problem);
        }
        if at > 0 && list[at - 1].index > entry.index {
            places.add(
                described.at_unknown(ListOf::InitialUnknowns, at),
                "its index is smaller than the one before",
            );
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

fn indices(described: &Described, places: &mut Places) {
    let count = described.model.model_variables.len();
    for list in ListOf::ALL {
        for (position, unknown) in described.list(list).iter().enumerate() {
            if described.position(unknown.index).is_none() {
                let problem = format!("index {} is not between 1 and {count}", unknown.index);
                places.add(described.at_unknown(list, position), problem);
            }
        }
    }
}

fn dependencies(described: &Described, places: &mut Places) {
    let count = described.model.model_variables.len();
    // Without directional derivatives the states of a slave are its own affair.
    let hidden_states = described.model.model_exchange.is_none()
        && described
            .model
            .co_simulation
            .as_ref()
            .is_some_and(|cs| !cs.interface.provides_directional_derivative);
    for list in ListOf::ALL {
        for (position, unknown) in described.list(list).iter().enumerate() {
            let Some(dependencies) = &unknown.dependencies else {
                continue;
            };
            let mut wrong = |problem: String| places.add(described.at_unknown(list, position), problem);
            if let Some(pair) = dependencies.windows(2).find(|pair| pair[0] >= pair[1]) {
                wrong(format!(
                    "the dependencies {} and {} are not in ascending order",
                    pair[0], pair[1]
                ));
            }
            for index in dependencies {
                let Some(known) = described.position(*index) else {
                    wrong(format!("the dependency {index} is not between 1 and {count}"));
                    continue;
                };
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
                        "it depends on `{}`, which is no known here",
                        variable.name
                    ));
                } else if hidden_states && state && list != ListOf::InitialUnknowns {
                    let problem =
                        "it depends on the state `{}`, without directional derivatives of the slave";
                    wrong(problem.replace("{}", &variable.name));
                }
            }
        }
    }
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
            let real = described
                .variable(unknown.index)
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
    let Some(cs) = &described.model.co_simulation else {
        return;
    };
    let none = cs.interface.provides_directional_derivative || described.model.model_exchange.is_some();
    if !none && !described.list(ListOf::Derivatives).is_empty() {
        places.add(
            described.at_element("element `Derivatives`"),
            "it is ignored without directional derivatives",
        );
    }
}
