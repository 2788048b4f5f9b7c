//! Writes zip archives, good and bad ones.

use std::io::Write;

use flate2::Crc;
use flate2::write::DeflateEncoder;

/// An entry; every field can be made to lie.
#[derive(Clone, Debug)]
pub struct Entry {
    pub name: Vec<u8>,
    pub packed: Vec<u8>,
    pub size: u32,
    pub crc32: u32,
    pub method: u16,
    pub flags: u16,
    pub version_needed: u16,
    pub unix_mode: u32,
    /// The name in the local header, where it differs.
    pub local_name: Option<Vec<u8>>,
    /// Attributes of DOS: 0x10 is a folder.
    pub dos_attributes: u8,
    /// The extra field, in both headers.
    pub extra: Vec<u8>,
    pub comment: Vec<u8>,
    /// Checksum and sizes stand behind the bytes, and are zero before them.
    pub described_behind: bool,
}

impl Entry {
    /// A deflated file.
    pub fn new(name: &str, bytes: &[u8]) -> Self {
        let mut encoder = DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).expect("memory");
        Self {
            packed: encoder.finish().expect("memory"),
            method: 8,
            ..Self::stored(name, bytes)
        }
    }

    /// A file as it is.
    pub fn stored(name: &str, bytes: &[u8]) -> Self {
        let mut crc = Crc::new();
        crc.update(bytes);
        Self {
            name: name.into(),
            packed: bytes.into(),
            size: bytes.len() as u32,
            crc32: crc.sum(),
            method: 0,
            flags: 1 << 11,
            version_needed: 20,
            unix_mode: 0o100_644,
            local_name: None,
            dos_attributes: 0,
            extra: Vec::new(),
            comment: Vec::new(),
            described_behind: false,
        }
    }
}

/// The archive with these entries.
pub fn archive(entries: &[Entry]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        let offset = bytes.len() as u32;
        let sizes = [entry.crc32, entry.packed.len() as u32, entry.size];
        let flags = entry.flags | u16::from(entry.described_behind) << 3;
        let common = |to: &mut Vec<u8>, name: &[u8], sizes: [u32; 3]| {
            for number in [entry.version_needed, flags, entry.method, 0, 0x21] {
                to.extend(number.to_le_bytes());
            }
            for number in sizes {
                to.extend(number.to_le_bytes());
            }
            to.extend((name.len() as u16).to_le_bytes());
            to.extend((entry.extra.len() as u16).to_le_bytes());
        };
        let local_name = entry.local_name.as_ref().unwrap_or(&entry.name);
        bytes.extend(b"PK\x03\x04");
        common(
            &mut bytes,
            local_name,
            if entry.described_behind { [0; 3] } else { sizes },
        );
        bytes.extend(local_name);
        bytes.extend(&entry.extra);
        bytes.extend(&entry.packed);
        if entry.described_behind {
            bytes.extend(b"PK\x07\x08");
            bytes.extend(sizes.iter().flat_map(|number| number.to_le_bytes()));
        }

        directory.extend(b"PK\x01\x02");
        directory.extend((3_u16 << 8 | 20).to_le_bytes());
        common(&mut directory, &entry.name, sizes);
        directory.extend((entry.comment.len() as u16).to_le_bytes());
        directory.extend([0; 4]);
        directory.extend((entry.unix_mode << 16 | u32::from(entry.dos_attributes)).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(&entry.name);
        directory.extend(&entry.extra);
        directory.extend(&entry.comment);
    }
    let begin = bytes.len() as u32;
    let (count, size) = (entries.len() as u16, directory.len() as u32);
    bytes.extend(directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend(count.to_le_bytes());
    bytes.extend(count.to_le_bytes());
    bytes.extend(size.to_le_bytes());
    bytes.extend(begin.to_le_bytes());
    bytes.extend(0_u16.to_le_bytes());
    bytes
}
