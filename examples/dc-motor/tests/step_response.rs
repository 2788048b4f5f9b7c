//! The answer of the motor to a step of the voltage, and to one of the load: a linear system of second order.

use dc_motor::{Armature, DCMotor};
use fmu_runtime::ModelError;
use fmu_runtime::native::Native;

/// Current and speed at the time `t`, from rest: x(t) = x_end - e^(At) x_end.
fn step_response(motor: &DCMotor, t: f64) -> (f64, f64) {
    let DCMotor {
        voltage,
        load,
        constant: k,
        ..
    } = *motor;
    let Armature {
        resistance: r,
        inductance: l,
        ..
    } = motor.armature;
    let (j, b) = (motor.rotor.inertia, motor.rotor.friction);
    let end = [
        (b * voltage + k * load) / (k * k + r * b),
        (k * voltage - r * load) / (k * k + r * b),
    ];
    let a = [[-r / l, -k / l], [k / j, -b / j]];
    // e^(At) = e^(mt) (cosh(dt) + sinh(dt)/d (A - m)), where m -+ d are the eigenvalues; d may be imaginary.
    let mean = (a[0][0] + a[1][1]) / 2.0;
    let square = mean * mean - (a[0][0] * a[1][1] - a[0][1] * a[1][0]);
    let d = square.abs().sqrt();
    let (c, s) = if square > 0.0 {
        ((d * t).cosh(), (d * t).sinh() / d)
    } else {
        ((d * t).cos(), (d * t).sin() / d)
    };
    let growth = (mean * t).exp();
    let row = |i: usize| {
        let shifted = [
            a[i][0] - if i == 0 { mean } else { 0.0 },
            a[i][1] - if i == 1 { mean } else { 0.0 },
        ];
        end[i] - growth * (c * end[i] + s * (shifted[0] * end[0] + shifted[1] * end[1]))
    };
    (row(0), row(1))
}

fn holds_to_the_closed_form(given: DCMotor) -> Result<(), ModelError> {
    let mut motor = Native::new(given.clone());
    motor.initialize(0.0)?;
    for hundredth in 1..=100 {
        let t = f64::from(hundredth) * 0.01;
        motor.simulate(t, 1e-4)?;
        let (current, speed) = step_response(&given, t);
        let (current_error, speed_error) = (motor.current - current, motor.speed - speed);
        assert!(current_error.abs() < 1e-9, "wrong by {current_error} A at {t} s");
        assert!(speed_error.abs() < 1e-9, "wrong by {speed_error} rad/s at {t} s");
        assert_eq!(motor.torque, given.constant * motor.current);
    }
    Ok(())
}

#[test]
fn it_runs_up_without_load() -> Result<(), ModelError> {
    holds_to_the_closed_form(DCMotor::default())
}

#[test]
fn it_runs_up_against_a_load() -> Result<(), ModelError> {
    holds_to_the_closed_form(DCMotor {
        load: 0.2,
        ..DCMotor::default()
    })
}

/// With a large inductance, current and speed oscillate.
#[test]
fn it_oscillates_with_a_large_inductance() -> Result<(), ModelError> {
    let mut motor = DCMotor::default();
    motor.armature.inductance = 0.2;
    holds_to_the_closed_form(motor)
}
