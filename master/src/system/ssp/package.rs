//! The files that a description names: beside it, in its archive, or in archives inside of that one.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fmu_importer::archive::{Archive, ArchiveError, Limits, Name, PrivateFolder};

use super::super::{Place, SystemError, read_text};
use super::structure::{self, Structure};
use super::xml::{self, Element};
use super::{DESCRIPTION, ROOT, Unpacked};

/// The largest depth of nested system files, so that a system that contains itself is refused.
const DEPTH: usize = 8;

/// The folders that archives are unpacked to while a system is read.
pub(super) struct Folders<'l> {
    limits: &'l Limits,
    all: RefCell<Vec<PrivateFolder>>,
}

impl<'l> Folders<'l> {
    pub fn new(limits: &'l Limits) -> Folders<'l> {
        Folders {
            limits,
            all: RefCell::default(),
        }
    }

    /// All of them, for the system that needs them; `None` if there are none.
    pub fn unpacked(self) -> Option<Unpacked> {
        let all = self.all.into_inner();
        (!all.is_empty()).then(|| Unpacked(Arc::new(all)))
    }
}

/// Where the files are that a description names.
pub(super) struct Package<'l> {
    /// The folder of the description.
    base: PathBuf,
    /// The folder that an archive was unpacked to, which files must not leave, and the archive as a person knows it.
    archive: Option<(PathBuf, PathBuf)>,
    folders: &'l Folders<'l>,
    depth: usize,
}

impl<'l> Package<'l> {
    /// Of a description that is a file.
    pub fn beside(description: &Path, folders: &'l Folders<'l>) -> Package<'l> {
        Package {
            base: description.parent().unwrap_or(Path::new("")).to_owned(),
            archive: None,
            folders,
            depth: 0,
        }
    }

    /// Unpacks an archive; with it come the descriptions in its root folder, in the order of the archive.
    pub fn unpack(
        path: &Path,
        shown: &Path,
        folders: &'l Folders<'l>,
    ) -> Result<(Package<'l>, Vec<String>), SystemError> {
        let refused = |source: ArchiveError| SystemError::Archive {
            path: shown.to_owned(),
            source: Box::new(source),
        };
        let unreadable = |source| SystemError::Read {
            path: shown.to_owned(),
            source,
        };
        let limits = folders.limits;
        let file = fmu_importer::open_regular(path).map_err(unreadable)?;
        let mut archive = Archive::read(file, limits.entries).map_err(refused)?;
        archive.accept(limits).map_err(refused)?;
        let names = archive.entries().iter().filter_map(|entry| entry.path().ok());
        let is_description = |name: &Name| {
            let extension = Path::new(&name.path).extension();
            !name.path.contains('/')
                && extension.is_some_and(|extension| extension.eq_ignore_ascii_case("ssd"))
        };
        let variants: Vec<String> = names.filter(is_description).map(|name| name.path).collect();
        if archive.find(DESCRIPTION).is_none() {
            let place = Place {
                file: Some(shown.to_owned()),
                line: 0,
            };
            let problem = format!("the archive has no {DESCRIPTION}");
            return Err(SystemError::wrong(&place, problem));
        }
        let folder = fmu_importer::archive::private_folder().map_err(unreadable)?;
        archive.unpack(folder.path(), |_| true).map_err(refused)?;
        let root = folder.path().to_owned();
        folders.all.borrow_mut().push(folder);
        let package = Package {
            base: root.clone(),
            archive: Some((root, shown.to_owned())),
            folders,
            depth: 0,
        };
        Ok((package, variants))
    }

    /// The text of a description in the folder, and the path that a person knows it by.
    pub fn text(&self, file: &str) -> Result<(String, PathBuf), SystemError> {
        let path = self.base.join(file);
        let shown = self.shown(&path);
        let place = || Place {
            file: Some(shown.clone()),
            line: 0,
        };
        let size = std::fs::metadata(&path).map_or(0, |file| file.len());
        if size > self.folders.limits.description {
            return Err(SystemError::wrong(
                &place(),
                format!("it has {size} bytes, more than are allowed"),
            ));
        }
        match fmu_importer::read_text(&path) {
            Ok(text) => Ok((text, shown)),
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                Err(SystemError::wrong(&place(), "it is not written in UTF-8"))
            }
            Err(source) => Err(SystemError::Read { path: shown, source }),
        }
    }

    /// What a person calls a variant: the name in it, and its file.
    pub fn variant_name(&self, file: &str) -> String {
        let named = || {
            let (text, shown) = self.text(file).ok()?;
            let element = xml::parse(&text, &shown, ROOT).ok()?;
            Some(format!("{} ({file})", element.attribute("name")?))
        };
        named().unwrap_or_else(|| file.to_owned())
    }

    /// The system of a description or a package that takes the place of a component.
    pub fn nested(&self, path: &Path, is_archive: bool, of: &Element) -> Result<Structure, SystemError> {
        if self.depth == DEPTH {
            return Err(of.wrong("systems are nested too deeply, or one contains itself"));
        }
        let shown = self.shown(path);
        let (mut inner, text, shown) = match is_archive {
            true => {
                let (inner, _) = Package::unpack(path, &shown, self.folders)?;
                let (text, shown) = inner.text(DESCRIPTION)?;
                (inner, text, shown)
            }
            false => {
                let inner = Package {
                    base: path.parent().unwrap_or(Path::new("")).to_owned(),
                    archive: self.archive.clone(),
                    folders: self.folders,
                    depth: 0,
                };
                (
                    inner,
                    read_text(path, "not a system structure description")?,
                    shown,
                )
            }
        };
        inner.depth = self.depth + 1;
        let element = xml::parse(&text, &shown, ROOT)?;
        Ok(structure::root(&element, &inner)?.system)
    }

    /// The file that a relative URI means. Files of an archive are inside it.
    pub fn path(&self, source: &str, place: &Place) -> Result<PathBuf, SystemError> {
        let path = self.path_of_fmu(source, place)?;
        match self.archive.is_none() || path.exists() {
            true => Ok(path),
            false => {
                let problem = format!("source '{source}' is not in the archive");
                Err(SystemError::wrong(place, problem))
            }
        }
    }

    /// The same for an FMU, which an archive need not have: it may be in another folder.
    pub fn path_of_fmu(&self, source: &str, place: &Place) -> Result<PathBuf, SystemError> {
        let wrong = |why: &str| SystemError::wrong(place, format!("source '{source}' {why}"));
        let plain = decoded(source).ok_or_else(|| wrong("is not a URI"))?;
        if plain.contains("://") {
            return Err(wrong("is not a file of this system, which is not supported"));
        }
        let Some((root, _)) = &self.archive else {
            return Ok(self.base.join(plain));
        };
        let mut path = self.base.clone();
        let (ups, rest) = climbs(&plain);
        for _ in 0..ups {
            if path == *root || !path.pop() {
                return Err(wrong("leaves the archive by `..`"));
            }
        }
        let name = Name::new(rest).map_err(|problem| wrong(&problem.to_string()))?;
        path.extend(name.path.split('/'));
        Ok(path)
    }

    /// What a person knows a file by.
    pub fn shown(&self, path: &Path) -> PathBuf {
        let inside = self
            .archive
            .as_ref()
            .and_then(|(root, archive)| Some(archive.join(path.strip_prefix(root).ok()?)));
        inside.unwrap_or_else(|| path.to_owned())
    }
}

/// How many folders up a path begins, and the rest of it.
fn climbs(path: &str) -> (usize, &str) {
    let (mut ups, mut rest) = (0, path);
    loop {
        rest = match (rest.strip_prefix("../"), rest.strip_prefix("./")) {
            (Some(after), _) => {
                ups += 1;
                after
            }
            (None, Some(after)) => after,
            (None, None) => return (ups, rest),
        };
    }
}

/// The description of an archive that was asked for, by its file or by the name in it.
pub(super) fn choose(
    package: &Package<'_>,
    variants: &[String],
    wanted: Option<&str>,
) -> Result<String, SystemError> {
    let Some(wanted) = wanted else {
        return Ok(DESCRIPTION.to_owned());
    };
    let is = |file: &&String| {
        let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str());
        *file == wanted || stem == Some(wanted)
    };
    let named = |file: &&String| package.variant_name(file) == format!("{wanted} ({file})");
    let found = variants.iter().find(is).or_else(|| variants.iter().find(named));
    found.cloned().ok_or_else(|| {
        let all: Vec<String> = variants.iter().map(|file| package.variant_name(file)).collect();
        let place = Place {
            file: package.archive.as_ref().map(|(_, archive)| archive.clone()),
            line: 0,
        };
        SystemError::wrong(
            &place,
            format!("there is no variant '{wanted}'; there are {}", all.join(", ")),
        )
    })
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
