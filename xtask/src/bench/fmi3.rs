//! FMI 3.0: the loop of an integrator against `verification/benches/c/van_der_pol_3.c`, communication steps against FMI 2.0, adjoint
//! derivatives against one evaluation, sizes and build times. The loops are those of `verification/benches/c/host_3.c`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::cosim::DAHLQUIST;
use super::race::compile;
use super::{Figure, callgrind, lay_out, package, package_with};
use crate::chore::{Error, Place, Result, file, run_quiet};
use crate::driver::{COMPILER, library, read_description, unpack};
use crate::python::Python;

/// One output of many parameters, none of them linearly.
const HUNDRED: &str = "//! One output of a hundred parameters.

use fmu_runtime::prelude::*;

/// One output of a hundred parameters
#[model]
pub struct Hundred {
    /// What decays
    #[state(start = 0.5)]
    pub x: f64,
    /// Parameters
    #[parameter(start = 0.7)]
    pub p: [f64; 100],
    /// Sum of their saturated products with the state
    #[output]
    pub y: f64,
}

#[equations]
impl Model for Hundred {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> { y: self.p.iter().map(|p| p * (p * self.x).tanh()).sum() }
    }
}

export_fmu!(Hundred);
";

/// What `host_3.c` needs of an FMU.
struct Loaded {
    library: PathBuf,
    token: String,
}

/// All figures.
pub fn measure(place: &Place, smoke: bool) -> Result<Vec<Figure>> {
    let work = place.folder("bench")?;
    let headers = Python::ensure(place)?.fmi_headers()?;
    let sources = place.root.join("verification/benches/c");
    let host = work.join("host");
    let host_3 = work.join("host_3");
    compile(&headers, &["-O2"], &sources.join("host.c"), &host)?;
    compile(&headers, &["-O2"], &sources.join("host_3.c"), &host_3)?;
    let mut figures = derivatives(place, &headers, &host_3, smoke)?;
    figures.extend(steps(place, &host, &host_3)?);
    figures.extend(adjoints(place, &host_3)?);
    figures.extend(sizes(place, smoke)?);
    Ok(figures)
}

/// The loop of an integrator on Van der Pol against plain C.
fn derivatives(place: &Place, headers: &Path, host: &Path, smoke: bool) -> Result<Vec<Figure>> {
    let work = place.folder("bench")?;
    let plain_c = Loaded {
        library: work.join("van_der_pol_3.so"),
        token: "{c-baseline-van-der-pol-3}".to_owned(),
    };
    compile(
        headers,
        &["-O3", "-ffp-contract=off", "-shared", "-fPIC"],
        &place.root.join("verification/benches/c/van_der_pol_3.c"),
        &plain_c.library,
    )?;
    let ours = load(place, &place.root, "van-der-pol", "VanDerPol", None)?;
    let (processes, rounds) = if smoke { (1, "11") } else { (25, "301") };
    let mut ratios = (0..processes)
        .map(|_| race(host, rounds, &ours, &plain_c))
        .collect::<Result<Vec<f64>>>()?;
    ratios.sort_by(f64::total_cmp);
    let what = "VanDerPol, 3.0, one loop: ours / plain C";
    let mut figures = vec![Figure::new(what, ratios[ratios.len() / 2], "").at_most(1.15)];
    figures.extend(ratio(
        &format!("{what}, instructions"),
        (host, "derivatives", &ours),
        (host, "derivatives", &plain_c),
        (1000, 1.15),
    ));
    Ok(figures)
}

/// The ratio of the times of the first loop.
fn race(host: &Path, rounds: &str, ours: &Loaded, plain_c: &Loaded) -> Result<f64> {
    let printed = run_quiet(
        "racing the two FMUs",
        Command::new(host)
            .args(["derivatives", "race", rounds, "5000"])
            .arg(&ours.library)
            .arg(&ours.token)
            .arg(&plain_c.library)
            .arg(&plain_c.token),
        COMPILER,
    )?;
    let ratio = printed
        .split_whitespace()
        .nth(2)
        .and_then(|word| word.parse().ok());
    ratio.ok_or(Error::Failed {
        what: "reading the times".to_owned(),
        detail: printed,
    })
}

/// `fmi3DoStep` against `fmi2DoStep` of the same model.
fn steps(place: &Place, host: &Path, host_3: &Path) -> Result<Vec<Figure>> {
    let crate_name = "dahlquist-fixed";
    let fixed = lay_out(place, crate_name, &[], DAHLQUIST)?;
    let target = place.target.join("bench/dahlquist-target");
    let fixed = (&*fixed, crate_name, "DahlquistFixed", Some(&*target));
    let variable = (&*place.root, "van-der-pol", "VanDerPol", None);
    let mut figures = Vec::new();
    for (what, (directory, crate_name, model, target), step, loops) in [
        ("10 steps of Runge-Kutta", fixed, "0.1", 1000),
        ("1 step of Runge-Kutta", fixed, "0.01", 1000),
        ("VanDerPol, which has error control", variable, "0.01", 1000),
    ] {
        let ours = load(place, directory, crate_name, model, target)?;
        let former = load_version_2(place, directory, crate_name, model, target)?;
        figures.extend(ratio(
            &format!("fmi3DoStep / fmi2DoStep, instructions, {what}"),
            (host_3, step, &ours),
            (host, step, &former),
            (loops, 1.3),
        ));
    }
    Ok(figures)
}

/// Adjoint derivatives against one evaluation.
fn adjoints(place: &Place, host: &Path) -> Result<Vec<Figure>> {
    let rod = load(place, &place.root, "heat-rod", "HeatRod", None)?;
    let target = place.target.join("bench/hundred-target");
    let hundred = lay_out(place, "hundred", &[], HUNDRED)?;
    let hundred = load(place, &hundred, "hundred", "Hundred", Some(&target))?;
    // Value references of the rod: temperature, left, right, length, diffusivity, rate, mean, der(temperature).
    let rows = [
        (
            "HeatRod: mean by all states",
            &rod,
            "adjoint:6:1:0:1000",
            "evaluate",
            200,
            5.0,
        ),
        (
            "HeatRod: all derivatives by states, inputs and parameters",
            &rod,
            "adjoint:7:1000:0,1,2,3,4:1004",
            "evaluate",
            200,
            6.0,
        ),
        (
            "an output by 100 parameters",
            &hundred,
            "adjoint:2:1:1:100",
            "output:2",
            500,
            15.0,
        ),
    ];
    let mut figures = Vec::new();
    for (what, fmu, adjoint, evaluation, loops, limit) in rows {
        figures.extend(ratio(
            &format!("{what}: adjoint / one evaluation"),
            (host, adjoint, fmu),
            (host, evaluation, fmu),
            (loops, limit),
        ));
    }
    Ok(figures)
}

/// The size of a library of FMI 3.0, of one of both versions, and the time to build both.
fn sizes(place: &Place, smoke: bool) -> Result<Vec<Figure>> {
    let mut bytes = Vec::new();
    let mut seconds = Vec::new();
    for version in ["2", "3", "both"] {
        let cold = place.target.join(format!("bench/cold-{version}"));
        // A smoke run may reuse what an earlier one built.
        if cold.exists() && !smoke {
            std::fs::remove_dir_all(&cold).map_err(file(&cold, "cannot be removed"))?;
        }
        let options = ["--fmi", version];
        let begin = Instant::now();
        let fmu = package_with(
            &place.root,
            "bouncing-ball",
            &options,
            &cold.join("fmu"),
            Some(&cold),
        )?;
        seconds.push(begin.elapsed().as_secs_f64());
        let folder = cold.join("unpacked");
        unpack(&fmu, &folder)?;
        let library = library_below(&folder.join("binaries"))?;
        let metadata = std::fs::metadata(&library).map_err(file(&library, "cannot be read"))?;
        bytes.push(metadata.len() as f64);
    }
    Ok(vec![
        Figure::new("BouncingBall: library of 2.0", bytes[0] / 1000.0, "KB"),
        Figure::new(
            "BouncingBall: library of 3.0 / library of 2.0",
            bytes[1] / bytes[0],
            "",
        )
        .at_most(1.3),
        Figure::new(
            "BouncingBall: library of both / library of 2.0",
            bytes[2] / bytes[0],
            "",
        )
        .at_most(1.6),
        Figure::new(
            "BouncingBall: building both / building 2.0",
            seconds[2] / seconds[0],
            "",
        )
        .at_most(1.4),
    ])
}

/// The ratio of the instructions of two loops; nothing without valgrind.
fn ratio(
    what: &str,
    above: (&Path, &str, &Loaded),
    below: (&Path, &str, &Loaded),
    (loops, limit): (u64, f64),
) -> Option<Figure> {
    let (Some(above), Some(below)) = (instructions(above, loops), instructions(below, loops)) else {
        println!("valgrind is not there, or counts nothing: no instruction counts");
        return None;
    };
    let what = format!("{what} ({above:.0} / {below:.0})");
    Some(Figure::new(what, above / below, "").at_most(limit))
}

/// Instructions of one loop: the difference between a long and a short run, so that loading cancels out.
fn instructions((host, name, fmu): (&Path, &str, &Loaded), loops: u64) -> Option<f64> {
    let count = |loops: u64| {
        callgrind::instructions(|command| {
            command
                .env("GLIBC_TUNABLES", super::derivatives::SAME_COPIES)
                .arg(host)
                .args([name, "count", &loops.to_string()])
                .arg(&fmu.library)
                .arg(&fmu.token);
        })
    };
    let (long, short) = (count(2 * loops)?, count(loops)?);
    Some(long.checked_sub(short)? as f64 / loops as f64)
}

/// Packages a crate as FMI 3.0 and unpacks it.
fn load(
    place: &Place,
    directory: &Path,
    crate_name: &str,
    model: &str,
    target: Option<&Path>,
) -> Result<Loaded> {
    let work = place.folder("bench")?;
    let fmu = package_with(directory, crate_name, &["--fmi", "3"], &work.join("fmu3"), target)?;
    let folder = work.join(format!("{model}-3"));
    unpack(&fmu, &folder)?;
    let path = folder.join("modelDescription.xml");
    let xml = std::fs::read_to_string(&path).map_err(file(&path, "cannot be read"))?;
    let description = fmu_standard::fmi3::read(&xml).map_err(|error| Error::Description {
        path,
        detail: error.to_string(),
    })?;
    Ok(Loaded {
        library: library_below(&folder.join("binaries"))?,
        token: description.guid,
    })
}

/// The same as FMI 2.0.
fn load_version_2(
    place: &Place,
    directory: &Path,
    crate_name: &str,
    model: &str,
    target: Option<&Path>,
) -> Result<Loaded> {
    let work = place.folder("bench")?;
    let fmu = package(directory, crate_name, &work.join("fmu"), target)?;
    let folder = work.join(model);
    unpack(&fmu, &folder)?;
    Ok(Loaded {
        library: library(&folder, model),
        token: read_description(&folder)?.guid,
    })
}

/// The only library in the folders of `binaries`.
fn library_below(binaries: &Path) -> Result<PathBuf> {
    let entries = |folder: &Path| -> Result<Vec<PathBuf>> {
        let read = std::fs::read_dir(folder).map_err(file(folder, "cannot be read"))?;
        Ok(read.filter_map(|entry| Some(entry.ok()?.path())).collect())
    };
    for folder in entries(binaries)? {
        for path in entries(&folder)? {
            if path
                .extension()
                .is_some_and(|extension| extension == std::env::consts::DLL_EXTENSION)
            {
                return Ok(path);
            }
        }
    }
    Err(Error::Failed {
        what: format!("looking for a library in {}", binaries.display()),
        detail: "there is none".to_owned(),
    })
}
