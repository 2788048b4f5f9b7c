//! Impacts by themselves, without an FMU around them.

use fmu_runtime::ModelError;
use fmu_runtime::native::Native;
use impacts::{BlockedPendulum, WALL, Woodpecker};

/// Andersson 2016, section 8.6.2: two hits in 0.16 s, eleven in 1 s.
#[test]
fn a_woodpecker_hits_the_bar_as_often_as_published() -> Result<(), ModelError> {
    let mut woodpecker = Native::new(Woodpecker::default());
    woodpecker.initialize(0.0)?;
    woodpecker.simulate(0.16, 1e-4)?;
    assert_eq!(woodpecker.hits, 2);
    woodpecker.simulate(1.0, 1e-4)?;
    assert_eq!(woodpecker.hits, 11);
    assert!(woodpecker.z < 0.0, "it slides down");
    Ok(())
}

/// From rest at 2.7 rad to the wall: half of what is between two impacts, by steps of 10 us.
fn fall() -> f64 {
    let (mut theta, mut omega, h, mut t) = (2.7_f64, 0.0_f64, 1e-5, 0.0);
    loop {
        let before = theta;
        omega -= 0.5 * h * 9.81 * theta.sin();
        theta += h * omega;
        omega -= 0.5 * h * 9.81 * theta.sin();
        if theta < WALL {
            return t + h * (before - WALL) / (before - theta);
        }
        t += h;
    }
}

#[test]
fn a_blocked_pendulum_comes_back_to_where_it_was_let_go() -> Result<(), ModelError> {
    let fall = fall();
    let mut pendulum = Native::new(BlockedPendulum::default());
    pendulum.initialize(0.0)?;
    pendulum.simulate(2.0 * fall, 1e-4)?;
    assert_eq!(pendulum.impacts, 1);
    assert!((pendulum.theta - 2.7).abs() < 1e-6 && pendulum.omega.abs() < 1e-4);
    pendulum.simulate(9.9 * fall, 1e-4)?;
    assert_eq!(pendulum.impacts, 5);
    Ok(())
}
