//! The proof that coupled results keep their tolerance: a table of systems with references computed outside of the master,
//! and random linear systems against the matrix exponential.

mod campaign;
mod case;
mod events;
mod linear;
mod matrix;
mod network;
mod random;
mod systems;

use case::{AGGREGATE, Case, Cause, STEPS, Way};
use fmu_master::settings::Algorithm;

const STEPPED: [Algorithm; 4] = [
    Algorithm::Jacobi,
    Algorithm::GaussSeidel,
    Algorithm::IteratedGaussSeidel,
    Algorithm::Newton,
];

/// The power of the tolerance with which errors fall at least, from the loosest to the tightest. In proportion is 1. Control of the
/// error of each step, instead of that of the run, has the powers 1/2, 2/3 and 3/4 with inputs of order 0, 1 and 2.
const POWER: f64 = 0.95;
/// The same for the aggregate, whose solver controls the error of each step by an order that changes.
const AGGREGATE_POWER: f64 = 0.85;

/// The tolerance from which on errors must fall so. In a loop with jacobi and order 2 errors far below loose tolerances approach
/// their share from below.
fn falls_from(name: &str, way: Way) -> f64 {
    match way.algorithm {
        Some(Algorithm::Jacobi) if way.extrapolation == 2 && name.starts_with("a loop of gain -0.5") => 1e-5,
        _ => f64::INFINITY,
    }
}

/// All ways that the table tries, in series of one algorithm and order with falling tolerances.
fn ways() -> Vec<Vec<Way>> {
    let series = |algorithm, extrapolation, tolerances: &[f64]| {
        let way = |&tolerance| Way {
            algorithm,
            extrapolation,
            tolerance,
        };
        tolerances.iter().map(way).collect::<Vec<Way>>()
    };
    let mut ways = Vec::new();
    for algorithm in STEPPED {
        ways.push(series(Some(algorithm), 0, &[1e-3, 1e-4, 1e-5]));
        ways.push(series(Some(algorithm), 1, &[1e-3, 1e-4, 1e-5]));
        ways.push(series(Some(algorithm), 2, &[1e-3, 1e-4, 1e-5, 1e-8]));
    }
    ways.push(series(Some(Algorithm::Stabilized), 1, &[1e-3, 1e-4, 1e-5]));
    ways.push(series(None, 0, &[1e-3, 1e-4, 1e-5, 1e-8]));
    ways
}

/// Runs a case in every way, prints the table and collects what is wrong.
fn judge(case: &Case, allowed: &dyn Fn(Way) -> Option<Cause>) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut left_out = 0;
    println!("{}: condition number {:.2}", case.name, case.condition);
    for series in ways() {
        let mut first: Option<(f64, f64)> = None;
        let last = series.last().copied();
        for way in series {
            // 1e-8 is asked of order 2, which these do not have, whatever is asked for.
            if way.tolerance < 1e-5 && way.extrapolation == 2 && case.name.contains("cannot interpolate") {
                left_out += 1;
                continue;
            }
            let started = std::time::Instant::now();
            match case.run(way) {
                Ok(track) => {
                    let error = case.error(&track, way.tolerance);
                    println!(
                        "   {way}: {error:.2} tolerances, {} steps, {:?}",
                        track.steps,
                        started.elapsed()
                    );
                    let (limit, least) = match way.algorithm {
                        None => (AGGREGATE, AGGREGATE_POWER),
                        Some(_) => (STEPS, POWER),
                    };
                    if error > limit {
                        wrong.push(format!("{}: {way}: {error:.1} tolerances", case.name));
                    }
                    if way.tolerance > falls_from(&case.name, way) {
                        continue;
                    }
                    // A loose tolerance may be kept better than it asks for, so an error below 1 counts as 1.
                    let &mut (loose, before) = first.get_or_insert((way.tolerance, error.max(1.0)));
                    let power = 1.0 - (error.max(1.0) / before).ln() / (loose / way.tolerance).ln();
                    if Some(&way) == last.as_ref() && loose > way.tolerance && power < least {
                        wrong.push(format!(
                            "{}: {way}: {before:.1} tolerances at {loose:.0e}, {error:.1} now: the error falls with the power \
                             {power:.2} of the tolerance",
                            case.name
                        ));
                    }
                }
                Err(refusal) if allowed(way) == Some(Cause::of(&refusal)) => {
                    println!("   {way}: refused, as it must be");
                }
                Err(refusal) => {
                    println!("   {way}: {refusal} after {:?}", started.elapsed());
                    wrong.push(format!("{}: {way}: {refusal}", case.name));
                }
            }
        }
    }
    if left_out > 0 {
        println!(
            "   {left_out} combinations left out: 1e-8 with order 2, because inputs that cannot interpolate have order 0"
        );
    }
    wrong
}

/// What may be refused in the table, and why.
fn refusals(name: &str, way: Way) -> Option<Cause> {
    let explicit = matches!(way.algorithm, Some(Algorithm::Jacobi | Algorithm::GaussSeidel));
    let half = name.starts_with("a loop of gain -0.5");
    let large = name.starts_with("a loop of gain -1.8");
    let stateless = name.starts_with("a loop without states");
    match way.algorithm {
        // The linear models of the others assume that outputs do not determine each other.
        Some(Algorithm::Stabilized) if half || stateless => Some(Cause::Capability),
        Some(Algorithm::Stabilized) if large => Some(Cause::Radius),
        Some(Algorithm::IteratedGaussSeidel) if large => Some(Cause::Radius),
        _ if explicit && large => Some(Cause::Radius),
        // Slopes of sweeps are differences: z^2 = -0.5 (2 z - 1) and z^3 = -0.3 (3 z^2 - 3 z + 1) leave the unit circle.
        Some(Algorithm::GaussSeidel) if half && way.extrapolation > 0 => Some(Cause::Radius),
        Some(Algorithm::GaussSeidel) if stateless && way.extrapolation == 2 => Some(Cause::Radius),
        _ => None,
    }
}

fn judge_all(cases: Vec<Case>) {
    let mut wrong = Vec::new();
    for case in cases {
        assert!(case.condition <= 10.0, "{}: {}", case.name, case.condition);
        wrong.extend(judge(&case, &|way| refusals(&case.name, way)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_algorithm_keeps_its_tolerance() {
    judge_all(systems::cases());
}

#[test]
fn every_algorithm_keeps_its_tolerance_over_events() {
    judge_all(events::cases());
}
