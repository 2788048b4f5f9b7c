//! Variables.

use super::{ClockAttributes, IntegerAttributes, RealAttributes, Reference, VendorAnnotation, words};

/// A variable: `ScalarVariable` (2.0), or one of the elements `Float32` to `Clock` (3.0).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelVariable {
    /// `name`.
    pub name: String,
    /// `valueReference`: unique per type in FMI 2.0, where equal ones make aliases; unique in FMI 3.0.
    pub value_reference: u32,
    /// `description`.
    pub description: Option<String>,
    /// `causality`.
    pub causality: Causality,
    /// `variability`, with the default of the standard filled in.
    pub variability: Variability,
    /// `initial` as written; `None` when absent.
    pub initial: Option<Initial>,
    /// `canHandleMultipleSetPerTimeInstant`; `None` when absent.
    pub can_handle_multiple_set_per_time_instant: Option<bool>,
    /// The type with its attributes.
    pub kind: VariableKind,
    /// `Dimension`s; empty for a scalar. FMI 3.0 only.
    pub dimensions: Vec<Dimension>,
    /// `clocks`: the clocks of a clocked variable. FMI 3.0 only.
    pub clocks: Vec<Reference>,
    /// `previous`: for a clocked state, the variable with its previous value. FMI 3.0 only.
    pub previous: Option<Reference>,
    /// `intermediateUpdate`. FMI 3.0 only.
    pub intermediate_update: bool,
    /// `Alias`es: further names of this variable. FMI 3.0 only.
    pub aliases: Vec<Alias>,
    /// `Annotations` of the variable.
    pub annotations: Vec<VendorAnnotation>,
}

impl ModelVariable {
    /// The number of elements; a dimension that a structural parameter determines counts once.
    pub fn elements(&self) -> u64 {
        let lengths = self.dimensions.iter().map(|dimension| match dimension {
            Dimension::Fixed(length) => *length,
            Dimension::Parameter(_) => 1,
        });
        lengths.product()
    }
}

/// The type of a variable, with its attributes.
#[derive(Clone, Debug, PartialEq)]
pub enum VariableKind {
    /// `Real` (2.0), `Float32` or `Float64` (3.0).
    Real {
        /// `declaredType`.
        declared_type: Option<String>,
        /// Number of bits, unit, range and so on.
        attributes: RealAttributes,
        /// `start`.
        start: Start<f64>,
        /// `derivative`: the variable that this one is the derivative of.
        derivative: Option<Reference>,
        /// `reinit`.
        reinit: bool,
    },
    /// `Integer` (2.0), `Int8` to `UInt64` (3.0).
    Integer {
        /// `declaredType`.
        declared_type: Option<String>,
        /// Number of bits and range.
        attributes: IntegerAttributes,
        /// `start`.
        start: Start<i128>,
    },
    /// `Boolean`.
    Boolean {
        /// `declaredType`.
        declared_type: Option<String>,
        /// `start`.
        start: Start<bool>,
    },
    /// `String`.
    String {
        /// `declaredType`.
        declared_type: Option<String>,
        /// `start` (2.0), `Start` elements (3.0).
        start: Start<String>,
    },
    /// `Binary`. FMI 3.0 only.
    Binary {
        /// `declaredType`.
        declared_type: Option<String>,
        /// `mimeType`; `None` when absent, which means `application/octet-stream`.
        mime_type: Option<String>,
        /// `maxSize` in bytes.
        max_size: Option<u64>,
        /// `Start` elements.
        start: Start<Vec<u8>>,
    },
    /// `Enumeration`.
    Enumeration {
        /// `declaredType`: required here.
        declared_type: String,
        /// Range.
        attributes: IntegerAttributes,
        /// `start`.
        start: Start<i128>,
    },
    /// `Clock`. FMI 3.0 only.
    Clock {
        /// `declaredType`.
        declared_type: Option<String>,
        /// Interval and so on.
        attributes: ClockAttributes,
    },
}

impl Default for VariableKind {
    fn default() -> Self {
        Self::Real {
            declared_type: None,
            attributes: RealAttributes::default(),
            start: Start::None,
            derivative: None,
            reinit: false,
        }
    }
}

impl VariableKind {
    /// The name of the type without its number of bits: `Real`, `Integer`, `Boolean`, `String`, `Binary`, `Enumeration` or
    /// `Clock`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Real { .. } => "Real",
            Self::Integer { .. } => "Integer",
            Self::Boolean { .. } => "Boolean",
            Self::String { .. } => "String",
            Self::Binary { .. } => "Binary",
            Self::Enumeration { .. } => "Enumeration",
            Self::Clock { .. } => "Clock",
        }
    }

    /// `declaredType`.
    pub fn declared_type(&self) -> Option<&str> {
        match self {
            Self::Real { declared_type, .. }
            | Self::Integer { declared_type, .. }
            | Self::Boolean { declared_type, .. }
            | Self::String { declared_type, .. }
            | Self::Binary { declared_type, .. }
            | Self::Clock { declared_type, .. } => declared_type.as_deref(),
            Self::Enumeration { declared_type, .. } => Some(declared_type),
        }
    }

    /// The start value of a scalar number, as `f64`; `None` for other types and without a start value.
    pub fn start_number(&self) -> Option<f64> {
        match self {
            Self::Real { start, .. } => start.one(),
            Self::Integer { start, .. } | Self::Enumeration { start, .. } => {
                start.one().map(|value| value as f64)
            }
            _ => None,
        }
    }

    /// Whether the variable has a start value.
    pub fn has_start(&self) -> bool {
        match self {
            Self::Real { start, .. } => start.is_some(),
            Self::Integer { start, .. } | Self::Enumeration { start, .. } => start.is_some(),
            Self::Boolean { start, .. } => start.is_some(),
            Self::String { start, .. } => start.is_some(),
            Self::Binary { start, .. } => start.is_some(),
            Self::Clock { .. } => false,
        }
    }
}

/// The start value of a variable: one value, or the values of an array in row-major order.
///
/// A single value for an array is the start value of all its elements.
///
/// ```
/// use fmu_standard::description::Start;
///
/// assert_eq!(Start::from(vec![1.5]), Start::One(1.5));
/// assert_eq!(Start::from(vec![1, 2]).values(), [1, 2]);
/// assert_eq!(Start::from(Some(true)).one(), Some(true));
/// assert_eq!(Start::<f64>::None.one(), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Start<T> {
    /// The attribute is absent.
    #[default]
    None,
    /// One value.
    One(T),
    /// A list that has not exactly one value.
    Several(Vec<T>),
}

impl<T> Start<T> {
    /// Whether there is a start value.
    pub const fn is_some(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// All values as written.
    pub fn values(&self) -> &[T] {
        match self {
            Self::None => &[],
            Self::One(value) => std::slice::from_ref(value),
            Self::Several(values) => values,
        }
    }

    /// The start value of a scalar; `None` if there is none, or several.
    pub fn one(&self) -> Option<T>
    where
        T: Clone,
    {
        match self {
            Self::One(value) => Some(value.clone()),
            _ => None,
        }
    }
}

impl<T> From<Option<T>> for Start<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::None, Self::One)
    }
}

impl<T> From<Vec<T>> for Start<T> {
    fn from(mut values: Vec<T>) -> Self {
        match (values.len(), values.pop()) {
            (1, Some(value)) => Self::One(value),
            (_, last) => {
                values.extend(last);
                Self::Several(values)
            }
        }
    }
}

/// `Dimension` of an array. FMI 3.0 only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// `start`: a fixed size.
    Fixed(u64),
    /// `valueReference`: the size is the value of a structural parameter or of a constant.
    Parameter(Reference),
}

/// `Alias`: a further name of a variable. FMI 3.0 only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alias {
    /// `name`.
    pub name: String,
    /// `description`.
    pub description: Option<String>,
    /// `displayUnit`, for floating-point variables.
    pub display_unit: Option<String>,
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
    /// Determines sizes of arrays. FMI 3.0 only.
    StructuralParameter,
}

words!(Causality {
    Parameter = "parameter",
    CalculatedParameter = "calculatedParameter",
    Input = "input",
    Output = "output",
    Local = "local",
    Independent = "independent",
    StructuralParameter = "structuralParameter",
});

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

words!(Variability {
    Constant = "constant",
    Fixed = "fixed",
    Tunable = "tunable",
    Discrete = "discrete",
    Continuous = "continuous",
});

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

words!(Initial { Exact = "exact", Approx = "approx", Calculated = "calculated" });
