//! The FMUs of all systems, packaged where their sources are newer than they are.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use fmu::package::{Build, Console, Options};

/// The crates, and what their libraries are made of beside them.
const CRATES: [(&str, &[&str]); 10] = [
    ("quarter-car", &["Wheel", "Chassis"]),
    ("small", &["FirstOrder", "Gain", "Integrator"]),
    (
        "petridis",
        &[
            "LinearRow",
            "RightHandSide",
            "Sum",
            "Defect",
            "VaryingResistor",
            "Node",
            "SourceResistor",
            "ResistorCapacitor",
            "Exponential",
            "BilinearRow",
            "Room",
            "Thermostat",
            "Retarded",
        ],
    ),
    (
        "andersson",
        &[
            "UpperPendulum",
            "LowerPendulum",
            "LeftMass",
            "RightMass",
            "Quotient",
            "Model1",
            "Model2",
            "Model3",
            "Model4",
            "Model5",
        ],
    ),
    ("smoothing", &["Driven", "Feeding"]),
    ("hydraulics", &["Line", "TwoLines"]),
    ("race-car", &["RaceChassis", "RaceWheel"]),
    ("pendula", &["CartesianPendulum", "PolarPendulum"]),
    ("rod", &["RodSegment"]),
    ("impacts", &["Woodpecker", "BlockedPendulum"]),
];
const SHARED: [&str; 4] = [
    "standard/src",
    "numerics/src",
    "fmu-macros/src",
    "fmu-runtime/src",
];

/// Packages what is not there yet, without optimization across crates; answers the folder.
pub fn package(root: &Path, out: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let shared = newest(SHARED.iter().map(|folder| root.join(folder)))?;
    let mut wanted = Vec::new();
    for (name, models) in CRATES {
        let folder = ["examples/systems", "examples"].map(|folder| root.join(folder).join(name).join("src"));
        let folder = folder.into_iter().find(|folder| folder.is_dir());
        let sources = shared.max(newest(folder)?);
        let fresh = |model: &str| {
            let made = std::fs::metadata(out.join(format!("{model}.fmu"))).and_then(|file| file.modified());
            made.is_ok_and(|made| made > sources)
        };
        let stale = models.iter().filter(|model| !fresh(model));
        wanted.extend(stale.map(|model| format!("{name}:{model}")));
    }
    if !wanted.is_empty() {
        let options = Options {
            crates: wanted,
            out: Some(out.to_owned()),
            build: Build::Quick,
            ..Options::default()
        };
        fmu::package::package(root, &options, &mut Console::new())?;
    }
    Ok(out.to_owned())
}

/// When the newest file under some folders was changed.
fn newest(folders: impl IntoIterator<Item = PathBuf>) -> Result<SystemTime, std::io::Error> {
    let mut newest = SystemTime::UNIX_EPOCH;
    let mut left: Vec<PathBuf> = folders.into_iter().collect();
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            let about = entry.metadata()?;
            match about.is_dir() {
                true => left.push(entry.path()),
                false => newest = newest.max(about.modified()?),
            }
        }
    }
    Ok(newest)
}
