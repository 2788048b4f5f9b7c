//! What is checked: the archive or folder, its files, its libraries and its description.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use fmu_standard::xml::ReadProblem;

use super::described::Described;
use super::schema::{self, Schema};
use fmu_importer::Error;
use fmu_importer::archive::{Archive, ArchiveError, Entry, EntryProblem, Limits};
use fmu_importer::internal::files;
use fmu_importer::{PackedFile, open_regular};
use fmu_standard::object::LibraryFacts;
use fmu_standard::platform::is_library;

/// An FMU as the rules about files see it.
pub(crate) struct Subject {
    pub path: PathBuf,
    /// The archive, if it is one and can be read.
    pub archive: Option<ArchiveFacts>,
    /// Why the archive cannot be read.
    pub damage: Option<ArchiveError>,
    pub files: Vec<PackedFile>,
    /// `modelDescription.xml`.
    pub xml: Option<Vec<u8>>,
    pub schema: Schema,
    pub description: Readable,
    pub libraries: Vec<LibraryFacts>,
    /// `sources/buildDescription.xml`.
    pub build_description: Option<String>,
}

/// A description that could be read, or not.
pub(crate) enum Readable {
    Read(Box<Described>),
    Unread(String),
    Missing,
}

/// What the rules about the archive need.
pub(crate) struct ArchiveFacts {
    pub entries: Vec<Entry>,
    pub problems: Vec<(usize, EntryProblem)>,
    /// Entries whose bytes cannot be unpacked.
    pub damaged: Vec<ArchiveError>,
}

/// Files that are looked into are not larger than this.
const LIBRARY_LIMIT: u64 = 1 << 30;
const TEXT_LIMIT: u64 = 16 << 20;

impl Subject {
    /// Reads everything that the rules need; fails where nothing can be said about the FMU.
    pub fn open(path: &Path, limits: &Limits) -> Result<Self, Error> {
        let mut subject = Self::empty(path);
        if path.is_dir() {
            subject.read_folder(limits)?;
        } else {
            subject.read_archive(limits)?;
        }
        subject.describe()?;
        Ok(subject)
    }

    /// A description without an FMU around it.
    pub fn of_description(xml: &[u8]) -> Result<Self, Error> {
        let mut subject = Self::empty(Path::new("modelDescription.xml"));
        subject.xml = Some(xml.into());
        subject.describe()?;
        Ok(subject)
    }

    fn empty(path: &Path) -> Self {
        Self {
            path: path.into(),
            archive: None,
            damage: None,
            files: Vec::new(),
            xml: None,
            schema: Schema::default(),
            description: Readable::Missing,
            libraries: Vec::new(),
            build_description: None,
        }
    }

    fn describe(&mut self) -> Result<(), Error> {
        if let Some(xml) = &self.xml {
            self.schema = schema::validate(&String::from_utf8_lossy(xml));
            self.description = read(&self.path, &mut self.schema)?;
        }
        Ok(())
    }

    fn read_folder(&mut self, limits: &Limits) -> Result<(), Error> {
        let folder = self.path.clone();
        self.files = files::list_folder(&folder, limits)?;
        let read = |path: &str| std::fs::read(folder.join(path)).ok();
        self.xml = match files::description_of_folder(&folder, limits) {
            Ok(xml) => Some(xml),
            Err(Error::NoDescription { .. }) => None,
            Err(error) => return Err(error),
        };
        for file in &self.files {
            if file.size <= LIBRARY_LIMIT
                && is_library(&file.path)
                && let Some(bytes) = read(&file.path)
            {
                self.libraries.push(LibraryFacts::read(&file.path, &bytes));
            }
        }
        self.build_description = read("sources/buildDescription.xml").map(lossy);
        Ok(())
    }

    fn read_archive(&mut self, limits: &Limits) -> Result<(), Error> {
        let unreadable = |source| Error::Read {
            path: self.path.clone(),
            source,
        };
        let file = open_regular(&self.path).map_err(unreadable)?;
        let mut archive = match Archive::read(file, limits.entries) {
            Ok(archive) => archive,
            Err(damage @ (ArchiveError::NoDirectory | ArchiveError::Damaged(_))) => {
                self.damage = Some(damage);
                return Ok(());
            }
            Err(refused) => return Err(Error::archive(&self.path, refused)),
        };
        archive
            .check_size(limits)
            .map_err(|refused| Error::archive(&self.path, refused))?;
        self.files = files::list_archive(&archive);
        let mut damaged = Vec::new();
        for position in 0..archive.entries().len() {
            let (path, size) = {
                let entry = &archive.entries()[position];
                (entry.name.replace('\\', "/"), entry.size)
            };
            let is_description = path == "modelDescription.xml";
            if is_description && size > limits.description {
                let refused = ArchiveError::Limit {
                    what: "bytes of description",
                    found: size,
                    limit: limits.description,
                };
                return Err(Error::archive(&self.path, refused));
            }
            let wanted = is_description
                || is_library(&path) && size <= LIBRARY_LIMIT
                || path == "sources/buildDescription.xml" && size <= TEXT_LIMIT;
            let unpacked = if wanted {
                archive.bytes(position, size).map(Some)
            } else {
                archive.verify(position).map(|()| None)
            };
            match (unpacked, path.as_str()) {
                // Encryption and unknown methods have their own place among the problems.
                (Err(ArchiveError::Entry { .. }), _) | (Ok(None), _) => {}
                (Err(damage), _) => damaged.push(damage),
                (Ok(Some(bytes)), "modelDescription.xml") => self.xml = self.xml.take().or(Some(bytes)),
                (Ok(Some(bytes)), "sources/buildDescription.xml") => {
                    self.build_description = Some(lossy(bytes))
                }
                (Ok(Some(bytes)), library) => self.libraries.push(LibraryFacts::read(library, &bytes)),
            }
        }
        self.archive = Some(ArchiveFacts {
            problems: archive.problems(),
            entries: archive.entries().to_vec(),
            damaged,
        });
        Ok(())
    }

    /// Why the rules about the description were not checked.
    pub fn unreadable(&self) -> Option<String> {
        match (&self.description, &self.damage) {
            (Readable::Read(_), _) => None,
            (Readable::Unread(reason), _) => Some(format!(
                "the rules about the content of modelDescription.xml, because it cannot be read: {reason}"
            )),
            (Readable::Missing, None) => {
                Some("the rules about modelDescription.xml, because there is none".into())
            }
            (Readable::Missing, Some(_)) => Some("all but the archive, because it cannot be read".into()),
        }
    }

    /// Lines of variables that do not keep to the schema: what else may seem wrong with them may come from that.
    pub fn suspects(&self) -> HashSet<usize> {
        let Readable::Read(described) = &self.description else {
            return HashSet::new();
        };
        let lines = &described.lines.variables;
        let found = self.schema.problems.iter().filter_map(|problem| {
            let after = lines.partition_point(|line| *line <= problem.line);
            let inside = matches!(
                problem.element.as_str(),
                "ScalarVariable" | "Real" | "Integer" | "Boolean"
            ) || matches!(problem.element.as_str(), "String" | "Enumeration");
            after
                .checked_sub(1)
                .filter(|_| inside)
                .map(|position| lines[position])
        });
        found.collect()
    }

    /// Whether there is a file with this path.
    pub fn has(&self, path: &str) -> bool {
        self.files.iter().any(|file| file.path == path)
    }

    /// Whether there is a file in this folder.
    pub fn has_folder(&self, folder: &str) -> bool {
        let inside = |path: &str| {
            path.strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        self.files.iter().any(|file| inside(&file.path))
    }
}

/// Reads what the schema left of a description; another version of the standard cannot be checked.
fn read(path: &Path, schema: &mut Schema) -> Result<Readable, Error> {
    let mended = std::mem::take(&mut schema.mended);
    match fmu_standard::xml::read(&mended) {
        Ok(model) => {
            let lines = std::mem::take(&mut schema.lines);
            Ok(Readable::Read(Box::new(Described::new(model, lines))))
        }
        Err(error) => match error.problem {
            ReadProblem::Version { found } => Err(Error::Version {
                path: path.into(),
                version: found,
            }),
            _ => Ok(Readable::Unread(error.to_string())),
        },
    }
}

fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}
