//! A model of more than 20 000 variables, called from a thread with a stack of 2 MiB, without optimization.

#[path = "common/c_interface.rs"]
mod c_interface;

use c_interface::*;
use fmu_runtime::fmi::fmi2::*;
use fmu_runtime::prelude::*;

/// A chain of cells
#[model]
struct Chain<const N: usize = 10_000> {
    /// Values of the cells
    #[state(start = 1.0)]
    x: [f64; N],
    /// Their doubles
    #[output]
    doubled: [f64; N],
    /// Rate of decay
    #[parameter(start = 2.0)]
    rate: f64,
}

#[equations]
impl<const N: usize> Model for Chain<N> {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            x: self.x.map(|x| -self.rate * x),
        }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            doubled: self.x.map(|x| 2.0 * x),
        }
    }

    fn event(&mut self, _at: Event) {
        self.x[0] = 5.0;
    }
}

fmu_runtime::fmi2_entry_points!(Chain);

const N: usize = 10_000;

fn life() {
    let host = Host::running(false);
    let mut x = vec![3.0; N];
    let mut dx = vec![0.0; N];
    let mut doubled = vec![0.0; N];
    let mut snapshot = std::ptr::null_mut();
    let outputs: Vec<u32> = (N as u32..2 * N as u32).collect();
    // SAFETY: the instance is alive, and all vectors have N elements.
    unsafe {
        assert_eq!(fmi2GetFMUstate(host.c, &mut snapshot), fmi2OK);
        assert_eq!(fmi2SetTime(host.c, 0.5), fmi2OK);
        assert_eq!(fmi2SetContinuousStates(host.c, x.as_ptr(), N), fmi2OK);
        assert_eq!(fmi2GetDerivatives(host.c, dx.as_mut_ptr(), N), fmi2OK);
        assert_eq!(dx, [-6.0; N]);
        assert_eq!(
            fmi2GetReal(host.c, outputs.as_ptr(), N, doubled.as_mut_ptr()),
            fmi2OK
        );
        assert_eq!(doubled, [6.0; N]);
        assert_eq!(host.real(2 * N as u32 + 1), -6.0, "der(x[1])");
        assert_eq!(host.real(3 * N as u32 + 1), 0.5, "time");
        assert_eq!(fmi2SetFMUstate(host.c, snapshot), fmi2OK);
        assert_eq!(fmi2GetContinuousStates(host.c, x.as_mut_ptr(), N), fmi2OK);
        assert_eq!(x[..2], [5.0, 1.0]);
        assert_eq!(fmi2Reset(host.c), fmi2OK);
        host.start();
    }
}

#[test]
fn a_large_model_lives_on_a_small_stack() {
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    thread.spawn(life).unwrap().join().unwrap();
}
