//! The estimated error of a step: of the size of its real one, and what is compared with the tolerance.

use std::cell::RefCell;

use fmu_solvers::{ImplicitSystem, Method, Options, Refused, System, integrate, watch_errors};

/// `x' = -x`.
struct Decay;

impl System for Decay {
    type Error = Refused;

    fn rhs(&mut self, _: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Refused> {
        dx[0] = -x[0];
        Ok(())
    }
}

impl ImplicitSystem for Decay {
    fn jacobian(&mut self, _: f64, _: &[f64], values: &mut [f64]) -> Result<(), Refused> {
        values[0] = -1.0;
        Ok(())
    }
}

#[test]
fn the_estimated_error_of_a_step_is_of_the_size_of_its_real_one() {
    assert!(watch_errors(), "no other logger");
    let (relative, absolute) = (1e-5, 1e-6);
    for method in [Method::Bdf, Method::Esdirk34, Method::TrBdf2, Method::Tsit45] {
        let options = Options::new(relative, vec![absolute]);
        integrate(method, &RefCell::new(Decay), 0.0, &[1.0], &options, |stepper| {
            let (mut estimated, mut real, mut steps) = (0.0, 0.0, 0);
            while stepper.time() < 2.0 {
                let (t, x) = (stepper.time(), stepper.states()[0]);
                stepper.step(2.0)?;
                let now = stepper.states()[0];
                let exact = x * (t - stepper.time()).exp();
                let error = stepper.error().expect("an estimate");
                assert!((0.0..=1.0).contains(&error), "{method}: {error}");
                estimated += error;
                real += (now - exact).abs() / (absolute + relative * now.abs());
                steps += 1;
            }
            assert!(steps >= 5, "{method}: {steps}");
            // Methods with several steps are not exact over one of them; embedded formulas estimate the less exact of two.
            assert!(
                estimated > 0.2 * real && estimated < 1e3 * real,
                "{method}: {estimated} of {real} in {steps}"
            );
            Ok::<(), fmu_solvers::Error>(())
        })
        .and_then(|ended| ended)
        .unwrap_or_else(|error| panic!("{method}: {error}"));
    }
}
