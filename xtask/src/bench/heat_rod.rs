//! A large model: the HeatRod example with ten times its cells, described, packaged and run on a small stack.

use std::time::Instant;

use super::{Figure, lay_out, package, package_with};
use crate::chore::{Error, Place, Result, file};
use crate::driver::{Driver, unpack};
use crate::python::Python;

/// Cells; each has a state and a derivative.
const CELLS: usize = 10_000;

/// Packages a crate made for the purpose, which exports `HeatRod<10000>` of the example.
pub fn measure(place: &Place, _smoke: bool) -> Result<Vec<Figure>> {
    let library = format!(
        "//! The heat rod with {CELLS} cells.\n\nuse fmu_runtime::prelude::*;\nuse heat_rod::HeatRod;\n\nexport_fmu!(HeatRod<{CELLS}>);\n"
    );
    let folder = lay_out(place, "heat-rod-large", &["heat-rod"], &library)?;
    let target = place.target.join("bench/heat-rod-target");
    let out = place.target.join("bench/fmu");
    // The dependencies are built for the one-thousand-cell example as for any other model; the question
    // is how the time grows with the number of variables. So the first build is for the dependencies, and the second one counts.
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
    // The same as FMI 3.0: arrays are one variable each.
    let version_3 = || package_with(&folder, "heat-rod-large", &["--fmi", "3"], &out, Some(&target));
    version_3()?;
    let begin = Instant::now();
    let fmu_3 = version_3()?;
    let described_3 = begin.elapsed().as_secs_f64();
    let unpacked = place.folder("bench/heat-rod-large-3")?;
    unpack(&fmu_3, &unpacked)?;
    let description = unpacked.join("modelDescription.xml");
    let length = std::fs::metadata(&description)
        .map_err(file(&description, "cannot be read"))?
        .len();
    Ok(vec![
        Figure::new(format!("HeatRod<{CELLS}>: described, packaged"), described, "s").at_most(20.0),
        Figure::new(
            format!("HeatRod<{CELLS}>: described, packaged as FMI 3.0"),
            described_3,
            "s",
        )
        .at_most(20.0),
        Figure::new(
            format!("HeatRod<{CELLS}>: description of FMI 3.0"),
            length as f64 / 1000.0,
            "KB",
        )
        .at_most(50.0),
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
