//! An FMU of ours against a plain C FMU: both loaded by `verification/benches/c/host.c`, which times the same loop on them in turns.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Figure, callgrind, package};
use crate::chore::{Error, Place, Result, run_quiet};
use crate::driver::{COMPILER, library, read_description, unpack};
use crate::python::Python;

/// Two FMUs, and who runs them.
pub struct Race {
    host: PathBuf,
    ours: Contestant,
    plain_c: Contestant,
}

/// A library and its GUID.
struct Contestant {
    library: PathBuf,
    guid: String,
}

/// Which of our FMUs: the model, the crate that exports it, and the folder that the crate is found from.
pub struct Ours<'a> {
    pub model: &'a str,
    pub crate_name: &'a str,
    pub directory: &'a Path,
    pub target: Option<&'a Path>,
}

/// What the host does in a round.
pub struct Loop<'a> {
    pub what: &'a str,
    /// See `verification/benches/c/host.c`.
    pub name: &'a str,
    pub loops: &'a str,
    /// The largest ratio of the times.
    pub limit: Option<f64>,
}

impl Race {
    /// Packages one, compiles the other from `verification/benches/c/SOURCE.c`, which has the GUID `{c-baseline-MODEL}`.
    pub fn prepare(place: &Place, ours: &Ours<'_>, source: &str, guid: &str) -> Result<Race> {
        let work = place.folder("bench")?;
        let headers = Python::ensure(place)?.fmi_headers()?;
        let sources = place.root.join("verification/benches/c");
        let host = work.join("host");
        let baseline = work.join(format!("{source}.so"));
        compile(&headers, &["-O2"], &sources.join("host.c"), &host)?;
        compile(
            &headers,
            &["-O3", "-ffp-contract=off", "-shared", "-fPIC"],
            &sources.join(format!("{source}.c")),
            &baseline,
        )?;
        let fmu = package(ours.directory, ours.crate_name, &work.join("fmu"), ours.target)?;
        let folder = work.join(ours.model);
        unpack(&fmu, &folder)?;
        Ok(Race {
            host,
            ours: Contestant {
                library: library(&folder, ours.model),
                guid: read_description(&folder)?.guid,
            },
            plain_c: Contestant {
                library: baseline,
                guid: guid.to_owned(),
            },
        })
    }

    /// Time and, where valgrind is there, instructions.
    pub fn run(&self, lap: &Loop<'_>, smoke: bool) -> Result<Vec<Figure>> {
        // A process lays out its memory by chance, and that is worth some percent: many processes, many rounds in each.
        let (processes, rounds) = if smoke { (1, "11") } else { (25, "301") };
        let races = (0..processes)
            .map(|_| self.once(lap, rounds))
            .collect::<Result<Vec<_>>>()?;
        let median = |pick: fn(&[f64; 3]) -> f64| {
            let mut values: Vec<f64> = races.iter().map(pick).collect();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let what = lap.what;
        let mut figures = vec![
            Figure::new(format!("{what}, ours"), median(|race| race[0]), "ns"),
            Figure::new(format!("{what}, plain C"), median(|race| race[1]), "ns"),
            Figure {
                limit: lap.limit,
                ..Figure::new(format!("{what}: ours / plain C"), median(|race| race[2]), "")
            },
        ];
        let counts = (
            self.instructions(lap, &self.ours),
            self.instructions(lap, &self.plain_c),
        );
        match counts {
            (Some(ours), Some(plain_c)) => {
                figures.push(Figure::new(format!("{what}: instructions, ours"), ours, ""));
                figures.push(Figure::new(format!("{what}: instructions, plain C"), plain_c, ""));
            }
            _ => println!("valgrind is not there: no instruction counts"),
        }
        Ok(figures)
    }

    /// Nanoseconds of a loop of each, and the median of their ratios.
    fn once(&self, lap: &Loop<'_>, rounds: &str) -> Result<[f64; 3]> {
        let printed = run_quiet(
            "racing the two FMUs",
            Command::new(&self.host)
                .args([lap.name, "race", rounds, lap.loops])
                .arg(&self.ours.library)
                .arg(&self.ours.guid)
                .arg(&self.plain_c.library)
                .arg(&self.plain_c.guid),
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

    /// Instructions of one loop: the difference between a long and a short run, so that loading cancels out.
    fn instructions(&self, lap: &Loop<'_>, contestant: &Contestant) -> Option<f64> {
        const LOOPS: u64 = 1000;
        let count = |loops: u64| {
            callgrind::instructions(|command| {
                command
                    .arg(&self.host)
                    .args([lap.name, "count", &loops.to_string()])
                    .arg(&contestant.library)
                    .arg(&contestant.guid);
            })
        };
        let (long, short) = (count(2 * LOOPS)?, count(LOOPS)?);
        Some(long.checked_sub(short)? as f64 / LOOPS as f64)
    }
}

pub(super) fn compile(headers: &Path, options: &[&str], source: &Path, product: &Path) -> Result<()> {
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
