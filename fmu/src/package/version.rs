//! Which versions of FMI an FMU is packaged for.

use std::fmt;

use fmu_standard::extension;

/// A version of FMI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// FMI 2.0.
    #[default]
    Two,
    /// FMI 3.0.
    Three,
}

impl Version {
    /// The function of a library that describes its model.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Version::Two => extension::DESCRIBE,
            Version::Three => extension::DESCRIBE_3,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Version::Two => "FMI 2.0",
            Version::Three => "FMI 3.0",
        })
    }
}

/// The versions of FMI that one library offers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Versions {
    /// FMI 2.0 alone.
    #[default]
    Two,
    /// FMI 3.0 alone.
    Three,
    /// Both, with one FMU for each.
    Both,
}

impl Versions {
    /// What `--fmi` and `fmi` in `[package.metadata.fmu]` may say.
    pub const WORDS: [&str; 3] = ["2", "3", "both"];

    /// The versions that a word stands for.
    ///
    /// ```
    /// use fmu::package::Versions;
    ///
    /// assert_eq!(Versions::of("both"), Some(Versions::Both));
    /// assert_eq!(Versions::of("1"), None);
    /// ```
    pub fn of(word: &str) -> Option<Versions> {
        match word {
            "2" => Some(Versions::Two),
            "3" => Some(Versions::Three),
            "both" => Some(Versions::Both),
            _ => None,
        }
    }

    /// The single versions.
    pub fn each(self) -> &'static [Version] {
        match self {
            Versions::Two => &[Version::Two],
            Versions::Three => &[Version::Three],
            Versions::Both => &[Version::Two, Version::Three],
        }
    }

    /// The word that the library is built with; `export_fmu!` takes FMI 2.0 without one.
    pub(crate) fn flag(self) -> Option<&'static str> {
        match self {
            Versions::Two => None,
            Versions::Three => Some("3"),
            Versions::Both => Some("both"),
        }
    }

    /// The name of an FMU. Two FMUs of one model have two names.
    pub(crate) fn file_name(self, version: Version, model: &str) -> String {
        match (self, version) {
            (Versions::Both, Version::Three) => format!("{model}.fmi3.fmu"),
            _ => format!("{model}.fmu"),
        }
    }
}

/// How arrays are described where FMI 3.0 has arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrays {
    /// An array is one variable with dimensions.
    #[default]
    Whole,
    /// Every element is a variable, for hosts without arrays.
    Scalar,
}
