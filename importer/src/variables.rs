//! The variables of an FMU by name and by value reference.

use std::collections::{HashMap, HashSet};
use std::fmt;

use fmu_results::table::CellType;
use fmu_standard::description::{ModelDescription, ModelVariable, VariableKind};
use fmu_standard::naming::nearest;

/// The type that a variable has on the C interface; an enumeration is an Integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BaseType {
    /// `fmi2Real`.
    Real,
    /// `fmi2Integer`.
    Integer,
    /// `fmi2Boolean`.
    Boolean,
    /// `fmi2String`.
    String,
}

impl BaseType {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Real, Self::Integer, Self::Boolean, Self::String];

    /// The type of a variable.
    pub fn of(kind: &VariableKind) -> Self {
        match kind {
            VariableKind::Real { .. } => Self::Real,
            VariableKind::Integer { .. } | VariableKind::Enumeration { .. } => Self::Integer,
            // FMI 2.0 has neither clocks nor binary data.
            VariableKind::Boolean { .. } | VariableKind::Clock { .. } => Self::Boolean,
            VariableKind::String { .. } | VariableKind::Binary { .. } => Self::String,
        }
    }
}

impl From<BaseType> for CellType {
    fn from(base_type: BaseType) -> Self {
        match base_type {
            BaseType::Real => Self::Real,
            BaseType::Integer => Self::Integer,
            BaseType::Boolean => Self::Boolean,
            BaseType::String => Self::String,
        }
    }
}

impl fmt::Display for BaseType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Real => "Real",
            Self::Integer => "Integer",
            Self::Boolean => "Boolean",
            Self::String => "String",
        })
    }
}

/// Finds variables by name or by value reference.
#[derive(Debug)]
pub struct Variables {
    by_name: HashMap<Box<str>, u32>,
    by_reference: [References; 4],
}

impl Variables {
    /// Indexes the variables of a description.
    pub fn new(description: &ModelDescription) -> Self {
        let variables = &description.model_variables;
        let mut by_name = HashMap::with_capacity(variables.len());
        let mut references: [Vec<(u32, u32)>; 4] = Default::default();
        for (position, variable) in (0..).zip(variables) {
            // Of two variables with one name the first counts.
            by_name.entry(variable.name.as_str().into()).or_insert(position);
            references[BaseType::of(&variable.kind) as usize].push((variable.value_reference, position));
        }
        Self {
            by_name,
            by_reference: references.map(References::new),
        }
    }

    /// The position of a variable in `model_variables`.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).map(|position| *position as usize)
    }

    /// The position of the first variable with this type and value reference; the others are its aliases.
    pub fn position_of_reference(&self, base_type: BaseType, value_reference: u32) -> Option<usize> {
        self.by_reference[base_type as usize].position(value_reference)
    }

    /// The first value reference that no variable of this type has.
    #[inline]
    pub(crate) fn unknown(&self, base_type: BaseType, value_references: &[u32]) -> Option<u32> {
        self.by_reference[base_type as usize].unknown(value_references)
    }

    /// The name that is most like another.
    pub(crate) fn similar(variables: &[ModelVariable], name: &str) -> Option<String> {
        nearest(variables.iter().map(|variable| variable.name.as_str()), name).map(Into::into)
    }
}

/// The value references of one base type.
#[derive(Debug)]
struct References {
    /// Sorted by value reference; of aliases the first.
    sorted: Vec<(u32, u32)>,
    known: Known,
}

/// Which value references there are, so that none is passed on that could crash the FMU.
#[derive(Debug)]
enum Known {
    /// One bit each: value references are nearly always small numbers.
    Bits(Vec<u64>),
    Set(HashSet<u32>),
}

impl References {
    fn new(mut references: Vec<(u32, u32)>) -> Self {
        references.sort_unstable();
        references.dedup_by_key(|(reference, _)| *reference);
        let largest = references.last().map_or(0, |(reference, _)| *reference as usize);
        let known = if largest < 64 * 1024 + 64 * references.len() {
            let mut bits = vec![
                0;
                if references.is_empty() {
                    0
                } else {
                    largest / 64 + 1
                }
            ];
            for (reference, _) in &references {
                bits[*reference as usize / 64] |= 1 << (reference % 64);
            }
            Known::Bits(bits)
        } else {
            Known::Set(references.iter().map(|(reference, _)| *reference).collect())
        };
        Self {
            sorted: references,
            known,
        }
    }

    fn position(&self, reference: u32) -> Option<usize> {
        let at = self
            .sorted
            .binary_search_by_key(&reference, |(reference, _)| *reference)
            .ok()?;
        Some(self.sorted[at].1 as usize)
    }

    #[inline]
    fn unknown(&self, references: &[u32]) -> Option<u32> {
        let unknown = match &self.known {
            Known::Bits(bits) => references.iter().find(|reference| {
                let word = bits.get(**reference as usize / 64).copied().unwrap_or(0);
                word >> (**reference % 64) & 1 == 0
            }),
            Known::Set(set) => references.iter().find(|reference| !set.contains(reference)),
        };
        unknown.copied()
    }
}
