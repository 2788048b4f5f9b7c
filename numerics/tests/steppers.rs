//! Every method through the traits that callers use, against closed forms.

use std::cell::RefCell;
use std::convert::Infallible;

use fmu_numerics::bdf::Bdf;
use fmu_numerics::{
    Attached, DormandPrince, Euler, ImplicitSystem, Integrator, Method, Pattern, Reader, RungeKutta4,
    StepError, Stepper, Still, System, Tolerance, Writer,
};

/// x' = -x + sin t: x = (sin t - cos t) / 2 + 3 exp(-t) / 2 from x(0) = 1.
struct Driven;

fn exact(t: f64) -> f64 {
    0.5 * (t.sin() - t.cos()) + 1.5 * (-t).exp()
}

impl System for Driven {
    type Error = Infallible;

    fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Infallible> {
        dx[0] = -x[0] + t.sin();
        Ok(())
    }
}

impl ImplicitSystem for Driven {
    fn jacobian(&mut self, _t: f64, _x: &[f64], values: &mut [f64]) -> Result<(), Infallible> {
        values[0] = -1.0;
        Ok(())
    }
}

type DynStepper<'s> = dyn Stepper<Error = StepError<Infallible>> + 's;

/// The largest error to t = 2, at the ends of steps and between them.
fn worst(stepper: &mut DynStepper) -> (f64, f64) {
    let (mut at_ends, mut between, mut x) = (0.0f64, 0.0f64, [0.0]);
    stepper.restart(0.0, &[1.0]);
    while stepper.time() < 2.0 {
        let before = stepper.time();
        stepper.step(2.0).unwrap();
        assert!(stepper.time() > before && stepper.time() <= 2.0);
        at_ends = at_ends.max((stepper.states()[0] - exact(stepper.time())).abs());
        for part in [0.3, 0.6] {
            let t = before + part * (stepper.time() - before);
            stepper.interpolate(t, &mut x);
            between = between.max((x[0] - exact(t)).abs());
        }
    }
    (at_ends, between)
}

#[test]
fn fixed_steps_keep_their_order_at_their_ends_and_between_them() {
    let system = RefCell::new(Driven);
    let euler = |h: f64| worst(&mut Attached::new(Euler::new(1, h), &system));
    let runge_kutta = |h: f64| worst(&mut Attached::new(RungeKutta4::new(1, h), &system));
    let order = |one: f64, half: f64| (one / half).log2();
    let [(e1, d1), (e2, d2)] = [euler(1e-2), euler(5e-3)];
    assert!((order(e1, e2) - 1.0).abs() < 0.05 && (order(d1, d2) - 1.0).abs() < 0.05);
    let [(e1, d1), (e2, d2)] = [runge_kutta(0.1), runge_kutta(0.05)];
    assert!((order(e1, e2) - 4.0).abs() < 0.1, "{e1:e} {e2:e}");
    assert!((order(d1, d2) - 4.0).abs() < 0.2, "{d1:e} {d2:e}");
}

#[test]
fn controlled_steps_keep_their_tolerance_at_their_ends_and_between_them() {
    let system = RefCell::new(Driven);
    for tolerance in [1e-4, 1e-6, 1e-8] {
        let allowed = || Tolerance::new(tolerance, &[tolerance]);
        let mut pair = Attached::new(DormandPrince::new(1, allowed()), &system);
        let mut formulas = Attached::new(Bdf::new(&Pattern::full(1, 1), allowed()), &system);
        let steppers: [&mut DynStepper; 2] = [&mut pair, &mut formulas];
        for stepper in steppers {
            let (at_ends, between) = worst(stepper);
            assert!(at_ends < 20.0 * tolerance, "{at_ends:e}");
            assert!(between < 50.0 * tolerance, "{between:e}");
            assert!((1..=5).contains(&stepper.order()) && stepper.statistics().steps > 5);
        }
    }
}

/// Behind one type, each method does the same as on its own, and goes on from its bytes with the same bits.
#[test]
fn a_method_that_is_chosen_at_run_time_is_the_same() {
    let tolerance = || Tolerance::new(1e-6, &[1e-6]);
    fn alone(mut method: impl Integrator<Driven>) -> f64 {
        method.restart(0.0, &[1.0]);
        while method.time() < 2.0 {
            method.step(&mut Driven, 2.0).unwrap();
        }
        method.states()[0]
    }
    let pattern = Pattern::full(1, 1);
    let methods = [
        (Method::Euler(Euler::new(1, 0.1)), alone(Euler::new(1, 0.1))),
        (
            Method::RungeKutta4(RungeKutta4::new(1, 0.1)),
            alone(RungeKutta4::new(1, 0.1)),
        ),
        (
            Method::DormandPrince(DormandPrince::new(1, tolerance())),
            alone(DormandPrince::new(1, tolerance())),
        ),
        (
            Method::Bdf(Box::new(Bdf::new(&pattern, tolerance()))),
            alone(Bdf::new(&pattern, tolerance())),
        ),
    ];
    for (mut method, expected) in methods {
        method.restart(0.0, &[1.0]);
        let mut copy = None;
        while method.time() < 2.0 {
            if copy.is_none() && method.time() > 1.0 {
                let mut bytes = Vec::new();
                method.write_to(&mut Writer(&mut bytes));
                let mut from = Reader(&bytes);
                copy = Some(method.read_from(&mut from).unwrap());
                from.end().unwrap();
                let still = Method::Still(Still::default());
                assert!(still.read_from(&mut Reader(&bytes)).is_err());
            }
            method.step(&mut Driven, 2.0).unwrap();
        }
        let mut copy = copy.unwrap();
        while copy.time() < 2.0 {
            copy.step(&mut Driven, 2.0).unwrap();
        }
        for found in [method.states()[0], copy.states()[0]] {
            assert_eq!(found.to_bits(), expected.to_bits(), "{method:?}");
        }
    }
}

#[test]
fn without_states_only_time_passes() {
    let mut method = Method::Still(Still::at(1.0));
    method.step(&mut Driven, 3.0).unwrap();
    assert_eq!((method.time(), method.statistics().steps), (3.0, 1));
    let mut bytes = Vec::new();
    method.write_to(&mut Writer(&mut bytes));
    assert_eq!(method.read_from(&mut Reader(&bytes)).unwrap().time(), 3.0);
}

#[test]
fn a_difference_along_the_solution_is_a_second_derivative() {
    // x'' = -x' + cos t, whatever the size of the time.
    for (t, x) in [(0.0, 1.0), (3.0, -20.0), (1e4, 0.1), (0.5, 1e6)] {
        let (mut dx, mut ddx) = ([0.0], [0.0]);
        Driven.rhs(t, &[x], &mut dx).unwrap();
        Driven.second_derivative(t, &[x], &dx, &mut ddx).unwrap();
        let expected = -dx[0] + t.cos();
        let error = (ddx[0] - expected).abs();
        assert!(
            error < 1e-5 * (1.0 + expected.abs()),
            "{t} {x}: {} {expected}",
            ddx[0]
        );
    }
}
