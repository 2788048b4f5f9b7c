//! The model description of FMI 3.0: arrays as they are, dependencies on parameters and discrete states, too.

use super::layout::{Arrays, Item, Subject, elements, layout};
use crate::ModelError;
use crate::cosim::MAX_OUTPUT_ORDER;
use crate::describe::document::{
    add_initial_notes, completed_steps_not_needed, default_experiment, independent, kind_of, log_categories,
    notes_on_bytes, real_attributes, simple_type, unit_definitions, unit_per_second,
};
use crate::describe::{
    Dependencies, Described, Role, Stage, Values, Variable, check_unknowns, dependencies, described,
    instantiated, is_serializable,
};
use crate::model::{Discrete, Model};
use crate::pattern::Kind;
use fmu_standard::description as d;
use fmu_standard::description::{Causality, Initial, Variability};
use fmu_standard::extension;
use std::collections::BTreeMap;
use std::path::Path;

/// The model description of `M` with its dependencies: the content of `modelDescription.xml`. Beside it, one sentence per
/// unknown whose dependencies could not be determined.
///
/// The equations are run for it, so the model is instantiated first, with the folder `resources`.
pub fn full_description<M: Model>(
    resources: &Path,
    arrays: Arrays,
) -> Result<(d::ModelDescription, Vec<String>), ModelError> {
    let described = described::<M>()?;
    let mut description = description_of::<M>(&described, arrays);
    let model = instantiated::<M>(resources)?;
    let d::ModelStructure {
        outputs,
        derivatives,
        initial_unknowns,
        ..
    } = &mut description.model_structure;
    let finder = Finder::new::<M>(&described, arrays);
    // One exploration for outputs and derivatives: they share the same runs.
    let simulated = outputs.iter_mut().chain(derivatives).collect();
    let mut notes = finder.add_dependencies(&*model, Stage::Simulation, simulated)?;
    let initial = initial_unknowns.iter_mut().collect();
    let initially = finder.add_dependencies(&*model, Stage::Initialization, initial)?;
    add_initial_notes(&mut notes, initially);
    notes.extend(check_unknowns(&*model));
    notes.extend(notes_on_bytes(&*model));
    Ok((description, notes))
}

/// The model description of `M` without its dependencies: what the instantiation token is computed from.
pub fn model_description<M: Model>(arrays: Arrays) -> Result<d::ModelDescription, ModelError> {
    Ok(description_of::<M>(&described::<M>()?, arrays))
}

/// Finds dependencies between variables of the description.
struct Finder<'a> {
    described: &'a Described,
    items: Vec<Item>,
    /// The number of the first element of each item.
    firsts: Vec<Option<usize>>,
    /// The item of each element.
    item_of: Vec<usize>,
}

impl<'a> Finder<'a> {
    fn new<M: Model>(described: &'a Described, arrays: Arrays) -> Finder<'a> {
        let items = layout::<M>(described, arrays);
        let firsts = elements(described, &items);
        let mut numbered: Vec<(usize, usize)> = Vec::new();
        for (position, (item, first)) in items.iter().zip(&firsts).enumerate() {
            let numbers = first.iter().flat_map(|&first| first..first + item.length);
            numbered.extend(numbers.map(|number| (number, position)));
        }
        numbered.sort_unstable();
        Finder {
            described,
            items,
            firsts,
            item_of: numbered.into_iter().map(|(_, position)| position).collect(),
        }
    }

    /// Fills in the dependencies of unknowns; returns notes.
    fn add_dependencies<M: Model>(
        &self,
        model: &M,
        stage: Stage,
        unknowns: Vec<&mut d::Unknown>,
    ) -> Result<Vec<String>, ModelError> {
        let positions = unknowns.iter().map(|unknown| unknown.variable.position());
        let numbers_of = |position: Option<usize>| {
            let position = position.unwrap_or_default();
            let first = self.firsts[position].unwrap_or_default();
            first..first + self.items[position].length
        };
        let numbers: Vec<usize> = positions.flat_map(numbers_of).collect();
        let Dependencies { rows, notes, refusal } = dependencies(model, self.described, stage, &numbers);
        if let Some(sentence) = refusal {
            return Err(ModelError::new(sentence));
        }
        let mut rows = rows.into_iter();
        for unknown in unknowns {
            // The union of the rows of an array, with the weakest kind.
            let mut union: BTreeMap<usize, Kind> = BTreeMap::new();
            for row in rows.by_ref().take(numbers_of(unknown.variable.position()).len()) {
                for (known, kind) in row {
                    let weakest = union.entry(self.item_of[known]).or_insert(kind);
                    if rank(kind) > rank(*weakest) {
                        *weakest = kind;
                    }
                }
            }
            let listed = union.into_iter();
            let (knowns, kinds) = listed
                .map(|(known, kind)| (d::Reference::to(known), kind_of(kind)))
                .unzip();
            unknown.dependencies = Some(knowns);
            unknown.dependencies_kind = Some(kinds);
        }
        Ok(notes)
    }
}

/// How little a kind promises.
fn rank(kind: Kind) -> u8 {
    match kind {
        Kind::Constant => 0,
        Kind::Fixed => 1,
        Kind::Tunable => 2,
        Kind::Discrete => 3,
        Kind::Dependent => 4,
    }
}

fn description_of<M: Model>(described: &Described, arrays: Arrays) -> d::ModelDescription {
    let about = &described.about;
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let owned = |text: Option<&'static str>| text.map(str::to_owned);

    let items = layout::<M>(described, arrays);
    let variables = variables::<M>(described, &items);
    let mut interface = d::Interface::new(about.name);
    interface.can_get_and_set_fmu_state = true;
    interface.can_serialize_fmu_state = is_serializable::<M>();
    interface.provides_directional_derivative = true;
    interface.provides_adjoint_derivatives = true;
    interface.provides_per_element_dependencies = true;
    let mut model_exchange = d::ModelExchange::new(interface.clone());
    model_exchange.completed_integrator_step_not_needed = completed_steps_not_needed::<M>(described);
    let mut co_simulation = d::CoSimulation::new(interface);
    co_simulation.can_handle_variable_communication_step_size = true;
    co_simulation.max_output_derivative_order = MAX_OUTPUT_ORDER as u32;
    co_simulation.might_return_early_from_do_step = true;
    co_simulation.has_event_mode = true;
    let type_definitions: Vec<d::SimpleType> = described.types.iter().map(simple_type).collect();
    let mut description = d::ModelDescription {
        fmi_version: "3.0".to_owned(),
        model_name: about.name.to_owned(),
        description: text(about.description),
        author: owned(about.author),
        version: owned(about.version),
        copyright: owned(about.copyright),
        license: owned(about.license),
        generation_tool: Some(concat!("fmu-runtime ", env!("CARGO_PKG_VERSION")).to_owned()),
        variable_naming_convention: d::VariableNamingConvention::Structured,
        model_exchange: Some(model_exchange),
        co_simulation: Some(co_simulation),
        vendor_annotations: vec![d::VendorAnnotation {
            tool: extension::TOOL.to_owned(),
            xml: extension::ANNOTATION_3.to_owned(),
        }],
        unit_definitions: unit_definitions(&variables, &type_definitions),
        type_definitions,
        log_categories: log_categories(about.log_categories),
        default_experiment: default_experiment(about),
        model_structure: structure(described, &items, &variables),
        model_variables: variables,
        ..Default::default()
    };
    description.guid = fmu_standard::instantiation_token(&description);
    description
}

fn variables<M: Model>(described: &Described, items: &[Item]) -> Vec<d::ModelVariable> {
    let mut variables: Vec<d::ModelVariable> = Vec::with_capacity(items.len());
    // The value reference of the first element of each variable; the others follow.
    let mut firsts = vec![0; described.variables.len()];
    for (reference, item) in items.iter().enumerate() {
        let variable = match item.subject {
            Subject::Variable(number) => {
                if item.first == 0 {
                    firsts[number] = reference;
                }
                variable(&described.variables[number], item, <M as Discrete>::HAS_EVENT)
            }
            Subject::Derivative(number) => derivative(
                &described.variables[number],
                item,
                d::Reference::to(firsts[number] + item.first),
            ),
            Subject::Indicators => indicators(described, item),
            Subject::Time => independent(&variables, reference),
        };
        variables.push(d::ModelVariable {
            value_reference: reference as u32,
            ..variable
        });
    }
    variables
}

fn structure(described: &Described, items: &[Item], variables: &[d::ModelVariable]) -> d::ModelStructure {
    let listed = |is_listed: &dyn Fn(Subject, &d::ModelVariable) -> bool| -> Vec<d::Unknown> {
        let numbered = items.iter().zip(variables).enumerate();
        let listed = numbered.filter(|(_, (item, variable))| is_listed(item.subject, variable));
        listed.map(|(position, _)| d::Unknown::at(position)).collect()
    };
    let is_state_or_derivative = |subject| match subject {
        Subject::Variable(number) => described.variables[number].field.role == Role::State,
        Subject::Derivative(_) => true,
        Subject::Indicators | Subject::Time => false,
    };
    d::ModelStructure {
        outputs: listed(&|_, variable| variable.causality == Causality::Output),
        derivatives: listed(&|subject, _| matches!(subject, Subject::Derivative(_))),
        initial_unknowns: listed(&|subject, variable| {
            let is_unknown = variable.initial != Some(Initial::Exact);
            match variable.causality {
                Causality::CalculatedParameter => true,
                Causality::Output => is_unknown,
                Causality::Local => is_unknown && is_state_or_derivative(subject),
                _ => false,
            }
        }),
        event_indicators: listed(&|subject, _| subject == Subject::Indicators),
        ..Default::default()
    }
}

/// The name of a variable, or of one of its elements.
fn name(variable: &Variable, item: &Item) -> String {
    match item.is_whole {
        true => variable.name.clone(),
        false => variable.element_name(item.first),
    }
}

/// The name of a variable of the description, for messages.
pub(super) fn name_of(described: &Described, item: &Item) -> String {
    match item.subject {
        Subject::Variable(number) => name(&described.variables[number], item),
        Subject::Derivative(number) => format!("der({})", name(&described.variables[number], item)),
        Subject::Indicators => "eventIndicators".to_owned(),
        Subject::Time => "time".to_owned(),
    }
}

fn dimensions(variable: &Variable, item: &Item) -> Vec<d::Dimension> {
    let lengths = variable.shape.iter().filter(|_| item.is_whole);
    lengths
        .map(|length| d::Dimension::Fixed(*length as u64))
        .collect()
}

/// The start values of an item. One value is enough where all elements have the same.
fn start<T: Clone, S: Clone + PartialEq>(
    variable: &Variable,
    item: &Item,
    values: &[T],
    convert: impl Fn(&T) -> S,
) -> d::Start<S> {
    if !variable.has_start() {
        return d::Start::None;
    }
    let own = &values[item.first..item.first + item.length];
    let mut values: Vec<S> = own.iter().map(convert).collect();
    if values.windows(2).all(|pair| pair[0] == pair[1]) {
        values.truncate(1);
    }
    values.into()
}

fn variable(variable: &Variable, item: &Item, events: bool) -> d::ModelVariable {
    let field = &variable.field;
    let declared_type = field.declared_type.map(str::to_owned);
    let integer_attributes = || d::IntegerAttributes {
        quantity: field.attributes.quantity.map(str::to_owned),
        min: field.attributes.min.map(|min| i128::from(min as i32)),
        max: field.attributes.max.map(|max| i128::from(max as i32)),
        ..Default::default()
    };
    let kind = match &variable.start {
        Values::Real(values) => d::VariableKind::Real {
            declared_type,
            attributes: real_attributes(&field.attributes),
            start: start(variable, item, values, f64::clone),
            derivative: None,
            // An event function may set any state, and the importer must be ready for it.
            reinit: events && field.role == Role::State,
        },
        Values::Integer(values) => d::VariableKind::Integer {
            declared_type,
            attributes: integer_attributes(),
            start: start(variable, item, values, |value| i128::from(*value)),
        },
        Values::Enumeration(values, type_name) => d::VariableKind::Enumeration {
            declared_type: (*type_name).to_owned(),
            attributes: integer_attributes(),
            start: start(variable, item, values, |value| i128::from(*value)),
        },
        Values::Boolean(values) => d::VariableKind::Boolean {
            declared_type,
            start: start(variable, item, values, bool::clone),
        },
        Values::String(values) => d::VariableKind::String {
            declared_type,
            start: start(variable, item, values, String::clone),
        },
    };
    d::ModelVariable {
        name: name(variable, item),
        description: (!field.description.is_empty()).then(|| field.description.to_owned()),
        causality: variable.causality(),
        variability: variable.variability(),
        initial: variable.initial(),
        dimensions: dimensions(variable, item),
        kind,
        ..Default::default()
    }
}

/// A continuous local variable that is computed.
fn computed(name: String, description: String, unit: Option<String>) -> d::ModelVariable {
    d::ModelVariable {
        name,
        description: Some(description),
        causality: Causality::Local,
        variability: Variability::Continuous,
        initial: Some(Initial::Calculated),
        kind: d::VariableKind::Real {
            declared_type: None,
            attributes: d::RealAttributes {
                unit,
                ..Default::default()
            },
            start: d::Start::None,
            derivative: None,
            reinit: false,
        },
        ..Default::default()
    }
}

fn derivative(state: &Variable, item: &Item, of: d::Reference) -> d::ModelVariable {
    let name = name(state, item);
    let unit = state.field.attributes.unit.and_then(unit_per_second);
    let mut variable = computed(
        format!("der({name})"),
        format!("Derivative of {name} with respect to time"),
        unit,
    );
    if let d::VariableKind::Real { derivative, .. } = &mut variable.kind {
        *derivative = Some(of);
    }
    variable.dimensions = dimensions(state, item);
    variable
}

/// Event indicators, all of them or one.
fn indicators(described: &Described, item: &Item) -> d::ModelVariable {
    let is_taken = |name: &String| described.variables.iter().any(|variable| variable.name == *name);
    let numbered = (1..).map(|number| format!("eventIndicators_{number}"));
    let mut names = std::iter::once("eventIndicators".to_owned()).chain(numbered);
    let name = names.find(|name| !is_taken(name)).unwrap_or_default();
    let description = "A change of sign is an event".to_owned();
    match item.is_whole {
        true => d::ModelVariable {
            dimensions: vec![d::Dimension::Fixed(item.length as u64)],
            ..computed(name, description, None)
        },
        false => computed(format!("{name}[{}]", item.first + 1), description, None),
    }
}
