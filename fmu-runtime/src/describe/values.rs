//! The types that a variable may have, and start values as data.

use super::Describer;
use super::field::{TypeDefinition, TypeKind};

/// The base types of variables. Slots are counted per base type; an enumeration is stored as an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Base {
    /// `f64`.
    Real,
    /// `i32` and enumerations.
    Integer,
    /// `bool`.
    Boolean,
    /// `String`.
    String,
}

/// The start values of a variable, row by row; one for a scalar.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// `f64`.
    Real(Vec<f64>),
    /// `i32`.
    Integer(Vec<i32>),
    /// `bool`.
    Boolean(Vec<bool>),
    /// `String`.
    String(Vec<String>),
    /// An enumeration, with the name of its type.
    Enumeration(Vec<i32>, &'static str),
}

impl Values {
    /// The number of elements.
    pub fn len(&self) -> usize {
        match self {
            Values::Real(values) => values.len(),
            Values::Integer(values) | Values::Enumeration(values, _) => values.len(),
            Values::Boolean(values) => values.len(),
            Values::String(values) => values.len(),
        }
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The base type.
    pub fn base(&self) -> Base {
        match self {
            Values::Real(_) => Base::Real,
            Values::Integer(_) | Values::Enumeration(..) => Base::Integer,
            Values::Boolean(_) => Base::Boolean,
            Values::String(_) => Base::String,
        }
    }

    /// Appends values of the same type; all elements of an array have one type.
    fn append(&mut self, more: Values) {
        match (self, more) {
            (Values::Real(values), Values::Real(more)) => values.extend(more),
            (Values::Integer(values), Values::Integer(more)) => values.extend(more),
            (Values::Boolean(values), Values::Boolean(more)) => values.extend(more),
            (Values::String(values), Values::String(more)) => values.extend(more),
            (Values::Enumeration(values, _), Values::Enumeration(more, _)) => values.extend(more),
            _ => {}
        }
    }
}

/// A type that a variable may have.
pub trait FieldValue {
    /// The start values, row by row, and the lengths of the dimensions, the outermost one first.
    fn values(&self) -> (Values, Vec<usize>);
    /// Adds the type definition that this type needs, if any.
    fn define_type(&self, describer: &mut Describer) {
        let _ = describer;
    }
}

macro_rules! scalar_field_value {
    ($($rust:ty => $variant:ident),*) => {$(
        impl FieldValue for $rust {
            fn values(&self) -> (Values, Vec<usize>) {
                (Values::$variant(vec![self.clone()]), Vec::new())
            }
        }
    )*};
}
scalar_field_value!(f64 => Real, i32 => Integer, bool => Boolean, String => String);

impl<T: FieldValue, const N: usize> FieldValue for [T; N] {
    fn values(&self) -> (Values, Vec<usize>) {
        let mut elements = self.iter().map(T::values);
        // An array of length 0 has no variables, so its type does not matter.
        let (mut values, mut shape) = elements.next().unwrap_or((Values::Real(Vec::new()), Vec::new()));
        for (more, _) in elements {
            values.append(more);
        }
        shape.insert(0, N);
        (values, shape)
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
pub fn enumeration_type<E: Enumeration>() -> TypeDefinition {
    TypeDefinition {
        name: E::NAME,
        description: E::DESCRIPTION,
        kind: TypeKind::Enumeration(E::ITEMS),
    }
}
