//! `modelDescription.xml` as plain data, named as the standard names it (FMI 2.0.5, chapter 2.2).

/// The root element `fmiModelDescription`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelDescription {
    /// `fmiVersion`; "2.0" for every 2.0.x.
    pub fmi_version: String,
    /// `modelName`.
    pub model_name: String,
    /// `guid`: the fingerprint that XML and library share.
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
    /// `numberOfEventIndicators`; `None` when the attribute is absent.
    pub number_of_event_indicators: Option<u64>,
    /// `ModelExchange`, if the FMU has that interface.
    pub model_exchange: Option<ModelExchange>,
    /// `CoSimulation`, if the FMU has that interface.
    pub co_simulation: Option<CoSimulation>,
    /// `UnitDefinitions`.
    pub unit_definitions: Vec<Unit>,
    /// `TypeDefinitions`.
    pub type_definitions: Vec<SimpleType>,
    /// `LogCategories`.
    pub log_categories: Vec<LogCategory>,
    /// `DefaultExperiment`.
    pub default_experiment: Option<DefaultExperiment>,
    /// `VendorAnnotations` of the root.
    pub vendor_annotations: Vec<VendorAnnotation>,
    /// `ModelVariables`, in the order of the file; an index of the standard is a position here plus 1.
    pub model_variables: Vec<ScalarVariable>,
    /// `ModelStructure`.
    pub model_structure: ModelStructure,
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

/// The attributes that `ModelExchange` and `CoSimulation` share, and `SourceFiles`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interface {
    /// `modelIdentifier`: name of the library and, in source FMUs, prefix of the functions.
    pub model_identifier: String,
    /// `needsExecutionTool`.
    pub needs_execution_tool: bool,
    /// `canBeInstantiatedOnlyOncePerProcess`.
    pub can_be_instantiated_only_once_per_process: bool,
    /// `canNotUseMemoryManagementFunctions`.
    pub can_not_use_memory_management_functions: bool,
    /// `canGetAndSetFMUstate`.
    pub can_get_and_set_fmu_state: bool,
    /// `canSerializeFMUstate`.
    pub can_serialize_fmu_state: bool,
    /// `providesDirectionalDerivative`.
    pub provides_directional_derivative: bool,
    /// `SourceFiles`.
    pub source_files: Vec<String>,
}

/// `ModelExchange`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelExchange {
    /// What both interfaces have.
    pub interface: Interface,
    /// `completedIntegratorStepNotNeeded`.
    pub completed_integrator_step_not_needed: bool,
}

/// `CoSimulation`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CoSimulation {
    /// What both interfaces have.
    pub interface: Interface,
    /// `canHandleVariableCommunicationStepSize`.
    pub can_handle_variable_communication_step_size: bool,
    /// `canInterpolateInputs`.
    pub can_interpolate_inputs: bool,
    /// `maxOutputDerivativeOrder`.
    pub max_output_derivative_order: u32,
    /// `canRunAsynchronuously` (spelled so by the standard).
    pub can_run_asynchronuously: bool,
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
}

/// `SimpleType` of `TypeDefinitions`.
#[derive(Clone, Debug, PartialEq)]
pub struct SimpleType {
    /// `name`.
    pub name: String,
    /// `description`.
    pub description: Option<String>,
    /// The element inside, with its attributes.
    pub kind: TypeKind,
}

/// `Real`, `Integer`, `Boolean`, `String` or `Enumeration` inside a `SimpleType`.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// `Real`.
    Real(RealAttributes),
    /// `Integer`.
    Integer(IntegerAttributes),
    /// `Boolean`.
    Boolean,
    /// `String`.
    String,
    /// `Enumeration` with its items.
    Enumeration {
        /// `quantity`.
        quantity: Option<String>,
        /// `Item`s.
        items: Vec<EnumerationItem>,
    },
}

/// `Item` of an enumeration type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumerationItem {
    /// `name`.
    pub name: String,
    /// `value`.
    pub value: i32,
    /// `description`.
    pub description: Option<String>,
}

/// The attribute group of Real types and variables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RealAttributes {
    /// `quantity`.
    pub quantity: Option<String>,
    /// `unit`.
    pub unit: Option<String>,
    /// `displayUnit`.
    pub display_unit: Option<String>,
    /// `relativeQuantity`; `None` when absent.
    pub relative_quantity: Option<bool>,
    /// `min`.
    pub min: Option<f64>,
    /// `max`.
    pub max: Option<f64>,
    /// `nominal`.
    pub nominal: Option<f64>,
    /// `unbounded`; `None` when absent.
    pub unbounded: Option<bool>,
}

/// The attribute group of Integer and Enumeration types and variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntegerAttributes {
    /// `quantity`.
    pub quantity: Option<String>,
    /// `min`.
    pub min: Option<i32>,
    /// `max`.
    pub max: Option<i32>,
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

/// `Tool` of `VendorAnnotations`: its name and everything inside it, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VendorAnnotation {
    /// `name` of the tool.
    pub tool: String,
    /// The XML inside the `Tool` element, unchanged. Namespace prefixes that an outer element declares are not
    /// declared here.
    pub xml: String,
}

/// `ScalarVariable`.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalarVariable {
    /// `name`.
    pub name: String,
    /// `valueReference`.
    pub value_reference: u32,
    /// `description`.
    pub description: Option<String>,
    /// `causality`.
    pub causality: Causality,
    /// `variability`.
    pub variability: Variability,
    /// `initial` as written; `None` when absent.
    pub initial: Option<Initial>,
    /// `canHandleMultipleSetPerTimeInstant`; `None` when absent.
    pub can_handle_multiple_set_per_time_instant: Option<bool>,
    /// The type element with its attributes.
    pub kind: VariableKind,
    /// `Annotations` of the variable.
    pub annotations: Vec<VendorAnnotation>,
}

/// The type element inside a `ScalarVariable`.
#[derive(Clone, Debug, PartialEq)]
pub enum VariableKind {
    /// `Real`.
    Real {
        /// `declaredType`.
        declared_type: Option<String>,
        /// Unit, range and so on.
        attributes: RealAttributes,
        /// `start`.
        start: Option<f64>,
        /// `derivative`: the 1-based index of the variable that this one is the derivative of.
        derivative: Option<u32>,
        /// `reinit`.
        reinit: bool,
    },
    /// `Integer`.
    Integer {
        /// `declaredType`.
        declared_type: Option<String>,
        /// Range.
        attributes: IntegerAttributes,
        /// `start`.
        start: Option<i32>,
    },
    /// `Boolean`.
    Boolean {
        /// `declaredType`.
        declared_type: Option<String>,
        /// `start`.
        start: Option<bool>,
    },
    /// `String`.
    String {
        /// `declaredType`.
        declared_type: Option<String>,
        /// `start`.
        start: Option<String>,
    },
    /// `Enumeration`.
    Enumeration {
        /// `declaredType`: required here.
        declared_type: String,
        /// Range.
        attributes: IntegerAttributes,
        /// `start`.
        start: Option<i32>,
    },
}

/// `causality`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Causality {
    /// Constant during simulation, set by the environment before initialization.
    Parameter,
    /// Constant during simulation, computed from parameters.
    CalculatedParameter,
    /// Set by the environment.
    Input,
    /// Offered to the environment.
    Output,
    /// Internal.
    #[default]
    Local,
    /// The independent variable, usually time.
    Independent,
}

/// `variability`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Variability {
    /// Never changes.
    Constant,
    /// Fixed after initialization.
    Fixed,
    /// May change between externally triggered events.
    Tunable,
    /// Changes at events only.
    Discrete,
    /// Changes at any time.
    #[default]
    Continuous,
}

/// `initial`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Initial {
    /// Initialized with the start value.
    Exact,
    /// Iteration variable that starts from the start value.
    Approx,
    /// Calculated from other variables during initialization.
    Calculated,
}

/// `ModelStructure`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelStructure {
    /// `Outputs`.
    pub outputs: Vec<Unknown>,
    /// `Derivatives`; their order is the order of the continuous states.
    pub derivatives: Vec<Unknown>,
    /// `InitialUnknowns`.
    pub initial_unknowns: Vec<Unknown>,
}

/// `Unknown` of `ModelStructure`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unknown {
    /// `index` of the variable, 1-based.
    pub index: u32,
    /// `dependencies`; `None` when absent, which means 'on all knowns'.
    pub dependencies: Option<Vec<u32>>,
    /// `dependenciesKind`; `None` when absent, which means `dependent` for each.
    pub dependencies_kind: Option<Vec<DependencyKind>>,
}

/// An entry of `dependenciesKind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DependencyKind {
    /// No particular structure.
    Dependent,
    /// The factor is a constant.
    Constant,
    /// The factor is fixed after initialization.
    Fixed,
    /// The factor changes with tunable parameters only.
    Tunable,
    /// The factor changes at events only.
    Discrete,
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

words!(VariableNamingConvention { Flat = "flat", Structured = "structured" });
words!(Causality {
    Parameter = "parameter",
    CalculatedParameter = "calculatedParameter",
    Input = "input",
    Output = "output",
    Local = "local",
    Independent = "independent",
});
words!(Variability {
    Constant = "constant",
    Fixed = "fixed",
    Tunable = "tunable",
    Discrete = "discrete",
    Continuous = "continuous",
});
words!(Initial { Exact = "exact", Approx = "approx", Calculated = "calculated" });
words!(DependencyKind {
    Dependent = "dependent",
    Constant = "constant",
    Fixed = "fixed",
    Tunable = "tunable",
    Discrete = "discrete",
});
