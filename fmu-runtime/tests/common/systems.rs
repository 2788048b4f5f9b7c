//! Systems with a known solution.

use fmu_runtime::ModelError;
use fmu_runtime::solver::System;

/// x'' = -w^2 x from x = 1, x' = 0.
pub struct Oscillator {
    pub w: f64,
}

impl Default for Oscillator {
    fn default() -> Oscillator {
        Oscillator { w: 3.0 }
    }
}

impl Oscillator {
    pub fn exact(&self, t: f64) -> [f64; 2] {
        [(self.w * t).cos(), -self.w * (self.w * t).sin()]
    }
}

impl System for Oscillator {
    fn rhs(&mut self, _t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        dx[0] = x[1];
        dx[1] = -self.w * self.w * x[0];
        Ok(())
    }
}

/// Counts the evaluations of a system.
pub struct Counted<S> {
    pub system: S,
    pub evaluations: usize,
}

impl<S> Counted<S> {
    pub fn new(system: S) -> Counted<S> {
        Counted {
            system,
            evaluations: 0,
        }
    }
}

impl<S: System> System for Counted<S> {
    fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        self.evaluations += 1;
        self.system.rhs(t, x, dx)
    }
}

/// x' = 1 / sqrt(1 - t), an error from t = 1 on.
pub struct Spiked {
    pub recoverable: bool,
}

impl System for Spiked {
    fn rhs(&mut self, t: f64, _x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        if t >= 1.0 {
            let error = ModelError::new(format!("t = {t} is beyond the pole"));
            return Err(if self.recoverable {
                error.recoverable()
            } else {
                error
            });
        }
        dx[0] = 1.0 / (1.0 - t).sqrt();
        Ok(())
    }
}

/// A satellite between earth and moon.
pub mod orbit {
    use super::*;

    pub const START: [f64; 4] = [0.994, 0.0, 0.0, -2.001_585_106_379_082_5];
    pub const PERIOD: f64 = 17.065_216_560_157_964;
    const MOON: f64 = 0.012_277_471;

    pub struct Arenstorf;

    impl System for Arenstorf {
        fn rhs(&mut self, _t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
            let earth = 1.0 - MOON;
            let d1 = ((x[0] + MOON).powi(2) + x[1] * x[1]).powf(1.5);
            let d2 = ((x[0] - earth).powi(2) + x[1] * x[1]).powf(1.5);
            dx[0] = x[2];
            dx[1] = x[3];
            dx[2] = x[0] + 2.0 * x[3] - earth * (x[0] + MOON) / d1 - MOON * (x[0] - earth) / d2;
            dx[3] = x[1] - 2.0 * x[2] - earth * x[1] / d1 - MOON * x[1] / d2;
            Ok(())
        }
    }
}
