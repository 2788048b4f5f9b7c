//! The error that a step may have, and the norm that measures it.

/// The error that each state may have in a step: `relative * |x_i| + absolute_i`.
///
/// ```
/// use fmu_numerics::Tolerance;
///
/// let tolerance = Tolerance::of_nominals(0.5, [1.0, 10.0]);
/// assert_eq!(tolerance, Tolerance::new(0.5, &[0.5, 5.0]));
/// let mut weights = [0.0; 2];
/// tolerance.weights(&[3.0, 0.0], &mut weights);
/// assert_eq!(weights, [0.5, 0.2]);
/// ```
#[derive(Debug, PartialEq)]
pub struct Tolerance {
    relative: f64,
    absolute: Box<[f64]>,
}

crate::clone_in_place! { [] Tolerance => Tolerance { relative, absolute } }

impl Tolerance {
    /// Tolerances for as many states as `absolute` is long.
    pub fn new(relative: f64, absolute: &[f64]) -> Tolerance {
        Tolerance {
            relative,
            absolute: absolute.into(),
        }
    }

    /// The relative tolerance, and for each state the same part of its nominal value: the usual choice for a model.
    pub fn of_nominals(relative: f64, nominals: impl IntoIterator<Item = f64>) -> Tolerance {
        Tolerance {
            relative,
            absolute: nominals
                .into_iter()
                .map(|nominal| relative * nominal.abs())
                .collect(),
        }
    }

    /// Another relative tolerance for the same nominal values, without new memory.
    pub fn retune(&mut self, relative: f64, nominals: &[f64]) {
        self.relative = relative;
        for (absolute, nominal) in self.absolute.iter_mut().zip(nominals) {
            *absolute = relative * nominal.abs();
        }
    }

    /// The relative tolerance.
    pub fn relative(&self) -> f64 {
        self.relative
    }

    /// Writes the reciprocals of what each state may be wrong by.
    pub fn weights(&self, x: &[f64], weights: &mut [f64]) {
        for ((weight, x), absolute) in weights.iter_mut().zip(x).zip(&self.absolute) {
            *weight = 1.0 / (self.relative * x.abs() + absolute);
        }
    }
}

/// The weighted root mean square of `values`; 1 is just tolerable.
pub(crate) fn norm(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len().max(1) as f64;
    (values.map(|value| value * value).sum::<f64>() / n).sqrt()
}
