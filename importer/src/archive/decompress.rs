//! Decompresses the bytes of an entry.

use std::io::{self, BufRead, Write};

use bzip2::bufread::BzDecoder;
use flate2::bufread::DeflateDecoder;
use lzma_rust2::LzmaReader;

use super::Method;

/// How an entry is packed.
pub struct Stream {
    pub method: Method,
    /// Its unpacked bytes, as the directory says.
    pub size: u64,
    /// Whether an LZMA stream says itself where it ends (bit 1 of the flags).
    pub has_end_marker: bool,
}

/// The most that an LZMA stream may ask to keep in memory.
const DICTIONARY_LIMIT: u64 = 256 << 20;

impl Stream {
    /// What is wrong with an entry that cannot be unpacked.
    pub fn damage(&self) -> &'static str {
        match self.method {
            Method::Bzip2 => "its packed bytes are not a bzip2 stream",
            Method::Lzma => {
                "its packed bytes are not an LZMA stream, or it needs more than 256 MiB of memory"
            }
            _ => "its packed bytes are not a deflate stream",
        }
    }
}

/// Unpacks `packed` into `to`; whether nothing is left after the end of the stream, as far as it has been read.
pub fn decompress(stream: &Stream, packed: &mut impl BufRead, to: &mut impl Write) -> io::Result<bool> {
    match stream.method {
        Method::Stored => io::copy(packed, to)?,
        Method::Deflated => io::copy(&mut DeflateDecoder::new(packed), to)?,
        Method::Bzip2 => io::copy(&mut BzDecoder::new(packed), to)?,
        Method::Lzma => return lzma(stream, packed, to),
        Method::Other(_) => return Err(io::ErrorKind::Unsupported.into()),
    };
    Ok(true)
}

/// PKWARE APPNOTE 5.8.8: version (2 bytes), length of the properties (2), properties (5), stream.
fn lzma(stream: &Stream, packed: &mut impl BufRead, to: &mut impl Write) -> io::Result<bool> {
    let mut header = [0; 9];
    packed.read_exact(&mut header)?;
    let [_, _, 5, 0, properties, dictionary @ ..] = header else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    // What is farther back than all that is unpacked is never looked at.
    let dictionary = u64::from(u32::from_le_bytes(dictionary)).min(stream.size);
    if dictionary > DICTIONARY_LIMIT {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    let size = match stream.has_end_marker {
        true => u64::MAX,
        false => stream.size,
    };
    let mut reader = LzmaReader::new_with_props(packed, size, properties, dictionary as u32, None)?;
    io::copy(&mut reader, to)?;
    let (_, unused) = reader.into_parts();
    Ok(unused.is_empty())
}
