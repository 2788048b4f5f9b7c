//! From names to numbers: opens the FMUs, resolves and checks all that the system names.

use std::collections::HashMap;

use fmi::description::{BaseUnit, Causality, ModelDescription, ScalarVariable, VariableKind};
use importer::{BaseType, CoSimulation, Fmu, Glob, Value};

use super::{Place, System, SystemError};
use crate::Master;
use crate::coupling::{Coupling, Input, Link, Output};
use crate::fmu::FmuSlave;
use crate::signals::{Signals, linear};
use crate::slave::Slave;

/// A system that is ready to run.
pub struct Assembled {
    /// Its master, not initialized.
    pub master: Master,
    /// What inputs are before anything is known.
    pub start: Vec<f64>,
    /// The outputs that shall be recorded, by their numbers in the coupling.
    pub recorded: Vec<usize>,
}

/// An FMU that is open.
struct Opened {
    fmu: Fmu,
    instance: CoSimulation,
    /// Variables by name, with what feeds them.
    fed: HashMap<usize, Link>,
}

/// A variable: component and position.
type Variable = (usize, usize);

pub(super) fn assemble(system: &System) -> Result<Assembled, SystemError> {
    let mut opened = Vec::new();
    for component in &system.components {
        opened.push(open(component)?);
    }
    let find = |opened: &[Opened], name: &str, place: &Place| find(system, opened, name, place);

    // All outputs of all components have a number, so that a connection may name one that comes later.
    let mut numbers: HashMap<Variable, usize> = HashMap::new();
    for (component, opened) in opened.iter().enumerate() {
        for position in outputs(opened.fmu.description()) {
            numbers.insert((component, position), numbers.len());
        }
    }
    let mut signals = Signals::new();
    for connection in &system.connections {
        let place = &connection.place;
        let (from, to) = (
            find(&opened, &connection.from, place)?,
            find(&opened, &connection.to, place)?,
        );
        let variable =
            |(component, position): Variable| &opened[component].fmu.description().model_variables[position];
        let (source, target) = (variable(from), variable(to));
        if source.causality != Causality::Output {
            return Err(SystemError::wrong(
                place,
                format!(
                    "{} is no output: its causality is {}",
                    connection.from, source.causality
                ),
            ));
        }
        check_input(&connection.to, target, place)?;
        let (of_source, of_target) = (BaseType::of(&source.kind), BaseType::of(&target.kind));
        if of_source != of_target {
            return Err(SystemError::wrong(
                place,
                format!(
                    "{} is a {of_source}, {} a {of_target}",
                    connection.from, connection.to
                ),
            ));
        }
        let Some(&output) = numbers.get(&from) else {
            return Err(SystemError::wrong(
                place,
                format!(
                    "{} is a {of_source}; only Real variables can be connected",
                    connection.from
                ),
            ));
        };
        let (factor, shift) = conversion(
            (&connection.from, source, opened[from.0].fmu.description()),
            (&connection.to, target, opened[to.0].fmu.description()),
            place,
        )?;
        let link = Link::Output {
            output,
            gain: connection.gain * factor,
            offset: connection.gain * shift + connection.offset,
        };
        feed(&mut opened, to, link, &connection.to, place)?;
    }
    for external in &system.inputs {
        let to = find(&opened, &external.to, &external.place)?;
        let target = &opened[to.0].fmu.description().model_variables[to.1];
        check_input(&external.to, target, &external.place)?;
        if BaseType::of(&target.kind) != BaseType::Real {
            return Err(SystemError::wrong(
                &external.place,
                format!("{} is no Real; give it with `set`", external.to),
            ));
        }
        let link = Link::Signal(signals.add(linear(external.points.clone())));
        feed(&mut opened, to, link, &external.to, &external.place)?;
    }
    build(system, opened, signals)
}

fn open(component: &super::Component) -> Result<Opened, SystemError> {
    let failed = |source| SystemError::Fmu {
        place: component.place.clone(),
        component: component.name.clone(),
        source: Box::new(source),
    };
    let fmu = Fmu::open(&component.fmu).map_err(failed)?;
    let mut instance = fmu.co_simulation(&component.name).map_err(failed)?;
    for (name, text) in &component.values {
        let variable = fmu.variable(name).map_err(failed)?;
        let base_type = BaseType::of(&variable.kind);
        let value = Value::parse(base_type, text).ok_or_else(|| {
            SystemError::wrong(
                &component.place,
                format!("{}.{name} is a {base_type}, and '{text}' is none", component.name),
            )
        })?;
        instance.set(name, value).map_err(failed)?;
    }
    Ok(Opened {
        fmu,
        instance,
        fed: HashMap::new(),
    })
}

/// The Real outputs of an FMU, by position.
fn outputs(description: &ModelDescription) -> impl Iterator<Item = usize> {
    let is_output = |variable: &ScalarVariable| {
        variable.causality == Causality::Output && BaseType::of(&variable.kind) == BaseType::Real
    };
    let variables = description.model_variables.iter().enumerate();
    variables
        .filter(move |(_, variable)| is_output(variable))
        .map(|(position, _)| position)
}

fn find(system: &System, opened: &[Opened], name: &str, place: &Place) -> Result<Variable, SystemError> {
    let Some((component, variable)) = name.split_once('.') else {
        return Err(SystemError::wrong(
            place,
            format!("'{name}' is no variable: write component.variable"),
        ));
    };
    let Some(number) = system.components.iter().position(|other| other.name == component) else {
        let known: Vec<&str> = system
            .components
            .iter()
            .map(|other| other.name.as_str())
            .collect();
        return Err(SystemError::wrong(
            place,
            format!(
                "no component is called '{component}'; there are {}",
                known.join(", ")
            ),
        ));
    };
    let fmu = &opened[number].fmu;
    fmu.variable(variable)
        .map_err(|error| SystemError::wrong(place, format!("{component}: {error}")))?;
    let position = fmu.variables().position(variable);
    position
        .map(|position| (number, position))
        .ok_or_else(|| SystemError::wrong(place, format!("{component} has no variable '{variable}'")))
}

fn check_input(name: &str, variable: &ScalarVariable, place: &Place) -> Result<(), SystemError> {
    match variable.causality {
        Causality::Input => Ok(()),
        other => Err(SystemError::wrong(
            place,
            format!("{name} is no input: its causality is {other}"),
        )),
    }
}

fn feed(
    opened: &mut [Opened],
    to: Variable,
    link: Link,
    name: &str,
    place: &Place,
) -> Result<(), SystemError> {
    match opened[to.0].fed.insert(to.1, link) {
        None => Ok(()),
        Some(_) => Err(SystemError::wrong(
            place,
            format!("{name} has two sources; an input takes one"),
        )),
    }
}

/// How a value of the source becomes one of the target: factor and shift.
fn conversion(
    from: (&str, &ScalarVariable, &ModelDescription),
    to: (&str, &ScalarVariable, &ModelDescription),
    place: &Place,
) -> Result<(f64, f64), SystemError> {
    let (Some((unit1, base1)), Some((unit2, base2))) = (unit(from.1, from.2), unit(to.1, to.2)) else {
        return Ok((1.0, 0.0));
    };
    if unit1 == unit2 {
        return Ok((1.0, 0.0));
    }
    let (Some(a), Some(b)) = (base1, base2) else {
        return Ok((1.0, 0.0));
    };
    if a.exponents != b.exponents {
        return Err(SystemError::wrong(
            place,
            format!(
                "{} has the unit {unit1}, {} the unit {unit2}: they measure different things",
                from.0, to.0
            ),
        ));
    }
    Ok((a.factor / b.factor, (a.offset - b.offset) / b.factor))
}

/// The unit of a variable, its own or that of its type.
fn unit<'a>(
    variable: &'a ScalarVariable,
    description: &'a ModelDescription,
) -> Option<(&'a str, Option<BaseUnit>)> {
    let VariableKind::Real {
        declared_type,
        attributes,
        ..
    } = &variable.kind
    else {
        return None;
    };
    let of_type = || {
        let name = declared_type.as_ref()?;
        let found = description
            .type_definitions
            .iter()
            .find(|other| other.name == *name)?;
        match &found.kind {
            fmi::description::TypeKind::Real(attributes) => attributes.unit.as_deref(),
            _ => None,
        }
    };
    let name = attributes.unit.as_deref().or_else(of_type)?;
    let defined = description.unit_definitions.iter().find(|unit| unit.name == name);
    Some((name, defined.and_then(|unit| unit.base_unit)))
}

/// The inputs that each output depends on, by positions; none where the FMU does not say, which means all.
fn dependencies(description: &ModelDescription) -> HashMap<usize, Option<Vec<usize>>> {
    let outputs = description.model_structure.outputs.iter();
    let of = |unknown: &fmi::description::Unknown| {
        let on = unknown.dependencies.as_ref();
        let on = on.map(|on| on.iter().map(|index| *index as usize - 1).collect());
        (unknown.index as usize - 1, on)
    };
    outputs.map(of).collect()
}

fn build(system: &System, opened: Vec<Opened>, signals: Signals) -> Result<Assembled, SystemError> {
    let mut coupling = Coupling::default();
    let mut slaves: Vec<Box<dyn Slave>> = Vec::new();
    let (mut start, mut recorded) = (Vec::new(), Vec::new());
    let patterns: Vec<Glob> = system.record.iter().map(|pattern| Glob::new(pattern)).collect();
    for (component, mut opened) in system.components.iter().zip(opened) {
        let description = opened.fmu.description();
        let mut fed: Vec<(usize, Link)> = opened
            .fed
            .iter()
            .map(|(position, link)| (*position, *link))
            .collect();
        fed.sort_unstable_by_key(|(position, _)| *position);
        let name = |position: usize| {
            format!(
                "{}.{}",
                component.name, description.model_variables[position].name
            )
        };
        let inputs: Vec<Input> = fed
            .iter()
            .map(|&(position, link)| Input {
                name: name(position),
                link,
            })
            .collect();
        let depends = dependencies(description);
        let positions: Vec<usize> = outputs(description).collect();
        let output = |&position: &usize| {
            let on = depends.get(&position).cloned().unwrap_or(None);
            let through = fed.iter().enumerate().filter(|(_, (input, _))| match &on {
                Some(on) => on.contains(input),
                None => true,
            });
            let VariableKind::Real { attributes, .. } = &description.model_variables[position].kind else {
                return None;
            };
            Some(Output {
                name: name(position),
                nominal: attributes.nominal.unwrap_or(1.0),
                feed_through: through.map(|(index, _)| index).collect(),
            })
        };
        let outputs: Vec<Output> = positions.iter().filter_map(output).collect();
        for (index, output) in outputs.iter().enumerate() {
            if patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(&output.name)) {
                recorded.push(coupling.outputs.len() + index);
            }
        }
        let reference = |position: usize| description.model_variables[position].value_reference;
        let input_references: Vec<u32> = fed.iter().map(|(position, _)| reference(*position)).collect();
        let output_references: Vec<u32> = positions.iter().map(|position| reference(*position)).collect();
        for (position, _) in &fed {
            let given = match &description.model_variables[*position].kind {
                VariableKind::Real { start, .. } => start.unwrap_or(0.0),
                _ => 0.0,
            };
            start.push(given);
        }
        coupling.add(&component.name, inputs, outputs);
        opened.fed.clear();
        slaves.push(Box::new(FmuSlave::new(
            opened.instance,
            input_references,
            output_references,
        )));
    }
    Ok(Assembled {
        master: Master::new(coupling, slaves, signals, system.settings)?,
        start,
        recorded,
    })
}
