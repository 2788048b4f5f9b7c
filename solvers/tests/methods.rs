//! Every method against closed forms, through the public door.

use std::cell::RefCell;

use fmu_solvers::{DynStepper, Error, ImplicitSystem, Method, Options, Pattern, Refused, System, integrate};

/// x'' = -x beside y' = -1000 (y - cos t): one part that swings, one that is stiff.
struct Mixed {
    pattern: Option<Pattern>,
    latest: f64,
    refuses_above: f64,
}

impl Mixed {
    fn new(sparse: bool) -> RefCell<Self> {
        let pattern = Pattern::new(3, 3, [(1, 0), (0, 1), (2, 2)]);
        RefCell::new(Self {
            pattern: sparse.then_some(pattern),
            latest: 0.0,
            refuses_above: f64::INFINITY,
        })
    }
}

impl System for Mixed {
    type Error = Refused;

    fn rhs(&mut self, time: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Refused> {
        self.latest = self.latest.max(time);
        if time > self.refuses_above {
            return Err(Refused);
        }
        dx.copy_from_slice(&[x[1], -x[0], -1000.0 * (x[2] - time.cos())]);
        Ok(())
    }
}

impl ImplicitSystem for Mixed {
    fn pattern(&self) -> Option<&Pattern> {
        self.pattern.as_ref()
    }

    fn jacobian(&mut self, _: f64, _: &[f64], values: &mut [f64]) -> Result<(), Refused> {
        match self.pattern {
            Some(_) => values.copy_from_slice(&[-1.0, 1.0, -1000.0]),
            None => values.copy_from_slice(&[0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, -1000.0]),
        }
        Ok(())
    }
}

fn exact(time: f64) -> [f64; 3] {
    let stiff = (1e6 * time.cos() + 1e3 * time.sin() + (-1000.0 * time).exp()) / (1e6 + 1.0);
    [time.sin(), time.cos(), stiff]
}

fn distance(x: &[f64], time: f64) -> f64 {
    x.iter()
        .zip(exact(time))
        .map(|(x, y)| (x - y).abs())
        .fold(0.0, f64::max)
}

fn to_the_end(stepper: &mut DynStepper, stop: f64) -> Result<f64, Error> {
    let mut worst: f64 = 0.0;
    let mut between = [0.0; 3];
    while stepper.time() < stop {
        let before = stepper.time();
        stepper.step(stop)?;
        assert!(stepper.time() > before && stepper.time() <= stop);
        for part in [0.25, 0.75, 1.0] {
            let time = before + part * (stepper.time() - before);
            stepper.interpolate(time, &mut between);
            worst = worst.max(distance(&between, time));
        }
    }
    Ok(worst)
}

#[test]
fn every_method_keeps_to_the_closed_form() {
    for (method, limit) in [
        (Method::Bdf, 2e-5),
        (Method::Esdirk34, 2e-5),
        (Method::TrBdf2, 2e-5),
        (Method::Tsit45, 2e-5),
        (Method::Rk4, 1e-6),
        (Method::Euler, 2e-3),
    ] {
        for sparse in [false, true] {
            let system = Mixed::new(sparse);
            let mut options = Options::new(1e-7, vec![1e-8; 3]);
            options.fixed_step = 1e-3;
            let worst = integrate(method, &system, 0.0, &exact(0.0), &options, |s| {
                to_the_end(s, 3.0)
            });
            let worst = worst.unwrap().unwrap();
            assert!(worst < limit, "{method}: {worst:e}");
            let latest = system.borrow().latest;
            assert!(
                (2.99..=3.0).contains(&latest),
                "{method} never looks beyond the end: {latest}"
            );
        }
    }
}

#[test]
fn a_restart_takes_up_other_states() {
    for method in Method::ALL {
        let system = Mixed::new(false);
        let mut options = Options::new(1e-7, vec![1e-8; 3]);
        options.fixed_step = 1e-3;
        let worst = integrate(method, &system, 0.0, &[7.0, 7.0, 7.0], &options, |stepper| {
            while stepper.time() < 0.5 {
                stepper.step(0.5)?;
            }
            stepper.restart(0.5, &exact(0.5));
            to_the_end(stepper, 2.0)
        });
        let limit = if method == Method::Euler { 2e-3 } else { 2e-5 };
        assert!(worst.unwrap().unwrap() < limit, "{method}");
    }
}

#[test]
fn a_system_that_cannot_be_evaluated_ends_in_an_error() {
    for method in Method::ALL {
        let system = Mixed::new(false);
        system.borrow_mut().refuses_above = 1.0;
        let options = Options::new(1e-6, vec![1e-8; 3]);
        let result = integrate(method, &system, 0.0, &exact(0.0), &options, |s| {
            to_the_end(s, 3.0)
        });
        let error = result.unwrap().unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("at time 1") || text.contains("at time 0.99"),
            "{method}: {text}"
        );
    }
}

/// x' = 1000 x, or no number from some time on.
struct Leaves {
    no_number_from: f64,
}

impl System for Leaves {
    type Error = Refused;

    fn rhs(&mut self, time: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Refused> {
        dx[0] = if time < self.no_number_from {
            1000.0 * x[0]
        } else {
            f64::NAN
        };
        Ok(())
    }
}

impl ImplicitSystem for Leaves {
    fn jacobian(&mut self, _: f64, _: &[f64], values: &mut [f64]) -> Result<(), Refused> {
        values[0] = 1000.0;
        Ok(())
    }
}

#[test]
fn what_is_not_finite_is_an_error_and_no_state() {
    for method in Method::ALL {
        // exp(1000 t) ends with the numbers at t = 0.7097, its derivative at t = 0.7028.
        for (no_number_from, at) in [(f64::INFINITY, 0.7), (0.1, 0.1), (0.0, 0.0)] {
            let system = RefCell::new(Leaves { no_number_from });
            let mut options = Options::new(1e-6, vec![1e-8]);
            options.fixed_step = 1e-4;
            let result = integrate(method, &system, 0.0, &[1.0], &options, |stepper| {
                while stepper.time() < 1.0 {
                    stepper.step(1.0)?;
                    assert!(stepper.states()[0].is_finite(), "{method}");
                }
                Ok(())
            });
            let error = result.and_then(|ended| ended).expect_err(method.name());
            let Error::NotFinite { time, state: 0, .. } = error else {
                panic!("{method}: {error}");
            };
            assert!((time - at).abs() < 0.05, "{method}: {error}");
        }
    }
}

#[test]
fn steps_that_lead_nowhere_come_to_an_end() {
    // So exact that the roundings of Newton's method are beyond the tolerance, whatever the step.
    let options = Options::new(1e-17, vec![1e-19]);
    let system = RefCell::new(Leaves {
        no_number_from: f64::INFINITY,
    });
    let result = integrate(Method::Bdf, &system, 0.0, &[1.0], &options, |stepper| {
        while stepper.time() < 1.0 {
            stepper.step(1.0)?;
        }
        Ok(())
    });
    let error = result.and_then(|ended| ended).expect_err("no such exactness");
    assert!(matches!(error, Error::TooSmall { .. }), "{error}");
}
