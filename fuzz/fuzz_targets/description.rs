//! Any bytes as a `modelDescription.xml`: read, checked, and what could be read written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = importer::check::check_description(bytes);
    if let Ok(description) = fmi::xml::read(bytes) {
        let _ = fmi::xml::read(fmi::xml::write(&description));
    }
});
