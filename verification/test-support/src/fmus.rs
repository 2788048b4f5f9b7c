//! Test FMUs: archives written entry by entry, libraries compiled from C.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use tempfile::TempDir;

use crate::zip::{Entry, archive};

/// The description of the oscillator, which breaks no rule.
pub const DESCRIPTION: &str = include_str!("../fmus/oscillator.xml");

/// An FMU in a folder that goes with it.
pub struct TestFmu {
    pub folder: TempDir,
    pub path: PathBuf,
}

/// The oscillator as it should be.
pub fn oscillator() -> TestFmu {
    Recipe::default().build()
}

/// The oscillator with one of the faults of `oscillator.c`.
pub fn faulty(fault: &str) -> TestFmu {
    Recipe {
        flags: vec![format!("-DFAULT_{fault}")],
        ..Default::default()
    }
    .build()
}

/// How a test FMU is made.
pub struct Recipe {
    pub description: String,
    pub flags: Vec<String>,
    pub library: String,
    pub more: Vec<Entry>,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            description: DESCRIPTION.into(),
            flags: Vec::new(),
            library: format!("binaries/{}/oscillator.so", fmu_importer::platform_folders()[0]),
            more: Vec::new(),
        }
    }
}

impl Recipe {
    pub fn build(self) -> TestFmu {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let library = compiled("oscillator", &self.flags);
        let mut entries = vec![
            Entry::new("modelDescription.xml", self.description.as_bytes()),
            Entry::new(&self.library, &library),
        ];
        entries.extend(self.more);
        let path = folder.path().join("oscillator.fmu");
        std::fs::write(&path, archive(&entries)).expect("the archive is written");
        TestFmu { folder, path }
    }
}

/// The library of a model in the folder of sources, with these flags; each is compiled once.
pub(crate) fn compiled(model: &str, flags: &[String]) -> Vec<u8> {
    type Key = (String, Vec<String>);
    type Cache = Mutex<HashMap<Key, Arc<OnceLock<Vec<u8>>>>>;
    static CACHE: LazyLock<Cache> = LazyLock::new(Mutex::default);
    let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    let library = cache.entry((model.into(), flags.into())).or_default().clone();
    drop(cache);
    let compile = || {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let source = Path::new(SOURCES).join(format!("{model}.c"));
        let libraries = match model {
            "oscillator" => &OF_OSCILLATOR[..],
            _ => &["-lm"],
        };
        std::fs::read(compile_file(folder.path(), &source, flags, libraries)).expect("the library")
    };
    library.get_or_init(compile).clone()
}

/// The folder of the C sources.
const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fmus");

/// What the faults of the oscillator need: it throws an exception of C++ and starts threads.
const OF_OSCILLATOR: [&str; 3] = ["-lm", "-lstdc++", "-lpthread"];

/// Compiles a library from text.
pub fn compile_source(folder: &Path, text: &str) -> PathBuf {
    let source = folder.join("model.c");
    std::fs::write(&source, text).expect("the source is written");
    compile_file(folder, &source, &[], &OF_OSCILLATOR)
}

fn compile_file(folder: &Path, source: &Path, flags: &[String], libraries: &[&str]) -> PathBuf {
    let library = folder.join("model.so");
    let output = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-w", "-o"])
        .arg(&library)
        .args(flags)
        .arg("-I")
        .arg(SOURCES)
        .arg(source)
        .args(libraries)
        .output()
        .expect("a C compiler named cc");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    library
}

/// An archive with these entries as a file.
pub fn write_archive(entries: &[Entry]) -> TestFmu {
    write_bytes(&archive(entries))
}

/// Bytes as a file.
pub fn write_bytes(bytes: &[u8]) -> TestFmu {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("test.fmu");
    std::fs::write(&path, bytes).expect("the archive is written");
    TestFmu { folder, path }
}
