//! The bridge against the voltages of two diodes in series, and the sign of what it lets through.

use diode_bridge::DiodeBridge;
use fmu_runtime::native::Native;

/// At rest, the current through the load is that through two diodes: a closed form for the source's voltage.
fn source_voltage(bridge: &DiodeBridge) -> f64 {
    let i = bridge.vc / bridge.load;
    let junction = bridge.thermal * ((i + bridge.saturation) / bridge.saturation).ln();
    bridge.vc + 2.0 * junction + (bridge.source + 2.0 * bridge.bulk) * i
}

#[test]
fn a_direct_voltage_charges_the_capacitor_to_two_diodes_below_it() {
    for amplitude in [10.0, -10.0, 3.0] {
        let mut bridge = Native::new(DiodeBridge {
            amplitude,
            frequency: 0.0,
            phase: std::f64::consts::FRAC_PI_2,
            leakage: 0.0,
            ..DiodeBridge::default()
        });
        bridge.initialize(0.0).unwrap();
        bridge.simulate(1.5, 1e-3).unwrap();
        let expected = f64::abs(amplitude);
        assert!(
            (source_voltage(&bridge) - expected).abs() < 1e-4 * expected,
            "{}",
            bridge.vc
        );
        assert_eq!(bridge.current > 0.0, amplitude > 0.0);
    }
}

#[test]
fn both_half_waves_charge_the_capacitor() {
    let mut bridge = Native::new(DiodeBridge::default());
    bridge.initialize(0.0).unwrap();
    let (mut forward, mut backward, mut voltage) = (0.0_f64, 0.0_f64, 0.0);
    bridge
        .simulate_with(0.04, 1e-4, |t, bridge| {
            assert!(bridge.residuals(t).v.iter().all(|r| r.abs() < 1e-12));
            forward = forward.max(bridge.current);
            backward = backward.min(bridge.current);
            voltage = bridge.vc;
        })
        .unwrap();
    assert!(forward > 0.1 && backward < -0.05, "{forward} {backward}");
    // Ten volts less two diodes, and less than a period of discharge.
    assert!((7.0..9.0).contains(&voltage), "{voltage}");
}
