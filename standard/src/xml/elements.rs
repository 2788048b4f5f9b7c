//! Elements and attributes that both versions have, written.

use super::Xml;
use crate::description::*;
use crate::extension::BUILD_TOOL;

/// Begins the document, up to the attributes of the root that both versions have. The attribute `identity` is the GUID.
pub(crate) fn begin(d: &ModelDescription, identity: &str, with_identity: bool) -> Xml {
    // About what a variable and its share of the structure take; growing a large string copies it each time.
    let mut x = Xml {
        text: String::with_capacity(2048 + 256 * d.model_variables.len()),
        depth: 0,
    };
    x.text.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    x.open("fmiModelDescription");
    x.string("fmiVersion", &d.fmi_version);
    x.string("modelName", &d.model_name);
    x.string(identity, if with_identity { &d.guid } else { "" });
    x.optional_string("description", &d.description);
    x.optional_string("author", &d.author);
    x.optional_string("version", &d.version);
    x.optional_string("copyright", &d.copyright);
    x.optional_string("license", &d.license);
    if with_identity {
        x.optional_string("generationTool", &d.generation_tool);
        x.optional_string("generationDateAndTime", &d.generation_date_and_time);
    }
    if d.variable_naming_convention == VariableNamingConvention::Structured {
        x.string("variableNamingConvention", d.variable_naming_convention.as_str());
    }
    x
}

/// The annotations of the root; those of the build belong to the identity.
pub(crate) fn written_annotations(d: &ModelDescription, with_identity: bool) -> Vec<&VendorAnnotation> {
    let is_written = |annotation: &&VendorAnnotation| with_identity || annotation.tool != BUILD_TOOL;
    d.vendor_annotations.iter().filter(is_written).collect()
}

/// `LogCategories`.
pub(crate) fn log_categories(x: &mut Xml, categories: &[LogCategory]) {
    x.list("LogCategories", categories, |x, category| {
        x.open("Category");
        x.string("name", &category.name);
        x.optional_string("description", &category.description);
        x.close_empty();
    });
}

/// `DefaultExperiment`.
pub(crate) fn default_experiment(x: &mut Xml, experiment: &Option<DefaultExperiment>) {
    let Some(experiment) = experiment else { return };
    x.open("DefaultExperiment");
    x.optional_real("startTime", experiment.start_time);
    x.optional_real("stopTime", experiment.stop_time);
    x.optional_real("tolerance", experiment.tolerance);
    x.optional_real("stepSize", experiment.step_size);
    x.close_empty();
}

/// `Unit`. FMI 2.0 has no inverse display units.
pub(crate) fn unit(x: &mut Xml, unit: &Unit, with_inverse: bool) {
    x.open("Unit");
    x.string("name", &unit.name);
    if unit.base_unit.is_none() && unit.display_units.is_empty() {
        x.close_empty();
        return;
    }
    x.content();
    if let Some(base) = &unit.base_unit {
        x.open("BaseUnit");
        for (name, exponent) in crate::units::BASE_SYMBOLS.into_iter().zip(base.exponents) {
            if exponent != 0 {
                x.optional_integer(name, Some(exponent));
            }
        }
        factor_and_offset(x, base.factor, base.offset);
        x.close_empty();
    }
    for display in &unit.display_units {
        x.open("DisplayUnit");
        x.string("name", &display.name);
        factor_and_offset(x, display.factor, display.offset);
        x.flag("inverse", with_inverse && display.inverse);
        x.close_empty();
    }
    x.close("Unit");
}

fn factor_and_offset(x: &mut Xml, factor: f64, offset: f64) {
    if factor != 1.0 {
        x.optional_real("factor", Some(factor));
    }
    // By bits: an offset of -0.0 is not the default and must survive.
    if offset.to_bits() != 0 {
        x.optional_real("offset", Some(offset));
    }
}

/// `Item` of an enumeration.
pub(crate) fn enumeration_item(x: &mut Xml, item: &EnumerationItem) {
    x.open("Item");
    x.string("name", &item.name);
    x.optional_integer("value", Some(item.value));
    x.optional_string("description", &item.description);
    x.close_empty();
}

/// An element with XML inside that is copied as it is.
pub(crate) fn annotation(x: &mut Xml, element: &str, attribute: &str, annotation: &VendorAnnotation) {
    x.open(element);
    x.string(attribute, &annotation.tool);
    if annotation.xml.is_empty() {
        x.close_empty();
    } else {
        // No line break of ours inside: the text belongs to the tool, white space included.
        x.text.push('>');
        x.text.push_str(&annotation.xml);
        x.text.push_str("</");
        x.text.push_str(element);
        x.text.push_str(">\n");
        x.depth -= 1;
    }
}

/// `dependencies` and `dependenciesKind`; `number` is what the version writes for a reference.
pub(crate) fn dependencies(x: &mut Xml, unknown: &Unknown, number: impl Fn(Reference) -> u32) {
    if let Some(dependencies) = &unknown.dependencies {
        x.attribute("dependencies", dependencies, |x, known| {
            x.digits(number(*known).into())
        });
    }
    if let Some(kinds) = &unknown.dependencies_kind {
        x.attribute("dependenciesKind", kinds, |x, kind| {
            x.text.push_str(kind.as_str())
        });
    }
}

/// The attributes that integer types and variables share.
pub(crate) fn integer_attributes(x: &mut Xml, a: &IntegerAttributes) {
    x.optional_string("quantity", &a.quantity);
    x.optional_integer("min", a.min);
    x.optional_integer("max", a.max);
}
