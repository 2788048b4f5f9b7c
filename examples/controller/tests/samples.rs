//! The commands of the controller, sample by sample.

use controller::Controller;
use fmu_runtime::ModelError;
use fmu_runtime::native::Native;

/// A constant error: the command starts with a jump and goes on as a straight line.
#[test]
fn a_constant_error_gives_a_ramp() -> Result<(), ModelError> {
    let mut controller = Native::new(Controller::default());
    (controller.reference, controller.measurement) = (3.0, 1.0);
    controller.initialize(0.0)?;
    for k in 0..50 {
        let expected = 2.0 * 2.0 + 0.5 * 0.1 * 2.0 * f64::from(k + 1);
        let command = controller.command;
        assert!((command - expected).abs() < 1e-13, "sample {k}: {command}");
        // Between two samples the command holds, whatever the measurement does.
        controller.measurement = 5.0;
        controller.simulate(0.1 * (f64::from(k) + 0.9), 0.1)?;
        controller.fire()?;
        assert_eq!(controller.command, command);
        controller.measurement = 1.0;
        controller.simulate(0.1 * f64::from(k + 1), 0.1)?;
    }
    Ok(())
}

/// An error that halves from sample to sample: the sum of a geometric series.
#[test]
fn a_vanishing_error_leaves_its_sum() -> Result<(), ModelError> {
    let mut controller = Native::new(Controller::default());
    (controller.ts, controller.kp, controller.ki) = (0.25, 1.5, 4.0);
    controller.initialize(0.0)?;
    for k in 1..=40 {
        let error = 0.5_f64.powi(k);
        controller.measurement = 1.0 - error;
        controller.simulate(0.25 * f64::from(k), 0.25)?;
        // Powers of 2, so nothing is rounded.
        let integral = 0.25 * (2.0 - error);
        assert_eq!(controller.integral, integral);
        assert_eq!(controller.command, 1.5 * error + 4.0 * integral);
    }
    Ok(())
}

#[test]
fn samples_come_at_multiples_of_the_sample_time() -> Result<(), ModelError> {
    let mut controller = Native::new(Controller::default());
    controller.initialize(5.0)?;
    for k in 1..=1000 {
        let due = 5.0 + f64::from(k) * 0.1;
        assert_eq!(controller.upcoming_event(), Some(due));
        controller.simulate(due, 0.1)?;
        assert_eq!(controller.samples, k + 1);
    }
    Ok(())
}

#[test]
fn each_sample_is_logged() -> Result<(), ModelError> {
    let mut controller = Native::new(Controller::default());
    controller.initialize(0.0)?;
    controller.simulate(0.25, 0.1)?;
    let said: Vec<_> = controller
        .messages()
        .iter()
        .map(|message| (message.category, message.text.as_str()))
        .collect();
    assert_eq!(said[0], ("samples", "error 1, command 2.05"));
    assert_eq!(said.len(), 3);
    Ok(())
}

/// In a loop with an integrator, der(x) = command, as seen from sample to sample: x[k+1] = x[k] + ts command[k].
#[test]
fn it_controls_an_integrator() -> Result<(), ModelError> {
    let mut controller = Native::new(Controller::default());
    controller.initialize(0.0)?;
    let (ts, kp, ki) = (0.1, 2.0, 0.5);
    // x = reference - e; eliminating the integral leaves a recursion for the error alone.
    let (mut before, mut error) = (1.0, 1.0 - ts * (kp + ki * ts));
    let mut x = 0.0;
    for k in 1..=200 {
        x += ts * controller.command;
        controller.measurement = x;
        controller.simulate(ts * f64::from(k), ts)?;
        assert!(
            (1.0 - x - error).abs() < 1e-13,
            "error of sample {k}: {}",
            1.0 - x
        );
        let next = 2.0 * error - before - ts * (kp * (error - before) + ki * ts * error);
        (before, error) = (error, next);
    }
    Ok(())
}
