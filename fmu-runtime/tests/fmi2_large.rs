//! A model with 20 000 states, called from a thread with a stack of 512 KiB, without optimization: values, Jacobians,
//! directional derivatives and implicit steps.

#[path = "common/c_interface.rs"]
mod c_interface;
#[path = "common/steps.rs"]
mod steps;

use c_interface::*;
use fmu_runtime::fmi::fmi2::*;
use fmu_runtime::prelude::*;

/// A chain of cells
#[model(solver = "bdf")]
struct Chain<const N: usize = 20_000> {
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
            x: std::array::from_fn(|i| {
                let left = if i > 0 { self.x[i - 1] } else { self.x[i] };
                self.rate * (left - self.x[i]) - self.x[i]
            }),
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

const N: usize = 20_000;

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
        assert!(
            dx.iter().all(|dx| *dx == -3.0),
            "a chain of equal values decays at the rate 1"
        );
        assert_eq!(
            fmi2GetReal(host.c, outputs.as_ptr(), N, doubled.as_mut_ptr()),
            fmi2OK
        );
        assert!(doubled.iter().all(|doubled| *doubled == 6.0));
        assert_eq!(host.real(2 * N as u32 + 1), -3.0, "der(x[1])");
        assert_eq!(host.real(3 * N as u32 + 1), 0.5, "time");
        // der(x[1000]) and doubled[1000] by x[999] and x[1000], in one direction.
        let (unknowns, knowns) = ([2 * N as u32 + 1000, N as u32 + 999], [998, 999]);
        let mut derivative = [0.0; 2];
        let status = fmi2GetDirectionalDerivative(
            host.c,
            unknowns.as_ptr(),
            2,
            knowns.as_ptr(),
            2,
            [1.0, 10.0].as_ptr(),
            derivative.as_mut_ptr(),
        );
        assert_eq!((status, derivative), (fmi2OK, [2.0 - 30.0, 20.0]));
        assert_eq!(fmi2SetFMUstate(host.c, snapshot), fmi2OK);
        assert_eq!(fmi2GetContinuousStates(host.c, x.as_mut_ptr(), N), fmi2OK);
        assert_eq!(x[..2], [5.0, 1.0]);
        assert_eq!(fmi2Reset(host.c), fmi2OK);
        host.start();
    }
}

fn steps() {
    let host = Host::stepping(1e-6);
    assert_eq!(host.step(0.0, 0.5), fmi2OK);
    // Far from the first cell, which an event has set to 5, all values are equal and decay as exp(-t).
    let far = host.real(N as u32 - 1);
    assert!((far - (-0.5f64).exp()).abs() < 1e-4, "{far}");
    assert!((host.output_derivative(2 * N as u32 - 1, 1) + 2.0 * far).abs() < 1e-3);
}

#[test]
fn a_large_model_lives_on_a_small_stack() {
    for what in [life, steps] {
        let thread = std::thread::Builder::new().stack_size(512 << 10);
        thread.spawn(what).unwrap().join().unwrap();
    }
}
