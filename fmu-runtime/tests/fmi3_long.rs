//! Adjoint derivatives of an evaluation that is too long to be recorded.

// Every call is on a living instance, with arrays as long as their counts say.
#![allow(clippy::undocumented_unsafe_blocks)]

#[path = "common/c_interface_3.rs"]
mod c_interface_3;

use c_interface_3::*;
use fmu_runtime::prelude::*;
use fmu_runtime::standard::fmi3::*;

/// A geometric series
#[model]
struct Series {
    /// Ratio
    #[state(start = 0.5)]
    x: f64,
    /// First term
    #[parameter(start = 3.0)]
    p: f64,
    /// Terms
    #[parameter(start = 10)]
    terms: i32,
    /// Sum
    #[output]
    y: f64,
}

#[equations]
impl Model for Series {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: 0.0 }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        let mut y = self.p;
        for _ in 0..self.terms {
            y = y * self.x + self.p;
        }
        Outputs::<Self> { y }
    }
}

fmu_runtime::__private::fmi3_entry_points!(Series);

const X: u32 = 0;
const P: u32 = 1;
const TERMS: u32 = 2;
const Y: u32 = 3;

/// The derivatives of `y` by `x` and `p`, three times, with the status of each call and whether reverse mode has answered.
fn thrice(terms: i32) -> [(fmi3Status, [f64; 2], bool); 3] {
    let host = Host::new(Purpose::Exchange);
    assert_eq!(
        unsafe { (FMI.fmi3SetInt32)(host.i, &TERMS, 1, &terms, 1) },
        fmi3OK
    );
    host.initialize();
    host.settle();
    assert_eq!(host.call(FMI.fmi3EnterContinuousTimeMode), fmi3OK);
    std::array::from_fn(|_| {
        host.heard();
        let mut gradient = [f64::NAN; 2];
        let status = host.adjoint(&[Y], &[X, P], &[1.0], &mut gradient);
        let heard = host.heard();
        let is_reverse = heard.iter().any(|(_, _, text)| text.contains("in reverse mode"));
        (status, gradient, is_reverse)
    })
}

#[test]
fn what_is_too_long_to_be_recorded_is_exact_and_warns_once() {
    // y = p / (1 - x), after so many terms to the last bit.
    let wanted = [3.0 / 0.25, 1.0 / 0.5];
    for (terms, is_long) in [(200, false), (1_500_000, true)] {
        let found = thrice(terms);
        let status = found.map(|(status, ..)| status);
        match is_long {
            true => assert_eq!(status, [fmi3Warning, fmi3OK, fmi3OK]),
            false => assert_eq!(status, [fmi3OK; 3]),
        }
        for (_, gradient, is_reverse) in found {
            assert_eq!(is_reverse, !is_long);
            for (found, wanted) in gradient.iter().zip(wanted) {
                assert!(
                    (found - wanted).abs() <= 1e-12 * wanted,
                    "{terms} terms: {found}, not {wanted}"
                );
            }
        }
    }
}
