//! Finds the moment at which an event indicator changes its sign.

/// Whether the sign has changed; a value of zero counts as negative (FMI 2.0.5, 3.1.1).
pub(super) fn changed(before: f64, now: f64) -> bool {
    (before > 0.0) != (now > 0.0)
}

/// A stretch of time at whose beginning no indicator has changed and at whose end some have.
pub(super) struct Bracket {
    pub from: f64,
    pub to: f64,
    /// The indicators at both ends.
    pub before: Vec<f64>,
    pub after: Vec<f64>,
}

impl Bracket {
    /// Narrows the stretch down to roundings around the first change. `evaluate` gives the indicators at a time.
    ///
    /// The next point to look at is where the first of the straight lines through both ends crosses zero. Where this
    /// hardly narrows the stretch, it is halved.
    pub fn narrow<E>(
        &mut self,
        signs: &[f64],
        mut evaluate: impl FnMut(f64, &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut z = vec![0.0; signs.len()];
        let tolerance =
            1e-14 * (self.to - self.from) + 4.0 * f64::EPSILON * self.from.abs().max(self.to.abs());
        let mut halve = false;
        while self.to - self.from > tolerance {
            let length = self.to - self.from;
            let middle = 0.5 * (self.from + self.to);
            let mut time = if halve {
                middle
            } else {
                self.secant(signs).unwrap_or(middle)
            };
            // Just beyond the zero, so that the other end moves too.
            time = (time + 0.5 * tolerance).clamp(self.from + 0.5 * tolerance, self.to - 0.5 * tolerance);
            if time <= self.from || time >= self.to {
                break;
            }
            evaluate(time, &mut z)?;
            if z.iter().zip(signs).any(|(now, before)| changed(*before, *now)) {
                self.to = time;
                self.after.copy_from_slice(&z);
            } else {
                self.from = time;
                self.before.copy_from_slice(&z);
            }
            halve = self.to - self.from > 0.5 * length;
        }
        Ok(())
    }

    fn secant(&self, signs: &[f64]) -> Option<f64> {
        let pairs = self.before.iter().zip(&self.after).zip(signs);
        let crossings = pairs
            .filter(|((_, now), sign)| changed(**sign, **now))
            .filter_map(|((before, now), _)| {
                let part = before / (before - now);
                part.is_finite()
                    .then(|| self.from + part.clamp(0.0, 1.0) * (self.to - self.from))
            });
        crossings.min_by(f64::total_cmp)
    }
}

#[cfg(test)]
mod tests {
    use super::Bracket;

    #[test]
    fn the_first_of_several_changes_is_found_to_roundings() {
        let indicators = |t: f64, z: &mut [f64]| {
            z[0] = t.powi(3) - 0.5;
            z[1] = (t - 0.3) * (2.0 - t);
            z[2] = 1.0;
            Ok::<(), ()>(())
        };
        let (mut before, mut after) = (vec![0.0; 3], vec![0.0; 3]);
        indicators(0.0, &mut before).unwrap();
        indicators(1.0, &mut after).unwrap();
        let signs = before.clone();
        let mut bracket = Bracket {
            from: 0.0,
            to: 1.0,
            before,
            after,
        };
        let mut evaluations = 0;
        bracket
            .narrow(&signs, |t, z| {
                evaluations += 1;
                indicators(t, z)
            })
            .unwrap();
        assert!((bracket.to - 0.3).abs() < 1e-14, "{}", bracket.to);
        assert!(bracket.to > 0.3 - 1e-16 && bracket.after[1] > 0.0);
        assert!(evaluations < 30, "{evaluations}");
    }

    #[test]
    fn a_jump_is_halved_down_to() {
        let step = |t: f64, z: &mut [f64]| {
            z[0] = if t < 1.0 / 3.0 { -1.0 } else { 1e9 };
            Ok::<(), ()>(())
        };
        let mut bracket = Bracket {
            from: 0.0,
            to: 1.0,
            before: vec![-1.0],
            after: vec![1e9],
        };
        bracket.narrow(&[-1.0], step).unwrap();
        assert!((bracket.to - 1.0 / 3.0).abs() < 1e-13);
    }
}
