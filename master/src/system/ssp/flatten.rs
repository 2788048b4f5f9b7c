//! From nested systems with connectors to components and connections between them.

use std::collections::HashMap;

use super::super::{Alias, Assignment, Component, Connection, Place, System, SystemError, ValueMap};
use super::parameters::unit_of_file;
use super::structure::{Connector, Dictionary, Flow, Leaf, Part, Root, Structure, Wire};

/// A connector: the path of its element, and its name. The path of the root system is empty.
type End = (String, String);

/// What feeds a connector.
struct Feed<'a> {
    from: End,
    wire: &'a Wire,
    /// Connectors on both sides have units, and different ones.
    other_unit: bool,
}

#[derive(Default)]
struct Flat<'a> {
    components: Vec<(String, &'a Leaf)>,
    feeds: HashMap<End, Feed<'a>>,
    /// In the order in which they are written.
    ends: Vec<End>,
}

/// A signal dictionary that elements see, and where it is: the path of its system and its name, which is not
/// the name of any element.
#[derive(Clone)]
struct Visible<'a> {
    dictionary: &'a Dictionary,
    path: String,
}

pub(super) fn flatten(root: &Root) -> Result<System, SystemError> {
    let mut flat = Flat::default();
    flat.collect(&root.system, "", &[])?;
    let mut components = Vec::new();
    for (path, leaf) in &flat.components {
        components.push(Component {
            name: path.clone(),
            fmu: leaf.fmu.clone(),
            interface: leaf.interface,
            solver: None,
            isolated: false,
            values: Vec::new(),
            place: leaf.place.clone(),
        });
    }
    let mut system = System {
        name: root.name.clone(),
        components,
        ..System::default()
    };
    flat.connect(root, &mut system)?;
    flat.parametrize(&root.system, "", &mut system);
    Ok(system)
}

fn join(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}

impl<'a> Flat<'a> {
    fn collect(
        &mut self,
        system: &'a Structure,
        path: &str,
        outer: &[Visible<'a>],
    ) -> Result<(), SystemError> {
        let own = system.dictionaries.iter().map(|dictionary| Visible {
            dictionary,
            path: format!("\0{path}\0{}", dictionary.name),
        });
        // The nearest one of a name counts.
        let visible: Vec<Visible<'a>> = own.chain(outer.iter().cloned()).collect();
        for part in &system.elements {
            let inside = join(path, part.name());
            match part {
                Part::System(inner) => self.collect(inner, &inside, &visible)?,
                Part::Component(leaf) => self.components.push((inside, leaf)),
                Part::Reference(_) => {}
            }
        }
        for wire in &system.connections {
            self.feed(system, path, wire, &visible)?;
        }
        Ok(())
    }

    /// Finds out which way data flows, whatever end is called the start.
    fn feed(
        &mut self,
        system: &'a Structure,
        path: &str,
        wire: &'a Wire,
        visible: &[Visible<'a>],
    ) -> Result<(), SystemError> {
        let start = look_up(system, path, &wire.start, &wire.place, visible)?;
        let end = look_up(system, path, &wire.end, &wire.place, visible)?;
        let (from, to) = match (start.gives, end.gives) {
            (Some(true), Some(true)) | (Some(false), Some(false)) => {
                let both = if start.gives == Some(true) {
                    "sources"
                } else {
                    "sinks"
                };
                let problem = format!(
                    "{} and {} are both {both}: they cannot be connected",
                    shown(&start.end),
                    shown(&end.end)
                );
                return Err(SystemError::wrong(&wire.place, problem));
            }
            (Some(false), _) | (None, Some(true)) => (end, start),
            _ => (start, end),
        };
        let other_unit = matches!((&from.unit, &to.unit), (Some(a), Some(b)) if a != b);
        let feed = Feed {
            from: from.end,
            wire,
            other_unit,
        };
        if self.feeds.contains_key(&to.end) {
            let problem = format!("{} has two sources; an input takes one", shown(&to.end));
            return Err(SystemError::wrong(&wire.place, problem));
        }
        self.ends.push(to.end.clone());
        self.feeds.insert(to.end, feed);
        Ok(())
    }

    fn component(&self, path: &str) -> Option<&'a Leaf> {
        let found = self.components.iter().find(|(other, _)| other == path);
        found.map(|(_, leaf)| *leaf)
    }

    /// Follows each input of a component back to where its values come from.
    fn connect(&self, root: &Root, system: &mut System) -> Result<(), SystemError> {
        // Of a connector of the whole system.
        let unit = |name: &str| {
            let mut connectors = root.system.connectors.iter();
            let found = connectors.find(|connector| connector.name == name);
            let unit = found.and_then(|connector| connector.unit.as_deref());
            unit.filter(|unit| !unit.is_empty())
                .map(|unit| unit_of_file(unit, &root.units))
        };
        for to in &self.ends {
            // What the root system gives has a name of its own.
            let is_root = to.0.is_empty();
            if self.component(&to.0).is_none() && !is_root {
                continue;
            }
            let (mut gain, mut offset, mut convert) = (1.0, 0.0, true);
            let mut map: Option<ValueMap> = None;
            let (mut at, mut place) = (to, &Place::default());
            let (mut wires, mut shifted, mut other_unit) = (0, false, false);
            while let Some(feed) = self.feeds.get(at) {
                // What came so far is applied to what this wire makes of its source.
                let change = &feed.wire.change;
                offset += gain * change.offset;
                gain *= change.factor;
                map = match (&change.map, map) {
                    (Some(one), Some(behind)) => Some(one.then(&behind)),
                    (one, behind) => one.clone().or(behind),
                };
                convert &= feed.wire.convert;
                shifted |= change.offset != 0.0;
                other_unit |= feed.other_unit;
                (at, place) = (&feed.from, &feed.wire.place);
                wires += 1;
                if wires > self.feeds.len() {
                    let problem = format!("{} is connected to itself", shown(to));
                    return Err(SystemError::wrong(place, problem));
                }
            }
            if wires > 1 && shifted && other_unit {
                let problem = format!(
                    "the way to {} has an offset and passes connectors of different units, which is not supported",
                    shown(to)
                );
                return Err(SystemError::wrong(place, problem));
            }
            if map.is_some() && (is_root || at.0.is_empty()) {
                let problem = format!(
                    "the way between {} and {} has a mapping of values, which is not supported for a connector of the whole system",
                    shown(at),
                    shown(to)
                );
                return Err(SystemError::wrong(place, problem));
            }
            if is_root {
                if self.component(&at.0).is_some() {
                    system.outputs.push(Alias {
                        name: to.1.clone(),
                        variable: shown(at),
                        gain,
                        offset,
                        unit: unit(&to.1).filter(|_| convert),
                    });
                }
            } else if self.component(&at.0).is_some() {
                if self.is_parameter(to) {
                    let problem = format!(
                        "{} is a parameter: connections of parameters between components are not supported",
                        shown(to)
                    );
                    return Err(SystemError::wrong(place, problem));
                }
                system.connections.push(Connection {
                    from: shown(at),
                    to: shown(to),
                    gain,
                    offset,
                    convert,
                    map,
                    place: place.clone(),
                });
            } else if at.0.is_empty() {
                system.aliases.push(Alias {
                    name: at.1.clone(),
                    variable: shown(to),
                    gain,
                    offset,
                    unit: unit(&at.1).filter(|_| convert),
                });
            }
        }
        Ok(())
    }

    fn is_parameter(&self, (path, name): &End) -> bool {
        let leaf = self.component(path);
        let mut connectors = leaf.into_iter().flat_map(|leaf| &leaf.connectors);
        connectors.any(|connector| connector.name == *name && connector.is_parameter)
    }

    /// Hands values to components: first those of inner elements, so that those of outer ones count.
    fn parametrize(&self, structure: &Structure, path: &str, system: &mut System) {
        for part in &structure.elements {
            let inside = join(path, part.name());
            match part {
                Part::System(inner) => self.parametrize(inner, &inside, system),
                Part::Component(leaf) => {
                    for parameter in &leaf.parameters {
                        give(system, &inside, parameter.clone());
                    }
                }
                Part::Reference(_) => {}
            }
        }
        for parameter in &structure.parameters {
            self.hand_down(structure, path, parameter, system);
        }
    }

    fn hand_down(&self, structure: &Structure, path: &str, parameter: &Assignment, system: &mut System) {
        if structure
            .connectors
            .iter()
            .any(|connector| connector.name == parameter.variable)
        {
            let from = (path.to_owned(), parameter.variable.clone());
            self.follow(&from, parameter, 0, system);
        }
        for part in &structure.elements {
            let below = parameter.variable.strip_prefix(part.name());
            let Some(name) = below.and_then(|rest| rest.strip_prefix('.')) else {
                continue;
            };
            let inside = join(path, part.name());
            let parameter = Assignment {
                variable: name.to_owned(),
                ..parameter.clone()
            };
            match part {
                Part::System(inner) => self.hand_down(inner, &inside, &parameter, system),
                Part::Component(_) => give(system, &inside, parameter),
                Part::Reference(_) => {}
            }
        }
    }

    /// Gives a value of a connector of a system to whatever it feeds.
    fn follow(&self, from: &End, parameter: &Assignment, passed: usize, system: &mut System) {
        // Connectors of systems that feed each other in a circle lead nowhere.
        if passed > self.feeds.len() {
            return;
        }
        for to in &self.ends {
            let Some(feed) = self.feeds.get(to).filter(|feed| feed.from == *from) else {
                continue;
            };
            let change = &feed.wire.change;
            // A value that the map does not have is left to the check of the variable's type.
            let mapped = change.map.as_ref().and_then(|map| map.get(&parameter.value));
            let mapped = mapped.map(str::to_owned);
            let given = Assignment {
                variable: to.1.clone(),
                gain: change.factor * parameter.gain,
                offset: change.factor * parameter.offset + change.offset,
                value: mapped.unwrap_or_else(|| parameter.value.clone()),
                unit: parameter.unit.clone().filter(|_| feed.wire.convert),
                ..parameter.clone()
            };
            match self.component(&to.0) {
                Some(_) => give(system, &to.0, given),
                None => self.follow(to, &given, passed + 1, system),
            }
        }
    }
}

fn give(system: &mut System, path: &str, parameter: Assignment) {
    let mut components = system.components.iter_mut();
    if let Some(component) = components.find(|component| component.name == path) {
        component.values.push(parameter);
    }
}

fn shown((path, name): &End) -> String {
    match path.strip_prefix('\0') {
        // A signal of a dictionary.
        Some(dictionary) => join(dictionary.trim_start_matches('\0'), name).replace('\0', "."),
        None => join(path, name),
    }
}

/// One end of a connection.
struct Found<'a> {
    end: End,
    /// Whether data comes from there; `None` where it is not declared.
    gives: Option<bool>,
    unit: Option<&'a String>,
}

fn look_up<'a>(
    system: &'a Structure,
    path: &str,
    (element, name): &(Option<String>, String),
    place: &Place,
    visible: &[Visible<'_>],
) -> Result<Found<'a>, SystemError> {
    let named = |connectors: &'a [Connector]| connectors.iter().find(|connector| connector.name == *name);
    let Some(element) = element else {
        let connector = named(&system.connectors);
        let Some(connector) = connector else {
            let of = if path.is_empty() { "the system" } else { path };
            return Err(SystemError::wrong(
                place,
                format!("{of} has no connector '{name}'"),
            ));
        };
        return Ok(Found {
            end: (path.to_owned(), name.clone()),
            // From inside, the inputs of a system are where data comes from.
            gives: connector.flow.map(|flow| flow == Flow::In),
            unit: connector.unit.as_ref(),
        });
    };
    let Some(part) = system.elements.iter().find(|part| part.name() == element) else {
        let near = fmu_importer::nearest(system.elements.iter().map(Part::name), element);
        let hint = near.map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
        return Err(SystemError::wrong(
            place,
            format!("no element is called '{element}'{hint}"),
        ));
    };
    if let Part::Reference(reference) = part {
        let called = |one: &&Visible<'_>| one.dictionary.name == reference.dictionary;
        let Some(found) = visible.iter().find(called) else {
            let problem = format!("there is no signal dictionary '{}' here", reference.dictionary);
            return Err(SystemError::wrong(&reference.place, problem));
        };
        let entries = &found.dictionary.entries;
        if !entries.is_empty() && !entries.contains(name) {
            let problem = format!(
                "the signal dictionary {} has no entry '{name}'",
                reference.dictionary
            );
            return Err(SystemError::wrong(place, problem));
        }
        return Ok(Found {
            end: (found.path.clone(), name.clone()),
            // A signal is written by one element and read by others.
            gives: None,
            unit: None,
        });
    }
    let connector = named(part.connectors());
    if let (None, Part::System(_)) = (connector, part) {
        return Err(SystemError::wrong(
            place,
            format!("{element} has no connector '{name}'"),
        ));
    }
    Ok(Found {
        end: (join(path, element), name.clone()),
        gives: connector
            .and_then(|connector| connector.flow)
            .map(|flow| flow == Flow::Out),
        unit: connector.and_then(|connector| connector.unit.as_ref()),
    })
}
