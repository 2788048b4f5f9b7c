//! A model's variables as data in the model's own terms: fields with roles, shapes and start values, those of parts
//! included. Each version of the standard makes its model description from it, and the runtime its tables.

mod dependencies;
pub(crate) mod document;
mod field;
mod standard;
mod unknowns;
pub(crate) mod values;

pub use dependencies::{Dependencies, Stage, dependencies};
pub use field::{Attributes, Field, InitialValue, Role, TypeDefinition, TypeKind};
pub use unknowns::check_unknowns;
pub use values::{Base, Enumeration, FieldValue, Values};

use crate::ModelError;
use crate::model::{About, Describe, Model};
use std::path::Path;

/// A variable of the model: a scalar or an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Full name without array indices: `left.p`, `cells[2].x`.
    pub name: String,
    /// The field: role, flags, attributes.
    pub field: Field,
    /// The lengths of the dimensions, the outermost one first; empty for a scalar.
    pub shape: Vec<usize>,
    /// The values in the default model, row by row: the start values, where the variable has any.
    pub start: Values,
    /// The slot of the first element among the variables of the same [`Base`]; the other elements follow.
    pub slot: usize,
}

impl Variable {
    /// The base type.
    pub fn base(&self) -> Base {
        self.start.base()
    }

    /// The name of an element, counted row by row: `x[1,2]`. Indices begin with 1, as in Modelica.
    pub fn element_name(&self, element: usize) -> String {
        let mut indices = Vec::with_capacity(self.shape.len());
        let mut rest = element;
        for length in self.shape.iter().rev() {
            indices.push((rest % length + 1).to_string());
            rest /= length;
        }
        indices.reverse();
        match indices.is_empty() {
            true => self.name.clone(),
            false => format!("{}[{}]", self.name, indices.join(",")),
        }
    }

    /// Whether the variable is an input that may have another value at every point in time.
    pub fn is_continuous_input(&self) -> bool {
        self.field.role == Role::Input && self.base() == Base::Real && !self.field.discrete
    }

    /// A typical magnitude: `nominal`, or 1.
    pub fn nominal(&self) -> f64 {
        self.field.attributes.nominal.unwrap_or(1.0)
    }
}

/// Collects the variables of a model and of its parts.
#[derive(Debug, Default)]
pub struct Describer {
    /// Names of the parts around the current one, each with its dot.
    prefix: String,
    /// The next free slot of each base type.
    slots: [usize; 4],
    variables: Vec<Variable>,
    types: Vec<TypeDefinition>,
    /// What makes the description impossible.
    problems: Vec<String>,
}

impl Describer {
    /// Adds a field with its start values.
    pub fn field(&mut self, field: Field, value: &dyn FieldValue) {
        value.define_type(self);
        let (start, shape) = value.values();
        if start.is_empty() {
            return;
        }
        let next = &mut self.slots[start.base() as usize];
        let slot = *next;
        *next += start.len();
        self.variables.push(Variable {
            name: format!("{}{}", self.prefix, field.name),
            field,
            shape,
            start,
            slot,
        });
    }

    /// Adds the variables of a part under `name.`. The model around the part drives its `connected` inputs, so for the
    /// environment they are local variables.
    pub fn part(&mut self, name: &str, part: &dyn DescribePart, connected: &[&str]) {
        let (outer, first) = (self.prefix.len(), self.variables.len());
        self.prefix.push_str(name);
        self.prefix.push('.');
        part.describe_part(self);
        for input in connected {
            let full_name = format!("{}{input}", self.prefix);
            let mut variables = self.variables[first..].iter_mut();
            match variables.find(|variable| variable.name == full_name) {
                Some(Variable {
                    field,
                    shape,
                    start: Values::Real(_),
                    ..
                }) if field.role == Role::Input && shape.is_empty() => {
                    field.role = Role::Local;
                    // What drives it may change at any time, also where the part expects a discrete input.
                    field.discrete = false;
                    field.initial = InitialValue::Calculated;
                }
                _ => self.problems.push(format!(
                    "`{full_name}` cannot be connected: only an `#[input]` of type f64 can"
                )),
            }
        }
        self.prefix.truncate(outer);
    }

    /// Adds the variables of an array of parts under `name[1].`, `name[2].` and so on.
    pub fn parts(&mut self, name: &str, parts: &[impl Describe], connected: &[&str]) {
        for (index, part) in parts.iter().enumerate() {
            self.part(&format!("{name}[{}]", index + 1), part, connected);
        }
    }

    /// Adds a type definition; the parts of a model may bring the same one several times.
    pub fn define_type(&mut self, definition: TypeDefinition) {
        match self.types.iter().find(|known| known.name == definition.name) {
            None => self.types.push(definition),
            Some(known) if *known == definition => {}
            Some(_) => self.problems.push(format!(
                "two parts define the type `{}` differently: rename one or make them equal",
                definition.name
            )),
        }
    }
}

/// Object-safe face of [`Describe`].
pub trait DescribePart {
    /// Adds every variable to `describer`.
    fn describe_part(&self, describer: &mut Describer);
}

impl<M: Describe> DescribePart for M {
    fn describe_part(&self, describer: &mut Describer) {
        self.describe(describer);
    }
}

/// Everything that a model declares about itself.
///
/// Its *elements* are the scalars of all variables, in the order of their declaration and row by row, then the
/// derivatives of the states, then time: [`dependencies`] refers to knowns and unknowns by these numbers.
#[derive(Debug)]
pub struct Described {
    /// The attributes of `#[model(...)]`.
    pub about: About,
    /// All variables, in the order of their declaration.
    pub variables: Vec<Variable>,
    /// Type definitions.
    pub types: Vec<TypeDefinition>,
}

impl Described {
    /// The variable of each scalar element, with the number of the element in its variable.
    pub fn elements(&self) -> Vec<(&Variable, usize)> {
        let mut elements = Vec::new();
        for variable in &self.variables {
            elements.extend((0..variable.start.len()).map(|element| (variable, element)));
        }
        elements
    }

    /// The numbers of the elements that are states.
    pub fn states(&self) -> Vec<usize> {
        let elements = self.elements();
        let is_state = |&number: &usize| elements[number].0.field.role == Role::State;
        (0..elements.len()).filter(is_state).collect()
    }

    /// The items of an enumeration.
    pub fn items(&self, name: &str) -> &'static [(&'static str, i32, &'static str)] {
        match self
            .types
            .iter()
            .find(|known| known.name == name)
            .map(|known| &known.kind)
        {
            Some(TypeKind::Enumeration(items)) => items,
            _ => &[],
        }
    }
}

/// Whether a snapshot of the model can be written as bytes, internal fields included.
pub fn is_serializable<M: Describe + Default>() -> bool {
    let mut all = true;
    M::default().unstored("", &mut |_| all = false);
    all
}

/// Lets a model describe itself.
pub fn described<M: Describe + Default>() -> Result<Described, ModelError> {
    let mut describer = Describer::default();
    M::default().describe(&mut describer);
    let about = M::about();
    let infinite = infinite(&about, &describer.variables, &describer.types);
    describer.problems.extend(infinite);
    if !describer.problems.is_empty() {
        return Err(ModelError::new(describer.problems.join("; ")));
    }
    Ok(Described {
        about,
        variables: describer.variables,
        types: describer.types,
    })
}

/// A sentence for each number that a model description cannot contain: one that is infinite or not a number.
fn infinite(about: &About, variables: &[Variable], types: &[TypeDefinition]) -> Vec<String> {
    let mut problems = Vec::new();
    let of_model = [
        ("start_time", about.start_time),
        ("stop_time", about.stop_time),
        ("step_size", about.step_size),
        ("tolerance", about.tolerance),
    ];
    judge(&mut problems, &of_model, &|| {
        format!("the model `{}`", about.name)
    });
    for definition in types {
        if let TypeKind::Real(attributes) = &definition.kind {
            judge(&mut problems, &bounds(attributes), &|| {
                format!("the type `{}`", definition.name)
            });
        }
    }
    for variable in variables {
        judge(&mut problems, &bounds(&variable.field.attributes), &|| {
            format!("`{}`", variable.name)
        });
        if let Values::Real(start) = &variable.start
            && variable.has_start()
            && let Some(element) = start.iter().position(|value| !value.is_finite())
        {
            judge(&mut problems, &[("start", Some(start[element]))], &|| {
                format!("`{}`", variable.element_name(element))
            });
        }
    }
    problems
}

fn bounds(attributes: &Attributes) -> [(&'static str, Option<f64>); 3] {
    [
        ("min", attributes.min),
        ("max", attributes.max),
        ("nominal", attributes.nominal),
    ]
}

/// Not part of its callers: every library contains it, and it is only there for mistakes.
#[inline(never)]
fn judge(problems: &mut Vec<String>, numbers: &[(&str, Option<f64>)], owner: &dyn Fn() -> String) {
    for (key, value) in numbers {
        if let Some(value) = value.filter(|value| !value.is_finite()) {
            let owner = owner();
            problems.push(format!(
                "`{key}` of {owner} is {value}: it must be a finite number"
            ));
        }
    }
}

/// A model with its internal fields filled, so that its equations can be run.
pub fn instantiated<M: Model>(resources: &Path) -> Result<Box<M>, ModelError> {
    let mut model = Box::new(M::default());
    model.on_instantiate(resources).map_err(|error| {
        ModelError::new(format!(
            "`fn instantiate` failed, and the equations cannot be run without it: {error}"
        ))
    })?;
    Ok(model)
}
