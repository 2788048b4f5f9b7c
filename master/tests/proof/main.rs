//! The proof that coupled results keep their tolerance: a table of systems with references computed outside of the master,
//! and random linear systems against the matrix exponential.

mod case;
mod events;
mod linear;
mod matrix;
mod network;
mod random;
mod systems;

use case::{AGGREGATE, Case, Cause, STEPS, Way};
use master::settings::{Algorithm, Settings};
use random::Random;

const STEPPED: [Algorithm; 4] = [
    Algorithm::Jacobi,
    Algorithm::GaussSeidel,
    Algorithm::IteratedGaussSeidel,
    Algorithm::Newton,
];

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
        ways.push(series(algorithm, 0, &[1e-3, 1e-4, 1e-5]));
        ways.push(series(algorithm, 1, &[1e-3, 1e-4, 1e-5]));
        ways.push(series(algorithm, 2, &[1e-3, 1e-4, 1e-5, 1e-8]));
    }
    ways.push(series(Algorithm::Stabilized, 1, &[1e-3, 1e-4, 1e-5]));
    ways.push(series(Algorithm::Aggregate, 0, &[1e-3, 1e-4, 1e-5, 1e-8]));
    ways
}

/// Runs a case in every way, prints the table and collects what is wrong.
fn judge(case: &Case, allowed: &dyn Fn(Way) -> Option<Cause>) -> Vec<String> {
    let mut wrong = Vec::new();
    println!("{}: condition number {:.2}", case.name, case.condition);
    for series in ways() {
        let mut first: Option<f64> = None;
        for way in series {
            // What cannot interpolate has order 0, whatever is asked for: 1e-8 would take millions of steps.
            let held =
                way.tolerance < 1e-5 && way.extrapolation == 2 && case.name.contains("cannot interpolate");
            if held || (way.algorithm == Algorithm::Aggregate && case.assembly.is_none()) {
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
                    let limit = if way.algorithm == Algorithm::Aggregate {
                        AGGREGATE
                    } else {
                        STEPS
                    };
                    if error > limit {
                        wrong.push(format!("{}: {way}: {error:.1} tolerances", case.name));
                    }
                    // In proportion to the tolerance: what it is in tolerances does not grow.
                    let before = *first.get_or_insert(error);
                    if error > 1.0 && error > 3.0 * before.max(1.0) {
                        wrong.push(format!(
                            "{}: {way}: grows from {before:.1} to {error:.1} tolerances",
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
    wrong
}

/// What may be refused in the table, and why.
fn refusals(name: &str, way: Way) -> Option<Cause> {
    let explicit = matches!(way.algorithm, Algorithm::Jacobi | Algorithm::GaussSeidel);
    let half = name.starts_with("a loop of gain -0.5");
    let large = name.starts_with("a loop of gain -1.8");
    let stateless = name.starts_with("a loop without states");
    match way.algorithm {
        // The linear models of the others assume that outputs do not determine each other.
        Algorithm::Stabilized if half || stateless => Some(Cause::Capability),
        Algorithm::Stabilized if large => Some(Cause::Radius),
        Algorithm::IteratedGaussSeidel if large => Some(Cause::Radius),
        _ if explicit && large => Some(Cause::Radius),
        // Slopes of sweeps are differences: z^2 = -0.5 (2 z - 1) and z^3 = -0.3 (3 z^2 - 3 z + 1) leave the unit circle.
        Algorithm::GaussSeidel if half && way.extrapolation > 0 => Some(Cause::Radius),
        Algorithm::GaussSeidel if stateless && way.extrapolation == 2 => Some(Cause::Radius),
        // Held inputs lag by a step around the loop, an error that is as large as the step, however small that is.
        _ if explicit && (half || stateless) && way.extrapolation == 0 => Some(Cause::MinimumStep),
        // A sample that falls between two steps of the smallest size changes a slope by more than 1e-8 of the run.
        _ if name == "sampled control" && way.tolerance < 1e-5 && way.algorithm != Algorithm::Aggregate => {
            Some(Cause::MinimumStep)
        }
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

/// How many random systems are tried; `COUPLING_SYSTEMS` asks for more.
fn count() -> u64 {
    let wanted = std::env::var("COUPLING_SYSTEMS").ok();
    wanted.map_or(5, |count| count.parse().expect("COUPLING_SYSTEMS is a number"))
}

/// Why a random system may be refused, from its matrices alone.
fn refusable(system: &Random, way: Way, cause: Cause) -> bool {
    match (cause, way.algorithm) {
        // The linear models of the others assume that outputs do not determine each other.
        (Cause::Capability | Cause::Radius, Algorithm::Stabilized) => system.has_loop,
        (Cause::Radius, Algorithm::Jacobi) => system.radius > 0.999,
        (Cause::Radius, Algorithm::IteratedGaussSeidel) => system.bound > 0.999,
        // Slopes of sweeps are differences: the weights 2, -1 and 3, -3, 1 make of a radius r at most 3 r and 7 r.
        (Cause::Radius, Algorithm::GaussSeidel) => {
            system.bound * [1.0, 3.0, 7.0][way.extrapolation as usize] > 0.999
        }
        (Cause::MinimumStep, _) => true,
        _ => false,
    }
}

#[test]
fn random_systems_agree_with_the_matrix_exponential() {
    let mut wrong = Vec::new();
    let (mut tried, mut finished) = (0, 0);
    for seed in 1..=count() {
        let system = Random::new(seed);
        let case = Case::linear(&format!("system {seed}"), system.stop, system.network.clone());
        // What the system itself may make of an error counts beyond the usual factor of 10.
        let excess = (system.condition / 10.0).max(1.0);
        let mut ways = Vec::new();
        for algorithm in STEPPED {
            ways.extend(
                [1e-3, 1e-4, 1e-5]
                    .into_iter()
                    .zip(0..)
                    .map(|(tolerance, extrapolation)| Way {
                        algorithm,
                        extrapolation,
                        tolerance,
                    }),
            );
        }
        for (algorithm, tolerance) in [(Algorithm::Stabilized, 1e-5), (Algorithm::Aggregate, 1e-8)] {
            ways.push(Way {
                algorithm,
                extrapolation: 1,
                tolerance,
            });
        }
        for way in ways {
            let limit = if way.algorithm == Algorithm::Aggregate {
                AGGREGATE
            } else {
                STEPS
            };
            match case.run(way) {
                Ok(track) => {
                    (tried, finished) = (tried + 1, finished + 1);
                    let error = case.error(&track, way.tolerance);
                    if error > limit * excess {
                        wrong.push(format!(
                            "system {seed} (condition number {:.1}): {way}: {error:.1} tolerances",
                            system.condition
                        ));
                    }
                }
                Err(refusal) => {
                    let cause = Cause::of(&refusal);
                    tried += u32::from(cause != Cause::Capability);
                    if !refusable(&system, way, cause) {
                        wrong.push(format!("system {seed}: {way}: {refusal}"));
                    }
                }
            }
        }
    }
    println!("{finished} of {tried} combinations have finished");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(10 * finished >= 9 * tried, "{finished} of {tried}");
}

/// Fixed steps: held inputs are of order 1, lines of order 2, and parabolas through exact derivatives of order 3 where no
/// output depends on an input at once.
#[test]
fn random_systems_converge_at_their_order() {
    let mut wrong = Vec::new();
    for seed in 1..=count() {
        let system = Random::new(seed);
        let case = Case::linear(&format!("system {seed}"), system.stop, system.network.clone());
        for algorithm in STEPPED {
            for extrapolation in 0..=2 {
                let extrapolated = matches!(algorithm, Algorithm::Jacobi | Algorithm::GaussSeidel);
                let order = match extrapolation {
                    2 if extrapolated && !system.feeds_through => 3.0,
                    0 => 1.0,
                    _ => 2.0,
                };
                let run = |parts: f64| {
                    let settings = Settings {
                        stop: system.stop,
                        step: system.stop / parts,
                        algorithm,
                        extrapolation,
                        convergence: 1e-13,
                        ..Settings::default()
                    };
                    Ok(case.error(&case.stepped(settings)?, 1.0))
                };
                let way = Way {
                    algorithm,
                    extrapolation,
                    tolerance: 0.0,
                };
                let errors: Result<Vec<f64>, master::Error> = [50.0, 100.0].into_iter().map(run).collect();
                match errors {
                    Ok(errors) => {
                        let found = (errors[0] / errors[1]).log2();
                        if errors[1] > 1e-11 && found < order - 0.3 {
                            wrong.push(format!(
                                "system {seed}: {way}: order {found:.2} for {order} ({errors:?})"
                            ));
                        }
                    }
                    Err(refusal) => {
                        if !refusable(&system, way, Cause::of(&refusal)) {
                            wrong.push(format!("system {seed}: {way}: {refusal}"));
                        }
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
