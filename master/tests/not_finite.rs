//! Outputs that are not numbers or infinite: the error names the component that they come from, and does not call it divergence.

mod common;

use common::{System, couple};
use fmu_master::settings::{Algorithm, Control, Settings};
use fmu_master::{Error, Master};

/// `s1` integrates what `s2` gives, and `s2` gives `value` from t = 0.45 on.
fn run(value: f64, settings: Settings) -> (Master, Error) {
    let integrator = System::new(&[0.0], 1, 1, |_, _, u| vec![u[0]], |_, x, u| vec![x[0] + u[0]]);
    let source = System::new(
        &[],
        0,
        1,
        |_, _, _| vec![],
        move |t, _, _| vec![if t < 0.45 { 1.0 } else { value }],
    );
    let parts = vec![
        (integrator, vec![1], vec![vec![0]]),
        (source, vec![], vec![vec![]]),
    ];
    let mut master = couple(parts, settings).unwrap();
    master.initialize(&[0.0]).unwrap();
    let error = master.run(|_| true).expect_err("it cannot go on");
    (master, error)
}

#[test]
fn what_is_not_finite_is_said_of_the_component_that_returned_it() {
    for algorithm in [
        Algorithm::Jacobi,
        Algorithm::GaussSeidel,
        Algorithm::IteratedGaussSeidel,
        Algorithm::Newton,
    ] {
        for control in [None, Some(Control::new(1e-3, 1.0))] {
            for (value, word) in [
                (f64::NAN, "not a number (NaN)"),
                (f64::INFINITY, "infinite"),
                (f64::NEG_INFINITY, "infinite"),
            ] {
                let settings = Settings::default()
                    .step(0.1)
                    .algorithm(algorithm)
                    .control(control);
                let (master, error) = run(value, settings);
                let case = format!("{algorithm:?} {} {value}: {error}", control.is_some());
                let said = error.to_string();
                assert!(
                    said.contains(&format!("s2.y1 is {word} at t = 0.4"))
                        || said.contains(&format!("s2.y1 is {word} at t = 0.5")),
                    "{case}"
                );
                assert!(!said.contains("diverges") && !said.contains("insist"), "{case}");
                assert!(master.time() <= 0.5, "{case}");
            }
        }
    }
}

/// No component reads the output, and nothing records it.
#[test]
fn an_output_that_feeds_nothing_is_watched_too() {
    let lag = System::new(&[1.0], 1, 1, |_, x, u| vec![u[0] - x[0]], |_, x, _| x.to_vec());
    let source = System::new(
        &[],
        0,
        2,
        |_, _, _| vec![],
        |t, _, _| vec![1.0, if t < 0.45 { 1.0 } else { f64::NAN }],
    );
    let parts = vec![
        (lag, vec![1], vec![vec![]]),
        (source, vec![], vec![vec![], vec![]]),
    ];
    let settings = Settings::default().step(0.1);
    let mut master = couple(parts, settings).unwrap();
    master.initialize(&[0.0]).unwrap();
    let error = master.run(|_| true).expect_err("it cannot go on").to_string();
    assert!(
        error.contains("s2.y2 is not a number (NaN) at t = 0.5"),
        "{error}"
    );
}
