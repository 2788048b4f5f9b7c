//! The directory at the end of a zip archive (PKWARE APPNOTE 4.3.6, 4.3.12, 4.3.14 to 4.3.16).

use std::io::{self, Read, Seek, SeekFrom};

use super::{ArchiveError, Name, NameProblem};

/// How an entry is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// As it is.
    Stored,
    /// Deflate.
    Deflated,
    /// bzip2, which the standard does not allow.
    Bzip2,
    /// LZMA, which the standard does not allow.
    Lzma,
    /// Something else, by its number.
    Other(u16),
}

/// A line of the directory, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name.
    pub name: String,
    /// Whether the name was UTF-8; if not, it is an approximation.
    pub name_is_utf8: bool,
    /// 'Version needed to extract', times ten.
    pub version_needed: u8,
    /// The flags: bit 0 encrypted, bit 11 UTF-8.
    pub flags: u16,
    /// How it is compressed.
    pub method: Method,
    /// Checksum of the unpacked bytes.
    pub crc32: u32,
    /// Packed bytes.
    pub packed: u64,
    /// Unpacked bytes.
    pub size: u64,
    /// File type and permissions of Unix, if the archive was made there.
    pub unix_mode: Option<u32>,
    /// Whether its attributes say that it is a folder; its name need not end with a slash then.
    pub marked_as_folder: bool,
    /// Where the entry begins in the file.
    pub(super) offset: u64,
}

/// The directory of a zip archive, and the file behind it.
#[derive(Debug)]
pub struct Archive<R> {
    pub(super) reader: R,
    pub(super) entries: Vec<Entry>,
    /// Where the directory begins: the end of all entries.
    pub(super) end: u64,
}

/// The type in a mode of Unix, and two of its values.
const TYPE: u32 = 0o170_000;
const FILE: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;
/// The attribute of a folder in DOS, which archives of all systems have.
const DOS_FOLDER: u32 = 0x10;

const END: u32 = 0x0605_4b50;
const END_64: u32 = 0x0606_4b50;
const LOCATOR_64: u32 = 0x0706_4b50;
const ENTRY: u32 = 0x0201_4b50;
const END_SIZE: u64 = 22;
/// The longest end record: a comment of 65 535 bytes.
const END_REGION: u64 = END_SIZE + 0xffff;
/// No directory of an FMU is larger; what it holds is held in memory.
const DIRECTORY_LIMIT: u64 = 64 << 20;

impl<R: Read + Seek> Archive<R> {
    /// Reads the directory; `entries` is the most that is accepted.
    pub fn read(mut reader: R, entries: u64) -> Result<Self, ArchiveError> {
        let length = reader.seek(SeekFrom::End(0)).map_err(ArchiveError::Read)?;
        let end = find_end(&mut reader, length)?;
        if end.count > entries {
            return Err(ArchiveError::limit("entries", end.count, entries));
        }
        if end.size > DIRECTORY_LIMIT {
            return Err(ArchiveError::limit(
                "bytes of directory",
                end.size,
                DIRECTORY_LIMIT,
            ));
        }
        let begin = (end.position.checked_sub(end.size))
            .ok_or(ArchiveError::Damaged("its directory is larger than the file"))?;
        // Bytes before the archive (a self-extractor) shift all offsets.
        let shift = (begin.checked_sub(end.offset))
            .ok_or(ArchiveError::Damaged("its directory is not where its end says"))?;
        let directory = read_at(&mut reader, begin, end.size)?;
        let mut bytes = Bytes(&directory);
        let mut list = Vec::with_capacity(end.count.min(end.size / 46) as usize);
        while !bytes.0.is_empty() {
            if list.len() as u64 >= entries {
                return Err(ArchiveError::limit("entries", list.len() as u64 + 1, entries));
            }
            let mut entry =
                entry(&mut bytes).ok_or(ArchiveError::Damaged("its directory ends too early"))??;
            entry.offset = (entry.offset.checked_add(shift).filter(|offset| *offset < begin))
                .ok_or(ArchiveError::Damaged("an entry lies outside the file"))?;
            list.push(entry);
        }
        if list.len() as u64 != end.count {
            return Err(ArchiveError::Damaged(
                "its end counts other entries than its directory has",
            ));
        }
        Ok(Self {
            reader,
            entries: list,
            end: begin,
        })
    }

    /// The entries, in the order of the directory.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

impl Entry {
    /// Whether it is encrypted, in one of the ways that there are.
    pub fn is_encrypted(&self) -> bool {
        self.flags & (1 | 1 << 6 | 1 << 13) != 0
    }

    /// Its name as a path inside the folder that it is unpacked to.
    pub fn path(&self) -> Result<Name, NameProblem> {
        let mut name = Name::new(&self.name)?;
        name.folder |= self.marked_as_folder;
        Ok(name)
    }

    /// Whether it is neither a file nor a folder: a link, a device.
    pub fn is_special(&self) -> bool {
        self.unix_mode
            .is_some_and(|mode| !matches!(mode & TYPE, 0 | FILE | FOLDER))
    }
}

/// What the end of the archive says about its directory.
struct End {
    /// Where the directory ends.
    position: u64,
    count: u64,
    size: u64,
    offset: u64,
}

fn find_end<R: Read + Seek>(reader: &mut R, length: u64) -> Result<End, ArchiveError> {
    let begin = length.saturating_sub(END_REGION);
    let tail = read_at(reader, begin, length - begin)?;
    let last = (tail.len() as u64)
        .checked_sub(END_SIZE)
        .ok_or(ArchiveError::NoDirectory)?;
    for at in (0..=last as usize).rev() {
        let mut bytes = Bytes(&tail[at..]);
        let Some((END, [disk, directory_disk, _, count], size, offset, comment)) = bytes.end_record() else {
            continue;
        };
        if bytes.0.len() < usize::from(comment) {
            continue;
        }
        let position = begin + at as u64;
        if let Some(end) = find_end_64(reader, position)? {
            return Ok(end);
        }
        if disk != 0 || directory_disk != 0 {
            return Err(ArchiveError::Damaged("it is one part of several"));
        }
        return Ok(End {
            position,
            count: count.into(),
            size: size.into(),
            offset: offset.into(),
        });
    }
    Err(ArchiveError::NoDirectory)
}

/// The end record of large archives, if there is one before the plain end.
fn find_end_64<R: Read + Seek>(reader: &mut R, end: u64) -> Result<Option<End>, ArchiveError> {
    let Some(at) = end.checked_sub(20) else {
        return Ok(None);
    };
    let locator = read_at(reader, at, 20)?;
    let mut bytes = Bytes(&locator);
    if bytes.u32() != Some(LOCATOR_64) {
        return Ok(None);
    }
    let damaged = || ArchiveError::Damaged("its end of 64 bit is not where it should be");
    let position = bytes.skip(4).and_then(|()| bytes.u64()).ok_or_else(damaged)?;
    if position.checked_add(56).is_none_or(|after| after > at) {
        return Err(damaged());
    }
    let record = read_at(reader, position, 56)?;
    let mut bytes = Bytes(&record);
    if bytes.u32() != Some(END_64) {
        return Err(damaged());
    }
    let mut fields = || {
        bytes.skip(8 + 2 + 2 + 4 + 4 + 8)?;
        Some(End {
            position,
            count: bytes.u64()?,
            size: bytes.u64()?,
            offset: bytes.u64()?,
        })
    };
    fields().map(Some).ok_or_else(damaged)
}

/// One line of the directory; `None` where the bytes end.
fn entry(bytes: &mut Bytes) -> Option<Result<Entry, ArchiveError>> {
    if bytes.u32()? != ENTRY {
        return Some(Err(ArchiveError::Damaged(
            "its directory has something else among its entries",
        )));
    }
    let made_by = bytes.u16()?;
    let version_needed = (bytes.u16()? & 0xff) as u8;
    let flags = bytes.u16()?;
    let method = match bytes.u16()? {
        0 => Method::Stored,
        8 => Method::Deflated,
        12 => Method::Bzip2,
        14 => Method::Lzma,
        other => Method::Other(other),
    };
    bytes.skip(4)?;
    let crc32 = bytes.u32()?;
    let (mut packed, mut size) = (u64::from(bytes.u32()?), u64::from(bytes.u32()?));
    let (name, extra, comment) = (bytes.u16()?, bytes.u16()?, bytes.u16()?);
    bytes.skip(2 + 2)?;
    let attributes = bytes.u32()?;
    let mut offset = u64::from(bytes.u32()?);
    let name = bytes.take(name.into())?;
    let extra = bytes.take(extra.into())?;
    bytes.skip(comment.into())?;

    // Numbers that do not fit stand in an extra field, in this order.
    for (number, wide) in wide_numbers(extra, [&mut size, &mut packed, &mut offset]) {
        *number = wide;
    }
    let unix = matches!(made_by >> 8, 3 | 19);
    let unix_mode = unix.then_some(attributes >> 16);
    let is_folder = match unix_mode.map(|mode| mode & TYPE) {
        None | Some(0) => attributes & DOS_FOLDER != 0,
        Some(kind) => kind == FOLDER,
    };
    Some(Ok(Entry {
        name: String::from_utf8_lossy(name).into_owned(),
        name_is_utf8: str::from_utf8(name).is_ok(),
        version_needed,
        flags,
        method,
        crc32,
        packed,
        size,
        unix_mode,
        // A folder has no bytes; an entry with bytes is a file, whatever its other attributes say.
        marked_as_folder: is_folder && size == 0,
        offset,
    }))
}

fn wide_numbers<'n>(extra: &[u8], numbers: [&'n mut u64; 3]) -> Vec<(&'n mut u64, u64)> {
    let mut bytes = Bytes(extra);
    while let (Some(id), Some(length)) = (bytes.u16(), bytes.u16()) {
        let Some(field) = bytes.take(length.into()) else {
            break;
        };
        if id != 1 {
            continue;
        }
        let mut field = Bytes(field);
        let missing = numbers
            .into_iter()
            .filter(|number| **number == u64::from(u32::MAX));
        return missing.map_while(|number| Some((number, field.u64()?))).collect();
    }
    Vec::new()
}

pub(super) fn read_at<R: Read + Seek>(reader: &mut R, at: u64, length: u64) -> Result<Vec<u8>, ArchiveError> {
    let mut bytes = vec![0; length as usize];
    reader.seek(SeekFrom::Start(at)).map_err(ArchiveError::Read)?;
    reader
        .read_exact(&mut bytes)
        .map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => ArchiveError::Damaged("the file ends too early"),
            _ => ArchiveError::Read(error),
        })?;
    Ok(bytes)
}

/// Little-endian numbers from the front of a slice.
pub(super) struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(front)
    }

    pub fn skip(&mut self, count: usize) -> Option<()> {
        self.take(count).map(drop)
    }

    pub fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }

    pub fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    pub fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    /// Signature, the four 16-bit numbers, size, offset, length of the comment.
    fn end_record(&mut self) -> Option<(u32, [u16; 4], u32, u32, u16)> {
        let signature = self.u32()?;
        let numbers = [self.u16()?, self.u16()?, self.u16()?, self.u16()?];
        Some((signature, numbers, self.u32()?, self.u32()?, self.u16()?))
    }
}
