//! What must survive any bytes: no panic, no hang, no memory beyond the limits.
//!
//! `verification/fuzz/` passes these functions to `cargo fuzz`. The tests of the importer call them with a limited number of
//! random inputs and a stable compiler.

use std::io::Cursor;

use fmu_importer::archive::{Archive, Limits};

/// An archive: read, judged, and unpacked to memory.
pub fn archive(bytes: &[u8]) {
    let limits = Limits::default().with_entries(100).with_bytes(1 << 20);
    let Ok(mut archive) = Archive::read(Cursor::new(bytes), limits.entries) else {
        return;
    };
    let _ = archive.problems();
    if archive.accept(&limits).is_err() {
        return;
    }
    let mut total = 0;
    for position in 0..archive.entries().len() {
        if let Ok(bytes) = archive.bytes(position, limits.bytes) {
            total += bytes.len() as u64;
        }
    }
    assert!(total <= limits.bytes, "{total} bytes beyond the limit");
}

/// A `modelDescription.xml`: checked, read, and what could be read written and read again.
pub fn description(bytes: &[u8]) {
    let _ = fmu_checker::check_description(bytes);
    if let Ok(description) = fmu_standard::xml::read(bytes) {
        let written = fmu_standard::xml::write(&description);
        let _ = fmu_standard::xml::read(written.as_bytes());
    }
}
