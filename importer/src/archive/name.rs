//! Names of entries: from what is written in the archive to a path inside our own folder, or a reason why not.

use std::fmt;
use std::path::PathBuf;

/// The name of an entry that stays inside the folder it is unpacked to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The path with forward slashes, without a slash at either end; empty for the root folder, `./`.
    pub path: String,
    /// Whether it names a folder.
    pub folder: bool,
    /// Whether the separators were backslashes.
    pub backslashes: bool,
    /// Whether it began with a slash, which is left out: the path stays inside the folder.
    pub rooted: bool,
}

/// Why a name is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NameProblem {
    /// Nothing is left of it.
    Empty,
    /// It names a drive.
    Absolute,
    /// It has a part `..`.
    Parent,
    /// It has a control character.
    Control,
    /// It is longer or deeper than any file's name should be.
    TooLong,
    /// This operating system gives it another meaning.
    Reserved,
}

impl fmt::Display for NameProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "is empty",
            Self::Absolute => "names a drive",
            Self::Parent => "leaves the archive by `..`",
            Self::Control => "has a control character",
            Self::TooLong => "is too long or too deep",
            Self::Reserved => "is reserved by this operating system",
        })
    }
}

/// The longest name, in bytes, and the deepest; operating systems do not take much more.
const LENGTH: usize = 1024;
const DEPTH: usize = 64;

impl Name {
    /// Takes the name that is written in an archive.
    ///
    /// ```
    /// use fmu_importer::archive::{Name, NameProblem};
    ///
    /// assert_eq!(Name::new("resources\\table.csv")?.path, "resources/table.csv");
    /// assert_eq!(Name::new("/./resources//table.csv")?.path, "resources/table.csv");
    /// assert_eq!(Name::new("a/../../etc/passwd"), Err(NameProblem::Parent));
    /// assert_eq!(Name::new("C:\\windows"), Err(NameProblem::Absolute));
    /// # Ok::<(), NameProblem>(())
    /// ```
    pub fn new(written: &str) -> Result<Self, NameProblem> {
        if written.chars().any(char::is_control) {
            return Err(NameProblem::Control);
        }
        let bytes = written.as_bytes();
        let drive = bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
        if drive {
            return Err(NameProblem::Absolute);
        }
        let parts: Vec<_> = written
            .split(['/', '\\'])
            .filter(|part| !matches!(*part, "" | "."))
            .collect();
        if parts.contains(&"..") {
            return Err(NameProblem::Parent);
        }
        let folder = written.ends_with(['/', '\\']);
        if parts.is_empty() && !folder {
            return Err(NameProblem::Empty);
        }
        if written.len() > LENGTH || parts.len() > DEPTH {
            return Err(NameProblem::TooLong);
        }
        if cfg!(windows) && parts.iter().any(|part| is_reserved_on_windows(part)) {
            return Err(NameProblem::Reserved);
        }
        Ok(Self {
            path: parts.join("/"),
            folder,
            backslashes: written.contains('\\'),
            rooted: !parts.is_empty() && written.starts_with(['/', '\\']),
        })
    }

    /// The path below a folder, in the manner of this operating system.
    pub(super) fn below(&self, folder: &std::path::Path) -> PathBuf {
        let mut path = folder.to_path_buf();
        path.extend(self.path.split('/').filter(|part| !part.is_empty()));
        path
    }
}

fn is_reserved_on_windows(part: &str) -> bool {
    let stem = part
        .split('.')
        .next()
        .unwrap_or_default()
        .trim_end()
        .to_ascii_uppercase();
    let device = matches!(
        stem.as_str(),
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$"
    ) || (stem.len() == 4 && (stem.starts_with("COM") || stem.starts_with("LPT")));
    device || part.ends_with([' ', '.']) || part.contains(['<', '>', ':', '"', '|', '?', '*'])
}
