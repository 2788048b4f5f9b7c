//! Systems of other tools: archives (`.ssp`) and descriptions (`.ssd`) of System Structure and Parameterization 1.0.
//!
//! An archive is unpacked to a private folder, a description is read where it is. [`xml`] reads elements with their lines,
//! [`structure`] and [`parameters`] what they mean, [`package`] finds the files that they name, and [`flatten`] makes one
//! flat system of nested ones. Of annotations, only the steps of known masters are read ([`annotations`]).

mod annotations;
mod flatten;
mod package;
mod parameters;
mod structure;
mod xml;

use std::path::Path;
use std::sync::Arc;

use fmu_importer::archive::{Limits, PrivateFolder};
use fmu_standard::description::BaseUnit;

use super::{NamedUnit, System, SystemError, read_text};
use package::{Folders, Package};
use xml::Element;

/// The description that an archive must have.
const DESCRIPTION: &str = "SystemStructure.ssd";

/// The folders that archives were unpacked to; they go with the last system that needs them.
#[derive(Clone, Debug)]
pub struct Unpacked(Arc<Vec<PrivateFolder>>);

impl PartialEq for Unpacked {
    fn eq(&self, other: &Unpacked) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Reads an archive: its usual description, or the variant of this name.
pub(super) fn open_archive(
    path: &Path,
    limits: &Limits,
    variant: Option<&str>,
) -> Result<System, SystemError> {
    let folders = Folders::new(limits);
    let (package, variants) = Package::unpack(path, path, &folders)?;
    let chosen = package::choose(&package, &variants, variant)?;
    let (text, shown) = package.text(&chosen)?;
    let mut system = read(&text, &shown, &package)?;
    let others = variants.iter().filter(|file| **file != chosen);
    system.variants = others.map(|file| package.variant_name(file)).collect();
    system.unpacked = folders.unpacked();
    Ok(system)
}

pub(super) fn open_description(path: &Path, limits: &Limits) -> Result<System, SystemError> {
    let folders = Folders::new(limits);
    let package = Package::beside(path, &folders);
    let mut system = read(&read_text(path, super::NO_SYSTEM)?, path, &package)?;
    system.unpacked = folders.unpacked();
    Ok(system)
}

fn read(text: &str, path: &Path, package: &Package<'_>) -> Result<System, SystemError> {
    let element = xml::parse(text, path, ROOT)?;
    let root = structure::root(&element, package)?;
    let mut system = flatten::flatten(&root)?;
    let start = root.start.unwrap_or(0.0);
    let stop = root.stop.unwrap_or(start + 1.0);
    if !(stop > start && (stop - start).is_finite()) {
        let problem = format!("the simulation stops at {stop}, and starts at {start}");
        return Err(element.wrong(problem));
    }
    let settings = &mut system.settings;
    (settings.start, settings.stop) = (start, stop);
    settings.step = (stop - start) / 100.0;
    if let Some((step, master)) = annotations::step(&element, stop - start) {
        settings.step = step;
        system.step_from = Some(master.to_owned());
    }
    Ok(system)
}

/// The root element of a description.
const ROOT: &str = "SystemStructureDescription";

/// The units that a file defines.
fn units(element: &Element) -> Result<Vec<NamedUnit>, SystemError> {
    const BASES: [&str; 8] = ["kg", "m", "s", "A", "K", "mol", "cd", "rad"];
    let unit = |unit: &Element| {
        let base = match unit.child("BaseUnit") {
            None => None,
            Some(base) => {
                let mut exponents = [0; 8];
                for (exponent, name) in exponents.iter_mut().zip(BASES) {
                    *exponent = base.parsed(name)?.unwrap_or(0);
                }
                Some(BaseUnit {
                    exponents,
                    factor: base.parsed("factor")?.unwrap_or(1.0),
                    offset: base.parsed("offset")?.unwrap_or(0.0),
                })
            }
        };
        Ok(NamedUnit {
            name: unit.required("name")?.to_owned(),
            base,
        })
    };
    element.inside("Units").map(unit).collect()
}
