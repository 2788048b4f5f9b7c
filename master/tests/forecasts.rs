//! What a linear model foresees of steps: phases, derivatives that go through components without states, and free bodies.

use fmu_master::advise::{Model, Stepping, drift, limit_of};
use nalgebra::DMatrix;

/// Two masses of 2 kg and 1 kg, and a spring between them: forces to the masses, places and speeds to the spring.
fn masses(damping: f64) -> Model {
    let a = DMatrix::from_row_slice(
        4,
        4,
        &[0., 1., 0., 0., 0., 0., 0., 0., 0., 0., 0., 1., 0., 0., 0., 0.],
    );
    let mut b = DMatrix::zeros(4, 6);
    (b[(1, 0)], b[(3, 1)]) = (0.5, 1.0);
    let mut c = DMatrix::zeros(6, 4);
    c.view_mut((0, 0), (4, 4)).fill_with_identity();
    let mut d = DMatrix::zeros(6, 6);
    for (input, factor) in [(2, -200.0), (3, -damping), (4, 200.0), (5, damping)] {
        (d[(4, input)], d[(5, input)]) = (factor, -factor);
    }
    let mut l = DMatrix::zeros(6, 6);
    (l[(0, 4)], l[(1, 5)]) = (1.0, 1.0);
    l.view_mut((2, 0), (4, 4)).fill_with_identity();
    Model { a, b, c, d, l }
}

/// One after another, masses first, with derivatives that the components provide.
fn one_after_another(order: u32) -> Stepping {
    Stepping {
        orders: vec![order; 6],
        told: vec![true; 6],
        aimed: vec![false, false, true, true, true, true],
        consistent: false,
    }
}

#[test]
fn an_oscillation_of_the_right_size_with_a_wrong_phase_is_foreseen() {
    // All inputs go to the values at the end along lines: the trapezoidal rule for the forces, which keeps the amplitude and is
    // late by (omega h)^2 / 12 of the phase.
    let solved = Stepping {
        aimed: vec![true; 6],
        ..one_after_another(1)
    };
    let (h, stop) = (0.02, 60.0);
    let omega = 300.0_f64.sqrt();
    let found = drift(&masses(0.0), &solved, h, stop).expect("a wrong phase");
    let late = omega * stop * (omega * h).powi(2) / 12.0;
    assert!((found.stepped - 1.0).abs() < 0.02, "{found:?}");
    assert!((found.phase.abs() / late - 1.0).abs() < 0.6, "{found:?} {late}");
    assert_eq!(drift(&masses(0.0), &solved, 1e-4, 1.0), None);
}

/// Derivatives of a spring's force come through the slopes of its inputs: they raise the order of the steps.
#[test]
fn derivatives_through_a_component_without_states_are_foreseen() {
    let size = |order: u32, h: f64| {
        let found = drift(&masses(0.1), &one_after_another(order), h, 20.0);
        found.map_or(0.0, |found| (found.stepped - found.exact).abs())
    };
    let h = 0.005;
    // With held forces, energy comes in: by the rate omega^2 h / 2.
    assert!(size(0, h) > 100.0, "{}", size(0, h));
    assert!(
        size(1, h) < 0.3 && size(2, h) < 0.1,
        "{} {}",
        size(1, h),
        size(2, h)
    );
}

/// A free motion of all masses together is two integrators in a row: rounding moves their factors by its square root.
#[test]
fn free_bodies_do_not_make_steps_unstable() {
    for order in 0..3 {
        let limit = limit_of(&masses(1.5), &Stepping::extrapolated(6, order));
        assert!(limit > 1e-4, "{order}: {limit}");
    }
}
