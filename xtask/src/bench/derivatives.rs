//! What exact derivatives cost, in instructions that `valgrind --tool=callgrind` counts, and how the tracing of
//! dependencies grows. The loops are those of `verification/benches/derivatives`.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Figure, callgrind};
use crate::chore::{Error, Place, Result, run_quiet};

const REMEDY: &str = "install Rust from https://rustup.rs";

/// The C library chooses how it copies memory by the processor: 16 or 32 bytes per instruction, or one `rep`
/// instruction, which valgrind counts byte by byte. With these settings it uses the copy of the smallest x86-64
/// processor everywhere, so that counts are equal on all machines.
pub(super) const SAME_COPIES: &str = "glibc.cpu.x86_rep_movsb_threshold=1073741824:\
    glibc.cpu.x86_rep_stosb_threshold=1073741824:\
    glibc.cpu.x86_non_temporal_threshold=1073741824:\
    glibc.cpu.hwcaps=-AVX2,-AVX,-AVX_Fast_Unaligned_Load,-ERMS,-FSRM,-SSSE3,-Fast_Unaligned_Copy";

/// A ratio of two loops: what it says, program and loop above and below, rounds, the limit.
struct Ratio {
    what: &'static str,
    above: (&'static str, &'static str),
    below: (&'static str, &'static str),
    rounds: u64,
    limit: Option<f64>,
}

const fn ratio(
    what: &'static str,
    above: (&'static str, &'static str),
    below: (&'static str, &'static str),
    rounds: u64,
    limit: f64,
) -> Ratio {
    Ratio {
        what,
        above,
        below,
        rounds,
        limit: Some(limit),
    }
}

const NATIVE: &str = "derivatives-bench";
/// Rounds of a loop over two states, and over a thousand. What comes before the loop varies by some thousands of
/// instructions, because hash maps are seeded at random; this many rounds make it less than one in a thousand.
const FEW_STATES: u64 = 20_000;
const MANY_STATES: u64 = 2000;

const RATIOS: &[Ratio] = &[
    ratio(
        "VanDerPol: derivatives / the same by hand",
        (NATIVE, "van-der-pol/plain"),
        (NATIVE, "van-der-pol/hand"),
        FEW_STATES,
        1.02,
    ),
    ratio(
        "HeatRod<1000>: derivatives / the same by hand",
        (NATIVE, "heat-rod/plain"),
        (NATIVE, "heat-rod/hand"),
        MANY_STATES,
        1.02,
    ),
    ratio(
        "VanDerPol: one seed / one evaluation",
        (NATIVE, "van-der-pol/seed"),
        (NATIVE, "van-der-pol/evaluate"),
        FEW_STATES,
        2.5,
    ),
    ratio(
        "UpperPendulum: one seed / one evaluation",
        (NATIVE, "upper-pendulum/seed"),
        (NATIVE, "upper-pendulum/evaluate"),
        FEW_STATES,
        2.5,
    ),
    ratio(
        "HeatRod<1000>: one seed / one evaluation",
        (NATIVE, "heat-rod/seed"),
        (NATIVE, "heat-rod/evaluate"),
        MANY_STATES,
        2.5,
    ),
    ratio(
        "VanDerPol, C interface: one seed / one evaluation",
        ("c_van_der_pol", "seed"),
        ("c_van_der_pol", "evaluate"),
        FEW_STATES,
        4.0,
    ),
    ratio(
        "UpperPendulum, C interface: one seed / one evaluation",
        ("c_upper_pendulum", "seed"),
        ("c_upper_pendulum", "evaluate"),
        FEW_STATES,
        4.0,
    ),
    ratio(
        "HeatRod<1000>, C interface: one seed / one evaluation",
        ("c_heat_rod", "seed"),
        ("c_heat_rod", "evaluate"),
        MANY_STATES,
        4.0,
    ),
    Ratio {
        what: "HeatRod<1000>: four lanes / one evaluation",
        above: (NATIVE, "heat-rod/lanes"),
        below: (NATIVE, "heat-rod/evaluate"),
        rounds: MANY_STATES,
        limit: None,
    },
    ratio(
        "HeatRod<1000>: Jacobian, one column per colour / one evaluation",
        (NATIVE, "heat-rod/jacobian"),
        (NATIVE, "heat-rod/evaluate"),
        MANY_STATES,
        4.0,
    ),
    Ratio {
        what: "HeatRod<1000>: and each entry copied to its row / one evaluation",
        above: (NATIVE, "heat-rod/entries"),
        below: (NATIVE, "heat-rod/evaluate"),
        rounds: MANY_STATES,
        limit: None,
    },
];

/// Builds the loops, runs them, and compares.
pub fn measure(place: &Place, _smoke: bool) -> Result<Vec<Figure>> {
    let release = build(place, true)?;
    let mut figures = Vec::new();
    for ratio in RATIOS {
        let above = instructions(&release, ratio.above, ratio.rounds);
        let below = instructions(&release, ratio.below, ratio.rounds);
        let (Some(above), Some(below)) = (above, below) else {
            println!("valgrind is not there, or counts nothing: no instruction counts");
            break;
        };
        figures.push(Figure {
            limit: ratio.limit,
            ..Figure::new(format!("{} ({above:.0})", ratio.what), above / below, "")
        });
    }

    let debug = build(place, false)?;
    for (profile, folder) in [("debug", &debug), ("release", &release)] {
        let what = format!("the large rod on a small stack, {profile}");
        let outcome = run_quiet(
            &what,
            Command::new(folder.join(NATIVE)).arg("small-stack"),
            REMEDY,
        );
        if let Err(error) = &outcome {
            println!("{error}");
        }
        let what = format!("HeatRod<10000>: failures on a stack of 2 MiB, {profile}");
        let failures = f64::from(u8::from(outcome.is_err()));
        figures.push(Figure::new(what, failures, "").at_most(0.0));
    }

    let (short, little) = traced(&release, "trace/1000")?;
    let (long, much) = traced(&release, "trace/10000")?;
    figures.extend([
        Figure::new("HeatRod<1000>: dependencies traced", short, "s"),
        Figure::new("HeatRod<10000>: dependencies traced", long, "s").at_most(2.0),
        Figure::new(
            "tracing an entry of 10 000 cells / one of 1000",
            long / short / 10.0,
            "",
        ),
        Figure::new("HeatRod<10000>: memory to trace with", much / 1000.0, "MB"),
    ]);
    // Pages are counted, and the first ones are there anyway.
    if little > 1000.0 {
        let what = "memory for an entry of 10 000 cells / one of 1000";
        figures.push(Figure::new(what, much / little / 10.0, ""));
    }
    Ok(figures)
}

/// Builds the loops, and returns the folder of the programs.
fn build(place: &Place, release: bool) -> Result<PathBuf> {
    let mut command = Command::new("cargo");
    command
        .current_dir(&place.root)
        .args(["build", "--quiet", "--package", NATIVE])
        // As an FMU is built: the optimizer sees the whole model.
        .args([
            "--config",
            "profile.release.package.derivatives-bench.codegen-units=1",
        ]);
    if release {
        command.arg("--release");
    }
    run_quiet("building verification/benches/derivatives", &mut command, REMEDY)?;
    Ok(place.target.join(if release { "release" } else { "debug" }))
}

/// Instructions of one round: the difference between a long and a short run, so that all else cancels out.
fn instructions(folder: &Path, (program, name): (&str, &str), rounds: u64) -> Option<f64> {
    let count = |rounds: u64| {
        callgrind::instructions(|command| {
            command
                .env("GLIBC_TUNABLES", SAME_COPIES)
                .arg(folder.join(program))
                .args([name, &rounds.to_string()]);
        })
    };
    Some(count(2 * rounds)?.checked_sub(count(rounds)?)? as f64 / rounds as f64)
}

/// The best of three times that the program prints, which leaves out other load; and the kilobytes.
fn traced(folder: &Path, name: &str) -> Result<(f64, f64)> {
    let mut best = (f64::INFINITY, f64::INFINITY);
    for _ in 0..3 {
        let printed = run_quiet(
            "tracing dependencies",
            Command::new(folder.join(NATIVE)).arg(name),
            REMEDY,
        )?;
        let mut numbers = printed.split_whitespace().map(str::parse::<f64>);
        let (Some(Ok(seconds)), Some(Ok(kilobytes))) = (numbers.next(), numbers.next()) else {
            return Err(Error::Failed {
                what: "reading time and memory".to_owned(),
                detail: printed,
            });
        };
        best = (best.0.min(seconds), best.1.min(kilobytes));
    }
    Ok(best)
}
