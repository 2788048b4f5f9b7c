//! How numbers may compare, and what comparisons with constants say about a value.

use std::cmp::Ordering;

/// How two numbers may compare, as a set.
pub(super) mod order {
    pub const LESS: u8 = 1;
    pub const EQUAL: u8 = 2;
    pub const GREATER: u8 = 4;
    /// One of them is not a number.
    pub const NONE: u8 = 8;
    pub const ANY: u8 = 15;
}

/// What a run has found out about a value by comparing it with constants.
#[derive(Clone, Copy)]
pub(super) struct Range {
    /// Not below (or only: not at or below) this number.
    low: (f64, bool),
    high: (f64, bool),
    a_number: bool,
}

impl Default for Range {
    fn default() -> Self {
        Range {
            low: (f64::NEG_INFINITY, false),
            high: (f64::INFINITY, false),
            a_number: false,
        }
    }
}

impl Range {
    /// How the value may compare with `c`.
    pub fn possible(&self, c: f64) -> u8 {
        let mut possible = order::ANY;
        if self.low.0 >= c {
            possible &= !order::LESS;
            if self.low.0 > c || self.low.1 {
                possible &= !order::EQUAL;
            }
        }
        if self.high.0 <= c {
            possible &= !order::GREATER;
            if self.high.0 < c || self.high.1 {
                possible &= !order::EQUAL;
            }
        }
        if self.a_number {
            possible &= !order::NONE;
        }
        possible
    }

    pub fn learn(&mut self, c: f64, possible: u8) {
        let beyond = |bound: (f64, bool), better: Ordering| match c.partial_cmp(&bound.0) {
            Some(order) if order == better => true,
            Some(Ordering::Equal) => !bound.1,
            _ => false,
        };
        let strict = possible & order::EQUAL == 0;
        if possible & order::LESS == 0 && beyond(self.low, Ordering::Greater) {
            self.low = (c, strict);
        }
        if possible & order::GREATER == 0 && beyond(self.high, Ordering::Less) {
            self.high = (c, strict);
        }
        self.a_number |= possible & order::NONE == 0;
    }
}

/// How two numbers compare.
pub(super) fn relation(a: f64, b: f64) -> u8 {
    match a.partial_cmp(&b) {
        Some(Ordering::Less) => order::LESS,
        Some(Ordering::Equal) => order::EQUAL,
        Some(Ordering::Greater) => order::GREATER,
        None => order::NONE,
    }
}

/// The same set with the operands exchanged.
pub(super) fn mirrored(set: u8) -> u8 {
    let (less, greater) = (set & order::LESS != 0, set & order::GREATER != 0);
    (set & (order::EQUAL | order::NONE))
        | if less { order::GREATER } else { 0 }
        | if greater { order::LESS } else { 0 }
}
