//! Chassis and wheel by themselves.

use fmu_runtime::ModelError;
use fmu_runtime::native::Native;
use race_car::{FORCES, MOTIONS, RaceChassis, RaceWheel};

#[test]
fn a_corner_is_accelerated_by_the_sum_of_its_forces() -> Result<(), ModelError> {
    let mut force = [[0.0; FORCES]; 4];
    force[2] = [10.0; FORCES];
    let mut chassis = Native::new(RaceChassis {
        force,
        ..RaceChassis::default()
    });
    chassis.initialize(0.0)?;
    chassis.simulate(2.0, 0.01)?;
    // 190 N on 100 kg from 0.03 m; the other corners stay.
    assert!((chassis.height[2] - (0.03 + 0.5 * 1.9 * 4.0)).abs() < 1e-10);
    assert!((chassis.motion[2][5] - 3.8).abs() < 1e-10 && chassis.motion[0][0] == 0.01);
    Ok(())
}

#[test]
fn a_wheel_pushes_back_and_its_tyre_yields() -> Result<(), ModelError> {
    let mut motion = [0.0; MOTIONS];
    for height in motion.iter_mut().step_by(2) {
        *height = 0.1;
    }
    let mut wheel = Native::new(RaceWheel {
        motion,
        ..RaceWheel::default()
    });
    wheel.initialize(0.0)?;
    wheel.simulate(0.1, 1e-4)?;
    let tyre = 0.05 * (1.0 - (-2.0f64).exp());
    assert!((wheel.tyre - tyre).abs() < 1e-10);
    assert!((wheel.force.iter().sum::<f64>() + 1e4 * (0.1 - tyre)).abs() < 1e-7);
    Ok(())
}
