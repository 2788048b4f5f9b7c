//! Types: the attributes that a variable has or inherits from its declared type.

use super::words;

/// `SimpleType` (2.0) or one of the elements `Float64Type` to `ClockType` (3.0) of `TypeDefinitions`.
#[derive(Clone, Debug, PartialEq)]
pub struct SimpleType {
    /// `name`.
    pub name: String,
    /// `description`.
    pub description: Option<String>,
    /// What kind of type it is, with its attributes.
    pub kind: TypeKind,
}

/// The kind of a [`SimpleType`].
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// `Real` (2.0), `Float32Type` or `Float64Type` (3.0).
    Real(RealAttributes),
    /// `Integer` (2.0), `Int8Type` to `UInt64Type` (3.0).
    Integer(IntegerAttributes),
    /// `Boolean` (2.0), `BooleanType` (3.0).
    Boolean,
    /// `String` (2.0), `StringType` (3.0).
    String,
    /// `BinaryType`. FMI 3.0 only.
    Binary {
        /// `mimeType`; `None` when absent, which means `application/octet-stream`.
        mime_type: Option<String>,
        /// `maxSize` in bytes.
        max_size: Option<u64>,
    },
    /// `Enumeration` (2.0), `EnumerationType` (3.0) with its items.
    Enumeration {
        /// `quantity`.
        quantity: Option<String>,
        /// `min`. FMI 3.0 only.
        min: Option<i64>,
        /// `max`. FMI 3.0 only.
        max: Option<i64>,
        /// `Item`s.
        items: Vec<EnumerationItem>,
    },
    /// `ClockType`. FMI 3.0 only.
    Clock(ClockAttributes),
}

impl TypeKind {
    /// The name of the type without its number of bits, as [`VariableKind::name`](super::VariableKind::name) has it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Real(_) => "Real",
            Self::Integer(_) => "Integer",
            Self::Boolean => "Boolean",
            Self::String => "String",
            Self::Binary { .. } => "Binary",
            Self::Enumeration { .. } => "Enumeration",
            Self::Clock(_) => "Clock",
        }
    }
}

/// `Item` of an enumeration type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumerationItem {
    /// `name`.
    pub name: String,
    /// `value`: 32 bits in FMI 2.0, 64 bits in FMI 3.0.
    pub value: i64,
    /// `description`.
    pub description: Option<String>,
}

/// The floating-point types of FMI 3.0; `Real` of FMI 2.0 is `Float64`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FloatType {
    /// 32 bits.
    Float32,
    /// 64 bits.
    #[default]
    Float64,
}

words!(FloatType { Float32 = "Float32", Float64 = "Float64" });

/// The integer types of FMI 3.0; `Integer` of FMI 2.0 is `Int32`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum IntegerType {
    /// 8 bits, signed.
    Int8,
    /// 8 bits, unsigned.
    UInt8,
    /// 16 bits, signed.
    Int16,
    /// 16 bits, unsigned.
    UInt16,
    /// 32 bits, signed.
    #[default]
    Int32,
    /// 32 bits, unsigned.
    UInt32,
    /// 64 bits, signed.
    Int64,
    /// 64 bits, unsigned.
    UInt64,
}

words!(IntegerType {
    Int8 = "Int8",
    UInt8 = "UInt8",
    Int16 = "Int16",
    UInt16 = "UInt16",
    Int32 = "Int32",
    UInt32 = "UInt32",
    Int64 = "Int64",
    UInt64 = "UInt64",
});

impl IntegerType {
    /// The smallest and the largest value.
    ///
    /// ```
    /// use fmu_standard::description::IntegerType;
    ///
    /// assert_eq!(IntegerType::Int8.range(), -128..=127);
    /// assert_eq!(*IntegerType::UInt64.range().end(), u64::MAX.into());
    /// ```
    pub fn range(self) -> std::ops::RangeInclusive<i128> {
        match self {
            Self::Int8 => i8::MIN.into()..=i8::MAX.into(),
            Self::UInt8 => 0..=u8::MAX.into(),
            Self::Int16 => i16::MIN.into()..=i16::MAX.into(),
            Self::UInt16 => 0..=u16::MAX.into(),
            Self::Int32 => i32::MIN.into()..=i32::MAX.into(),
            Self::UInt32 => 0..=u32::MAX.into(),
            Self::Int64 => i64::MIN.into()..=i64::MAX.into(),
            Self::UInt64 => 0..=u64::MAX.into(),
        }
    }
}

/// The attribute group of floating-point types and variables. A `Float32` has its numbers widened to 64 bits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RealAttributes {
    /// The type: `Float64` in FMI 2.0.
    pub float: FloatType,
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

impl RealAttributes {
    /// These attributes, with those of the declared type where they are absent.
    pub fn or(self, declared: &Self) -> Self {
        let text = |own: Option<String>, declared: &Option<String>| own.or_else(|| declared.clone());
        Self {
            float: self.float,
            quantity: text(self.quantity, &declared.quantity),
            unit: text(self.unit, &declared.unit),
            display_unit: text(self.display_unit, &declared.display_unit),
            relative_quantity: self.relative_quantity.or(declared.relative_quantity),
            min: self.min.or(declared.min),
            max: self.max.or(declared.max),
            nominal: self.nominal.or(declared.nominal),
            unbounded: self.unbounded.or(declared.unbounded),
        }
    }
}

/// The attribute group of integer and enumeration types and variables.
///
/// Numbers have 128 bits, so that every value of every integer type fits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntegerAttributes {
    /// The type: `Int32` in FMI 2.0. It has no meaning for an enumeration.
    pub integer: IntegerType,
    /// `quantity`.
    pub quantity: Option<String>,
    /// `min`.
    pub min: Option<i128>,
    /// `max`.
    pub max: Option<i128>,
}

/// The attribute group of clocks and clock types. FMI 3.0 only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClockAttributes {
    /// `canBeDeactivated`; `None` when absent, which means `false`.
    pub can_be_deactivated: Option<bool>,
    /// `priority`.
    pub priority: Option<u32>,
    /// `intervalVariability`.
    pub interval_variability: IntervalVariability,
    /// `intervalDecimal` in seconds.
    pub interval_decimal: Option<f64>,
    /// `shiftDecimal` in seconds; `None` when absent, which means 0.
    pub shift_decimal: Option<f64>,
    /// `supportsFraction`; `None` when absent, which means `false`.
    pub supports_fraction: Option<bool>,
    /// `resolution`.
    pub resolution: Option<u64>,
    /// `intervalCounter`.
    pub interval_counter: Option<u64>,
    /// `shiftCounter`; `None` when absent, which means 0.
    pub shift_counter: Option<u64>,
}

/// `intervalVariability` of a clock. FMI 3.0 only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum IntervalVariability {
    /// The interval never changes and is known before instantiation.
    #[default]
    Constant,
    /// The interval is known after initialization.
    Fixed,
    /// The interval changes with tunable parameters.
    Tunable,
    /// The interval may change at each tick.
    Changing,
    /// The FMU announces each tick by a countdown.
    Countdown,
    /// The clock ticks without a known interval.
    Triggered,
}

words!(IntervalVariability {
    Constant = "constant",
    Fixed = "fixed",
    Tunable = "tunable",
    Changing = "changing",
    Countdown = "countdown",
    Triggered = "triggered",
});
