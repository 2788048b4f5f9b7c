//! Attributes of variables, with what their declared types add.

use fmi::description::{RealAttributes, TypeKind, VariableKind};

use crate::Fmu;

impl Fmu {
    /// Unit, range, nominal value and so on of a Real variable; its own come before those of its declared type.
    pub fn real_attributes(&self, position: usize) -> Option<RealAttributes> {
        let description = self.description();
        let VariableKind::Real {
            declared_type,
            attributes,
            ..
        } = &description.model_variables.get(position)?.kind
        else {
            return None;
        };
        let own = attributes.clone();
        let declared = declared_type.as_ref().and_then(|name| {
            let found = description
                .type_definitions
                .iter()
                .find(|simple| simple.name == *name)?;
            match &found.kind {
                TypeKind::Real(attributes) => Some(attributes.clone()),
                _ => None,
            }
        });
        let Some(declared) = declared else {
            return Some(own);
        };
        Some(RealAttributes {
            quantity: own.quantity.or(declared.quantity),
            unit: own.unit.or(declared.unit),
            display_unit: own.display_unit.or(declared.display_unit),
            relative_quantity: own.relative_quantity.or(declared.relative_quantity),
            min: own.min.or(declared.min),
            max: own.max.or(declared.max),
            nominal: own.nominal.or(declared.nominal),
            unbounded: own.unbounded.or(declared.unbounded),
        })
    }

    /// The bounds of a number; its own come before those of its declared type, and an enumeration has its items.
    pub(crate) fn range(&self, position: usize) -> (Option<f64>, Option<f64>) {
        let description = self.description();
        let named = |name: &str| {
            description
                .type_definitions
                .iter()
                .find(|simple| simple.name == name)
        };
        let integers = |min: Option<i32>, max: Option<i32>| (min.map(f64::from), max.map(f64::from));
        let kind = description
            .model_variables
            .get(position)
            .map(|variable| &variable.kind);
        match kind {
            Some(VariableKind::Real { .. }) => {
                let attributes = self.real_attributes(position).unwrap_or_default();
                (attributes.min, attributes.max)
            }
            Some(VariableKind::Integer {
                declared_type,
                attributes,
                ..
            }) => {
                let declared = match declared_type
                    .as_deref()
                    .and_then(named)
                    .map(|simple| &simple.kind)
                {
                    Some(TypeKind::Integer(declared)) => declared.clone(),
                    _ => Default::default(),
                };
                integers(attributes.min.or(declared.min), attributes.max.or(declared.max))
            }
            Some(VariableKind::Enumeration {
                declared_type,
                attributes,
                ..
            }) => {
                let items = match named(declared_type).map(|simple| &simple.kind) {
                    Some(TypeKind::Enumeration { items, .. }) => &items[..],
                    _ => &[],
                };
                let values = || items.iter().map(|item| item.value);
                integers(
                    attributes.min.or(values().min()),
                    attributes.max.or(values().max()),
                )
            }
            _ => (None, None),
        }
    }
}
