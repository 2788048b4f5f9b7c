//! Why an archive is refused.

use std::io;

use super::{Limits, NameProblem};

/// Why an archive cannot be read, or is not unpacked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The operating system.
    #[error("cannot read the archive: {0}")]
    Read(#[source] io::Error),
    /// There is no directory at the end of the file.
    #[error("it is not a zip archive, or its end is missing")]
    NoDirectory,
    /// A structure of the archive points outside the file or contradicts another.
    #[error("the archive is damaged: {0}")]
    Damaged(&'static str),
    /// More than the limits allow.
    #[error(
        "the archive has {found} {what}, more than the limit of {limit}; if you trust it, raise the limit"
    )]
    Limit {
        /// What there is too much of.
        what: &'static str,
        /// How much there is.
        found: u64,
        /// What is allowed.
        limit: u64,
    },
    /// It unpacks to far more than it holds.
    #[error(
        "the archive unpacks to {unpacked} bytes, {ratio} times its packed size (limit: {limit} times); \
         if you trust it, raise the limit"
    )]
    Bomb {
        /// Bytes after unpacking.
        unpacked: u64,
        /// Unpacked over packed bytes.
        ratio: u64,
        /// What [`Limits::ratio`] allows.
        limit: u64,
    },
    /// An entry that is not unpacked.
    #[error("entry `{entry}` {problem}")]
    Entry {
        /// Its name as written.
        entry: String,
        /// What is wrong with it.
        problem: EntryProblem,
    },
    /// An entry has other bytes than the directory says.
    #[error("entry `{entry}` is damaged: {problem}")]
    DamagedEntry {
        /// Its name as written.
        entry: String,
        /// What does not agree.
        problem: &'static str,
    },
    /// A file could not be written to the temporary folder.
    #[error("cannot unpack entry `{entry}`: {source}")]
    Write {
        /// Its name as written.
        entry: String,
        /// What the operating system says.
        source: io::Error,
    },
}

/// What is wrong with an entry of the archive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EntryProblem {
    /// Its name would leave the folder.
    #[error("has a name that {0}: it is not unpacked")]
    Name(NameProblem),
    /// Its name is in neither of the two encodings of zip archives that we read.
    #[error("has a name that is not UTF-8")]
    NotUtf8,
    /// It has backslashes as separators; they are taken for slashes.
    #[error("has backslashes in its name; zip archives have forward slashes")]
    Backslashes,
    /// It begins with a slash, which is left out.
    #[error("has a name that begins with a slash, which is left out; names in an FMU are relative")]
    Rooted,
    /// It is a link, a device or the like.
    #[error("is a link or a special file: only files and folders are unpacked")]
    Special,
    /// It is encrypted.
    #[error("is encrypted")]
    Encrypted,
    /// It is compressed in a way that is read here, and by few other tools.
    #[error("is compressed by {0}, which few importers read; an FMU has method 0 (stored) or 8 (deflate)")]
    Unusual(&'static str),
    /// It is compressed in a way that is not read here.
    #[error(
        "is compressed by method {0}; an FMU has method 0 (stored) or 8 (deflate): pack it again with one of these"
    )]
    Method(u16),
    /// It needs a newer unpacker than the standard allows.
    #[error("needs version {}.{} of the archive format; the standard allows 2.0", .0 / 10, .0 % 10)]
    VersionNeeded(u8),
    /// Its name occurs more than once, with different contents.
    #[error("occurs more than once, with different contents")]
    Duplicate,
    /// Its name occurs more than once, with the same contents.
    #[error("occurs more than once, with the same contents")]
    Repeated,
    /// Its name differs from another's in upper and lower case alone.
    #[error("differs from `{0}` in upper and lower case alone: where case does not matter, one is lost")]
    CaseDuplicate(String),
    /// A file's name is the name of another entry's folder.
    #[error("is a file, and another entry lies in a folder of that name")]
    FileIsFolder,
    /// Its bytes overlap another's.
    #[error("shares its bytes with another entry")]
    Overlap,
}

impl EntryProblem {
    /// Whether the archive is unpacked all the same.
    pub fn is_tolerated(&self) -> bool {
        matches!(
            self,
            Self::Backslashes
                | Self::Rooted
                | Self::Unusual(_)
                | Self::VersionNeeded(_)
                | Self::Repeated
                | Self::CaseDuplicate(_)
                | Self::NotUtf8
        )
    }
}

impl ArchiveError {
    pub(super) fn limit(what: &'static str, found: u64, limit: u64) -> Self {
        Self::Limit { what, found, limit }
    }

    /// Checks what is unpacked in all against the limits.
    pub(super) fn check_size(packed: u64, unpacked: u64, limits: &Limits) -> Result<(), Self> {
        if unpacked > limits.bytes {
            return Err(Self::limit("unpacked bytes", unpacked, limits.bytes));
        }
        let ratio = unpacked / packed.max(1);
        if unpacked > Limits::SMALL && ratio > limits.ratio {
            return Err(Self::Bomb {
                unpacked,
                ratio,
                limit: limits.ratio,
            });
        }
        Ok(())
    }
}
