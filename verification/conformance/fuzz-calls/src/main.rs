//! Calls all functions of an FMU in random sequences; a guard page lies behind every buffer.
//!
//! `fuzz-calls FMU [SEED [SEQUENCES [LENGTH]]]` prints what it did. A crash ends the process; the sequence that was
//! under way stands in the last line, and `fuzz-calls FMU SEED 1` repeats it.

mod calls;
mod coverage;
mod guarded;
mod random;

use std::error::Error;
use std::ffi::CString;
use std::io::{IsTerminal, Write};

use calls::{Buffers, Functions, Sequence, Subject};
use coverage::Coverage;
use fmu_importer::{Fmu, library_name, platform_folders};

/// Functions that must have worked in a thousand sequences. Those for asynchronous steps always refuse, and a model
/// without texts or snapshots refuses a few more.
const LEAST_ANSWERED: usize = 28;

/// So many sequences call every function in every state.
const EVERY_PAIR: u64 = 100_000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, rest @ ..] = &arguments[..] else {
        return Err("usage: fuzz-calls FMU [SEED [SEQUENCES [LENGTH]]]".into());
    };
    let number = |at: usize, default: u64| rest.get(at).map_or(Ok(default), |text| text.parse());
    let (seed, sequences, length) = (number(0, 1)?, number(1, 1000)?, number(2, 30)? as usize);
    let fmu = Fmu::open(path)?;
    let description = fmu.description();
    let interfaces = [
        description.model_exchange.as_ref().map(|me| &me.interface),
        description.co_simulation.as_ref().map(|cs| &cs.interface),
    ];
    let interface = interfaces
        .into_iter()
        .flatten()
        .next()
        .ok_or("it has no interface")?;
    let folder = fmu.folder()?;
    let library = platform_folders()
        .iter()
        .map(|platform| {
            folder
                .join("binaries")
                .join(platform)
                .join(library_name(&interface.model_identifier))
        })
        .find(|path| path.is_file())
        .ok_or("it has no library for this machine")?;
    // SAFETY: loading runs the initializers of an FMU of ours.
    let library = unsafe { libloading::Library::new(library)? };
    let resources = CString::new(format!("file://{}", folder.join("resources").display()))?;
    // SAFETY: the symbol is only looked for.
    let is_ours = unsafe { library.get::<unsafe extern "C" fn()>(b"fmuDescribe\0") }.is_ok();
    let subject = Subject::new(&fmu, Functions::bind(&library)?, resources, is_ours);
    let mut buffers = Buffers::default();
    let mut calls = 0;
    let mut coverage = Coverage::default();
    let mut out = std::io::stderr();
    for number in 0..sequences {
        if number % 1000 == 0 && out.is_terminal() {
            write!(out, "\rsequence {} ", seed + number)?;
        }
        calls += Sequence::run(&subject, &mut buffers, seed + number, length, &mut coverage)
            .map_err(|complaint| format!("{path}, seed {}: {complaint}", seed + number))?;
    }
    if out.is_terminal() {
        writeln!(out, "\r")?;
    }
    println!(
        "{}: {sequences} sequences, {calls} calls, {} functions returned fmi2OK at least once",
        fmu.name(),
        coverage.answered.len()
    );
    print!("{coverage}");
    let answered = &coverage.answered;
    let mut counts: Vec<_> = answered.iter().map(|(name, count)| (count, name)).collect();
    counts.sort();
    let least: Vec<_> = counts
        .iter()
        .take(5)
        .map(|(count, name)| format!("{name} {count}"))
        .collect();
    println!("least often fmi2OK: {}", least.join(", "));
    // Sequences that only meet refusals would find nothing.
    if sequences >= 1000 && answered.len() < LEAST_ANSWERED {
        return Err(format!("only these functions returned fmi2OK: {answered:?}").into());
    }
    let missing = coverage.missing(&subject.interfaces());
    if sequences >= EVERY_PAIR && !missing.is_empty() {
        return Err(format!("never called: {}", missing.join(", ")).into());
    }
    Ok(())
}
