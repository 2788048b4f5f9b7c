//! Reference solutions that share no code with what they judge: the classical Runge-Kutta method with small steps, and
//! convergence orders.

/// One step of the classical Runge-Kutta method from `t` to `t + h`. `f` writes the derivatives of `x` at a time.
///
/// ```
/// let mut x = [1.0];
/// for step in 0..100 {
///     test_support::reference::step(step as f64 * 0.01, &mut x, 0.01, |_, x, dx| dx[0] = -x[0]);
/// }
/// assert!((x[0] - (-1.0_f64).exp()).abs() < 1e-10);
/// ```
pub fn step(t: f64, x: &mut [f64], h: f64, mut f: impl FnMut(f64, &[f64], &mut [f64])) {
    let (mut slope, mut stage, mut sum) = (vec![0.0; x.len()], x.to_vec(), vec![0.0; x.len()]);
    for (part, weight) in [(0.0, 1.0), (0.5, 2.0), (0.5, 2.0), (1.0, 1.0)] {
        for ((stage, x), slope) in stage.iter_mut().zip(&*x).zip(&slope) {
            *stage = x + part * h * slope;
        }
        f(t + part * h, &stage, &mut slope);
        for (sum, slope) in sum.iter_mut().zip(&slope) {
            *sum += weight * slope;
        }
    }
    for (x, sum) in x.iter_mut().zip(sum) {
        *x += h / 6.0 * sum;
    }
}

/// The states at times that increase. `x0` holds at the first of them, and steps are at most `h`.
pub fn integrate(
    times: &[f64],
    x0: &[f64],
    h: f64,
    mut f: impl FnMut(f64, &[f64], &mut [f64]),
) -> Vec<Vec<f64>> {
    let mut x = x0.to_vec();
    let mut states = Vec::with_capacity(times.len());
    let mut now = times.first().copied().unwrap_or(0.0);
    for &end in times {
        let steps = ((end - now) / h).ceil().max(0.0) as usize;
        let h = (end - now) / steps as f64;
        for number in 0..steps {
            step(now + number as f64 * h, &mut x, h, &mut f);
        }
        now = end;
        states.push(x.clone());
    }
    states
}

/// The order with which errors fall from step size to step size: the slope of the line through the last two.
pub fn order(steps: &[f64], errors: &[f64]) -> f64 {
    let last = steps.len() - 1;
    (errors[last - 1] / errors[last]).ln() / (steps[last - 1] / steps[last]).ln()
}

/// The solution of a linear system of three equations.
pub fn solve3(a: [[f64; 3]; 3], b: [f64; 3]) -> [f64; 3] {
    let determinant = |m: [[f64; 3]; 3]| {
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    };
    let whole = determinant(a);
    [0, 1, 2].map(|column| {
        let mut replaced = a;
        for row in 0..3 {
            replaced[row][column] = b[row];
        }
        determinant(replaced) / whole
    })
}
