//! Any bytes as an archive.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| test_support::targets::archive(bytes));
