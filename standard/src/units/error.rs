//! What can be wrong with a unit.

use std::fmt;

use super::dimension;
use super::suggest::suggest;

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
        /// The exponents of the unit in base units.
        unit_exponents: [i32; 8],
        /// The exponents of the display unit in base units.
        display_exponents: [i32; 8],
    },
}

impl UnitError {
    /// The known unit that may have been meant. It is looked for here and not before, so that a library that writes no errors of
    /// units, as every FMU, does not contain the search.
    ///
    /// ```
    /// let error = fmu_standard::units::parse("millimetre").unwrap_err();
    /// assert_eq!(error.suggestion().as_deref(), Some("mm"));
    /// ```
    pub fn suggestion(&self) -> Option<String> {
        match self {
            Self::Unknown { symbol, .. } => suggest(symbol),
            _ => None,
        }
    }
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { symbol, .. } => match self.suggestion() {
                Some(suggestion) => {
                    write!(f, "`{symbol}` is not a known unit: did you mean `{suggestion}`?")
                }
                None => write!(f, "`{symbol}` is not a known unit"),
            },
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
                unit_exponents,
                display_exponents,
            } => write!(
                f,
                "`{display}` cannot show `{unit}`: their dimensions are {} and {}",
                dimension(display_exponents),
                dimension(unit_exponents)
            ),
        }
    }
}

impl std::error::Error for UnitError {}

/// Counted as a person counts, from 1.
fn position_in_characters(text: &str, position: usize) -> usize {
    text.char_indices().take_while(|(at, _)| *at < position).count() + 1
}
