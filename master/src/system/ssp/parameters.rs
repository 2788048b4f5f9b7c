//! Parameter bindings: values inline or in `.ssv` files, mapped to other names inline or by `.ssm` files.

use super::super::{Assignment, NamedUnit, SystemError, ValueMap};
use super::package::Package;
use super::structure::transformation;
use super::units;
use super::xml::{self, Element};

/// A value for a variable of an element, by its name below that element.
pub(super) type Parameter = Assignment;

/// All parameters of the bindings of an element; of two with one name the later one counts.
pub(super) fn bindings(
    element: &Element,
    of_file: &[NamedUnit],
    package: &Package<'_>,
) -> Result<Vec<Parameter>, SystemError> {
    let mut parameters = Vec::new();
    for binding in element.inside("ParameterBindings") {
        if binding.name != "ParameterBinding" {
            return Err(binding.unsupported());
        }
        parameters.extend(bind(binding, of_file, package)?);
    }
    Ok(parameters)
}

fn bind(
    binding: &Element,
    of_file: &[NamedUnit],
    package: &Package<'_>,
) -> Result<Vec<Parameter>, SystemError> {
    let set = contents(binding, "ParameterValues", "ParameterSet", package)?;
    let mut parameters = match set {
        Some(set) => values(&set, of_file)?,
        None => return Err(binding.wrong("<ParameterBinding> has neither a source nor <ParameterValues>")),
    };
    let prefix = binding.attribute("prefix").unwrap_or_default();
    for parameter in &mut parameters {
        parameter.variable.insert_str(0, prefix);
    }
    match binding.child("ParameterMapping") {
        None => Ok(parameters),
        Some(written) => {
            let inline = written.child("ParameterMapping").cloned();
            let mapping = match inline {
                Some(inline) => inline,
                None => referenced(written, "ParameterMapping", package)?
                    .ok_or_else(|| written.wrong("<ParameterMapping> is empty and has no source"))?,
            };
            map(&parameters, &mapping)
        }
    }
}

/// What a binding holds, or the file that it names.
fn contents(
    binding: &Element,
    holder: &str,
    root: &str,
    package: &Package<'_>,
) -> Result<Option<Element>, SystemError> {
    match binding.child(holder).and_then(|holder| holder.child(root)) {
        Some(inline) => Ok(Some(inline.clone())),
        None => referenced(binding, root, package),
    }
}

pub(super) fn referenced(
    element: &Element,
    root: &str,
    package: &Package<'_>,
) -> Result<Option<Element>, SystemError> {
    let Some(source) = element.attribute("source").filter(|source| !source.is_empty()) else {
        return Ok(None);
    };
    if element.attribute("sourceBase") == Some("component") {
        return Err(element.wrong(format!(
            "sourceBase=\"component\" of <{}> is not supported",
            element.name
        )));
    }
    let path = package.path(source, &element.place)?;
    let text = fmu_importer::read_text(&path)
        .map_err(|error| element.wrong(format!("cannot read {source}: {error}")))?;
    xml::parse(&text, &package.shown(&path), root).map(Some)
}

/// The parameters of a set.
fn values(set: &Element, of_file: &[NamedUnit]) -> Result<Vec<Parameter>, SystemError> {
    let mut known = units(set)?;
    known.extend_from_slice(of_file);
    let mut parameters = Vec::new();
    for parameter in set.inside("Parameters") {
        let name = parameter.required("name")?;
        if let Some(dimension) = parameter.child("Dimension") {
            return Err(dimension.unsupported());
        }
        let mut types = parameter
            .children
            .iter()
            .filter(|child| child.name != "Annotations");
        let Some(typed) = types.next() else {
            return Err(parameter.wrong(format!("parameter {name} has no value")));
        };
        if typed.name == "Binary" {
            return Err(typed.unsupported());
        }
        let mut assignment = Assignment::new(name, typed.required("value")?, parameter.place.clone());
        assignment.optional = true;
        if let Some(unit) = typed.attribute("unit").filter(|unit| !unit.is_empty()) {
            assignment.unit = Some(unit_of_file(unit, &known));
        }
        parameters.push(assignment);
    }
    Ok(parameters)
}

/// A unit as a file defines it, or else by its usual name.
pub(super) fn unit_of_file(name: &str, known: &[NamedUnit]) -> NamedUnit {
    let mut known = known.iter();
    let defined = known.find(|other| other.name == name && other.base.is_some());
    defined.cloned().unwrap_or_else(|| NamedUnit {
        name: name.to_owned(),
        base: fmu_standard::units::parse(name).ok(),
    })
}

/// The value of a parameter behind a map.
fn mapped_value(
    parameter: &Parameter,
    map: Option<&ValueMap>,
    entry: &Element,
) -> Result<String, SystemError> {
    let Some(map) = map else {
        return Ok(parameter.value.clone());
    };
    // Booleans may be written as numbers.
    let other = match parameter.value.trim() {
        "1" => "true",
        "0" => "false",
        other => other,
    };
    let found = map.get(&parameter.value).or_else(|| map.get(other));
    found.map(str::to_owned).ok_or_else(|| {
        entry.wrong(format!(
            "the mapping of {} has no entry for its value {}",
            parameter.variable, parameter.value
        ))
    })
}

/// The parameters that a mapping names, under their new names.
fn map(parameters: &[Parameter], mapping: &Element) -> Result<Vec<Parameter>, SystemError> {
    let mut mapped = Vec::new();
    for entry in mapping
        .children
        .iter()
        .filter(|child| child.name == "MappingEntry")
    {
        let (source, target) = (entry.required("source")?, entry.required("target")?);
        let change = transformation(entry)?;
        let suppressed = entry.parsed("suppressUnitConversion")?.unwrap_or(false);
        for parameter in parameters.iter().filter(|parameter| parameter.variable == source) {
            let unit = parameter.unit.clone();
            mapped.push(Assignment {
                variable: target.to_owned(),
                value: mapped_value(parameter, change.map.as_ref(), entry)?,
                gain: change.factor,
                offset: change.offset,
                unit: if suppressed { None } else { unit },
                ..parameter.clone()
            });
        }
    }
    Ok(mapped)
}
