//! What files an FMU has, packed or not.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use fmu_standard::platform::platform_of;

use crate::Error;
use crate::archive::{Archive, ArchiveError, Limits};

/// A file of an FMU.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PackedFile {
    /// The path inside the FMU, with forward slashes.
    pub path: String,
    /// Its size.
    pub size: u64,
    /// Its size in the archive; that of the file where there is none.
    pub packed: u64,
}

/// The files in an archive.
pub fn list_archive<R>(archive: &Archive<R>) -> Vec<PackedFile>
where
    R: std::io::Read + std::io::Seek,
{
    let mut listed = HashSet::new();
    let entries = archive.entries().iter().filter_map(|entry| {
        let name = entry.path().ok().filter(|name| !name.folder)?;
        if !listed.insert(name.path.clone()) {
            return None;
        }
        Some(PackedFile {
            path: name.path,
            size: entry.size,
            packed: entry.packed,
        })
    });
    entries.collect()
}

/// The files below a folder; links are listed, never followed.
pub fn list_folder(folder: &Path, limits: &Limits) -> Result<Vec<PackedFile>, Error> {
    let mut files = Vec::new();
    let mut open = vec![String::new()];
    while let Some(inside) = open.pop() {
        let path = folder.join(&inside);
        let read = |source| Error::Read {
            path: path.clone(),
            source,
        };
        for entry in fs::read_dir(&path).map_err(read)? {
            let entry = entry.map_err(read)?;
            let name = format!("{inside}{}", entry.file_name().to_string_lossy());
            let kind = entry.file_type().map_err(read)?;
            if kind.is_dir() {
                open.push(name + "/");
                continue;
            }
            let size = entry.metadata().map_err(read)?.len();
            files.push(PackedFile {
                path: name,
                size,
                packed: size,
            });
            if files.len() as u64 > limits.entries {
                let (what, found, limit) = ("files", files.len() as u64, limits.entries);
                return Err(Error::archive(folder, ArchiveError::Limit { what, found, limit }));
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Opens a regular file. Pipes and devices are refused: reading them may never end.
///
/// ```
/// assert!(fmu_importer::open_regular("/dev/null".as_ref()).is_err());
/// ```
pub fn open_regular(path: &Path) -> io::Result<File> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        let what = if metadata.is_dir() {
            "a folder"
        } else {
            "a pipe or a device"
        };
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("it is {what}, not a regular file"),
        ));
    }
    File::open(path)
}

/// A file that stays open while FMUs run. Some FMUs close all descriptors of their process, and dropping a [`File`] whose
/// descriptor is closed already ends the process where the standard library has its checks switched on.
#[derive(Debug)]
pub(crate) struct OpenFile(Option<File>);

impl OpenFile {
    pub fn new(file: File) -> OpenFile {
        OpenFile(Some(file))
    }

    fn file(&mut self) -> io::Result<&mut File> {
        self.0.as_mut().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Read for OpenFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.file()?.read(bytes)
    }
}

impl Seek for OpenFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file()?.seek(to)
    }
}

#[cfg(unix)]
impl Drop for OpenFile {
    fn drop(&mut self) {
        if let Some(file) = self.0.take() {
            use std::os::fd::IntoRawFd;
            // SAFETY: touches no memory, and no value owns the descriptor any more.
            unsafe { libc::close(file.into_raw_fd()) };
        }
    }
}

/// Reads a regular file of text.
pub fn read_text(path: &Path) -> io::Result<String> {
    io::read_to_string(open_regular(path)?)
}

/// The bytes of `modelDescription.xml` in a folder.
pub fn description_of_folder(folder: &Path, limits: &Limits) -> Result<Vec<u8>, Error> {
    let path = folder.join("modelDescription.xml");
    let size = match fs::metadata(&path) {
        Ok(metadata) if metadata.is_file() => metadata.len(),
        _ => return Err(Error::NoDescription { path: folder.into() }),
    };
    if size > limits.description {
        let (what, found, limit) = ("bytes of description", size, limits.description);
        return Err(Error::archive(folder, ArchiveError::Limit { what, found, limit }));
    }
    fs::read(&path).map_err(|source| Error::Read { path, source })
}

/// Whether a file is unpacked before the FMU runs. Folders that the standard does not know are: a library may look there.
pub(crate) fn is_needed_to_run(path: &str) -> bool {
    let top = path.split('/').next().unwrap_or_default();
    match (top, platform_of(path)) {
        ("sources" | "documentation", _) => false,
        (_, Some(platform)) => crate::platform_folders().contains(&platform),
        _ => true,
    }
}

/// The platform folders that have files, sorted.
pub fn platforms(files: &[PackedFile]) -> Vec<String> {
    let mut platforms: Vec<String> = files
        .iter()
        .filter_map(|file| platform_of(&file.path))
        .map(Into::into)
        .collect();
    platforms.sort();
    platforms.dedup();
    platforms
}
