//! Learning against running all paths, which only the inside can ask for.

use super::Trace;
use super::explore::{PATHS, explore_paths};
use crate::pattern::Class;

#[path = "../../../tests/common/mod.rs"]
mod common;
#[path = "../../../tests/common/program.rs"]
mod program;

use common::Random;

/// The random programs have flags and counters that hide decisions from each other; learning must find what
/// running all paths finds.
#[test]
fn learning_finds_what_all_paths_show() {
    let mut random = Random(41);
    let (mut compared, mut wider) = (0, 0);
    for number in 0..100 {
        let program = program::Program::random(&mut random, 4, 4, 2);
        let evaluate = &mut |known: &[Trace]| Some(program.run(known));
        let classes = [Class::State, Class::Fixed, Class::Discrete, Class::Input];
        let exact = explore_paths(&classes, evaluate, PATHS);
        if !exact.every_path || exact.runs == 1 {
            continue;
        }
        let learned = explore_paths(&classes, evaluate, 0);
        for (exact, learned) in exact.unknowns.iter().zip(&learned.unknowns) {
            compared += 1;
            for entry in &exact.on {
                let found = learned
                    .on
                    .iter()
                    .any(|other| other.0 == entry.0 && other.1 >= entry.1);
                assert!(found, "program {number}: {entry:?} is not in {learned:?}");
            }
            wider += usize::from(exact != learned);
        }
    }
    assert!(
        compared > 50 && wider * 50 < compared,
        "{wider} of {compared} are wider"
    );
}
