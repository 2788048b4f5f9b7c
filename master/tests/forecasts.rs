//! What a linear model foresees of steps: phases, derivatives that go through components without states, and free bodies.

use fmu_master::advise::{Beginning, Model, Stepping, drift, largest_deviation, limit_of};
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
        from_source: vec![true; 6],
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

/// A quarter of a car (Andersson 2016, section 9.3.2): wheel and chassis, each with the spring and the damper between them.
fn quarter_car() -> Model {
    let (chassis, wheel, spring, tyre, damper) = (400.0, 40.0, 15e3, 150e3, 1e3);
    let a = DMatrix::from_row_slice(
        4,
        4,
        &[
            0.,
            1.,
            0.,
            0., //
            -(spring + tyre) / wheel,
            -damper / wheel,
            0.,
            0., //
            0.,
            0.,
            0.,
            1., //
            0.,
            0.,
            -spring / chassis,
            -damper / chassis,
        ],
    );
    let mut b = DMatrix::zeros(4, 4);
    (b[(1, 0)], b[(1, 1)]) = (spring / wheel, damper / wheel);
    (b[(3, 2)], b[(3, 3)]) = (spring / chassis, damper / chassis);
    let mut l = DMatrix::zeros(4, 4);
    (l[(0, 2)], l[(1, 3)], l[(2, 0)], l[(3, 1)]) = (1.0, 1.0, 1.0, 1.0);
    Model {
        a,
        b,
        c: DMatrix::identity(4, 4),
        d: DMatrix::zeros(4, 4),
        l,
    }
}

/// From rest, the road rises by 0.1 m under the wheel.
fn onto_a_step() -> Beginning {
    Beginning {
        slopes: vec![0.0, 0.1 * 150e3 / 40.0, 0.0, 0.0],
        outputs: vec![0.0; 4],
        nominals: vec![1.0; 4],
    }
}

/// How inputs of the car go through steps of jacobi, gauss-seidel (wheel first) and newton.
fn algorithms() -> [Stepping; 3] {
    [[false; 4], [false, false, true, true], [true; 4]].map(|aimed| Stepping {
        aimed: aimed.to_vec(),
        ..Stepping::extrapolated(4, 0)
    })
}

/// The factors of these steps are nearly those of the modes: what is wrong is how the wheel's motion comes to the chassis.
#[test]
fn steps_that_do_not_follow_the_course_from_the_start_are_foreseen() {
    for h in [0.2, 0.1, 0.05, 0.02] {
        for stepping in algorithms() {
            let miss = largest_deviation(&quarter_car(), &stepping, h, 1.0, &onto_a_step());
            let miss = miss.unwrap_or_else(|| panic!("{h} {stepping:?}"));
            assert!(miss.part > 0.05, "{h} {stepping:?}: {miss:?}");
            assert!(
                largest_deviation(&quarter_car(), &stepping, 1e-3, 1.0, &onto_a_step()).is_none(),
                "{stepping:?}"
            );
        }
    }
    // In the first step the chassis does not move at all.
    let [jacobi, ..] = algorithms();
    let miss = largest_deviation(&quarter_car(), &jacobi, 0.02, 0.02, &onto_a_step()).expect("it stays");
    assert!(
        miss.output > 1 && miss.stepped == 0.0 && miss.part == 1.0,
        "{miss:?}"
    );
    // At rest nothing happens.
    let rest = Beginning {
        slopes: vec![0.0; 4],
        ..onto_a_step()
    };
    assert_eq!(largest_deviation(&quarter_car(), &jacobi, 0.1, 1.0, &rest), None);
}

/// With less than two steps per period an oscillation is taken for a slower one, however large it is.
#[test]
fn oscillations_with_less_than_two_steps_per_period_are_foreseen() {
    let solved = Stepping {
        aimed: vec![true; 6],
        ..one_after_another(1)
    };
    for h in [0.2, 0.25, 0.37] {
        let found = drift(&masses(0.2), &solved, h, 10.0);
        let found = found.unwrap_or_else(|| panic!("{h}: half a period is 0.18 s"));
        // Steps that let it grow are worse, and foreseen as that.
        let grows = found.mode.is_none() && found.stepped > 1e6;
        assert!(found.is_aliased(h) || h > 0.2 && grows, "{h}: {found:?}");
    }
    assert_eq!(drift(&masses(0.2), &solved, 0.005, 10.0), None);
    // One component alone integrates its oscillation itself, and another one looks on.
    let own = Model {
        a: DMatrix::from_row_slice(2, 2, &[0.0, 1.0, -300.0, -0.3]),
        b: DMatrix::zeros(2, 1),
        c: DMatrix::from_row_slice(1, 2, &[1.0, 0.0]),
        d: DMatrix::zeros(1, 1),
        l: DMatrix::identity(1, 1),
    };
    assert_eq!(drift(&own, &Stepping::extrapolated(1, 0), 0.25, 10.0), None);
}

/// x' = -x from 1, and three gains of 1 in a row behind it.
fn gains() -> (Model, Beginning) {
    let model = Model {
        a: DMatrix::from_element(1, 1, -1.0),
        b: DMatrix::zeros(1, 3),
        c: DMatrix::from_row_slice(4, 1, &[1.0, 0.0, 0.0, 0.0]),
        d: DMatrix::from_fn(4, 3, |output, input| if output == input + 1 { 1.0 } else { 0.0 }),
        l: DMatrix::from_fn(3, 4, |input, output| if output == input { 1.0 } else { 0.0 }),
    };
    let beginning = Beginning {
        slopes: vec![-1.0],
        outputs: vec![1.0; 4],
        nominals: vec![1.0; 4],
    };
    (model, beginning)
}

#[test]
fn outputs_that_follow_inputs_a_step_late_each_are_foreseen() {
    let (model, beginning) = gains();
    let held = Stepping::extrapolated(3, 0);
    let miss = largest_deviation(&model, &held, 0.1, 3.0, &beginning).expect("a warning");
    // The last gain repeats the state of three steps ago; before that, its start.
    assert_eq!(miss.output, 3);
    assert!(
        (miss.time - 0.3).abs() < 1e-12 && (miss.stepped - 1.0).abs() < 1e-12,
        "{miss:?}"
    );
    assert!((miss.exact - (-0.3_f64).exp()).abs() < 1e-12, "{miss:?}");
    let in_order = Stepping {
        aimed: vec![true; 3],
        ..held
    };
    assert_eq!(largest_deviation(&model, &in_order, 0.1, 3.0, &beginning), None);
}

#[test]
fn systems_in_which_all_outputs_follow_inputs_are_judged_too() {
    // x1' = -x1 + u1, y1 = x1 - 0.5 u1, and x2' = -x2 + u2, y2 = x2 + 0.3 u2, in a loop.
    let model = Model {
        a: -DMatrix::<f64>::identity(2, 2),
        b: DMatrix::identity(2, 2),
        c: DMatrix::identity(2, 2),
        d: DMatrix::from_row_slice(2, 2, &[-0.5, 0.0, 0.0, 0.3]),
        l: DMatrix::from_row_slice(2, 2, &[0.0, 1.0, 1.0, 0.0]),
    };
    // With x = (1, 2): y1 = x1 - 0.5 y2 and y2 = x2 + 0.3 y1 give y1 = 0 and y2 = 2.
    let beginning = Beginning {
        slopes: vec![1.0, -2.0],
        outputs: vec![0.0, 2.0],
        nominals: vec![1.0, 1.0],
    };
    let held = Stepping::extrapolated(2, 0);
    let miss = largest_deviation(&model, &held, 0.3, 5.0, &beginning).expect("a warning");
    assert!(miss.part > 0.05, "{miss:?}");
    assert_eq!(largest_deviation(&model, &held, 1e-4, 0.1, &beginning), None);
}
