//! The structure of the examples that others have published, too.

use test_support::structure as lines;

use bouncing_ball::BouncingBall;
use feedthrough::Feedthrough;
use heat_rod::HeatRod;
use lines::structure;
use van_der_pol::VanDerPol;

#[test]
fn van_der_pol() {
    let found = structure::<VanDerPol>();
    assert_eq!(
        found.derivatives(),
        [
            "der(x0): x1 constant",
            "der(x1): x0 dependent, x1 dependent, u constant"
        ]
    );
    assert_eq!(found.outputs(), ["x0: x0 constant", "x1: x1 constant"]);
    assert_eq!(found.notes, Vec::<String>::new());
}

#[test]
fn bouncing_ball() {
    let found = structure::<BouncingBall>();
    // Gravity is a parameter, and whether the ball rests is not an input.
    assert_eq!(found.derivatives(), ["der(h): v constant", "der(v): "]);
    assert_eq!(found.outputs(), ["h: h constant", "v: v constant", "resting: "]);
    assert_eq!(found.notes, Vec::<String>::new());
}

#[test]
fn feedthrough() {
    let found = structure::<Feedthrough>();
    assert_eq!(
        found.outputs(),
        [
            "real_out: real_in discrete, direction_in dependent",
            "sampled_out: sampled_in constant",
            "integer_out: integer_in dependent",
            "boolean_out: boolean_in dependent",
            "string_out: string_in dependent",
            "direction_out: direction_in dependent",
            "shift: ",
        ]
    );
    assert_eq!(found.notes, Vec::<String>::new());
}

#[test]
fn heat_rod() {
    let found = structure::<HeatRod<1000>>();
    let derivatives = found.derivatives();
    assert_eq!(derivatives.len(), 1000);
    assert_eq!(
        derivatives[0],
        "der(temperature[1]): temperature[1] fixed, temperature[2] fixed, left fixed"
    );
    assert_eq!(
        derivatives[499],
        "der(temperature[500]): temperature[499] fixed, temperature[500] fixed, temperature[501] fixed"
    );
    assert_eq!(
        derivatives[999],
        "der(temperature[1000]): temperature[999] fixed, temperature[1000] fixed, right fixed"
    );
    assert!(derivatives.iter().all(|line| line.matches(" fixed").count() == 3));
    assert_eq!(found.notes, Vec::<String>::new());
}
