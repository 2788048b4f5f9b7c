//! How an expression makes use of values that no exploration can try one by one.

use std::collections::BTreeSet;

/// Something that is read, and that is, has or may have too many values to try them all.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cause {
    /// A field (`n`), a field of a part (`gate.open`), a helper method (`gain()`) or the whole model (`*`).
    pub what: String,
    /// Only what decides in it is meant.
    pub only_decided: bool,
    /// It is only added to something: it changes no factor.
    pub added: bool,
}

impl Cause {
    pub fn everything() -> Cause {
        Cause {
            what: "*".to_owned(),
            only_decided: false,
            added: false,
        }
    }

    /// The name of the helper method, if it is one.
    pub fn helper(&self) -> Option<&str> {
        self.what.strip_suffix("()")
    }
}

/// Several of them.
pub type Causes = BTreeSet<Cause>;

/// What an expression does with such values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Its value is computed from them and nothing is decided by them: a few values show what many would.
    pub carries: Causes,
    /// They may decide, index or count: a value that was not tried may make a difference.
    pub decided: Causes,
}

impl Usage {
    /// A value that is read.
    pub fn carried(name: &str) -> Usage {
        let cause = Cause {
            what: name.to_owned(),
            only_decided: false,
            added: true,
        };
        Usage {
            carries: Causes::from([cause]),
            decided: Causes::new(),
        }
    }

    /// A value that something else computes, which is not known here: it carries and decides what that does.
    pub fn computed(name: &str) -> Usage {
        let mut usage = Usage::carried(name);
        usage.decided.insert(Cause {
            what: name.to_owned(),
            only_decided: true,
            added: false,
        });
        usage
    }

    pub fn is_empty(&self) -> bool {
        self.carries.is_empty() && self.decided.is_empty()
    }

    /// Adds another usage; whether that is more than before.
    pub fn add(&mut self, other: &Usage) -> bool {
        let before = self.carries.len() + self.decided.len();
        self.carries.extend(other.carries.iter().cloned());
        self.decided.extend(other.decided.iter().cloned());
        self.carries.len() + self.decided.len() > before
    }

    pub fn and(mut self, other: Usage) -> Usage {
        self.add(&other);
        self
    }

    /// The same where the value is not only computed with.
    pub fn deciding(mut self) -> Usage {
        for mut cause in std::mem::take(&mut self.carries) {
            cause.added = false;
            self.decided.insert(cause);
        }
        self
    }

    /// The same where the value may be a factor.
    pub fn multiplied(mut self) -> Usage {
        let carries = std::mem::take(&mut self.carries);
        self.carries = carries
            .into_iter()
            .map(|cause| Cause {
                added: false,
                ..cause
            })
            .collect();
        self
    }
}
