//! The run-up along the ramp and after it: a linear system, driven by a straight line and then by a constant.

use driven_motor::DrivenMotor;
use fmu_runtime::ModelError;
use fmu_runtime::native::Native;

type Vector = [f64; 2];

/// Current and speed as a linear system with its matrix exponential.
struct Motor {
    a: [Vector; 2],
    b: Vector,
}

impl Motor {
    fn times(&self, x: Vector) -> Vector {
        self.a.map(|row| row[0] * x[0] + row[1] * x[1])
    }

    /// A y = x.
    fn solve(&self, x: Vector) -> Vector {
        let [[a, b], [c, d]] = self.a;
        let determinant = a * d - b * c;
        [
            (d * x[0] - b * x[1]) / determinant,
            (a * x[1] - c * x[0]) / determinant,
        ]
    }

    /// e^(At) x, for real eigenvalues m + d and m - d.
    fn propagate(&self, x: Vector, t: f64) -> Vector {
        let m = (self.a[0][0] + self.a[1][1]) / 2.0;
        let d = (m * m - (self.a[0][0] * self.a[1][1] - self.a[0][1] * self.a[1][0])).sqrt();
        let (growth, c, s) = ((m * t).exp(), (d * t).cosh(), (d * t).sinh() / d);
        let ax = self.times(x);
        std::array::from_fn(|i| growth * (c * x[i] + s * (ax[i] - m * x[i])))
    }

    /// From `x` under the voltage `u + slope t`: the straight line that solves the equations, and what decays to it.
    fn after(&self, x: Vector, u: f64, slope: f64, t: f64) -> Vector {
        let rise = self.solve(self.b.map(|b| -b * slope));
        let line = self.solve([rise[0] - self.b[0] * u, rise[1] - self.b[1] * u]);
        let rest = self.propagate([x[0] - line[0], x[1] - line[1]], t);
        std::array::from_fn(|i| line[i] + rise[i] * t + rest[i])
    }
}

#[test]
fn the_motor_follows_the_ramp() -> Result<(), ModelError> {
    let (r, l, j, friction, k) = (1.0, 0.01, 1e-3, 1e-4, 0.05);
    let motor = Motor {
        a: [[-r / l, -k / l], [k / j, -friction / j]],
        b: [1.0 / l, 0.0],
    };
    let end_of_ramp = motor.after([0.0, 0.0], 0.0, 48.0, 0.5);

    let mut drive = Native::new(DrivenMotor::default());
    drive.initialize(0.0)?;
    for hundredth in 1..=200 {
        let t = f64::from(hundredth) * 0.01;
        drive.simulate(t, 1e-4)?;
        let ([current, speed], voltage) = if t <= 0.5 {
            (motor.after([0.0, 0.0], 0.0, 48.0, t), 48.0 * t)
        } else {
            (motor.after(end_of_ramp, 24.0, 0.0, t - 0.5), 24.0)
        };
        let (current_error, speed_error) = (drive.motor.current - current, drive.motor.speed - speed);
        assert!(current_error.abs() < 1e-10, "wrong by {current_error} A at {t} s");
        assert!(speed_error.abs() < 1e-10, "wrong by {speed_error} rad/s at {t} s");
        let power_error = drive.power - voltage * current;
        assert!(power_error.abs() < 1e-8, "wrong by {power_error} W at {t} s");
    }
    Ok(())
}
