//! The C driver of `verification/conformance/driver`: built with the C compiler against the standard's own headers, and run on
//! an unpacked FMU.

use std::path::{Path, PathBuf};
use std::process::Command;

use fmu_standard::description::ModelDescription;
use fmu_standard::platform;

use crate::chore::{Error, Place, Result, Tally, file, run_quiet, run_shown};
use crate::facts;
use crate::test::{Session, by_closing_lines};

/// What to do when there is no C compiler.
pub const COMPILER: &str =
    "install a C compiler (Debian, Ubuntu: `apt-get install gcc libc6-dev`); only the tests need it";

/// The compiled driver.
#[derive(Debug)]
pub struct Driver {
    program: PathBuf,
    work: PathBuf,
}

impl Driver {
    /// Compiles the driver.
    pub fn build(place: &Place, headers: &Path) -> Result<Driver> {
        let work = place.folder("conformance")?;
        let program = work.join("driver");
        let sources = place.root.join("verification/conformance/driver");
        let mut files = c_files(&sources)?;
        files.sort();
        run_quiet(
            "compiling the C driver",
            Command::new("cc")
                .args(["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-I"])
                .arg(headers)
                .args(files)
                .arg("-o")
                .arg(&program)
                .args(["-ldl", "-lm", "-lpthread"]),
            COMPILER,
        )?;
        Ok(Driver { program, work })
    }

    /// Unpacks FMUs and writes their facts.
    pub fn prepare(&self, fmus: &[PathBuf]) -> Result<()> {
        for fmu in fmus {
            let (folder, facts) = self.unpacked(fmu);
            unpack(fmu, &folder)?;
            std::fs::write(&facts, describe(&folder)?).map_err(file(&facts, "cannot be written"))?;
        }
        Ok(())
    }

    /// Takes FMUs through all tests.
    pub fn run(&self, session: &Session<'_>) -> Result<Tally> {
        self.prepare(session.fmus)?;
        let mut checks = Vec::new();
        for fmu in session.fmus {
            let (_, facts) = self.unpacked(fmu);
            let inputs = session.inputs(&[], std::slice::from_ref(fmu))?;
            let mut check = session.check("c-interface", fmu, inputs, self.command(&facts, None));
            check.title = fmu.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            checks.push(check);
        }
        session.passed.run(checks, COMPILER, by_closing_lines)
    }

    /// Takes one FMU through the tests whose name contains a text.
    pub fn run_only(&self, fmu: &Path, part_of_name: Option<&str>) -> Result<Tally> {
        self.prepare(&[fmu.to_owned()])?;
        let (_, facts) = self.unpacked(fmu);
        let (status, lines) = run_shown(&mut self.command(&facts, part_of_name), COMPILER)?;
        Ok(Tally::of(&lines, status.success()))
    }

    /// The folder that an FMU is unpacked to, and the file with its facts.
    pub fn unpacked(&self, fmu: &Path) -> (PathBuf, PathBuf) {
        let place = self.work.join(fmu.file_stem().unwrap_or_default());
        // A space and a letter outside ASCII, so that the resource location cannot be used as a plain path.
        (place.join("unpacked hére"), place.join("facts.txt"))
    }

    fn command(&self, facts: &Path, part_of_name: Option<&str>) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(facts).args(part_of_name);
        command
    }

    /// The same for facts that are written already, without showing anything.
    pub fn run_facts_quietly(&self, facts: &Path, part_of_name: Option<&str>) -> Result<Tally> {
        let output = self
            .command(facts, part_of_name)
            .output()
            .map_err(|source| Error::Start {
                program: self.program.display().to_string(),
                source,
            })?;
        let lines: Vec<String> = String::from_utf8_lossy(&output.stdout)
            .lines()
            .map(str::to_owned)
            .collect();
        Ok(Tally::of(&lines, output.status.success()))
    }
}

/// The C files in a folder.
pub fn c_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(file(folder, "cannot be read"))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(file(folder, "cannot be read"))?.path();
        if path.extension().is_some_and(|extension| extension == "c") {
            files.push(path);
        }
    }
    Ok(files)
}

/// Unpacks an FMU into a folder that is new.
pub fn unpack(fmu: &Path, folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(file(folder, "cannot be removed"))?;
    }
    let archive = std::fs::File::open(fmu).map_err(file(fmu, "cannot be opened"))?;
    zip::ZipArchive::new(archive)
        .and_then(|mut archive| archive.extract(folder))
        .map_err(|source| Error::Archive {
            path: fmu.to_owned(),
            source,
        })
}

/// The library of this machine's platform in an unpacked FMU.
pub fn library(folder: &Path, identifier: &str) -> PathBuf {
    let (binaries, name) = (folder.join("binaries"), platform::library_name(identifier));
    let folders = platform::platform_folders().iter();
    let mut libraries = folders.map(|folder| binaries.join(folder).join(&name));
    libraries
        .find(|library| library.is_file())
        .unwrap_or_else(|| binaries.join(&name))
}

/// The model description of an unpacked FMU.
pub fn read_description(folder: &Path) -> Result<ModelDescription> {
    let path = folder.join("modelDescription.xml");
    let xml = std::fs::read_to_string(&path).map_err(file(&path, "cannot be read"))?;
    fmu_standard::xml::read(&xml).map_err(|error| Error::Description {
        path,
        detail: error.to_string(),
    })
}

fn describe(folder: &Path) -> Result<String> {
    let description = read_description(folder)?;
    let interface = description
        .model_exchange
        .as_ref()
        .map(|interface| &interface.interface)
        .or(description
            .co_simulation
            .as_ref()
            .map(|interface| &interface.interface));
    let identifier = interface.map_or("", |interface| &interface.model_identifier);
    let resources = folder.join("resources");
    let reads_resources = std::fs::read_dir(&resources).is_ok_and(|mut entries| entries.next().is_some());
    std::fs::create_dir_all(&resources).map_err(file(&resources, "cannot be made"))?;
    Ok(facts::write(
        &description,
        &library(folder, identifier),
        &resources,
        reads_resources,
    ))
}
