//! The largest step for which explicit steps are stable, from a linear model of the coupled system (Andersson 2016,
//! section 6.1; Viel 2014, section 2.3).

use nalgebra::{Complex, DMatrix};

use super::Stepping;

/// All components and their connections: `x' = A x + B u`, `y = C x + D u`, `u = L y`.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Derivatives by states.
    pub a: DMatrix<f64>,
    /// Derivatives by inputs.
    pub b: DMatrix<f64>,
    /// Outputs by states.
    pub c: DMatrix<f64>,
    /// Outputs by inputs.
    pub d: DMatrix<f64>,
    /// Inputs by outputs.
    pub l: DMatrix<f64>,
}

impl Model {
    /// The states of the coupled system without inputs: equation 6.5; `None` if its loops have no solution.
    pub fn coupled(&self) -> Option<DMatrix<f64>> {
        Some(&self.a + &self.b * &self.l * self.closed_outputs()?)
    }

    /// The outputs of the coupled system by its states; `None` if its loops have no solution.
    pub(super) fn closed_outputs(&self) -> Option<DMatrix<f64>> {
        let outputs = self.c.nrows();
        let closed = (DMatrix::identity(outputs, outputs) - &self.d * &self.l).try_inverse()?;
        Some(closed * &self.c)
    }

    /// The size of the largest eigenvalue of the coupled system; infinite if it has no solution.
    pub fn fastest(&self) -> f64 {
        self.coupled().map_or(f64::INFINITY, |a| radius(&a))
    }

    /// The growth of values in a step: the logarithm of the largest factor. As many factors as there are integrators may
    /// be so near to 1: what moves them from there is rounding.
    fn growth(&self, h: f64, stepping: &Stepping, integrators: usize, near: f64) -> f64 {
        let Some(map) = self.step_map(h, stepping) else {
            return f64::INFINITY;
        };
        if integrators == 0 {
            return radius(&map).ln();
        }
        let mut factors: Vec<Complex<f64>> = eigenvalues(&map).collect();
        if factors.is_empty() {
            return f64::INFINITY;
        }
        let from_1 = |factor: &Complex<f64>| (factor - 1.0).norm();
        factors.sort_by(|one, other| from_1(one).total_cmp(&from_1(other)));
        let left_out = factors
            .iter()
            .take(integrators)
            .filter(|factor| from_1(factor) <= near);
        let rest = &factors[left_out.count()..];
        rest.iter().map(|factor| factor.norm()).fold(0.0, f64::max).ln()
    }

    /// Whether an oscillation that the coupled system leaves as it is grows in steps with held inputs, however small they
    /// are. Held inputs lag behind by half a step, which feeds energy into an oscillation with a part of `h^2` of it in a
    /// step: the factor of a step is followed for three sizes, because what only rounding adds does not shrink with them.
    fn pumps(&self, mode: Complex<f64>, stepping: &Stepping) -> bool {
        let excess = |h: f64| -> Option<f64> {
            let step = self.step_map(h, stepping)?;
            if step.iter().any(|entry| !entry.is_finite()) {
                return None;
            }
            let exact = (mode * h).exp();
            let distance = |value: &Complex<f64>| (value - exact).norm();
            let near = eigenvalues(&step).min_by(|one, other| distance(one).total_cmp(&distance(other)))?;
            // As far from the exact factor as that is from 1, it is that of another mode.
            (distance(&near) < 0.1 * (exact - 1.0).norm()).then(|| near.norm().ln() - mode.re * h)
        };
        let h = 0.02 / mode.norm();
        match (excess(h), excess(0.5 * h), excess(0.25 * h)) {
            (Some(large), Some(middle), Some(small)) => {
                small > 0.0 && middle > 2.5 * small && large > 2.5 * middle
            }
            _ => false,
        }
    }
}

/// Damping below this part of the size of a mode is rounding.
const UNDAMPED: f64 = 1e-10;

/// Growth in a step up to this is rounding; for large matrices it is more, since sums are longer.
const ROUNDING: f64 = 1e-13;

/// Factors of integrators differ from 1 by at most this part of the distance of the slowest other mode.
const INTEGRATED: f64 = 0.1;

/// Beyond this many rows eigenvalues take long: they are computed at fewer steps.
const MANY: usize = 100;

/// Modes that are slower than the fastest one by this factor are treated as integrators.
const SLOWEST: f64 = 1e-6;

fn radius(matrix: &DMatrix<f64>) -> f64 {
    if matrix.iter().any(|entry| !entry.is_finite()) {
        return f64::INFINITY;
    }
    let sizes = eigenvalues(matrix).map(|value| value.norm());
    let unknown = if matrix.is_empty() { 0.0 } else { f64::INFINITY };
    sizes.reduce(f64::max).unwrap_or(unknown)
}

/// All eigenvalues; empty if they are not found.
fn eigenvalues(matrix: &DMatrix<f64>) -> impl Iterator<Item = Complex<f64>> {
    crate::solve::eigenvalues(matrix).unwrap_or_default().into_iter()
}

/// The largest step up to which explicit steps with held inputs are stable: infinite if they are stable at a hundred times the
/// fastest time of the system, zero if they are unstable at every step. Where the system itself grows, steps count as stable
/// that let it grow at most twice as fast.
///
/// ```
/// use fmu_master::advise::{Model, explicit_limit};
/// use nalgebra::DMatrix;
///
/// // Two times x' = -x + u with gains of 1 and -3 between them: with held inputs the loop gain of a step is
/// // 3 (1 - e^-h)^2, and an eigenvalue e^-h +- i sqrt(3) (1 - e^-h) has the size 1 where 1 - e^-h is 1/2.
/// let model = Model {
///     a: -DMatrix::identity(2, 2),
///     b: DMatrix::identity(2, 2),
///     c: DMatrix::identity(2, 2),
///     d: DMatrix::zeros(2, 2),
///     l: DMatrix::from_row_slice(2, 2, &[0.0, -3.0, 1.0, 0.0]),
/// };
/// let limit = explicit_limit(&model);
/// assert!((limit - 2f64.ln()).abs() < 1e-6, "{limit}");
///
/// // Without the damping it is an oscillator, whose values each step multiplies by |1 + i sqrt(3) h|, which is above 1.
/// let undamped = Model { a: DMatrix::zeros(2, 2), ..model };
/// assert_eq!(explicit_limit(&undamped), 0.0);
/// ```
pub fn explicit_limit(model: &Model) -> f64 {
    limit_of(model, &Stepping::extrapolated(model.b.ncols(), 0))
}

/// The same for inputs that go through a step in another way.
///
/// ```
/// use fmu_master::advise::{Model, Stepping, explicit_limit, limit_of};
/// use nalgebra::DMatrix;
///
/// // x' = -u with its own output as input, extrapolated by a line: x_new = x - h (1.5 x - 0.5 x_before), the method of
/// // Adams and Bashforth, which is stable up to a step of 1; with held inputs it is that of Euler, stable up to 2.
/// let model = Model {
///     a: DMatrix::zeros(1, 1),
///     b: -DMatrix::identity(1, 1),
///     c: DMatrix::identity(1, 1),
///     d: DMatrix::zeros(1, 1),
///     l: DMatrix::identity(1, 1),
/// };
/// assert!((explicit_limit(&model) - 2.0).abs() < 1e-5);
/// assert!((limit_of(&model, &Stepping::extrapolated(1, 1)) - 1.0).abs() < 1e-5);
/// // With a parabola it is the method of third order, stable up to 6/11.
/// assert!((limit_of(&model, &Stepping::extrapolated(1, 2)) - 6.0 / 11.0).abs() < 1e-5);
/// ```
pub fn limit_of(model: &Model, stepping: &Stepping) -> f64 {
    let modes: Vec<Complex<f64>> = model
        .coupled()
        .map_or_else(Vec::new, |coupled| eigenvalues(&coupled).collect());
    let fastest = modes.iter().map(|mode| mode.norm()).fold(0.0, f64::max);
    let undamped = |mode: &&Complex<f64>| {
        mode.norm() > SLOWEST * fastest && mode.re.abs() <= UNDAMPED * fastest && mode.im > 0.0
    };
    if modes
        .iter()
        .filter(undamped)
        .any(|mode| model.pumps(*mode, stepping))
    {
        return 0.0;
    }
    let scale = if fastest > 0.0 && fastest.is_finite() {
        1.0 / fastest
    } else {
        1.0
    };
    let own = modes.iter().map(|mode| mode.re).fold(0.0, f64::max);
    let own = if own > UNDAMPED * fastest { own } else { 0.0 };
    // Several integrators in a row are an eigenvalue that rounding spreads by the root of its own size.
    let integrators = modes
        .iter()
        .filter(|mode| mode.norm() <= SLOWEST * fastest)
        .count();
    let integrators = if integrators > 1 { integrators } else { 0 };
    let moving = modes.iter().map(|mode| mode.norm());
    let slowest = moving
        .filter(|size| *size > SLOWEST * fastest)
        .fold(1.0 / scale, f64::min);
    let size = model.a.nrows() + model.b.ncols();
    let rounding = ROUNDING * (size as f64).powf(1.5);
    let near = |h: f64| INTEGRATED * (slowest * h).min(1.0);
    let stable = |h: f64| model.growth(h, stepping, integrators, near(h)) <= 2.0 * own * h + rounding;
    // From small to large, finely enough to miss no window of instability that matters.
    let (first, factor) = if size > MANY { (1e-2, 2.0) } else { (1e-6_f64, 1.1) };
    // Below this step rounding moves integrators as far from 1 as other modes are.
    let first = match integrators {
        0 => first,
        more => first
            .max(10.0 * ROUNDING.powf(1.0 / more as f64) / (slowest * scale))
            .min(1e-2),
    };
    let (mut below, mut h) = (0.0, first * scale);
    while h <= 100.0 * scale {
        if !stable(h) {
            let mut above = h;
            if below == 0.0 {
                return 0.0;
            }
            while above / below > 1.0 + 1e-7 {
                let middle = (below * above).sqrt();
                if stable(middle) {
                    below = middle;
                } else {
                    above = middle;
                }
            }
            return below;
        }
        below = h;
        h *= factor;
    }
    f64::INFINITY
}
