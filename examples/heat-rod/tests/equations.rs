//! The equations themselves, without integration: what the heat equation does to shapes whose fate is known.

use fmu_runtime::ModelError;
use fmu_runtime::fmi2::model_description;
use fmu_runtime::native::Native;
use heat_rod::HeatRod;
use std::f64::consts::PI;

fn rod<const N: usize>() -> Box<HeatRod<N>> {
    let mut rod = Box::new(HeatRod::<N>::default());
    rod.rate = rod.calculated().rate;
    rod
}

/// A sine between ends of temperature 0 keeps its shape, and decays at a rate that is known for every number of points:
/// 4 rate sin^2(k pi / 2(N + 1)).
#[test]
fn a_sine_decays_and_stays_a_sine() {
    const N: usize = 1000;
    let mut rod = rod::<N>();
    (rod.left, rod.right) = (0.0, 0.0);
    for k in [1, 2, 7, 500, 1000] {
        // Whole turns are left out while the angle is an integer, so that its rounding stays small.
        let angle = |steps: usize| (steps % (2 * (N + 1))) as f64 * PI / (N + 1) as f64;
        rod.temperature = std::array::from_fn(|i| 100.0 * angle(k * (i + 1)).sin());
        let decay = 4.0 * rod.rate * (angle(k) / 2.0).sin().powi(2);
        let derivatives = rod.derivatives(0.0).temperature;
        for (derivative, temperature) in derivatives.iter().zip(&rod.temperature) {
            // Differences of neighbours lose digits: relative to what is subtracted, not to what is left.
            let error = (derivative + decay * temperature).abs();
            assert!(error < 4e-15 * rod.rate * 400.0, "mode {k}: {error}");
        }
    }
}

/// How fast half a sine wave decays, as the model has it.
fn slowest_decay<const N: usize>() -> f64 {
    let mut rod = rod::<N>();
    (rod.left, rod.right) = (0.0, 0.0);
    rod.temperature = std::array::from_fn(|i| (PI * (i + 1) as f64 / (N + 1) as f64).sin());
    -rod.derivatives(0.0).temperature[N / 2] / rod.temperature[N / 2]
}

#[test]
fn more_points_come_closer_to_the_continuous_rod() {
    let rod = rod::<1>();
    let continuous = rod.diffusivity * (PI / rod.length).powi(2);
    // Second order: the relative error is (pi / (N + 1))^2 / 12.
    for (decay, n) in [(slowest_decay::<99>(), 99.0), (slowest_decay::<999>(), 999.0)] {
        let expected = 1.0 - (PI / (n + 1.0)).powi(2) / 12.0;
        assert!((decay / continuous - expected).abs() < 1e-8, "{n}: {decay}");
    }
}

#[test]
fn a_straight_line_stays() {
    let mut rod = rod::<99>();
    (rod.left, rod.right) = (400.0, 300.0);
    rod.temperature = std::array::from_fn(|i| 399.0 - i as f64);
    assert_eq!(rod.derivatives(0.0).temperature, [0.0; 99]);
    assert_eq!(rod.outputs(0.0).mean, 350.0);
}

/// Simulation tools call an FMU from threads of their own, whose stacks are small.
#[test]
fn ten_thousand_points_fit_a_small_stack() {
    let run = || -> Result<(), ModelError> {
        let mut rod = Native::new(HeatRod::<10_000>::default());
        rod.initialize(0.0)?;
        assert_eq!(rod.state_derivatives()?[0], rod.rate * 80.0);
        rod.simulate(2e-5, 1e-5)?;
        assert!(rod.temperature[0] > 300.0 && rod.temperature[9_999] < 294.0);
        let description = model_description::<HeatRod<10_000>>()?;
        assert_eq!(description.model_variables.len(), 20_007);
        Ok(())
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run);
    let outcome = thread.expect("a thread").join().expect("no panic");
    outcome.expect("no error");
}
