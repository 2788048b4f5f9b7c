//! Derivatives of inputs: which order an FMU follows is not in its description.

use test_support::relay;

use fmu_master::system::Assembled;
use relay::{DESCRIPTION, Folder, last, packed};

/// A component that refuses all derivatives of inputs, although it can interpolate them, fed by u = t and with
/// x' = u - x, from 0 to 1.
fn refuser(attributes: &str, variability: &str) -> Assembled {
    let description = DESCRIPTION
        .replace("UNIT_IN", "")
        .replace("UNIT_OUT", "")
        .replace(
            "<CoSimulation ",
            &format!("<CoSimulation canInterpolateInputs=\"true\" {attributes} "),
        )
        .replacen(
            "variability=\"continuous\"",
            &format!("variability=\"{variability}\""),
            1,
        );
    let folder = Folder::new();
    folder.write("refuser.fmu", &packed(&description));
    folder
        .system(
            "record = ['a.x*']\n[simulation]\nstep = 0.1\nextrapolation = 1\n[components.a]\nfmu = 'refuser.fmu'\n\
             [[inputs]]\nto = 'a.u'\npoints = [[0.0, 0.0], [1.0, 1.0]]\n",
        )
        .expect("it fits")
}

/// x(1) with an input that is held over each step of 0.1.
fn held() -> f64 {
    (0..10).fold(0.0, |x: f64, step| {
        x + (1.0 - (-0.1f64).exp()) * (0.1 * f64::from(step) - x)
    })
}

fn check(assembled: &mut Assembled) {
    let x = last(&relay::run(assembled), "a.x[1]");
    assert!((x - held()).abs() < 1e-12, "{x} instead of {}", held());
}

#[test]
fn an_order_that_is_refused_is_found_on_another_instance() {
    let mut assembled = refuser("", "continuous");
    assert!(
        assembled.notes[0].contains("a refuses derivatives of its inputs of order 1"),
        "{:?}",
        assembled.notes
    );
    check(&mut assembled);
    assert_eq!(assembled.master.statistics().restarts, 0);
}

#[test]
fn a_single_instance_starts_again_with_a_lower_order() {
    let mut assembled = refuser("canBeInstantiatedOnlyOncePerProcess=\"true\"", "continuous");
    assert!(assembled.notes.is_empty(), "{:?}", assembled.notes);
    check(&mut assembled);
    assert_eq!(assembled.master.statistics().restarts, 1);
    assert!(
        assembled.notes[0].ends_with("the run starts again with its inputs extrapolated with order 0"),
        "{:?}",
        assembled.notes
    );
}

#[test]
fn discrete_inputs_have_no_derivatives() {
    let mut assembled = refuser("canBeInstantiatedOnlyOncePerProcess=\"true\"", "discrete");
    check(&mut assembled);
    assert_eq!(assembled.master.statistics().restarts, 0);
    assert!(assembled.notes.is_empty(), "{:?}", assembled.notes);
}
