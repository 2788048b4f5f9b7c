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
    /// The Rust type with its article, for messages.
    pub fn described(self) -> &'static str {
        match self {
            Base::Real => "an f64",
            Base::Integer => "an i32",
            Base::Boolean => "a bool",
            Base::String => "a String",
            Base::Enumeration => "an enumeration",
        }
    }
}

/// The type of a field, taken apart.
#[derive(Clone)]
pub struct FieldType {
    /// As written.
    pub ty: Type,
    /// Type of an element.
    pub element: Type,
    pub base: Base,
    /// Lengths from outside to inside; none for a scalar.
    pub dimensions: Vec<Expr>,
}

/// Takes a field's type apart; `None` (and a message) if no variable can have it.
pub fn resolve(ty: &Type, errors: &mut Errors) -> Option<FieldType> {
    let mut dimensions = Vec::new();
    let mut element = ty.clone();
    while let Type::Array(array) = element {
        dimensions.push(array.len);
        element = *array.elem;
    }
    let base = match base(&element) {
        Ok(base) => base,
        Err(message) => {
            errors.on(&element, message);
            return None;
        }
    };
    if dimensions.len() > 2 {
        errors.on(
            ty,
            "arrays of variables have one or two dimensions: `[f64; N]` or `[[f64; N]; M]`",
        );
        return None;
    }
    Some(FieldType {
        ty: ty.clone(),
        element,
        base,
        dimensions,
    })
}

const ANY: &str = "use f64, i32, bool, String, an enum with `#[derive(Enumeration)]`, or an array of these, \
                   or mark the field `#[internal]`";

fn base(element: &Type) -> Result<Base, String> {
    match element {
        Type::Path(path) if path.qself.is_none() => {
            let Some(last) = path.path.segments.last() else {
                return Err(format!("not a type of an FMI variable: {ANY}"));
            };
            let name = last.ident.to_string();
            match name.as_str() {
                "f64" => Ok(Base::Real),
                "i32" => Ok(Base::Integer),
                "bool" => Ok(Base::Boolean),
                "String" => Ok(Base::String),
                "f32" => Err("FMI 2.0 has no `f32`: use `f64`".to_owned()),
                "i8" | "i16" | "i64" | "i128" | "isize" | "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => {
                    Err(format!("FMI 2.0 has no `{name}`: use `i32`"))
                }
                "char" => Err("FMI 2.0 has no `char`: use `String`".to_owned()),
                "Vec" | "VecDeque" | "HashMap" | "BTreeMap" | "HashSet" | "BTreeSet" => Err(format!(
                    "a `{name}` has no fixed size, the variables of an FMU have: use an array `[f64; N]`, \
                     or mark the field `#[internal]`"
                )),
                "Option" => Err(
                    "an FMI variable always has a value, an `Option` need not: use the plain type, \
                     or mark the field `#[internal]`"
                        .to_owned(),
                ),
                "Box" | "Rc" | "Arc" | "Cell" | "RefCell" | "Mutex" if !last.arguments.is_none() => {
                    Err(format!("`{name}` is not a type of an FMI variable: {ANY}"))
                }
                _ => Ok(Base::Enumeration),
            }
        }
        Type::Reference(_) => Err(
            "a variable owns its value: use `String` for text, an array such as `[f64; 3]` for several numbers"
                .to_owned(),
        ),
        _ => Err(format!("not a type of an FMI variable: {ANY}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn arrays_are_taken_apart_from_outside() {
        let ty = resolve(
            &parse_quote!([[std::primitive::f64; 2]; N]),
            &mut Errors::default(),
        )
        .unwrap();
        assert_eq!((ty.base, ty.dimensions.len()), (Base::Real, 2));
        assert_eq!(ty.dimensions[0], parse_quote!(N));
    }

    #[test]
    fn types_that_fmi_lacks_name_their_replacement() {
        for (ty, hint) in [
            (parse_quote!(f32), "use `f64`"),
            (parse_quote!([u8; 3]), "use `i32`"),
            (parse_quote!(Vec<f64>), "use an array"),
            (parse_quote!(&'static str), "use `String`"),
            (parse_quote!((f64, f64)), "#[internal]"),
            (parse_quote!([[[f64; 2]; 2]; 2]), "one or two dimensions"),
        ] {
            let mut errors = Errors::default();
            assert!(resolve(&ty, &mut errors).is_none());
            let messages = errors.messages();
            assert!(messages.len() == 1 && messages[0].contains(hint), "{messages:?}");
        }
    }
}
