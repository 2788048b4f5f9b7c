//! Compares what steps do to the modes of a coupled system over a whole run with what its equations do.

use nalgebra::Complex;

use super::{Model, Stepping};
use crate::solve::eigenvalues;

/// Differences up to this part of an amplitude are not reported.
const MUCH: f64 = 0.02;
/// Modes that are so much faster than the step are not resolved by it: what counts is what is left of them at each step.
const RESOLVED: f64 = 0.5;
/// Differences of modes that are not resolved, up to this part of their size at the start, are not reported.
const TRANSIENT: f64 = 0.1;
/// A mode of the coupled system this close to a mode of a single component belongs to that component, which integrates it.
const OWN: f64 = 0.05;
/// This many steps are compared one by one, later ones at each power of 2.
const ONE_BY_ONE: u32 = 64;
/// Modes that turn or decay by less than this over the run are integrators, as far as can be seen.
const SLOW: f64 = 1e-3;

/// A mode that steps change more or less than the equations do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// The eigenvalue of the coupled system, in 1/s; `None` where steps add growth that no mode of the system has.
    pub mode: Option<Complex<f64>>,
    /// The factor of its amplitude at the time of the largest difference: by the equations, and by the steps.
    pub exact: f64,
    /// By the steps.
    pub stepped: f64,
    /// By how many radians the steps are ahead of the equations at that time; negative where they lag behind.
    pub phase: f64,
    /// That time, from the start.
    pub time: f64,
}

impl Drift {
    /// The difference of the values, as a part of the larger of their sizes at the start and now.
    pub fn size(&self) -> f64 {
        // Half a turn is the most that can go wrong.
        let phase = self.phase.abs().min(std::f64::consts::PI);
        let stepped = Complex::from_polar(self.stepped, phase);
        (stepped - self.exact).norm() / self.exact.max(1.0)
    }

    /// Half a period of the mode is less than a step of this size, so that steps take it for a slower one.
    pub fn is_aliased(&self, h: f64) -> bool {
        self.mode.is_some_and(|mode| is_aliased(mode, h))
    }

    /// The difference of the amplitudes alone.
    pub fn of_amplitude(&self) -> f64 {
        (self.stepped - self.exact).abs() / self.exact.max(1.0)
    }
}

/// The largest difference between steps and equations over a run, in amplitude or phase, if it is more than 2 %.
///
/// Of a mode that changes by much within a step, differences above 10 % of its size at the start count, at any step of the run;
/// and one with less than two steps per period counts in any case, unless it is within one component.
///
/// ```
/// use fmu_master::advise::{Model, Stepping, drift};
/// use nalgebra::DMatrix;
///
/// // Two integrators that feed each other, one of them reversed: an oscillator. Each step with held inputs multiplies the
/// // amplitude by sqrt(1 + h^2), so that it is 1.65 times as large after 10 000 steps of 0.01, and 1.005 times after 100.
/// let oscillator = Model {
///     a: DMatrix::zeros(2, 2),
///     b: DMatrix::identity(2, 2),
///     c: DMatrix::identity(2, 2),
///     d: DMatrix::zeros(2, 2),
///     l: DMatrix::from_row_slice(2, 2, &[0.0, 1.0, -1.0, 0.0]),
/// };
/// let held = Stepping::extrapolated(2, 0);
/// let found = drift(&oscillator, &held, 0.01, 100.0).unwrap();
/// assert!((found.stepped - 1.0001f64.powi(5000)).abs() < 1e-6 && found.exact == 1.0);
/// assert_eq!(drift(&oscillator, &held, 0.01, 1.0), None);
/// ```
pub fn drift(model: &Model, stepping: &Stepping, h: f64, duration: f64) -> Option<Drift> {
    let modes = eigenvalues(&model.coupled()?)?;
    let factors = eigenvalues(&model.step_map(h, stepping)?)?;
    let own = modes.iter().map(|mode| mode.re).fold(0.0, f64::max);
    let steps = duration / h;
    let mut largest: Option<Drift> = None;
    let mut take = |found: Drift| {
        let larger = largest.is_none_or(|largest| found.size() > largest.size());
        if found.size() > MUCH && larger {
            largest = Some(found);
        }
    };
    let factor_of = pairs(&modes, &factors, h);
    let mut fast: Option<Drift> = None;
    for (&mode, &paired) in modes.iter().zip(&factor_of) {
        if mode.norm() * duration < SLOW {
            continue;
        }
        let exact = (mode * h).exp();
        if mode.norm() * h >= RESOLVED {
            let found = largest_of_steps(mode, paired, h, steps);
            let unseen = is_aliased(mode, h) && exact.norm() > TRANSIENT && !is_own(model, mode);
            let larger = fast.is_none_or(|fast| found.size() > fast.size());
            if (found.size() > TRANSIENT || unseen) && larger {
                fast = Some(found);
            }
            continue;
        }
        let distance = |value: &&Complex<f64>| (*value - exact).norm();
        let near = factors
            .iter()
            .min_by(|one, other| distance(one).total_cmp(&distance(other)))?;
        if distance(&near) > 0.5 * (exact - 1.0).norm() {
            continue;
        }
        // Rates of growth, the time at which the amplitudes differ most, and times between at which phases may.
        let (rate, stepped) = (without_rounding(mode.re, mode.norm()), near.norm().ln() / h);
        let turned = (near / exact).arg() / h;
        let most = match rate < 0.0 && stepped < 0.0 && rate != stepped {
            true => ((stepped / rate).ln() / (rate - stepped)).min(duration),
            false => duration,
        };
        let decayed = if rate < 0.0 { -1.0 / rate } else { duration };
        for time in [most, decayed.min(duration), duration] {
            take(Drift {
                mode: Some(mode),
                exact: (rate * time).exp(),
                stepped: (stepped * time).exp(),
                phase: turned * time,
                time,
            });
        }
    }
    // What grows although no mode of the system does so. Multiple eigenvalues near 1 are spread by rounding.
    let growth = factors
        .iter()
        .map(|factor| factor.norm())
        .fold(0.0, f64::max)
        .ln();
    if largest.is_none() && growth > own * h + 1e-6 && growth * steps > 2.0 * own * duration + MUCH {
        largest = Some(Drift {
            mode: None,
            exact: (own * duration).exp(),
            stepped: (growth * steps).exp(),
            phase: 0.0,
            time: duration,
        });
    }
    // Such growth ends a run, whatever becomes of fast modes.
    if let Some(fast) = fast
        .filter(|fast| largest.is_none_or(|largest| largest.mode.is_some() && fast.size() > largest.size()))
    {
        largest = Some(fast);
    }
    largest
}

/// Damping that is much smaller than the frequency is a rounding error of the eigenvalues.
fn without_rounding(rate: f64, size: f64) -> f64 {
    if rate.abs() <= 1e-10 * size { 0.0 } else { rate }
}

fn is_aliased(mode: Complex<f64>, h: f64) -> bool {
    mode.im.abs() * h > std::f64::consts::PI
}

/// Whether a mode of the coupled system is one of a component alone, as far as coupling leaves it.
fn is_own(model: &Model, mode: Complex<f64>) -> bool {
    let alone = eigenvalues(&model.a).unwrap_or_default();
    alone.iter().any(|own| (own - mode).norm() <= OWN * mode.norm())
}

/// The factor of a step for each mode: the nearest pairs first, and each factor once. A factor that belongs to one mode must not
/// answer for another, which may come near it by aliasing.
fn pairs(modes: &[Complex<f64>], factors: &[Complex<f64>], h: f64) -> Vec<Complex<f64>> {
    let exact: Vec<Complex<f64>> = modes.iter().map(|mode| (mode * h).exp()).collect();
    let mut all: Vec<(f64, usize, usize)> = Vec::new();
    for (mode, exact) in exact.iter().enumerate() {
        let distances = factors.iter().map(|factor| (factor - exact).norm());
        all.extend(
            distances
                .enumerate()
                .map(|(factor, distance)| (distance, mode, factor)),
        );
    }
    all.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut found = vec![None; modes.len()];
    let mut taken = vec![false; factors.len()];
    for (_, mode, factor) in all {
        if found[mode].is_none() && !taken[factor] {
            (found[mode], taken[factor]) = (Some(factors[factor]), true);
        }
    }
    // Steps that have fewer factors than there are modes keep nothing of the others.
    found.into_iter().map(Option::unwrap_or_default).collect()
}

/// The step at which the powers of a factor differ most from the exact mode, among a number of steps.
fn largest_of_steps(mode: Complex<f64>, factor: Complex<f64>, h: f64, steps: f64) -> Drift {
    let last = steps.floor().clamp(1.0, f64::from(i32::MAX)) as i32;
    let one_by_one = 1..=last.min(ONE_BY_ONE as i32);
    let powers = (ONE_BY_ONE.ilog2() + 1..31).map(|power| 1 << power);
    let at = one_by_one.chain(powers.take_while(|&k| k < last)).chain([last]);
    let rate = without_rounding(mode.re, mode.norm());
    let after = |k: i32| {
        let time = f64::from(k) * h;
        Drift {
            mode: Some(mode),
            exact: (rate * time).exp(),
            stepped: factor.norm().powi(k),
            phase: (factor.powi(k) / Complex::from_polar(1.0, mode.im * time)).arg(),
            time,
        }
    };
    let drifts = at.map(after).filter(|drift| drift.exact.is_finite());
    let largest = drifts.max_by(|one, other| one.size().total_cmp(&other.size()));
    largest.unwrap_or_else(|| after(1))
}
