//! The drive at its samples, by the exact solution of the motor between two of them.

use fmu_runtime::ModelError;
use fmu_runtime::native::{Native, Options, Solver};
use two_rate::TwoRate;

/// Position, speed and voltage right after each fast sample.
fn exact(samples: usize, drive: &TwoRate) -> Vec<[f64; 3]> {
    let every = (drive.slow / drive.fast).round() as usize;
    let (decay, tau, h) = ((-drive.fast / drive.tau).exp(), drive.tau, drive.fast);
    let (position, speed) = (&drive.position, &drive.speed);
    let (mut phi, mut omega, mut asked, mut integral) = (drive.phi, drive.omega, 0.0, 0.0);
    let mut rows = Vec::new();
    for k in 0..samples {
        if k % every == 0 {
            asked = (position.kp * (drive.reference - phi)).clamp(-position.limit, position.limit);
        }
        integral += speed.ki * (asked - omega);
        let voltage = speed.kp * (asked - omega) + integral;
        rows.push([phi, omega, voltage]);
        let steady = drive.gain * voltage;
        phi += steady * h + (omega - steady) * tau * (1.0 - decay);
        omega = steady + (omega - steady) * decay;
    }
    rows
}

#[test]
fn the_drive_is_its_exact_recursion() -> Result<(), ModelError> {
    for options in [
        Options::with(Solver::DormandPrince).with_tolerance(1e-10),
        Options::with(Solver::RungeKutta4).with_max_step(1e-4),
    ] {
        let mut drive = Native::new(TwoRate::default());
        let rows = exact(2001, &drive);
        drive.initialize(0.0)?;
        let table = drive.record(2.0, 1.0, options)?;
        // Every fast sample is an event; the slow ones coincide with fast ones.
        assert_eq!(drive.events(), 2000);
        let column = |name: &str| table.points(name).into_iter();
        let places = column("phi").zip(column("omega")).zip(column("speed.voltage"));
        let (mut checked, mut last) = (0, -1.0);
        for (((t, phi), (_, omega)), (_, voltage)) in places {
            let k = (t / 0.001).round();
            // The second of the two rows of an event is the one after it.
            if last == t || t == 0.0 {
                let exact = rows[k as usize];
                for (found, exact) in [phi, omega, voltage].into_iter().zip(exact) {
                    assert!((found - exact).abs() < 1e-8, "t = {t}: {found}, not {exact}");
                }
                checked += 1;
            }
            last = t;
        }
        assert_eq!(checked, 2001);
    }
    Ok(())
}

#[test]
fn it_reaches_its_position_without_running_faster_than_allowed() -> Result<(), ModelError> {
    let mut drive = Native::new(TwoRate::default());
    drive.initialize(0.0)?;
    let mut fastest: f64 = 0.0;
    drive.simulate_with(2.0, Options::default(), |_, now| fastest = fastest.max(now.omega))?;
    assert!((drive.phi - 1.0).abs() < 1e-3, "{}", drive.phi);
    assert!(fastest < 1.3 * 5.0, "{fastest}");
    Ok(())
}

#[test]
fn other_rates_are_other_drives() -> Result<(), ModelError> {
    let mut drive = Native::new(TwoRate {
        slow: 0.03,
        fast: 0.01,
        ..TwoRate::default()
    });
    let rows = exact(101, &drive);
    drive.initialize(0.0)?;
    drive.simulate(1.0, Options::default().with_tolerance(1e-10))?;
    assert_eq!(drive.events(), 100, "0.03 and 3 times 0.01 are one event");
    assert!((drive.phi - rows[100][0]).abs() < 1e-8);
    Ok(())
}
