//! Libraries of macOS, whose bytes are written here by hand after the description of the format: for one processor, and for two
//! in one file.

use fmu_standard::object::LibraryFacts;

const X86_64: u32 = 0x0100_0007;
const ARM64: u32 = 0x0100_000c;

/// The tree of exported names: a root with one edge per name.
fn export_trie(names: &[&str]) -> Vec<u8> {
    let edges: usize = names.iter().map(|name| name.len() + 2).sum();
    let root = 2 + edges;
    let mut bytes = vec![0, names.len() as u8];
    for (position, name) in names.iter().enumerate() {
        bytes.extend(name.bytes());
        bytes.push(0);
        // Each leaf has four bytes: its size, flags, address, no children.
        let offset = root + 4 * position;
        assert!(offset < 128, "an offset of one byte");
        bytes.push(offset as u8);
    }
    for position in 0..names.len() {
        bytes.extend([2, 0, 16 + position as u8, 0]);
    }
    bytes
}

/// A library for one processor that exports some symbols and needs one library.
fn library(processor: u32, symbols: &[&str], needed: &str) -> Vec<u8> {
    let words = |words: &[u32]| {
        words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect::<Vec<u8>>()
    };
    let text = (needed.len() + 1).next_multiple_of(8);
    let (load, exports) = (24 + text as u32, 16);
    let trie = export_trie(symbols);

    let mut bytes = words(&[0xfeed_facf, processor, 0, 6, 2, load + exports, 0, 0]);
    // LC_LOAD_DYLIB: its name begins 24 bytes after the command.
    bytes.extend(words(&[0xc, load, 24, 0, 0, 0]));
    bytes.extend(needed.bytes());
    bytes.resize(32 + load as usize, 0);
    // LC_DYLD_EXPORTS_TRIE
    bytes.extend(words(&[
        0x8000_0033,
        exports,
        32 + load + exports,
        trie.len() as u32,
    ]));
    bytes.extend(trie);
    bytes
}

/// Libraries for several processors in one file.
fn fat(libraries: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let words = |words: &[u32]| {
        words
            .iter()
            .flat_map(|word| word.to_be_bytes())
            .collect::<Vec<u8>>()
    };
    let mut bytes = words(&[0xcafe_babe, libraries.len() as u32]);
    let mut offset = 4096;
    for (processor, library) in libraries {
        bytes.extend(words(&[*processor, 0, offset, library.len() as u32, 12]));
        offset += (library.len() as u32).next_multiple_of(4096);
    }
    for (_, library) in libraries {
        bytes.resize(bytes.len().next_multiple_of(4096), 0);
        bytes.extend(library);
    }
    bytes
}

const SYSTEM: &str = "/usr/lib/libSystem.B.dylib";

#[test]
fn names_lose_the_underscore_of_the_format() {
    let bytes = library(ARM64, &["_fmi2Instantiate", "_fmi2DoStep"], SYSTEM);
    let facts = LibraryFacts::read_whole("binaries/aarch64-darwin/Ball.dylib", &bytes).unwrap();
    assert_eq!(facts.machines, ["aarch64-darwin"]);
    assert!(
        facts.exports.iter().eq(["fmi2DoStep", "fmi2Instantiate"]),
        "{facts:?}"
    );
    assert_eq!(facts.needed, [SYSTEM]);
}

#[test]
fn a_file_for_two_processors_exports_what_both_export() {
    let intel = library(X86_64, &["_fmi2DoStep", "_fmi2Terminate"], SYSTEM);
    let arm = library(ARM64, &["_fmi2DoStep", "_fmi2Reset"], "/usr/lib/libobjc.A.dylib");
    let bytes = fat(&[(X86_64, intel), (ARM64, arm)]);
    let facts = LibraryFacts::read_whole("binaries/darwin64/Ball.dylib", &bytes).unwrap();
    assert_eq!(facts.machines, ["x86_64-darwin", "aarch64-darwin"]);
    assert!(facts.exports.iter().eq(["fmi2DoStep"]), "{facts:?}");
    assert_eq!(facts.needed, [SYSTEM, "/usr/lib/libobjc.A.dylib"]);
}

#[test]
fn a_damaged_file_for_two_processors_is_a_sentence() {
    let library = library(X86_64, &["_fmi2DoStep"], SYSTEM);
    let mut bytes = fat(&[(X86_64, library)]);
    bytes.truncate(4100);
    let error = LibraryFacts::read_whole("binaries/darwin64/Ball.dylib", &bytes).unwrap_err();
    assert!(!error.is_empty());
}
