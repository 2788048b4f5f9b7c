//! The same equations without any coupling: small steps of the classical Runge-Kutta method, and convergence orders.

/// The states at some times, which increase; the first is when `x0` holds. Steps are at most `h`.
pub fn integrate(
    times: &[f64],
    x0: &[f64],
    h: f64,
    mut f: impl FnMut(f64, &[f64], &mut [f64]),
) -> Vec<Vec<f64>> {
    let n = x0.len();
    let mut x = x0.to_vec();
    let mut k = vec![vec![0.0; n]; 4];
    let mut stage = vec![0.0; n];
    let mut states = Vec::with_capacity(times.len());
    let mut now = times.first().copied().unwrap_or(0.0);
    for &end in times {
        let steps = ((end - now) / h).ceil().max(0.0) as usize;
        let begin = now;
        for step in 0..steps {
            let h = (end - begin) / steps as f64;
            let t = begin + step as f64 * h;
            for (number, part) in [0.0, 0.5, 0.5, 1.0].into_iter().enumerate() {
                for i in 0..n {
                    let before = if number > 0 { k[number - 1][i] } else { 0.0 };
                    stage[i] = x[i] + part * h * before;
                }
                f(t + part * h, &stage, &mut k[number]);
            }
            for i in 0..n {
                x[i] += h / 6.0 * (k[0][i] + 2.0 * (k[1][i] + k[2][i]) + k[3][i]);
            }
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
