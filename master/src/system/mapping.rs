//! Maps from values to values, as the mapping transformations of SSP 1.0 have them.

/// What becomes of each value of a variable that is not Real, as text: numbers, `true` and `false`, names of items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueMap {
    /// Each value, and what becomes of it.
    pub entries: Vec<(String, String)>,
}

impl ValueMap {
    /// The mapped value; `None` if the map does not contain it.
    ///
    /// ```
    /// use fmu_master::system::ValueMap;
    ///
    /// let entries = vec![("true".to_owned(), "false".to_owned())];
    /// assert_eq!(ValueMap { entries }.get("true"), Some("false"));
    /// ```
    pub fn get(&self, value: &str) -> Option<&str> {
        let found = self.entries.iter().find(|(from, _)| from == value.trim());
        found.map(|(_, to)| to.as_str())
    }

    /// This map, and another one behind it.
    pub(super) fn then(&self, other: &ValueMap) -> ValueMap {
        let entries = self.entries.iter();
        let through = entries.filter_map(|(from, to)| Some((from.clone(), other.get(to)?.to_owned())));
        ValueMap {
            entries: through.collect(),
        }
    }
}
