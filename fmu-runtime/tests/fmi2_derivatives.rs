//! `fmi2GetDirectionalDerivative` against derivatives by hand: in each mode, for everything that is an unknown or a known
//! there and for what is not, and with the short way for all states against the long one.

#[path = "common/c_interface.rs"]
mod c_interface;

use c_interface::*;
use fmu_runtime::prelude::*;
use fmu_runtime::standard::fmi2::*;

/// Something of every kind
#[model]
struct Every {
    /// State that starts as it is given
    #[state(start = 2.0)]
    x: f64,
    /// State that an initial equation gives
    #[state(initial = "calculated")]
    z: f64,
    /// Continuous input
    #[input(start = 0.5)]
    u: f64,
    /// Discrete input
    #[input(discrete, start = 1.25)]
    s: f64,
    /// Fixed parameter
    #[parameter(start = 0.75)]
    p: f64,
    /// Tunable parameter
    #[parameter(start = 1.5, tunable)]
    q: f64,
    /// Calculated parameter
    #[parameter(calculated, tunable)]
    c: f64,
    /// Set by events
    #[discrete(start = 1.5)]
    d: f64,
    /// Local variable
    #[local]
    l: f64,
    /// Continuous output
    #[output]
    continuous: f64,
    /// Discrete output
    #[output(discrete)]
    discrete: f64,
}

#[equations]
impl Model for Every {
    fn calculated(&self) -> Calculated<Self> {
        Calculated::<Self> { c: self.p * self.q }
    }
    fn initial(&self, t: f64) -> Initial<Self> {
        Initial::<Self> {
            z: 3.0 * self.p + self.u + t * t,
        }
    }
    fn locals(&self, _t: f64) -> Locals<Self> {
        Locals::<Self> { l: self.x * self.u }
    }
    fn derivatives(&self, t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            x: -self.x * self.z + self.u * t,
            z: self.x * self.x * self.c - self.l,
        }
    }
    fn outputs(&self, t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            continuous: self.l * self.q + t.sin() * self.z,
            discrete: self.s * self.s + self.d,
        }
    }
}

fmu_runtime::__private::fmi2_entry_points!(Every);

const X: u32 = 0;
const Z: u32 = 1;
const U: u32 = 2;
const S: u32 = 3;
const P: u32 = 4;
const Q: u32 = 5;
const C: u32 = 6;
const D: u32 = 7;
const L: u32 = 8;
const CONTINUOUS: u32 = 9;
const DISCRETE: u32 = 10;
const DER_X: u32 = 11;
const DER_Z: u32 = 12;
const TIME: u32 = 13;
const START: f64 = 0.7;

fn derivative<const N: usize, const M: usize>(
    host: &Host,
    unknowns: [u32; N],
    knowns: [u32; M],
    seed: [f64; M],
) -> Result<[f64; N], String> {
    let mut values = [f64::NAN; N];
    // SAFETY: all arrays have the lengths that are given.
    let status = unsafe {
        fmi2GetDirectionalDerivative(
            host.c,
            unknowns.as_ptr(),
            N,
            knowns.as_ptr(),
            M,
            seed.as_ptr(),
            values.as_mut_ptr(),
        )
    };
    match status == fmi2OK {
        true => Ok(values),
        false => {
            assert_eq!(status, fmi2Error);
            Err(host.sentence())
        }
    }
}

/// By one known.
#[track_caller]
fn assert_by<const N: usize>(host: &Host, known: u32, unknowns: [(u32, f64); N]) {
    let found = derivative(host, unknowns.map(|(unknown, _)| unknown), [known], [1.0]).unwrap();
    for (found, (unknown, expected)) in found.into_iter().zip(unknowns) {
        let error = (found - expected).abs();
        assert!(
            error <= 1e-14 * expected.abs().max(1.0),
            "{unknown} by {known}: {found} and not {expected}"
        );
    }
}

fn initializing() -> Host {
    let host = Host::new(true);
    // SAFETY: the instance is alive.
    unsafe {
        assert_eq!(fmi2SetupExperiment(host.c, 0, 0.0, START, 0, 0.0), fmi2OK);
        assert_eq!(fmi2EnterInitializationMode(host.c), fmi2OK);
    }
    host
}

fn at_event() -> Host {
    let host = initializing();
    // SAFETY: the instance is alive.
    unsafe { assert_eq!(fmi2ExitInitializationMode(host.c), fmi2OK) };
    host.heard();
    host
}

fn running() -> Host {
    let host = at_event();
    let mut info = fmi2EventInfo::default();
    // SAFETY: the instance is alive.
    unsafe {
        assert_eq!(fmi2NewDiscreteStates(host.c, &mut info), fmi2OK);
        assert_eq!(fmi2EnterContinuousTimeMode(host.c), fmi2OK);
    }
    host.heard();
    host
}

const Z_START: f64 = 3.0 * 0.75 + 0.5 + START * START;

#[test]
fn in_initialization_mode_initial_equations_count() {
    let host = initializing();
    host.heard();
    let (sin, cos) = START.sin_cos();
    assert_by(
        &host,
        P,
        [
            (Z, 3.0),
            (C, 1.5),
            (CONTINUOUS, 3.0 * sin),
            (DER_X, -6.0),
            (DER_Z, 6.0),
            (L, 0.0),
        ],
    );
    assert_by(
        &host,
        Q,
        [
            (Z, 0.0),
            (C, 0.75),
            (CONTINUOUS, 1.0),
            (DER_X, 0.0),
            (DER_Z, 3.0),
            (L, 0.0),
        ],
    );
    assert_by(
        &host,
        U,
        [
            (Z, 1.0),
            (CONTINUOUS, 3.0 + sin),
            (DER_X, START - 2.0),
            (DER_Z, -2.0),
            (L, 2.0),
        ],
    );
    assert_by(
        &host,
        X,
        [
            (Z, 0.0),
            (CONTINUOUS, 0.75),
            (DER_X, -Z_START),
            (DER_Z, 4.0 * 1.125 - 0.5),
            (L, 0.5),
        ],
    );
    assert_by(&host, S, [(DISCRETE, 2.5), (CONTINUOUS, 0.0)]);
    assert_by(&host, D, [(DISCRETE, 1.0)]);
    let by_time = cos * Z_START + sin * 2.0 * START;
    assert_by(
        &host,
        TIME,
        [
            (Z, 2.0 * START),
            (CONTINUOUS, by_time),
            (DER_X, 0.5 - 4.0 * START),
            (DER_Z, 0.0),
        ],
    );
    for (unknown, known) in [(Z, Z), (Z, C), (Z, L), (Z, CONTINUOUS), (X, P), (P, P), (U, P)] {
        let sentence = derivative(&host, [unknown], [known], [1.0]).unwrap_err();
        assert!(sentence.contains("is no"), "{unknown} by {known}: {sentence}");
    }
}

#[test]
fn in_continuous_time_mode_parameters_and_discrete_variables_stay() {
    let host = running();
    let (sin, cos) = START.sin_cos();
    assert_by(
        &host,
        X,
        [
            (CONTINUOUS, 0.75),
            (DER_X, -Z_START),
            (DER_Z, 4.0 * 1.125 - 0.5),
            (L, 0.5),
        ],
    );
    assert_by(
        &host,
        Z,
        [(CONTINUOUS, sin), (DER_X, -2.0), (DER_Z, 0.0), (L, 0.0)],
    );
    assert_by(
        &host,
        U,
        [(CONTINUOUS, 3.0), (DER_X, START), (DER_Z, -2.0), (L, 2.0)],
    );
    assert_by(
        &host,
        TIME,
        [(CONTINUOUS, cos * Z_START), (DER_X, 0.5), (DER_Z, 0.0), (L, 0.0)],
    );
    for (unknown, known) in [
        (DER_X, S),
        (DER_X, P),
        (DER_X, Q),
        (DER_X, D),
        (DISCRETE, X),
        (C, X),
        (Z, X),
        (99, X),
    ] {
        derivative(&host, [unknown], [known], [1.0]).unwrap_err();
    }
}

#[test]
fn at_an_event_discrete_inputs_and_outputs_take_part() {
    let host = at_event();
    assert_by(&host, S, [(DISCRETE, 2.5), (CONTINUOUS, 0.0), (DER_X, 0.0)]);
    assert_by(&host, X, [(CONTINUOUS, 0.75), (DISCRETE, 0.0), (DER_X, -Z_START)]);
    for known in [P, Q, D, C, L] {
        derivative(&host, [DISCRETE], [known], [1.0]).unwrap_err();
    }
}

/// The total derivative of an output by time: along the trajectory, with the inputs' own derivatives.
#[test]
fn the_total_derivative_by_time_is_one_call() {
    let host = running();
    let (sin, cos) = START.sin_cos();
    let (dx, dz, du) = (-2.0 * Z_START + 0.5 * START, 4.0 * 1.125 - 1.0, -3.0);
    let found = derivative(&host, [CONTINUOUS], [X, Z, U, TIME], [dx, dz, du, 1.0]).unwrap();
    let expected = 0.75 * dx + sin * dz + 3.0 * du + cos * Z_START;
    assert!(
        (found[0] - expected).abs() < 1e-13,
        "{found:?} and not {expected}"
    );
}

#[test]
fn the_short_way_for_all_states_is_the_long_one() {
    let seed = [0.3, -1.7];
    for host in [running(), at_event()] {
        for _ in 0..2 {
            let short = derivative(&host, [DER_X, DER_Z], [X, Z], seed).unwrap();
            let [z, x] = derivative(&host, [DER_Z, DER_X], [Z, X], [seed[1], seed[0]]).unwrap();
            assert_eq!(short, [x, z]);
            // Only the knowns, only the unknowns in their order.
            let [first, _, third] = derivative(&host, [DER_X, L, DER_Z], [X, Z], seed).unwrap();
            assert_eq!(short, [first, third]);
            let by_two = derivative(&host, [DER_X, DER_Z], [Z, X, U], [seed[1], seed[0], 0.0]).unwrap();
            assert_eq!(short, by_two);
            // Again with other values: nothing of the last call is left.
            derivative(&host, [DER_X, DER_Z], [X, Z], [1e3, 1e3]).unwrap();
            assert_eq!(host.set_real([U], [-0.25]), fmi2OK);
        }
    }
}
