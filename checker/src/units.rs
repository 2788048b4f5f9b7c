//! U1 to U5: units.

use fmu_standard::description::{RealAttributes, TypeKind};

use super::described::Described;
use super::root::repeated;
use super::rules::{Check::Description, Rule, table};
use super::{Place, Places};

pub(super) static RULES: &[Rule] = table! {
    "U1" Warning "2.2.2"
        "Names of units are unique, and UnitDefinitions is there if and only if there are units"
        "a unit means one thing in one tool and another in the next"
        "take the repetition out"
        => Description(unit_names);
    "U2" Warning "2.2.2"
        "Names of display units are unique inside a unit"
        "a display unit means one thing in one tool and another in the next"
        "take the repetition out"
        => Description(display_unit_names);
    "U3" Warning "2.2.2"
        "Every unit of a variable or type is defined"
        "values cannot be converted; FMPy refuses the FMU unless validation is off"
        "add it to UnitDefinitions"
        => Description(units_defined);
    "U4" Warning "2.2.2"
        "A displayUnit comes with a unit and is one of its display units"
        "values are shown in the plain unit; FMPy refuses the FMU unless validation is off"
        "add the DisplayUnit to the Unit, or leave displayUnit out"
        => Description(display_units_defined);
    "U5" Error "2.2.2"
        "The factor of a unit or display unit is not 0"
        "conversions divide by zero"
        "write the factor, or leave it out for 1"
        => Description(factors);
    "U5a" Note "2.2.2"
        "Exponents of base units are small numbers"
        "conversions between units may be wrong"
        "write the exponents of the SI base units"
        => Description(exponents);
};

fn unit_names(described: &Described, places: &mut Places) {
    for name in repeated(
        described
            .model
            .unit_definitions
            .iter()
            .map(|unit| unit.name.as_str()),
    ) {
        places.add(
            described.at_element("element `UnitDefinitions`"),
            format!("`{name}` occurs more than once"),
        );
    }
}

fn display_unit_names(described: &Described, places: &mut Places) {
    for (position, unit) in described.model.unit_definitions.iter().enumerate() {
        for name in repeated(unit.display_units.iter().map(|display| display.name.as_str())) {
            places.add(
                described.at_unit(position),
                format!("display unit `{name}` occurs more than once"),
            );
        }
    }
}

/// The Real attributes of types and variables, as they count, with their places.
fn real_attributes(described: &Described) -> impl Iterator<Item = (Place, RealAttributes)> {
    let types = described
        .model
        .type_definitions
        .iter()
        .enumerate()
        .filter_map(|(position, simple)| {
            let TypeKind::Real(attributes) = &simple.kind else {
                return None;
            };
            Some((described.at_type(position), attributes.clone()))
        });
    let variables = described.variables().filter_map(|(position, variable)| {
        Some((described.at_variable(position), described.real(&variable.kind)?))
    });
    types.chain(variables)
}

fn units_defined(described: &Described, places: &mut Places) {
    for (place, attributes) in real_attributes(described) {
        if let Some(unit) = &attributes.unit
            && described.unit(unit).is_none()
        {
            places.add(place, format!("its unit `{unit}` is not defined"));
        }
    }
}

fn display_units_defined(described: &Described, places: &mut Places) {
    for (place, attributes) in real_attributes(described) {
        let Some(display) = &attributes.display_unit else {
            continue;
        };
        let Some(unit) = &attributes.unit else {
            places.add(place, format!("it has the displayUnit `{display}` and no unit"));
            continue;
        };
        let Some(defined) = described.unit(unit) else {
            continue;
        };
        let known = defined.display_units.iter().any(|known| known.name == *display);
        if !known && display != unit {
            places.add(place, format!("`{display}` is not a display unit of `{unit}`"));
        }
    }
}

fn factors(described: &Described, places: &mut Places) {
    for (position, unit) in described.model.unit_definitions.iter().enumerate() {
        if unit.base_unit.is_some_and(|base| base.factor == 0.0) {
            places.add(described.at_unit(position), "the factor of its BaseUnit is 0");
        }
        for display in unit.display_units.iter().filter(|display| display.factor == 0.0) {
            places.add(
                described.at_unit(position),
                format!("the factor of display unit `{}` is 0", display.name),
            );
        }
    }
}

fn exponents(described: &Described, places: &mut Places) {
    for (position, unit) in described.model.unit_definitions.iter().enumerate() {
        let Some(base) = &unit.base_unit else { continue };
        if let Some(large) = base.exponents.iter().find(|exponent| exponent.abs() > 12) {
            places.add(
                described.at_unit(position),
                format!("it has the exponent {large}"),
            );
        }
    }
}
