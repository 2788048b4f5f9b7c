//! Unit strings (`kg.m2/s`, `W/(m.K)`, `degC`) to the base units of FMI 2.0 (section 2.2.2).
//!
//! A unit is a product of symbols with whole exponents: `.` or `*` multiplies, `/` divides by the one factor that
//! follows (parentheses for more), `m2`, `m^2` and `m-2` are powers, `1` is the number one. Symbols are those of SI
//! with its prefixes and the usual ones beside it (`min`, `h`, `l`, `bar`, `deg`, `rev`, `rpm`, `degC`, `%`, ...).
//!
//! ```
//! let torque = fmu_standard::units::parse("N.m")?;
//! assert_eq!(torque.exponents, [1, 2, -2, 0, 0, 0, 0, 0]); // kg, m, s, A, K, mol, cd, rad
//! assert_eq!(fmu_standard::units::parse("kW.h")?.factor, 3.6e6);
//!
//! let celsius = fmu_standard::units::display_unit("K", "degC")?;
//! assert_eq!((celsius.factor, celsius.offset), (1.0, -273.15));
//!
//! let error = fmu_standard::units::parse("metre/s").unwrap_err();
//! assert_eq!(error.to_string(), "`metre` is not a known unit: did you mean `m`?");
//! # Ok::<(), fmu_standard::units::UnitError>(())
//! ```

mod error;
mod parse;
mod suggest;
mod symbols;

pub use error::UnitError;

use crate::description::{BaseUnit, DisplayUnit, Unit};
use parse::Quantity;

/// The base unit of a unit: exponents of kg, m, s, A, K, mol, cd, rad, and how to get there,
/// `base value = factor * value + offset`.
///
/// `degC` and `degF` have an offset when they stand alone; inside a product (`J/(kg.degC)`) they are differences.
/// `Hz` is `1/s`, as in SI and in the FMUs of most tools. `deg`, `rev` and `rpm` carry the exponent of rad.
pub fn parse(unit: &str) -> Result<BaseUnit, UnitError> {
    let Quantity {
        exponents,
        numerator,
        denominator,
        shift,
    } = parse::parse(unit)?;
    Ok(BaseUnit {
        exponents,
        factor: numerator / denominator,
        offset: shift * numerator / (denominator * 100.0),
    })
}

/// The entry of `UnitDefinitions` for a unit, without display units.
pub fn unit(name: &str) -> Result<Unit, UnitError> {
    Ok(Unit {
        name: name.into(),
        base_unit: Some(parse(name)?),
        display_units: Vec::new(),
    })
}

/// The display unit of a unit: `shown value = factor * value + offset`.
///
/// Both must have the same dimension, rad included, with one exception that the standard mentions: `Hz` may show an
/// angular velocity, as revolutions per second.
///
/// ```
/// let shown = fmu_standard::units::display_unit("rad/s", "rev/min")?;
/// assert_eq!(shown.factor, 9.549296585513721);
/// assert!(fmu_standard::units::display_unit("m", "s").is_err());
/// # Ok::<(), fmu_standard::units::UnitError>(())
/// ```
pub fn display_unit(unit: &str, display: &str) -> Result<DisplayUnit, UnitError> {
    let from = parse::parse(unit)?;
    let mut to = parse::parse(display)?;
    if from.exponents != to.exponents && display.ends_with("Hz") {
        to = parse::parse(&display.replace("Hz", "rev/s")).unwrap_or(to);
    }
    if from.exponents != to.exponents {
        return Err(UnitError::Dimension {
            unit: unit.into(),
            display: display.into(),
            unit_exponents: from.exponents,
            display_exponents: to.exponents,
        });
    }
    // One quotient of products, so that a factor like 9/5 is rounded once. Shifts are whole hundredths of the own
    // degree: the offset between two temperature scales comes out exact.
    let numerator = from.numerator * to.denominator;
    let denominator = from.denominator * to.numerator;
    Ok(DisplayUnit {
        name: display.into(),
        factor: numerator / denominator,
        offset: (from.shift * numerator / denominator - to.shift) / 100.0,
        inverse: false,
    })
}

/// A dimension as text: exponents of kg, m, s, A, K, mol, cd, rad as a product, `1` if there are none.
///
/// ```
/// assert_eq!(fmu_standard::units::dimension(&[1, 2, -2, 0, 0, 0, 0, 0]), "kg.m2.s-2");
/// ```
pub fn dimension(exponents: &[i32; 8]) -> String {
    let mut text = String::new();
    for (symbol, &exponent) in BASE_SYMBOLS.iter().zip(exponents) {
        if exponent == 0 {
            continue;
        }
        if !text.is_empty() {
            text.push('.');
        }
        text.push_str(symbol);
        if exponent != 1 {
            text.push_str(&exponent.to_string());
        }
    }
    if text.is_empty() { "1".into() } else { text }
}

/// The symbols of the eight base units, in the order of the schema.
pub const BASE_SYMBOLS: [&str; 8] = ["kg", "m", "s", "A", "K", "mol", "cd", "rad"];
