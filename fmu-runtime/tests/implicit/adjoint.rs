//! Adjoint derivatives, by the C functions of FMI 3.0: the implicit function theorem from the other side.

// Every call is on a living instance, with arrays as long as their counts say.
#![allow(clippy::undocumented_unsafe_blocks)]

#[path = "../common/c_interface_3.rs"]
mod c_interface_3;

use super::derivatives::by_hand;
use super::{Bridge, SATURATION, THERMAL};
use c_interface_3::*;
use fmu_runtime::standard::fmi3::*;

fmu_runtime::__private::fmi3_entry_points!(Bridge);

const VC: u32 = 0;
const U: u32 = 1;
const V: u32 = 2;
const DER_VC: u32 = 8;

#[test]
fn adjoint_derivatives_go_through_implicit_unknowns() {
    let exchange = || {
        let host = Host::initialized(Purpose::Exchange);
        host.settle();
        assert_eq!(host.call(FMI.fmi3EnterContinuousTimeMode), fmi3OK);
        host
    };
    let stepped = Host::initialized(Purpose::Steps(false, false));
    stepped.step(0.0, 0.01);
    for host in [exchange(), stepped] {
        let mut bridge = Bridge::default();
        [bridge.vc] = host.get(&[VC]);
        bridge.v = host.get(&[V]);
        let (by_u, by_vc) = by_hand(&bridge);
        let weights = [1.0, -0.5, 0.25, 2.0, 1e-3];
        // The derivative of the state has a share of its own in the state, and the rest by the first two voltages.
        let slope = |k: usize| SATURATION * (bridge.v[k] / THERMAL).exp() / THERMAL;
        let exact = [(by_vc, -1.0 / bridge.load), (by_u, 0.0)].map(|(by, own)| {
            let derivative = (slope(0) * by[0] + slope(1) * by[1] + own) / bridge.c;
            let voltages: f64 = weights.iter().zip(by).map(|(weight, by)| weight * by).sum();
            voltages + weights[4] * derivative
        });
        let mut gradient = [f64::NAN; 2];
        assert_eq!(
            host.adjoint(&[V, DER_VC], &[VC, U], &weights, &mut gradient),
            fmi3OK,
            "{:?}",
            host.heard()
        );
        for (found, exact) in gradient.into_iter().zip(exact) {
            assert!(
                (found - exact).abs() <= 1e-11 * exact.abs().max(1.0),
                "{found} {exact}"
            );
        }
    }
}
