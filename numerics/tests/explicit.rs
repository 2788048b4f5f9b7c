//! The explicit integrators against closed forms: orders, tolerances, interpolants, crossings, memory.

mod common;

use common::systems::{Counted, Oscillator, Problem, Spiked, orbit};
use fmu_numerics::{
    Crossing, DormandPrince, Euler, Reader, RungeKutta4, StepError, System, Tolerance, Writer, locate,
};
use test_support::random::Random;

/// The slope of the error over the step size, on a double logarithmic scale.
fn order(error: impl Fn(f64) -> f64) -> f64 {
    (error(1.0 / 64.0) / error(1.0 / 128.0)).log2()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn fixed_steps_have_their_order_and_their_number_of_evaluations() {
    let euler = |h: f64| {
        let (mut system, mut solver) = (Counted::new(Oscillator::default()), Euler::new(2, h));
        solver.restart(0.0, &[1.0, 0.0]);
        while solver.time() < 1.0 {
            solver.step(&mut system, 1.0).unwrap();
        }
        assert_eq!(system.evaluations, (1.0 / h).round() as usize);
        distance(solver.states(), &Oscillator::default().exact(1.0))
    };
    let runge_kutta = |h: f64| {
        let (mut system, mut solver) = (Counted::new(Oscillator::default()), RungeKutta4::new(2, h));
        solver.restart(0.0, &[1.0, 0.0]);
        while solver.time() < 1.0 {
            solver.step(&mut system, 1.0).unwrap();
        }
        assert_eq!(system.evaluations, 4 * (1.0 / h).round() as usize);
        distance(solver.states(), &Oscillator::default().exact(1.0))
    };
    assert!((order(euler) - 1.0).abs() < 0.1);
    assert!((order(runge_kutta) - 4.0).abs() < 0.1);
}

#[test]
fn fixed_steps_end_where_they_must() {
    let mut solver = Euler::new(2, 0.3);
    solver.restart(0.0, &[1.0, 0.0]);
    let mut system = Counted::new(Oscillator::default());
    for end in [0.1, 1.0, 1.0 + 0.3 * (1.0 + 1e-12)] {
        while solver.time() < end {
            solver.step(&mut system, end).unwrap();
        }
        assert_eq!(solver.time(), end);
    }
    assert_eq!(system.evaluations, 1 + 3 + 1);
}

#[test]
fn dormand_prince_is_of_order_5_and_its_interpolant_of_order_4() {
    // A tolerance that never binds leaves the steps as they are.
    let run = |h: f64, dense: bool| {
        let mut solver = DormandPrince::new(2, Tolerance::new(1e9, &[1e9; 2])).with_max_step(h);
        solver.restart(0.0, &[1.0, 0.0]);
        let (mut worst, mut x, mut t_old) = (0.0f64, [0.0; 2], 0.0);
        while solver.time() < 1.0 {
            solver.step(&mut Oscillator::default(), 1.0).unwrap();
            solver.prepare();
            for part in [0.2, 0.5, 0.7] {
                let t = t_old + part * (solver.time() - t_old);
                solver.interpolate(t, &mut x);
                worst = worst.max(distance(&x, &Oscillator::default().exact(t)));
            }
            t_old = solver.time();
        }
        match dense {
            true => worst,
            false => distance(solver.states(), &Oscillator::default().exact(1.0)),
        }
    };
    let found = order(|h| run(2.0 * h, false));
    assert!((found - 5.0).abs() < 0.2, "{found}");
    // Locally of order 5, so that globally order 4 is kept.
    assert!((order(|h| run(4.0 * h, true)) - 5.0).abs() < 0.3);
}

#[test]
fn dormand_prince_keeps_the_tolerance_on_a_hard_orbit() {
    // The Arenstorf orbit is periodic: what comes back differs from the start by the error.
    for (tolerance, error, steps) in [(1e-7, 2e-2, 240), (1e-9, 3e-4, 560)] {
        let mut system = Counted::new(orbit::Arenstorf);
        let mut solver = DormandPrince::new(4, Tolerance::new(tolerance, &[tolerance; 4]));
        solver.restart(0.0, &orbit::START);
        while solver.time() < orbit::PERIOD {
            solver.step(&mut system, orbit::PERIOD).unwrap();
        }
        let statistics = solver.statistics();
        assert!(
            distance(solver.states(), &orbit::START) < error,
            "{:?}",
            solver.states()
        );
        assert!(statistics.steps < steps, "{statistics:?}");
        assert_eq!(statistics.evaluations, system.evaluations as u64);
        assert_eq!(
            statistics.evaluations,
            2 + 6 * (statistics.steps + statistics.error_failures),
            "the last stage is the first one of the next step"
        );
    }
}

#[test]
fn a_short_communication_step_does_not_shorten_the_next_one() {
    let tolerance = || Tolerance::new(1e-6, &[1e-6; 2]);
    let mut solver = DormandPrince::new(2, tolerance());
    solver.restart(0.0, &[1.0, 0.0]);
    let mut system = Counted::new(Oscillator::default());
    let advance = |solver: &mut DormandPrince, system: &mut Counted<Oscillator>, end: f64| {
        while solver.time() < end {
            solver.step(system, end).unwrap();
        }
    };
    advance(&mut solver, &mut system, 2.0);
    let steps = |solver: &DormandPrince| solver.statistics().steps;
    let before = steps(&solver);
    advance(&mut solver, &mut system, 4.0);
    let undisturbed = steps(&solver) - before;
    let before = steps(&solver);
    advance(&mut solver, &mut system, 4.0 + 1e-6);
    advance(&mut solver, &mut system, 6.0);
    assert!(steps(&solver) - before <= undisturbed + 2);
}

#[test]
fn crossings_are_found_to_the_rounding_of_time() {
    // cos(3 t) falls through 0.25 at acos(0.25) / 3, its derivative through -2.9 a little before.
    let exact = Oscillator::default();
    let mut solver = DormandPrince::new(2, Tolerance::new(1e-10, &[1e-10; 2]));
    solver.restart(0.0, &[1.0, 0.0]);
    let indicators = |x: &[f64], z: &mut [f64]| {
        z[0] = x[0] - 0.25;
        z[1] = x[1] + 2.9;
    };
    let (mut z0, mut z1, mut z, mut x) = ([0.75, 2.9], [0.0; 2], [0.0; 2], [0.0; 2]);
    let mut evaluations = 0;
    let found = loop {
        let t_old = solver.time();
        solver.step(&mut Oscillator::default(), 1.0).unwrap();
        indicators(solver.states(), &mut z1);
        if z1.iter().any(|z| *z <= 0.0) {
            solver.prepare();
            let whole = Crossing {
                before: t_old,
                after: solver.time(),
            };
            break locate::<StepError<Problem>>(whole, 1e-14, &mut z0, &mut z1, &mut z, |t, z| {
                evaluations += 1;
                solver.interpolate(t, &mut x);
                indicators(&x, z);
                Ok(())
            })
            .unwrap();
        }
        z0 = z1;
    };
    let truth = f64::min((2.9f64 / 3.0).asin() / 3.0, 0.25f64.acos() / 3.0);
    assert!(found.after - found.before <= 1e-14 && found.before < found.after);
    assert!((found.after - truth).abs() < 1e-8, "{} {truth}", found.after);
    assert!(evaluations < 20, "{evaluations}");
    assert!(exact.exact(found.after)[1] < -2.9 + 1e-8);
}

#[test]
fn a_crossing_right_after_the_start_is_not_taken_for_the_start() {
    // A ball that has just bounced: its height is tiny at the beginning and negative at the end.
    let height = |t: f64| t * (1e-3 - t);
    let whole = Crossing {
        before: 0.0,
        after: 0.1,
    };
    let found = locate::<StepError<Problem>>(
        whole,
        1e-15,
        &mut [1e-20],
        &mut [height(0.1)],
        &mut [0.0],
        |t, z| {
            z[0] = height(t);
            Ok(())
        },
    )
    .unwrap();
    assert!((found.after - 1e-3).abs() < 1e-14);
}

#[test]
fn a_recoverable_error_shortens_the_step_and_any_other_ends_it() {
    let solve = |recoverable: bool| {
        // x' = 1/sqrt(1 - t), which does not exist beyond 1.
        let mut system = Spiked { recoverable };
        let mut solver = DormandPrince::new(1, Tolerance::new(1e-6, &[1e-6]));
        solver.restart(0.0, &[0.0]);
        loop {
            if let Err(error) = solver.step(&mut system, 2.0) {
                return (error.to_string(), solver);
            }
        }
    };
    let (message, solver) = solve(true);
    assert!(message.contains("beyond the pole"), "{message}");
    assert!(1.0 - solver.time() < 1e-9 && (solver.states()[0] - 2.0).abs() < 1e-4);
    let (message, solver) = solve(false);
    assert!(message.contains("beyond the pole") && solver.time() < 1.0);
}

#[test]
fn a_pole_is_an_error_and_no_endless_loop() {
    struct Pole;
    impl System for Pole {
        type Error = Problem;

        fn rhs(&mut self, _t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Problem> {
            dx[0] = x[0] * x[0];
            Ok(())
        }
    }
    let mut solver = DormandPrince::new(1, Tolerance::new(1e-6, &[1e-6]));
    solver.restart(0.0, &[1.0]);
    let error = loop {
        if let Err(error) = solver.step(&mut Pole, 2.0) {
            break error;
        }
    };
    assert!(
        matches!(error, StepError::TooSmall { t, .. } if (t - 1.0).abs() < 1e-3),
        "{error}"
    );
}

/// Goes through bytes at random points, and compares with a run that never did.
macro_rules! memory_survives_bytes {
    ($name:ident, $solver:expr) => {
        #[test]
        fn $name() {
            let mut straight = $solver;
            straight.restart(0.0, &[1.0, 0.0]);
            let mut detour = straight.clone();
            let mut random = Random(7);
            for i in 1..=200 {
                let end = f64::from(i) * 0.05;
                while straight.time() < end {
                    straight.step(&mut Oscillator::default(), end).unwrap();
                }
                if random.below(3) == 0 {
                    let mut bytes = Vec::new();
                    detour.write_to(&mut Writer(&mut bytes));
                    let mut reader = Reader(&bytes);
                    detour = $solver.read_from(&mut reader).unwrap();
                    reader.end().unwrap();
                    for length in 0..bytes.len() {
                        assert!($solver.read_from(&mut Reader(&bytes[..length])).is_err());
                    }
                }
                while detour.time() < end {
                    detour.step(&mut Oscillator::default(), end).unwrap();
                }
                assert_eq!(straight.states(), detour.states());
                assert_eq!(straight.statistics(), detour.statistics());
            }
        }
    };
}

memory_survives_bytes!(euler_survives_bytes, Euler::new(2, 0.02));
memory_survives_bytes!(runge_kutta_survives_bytes, RungeKutta4::new(2, 0.02));
memory_survives_bytes!(
    dormand_prince_survives_bytes,
    DormandPrince::new(2, Tolerance::new(1e-6, &[1e-6; 2]))
);
