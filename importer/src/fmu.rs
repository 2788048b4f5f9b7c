//! An opened FMU: its description, its files and, once asked for, its libraries.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fmu_standard::description::{ModelDescription, ModelVariable, VariableKind};
use fmu_standard::xml::ReadProblem;

use crate::archive::{Archive, Limits, PrivateFolder, private_folder};
use crate::files::{self, OpenFile, PackedFile};
use crate::library::Library;
use crate::log::Names;
use crate::watch::{LOADING, Recorder, number_of};
use crate::{BaseType, Error, Variables, library_name, platform_folders};
use fmu_standard::object::LibraryFacts;
use fmu_standard::platform::is_library;

/// An FMU, opened from a file or a folder. Clones share everything.
///
/// Opening reads the archive's directory and the description; the rest is unpacked when the first instance is made,
/// into a private temporary folder that goes when the last clone and the last instance have gone.
///
/// ```no_run
/// let fmu = fmu_importer::Fmu::open("BouncingBall.fmu")?;
/// println!("{} variables", fmu.description().model_variables.len());
/// # Ok::<(), fmu_importer::Error>(())
/// ```
#[derive(Clone)]
pub struct Fmu {
    inner: Arc<Inner>,
}

struct Inner {
    // Libraries go before the folder that they were loaded from.
    libraries: Mutex<HashMap<String, Arc<Library>>>,
    source: Mutex<Source>,
    path: PathBuf,
    files: Vec<PackedFile>,
    names: Arc<Names>,
    warnings: Mutex<Vec<String>>,
}

enum Source {
    /// A folder that is not ours.
    Folder,
    /// An archive, and the folder that it was unpacked to, if it was.
    Archive(Archive<OpenFile>, Option<PrivateFolder>),
}

/// A continuous-time state: positions in `model_variables`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContinuousState {
    /// The state.
    pub state: usize,
    /// Its derivative.
    pub derivative: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Fmu {
    /// Opens an `.fmu` file or a folder with the files of one.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_with(path, &Limits::default())
    }

    /// Opens an FMU with other limits than the usual ones.
    pub fn open_with(path: impl AsRef<Path>, limits: &Limits) -> Result<Self, Error> {
        let path = path.as_ref();
        let read = |source| Error::Read {
            path: path.into(),
            source,
        };
        if path.is_dir() {
            let path = &path.canonicalize().map_err(read)?;
            let xml = files::description_of_folder(path, limits)?;
            let files = files::list_folder(path, limits)?;
            return Self::new(path, Source::Folder, files, &xml, Vec::new());
        }
        let refused = |source| Error::archive(path, source);
        let file = OpenFile::new(files::open_regular(path).map_err(read)?);
        let mut archive = Archive::read(file, limits.entries).map_err(refused)?;
        let warnings = archive.accept(limits).map_err(refused)?;
        let position = archive
            .find("modelDescription.xml")
            .ok_or_else(|| Error::NoDescription { path: path.into() })?;
        let xml = archive.bytes(position, limits.description).map_err(refused)?;
        let files = files::list_archive(&archive);
        Self::new(path, Source::Archive(archive, None), files, &xml, warnings)
    }

    fn new(
        path: &Path,
        source: Source,
        files: Vec<PackedFile>,
        xml: &[u8],
        warnings: Vec<String>,
    ) -> Result<Self, Error> {
        let path = path.to_path_buf();
        let description = fmu_standard::xml::read(xml).map_err(|source| match source.problem {
            ReadProblem::Version { found } => Error::Version {
                path: path.clone(),
                version: found,
            },
            _ => Error::Description {
                path: path.clone(),
                source: Box::new(source),
            },
        })?;
        let variables = Arc::new(Variables::new(&description));
        let description = Arc::new(description);
        Ok(Self {
            inner: Arc::new(Inner {
                libraries: Mutex::default(),
                source: Mutex::new(source),
                path,
                files,
                names: Arc::new(Names {
                    description,
                    variables,
                }),
                warnings: Mutex::new(warnings),
            }),
        })
    }

    /// The file or folder that was opened.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// `modelDescription.xml`.
    pub fn description(&self) -> &ModelDescription {
        &self.inner.names.description
    }

    /// `modelName`.
    pub fn name(&self) -> &str {
        &self.description().model_name
    }

    /// The variables by name and value reference.
    pub fn variables(&self) -> &Variables {
        &self.inner.names.variables
    }

    /// The position of the variable with a name in `model_variables`.
    pub fn position(&self, name: &str) -> Result<usize, Error> {
        let unknown = || Error::UnknownVariable {
            fmu: self.name().into(),
            name: name.into(),
            similar: Variables::similar(&self.description().model_variables, name),
        };
        self.variables().position(name).ok_or_else(unknown)
    }

    /// The variable with a name.
    pub fn variable(&self, name: &str) -> Result<&ModelVariable, Error> {
        Ok(&self.description().model_variables[self.position(name)?])
    }

    /// The value reference of the variable with a name, if it has this type.
    pub fn value_reference(&self, name: &str, expected: BaseType) -> Result<u32, Error> {
        let variable = self.variable(name)?;
        match BaseType::of(&variable.kind) {
            found if found == expected => Ok(variable.value_reference),
            found => Err(Error::WrongType {
                name: name.into(),
                expected,
                found,
            }),
        }
    }

    /// The continuous-time states in the order of `ModelStructure`'s `Derivatives`.
    pub fn continuous_states(&self) -> Result<Vec<ContinuousState>, Error> {
        let description = self.description();
        let variables = &description.model_variables;
        let states = description.model_structure.derivatives.iter().map(|unknown| {
            let derivative = unknown.variable.position()?;
            let VariableKind::Real {
                derivative: Some(state),
                ..
            } = variables[derivative].kind
            else {
                return None;
            };
            let state = state.position()?;
            Some(ContinuousState { state, derivative })
        });
        let wrong = |unknown: u32| Error::Structure {
            path: self.path().into(),
            index: unknown,
        };
        states
            .zip(&description.model_structure.derivatives)
            .map(|(state, unknown)| state.ok_or_else(|| wrong(unknown.variable.index())))
            .collect()
    }

    /// The files of the FMU, with sizes; no folders.
    pub fn files(&self) -> &[PackedFile] {
        &self.inner.files
    }

    /// The bytes of one of the files, such as `modelDescription.xml` with all that [`Fmu::description`] does not know.
    ///
    /// ```no_run
    /// let fmu = fmu_importer::Fmu::open("BouncingBall.fmu")?;
    /// let xml = fmu.read("modelDescription.xml")?;
    /// # Ok::<(), fmu_importer::Error>(())
    /// ```
    pub fn read(&self, path: &str) -> Result<Vec<u8>, Error> {
        let missing = || Error::Read {
            path: self.inner.path.join(path),
            source: std::io::ErrorKind::NotFound.into(),
        };
        let file = self.inner.files.iter().find(|file| file.path == path);
        let file = file.ok_or_else(missing)?;
        match &mut *lock(&self.inner.source) {
            Source::Folder => {
                let path = self.inner.path.join(path);
                std::fs::read(&path).map_err(|source| Error::Read { path, source })
            }
            Source::Archive(archive, _) => {
                let position = archive.find(path).ok_or_else(missing)?;
                let bytes = archive.bytes(position, file.size);
                bytes.map_err(|source| Error::archive(&self.inner.path, source))
            }
        }
    }

    /// The folders below `binaries/`.
    pub fn platforms(&self) -> Vec<String> {
        files::platforms(&self.inner.files)
    }

    /// The libraries for all platforms, as their bytes describe them; none is loaded.
    pub fn libraries(&self) -> Vec<LibraryFacts> {
        const LIMIT: u64 = 1 << 30;
        let mut source = lock(&self.inner.source);
        let libraries = self
            .inner
            .files
            .iter()
            .filter(|file| is_library(&file.path) && file.size <= LIMIT);
        let facts = libraries.filter_map(|file| {
            let bytes = match &mut *source {
                Source::Folder => std::fs::read(self.inner.path.join(&file.path)).ok()?,
                Source::Archive(archive, _) => {
                    let position = archive.find(&file.path)?;
                    archive.bytes(position, LIMIT).ok()?
                }
            };
            Some(LibraryFacts::read(&file.path, &bytes))
        });
        facts.collect()
    }

    /// What was tolerated so far: sentences for a person.
    pub fn warnings(&self) -> Vec<String> {
        lock(&self.inner.warnings).clone()
    }

    /// The folder with the files that a run needs, unpacked if it has not been.
    ///
    /// Libraries for other machines, `sources` and `documentation` stay packed: [`Fmu::read`] reads one of their files,
    /// [`Fmu::unpack`] unpacks everything.
    pub fn folder(&self) -> Result<PathBuf, Error> {
        let mut source = lock(&self.inner.source);
        let (archive, unpacked) = match &mut *source {
            Source::Folder => return Ok(self.inner.path.clone()),
            Source::Archive(_, Some(folder)) => return Ok(folder.path().into()),
            Source::Archive(archive, unpacked) => (archive, unpacked),
        };
        let folder = private_folder().map_err(Error::Temporary)?;
        archive
            .unpack(folder.path(), files::is_needed_to_run)
            .map_err(|source| Error::archive(&self.inner.path, source))?;
        // Every instance receives the path of a folder of resources, even if the FMU has no resources.
        let _ = std::fs::create_dir_all(folder.path().join("resources"));
        let path = folder.path().to_path_buf();
        *unpacked = Some(folder);
        Ok(path)
    }

    /// Unpacks all files of the FMU into an empty folder.
    ///
    /// ```no_run
    /// let fmu = fmu_importer::Fmu::open("BouncingBall.fmu")?;
    /// fmu.unpack("BouncingBall")?;
    /// # Ok::<(), fmu_importer::Error>(())
    /// ```
    pub fn unpack(&self, folder: impl AsRef<Path>) -> Result<(), Error> {
        let folder = folder.as_ref();
        match &mut *lock(&self.inner.source) {
            Source::Archive(archive, _) => archive
                .unpack(folder, |_| true)
                .map_err(|source| Error::archive(&self.inner.path, source)),
            Source::Folder => self.inner.files.iter().try_for_each(|file| {
                let (from, to) = (self.inner.path.join(&file.path), folder.join(&file.path));
                let copy = || {
                    std::fs::create_dir_all(to.parent().unwrap_or(folder))?;
                    std::fs::copy(&from, &to)
                };
                copy().map(drop).map_err(|source| Error::Read {
                    path: from.clone(),
                    source,
                })
            }),
        }
    }

    /// The folder `resources`, unpacked if it has not been.
    pub fn resources(&self) -> Result<PathBuf, Error> {
        Ok(self.folder()?.join("resources"))
    }

    #[doc(hidden)]
    pub fn names(&self) -> Arc<Names> {
        self.inner.names.clone()
    }

    /// The library of a model identifier, loaded if it has not been.
    #[doc(hidden)]
    pub fn library(&self, model_identifier: &str) -> Result<Arc<Library>, Error> {
        if let Some(library) = lock(&self.inner.libraries).get(model_identifier) {
            return Ok(library.clone());
        }
        let path = self.library_path(model_identifier)?;
        let recorder = Recorder::new(self.name());
        recorder.enter(const { number_of(LOADING) });
        let library = Library::load(&path, model_identifier);
        recorder.leave();
        let library = Arc::new(library?);
        self.warn(library.strangeness());
        let mut libraries = lock(&self.inner.libraries);
        Ok(libraries
            .entry(model_identifier.into())
            .or_insert(library)
            .clone())
    }

    /// Where the library of a model identifier is, unpacked if it has not been.
    pub(crate) fn library_path(&self, model_identifier: &str) -> Result<PathBuf, Error> {
        let file = self.library_file(model_identifier)?;
        let mut path = self.folder()?;
        path.extend(file.split('/'));
        Ok(path)
    }

    /// Notes a sentence for [`Fmu::warnings`].
    pub(crate) fn warn(&self, sentence: Option<String>) {
        lock(&self.inner.warnings).extend(sentence);
    }

    /// The path of the library inside the FMU.
    #[doc(hidden)]
    pub fn library_file(&self, model_identifier: &str) -> Result<String, Error> {
        let name = library_name(model_identifier);
        let expected: Vec<_> = platform_folders()
            .iter()
            .map(|folder| format!("binaries/{folder}/{name}"))
            .collect();
        let files = &self.inner.files;
        if let Some(path) = expected
            .iter()
            .find(|path| files.iter().any(|file| file.path == **path))
        {
            return Ok(path.clone());
        }
        for folder in platform_folders() {
            let inside = format!("binaries/{folder}/");
            let libraries = files.iter().filter(|file| {
                let name = file.path.strip_prefix(&inside);
                name.is_some_and(|name| !name.contains('/') && name.ends_with(std::env::consts::DLL_SUFFIX))
            });
            if let [only] = libraries.collect::<Vec<_>>()[..] {
                let warning = format!(
                    "the library is `{}`, not `{name}` after the model identifier",
                    only.path
                );
                let mut warnings = lock(&self.inner.warnings);
                if !warnings.contains(&warning) {
                    warnings.push(warning);
                }
                return Ok(only.path.clone());
            }
        }
        Err(Error::NoLibrary {
            fmu: self.name().into(),
            expected,
            found: self.platforms(),
        })
    }
}

impl std::fmt::Debug for Fmu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fmu")
            .field("path", &self.inner.path)
            .finish_non_exhaustive()
    }
}
