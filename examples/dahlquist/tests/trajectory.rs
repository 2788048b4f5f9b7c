//! Exponential decay, for several rates and start values.

use dahlquist::Dahlquist;
use fmu_runtime::ModelError;
use fmu_runtime::native::Native;

#[test]
fn it_decays_exponentially() -> Result<(), ModelError> {
    for (x, k) in [(1.0, 1.0), (-3.0, 0.25), (2.0, 0.0)] {
        let mut decay = Native::new(Dahlquist { x, k });
        decay.initialize(0.0)?;
        for tenth in 1..=100 {
            let t = f64::from(tenth) * 0.1;
            decay.simulate(t, 1e-3)?;
            let expected = x * (-k * t).exp();
            assert!((decay.x - expected).abs() < 1e-13, "x({t}) = {}", decay.x);
        }
    }
    Ok(())
}
