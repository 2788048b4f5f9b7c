//! The floating-point environment of the host: rounding mode, traps, flushing of subnormal numbers. Results must not
//! depend on it, so calls run with the default environment and give the host its own back. Shortcuts look as quickly as
//! they can: see `Instance::sees_default_environment`.

use std::marker::PhantomData;

/// The default environment, until it is dropped: then the host's is back.
pub struct Environment {
    /// The host's control register, where it is not the default.
    host: Option<register::Word>,
    /// The register belongs to a thread.
    _thread: PhantomData<*const ()>,
}

impl Environment {
    /// Sets the default environment if the host has another one.
    #[inline]
    pub fn enter() -> Environment {
        let host = register::read();
        let is_default = register::is_default(host);
        if !is_default {
            register::write(register::DEFAULT);
        }
        Environment {
            host: (!is_default).then_some(host),
            _thread: PhantomData,
        }
    }

    /// Whether the host's environment is the default.
    pub fn is_default(&self) -> bool {
        self.host.is_none()
    }
}

impl Drop for Environment {
    #[inline]
    fn drop(&mut self) {
        if let Some(host) = self.host {
            register::write(host);
        }
    }
}

/// Whether the host has the default environment.
#[inline(always)]
pub fn is_default() -> bool {
    register::is_default(register::read())
}

/// Whether nothing hints at another environment; on x86_64 a fraction of the price of [`is_default`]. Functions of C's `fenv.h`
/// (and of Fortran and others, which rest on them) change the control word of the x87 unit together with the register. What
/// only changes the register shows in results, apart from traps. Where `fenv.h` changes the register only (Windows), and
/// on other processors, this reads the register.
#[inline(always)]
pub fn seems_default() -> bool {
    register::seems_default()
}

/// MXCSR: SSE's control and status register. 32-bit processors have it too, where Rust computes with SSE.
#[cfg(any(target_arch = "x86_64", all(target_arch = "x86", target_feature = "sse2")))]
mod register {
    use std::arch::asm;
    use std::mem::MaybeUninit;

    pub type Word = u32;
    /// Round to nearest, all exceptions masked, subnormal numbers kept.
    pub const DEFAULT: Word = 0x1f80;
    /// All but the flags of exceptions that have occurred.
    const CONTROL: Word = 0xffc0;

    #[inline(always)]
    pub fn is_default(word: Word) -> bool {
        word & CONTROL == DEFAULT
    }

    /// A word with more room on the stack than it needs. Where it is all that a function has there, the function ends with
    /// a `pop` of eight bytes, which waits until the word inside them has been stored.
    #[repr(align(16))]
    struct Roomy<T>(MaybeUninit<T>);

    #[inline(always)]
    pub fn read() -> Word {
        let mut word = Roomy(MaybeUninit::<Word>::uninit());
        // SAFETY: stores the register in the four bytes of `word` and changes nothing else.
        unsafe {
            asm!("stmxcsr [{}]", in(reg) word.0.as_mut_ptr(), options(nostack, preserves_flags));
            word.0.assume_init()
        }
    }

    /// The C runtime of Windows leaves the control word of the x87 unit alone, and 32-bit code is not worth a shortcut.
    #[cfg(any(windows, target_arch = "x86"))]
    #[inline(always)]
    pub fn seems_default() -> bool {
        is_default(read())
    }

    /// Rounding control and masks of the x87 control word, and their default.
    #[cfg(not(any(windows, target_arch = "x86")))]
    const X87_CONTROL: u16 = 0x0c3f;
    #[cfg(not(any(windows, target_arch = "x86")))]
    const X87_DEFAULT: u16 = 0x003f;

    #[cfg(not(any(windows, target_arch = "x86")))]
    #[inline(always)]
    pub fn seems_default() -> bool {
        let mut word = Roomy(MaybeUninit::<u16>::uninit());
        // SAFETY: stores the control word in the two bytes of `word` and changes nothing else.
        let word = unsafe {
            asm!("fnstcw [{}]", in(reg) word.0.as_mut_ptr(), options(nostack, preserves_flags));
            word.0.assume_init()
        };
        word & X87_CONTROL == X87_DEFAULT && rounds_to_nearest_and_keeps_subnormals()
    }

    /// 2^-60.
    #[cfg(not(any(windows, target_arch = "x86")))]
    const TINY: f64 = f64::from_bits((1023 - 60) << 52);

    /// Both sums are 1 only if rounded to nearest. A subnormal number is above 0 unless results or operands are flushed.
    /// Sums, because products that are subnormal take long on some processors.
    #[cfg(not(any(windows, target_arch = "x86")))]
    #[inline(always)]
    fn rounds_to_nearest_and_keeps_subnormals() -> bool {
        let (mut one, mut least) = (1.0, f64::MIN_POSITIVE);
        // SAFETY: does nothing; the compiler cannot compute with what may have come from there.
        unsafe {
            asm!("/* {} {} */", inout(xmm_reg) one, inout(xmm_reg) least, options(pure, nomem, nostack, preserves_flags))
        };
        let spread = (one + TINY) - (one - TINY);
        1.5 * f64::MIN_POSITIVE - least > spread
    }

    pub fn write(word: Word) {
        // SAFETY: loads the register from `word`, which is the default or was read from it, so no reserved bit is set.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &word, options(nostack, preserves_flags)) };
    }
}

/// FPCR: the control register of ARM; flags have a register of their own.
#[cfg(target_arch = "aarch64")]
mod register {
    use std::arch::asm;

    pub type Word = u64;
    pub const DEFAULT: Word = 0;

    #[inline(always)]
    pub fn is_default(word: Word) -> bool {
        word == DEFAULT
    }

    #[inline(always)]
    pub fn read() -> Word {
        let word: Word;
        // SAFETY: reads a register.
        unsafe { asm!("mrs {}, fpcr", out(reg) word, options(nomem, nostack, preserves_flags)) };
        word
    }

    #[inline(always)]
    pub fn seems_default() -> bool {
        is_default(read())
    }

    pub fn write(word: Word) {
        // SAFETY: writes the default, or what was read from the same register.
        unsafe { asm!("msr fpcr, {}", in(reg) word, options(nostack, preserves_flags)) };
    }
}

/// Elsewhere the host's environment is left as it is.
#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "x86", target_feature = "sse2"),
    target_arch = "aarch64"
)))]
mod register {
    pub type Word = u32;
    pub const DEFAULT: Word = 0;

    #[inline(always)]
    pub fn is_default(_: Word) -> bool {
        true
    }

    #[inline(always)]
    pub fn read() -> Word {
        DEFAULT
    }

    #[inline(always)]
    pub fn seems_default() -> bool {
        true
    }

    pub fn write(_: Word) {}
}
