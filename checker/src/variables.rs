//! V1 to V8 and V10 to V13: variables, one by one.

use std::collections::HashMap;

use fmu_standard::description::*;
use fmu_standard::legality;

use super::Places;
use super::described::Described;
use super::rules::{Check::Description, Rule, table};

pub(super) static RULES: &[Rule] = table! {
    "V1" Error "2.2.7"
        "Names of variables are unique and not empty"
        "a value by name goes to the wrong variable; FMPy refuses the FMU"
        "rename the variable"
        => Description(names);
    "V2" Note "2.2.9"
        "Under the structured naming convention names follow its grammar, and der(..) is a Real"
        "tools that show a tree of names show these flat"
        "put odd names between apostrophes, or write variableNamingConvention=\"flat\""
        => Description(structured_names);
    "V3" Warning "2.2.7"
        "Only a Real is continuous, which is the default: other types state their variability"
        "importers look for continuous changes; FMPy refuses the FMU unless validation is off"
        "write variability=\"discrete\", \"tunable\", \"fixed\" or \"constant\""
        => Description(continuous);
    "V4" Warning "2.2.7"
        "At most one variable is independent, and it is a continuous Real without start and initial"
        "importers take the wrong variable for time"
        "correct the variable; usually it is called time"
        => Description(independent);
    "V5" Warning "2.2.7"
        "Causality and variability go together"
        "importers guess when it may be set; FMPy refuses the FMU unless validation is off"
        "take a pair that the table of the standard allows"
        => Description(combinations);
    "V6" Warning "2.2.7"
        "initial is one that causality and variability allow"
        "importers guess whether it may be set; FMPy refuses the FMU unless validation is off"
        "take one that the table of the standard allows, or leave it out"
        => Description(initials);
    "V7" Warning "2.2.7"
        "A start value is there where it is needed, and only there"
        "importers show or set 0; FMPy refuses the FMU unless validation is off"
        "add the start value, or take it out"
        => Description(starts);
    "V10" Note "2.2.7"
        "canHandleMultipleSetPerTimeInstant is declared for inputs of Model Exchange only"
        "none known"
        "leave it out"
        => Description(multiple_sets);
    "V11" Error "2.2.7"
        "derivative is the index of another variable, without a cycle"
        "importers that look the variable up fail or do not end"
        "correct the index, which counts from 1"
        => Description(derivatives);
    "V11a" Warning "2.2.7"
        "derivative names a continuous Real, and a continuous-time state is local or output"
        "solvers integrate what is set from outside, or what cannot be integrated"
        "correct the index or the attributes of the variable that it names"
        => Description(states);
    "V12" Note "2.2.7"
        "reinit is declared for continuous-time states of Model Exchange only"
        "none known"
        "leave it out"
        => Description(reinit);
    "V13" Note "2.2.7"
        "Names and descriptions have no control characters"
        "tables and plots show garbage"
        "take them out"
        => Description(control_characters);
};

fn names(described: &Described, places: &mut Places) {
    for (position, variable) in described.variables() {
        if variable.name.trim().is_empty() {
            places.add(described.at_variable(position), "its name is empty");
        }
    }
    let mut seen = HashMap::new();
    for (position, variable) in described.variables() {
        if let Some(first) = seen.insert(variable.name.as_str(), position) {
            let line = described.lines.variables.get(first).copied().unwrap_or(0);
            places.add(
                described.at_variable(position),
                format!("the variable in line {line} has the same name"),
            );
        }
    }
}

fn structured_names(described: &Described, places: &mut Places) {
    if described.model.variable_naming_convention != VariableNamingConvention::Structured {
        return;
    }
    for (position, variable) in described.variables() {
        if let Err(error) = fmu_standard::naming::check_structured(&variable.name) {
            places.add(described.at_variable(position), error.to_string());
        } else if variable.name.starts_with("der(") && !matches!(variable.kind, VariableKind::Real { .. }) {
            places.add(
                described.at_variable(position),
                "it is named as a derivative and is not a Real",
            );
        }
    }
}

fn is_real(variable: &ModelVariable) -> bool {
    matches!(variable.kind, VariableKind::Real { .. })
}

fn continuous(described: &Described, places: &mut Places) {
    for (position, variable) in described.variables() {
        if variable.variability == Variability::Continuous && !is_real(variable) {
            places.add(described.at_variable(position), "it is continuous and no Real");
        }
    }
}

fn independent(described: &Described, places: &mut Places) {
    let mut first = None;
    for (position, variable) in described.variables() {
        if variable.causality != Causality::Independent {
            continue;
        }
        let mut wrong = |problem: String| places.add(described.at_variable(position), problem);
        match first {
            None => first = Some(&variable.name),
            Some(name) => wrong(format!("`{name}` is independent already")),
        }
        if !is_real(variable) {
            wrong("the independent variable is not a Real".into());
        }
        if variable.kind.has_start() {
            wrong("the independent variable has a start value".into());
        }
        if variable.initial.is_some() {
            wrong("the independent variable has `initial`".into());
        }
    }
}

fn combinations(described: &Described, places: &mut Places) {
    for (position, variable) in described.variables() {
        let (causality, variability) = (variable.causality, variable.variability);
        if let Some(why) = legality::why_forbidden(causality, variability) {
            places.add(
                described.at_variable(position),
                format!("{causality} and {variability}: {why}"),
            );
        }
    }
}

fn initials(described: &Described, places: &mut Places) {
    for (position, variable) in described.variables() {
        let (causality, variability) = (variable.causality, variable.variability);
        let Some(initial) = variable.initial else { continue };
        // The independent variable has its own rule, and forbidden pairs have no row in the table.
        if causality == Causality::Independent || !legality::is_allowed(causality, variability) {
            continue;
        }
        let allowed = legality::allowed_initials(causality, variability);
        if !allowed.contains(&initial) {
            let words: Vec<_> = allowed.iter().map(|word| word.as_str()).collect();
            let expected = match &words[..] {
                [] => "it must be left out".into(),
                words => format!("allowed is {}", words.join(" or ")),
            };
            let problem = format!("initial is {initial} for {causality} and {variability}: {expected}");
            places.add(described.at_variable(position), problem);
        }
    }
}

fn starts(described: &Described, places: &mut Places) {
    for (position, variable) in described.variables() {
        let (causality, variability) = (variable.causality, variable.variability);
        if causality == Causality::Independent {
            continue;
        }
        match (
            legality::start(causality, variability, variable.initial),
            variable.kind.has_start(),
        ) {
            (legality::Start::Required, false) => {
                places.add(described.at_variable(position), "it needs a start value");
            }
            (legality::Start::Forbidden, true) => {
                places.add(
                    described.at_variable(position),
                    "it is calculated and must have no start value",
                );
            }
            _ => {}
        }
    }
}

fn multiple_sets(described: &Described, places: &mut Places) {
    for (position, variable) in described.variables() {
        if variable.can_handle_multiple_set_per_time_instant.is_none() {
            continue;
        }
        if variable.causality != Causality::Input {
            places.add(
                described.at_variable(position),
                "it has canHandleMultipleSetPerTimeInstant and is not an input",
            );
        } else if described.model.model_exchange.is_none() {
            let problem = "it has canHandleMultipleSetPerTimeInstant, and there is no Model Exchange";
            places.add(described.at_variable(position), problem);
        }
    }
}

fn derivatives(described: &Described, places: &mut Places) {
    for (position, variable) in described.variables() {
        let VariableKind::Real {
            derivative: Some(state),
            ..
        } = variable.kind
        else {
            continue;
        };
        let mut wrong = |problem: String| places.add(described.at_variable(position), problem);
        let Some(target) = state.position() else {
            wrong(format!(
                "derivative=\"{}\" is the index of no variable",
                state.index()
            ));
            continue;
        };
        if target == position {
            wrong("it is the derivative of itself".into());
        }
    }
    cycles(described, places);
}

fn states(described: &Described, places: &mut Places) {
    for (position, variable) in described.variables() {
        let Some(target) = described.state_of(variable).filter(|target| *target != position) else {
            continue;
        };
        let state = &described.model.model_variables[target];
        if !is_real(state) || state.variability != Variability::Continuous {
            let problem = format!(
                "it is the derivative of `{}`, which is not a continuous Real",
                state.name
            );
            places.add(described.at_variable(position), problem);
        }
    }
    for state in &described.states {
        let variable = &described.model.model_variables[*state];
        if !matches!(variable.causality, Causality::Local | Causality::Output) {
            let problem = format!(
                "it is a continuous-time state of causality {}",
                variable.causality
            );
            places.add(described.at_variable(*state), problem);
        }
    }
}

/// Derivatives of derivatives that come back to where they began; each cycle is reported once.
fn cycles(described: &Described, places: &mut Places) {
    let count = described.model.model_variables.len();
    let mut seen_in = vec![0; count];
    for begin in 0..count {
        let (mut at, round) = (begin, begin + 1);
        while seen_in[at] == 0 {
            seen_in[at] = round;
            match described.state_of(&described.model.model_variables[at]) {
                // A variable that is its own derivative has been reported.
                Some(next) if next != at => at = next,
                _ => break,
            }
            if seen_in[at] == round {
                places.add(
                    described.at_variable(at),
                    "it is, in several steps, the derivative of itself",
                );
            }
        }
    }
}

fn reinit(described: &Described, places: &mut Places) {
    for (position, variable) in described.variables() {
        let VariableKind::Real { reinit: true, .. } = variable.kind else {
            continue;
        };
        if !described.states.contains(&position) {
            places.add(
                described.at_variable(position),
                "it has reinit and is not a continuous-time state",
            );
        } else if described.model.model_exchange.is_none() {
            places.add(
                described.at_variable(position),
                "it has reinit, and there is no Model Exchange",
            );
        }
    }
}

fn control_characters(described: &Described, places: &mut Places) {
    let odd = |text: &str| {
        text.chars()
            .any(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r'))
    };
    for (position, variable) in described.variables() {
        let quantity = described.real(&variable.kind).and_then(|real| real.quantity);
        let texts = [
            Some(&variable.name),
            variable.description.as_ref(),
            quantity.as_ref(),
        ];
        if variable.name.contains(['\n', '\t', '\r']) || texts.into_iter().flatten().any(|text| odd(text)) {
            places.add(
                described.at_variable(position),
                "it has a control character in name, description or quantity",
            );
        }
    }
}
