//! A system structure description (`.ssd`), as it is written.

use std::path::PathBuf;

use super::super::{NamedUnit, Place, SystemError, ValueMap};
use super::package::Package;
use super::parameters::{self, Parameter};
use super::units;
use super::xml::Element;
use crate::settings::Interface;

/// A system with what is in it.
#[derive(Debug, Default)]
pub(super) struct Structure {
    pub name: String,
    pub connectors: Vec<Connector>,
    pub elements: Vec<Part>,
    pub connections: Vec<Wire>,
    pub parameters: Vec<Parameter>,
    pub dictionaries: Vec<Dictionary>,
}

/// A signal dictionary: signals that elements on any level below its system share by their names.
#[derive(Debug)]
pub(super) struct Dictionary {
    pub name: String,
    pub entries: Vec<String>,
}

/// An element of a system.
#[derive(Debug)]
pub(super) enum Part {
    System(Structure),
    Component(Leaf),
    Reference(Reference),
}

/// A reference to a signal dictionary.
#[derive(Debug)]
pub(super) struct Reference {
    pub name: String,
    pub dictionary: String,
    pub connectors: Vec<Connector>,
    pub place: Place,
}

/// An FMU.
#[derive(Debug)]
pub(super) struct Leaf {
    pub name: String,
    pub fmu: PathBuf,
    /// The interface that `implementation` names; `None` for any.
    pub interface: Option<Interface>,
    pub connectors: Vec<Connector>,
    pub parameters: Vec<Parameter>,
    pub place: Place,
}

#[derive(Debug)]
pub(super) struct Connector {
    pub name: String,
    /// Where data flows, seen from outside the element.
    pub flow: Option<Flow>,
    pub is_parameter: bool,
    pub unit: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    In,
    Out,
}

/// A connection; a missing element is the system itself.
#[derive(Debug)]
pub(super) struct Wire {
    pub start: (Option<String>, String),
    pub end: (Option<String>, String),
    pub change: Transformation,
    pub convert: bool,
    pub place: Place,
}

/// Reads a `<System>`; `units` are those of the file.
pub(super) fn system(
    element: &Element,
    units: &[NamedUnit],
    package: &Package<'_>,
) -> Result<Structure, SystemError> {
    let mut elements = Vec::new();
    for part in element.inside("Elements") {
        elements.push(match part.name.as_str() {
            "System" => Part::System(system(part, units, package)?),
            "Component" => component(part, units, package)?,
            "SignalDictionaryReference" => Part::Reference(Reference {
                name: part.required("name")?.to_owned(),
                dictionary: part.required("dictionary")?.to_owned(),
                connectors: connectors(part)?,
                place: part.place.clone(),
            }),
            _ => return Err(part.unsupported()),
        });
    }
    let mut names: Vec<&str> = Vec::new();
    for (part, written) in elements.iter().zip(element.inside("Elements")) {
        if names.contains(&part.name()) {
            return Err(written.wrong(format!("two elements are called '{}'", part.name())));
        }
        names.push(part.name());
    }
    Ok(Structure {
        name: element.attribute("name").unwrap_or_default().to_owned(),
        connectors: connectors(element)?,
        elements,
        connections: element
            .inside("Connections")
            .map(wire)
            .collect::<Result<_, _>>()?,
        parameters: parameters::bindings(element, units, package)?,
        dictionaries: element
            .inside("SignalDictionaries")
            .map(|written| dictionary(written, package))
            .collect::<Result<_, _>>()?,
    })
}

/// Reads a `<SignalDictionary>`, which holds its entries or names a file with them.
fn dictionary(element: &Element, package: &Package<'_>) -> Result<Dictionary, SystemError> {
    let root = "SignalDictionary";
    let contents = match element.child(root) {
        Some(inline) => Some(inline.clone()),
        None => parameters::referenced(element, root, package)?,
    };
    // Drafts of SSP had the entries in the element itself.
    let contents = contents.as_ref().unwrap_or(element);
    let entries = contents
        .children
        .iter()
        .filter(|entry| entry.name == "DictionaryEntry");
    Ok(Dictionary {
        name: element.required("name")?.to_owned(),
        entries: entries
            .map(|entry| Ok(entry.required("name")?.to_owned()))
            .collect::<Result<_, SystemError>>()?,
    })
}

impl Part {
    pub fn name(&self) -> &str {
        match self {
            Part::System(system) => &system.name,
            Part::Component(component) => &component.name,
            Part::Reference(reference) => &reference.name,
        }
    }

    pub fn connectors(&self) -> &[Connector] {
        match self {
            Part::System(system) => &system.connectors,
            Part::Component(component) => &component.connectors,
            Part::Reference(reference) => &reference.connectors,
        }
    }
}

/// Reads a `<Component>`: an FMU, or another description or package, whose system takes its place.
fn component(element: &Element, units: &[NamedUnit], package: &Package<'_>) -> Result<Part, SystemError> {
    let name = element.required("name")?;
    let source = element.required("source")?;
    let is = |extension: &str| source.to_ascii_lowercase().ends_with(extension);
    let nested = match element.attribute("type") {
        Some("application/x-ssp-definition" | "application/x-ssp-package") => true,
        None => is(".ssd") || is(".ssp"),
        Some("application/x-fmu-sharedlibrary") => false,
        Some(other) => {
            let problem =
                format!("component {name} is of type {other}; only FMUs and SSP files are supported");
            return Err(element.wrong(problem));
        }
    };
    let path = match nested {
        true => package.path(source, &element.place)?,
        false => package.path_of_fmu(source, &element.place)?,
    };
    let parameters = parameters::bindings(element, units, package)?;
    if nested {
        let is_archive = element.attribute("type") == Some("application/x-ssp-package") || is(".ssp");
        let mut inner = package.nested(&path, is_archive, element)?;
        inner.name = name.to_owned();
        // As if they stood in the inner system, after its own.
        inner.parameters.extend(parameters);
        return Ok(Part::System(inner));
    }
    let interface = match element.attribute("implementation") {
        Some("ModelExchange") => Some(Interface::ModelExchange),
        Some("CoSimulation") => Some(Interface::CoSimulation),
        None | Some("any") => None,
        Some(other) => {
            let problem =
                format!("implementation of {name} is any, CoSimulation or ModelExchange, not '{other}'");
            return Err(element.wrong(problem));
        }
    };
    Ok(Part::Component(Leaf {
        name: name.to_owned(),
        fmu: path,
        interface,
        connectors: connectors(element)?,
        parameters,
        place: element.place.clone(),
    }))
}

fn connectors(element: &Element) -> Result<Vec<Connector>, SystemError> {
    let connector = |connector: &Element| {
        if let Some(dimension) = connector.child("Dimension") {
            return Err(dimension.unsupported());
        }
        // SSP 1.0 has `unit` in the type; drafts of it had it in the connector.
        let typed = connector
            .children
            .iter()
            .find_map(|child| child.attribute("unit"));
        let kind = connector.attribute("kind").unwrap_or_default();
        Ok(Connector {
            name: connector.required("name")?.to_owned(),
            flow: match kind {
                "input" | "parameter" | "structuralParameter" => Some(Flow::In),
                "output" | "calculatedParameter" | "constant" | "local" => Some(Flow::Out),
                _ => None,
            },
            is_parameter: matches!(kind, "parameter" | "structuralParameter" | "calculatedParameter"),
            unit: typed.or(connector.attribute("unit")).map(str::to_owned),
        })
    };
    element.inside("Connectors").map(connector).collect()
}

fn wire(element: &Element) -> Result<Wire, SystemError> {
    for indices in ["startIndices", "endIndices"] {
        if element.attribute(indices).is_some() {
            return Err(element.wrong(format!("{indices} of <Connection> is not supported")));
        }
    }
    let end = |of: &str, connector: &str| -> Result<_, SystemError> {
        let of = element.attribute(of).filter(|name| !name.is_empty());
        Ok((of.map(str::to_owned), element.required(connector)?.to_owned()))
    };
    Ok(Wire {
        start: end("startElement", "startConnector")?,
        end: end("endElement", "endConnector")?,
        change: transformation(element)?,
        convert: !element.parsed("suppressUnitConversion")?.unwrap_or(false),
        place: element.place.clone(),
    })
}

/// What a connection, or an entry of a mapping, does to values: `factor * value + offset`, or a map from values to values.
#[derive(Clone, Debug)]
pub(super) struct Transformation {
    pub factor: f64,
    pub offset: f64,
    pub map: Option<ValueMap>,
}

/// Reads the transformation of a connection or of an entry of a mapping.
pub(super) fn transformation(element: &Element) -> Result<Transformation, SystemError> {
    let mut change = Transformation {
        factor: 1.0,
        offset: 0.0,
        map: None,
    };
    for child in &element.children {
        match child.name.as_str() {
            "LinearTransformation" => {
                change.factor = child.parsed("factor")?.unwrap_or(1.0);
                change.offset = child.parsed("offset")?.unwrap_or(0.0);
            }
            "BooleanMappingTransformation"
            | "IntegerMappingTransformation"
            | "EnumerationMappingTransformation" => change.map = Some(value_map(child)?),
            "ConnectionGeometry" | "Annotations" => {}
            _ => return Err(child.unsupported()),
        }
    }
    Ok(change)
}

/// The entries of a mapping transformation (SSP 1.0, 5.1.4). Booleans may be written as numbers.
fn value_map(element: &Element) -> Result<ValueMap, SystemError> {
    let is_boolean = element.name == "BooleanMappingTransformation";
    let text = |entry: &Element, name: &str| -> Result<String, SystemError> {
        let text = entry.required(name)?.trim();
        Ok(match text {
            "1" if is_boolean => "true",
            "0" if is_boolean => "false",
            text => text,
        }
        .to_owned())
    };
    let mut entries: Vec<(String, String)> = Vec::new();
    for entry in element.children.iter().filter(|child| child.name == "MapEntry") {
        let source = text(entry, "source")?;
        if entries.iter().any(|(other, _)| *other == source) {
            return Err(entry.wrong(format!("<{}> has two entries for '{source}'", element.name)));
        }
        entries.push((source, text(entry, "target")?));
    }
    match entries.is_empty() {
        true => Err(element.wrong(format!("<{}> has no <MapEntry>", element.name))),
        false => Ok(ValueMap { entries }),
    }
}

/// The root of a description: its system, and when it is to be simulated.
pub(super) struct Root {
    pub name: String,
    pub system: Structure,
    /// The units that the file defines.
    pub units: Vec<NamedUnit>,
    pub start: Option<f64>,
    pub stop: Option<f64>,
}

pub(super) fn root(element: &Element, package: &Package<'_>) -> Result<Root, SystemError> {
    let version = element.attribute("version").unwrap_or("1.0");
    if !(version.starts_with("1.") || version.starts_with("2.")) {
        let problem = format!("version {version} of <{}> is not supported", element.name);
        return Err(element.wrong(problem));
    }
    let Some(written) = element.child("System") else {
        return Err(element.wrong("there is no <System>"));
    };
    let experiment = element.child("DefaultExperiment");
    let time = |name: &str| experiment.map_or(Ok(None), |experiment| experiment.parsed(name));
    Ok(Root {
        name: element.attribute("name").unwrap_or_default().to_owned(),
        system: system(written, &units(element)?, package)?,
        units: units(element)?,
        start: time("startTime")?,
        stop: time("stopTime")?,
    })
}
