//! What the master costs, one question per process.
//!
//! `pair LOOP PREY PREDATOR ROUNDS STEPS` prints four pairs of numbers: the nanoseconds of a step of two coupled FMUs by
//! the master and by the plain C of `verification/benches/c/pair_loop.c`, for the parallel algorithm, and for one with snapshots and
//! a repeated step; with the median of their ratios behind each. `ring FOLDER FMUS CONNECTIONS STEPS` prints the seconds
//! of a ring of so many FMUs with so many connections between neighbours, and the most memory that was used, in bytes.
//! `stabilized LINE ROUNDS` prints the seconds of two hydraulic lines with held inputs and steps of 1 us, with stabilized
//! ones and steps of 50 us, and the median of their ratios. `light LOOP FIRST SECOND CONTAINER ROUNDS STEPS` prints the
//! nanoseconds of a step of two light FMUs by the master, by `fmucontainer` and by plain C, and the median of the ratios
//! of the first to the others; without the second where CONTAINER is `-`. `mesh MEMBER ROUNDS STEPS` prints the seconds
//! of a step of fifty FMUs with 2000 connections by jacobi and by newton, and the median of their ratios. `isolated FMU
//! FOLDER CALLS` prints the microseconds of a call of an FMU in another process, and what waiting costs; see there.

mod isolated;
mod light;
mod mesh;
mod pair;
mod ring;
mod stabilized;

use std::error::Error;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["pair", plain_c, prey, predator, rounds, steps] => pair::race(
            plain_c.as_ref(),
            [prey.as_ref(), predator.as_ref()],
            rounds.parse()?,
            steps.parse()?,
        ),
        ["ring", folder, fmus, connections, steps] => ring::run(
            folder.as_ref(),
            fmus.parse()?,
            connections.parse()?,
            steps.parse()?,
        ),
        ["stabilized", line, rounds] => stabilized::race(line.as_ref(), rounds.parse()?),
        ["light", plain_c, first, second, container, rounds, steps] => light::race(
            plain_c.as_ref(),
            [first.as_ref(), second.as_ref()],
            (container != "-").then_some(container.as_ref()),
            rounds.parse()?,
            steps.parse()?,
        ),
        ["mesh", member, rounds, steps] => mesh::race(member.as_ref(), rounds.parse()?, steps.parse()?),
        ["isolated", fmu, folder, calls] => isolated::measure(fmu.as_ref(), folder.as_ref(), calls.parse()?),
        ["serve", path, delay] => isolated::serve(path.as_ref(), delay.parse()?),
        _ => Err("see the first lines of verification/benches/coupling/src/main.rs for the questions".into()),
    }
}

/// The median of what is picked from each round.
fn median<T>(rounds: &[T], pick: impl Fn(&T) -> f64) -> f64 {
    let mut values: Vec<f64> = rounds.iter().map(pick).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
