//! The coupling of FMUs that are open and connected, with what is recorded of them.

use std::collections::HashMap;
use std::sync::Arc;

use fmu_importer::{BaseType, Fmu, Glob, Value};
use fmu_standard::description::{Causality, ModelDescription};
use fmu_standard::extension::is_own;

use super::super::units::{Measure, conversion};
use super::super::{Component, LoopAlgorithm, Place, System, SystemError};
use super::open::instantiate;
use super::{AssembleOptions, Assembled, Held, Opened, Variable, Workshop, no_component};
use crate::Master;
use crate::again::Remedy;
use crate::component::{self, CoSimulationFmu, Component as _, Stepping};
use crate::coupling::{Coupling, DiscreteLink, Input, Link, Output};
use crate::history::MAX_ORDER;
use crate::model_exchange::SteppedModel;
use crate::picture::{self, Diagram};
use crate::record::{Recorder, Source};
use crate::settings::{Advance, Algorithm, Interface, Settings, Solver};
use crate::signals::Signals;

pub(super) fn couple(
    mut workshop: Workshop<'_>,
    signals: Signals,
    options: &AssembleOptions,
) -> Result<Assembled, SystemError> {
    let system = workshop.system;
    let (mut coupling, mut start) = (Coupling::default(), Vec::new());
    let mut references = Vec::new();
    for number in 0..workshop.opened.len() {
        references.push(add(&workshop, number, &mut coupling, &mut start));
    }
    coupling.discrete = discrete_links(&workshop);
    let loops = loops(system, &coupling)?;
    let (recorder, recorded) = recorder(&mut workshop, &coupling, &[])?;
    let diagram = diagram(&workshop, &coupling);
    let mut maker = Maker {
        components: system.components.clone(),
        opened: workshop.opened,
        orders: vec![MAX_ORDER; system.components.len()],
        solver: system.settings.solver,
        references,
        options: options.clone(),
    };
    let notes = maker.probe(&system.settings)?;
    if system.advance == Advance::Aggregate {
        let algorithm = system.settings.algorithm.as_str();
        let warning = format!("the system is to be aggregated, but its components step with {algorithm}");
        workshop.warnings.push(warning);
    }
    if !system.settings.solver.is_of_components() {
        let solver = system.settings.solver;
        workshop.warnings.push(format!(
            "the solver {solver} has no effect: it is for aggregate, and components that step have solvers of their own"
        ));
    }
    let components = maker.make()?;
    Ok(Assembled {
        master: Master::with_loops(coupling, components, signals, system.settings, &loops)?,
        start,
        recorded,
        recorder,
        diagram,
        warnings: [workshop.warnings, maker.warnings()].concat(),
        notes: [system.notes(), notes].concat(),
        announce: None,
        maker,
    })
}

/// The highest order of derivatives of inputs that a component follows in a first step; `None` where that cannot be found out.
fn follows(stepped: &mut CoSimulationFmu, settings: &Settings) -> Option<u32> {
    let (start, stop) = (settings.start, settings.stop);
    let entered = stepped.enter_initialization(start, stop, settings.component_tolerance());
    entered.and_then(|()| stepped.exit_initialization()).ok()?;
    let derivatives = vec![0.0; stepped.instance().fmu().description().model_variables.len()];
    for order in 1..=settings.extrapolation {
        if stepped.set_input_derivatives(order, &derivatives).is_err() {
            return Some(order - 1);
        }
    }
    Some(settings.extrapolation)
}

/// Makes the components of a system, as often as its run starts again.
pub(super) struct Maker {
    components: Vec<Component>,
    opened: Vec<Opened>,
    /// Value references of the coupled inputs and outputs of each.
    references: Vec<(Vec<u32>, Vec<u32>)>,
    /// The highest order of derivatives of inputs that each follows, as far as is known.
    orders: Vec<u32>,
    /// Around components that step through Model Exchange and have none of their own.
    solver: Solver,
    options: AssembleOptions,
}

impl Maker {
    /// Whether a component steps through Model Exchange.
    pub fn has_model_exchange(&self) -> bool {
        let mut interfaces = self.opened.iter().map(|opened| opened.interface);
        interfaces.any(|interface| interface == Interface::ModelExchange)
    }

    /// New instances of all FMUs, with their values.
    pub fn make(&self) -> Result<Vec<Box<dyn component::Component>>, SystemError> {
        let mut components: Vec<Box<dyn component::Component>> = Vec::new();
        for number in 0..self.components.len() {
            components.push(match self.opened[number].interface {
                Interface::CoSimulation => Box::new(self.make_one(number, &self.options)?),
                Interface::ModelExchange => Box::new(self.make_stepped(number)?),
            });
        }
        Ok(components)
    }

    fn make_one(&self, number: usize, options: &AssembleOptions) -> Result<CoSimulationFmu, SystemError> {
        let (component, opened) = (&self.components[number], &self.opened[number]);
        let (inputs, outputs) = self.references[number].clone();
        let instance = instantiate(component, opened, options, Fmu::co_simulation_with)?;
        let mut stepped = CoSimulationFmu::new(instance, inputs, outputs);
        stepped.limit_input_derivatives(self.orders[number]);
        Ok(stepped)
    }

    /// A component with an integrator around it.
    fn make_stepped(&self, number: usize) -> Result<SteppedModel, SystemError> {
        let (component, opened) = (&self.components[number], &self.opened[number]);
        let (inputs, outputs) = &self.references[number];
        let instance = instantiate(component, opened, &self.options, Fmu::model_exchange_with)?;
        let of_all = Some(self.solver).filter(|solver| solver.is_of_components());
        let solver = component.solver.or(of_all).unwrap_or_default();
        SteppedModel::new(instance, inputs, outputs, solver).map_err(|error| {
            SystemError::wrong(&component.place, format!("component {}: {error}", component.name))
        })
    }

    /// Takes over what came to light about a component.
    pub fn learn(&mut self, remedy: &Remedy) {
        if let Remedy::InputOrder { component, order } = *remedy {
            self.orders[component] = order;
        }
    }

    /// Finds out which derivatives of their inputs components follow, where they may be instantiated once more: the
    /// description only says that they can interpolate inputs. Returns the differences, as sentences.
    fn probe(&mut self, settings: &Settings) -> Result<Vec<String>, SystemError> {
        let mut notes = Vec::new();
        for number in 0..self.components.len() {
            let Opened { fmu, interface, .. } = &self.opened[number];
            let described = fmu.description().co_simulation.as_ref();
            let described = described.filter(|_| *interface == Interface::CoSimulation);
            let unsure = described.is_some_and(|described| {
                described.can_interpolate_inputs
                    && !described.interface.can_be_instantiated_only_once_per_process
            });
            if !unsure
                || is_own(fmu.description())
                || settings.extrapolation == 0
                || self.references[number].0.is_empty()
            {
                continue;
            }
            // What it logs on the way is of no interest: the run will log it again.
            let quiet = AssembleOptions {
                listener: Some(Arc::new(|_| {})),
                logging: false,
                ..self.options.clone()
            };
            let mut stepped = self.make_one(number, &quiet)?;
            let order = follows(&mut stepped, settings);
            if let Some(order) = order.filter(|order| *order < settings.extrapolation) {
                self.orders[number] = order;
                notes.push(format!(
                    "{} refuses derivatives of its inputs of order {}, although it declares canInterpolateInputs",
                    self.components[number].name,
                    order + 1
                ));
            }
        }
        Ok(notes)
    }

    /// Whether a run may start again.
    pub fn restarts(&self) -> bool {
        !self.options.no_restart
    }

    /// What was tolerated in the FMUs.
    fn warnings(&self) -> Vec<String> {
        let of = |(component, opened): (&Component, &Opened)| {
            let name = component.name.clone();
            let said = opened.fmu.warnings().to_vec();
            said.into_iter().map(move |warning| format!("{name}: {warning}"))
        };
        self.components.iter().zip(&self.opened).flat_map(of).collect()
    }
}

/// The diagram of a system.
pub(super) fn diagram(workshop: &Workshop<'_>, coupling: &Coupling) -> Diagram {
    let mut diagram = picture::of(&workshop.system.name, coupling);
    for (number, opened) in workshop.opened.iter().enumerate() {
        diagram.describe(number, opened.fmu.name());
        let mut held: Vec<_> = opened.held.iter().collect();
        held.sort_by_key(|(position, _)| **position);
        for (position, Held { from, .. }) in held {
            let name = |variable| workshop.variable(variable).name.as_str();
            diagram.connect((from.0, name(*from)), (number, name((number, *position))));
        }
    }
    picture::find_groups(&mut diagram);
    diagram
}

/// Adds a component to the coupling, and returns the value references of its coupled inputs and of its outputs.
fn add(
    workshop: &Workshop<'_>,
    number: usize,
    coupling: &mut Coupling,
    start: &mut Vec<f64>,
) -> (Vec<u32>, Vec<u32>) {
    let opened = &workshop.opened[number];
    let component = &workshop.system.components[number].name;
    let description = opened.fmu.description();
    let variables = &description.model_variables;
    let mut fed: Vec<(usize, Link)> = opened
        .fed
        .iter()
        .map(|(position, link)| (*position, *link))
        .collect();
    fed.sort_unstable_by_key(|(position, _)| *position);
    let input = |&(position, link): &(usize, Link)| Input {
        name: format!("{component}.{}", variables[position].name),
        link,
    };
    let depends = dependencies(description);
    let output = |position: usize| {
        let on = depends.get(&position).cloned().flatten();
        let through = fed.iter().enumerate().filter(|(_, (input, _))| match &on {
            Some(on) => on.contains(input),
            None => true,
        });
        let attributes = opened.fmu.real_attributes(position).unwrap_or_default();
        let nominal = attributes.nominal.map(f64::abs).filter(|nominal| *nominal > 0.0);
        Output {
            name: format!("{component}.{}", variables[position].name),
            nominal: nominal.unwrap_or(1.0),
            feed_through: through.map(|(index, _)| index).collect(),
        }
    };
    for (position, _) in &fed {
        let described = variables[*position].kind.start_number().unwrap_or(0.0);
        let mut given = opened.values.iter().rev();
        let given = given.find_map(|given| match &given.value {
            Value::Real(number) if given.position == *position => Some(*number),
            _ => None,
        });
        start.push(given.unwrap_or(described));
    }
    let outputs: Vec<usize> = workshop.real_outputs(number).collect();
    coupling.add(
        component,
        fed.iter().map(input).collect(),
        outputs.iter().copied().map(output).collect(),
    );
    let reference = |position: &usize| variables[*position].value_reference;
    (
        fed.iter().map(|(position, _)| reference(position)).collect(),
        outputs.iter().map(reference).collect(),
    )
}

/// The variables that each output depends on, by positions; `None` where the FMU does not declare them, which means all.
fn dependencies(description: &ModelDescription) -> HashMap<usize, Option<Vec<usize>>> {
    let of = |unknown: &fmu_standard::description::Unknown| {
        let on = unknown.depends_on();
        let on = on.map(|on| on.map(|(position, _)| position).collect());
        Some((unknown.variable.position()?, on))
    };
    description
        .model_structure
        .outputs
        .iter()
        .filter_map(of)
        .collect()
}

fn discrete_links(workshop: &Workshop<'_>) -> Vec<DiscreteLink> {
    let mut links = Vec::new();
    for (number, opened) in workshop.opened.iter().enumerate() {
        let mut held: Vec<_> = opened.held.iter().collect();
        held.sort_by_key(|(position, _)| **position);
        for (
            position,
            Held {
                from,
                gain,
                offset,
                map,
            },
        ) in held
        {
            links.push(DiscreteLink {
                names: (workshop.full_name(*from), workshop.full_name((number, *position))),
                base_type: workshop.base_type(*from),
                into: workshop.base_type((number, *position)),
                gain: *gain,
                offset: *offset,
                map: map.clone(),
                from: (from.0, workshop.variable(*from).value_reference),
                to: (number, workshop.variable((number, *position)).value_reference),
            });
        }
    }
    links
}

/// The loops with an algorithm of their own: each must be all components that need each other, and no more.
fn loops(system: &System, coupling: &Coupling) -> Result<Vec<(Vec<usize>, Algorithm)>, SystemError> {
    let sequence = coupling.structure().calling_sequence();
    let number = |name: &String, place: &Place| {
        let found = coupling.components.iter().position(|other| other == name);
        found.ok_or_else(|| no_component(name, coupling.components.iter().map(String::as_str), place))
    };
    let resolve = |wanted: &LoopAlgorithm| {
        let place = &wanted.place;
        let mut numbers = Vec::new();
        for name in &wanted.components {
            numbers.push(number(name, place)?);
        }
        numbers.sort_unstable();
        numbers.dedup();
        if sequence.contains(&numbers) {
            return Ok((numbers, wanted.algorithm));
        }
        let names = |group: &Vec<usize>| {
            let names: Vec<&str> = group
                .iter()
                .map(|&one| coupling.components[one].as_str())
                .collect();
            format!("[{}]", names.join(", "))
        };
        let found: Vec<String> = sequence
            .iter()
            .filter(|group| group.len() > 1)
            .map(names)
            .collect();
        let found = match found.is_empty() {
            true => "there is none".to_owned(),
            false => format!("there are {}", found.join(", ")),
        };
        let problem = format!(
            "[{}] is not a loop of components; {found}",
            wanted.components.join(", ")
        );
        Err(SystemError::wrong(place, problem))
    };
    system.loops.iter().map(resolve).collect()
}

/// What reads all that is recorded, where sums feed the inputs `summed`, and the numbers of the coupled outputs among it.
pub(super) fn recorder(
    workshop: &mut Workshop<'_>,
    coupling: &Coupling,
    summed: &[Variable],
) -> Result<(Recorder, Vec<usize>), SystemError> {
    let system = workshop.system;
    let patterns: Vec<Glob> = system
        .record
        .iter()
        .map(|pattern| Glob::new(&pattern.text))
        .collect();
    let mut used = vec![false; patterns.len()];
    let (mut recorder, mut recorded) = (Recorder::default(), Vec::new());
    for (number, opened) in workshop.opened.iter().enumerate() {
        let mut outputs = coupling.outputs_of(number);
        let mut inputs = coupling.inputs_of(number);
        for (position, variable) in opened.fmu.description().model_variables.iter().enumerate() {
            let is_real = BaseType::of(&variable.kind) == BaseType::Real;
            // Coupled variables have their numbers in the order of their positions.
            let source = match variable.causality {
                Causality::Output if is_real => outputs.next().map(Source::Output),
                Causality::Input
                    if opened.fed.contains_key(&position) || summed.contains(&(number, position)) =>
                {
                    inputs.next().map(Source::Input)
                }
                _ => None,
            };
            let name = format!("{}.{}", system.components[number].name, variable.name);
            let mut wanted = patterns.is_empty() && variable.causality == Causality::Output;
            for (pattern, used) in patterns.iter().zip(&mut used) {
                if variable.causality != Causality::Independent && pattern.matches(&name) {
                    (wanted, *used) = (true, true);
                }
            }
            if !wanted {
                continue;
            }
            if let Some(Source::Output(output)) = source {
                recorded.push(output);
            }
            recorder.add(&opened.fmu, number, position, name, source);
        }
    }
    for alias in &system.outputs {
        let mut wanted = false;
        for (pattern, used) in patterns.iter().zip(&mut used) {
            if pattern.matches(&alias.name) {
                (wanted, *used) = (true, true);
            }
        }
        if wanted {
            let (number, position) = workshop.find(&alias.variable, &Place::default())?;
            let real = workshop.real_outputs(number).position(|other| other == position);
            let source = real.and_then(|at| coupling.outputs_of(number).nth(at));
            let fmu = &workshop.opened[number].fmu;
            recorder.add(
                fmu,
                number,
                position,
                alias.name.clone(),
                source.map(Source::Output),
            );
            let shown = Measure {
                unit: alias.unit.clone(),
                relative: false,
            };
            let (factor, shift) = match conversion(&workshop.measure((number, position)), &shown) {
                Ok(converted) => converted,
                Err(problem) if workshop.strict_units => {
                    let problem = format!("{}: {problem}", alias.name);
                    return Err(SystemError::wrong(&Place::default(), problem));
                }
                Err(problem) => {
                    workshop.warnings.push(format!(
                        "{}: {problem}; the values of {} are recorded as they are (--strict-units)",
                        alias.name, alias.variable
                    ));
                    (1.0, 0.0)
                }
            };
            recorder.transform(
                alias.gain * factor,
                alias.gain * shift + alias.offset,
                alias.unit.as_ref(),
            );
        }
    }
    match used.iter().position(|used| !used) {
        None => Ok((recorder, recorded)),
        Some(idle) => {
            let pattern = &system.record[idle];
            let problem = format!("nothing to record matches `{}`", pattern.text);
            Err(SystemError::wrong(&pattern.place, problem))
        }
    }
}
