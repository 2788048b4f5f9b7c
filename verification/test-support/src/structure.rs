//! `ModelStructure` as lines to read: `der(x): x constant, u dependent`.

use fmu_runtime::fmi2::full_description;
use fmu_runtime::model::Model as AnyModel;
use fmu_runtime::standard::description::{DependencyKind, ModelDescription, Reference, Unknown};
use std::path::Path;

/// The structure by names: `der(x): x constant, u dependent`.
pub fn structure<M: AnyModel>() -> Structure {
    let (description, notes) = full_description::<M>(Path::new("")).unwrap();
    Structure { description, notes }
}

/// A description, and the notes that packaging prints.
pub struct Structure {
    pub description: ModelDescription,
    pub notes: Vec<String>,
}

impl Structure {
    fn name(&self, reference: Reference) -> &str {
        &self.description.variable(reference).unwrap().name
    }

    pub fn line(&self, unknown: &Unknown) -> String {
        let on = unknown.dependencies.as_ref().unwrap();
        let kinds = unknown.dependencies_kind.as_ref().unwrap();
        assert!(on.is_sorted_by_key(|known| known.index()) && on.len() == kinds.len());
        let entry =
            |(known, kind): (&Reference, &DependencyKind)| format!("{} {}", self.name(*known), kind.as_str());
        let entries: Vec<String> = on.iter().zip(kinds).map(entry).collect();
        format!("{}: {}", self.name(unknown.variable), entries.join(", "))
    }

    pub fn outputs(&self) -> Vec<String> {
        self.description
            .model_structure
            .outputs
            .iter()
            .map(|unknown| self.line(unknown))
            .collect()
    }

    pub fn derivatives(&self) -> Vec<String> {
        self.description
            .model_structure
            .derivatives
            .iter()
            .map(|unknown| self.line(unknown))
            .collect()
    }

    pub fn initial_unknowns(&self) -> Vec<String> {
        self.description
            .model_structure
            .initial_unknowns
            .iter()
            .map(|unknown| self.line(unknown))
            .collect()
    }
}
