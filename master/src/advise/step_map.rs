//! What one communication step does to a linear coupled system (Andersson 2016, equations 6.14, 6.38 and their like for
//! other orders, and for inputs that are solved for).

use nalgebra::DMatrix;

use super::Model;

/// How the inputs of a system go through a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Stepping {
    /// The order of the polynomial that each input follows.
    pub orders: Vec<u32>,
    /// Whether its derivatives come from its source, and not from differences.
    pub told: Vec<bool>,
    /// Whether it goes to the value that its source has at the end of the step.
    pub aimed: Vec<bool>,
    /// Inputs and outputs are solved for each other after each step.
    pub consistent: bool,
}

impl Stepping {
    /// All components at once, with inputs of an order by differences.
    pub fn extrapolated(inputs: usize, order: u32) -> Stepping {
        Stepping {
            orders: vec![order; inputs],
            told: vec![false; inputs],
            aimed: vec![false; inputs],
            consistent: false,
        }
    }
}

/// The coefficients of the polynomials `c0 + c1 s + c2 s^2` of all inputs, `s` from 0 to 1 over a step, by states, by inputs
/// now and at the two points before, and by inputs at the end of the step.
struct Polynomials {
    states: [DMatrix<f64>; 3],
    inputs: [DMatrix<f64>; 3],
    ends: [DMatrix<f64>; 3],
}

impl Polynomials {
    fn new(model: &Model, h: f64, stepping: &Stepping) -> Polynomials {
        let (n, m) = (model.a.nrows(), model.b.ncols());
        let three = |columns: usize| [(); 3].map(|()| DMatrix::zeros(m, columns));
        let (mut states, mut inputs, mut ends) = (three(n), three(3 * m), three(m));
        let lc = &model.l * &model.c;
        let (by_x, by_u) = (&lc * &model.a, &lc * &model.b);
        let (twice_x, twice_u) = (&by_x * &model.a, &by_x * &model.b);
        for input in 0..m {
            let mut set = |k: usize, [now, one, two]: [f64; 3], end: f64| {
                inputs[k][(input, input)] = now;
                inputs[k][(input, m + input)] = one;
                inputs[k][(input, 2 * m + input)] = two;
                ends[k][(input, input)] = end;
            };
            match (stepping.aimed[input], stepping.orders[input]) {
                (true, 0) => set(0, [0.0; 3], 1.0),
                (true, 1) => {
                    set(0, [1.0, 0.0, 0.0], 0.0);
                    set(1, [-1.0, 0.0, 0.0], 1.0);
                }
                (true, _) => {
                    set(0, [1.0, 0.0, 0.0], 0.0);
                    set(1, [0.0, -0.5, 0.0], 0.5);
                    set(2, [-1.0, 0.5, 0.0], 0.5);
                }
                (false, order) => {
                    set(0, [1.0, 0.0, 0.0], 0.0);
                    match order {
                        0 => {}
                        _ if stepping.told[input] => {}
                        1 => set(1, [1.0, -1.0, 0.0], 0.0),
                        _ => {
                            set(1, [1.5, -2.0, 0.5], 0.0);
                            set(2, [0.5, -1.0, 0.5], 0.0);
                        }
                    }
                    if order > 0 && stepping.told[input] {
                        states[1].row_mut(input).copy_from(&(by_x.row(input) * h));
                        let mut now = inputs[1].view_mut((input, 0), (1, m));
                        now += by_u.row(input) * h;
                    }
                    if order > 1 && stepping.told[input] {
                        let half = 0.5 * h * h;
                        let slopes = by_u.row(input);
                        states[2]
                            .row_mut(input)
                            .copy_from(&((twice_x.row(input) + slopes * &by_x) * half));
                        let mut now = inputs[2].view_mut((input, 0), (1, m));
                        now += (twice_u.row(input) + slopes * &by_u) * half;
                    }
                }
            }
        }
        Polynomials { states, inputs, ends }
    }
}

impl Model {
    /// What a step of size `h` does to the states, and to the inputs now and at the points before; none if the loops of the
    /// system have no solution.
    pub fn step_map(&self, h: f64, stepping: &Stepping) -> Option<DMatrix<f64>> {
        let (n, m) = (self.a.nrows(), self.b.ncols());
        let identity = DMatrix::identity(m, m);
        // Points that no polynomial looks at, and powers that none has, only add zeros.
        let longest = stepping.orders.iter().copied().max().unwrap_or(0).min(2) as usize;
        let size = n + (longest + 1) * m;
        let mut all = DMatrix::zeros(size, size);
        all.view_mut((0, 0), (n, n)).copy_from(&(&self.a * h));
        all.view_mut((0, n), (n, m)).copy_from(&(&self.b * h));
        for power in 0..longest {
            all.view_mut((n + power * m, n + (power + 1) * m), (m, m))
                .copy_from(&identity);
        }
        if all.iter().any(|entry| !entry.is_finite()) {
            return None;
        }
        let moved = all.exp();
        let by = |k: usize| match k <= longest {
            true => moved.view((0, n + k * m), (n, m)) * [1.0, 1.0, 2.0][k],
            false => DMatrix::zeros(n, m),
        };
        let curves = Polynomials::new(self, h, stepping);
        let sum = |of: &[DMatrix<f64>; 3]| &of[0] + &of[1] + &of[2];
        let states = |of: &[DMatrix<f64>; 3]| by(0) * &of[0] + by(1) * &of[1] + by(2) * &of[2];
        // New states and new outputs by states, by inputs, and by inputs at the end.
        let x = [
            moved.view((0, 0), (n, n)) + states(&curves.states),
            states(&curves.inputs),
            states(&curves.ends),
        ];
        let y = [
            &self.c * &x[0] + &self.d * sum(&curves.states),
            &self.c * &x[1] + &self.d * sum(&curves.inputs),
            &self.c * &x[2] + &self.d * sum(&curves.ends),
        ];
        let mut aimed = self.l.clone();
        for (input, _) in stepping.aimed.iter().enumerate().filter(|(_, aimed)| !**aimed) {
            aimed.row_mut(input).fill(0.0);
        }
        let closed = (&identity - &aimed * &y[2]).try_inverse()?;
        let ends = [&closed * &aimed * &y[0], &closed * &aimed * &y[1]];
        let new_x = [&x[0] + &x[2] * &ends[0], &x[1] + &x[2] * &ends[1]];
        let new_u = match stepping.consistent {
            true => {
                let closed = (&identity - &self.l * &self.d).try_inverse()? * &self.l * &self.c;
                [&closed * &new_x[0], &closed * &new_x[1]]
            }
            false => [0, 1].map(|k| &self.l * (&y[k] + &y[2] * &ends[k])),
        };
        let mut map = DMatrix::zeros(n + 3 * m, n + 3 * m);
        map.view_mut((0, 0), (n, n)).copy_from(&new_x[0]);
        map.view_mut((0, n), (n, 3 * m)).copy_from(&new_x[1]);
        map.view_mut((n, 0), (m, n)).copy_from(&new_u[0]);
        map.view_mut((n, n), (m, 3 * m)).copy_from(&new_u[1]);
        map.view_mut((n + m, n), (m, m)).copy_from(&identity);
        map.view_mut((n + 2 * m, n + m), (m, m)).copy_from(&identity);
        Some(map.view((0, 0), (size, size)).into_owned())
    }
}
