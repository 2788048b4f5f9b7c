//! Any bytes as a `modelDescription.xml`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| test_support::targets::description(bytes));
