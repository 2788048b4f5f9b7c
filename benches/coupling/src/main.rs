//! What the master costs, one question a process.
//!
//! `pair LOOP PREY PREDATOR ROUNDS STEPS` prints four pairs of numbers: the nanoseconds of a step of two coupled FMUs by
//! the master and by the plain C of `benches/c/pair_loop.c`, for the parallel algorithm, and for one with snapshots and
//! a repeated step; with the median of their ratios behind each. `ring FOLDER FMUS CONNECTIONS STEPS` prints the seconds
//! of a ring of so many FMUs with so many connections between neighbours, and the most memory that was used, in bytes.
//! `stabilized LINE ROUNDS` prints the seconds of two hydraulic lines with held inputs and steps of 1 us, with stabilized
//! ones and steps of 50 us, and the median of their ratios.

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
        _ => Err("stabilized LINE ROUNDS | pair LOOP PREY PREDATOR ROUNDS STEPS | ring FOLDER FMUS CONNECTIONS STEPS".into()),
    }
}
