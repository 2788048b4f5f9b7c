//! The largest step for which explicit steps are stable, from a linear model of the coupled system (Andersson 2016,
//! section 6.1; Viel 2014, section 2.3).

use nalgebra::{Complex, DMatrix};

/// Components side by side, and who feeds whom: `x' = A x + B u`, `y = C x + D u`, `u = L y`.
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
    /// The states of the coupled system by themselves: equation 6.5; none if its loops have no solution.
    pub fn coupled(&self) -> Option<DMatrix<f64>> {
        let outputs = self.c.nrows();
        let closed = (DMatrix::identity(outputs, outputs) - &self.d * &self.l).try_inverse()?;
        Some(&self.a + &self.b * &self.l * closed * &self.c)
    }

    /// The size of the largest eigenvalue of the coupled system; infinite if it has no solution.
    pub fn fastest(&self) -> f64 {
        self.coupled().map_or(f64::INFINITY, |a| radius(&a))
    }

    /// What a step of size `h` of all components with held inputs does to states and outputs: equation 6.14.
    fn step(&self, h: f64) -> DMatrix<f64> {
        let (n, p) = (self.a.nrows(), self.c.nrows());
        let mut all = DMatrix::zeros(n + p, n + p);
        all.view_mut((0, 0), (n, n)).copy_from(&(&self.a * h));
        all.view_mut((0, n), (n, p)).copy_from(&(&self.b * &self.l * h));
        let moved = all.exp();
        let states = moved.rows(0, n);
        let mut step = DMatrix::zeros(n + p, n + p);
        step.rows_mut(0, n).copy_from(&states);
        step.rows_mut(n, p).copy_from(&(&self.c * states));
        let through = &self.d * &self.l;
        let mut outputs = step.view_mut((n, n), (p, p));
        outputs += through;
        step
    }

    /// Whether such steps are stable, as far as the system itself is.
    fn is_stable(&self, h: f64, growth: f64) -> bool {
        let allowed = (growth.max(0.0) * h).exp();
        radius(&self.step(h)) <= allowed * (1.0 + 1e-10)
    }
}

fn radius(matrix: &DMatrix<f64>) -> f64 {
    if matrix.iter().any(|entry| !entry.is_finite()) {
        return f64::INFINITY;
    }
    eigenvalues(matrix).map(|value| value.norm()).fold(0.0, f64::max)
}

/// All eigenvalues; an empty matrix has none, and the library does not know that.
fn eigenvalues(matrix: &DMatrix<f64>) -> impl Iterator<Item = Complex<f64>> {
    let found = (!matrix.is_empty()).then(|| matrix.complex_eigenvalues());
    let found: Vec<Complex<f64>> = found.iter().flatten().copied().collect();
    found.into_iter()
}

/// The largest step up to which explicit steps with held inputs are stable: infinite if they are at a hundred times the
/// fastest time of the system, zero if they are not at a millionth of it.
///
/// ```
/// use master::advise::{Model, explicit_limit};
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
/// ```
pub fn explicit_limit(model: &Model) -> f64 {
    let fastest = model.fastest();
    let scale = if fastest > 0.0 && fastest.is_finite() {
        1.0 / fastest
    } else {
        1.0
    };
    let growth = model.coupled().map_or(0.0, |coupled| {
        eigenvalues(&coupled).map(|value| value.re).fold(0.0, f64::max)
    });
    let stable = |h: f64| model.is_stable(h, growth);
    // From small to large, finely enough to miss no window of instability that matters.
    let (mut below, mut h) = (0.0, 1e-6 * scale);
    while h <= 100.0 * scale {
        if !stable(h) {
            let mut above = h;
            if below == 0.0 {
                return 0.0;
            }
            while above / below > 1.0 + 1e-9 {
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
        h *= 1.1;
    }
    f64::INFINITY
}
