//! Where something is written, and what is wrong with it.

use std::fmt;
use std::path::PathBuf;

/// Where something is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file, if it is from one.
    pub file: Option<PathBuf>,
    /// The line, from 1; 0 if it is not known.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (None, _) => f.write_str("the system"),
            (Some(file), 0) => write!(f, "{}", file.display()),
            (Some(file), line) => write!(f, "{}, line {line}", file.display()),
        }
    }
}

/// Why a system cannot be read or put together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SystemError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// Something in it is wrong.
    #[error("{place}: {problem}")]
    Wrong {
        /// Where.
        place: Place,
        /// What, and what to do.
        problem: String,
    },
    /// An FMU cannot be opened or instantiated.
    #[error("{place}, component {component}: {source}")]
    Fmu {
        /// Where it is named.
        place: Place,
        /// The component.
        component: String,
        /// Why.
        source: Box<fmu_importer::Error>,
    },
    /// An SSP file is not an archive that can be unpacked.
    #[error("cannot unpack {}: {source}", path.display())]
    Archive {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Box<fmu_importer::archive::ArchiveError>,
    },
    /// The master refuses it.
    #[error(transparent)]
    Master(#[from] crate::Error),
}

impl SystemError {
    pub(super) fn wrong(place: &Place, problem: impl Into<String>) -> SystemError {
        SystemError::Wrong {
            place: place.clone(),
            problem: problem.into(),
        }
    }
}
