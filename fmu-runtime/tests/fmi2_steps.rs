//! Co-Simulation through the C functions, where a closed form or the model's own code has a say; the calling sequence of
//! the standard has a driver of its own, in C.

#[path = "common/c_interface.rs"]
mod c_interface;
#[path = "common/steps.rs"]
mod steps;

use c_interface::*;
use fmu_runtime::prelude::*;
use fmu_runtime::standard::fmi2::*;
use std::collections::BTreeMap;
use std::ffi::c_void;
use test_support::allocations::{self, Counting};

#[global_allocator]
static COUNTING: Counting = Counting;

/// A buffer before a valve
#[model]
struct Valve {
    /// What went through it, a sample an event
    #[internal]
    samples: BTreeMap<i32, (f64, Option<String>)>,
}

#[equations]
impl Model for Valve {
    fn event(&mut self, at: Event) {
        let number = self.samples.len() as i32;
        self.samples
            .insert(number, (at.time, (number % 2 == 0).then(|| number.to_string())));
    }
}

/// A tank with an inflow, a sampler and an end
#[model(tolerance = 1e-5, solver_parameters, solver_statistics)]
struct Tank {
    /// Level
    #[state(start = 1.0, output)]
    level: f64,
    /// Rate of the outflow
    #[parameter(start = 1.0)]
    rate: f64,
    /// Inflow
    #[input(start = 0.0)]
    inflow: f64,
    /// Level and half of the inflow
    #[output]
    seen: f64,
    /// Samples so far, one every 0.3
    #[discrete(start = 0, output)]
    samples: i32,
    /// Sum of the samples' levels
    #[discrete(start = 0.0, output)]
    sum: f64,
    /// What every sample has seen
    #[internal]
    history: Vec<f64>,
    #[part]
    valve: Valve,
}

#[equations]
impl Model for Tank {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            level: self.inflow - self.rate * self.level,
        }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            seen: self.level + 0.5 * self.inflow,
        }
    }

    fn event(&mut self, at: Event) {
        if at.scheduled {
            self.history.push(self.level);
            self.samples = self.history.len() as i32;
            self.sum = self.history.iter().sum();
        }
    }

    fn next_event_time(&self, _t: f64) -> Option<f64> {
        Some(0.3 * f64::from(self.samples + 1))
    }
}

fmu_runtime::__private::fmi2_entry_points!(Tank);

const LEVEL: u32 = 0;
const INFLOW: u32 = 2;
const SEEN: u32 = 3;
const SUM: u32 = 4;
const TOLERANCE: u32 = 5;
const MAX_STEP: u32 = 6;
const STEPS: u32 = 1;
const EVALUATIONS: u32 = 2;
const METHOD: u32 = 3;
const EULER: i32 = 1;

/// An inflow of u0 + u1 t + u2 t^2/2 into a level of 1.
fn level(t: f64, [u0, u1, u2]: [f64; 3]) -> f64 {
    let particular = |t: f64| (u0 - u1 + u2) + (u1 - u2) * t + 0.5 * u2 * t * t;
    particular(t) + (1.0 - particular(0.0)) * (-t).exp()
}

#[test]
fn the_description_announces_what_it_can_do() {
    let xml = describe().unwrap();
    for text in [
        "<CoSimulation modelIdentifier=\"Tank\" canHandleVariableCommunicationStepSize=\"true\" \
         canInterpolateInputs=\"true\" maxOutputDerivativeOrder=\"3\"",
        "canSerializeFMUstate=\"true\" providesDirectionalDerivative=\"true\"/>",
        "outputsFollowInputsWithoutStep=\"true\"",
        "name=\"solver.tolerance\"",
        "<Item name=\"DormandPrince\" value=\"3\"",
    ] {
        assert!(xml.contains(text), "{text} is not in {xml}");
    }
}

#[test]
fn the_tolerance_comes_from_environment_parameter_or_attribute_in_this_order() {
    let error = |host: &Host| {
        assert_eq!(host.step(0.0, 1.0), fmi2OK);
        (host.real(LEVEL) - level(1.0, [0.0; 3])).abs()
    };
    let attribute = error(&Host::stepping(0.0));
    let host = Host::slave();
    assert_eq!(host.set_real([TOLERANCE], [1e-9]), fmi2OK);
    host.initialize(0.0);
    let parameter = error(&host);
    let host = Host::slave();
    assert_eq!(host.set_real([TOLERANCE], [1e-9]), fmi2OK);
    host.initialize(1e-3);
    let environment = error(&host);
    assert!(
        parameter < 1e-8 && parameter < 0.1 * attribute && attribute < 0.1 * environment,
        "{parameter} {attribute} {environment}"
    );
}

#[test]
fn a_fixed_step_is_a_parameter_too() {
    let host = Host::slave();
    assert_eq!(host.set_integer([METHOD], [EULER]), fmi2OK);
    assert_eq!(host.set_real([MAX_STEP], [0.05]), fmi2OK);
    host.initialize(0.0);
    assert_eq!(host.step(0.0, 0.25), fmi2OK);
    let exact: f64 = (0..5).fold(1.0, |x, _| x - 0.05 * x);
    assert!((host.real(LEVEL) - exact).abs() < 1e-14);
}

#[test]
fn what_the_integrator_has_done_are_variables() {
    let host = Host::slave();
    assert_eq!(host.set_integer([METHOD], [EULER]), fmi2OK);
    assert_eq!(host.set_real([MAX_STEP], [0.05]), fmi2OK);
    host.initialize(0.0);
    assert_eq!((host.integer(STEPS), host.integer(EVALUATIONS)), (0, 0));
    assert_eq!(host.step(0.0, 0.25), fmi2OK);
    // Euler's method evaluates once per step.
    assert_eq!((host.integer(STEPS), host.integer(EVALUATIONS)), (5, 5));
    let saved = host.bytes();
    assert_eq!(host.step(0.25, 0.02), fmi2OK);
    assert_eq!(host.integer(STEPS), 6);
    assert!(host.go_to(&saved));
    assert_eq!((host.integer(STEPS), host.integer(EVALUATIONS)), (5, 5));
}

#[test]
fn inputs_are_curves_and_so_are_outputs() {
    let u = [0.5, 2.0, -3.0];
    let host = Host::slave();
    assert_eq!(host.set_input_derivative(INFLOW, 1, u[1]), fmi2OK);
    host.initialize(1e-10);
    assert_eq!(host.set_real([INFLOW], [u[0]]), fmi2OK);
    assert_eq!(host.set_input_derivative(INFLOW, 1, u[1]), fmi2OK);
    assert_eq!(host.set_input_derivative(INFLOW, 2, u[2]), fmi2OK);
    let t = 1.25;
    assert_eq!(host.step(0.0, t), fmi2OK);
    let (x, inflow) = (level(t, u), u[0] + t * (u[1] + 0.5 * t * u[2]));
    assert!((host.real(LEVEL) - x).abs() < 1e-8, "{}", host.real(LEVEL) - x);
    assert!((host.real(INFLOW) - inflow).abs() < 1e-14);
    // y = x + u/2: from x' = u - x on, by hand.
    let slope = u[1] + t * u[2];
    let dx = inflow - x;
    let (ddx, dddx) = (slope - dx, u[2] - (slope - dx));
    let wanted = [dx + 0.5 * slope, ddx + 0.5 * u[2], dddx];
    for (order, wanted) in (1..).zip(wanted) {
        let found = host.output_derivative(SEEN, order);
        assert!((found - wanted).abs() < 1e-7, "order {order}: {found} {wanted}");
    }
    // A new value ends the curve, and the output follows without a step.
    assert_eq!(host.set_real([INFLOW], [4.0]), fmi2OK);
    assert_eq!(host.real(SEEN), host.real(LEVEL) + 2.0);
    let found = host.output_derivative(SEEN, 1);
    assert!((found - (4.0 - host.real(LEVEL))).abs() < 1e-12);
}

#[test]
fn a_run_goes_on_from_bytes_with_the_same_bits_whatever_was_in_internal_fields() {
    let host = Host::stepping(1e-7);
    let walk = |host: &Host, from: i32| -> Vec<u64> {
        let mut bits = Vec::new();
        for i in from..from + 10 {
            assert_eq!(host.set_real([INFLOW], [f64::from(i % 3)]), fmi2OK);
            assert_eq!(host.step(0.1 * f64::from(i), 0.1), fmi2OK);
            bits.extend([LEVEL, SEEN, SUM].map(|vr| host.real(vr).to_bits()));
        }
        bits
    };
    walk(&host, 0);
    let bytes = host.bytes();
    let wanted = walk(&host, 10);
    assert!(host.go_to(&bytes));
    assert_eq!(walk(&host, 10), wanted, "in the same instance");
    let other = Host::slave();
    assert!(other.go_to(&bytes));
    assert_eq!(walk(&other, 10), wanted, "in another instance");
    assert!(other.go_to(&bytes));
    assert_eq!(other.bytes(), bytes, "the bytes of what was read are the same");
    let exchanged = Host::new(false);
    assert!(!exchanged.go_to(&bytes), "the other interface has another memory");
    assert!(exchanged.sentence().contains("other interface"));
}

/// Whatever bytes say, even with a check sum that fits: an error or a state, never a panic.
#[test]
fn forged_bytes_do_no_harm() {
    let host = Host::stepping(0.0);
    assert_eq!(host.step(0.0, 1.0), fmi2OK);
    let bytes = host.bytes();
    let sum = |bytes: &[u8]| {
        bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        })
    };
    let forged = |at: usize, mask: u8| {
        let mut forged = bytes.clone();
        forged[at] ^= mask;
        let end = forged.len() - 8;
        let sum = sum(&forged[..end]);
        forged[end..].copy_from_slice(&sum.to_le_bytes());
        forged
    };
    assert!(host.go_to(&forged(20, 0)), "this is how the sum is made");
    let (mut refused, mut read) = (0, 0);
    let other = Host::slave();
    for at in 0..bytes.len() - 8 {
        for mask in [0x01, 0x80, 0xff] {
            match other.go_to(&forged(at, mask)) {
                false => refused += 1,
                true => {
                    read += 1;
                    // Where it stands may be nonsense, and then a step says so.
                    let now = other.step(1.0, 0.1);
                    assert!([fmi2OK, fmi2Discard, fmi2Error].contains(&now));
                }
            }
            assert!(
                other
                    .heard()
                    .iter()
                    .all(|(_, _, text)| !text.contains("panicked"))
            );
        }
    }
    assert!(refused > 100 && read > 100, "{refused} {read}");
}

#[test]
fn a_step_of_the_explicit_integrator_allocates_nothing() {
    let host = Host::stepping(0.0);
    // The last sample's event is where the buffers of this model grow.
    assert_eq!(host.step(0.0, 0.35), fmi2OK);
    let before = allocations::count();
    for i in 0..20 {
        assert_eq!(host.set_real([INFLOW], [f64::from(i % 2)]), fmi2OK);
        assert_eq!(host.step(0.35 + 0.01 * f64::from(i), 0.01), fmi2OK);
        assert!(host.real(SEEN).is_finite());
    }
    assert_eq!(allocations::count() - before, 0);
}

#[test]
fn steps_end_whatever_the_inputs_are() {
    for inflow in [1e300, -1e300, f64::MAX, f64::INFINITY, f64::NAN] {
        let host = Host::stepping(0.0);
        assert_eq!(host.set_real([INFLOW], [inflow]), fmi2OK);
        let status = host.step(0.0, 0.1);
        assert!([fmi2OK, fmi2Discard].contains(&status), "{inflow}: {status:?}");
        // Once more from where it is.
        if status == fmi2OK {
            host.step(0.1, 0.1);
        }
    }
}

/// u' = x: with x' = u - x, the two together are linear.
unsafe extern "C" fn follows(
    _context: *mut c_void,
    _time: f64,
    _u: *const f64,
    nu: usize,
    x: *const f64,
    _dx: *const f64,
    nx: usize,
    du: *mut f64,
) -> fmi2Status {
    assert_eq!((nu, nx), (1, 1));
    // SAFETY: as long as they say.
    unsafe { *du = *x };
    fmi2OK
}

unsafe extern "C" fn hesitates(
    _context: *mut c_void,
    _time: f64,
    _u: *const f64,
    _nu: usize,
    _x: *const f64,
    _dx: *const f64,
    _nx: usize,
    _du: *mut f64,
) -> fmi2Status {
    fmi2Discard
}

#[test]
fn a_master_gives_the_derivatives_of_inputs() {
    let host = Host::slave();
    assert_eq!(host.stabilize([INFLOW], Some(follows)), fmi2OK);
    host.initialize(1e-10);
    assert_eq!(host.set_real([INFLOW], [0.5]), fmi2OK);
    assert_eq!(host.step(0.0, 1.0), fmi2OK);
    // (u, x)' = [[0, 1], [1, -1]] (u, x): eigenvalues (-1 +- sqrt 5) / 2.
    let root = 5.0_f64.sqrt();
    let (a, b) = (0.5 * (root - 1.0), 0.5 * (-root - 1.0));
    // u = p e^(a t) + q e^(b t), x = u'
    let q = (1.0 - 0.5 * a) / (b - a);
    let p = 0.5 - q;
    let (u, x) = (p * a.exp() + q * b.exp(), p * a * a.exp() + q * b * b.exp());
    assert!((host.real(INFLOW) - u).abs() < 1e-8 && (host.real(LEVEL) - x).abs() < 1e-8);
    let ([level], [rate]) = host.states();
    assert_eq!(
        (level, rate),
        (host.real(LEVEL), host.real(INFLOW) - host.real(LEVEL))
    );

    // Without the function it is an input as ever.
    assert_eq!(host.stabilize([], None), fmi2OK);
    assert_eq!(host.step(1.0, 0.5), fmi2OK);
    assert!((host.real(INFLOW) - u).abs() < 1e-8);

    assert_eq!(host.stabilize([INFLOW], Some(hesitates)), fmi2OK);
    assert_eq!(host.step(1.5, 0.5), fmi2Discard);
    assert_eq!(host.last_successful_time(), 1.5);
    assert_eq!(host.stabilize([LEVEL], Some(follows)), fmi2Error);
}
