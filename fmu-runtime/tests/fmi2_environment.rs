//! Hosts that change the floating-point environment, at whatever time: results have the same bits, no trap ends a call,
//! and the host has its environment back.
#![cfg(any(
    target_arch = "x86_64",
    all(target_arch = "x86", target_feature = "sse2"),
    target_arch = "aarch64"
))]

#[path = "common/c_interface.rs"]
mod c_interface;
#[path = "common/steps.rs"]
mod steps;

use c_interface::*;
use fmu_runtime::prelude::*;
use fmu_runtime::standard::fmi2::*;
use std::arch::asm;
use std::hint::black_box;

/// A value whose rate is rounded, and at some values infinite, not a number or subnormal
#[model]
struct Rate {
    /// The value
    #[state(start = 1.0, output)]
    level: f64,
    /// Added to the rate
    #[input(start = 0.0)]
    inflow: f64,
    /// A third of it
    #[output]
    third: f64,
}

#[equations]
impl Model for Rate {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            level: self.inflow + self.level.exp() / 3.0 + 1e-3 / self.level + self.level.sqrt() * 1e-310,
        }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            third: self.level / 3.0,
        }
    }
}

fmu_runtime::__private::fmi2_entry_points!(Rate);

const LEVEL: u32 = 0;
const INFLOW: u32 = 1;
const THIRD: u32 = 2;

#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
fn read() -> u64 {
    let mut word = 0u32;
    // SAFETY: stores a register in `word`.
    unsafe { asm!("stmxcsr [{}]", in(reg) &mut word, options(nostack)) };
    u64::from(word & !0x3f)
}

#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
fn write(word: u64) {
    let word = word as u32;
    // SAFETY: loads a register with one of the values below, which set no reserved bit.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &word, options(nostack)) };
}

#[cfg(target_arch = "aarch64")]
fn read() -> u64 {
    let word: u64;
    // SAFETY: reads a register.
    unsafe { asm!("mrs {}, fpcr", out(reg) word, options(nostack)) };
    word
}

#[cfg(target_arch = "aarch64")]
fn write(word: u64) {
    // SAFETY: writes a register with one of the values below.
    unsafe { asm!("msr fpcr, {}", in(reg) word, options(nostack)) };
}

/// Rounding up, down and to zero, subnormal results and operands as zero (each alone and both), and all exceptions trapped.
#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
const ENVIRONMENTS: &[u64] = &[0x5f80, 0x3f80, 0x7f80, 0x9f80, 0x1fc0, 0x9fc0, TRAPS];
#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
const TRAPS: u64 = 0;
#[cfg(target_arch = "aarch64")]
const ENVIRONMENTS: &[u64] = &[1 << 22, 2 << 22, 3 << 22, 1 << 24];
#[cfg(target_arch = "aarch64")]
const TRAPS: u64 = u64::MAX;

/// Runs a call in an environment, and checks that the call has left it alone. Nothing here computes.
fn within<T>(environment: u64, call: impl FnOnce() -> T) -> T {
    let before = read();
    write(environment);
    let result = call();
    let after = read();
    write(before);
    assert_eq!(after, environment, "the host has its environment back");
    result
}

/// One evaluation as integrators make it.
fn evaluate(host: &Host, time: f64, level: f64) -> u64 {
    let mut dx = 0.0;
    // SAFETY: one state, one derivative.
    unsafe {
        fmi2SetTime(host.c, time);
        fmi2SetContinuousStates(host.c, &level, 1);
        fmi2SetReal(host.c, &INFLOW, 1, &time);
        assert_eq!(fmi2GetDerivatives(host.c, &mut dx, 1), fmi2OK);
    }
    dx.to_bits()
}

fn model_exchange(environment: u64) -> Vec<u64> {
    let host = within(environment, || Host::running(false));
    let mut bits = Vec::new();
    for number in 0..50 {
        let (time, level) = (f64::from(number) * 0.01, 1.0 / f64::from(number + 3));
        let level = if number == 40 { 1e-310 } else { level };
        let (time, level) = (black_box(time), black_box(level));
        bits.push(within(environment, || evaluate(&host, time, level)));
        bits.push(within(environment, || host.real(THIRD)).to_bits());
    }
    // An overflow, a division by zero and a root of a negative number, which are traps where traps are on.
    for level in [1e4, 0.0, -1.0] {
        bits.push(within(environment, || evaluate(&host, 0.5, level)));
    }
    bits
}

fn co_simulation(environment: u64) -> Vec<u64> {
    let host = within(environment, || Host::stepping(1e-7));
    let mut bits = Vec::new();
    for number in 0..5 {
        // The compiler must not compute it where traps are on.
        let point = black_box(f64::from(number) * 0.1);
        let status = within(environment, || host.step(point, 0.1));
        assert_eq!(status, fmi2OK);
        bits.push(within(environment, || host.real(LEVEL)).to_bits());
    }
    bits
}

#[test]
fn results_do_not_depend_on_the_hosts_environment_and_no_trap_ends_it() {
    let default = read();
    let expected = (model_exchange(default), co_simulation(default));
    for &environment in ENVIRONMENTS {
        let found = (model_exchange(environment), co_simulation(environment));
        assert_eq!(found, expected, "{environment:#x}");
    }
}

/// The levels of the test below: each raises other exceptions.
const LEVELS: [f64; 6] = [1.0 / 3.0, 1e4, 0.0, -1.0, 1e-310, 0.7];

/// Evaluations in the default environment, then `change`, evaluations, and `restore`. Nothing between them computes.
fn changed_between(change: &dyn Fn(), restore: &dyn Fn(), other_call: bool) -> Vec<u64> {
    let host = Host::running(false);
    let mut bits = vec![0; 2 * LEVELS.len()];
    for level in LEVELS {
        evaluate(&host, 0.25, level);
    }
    let mut nominal = 0.0;
    if other_call {
        // SAFETY: one state, one nominal.
        unsafe { fmi2GetContinuousStates(host.c, &mut nominal, 1) };
    }
    change();
    for (bits, level) in bits.iter_mut().zip(LEVELS) {
        *bits = evaluate(&host, 0.5, level);
    }
    restore();
    for (bits, level) in bits[LEVELS.len()..].iter_mut().zip(LEVELS) {
        *bits = evaluate(&host, 0.75, level);
    }
    bits
}

#[test]
fn a_register_that_changes_between_two_evaluations_changes_no_bit() {
    let default = read();
    for other_call in [false, true] {
        let expected = changed_between(&|| {}, &|| {}, other_call);
        for &environment in ENVIRONMENTS {
            // Traps without another call and without the functions of fenv.h leave no trace: see the documentation.
            if !other_call && environment == TRAPS {
                continue;
            }
            let restore = || {
                let after = read();
                write(default);
                assert_eq!(after, environment, "the host has its environment back");
            };
            let found = changed_between(&|| write(environment), &restore, other_call);
            assert_eq!(found, expected, "{environment:#x}");
        }
    }
}

/// Traps for invalid operations, divisions by zero and overflows, set without `fenv.h`: a trap ends the process.
#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
const WORST_TRAPS: u64 = 0x1900;

/// Three evaluations that raise these exceptions; nothing between them computes.
#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
fn raise(host: &Host) -> [u64; 3] {
    [1e4, 0.0, -1.0].map(|level| evaluate(host, 0.5, level))
}

#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
#[test]
fn after_a_foreign_environment_was_seen_the_register_is_read_in_every_evaluation() {
    let host = Host::running(false);
    let expected = raise(&host);
    let mut nominal = 0.0;
    within(0x5f80, || {
        // SAFETY: one state.
        unsafe { fmi2GetContinuousStates(host.c, &mut nominal, 1) };
    });
    for _ in 0..3 {
        evaluate(&host, 0.5, 0.5);
        assert_eq!(within(WORST_TRAPS, || raise(&host)), expected);
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
#[test]
fn traps_without_a_trace_are_found_after_sixty_three_evaluations() {
    // However many evaluations there were since the register was read.
    for before in 0..70 {
        let host = Host::running(false);
        let expected = raise(&host);
        for _ in 0..before {
            evaluate(&host, 0.5, 0.5);
        }
        let found = within(WORST_TRAPS, || {
            for _ in 0..64 {
                evaluate(&host, 0.5, 0.5);
            }
            raise(&host)
        });
        assert_eq!(found, expected, "{before}");
    }
}

/// The functions of C, which change the registers of both units of the processor.
#[cfg(all(target_arch = "x86_64", target_env = "gnu"))]
#[test]
fn traps_and_rounding_of_fenv_between_two_evaluations_change_no_bit() {
    #[link(name = "m")]
    unsafe extern "C" {
        fn fesetround(mode: i32) -> i32;
        fn feenableexcept(exceptions: i32) -> i32;
        fn fedisableexcept(exceptions: i32) -> i32;
        fn fegetexcept() -> i32;
        fn fegetround() -> i32;
    }
    let expected = changed_between(&|| {}, &|| {}, false);
    for rounding in [0x400, 0x800, 0xc00] {
        let restore = || {
            // SAFETY: functions without preconditions.
            let before = unsafe { (fegetround(), fesetround(0)) };
            assert_eq!(before, (rounding, 0));
        };
        let change = || {
            // SAFETY: as above.
            unsafe { fesetround(rounding) };
        };
        assert_eq!(
            changed_between(&change, &restore, false),
            expected,
            "{rounding:#x}"
        );
    }
    // Invalid, division by zero, overflow, inexact, and all at once.
    for traps in [0x01, 0x04, 0x08, 0x20, 0x3d] {
        let restore = || {
            // SAFETY: as above.
            let before = unsafe { (fegetexcept(), fedisableexcept(0x3d)) };
            assert_eq!(before, (traps, traps));
        };
        let change = || {
            // SAFETY: as above.
            unsafe { feenableexcept(traps) };
        };
        assert_eq!(changed_between(&change, &restore, false), expected, "{traps:#x}");
    }
}
