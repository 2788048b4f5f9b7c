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

    let (rounds, loops) = if smoke { ("11", "2000") } else { ("1001", "20000") };
    let printed = run_quiet(
        "racing the two FMUs",
        Command::new(&host)
            .args(["race", rounds, loops])
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
    let &[nanoseconds, baseline_nanoseconds, ratio] = numbers.as_slice() else {
        return Err(Error::Failed {
            what: "reading the times".to_owned(),
            detail: printed,
        });
    };
    let mut figures = vec![
        Figure::new("one loop, ours", nanoseconds, "ns"),
        Figure::new("one loop, plain C", baseline_nanoseconds, "ns"),
        Figure::new("time, ours / plain C", ratio, "").at_most(1.15),
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
