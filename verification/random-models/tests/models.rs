//! The models that the build script wrote: values against what the programs mean, derivatives against differences,
//! dependencies against changes of every variable at many points.

use fmu_runtime::model::{Equations, Model as AnyModel, Structure};
use fmu_runtime::pattern::{Class, Exploration, Kind, explore};
use fmu_runtime::scalar::{Adjoint, Dual, Scalar, Tape, Trace};
use random_models::generator::{Program, Random, programs};
use random_models::shapes::{SHAPES, Values};

/// As authors (and generators) write it.
#[allow(warnings, clippy::all)]
mod models {
    use super::Subject;
    use fmu_runtime::prelude::*;
    use fmu_runtime::scalar::{MatrixExt as _, solve};
    use nalgebra::{DMatrix, SMatrix, SVector};

    include!(concat!(env!("OUT_DIR"), "/models.rs"));
}

/// Numbers among the knowns: the slots of the model, then time.
const REALS: usize = 13;
/// Every known: numbers, time, the switch, the integer, the item.
const CLASSES: [Class; REALS + 4] = {
    use Class::{Discrete, Fixed, Input, State, Time, Tunable};
    [
        State, State, State, State, Input, Input, Fixed, Tunable, Fixed, Fixed, Fixed, Fixed, Discrete, Time,
        Discrete, Discrete, Discrete,
    ]
};

/// Values of the variables that are not numbers.
#[derive(Clone, Copy, Debug)]
struct Choices {
    on: bool,
    n: i32,
    mode: i32,
}

/// A compiled model behind functions without its type.
pub struct Subject {
    plain: fn(&[f64], Choices) -> Vec<f64>,
    dual: fn(&[Dual<1>], Choices) -> Vec<Dual<1>>,
    adjoint: fn(&[Adjoint], Choices) -> Vec<Adjoint>,
    explore: fn() -> Exploration,
}

impl Subject {
    pub fn of<M: AnyModel>() -> Subject {
        Subject {
            plain: |knowns, choices| unknowns(&mut M::default(), knowns, choices),
            dual: |knowns, choices| unknowns(&mut M::default().lifted(), knowns, choices),
            adjoint: |knowns, choices| unknowns(&mut M::default().lifted(), knowns, choices),
            explore: || {
                let mut lifted = M::default().lifted::<Trace>();
                explore(&CLASSES, |knowns| {
                    let choices = Choices {
                        on: knowns[REALS + 1].choose(2) == 1,
                        n: knowns[REALS + 2].choose(4) as i32,
                        mode: knowns[REALS + 3].choose(3) as i32 + 1,
                    };
                    Some(unknowns(&mut lifted, &knowns[..=REALS], choices))
                })
            },
        }
    }
}

/// The local variable, the derivatives and the outputs.
fn unknowns<S: Scalar, M: Structure<S> + Equations<S>>(
    model: &mut M,
    knowns: &[S],
    choices: Choices,
) -> Vec<S> {
    for (slot, value) in knowns[..REALS].iter().enumerate() {
        model.set_real(slot, *value);
    }
    model.set_boolean(0, choices.on);
    model.set_integer(0, choices.n);
    model.set_integer(1, choices.mode);
    let t = knowns[REALS];
    model.update_locals(t).unwrap();
    let mut derivatives = [S::constant(0.0); 4];
    model.eval_derivatives(t, &mut derivatives).unwrap();
    model.update_outputs(t).unwrap();
    let mut unknowns = vec![model.real(REALS)];
    unknowns.extend(derivatives);
    unknowns.extend([model.real(REALS + 1), model.real(REALS + 2)]);
    unknowns
}

fn values(x: &[f64], choices: Choices) -> Values {
    Values {
        a: x[0],
        b: x[1],
        v: [x[2], x[3]],
        u: x[4],
        w: x[5],
        p: x[6],
        q: x[7],
        g: [[x[8], x[9]], [x[10], x[11]]],
        d: x[12],
        l: 0.0,
        t: x[13],
        on: choices.on,
        n: choices.n,
        mode: choices.mode,
    }
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}

fn point(random: &mut Random) -> (Vec<f64>, Choices) {
    let x = (0..=REALS).map(|_| value(random)).collect();
    (x, choices(random))
}

/// Often on or beside the numbers that models compare with.
fn value(random: &mut Random) -> f64 {
    match random.below(4) {
        0 => [0.0, 0.5, 1.0, -1.0, 0.25][random.below(5)] + random.between(-0.02, 0.02),
        _ => random.between(-2.0, 2.0),
    }
}

fn choices(random: &mut Random) -> Choices {
    Choices {
        on: random.below(2) == 1,
        n: random.below(4) as i32,
        mode: 1 + random.below(3) as i32,
    }
}

#[test]
fn every_shape_is_there() {
    let mut models_with = vec![0; SHAPES.len()];
    for program in programs(models::SEED, models::MODELS) {
        let mut seen = vec![false; SHAPES.len()];
        program.shapes(&mut |shape| seen[shape] = true);
        for (count, seen) in models_with.iter_mut().zip(seen) {
            *count += usize::from(seen);
        }
    }
    let rarest = (0..SHAPES.len()).min_by_key(|&shape| models_with[shape]).unwrap();
    println!(
        "{} models, {} shapes, the rarest ({}) in {}",
        models::MODELS,
        SHAPES.len(),
        SHAPES[rarest].name,
        models_with[rarest]
    );
    if models::MODELS >= 300 {
        assert!(
            models_with[rarest] >= 10,
            "{} is in {} models",
            SHAPES[rarest].name,
            models_with[rarest]
        );
    }
}

#[test]
fn values_are_those_of_the_programs() {
    let mut random = Random(11);
    for (number, (subject, program)) in pairs().enumerate() {
        for _ in 0..10 {
            let (x, choices) = point(&mut random);
            let (compiled, meant) = ((subject.plain)(&x, choices), program.run(&values(&x, choices)));
            for (unknown, (a, b)) in compiled.iter().zip(&meant).enumerate() {
                assert!(
                    close(*a, *b, 1e-10),
                    "model {number}, unknown {unknown}: {a} or {b} at {x:?} {choices:?}"
                );
            }
        }
    }
}

#[test]
fn derivatives_are_those_of_differences() {
    let mut random = Random(12);
    let (mut compared, mut kinks) = (0, 0);
    for (number, (subject, program)) in pairs().enumerate() {
        for _ in 0..4 {
            let (x, choices) = point(&mut random);
            let seed: Vec<f64> = x.iter().map(|_| random.between(-1.0, 1.0)).collect();
            let duals: Vec<Dual<1>> = x.iter().zip(&seed).map(|(&x, &s)| Dual::new(x, [s])).collect();
            let exact = (subject.dual)(&duals, choices);
            let along = |h: f64| -> Vec<f64> {
                let moved: Vec<f64> = x.iter().zip(&seed).map(|(x, s)| x + h * s).collect();
                program.run(&values(&moved, choices))
            };
            let (coarse, fine) = (differences(&along, 4e-4), differences(&along, 2e-4));
            for (unknown, dual) in exact.iter().enumerate() {
                // Differences that disagree have a branch or a kink between their points.
                if close(coarse[unknown], fine[unknown], 1e-8) {
                    compared += 1;
                    let slope = dual.lanes[0];
                    assert!(
                        close(slope, fine[unknown], 1e-6),
                        "model {number}, unknown {unknown}: {slope} or {} at {x:?} {choices:?}",
                        fine[unknown]
                    );
                } else {
                    kinks += 1;
                }
            }
        }
    }
    println!("{compared} derivatives compared, {kinks} at a kink");
    assert!(compared > 8 * kinks, "{compared} compared, {kinks} at a kink");
}

/// Central differences of order 6.
fn differences(along: &impl Fn(f64) -> Vec<f64>, h: f64) -> Vec<f64> {
    let at: Vec<Vec<f64>> = [1.0, -1.0, 2.0, -2.0, 3.0, -3.0]
        .iter()
        .map(|k| along(k * h))
        .collect();
    let slope = |i: usize| {
        let d = |k: usize| at[2 * k][i] - at[2 * k + 1][i];
        (45.0 * d(0) - 9.0 * d(1) + d(2)) / (60.0 * h)
    };
    (0..at[0].len()).map(slope).collect()
}

#[test]
fn no_change_shows_a_dependency_that_was_not_found() {
    let mut random = Random(13);
    let (mut shown, mut entries, mut dense) = (0, 0, 0);
    for (number, (subject, _)) in pairs().enumerate() {
        let found = (subject.explore)();
        let (s, e) = perturb(number, &subject, &found, &mut random);
        (shown, entries) = (shown + s, entries + e);
        dense += found
            .unknowns
            .iter()
            .filter(|unknown| unknown.dense.is_some())
            .count();
    }
    println!("{entries} dependencies, {shown} of them seen, {dense} unknowns taken as dense");
    assert!(
        shown * 100 > entries * 85,
        "sharp: {shown} of {entries} were seen"
    );
    assert!(dense * 50 < models::MODELS * 7, "{dense} unknowns are dense");
}

/// Changes every known at many points; returns how many of the listed dependencies showed, and how many there are.
fn perturb(number: usize, subject: &Subject, found: &Exploration, random: &mut Random) -> (usize, usize) {
    let unknowns = found.unknowns.len();
    let mut shown = vec![[false; CLASSES.len()]; unknowns];
    let mut slopes = vec![[None::<f64>; CLASSES.len()]; unknowns];
    let kind = |unknown: usize, known: usize| {
        let on = &found.unknowns[unknown].on;
        on.iter().find(|entry| entry.0 == known).map(|entry| entry.1)
    };
    let is_live = |known: usize| matches!(CLASSES[known], Class::State | Class::Input | Class::Time);
    let (frozen, frozen_choices) = point(random);
    for round in 0..16 {
        let (mut x, mut choices) = point(random);
        // Half of the points share all that is not live.
        let shares = round % 2 == 0;
        if shares {
            choices = frozen_choices;
            for known in (0..=REALS).filter(|&known| !is_live(known)) {
                x[known] = frozen[known];
            }
        }
        let before = (subject.plain)(&x, choices);
        for known in 0..CLASSES.len() {
            let (mut moved, mut others) = (x.clone(), choices);
            match known.checked_sub(REALS + 1) {
                None => moved[known] = value(random),
                Some(0) => others.on = !choices.on,
                Some(1) => others.n = random.below(4) as i32,
                Some(_) => others.mode = 1 + random.below(3) as i32,
            }
            let after = (subject.plain)(&moved, others);
            for unknown in 0..unknowns {
                let (old, new, kind) = (before[unknown], after[unknown], kind(unknown, known));
                if !close(old, new, 1e-9) {
                    assert!(
                        kind.is_some(),
                        "model {number}: unknown {unknown} does depend on known {known} at {x:?} {choices:?}"
                    );
                    shown[unknown][known] = true;
                }
                if known > REALS || (moved[known] - x[known]).abs() < 0.1 {
                    continue;
                }
                let constant = kind == Some(Kind::Constant);
                let fixed = shares && is_live(known) && kind.is_some_and(|kind| kind < Kind::Dependent);
                if constant || fixed {
                    let slope = (new - old) / (moved[known] - x[known]);
                    let first = *slopes[unknown][known].get_or_insert(slope);
                    assert!(
                        close(first, slope, 1e-6),
                        "model {number}: unknown {unknown}, known {known} ({kind:?}): {first} and {slope} at {x:?}"
                    );
                }
            }
        }
    }
    let sparse = || (0..unknowns).filter(|&unknown| found.unknowns[unknown].dense.is_none());
    let entries = sparse().map(|unknown| found.unknowns[unknown].on.len()).sum();
    let seen = sparse().map(|unknown| shown[unknown].iter().filter(|shown| **shown).count());
    (seen.sum(), entries)
}

fn pairs() -> impl Iterator<Item = (Subject, Program)> {
    models::subjects()
        .into_iter()
        .zip(programs(models::SEED, models::MODELS))
}

/// `v^T J` by the adjoint of one evaluation against one directional derivative per column: within 1e-12 of the sum of
/// `|v_i J_ij|`, except where terms inside of an entry cancel.
#[test]
fn adjoint_and_directional_derivatives_agree() {
    let mut random = Random(7);
    let mut tape = Tape::default();
    let (mut compared, mut dependent, mut cancelled) = (0, 0, 0);
    for (number, subject) in models::subjects().iter().enumerate() {
        for _ in 0..20 {
            let (x, choices) = point(&mut random);
            let results = tape.record_with(x.len(), || {
                let knowns: Vec<Adjoint> = (0..x.len())
                    .map(|known| Adjoint::numbered(x[known], known))
                    .collect();
                (subject.adjoint)(&knowns, choices)
            });
            let v: Vec<f64> = results.iter().map(|_| random.between(-2.0, 2.0)).collect();
            let weighted = || results.iter().copied().zip(v.iter().copied());
            tape.go_back_by_magnitude(weighted());
            let magnitudes = tape.derivatives().to_vec();
            tape.go_back(weighted());
            for known in 0..x.len() {
                let mut duals: Vec<Dual<1>> = x.iter().map(|&x| Dual::plain(x)).collect();
                duals[known] = Dual::variable(x[known], 0);
                let column = (subject.dual)(&duals, choices);
                let terms = || column.iter().zip(&v).map(|(dual, v)| v * dual.lanes[0]);
                let (wanted, scale): (f64, f64) = (terms().sum(), terms().map(f64::abs).sum());
                let found = tape.derivatives()[known];
                // Beside a division by zero, both modes may multiply infinity and zero in another order.
                if !wanted.is_finite() || !magnitudes[known].is_finite() {
                    continue;
                }
                compared += 1;
                dependent += usize::from(scale > 0.0);
                let difference = (found - wanted).abs();
                if difference <= 1e-12 * scale {
                    continue;
                }
                assert!(
                    difference <= 256.0 * f64::EPSILON * magnitudes[known],
                    "model {number}, known {known} at {x:?}, {choices:?}: {found} by the adjoint, {wanted} by directions, terms {}",
                    magnitudes[known]
                );
                cancelled += 1;
            }
        }
    }
    println!("{compared} columns, {dependent} of them not zero, {cancelled} with terms that cancel");
    assert!(dependent * 4 > compared, "{dependent} of {compared}");
    assert!(cancelled * 100 < compared, "{cancelled} of {compared}");
}
