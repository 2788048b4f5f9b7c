//! How an expression makes use of values that no exploration can try one by one.

use std::collections::BTreeSet;

/// Names of fields of the model that are meant, as far as they have too many values to be tried.
pub type Causes = BTreeSet<String>;

/// What an expression does with such fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Its value is computed from them and nothing is decided by them: a few values show what many would.
    pub carries: Causes,
    /// They may decide, index or count: a value that was not tried may make a difference.
    pub decided: Causes,
}

impl Usage {
    pub fn carried(name: &str) -> Usage {
        Usage {
            carries: Causes::from([name.to_owned()]),
            decided: Causes::new(),
        }
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
        self.decided.append(&mut self.carries);
        self
    }
}
