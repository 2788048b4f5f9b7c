//! Unpacks entries: never more bytes than the directory declares, and never over existing files.

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use flate2::Crc;

use super::decompress::{Stream, decompress};
use super::directory::{Bytes, read_at};
use super::{Archive, ArchiveError, Entry, EntryProblem, Method};

const LOCAL: u32 = 0x0403_4b50;

impl<R: Read + Seek> Archive<R> {
    /// The position of the entry with this path; backslashes count as slashes.
    pub fn find(&self, path: &str) -> Option<usize> {
        let is = |entry: &Entry| entry.path().is_ok_and(|name| name.path == path && !name.folder);
        self.entries.iter().position(is)
    }

    /// Unpacks one entry to memory; `limit` is the most that is accepted.
    pub fn bytes(&mut self, position: usize, limit: u64) -> Result<Vec<u8>, ArchiveError> {
        let size = self.entries[position].size;
        if size > limit {
            return Err(ArchiveError::limit("bytes of description", size, limit));
        }
        // A declared size is not believed before its bytes arrive, unless the packed ones could hold so many: deflate
        // packs no more than 1032 times. (bzip2 and LZMA pack more; then the memory grows while the bytes arrive.)
        let most = self.entries[position].packed.saturating_mul(1032);
        let mut bytes = Vec::with_capacity(size.min(most).min(64 << 20) as usize);
        self.copy(position, &mut bytes)?;
        Ok(bytes)
    }

    /// Unpacks one entry without keeping it; returns whether its bytes agree with the directory.
    pub fn verify(&mut self, position: usize) -> Result<(), ArchiveError> {
        self.copy(position, &mut io::sink())
    }

    /// Unpacks all entries that `wanted` chooses by path into an empty folder.
    pub fn unpack(&mut self, folder: &Path, wanted: impl Fn(&str) -> bool) -> Result<(), ArchiveError> {
        let mut files = HashSet::new();
        for position in 0..self.entries.len() {
            let entry = self.entries[position].name.clone();
            let name = self.entries[position]
                .path()
                .map_err(|problem| ArchiveError::Entry {
                    entry: entry.clone(),
                    problem: EntryProblem::Name(problem),
                })?;
            // Of entries with one name and the same contents, the first is enough.
            if !wanted(&name.path) || !(name.folder || files.insert(name.path.clone())) {
                continue;
            }
            let failed = |source| ArchiveError::Write {
                entry: entry.clone(),
                source,
            };
            let path = name.below(folder);
            if name.folder {
                fs::create_dir_all(&path).map_err(failed)?;
                continue;
            }
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).map_err(failed)?;
            }
            // `create_new` neither overwrites nor follows anything.
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            let mut file = options.open(&path).map_err(failed)?;
            self.copy(position, &mut file)?;
            make_executable(&file, self.entries[position].unix_mode).map_err(failed)?;
        }
        Ok(())
    }

    fn copy(&mut self, position: usize, to: &mut dyn Write) -> Result<(), ArchiveError> {
        let entry = &self.entries[position];
        let damaged = |problem| ArchiveError::DamagedEntry {
            entry: entry.name.clone(),
            problem,
        };
        if let (true, _) | (_, Method::Other(_)) = (entry.is_encrypted(), entry.method) {
            let problem = match entry.method {
                Method::Other(method) => EntryProblem::Method(method),
                _ => EntryProblem::Encrypted,
            };
            let entry = entry.name.clone();
            return Err(ArchiveError::Entry { entry, problem });
        }
        let header = read_at(&mut self.reader, entry.offset, 30)?;
        let mut bytes = Bytes(&header);
        let lengths = (|| {
            let signature = bytes.u32()?;
            bytes.skip(22)?;
            Some((signature, bytes.u16()?, bytes.u16()?))
        })();
        let Some((LOCAL, name, extra)) = lengths else {
            return Err(damaged("its header is not where the directory says"));
        };
        let name = read_at(&mut self.reader, entry.offset + 30, name.into())?;
        if entry.name_is_utf8 && name != entry.name.as_bytes() {
            return Err(damaged("its header and the directory have different names"));
        }
        let begin = entry.offset + 30 + name.len() as u64 + u64::from(extra);
        if begin.checked_add(entry.packed).is_none_or(|end| end > self.end) {
            return Err(damaged("it ends beyond the directory"));
        }
        self.reader
            .seek(SeekFrom::Start(begin))
            .map_err(ArchiveError::Read)?;
        let mut packed = BufReader::with_capacity(1 << 16, (&mut self.reader).take(entry.packed));
        let mut counted = Counted {
            to,
            left: entry.size,
            crc: Crc::new(),
            too_many: false,
            failed: None,
        };
        let stream = Stream {
            method: entry.method,
            size: entry.size,
            has_end_marker: entry.flags & 1 << 1 != 0,
        };
        let result = decompress(&stream, &mut packed, &mut counted);
        if counted.too_many {
            return Err(damaged("it unpacks to more bytes than the directory says"));
        }
        if let Some(source) = counted.failed {
            let entry = entry.name.clone();
            return Err(ArchiveError::Write { entry, source });
        }
        let Ok(is_whole) = result else {
            return Err(damaged(stream.damage()));
        };
        if counted.left > 0 {
            return Err(damaged("it unpacks to fewer bytes than the directory says"));
        }
        if counted.crc.sum() != entry.crc32 {
            return Err(damaged("its checksum is wrong"));
        }
        if !is_whole || packed.fill_buf().is_ok_and(|rest| !rest.is_empty()) {
            return Err(damaged("there are bytes after its end"));
        }
        Ok(())
    }
}

/// A library need not be executable to be loaded, but a program that an FMU starts must be.
#[cfg(unix)]
fn make_executable(file: &fs::File, mode: Option<u32>) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    if mode.is_some_and(|mode| mode & 0o100 != 0) {
        file.set_permissions(fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn make_executable(_: &fs::File, _: Option<u32>) -> io::Result<()> {
    Ok(())
}

/// Writes through until the declared size is reached.
struct Counted<'w> {
    to: &'w mut dyn Write,
    left: u64,
    crc: Crc,
    too_many: bool,
    failed: Option<io::Error>,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() as u64 > self.left {
            self.too_many = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if let Err(error) = self.to.write_all(bytes) {
            self.failed = Some(error);
            return Err(io::ErrorKind::Other.into());
        }
        self.left -= bytes.len() as u64;
        self.crc.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
