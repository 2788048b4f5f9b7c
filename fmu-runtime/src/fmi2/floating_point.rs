//! The floating-point environment of the host: rounding mode, traps, flushing of subnormal numbers. Results must not
//! depend on it, so calls run with the default environment and give the host its own back. Shortcuts do not look: see
//! `Instance::see_environment`.

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

/// MXCSR: SSE's control and status register.
#[cfg(target_arch = "x86_64")]
mod register {
    use std::arch::asm;

    pub type Word = u32;
    /// Round to nearest, all exceptions masked, subnormal numbers kept.
    pub const DEFAULT: Word = 0x1f80;
    /// All but the flags of exceptions that have occurred.
    const CONTROL: Word = 0xffc0;

    #[inline(always)]
    pub fn is_default(word: Word) -> bool {
        word & CONTROL == DEFAULT
    }

    #[inline(always)]
    pub fn read() -> Word {
        let mut word: Word = 0;
        // SAFETY: stores the register in the four bytes of `word` and changes nothing else.
        unsafe { asm!("stmxcsr [{}]", in(reg) &mut word, options(nostack, preserves_flags)) };
        word
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

    pub fn write(word: Word) {
        // SAFETY: writes the default, or what was read from the same register.
        unsafe { asm!("msr fpcr, {}", in(reg) word, options(nostack, preserves_flags)) };
    }
}

/// Elsewhere the host's environment is left as it is.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
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

    pub fn write(_: Word) {}
}
