//! A model's variables as data, told by the model itself: the source of the model description and of the
//! tables by which value references are resolved.

mod dependencies;
mod model_description;

#[cfg(feature = "bdf")]
pub(crate) use model_description::derivative_dependencies;
pub use model_description::{full_description, model_description};

use crate::ModelError;
use crate::model::{About, Describe};
use fmu_standard::description::{Causality, EnumerationItem, Initial, SimpleType, Variability};

/// Which of the author's functions gives a variable its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Nobody: start value, environment, or `fn event`.
    Given,
    /// A continuous state.
    State,
    /// `fn calculated`.
    Calculated,
    /// `fn locals`.
    Local,
    /// `fn outputs`.
    Output,
}

/// What `#[model]` knows of a field when it compiles: everything but its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Field name; parts and array indices are added on the way.
    pub name: &'static str,
    /// Doc comment.
    pub description: &'static str,
    /// Resolved from role and flags.
    pub causality: Causality,
    /// Resolved from role and flags.
    pub variability: Variability,
    /// Resolved; `None` where the standard forbids it (inputs).
    pub initial: Option<Initial>,
    /// Who computes it.
    pub group: Group,
    /// `unit`.
    pub unit: Option<&'static str>,
    /// `display_unit`.
    pub display_unit: Option<&'static str>,
    /// `quantity`.
    pub quantity: Option<&'static str>,
    /// `declared_type`.
    pub declared_type: Option<&'static str>,
    /// `min`; exact for integers too.
    pub min: Option<f64>,
    /// `max`; exact for integers too.
    pub max: Option<f64>,
    /// `nominal`.
    pub nominal: Option<f64>,
    /// `unbounded`.
    pub unbounded: Option<bool>,
    /// `relative_quantity`.
    pub relative_quantity: Option<bool>,
}

/// A start value, as the variable's type has it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `f64`.
    Real(f64),
    /// `i32`.
    Integer(i32),
    /// `bool`.
    Boolean(bool),
    /// `String`.
    String(String),
    /// An enumeration, with the name of its type.
    Enumeration(i32, &'static str),
}

/// A scalar variable of the flattened model.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Full name: `left.p`, `x[1,2]`.
    pub name: String,
    /// What the field says.
    pub field: Field,
    /// Value in the default model: the start value, where the variable has one.
    pub value: Value,
    /// Slot among the variables of the same base type (enumerations count as integers).
    pub slot: usize,
}

/// Collects the variables of a model and of its parts.
#[derive(Debug, Default)]
pub struct Describer {
    /// Names of the parts around the current one, each with its dot.
    prefix: String,
    slots: [usize; 4],
    /// All variables, in declaration order.
    pub variables: Vec<Variable>,
    /// Type definitions, each once.
    pub types: Vec<SimpleType>,
    /// What makes the description impossible.
    pub problems: Vec<String>,
}

impl Describer {
    /// Adds a field: one variable, or one for each element of an array.
    pub fn field(&mut self, field: Field, value: &dyn FieldValue) {
        value.define_type(self);
        value.elements(&mut Vec::new(), &mut |indices, value| {
            let mut name = format!("{}{}", self.prefix, field.name);
            if !indices.is_empty() {
                // FMI counts array elements as Modelica does, from 1.
                let indices: Vec<String> = indices.iter().map(|index| (index + 1).to_string()).collect();
                name = format!("{name}[{}]", indices.join(","));
            }
            let slots = match &value {
                Value::Real(_) => &mut self.slots[0],
                Value::Integer(_) | Value::Enumeration(..) => &mut self.slots[1],
                Value::Boolean(_) => &mut self.slots[2],
                Value::String(_) => &mut self.slots[3],
            };
            let slot = *slots;
            *slots += 1;
            self.variables.push(Variable {
                name,
                field: field.clone(),
                value,
                slot,
            });
        });
    }

    /// Adds the variables of a part under `name.`; its `connected` inputs are driven by the model around it,
    /// so for the FMU they are local variables.
    pub fn part(&mut self, name: &str, part: &dyn DescribePart, connected: &[&str]) {
        let (outer, first) = (self.prefix.len(), self.variables.len());
        self.prefix.push_str(name);
        self.prefix.push('.');
        part.describe_part(self);
        for input in connected {
            let full_name = format!("{}{input}", self.prefix);
            let found = self.variables[first..]
                .iter_mut()
                .find(|variable| variable.name == full_name);
            match found {
                Some(Variable {
                    field,
                    value: Value::Real(_),
                    ..
                }) if field.causality == Causality::Input => {
                    field.causality = Causality::Local;
                    // What drives it may change at any time, whatever the part expects.
                    field.variability = Variability::Continuous;
                    field.initial = Some(Initial::Calculated);
                    field.group = Group::Local;
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
    pub fn define_type(&mut self, definition: SimpleType) {
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
    /// Tells `describer` every variable.
    fn describe_part(&self, describer: &mut Describer);
}

impl<M: Describe> DescribePart for M {
    fn describe_part(&self, describer: &mut Describer) {
        self.describe(describer);
    }
}

/// A type that a variable may have.
pub trait FieldValue {
    /// Calls `element` with the zero-based indices and the value of every element, row by row.
    fn elements(&self, indices: &mut Vec<usize>, element: &mut dyn FnMut(&[usize], Value));
    /// Adds the type definition that this type needs, if any.
    fn define_type(&self, describer: &mut Describer) {
        let _ = describer;
    }
}

macro_rules! scalar_field_value {
    ($($rust:ty => $variant:ident),*) => {$(
        impl FieldValue for $rust {
            fn elements(&self, indices: &mut Vec<usize>, element: &mut dyn FnMut(&[usize], Value)) {
                element(indices, Value::$variant(self.clone()));
            }
        }
    )*};
}
scalar_field_value!(f64 => Real, i32 => Integer, bool => Boolean, String => String);

impl<T: FieldValue, const N: usize> FieldValue for [T; N] {
    fn elements(&self, indices: &mut Vec<usize>, element: &mut dyn FnMut(&[usize], Value)) {
        for (index, value) in self.iter().enumerate() {
            indices.push(index);
            value.elements(indices, element);
            indices.pop();
        }
    }

    fn define_type(&self, describer: &mut Describer) {
        if let Some(first) = self.first() {
            first.define_type(describer);
        }
    }
}

/// An enum whose variants are the items of an FMI enumeration; `#[derive(Enumeration)]` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an FMI variable",
    label = "derive `Enumeration` for this enum; or mark the field `#[internal]`, or `#[part]` if it is a model"
)]
pub trait Enumeration: Copy + 'static {
    /// Name of the type.
    const NAME: &'static str;
    /// Doc comment of the enum.
    const DESCRIPTION: &'static str;
    /// Name, value and doc comment of each variant.
    const ITEMS: &'static [(&'static str, i32, &'static str)];
    /// The first variant: what a calculated variable holds before it is calculated.
    const FIRST: Self;
    /// The value of this variant.
    fn value(self) -> i32;
    /// The variant with this value.
    fn from_value(value: i32) -> Option<Self>;
}

/// The type definition of an enumeration.
#[doc(hidden)]
pub fn enumeration_type<E: Enumeration>() -> SimpleType {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    SimpleType {
        name: E::NAME.to_owned(),
        description: text(E::DESCRIPTION),
        kind: fmu_standard::description::TypeKind::Enumeration {
            quantity: None,
            items: E::ITEMS
                .iter()
                .map(|(name, value, description)| EnumerationItem {
                    name: (*name).to_owned(),
                    value: *value,
                    description: text(description),
                })
                .collect(),
        },
    }
}

/// Everything that a model says of itself.
#[derive(Debug)]
pub struct Described {
    /// The attributes of `#[model(...)]`.
    pub about: About,
    /// All variables, in declaration order.
    pub variables: Vec<Variable>,
    /// Type definitions.
    pub types: Vec<SimpleType>,
}

/// Whether a run of the model can be written as bytes, internal fields included.
pub fn is_serializable<M: Describe + Default>() -> bool {
    let mut all = true;
    M::default().unstored("", &mut |_| all = false);
    all
}

/// Lets a model tell everything of itself.
pub fn described<M: Describe + Default>() -> Result<Described, ModelError> {
    let mut describer = Describer::default();
    M::default().describe(&mut describer);
    if !describer.problems.is_empty() {
        return Err(ModelError::new(describer.problems.join("; ")));
    }
    Ok(Described {
        about: M::about(),
        variables: describer.variables,
        types: describer.types,
    })
}
