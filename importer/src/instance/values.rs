//! Values of variables: one by name, or many by value reference.

use std::ffi::CString;

use fmu_standard::fmi2;

use super::{Instance, call};
use crate::{BaseType, Error, Fmu};

/// A value of any type.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Of a Real variable.
    Real(f64),
    /// Of an Integer or Enumeration variable.
    Integer(i32),
    /// Of a Boolean variable.
    Boolean(bool),
    /// Of a String variable.
    String(String),
}

/// What names a variable: its name (`"h"`) or its value reference (`3_u32`).
pub trait Key {
    /// The value reference, if there is a variable of this type.
    fn value_reference(self, fmu: &Fmu, base_type: BaseType) -> Result<u32, Error>;
}

impl Key for &str {
    fn value_reference(self, fmu: &Fmu, base_type: BaseType) -> Result<u32, Error> {
        fmu.value_reference(self, base_type)
    }
}

impl Key for &String {
    fn value_reference(self, fmu: &Fmu, base_type: BaseType) -> Result<u32, Error> {
        fmu.value_reference(self, base_type)
    }
}

impl Key for u32 {
    fn value_reference(self, _: &Fmu, _: BaseType) -> Result<u32, Error> {
        // The call checks that it exists, as for many.
        Ok(self)
    }
}

/// Memory that calls need and keep.
#[derive(Default)]
pub(super) struct Scratch {
    booleans: Vec<fmi2::fmi2Boolean>,
    texts: Texts,
    bytes: Vec<u8>,
}

#[derive(Default)]
struct Texts(Vec<fmi2::fmi2String>);

/// Real variables of an FMU that are known to exist: they are looked up once, not with each call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RealVariables(Vec<u32>);

impl RealVariables {
    /// The value references.
    pub fn value_references(&self) -> &[u32] {
        &self.0
    }
}

impl Instance {
    /// Looks Real variables up, for [`Instance::get_known_reals`] and [`Instance::set_known_reals`] of instances of this
    /// FMU.
    pub fn real_variables(&self, value_references: &[u32]) -> Result<RealVariables, Error> {
        self.known(BaseType::Real, value_references)?;
        Ok(RealVariables(value_references.into()))
    }

    /// Values of Real variables that were looked up before.
    #[inline]
    pub fn get_known_reals(&mut self, variables: &RealVariables, values: &mut [f64]) -> Result<(), Error> {
        self.same_length("fmi2GetReal", variables.0.len(), values.len())?;
        call!(
            self,
            fmi2GetReal,
            variables.0.as_ptr(),
            values.len(),
            values.as_mut_ptr()
        )
    }

    /// Sets Real variables that were looked up before.
    #[inline]
    pub fn set_known_reals(&mut self, variables: &RealVariables, values: &[f64]) -> Result<(), Error> {
        self.same_length("fmi2SetReal", variables.0.len(), values.len())?;
        call!(
            self,
            fmi2SetReal,
            variables.0.as_ptr(),
            values.len(),
            values.as_ptr()
        )
        .map_err(|error| self.with_values(error, BaseType::Real, &variables.0, values.iter().copied()))
    }

    /// Values of Real variables.
    #[inline]
    pub fn get_reals(&mut self, value_references: &[u32], values: &mut [f64]) -> Result<(), Error> {
        self.same_length("fmi2GetReal", value_references.len(), values.len())?;
        if values.is_empty() {
            return Ok(());
        }
        self.known(BaseType::Real, value_references)?;
        call!(
            self,
            fmi2GetReal,
            value_references.as_ptr(),
            values.len(),
            values.as_mut_ptr()
        )
    }

    /// Sets Real variables.
    #[inline]
    pub fn set_reals(&mut self, value_references: &[u32], values: &[f64]) -> Result<(), Error> {
        self.same_length("fmi2SetReal", value_references.len(), values.len())?;
        if values.is_empty() {
            return Ok(());
        }
        self.known(BaseType::Real, value_references)?;
        call!(
            self,
            fmi2SetReal,
            value_references.as_ptr(),
            values.len(),
            values.as_ptr()
        )
        .map_err(|error| self.with_values(error, BaseType::Real, value_references, values.iter().copied()))
    }

    /// Values of Integer and Enumeration variables.
    pub fn get_integers(&mut self, value_references: &[u32], values: &mut [i32]) -> Result<(), Error> {
        self.same_length("fmi2GetInteger", value_references.len(), values.len())?;
        if values.is_empty() {
            return Ok(());
        }
        self.known(BaseType::Integer, value_references)?;
        call!(
            self,
            fmi2GetInteger,
            value_references.as_ptr(),
            values.len(),
            values.as_mut_ptr()
        )
    }

    /// Sets Integer and Enumeration variables.
    pub fn set_integers(&mut self, value_references: &[u32], values: &[i32]) -> Result<(), Error> {
        self.same_length("fmi2SetInteger", value_references.len(), values.len())?;
        if values.is_empty() {
            return Ok(());
        }
        self.known(BaseType::Integer, value_references)?;
        call!(
            self,
            fmi2SetInteger,
            value_references.as_ptr(),
            values.len(),
            values.as_ptr()
        )
        .map_err(|error| {
            self.with_values(
                error,
                BaseType::Integer,
                value_references,
                values.iter().map(|value| f64::from(*value)),
            )
        })
    }

    /// Values of Boolean variables.
    pub fn get_booleans(&mut self, value_references: &[u32], values: &mut [bool]) -> Result<(), Error> {
        self.same_length("fmi2GetBoolean", value_references.len(), values.len())?;
        if values.is_empty() {
            return Ok(());
        }
        self.known(BaseType::Boolean, value_references)?;
        self.scratch.booleans.clear();
        self.scratch.booleans.resize(values.len(), fmi2::fmi2False);
        let numbers = self.scratch.booleans.as_mut_ptr();
        call!(
            self,
            fmi2GetBoolean,
            value_references.as_ptr(),
            values.len(),
            numbers
        )?;
        for (value, number) in values.iter_mut().zip(&self.scratch.booleans) {
            *value = *number != fmi2::fmi2False;
        }
        Ok(())
    }

    /// Sets Boolean variables.
    pub fn set_booleans(&mut self, value_references: &[u32], values: &[bool]) -> Result<(), Error> {
        self.same_length("fmi2SetBoolean", value_references.len(), values.len())?;
        if values.is_empty() {
            return Ok(());
        }
        self.known(BaseType::Boolean, value_references)?;
        self.scratch.booleans.clear();
        self.scratch
            .booleans
            .extend(values.iter().map(|value| fmi2::fmi2Boolean::from(*value)));
        let numbers = self.scratch.booleans.as_ptr();
        call!(
            self,
            fmi2SetBoolean,
            value_references.as_ptr(),
            values.len(),
            numbers
        )
    }

    /// Values of String variables, written over those in `values`.
    pub fn get_strings(&mut self, value_references: &[u32], values: &mut [String]) -> Result<(), Error> {
        self.same_length("fmi2GetString", value_references.len(), values.len())?;
        if values.is_empty() {
            return Ok(());
        }
        self.known(BaseType::String, value_references)?;
        self.scratch.texts.0.clear();
        self.scratch.texts.0.resize(values.len(), std::ptr::null());
        let texts = self.scratch.texts.0.as_mut_ptr();
        call!(
            self,
            fmi2GetString,
            value_references.as_ptr(),
            values.len(),
            texts
        )?;
        let Scratch { texts, bytes, .. } = &mut self.scratch;
        for (value, text) in values.iter_mut().zip(&texts.0) {
            crate::text::read(*text, value, bytes).map_err(|problem| Error::Nonsense {
                instance: self.name.clone(),
                function: "fmi2GetString",
                answer: problem.into(),
            })?;
        }
        Ok(())
    }

    /// Sets String variables.
    pub fn set_strings(&mut self, value_references: &[u32], values: &[&str]) -> Result<(), Error> {
        self.same_length("fmi2SetString", value_references.len(), values.len())?;
        if values.is_empty() {
            return Ok(());
        }
        self.known(BaseType::String, value_references)?;
        let texts = values
            .iter()
            .map(|value| CString::new(*value).map_err(|_| Error::ZeroByte((*value).into())))
            .collect::<Result<Vec<_>, _>>()?;
        let pointers: Vec<_> = texts.iter().map(|text| text.as_ptr()).collect();
        call!(
            self,
            fmi2SetString,
            value_references.as_ptr(),
            pointers.len(),
            pointers.as_ptr()
        )
    }

    /// The value of a Real variable.
    pub fn real(&mut self, variable: impl Key) -> Result<f64, Error> {
        let reference = variable.value_reference(&self.fmu, BaseType::Real)?;
        let mut value = [0.0];
        self.get_reals(&[reference], &mut value)?;
        Ok(value[0])
    }

    /// The value of an Integer or Enumeration variable.
    pub fn integer(&mut self, variable: impl Key) -> Result<i32, Error> {
        let reference = variable.value_reference(&self.fmu, BaseType::Integer)?;
        let mut value = [0];
        self.get_integers(&[reference], &mut value)?;
        Ok(value[0])
    }

    /// The value of a Boolean variable.
    pub fn boolean(&mut self, variable: impl Key) -> Result<bool, Error> {
        let reference = variable.value_reference(&self.fmu, BaseType::Boolean)?;
        let mut value = [false];
        self.get_booleans(&[reference], &mut value)?;
        Ok(value[0])
    }

    /// The value of a String variable.
    pub fn string(&mut self, variable: impl Key) -> Result<String, Error> {
        let reference = variable.value_reference(&self.fmu, BaseType::String)?;
        let mut value = [String::new()];
        self.get_strings(&[reference], &mut value)?;
        let [value] = value;
        Ok(value)
    }

    /// The value of the variable with a name.
    pub fn get(&mut self, name: &str) -> Result<Value, Error> {
        let variable = self.fmu.variable(name)?;
        let (base_type, reference) = (BaseType::of(&variable.kind), variable.value_reference);
        self.value(base_type, reference)
    }

    /// The value of the variable of a type with a value reference.
    pub fn value(&mut self, base_type: BaseType, value_reference: u32) -> Result<Value, Error> {
        Ok(match base_type {
            BaseType::Real => Value::Real(self.real(value_reference)?),
            BaseType::Integer => Value::Integer(self.integer(value_reference)?),
            BaseType::Boolean => Value::Boolean(self.boolean(value_reference)?),
            BaseType::String => Value::String(self.string(value_reference)?),
        })
    }

    /// Sets the variable of the value's type with a value reference.
    pub fn set_value(&mut self, value_reference: u32, value: &Value) -> Result<(), Error> {
        let references = [value_reference];
        match value {
            Value::Real(value) => self.set_reals(&references, &[*value]),
            Value::Integer(value) => self.set_integers(&references, &[*value]),
            Value::Boolean(value) => self.set_booleans(&references, &[*value]),
            Value::String(value) => self.set_strings(&references, &[value]),
        }
    }

    /// Sets the variable with a name. A whole number is good for a Real variable too.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) -> Result<(), Error> {
        let variable = self.fmu.variable(name)?;
        let (reference, found) = (variable.value_reference, BaseType::of(&variable.kind));
        match (value.into(), found) {
            (Value::Integer(value), BaseType::Real) => self.set_reals(&[reference], &[value.into()]),
            (value, found) if value.base_type() == found => self.set_value(reference, &value),
            (value, found) => Err(Error::WrongType {
                name: name.into(),
                expected: value.base_type(),
                found,
            }),
        }
    }

    #[inline]
    pub(super) fn known(&self, base_type: BaseType, value_references: &[u32]) -> Result<(), Error> {
        match self.fmu.variables().unknown(base_type, value_references) {
            None => Ok(()),
            Some(value_reference) => Err(Error::UnknownValueReference {
                fmu: self.fmu.name().into(),
                base_type,
                value_reference,
            }),
        }
    }
}

impl Value {
    /// Its type.
    pub fn base_type(&self) -> BaseType {
        match self {
            Self::Real(_) => BaseType::Real,
            Self::Integer(_) => BaseType::Integer,
            Self::Boolean(_) => BaseType::Boolean,
            Self::String(_) => BaseType::String,
        }
    }

    /// Reads a value of a type from text: `1.5`, `-3`, `true`, `1`, any text.
    ///
    /// ```
    /// use fmu_importer::{BaseType, Value};
    /// assert_eq!(Value::parse(BaseType::Boolean, "true"), Some(Value::Boolean(true)));
    /// assert_eq!(Value::parse(BaseType::Integer, "1.5"), None);
    /// ```
    pub fn parse(base_type: BaseType, text: &str) -> Option<Self> {
        let trimmed = text.trim();
        Some(match base_type {
            BaseType::Real => Self::Real(trimmed.parse().ok()?),
            BaseType::Integer => Self::Integer(trimmed.parse().ok()?),
            BaseType::Boolean => match trimmed {
                "true" | "1" => Self::Boolean(true),
                "false" | "0" => Self::Boolean(false),
                _ => return None,
            },
            BaseType::String => Self::String(text.into()),
        })
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Real(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::Boolean(value) => value.fmt(f),
            Self::String(value) => value.fmt(f),
        }
    }
}

macro_rules! from {
    ($($type:ty => $variant:ident),+) => {
        $(impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self::$variant(value.into())
            }
        })+
    };
}

from!(f64 => Real, i32 => Integer, bool => Boolean, String => String, &str => String);
