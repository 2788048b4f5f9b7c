//! Sets of states of an instance, as the calling sequences of both versions use them.

use std::fmt;
use std::marker::PhantomData;

/// A state of an instance in the calling sequence of one version.
pub trait InstanceState: Copy {
    /// One letter per state, in the order of the states: their names in the tables.
    const LETTERS: &'static str;
}

/// A set of states.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct States<S> {
    bits: u16,
    of: PhantomData<S>,
}

impl<S: InstanceState> States<S> {
    const fn new(bits: u16) -> Self {
        Self {
            bits,
            of: PhantomData,
        }
    }

    /// The states that letters stand for, in upper or lower case. With `lower`, only those that are written in lower case.
    pub(crate) const fn of(letters: &str, lower: bool) -> Self {
        let (letters, names) = (letters.as_bytes(), S::LETTERS.as_bytes());
        let mut bits = 0;
        let mut at = 0;
        while at < letters.len() {
            let mut state = 0;
            // A letter that stands for no state ends the compilation here.
            while names[state] != letters[at].to_ascii_uppercase() {
                state += 1;
            }
            if !lower || letters[at].is_ascii_lowercase() {
                bits |= 1 << state;
            }
            at += 1;
        }
        Self::new(bits)
    }

    /// The states of either set.
    pub const fn or(self, other: Self) -> Self {
        Self::new(self.bits | other.bits)
    }

    /// Whether the state at a position is in the set.
    #[inline]
    pub(crate) const fn has_position(self, position: u8) -> bool {
        self.bits >> position & 1 == 1
    }
}

impl<S: InstanceState> fmt::Debug for States<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters = S::LETTERS.char_indices();
        let letters = letters.filter(|(position, _)| self.bits >> position & 1 == 1);
        let letters: String = letters.map(|(_, letter)| letter).collect();
        f.debug_tuple("States").field(&letters).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, PartialEq)]
    struct Light;

    impl InstanceState for Light {
        const LETTERS: &'static str = "RG";
    }

    #[test]
    fn letters_name_states_and_small_letters_can_be_selected() {
        let (both, small) = (States::<Light>::of("Rg", false), States::<Light>::of("Rg", true));
        assert!(both.has_position(0) && both.has_position(1));
        assert!(!small.has_position(0) && small.has_position(1));
        assert!(small.or(States::of("R", false)) == both);
        assert_eq!(format!("{small:?}"), r#"States("G")"#);
    }
}
