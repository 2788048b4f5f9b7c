//! The oscillator where its motion is known: without damping, and on its limit cycle.

use fmu_runtime::ModelError;
use fmu_runtime::native::Native;
use van_der_pol::VanDerPol;

/// Without damping it swings around the point to which the input pushes it.
#[test]
fn without_damping_it_is_harmonic() -> Result<(), ModelError> {
    let mut oscillator = Native::new(VanDerPol::default());
    oscillator.mu = 0.0;
    for u in [0.0, 0.5] {
        (oscillator.x0, oscillator.x1, oscillator.u) = (2.0, 0.0, u);
        oscillator.initialize(0.0)?;
        for second in 1..=20 {
            let t = f64::from(second);
            oscillator.simulate(t, 1e-3)?;
            let (x0, x1) = (u + (2.0 - u) * t.cos(), (u - 2.0) * t.sin());
            assert!((oscillator.x0 - x0).abs() < 1e-11, "x0({t}) = {}", oscillator.x0);
            assert!((oscillator.x1 - x1).abs() < 1e-11, "x1({t}) = {}", oscillator.x1);
        }
    }
    Ok(())
}

/// From anywhere it comes to the limit cycle, whose period and amplitude are known to many digits for mu = 1.
#[test]
fn it_comes_to_its_limit_cycle() -> Result<(), ModelError> {
    const PERIOD: f64 = 6.663_286_859_323_13;
    const AMPLITUDE: f64 = 2.008_619_860_874_843;
    let mut oscillator = Native::new(VanDerPol::default());
    oscillator.x0 = 0.1;
    oscillator.initialize(0.0)?;
    oscillator.simulate(60.0, 1e-3)?;
    let (x0, x1, mut largest) = (oscillator.x0, oscillator.x1, 0.0_f64);
    oscillator.simulate_with(60.0 + PERIOD, 1e-3, |_, now| largest = largest.max(now.x0))?;
    assert!((oscillator.x0 - x0).abs() < 1e-11, "{}", oscillator.x0 - x0);
    assert!((oscillator.x1 - x1).abs() < 1e-11, "{}", oscillator.x1 - x1);
    // The largest of the values seen is at most half a step away from the largest of all.
    assert!(
        (AMPLITUDE - 1e-6..=AMPLITUDE + 1e-11).contains(&largest),
        "{largest}"
    );
    Ok(())
}
