//! The order of accuracy that a step really has, and which part of the difference between a whole step and two halves is error.

use super::Master;
use super::samples::Needs;
use crate::coupling::Link;
use crate::settings::{Algorithm, Quadratic};

/// How accurate the inputs of a component are over a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Accuracy {
    /// The order of the polynomials that its inputs really follow.
    pub order: u32,
    /// The error of two half steps, as a part of their difference from a whole one (Richardson).
    pub share: f64,
}

/// Of a component whose inputs are exact.
const EXACT: Accuracy = Accuracy {
    order: u32::MAX,
    share: 0.0,
};

impl Accuracy {
    /// Of inputs that follow polynomials through known points: the newest one, and those that are `since` earlier. The
    /// half steps end with a point of their own between them.
    fn of(order: u32, since: [f64; 2], h: f64) -> Accuracy {
        let half = 0.5 * h;
        let between = match since {
            // Derivatives that components provide need no earlier points.
            [0.0, _] => [0.0, 0.0],
            [last, _] => [half, half + last],
        };
        let coarse = defect(order, since, h);
        let fine = defect(order, since, half) + defect(order, between, half);
        Accuracy {
            order,
            share: fine / (coarse - fine),
        }
    }

    /// Of parabolas whose slope at the newest point is that of the line to the one before it: what is missing is a line.
    fn lagging(last: f64, h: f64) -> Accuracy {
        let (coarse, fine) = (last * h * h, (last + 0.5 * h) * 0.25 * h * h);
        Accuracy {
            order: 1,
            share: fine / (coarse - fine),
        }
    }

    /// The worse of two: the lower order, or the larger share.
    fn or(self, other: Accuracy) -> Accuracy {
        match self.order.cmp(&other.order) {
            std::cmp::Ordering::Less => self,
            std::cmp::Ordering::Greater => other,
            std::cmp::Ordering::Equal => Accuracy {
                share: self.share.max(other.share),
                ..self
            },
        }
    }
}

/// The integral of the error of a polynomial of that order over a step, without the factor that all steps share: of
/// s (s + a) (s + b) from 0 to h.
fn defect(order: u32, [a, b]: [f64; 2], h: f64) -> f64 {
    match order {
        0 => h * h / 2.0,
        1 => h * h * (h / 3.0 + a / 2.0),
        _ => h * h * (h * h / 4.0 + (a + b) * h / 3.0 + a * b / 2.0),
    }
}

impl Master {
    /// How accurate the step to come is for each component: as the worst of its own inputs and of the components that
    /// feed it, directly or through others.
    pub(super) fn accuracies(&self, h: f64, all: &mut Vec<Accuracy>) {
        self.input_accuracies(h, all);
        self.add_lags(all);
        for one in all {
            // What differs although no input is wrong comes from inside the component, and of that nothing is known.
            if *one == EXACT {
                *one = Accuracy { order: 0, share: 1.0 };
            }
        }
    }

    /// The lowest order with which the inputs of a component are extrapolated in the step to come: with too few points
    /// after a start or a jump it is below the one that was asked for.
    pub fn order(&self) -> u32 {
        let mut all = Vec::new();
        self.input_accuracies(self.settings.step, &mut all);
        let orders = all.iter().filter(|one| **one != EXACT).map(|one| one.order);
        orders.min().unwrap_or(self.settings.extrapolation)
    }

    fn input_accuracies(&self, h: f64, all: &mut Vec<Accuracy>) {
        all.clear();
        all.resize(self.components.len(), EXACT);
        let structure = self.coupling.structure();
        for (input, &component) in structure.inputs.iter().enumerate() {
            all[component] = all[component].or(self.accuracy_of(input, h));
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (&component, source) in structure.inputs.iter().zip(&structure.sources) {
                let Some(output) = *source else { continue };
                let worse = all[component].or(all[structure.outputs[output]]);
                changed |= worse != all[component];
                all[component] = worse;
            }
        }
    }

    /// Algebraic loops that steps close one after another make errors larger, for their components and for all behind them.
    fn add_lags(&self, all: &mut [Accuracy]) {
        if self.plan.loops.iter().all(|unknowns| unknowns.lag <= 1.0) {
            return;
        }
        let structure = self.coupling.structure();
        let mut lags: Vec<f64> = (0..all.len()).map(|component| self.lag(component)).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for (&component, source) in structure.inputs.iter().zip(&structure.sources) {
                let Some(output) = *source else { continue };
                let before = lags[structure.outputs[output]];
                changed |= before > lags[component];
                lags[component] = lags[component].max(before);
            }
        }
        for (one, lag) in all.iter_mut().zip(lags) {
            one.share *= lag;
        }
    }

    fn accuracy_of(&self, input: usize, h: f64) -> Accuracy {
        let order = self.plan.orders[input];
        let stabilized = self.settings.algorithm == Algorithm::Stabilized && self.is_stabilized(input);
        match self.coupling.inputs[input].link {
            Link::Fixed(_) => EXACT,
            // Constant but for jumps, which are looked for.
            Link::Output { .. } if self.plan.needs[input] == Needs::Beginning => EXACT,
            // Lines between corners.
            Link::Signal(_) if order > 0 || stabilized => EXACT,
            Link::Signal(_) => Accuracy::of(0, [0.0; 2], h),
            // With either rule: the linear models are of second order in what components change over the step.
            Link::Output { .. } if stabilized => Accuracy::of(2, [0.0; 2], h),
            Link::Output { .. } if self.plan.from_source[input] => Accuracy::of(order, [0.0; 2], h),
            Link::Output { .. } => {
                let (known, since) = self.state.values.history.known(input);
                match order.min(known.saturating_sub(1) as u32) {
                    2 if self.settings.quadratic == Quadratic::Differences => {
                        Accuracy::lagging(since[0].max(0.5 * h), h)
                    }
                    order => Accuracy::of(order, since, h),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The integral of the error when `u` is extrapolated through points at `-b`, `-a` and 0, by Simpson's rule.
    fn integral(u: impl Fn(f64) -> f64, order: u32, [a, b]: [f64; 2], h: f64) -> f64 {
        let through = |s: f64| match order {
            0 => u(0.0),
            1 => u(0.0) + s * (u(0.0) - u(-a)) / a,
            _ => {
                let first = (u(0.0) - u(-a)) / a;
                let second = (first - (u(-a) - u(-b)) / (b - a)) / b;
                u(0.0) + s * first + s * (s + a) * second
            }
        };
        let error = |s: f64| u(s) - through(s);
        h / 6.0 * (error(0.0) + 4.0 * error(0.5 * h) + error(h))
    }

    /// Of polynomials of one degree more than the extrapolation, the error is estimated exactly, whatever the distance of
    /// the points.
    #[test]
    fn the_error_of_two_half_steps_is_the_share_of_the_difference() {
        for (order, since) in [
            (0, [0.3, 0.4]),
            (1, [0.05, 0.1]),
            (1, [0.5, 1.0]),
            (2, [0.05, 0.2]),
            (2, [0.2, 0.9]),
        ] {
            let h = 0.1;
            let u = |t: f64| 1.0 + 2.0 * t.powi(order as i32 + 1);
            let coarse = integral(u, order, since, h);
            let fine = integral(u, order, since, 0.5 * h)
                + integral(|s| u(s + 0.5 * h), order, [0.5 * h, 0.5 * h + since[0]], 0.5 * h);
            let share = Accuracy::of(order, since, h).share;
            assert!(
                (share * (coarse - fine) - fine).abs() < 1e-12,
                "{order} {since:?}: {share}"
            );
        }
        // Derivatives that components provide: 1, 1/3 and 1/7.
        for order in 0..3 {
            let share = Accuracy::of(order, [0.0; 2], 0.1).share;
            assert!((share - 1.0 / (2f64.powi(order as i32 + 1) - 1.0)).abs() < 1e-12);
        }
    }
}
