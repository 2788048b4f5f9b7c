//! The dependencies of single elements, found when they are asked for.

use super::extra::Extra;
use super::layout::{Subject, elements, layout};
use crate::describe::document::kind_of;
use crate::describe::{Described, InitialValue, Role, Stage, dependencies, described};
use crate::instance::{Instance, Mode, Outcome, Problem};
use crate::model::Model;
use fmu_standard::description::DependencyKind;
use fmu_standard::fmi3::{
    fmi3Constant, fmi3DependencyKind, fmi3Dependent, fmi3Discrete, fmi3Fixed, fmi3Tunable, fmi3ValueReference,
};
use std::ops::Range;

/// What the elements of all variables depend on.
pub struct Rows {
    entries: Vec<Entry>,
    /// The entries of each variable; `None` for event indicators, which are not offered.
    of_variables: Vec<Option<Range<usize>>>,
}

/// One dependency.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The element of the unknown, counted from 1.
    pub element: usize,
    /// The known.
    pub known: fmi3ValueReference,
    /// The element of the known, counted from 1.
    pub known_element: usize,
    /// How.
    pub kind: fmi3DependencyKind,
}

/// The dependencies of a variable that hold now: initial ones before initialization ends, then those of the simulation.
pub fn of_variable<'a, M: Model>(
    instance: &mut Instance<M>,
    extra: &'a mut Extra,
    reference: fmi3ValueReference,
) -> Outcome<&'a [Entry]> {
    extra.require::<M>(reference)?;
    let is_initial = matches!(instance.run.mode, Mode::Instantiated | Mode::Initialization);
    let stage = match is_initial {
        true => Stage::Initialization,
        false => Stage::Simulation,
    };
    let arrays = extra.arrays;
    let rows = match &mut extra.rows[usize::from(is_initial)] {
        Some(rows) => rows,
        none => none.insert(find(&*instance.new_model(), stage, arrays)?),
    };
    match &rows.of_variables[reference as usize] {
        Some(range) => Ok(&rows.entries[range.clone()]),
        None => Err(Problem::error(
            "the dependencies of event indicators are not offered",
        )),
    }
}

fn find<M: Model>(model: &M, stage: Stage, arrays: super::layout::Arrays) -> Outcome<Rows> {
    let described = described::<M>()?;
    let items = layout::<M>(&described, arrays);
    let firsts = elements(&described, &items);
    let mut unknowns = Vec::new();
    let mut places = vec![(0, 0); described.elements().len() + M::COUNTS.states + 1];
    for (reference, (item, first)) in items.iter().zip(&firsts).enumerate() {
        let Some(first) = *first else { continue };
        for element in 0..item.length {
            places[first + element] = (reference as fmi3ValueReference, element + 1);
        }
        if is_unknown(&described, item.subject, stage) {
            unknowns.extend(first..first + item.length);
        }
    }
    let found = dependencies(model, &described, stage, &unknowns);
    let mut rows = found.rows.into_iter();
    let mut entries = Vec::new();
    let mut of_variables = Vec::with_capacity(items.len());
    for (item, first) in items.iter().zip(&firsts) {
        let start = entries.len();
        if is_unknown(&described, item.subject, stage) {
            for (element, row) in rows.by_ref().take(item.length).enumerate() {
                entries.extend(row.into_iter().map(|(known, kind)| {
                    let (known, known_element) = places[known];
                    Entry {
                        element: element + 1,
                        known,
                        known_element,
                        kind: number_of(kind_of(kind)),
                    }
                }));
            }
        }
        of_variables.push(first.map(|_| start..entries.len()));
    }
    Ok(Rows {
        entries,
        of_variables,
    })
}

/// Whether a variable is computed in a stage; what is given depends on nothing.
fn is_unknown(described: &Described, subject: Subject, stage: Stage) -> bool {
    match subject {
        Subject::Derivative(_) => true,
        Subject::Indicators | Subject::Time => false,
        Subject::Variable(number) => {
            let field = &described.variables[number].field;
            match field.role {
                Role::Output | Role::Local | Role::Implicit => true,
                Role::Calculated => stage == Stage::Initialization,
                Role::State | Role::Discrete => {
                    let by_equations = field.initial != InitialValue::Start;
                    stage == Stage::Initialization && by_equations
                        || stage == Stage::Simulation && field.is_output()
                }
                Role::Input | Role::Parameter | Role::Constant => false,
            }
        }
    }
}

fn number_of(kind: DependencyKind) -> fmi3DependencyKind {
    match kind {
        DependencyKind::Dependent => fmi3Dependent,
        DependencyKind::Constant => fmi3Constant,
        DependencyKind::Fixed => fmi3Fixed,
        DependencyKind::Tunable => fmi3Tunable,
        DependencyKind::Discrete => fmi3Discrete,
    }
}
