//! The coefficients of the formula of order `q` for the step sizes at hand, and the constants of its error.
//!
//! Notation: `xi_i = (t_n - t_{n-i}) / h` is the distance to the `i`-th last point, and `s = (t - t_n) / h`. The
//! prediction is the polynomial of degree `q` through the last `q` points that also has the last derivative; the
//! corrected polynomial is the prediction plus `Delta * Lambda(s)`, where `Lambda` keeps the points `1` to `q - 1`:
//!
//! ```text
//! Lambda(s) = (1 + s / xi*) (1 + s / xi_1) ... (1 + s / xi_{q-1}) = sum l_j s^j
//! ```
//!
//! `xi*` is such that `l_1 = 1 + 1/2 + ... + 1/q` does not depend on the step sizes: the *fixed leading coefficient*
//! form (Jackson and Sacks-Davis, 1980; Brown, Byrne and Hindmarsh, 1989).
//!
//! Errors. A prediction from exact values is off by `E = x^(q+1) h^(q+1) xi_1 ... xi_q / (q+1)!`. Put into the
//! corrector, a solution leaves the residual `a E` with `a = 1 + sum 1/xi_i - l_1` (1 for equal steps), so the error
//! of a step is `a E / l_1`. The history that is really there drifts by such an error each step, which makes the
//! correction `Delta = (1 + q a) E` after a while, and `(1 + a / l_1) E` right after a start.
//!
//! The error test takes all of `Delta` for the error (Andersson 2016, equation 7.7): that is true of no order, but safe for all
//! of them, also where the history is young, and keeps the global error near the tolerance.

use super::MAX_ORDER;

#[derive(Clone, Copy, Debug)]
pub(super) struct Coefficients {
    /// `l_0` to `l_q`.
    pub l: [f64; MAX_ORDER + 1],
    /// `Delta` is this times `x^(q+1) h^(q+1) / (q+1)!`.
    pub delta: f64,
    /// The error of a step of order `q - 1` would be this times `|z_q|`.
    pub lower: f64,
    /// The error of a step of order `q + 1` would be this times the change of `Delta` since the step before.
    pub higher: f64,
}

impl Coefficients {
    /// `tau` holds the step sizes from the present one backwards; those never made are 0 and not used.
    pub fn new(q: usize, tau: &[f64; MAX_ORDER + 1]) -> Coefficients {
        let xi = distances(tau, tau[0]);
        let mut l = [0.0; MAX_ORDER + 1];
        l[0] = 1.0;
        let mut inverses = 0.0;
        for &xi in &xi[..q - 1] {
            inverses += 1.0 / xi;
            multiply(&mut l, q, 1.0 / xi);
        }
        multiply(&mut l, q, leading(q) - inverses);

        let a = residual(q, &xi);
        let product: f64 = xi[..q].iter().product();
        let drift = 1.0 + q as f64 * a;
        Coefficients {
            l,
            delta: drift * product,
            lower: match q {
                1 => f64::NAN,
                _ => (xi[..q - 1].iter().product::<f64>() * residual(q - 1, &xi) / leading(q - 1)).abs(),
            },
            higher: match q {
                MAX_ORDER => f64::NAN,
                _ => (xi[q] * residual(q + 1, &xi) / ((q + 2) as f64 * drift * leading(q + 1))).abs(),
            },
        }
    }
}

/// The coefficients of `s^2 (s + xi_1) ... (s + xi_{k-2})`, of degree `k`: what may be added to a polynomial without
/// moving its last value and derivative and the values at the points before. `tau` are the last step sizes, `h` is the
/// unit of `s`.
pub(super) fn free_polynomial(k: usize, h: f64, tau: &[f64; MAX_ORDER]) -> [f64; MAX_ORDER + 1] {
    let xi = distances(tau, h);
    let mut p = [0.0; MAX_ORDER + 1];
    p[2] = 1.0;
    for &xi in &xi[..k - 2] {
        for j in (1..=k).rev() {
            p[j] = p[j] * xi + p[j - 1];
        }
    }
    p
}

/// `xi_1`, `xi_2` and so on.
fn distances<const N: usize>(tau: &[f64; N], h: f64) -> [f64; N] {
    let mut sum = 0.0;
    tau.map(|step| {
        sum += step;
        sum / h
    })
}

/// `l_1` of order `q`.
pub(super) fn leading(q: usize) -> f64 {
    (1..=q).map(|j| 1.0 / j as f64).sum()
}

/// `a` of order `q`.
fn residual(q: usize, xi: &[f64]) -> f64 {
    1.0 + xi[..q].iter().map(|xi| 1.0 / xi).sum::<f64>() - leading(q)
}

/// Multiplies a polynomial of degree below `q` by `1 + s * inverse`.
fn multiply(l: &mut [f64; MAX_ORDER + 1], q: usize, inverse: f64) {
    for j in (1..=q).rev() {
        l[j] += inverse * l[j - 1];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_steps_give_the_classical_formulas() {
        let factorial = |n: usize| (1..=n).product::<usize>() as f64;
        for q in 1..=MAX_ORDER {
            let c = Coefficients::new(q, &[0.3; MAX_ORDER + 1]);
            assert!((c.l[1] - leading(q)).abs() < 1e-14);
            assert!((c.l[q] - 1.0 / factorial(q)).abs() < 1e-14);
            assert!((c.delta - factorial(q + 1)).abs() < 1e-10);
            // The error constant of a formula of order q is 1 / ((q + 1) l_1).
            let constant = |q: usize| 1.0 / ((q + 1) as f64 * leading(q));
            if q > 1 {
                assert!((c.lower / factorial(q) - constant(q - 1)).abs() < 1e-14);
            }
            if q < MAX_ORDER {
                assert!((c.higher - constant(q + 1)).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn a_polynomial_of_degree_q_is_predicted_exactly_after_any_change_of_order() {
        // x = t^3 with unequal steps, lifted from order 2 to 3 by its known third derivative.
        let p = free_polynomial(3, 0.5, &[0.5, 0.2, 0.4, 0.1, 0.3]);
        // In s = (t - 1) / 0.5, the quadratic through x(1), x'(1) and x(0.5) plus the cubic term.
        let (x, dx, old) = (1.0, 3.0 * 0.5, 0.125);
        let quadratic = [x, dx, old - x + dx, 0.0];
        let cubic: Vec<f64> = (0..4).map(|j| quadratic[j] + 0.125 * p[j]).collect();
        for s in [-1.0, -0.3, 1.0] {
            let value: f64 = (0..4).map(|j| cubic[j] * f64::powi(s, j as i32)).sum();
            assert!((value - (1.0 + 0.5 * s).powi(3)).abs() < 1e-14);
        }
    }
}
