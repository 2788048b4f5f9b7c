//! Systems of other tools: archives (`.ssp`) and descriptions (`.ssd`) of System Structure and Parameterization 1.0.
//!
//! An archive is unpacked to a private folder, a description is read where it is. [`xml`] reads elements with their lines,
//! [`structure`] and [`parameters`] what they mean, [`flatten`] makes one flat system of nested ones. Annotations of tools are
//! left out, so algorithm and step are the usual ones, or those of the command line.

mod flatten;
mod parameters;
mod structure;
mod xml;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fmi::description::BaseUnit;
use importer::archive::PrivateFolder;
use importer::archive::{Archive, ArchiveError, Limits, Name};

use super::{NamedUnit, Place, System, SystemError, read_text};
use xml::Element;

/// The description that an archive must have.
const DESCRIPTION: &str = "SystemStructure.ssd";

/// The folder that an archive was unpacked to; it goes with the last system that needs it.
#[derive(Clone, Debug)]
pub struct Unpacked(Arc<PrivateFolder>);

impl PartialEq for Unpacked {
    fn eq(&self, other: &Unpacked) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

pub(super) fn open_archive(path: &Path, limits: &Limits) -> Result<System, SystemError> {
    let refused = |source: ArchiveError| SystemError::Archive {
        path: path.to_owned(),
        source: Box::new(source),
    };
    let unreadable = |source| SystemError::Read {
        path: path.to_owned(),
        source,
    };
    let file = importer::open_regular(path).map_err(unreadable)?;
    let mut archive = Archive::read(file, limits.entries).map_err(refused)?;
    archive.accept(limits).map_err(refused)?;
    let Some(position) = archive.find(DESCRIPTION) else {
        let place = Place {
            file: Some(path.to_owned()),
            line: 0,
        };
        return Err(SystemError::wrong(
            &place,
            format!("the archive has no {DESCRIPTION}"),
        ));
    };
    let text = archive.bytes(position, limits.description).map_err(refused)?;
    let folder = importer::archive::private_folder().map_err(unreadable)?;
    archive.unpack(folder.path(), |_| true).map_err(refused)?;
    let package = Package {
        folder: folder.path().to_owned(),
        archive: Some(path.to_owned()),
    };
    let shown = package.shown(&folder.path().join(DESCRIPTION));
    let Ok(text) = String::from_utf8(text) else {
        let place = Place {
            file: Some(shown),
            line: 0,
        };
        return Err(SystemError::wrong(&place, "it is not written in UTF-8"));
    };
    let mut system = read(&text, &shown, &package)?;
    system.unpacked = Some(Unpacked(Arc::new(folder)));
    Ok(system)
}

pub(super) fn open_description(path: &Path) -> Result<System, SystemError> {
    let package = Package {
        folder: path.parent().unwrap_or(Path::new("")).to_owned(),
        archive: None,
    };
    read(&read_text(path, super::NO_SYSTEM)?, path, &package)
}

fn read(text: &str, path: &Path, package: &Package) -> Result<System, SystemError> {
    let element = xml::parse(text, path, "SystemStructureDescription")?;
    let root = structure::root(&element, package)?;
    let mut system = flatten::flatten(&root, package)?;
    let start = root.start.unwrap_or(0.0);
    let stop = root.stop.unwrap_or(start + 1.0);
    if !(stop > start && (stop - start).is_finite()) {
        let problem = format!("the simulation stops at {stop}, and starts at {start}");
        return Err(element.wrong(problem));
    }
    let settings = &mut system.settings;
    (settings.start, settings.stop) = (start, stop);
    settings.step = (stop - start) / 100.0;
    Ok(system)
}

/// Where the files are that a description names.
pub(super) struct Package {
    folder: PathBuf,
    /// The archive that they were unpacked from.
    archive: Option<PathBuf>,
}

impl Package {
    /// The file that a relative URI means. Files of an archive are inside it.
    fn path(&self, source: &str, place: &Place) -> Result<PathBuf, SystemError> {
        let wrong = |why: &str| SystemError::wrong(place, format!("source '{source}' {why}"));
        let plain = decoded(source).ok_or_else(|| wrong("is no URI"))?;
        if plain.contains("://") {
            return Err(wrong("is not a file of this system, which is not supported"));
        }
        if self.archive.is_none() {
            return Ok(self.folder.join(plain));
        }
        let name = Name::new(&plain).map_err(|problem| wrong(&problem.to_string()))?;
        let mut path = self.folder.clone();
        path.extend(name.path.split('/'));
        match path.exists() {
            true => Ok(path),
            false => Err(wrong("is not in the archive")),
        }
    }

    /// What a person knows a file by.
    fn shown(&self, path: &Path) -> PathBuf {
        match (&self.archive, path.strip_prefix(&self.folder)) {
            (Some(archive), Ok(inside)) => archive.join(inside),
            _ => path.to_owned(),
        }
    }
}

/// Resolves `%20` and the like.
fn decoded(uri: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = uri.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

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
