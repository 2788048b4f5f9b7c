//! With inputs held, both models are exponentials.

use fmu_runtime::ModelError;
use fmu_runtime::native::Native;
use smoothing::{Driven, Feeding};

#[test]
fn held_inputs_leave_exponentials() -> Result<(), ModelError> {
    let mut driven = Native::new(Driven {
        u: 1.5,
        ..Driven::default()
    });
    driven.initialize(0.0)?;
    driven.simulate(0.8, 1e-3)?;
    assert!((driven.x - (-2.25f64 * 0.8).exp()).abs() < 1e-9);
    let mut feeding = Native::new(Feeding {
        u: 3.0,
        ..Feeding::default()
    });
    feeding.initialize(0.0)?;
    feeding.simulate(0.8, 1e-3)?;
    let x = 3.0 - 2.0 * (-0.8f64).exp();
    assert!((feeding.x - x).abs() < 1e-9 && (feeding.y - x - 3.0f64.sin()).abs() < 1e-9);
    Ok(())
}
