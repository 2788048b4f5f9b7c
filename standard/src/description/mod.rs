//! `modelDescription.xml` as plain data: one form for FMI 2.0 and FMI 3.0.
//!
//! Names are those of the standard (FMI 2.0.5, chapter 2.2; FMI 3.0.2, chapter 2.4). What only one version has is marked with
//! it. Where the versions have two words for one thing, this is how they meet here:
//!
//! | here | FMI 2.0 | FMI 3.0 |
//! |---|---|---|
//! | [`ModelDescription::guid`] | `guid` | `instantiationToken` |
//! | [`VariableKind::Real`] | `Real`, always [`FloatType::Float64`] | `Float32`, `Float64` |
//! | [`VariableKind::Integer`] | `Integer`, always [`IntegerType::Int32`] | `Int8` to `UInt64` |
//! | [`Reference`] | index of a variable, from 1 | value reference |
//! | [`ModelStructure::derivatives`] | `Derivatives` | `ContinuousStateDerivative` |
//! | [`VendorAnnotation`] | `Tool` with its `name` | `Annotation` with its `type` |
//!
//! A variable of FMI 2.0 has no [dimensions](ModelVariable::dimensions): it is a scalar.

mod interface;
mod structure;
mod types;
mod variable;

pub use interface::{CoSimulation, Interface, ModelExchange, ScheduledExecution};
pub use structure::{DependencyKind, ModelStructure, Reference, Unknown};
pub use types::{
    ClockAttributes, EnumerationItem, FloatType, IntegerAttributes, IntegerType, IntervalVariability,
    RealAttributes, SimpleType, TypeKind,
};
pub use variable::{Alias, Causality, Dimension, Initial, ModelVariable, Start, Variability, VariableKind};

/// The root element `fmiModelDescription`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelDescription {
    /// `fmiVersion`: "2.0" for every 2.0.x, "3.0" or longer for 3.0.
    pub fmi_version: String,
    /// `modelName`.
    pub model_name: String,
    /// `guid` of 2.0, `instantiationToken` of 3.0: the fingerprint that XML and library share.
    pub guid: String,
    /// `description` of the model.
    pub description: Option<String>,
    /// `author`.
    pub author: Option<String>,
    /// `version` of the model.
    pub version: Option<String>,
    /// `copyright`.
    pub copyright: Option<String>,
    /// `license`.
    pub license: Option<String>,
    /// `generationTool`.
    pub generation_tool: Option<String>,
    /// `generationDateAndTime`, an xs:dateTime.
    pub generation_date_and_time: Option<String>,
    /// `variableNamingConvention`.
    pub variable_naming_convention: VariableNamingConvention,
    /// `numberOfEventIndicators`; `None` when the attribute is absent. FMI 2.0 only: in 3.0 the event indicators are
    /// listed in [`ModelStructure::event_indicators`].
    pub number_of_event_indicators: Option<u64>,
    /// `ModelExchange`, if the FMU has that interface.
    pub model_exchange: Option<ModelExchange>,
    /// `CoSimulation`, if the FMU has that interface.
    pub co_simulation: Option<CoSimulation>,
    /// `ScheduledExecution`, if the FMU has that interface. FMI 3.0 only.
    pub scheduled_execution: Option<ScheduledExecution>,
    /// `UnitDefinitions`.
    pub unit_definitions: Vec<Unit>,
    /// `TypeDefinitions`.
    pub type_definitions: Vec<SimpleType>,
    /// `LogCategories`.
    pub log_categories: Vec<LogCategory>,
    /// `DefaultExperiment`.
    pub default_experiment: Option<DefaultExperiment>,
    /// `VendorAnnotations` of 2.0, `Annotations` of 3.0, of the root.
    pub vendor_annotations: Vec<VendorAnnotation>,
    /// `ModelVariables`, in the order of the file. A [`Reference`] to a variable is its position here.
    pub model_variables: Vec<ModelVariable>,
    /// `ModelStructure`.
    pub model_structure: ModelStructure,
}

impl ModelDescription {
    /// The variable that a reference means; `None` if there is no such variable.
    pub fn variable(&self, reference: Reference) -> Option<&ModelVariable> {
        self.model_variables.get(reference.position()?)
    }

    /// The number of continuous states: elements of the variables in [`ModelStructure::derivatives`].
    pub fn number_of_states(&self) -> u64 {
        self.elements(&self.model_structure.derivatives)
    }

    /// The number of event indicators, by the attribute of FMI 2.0 or the list of FMI 3.0.
    pub fn event_indicators(&self) -> u64 {
        let listed = || self.elements(&self.model_structure.event_indicators);
        self.number_of_event_indicators.unwrap_or_else(listed)
    }

    fn elements(&self, unknowns: &[Unknown]) -> u64 {
        let variables = unknowns
            .iter()
            .filter_map(|unknown| self.variable(unknown.variable));
        variables.map(ModelVariable::elements).sum()
    }
}

/// `variableNamingConvention`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum VariableNamingConvention {
    /// Names are plain text.
    #[default]
    Flat,
    /// Names follow the grammar of the standard (`a.b[1,2]`, `der(x)`).
    Structured,
}

/// `Unit` of `UnitDefinitions`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unit {
    /// `name`, for example `N.m`.
    pub name: String,
    /// `BaseUnit`, if given.
    pub base_unit: Option<BaseUnit>,
    /// `DisplayUnit`s.
    pub display_units: Vec<DisplayUnit>,
}

/// `BaseUnit`: value in base units = `factor` * value + `offset`, base units by exponents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BaseUnit {
    /// Exponents of kg, m, s, A, K, mol, cd, rad, in the order of the schema.
    pub exponents: [i32; 8],
    /// `factor`, 1 if absent.
    pub factor: f64,
    /// `offset`, 0 if absent.
    pub offset: f64,
}

/// `DisplayUnit`: shown value = `factor` * value in the unit + `offset`.
#[derive(Clone, Debug, PartialEq)]
pub struct DisplayUnit {
    /// `name`.
    pub name: String,
    /// `factor`, 1 if absent.
    pub factor: f64,
    /// `offset`, 0 if absent.
    pub offset: f64,
    /// `inverse`: the shown value is `factor` divided by the value in the unit. FMI 3.0 only.
    pub inverse: bool,
}

/// `Category` of `LogCategories`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogCategory {
    /// `name`.
    pub name: String,
    /// `description`.
    pub description: Option<String>,
}

/// `DefaultExperiment`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct DefaultExperiment {
    /// `startTime`.
    pub start_time: Option<f64>,
    /// `stopTime`.
    pub stop_time: Option<f64>,
    /// `tolerance`.
    pub tolerance: Option<f64>,
    /// `stepSize`.
    pub step_size: Option<f64>,
}

/// `Tool` of `VendorAnnotations` (2.0) or `Annotation` (3.0): its name and everything inside it, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VendorAnnotation {
    /// `name` of the tool (2.0) or `type` of the annotation (3.0).
    pub tool: String,
    /// The XML inside the element, unchanged. Namespace prefixes that an outer element declares are not
    /// declared here.
    pub xml: String,
}

/// The word of the standard for each value, both ways.
macro_rules! words {
    ($type:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        impl $type {
            /// The word that stands for it in the XML.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The value that a word of the XML stands for.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }

            /// All values, in the order of the schema.
            pub const ALL: &[Self] = &[$(Self::$variant),+];
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

use words;

words!(VariableNamingConvention { Flat = "flat", Structured = "structured" });
