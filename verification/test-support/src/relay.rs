//! Systems of a small FMU that passes everything on, written by the tests themselves.

use std::path::PathBuf;

use fmu_master::{System, SystemError};
use tempfile::TempDir;

use crate::fmus::compiled;
use crate::zip::{Entry, archive};

pub const DESCRIPTION: &str = include_str!("../fmus/relay.xml");
const BALL: &str = include_str!("../fmus/ball.xml");
const FILLER: &str = include_str!("../fmus/filler.xml");
const DISCRETE: &str = include_str!("../fmus/discrete.xml");

/// The bytes of the FMU, whose input and output have these units.
pub fn relay(unit_in: &str, unit_out: &str) -> Vec<u8> {
    let unit = |name: &str| match name {
        "" => String::new(),
        name => format!("unit=\"{name}\""),
    };
    let description = DESCRIPTION
        .replace("UNIT_IN", &unit(unit_in))
        .replace("UNIT_OUT", &unit(unit_out));
    packed(&description)
}

/// The library with any description.
pub fn packed(description: &str) -> Vec<u8> {
    with_library(description, "relay", &compiled("relay", &[]))
}

/// The bytes of an FMU for Model Exchange alone, in discrete time.
pub fn discrete() -> Vec<u8> {
    with_library(DISCRETE, "discrete", &compiled("discrete", &[]))
}

/// The bytes of a bouncing ball for Model Exchange alone, whose description is changed by `edit`.
pub fn ball(edit: impl Fn(&str) -> String) -> Vec<u8> {
    with_library(&edit(BALL), "ball", &compiled("ball", &[]))
}

/// The bytes of a vessel with a step event and changing nominal values, for Model Exchange alone.
pub fn filler() -> Vec<u8> {
    with_library(FILLER, "filler", &compiled("filler", &[]))
}

fn with_library(description: &str, identifier: &str, bytes: &[u8]) -> Vec<u8> {
    let (platform, suffix) = (fmu_importer::platform_folders()[0], std::env::consts::DLL_SUFFIX);
    archive(&[
        Entry::new("modelDescription.xml", description.as_bytes()),
        Entry::new(&format!("binaries/{platform}/{identifier}{suffix}"), bytes),
    ])
}

/// A folder with files of a test.
pub struct Folder(TempDir);

impl Default for Folder {
    fn default() -> Folder {
        Folder::new()
    }
}

impl Folder {
    /// With the FMU as `relay.fmu`.
    pub fn new() -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a temporary folder"));
        folder.write("relay.fmu", &relay("", ""));
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is made");
        std::fs::write(&path, bytes).expect("a file is written");
        path
    }

    /// Opens and assembles a system file with this text.
    pub fn system(&self, text: &str) -> Result<fmu_master::system::Assembled, SystemError> {
        System::open(self.write("system.toml", text.as_bytes()))?.assemble()
    }

    /// What is wrong with a system file: `line 3: the sentence`.
    pub fn refusal(&self, text: &str) -> String {
        match self.system(text) {
            Ok(_) => "nothing".to_owned(),
            Err(error) => self.plain(&error.to_string()),
        }
    }

    /// A message without the path of the system file.
    pub fn plain(&self, message: &str) -> String {
        let folder = format!("{}/", self.0.path().display());
        let message = message.replace(&folder, "");
        match message.strip_prefix("system.toml, ") {
            Some(rest) => rest.to_owned(),
            None => message,
        }
    }
}

/// Runs a system to its end, and returns all rows, with numbers where values are numbers.
pub fn run(assembled: &mut fmu_master::system::Assembled) -> fmu_results::table::Results {
    let mut results = fmu_results::table::Results::default();
    let end = assembled.run(&mut results, |_| true);
    assert_eq!(end.expect("it runs"), fmu_master::End::Reached);
    results
}

/// The last value of a recorded variable.
pub fn last(results: &fmu_results::table::Results, name: &str) -> f64 {
    let values = results.numbers(name);
    *values
        .and_then(<[f64]>::last)
        .unwrap_or_else(|| panic!("{name} is recorded"))
}
