//! For which feed-through around a loop the master foresees an unstable coupling (Andersson 2016, table 6.1), against closed
//! forms: two components y1 = d1 u1 and y2 = d2 u2 in a ring, p = d1 d2 > 0, all steps at once.

mod common;

use common::{Part, System, couple};
use fmu_master::settings::{Quadratic, Settings};
use fmu_master::{Error, Master};

/// The loop with this product of gains, whose inputs can follow polynomials of these orders.
fn ring(p: f64, orders: [u32; 2], extrapolation: u32, quadratic: Quadratic) -> Result<Master, Error> {
    let gains = [p.abs().sqrt(), p / p.abs().sqrt()];
    let part = |number: usize| -> Part {
        let gain = gains[number];
        let mut system = System::new(&[], 1, 1, |_, _, _| vec![], move |_, _, u| vec![gain * u[0]]);
        system.can.input_derivatives = orders[number];
        (system, vec![1 - number], vec![vec![0]])
    };
    let settings = Settings::default()
        .extrapolation(extrapolation)
        .quadratic(quadratic);
    let mut master = couple(vec![part(0), part(1)], settings)?;
    master.initialize(&[0.0; 2])?;
    Ok(master)
}

/// An error is carried from step to step by z^2 = p W1(1/z) W2(1/z), W with the weights of each input. W is largest at z = -1,
/// the sum of the sizes of the weights, and there z^2 / (W1 W2) is positive: the limit is p = 1 / (W1(-1) W2(-1)).
#[test]
fn the_limit_follows_from_the_weights_and_the_order_of_each_input() {
    let (parabola, differences) = (Quadratic::Parabola, Quadratic::Differences);
    for (orders, extrapolation, quadratic, limit) in [
        ([2, 2], 1, parabola, 1.0 / 9.0),
        ([2, 2], 2, parabola, 1.0 / 49.0),
        ([2, 2], 2, differences, 1.0 / 25.0),
        ([1, 2], 2, parabola, 1.0 / 21.0),
        ([2, 1], 2, differences, 1.0 / 15.0),
        ([0, 2], 2, parabola, 1.0 / 7.0),
        ([0, 2], 2, differences, 1.0 / 5.0),
        ([1, 0], 2, parabola, 1.0 / 3.0),
    ] {
        let case = format!("{orders:?}, order {extrapolation}, {quadratic:?}");
        let stable = ring(0.98 * limit, orders, extrapolation, quadratic);
        assert!(stable.is_ok(), "{case}: {:?}", stable.err());
        // On the unit circle.
        let circle = ring(limit, orders, extrapolation, quadratic);
        assert!(circle.is_ok(), "{case}: {:?}", circle.err());
        let unstable = ring(1.02 * limit, orders, extrapolation, quadratic);
        match unstable.err() {
            Some(Error::Unstable { radius, .. }) => assert!(radius > 1.0 && radius < 1.1, "{case}: {radius}"),
            other => panic!("{case}: {other:?}"),
        }
    }
}

/// Held inputs: z^2 = p. Eigenvalues on the unit circle, +-i for p = -1, are stable.
#[test]
fn held_inputs_are_stable_up_to_the_unit_circle() {
    for p in [0.999, 0.5, -0.999, -1.0] {
        let stable = ring(p, [2, 2], 0, Quadratic::Parabola);
        assert!(stable.is_ok(), "{p}: {:?}", stable.err());
    }
    for p in [1.001, -1.001, -4.0] {
        let refused = ring(p, [2, 2], 0, Quadratic::Parabola);
        match refused.err() {
            Some(Error::Unstable { radius, .. }) => {
                assert!((radius - p.abs().sqrt()).abs() < 1e-9, "{p}: {radius}");
            }
            other => panic!("{p}: {other:?}"),
        }
    }
}
