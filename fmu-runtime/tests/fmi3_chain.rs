//! The C functions of FMI 3.0 of a model with many states and a fixed step: adjoint derivatives of many unknowns, steps that are
//! discarded, and memory.

// Every call is on a living instance, with arrays as long as their counts say.
#![allow(clippy::undocumented_unsafe_blocks)]

#[path = "common/c_interface_3.rs"]
mod c_interface_3;

use c_interface_3::*;
use fmu_runtime::prelude::*;
use fmu_runtime::standard::fmi3::*;
use test_support::allocations::{self, Counting};

#[global_allocator]
static COUNTING: Counting = Counting;

const N: usize = 40;

/// A chain of masses with friction
#[model(solver = "rk4", max_step = 0.01)]
struct Chain {
    /// Values
    #[state(start = 1.0)]
    x: [f64; N],
    /// At the left end
    #[input(start = 0.5)]
    u: f64,
    /// Strength
    #[parameter(start = 3.0)]
    k: f64,
    /// Twice the strength
    #[parameter(calculated)]
    twice: f64,
    /// Mean square
    #[output]
    mean: f64,
    /// Neighbours
    #[output]
    y: [f64; N],
    /// The equations fail after this time
    #[parameter(start = 1e9)]
    fails: f64,
}

#[equations]
impl Model for Chain {
    fn calculated(&self) -> Calculated<Self> {
        Calculated::<Self> { twice: 2.0 * self.k }
    }

    fn derivatives(&self, t: f64) -> Result<Derivatives<Self>, ModelError> {
        if t > self.fails {
            return Err(ModelError::new("beyond the end of the world").recoverable());
        }
        let mut x = [0.0; N];
        for (i, derivative) in x.iter_mut().enumerate() {
            let left = if i > 0 { self.x[i - 1] } else { self.u };
            let right = if i + 1 < N { self.x[i + 1] } else { 0.0 };
            *derivative =
                self.k * (left - self.x[i]) + self.twice * (right - self.x[i]) - self.x[i].sin() * t;
        }
        Ok(Derivatives::<Self> { x })
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        let mut y = [0.0; N];
        for (i, y) in y.iter_mut().enumerate() {
            *y = self.x[i] * self.x[(i + 1) % N];
        }
        Outputs::<Self> {
            mean: self.x.iter().map(|x| x * x).sum::<f64>() / N as f64,
            y,
        }
    }
}

fmu_runtime::__private::fmi3_entry_points!(Chain);

const X: u32 = 0;
const U: u32 = 1;
const K: u32 = 2;
const MEAN: u32 = 4;
const Y: u32 = 5;
const FAILS: u32 = 6;
const DER_X: u32 = 7;
const TIME: u32 = 8;

/// At a point where the states differ.
fn at_a_point(logging: bool) -> Host {
    let description = fmu_runtime::standard::fmi3::read(describe()).unwrap();
    let host = Host::try_new(Purpose::Exchange, &description.guid, logging).unwrap();
    let x: Vec<f64> = (0..N).map(|i| (0.7 * i as f64).cos() * 2.0).collect();
    assert_eq!(host.set(&[X], &x), fmi3OK);
    host.initialize();
    host.settle();
    assert_eq!(host.call(FMI.fmi3EnterContinuousTimeMode), fmi3OK);
    host
}

/// `v^T J` by one directional derivative per known, and the sum of the magnitudes of its terms.
fn by_columns(host: &Host, unknowns: &[u32], knowns: &[(u32, usize)], v: &[f64]) -> Vec<(f64, f64)> {
    let references: Vec<u32> = knowns.iter().map(|known| known.0).collect();
    let columns: usize = knowns.iter().map(|known| known.1).sum();
    let column = |known: usize| {
        let mut seed = vec![0.0; columns];
        seed[known] = 1.0;
        let mut sensitivity = vec![0.0; v.len()];
        assert_eq!(
            host.directional(unknowns, &references, &seed, &mut sensitivity),
            fmi3OK
        );
        let terms = || v.iter().zip(&sensitivity).map(|(v, entry)| v * entry);
        (terms().sum(), terms().map(f64::abs).sum())
    };
    (0..columns).map(column).collect()
}

#[test]
fn many_unknowns_are_followed_by_colours_and_few_are_recorded() {
    let host = at_a_point(true);
    let all = [(X, N), (U, 1), (K, 1), (TIME, 1)];
    for (unknowns, rows, way) in [
        (&[DER_X][..], N, "in forward mode, 2 evaluation(s)"),
        (&[Y][..], N, "in forward mode, 1 evaluation(s)"),
        (&[MEAN][..], 1, "in reverse mode"),
        (&[DER_X, MEAN][..], N + 1, "in reverse mode"),
        (&[DER_X, DER_X][..], 2 * N, "in forward mode, 2 evaluation(s)"),
    ] {
        let references = all.map(|known| known.0);
        let v: Vec<f64> = (0..rows).map(|i| (1.0 + i as f64).sin()).collect();
        let wanted = by_columns(&host, unknowns, &all, &v);
        for _ in 0..2 {
            let mut found = vec![f64::NAN; N + 3];
            host.heard();
            assert_eq!(host.adjoint(unknowns, &references, &v, &mut found), fmi3OK);
            let heard = host.heard();
            assert!(heard.iter().any(|(_, _, text)| text.contains(way)), "{heard:?}");
            for (known, (found, (wanted, scale))) in found.iter().zip(&wanted).enumerate() {
                assert!(
                    (found - wanted).abs() <= 1e-12 * scale,
                    "{unknowns:?}, known {known}: {found}, not {wanted}"
                );
            }
        }
        // A known that is named twice has its whole derivative at both places.
        let mut found = vec![f64::NAN; 2];
        assert_eq!(host.adjoint(unknowns, &[K, K], &v, &mut found), fmi3OK);
        let wanted = wanted[N + 1].0;
        assert!(
            found
                .iter()
                .all(|found| (found - wanted).abs() <= 1e-12 * (1.0 + wanted.abs()))
        );
    }
}

#[test]
fn derivatives_and_steps_allocate_nothing_after_the_first_call() {
    let host = at_a_point(false);
    let v = [1.0; N];
    let (mut gradient, mut column) = ([0.0; N + 2], [0.0; N]);
    for (unknowns, rows) in [([DER_X], N), ([MEAN], 1)] {
        let mut both = || {
            assert_eq!(
                host.adjoint(&unknowns, &[X, U, K], &v[..rows], &mut gradient),
                fmi3OK
            );
            assert_eq!(host.directional(&unknowns, &[X], &v, &mut column[..rows]), fmi3OK);
        };
        both();
        let before = allocations::count();
        (0..10).for_each(|_| both());
        assert_eq!(allocations::count() - before, 0, "{unknowns:?}");
    }
    let description = fmu_runtime::standard::fmi3::read(describe()).unwrap();
    let host = Host::try_new(Purpose::Steps(false, false), &description.guid, false).unwrap();
    host.initialize();
    host.step(0.0, 0.1);
    let before = allocations::count();
    for step in 1..10 {
        host.step(0.1 * f64::from(step), 0.1);
    }
    assert_eq!(allocations::count() - before, 0, "steps");
}

#[test]
fn a_discarded_step_of_fixed_size_leaves_everything_as_it_was() {
    let run = |is_discarded: bool| -> [u64; N + 2] {
        let host = Host::new(Purpose::Steps(false, false));
        assert_eq!(host.set(&[FAILS], &[0.35]), fmi3OK);
        host.initialize();
        host.step(0.0, 0.2);
        if is_discarded {
            let before: [f64; 2 * N + 2] = host.get(&[TIME, X, MEAN, DER_X]);
            assert_eq!(host.try_step(0.2, 0.4).0, fmi3Discard);
            assert_eq!(host.try_step(0.2, 0.4).0, fmi3Discard);
            assert_eq!(host.get::<{ 2 * N + 2 }>(&[TIME, X, MEAN, DER_X]), before);
        }
        host.step(0.2, 0.1);
        host.get::<{ N + 2 }>(&[TIME, X, MEAN]).map(f64::to_bits)
    };
    assert_eq!(run(true), run(false));
}

/// An instance that another thread may use.
struct Moved(Host);
unsafe impl Send for Moved {}

#[test]
fn the_tape_belongs_to_the_instance_whatever_thread_it_is_used_from() {
    let gradient = |host: &Host| -> Vec<u64> {
        let mut gradient = vec![0.0; N + 1];
        assert_eq!(host.adjoint(&[MEAN], &[X, U], &[1.0], &mut gradient), fmi3OK);
        gradient.into_iter().map(f64::to_bits).collect()
    };
    let (one, other) = (at_a_point(false), at_a_point(false));
    let x = [0.25; N];
    let set = |host: &Host| unsafe { (FMI.fmi3SetContinuousStates)(host.i, x.as_ptr(), N) };
    assert_eq!(set(&other), fmi3OK);
    let wanted = [gradient(&one), gradient(&other)];
    assert_ne!(wanted[0], wanted[1]);
    // By turns, and the first one from another thread.
    assert_eq!([gradient(&one), gradient(&other)], wanted);
    let moved = Moved(one);
    let (found, moved) = std::thread::spawn(move || {
        let moved = moved;
        (gradient(&moved.0), moved)
    })
    .join()
    .unwrap();
    assert_eq!([found, gradient(&other)], wanted);
    assert_eq!(gradient(&moved.0), wanted[0]);
}

#[test]
fn snapshots_have_nothing_of_the_tape() {
    let size = |host: &Host| unsafe {
        let (mut state, mut size) = (std::ptr::null_mut(), 0);
        assert_eq!((FMI.fmi3GetFMUState)(host.i, &mut state), fmi3OK);
        assert_eq!((FMI.fmi3SerializedFMUStateSize)(host.i, state, &mut size), fmi3OK);
        assert_eq!((FMI.fmi3FreeFMUState)(host.i, &mut state), fmi3OK);
        size
    };
    let host = at_a_point(false);
    let before = size(&host);
    let mut gradient = [0.0; N];
    assert_eq!(host.adjoint(&[MEAN], &[X], &[1.0], &mut gradient), fmi3OK);
    assert_eq!(size(&host), before);
}
