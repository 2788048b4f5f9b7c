//! The halves by themselves, against what mechanics says of them.

use andersson::{LeftMass, LowerPendulum, Quotient, RightMass, UpperPendulum};
use fmu_runtime::ModelError;
use fmu_runtime::native::Native;

/// Without a damper and with nothing at its end, a pendulum keeps its energy.
#[test]
fn a_free_pendulum_keeps_its_energy() -> Result<(), ModelError> {
    let mut pendulum = Native::new(UpperPendulum {
        d: 0.0,
        ..UpperPendulum::default()
    });
    pendulum.initialize(0.0)?;
    let energy = |p: &UpperPendulum| 0.5 * p.omega * p.omega - 9.81 * p.alpha.cos();
    let begin = energy(&pendulum);
    for tenth in 1..=20 {
        pendulum.simulate(0.1 * f64::from(tenth), 1e-3)?;
        assert!((energy(&pendulum) - begin).abs() < 1e-8);
        // The end is on a circle: its acceleration along the rod is omega^2 l.
        let along = -pendulum.y1 * pendulum.alpha.sin() + pendulum.y2 * pendulum.alpha.cos();
        assert!((along - pendulum.omega * pendulum.omega).abs() < 1e-9);
    }
    Ok(())
}

/// Falling with its pivot, the lower pendulum weighs nothing and does not swing; at rest, it pulls with its weight.
#[test]
fn the_lower_pendulum_pulls_along_its_rod() -> Result<(), ModelError> {
    let mut falling = Native::new(LowerPendulum {
        u2: -9.81,
        ..LowerPendulum::default()
    });
    falling.initialize(0.0)?;
    falling.simulate(1.0, 1e-3)?;
    assert!((falling.alpha - 0.3).abs() < 1e-12 && falling.y1.abs() < 1e-12 && falling.y2.abs() < 1e-12);
    let mut hanging = Native::new(LowerPendulum {
        alpha: 0.0,
        ..LowerPendulum::default()
    });
    hanging.initialize(0.0)?;
    assert!(hanging.y1.abs() < 1e-12 && (hanging.y2 + 1.5 * 9.81).abs() < 1e-12);
    Ok(())
}

/// With its neighbour held, each mass is a damped oscillator.
#[test]
fn a_mass_beside_a_held_one_is_a_damped_oscillator() -> Result<(), ModelError> {
    let damped = |x0: f64, k: f64, c: f64, t: f64| {
        let (decay, omega) = (0.5 * c, (k - 0.25 * c * c).sqrt());
        x0 * (-decay * t).exp() * ((omega * t).cos() + decay / omega * (omega * t).sin())
    };
    let mut left = Native::new(LeftMass::default());
    left.initialize(0.0)?;
    left.simulate(1.5, 1e-3)?;
    assert!((left.x - damped(1.0, 10.0, 1.0, 1.5)).abs() < 1e-9);
    let mut right = Native::new(RightMass {
        x: 0.5,
        ..RightMass::default()
    });
    right.initialize(0.0)?;
    right.simulate(1.5, 1e-3)?;
    let x = damped(0.5, 75.0, 2.1, 1.5);
    assert!((right.x - x).abs() < 1e-8 && (right.distance - x).abs() < 1e-8);
    Ok(())
}

#[test]
fn a_quotient_of_a_growing_number() -> Result<(), ModelError> {
    let mut quotient = Native::new(Quotient {
        u: 2.0,
        ..Quotient::default()
    });
    quotient.initialize(0.0)?;
    quotient.simulate(0.5, 1e-3)?;
    // x' = x + 2 from -1: x + 2 grows like e^t.
    assert!((quotient.y - (0.5f64.exp() - 2.0) / 2.0).abs() < 1e-10);
    Ok(())
}
