//! Which groups of values have to be evaluated again before they are read.

use crate::stored::{Damaged, Reader, Stored, Writer};
use std::ops::{BitAnd, BitOr, Sub};

/// A set of groups of values; one group per function of the author's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stale(u8);

impl Stale {
    /// The empty set.
    pub const NOTHING: Stale = Stale(0);
    /// Calculated parameters.
    pub const CALCULATED: Stale = Stale(1);
    /// What initial equations determine.
    pub const INITIAL: Stale = Stale(2);
    /// Local variables.
    pub const LOCALS: Stale = Stale(4);
    /// State derivatives.
    pub const DERIVATIVES: Stale = Stale(8);
    /// Outputs.
    pub const OUTPUTS: Stale = Stale(16);
    /// Event indicators.
    pub const INDICATORS: Stale = Stale(32);
    /// Everything.
    pub const ALL: Stale = Stale(63);

    /// All that depends on a parameter.
    pub const BY_PARAMETER: Stale = Stale::ALL;
    /// All that depends on an input, or on the start value of a state or a discrete variable.
    pub const BY_VARIABLE: Stale = Stale(63 - 1);

    /// What must be up to date to read a calculated parameter.
    pub const FOR_CALCULATED: Stale = Stale::CALCULATED;
    /// What must be up to date to read a variable that initial equations determine.
    pub const FOR_INITIAL: Stale = Stale(1 + 2);
    /// What must be up to date to read a local variable.
    pub const FOR_LOCALS: Stale = Stale(1 + 2 + 4);
    /// What must be up to date to read a state derivative.
    pub const FOR_DERIVATIVES: Stale = Stale(1 + 2 + 4 + 8);
    /// What must be up to date to read an output.
    pub const FOR_OUTPUTS: Stale = Stale(1 + 2 + 4 + 16);
    /// What must be up to date to read an event indicator.
    pub const FOR_INDICATORS: Stale = Stale(1 + 2 + 4 + 32);

    /// Whether the sets have something in common.
    #[inline]
    pub const fn has(self, other: Stale) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Stale {
    type Output = Stale;
    #[inline]
    fn bitor(self, other: Stale) -> Stale {
        Stale(self.0 | other.0)
    }
}

impl BitAnd for Stale {
    type Output = Stale;
    #[inline]
    fn bitand(self, other: Stale) -> Stale {
        Stale(self.0 & other.0)
    }
}

impl Sub for Stale {
    type Output = Stale;
    #[inline]
    fn sub(self, other: Stale) -> Stale {
        Stale(self.0 & !other.0)
    }
}

/// What is stale now. Not one [`Stale`], because an integrator would have to wait for it: to add to a set
/// that was changed just before takes longer than the equations of a small model. To overwrite flags does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flags {
    /// Of [`Stale::CALCULATED`] and [`Stale::INITIAL`].
    pub early: Stale,
    pub locals: bool,
    pub derivatives: bool,
    pub outputs: bool,
    pub indicators: bool,
}

impl Flags {
    pub const ALL: Flags = Flags {
        early: Stale::FOR_INITIAL,
        locals: true,
        derivatives: true,
        outputs: true,
        indicators: true,
    };

    /// All that depends on time, or on a state that moves with it.
    #[inline]
    pub fn spoil_by_time(&mut self) {
        *self = Flags {
            early: self.early,
            ..Flags::ALL
        };
    }

    /// All of `spoils`; everything that can be set has an influence on what moves with time.
    #[inline]
    pub fn spoil(&mut self, spoils: Stale) {
        self.early = self.early | (spoils & Stale::FOR_INITIAL);
        self.spoil_by_time();
    }
}

impl Stored for Stale {
    fn store(&self, out: &mut Writer<'_>) {
        self.0.store(out);
    }
    fn load(from: &mut Reader<'_>) -> Result<Stale, Damaged> {
        match u8::load(from)? {
            set if set <= Stale::ALL.0 => Ok(Stale(set)),
            _ => Err(Damaged("a set of groups is not one")),
        }
    }
}

impl Stored for Flags {
    fn store(&self, out: &mut Writer<'_>) {
        self.early.store(out);
        [self.locals, self.derivatives, self.outputs, self.indicators].store(out);
    }
    fn load(from: &mut Reader<'_>) -> Result<Flags, Damaged> {
        let early = Stale::load(from)? & Stale::FOR_INITIAL;
        let [locals, derivatives, outputs, indicators] = Stored::load(from)?;
        Ok(Flags {
            early,
            locals,
            derivatives,
            outputs,
            indicators,
        })
    }
}
