//! What can be wrong with a unit.

use std::fmt;

/// Why a text is not a unit, or not a display unit of another.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnitError {
    /// A symbol that is not in the table.
    Unknown {
        /// The symbol, without its exponent.
        symbol: String,
        /// Where it begins, in bytes.
        position: usize,
        /// What may have been meant.
        suggestion: Option<String>,
    },
    /// The text does not follow the grammar.
    Syntax {
        /// The whole text.
        unit: String,
        /// Where it goes wrong, in bytes.
        position: usize,
        /// What is wrong there and what to write.
        problem: String,
    },
    /// Unit and display unit measure different things.
    Dimension {
        /// The unit.
        unit: String,
        /// The display unit.
        display: String,
        /// The unit in base units.
        unit_dimension: String,
        /// The display unit in base units.
        display_dimension: String,
    },
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown {
                symbol,
                suggestion: Some(suggestion),
                ..
            } => {
                write!(f, "`{symbol}` is not a known unit: did you mean `{suggestion}`?")
            }
            Self::Unknown { symbol, .. } => write!(f, "`{symbol}` is not a known unit"),
            Self::Syntax {
                unit,
                position,
                problem,
            } => {
                write!(
                    f,
                    "`{unit}` is not a unit, at character {}: {problem}",
                    position_in_characters(unit, *position)
                )
            }
            Self::Dimension {
                unit,
                display,
                unit_dimension,
                display_dimension,
            } => write!(
                f,
                "`{display}` cannot show `{unit}`: their dimensions are {display_dimension} and {unit_dimension}"
            ),
        }
    }
}

impl std::error::Error for UnitError {}

/// Counted as a person counts, from 1.
fn position_in_characters(text: &str, position: usize) -> usize {
    text.char_indices().take_while(|(at, _)| *at < position).count() + 1
}
