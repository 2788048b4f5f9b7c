//! Elements that both versions have, read.

use super::{Element, ReadError, ReadProblem, Source, Value, decode};
use crate::description::*;

/// Reads a file whose root has `attributes` and then `content`.
pub(crate) fn document(
    xml: &[u8],
    attributes: fn(&Source, &Element) -> Result<ModelDescription, ReadError>,
    content: for<'a> fn(&mut Source<'a>, &Element<'a>, &mut ModelDescription) -> Result<(), ReadError>,
) -> Result<ModelDescription, ReadError> {
    let text = decode(xml)?;
    let mut source = Source::new(&text);
    let root = source.description_root()?;
    let mut description = attributes(&source, &root)?;
    content(&mut source, &root, &mut description)?;
    source.end()?;
    Ok(description)
}

/// The attributes of the root. The attribute `identity` is the GUID, and `own` takes those that only one version has.
pub(crate) fn root_attributes(
    source: &Source,
    root: &Element,
    fmi_version: String,
    identity: &'static str,
    own: impl Fn(&mut ModelDescription, &str, &Value) -> Result<(), ReadError>,
) -> Result<ModelDescription, ReadError> {
    let mut d = ModelDescription {
        fmi_version,
        ..Default::default()
    };
    let (mut model_name, mut guid) = (None, None);
    source.attributes(root, |name, value| {
        match name {
            "modelName" => model_name = Some(value.string()?),
            _ if name == identity => guid = Some(value.string()?),
            _ => {
                root_attribute(&mut d, name, value)?;
                own(&mut d, name, value)?;
            }
        }
        Ok(())
    })?;
    d.model_name = model_name.ok_or_else(|| source.missing_attribute(root, "modelName"))?;
    d.guid = guid.ok_or_else(|| source.missing_attribute(root, identity))?;
    Ok(d)
}

/// An element of the root that both versions have, or one that neither knows.
pub(crate) fn root_element<'a>(
    source: &mut Source<'a>,
    element: &Element<'a>,
    d: &mut ModelDescription,
) -> Result<(), ReadError> {
    match element.name() {
        "UnitDefinitions" => d.unit_definitions = source.list(element, "Unit", unit)?,
        "LogCategories" => d.log_categories = source.list(element, "Category", log_category)?,
        "DefaultExperiment" => d.default_experiment = Some(default_experiment(source, element)?),
        _ => source.skip(element)?,
    }
    Ok(())
}

/// An element that the root must have.
pub(crate) fn required<T>(
    source: &Source,
    root: &Element,
    found: Option<T>,
    expected: &'static str,
) -> Result<T, ReadError> {
    let problem = || ReadProblem::MissingElement {
        parent: "fmiModelDescription".into(),
        expected,
    };
    found.ok_or_else(|| source.error_in(root, problem()))
}

/// Annotations: the elements called `item`, whose attribute `tool` names their owner.
pub(crate) fn annotations(
    source: &mut Source,
    element: &Element,
    item: &str,
    tool: &'static str,
) -> Result<Vec<VendorAnnotation>, ReadError> {
    source.list(element, item, |source, annotation| {
        Ok(VendorAnnotation {
            tool: required_string(source, annotation, tool)?,
            xml: source.inside(annotation)?.into(),
        })
    })
}

/// The one attribute of an element that matters.
pub(crate) fn required_string(
    source: &Source,
    element: &Element,
    attribute: &'static str,
) -> Result<String, ReadError> {
    let mut found = None;
    source.attributes(element, |name, value| {
        if name == attribute {
            found = Some(value.string()?);
        }
        Ok(())
    })?;
    found.ok_or_else(|| source.missing_attribute(element, attribute))
}

/// The attributes of an interface: its identifier, the flags that `flag` finds by their names; others go to `own`.
pub(crate) fn interface(
    source: &Source,
    element: &Element,
    flag: for<'i> fn(&'i mut Interface, &str) -> Option<&'i mut bool>,
    mut own: impl FnMut(&str, &Value) -> Result<(), ReadError>,
) -> Result<Interface, ReadError> {
    let mut interface = Interface::default();
    let mut identifier = None;
    source.attributes(element, |name, value| {
        if name == "modelIdentifier" {
            identifier = Some(value.string()?);
        } else if let Some(flag) = flag(&mut interface, name) {
            *flag = value.flag()?;
        } else {
            own(name, value)?;
        }
        Ok(())
    })?;
    interface.model_identifier =
        identifier.ok_or_else(|| source.missing_attribute(element, "modelIdentifier"))?;
    Ok(interface)
}

fn log_category(source: &mut Source, element: &Element) -> Result<LogCategory, ReadError> {
    let mut category = LogCategory {
        name: required_string(source, element, "name")?,
        description: None,
    };
    source.attributes(element, |name, value| {
        if name == "description" {
            category.description = Some(value.string()?);
        }
        Ok(())
    })?;
    source.skip(element)?;
    Ok(category)
}

fn default_experiment(source: &mut Source, element: &Element) -> Result<DefaultExperiment, ReadError> {
    let mut experiment = DefaultExperiment::default();
    source.attributes(element, |name, value| {
        match name {
            "startTime" => experiment.start_time = Some(value.real()?),
            "stopTime" => experiment.stop_time = Some(value.real()?),
            "tolerance" => experiment.tolerance = Some(value.real()?),
            "stepSize" => experiment.step_size = Some(value.real()?),
            _ => {}
        }
        Ok(())
    })?;
    source.skip(element)?;
    Ok(experiment)
}

fn unit(source: &mut Source, element: &Element) -> Result<Unit, ReadError> {
    let mut unit = Unit {
        name: required_string(source, element, "name")?,
        ..Default::default()
    };
    while let Some(child) = source.child(element)? {
        match child.name() {
            "BaseUnit" => unit.base_unit = Some(base_unit(source, &child)?),
            "DisplayUnit" => unit.display_units.push(display_unit(source, &child)?),
            _ => {}
        }
        source.skip(&child)?;
    }
    Ok(unit)
}

fn base_unit(source: &Source, element: &Element) -> Result<BaseUnit, ReadError> {
    let mut base = BaseUnit {
        exponents: [0; 8],
        factor: 1.0,
        offset: 0.0,
    };
    source.attributes(element, |name, value| {
        match name {
            "factor" => base.factor = value.real()?,
            "offset" => base.offset = value.real()?,
            _ => {
                let symbols = crate::units::BASE_SYMBOLS;
                if let Some(position) = symbols.iter().position(|symbol| *symbol == name) {
                    base.exponents[position] = value.whole()?;
                }
            }
        }
        Ok(())
    })?;
    Ok(base)
}

fn display_unit(source: &Source, element: &Element) -> Result<DisplayUnit, ReadError> {
    let mut display = DisplayUnit {
        name: required_string(source, element, "name")?,
        factor: 1.0,
        offset: 0.0,
        inverse: false,
    };
    source.attributes(element, |name, value| {
        match name {
            "factor" => display.factor = value.real()?,
            "offset" => display.offset = value.real()?,
            "inverse" => display.inverse = value.flag()?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(display)
}

/// `Item` of an enumeration; the numbers that its value may have depend on the version.
pub(crate) fn enumeration_item<T>(
    source: &mut Source,
    element: &Element,
) -> Result<EnumerationItem, ReadError>
where
    T: std::str::FromStr + Into<i64>,
{
    let (mut name, mut number, mut description) = (None, None, None);
    source.attributes(element, |attribute, value| {
        match attribute {
            "name" => name = Some(value.string()?),
            "value" => number = Some(value.whole::<T>()?.into()),
            "description" => description = Some(value.string()?),
            _ => {}
        }
        Ok(())
    })?;
    source.skip(element)?;
    Ok(EnumerationItem {
        name: name.ok_or_else(|| source.missing_attribute(element, "name"))?,
        value: number.ok_or_else(|| source.missing_attribute(element, "value"))?,
        description,
    })
}

/// The attributes of the root that both versions have. False if it is another one.
fn root_attribute(d: &mut ModelDescription, name: &str, value: &Value) -> Result<(), ReadError> {
    match name {
        "description" => d.description = Some(value.string()?),
        "author" => d.author = Some(value.string()?),
        "version" => d.version = Some(value.string()?),
        "copyright" => d.copyright = Some(value.string()?),
        "license" => d.license = Some(value.string()?),
        "generationTool" => d.generation_tool = Some(value.string()?),
        "generationDateAndTime" => d.generation_date_and_time = Some(value.string()?),
        "variableNamingConvention" => {
            let all = VariableNamingConvention::ALL;
            d.variable_naming_convention = value.word(VariableNamingConvention::from_word, all)?;
        }
        _ => {}
    }
    Ok(())
}

/// An attribute that floating-point types and variables share.
pub(crate) fn real_attribute(a: &mut RealAttributes, name: &str, value: &Value) -> Result<(), ReadError> {
    match name {
        "quantity" => a.quantity = Some(value.string()?),
        "unit" => a.unit = Some(value.string()?),
        "displayUnit" => a.display_unit = Some(value.string()?),
        "relativeQuantity" => a.relative_quantity = Some(value.flag()?),
        "min" => a.min = Some(value.float(a.float)?),
        "max" => a.max = Some(value.float(a.float)?),
        "nominal" => a.nominal = Some(value.float(a.float)?),
        "unbounded" => a.unbounded = Some(value.flag()?),
        _ => {}
    }
    Ok(())
}

/// An attribute that integer types and variables share.
pub(crate) fn integer_attribute(
    a: &mut IntegerAttributes,
    name: &str,
    value: &Value,
) -> Result<(), ReadError> {
    match name {
        "quantity" => a.quantity = Some(value.string()?),
        "min" => a.min = Some(value.integer(a.integer)?),
        "max" => a.max = Some(value.integer(a.integer)?),
        _ => {}
    }
    Ok(())
}

/// An entry of `ModelStructure`; `attribute` holds the reference to its variable.
pub(crate) fn unknown(
    source: &mut Source,
    element: &Element,
    attribute: &'static str,
) -> Result<Unknown, ReadError> {
    let mut unknown = Unknown::default();
    let mut variable = None;
    source.attributes(element, |name, value| {
        match name {
            "dependencies" => unknown.dependencies = Some(value.references()?),
            "dependenciesKind" => {
                let all = DependencyKind::ALL;
                unknown.dependencies_kind = Some(value.words(DependencyKind::from_word, all)?);
            }
            _ if name == attribute => variable = Some(Reference::Missing(value.whole()?)),
            _ => {}
        }
        Ok(())
    })?;
    unknown.variable = variable.ok_or_else(|| source.missing_attribute(element, attribute))?;
    source.skip(element)?;
    Ok(unknown)
}

/// Turns the numbers of a file into references to variables. Those for which `find` has no position stay as they are.
pub(crate) fn resolve(d: &mut ModelDescription, find: impl Fn(u32) -> Option<usize>) {
    let resolve = |reference: &mut Reference| {
        if let Reference::Missing(number) = *reference
            && let Some(position) = find(number)
        {
            *reference = Reference::to(position);
        }
    };
    for variable in &mut d.model_variables {
        if let VariableKind::Real {
            derivative: Some(state),
            ..
        } = &mut variable.kind
        {
            resolve(state);
        }
        variable.previous.iter_mut().for_each(resolve);
        variable.clocks.iter_mut().for_each(resolve);
        for dimension in &mut variable.dimensions {
            if let Dimension::Parameter(parameter) = dimension {
                resolve(parameter);
            }
        }
    }
    let structure = &mut d.model_structure;
    let lists = [
        &mut structure.outputs,
        &mut structure.derivatives,
        &mut structure.clocked_states,
        &mut structure.initial_unknowns,
        &mut structure.event_indicators,
    ];
    for unknown in lists.into_iter().flatten() {
        resolve(&mut unknown.variable);
        unknown.dependencies.iter_mut().flatten().for_each(resolve);
    }
}
