//! Each block by itself, against its closed form.

use fmu_runtime::ModelError;
use fmu_runtime::native::Native;
use small::{FirstOrder, Gain, Integrator};

#[test]
fn a_first_order_system_settles() -> Result<(), ModelError> {
    let mut system = Native::new(FirstOrder {
        u: 2.0,
        a: -3.0,
        b: 1.5,
        c: 4.0,
        d: 0.5,
        x: 0.0,
        ..FirstOrder::default()
    });
    system.initialize(0.0)?;
    system.simulate(0.7, 1e-4)?;
    let x = 1.0 - (-3.0f64 * 0.7).exp();
    assert!((system.x - x).abs() < 1e-10 && (system.y - (4.0 * x + 1.0)).abs() < 1e-9);
    system.u = 0.0;
    system.simulate(1.4, 1e-4)?;
    assert!((system.y - 4.0 * x * (-3.0f64 * 0.7).exp()).abs() < 1e-9);
    Ok(())
}

#[test]
fn a_gain_has_no_memory() -> Result<(), ModelError> {
    let mut gain = Native::new(Gain {
        u: 3.0,
        k: -2.0,
        offset: 1.0,
        ..Gain::default()
    });
    gain.initialize(0.0)?;
    gain.simulate(1.0, 0.1)?;
    assert_eq!(gain.y, -5.0);
    Ok(())
}

#[test]
fn an_integrator_sums_up() -> Result<(), ModelError> {
    let mut integrator = Native::new(Integrator {
        u: 3.0,
        k: -2.0,
        ..Integrator::default()
    });
    integrator.initialize(0.0)?;
    integrator.simulate(2.0, 0.1)?;
    assert!((integrator.y - (1.0 - 12.0)).abs() < 1e-12);
    Ok(())
}
