//! Packaging: from a crate to an FMU.
//!
//! One model goes through these steps, each a module: the [`workspace`] finds the crate, [`build`] compiles its library
//! once for each platform, [`library`] reads what the object file exports and needs, [`describe`] asks the library of
//! this machine for the model description, [`check`] compares the two, [`document`] and [`licenses`] write for people,
//! and [`archive`] puts all of it into one file. Only when every model has come that far do the FMUs take their places.

mod archive;
mod build;
mod check;
mod config;
mod date;
mod describe;
mod document;
mod error;
mod html;
mod library;
mod licenses;
mod linker;
mod mark;
mod options;
mod platform;
mod platforms;
mod progress;
#[cfg(feature = "import")]
mod strict;
mod toolchain;
mod tools;
mod turn;
mod version;
mod workspace;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use fmu_standard::description::ModelDescription;

use archive::Pending;
use build::{Artifact, Builder};
use config::Configuration;
use progress::{count, size};
use toolchain::Toolchain;
use tools::Tools;
use turn::Turn;

pub use archive::Contents;
pub use check::description as check_description;
pub use describe::describe;
pub use document::page as documentation;
pub use error::Error;
pub use fmu_standard::extension::DESCRIBE;
pub use fmu_standard::object::LibraryFacts;
pub use options::{Build, Options};
pub use platform::{Platform, System};
pub use platforms::platforms;
pub use progress::{Console, Progress};
pub use version::{Arrays, Version, Versions};
pub(crate) use workspace::cargo;
pub use workspace::{Model, Workspace};

/// Packages crates of the workspace that a folder belongs to; returns the paths of the FMUs.
pub fn package(
    directory: &Path,
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<Vec<PathBuf>, Error> {
    let workspace = Workspace::of(directory)?;
    let models = if options.crates.is_empty() {
        workspace.marked()?
    } else {
        workspace.crates(&options.crates)?
    };
    require_arrays(&models, options)?;
    let toolchain = Toolchain::of(workspace.root())?;
    let mut platforms = asked(options, &toolchain.host)?;
    let configuration = Configuration::of(workspace.root(), build::cargo_home().as_deref());
    let tools = Tools::of(&toolchain, &configuration, &platforms);
    if options.platforms.iter().any(|name| name == ALL) {
        let buildable = platforms::buildable(&tools);
        let others = |platform: &Platform| platforms.iter().all(|other| other.folder != platform.folder);
        let further: Vec<Platform> = buildable.into_iter().filter(others).collect();
        platforms.extend(further);
    } else if platforms.is_empty() {
        platforms.push(toolchain.host.clone());
    }
    let builder = Builder::new(
        &workspace,
        &toolchain,
        (&configuration, tools),
        options.build,
        progress,
    );
    for platform in &platforms {
        builder.require(platform)?;
    }
    let out = options.out.as_ref().map_or_else(
        || workspace.target_directory().join("fmu"),
        |out| directory.join(out),
    );
    require_folder(&out)?;
    let packager = Packager {
        workspace: &workspace,
        toolchain: &toolchain,
        builder,
        platforms,
        options,
        out,
    };
    let mut pending: BTreeMap<PathBuf, Complete> = BTreeMap::new();
    let mut order = Vec::new();
    for model in &models {
        let packaged = packager.package(*model, progress).inspect_err(|_| {
            if let Some(complete) = names(&pending) {
                progress.warning(&format!(
                    "{complete} not written, although complete: the FMUs of one command are written together or not at all"
                ));
            }
        })?;
        for (name, fmu, summary) in packaged {
            if let Some((other, ..)) = pending.get(fmu.path()) {
                return Err(Error::SameModel {
                    first: other.clone(),
                    second: model.name(),
                    model: name,
                });
            }
            order.push(fmu.path().to_owned());
            pending.insert(fmu.path().to_owned(), (model.name(), fmu, summary));
        }
    }
    // Nothing can fail any more but the file system: either all FMUs are new, or all are as they were.
    for (_, fmu, summary) in pending.into_values() {
        fmu.commit()?;
        progress.step("Packaged", &summary);
    }
    Ok(order)
}

/// The crate of an FMU that only has to be put into its place, the FMU, and what is in it.
type Complete = (String, Pending, String);

/// The versions of FMI that a model is packaged for.
fn versions(model: &Model<'_>, options: &Options) -> Result<Versions, Error> {
    options.fmi.map_or_else(|| model.versions(), Ok)
}

/// Refuses arrays as scalars where they would be ignored: no FMU is of FMI 3.0.
fn require_arrays(models: &[Model<'_>], options: &Options) -> Result<(), Error> {
    if options.arrays == Arrays::Whole {
        return Ok(());
    }
    for model in models {
        if versions(model, options)? != Versions::Two {
            return Ok(());
        }
    }
    let names: Vec<_> = models.iter().map(Model::name).collect();
    Err(Error::ArraysOfVersion2 {
        models: names.join(", "),
    })
}

/// Refuses a folder for the FMUs that cannot be made because it, or a folder around it, is a file.
fn require_folder(out: &Path) -> Result<(), Error> {
    let existing = out.ancestors().find(|path| path.symlink_metadata().is_ok());
    match existing {
        Some(path) if !path.is_dir() => Err(Error::NoFolder {
            out: out.to_owned(),
            file: path.to_owned(),
        }),
        _ => Ok(()),
    }
}

/// The file names of FMUs that are complete, with the verb that follows them; `None` if there are none.
fn names(pending: &BTreeMap<PathBuf, Complete>) -> Option<String> {
    let names: Vec<_> = pending
        .keys()
        .filter_map(|path| path.file_name())
        .map(|name| name.to_string_lossy())
        .collect();
    match names.as_slice() {
        [] => None,
        [one] => Some(format!("{one} was")),
        several => Some(format!("{} were", several.join(", "))),
    }
}

/// The name that stands for all platforms that this machine can build.
const ALL: &str = "all";

/// The platforms that are asked for by name, each in its own folder.
fn asked(options: &Options, host: &Platform) -> Result<Vec<Platform>, Error> {
    let mut platforms: Vec<Platform> = Vec::new();
    let names = options.platforms.iter().filter(|name| *name != ALL);
    let named = names.map(|name| Platform::named(name, host));
    for platform in named.chain(options.targets.iter().map(|triple| Platform::of(triple))) {
        let platform = platform?;
        match platforms.iter().find(|other| other.folder == platform.folder) {
            None => platforms.push(platform),
            Some(other) if other.triple == platform.triple => {}
            Some(other) => {
                let (first, second) = (other.triple.clone(), platform.triple);
                return Err(Error::SamePlatform {
                    first,
                    second,
                    folder: platform.folder,
                });
            }
        }
    }
    Ok(platforms)
}

struct Packager<'a> {
    workspace: &'a Workspace,
    toolchain: &'a Toolchain,
    builder: Builder<'a>,
    platforms: Vec<Platform>,
    options: &'a Options,
    out: PathBuf,
}

impl Packager<'_> {
    /// Makes the FMUs of one model, one per version; returns of each its name, the archive, which is not in its place yet, and a
    /// summary.
    fn package(
        &self,
        model: Model<'_>,
        progress: &mut dyn Progress,
    ) -> Result<Vec<(String, Pending, String)>, Error> {
        let versions = versions(&model, self.options)?;
        let _turn = Turn::wait(self.workspace.target_directory(), progress);
        let mut libraries = Vec::new();
        let host = &self.toolchain.host;
        let host_library = self.build((model, versions), host, progress)?;
        for platform in &self.platforms {
            if platform != host {
                libraries.push((platform, self.build((model, versions), platform, progress)?));
            }
        }
        let fmus = versions.each().iter().map(|&version| {
            let libraries = Libraries {
                host: &host_library,
                others: &libraries,
            };
            self.package_version(model, (versions, version), &libraries, progress)
        });
        fmus.collect()
    }

    /// Makes the FMU of one version.
    fn package_version(
        &self,
        model: Model<'_>,
        (versions, version): (Versions, Version),
        libraries: &Libraries<'_>,
        progress: &mut dyn Progress,
    ) -> Result<(String, Pending, String), Error> {
        let host = &self.toolchain.host;
        match versions {
            Versions::Two => progress.step("Describing", &model.name()),
            _ => progress.step("Describing", &format!("{} ({version})", model.name())),
        }
        let resources = Some(model.directory().join("resources")).filter(|folder| folder.is_dir());
        let library = &libraries.host.artifact.path;
        let answer = describe(library, version, resources.as_deref()).map_err(|message| Error::Describe {
            name: model.name(),
            message,
        })?;
        for note in &answer.notes {
            progress.warning(note);
        }
        let mut text = answer.description;
        let mut description = check::description(&model.name(), &text)?;
        if let Some(seconds) = self.options.date {
            description.generation_date_and_time = Some(date::date_time(seconds));
            text = fmu_standard::xml::write_any_version(&description);
            check::description(&model.name(), &text)?;
        }

        let mut contents = Contents::new();
        let mut linked = BTreeSet::new();
        for platform in &self.platforms {
            let mut others = libraries.others.iter();
            let other = others.find(|(other, _)| *other == platform);
            let library = other.map_or(libraries.host, |(_, library)| library);
            let folder = platform.folder_of(version);
            debug_assert!(other.is_some() || platform == host);
            let file = format!(
                "{}.{}",
                check::model_identifier(&description),
                platform.system.extension()
            );
            progress.step("Checked", &library.facts(&format!("{folder}/{file}")));
            for warning in library::warnings(&library.library, versions) {
                progress.warning(&warning);
            }
            contents.add(&format!("binaries/{folder}/{file}"), library.bytes.clone())?;
            linked.extend(library.artifact.packages.iter().cloned());
        }
        contents.add("modelDescription.xml", text)?;
        contents.add("documentation/index.html", documentation(&description))?;
        licenses::add(&mut contents, self.workspace, model, &linked)?;
        if let Some(folder) = &resources {
            contents.add_folder("resources", folder)?;
        }
        if let Some((one, other)) = contents.case_duplicates() {
            progress.warning(&format!(
                "{one} and {other} cannot be unpacked side by side on every system"
            ));
        }

        let name = versions.file_name(version, &description.model_name);
        let fmu = Pending::write(&contents, self.out.join(&name))?;
        #[cfg(feature = "import")]
        if version == Version::Two {
            strict::check(&fmu)?;
        }
        let summary = summary(&name, &description, fmu.size());
        Ok((description.model_name, fmu, summary))
    }

    /// Builds a library and reads it; one without a model is an error.
    fn build(
        &self,
        (model, versions): (Model<'_>, Versions),
        platform: &Platform,
        progress: &mut dyn Progress,
    ) -> Result<Built, Error> {
        let kind = self.options.build.as_str();
        progress.step(
            "Building",
            &format!("{} for {} ({kind})", model.name(), platform.folder),
        );
        let arrays = self.options.arrays;
        let artifact = self.builder.build(model, platform, (versions, arrays))?;
        let path = &artifact.path;
        let bytes = fs::read(path).map_err(Error::file("read", path))?;
        let refuse = |problem: String| Error::Library {
            path: path.clone(),
            problem,
        };
        let library = LibraryFacts::read_whole("", &bytes)
            .map_err(|error| refuse(format!("cannot be read: {error}")))?;
        if !library::required(versions).any(|name| library.exports.contains(name)) {
            return Err(Error::NothingExported { name: model.name() });
        }
        match library::problems(&library, platform, versions) {
            problems if problems.is_empty() => Ok(Built {
                artifact,
                bytes,
                library,
            }),
            problems => Err(refuse(problems.join(", and it "))),
        }
    }
}

/// The libraries of a model: that of this machine, and those of other platforms.
struct Libraries<'a> {
    host: &'a Built,
    others: &'a [(&'a Platform, Built)],
}

/// A library that was built and read.
struct Built {
    artifact: Artifact,
    bytes: Vec<u8>,
    library: LibraryFacts,
}

impl Built {
    fn facts(&self, name: &str) -> String {
        let mut facts = format!(
            "{name}: {} symbols, {}",
            self.library.exports.len(),
            size(self.bytes.len() as u64)
        );
        if let Some((major, minor)) = self.library.glibc {
            facts.push_str(&format!(", needs GLIBC {major}.{minor} or newer"));
        }
        facts
    }
}

fn summary(name: &str, description: &ModelDescription, bytes: u64) -> String {
    format!(
        "{name}: {}, {}, {}, {}",
        count(description.model_variables.len() as u64, "variable"),
        count(description.number_of_states(), "state"),
        count(description.event_indicators(), "event indicator"),
        size(bytes)
    )
}

/// What a person types in a folder to run this program: cargo's alias for its package, if there is one.
pub(crate) fn command_name(directory: &Path) -> String {
    let configuration = config::Configuration::of(directory, None);
    let package = std::env::var("CARGO_PKG_NAME").ok();
    let alias = package.and_then(|package| configuration.alias_of(&package));
    alias.map_or_else(|| "fmu".to_owned(), |alias| format!("cargo {alias}"))
}

/// The date that `SOURCE_DATE_EPOCH` sets, if any.
pub fn source_date_epoch() -> Result<Option<i64>, Error> {
    match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(value) => date::parse(&value)
            .map(Some)
            .ok_or(Error::SourceDateEpoch { value }),
        Err(_) => Ok(None),
    }
}
