//! Systems with a known solution.

use fmu_numerics::{Failure, System};

/// Why an evaluation of these systems fails.
#[derive(Debug)]
pub struct Problem {
    pub message: String,
    pub recoverable: bool,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl Failure for Problem {
    fn is_recoverable(&self) -> bool {
        self.recoverable
    }
}

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
    type Error = Problem;

    fn rhs(&mut self, _t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Problem> {
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
    type Error = S::Error;

    fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), S::Error> {
        self.evaluations += 1;
        self.system.rhs(t, x, dx)
    }
}

/// x' = 1 / sqrt(1 - t), an error from t = 1 on.
pub struct Spiked {
    pub recoverable: bool,
}

impl System for Spiked {
    type Error = Problem;

    fn rhs(&mut self, t: f64, _x: &[f64], dx: &mut [f64]) -> Result<(), Problem> {
        if t >= 1.0 {
            return Err(Problem {
                message: format!("t = {t} is beyond the pole"),
                recoverable: self.recoverable,
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
        type Error = Problem;

        fn rhs(&mut self, _t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Problem> {
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

/// Stiff systems.
#[cfg(feature = "bdf")]
pub mod stiff {
    use super::*;
    use fmu_numerics::ImplicitSystem;
    use fmu_numerics::Pattern;

    /// A system with a dense Jacobian, `jacobian(t, x)[row][column]`.
    pub trait Dense<const N: usize> {
        fn f(&self, t: f64, x: [f64; N]) -> [f64; N];
        fn jacobian(&self, t: f64, x: [f64; N]) -> [[f64; N]; N];
        /// The partial derivative by time, motion of inputs included.
        fn by_time(&self, _t: f64, _x: [f64; N]) -> [f64; N] {
            [0.0; N]
        }
    }

    pub struct System<const N: usize, D>(pub D);

    impl<const N: usize, D: Dense<N>> super::System for System<N, D> {
        type Error = Problem;

        fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Problem> {
            dx.copy_from_slice(&self.0.f(t, x.try_into().unwrap()));
            Ok(())
        }
    }

    impl<const N: usize, D: Dense<N>> ImplicitSystem for System<N, D> {
        fn jacobian(&mut self, t: f64, x: &[f64], values: &mut [f64]) -> Result<(), Problem> {
            let rows = self.0.jacobian(t, x.try_into().unwrap());
            for (i, value) in values.iter_mut().enumerate() {
                *value = rows[i % N][i / N];
            }
            Ok(())
        }

        fn second_derivative(
            &mut self,
            t: f64,
            x: &[f64],
            dx: &[f64],
            ddx: &mut [f64],
        ) -> Result<(), Problem> {
            let rows = self.0.jacobian(t, x.try_into().unwrap());
            let by_time = self.0.by_time(t, x.try_into().unwrap());
            for (i, ddx) in ddx.iter_mut().enumerate() {
                *ddx = by_time[i] + rows[i].iter().zip(dx).map(|(j, dx)| j * dx).sum::<f64>();
            }
            Ok(())
        }
    }

    /// Robertson's kinetics.
    pub struct Robertson;

    impl Dense<3> for Robertson {
        fn f(&self, _t: f64, x: [f64; 3]) -> [f64; 3] {
            let slow = 0.04 * x[0] - 1e4 * x[1] * x[2];
            let fast = 3e7 * x[1] * x[1];
            [-slow, slow - fast, fast]
        }

        fn jacobian(&self, _t: f64, x: [f64; 3]) -> [[f64; 3]; 3] {
            let (b, c) = (1e4 * x[2], 1e4 * x[1]);
            let fast = 6e7 * x[1];
            [[-0.04, b, c], [0.04, -b - fast, -c], [0.0, fast, 0.0]]
        }
    }

    /// x'' = mu (1 - x^2) x' - x
    pub struct VanDerPol {
        pub mu: f64,
    }

    impl Dense<2> for VanDerPol {
        fn f(&self, _t: f64, x: [f64; 2]) -> [f64; 2] {
            [x[1], self.mu * (1.0 - x[0] * x[0]) * x[1] - x[0]]
        }

        fn jacobian(&self, _t: f64, x: [f64; 2]) -> [[f64; 2]; 2] {
            [
                [0.0, 1.0],
                [-2.0 * self.mu * x[0] * x[1] - 1.0, self.mu * (1.0 - x[0] * x[0])],
            ]
        }
    }

    impl Dense<2> for Oscillator {
        fn f(&self, _t: f64, x: [f64; 2]) -> [f64; 2] {
            [x[1], -self.w * self.w * x[0]]
        }

        fn jacobian(&self, _t: f64, _x: [f64; 2]) -> [[f64; 2]; 2] {
            [[0.0, 1.0], [-self.w * self.w, 0.0]]
        }
    }

    /// The heat equation at `n` points of a rod of length 1, with given temperatures at its ends.
    pub struct Rod {
        n: usize,
        pub left: f64,
    }

    impl Rod {
        pub fn new(n: usize) -> Rod {
            Rod { n, left: 0.0 }
        }

        fn rate(&self) -> f64 {
            ((self.n + 1) as f64).powi(2)
        }

        pub fn pattern(&self) -> Pattern {
            let near = |i: usize| i.saturating_sub(1)..(i + 2).min(self.n);
            Pattern::new(
                self.n,
                self.n,
                (0..self.n).flat_map(|i| near(i).map(move |j| (i, j))),
            )
        }

        /// The slowest one.
        pub fn eigenvalue(&self) -> f64 {
            let half = 0.5 * std::f64::consts::PI / (self.n + 1) as f64;
            -4.0 * self.rate() * half.sin().powi(2)
        }

        pub fn eigenvector(&self) -> Vec<f64> {
            let at = |i: usize| std::f64::consts::PI * i as f64 / (self.n + 1) as f64;
            (1..=self.n).map(|i| at(i).sin()).collect()
        }

        fn laplacian(&self, x: &[f64], left: f64, dx: &mut [f64]) {
            for (i, dx) in dx.iter_mut().enumerate() {
                let before = if i > 0 { x[i - 1] } else { left };
                let after = if i + 1 < self.n { x[i + 1] } else { 0.0 };
                *dx = self.rate() * (before - 2.0 * x[i] + after);
            }
        }
    }

    impl super::System for Rod {
        type Error = Problem;

        fn rhs(&mut self, _t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Problem> {
            self.laplacian(x, self.left, dx);
            Ok(())
        }
    }

    impl ImplicitSystem for Rod {
        fn jacobian(&mut self, _t: f64, _x: &[f64], values: &mut [f64]) -> Result<(), Problem> {
            // Column by column, three entries each but for the ends: above, on and below the diagonal.
            for (k, value) in values.iter_mut().enumerate() {
                *value = if k % 3 == 0 { -2.0 } else { 1.0 } * self.rate();
            }
            Ok(())
        }

        fn second_derivative(
            &mut self,
            _t: f64,
            _x: &[f64],
            dx: &[f64],
            ddx: &mut [f64],
        ) -> Result<(), Problem> {
            self.laplacian(dx, 0.0, ddx);
            Ok(())
        }
    }
}
