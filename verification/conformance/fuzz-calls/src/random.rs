//! Random numbers that a seed determines.

/// A generator after Vigna 2014 (xorshift64*).
pub struct Random(u64);

/// Numbers that find mistakes.
const SPECIAL: [f64; 12] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    1e308,
    5e-324,
    0.5,
    1e-9,
    -1e6,
];

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.bits() >> 33) as usize % bound.max(1)
    }

    /// True in one case of so many.
    pub fn one_in(&mut self, cases: usize) -> bool {
        self.below(cases) == 0
    }

    pub fn of<T: Copy>(&mut self, list: &[T]) -> Option<T> {
        list.get(self.below(list.len())).copied()
    }

    /// Mostly small, now and then anything.
    pub fn real(&mut self) -> f64 {
        match self.below(4) {
            0 => self.of(&SPECIAL).unwrap_or(0.0),
            _ => (self.bits() >> 11) as f64 / (1u64 << 53) as f64 * 4.0 - 1.0,
        }
    }
}
