//! Connections and external inputs, checked.

use fmu_importer::{BaseType, Value};
use fmu_standard::description::{Causality, TypeKind, VariableKind};

use super::super::units::{Measure, conversion};
use super::super::{Connection, External, Place, SystemError};
use super::values::parse;
use super::{Held, Variable, Workshop, kind};
use crate::coupling::{DiscreteLink, Link};
use crate::signals::Signals;

/// What to do about units that do not fit.
const AS_THEY_ARE: &str =
    "`convert = false` takes the numbers as they are (`suppressUnitConversion` in an SSP)";

impl Workshop<'_> {
    pub(super) fn connect(&mut self) -> Result<(), SystemError> {
        let system = self.system;
        let numbers = self.output_numbers();
        self.check_numbers()?;
        for connection in &system.connections {
            if !connection.from.contains('*') {
                self.connect_one(connection, &connection.from, &connection.to, &numbers)?;
                continue;
            }
            for (from, to) in self.expand(connection)? {
                self.connect_one(connection, &from, &to, &numbers)?;
            }
        }
        Ok(())
    }

    /// Factors and offsets are finite.
    fn check_numbers(&self) -> Result<(), SystemError> {
        let check = |number: f64, what: &str, from: &str, to: &str, place: &Place| match number.is_finite() {
            true => Ok(()),
            false => {
                let problem =
                    format!("the {what} of {from} -> {to} is {number}, and must be a finite number");
                Err(SystemError::wrong(place, problem))
            }
        };
        for one in &self.system.connections {
            check(one.gain, "gain", &one.from, &one.to, &one.place)?;
            check(one.offset, "offset", &one.from, &one.to, &one.place)?;
        }
        for sum in &self.system.sums {
            for (from, gain) in &sum.terms {
                check(*gain, "gain", from, &sum.to, &sum.place)?;
            }
            check(sum.offset, "offset", "the sum", &sum.to, &sum.place)?;
        }
        Ok(())
    }

    /// The number of the first Real output of each component in the coupling, which has all of them.
    fn output_numbers(&self) -> Vec<usize> {
        let mut next = 0;
        let count = |component: usize| {
            let first = next;
            next += self.real_outputs(component).count();
            first
        };
        (0..self.opened.len()).map(count).collect()
    }

    /// The Real outputs of a component, by position.
    pub(super) fn real_outputs(&self, component: usize) -> impl Iterator<Item = usize> {
        let variables = &self.opened[component].fmu.description().model_variables;
        let is_output = move |&position: &usize| {
            variables[position].causality == Causality::Output
                && BaseType::of(&variables[position].kind) == BaseType::Real
        };
        (0..variables.len()).filter(is_output)
    }

    /// All connections that one with a `*` stands for.
    fn expand(&self, connection: &Connection) -> Result<Vec<(String, String)>, SystemError> {
        let place = &connection.place;
        let stars = |name: &str| name.matches('*').count();
        let ((1, 1), Some((before, after))) = (
            (stars(&connection.from), stars(&connection.to)),
            connection.from.split_once('*'),
        ) else {
            let problem = format!(
                "`{}` -> `{}`: a connection of many variables has one `*` on each side",
                connection.from, connection.to
            );
            return Err(SystemError::wrong(place, problem));
        };
        let (component, _) = self.split(&connection.from, place)?;
        let of = &self.system.components[component].name;
        let variables = &self.opened[component].fmu.description().model_variables;
        let outputs = variables
            .iter()
            .filter(|variable| variable.causality == Causality::Output)
            .map(|variable| format!("{of}.{}", variable.name));
        let pair = |name: String| {
            let star = name.strip_prefix(before)?.strip_suffix(after)?;
            let to = connection.to.replace('*', star);
            Some((name, to))
        };
        let pairs: Vec<(String, String)> = outputs.filter_map(pair).collect();
        match pairs.is_empty() {
            true => Err(SystemError::wrong(
                place,
                format!("no output matches `{}`", connection.from),
            )),
            false => Ok(pairs),
        }
    }

    fn connect_one(
        &mut self,
        connection: &Connection,
        from_name: &str,
        to_name: &str,
        numbers: &[usize],
    ) -> Result<(), SystemError> {
        let place = &connection.place;
        let (from, to) = (self.find(from_name, place)?, self.find(to_name, place)?);
        let causality = self.variable(from).causality;
        if causality != Causality::Output {
            let problem = format!("{from_name} is not an output: its causality is {causality}");
            return Err(SystemError::wrong(place, problem));
        }
        self.check_input(to_name, to, place)?;
        let types = (self.base_type(from), self.base_type(to));
        if !DiscreteLink::converts(types.0, types.1) {
            let kinds = (kind(&self.variable(from).kind), kind(&self.variable(to).kind));
            let problem = format!(
                "{from_name} is {}, {to_name} is {}: they cannot be connected",
                kinds.0, kinds.1
            );
            return Err(SystemError::wrong(place, problem));
        }
        if types.0 != BaseType::Real {
            return self.hold(connection, (from_name, from), (to_name, to));
        }
        if connection.map.is_some() {
            let problem = format!("{from_name} is a Real number: only other values can be mapped one by one");
            return Err(SystemError::wrong(place, problem));
        }
        let position = self.real_outputs(from.0).position(|position| position == from.1);
        let output = numbers[from.0] + position.unwrap_or_default();
        let (factor, shift) = match connection.convert {
            false => (1.0, 0.0),
            true => conversion(&self.measure(from), &self.measure(to)).map_err(|problem| {
                let problem = format!("{from_name} -> {to_name}: {problem}; {AS_THEY_ARE}");
                SystemError::wrong(place, problem)
            })?,
        };
        let link = Link::Output {
            output,
            gain: connection.gain * factor,
            offset: connection.gain * shift + connection.offset,
        };
        self.feed(to, link, to_name, place)
    }

    /// Connects variables that are not Real.
    fn hold(
        &mut self,
        connection: &Connection,
        (from_name, from): (&str, Variable),
        (to_name, to): (&str, Variable),
    ) -> Result<(), SystemError> {
        let place = &connection.place;
        if (connection.gain, connection.offset) != (1.0, 0.0) && self.base_type(to) != BaseType::Real {
            let problem = format!(
                "{to_name} is {}, and cannot have a factor or an offset",
                kind(&self.variable(to).kind)
            );
            return Err(SystemError::wrong(place, problem));
        }
        // An Integer may stand for an item of an enumeration, and an item for its number.
        let both = self.items(from).zip(self.items(to));
        if both.is_some_and(|(one, other)| one != other) && connection.map.is_none() {
            let problem = format!("{from_name} and {to_name} are different enumerations");
            return Err(SystemError::wrong(place, problem));
        }
        let held = Held {
            from,
            gain: connection.gain,
            offset: connection.offset,
            map: self.map(connection, from, to)?,
        };
        let reader = &mut self.opened[to.0];
        match reader.held.insert(to.1, held).is_some() || reader.fed.contains_key(&to.1) {
            false => Ok(()),
            true => Err(two_sources(to_name, place)),
        }
    }

    /// What the input is given for each value of the output. Values that the output can have and that are missing in the map
    /// are an error; those of an Integer are not known before the run.
    fn map(
        &self,
        connection: &Connection,
        from: Variable,
        to: Variable,
    ) -> Result<Vec<(Value, Value)>, SystemError> {
        let Some(map) = &connection.map else {
            return Ok(Vec::new());
        };
        let wrong = |problem: String| SystemError::wrong(&connection.place, problem);
        // A Real input is given the number that the mapped value is.
        let target = if self.base_type(to) == BaseType::Real {
            from
        } else {
            to
        };
        let read = |variable: Variable, text: &str| {
            let value = parse(&self.opened[variable.0].fmu, variable.1, text);
            value.map_err(|problem| wrong(format!("{} {problem}", self.full_name(variable))))
        };
        let entry = |(one, other): &(String, String)| Ok((read(from, one)?, read(target, other)?));
        let pairs: Vec<(Value, Value)> = map
            .entries
            .iter()
            .map(entry)
            .collect::<Result<_, SystemError>>()?;
        let possible: Vec<Value> = match (self.items(from), self.base_type(from)) {
            (Some(items), _) => items.iter().map(|(_, value)| Value::Integer(*value)).collect(),
            (None, BaseType::Boolean) => vec![Value::Boolean(false), Value::Boolean(true)],
            _ => Vec::new(),
        };
        let missing = possible
            .iter()
            .find(|value| !pairs.iter().any(|(from, _)| from == *value));
        match missing {
            Some(value) => Err(wrong(format!(
                "the mapping from {} to {} has no entry for the value {value}",
                self.full_name(from),
                self.full_name(to)
            ))),
            None => Ok(pairs),
        }
    }

    /// Names and values of an enumeration; none for everything else.
    fn items(&self, variable: Variable) -> Option<Vec<(&str, i32)>> {
        let VariableKind::Enumeration { declared_type, .. } = &self.variable(variable).kind else {
            return None;
        };
        let definitions = &self.opened[variable.0].fmu.description().type_definitions;
        let items = definitions.iter().find_map(|definition| {
            match (&definition.kind, definition.name == *declared_type) {
                (TypeKind::Enumeration { items, .. }, true) => Some(items),
                _ => None,
            }
        })?;
        Some(
            items
                .iter()
                .filter_map(|item| Some((item.name.as_str(), i32::try_from(item.value).ok()?)))
                .collect(),
        )
    }

    pub(super) fn connect_inputs(&mut self, signals: &mut Signals) -> Result<(), SystemError> {
        let system = self.system;
        for external in &system.inputs {
            let mut aliases = self.aliases(&external.to).peekable();
            if aliases.peek().is_none() {
                self.connect_input(external, &external.to, (1.0, 0.0), signals)?;
            }
            for alias in aliases {
                let external = External {
                    unit: external.unit.clone().or(alias.unit.clone()),
                    ..external.clone()
                };
                self.connect_input(&external, &alias.variable, (alias.gain, alias.offset), signals)?;
            }
        }
        Ok(())
    }

    fn connect_input(
        &mut self,
        external: &External,
        name: &str,
        (gain, offset): (f64, f64),
        signals: &mut Signals,
    ) -> Result<(), SystemError> {
        let place = &external.place;
        let to = self.find(name, place)?;
        self.check_input(name, to, place)?;
        if self.base_type(to) != BaseType::Real {
            let problem = format!(
                "{name} is {}; only Real inputs are given over time, set it instead",
                kind(&self.variable(to).kind)
            );
            return Err(SystemError::wrong(place, problem));
        }
        if external.points.is_empty() {
            return Err(SystemError::wrong(place, format!("{name} has no values")));
        }
        let from = Measure {
            unit: external.unit.clone(),
            relative: false,
        };
        let (factor, shift) = conversion(&from, &self.measure(to))
            .map_err(|problem| SystemError::wrong(place, format!("{name}: {problem}")))?;
        let points = external.points.iter();
        let converted = |value: f64| gain * (factor * value + shift) + offset;
        let points = points.map(|(time, value)| (*time, converted(*value))).collect();
        let link = Link::Signal(signals.add_linear(points));
        self.feed(to, link, name, place)
    }

    pub(super) fn measure(&self, (component, position): Variable) -> Measure {
        Measure::of(&self.opened[component].fmu, position)
    }

    fn check_input(&self, name: &str, variable: Variable, place: &Place) -> Result<(), SystemError> {
        match self.variable(variable).causality {
            Causality::Input => Ok(()),
            other => Err(SystemError::wrong(
                place,
                format!("{name} is not an input: its causality is {other}"),
            )),
        }
    }

    fn feed(&mut self, to: Variable, link: Link, name: &str, place: &Place) -> Result<(), SystemError> {
        let reader = &mut self.opened[to.0];
        match reader.fed.insert(to.1, link).is_some() || reader.held.contains_key(&to.1) {
            false => Ok(()),
            true => Err(two_sources(name, place)),
        }
    }
}

fn two_sources(name: &str, place: &Place) -> SystemError {
    SystemError::wrong(place, format!("{name} has two sources; an input takes one"))
}
