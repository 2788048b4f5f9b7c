//! Value references of FMI 3.0: which variables the model description has, and where their values are.
//!
//! A value reference is the position of its variable in the model description: the variables of the model in the order of their
//! declaration, then the derivatives of the states, the event indicators, and time. An array is one variable; hosts without
//! arrays get one variable per element instead.

use crate::describe::{Base, Described, Role, Values, Variable};
use crate::model::{Equations, Model, Structure};

/// How arrays are described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrays {
    /// An array is one variable with dimensions.
    Whole,
    /// Every element is a variable.
    Scalar,
}

/// What a variable of the model description is; numbers are positions in [`Described::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A variable of the model.
    Variable(usize),
    /// The derivative of a state.
    Derivative(usize),
    /// Event indicators.
    Indicators,
    /// Time.
    Time,
}

/// A variable of the model description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub subject: Subject,
    /// Its first element in that.
    pub first: usize,
    /// The number of its elements.
    pub length: usize,
    /// It is the whole of its subject, and not an element that stands alone.
    pub is_whole: bool,
}

/// The variables of the model description, by value reference.
pub fn layout<M: Model>(described: &Described, arrays: Arrays) -> Vec<Item> {
    let mut items = Vec::new();
    let mut add = |subject, length: usize| match arrays {
        Arrays::Whole => items.push(Item {
            subject,
            first: 0,
            length,
            is_whole: true,
        }),
        Arrays::Scalar => items.extend((0..length).map(|first| Item {
            subject,
            first,
            length: 1,
            is_whole: false,
        })),
    };
    for (number, variable) in described.variables.iter().enumerate() {
        add(Subject::Variable(number), variable.start.len());
    }
    for (number, state) in states(described) {
        add(Subject::Derivative(number), state.start.len());
    }
    if <M as Equations<f64>>::EVENT_INDICATORS > 0 {
        add(Subject::Indicators, <M as Equations<f64>>::EVENT_INDICATORS);
    }
    add(Subject::Time, 1);
    items
}

/// The variables that are states, with their numbers.
pub fn states(described: &Described) -> impl Iterator<Item = (usize, &Variable)> {
    let variables = described.variables.iter().enumerate();
    variables.filter(|(_, variable)| variable.field.role == Role::State)
}

/// The numbers of the scalar elements of each item, as [`Described`] counts them, by the first one; `None` for event indicators,
/// which are not counted.
pub fn elements(described: &Described, items: &[Item]) -> Vec<Option<usize>> {
    let mut firsts = Vec::with_capacity(described.variables.len());
    let mut next = 0;
    for variable in &described.variables {
        firsts.push(next);
        next += variable.start.len();
    }
    let mut derivatives = vec![0; described.variables.len()];
    for (number, state) in states(described) {
        derivatives[number] = next;
        next += state.start.len();
    }
    let first = |item: &Item| match item.subject {
        Subject::Variable(number) => Some(firsts[number] + item.first),
        Subject::Derivative(number) => Some(derivatives[number] + item.first),
        Subject::Indicators => None,
        Subject::Time => Some(next),
    };
    items.iter().map(first).collect()
}

/// The types of FMI 3.0 that variables have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// `f64`.
    Float64,
    /// `i32`.
    Int32,
    /// An enumeration, which has the functions of Int64.
    Enumeration,
    /// `bool`.
    Boolean,
    /// `String`.
    String,
}

impl Type {
    /// The type of a variable.
    pub fn of(values: &Values) -> Type {
        match values {
            Values::Real(_) => Type::Float64,
            Values::Integer(_) => Type::Int32,
            Values::Enumeration(..) => Type::Enumeration,
            Values::Boolean(_) => Type::Boolean,
            Values::String(_) => Type::String,
        }
    }
}

/// Where the values of a variable are: slots of one base type in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The type.
    pub kind: Type,
    /// The first slot.
    pub first: u32,
    /// The number of slots.
    pub length: u32,
}

/// The slot of the first event indicator, behind all Real variables.
pub const fn first_indicator<M: Model>() -> usize {
    let counts = <M as Structure<f64>>::COUNTS;
    counts.reals + counts.states + 1
}

/// The addresses of all value references.
pub fn addresses<M: Model>(described: &Described, arrays: Arrays) -> Box<[Address]> {
    let counts = <M as Structure<f64>>::COUNTS;
    let mut derivatives = vec![0; described.variables.len()];
    let mut next = counts.reals;
    for (number, state) in states(described) {
        derivatives[number] = next;
        next += state.start.len();
    }
    let address = |item: Item| {
        let (kind, slot) = match item.subject {
            Subject::Variable(number) => {
                let variable = &described.variables[number];
                debug_assert!(variable.base() != Base::Real || variable.slot < counts.reals);
                (Type::of(&variable.start), variable.slot)
            }
            Subject::Derivative(number) => (Type::Float64, derivatives[number]),
            Subject::Indicators => (Type::Float64, first_indicator::<M>()),
            Subject::Time => (Type::Float64, counts.reals + counts.states),
        };
        Address {
            kind,
            first: (slot + item.first) as u32,
            length: item.length as u32,
        }
    };
    layout::<M>(described, arrays).into_iter().map(address).collect()
}
