//! Units of variables, and how values of one become values of another.

use fmu_importer::Fmu;
use fmu_standard::description::{BaseUnit, ModelDescription};

/// A unit, and what it is in base units, if that is known.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedUnit {
    /// Its name, for example `N.m`.
    pub name: String,
    /// What it is.
    pub base: Option<BaseUnit>,
}

impl NamedUnit {
    /// A unit by its usual name.
    ///
    /// ```
    /// assert!(fmu_master::system::NamedUnit::known("mm").is_ok());
    /// assert!(fmu_master::system::NamedUnit::known("furlong").is_err());
    /// ```
    pub fn known(name: &str) -> Result<NamedUnit, fmu_standard::units::UnitError> {
        Ok(NamedUnit {
            name: name.to_owned(),
            base: Some(fmu_standard::units::parse(name)?),
        })
    }

    /// A unit of an FMU: as the FMU defines it, or else by its usual name.
    fn defined(name: String, description: &ModelDescription) -> NamedUnit {
        let mut definitions = description.unit_definitions.iter();
        let defined = definitions.find(|unit| unit.name == name);
        let base = defined
            .and_then(|unit| unit.base_unit)
            .or_else(|| fmu_standard::units::parse(&name).ok());
        NamedUnit { name, base }
    }

    fn dimension(&self) -> String {
        match &self.base {
            Some(base) => format!(
                "{} ({})",
                self.name,
                fmu_standard::units::dimension(&base.exponents)
            ),
            None => self.name.clone(),
        }
    }
}

/// What a variable is measured in.
pub(super) struct Measure {
    pub unit: Option<NamedUnit>,
    /// A difference, to which offsets of units do not apply.
    pub relative: bool,
}

impl Measure {
    /// Of a variable of an FMU, by position.
    pub fn of(fmu: &Fmu, position: usize) -> Measure {
        let attributes = fmu.real_attributes(position).unwrap_or_default();
        Measure {
            unit: attributes
                .unit
                .filter(|name| !name.is_empty())
                .map(|name| NamedUnit::defined(name, fmu.description())),
            relative: attributes.relative_quantity == Some(true),
        }
    }
}

/// How a value in one unit becomes a value in another, factor and shift; or why it does not, as the end of a sentence.
pub(super) fn conversion(from: &Measure, to: &Measure) -> Result<(f64, f64), String> {
    let (Some(a), Some(b)) = (&from.unit, &to.unit) else {
        return Ok((1.0, 0.0));
    };
    match (&a.base, &b.base) {
        (Some(x), Some(y)) if x.exponents == y.exponents => {
            let shift = match from.relative && to.relative {
                true => 0.0,
                false => (x.offset - y.offset) / y.factor,
            };
            Ok((x.factor / y.factor, shift))
        }
        (Some(_), Some(_)) => Err(format!(
            "{} and {} measure different things",
            a.dimension(),
            b.dimension()
        )),
        _ if a.name == b.name => Ok((1.0, 0.0)),
        (None, _) => Err(unknown(&a.name)),
        (_, None) => Err(unknown(&b.name)),
    }
}

fn unknown(name: &str) -> String {
    format!("no unit definition describes {name} in base units")
}
