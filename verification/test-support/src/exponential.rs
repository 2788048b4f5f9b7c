//! The matrix exponential, for closed forms of linear systems.

pub type Matrix = Vec<Vec<f64>>;

pub fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let entry = |row: &Vec<f64>, column: usize| row.iter().zip(b).map(|(a, b)| a * b[column]).sum();
    let columns = b.first().map_or(0, Vec::len);
    a.iter()
        .map(|row| (0..columns).map(|column| entry(row, column)).collect())
        .collect()
}

/// exp(A t) by a Taylor series of A t / 2^k, squared k times.
pub fn exponential(a: &Matrix, t: f64) -> Matrix {
    let norm = a
        .iter()
        .flatten()
        .fold(0.0_f64, |most, entry| most.max(entry.abs()));
    let halvings = (norm * t.abs() * a.len() as f64).max(1.0).log2().ceil() as i32 + 4;
    let scale = t / 2.0_f64.powi(halvings);
    let scaled: Matrix = a
        .iter()
        .map(|row| row.iter().map(|entry| entry * scale).collect())
        .collect();
    let identity = |row: usize| (0..a.len()).map(move |column| f64::from(u8::from(row == column)));
    let mut sum: Matrix = (0..a.len()).map(|row| identity(row).collect()).collect();
    let mut term = sum.clone();
    for order in 1..20 {
        term = product(&term, &scaled);
        for (sum, term) in sum.iter_mut().flatten().zip(term.iter_mut().flatten()) {
            *term /= f64::from(order);
            *sum += *term;
        }
    }
    for _ in 0..halvings {
        sum = product(&sum, &sum);
    }
    sum
}

/// The solution of x' = A x + b after a time t, with b constant.
pub fn advance(a: &Matrix, b: &[f64], x: &[f64], t: f64) -> Vec<f64> {
    let mut augmented: Matrix = a
        .iter()
        .zip(b)
        .map(|(row, b)| row.iter().copied().chain([*b]).collect())
        .collect();
    augmented.push(vec![0.0; a.len() + 1]);
    let start: Matrix = x.iter().copied().chain([1.0]).map(|x| vec![x]).collect();
    let end = product(&exponential(&augmented, t), &start);
    end[..x.len()].iter().map(|row| row[0]).collect()
}
