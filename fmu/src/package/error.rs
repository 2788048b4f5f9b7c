//! What can go wrong while packaging, each as a sentence with the next step to take.

use std::path::{Path, PathBuf};

use fmu_standard::naming::nearest;

/// Why packaging failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// `cargo metadata` failed.
    #[error("cargo cannot read the workspace of {}: {message}", directory.display())]
    Workspace {
        /// The folder that the command was started in.
        directory: PathBuf,
        /// What cargo said.
        message: String,
    },
    /// A crate that is not a member.
    #[error("there is no crate `{name}` in the workspace {}; {}", root.display(), choices(name, candidates))]
    NoSuchCrate {
        /// The name that was asked for.
        name: String,
        /// The folder of the workspace.
        root: PathBuf,
        /// Crates that are marked as FMUs.
        candidates: Vec<String>,
    },
    /// A model that the crate does not list.
    #[error("the crate `{name}` lists no model `{model}`; {}", models(candidates))]
    NoSuchModel {
        /// The crate.
        name: String,
        /// The model that was asked for.
        model: String,
        /// Those that it lists.
        candidates: Vec<String>,
    },
    /// `models` is not a list of models.
    #[error(
        "the crate `{name}` has `[package.metadata.fmu] models = {listed}` in its Cargo.toml; it should be a list of names, \
         such as [\"Wheel\", \"Chassis\"]"
    )]
    Models {
        /// The crate.
        name: String,
        /// What it has.
        listed: String,
    },
    /// `fmi` does not name versions.
    #[error(
        "the crate `{name}` has `[package.metadata.fmu] fmi = {value}` in its Cargo.toml; it should be \"2\", \"3\" or \"both\""
    )]
    Versions {
        /// The crate.
        name: String,
        /// What it has.
        value: String,
    },
    /// Arrays as scalars, where no FMU is of FMI 3.0.
    #[error(
        "`--arrays scalar` is for FMI 3.0, and {models} would be packaged for FMI 2.0, which has scalars only; add `--fmi 3` \
         or `--fmi both`, or leave `--arrays` out"
    )]
    ArraysOfVersion2 {
        /// The models.
        models: String,
    },
    /// `--all` found nothing.
    #[error(
        "no crate of the workspace {} is marked as an FMU; add a line `[package.metadata.fmu]` to the Cargo.toml of each model",
        root.display()
    )]
    NothingMarked {
        /// The folder of the workspace.
        root: PathBuf,
    },
    /// A crate without a library.
    #[error("the crate `{name}` has no library; a model is exported from src/lib.rs")]
    NoLibrary {
        /// The crate.
        name: String,
    },
    /// A program could not be started.
    #[error("cannot run `{program}`: {source}")]
    Run {
        /// The program.
        program: String,
        /// Why.
        source: std::io::Error,
    },
    /// A program printed something unexpected.
    #[error("`{program}` failed: {message}")]
    Tool {
        /// The program with its arguments.
        program: String,
        /// What it said.
        message: String,
    },
    /// The crate does not compile or link.
    #[error("the crate `{name}` does not build for {triple} (see above){}", hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default())]
    Build {
        /// The crate.
        name: String,
        /// The Rust target.
        triple: String,
        /// What may help.
        hint: Option<String>,
    },
    /// A target that FMI has no name for.
    #[error("FMI has no platform for the target `{triple}`; libraries are for Linux, Windows and macOS")]
    NoPlatform {
        /// The Rust target.
        triple: String,
    },
    /// Two targets that would overwrite each other.
    #[error("the targets `{first}` and `{second}` both belong into binaries/{folder}; choose one of them")]
    SamePlatform {
        /// The first of them.
        first: String,
        /// The second of them.
        second: String,
        /// The folder.
        folder: String,
    },
    /// A target that rustc does not know.
    #[error("rustc knows no target `{triple}`; `rustc --print target-list` shows all")]
    UnknownTarget {
        /// The Rust target.
        triple: String,
    },
    /// A name that no platform has.
    #[error("there is no platform `{name}`; {}", known_platforms(name, known))]
    UnknownPlatform {
        /// The name.
        name: String,
        /// The platforms that there are, by the names of FMI 2.0.
        known: Vec<String>,
    },
    /// A target whose standard library is missing.
    #[error("the standard library of Rust for `{triple}` is not installed; {remedy}")]
    MissingTarget {
        /// The Rust target.
        triple: String,
        /// What to do, as the rest of the sentence.
        remedy: String,
    },
    /// A target that nothing here can link.
    #[error(
        "no linker for `{triple}` on this machine; {remedy}; or name one in .cargo/config.toml ([target.{triple}] linker = \"...\")"
    )]
    MissingLinker {
        /// The Rust target.
        triple: String,
        /// What to do, as the rest of the sentence.
        remedy: String,
    },
    /// Something is wrong with the built library.
    #[error("the library {} {problem}", path.display())]
    Library {
        /// The file.
        path: PathBuf,
        /// What is wrong, as the rest of the sentence.
        problem: String,
    },
    /// The crate has no `export_fmu!`.
    #[error("the crate `{name}` exports no model; add `export_fmu!(TheModel);` to its src/lib.rs")]
    NothingExported {
        /// The crate.
        name: String,
    },
    /// `fmuDescribe` failed.
    #[error("the model of the crate `{name}` cannot be described: {message}")]
    Describe {
        /// The crate.
        name: String,
        /// What the library said.
        message: String,
    },
    /// The description contradicts itself or the library.
    #[error("the model description of the crate `{name}` {problem}")]
    Description {
        /// The crate.
        name: String,
        /// What is wrong, as the rest of the sentence.
        problem: String,
    },
    /// Two crates with the same model name.
    #[error("the crates `{first}` and `{second}` both make {model}.fmu; rename one of the models")]
    SameModel {
        /// The first of them.
        first: String,
        /// The second of them.
        second: String,
        /// The name of the model.
        model: String,
    },
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// "read", "write", ...
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// FMUs cannot be written into a file.
    #[error(
        "the FMUs cannot be written to {}: a folder is needed, and {} is not one; give --out a folder, which is made if it \
         does not exist",
        out.display(),
        file.display()
    )]
    NoFolder {
        /// Where the FMUs should go.
        out: PathBuf,
        /// It, or what stands in place of a folder around it.
        file: PathBuf,
    },
    /// A folder has the name of the FMU.
    #[error("cannot write the FMU {}: there is a folder of that name; remove it, or give --out another folder", path.display())]
    FolderInPlace {
        /// The FMU.
        path: PathBuf,
    },
    /// A file that has no place in an FMU.
    #[error("{} cannot go into an FMU: {reason}", path.display())]
    Entry {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The archive could not be made, or does not read back.
    #[error("the archive {} {problem}", path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// What is wrong, as the rest of the sentence.
        problem: String,
    },
    /// The FMU breaks rules of the standard.
    #[error(
        "{} is not written, because `fmu check --strict` would complain:\n  {}",
        path.display(),
        findings.join("\n  ")
    )]
    Rules {
        /// Where it would have been.
        path: PathBuf,
        /// Rules with their severity, and what breaks them.
        findings: Vec<String>,
    },
    /// `SOURCE_DATE_EPOCH` is not a number of seconds.
    #[error(
        "SOURCE_DATE_EPOCH is `{value}`; it must be a whole number of seconds since 1970, before the year 10000"
    )]
    SourceDateEpoch {
        /// Its value.
        value: String,
    },
}

impl Error {
    pub(crate) fn file(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.to_owned();
        move |source| Error::File { action, path, source }
    }
}

fn choices(name: &str, candidates: &[String]) -> String {
    if candidates.is_empty() {
        return "none is marked as an FMU with `[package.metadata.fmu]`".to_owned();
    }
    let all = candidates.join(", ");
    match nearest(candidates.iter().map(String::as_str), name) {
        Some(near) => format!("did you mean `{near}`? Those marked as FMUs are {all}"),
        None => format!("those marked as FMUs are {all}"),
    }
}

fn known_platforms(name: &str, known: &[String]) -> String {
    let all = format!(
        "there are {} (or their names of FMI 3.0), and `all`",
        known.join(", ")
    );
    match nearest(known.iter().map(String::as_str), name) {
        Some(near) => format!("did you mean `{near}`? There{}", &all[5..]),
        None => all,
    }
}

fn models(candidates: &[String]) -> String {
    if candidates.is_empty() {
        "it has one model and is packaged by its own name".to_owned()
    } else {
        format!("it lists {}", candidates.join(", "))
    }
}
