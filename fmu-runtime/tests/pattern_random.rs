//! Random programs: what they depend on against what perturbations show, and derivatives against differences.

mod common;
#[path = "common/program.rs"]
mod program;

use common::{Random, close};
use fmu_runtime::pattern::{Class, Exploration, Kind, explore};
use fmu_runtime::scalar::{Dual, Scalar, Trace};
use program::Program;

const CLASSES: [Class; 6] = [
    Class::State,
    Class::Input,
    Class::Fixed,
    Class::Tunable,
    Class::Discrete,
    Class::Time,
];

fn is_live(class: Class) -> bool {
    matches!(class, Class::State | Class::Input | Class::Time)
}

/// A value that often falls on or beside the constants that programs compare with.
fn value(random: &mut Random) -> f64 {
    match random.below(3) {
        0 => [0.0, 1.0, -1.0, 0.5, 2.0][random.below(5)] + random.between(-0.05, 0.05),
        _ => random.between(-3.0, 3.0),
    }
}

/// Changes every known at many points. Panics at a change that the exploration denies, or of a kind that it
/// denies; returns how many of its dependencies showed, and how many there are.
fn perturb(
    name: &str,
    random: &mut Random,
    classes: &[Class],
    found: &Exploration,
    points: usize,
    run: impl Fn(&[f64]) -> Vec<f64>,
) -> (usize, usize) {
    let kind = |unknown: usize, known: usize| {
        found.unknowns[unknown]
            .on
            .iter()
            .find(|entry| entry.0 == known)
            .map(|entry| entry.1)
    };
    let mut shown = std::collections::HashSet::new();
    // Slopes of what has a factor that the live variables cannot change.
    let mut slopes: std::collections::HashMap<(usize, usize), f64> = std::collections::HashMap::new();
    let parameters: Vec<f64> = classes.iter().map(|_| value(random)).collect();
    for point in 0..points {
        // Half of the points share all that is not live.
        let fixed = point % 2 == 0;
        let x: Vec<f64> = (0..classes.len())
            .map(|k| {
                if fixed && !is_live(classes[k]) {
                    parameters[k]
                } else {
                    value(random)
                }
            })
            .collect();
        let before = run(&x);
        for known in 0..classes.len() {
            let mut moved = x.clone();
            moved[known] = value(random);
            let after = run(&moved);
            for unknown in 0..before.len() {
                let (old, new) = (before[unknown], after[unknown]);
                let kind = kind(unknown, known);
                if !close(old, new, 1e-9) {
                    assert!(
                        kind.is_some(),
                        "{name}: unknown {unknown} does depend on known {known} at {x:?}"
                    );
                    shown.insert((unknown, known));
                }
                let slope = (new - old) / (moved[known] - x[known]);
                let constant = kind == Some(Kind::Constant);
                let frozen =
                    fixed && is_live(classes[known]) && kind.is_some_and(|kind| kind < Kind::Dependent);
                if (constant || frozen) && (moved[known] - x[known]).abs() > 0.1 {
                    let first = *slopes.entry((unknown, known)).or_insert(slope);
                    assert!(
                        close(first, slope, 1e-7),
                        "{name}: unknown {unknown}, known {known} ({kind:?}): {first} and {slope} at {x:?}"
                    );
                }
            }
        }
    }
    let entries = found
        .unknowns
        .iter()
        .filter(|unknown| unknown.dense.is_none())
        .map(|unknown| unknown.on.len())
        .sum();
    let shown = shown
        .iter()
        .filter(|(unknown, _)| found.unknowns[*unknown].dense.is_none())
        .count();
    (shown, entries)
}

#[test]
fn ten_thousand_programs_have_no_dependency_that_is_not_found() {
    let mut random = Random(31);
    let (mut shown, mut entries, mut paths) = (0, 0, 0);
    for number in 0..10_000 {
        let knowns = 2 + random.below(4);
        let statements = 1 + random.below(4);
        let program = Program::random(&mut random, knowns, statements, 2);
        let classes: Vec<Class> = (0..knowns).map(|_| CLASSES[random.below(6)]).collect();
        let found = explore(&classes, |known| Some(program.run(known)));
        paths += found.runs;
        let name = format!("program {number}");
        let (s, e) = perturb(&name, &mut random, &classes, &found, 12, |x| program.run(x));
        (shown, entries) = (shown + s, entries + e);
    }
    assert!(paths > 40_000, "programs branch: {paths} paths");
    // Some dependencies need a rare combination of values to show.
    assert!(
        shown * 100 > entries * 80,
        "sharp: {shown} of {entries} dependencies showed"
    );
}

#[test]
fn many_programs_side_by_side_are_learned_without_a_miss() {
    let mut random = Random(32);
    let (mut shown, mut entries, mut dense) = (0, 0, 0);
    for number in 0..12 {
        let blocks = 12 + random.below(20);
        let programs: Vec<Program> = (0..blocks)
            .map(|_| Program::random(&mut random, 4, 3, 2))
            .collect();
        // Neighbours share two knowns.
        let classes: Vec<Class> = (0..2 * blocks + 2).map(|_| CLASSES[random.below(6)]).collect();
        let run = |known: &[f64]| -> Vec<f64> { all(&programs, known) };
        let found = explore(&classes, |known| Some(all::<Trace>(&programs, known)));
        dense += found
            .unknowns
            .iter()
            .filter(|unknown| unknown.dense.is_some())
            .count();
        let (s, e) = perturb(&format!("row {number}"), &mut random, &classes, &found, 40, run);
        (shown, entries) = (shown + s, entries + e);
    }
    assert!(
        shown * 100 > entries * 80,
        "sharp: {shown} of {entries} dependencies showed"
    );
    assert!(dense * 10 < entries, "{dense} unknowns are dense");
}

fn all<S: Scalar>(programs: &[Program], known: &[S]) -> Vec<S> {
    programs
        .iter()
        .enumerate()
        .flat_map(|(i, program)| program.run(&known[2 * i..2 * i + 4]))
        .collect()
}

#[test]
fn derivatives_of_programs_are_those_of_differences() {
    let mut random = Random(33);
    let (mut compared, mut kinks) = (0, 0);
    for number in 0..10_000 {
        let program = Program::random(&mut random, 3, 3, 2);
        let x: Vec<f64> = (0..3).map(|_| random.between(-2.0, 2.0)).collect();
        let seed: Vec<f64> = (0..3).map(|_| random.between(-1.0, 1.0)).collect();
        let duals: Vec<Dual<1>> = x.iter().zip(&seed).map(|(&x, &s)| Dual::new(x, [s])).collect();
        let along = |h: f64| program.run(&x.iter().zip(&seed).map(|(x, s)| x + h * s).collect::<Vec<_>>());
        let plain = along(0.0);
        // Differences of order 6 with two widths: where they disagree, a branch or a kink lies between.
        let difference = |h: f64| -> Vec<f64> {
            let d = [1.0, 2.0, 3.0].map(|k| (along(k * h), along(-k * h)));
            let d = |k: usize, unknown: usize| d[k].0[unknown] - d[k].1[unknown];
            (0..plain.len())
                .map(|i| (45.0 * d(0, i) - 9.0 * d(1, i) + d(2, i)) / (60.0 * h))
                .collect()
        };
        let (coarse, fine) = (difference(4e-4), difference(2e-4));
        for (unknown, dual) in program.run(&duals).into_iter().enumerate() {
            assert_eq!(dual.value, plain[unknown], "program {number}");
            let (coarse, fine) = (coarse[unknown], fine[unknown]);
            if close(coarse, fine, 1e-9) {
                compared += 1;
                assert!(
                    close(dual.lanes[0], fine, 1e-7),
                    "program {number}: {} or {fine}",
                    dual.lanes[0]
                );
            } else {
                kinks += 1;
            }
        }
    }
    assert!(compared > 20 * kinks, "{compared} compared, {kinks} at a kink");
}
