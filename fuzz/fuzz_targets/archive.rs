//! Any bytes as an archive: read, judged, unpacked to memory.

#![no_main]

use std::io::Cursor;

use importer::archive::{Archive, Limits};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits {
        entries: 1000,
        bytes: 16 << 20,
        ..Default::default()
    };
    let Ok(mut archive) = Archive::read(Cursor::new(bytes), limits.entries) else {
        return;
    };
    let _ = archive.problems();
    if archive.accept(&limits).is_err() {
        return;
    }
    for position in 0..archive.entries().len() {
        let _ = archive.bytes(position, limits.bytes);
    }
});
