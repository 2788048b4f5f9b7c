//! Which unknown depends on which known, and how: from the model's equations, run with expressions in place of numbers
//! ([`crate::pattern`]).

use super::unknowns::{Found, Solved};
use super::{Base, Described, InitialValue, Role, Values, Variable};
use crate::__private::hidden;
use crate::ModelError;
use crate::model::{Equations, Model, Structure};
use crate::pattern::{Class, Kind, explore};
use crate::scalar::{Scalar, Trace};
use fmu_standard::shared::TRIED_INTEGER_VALUES;

/// When dependencies hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// During the simulation.
    Simulation,
    /// During initialization, where initial equations hold.
    Initialization,
}

/// What some unknowns depend on. All are elements of [`Described`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Dependencies {
    /// One row per unknown: the knowns by ascending number, each with the kind of the dependency.
    pub rows: Vec<Vec<(usize, Kind)>>,
    /// One sentence per unknown that had to be taken as dependent on all knowns.
    pub notes: Vec<String>,
    /// Why the model cannot be an FMU, whatever its values are: equations without a solution, or a calculated parameter that
    /// would change during a simulation.
    pub refusal: Option<String>,
}

/// What the search for dependencies of a model needs: constants, so that a library contains no code that its model does not use.
trait Needs: Model {
    /// The model has implicit unknowns.
    const SOLVES: bool = Self::COUNTS.unknowns > 0;
    /// The model has values that exploration cannot try one by one.
    const HIDES: bool = <Self as Structure<f64>>::UNBOUNDED;
}

impl<M: Model> Needs for M {}

/// Finds what the `unknowns` depend on. `model` is instantiated: its internal fields are filled.
///
/// Knowns are all variables that have a value before the equations run (states, inputs, parameters, discrete variables)
/// and time.
pub fn dependencies<M: Model>(
    model: &M,
    described: &Described,
    stage: Stage,
    unknowns: &[usize],
) -> Dependencies {
    let elements = described.elements();
    let states = described.states();
    let state_of = |unknown: usize| elements[states[unknown - elements.len()]];
    let mut knowns = knowns::<M>(described, &elements, stage);
    let first_unknown = knowns.len();
    knowns.extend(implicit_unknowns(&elements));
    let classes: Vec<Class> = knowns.iter().map(|known| known.class).collect();
    let mut lifted: Box<M::Lifted<Trace>> = Box::new(model.lifted());
    let mut derivatives = vec![Trace::constant(0.0); M::COUNTS.states];
    let usages = <M as Equations<f64>>::usages();
    // What is not a number cannot carry the reason: it is looked up.
    let reason_of = |&unknown: &usize| match elements.get(unknown) {
        Some((variable, _)) if M::HIDES && variable.base() != Base::Real => {
            hidden::reason_of(usages, &variable.name)
        }
        _ => None,
    };
    let reasons: Vec<Option<&str>> = unknowns.iter().map(reason_of).collect();
    let mut residuals = vec![Trace::constant(0.0); M::COUNTS.unknowns];
    let calculated: Vec<(&Variable, usize)> = match stage {
        Stage::Simulation => calculated_parameters(&elements).collect(),
        Stage::Initialization => Vec::new(),
    };
    let (mut structural, mut has_values) = (None, false);
    let found = explore(&classes, |values| {
        let time = set::<M>(&mut lifted, &knowns, values);
        let mut evaluate = || {
            lifted.update_calculated()?;
            if stage == Stage::Initialization {
                lifted.update_initial(time)?;
            }
            lifted.update_locals(time)?;
            lifted.eval_derivatives(time, &mut derivatives)?;
            lifted.update_outputs(time)?;
            if M::SOLVES {
                lifted.eval_residuals(time, &mut residuals)?;
            }
            Ok(())
        };
        if let Err(error) = evaluate() {
            let error: ModelError = error;
            structural = structural.take().or(error.is_structural().then_some(error));
            return None;
        }
        has_values = true;
        let value = |(&unknown, reason): (&usize, &Option<&'static str>)| {
            let Some(&(variable, element)) = elements.get(unknown) else {
                return derivatives[unknown - elements.len()];
            };
            let value = value::<M>(variable, element, &lifted);
            reason.map_or(value, |because| value.obscured(because))
        };
        let calculated = calculated
            .iter()
            .map(|&(variable, element)| self::value::<M>(variable, element, &lifted));
        let values = unknowns.iter().zip(&reasons).map(value).chain(calculated);
        Some(values.chain(residuals.iter().copied()).collect())
    });
    let mut found: Vec<Found> = found.unknowns;
    let mut calculated_found = found.split_off(unknowns.len().min(found.len()));
    let residuals = calculated_found.split_off(calculated.len().min(calculated_found.len()));
    let solved = M::SOLVES.then(|| Solved::new(first_unknown, residuals));
    let unknown_name = |number: usize| {
        let (variable, element) = elements[knowns[first_unknown + number].element];
        variable.element_name(element)
    };
    let too_early = || {
        unknowns.iter().zip(&found).find_map(|(&unknown, found)| {
            let (variable, element) = elements.get(unknown)?;
            let function = variable.field.evaluated_before_unknowns()?;
            let (read, _) = found.on.iter().find(|(known, _)| *known >= first_unknown)?;
            Some(format!(
                "`fn {function}` reads the implicit unknown `{}` for `{}`, and runs before it is known",
                unknown_name(read - first_unknown),
                variable.element_name(*element)
            ))
        })
    };
    let changing = || {
        calculated.iter().zip(&calculated_found).find_map(|(&(variable, element), found)| {
            let reads = |&(known, _): &(usize, Kind)| elements.get(knowns.get(known)?.element).copied();
            let changes = |(read, _): &(&Variable, usize)| !matches!(read.field.role, Role::Parameter | Role::Constant);
            let (read, of_read) = found.on.iter().filter_map(reads).find(changes)?;
            Some(format!(
                "`fn calculated` computes `{}` from `{}`, but a calculated parameter is constant during a simulation \
                 (FMI 2.0.5, 2.2.7); make it a `#[local]`, and compute it in `fn locals`",
                variable.element_name(element),
                read.element_name(of_read)
            ))
        })
    };
    let refusal = match &solved {
        Some(solved) if M::SOLVES => solved
            .singular(unknown_name)
            .or_else(|| (stage == Stage::Initialization).then(too_early).flatten()),
        _ => None,
    };
    let refusal = match structural {
        Some(error) if !has_values => Some(error.message().to_owned()),
        _ => refusal.or_else(changing),
    };
    knowns.truncate(first_unknown);
    let mut notes = Vec::new();
    let rows = unknowns.iter().zip(found).map(|(&unknown, found)| {
        let found = match &solved {
            Some(solved) if M::SOLVES => solved.without_unknowns(found),
            _ => found,
        };
        let variable = elements.get(unknown);
        if let Some(reason) = &found.dense {
            let name = match variable {
                Some((variable, element)) => variable.element_name(*element),
                None => {
                    let (state, element) = state_of(unknown);
                    format!("der({})", state.element_name(element))
                }
            };
            notes.push(format!("{name} is listed as dependent on all knowns: {reason}"));
            let all = knowns.iter().map(|known| (known.element, Kind::Dependent));
            return all.collect();
        }
        let is_real = variable.is_none_or(|(variable, _)| variable.base() == Base::Real);
        let is_stored = M::HIDES
            && match variable {
                Some((variable, _)) => hidden::has_stored_factor(usages, &variable.name, false),
                None => hidden::has_stored_factor(usages, &state_of(unknown).0.name, true),
            };
        let entry = |&(known, kind): &(usize, Kind)| {
            // A factor that was stored at an event stays until the next one.
            let kind = if is_stored { kind.max(Kind::Discrete) } else { kind };
            (knowns[known].element, kind_of(kind, stage, is_real))
        };
        found.on.iter().map(entry).collect()
    });
    Dependencies {
        rows: rows.collect(),
        notes,
        refusal,
    }
}

/// All calculated parameters that are numbers or decided by numbers.
fn calculated_parameters<'a>(
    elements: &'a [(&'a Variable, usize)],
) -> impl Iterator<Item = (&'a Variable, usize)> {
    let is_calculated = |(variable, _): &&(&Variable, usize)| variable.field.role == Role::Calculated;
    elements.iter().filter(is_calculated).copied()
}

/// The implicit unknowns, which have values before the equations run, too.
fn implicit_unknowns(elements: &[(&Variable, usize)]) -> Vec<Known> {
    let numbered = elements.iter().enumerate();
    let unknowns = numbered.filter(|(_, (variable, _))| variable.field.role == Role::Implicit);
    let known = |(number, (variable, element)): (usize, &(&Variable, usize))| Known {
        element: number,
        class: Class::State,
        options: Options::Real(variable.slot + element),
    };
    unknowns.map(known).collect()
}

/// A variable that a run sets from outside: where it is, and what the exploration knows of it.
struct Known {
    element: usize,
    class: Class,
    options: Options,
}

/// How a value is made from an expression; the numbers are slots.
enum Options {
    Real(usize),
    Integers(usize, Vec<i32>),
    Booleans(usize),
    Strings(usize, Vec<String>),
    Time,
}

/// Everything that has a value before the equations run.
fn knowns<M: Model>(described: &Described, elements: &[(&Variable, usize)], stage: Stage) -> Vec<Known> {
    let mut compared = Vec::new();
    if M::HIDES {
        <M as Equations<f64>>::usages().integers(&mut compared);
    }
    let mut knowns = Vec::new();
    for (number, &(variable, element)) in elements.iter().enumerate() {
        let role = variable.field.role;
        let by_initial_equation = variable.field.initial != InitialValue::Start && role != Role::Input;
        // A constant is not traced: it is the number that it is.
        if variable.field.is_computed()
            || role == Role::Constant
            || stage == Stage::Initialization && by_initial_equation
        {
            continue;
        }
        knowns.push(Known {
            element: number,
            class: class(variable),
            options: options(described, variable, element, &compared),
        });
    }
    knowns.push(Known {
        element: elements.len() + M::COUNTS.states,
        class: Class::Time,
        options: Options::Time,
    });
    knowns
}

fn class(variable: &Variable) -> Class {
    match variable.field.role {
        Role::State => Class::State,
        Role::Parameter if variable.field.tunable => Class::Tunable,
        Role::Parameter => Class::Fixed,
        _ if variable.is_continuous_input() => Class::Input,
        _ => Class::Discrete,
    }
}

fn options(described: &Described, variable: &Variable, element: usize, compared: &[i32]) -> Options {
    let slot = variable.slot + element;
    let attributes = &variable.field.attributes;
    match &variable.start {
        Values::Real(_) => Options::Real(slot),
        Values::Integer(start) => Options::Integers(
            slot,
            integers(start[element], attributes.min, attributes.max, compared),
        ),
        Values::Enumeration(_, name) => Options::Integers(
            slot,
            described.items(name).iter().map(|(_, value, _)| *value).collect(),
        ),
        Values::Boolean(_) => Options::Booleans(slot),
        Values::String(start) => {
            let start = &start[element];
            Options::Strings(slot, vec![start.clone(), format!("{start}_"), String::new()])
        }
    }
}

/// The values to try of an integer: all of them, if they are few. Otherwise the equations decide by it only where they
/// compare it with one of `compared` (see `decisions` in `fmu_macros`), and the numbers around these take every turn; the
/// others show what arithmetic makes of it, with small numbers and with large ones.
fn integers(start: i32, min: Option<f64>, max: Option<f64>, compared: &[i32]) -> Vec<i32> {
    let (low, high) = (
        min.map_or(i32::MIN, |min| min as i32),
        max.map_or(i32::MAX, |max| max as i32),
    );
    if i64::from(high) - i64::from(low) < TRIED_INTEGER_VALUES {
        return (low..=high).collect();
    }
    let mut values = vec![
        0, 1, 2, 3, 5, 7, -1, low, high, start, 7_919, -1_000_003, 1_000_003,
    ];
    for &value in compared.iter().chain([&start]) {
        values.extend([value.saturating_sub(1), value, value.saturating_add(1)]);
    }
    values.retain(|value| (low..=high).contains(value));
    values.sort_unstable();
    values.dedup();
    values
}

/// Puts the expressions into the model; returns the time.
fn set<M: Model>(model: &mut M::Lifted<Trace>, knowns: &[Known], values: &[Trace]) -> Trace {
    let mut time = Trace::constant(0.0);
    for (known, value) in knowns.iter().zip(values) {
        match &known.options {
            Options::Real(slot) => model.set_real(*slot, *value),
            Options::Integers(slot, options) if !options.is_empty() => {
                model.set_integer(*slot, options[value.choose(options.len())]);
            }
            Options::Integers(..) => {}
            Options::Booleans(slot) => model.set_boolean(*slot, value.choose(2) == 1),
            Options::Strings(slot, options) => model.set_string(*slot, &options[value.choose(options.len())]),
            Options::Time => time = *value,
        }
    }
    time
}

/// The value of an unknown: an expression, or for a variable that is not a Real a number that differs where its values
/// differ.
fn value<M: Model>(variable: &Variable, element: usize, model: &M::Lifted<Trace>) -> Trace {
    let slot = variable.slot + element;
    match variable.base() {
        Base::Real => model.real(slot),
        Base::Integer => Trace::constant(f64::from(model.integer(slot))),
        Base::Boolean => Trace::constant(f64::from(u8::from(model.boolean(slot)))),
        Base::String => Trace::constant(model.string(slot).bytes().fold(0.0, |hash, byte| {
            (hash * 31.0 + f64::from(byte)) % 9_007_199_254_740_881.0
        })),
    }
}

/// `Fixed`, `Tunable` and `Discrete` describe what happens after initialization; only Real unknowns have factors.
fn kind_of(kind: Kind, stage: Stage, is_real: bool) -> Kind {
    match kind {
        _ if !is_real => Kind::Dependent,
        Kind::Constant => Kind::Constant,
        kind if stage == Stage::Simulation => kind,
        _ => Kind::Dependent,
    }
}
