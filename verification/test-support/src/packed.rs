//! Entries that are packed by other means than deflate.

use std::io::Write;

use lzma_rust2::{LzmaOptions, LzmaWriter};

use crate::zip::Entry;

/// By bzip2.
pub fn bzip2(name: &str, bytes: &[u8]) -> Entry {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    encoder.write_all(bytes).expect("memory");
    Entry {
        packed: encoder.finish().expect("memory"),
        method: 12,
        version_needed: 46,
        ..Entry::stored(name, bytes)
    }
}

/// By LZMA, with or without a mark at the end of the stream.
pub fn lzma(name: &str, bytes: &[u8], has_end_marker: bool) -> Entry {
    let options = LzmaOptions::with_preset(6);
    // Version 9.20 of the tool, and five bytes of properties.
    let mut packed = vec![9, 20, 5, 0, options.get_props()];
    packed.extend(options.dict_size.to_le_bytes());
    let mut encoder = LzmaWriter::new_no_header(packed, &options, has_end_marker).expect("options");
    encoder.write_all(bytes).expect("memory");
    Entry {
        packed: encoder.finish().expect("memory"),
        method: 14,
        flags: 1 << 11 | u16::from(has_end_marker) << 1,
        version_needed: 63,
        ..Entry::stored(name, bytes)
    }
}
