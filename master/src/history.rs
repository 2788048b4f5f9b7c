//! Inputs as curves over a step: extrapolated from the past, or interpolated towards a value at its end.

use crate::settings::Quadratic;

/// Highest order of extrapolation.
pub const MAX_ORDER: u32 = 2;

/// The values of all inputs at the last communication points, for derivatives by differences.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Times and values, the newest first.
    points: Vec<(f64, Vec<f64>)>,
    /// How many points of each input belong together.
    known: Vec<usize>,
    quadratic: Quadratic,
}

impl History {
    /// A history for this number of inputs.
    pub fn new(inputs: usize) -> History {
        History {
            points: vec![(0.0, vec![0.0; inputs]); MAX_ORDER as usize + 1],
            known: vec![0; inputs],
            quadratic: Quadratic::default(),
        }
    }

    /// Extrapolates with order 2 in this way.
    #[must_use]
    pub fn quadratic(self, quadratic: Quadratic) -> History {
        History { quadratic, ..self }
    }

    /// Forgets all points.
    pub fn clear(&mut self) {
        self.known.fill(0);
    }

    /// Forgets the points of an input that has jumped: what was before says nothing about what follows. The newest point
    /// is kept, if it is one after the jump.
    pub fn restart(&mut self, input: usize, keep_newest: bool) {
        self.known[input] = self.known[input].min(usize::from(keep_newest));
    }

    /// Whether no point of an input is known.
    pub fn is_unknown(&self, input: usize) -> bool {
        self.known[input] == 0
    }

    /// How many points of an input belong together, and how long before the newest one the two before it are; 0 where
    /// they are unknown.
    pub fn known(&self, input: usize) -> (usize, [f64; 2]) {
        let known = self.known[input];
        let since = |point: usize| match point < known {
            true => self.points[0].0 - self.points[point].0,
            false => 0.0,
        };
        (known, [since(1), since(2)])
    }

    /// Takes over another one, without new memory.
    pub fn copy_from(&mut self, other: &History) {
        for (point, other) in self.points.iter_mut().zip(&other.points) {
            point.0 = other.0;
            point.1.copy_from_slice(&other.1);
        }
        self.known.copy_from_slice(&other.known);
    }

    /// Adds a point that is later than all others.
    pub fn push(&mut self, t: f64, u: &[f64]) {
        if t <= self.points[0].0 {
            self.clear();
        }
        self.points.rotate_right(1);
        self.points[0].0 = t;
        self.points[0].1.copy_from_slice(u);
        for known in &mut self.known {
            *known = (*known + 1).min(MAX_ORDER as usize + 1);
        }
    }

    /// First and second derivative at the newest point of the polynomial of at most that order through the newest
    /// points; of a lower one, while there are too few points. With [`Quadratic::Differences`] the first one is that of
    /// the line, also for order 2.
    pub fn derivatives(&self, order: u32, input: usize) -> [f64; 2] {
        let order = (order as usize).min(self.known[input].saturating_sub(1));
        if order == 0 {
            return [0.0, 0.0];
        }
        let at = |point: usize| (self.points[point].0, self.points[point].1[input]);
        let ((t0, u0), (t1, u1)) = (at(0), at(1));
        let first = (u0 - u1) / (t0 - t1);
        if order == 1 {
            return [first, 0.0];
        }
        let (t2, u2) = at(2);
        let second = (first - (u1 - u2) / (t1 - t2)) / (t0 - t2);
        match self.quadratic {
            Quadratic::Parabola => [first + second * (t0 - t1), 2.0 * second],
            Quadratic::Differences => [first, 2.0 * second],
        }
    }

    /// First and second derivative at the newest point, of the polynomial of at most that order through the newest
    /// points and `end`, a step of `h` later.
    pub fn towards(&self, order: u32, input: usize, h: f64, end: f64) -> [f64; 2] {
        if order == 0 || self.is_unknown(input) {
            return [0.0, 0.0];
        }
        let at = |point: usize| (self.points[point].0, self.points[point].1[input]);
        let (t0, u0) = at(0);
        let slope = (end - u0) / h;
        if order == 1 || self.known[input] == 1 {
            return [slope, 0.0];
        }
        let (t1, u1) = at(1);
        let second = (slope - (u0 - u1) / (t0 - t1)) / (t0 + h - t1);
        [slope - second * h, 2.0 * second]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Polynomials are met exactly, whatever the distance of the points.
    #[test]
    fn differences_are_exact_for_polynomials() {
        let square = |t: f64| 3.0 - 2.0 * t + 0.5 * t * t;
        let mut history = History::new(1);
        for t in [0.0, 0.5, 0.75] {
            history.push(t, &[square(t)]);
        }
        assert_eq!(history.derivatives(2, 0), [-2.0 + 0.75, 1.0]);
        assert_eq!(history.towards(2, 0, 0.25, square(1.0)), [-2.0 + 0.75, 1.0]);
        assert_eq!(history.derivatives(0, 0), [0.0, 0.0]);
        let linear = history.derivatives(1, 0)[0];
        assert_eq!(linear, (square(0.75) - square(0.5)) / 0.25);
        let differences = history.clone().quadratic(Quadratic::Differences);
        assert_eq!(differences.derivatives(2, 0), [linear, 1.0]);
        history.restart(0, true);
        assert_eq!(history.towards(2, 0, 0.5, square(0.75) + 1.0), [2.0, 0.0]);
        history.clear();
        history.push(2.0, &[1.0]);
        assert_eq!(history.derivatives(2, 0), [0.0, 0.0]);
        assert_eq!(history.towards(2, 0, 0.5, 2.0), [2.0, 0.0]);
    }
}
