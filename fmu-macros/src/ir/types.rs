//! The type of a field: base type and array dimensions.

use crate::errors::Errors;
use syn::{Expr, Type};

/// What a variable is, once arrays are taken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    Real,
    Integer,
    Boolean,
    String,
    /// An enum of the author's; whether it is one is rustc's to find out.
    Enumeration,
}

impl Base {
    /// The Rust type, for messages.
    pub fn rust(self) -> &'static str {
        match self {
            Base::Real => "f64",
            Base::Integer => "i32",
            Base::Boolean => "bool",
            Base::String => "String",
            Base::Enumeration => "an enumeration",
        }
    }
}

/// The type of a field, taken apart.
pub struct FieldType {
    /// As written.
    pub ty: Type,
    /// Type of an element.
    pub element: Type,
    pub base: Base,
    /// Lengths from outside to inside; none for a scalar.
    pub dimensions: Vec<Expr>,
}

/// Takes a field's type apart.
pub fn resolve(ty: Type, errors: &mut Errors) -> FieldType {
    let mut dimensions = Vec::new();
    let mut element = ty.clone();
    while let Type::Array(array) = element {
        dimensions.push(array.len);
        element = *array.elem;
    }
    if dimensions.len() > 2 {
        errors.on(
            &ty,
            "arrays have one or two dimensions: `[f64; N]` or `[[f64; N]; M]`",
        );
    }
    let base = base(&element, errors);
    FieldType {
        ty,
        element,
        base,
        dimensions,
    }
}

fn base(element: &Type, errors: &mut Errors) -> Base {
    let instead = |wrong: &str| -> Option<(&'static str, Base)> {
        Some(match wrong {
            "f32" => ("f64", Base::Real),
            "i8" | "i16" | "i64" | "i128" | "isize" | "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => {
                ("i32", Base::Integer)
            }
            "char" | "str" => ("String", Base::String),
            _ => return None,
        })
    };
    match element {
        Type::Path(path) if path.qself.is_none() => {
            let last = path
                .path
                .segments
                .last()
                .map(|segment| segment.ident.to_string())
                .unwrap_or_default();
            match last.as_str() {
                "f64" => return Base::Real,
                "i32" => return Base::Integer,
                "bool" => return Base::Boolean,
                "String" => return Base::String,
                "Vec" | "VecDeque" | "HashMap" | "BTreeMap" | "Option" | "Box" | "Rc" | "Arc" => {
                    errors.on(
                        element,
                        format!(
                            "an FMI variable has a fixed size, `{last}` has not: use an array `[f64; N]`, \
                             or mark the field `#[internal]`"
                        ),
                    );
                    return Base::Real;
                }
                _ => {}
            }
            if let Some((right, base)) = instead(&last) {
                errors.on(element, format!("FMI 2.0 has no `{last}`: use `{right}`"));
                return base;
            }
            Base::Enumeration
        }
        Type::Reference(_) => {
            errors.on(
                element,
                "a variable owns its value: use `String` for text, an array for several numbers",
            );
            Base::String
        }
        other => {
            errors.on(
                other,
                "not a type of an FMI variable: use f64, i32, bool, String, an enum with `#[derive(Enumeration)]`, \
                 or an array of these; other data is `#[internal]`",
            );
            Base::Real
        }
    }
}
