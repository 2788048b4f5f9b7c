//! A large model: the HeatRod example with ten times its cells, described, packaged and run on a small stack.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::{Figure, package};
use crate::chore::{Error, Place, Result, file};
use crate::driver::Driver;
use crate::python::Python;

/// Cells; each has a state and a derivative.
const CELLS: usize = 10_000;

/// Packages a crate made for the purpose, which exports `HeatRod<10000>` of the example.
pub fn measure(place: &Place, _smoke: bool) -> Result<Vec<Figure>> {
    let folder = lay_out(place)?;
    let target = place.target.join("bench/heat-rod-target");
    let out = place.target.join("bench/fmu");
    // The dependencies are built for the one-thousand-cell example as for any other model; what is asked is
    // how the time grows with the number of variables. So: once for the dependencies, then the crate anew.
    package(&folder, "heat-rod-large", &out, Some(&target))?;
    let source = folder.join("src/lib.rs");
    let text = std::fs::read(&source).map_err(file(&source, "cannot be read"))?;
    std::fs::write(&source, text).map_err(file(&source, "cannot be written"))?;
    let begin = Instant::now();
    package(&folder, "heat-rod-large", &out, Some(&target))?;
    let compiled = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let fmu = package(&folder, "heat-rod-large", &out, Some(&target))?;
    let described = begin.elapsed().as_secs_f64();
    let bytes = std::fs::metadata(&fmu)
        .map_err(file(&fmu, "cannot be read"))?
        .len();

    let driver = Driver::build(place, &Python::ensure(place)?.fmi_headers()?)?;
    let tally = driver.run_only(&fmu, Some("18 small stack"))?;
    if tally.failed > 0 || tally.passed == 0 {
        return Err(Error::Tests {
            passed: tally.passed,
            failed: tally.failed,
        });
    }
    println!("runs in a thread with a stack of 2 MiB");
    Ok(vec![
        Figure::new(format!("HeatRod<{CELLS}>: described, packaged"), described, "s").at_most(20.0),
        Figure::new(
            format!("HeatRod<{CELLS}>: compiled, described, packaged"),
            compiled,
            "s",
        ),
        Figure::new(
            format!("HeatRod<{CELLS}>: size of the FMU"),
            bytes as f64 / 1000.0,
            "KB",
        ),
    ])
}

fn lay_out(place: &Place) -> Result<PathBuf> {
    let folder = place.folder("bench/heat-rod-large")?;
    place.folder("bench/heat-rod-large/src")?;
    let root = place.root.to_string_lossy();
    let manifest = format!(
        r#"[package]
name = "heat-rod-large"
version = "0.1.0"
edition = "2024"
license = "MIT OR Apache-2.0"

[workspace]

[package.metadata.fmu]

[dependencies]
fmu-runtime = {{ path = "{root}/fmu-runtime" }}
heat-rod = {{ path = "{root}/examples/heat-rod" }}
"#
    );
    let library = format!(
        "//! The heat rod with {CELLS} cells.\n\nuse fmu_runtime::prelude::*;\nuse heat_rod::HeatRod;\n\nexport_fmu!(HeatRod<{CELLS}>);\n"
    );
    write(&folder.join("Cargo.toml"), &manifest)?;
    write(&folder.join("src/lib.rs"), &library)?;
    // The versions that the workspace uses, so that nothing needs to be asked of a registry.
    let lock =
        std::fs::read(place.root.join("Cargo.lock")).map_err(file(&place.root, "has no Cargo.lock"))?;
    let path = folder.join("Cargo.lock");
    std::fs::write(&path, lock).map_err(file(&path, "cannot be written"))?;
    Ok(folder)
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(file(path, "cannot be written"))
}
