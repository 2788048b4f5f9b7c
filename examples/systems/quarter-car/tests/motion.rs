//! The quarter car against what its equations say in closed form.

use fmu_runtime::ModelError;
use fmu_runtime::native::Native;
use quarter_car::{Chassis, QuarterCar, Wheel};

/// A wheel on a soft tyre, held by nothing: a harmonic oscillation around the height of the road.
#[test]
fn a_free_wheel_oscillates_around_the_road() -> Result<(), ModelError> {
    let wheel = Wheel {
        stiffness: 0.0,
        damping: 0.0,
        tyre_stiffness: 4000.0,
        ..Wheel::default()
    };
    let omega = (wheel.tyre_stiffness / wheel.mass).sqrt();
    let road = wheel.road;
    let mut wheel = Native::new(wheel);
    wheel.initialize(0.0)?;
    for tenth in 1..=10 {
        let t = f64::from(tenth) * 0.1;
        wheel.simulate(t, 1e-4)?;
        assert!((wheel.x - road * (1.0 - (omega * t).cos())).abs() < 1e-9);
        assert!((wheel.v - road * omega * (omega * t).sin()).abs() < 1e-8);
    }
    Ok(())
}

/// The chassis alone, its wheel held: a damped oscillation from a start that is 0.2 m too high.
#[test]
fn a_chassis_on_a_held_wheel_is_a_damped_oscillator() -> Result<(), ModelError> {
    let chassis = Chassis {
        x: 0.2,
        ..Chassis::default()
    };
    let decay = chassis.damping / (2.0 * chassis.mass);
    let omega = (chassis.stiffness / chassis.mass - decay * decay).sqrt();
    let mut chassis = Native::new(chassis);
    chassis.initialize(0.0)?;
    for tenth in 1..=10 {
        let t = f64::from(tenth) * 0.1;
        chassis.simulate(t, 1e-4)?;
        let x = 0.2 * (-decay * t).exp() * ((omega * t).cos() + decay / omega * (omega * t).sin());
        assert!(
            (chassis.x - x).abs() < 1e-9,
            "{} in place of {x} at {t}",
            chassis.x
        );
    }
    Ok(())
}

/// With the sign as printed the car would tear itself apart; with the right one it stands on the road in the end.
#[test]
fn the_car_comes_to_rest_on_the_road() -> Result<(), ModelError> {
    let mut car = Native::new(QuarterCar::default());
    car.initialize(0.0)?;
    car.simulate(30.0, 1e-3)?;
    assert!((car.wheel.x - 0.1).abs() < 1e-9 && (car.chassis.x - 0.1).abs() < 1e-9);
    assert!(car.wheel.v.abs() < 1e-9 && car.chassis.v.abs() < 1e-9);
    Ok(())
}
