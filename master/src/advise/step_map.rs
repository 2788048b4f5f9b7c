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
    pub from_source: Vec<bool>,
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
            from_source: vec![false; inputs],
            aimed: vec![false; inputs],
            consistent: false,
        }
    }
}

/// What a step makes of the states and the stored inputs at its beginning.
pub(super) struct StepMaps {
    /// States and stored inputs at its end.
    pub onward: DMatrix<f64>,
    /// Outputs at its end, as components report them there.
    pub outputs: DMatrix<f64>,
}

/// What is remembered of each input: its value now and at the two points before; and where its polynomial ended in the last
/// step, with which slope and second derivative (times `h` and `h^2`).
const REMEMBERED: usize = 6;
/// The places of the last three.
const END: usize = 3;
const SLOPE: usize = 4;
const BEND: usize = 5;

/// The coefficients of the polynomials `c0 + c1 s + c2 s^2` of all inputs, `s` from 0 to 1 over a step, by states, by what is
/// remembered of inputs, and by inputs at the end of the step.
struct Polynomials {
    states: [DMatrix<f64>; 3],
    inputs: [DMatrix<f64>; 3],
    ends: [DMatrix<f64>; 3],
}

impl Polynomials {
    fn new(model: &Model, h: f64, stepping: &Stepping) -> Option<Polynomials> {
        let (n, m) = (model.a.nrows(), model.b.ncols());
        let three = |columns: usize| [(); 3].map(|()| DMatrix::zeros(m, columns));
        let (mut states, mut inputs, mut ends) = (three(n), three(REMEMBERED * m), three(m));
        let provided = match stepping.from_source.contains(&true) {
            true => Some(Provided::new(model, h, stepping.consistent)?),
            false => None,
        };
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
                        _ if stepping.from_source[input] => {}
                        1 => set(1, [1.0, -1.0, 0.0], 0.0),
                        _ => {
                            set(1, [1.5, -2.0, 0.5], 0.0);
                            set(2, [0.5, -1.0, 0.5], 0.0);
                        }
                    }
                    let provided = provided.as_ref().filter(|_| stepping.from_source[input]);
                    for (k, [by_x, by_u]) in
                        provided.iter().flat_map(|one| one.derivatives.iter().enumerate())
                    {
                        if order > k as u32 {
                            // Half the second derivative.
                            let factor = [1.0, 0.5][k];
                            states[k + 1]
                                .row_mut(input)
                                .copy_from(&(by_x.row(input) * factor));
                            inputs[k + 1]
                                .row_mut(input)
                                .copy_from(&(by_u.row(input) * factor));
                        }
                    }
                }
            }
        }
        Some(Polynomials { states, inputs, ends })
    }
}

/// The first and second derivatives of inputs (times `h` and `h^2`) that their sources provide, by states and by what is
/// remembered of inputs.
struct Provided {
    derivatives: [[DMatrix<f64>; 2]; 2],
}

impl Provided {
    /// Outputs of components with feed-through follow the slopes of their inputs: those of the last step or, with a correction,
    /// those that the inputs will have. None if these have no solution.
    fn new(model: &Model, h: f64, consistent: bool) -> Option<Provided> {
        let (n, m) = (model.a.nrows(), model.b.ncols());
        let at = |place: usize| {
            let mut all = DMatrix::zeros(m, REMEMBERED * m);
            all.view_mut((0, place * m), (m, m)).fill_with_identity();
            all
        };
        let (a, b) = (&model.a * h, &model.b * h);
        let (lc, ld) = (&model.l * &model.c, &model.l * &model.d);
        let (none_x, u) = (DMatrix::zeros(m, n), if consistent { at(0) } else { at(END) });
        // Slopes of states.
        let x = [a.clone(), &b * &u];
        let closed = (DMatrix::identity(m, m) - &ld).try_inverse();
        let close = |of: [DMatrix<f64>; 2]| closed.as_ref().map(|closed| of.map(|of| closed * of));
        let first = match consistent {
            true => close([&lc * &x[0], &lc * &x[1]])?,
            false => [&lc * &x[0], &lc * &x[1] + &ld * at(SLOPE)],
        };
        let slopes = if consistent {
            first.clone()
        } else {
            [none_x, at(SLOPE)]
        };
        let bent = [&a * &x[0] + &b * &slopes[0], &a * &x[1] + &b * &slopes[1]];
        let second = match consistent {
            true => close([&lc * &bent[0], &lc * &bent[1]])?,
            false => [&lc * &bent[0], &lc * &bent[1] + &ld * at(BEND)],
        };
        Some(Provided {
            derivatives: [first, second],
        })
    }
}

impl Model {
    /// The map of a step of size `h` on the states and the stored inputs; `None` if the loops of the
    /// system have no solution.
    pub fn step_map(&self, h: f64, stepping: &Stepping) -> Option<DMatrix<f64>> {
        self.step_maps(h, stepping).map(|maps| maps.onward)
    }

    /// The same, with the outputs at the end of the step.
    pub(super) fn step_maps(&self, h: f64, stepping: &Stepping) -> Option<StepMaps> {
        let (n, m) = (self.a.nrows(), self.b.ncols());
        let identity = DMatrix::identity(m, m);
        // Points that no polynomial looks at, and powers that none has, only add zeros.
        let longest = stepping.orders.iter().copied().max().unwrap_or(0).min(2) as usize;
        let provided = longest > 0 && stepping.from_source.contains(&true);
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
        let curves = Polynomials::new(self, h, stepping)?;
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
        let new_y = match stepping.consistent {
            true => {
                let closed = self.closed_outputs()?;
                [&closed * &new_x[0], &closed * &new_x[1]]
            }
            false => [0, 1].map(|k| &y[k] + &y[2] * &ends[k]),
        };
        let new_u = [0, 1].map(|k| &self.l * &new_y[k]);
        let whole = n + REMEMBERED * m;
        let mut outputs = DMatrix::zeros(self.c.nrows(), whole);
        outputs.columns_mut(0, n).copy_from(&new_y[0]);
        outputs.columns_mut(n, REMEMBERED * m).copy_from(&new_y[1]);
        let mut map = DMatrix::zeros(whole, whole);
        map.view_mut((0, 0), (n, n)).copy_from(&new_x[0]);
        map.view_mut((0, n), (n, REMEMBERED * m)).copy_from(&new_x[1]);
        map.view_mut((n, 0), (m, n)).copy_from(&new_u[0]);
        map.view_mut((n, n), (m, REMEMBERED * m)).copy_from(&new_u[1]);
        map.view_mut((n + m, n), (m, m)).copy_from(&identity);
        map.view_mut((n + 2 * m, n + m), (m, m)).copy_from(&identity);
        if provided {
            // Value, slope and second derivative of the polynomials where they end.
            for (place, factors) in [
                (END, [1.0, 1.0, 1.0]),
                (SLOPE, [0.0, 1.0, 2.0]),
                (BEND, [0.0, 0.0, 2.0]),
            ] {
                let sum =
                    |of: &[DMatrix<f64>; 3]| &of[0] * factors[0] + &of[1] * factors[1] + &of[2] * factors[2];
                let by_ends = sum(&curves.ends);
                let row = n + place * m;
                map.view_mut((row, 0), (m, n))
                    .copy_from(&(sum(&curves.states) + &by_ends * &ends[0]));
                map.view_mut((row, n), (m, REMEMBERED * m))
                    .copy_from(&(sum(&curves.inputs) + &by_ends * &ends[1]));
            }
            return Some(StepMaps { onward: map, outputs });
        }
        Some(StepMaps {
            onward: map.view((0, 0), (size, size)).into_owned(),
            outputs: outputs.columns(0, size).into_owned(),
        })
    }
}
