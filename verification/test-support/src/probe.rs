//! The FMU that behaves as other tools' FMUs do (`fmus/probe.c`), in all its variants.

use std::collections::HashMap;
use std::process::Command;
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::fmus::SOURCES;
use crate::zip::{Entry, archive};

const DESCRIPTION: &str = include_str!("../fmus/probe.xml");

/// A variant of the FMU.
#[derive(Clone, Copy)]
pub struct Probe<'a> {
    /// Whether it declares `canGetAndSetFMUstate`.
    pub snapshots: bool,
    /// Whether it declares `canHandleVariableCommunicationStepSize`.
    pub variable: bool,
    /// Whether it looks as if it was made by this workspace.
    pub own: bool,
    /// What is special about it: macros of `probe.c`.
    pub flags: &'a [&'a str],
}

impl Default for Probe<'_> {
    fn default() -> Self {
        Probe {
            snapshots: true,
            variable: true,
            own: false,
            flags: &[],
        }
    }
}

impl Probe<'_> {
    /// The bytes of the FMU.
    pub fn fmu(&self) -> Vec<u8> {
        let capabilities = format!(
            "canGetAndSetFMUstate=\"{}\" canHandleVariableCommunicationStepSize=\"{}\"",
            self.snapshots, self.variable
        );
        let tool = if self.own { "fmu-runtime" } else { "another tool" };
        let description = DESCRIPTION
            .replace("CAPABILITIES", &capabilities)
            .replace("MADE_BY", tool);
        let library = format!(
            "binaries/{}/probe{}",
            fmu_importer::platform_folders()[0],
            std::env::consts::DLL_SUFFIX
        );
        archive(&[
            Entry::new("modelDescription.xml", description.as_bytes()),
            Entry::new(&library, &compiled(self.flags)),
        ])
    }
}

/// The library with these macros; each is compiled once.
fn compiled(flags: &[&str]) -> Vec<u8> {
    static CACHE: LazyLock<Mutex<HashMap<String, Vec<u8>>>> = LazyLock::new(Mutex::default);
    let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    let compile = || {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let library = folder.path().join("probe.so");
        let output = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-w", "-o"])
            .arg(&library)
            .args(flags.iter().map(|flag| format!("-D{flag}")))
            .arg(format!("-I{SOURCES}"))
            .arg(format!("{SOURCES}/probe.c"))
            .arg("-lm")
            .output()
            .expect("a C compiler named cc");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        std::fs::read(library).expect("the library")
    };
    cache.entry(flags.join(" ")).or_insert_with(compile).clone()
}
