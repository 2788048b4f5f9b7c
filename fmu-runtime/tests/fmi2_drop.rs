//! A model whose own `Drop` panics: no call unwinds into C, and no second panic ends the process.

#[path = "common/c_interface.rs"]
mod c_interface;
#[path = "common/steps.rs"]
mod steps;

use c_interface::*;
use fmu_runtime::prelude::*;
use fmu_runtime::standard::fmi2::*;

/// Panics when it is dropped, once it is armed.
#[derive(Clone, Default)]
struct Bomb {
    is_armed: bool,
}

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(!self.is_armed, "the bomb goes off");
    }
}

/// Carries something that should not be dropped
#[model(solver = "rk4", max_step = 0.1)]
struct Carrier {
    /// Level
    #[state(start = 1.0, output)]
    level: f64,
    /// Twice the level
    #[output]
    double: f64,
    /// Armed by the first event
    #[internal(fixed)]
    bomb: Bomb,
}

#[equations]
impl Model for Carrier {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { level: -self.level }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            double: 2.0 * self.level,
        }
    }

    fn event(&mut self, _at: Event) {
        self.bomb.is_armed = true;
    }
}

fmu_runtime::__private::fmi2_entry_points!(Carrier);

/// Makes the instance hold as many copies of the model as it can.
fn fill(host: &Host) -> [fmi2FMUstate; 2] {
    let mut snapshots = [std::ptr::null_mut(); 2];
    let mut derivative = 0.0;
    // SAFETY: the instance is alive; the level is 0, its double 1, its derivative 2.
    unsafe {
        for snapshot in &mut snapshots {
            assert_eq!(fmi2GetFMUstate(host.c, snapshot), fmi2OK);
        }
        let status = fmi2GetDirectionalDerivative(host.c, &2, 1, &0, 1, &1.0, &mut derivative);
        assert_eq!(status, fmi2OK);
    }
    assert_eq!(derivative, -1.0);
    snapshots
}

#[test]
fn a_panic_in_drop_is_a_message_and_what_was_asked_for_is_done() {
    for kind in [fmi2ModelExchange, fmi2CoSimulation] {
        let host = Host::try_new(kind, &guid(), true).unwrap_or_else(|heard| panic!("{heard:?}"));
        let start = || {
            if kind == fmi2ModelExchange {
                host.start();
            } else {
                host.initialize(0.0);
                assert_eq!(host.step(0.0, 0.5), fmi2OK);
                assert!((host.output_derivative(1, 1) + 2.0 * (-0.5f64).exp()).abs() < 1e-4);
            }
            host.heard();
        };
        start();
        let mut snapshots = fill(&host);
        // SAFETY: the instance is alive, the snapshots are its own.
        unsafe {
            assert_eq!(fmi2SetFMUstate(host.c, snapshots[0]), fmi2Warning);
            assert!(host.sentence().contains("the bomb goes off"));
            assert_eq!(fmi2FreeFMUstate(host.c, &mut snapshots[1]), fmi2Warning);
            assert!(snapshots[1].is_null());
            host.heard();
            let level = host.real(0);
            assert!((0.5..=1.0).contains(&level), "the instance goes on: {level}");
            assert_eq!(fmi2Reset(host.c), fmi2Warning);
            assert!(host.sentence().contains("the bomb goes off"));
        }
        start();
        fill(&host);
        // Freed here, with snapshots and copies outstanding.
    }
}
