//! Jumps and kinks of inputs from outside are communication points, whatever the algorithm: against integrals in closed
//! form.

mod common;

use common::System;
use fmu_master::component::Component;
use fmu_master::coupling::{Coupling, Input, Link, Output};
use fmu_master::settings::{Algorithm, Control, Correction, Settings};
use fmu_master::signals::Signals;
use fmu_master::{Master, Point};

/// A ramp to 1, a jump to 3 at 1/4 and down to 0 at 0.6: its integral over [0, 1] is 1/8 + 3 * 0.35 / 2.
const TABLE: [(f64, f64); 4] = [(0.0, 0.0), (0.25, 1.0), (0.25, 3.0), (0.6, 0.0)];
const INTEGRAL: f64 = 0.125 + 0.525;

/// `x' = k u`, `y = x`.
fn integrator(k: f64) -> System {
    System::new(&[0.0], 1, 1, move |_, _, u| vec![k * u[0]], |_, x, _| vec![x[0]])
}

/// `y = u + 1`, without a state.
fn adder() -> System {
    System::new(&[], 1, 1, |_, _, _| Vec::new(), |_, _, u| vec![u[0] + 1.0])
}

/// A row of systems: the first one follows a table, each other one the output of the one before it.
fn row(systems: Vec<(System, bool)>, table: &[(f64, f64)], settings: Settings) -> Master {
    let mut signals = Signals::new();
    let mut coupling = Coupling::default();
    let mut components: Vec<Box<dyn Component>> = Vec::new();
    for (number, (system, feeds_through)) in systems.into_iter().enumerate() {
        let link = match number.checked_sub(1) {
            None => Link::Signal(signals.add_linear(table.to_vec())),
            Some(output) => Link::Output {
                output,
                gain: 1.0,
                offset: 0.0,
            },
        };
        let name = format!("s{number}");
        let input = Input {
            name: format!("{name}.u"),
            link,
        };
        let output = Output {
            name: format!("{name}.y"),
            nominal: 1.0,
            feed_through: if feeds_through { vec![0] } else { Vec::new() },
        };
        coupling.add(&name, vec![input], vec![output]);
        components.push(Box::new(system));
    }
    let inputs = components.len();
    let mut master = Master::new(coupling, components, signals, settings).expect("a master");
    master.initialize(&vec![0.0; inputs]).expect("it begins");
    master
}

fn points(master: &mut Master) -> Vec<(f64, Vec<f64>, Vec<f64>)> {
    let mut points = Vec::new();
    let keep = |point: Point<'_>| {
        points.push((point.t, point.y.to_vec(), point.u.to_vec()));
        true
    };
    master.run(keep).expect("it runs");
    points
}

const ALGORITHMS: [Algorithm; 4] = [
    Algorithm::Jacobi,
    Algorithm::GaussSeidel,
    Algorithm::IteratedGaussSeidel,
    Algorithm::Newton,
];

#[test]
fn lines_between_corners_are_integrated_exactly_by_every_algorithm() {
    for algorithm in ALGORITHMS {
        for (extrapolation, smoothing) in [(1, false), (1, true), (2, false)] {
            for step in [0.5, 0.3, 0.1] {
                let settings = Settings::default()
                    .step(step)
                    .algorithm(algorithm)
                    .extrapolation(extrapolation)
                    .smoothing(smoothing);
                let mut master = row(vec![(integrator(1.0), false)], &TABLE, settings);
                let y = points(&mut master).last().expect("a point").1[0];
                assert!(
                    (y - INTEGRAL).abs() < 1e-12,
                    "{algorithm:?} {extrapolation} {smoothing} {step}: {y}"
                );
            }
        }
    }
}

#[test]
fn held_inputs_jump_where_the_table_does() {
    // 2 up to 0.37, and -1 from there: 0.74 - 0.63.
    let table = [(0.0, 2.0), (0.37, 2.0), (0.37, -1.0)];
    for algorithm in ALGORITHMS {
        let settings = Settings::default().step(0.25).algorithm(algorithm);
        let mut master = row(vec![(integrator(1.0), false)], &table, settings);
        let points = points(&mut master);
        let times: Vec<f64> = points.iter().map(|point| point.0).collect();
        assert_eq!(times, [0.0, 0.25, 0.37, 0.5, 0.75, 1.0], "back on the grid");
        assert!(master.warnings().is_empty(), "{:?}", master.warnings());
        // The input of a point is the one that counts from there on.
        let inputs: Vec<f64> = points.iter().map(|point| point.2[0]).collect();
        assert_eq!(inputs, [2.0, 2.0, -1.0, -1.0, -1.0, -1.0]);
        assert!((points[2].1[0] - 0.74).abs() < 1e-12 && (points[5].1[0] - 0.11).abs() < 1e-12);
    }
}

#[test]
fn lines_that_are_held_are_a_warning() {
    for (algorithm, extrapolation, warned) in [
        (Algorithm::Jacobi, 0, true),
        (Algorithm::Newton, 0, true),
        (Algorithm::Jacobi, 1, false),
    ] {
        let settings = Settings::default()
            .algorithm(algorithm)
            .extrapolation(extrapolation);
        let master = row(vec![(integrator(1.0), false)], &TABLE, settings);
        let said = master.warnings().iter();
        let said = said.filter(|warning| warning.contains("extrapolation = 1 follows them"));
        assert_eq!(said.count(), usize::from(warned), "{algorithm:?} {extrapolation}");
    }
}

#[test]
fn corners_at_points_of_the_grid_add_no_steps() {
    // 0.3 is not three times 0.1 in binary numbers, nor 0.1 + 0.2.
    let table = [(0.3, 0.0), (0.1 + 0.2, 1.0), (0.7, 1.0), (0.7, 0.0)];
    let settings = Settings::default().step(0.1);
    let mut master = row(vec![(integrator(1.0), false)], &table, settings);
    let points = points(&mut master);
    assert_eq!(points.len(), 11);
    assert!((points[10].1[0] - 0.4).abs() < 1e-12, "{}", points[10].1[0]);
    assert_eq!(master.statistics().steps, 10);
}

#[test]
fn error_control_meets_corners_and_keeps_its_step() {
    let settings = |control| {
        Settings::default()
            .step(0.01)
            .stop(2.0)
            .extrapolation(1)
            .control(control)
    };
    let control = Control::new(1e-6, 2.0).maximum(0.5);
    let both = || vec![(integrator(1.0), false), (integrator(1.0), false)];
    let mut master = row(both(), &TABLE, settings(Some(control)));
    let found = points(&mut master);
    for corner in [0.25, 0.6] {
        assert!(found.iter().any(|point| point.0 == corner), "{corner}");
    }
    let last = &found[found.len() - 1];
    assert!((last.1[0] - INTEGRAL).abs() < 1e-12, "{}", last.1[0]);

    // A short step between two corners is followed by one of the size before it, not by many that grow slowly.
    let pulse = vec![(0.5, 1.0), (0.5, 9.0), (0.5 + 1e-6, 9.0), (0.5 + 1e-6, 1.0)];
    let mut master = row(vec![(integrator(1.0), false)], &pulse, settings(Some(control)));
    let found = points(&mut master);
    let at = found.iter().position(|point| point.0 == 0.5 + 1e-6);
    let at = at.expect("the second corner");
    assert_eq!(found[at - 1].0, 0.5);
    assert!(found[at + 1].0 - found[at].0 > 0.1, "{}", found[at + 1].0);
}

#[test]
fn differences_do_not_reach_over_a_jump() {
    // u jumps by 8 at 0.25 and goes on with slope 1 through y = u + 1 into an integrator, extrapolated by differences.
    let table = [(0.0, 0.0), (0.25, 0.25), (0.25, 8.25), (1.0, 9.0)];
    let exact = 1.0 + 0.5 + 8.0 * 0.75;
    for follows in [true, false] {
        for algorithm in ALGORITHMS {
            let settings = Settings::default()
                .step(0.05)
                .algorithm(algorithm)
                .extrapolation(1)
                .differences(true);
            let mut first = adder();
            first.can.outputs_follow_inputs = follows;
            let parts = vec![(first, true), (integrator(1.0), false)];
            let mut master = row(parts, &table, settings);
            let last = points(&mut master).pop().expect("a point");
            // Where the jump of y is known at once, lines are met; where not, Jacobi sees it a step of 0.05 too late.
            let late = if algorithm == Algorithm::Jacobi && !follows {
                8.0 * 0.05
            } else {
                0.0
            };
            let allowed = 5e-3;
            assert!(
                (last.1[1] - (exact - late)).abs() < allowed,
                "{algorithm:?} {follows}: {} instead of {}",
                last.1[1],
                exact - late
            );
        }
    }
}

#[test]
fn outputs_at_a_jump_belong_to_what_follows() {
    let table = [(0.0, 1.0), (0.25, 1.0), (0.25, 5.0)];
    for correction in [Correction::None, Correction::Linear, Correction::Consistent] {
        let settings = Settings::default()
            .step(0.1)
            .extrapolation(1)
            .correction(correction);
        let parts = vec![(adder(), true), (integrator(1.0), false)];
        let mut master = row(parts, &table, settings);
        let points = points(&mut master);
        let here = points.iter().find(|point| point.0 == 0.25).expect("the jump");
        assert!((here.1[0] - 6.0).abs() < 1e-9, "{correction:?}: {}", here.1[0]);
        let last = points[points.len() - 1].1[1];
        assert!(
            (last - (2.0 * 0.25 + 6.0 * 0.75)).abs() < 1e-9,
            "{correction:?}: {last}"
        );
    }
}

#[test]
fn components_of_one_step_size_keep_the_grid_with_a_warning() {
    let settings = Settings::default().step(0.1).extrapolation(1);
    let mut stubborn = integrator(1.0);
    stubborn.can.variable_step = false;
    let mut master = row(vec![(stubborn, false)], &TABLE, settings);
    assert_eq!(points(&mut master).len(), 11);
    let warnings = master.warnings();
    // The kink at 0.6 is at the end of a step.
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].contains("(once, the first at t = 0.25)") && warnings[0].contains("s0"),
        "{}",
        warnings[0]
    );
}
