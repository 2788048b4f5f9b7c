//! The dependencies of `ModelStructure`, from the equations themselves: they are run with expressions for numbers
//! ([`crate::pattern`]), once for the unknowns of simulation and once for those of initialization.

use super::{Described, Group, Value, Variable};
use crate::model::{Equations, Model, Structure};
use crate::pattern::{Class, Dependencies, Kind, explore};
use crate::scalar::{Scalar, Trace};
use fmu_standard::description::{
    Causality, DependencyKind, Initial, ModelStructure, ScalarVariable, SimpleType, TypeKind, Unknown,
    Variability, VariableKind,
};

/// The structure with all dependencies, and a sentence for each unknown that had to be taken as dependent on all.
pub struct Found {
    pub structure: ModelStructure,
    pub notes: Vec<String>,
}

/// Fills in the dependencies of `structure`, whose unknowns are complete. `model` is instantiated: its internal
/// fields are filled.
pub fn find<M: Model>(
    model: &M,
    described: &Described,
    variables: &[ScalarVariable],
    structure: ModelStructure,
) -> Found {
    let own = &described.variables;
    let mut notes = Vec::new();
    let mut compared = Vec::new();
    <M as Equations<f64>>::integers(&mut compared);
    let stage = |stage: Stage, unknowns: Vec<Unknown>, notes: &mut Vec<String>| {
        run(
            &Run::<M> {
                stage,
                model,
                own,
                variables,
                types: &described.types,
                compared: &compared,
            },
            unknowns,
            notes,
        )
    };
    // One exploration for outputs and derivatives: they share the same runs.
    let count = structure.outputs.len();
    let both = structure
        .outputs
        .into_iter()
        .chain(structure.derivatives)
        .collect();
    let mut outputs = stage(Stage::Simulation, both, &mut notes);
    let derivatives = outputs.split_off(count);
    let initial_unknowns = stage(Stage::Initialization, structure.initial_unknowns, &mut notes);
    Found {
        structure: ModelStructure {
            outputs,
            derivatives,
            initial_unknowns,
        },
        notes,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Simulation,
    Initialization,
}

struct Run<'a, M: Model> {
    stage: Stage,
    model: &'a M,
    own: &'a [Variable],
    variables: &'a [ScalarVariable],
    types: &'a [SimpleType],
    /// The integers that the equations compare integers with.
    compared: &'a [i32],
}

/// A variable that a run sets from outside: where it is, and what the exploration knows of it.
struct Known {
    /// Position in the model description.
    position: usize,
    /// Listed among the knowns of the standard, or one that only shapes factors and branches.
    listed: bool,
    class: Class,
    options: Options,
}

/// How a value is made from an expression.
enum Options {
    Real(usize),
    Integers(usize, Vec<i32>),
    Booleans(usize),
    Strings(usize, Vec<String>),
    Time,
}

fn run<M: Model>(run: &Run<'_, M>, mut unknowns: Vec<Unknown>, notes: &mut Vec<String>) -> Vec<Unknown> {
    let knowns = knowns(run);
    let classes: Vec<Class> = knowns.iter().map(|known| known.class).collect();
    let mut lifted: Box<M::Lifted<Trace>> = Box::new(run.model.lifted());
    let mut derivatives = vec![Trace::constant(0.0); M::COUNTS.states];
    let undecided = <M::Lifted<Trace> as Equations<Trace>>::UNDECIDED;
    let found = explore(&classes, |values| {
        let time = set::<M>(&mut lifted, &knowns, values);
        lifted.update_calculated().ok()?;
        if run.stage == Stage::Initialization {
            lifted.update_initial(time).ok()?;
        }
        lifted.update_locals(time).ok()?;
        lifted.eval_derivatives(time, &mut derivatives).ok()?;
        lifted.update_outputs(time).ok()?;
        let value = |unknown: &Unknown| {
            let position = unknown.index as usize - 1;
            let value = value::<M>(run.own, position, &lifted, &derivatives);
            match undecided
                .iter()
                .find(|(field, _)| is_of(run.own, position, field))
            {
                Some((_, because)) => value.obscured(because),
                None => value,
            }
        };
        Some(unknowns.iter().map(value).collect())
    });
    for (unknown, dependencies) in unknowns.iter_mut().zip(found.unknowns) {
        let variable = &run.variables[unknown.index as usize - 1];
        if let Some(reason) = &dependencies.dense {
            notes.push(format!(
                "{} is listed as dependent on all knowns: {reason}",
                variable.name
            ));
        }
        let is_real = matches!(variable.kind, VariableKind::Real { .. });
        list(unknown, &dependencies, &knowns, run.stage, is_real);
    }
    unknowns
}

/// Everything that has a value before the equations run.
fn knowns<M: Model>(run: &Run<'_, M>) -> Vec<Known> {
    let mut knowns: Vec<Known> = run
        .own
        .iter()
        .enumerate()
        .filter_map(|(position, variable)| known(run, position, variable))
        .collect();
    knowns.push(Known {
        position: run.variables.len() - 1,
        listed: true,
        class: Class::Time,
        options: Options::Time,
    });
    knowns
}

fn known<M: Model>(run: &Run<'_, M>, position: usize, variable: &Variable) -> Option<Known> {
    let stage = run.stage;
    let field = &variable.field;
    let is_computed = matches!(field.group, Group::Local | Group::Output | Group::Calculated);
    let by_initial_equation = field.initial != Some(Initial::Exact) && field.causality != Causality::Input;
    // A constant is the number it is.
    if is_computed
        || field.variability == Variability::Constant
        || stage == Stage::Initialization && by_initial_equation
    {
        return None;
    }
    let is_input = field.causality == Causality::Input;
    let class = match field.variability {
        Variability::Fixed => Class::Fixed,
        Variability::Tunable => Class::Tunable,
        Variability::Discrete => Class::Discrete,
        _ if is_input => Class::Input,
        _ => Class::State,
    };
    let listed = match stage {
        Stage::Simulation => is_input || field.group == Group::State,
        Stage::Initialization => true,
    };
    let slot = variable.slot;
    let options = match &variable.value {
        Value::Real(_) => Options::Real(slot),
        Value::Integer(start) => {
            Options::Integers(slot, integers(*start, field.min, field.max, run.compared))
        }
        Value::Enumeration(_, name) => Options::Integers(slot, items(run.types, name)),
        Value::Boolean(_) => Options::Booleans(slot),
        Value::String(start) => {
            Options::Strings(slot, vec![start.clone(), format!("{start}_"), String::new()])
        }
    };
    Some(Known {
        position,
        listed,
        class,
        options,
    })
}

/// The values of an enumeration.
fn items(types: &[SimpleType], name: &str) -> Vec<i32> {
    let definition = types.iter().find(|definition| definition.name == name);
    match definition.map(|definition| &definition.kind) {
        Some(TypeKind::Enumeration { items, .. }) => items.iter().map(|item| item.value).collect(),
        _ => Vec::new(),
    }
}

/// Whether a variable is (an element of) a field of the model that is no number.
fn is_of(own: &[Variable], position: usize, field: &str) -> bool {
    own.get(position).is_some_and(|variable| {
        let name = variable.name.split('[').next();
        name == Some(field) && !matches!(variable.value, Value::Real(_))
    })
}

/// An integer with at most so many values between its bounds is tried with all of them; `fmu_macros` knows the same
/// number.
const TRIED: i64 = 256;

/// The values to try of an integer: all of them, if they are few. Otherwise the equations decide by it only where they
/// compare it with one of `compared` (see `reach` in `fmu_macros`), and the numbers around these take every turn; the
/// others show what arithmetic makes of it, with small numbers and with large ones.
fn integers(start: i32, min: Option<f64>, max: Option<f64>, compared: &[i32]) -> Vec<i32> {
    let (low, high) = (
        min.map_or(i32::MIN, |min| min as i32),
        max.map_or(i32::MAX, |max| max as i32),
    );
    if i64::from(high) - i64::from(low) < TRIED {
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

/// What an unknown became: an expression, or for one that is no Real a number that tells its values apart.
fn value<M: Model>(
    own: &[Variable],
    position: usize,
    model: &M::Lifted<Trace>,
    derivatives: &[Trace],
) -> Trace {
    let Some(variable) = own.get(position) else {
        return derivatives[position - own.len()];
    };
    let slot = variable.slot;
    match variable.value {
        Value::Real(_) => model.real(slot),
        Value::Integer(_) | Value::Enumeration(..) => Trace::constant(f64::from(model.integer(slot))),
        Value::Boolean(_) => Trace::constant(f64::from(u8::from(model.boolean(slot)))),
        Value::String(_) => Trace::constant(model.string(slot).bytes().fold(0.0, |hash, byte| {
            (hash * 31.0 + f64::from(byte)) % 9_007_199_254_740_881.0
        })),
    }
}

/// Writes the dependencies as the standard wants them: positions of listed knowns, ascending, with their kinds.
fn list(unknown: &mut Unknown, found: &Dependencies, knowns: &[Known], stage: Stage, is_real: bool) {
    let entries: Vec<(u32, DependencyKind)> = match found.dense {
        Some(_) => knowns
            .iter()
            .filter(|known| known.listed)
            .map(|known| (known, DependencyKind::Dependent))
            .collect::<Vec<_>>(),
        None => found
            .on
            .iter()
            .map(|(index, kind)| (&knowns[*index], kind_of(*kind, stage, is_real)))
            .collect(),
    }
    .into_iter()
    .filter(|(known, _)| known.listed)
    .map(|(known, kind)| (known.position as u32 + 1, kind))
    .collect();
    let (dependencies, kinds) = entries.into_iter().unzip();
    unknown.dependencies = Some(dependencies);
    unknown.dependencies_kind = Some(kinds);
}

/// `fixed`, `tunable` and `discrete` speak of what happens after initialization; only Real unknowns have factors.
fn kind_of(kind: Kind, stage: Stage, is_real: bool) -> DependencyKind {
    match kind {
        _ if !is_real => DependencyKind::Dependent,
        Kind::Constant => DependencyKind::Constant,
        Kind::Fixed if stage == Stage::Simulation => DependencyKind::Fixed,
        Kind::Tunable if stage == Stage::Simulation => DependencyKind::Tunable,
        Kind::Discrete if stage == Stage::Simulation => DependencyKind::Discrete,
        _ => DependencyKind::Dependent,
    }
}
