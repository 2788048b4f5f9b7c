//! What a component sees of all others during a step: a linear model of them, driven by its own outputs.

use nalgebra::{DMatrix, DVector};

use super::{Hessenberg, Rule};
use crate::coupling::{Coupling, Link};

/// A component around a communication point: states, their derivatives, and how these and the outputs change.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    /// States.
    pub x: DVector<f64>,
    /// Derivatives of the states.
    pub dx: DVector<f64>,
    /// Derivatives by states.
    pub a: DMatrix<f64>,
    /// Derivatives by inputs.
    pub b: DMatrix<f64>,
    /// Outputs by states.
    pub c: DMatrix<f64>,
    /// Outputs by inputs.
    pub d: DMatrix<f64>,
}

impl Linear {
    /// All zeros.
    pub fn new(states: usize, inputs: usize, outputs: usize) -> Linear {
        Linear {
            x: DVector::zeros(states),
            dx: DVector::zeros(states),
            a: DMatrix::zeros(states, states),
            b: DMatrix::zeros(states, inputs),
            c: DMatrix::zeros(outputs, states),
            d: DMatrix::zeros(outputs, inputs),
        }
    }
}

/// The slopes of inputs whose sources have no linear model, and which inputs these are.
#[derive(Clone, Copy, Debug)]
pub struct Slopes<'a> {
    /// Of all inputs; zero where it is not known.
    pub first: &'a [f64],
    /// The components that have a linear model.
    pub modelled: &'a [bool],
}

/// The connections around one component, computed once.
#[derive(Clone, Debug)]
pub struct Surroundings {
    own: usize,
    /// The other components that have a linear model.
    others: Vec<usize>,
    own_inputs: Vec<usize>,
    inputs: Vec<usize>,
    /// From the others to each other, from the component to the others, and back, and to itself.
    among: DMatrix<f64>,
    from_own: DMatrix<f64>,
    to_own: DMatrix<f64>,
    own_to_own: DMatrix<f64>,
}

impl Surroundings {
    /// Of the component `own`, among `others`.
    pub fn new(coupling: &Coupling, own: usize, others: Vec<usize>) -> Surroundings {
        let of = |range: &dyn Fn(usize) -> std::ops::Range<usize>| -> Vec<usize> {
            others.iter().flat_map(|&other| range(other)).collect()
        };
        let inputs = of(&|other| coupling.inputs_of(other));
        let outputs = of(&|other| coupling.outputs_of(other));
        let own_inputs: Vec<usize> = coupling.inputs_of(own).collect();
        let own_outputs: Vec<usize> = coupling.outputs_of(own).collect();
        Surroundings {
            among: links(coupling, &inputs, &outputs),
            from_own: links(coupling, &inputs, &own_outputs),
            to_own: links(coupling, &own_inputs, &outputs),
            own_to_own: links(coupling, &own_inputs, &own_outputs),
            own,
            others,
            own_inputs,
            inputs,
        }
    }
}

fn links(coupling: &Coupling, inputs: &[usize], outputs: &[usize]) -> DMatrix<f64> {
    DMatrix::from_fn(inputs.len(), outputs.len(), |row, column| {
        match coupling.inputs[inputs[row]].link {
            Link::Output { output, gain, .. } if output == outputs[column] => gain,
            _ => 0.0,
        }
    })
}

/// Some components as one linear system, with their inputs and outputs in a row.
struct Assembly {
    dx: DVector<f64>,
    a: DMatrix<f64>,
    b: DMatrix<f64>,
    c: DMatrix<f64>,
    /// Feed-through, if there is any.
    d: Option<DMatrix<f64>>,
}

impl Assembly {
    fn new<'a>(parts: impl Iterator<Item = &'a Linear> + Clone) -> Assembly {
        let (mut n, mut m, mut p, mut feeds_through) = (0, 0, 0, false);
        for linear in parts.clone() {
            (n, m, p) = (n + linear.x.len(), m + linear.b.ncols(), p + linear.c.nrows());
            feeds_through |= linear.d.iter().any(|entry| *entry != 0.0);
        }
        let mut all = Assembly {
            dx: DVector::zeros(n),
            a: DMatrix::zeros(n, n),
            b: DMatrix::zeros(n, m),
            c: DMatrix::zeros(p, n),
            d: feeds_through.then(|| DMatrix::zeros(p, m)),
        };
        let (mut x, mut u, mut y) = (0, 0, 0);
        for linear in parts {
            let (n, m, p) = (linear.a.nrows(), linear.b.ncols(), linear.c.nrows());
            all.dx.rows_mut(x, n).copy_from(&linear.dx);
            all.a.view_mut((x, x), (n, n)).copy_from(&linear.a);
            all.b.view_mut((x, u), (n, m)).copy_from(&linear.b);
            all.c.view_mut((y, x), (p, n)).copy_from(&linear.c);
            if let Some(d) = &mut all.d {
                d.view_mut((y, u), (p, m)).copy_from(&linear.d);
            }
            (x, u, y) = (x + n, u + m, y + p);
        }
        all
    }
}

/// What a component sees of all others in the step that begins at a communication point.
#[derive(Clone, Debug)]
pub struct Environment {
    rule: Rule,
    begin: f64,
    /// The component itself at that point: states, inputs, and how its outputs change with them.
    x: DVector<f64>,
    u: DVector<f64>,
    c: DMatrix<f64>,
    d: DMatrix<f64>,
    /// The others, in the coordinates of their reduced matrix.
    reduced: Hessenberg,
    dx: DVector<f64>,
    /// By the component's outputs, and by time where sources from outside have slopes.
    b: DMatrix<f64>,
    by_time: DVector<f64>,
    /// What the component's inputs have of the slope of the others, of that of its own outputs, and besides.
    by_slope: DMatrix<f64>,
    through: DMatrix<f64>,
    besides: DVector<f64>,
    /// Room.
    dy: DVector<f64>,
    z: DVector<f64>,
    du: DVector<f64>,
}

impl Environment {
    /// Around a component at a communication point, where it has the inputs `u`, and all components are as `linear` says.
    /// None if outputs and inputs determine each other in a loop.
    pub fn new(
        coupling: &Coupling,
        rule: Rule,
        begin: f64,
        around: &Surroundings,
        u: &[f64],
        linear: &[Option<Linear>],
        slopes: Slopes<'_>,
    ) -> Option<Environment> {
        let others = Assembly::new(around.others.iter().filter_map(|&other| linear[other].as_ref()));
        let own = linear[around.own].as_ref()?;
        let besides = |inputs: &[usize]| {
            DVector::from_iterator(
                inputs.len(),
                inputs.iter().map(|&input| match coupling.inputs[input].link {
                    Link::Output { output, .. } if slopes.modelled[coupling.structure().outputs[output]] => {
                        0.0
                    }
                    _ => slopes.first[input],
                }),
            )
        };
        let (others_besides, own_besides) = (besides(&around.inputs), besides(&around.own_inputs));
        let mut by_slope = &around.to_own * &others.c;
        let mut through = around.own_to_own.clone();
        let mut besides = own_besides;
        // Inputs of the others that belong to each other: v = N (K C xi + K_s dy + what changes besides).
        let b = match &others.d {
            None => others.b,
            Some(d) => {
                let inputs = around.inputs.len();
                let n = (DMatrix::identity(inputs, inputs) - &around.among * d).try_inverse()?;
                let to_own_through = &around.to_own * d * &n;
                by_slope += &to_own_through * &around.among * &others.c;
                through += &to_own_through * &around.from_own;
                besides += &to_own_through * &others_besides;
                others.b * n
            }
        };
        let feeds_through =
            own.d.iter().any(|entry| *entry != 0.0) && through.iter().any(|entry| *entry != 0.0);
        if feeds_through {
            let own_count = around.own_inputs.len();
            let closed = (DMatrix::identity(own_count, own_count) - &through * &own.d).try_inverse()?;
            by_slope = &closed * by_slope;
            besides = &closed * besides;
            through = closed * through;
        }
        let reduced = Hessenberg::new(&others.a + &b * &around.among * &others.c);
        let b = reduced.q.tr_mul(&b);
        Some(Environment {
            rule,
            begin,
            x: own.x.clone(),
            u: DVector::from_column_slice(u),
            dx: reduced.q.tr_mul(&others.dx),
            by_time: &b * &others_besides,
            b: b * &around.from_own,
            by_slope: by_slope * &reduced.q,
            through: through * &own.c,
            besides,
            dy: DVector::zeros(own.c.nrows()),
            z: DVector::zeros(others.dx.len()),
            du: DVector::zeros(around.own_inputs.len()),
            c: own.c.clone(),
            d: own.d.clone(),
            reduced,
        })
    }

    /// The derivatives of the component's inputs `u` at `time`, where it has the states `x` with the derivatives `dx`
    /// (Viel 2014, equation 26, with the slope that belongs to the rule).
    pub fn derivatives(&mut self, time: f64, u: &[f64], x: &[f64], dx: &[f64], du: &mut [f64]) -> bool {
        let tau = time - self.begin;
        self.dy.fill(0.0);
        for (j, x) in x.iter().enumerate() {
            self.dy.axpy(x - self.x[j], &self.c.column(j), 1.0);
        }
        // Inputs that are held are NaN here: they are as they were.
        for (j, u) in u.iter().enumerate().filter(|(_, u)| !u.is_nan()) {
            self.dy.axpy(u - self.u[j], &self.d.column(j), 1.0);
        }
        let r = match self.rule {
            Rule::BackwardEuler => 1.0,
            Rule::Trapezoidal => 0.5,
        };
        self.z.copy_from(&self.dx);
        self.z.gemv(r, &self.b, &self.dy, 1.0);
        self.z.axpy(r * tau, &self.by_time, 1.0);
        if !self.reduced.solve(r * tau, &mut self.z) {
            return false;
        }
        if self.rule == Rule::Trapezoidal {
            self.z *= 2.0;
            self.z -= &self.dx;
        }
        self.du.copy_from(&self.besides);
        self.du.gemv(1.0, &self.by_slope, &self.z, 1.0);
        for (j, dx) in dx.iter().enumerate() {
            self.du.axpy(*dx, &self.through.column(j), 1.0);
        }
        du.copy_from_slice(self.du.as_slice());
        true
    }
}
