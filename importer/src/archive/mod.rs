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

/// What an archive may ask of this machine.
///
/// ```
/// let generous = fmu_importer::archive::Limits { bytes: 64 << 30, ..Default::default() };
/// assert_eq!(generous.entries, 100_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Entries in the archive.
    pub entries: u64,
    /// Bytes of all unpacked files together.
    pub bytes: u64,
    /// Unpacked bytes a packed byte, over the whole archive; archives below [`Limits::SMALL`] are not asked.
    pub ratio: u64,
    /// Bytes of `modelDescription.xml`, which is held in memory.
    pub description: u64,
}

impl Limits {
    /// Below this many unpacked bytes the ratio does not matter.
    pub const SMALL: u64 = 64 << 20;
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
