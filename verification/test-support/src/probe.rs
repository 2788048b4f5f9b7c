//! The FMU that behaves as other tools' FMUs do (`fmus/probe.c`), in all its variants.

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

/// The library with these macros.
fn compiled(macros: &[&str]) -> Vec<u8> {
    let flags: Vec<String> = macros.iter().map(|name| format!("-D{name}")).collect();
    crate::fmus::compiled("probe", &flags)
}
