//! A rod that is heated from the left: a sum of decaying sines over the straight line of the end.

use fmu_runtime::ModelError;
use fmu_runtime::native::Native;
use heat_rod::HeatRod;
use std::f64::consts::PI;

const N: usize = 20;

/// Exact for the points, not only for the continuous rod.
fn temperatures(rod: &HeatRod<N>, rate: f64, t: f64) -> [f64; N] {
    let share = |i: usize| (i + 1) as f64 / (N + 1) as f64;
    let line = |i: usize| rod.left + (rod.right - rod.left) * share(i);
    let mut temperatures: [f64; N] = std::array::from_fn(line);
    for k in 1..=N {
        let sine = |i: usize| (k as f64 * PI * share(i)).sin();
        let start: f64 = (0..N).map(|i| (rod.temperature[i] - line(i)) * sine(i)).sum();
        let decay = 4.0 * rate * (k as f64 * PI / (2 * (N + 1)) as f64).sin().powi(2);
        let amplitude = 2.0 / (N + 1) as f64 * start * (-decay * t).exp();
        for (i, temperature) in temperatures.iter_mut().enumerate() {
            *temperature += amplitude * sine(i);
        }
    }
    temperatures
}

#[test]
fn heat_comes_from_the_left() -> Result<(), ModelError> {
    let cold = HeatRod::<N>::default();
    let mut rod = Native::new(cold.clone());
    rod.initialize(0.0)?;
    let rate = 1.1e-4 * 21.0 * 21.0;
    for t in [10.0, 50.0, 200.0, 1000.0, 5000.0] {
        rod.simulate(t, 0.1)?;
        let expected = temperatures(&cold, rate, t);
        for (temperature, expected) in rod.temperature.iter().zip(&expected) {
            let error = temperature - expected;
            assert!(error.abs() < 1e-8, "wrong by {error} K at {t} s");
        }
        let error = rod.mean - expected.iter().sum::<f64>() / N as f64;
        assert!(error.abs() < 1e-8, "mean wrong by {error} K at {t} s");
    }
    Ok(())
}
