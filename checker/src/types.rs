//! T1 to T7: types, ranges and start values.

use std::collections::HashSet;

use fmu_standard::description::*;
use fmu_standard::legality;

use super::Places;
use super::described::Described;
use super::root::repeated;
use super::rules::{Check::Description, Rule, table};

pub(super) static RULES: &[Rule] = table! {
    "T1" Warning "2.2.3"
        "Names of types are unique, and none is the name of a variable"
        "variables get the attributes of the wrong type"
        "rename the type"
        => Description(type_names);
    "T2" Error "2.2.7"
        "A declaredType exists and is of the variable's kind"
        "importers that look the type up fail"
        "define the type, or leave declaredType out"
        => Description(declared_types);
    "T3" Error "2.2.3"
        "An enumeration has items, with unique names and values; a variable of kind Enumeration names its type"
        "importers that validate, such as FMPy, refuse the FMU"
        "correct the items"
        => Description(items);
    "T4" Warning "2.2.3"
        "min is not larger than max, and a variable's range lies inside its type's"
        "importers that check ranges refuse every value"
        "correct the range"
        => Description(ranges);
    "T5" Warning "2.2.7"
        "A start value lies between min and max, and is an item where there are items"
        "importers that set start values are refused"
        "correct the start value or the range"
        => Description(starts);
    "T5a" Note "2.2.7"
        "Where a start value is missing, 0 is in the range"
        "importers that assume 0 are refused"
        "write the start value"
        => Description(implicit_starts);
    "T6" Note "2.2.3"
        "A variable has unit, quantity and relativeQuantity of its declared type"
        "tools show one quantity or unit for the type and another for the variable"
        "leave the attribute out at the variable, or use another type"
        => Description(overrides);
    "T7" Warning "2.2.3"
        "nominal is positive"
        "solvers scale their tolerances by it"
        "write the size that the value usually has, or leave it out"
        => Description(nominals);
};

fn type_names(described: &Described, places: &mut Places) {
    let types = &described.model.type_definitions;
    for name in repeated(types.iter().map(|simple| simple.name.as_str())) {
        places.add(
            described.at_element("element `TypeDefinitions`"),
            format!("`{name}` occurs more than once"),
        );
    }
    for (position, simple) in types.iter().enumerate() {
        if described.index.position(&simple.name).is_some() {
            places.add(described.at_type(position), "a variable has this name too");
        }
    }
}

fn declared_types(described: &Described, places: &mut Places) {
    for (position, variable) in described.variables() {
        let kind = variable.kind.name();
        let Some(name) = variable.kind.declared_type() else {
            continue;
        };
        let Some(simple) = described.simple_type(name) else {
            places.add(
                described.at_variable(position),
                format!("its declaredType `{name}` is not defined"),
            );
            continue;
        };
        let found = simple.kind.name();
        let twice = described
            .model
            .type_definitions
            .iter()
            .filter(|other| other.name == *name)
            .count()
            > 1;
        if found != kind && !twice {
            places.add(
                described.at_variable(position),
                format!("it is {kind}, its declaredType `{name}` is {found}"),
            );
        }
    }
}

fn items(described: &Described, places: &mut Places) {
    for (position, simple) in described.model.type_definitions.iter().enumerate() {
        let TypeKind::Enumeration { items, .. } = &simple.kind else {
            continue;
        };
        for name in repeated(items.iter().map(|item| item.name.as_str())) {
            places.add(
                described.at_type(position),
                format!("item `{name}` occurs more than once"),
            );
        }
        let mut values = HashSet::new();
        for item in items {
            if !values.insert(item.value) {
                places.add(
                    described.at_type(position),
                    format!("the value {} occurs more than once", item.value),
                );
            }
        }
    }
}

/// A range as numbers; every Integer is a Real.
#[derive(Clone, Copy)]
struct Range {
    min: Option<f64>,
    max: Option<f64>,
}

impl Range {
    fn of_integer(min: Option<i128>, max: Option<i128>) -> Self {
        let number = |value: i128| value as f64;
        Self {
            min: min.map(number),
            max: max.map(number),
        }
    }

    fn has(self, value: f64) -> bool {
        self.min.is_none_or(|min| value >= min) && self.max.is_none_or(|max| value <= max)
    }

    fn empty(self) -> Option<String> {
        let (min, max) = (self.min?, self.max?);
        (min > max).then(|| format!("min {min} is larger than max {max}"))
    }
}

/// The range that applies to a variable, and that of its type.
fn range(described: &Described, kind: &VariableKind) -> Option<(Range, Option<Range>)> {
    let of_type = kind
        .declared_type()
        .and_then(|name| described.simple_type(name))
        .and_then(|simple| type_range(&simple.kind));
    let own = match described.real(kind) {
        Some(real) => Range {
            min: real.min,
            max: real.max,
        },
        None => {
            let (min, max) = described.integer_range(kind)?;
            Range::of_integer(min, max)
        }
    };
    Some((own, of_type))
}

fn type_range(kind: &TypeKind) -> Option<Range> {
    match kind {
        TypeKind::Real(attributes) => Some(Range {
            min: attributes.min,
            max: attributes.max,
        }),
        TypeKind::Integer(attributes) => Some(Range::of_integer(attributes.min, attributes.max)),
        TypeKind::Enumeration { items, .. } => {
            let values = || items.iter().map(|item| i128::from(item.value));
            Some(Range::of_integer(values().min(), values().max()))
        }
        _ => None,
    }
}

fn ranges(described: &Described, places: &mut Places) {
    for (position, simple) in described.model.type_definitions.iter().enumerate() {
        if let Some(problem) = type_range(&simple.kind).and_then(Range::empty) {
            places.add(described.at_type(position), problem);
        }
    }
    for (position, variable) in described.variables() {
        let (stated, (counts, of_type)) = match (own_range(&variable.kind), range(described, &variable.kind))
        {
            (Some(stated), Some(both)) => (stated, both),
            _ => continue,
        };
        // Problems of the type alone have been reported there.
        if let Some(problem) = counts.empty()
            && (stated.min.is_some() || stated.max.is_some())
        {
            places.add(described.at_variable(position), problem);
            continue;
        }
        let Some(of_type) = of_type.filter(|of_type| of_type.empty().is_none()) else {
            continue;
        };
        for (name, bound) in [("min", stated.min), ("max", stated.max)] {
            if let Some(bound) = bound.filter(|bound| !of_type.has(*bound)) {
                let problem = format!("{name} {bound} is outside the range of its type");
                places.add(described.at_variable(position), problem);
            }
        }
    }
}

/// The range that a variable itself states.
fn own_range(kind: &VariableKind) -> Option<Range> {
    match kind {
        VariableKind::Real { attributes, .. } => Some(Range {
            min: attributes.min,
            max: attributes.max,
        }),
        VariableKind::Integer { attributes, .. } | VariableKind::Enumeration { attributes, .. } => {
            Some(Range::of_integer(attributes.min, attributes.max))
        }
        _ => None,
    }
}

fn starts(described: &Described, places: &mut Places) {
    for (position, variable) in described.variables() {
        let (Some(start), Some((own, _))) = (variable.kind.start_number(), range(described, &variable.kind))
        else {
            continue;
        };
        if own.empty().is_none() && !own.has(start) {
            let [min, max] =
                [own.min, own.max].map(|bound| bound.map_or("...".into(), |bound| bound.to_string()));
            places.add(
                described.at_variable(position),
                format!("start {start} is not between {min} and {max}"),
            );
        }
        if let VariableKind::Enumeration {
            declared_type,
            start: Start::One(start),
            ..
        } = &variable.kind
            && let Some(TypeKind::Enumeration { items, .. }) =
                described.simple_type(declared_type).map(|simple| &simple.kind)
            && !items.iter().any(|item| i128::from(item.value) == *start)
        {
            places.add(
                described.at_variable(position),
                format!("start {start} is the value of no item"),
            );
        }
    }
}

fn implicit_starts(described: &Described, places: &mut Places) {
    for (position, variable) in described.variables() {
        let required = legality::start(variable.causality, variable.variability, variable.initial);
        if required == legality::Start::Forbidden || variable.kind.has_start() {
            continue;
        }
        if range(described, &variable.kind).is_some_and(|(own, _)| !own.has(0.0)) {
            places.add(
                described.at_variable(position),
                "it has no start value, and its range excludes 0",
            );
        }
    }
}

fn overrides(described: &Described, places: &mut Places) {
    for (position, variable) in described.variables() {
        let VariableKind::Real {
            declared_type: Some(name),
            attributes: own,
            ..
        } = &variable.kind
        else {
            continue;
        };
        let Some(TypeKind::Real(of_type)) = described.simple_type(name).map(|simple| &simple.kind) else {
            continue;
        };
        let mut differs = |attribute: &str, own: Option<String>, of_type: Option<String>| {
            if let (Some(own), Some(of_type)) = (own, of_type)
                && own != of_type
            {
                let problem = format!("its {attribute} is `{own}`, that of its type `{name}` is `{of_type}`");
                places.add(described.at_variable(position), problem);
            }
        };
        differs("unit", own.unit.clone(), of_type.unit.clone());
        differs("quantity", own.quantity.clone(), of_type.quantity.clone());
        let flag = |flag: Option<bool>| flag.map(|flag| flag.to_string());
        differs(
            "relativeQuantity",
            flag(own.relative_quantity),
            flag(of_type.relative_quantity),
        );
    }
}

fn nominals(described: &Described, places: &mut Places) {
    for (position, simple) in described.model.type_definitions.iter().enumerate() {
        if let TypeKind::Real(RealAttributes {
            nominal: Some(nominal),
            ..
        }) = simple.kind
            && nominal <= 0.0
        {
            places.add(described.at_type(position), format!("nominal is {nominal}"));
        }
    }
    for (position, variable) in described.variables() {
        if let VariableKind::Real {
            attributes:
                RealAttributes {
                    nominal: Some(nominal),
                    ..
                },
            ..
        } = variable.kind
            && nominal <= 0.0
        {
            places.add(described.at_variable(position), format!("nominal is {nominal}"));
        }
    }
}
