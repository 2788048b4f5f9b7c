//! Where numbers end: states and derivatives that are not finite, and tolerances that no solver can keep.

use test_support::fmus;

use fmu_importer::Fmu;
use fmu_importer::simulate::{Inputs, Method, Results, SimulateError, Simulation};
use fmus::{TestFmu, oscillator};

fn open(fmu: &TestFmu) -> Fmu {
    Fmu::open(&fmu.path).unwrap()
}

#[test]
fn a_solution_that_leaves_the_numbers_is_an_error_of_every_solver() {
    let fmu = oscillator();
    let fmu = open(&fmu);
    for method in Method::ALL {
        // v = 1e200 exp(1000 t) = 1000 x, whose derivative ends with the numbers at t = 0.2424.
        let mut results = Results::default();
        let simulation = Simulation::new(&fmu)
            .solver(method)
            .set("k", 0.0)
            .set("d", -1000.0)
            .set("v", 1e200)
            .set("x", 1e197)
            .tolerance(1e-3)
            .step(1e-4)
            .output_step(0.1)
            .stop(1.0)
            .record("v");
        let error = simulation.run_into(&mut results).expect_err(method.name());
        let SimulateError::NotFinite { variable, time, .. } = &error else {
            panic!("{method}: {error}");
        };
        assert!(
            ["v", "der(v)", "x", "der(x)"].contains(&variable.as_str()),
            "{error}"
        );
        assert!((time - 0.2424).abs() < 0.02, "{method}: {error}");
        assert_eq!(results.times(), [0.0, 0.1, 0.2], "{method}");
        assert!(
            results.numbers("v").unwrap().iter().all(|v| v.is_finite()),
            "{method}"
        );
    }
}

#[test]
fn a_derivative_that_is_no_number_is_named() {
    let fmu = oscillator();
    let fmu = open(&fmu);
    for method in Method::ALL {
        for from in [0.0, 0.5] {
            let push = move |time: f64| if time < from { 0.0 } else { f64::NAN };
            let mut results = Results::default();
            let simulation = Simulation::new(&fmu)
                .solver(method)
                .inputs(Inputs::function("u", push))
                .record("x");
            let error = simulation.run_into(&mut results).expect_err(method.name());
            let SimulateError::NotFinite {
                variable,
                value,
                time,
                ..
            } = &error
            else {
                panic!("{method}: {error}");
            };
            assert_eq!(variable, "der(v)", "{method}");
            assert!(value.is_nan() && (time - from).abs() < 0.02, "{method}: {error}");
            let expected = format!("der(v) of Oscillator is NaN at time {time}");
            assert!(error.to_string().starts_with(&expected), "{error}");
            assert!(
                results.numbers("x").unwrap().iter().all(|x| x.is_finite()),
                "{method}"
            );
        }
    }
}

#[test]
fn a_tolerance_below_the_precision_of_numbers_is_refused() {
    let fmu = oscillator();
    let fmu = open(&fmu);
    for method in Method::ALL.into_iter().filter(|method| !method.is_fixed()) {
        let run = |tolerance: f64| {
            Simulation::new(&fmu)
                .solver(method)
                .tolerance(tolerance)
                .stop(0.01)
                .run()
        };
        for tolerance in [1e-15, 1e-20] {
            let error = run(tolerance).expect_err(method.name()).to_string();
            assert!(error.contains("the tolerance"), "{error}");
            assert!(error.contains(method.name()), "{error}");
        }
        for tolerance in [1.0, 2.0, 100.0] {
            let error = run(tolerance).expect_err(method.name()).to_string();
            assert!(error.contains("is relative to the values"), "{error}");
        }
        for tolerance in [method.smallest_tolerance(), 0.1] {
            run(tolerance).unwrap();
        }
    }
}
