//! Error control through the public door: the error of the results against closed forms.

mod common;

use common::{Part, System, couple};
use fmu_master::settings::{Algorithm, Control, Norm, Per, Quadratic, Settings};
use fmu_master::trace::Trace;
use fmu_master::{Error, Master};
use fmu_results::table::Cell;

const ALGORITHMS: [Algorithm; 4] = [
    Algorithm::Jacobi,
    Algorithm::GaussSeidel,
    Algorithm::IteratedGaussSeidel,
    Algorithm::Newton,
];

fn controlled(algorithm: Algorithm, extrapolation: u32, tolerance: f64) -> Settings {
    Settings::default()
        .algorithm(algorithm)
        .extrapolation(extrapolation)
        .control(Some(Control::new(tolerance, 1.0)))
}

/// Initializes and runs.
fn run(parts: Vec<Part>, settings: Settings) -> Result<Master, Error> {
    let inputs = parts.iter().map(|part| part.1.len()).sum();
    let mut master = couple(parts, settings)?;
    master.initialize(&vec![0.0; inputs])?;
    master.run(|_| true)?;
    Ok(master)
}

/// x' = -x from 1, which feeds y' = u from 0.
fn lag_and_integrator() -> Vec<Part> {
    let lag = System::new(&[1.0], 0, 1, |_, x, _| vec![-x[0]], |_, x, _| x.to_vec());
    let integrator = System::new(&[0.0], 1, 1, |_, _, u| vec![u[0]], |_, x, _| x.to_vec());
    vec![(lag, vec![], vec![vec![]]), (integrator, vec![0], vec![vec![]])]
}

/// x' = v and v' = -x, each a component: x = cos t.
fn oscillator() -> Vec<Part> {
    let position = System::new(&[1.0], 1, 1, |_, _, u| vec![u[0]], |_, x, _| x.to_vec());
    let velocity = System::new(&[0.0], 1, 1, |_, _, u| vec![-u[0]], |_, x, _| x.to_vec());
    vec![
        (position, vec![1], vec![vec![]]),
        (velocity, vec![0], vec![vec![]]),
    ]
}

/// The error of an output in tolerances, for values of about 1.
fn off(master: &Master, output: usize, exact: f64, tolerance: f64) -> f64 {
    (master.outputs()[output] - exact).abs() / (tolerance * (1.0 + exact.abs()))
}

#[test]
fn an_output_that_feeds_nothing_is_controlled_too() {
    let exact = 1.0 - (-1f64).exp();
    for algorithm in ALGORITHMS {
        for (extrapolation, tolerance) in [(0, 1e-3), (0, 1e-4), (1, 1e-3), (1, 1e-5), (2, 1e-5), (2, 1e-8)] {
            let master = run(
                lag_and_integrator(),
                controlled(algorithm, extrapolation, tolerance),
            )
            .unwrap();
            let off = off(&master, 1, exact, tolerance);
            assert!(
                off <= 2.0,
                "{algorithm:?} {extrapolation} {tolerance:e}: {off} tolerances"
            );
        }
    }
}

#[test]
fn the_error_falls_in_proportion_to_the_tolerance() {
    for algorithm in ALGORITHMS {
        for (extrapolation, tolerances) in [
            (0, [1e-2, 1e-3, 5e-4]),
            (1, [1e-3, 1e-4, 1e-5]),
            (2, [1e-4, 1e-6, 1e-8]),
        ] {
            for tolerance in tolerances {
                let mut settings = controlled(algorithm, extrapolation, tolerance);
                settings.stop = 2.0;
                settings.differences = true;
                let master = run(oscillator(), settings).unwrap();
                let off = off(&master, 0, 2f64.cos(), tolerance).max(off(&master, 1, -2f64.sin(), tolerance));
                let statistics = master.statistics();
                let accumulated = statistics.accumulated_error.unwrap();
                assert!(accumulated <= 1.0 && statistics.steps < 2000, "{statistics:?}");
                assert!(
                    off <= 4.0,
                    "{algorithm:?} {extrapolation} {tolerance:e}: {off} tolerances"
                );
            }
        }
    }
}

#[test]
fn one_bad_output_among_a_hundred_quiet_ones_counts() {
    let tolerance = 1e-3;
    let lag = System::new(
        &[1.0],
        0,
        101,
        |_, x, _| vec![-x[0]],
        |_, x, _| {
            let mut y = vec![1.0; 101];
            y[0] = x[0];
            y
        },
    );
    let integrator = System::new(&[0.0], 101, 1, |_, _, u| vec![u[0]], |_, x, _| x.to_vec());
    let parts = vec![
        (lag, vec![], vec![vec![]; 101]),
        (integrator, (0..101).collect(), vec![vec![]]),
    ];
    let master = run(parts, controlled(Algorithm::Jacobi, 0, tolerance)).unwrap();
    let off = off(&master, 101, 1.0 - (-1f64).exp(), tolerance);
    assert!(off <= 2.0, "{off} tolerances");
}

#[test]
fn a_value_that_follows_its_input_at_once_is_held_to_the_tolerance() {
    // A lag, a gain without states, and an integrator: the gain's output is one step late, whatever the step.
    for algorithm in [Algorithm::Jacobi, Algorithm::GaussSeidel] {
        for tolerance in [1e-2, 1e-3] {
            let lag = System::new(&[1.0], 0, 1, |_, x, _| vec![-x[0]], |_, x, _| x.to_vec());
            let gain = System::new(&[], 1, 1, |_, _, _| vec![], |_, _, u| vec![2.0 * u[0]]);
            let integrator = System::new(&[0.0], 1, 1, |_, _, u| vec![u[0]], |_, x, _| x.to_vec());
            let parts = vec![
                (lag, vec![], vec![vec![]]),
                (gain, vec![0], vec![vec![0]]),
                (integrator, vec![1], vec![vec![]]),
            ];
            let master = run(parts, controlled(algorithm, 0, tolerance)).unwrap();
            let late = off(&master, 1, 2.0 * (-1f64).exp(), tolerance);
            let off = off(&master, 2, 2.0 * (1.0 - (-1f64).exp()), tolerance);
            let statistics = master.statistics();
            assert!(off <= 5.0 && late <= 5.0, "{algorithm:?}: {off}, {late}");
            assert!(statistics.rejected < statistics.steps / 2 + 20);
        }
    }
}

#[test]
fn a_jump_is_met_without_end() {
    // u jumps from 0 to 1 at 1/3, and from 1 to -1 at 0.77.
    let exact = (0.77 - 1.0 / 3.0) - 0.23;
    for algorithm in ALGORITHMS {
        for (extrapolation, tolerance) in [(0, 1e-3), (0, 1e-5), (1, 1e-5), (2, 1e-8)] {
            let jump = System::new(
                &[],
                0,
                1,
                |_, _, _| vec![],
                |t, _, _| {
                    vec![if t < 1.0 / 3.0 {
                        0.0
                    } else if t < 0.77 {
                        1.0
                    } else {
                        -1.0
                    }]
                },
            );
            let integrator = System::new(&[0.0], 1, 1, |_, _, u| vec![u[0]], |_, x, _| x.to_vec());
            let parts = vec![(jump, vec![], vec![vec![]]), (integrator, vec![0], vec![vec![]])];
            let mut settings = controlled(algorithm, extrapolation, tolerance);
            settings.differences = true;
            let master = run(parts, settings).unwrap();
            let off = off(&master, 1, exact, tolerance);
            let statistics = master.statistics();
            assert!(
                off <= 5.0,
                "{algorithm:?} {extrapolation} {tolerance:e}: {off} tolerances"
            );
            assert!(statistics.steps + statistics.rejected < 400, "{statistics:?}");
        }
    }
}

/// The errors of the steps of an integrator change their sign with the slope of its input. Behind other equations they need not
/// cancel, so the estimate does not count on it.
#[test]
fn errors_of_opposite_signs_are_not_counted_against_each_other() {
    let wave = |t: f64| (8.0 * std::f64::consts::PI * t).sin();
    let source = System::new(&[], 0, 1, |_, _, _| vec![], move |t, _, _| vec![wave(t)]);
    let integrator = System::new(&[0.0], 1, 1, |_, _, u| vec![u[0]], |_, x, _| x.to_vec());
    let parts = vec![
        (source, vec![], vec![vec![]]),
        (integrator, vec![0], vec![vec![]]),
    ];
    let master = run(parts, controlled(Algorithm::Jacobi, 0, 1e-2)).unwrap();
    let accumulated = master.statistics().accumulated_error.unwrap();
    assert!((0.4..=1.0).contains(&accumulated), "{accumulated}");
}

#[test]
fn errors_that_add_up_are_said() {
    let mut settings = controlled(Algorithm::Jacobi, 0, 1e-5);
    let careful = run(lag_and_integrator(), controlled(Algorithm::Jacobi, 0, 1e-3)).unwrap();
    let accumulated = careful.statistics().accumulated_error.unwrap();
    assert!((0.1..=1.0).contains(&accumulated), "{accumulated}");
    assert_eq!(careful.warnings(), [""; 0]);
    if let Some(control) = &mut settings.control {
        control.per = Per::Step;
    }
    let careless = run(lag_and_integrator(), settings).unwrap();
    let off = off(&careless, 1, 1.0 - (-1f64).exp(), 1e-5);
    let accumulated = careless.statistics().accumulated_error.unwrap();
    assert!(
        off > 30.0 && accumulated > 0.5 * off && accumulated < 2.0 * off,
        "{accumulated} for {off}"
    );
    assert!(
        careless.warnings()[0].contains("tolerances in s2.y1"),
        "{:?}",
        careless.warnings()
    );
    // The norm of the thesis looks at coupled outputs only, and sees no error here.
    if let Some(control) = &mut settings.control {
        control.norm = Norm::RootMeanSquare;
    }
    let blind = run(lag_and_integrator(), settings).unwrap();
    assert!(blind.statistics().steps < 20);
}

#[test]
fn a_minimum_that_the_tolerance_does_not_allow_is_an_error() {
    let mut settings = controlled(Algorithm::Jacobi, 0, 1e-5);
    if let Some(control) = &mut settings.control {
        control.minimum = 0.01;
    }
    let refused = run(lag_and_integrator(), settings);
    assert!(
        matches!(refused, Err(Error::TooSmall { .. })),
        "{:?}",
        refused.err()
    );
}

#[test]
fn the_quadratic_extrapolation_of_the_thesis_is_of_first_order() {
    // y' = u with u = t^3 by differences, which starts flat: halving the step divides the error by 8 with the parabola, and
    // by 4 with equation 6.30 of Andersson 2016.
    let cubic = || {
        let source = System::new(&[], 0, 1, |_, _, _| vec![], |t, _, _| vec![t.powi(3)]);
        let mut parts = lag_and_integrator();
        parts[0].0 = source;
        parts
    };
    let off = |quadratic, step: f64| {
        let settings = Settings::default()
            .step(step)
            .extrapolation(2)
            .quadratic(quadratic);
        let master = run(cubic(), settings).unwrap();
        (master.outputs()[1] - 0.25).abs()
    };
    for (quadratic, ratio) in [(Quadratic::Parabola, 8.0), (Quadratic::Differences, 4.0)] {
        let found = off(quadratic, 0.01) / off(quadratic, 0.005);
        assert!((found / ratio - 1.0).abs() < 0.3, "{quadratic:?}: {found}");
    }
    // Error control knows it.
    for tolerance in [1e-4, 1e-6] {
        let mut settings = controlled(Algorithm::Jacobi, 2, tolerance);
        settings.quadratic = Quadratic::Differences;
        let master = run(lag_and_integrator(), settings).unwrap();
        let off = self::off(&master, 1, 1.0 - (-1f64).exp(), tolerance);
        assert!((0.02..2.0).contains(&off), "{tolerance:e}: {off} tolerances");
    }
}

#[test]
fn a_trace_knows_the_order_that_steps_had() {
    // By differences, the first steps have too few points.
    let settings = Settings::default().step(0.1).extrapolation(2);
    let mut master = couple(lag_and_integrator(), settings).unwrap();
    master.initialize(&[0.0]).unwrap();
    let mut trace = Trace::new(&settings);
    let mut orders = Vec::new();
    master
        .run_with(|master| {
            if let Some(row) = trace.read(master) {
                orders.push(match row.cells().nth(1) {
                    Some(Cell::Integer(order)) => order,
                    cell => panic!("{cell:?}"),
                });
            }
            true
        })
        .unwrap();
    assert_eq!(orders, [0, 1, 2, 2, 2, 2, 2, 2, 2, 2]);
}

/// x' = u in both parts of a ring with gains -k: a step of h has iterations that multiply errors by (k h / 2)^2 or more, so
/// that they converge with small steps only.
#[test]
fn a_step_whose_iterations_do_not_converge_is_made_smaller() {
    for (algorithm, extrapolation) in [
        (Algorithm::IteratedGaussSeidel, 0),
        (Algorithm::IteratedGaussSeidel, 1),
        (Algorithm::Newton, 0),
    ] {
        let k = 20.0;
        let part = |start: f64, gain: f64| {
            let rate = move |_: f64, _: &[f64], u: &[f64]| vec![gain * u[0]];
            System::new(&[start], 1, 1, rate, |_, x, _| x.to_vec())
        };
        let parts = vec![
            (part(1.0, k), vec![1], vec![vec![]]),
            (part(0.0, -k), vec![0], vec![vec![]]),
        ];
        let settings = Settings::default()
            .step(0.5)
            .stop(1.0)
            .algorithm(algorithm)
            .extrapolation(extrapolation)
            .iterations(20)
            .control(Some(Control::new(1e-2, 1.0)));
        let mut master = couple(parts, settings).unwrap();
        master.initialize(&[0.0, 1.0]).unwrap();
        let end = master.run(|_| true);
        assert!(end.is_ok(), "{algorithm:?} {extrapolation}: {end:?}");
        assert!(master.statistics().rejected > 0, "{:?}", master.statistics());
        // x = cos k t, y = -sin k t.
        let [x, y] = [master.outputs()[0], master.outputs()[1]];
        let error = (x - k.cos()).abs().max((y + k.sin()).abs());
        assert!(error < 0.1, "{algorithm:?} {extrapolation}: {x} {y}");
    }
}

/// y = 3 u and u = y + 1 by iterations: no step is small enough for them.
#[test]
fn iterations_that_do_not_converge_with_the_smallest_step_are_an_error() {
    let part = |gain: f64| {
        System::new(
            &[0.0],
            1,
            1,
            |_, _, _| vec![1.0],
            move |_, x, u| vec![gain * u[0] + x[0]],
        )
    };
    let mut parts = vec![
        (part(3.0), vec![1], vec![vec![0]]),
        (part(1.0), vec![0], vec![vec![0]]),
    ];
    for part in &mut parts {
        part.0.can.directional_derivatives = false;
    }
    let settings = Settings::default()
        .step(0.1)
        .algorithm(Algorithm::IteratedGaussSeidel)
        .control(Some(Control::new(1e-3, 1.0)));
    let mut master = couple(parts, settings).unwrap();
    master.initialize(&[0.0, 0.0]).unwrap();
    let end = master.run(|_| true);
    assert!(matches!(end, Err(Error::Step { .. })), "{end:?}");
}

/// `y = x + 0.95 y` by iterations, which reach roundings (the summand makes them large) only after the number of iterations that is
/// set: what error control asks of them beyond the setting is then given up, and not the run.
#[test]
fn iterations_that_only_change_roundings_have_converged() {
    let one = System::new(
        &[1.0],
        1,
        1,
        |_, x, u| vec![-x[0] - 0.1 * u[0]],
        |_, x, u| vec![(x[0] + 0.95 * u[0] + 2e7) - 2e7],
    );
    let other = System::new(&[], 1, 1, |_, _, _| vec![], |_, _, u| vec![u[0]]);
    let parts = vec![(one, vec![1], vec![vec![0]]), (other, vec![0], vec![vec![0]])];
    let settings = Settings::default()
        .stop(0.01)
        .step(1e-4)
        .extrapolation(1)
        .algorithm(Algorithm::IteratedGaussSeidel)
        .iterations(100)
        .control(Some(Control::new(1e-6, 0.01).minimum(1e-4).maximum(1e-4)));
    let mut master = couple(parts, settings).unwrap();
    master.initialize(&[20.0, 20.0]).unwrap();
    master.run(|_| true).unwrap();
    let exact = 20.0 * f64::exp(-0.03);
    let error = (master.outputs()[0] - exact).abs() / (1e-6 * 21.0);
    assert!(error <= 30.0, "{error} tolerances");
}

/// With a tolerance that roundings exceed, steps end at the minimum, and no value jumps: what a step of 0.02 leaves in a value of 1
/// is some 1e-16, and 2e-16 is tolerated.
#[test]
fn roundings_at_the_minimum_step_are_not_called_jumps() {
    let source = System::new(&[], 0, 1, |_, _, _| vec![], |_, _, _| vec![0.1]);
    let integrator = System::new(&[1.0], 1, 1, |_, _, u| vec![u[0]], |_, x, _| x.to_vec());
    let parts = vec![
        (source, vec![], vec![vec![]]),
        (integrator, vec![0], vec![vec![]]),
    ];
    let settings = Settings::default().control(Some(Control::new(1e-15, 1.0).minimum(0.02)));
    let master = run(parts, settings).unwrap();
    // The integrator of this test leaves a rounding in each of its many steps.
    assert!(
        (master.outputs()[1] - 1.1).abs() < 1e-12,
        "{:?}",
        master.outputs()
    );
    assert!(master.statistics().at_minimum >= 1, "{:?}", master.statistics());
    let warnings = master.warnings();
    let said: Vec<&String> = warnings
        .iter()
        .filter(|line| line.contains("minimum of"))
        .collect();
    assert!(
        said.len() == 1 && said[0].contains("roundings") && !said[0].contains("jumps"),
        "{warnings:?}"
    );
}
