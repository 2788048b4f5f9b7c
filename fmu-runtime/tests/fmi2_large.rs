//! A model with 20 000 states, called from a thread with a stack of 512 KiB: values, Jacobians,
//! directional derivatives and implicit steps.

#[path = "common/c_interface.rs"]
mod c_interface;
#[path = "common/steps.rs"]
mod steps;

use c_interface::*;
use fmu_runtime::prelude::*;
use fmu_runtime::standard::fmi2::*;
use std::ffi::{c_char, c_int, c_void};

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

fmu_runtime::__private::fmi2_entry_points!(Chain);

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

/// Keeps the notes for the person who packages.
unsafe extern "C" fn take_note(context: *mut c_void, kind: c_int, text: *const c_char, length: usize) {
    // SAFETY: the context is the list below, the text has that length.
    unsafe {
        if kind == 1 {
            let text = std::slice::from_raw_parts(text.cast::<u8>(), length);
            (*context.cast::<Vec<String>>()).push(String::from_utf8(text.to_vec()).unwrap());
        }
    }
}

#[test]
fn packaging_says_how_much_stack_a_large_model_needs() {
    let call = || {
        let mut notes: Vec<String> = Vec::new();
        // SAFETY: the sink takes a pointer to a list of texts.
        unsafe { fmuDescribe(std::ptr::null(), Some(take_note), (&raw mut notes).cast()) };
        notes
    };
    let thread = std::thread::Builder::new().stack_size(512 << 20);
    let notes = thread.spawn(call).unwrap().join().unwrap();
    let note = notes.iter().find(|note| note.contains("of stack")).unwrap();
    println!("{note}");
    assert!(note.contains("runs them on a stack of its own of"), "{note}");
    if cfg!(all(unix, target_arch = "x86_64")) {
        let words: Vec<&str> = note.split_whitespace().collect();
        let kib: usize = words[words.iter().position(|word| *word == "KiB").unwrap() - 1]
            .parse()
            .unwrap();
        // A call copies the model, of 40 000 numbers, at least once.
        assert!((400..60_000).contains(&kib), "{note}");
    }
}

/// What a switch of the stack costs, beside the evaluation itself.
#[test]
fn a_call_on_the_own_stack_takes_no_thread() {
    let host = Host::running(false);
    let mut time = f64::NAN;
    let begin = std::time::Instant::now();
    for _ in 0..10_000 {
        // SAFETY: one reference, one value.
        unsafe { fmi2GetReal(host.c, &(3 * N as u32 + 1), 1, &mut time) };
    }
    let each = begin.elapsed().as_secs_f64() / 10_000.0;
    println!("{:.3} us per call", 1e6 * each);
    if cfg!(all(unix, target_arch = "x86_64")) {
        assert!(each < 20e-6, "{each} s per call");
    }
}

/// A panic on the own stack is a message on the host's, and a call out of order is one, too.
#[test]
fn messages_come_on_the_stack_of_the_host() {
    let host = Host::running(false);
    let mut value = 0.0;
    // SAFETY: a reference that does not exist.
    let status = unsafe { fmi2GetReal(host.c, &99_999_999, 1, &mut value) };
    assert_eq!(status, fmi2Error);
    let here = (&raw const value).addr();
    let logged_at = host.logged_at();
    assert!(here.abs_diff(logged_at) < 1 << 20, "{here:#x} and {logged_at:#x}");
}
