//! The parts of a model description that all versions of the standard share: attributes, types, units, log categories.

use super::{Attributes, Described, Role, TypeDefinition, TypeKind};
use crate::model::{About, Model, Structure};
use crate::pattern::Kind;
use fmu_standard::description as d;
use fmu_standard::description::{Causality, Variability};

pub(crate) fn real_attributes(attributes: &Attributes) -> d::RealAttributes {
    let owned = |text: Option<&'static str>| text.map(str::to_owned);
    d::RealAttributes {
        quantity: owned(attributes.quantity),
        unit: owned(attributes.unit),
        display_unit: owned(attributes.display_unit),
        relative_quantity: attributes.relative_quantity,
        min: attributes.min,
        max: attributes.max,
        nominal: attributes.nominal,
        unbounded: attributes.unbounded,
        ..Default::default()
    }
}

pub(crate) fn simple_type(definition: &TypeDefinition) -> d::SimpleType {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let item = |(name, value, description): &(&str, i32, &str)| d::EnumerationItem {
        name: (*name).to_owned(),
        value: (*value).into(),
        description: text(description),
    };
    d::SimpleType {
        name: definition.name.to_owned(),
        description: text(definition.description),
        kind: match &definition.kind {
            TypeKind::Real(attributes) => d::TypeKind::Real(real_attributes(attributes)),
            TypeKind::Enumeration(items) => d::TypeKind::Enumeration {
                quantity: None,
                min: None,
                max: None,
                items: items.iter().map(item).collect(),
            },
        },
    }
}

/// The unit of a derivative, written as people write it: `m` -> `m/s` -> `m/s2`.
pub(crate) fn unit_per_second(unit: &str) -> Option<String> {
    let base = fmu_standard::units::parse(unit).ok()?;
    // A rate has no zero point: degC changes by K/s.
    let unit = if base.offset == 0.0 { unit } else { "K" };
    let name = match unit.rsplit_once('/') {
        Some((numerator, "s")) => format!("{numerator}/s2"),
        Some((numerator, "s2")) => format!("{numerator}/s3"),
        Some((numerator, denominator)) => {
            format!("{numerator}/({}.s)", denominator.trim_matches(['(', ')']))
        }
        None => format!("{unit}/s"),
    };
    fmu_standard::units::parse(&name).is_ok().then_some(name)
}

/// Every unit in use once, in order of first use, each with the display units in use.
pub(crate) fn unit_definitions(variables: &[d::ModelVariable], types: &[d::SimpleType]) -> Vec<d::Unit> {
    let of_variables = variables.iter().filter_map(|variable| match &variable.kind {
        d::VariableKind::Real { attributes, .. } => Some(attributes),
        _ => None,
    });
    let of_types = types.iter().filter_map(|definition| match &definition.kind {
        d::TypeKind::Real(attributes) => Some(attributes),
        _ => None,
    });
    let mut units: Vec<d::Unit> = Vec::new();
    for attributes in of_types.chain(of_variables) {
        let Some(name) = &attributes.unit else { continue };
        let position = units
            .iter()
            .position(|unit| unit.name == *name)
            .unwrap_or_else(|| {
                let base_unit = fmu_standard::units::parse(name).ok();
                units.push(d::Unit {
                    name: name.clone(),
                    base_unit,
                    display_units: Vec::new(),
                });
                units.len() - 1
            });
        let unit = &mut units[position];
        if let Some(display) = &attributes.display_unit
            && !unit.display_units.iter().any(|known| known.name == *display)
            && let Ok(display) = fmu_standard::units::display_unit(name, display)
        {
            unit.display_units.push(display);
        }
    }
    units
}

/// The categories of the standard that the runtime uses, then the author's.
pub(crate) fn log_categories(own: &[(&str, &str)]) -> Vec<d::LogCategory> {
    crate::log::STANDARD_CATEGORIES
        .iter()
        .chain(own)
        .map(|(name, description)| d::LogCategory {
            name: (*name).to_owned(),
            description: (!description.is_empty()).then(|| (*description).to_owned()),
        })
        .collect()
}

pub(crate) fn default_experiment(about: &About) -> Option<d::DefaultExperiment> {
    let mut experiment = d::DefaultExperiment::default();
    experiment.start_time = about.start_time;
    experiment.stop_time = about.stop_time;
    experiment.tolerance = about.tolerance;
    experiment.step_size = about.step_size;
    (experiment != d::DefaultExperiment::default()).then_some(experiment)
}
pub(crate) fn kind_of(kind: Kind) -> d::DependencyKind {
    match kind {
        Kind::Constant => d::DependencyKind::Constant,
        Kind::Fixed => d::DependencyKind::Fixed,
        Kind::Tunable => d::DependencyKind::Tunable,
        Kind::Discrete => d::DependencyKind::Discrete,
        Kind::Dependent => d::DependencyKind::Dependent,
    }
}

/// `time`, or `time_1`, `time_2`, ... if the author's variables have taken the name.
pub(crate) fn independent(taken: &[d::ModelVariable], value_reference: usize) -> d::ModelVariable {
    let free = |name: &String| !taken.iter().any(|variable| variable.name == *name);
    let name = std::iter::once("time".to_owned())
        .chain((1..).map(|number| format!("time_{number}")))
        .find(free)
        .unwrap_or_default();
    d::ModelVariable {
        name,
        value_reference: value_reference as u32,
        description: Some("Simulation time".to_owned()),
        causality: Causality::Independent,
        variability: Variability::Continuous,
        initial: None,
        kind: d::VariableKind::Real {
            declared_type: None,
            attributes: d::RealAttributes {
                unit: Some("s".to_owned()),
                ..Default::default()
            },
            start: d::Start::None,
            derivative: None,
            reinit: false,
        },
        ..Default::default()
    }
}

/// Whether a value that is set in continuous-time mode may have to wait, and asks for its event at the end of a step.
fn may_wait(described: &Described) -> bool {
    described.variables.iter().any(|variable| {
        let is_parameter = variable.field.role == Role::Parameter;
        (variable.field.role == Role::Input && !variable.is_continuous_input())
            || (is_parameter && variable.field.tunable)
    })
}

/// `completedIntegratorStepNotNeeded`.
pub(crate) fn completed_steps_not_needed<M: Model>(described: &Described) -> bool {
    !M::HAS_COMPLETED_STEP && !may_wait(described) && <M as Structure<f64>>::COUNTS.unknowns == 0
}

/// One sentence per internal field that cannot be part of a snapshot as bytes.
pub(crate) fn notes_on_bytes<M: Model>(model: &M) -> Vec<String> {
    let mut notes = Vec::new();
    model.unstored("", &mut |field| {
        notes.push(format!(
            "the internal field `{field}` cannot be written as bytes, so this FMU does not serialize its states: \
             implement `Stored` for its type, or mark it `#[internal(fixed)]` if nothing but `fn instantiate` changes it"
        ));
    });
    notes
}

/// Adds the notes on the dependencies of initialization: an unknown of both stages has one note.
pub(crate) fn add_initial_notes(notes: &mut Vec<String>, initially: Vec<String>) {
    let unknown = |note: &str| note.split(": ").next().map(str::to_owned);
    let noted: Vec<_> = notes.iter().map(|note| unknown(note)).collect();
    notes.extend(
        initially
            .into_iter()
            .filter(|note| !noted.contains(&unknown(note))),
    );
}
