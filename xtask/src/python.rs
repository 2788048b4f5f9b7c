//! The Python virtual environment under `target/python`, with the packages of `xtask/python/requirements.txt`; and one with CasADi, for
//! its campaign.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::chore::{Error, Place, Result, file, run_quiet};

const PYTHON: &str = "install Python 3.10 or newer (Debian, Ubuntu: `apt-get install python3 python3-venv`)";

/// A virtual environment that is ready.
#[derive(Debug)]
pub struct Python {
    interpreter: PathBuf,
    made_from: String,
}

impl Python {
    /// Makes the environment, or takes the one that is there if it was made from the same list of packages.
    pub fn ensure(place: &Place) -> Result<Python> {
        Python::made_of(place, "python", "requirements.txt")
    }

    /// The environment with CasADi, which is large.
    pub fn with_casadi(place: &Place) -> Result<Python> {
        Python::made_of(place, "python-casadi", "casadi.txt")
    }

    /// The environment in a folder of the target folder, made from a list of packages.
    fn made_of(place: &Place, folder: &str, list: &str) -> Result<Python> {
        let list = place.root.join("xtask/python").join(list);
        let wanted = std::fs::read_to_string(&list).map_err(file(&list, "cannot be read"))?;
        let version = run_quiet(
            "python3 --version",
            Command::new("python3").arg("--version"),
            PYTHON,
        )?;
        let stamp = format!("{version}{wanted}");

        let folder = place.target.join(folder);
        let stamp_file = folder.join("made-from.txt");
        let python = Python {
            interpreter: folder.join("bin/python"),
            made_from: stamp.clone(),
        };
        if std::fs::read_to_string(&stamp_file).is_ok_and(|made_from| made_from == stamp) {
            return Ok(python);
        }
        println!("making a Python environment in {} (once)", folder.display());
        run_quiet(
            "making a virtual environment",
            Command::new("python3")
                .args(["-m", "venv", "--clear"])
                .arg(&folder),
            PYTHON,
        )
        .map_err(without_venv)?;
        run_quiet(
            "installing Python packages",
            python
                .command()
                .args([
                    "-m",
                    "pip",
                    "install",
                    "--quiet",
                    "--no-deps",
                    "--disable-pip-version-check",
                    "-r",
                ])
                .arg(&list),
            PYTHON,
        )?;
        std::fs::write(&stamp_file, stamp).map_err(file(&stamp_file, "cannot be written"))?;
        Ok(python)
    }

    /// The version of Python and the list of packages.
    pub fn made_from(&self) -> &str {
        &self.made_from
    }

    /// A command that begins with the environment's interpreter.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.interpreter);
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }

    /// The folder with the standard's own C headers, which FMPy carries.
    pub fn fmi_headers(&self) -> Result<PathBuf> {
        let script = "import fmpy, os; print(os.path.join(os.path.dirname(fmpy.__file__), 'c-code'))";
        let printed = run_quiet(
            "looking for the headers of FMI",
            self.command().args(["-c", script]),
            PYTHON,
        )?;
        let folder = Path::new(printed.trim()).to_owned();
        let header = folder.join("fmi2Functions.h");
        match header.metadata() {
            Ok(_) => Ok(folder),
            Err(source) => Err(file(&header, "FMPy should have brought it")(source)),
        }
    }
}

/// Debian splits `venv` off from Python, and what it says then is long.
fn without_venv(error: Error) -> Error {
    match error {
        Error::Failed { detail, .. } if detail.contains("ensurepip") => Error::Missing {
            program: "python3 -m venv".to_owned(),
            remedy: "install it (Debian, Ubuntu: `apt-get install python3-venv`)",
        },
        other => other,
    }
}
