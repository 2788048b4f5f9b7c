//! The algorithms against closed forms and published figures, on components that solve their own equations well.

mod common;

use common::{Part, System, couple, couple_with};
use fmu_master::settings::{Algorithm, Control, Correction, Norm, Parallel, Per, Settings};
use fmu_master::{Error, Master};
use test_support::reference;

/// Andersson 2016, example 6.1.1.
fn linear_example(d1: f64, d2: f64, settings: Settings) -> Result<Master, Error> {
    let first = System::new(
        &[1.0],
        1,
        1,
        |_, x, u| vec![-x[0] + u[0]],
        move |_, x, u| vec![x[0] + d1 * u[0]],
    );
    let second = System::new(
        &[1.0],
        1,
        1,
        |_, x, u| vec![-x[0] + 3.0 * u[0]],
        move |_, x, u| vec![-5.0 * x[0] + d2 * u[0]],
    );
    couple(
        vec![(first, vec![1], vec![vec![0]]), (second, vec![0], vec![vec![0]])],
        settings,
    )
}

/// The same as one system of equations, at time t: x' = (A + B L (I - D L)^-1 C) x.
fn linear_reference(d1: f64, d2: f64, t: f64) -> [f64; 2] {
    let (mut x, steps) = ([1.0, 1.0], 20_000);
    let outputs = |x: [f64; 2]| {
        // y1 = x1 + d1 y2, y2 = -5 x2 + d2 y1
        let y1 = (x[0] - 5.0 * d1 * x[1]) / (1.0 - d1 * d2);
        [y1, -5.0 * x[1] + d2 * y1]
    };
    let f = |x: [f64; 2]| {
        let y = outputs(x);
        [-x[0] + y[1], -x[1] + 3.0 * y[0]]
    };
    let h = t / steps as f64;
    for _ in 0..steps {
        reference::step(0.0, &mut x, h, |_, x, dx| dx.copy_from_slice(&f([x[0], x[1]])));
    }
    outputs(x)
}

fn finish(mut master: Master, start: &[f64]) -> Result<Vec<f64>, Error> {
    master.initialize(start)?;
    master.run(|_| true)?;
    Ok(master.outputs().to_vec())
}

fn error(y: &[f64], reference: &[f64]) -> f64 {
    y.iter()
        .zip(reference)
        .map(|(y, r)| (y - r).abs())
        .fold(0.0, f64::max)
}

/// Example 5.0.1: a division by an input whose start value is 0.
#[test]
fn no_guess_is_used_where_there_is_an_order() {
    let first = System::new(&[1.0], 1, 1, |_, x, u| vec![x[0] + u[0]], |_, x, _| vec![x[0]]);
    let second = System::new(
        &[-1.0],
        1,
        1,
        |_, x, u| vec![x[0] + u[0]],
        |_, x, u| vec![x[0] / u[0]],
    );
    let parts = vec![(first, vec![1], vec![vec![]]), (second, vec![0], vec![vec![0]])];
    let mut master = couple(parts, Settings::default()).unwrap();
    master.initialize(&[0.0, 0.0]).unwrap();
    assert_eq!(master.outputs(), [1.0, -1.0]);
    assert_eq!(master.inputs(), [-1.0, 1.0]);
}

/// An algebraic loop without states: y1 = 3 - y2 and y2 = 1 + 0.5 sin(y1), with and without derivatives from components.
#[test]
fn loops_are_solved_at_the_start() {
    for exact in [true, false] {
        let mut first = System::new(&[], 1, 1, |_, _, _| vec![], |_, _, u| vec![3.0 - u[0]]);
        let mut second = System::new(
            &[],
            1,
            1,
            |_, _, _| vec![],
            |_, _, u| vec![1.0 + 0.5 * u[0].sin()],
        );
        first.can.directional_derivatives = exact;
        second.can.directional_derivatives = exact;
        let parts = vec![(first, vec![1], vec![vec![0]]), (second, vec![0], vec![vec![0]])];
        let mut master = couple(parts, Settings::default()).unwrap();
        master.initialize(&[0.0, 0.0]).unwrap();
        let y = master.outputs();
        assert!((y[0] - 3.0 + y[1]).abs() < 1e-7 && (y[1] - 1.0 - 0.5 * y[0].sin()).abs() < 1e-7);
    }
}

/// A loop that has no solution is an error that names it: y1 = y2 + 1, y2 = y1.
#[test]
fn a_loop_without_solution_is_named() {
    let first = System::new(&[], 1, 1, |_, _, _| vec![], |_, _, u| vec![u[0] + 1.0]);
    let second = System::new(&[], 1, 1, |_, _, _| vec![], |_, _, u| vec![u[0]]);
    let parts = vec![(first, vec![1], vec![vec![0]]), (second, vec![0], vec![vec![0]])];
    let error = couple(parts, Settings::default())
        .unwrap()
        .initialize(&[0.0, 0.0])
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("s1.y1") && text.contains("s2.u1") && text.contains("gain is exactly 1"),
        "{text}"
    );
}

/// Table 6.1: the explicit scheme is refused where it is unstable however small the step, and only there.
#[test]
fn instability_is_foreseen() {
    let settings = Settings::default().step(0.001);
    let differences = settings.extrapolation(1).differences(true);
    assert!(
        linear_example(0.5, 1.0, settings)
            .unwrap()
            .initialize(&[0.0; 2])
            .is_ok()
    );
    let error = linear_example(1.5, 1.2, settings)
        .unwrap()
        .initialize(&[0.0; 2])
        .unwrap_err();
    assert!(
        matches!(&error, Error::Unstable { radius, .. } if (radius - 1.8f64.sqrt()).abs() < 1e-6),
        "{error}"
    );
    // Linear extrapolation by differences is stable for less.
    assert!(
        linear_example(0.5, 1.0, differences)
            .unwrap()
            .initialize(&[0.0; 2])
            .is_err()
    );
    assert!(
        linear_example(0.1, -0.1, differences)
            .unwrap()
            .initialize(&[0.0; 2])
            .is_ok()
    );
    // A user who insists gets the result that was foreseen.
    let insist = settings.insist(true).stop(2.0);
    let error = finish(linear_example(1.5, 1.2, insist).unwrap(), &[0.0; 2]).unwrap_err();
    assert!(matches!(error, Error::Diverged { .. }), "{error}");
}

/// With correction the same system is stable, and converges with the order of the extrapolation plus one.
#[test]
fn corrected_and_consistent_steps_converge() {
    let (d1, d2) = (1.5, -1.2);
    let reference = linear_reference(d1, d2, 1.0);
    for correction in [Correction::Linear, Correction::Consistent] {
        for extrapolation in 0..=1 {
            let run = |step: f64| {
                let settings = Settings::default()
                    .step(step)
                    .correction(correction)
                    .extrapolation(extrapolation)
                    .differences(true);
                error(
                    &finish(linear_example(d1, d2, settings).unwrap(), &[0.0; 2]).unwrap(),
                    &reference,
                )
            };
            let (coarse, fine) = (run(0.004), run(0.002));
            let order = (coarse / fine).log2();
            assert!(
                order > f64::from(extrapolation) + 0.8,
                "{correction:?} {extrapolation}: {coarse:e} {fine:e}"
            );
            assert!(fine < 0.1, "{fine}");
        }
    }
}

/// An oscillator that is split into position and velocity: with iteration, and inputs that are interpolated, of order 2.
#[test]
fn iterated_steps_with_interpolated_inputs_are_of_second_order() {
    for algorithm in [Algorithm::IteratedGaussSeidel, Algorithm::Newton] {
        let run = |step: f64| {
            let position = System::new(&[1.0], 1, 1, |_, _, u| vec![u[0]], |_, x, _| vec![x[0]]);
            let velocity = System::new(&[0.0], 1, 1, |_, _, u| vec![-u[0]], |_, x, _| vec![x[0]]);
            let settings = Settings::default()
                .stop(3.0)
                .step(step)
                .algorithm(algorithm)
                .extrapolation(1)
                .convergence(1e-10);
            let parts = vec![
                (position, vec![1], vec![vec![]]),
                (velocity, vec![0], vec![vec![]]),
            ];
            let y = finish(couple(parts, settings).unwrap(), &[0.0; 2]).unwrap();
            error(&y, &[3f64.cos(), -3f64.sin()])
        };
        let (coarse, fine) = (run(0.1), run(0.05));
        let order = (coarse / fine).log2();
        assert!(
            order > 1.9 && fine < 1e-3,
            "{algorithm:?}: {coarse:e}, {fine:e}, order {order}"
        );
    }
}

/// Two first-order systems in a loop of gain -1.8, and where they come to rest.
fn loop_of_gain_minus_one_point_eight() -> (Vec<Part>, [f64; 2]) {
    let parts = {
        let first = System::new(
            &[0.0],
            1,
            1,
            |_, x, u| vec![-x[0] + u[0]],
            |_, x, u| vec![1.0 + 0.1 * x[0] + 1.8 * u[0]],
        );
        let second = System::new(
            &[0.0],
            1,
            1,
            |_, x, u| vec![-x[0] + u[0]],
            |_, x, u| vec![0.1 * x[0] - u[0]],
        );
        vec![(first, vec![1], vec![vec![0]]), (second, vec![0], vec![vec![0]])]
    };
    // At rest x = u: y1 = 1 + 1.9 y2, y2 = -0.9 y1.
    (parts, [1.0 / (1.0 + 1.9 * 0.9), -0.9 / (1.0 + 1.9 * 0.9)])
}

/// Explicit steps diverge and say so; Newton's method and corrections solve it.
#[test]
fn a_loop_of_gain_minus_one_point_eight() {
    let parts = || loop_of_gain_minus_one_point_eight().0;
    let rest = loop_of_gain_minus_one_point_eight().1;
    let settings = Settings::default().stop(20.0).step(0.05);
    let error = couple(parts(), settings)
        .unwrap()
        .initialize(&[0.0; 2])
        .unwrap_err();
    assert!(error.to_string().contains("s1.y1"), "{error}");
    let iterated = settings.algorithm(Algorithm::IteratedGaussSeidel);
    let error = finish(couple(parts(), iterated).unwrap(), &[0.0; 2]).unwrap_err();
    assert!(
        error.to_string().contains("does not converge") && error.to_string().contains("newton"),
        "{error}"
    );
    let newton = settings.algorithm(Algorithm::Newton);
    let y = finish(couple(parts(), newton).unwrap(), &[0.0; 2]).unwrap();
    assert!(self::error(&y, &rest) < 1e-6, "{y:?}");
    for algorithm in [Algorithm::Jacobi, Algorithm::GaussSeidel] {
        for correction in [Correction::Linear, Correction::Consistent] {
            let corrected = settings.algorithm(algorithm).correction(correction);
            let y = finish(couple(parts(), corrected).unwrap(), &[0.0; 2]).unwrap();
            assert!(
                self::error(&y, &rest) < 1e-6,
                "{algorithm:?} {correction:?}: {y:?}"
            );
        }
    }
}

/// A loop may have its own algorithm, whatever the others do: here beside a component that it feeds.
#[test]
fn a_loop_may_have_its_own_algorithm() {
    for algorithm in [Algorithm::Jacobi, Algorithm::GaussSeidel] {
        let (mut parts, rest) = loop_of_gain_minus_one_point_eight();
        let follower = System::new(&[0.0], 1, 1, |_, x, u| vec![u[0] - x[0]], |_, x, _| vec![x[0]]);
        parts.push((follower, vec![1], vec![vec![]]));
        let settings = Settings::default().stop(30.0).step(0.05).algorithm(algorithm);
        let loops = [(vec![0, 1], Algorithm::Newton)];
        let y = finish(couple_with(parts, settings, &loops).unwrap(), &[0.0; 3]).unwrap();
        assert!(
            error(&y, &[rest[0], rest[1], rest[1]]) < 1e-6,
            "{algorithm:?}: {y:?}"
        );
    }
}

/// A component that feeds itself is a loop as well: x' = u, y = 1 - x - 0.5 u, u = y.
#[test]
fn a_component_may_feed_itself() {
    let own = || {
        System::new(
            &[0.0],
            1,
            1,
            |_, _, u| vec![u[0]],
            |_, x, u| vec![1.0 - x[0] - 0.5 * u[0]],
        )
    };
    let exact = (-1.0f64 / 1.5).exp() / 1.5;
    for (algorithm, correction) in [
        (Algorithm::Newton, Correction::None),
        (Algorithm::IteratedGaussSeidel, Correction::None),
        (Algorithm::Jacobi, Correction::Consistent),
    ] {
        let settings = Settings::default()
            .step(0.01)
            .algorithm(algorithm)
            .correction(correction)
            .extrapolation(1)
            .differences(true);
        let parts = vec![(own(), vec![0], vec![vec![0]])];
        let y = finish(couple(parts, settings).unwrap(), &[0.0]).unwrap();
        assert!((y[0] - exact).abs() < 1e-4, "{algorithm:?}: {} {exact}", y[0]);
    }
}

/// Where a component ends a step early, all go back and meet it there; without the way back that is an error.
#[test]
fn all_meet_where_a_component_ends_a_step() {
    let at = 0.537;
    let run = |snapshots: bool, algorithm| {
        let mut first = System::new(&[1.0], 1, 1, |_, _, u| vec![u[0]], |_, x, _| vec![x[0]]);
        let mut second = System::new(&[0.0], 1, 1, |_, _, u| vec![-u[0]], |_, x, _| vec![x[0]]);
        second.can.cheap_snapshots = true;
        first.stops_at = Some(at);
        first.can.cheap_snapshots = true;
        first.can.snapshots = snapshots;
        let parts = vec![(first, vec![1], vec![vec![]]), (second, vec![0], vec![vec![]])];
        let settings = Settings::default()
            .step(0.01)
            .algorithm(algorithm)
            .extrapolation(1)
            .differences(true);
        let mut master = couple(parts, settings).unwrap();
        master.initialize(&[0.0; 2]).unwrap();
        let mut times = Vec::new();
        master
            .run(|point| {
                times.push(point.t);
                true
            })
            .map(|_| (times, master.outputs().to_vec(), master.statistics().clone()))
    };
    for algorithm in [Algorithm::Jacobi, Algorithm::GaussSeidel, Algorithm::Newton] {
        let (times, y, statistics) = run(true, algorithm).unwrap();
        assert!(
            times.iter().any(|t| (t - at).abs() < 1e-12),
            "{algorithm:?}: {times:?}"
        );
        assert_eq!(statistics.discarded, 1);
        assert_eq!(*times.last().unwrap(), 1.0);
        assert!(
            error(&y, &[1f64.cos(), -1f64.sin()]) < 1e-3,
            "{algorithm:?}: {y:?}"
        );
    }
    let error = run(false, Algorithm::Jacobi).unwrap_err().to_string();
    assert!(
        error.contains("s1") && error.contains("0.537") && error.contains("canGetAndSetFMUstate"),
        "{error}"
    );
}

/// Steps that take long are made in parallel although they are few, with every algorithm that lets components step at once.
#[test]
fn a_few_long_steps_are_made_in_parallel() {
    use std::collections::HashSet;
    use std::sync::{Arc, Mutex};
    use std::thread::ThreadId;
    let threads: Arc<Mutex<HashSet<ThreadId>>> = Arc::default();
    let part = || {
        let threads = Arc::clone(&threads);
        let seen = move || {
            std::thread::sleep(std::time::Duration::from_millis(1));
            threads.lock().unwrap().insert(std::thread::current().id());
        };
        let outputs = move |_: f64, x: &[f64], _: &[f64]| {
            seen();
            x.to_vec()
        };
        System::new(&[1.0], 1, 1, |_, x, u| vec![u[0] - x[0]], outputs)
    };
    let parts = vec![(part(), vec![1], vec![vec![]]), (part(), vec![0], vec![vec![]])];
    let settings = Settings::default().step(0.05);
    let mut master = couple(parts, settings).unwrap();
    master.initialize(&[1.0, 1.0]).unwrap();
    threads.lock().unwrap().clear();
    master.run(|_| true).unwrap();
    if std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1) {
        assert!(threads.lock().unwrap().len() > 1, "all in one thread");
    }
}

/// Steps in parallel are the same steps.
#[test]
fn parallel_steps_have_the_same_bits() {
    let run = |parallel| {
        let parts = (0..5).map(|k| {
            let rate = 0.5 + f64::from(k);
            let one = System::new(
                &[1.0],
                1,
                1,
                move |_, x, u| vec![u[0] - rate * x[0]],
                |_, x, _| vec![x[0]],
            );
            (one, vec![(k as usize + 1) % 5], vec![vec![]])
        });
        let settings = Settings::default()
            .parallel(parallel)
            .extrapolation(2)
            .differences(true);
        finish(couple(parts.collect(), settings).unwrap(), &[0.0; 5]).unwrap()
    };
    assert_eq!(run(Parallel::Never), run(Parallel::Always));
}

/// Andersson et al. 2016, 6.2: the quarter car with error control. Published: 300, 92 and 71 steps.
#[test]
fn the_quarter_car_takes_few_steps() {
    let (mw, mc, kw, kc, dc) = (40.0, 400.0, 150e3, 15e3, 1e3);
    let reference = {
        let states = reference::integrate(&[0.0, 1.0], &[0.0; 4], 1e-5, |_, x, dx| {
            let force = kc * (x[2] - x[0]) + dc * (x[3] - x[1]);
            dx.copy_from_slice(&[x[1], force / mc, x[3], (kw * (0.1 - x[2]) - force) / mw]);
        });
        states[1].clone()
    };
    for (extrapolation, most) in [(0, 330), (1, 92), (2, 71)] {
        let mut chassis = System::new(
            &[0.0, 0.0],
            2,
            2,
            move |_, x, u| vec![x[1], (kc * (u[0] - x[0]) + dc * (u[1] - x[1])) / mc],
            |_, x, _| x.to_vec(),
        );
        let mut wheel = System::new(
            &[0.0, 0.0],
            2,
            2,
            move |_, x, u| {
                vec![
                    x[1],
                    (kw * (0.1 - x[0]) - kc * (x[0] - u[0]) - dc * (x[1] - u[1])) / mw,
                ]
            },
            |_, x, _| x.to_vec(),
        );
        chassis.nominals = vec![0.1, 0.5];
        wheel.nominals = vec![0.1, 2.0];
        let settings = Settings::default()
            .step(1e-3)
            .extrapolation(extrapolation)
            .differences(true)
            .control(Some(
                Control::new(1e-4, 1.0).per(Per::Step).norm(Norm::RootMeanSquare),
            ));
        let parts = vec![
            (chassis, vec![2, 3], vec![vec![], vec![]]),
            (wheel, vec![0, 1], vec![vec![], vec![]]),
        ];
        let mut master = couple(parts, settings).unwrap();
        master.initialize(&[0.0; 4]).unwrap();
        master.run(|_| true).unwrap();
        let worst = master
            .outputs()
            .iter()
            .zip(&reference)
            .map(|(y, r)| (y - r).abs() / (1e-4 + 1e-4 * r.abs()))
            .fold(0.0, f64::max);
        let statistics = master.statistics();
        println!(
            "order {extrapolation}: {} steps, {} rejected, error {worst:.1} tolerances",
            statistics.steps, statistics.rejected
        );
        assert!(statistics.steps <= most, "{} steps", statistics.steps);
        assert!(worst <= 30.0, "{worst}");
    }
}
