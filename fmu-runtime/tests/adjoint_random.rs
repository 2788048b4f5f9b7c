//! Random programs: adjoint derivatives against directional ones.

mod common;
#[path = "common/program.rs"]
mod program;

use common::Random;
use fmu_runtime::scalar::{Adjoint, Dual, Tape};
use program::Program;

/// The difference between both relative to the sum of `|v_i J_ij|`, per column.
const TOLERANCE: f64 = 1e-12;
/// What roundings may add up to, relative to the terms of a derivative if no terms cancelled.
const ROUNDINGS: f64 = 64.0 * f64::EPSILON;

/// `v^T J` by the adjoint of one evaluation, with the sum of the magnitudes of all its terms.
fn adjoint(tape: &mut Tape, program: &Program, x: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let results = tape.record_with(x.len(), || {
        let knowns: Vec<Adjoint> = (0..x.len())
            .map(|known| Adjoint::numbered(x[known], known))
            .collect();
        program.run(&knowns)
    });
    let values = results
        .iter()
        .map(|&result| fmu_runtime::scalar::Scalar::value(result))
        .collect();
    let weighted = || results.iter().copied().zip(v.iter().copied());
    tape.go_back_by_magnitude(weighted());
    let magnitudes = tape.derivatives().to_vec();
    tape.go_back(weighted());
    (values, tape.derivatives().to_vec(), magnitudes)
}

#[test]
fn adjoint_and_directional_derivatives_of_ten_thousand_programs_agree() {
    let count =
        std::env::var("RANDOM_PROGRAMS_COUNT").map_or(10_000, |count| count.parse().expect("a number"));
    let mut random = Random(34);
    let mut tape = Tape::default();
    let (mut compared, mut dependent, mut cancelled) = (0, 0, 0);
    for number in 0..count {
        let knowns = 2 + random.below(5);
        let statements = 1 + random.below(5);
        let unknowns = 1 + random.below(4);
        let program = Program::random(&mut random, knowns, statements, unknowns);
        let x: Vec<f64> = (0..knowns).map(|_| random.between(-3.0, 3.0)).collect();
        let v: Vec<f64> = (0..unknowns).map(|_| random.between(-2.0, 2.0)).collect();
        let (values, found, magnitudes) = adjoint(&mut tape, &program, &x, &v);
        for (known, (found, magnitude)) in found.into_iter().zip(magnitudes).enumerate() {
            let duals: Vec<Dual<1>> = (0..knowns)
                .map(|other| Dual::new(x[other], [if other == known { 1.0 } else { 0.0 }]))
                .collect();
            let column = program.run(&duals);
            let (mut wanted, mut scale) = (0.0, 0.0_f64);
            for ((dual, v), value) in column.iter().zip(&v).zip(&values) {
                assert_eq!(
                    dual.value.to_bits(),
                    value.to_bits(),
                    "program {number}: the value"
                );
                wanted += v * dual.lanes[0];
                scale += (v * dual.lanes[0]).abs();
            }
            compared += 1;
            dependent += usize::from(scale > 0.0);
            let difference = (found - wanted).abs();
            if difference <= TOLERANCE * scale {
                continue;
            }
            // Terms inside of an entry cancel: then both are as exact as roundings of these terms allow.
            assert!(
                difference <= ROUNDINGS * magnitude,
                "program {number}, known {known} at {x:?}: {found} by the adjoint, {wanted} by directions, terms {magnitude}"
            );
            cancelled += 1;
        }
    }
    println!("{compared} columns, {dependent} of them not zero, {cancelled} with terms that cancel");
    assert!(dependent * 3 > compared, "{dependent} of {compared}");
    assert!(cancelled * 200 < compared, "{cancelled} of {compared}");
}
