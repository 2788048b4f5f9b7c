//! The FMUs of all systems, packaged where their sources are newer than they are.

use std::error::Error;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use fmu::package::{Build, Console, Options};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// The crates, and what their libraries are made of beside them.
const CRATES: [(&str, &[&str]); 14] = [
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
    ("controller", &["Controller"]),
    ("dc-motor", &["DCMotor"]),
    ("stair", &["Stair"]),
    ("bouncing-ball", &["BouncingBall"]),
];
/// Crates that have one model, and are packaged by their own names.
const OF_ONE_MODEL: [&str; 4] = ["bouncing-ball", "controller", "dc-motor", "stair"];
const SHARED: [&str; 4] = [
    "standard/src",
    "numerics/src",
    "fmu-macros/src",
    "fmu-runtime/src",
];

/// Packages what is not there yet, without optimization across crates; returns the folder.
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
        wanted.extend(stale.map(|model| match OF_ONE_MODEL.contains(&name) {
            true => name.to_owned(),
            false => format!("{name}:{model}"),
        }));
    }
    if !wanted.is_empty() {
        let options = Options::of(wanted).with_build(Build::Quick).with_out(out);
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

/// Copies an FMU without its interface for Co-Simulation; returns the name of the copy.
pub fn without_co_simulation(fmus: &Path, name: &str) -> Result<String, Box<dyn Error>> {
    let copy = format!("{name}ModelExchange.fmu");
    let mut archive = ZipArchive::new(File::open(fmus.join(format!("{name}.fmu")))?)?;
    let mut written = ZipWriter::new(File::create(fmus.join(&copy))?);
    for number in 0..archive.len() {
        let mut entry = archive.by_index(number)?;
        if entry.name()? != "modelDescription.xml" {
            written.raw_copy_file(entry)?;
            continue;
        }
        let mut text = String::new();
        entry.read_to_string(&mut text)?;
        let begin = text.find("<CoSimulation").ok_or("it has no Co-Simulation")?;
        let tag = begin + text[begin..].find('>').ok_or("the tag does not end")? + 1;
        let end = match text[..tag].ends_with("/>") {
            true => tag,
            false => {
                let close = "</CoSimulation>";
                begin + text[begin..].find(close).ok_or("the element does not end")? + close.len()
            }
        };
        text.replace_range(begin..end, "");
        written.start_file("modelDescription.xml", SimpleFileOptions::default())?;
        written.write_all(text.as_bytes())?;
    }
    written.finish()?;
    Ok(copy)
}
