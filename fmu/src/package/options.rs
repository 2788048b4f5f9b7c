//! What to package, and how.

use std::path::PathBuf;

use super::{Arrays, Versions};

/// How libraries are built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Build {
    /// Small, fast, and the same bytes everywhere: what is given away.
    #[default]
    Release,
    /// Optimized, but not across crates: built in a third of the time.
    Quick,
    /// Without optimization, with debug information.
    Debug,
}

impl Build {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Build::Release => "release",
            Build::Quick => "quick",
            Build::Debug => "debug",
        }
    }
}

/// What to package, and how.
///
/// ```
/// use fmu::package::{Build, Options};
///
/// let options = Options::of(["heat-pump"]).with_build(Build::Quick).with_out("fmus");
/// assert_eq!(options.crates, ["heat-pump"]);
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// The crates, by name, or `crate:Model` for one of its models; if empty, all that have `[package.metadata.fmu]`.
    pub crates: Vec<String>,
    /// The folder that the FMUs go to; `fmu` in cargo's target folder if absent.
    pub out: Option<PathBuf>,
    /// How the libraries are built.
    pub build: Build,
    /// Platforms by their names of FMI 2.0 or FMI 3.0, or `all` for those that this machine can build; this machine's if these
    /// and the targets are empty.
    pub platforms: Vec<String>,
    /// Rust targets.
    pub targets: Vec<String>,
    /// The versions of FMI; if absent, what `fmi` in `[package.metadata.fmu]` says, or FMI 2.0.
    pub fmi: Option<Versions>,
    /// How FMI 3.0 describes arrays.
    pub arrays: Arrays,
    /// The date to write into the FMUs, in seconds since 1970.
    pub date: Option<i64>,
}

impl Options {
    /// Packages these crates, or `crate:Model` for one model of a crate.
    pub fn of(crates: impl IntoIterator<Item = impl Into<String>>) -> Options {
        Options {
            crates: crates.into_iter().map(Into::into).collect(),
            ..Options::default()
        }
    }

    /// With another build.
    #[must_use]
    pub fn with_build(mut self, build: Build) -> Options {
        self.build = build;
        self
    }

    /// With libraries for these platforms, such as `win64`.
    #[must_use]
    pub fn with_platforms(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Options {
        self.platforms = names.into_iter().map(Into::into).collect();
        self
    }

    /// With a folder that the FMUs go to.
    #[must_use]
    pub fn with_out(mut self, out: impl Into<PathBuf>) -> Options {
        self.out = Some(out.into());
        self
    }
}
