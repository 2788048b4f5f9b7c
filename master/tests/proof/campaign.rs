//! Random linear systems against the matrix exponential: with error control, and at their order with fixed steps.
//!
//! `cargo xtask coupled-systems` runs 500 of them; the test runs as many as take some seconds without optimisation.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use fmu_master::settings::{Algorithm, Settings};

use crate::STEPPED;
use crate::case::{AGGREGATE, Case, Cause, STEPS, Way};
use crate::random::Random;

/// Which systems are tried, from `COUPLING_SYSTEMS`: a number of systems, from 1 on, or a range of seeds as `FROM..TO`.
/// Without it, the short version for the tests.
struct Selection {
    seeds: std::ops::RangeInclusive<u64>,
    /// All tolerances with all orders, and a line for every 25 systems.
    thorough: bool,
}

impl Selection {
    fn new() -> Selection {
        let Ok(wanted) = std::env::var("COUPLING_SYSTEMS") else {
            return Selection {
                seeds: 1..=20,
                thorough: false,
            };
        };
        let number = |text: &str| text.parse().expect("COUPLING_SYSTEMS has numbers");
        Selection {
            seeds: match wanted.split_once("..") {
                Some((from, to)) => number(from)..=number(to),
                None => 1..=number(&wanted),
            },
            thorough: true,
        }
    }

    /// The ways in which each system is simulated with error control.
    fn ways(&self) -> Vec<Way> {
        const TOLERANCES: [f64; 3] = [1e-3, 1e-4, 1e-5];
        let mut ways = Vec::new();
        let mut add = |algorithm, extrapolation, tolerance| {
            ways.push(Way {
                algorithm,
                extrapolation,
                tolerance,
            });
        };
        for algorithm in STEPPED {
            for (extrapolation, own) in (0..3).zip(TOLERANCES) {
                for tolerance in TOLERANCES {
                    if self.thorough || tolerance == own {
                        add(Some(algorithm), extrapolation, tolerance);
                    }
                }
            }
            if self.thorough {
                add(Some(algorithm), 2, 1e-8);
            }
        }
        for tolerance in TOLERANCES {
            if self.thorough || tolerance == 1e-5 {
                add(Some(Algorithm::Stabilized), 1, tolerance);
                add(None, 0, tolerance);
            }
        }
        add(None, 0, 1e-8);
        ways
    }
}

/// Errors below this say nothing of an order.
const ROUNDING: f64 = 1e-11;

/// What has come of all systems.
#[derive(Default)]
struct Report {
    passed: u64,
    failed: u64,
    finished: u64,
    /// Combinations that would take too many steps.
    left_out: u64,
    /// Refused runs, and those of them that lack a capability.
    refused: u64,
    lacking: u64,
    /// How often each refusal that is allowed was seen, by algorithm and order.
    reasons: BTreeMap<&'static str, BTreeMap<String, u64>>,
    /// The largest error in tolerances of each algorithm, and the system that has it.
    worst: BTreeMap<&'static str, (f64, u64)>,
    wrong: Vec<String>,
    slowest: (Duration, String),
}

impl Report {
    fn system(&mut self, selection: &Selection, seed: u64, wrong: Vec<String>) {
        match wrong.is_empty() {
            true => self.passed += 1,
            false => self.failed += 1,
        }
        for line in &wrong {
            println!("   {line}");
        }
        self.wrong.extend(wrong);
        if selection.thorough && (seed - selection.seeds.start() + 1).is_multiple_of(25) {
            println!("   {seed}: {} passed, {} failed so far", self.passed, self.failed);
        }
    }

    fn time(&mut self, started: Instant, what: impl FnOnce() -> String) {
        let taken = started.elapsed();
        if taken > self.slowest.0 {
            self.slowest = (taken, what());
        }
        if taken > Duration::from_secs(1)
            && let (_, what) = &self.slowest
        {
            println!("   slow {taken:?} {what}");
        }
    }
}

/// The smallest step with error control, as a part of the run: a tolerance that asks for more than a million steps is refused.
const MINIMUM: f64 = 1e-6;

/// All refusals that are allowed, with their causes; any other one fails.
const REFUSALS: [Refusal; 6] = [
    Refusal {
        cause: Cause::Capability,
        why: "a missing capability: snapshots; for stabilized also inputs as states, and directional derivatives",
        holds: |system, way| !system.suffices(way),
    },
    // The linear models of the others assume that outputs do not determine each other.
    Refusal {
        cause: Cause::Capability,
        why: "a missing capability: stabilized takes no algebraic loops",
        holds: |system, way| way.algorithm == Some(Algorithm::Stabilized) && system.has_loop,
    },
    Refusal {
        cause: Cause::Radius,
        why: "a spectral radius above 1 (or a bound of it), known before the run",
        holds: |system, way| match way.algorithm {
            Some(Algorithm::Stabilized) => system.has_loop,
            // The inputs of sources that provide derivatives are extrapolated without earlier values.
            Some(Algorithm::Jacobi) if system.provides_derivatives() => system.radius > 0.999,
            Some(Algorithm::IteratedGaussSeidel) => system.bound > 0.999,
            // Slopes of sweeps are differences: the weights 2, -1 and 3, -3, 1 make of a radius r at most 3 r and 7 r.
            Some(Algorithm::Jacobi | Algorithm::GaussSeidel) => {
                system.bound * [1.0, 3.0, 7.0][way.extrapolation as usize] > 0.999
            }
            _ => false,
        },
    },
    // Held inputs lag by a step around a loop, an error that falls no faster than the step.
    Refusal {
        cause: Cause::MinimumStep,
        why: "the minimum step: inputs lag by a step around an algebraic loop",
        holds: |system, way| is_explicit(way) && system.has_loop,
    },
    // The error of held inputs falls with the step only.
    Refusal {
        cause: Cause::MinimumStep,
        why: "the minimum step: held inputs, and a tolerance of at most 1e-5",
        holds: |system, way| {
            way.algorithm.is_some()
                && way.tolerance <= 1e-5
                && (way.extrapolation == 0 || system.order() == 0)
        },
    },
    // An error that does not accumulate may be taken for one that does.
    Refusal {
        cause: Cause::MinimumStep,
        why: "the minimum step, by a missing capability: a component with hidden states and feed-through has no directional \
              derivatives",
        holds: |system, way| way.algorithm.is_some() && system.hides_feed_through,
    },
];

/// A refusal that is allowed.
struct Refusal {
    cause: Cause,
    why: &'static str,
    /// From the matrices and capabilities of a system alone.
    holds: fn(&Random, Way) -> bool,
}

fn is_explicit(way: Way) -> bool {
    matches!(way.algorithm, Some(Algorithm::Jacobi | Algorithm::GaussSeidel))
}

/// Why a random system may be refused in this way, if it may.
fn allowed(system: &Random, way: Way, cause: Cause) -> Option<&'static Refusal> {
    let mut refusals = REFUSALS.iter();
    refusals.find(|refusal| refusal.cause == cause && (refusal.holds)(system, way))
}

#[test]
fn random_systems_agree_with_the_matrix_exponential() {
    let selection = Selection::new();
    let ways = selection.ways();
    let mut report = Report::default();
    for seed in selection.seeds.clone() {
        let system = Random::new(seed);
        let case = system.case(seed);
        // What the system itself may make of an error counts beyond the usual factor of 10.
        let excess = (system.condition / 10.0).max(1.0);
        let mut wrong = Vec::new();
        for &way in &ways {
            // They are counted, and printed with the reason.
            if way.tolerance < 1e-5 && way.algorithm.is_some() && system.order() < 2 {
                report.left_out += 1;
                continue;
            }
            let limit = match way.algorithm {
                None => AGGREGATE,
                Some(_) => STEPS,
            };
            let started = Instant::now();
            match case.run_with_minimum(way, MINIMUM) {
                Ok(track) => {
                    report.finished += 1;
                    let error = case.error(&track, way.tolerance);
                    let worst = report.worst.entry(way.name()).or_insert((0.0, seed));
                    if error / excess > worst.0 {
                        *worst = (error / excess, seed);
                    }
                    if error > limit * excess {
                        wrong.push(format!(
                            "system {seed} (condition number {:.1}): {way}: {error:.1} tolerances",
                            system.condition
                        ));
                    }
                }
                Err(refusal) => {
                    let cause = Cause::of(&refusal);
                    report.lacking += u64::from(cause == Cause::Capability);
                    report.refused += 1;
                    match allowed(&system, way, cause) {
                        Some(Refusal { why, .. }) => {
                            let ways = report.reasons.entry(why).or_default();
                            *ways
                                .entry(format!("{}, order {}", way.name(), way.extrapolation))
                                .or_default() += 1;
                        }
                        None => wrong.push(format!("system {seed}: {way}: {refusal}")),
                    }
                }
            }
            report.time(started, || format!("system {seed}: {way}"));
        }
        report.system(&selection, seed, wrong);
    }
    println!("   refusals that are allowed, with the minimum step set to {MINIMUM:.0e} of the run:");
    for Refusal { why, .. } in &REFUSALS {
        let ways = report.reasons.get(why).cloned().unwrap_or_default();
        println!("   {} times: {why}", ways.values().sum::<u64>());
        for (way, count) in ways {
            println!("      {count} times: {way}");
        }
    }
    for (algorithm, (error, seed)) in &report.worst {
        println!("   {algorithm}: at most {error:.2} tolerances (system {seed})");
    }
    println!("   slowest: {:?}, {}", report.slowest.0, report.slowest.1);
    let capable = report.finished + report.refused - report.lacking;
    println!(
        "   {} of {capable} combinations whose capabilities suffice have finished",
        report.finished
    );
    println!(
        "   {} combinations left out: 1e-8 is asked of inputs of order 2, and a component takes no second derivatives",
        report.left_out
    );
    println!("{} passed, {} failed", report.passed, report.failed);
    assert!(report.wrong.is_empty(), "{}", report.wrong.join("\n"));
    assert!(
        10 * report.finished >= 9 * capable,
        "{} of {capable}",
        report.finished
    );
}

/// Fixed steps: held inputs are of order 1, lines of order 2, and parabolas through exact derivatives of order 3 where no
/// output depends on an input at once.
#[test]
fn random_systems_converge_at_their_order() {
    let selection = Selection::new();
    let mut report = Report::default();
    for seed in selection.seeds.clone() {
        let system = Random::new(seed);
        let case = Case::linear(&format!("system {seed}"), system.stop, system.network.clone());
        let mut wrong = Vec::new();
        for algorithm in STEPPED {
            for extrapolation in 0..=2 {
                let extrapolated = matches!(algorithm, Algorithm::Jacobi | Algorithm::GaussSeidel);
                let order = match extrapolation {
                    2 if extrapolated && !system.feeds_through => 3.0,
                    0 => 1.0,
                    _ => 2.0,
                };
                let run = |parts: f64| {
                    let settings = Settings::default()
                        .stop(system.stop)
                        .step(system.stop / parts)
                        .algorithm(algorithm)
                        .extrapolation(extrapolation)
                        .convergence(1e-13);
                    Ok::<f64, fmu_master::Error>(case.error(&case.stepped(settings)?, 1.0))
                };
                let way = Way {
                    algorithm: Some(algorithm),
                    extrapolation,
                    tolerance: 0.0,
                };
                // Loops that are nearly singular show their order with small steps only. One pair of steps may show it by
                // chance, so two pairs one after another have to.
                let mut seen = Vec::new();
                let mut shown = 0;
                let mut judged = Ok(());
                for parts in [50.0, 200.0, 800.0, 3200.0, 12800.0] {
                    let (coarse, fine) = match run(parts).and_then(|coarse| Ok((coarse, run(2.0 * parts)?))) {
                        Ok(errors) => errors,
                        Err(refusal) => {
                            judged = Err(refusal);
                            break;
                        }
                    };
                    seen.push((coarse / fine).log2());
                    let is_shown = fine <= ROUNDING || (coarse / fine).log2() >= order - 0.3;
                    shown = if is_shown { shown + 1 } else { 0 };
                    if shown == 2 {
                        break;
                    }
                }
                match judged {
                    Ok(()) if shown == 2 => {}
                    Ok(()) => wrong.push(format!("system {seed}: {way}: orders {seen:.2?} for {order}")),
                    Err(refusal) => {
                        if allowed(&system, way, Cause::of(&refusal)).is_none() {
                            wrong.push(format!("system {seed}: {way}: {refusal}"));
                        }
                    }
                }
            }
        }
        report.system(&selection, seed, wrong);
    }
    println!("{} passed, {} failed", report.passed, report.failed);
    assert!(report.wrong.is_empty(), "{}", report.wrong.join("\n"));
}
