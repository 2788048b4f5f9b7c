//! The inner loop of an integrator on the VanDerPol example, against `benches/c/van_der_pol.c`.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Figure, package};
use crate::chore::{Error, Place, Result, run_quiet};
use crate::driver::{COMPILER, library, read_description, unpack};
use crate::python::Python;

/// The GUID in `benches/c/van_der_pol.c`.
const BASELINE_GUID: &str = "{c-baseline-van-der-pol}";

/// What `benches/c/host.c` runs: a library and its GUID.
struct Contestant {
    library: PathBuf,
    guid: String,
}

/// Time and, where valgrind is there, instructions.
pub fn measure(place: &Place, smoke: bool) -> Result<Vec<Figure>> {
    let work = place.folder("bench")?;
    let headers = Python::ensure(place)?.fmi_headers()?;
    let sources = place.root.join("benches/c");
    let host = work.join("host");
    let baseline = work.join("van_der_pol.so");
    compile(&headers, &["-O2"], &sources.join("host.c"), &host)?;
    compile(
        &headers,
        &["-O3", "-shared", "-fPIC"],
        &sources.join("van_der_pol.c"),
        &baseline,
    )?;

    let fmu = package(&place.root, "van-der-pol", &work.join("fmu"), None)?;
    let folder = work.join("VanDerPol");
    unpack(&fmu, &folder)?;
    let description = read_description(&folder)?;
    let ours = Contestant {
        library: library(&folder, "VanDerPol"),
        guid: description.guid,
    };
    let plain_c = Contestant {
        library: baseline,
        guid: BASELINE_GUID.to_owned(),
    };

    // A process lays out its memory by chance, and that is worth some percent: many processes, many rounds in each.
    let (processes, rounds) = if smoke { (1, "11") } else { (25, "301") };
    let races = (0..processes)
        .map(|_| race(&host, rounds, &ours, &plain_c))
        .collect::<Result<Vec<_>>>()?;
    let median = |pick: fn(&[f64; 3]) -> f64| {
        let mut values: Vec<f64> = races.iter().map(pick).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let mut figures = vec![
        Figure::new("one loop, ours", median(|race| race[0]), "ns"),
        Figure::new("one loop, plain C", median(|race| race[1]), "ns"),
        Figure::new("time, ours / plain C", median(|race| race[2]), "").at_most(1.15),
    ];
    match (instructions(&host, &ours), instructions(&host, &plain_c)) {
        (Some(ours), Some(plain_c)) => {
            figures.push(Figure::new("instructions of one loop, ours", ours, ""));
            figures.push(Figure::new("instructions of one loop, plain C", plain_c, ""));
        }
        _ => println!("valgrind is not there: no instruction counts"),
    }
    Ok(figures)
}

/// Nanoseconds of a loop of each, and the median of their ratios.
fn race(host: &Path, rounds: &str, ours: &Contestant, plain_c: &Contestant) -> Result<[f64; 3]> {
    const LOOPS: &str = "5000";
    let printed = run_quiet(
        "racing the two FMUs",
        Command::new(host)
            .args(["race", rounds, LOOPS])
            .arg(&ours.library)
            .arg(&ours.guid)
            .arg(&plain_c.library)
            .arg(&plain_c.guid),
        COMPILER,
    )?;
    let numbers: Vec<f64> = printed
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    <[f64; 3]>::try_from(numbers).map_err(|_| Error::Failed {
        what: "reading the times".to_owned(),
        detail: printed,
    })
}

fn compile(headers: &Path, options: &[&str], source: &Path, product: &Path) -> Result<()> {
    run_quiet(
        "compiling the C baseline",
        Command::new("cc")
            .args(["-std=gnu11", "-Wall", "-Wextra"])
            .args(options)
            .arg("-I")
            .arg(headers)
            .arg(source)
            .arg("-o")
            .arg(product)
            .args(["-ldl", "-lm"]),
        COMPILER,
    )?;
    Ok(())
}

/// Instructions of one loop: the difference between a long and a short run, so that loading cancels out.
fn instructions(host: &Path, contestant: &Contestant) -> Option<f64> {
    const LOOPS: u64 = 1000;
    let count = |loops: u64| {
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(host)
            .args(["count", &loops.to_string()])
            .arg(&contestant.library)
            .arg(&contestant.guid)
            .output()
            .ok()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let line = said.lines().find(|line| line.contains("Collected :"))?;
        line.rsplit(' ').next()?.parse::<u64>().ok()
    };
    let (long, short) = (count(2 * LOOPS)?, count(LOOPS)?);
    Some(long.checked_sub(short)? as f64 / LOOPS as f64)
}
