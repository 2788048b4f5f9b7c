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
}
