//! The archive of an FMU, taken as hostile until it proves otherwise.
//!
//! [`Archive::read`] reads the directory of the archive and no more. [`Archive::problems`] says what is wrong with
//! the entries, [`Archive::accept`] refuses what must not be unpacked, and only then are bytes inflated, each entry
//! up to the size that the directory declares.

mod decompress;
mod directory;
mod error;
mod extract;
mod name;
mod private;
mod problems;

pub use directory::{Archive, Entry, Method};
pub use error::{ArchiveError, EntryProblem};
pub use name::{Name, NameProblem};
pub use private::{PrivateFolder, private_folder, remove_private_folders, sweep};

/// Limits for unpacking an archive.
///
/// ```
/// use fmu_importer::archive::Limits;
///
/// let generous = Limits::default().with_bytes(64 << 30);
/// assert_eq!(generous.entries, 100_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Entries in the archive.
    pub entries: u64,
    /// Bytes of all unpacked files together.
    pub bytes: u64,
    /// Unpacked bytes per packed byte, over the whole archive. Archives below [`Limits::SMALL`] may have any ratio.
    pub ratio: u64,
    /// Bytes of `modelDescription.xml`, which is held in memory.
    pub description: u64,
}

impl Limits {
    /// Below this many unpacked bytes the ratio does not matter.
    pub const SMALL: u64 = 64 << 20;

    /// With another number of entries.
    #[must_use]
    pub fn with_entries(mut self, entries: u64) -> Self {
        self.entries = entries;
        self
    }

    /// With another number of unpacked bytes.
    #[must_use]
    pub fn with_bytes(mut self, bytes: u64) -> Self {
        self.bytes = bytes;
        self
    }

    /// With another ratio of unpacked to packed bytes.
    #[must_use]
    pub fn with_ratio(mut self, ratio: u64) -> Self {
        self.ratio = ratio;
        self
    }

    /// With another number of bytes of `modelDescription.xml`.
    #[must_use]
    pub fn with_description(mut self, description: u64) -> Self {
        self.description = description;
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            entries: 100_000,
            bytes: 8 << 30,
            ratio: 200,
            description: 256 << 20,
        }
    }
}
