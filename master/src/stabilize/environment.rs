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

/// Some components as one linear system, with their inputs and outputs in a row.
pub struct Assembly {
    /// Inputs and outputs among all.
    inputs: Vec<usize>,
    outputs: Vec<usize>,
    dx: DVector<f64>,
    a: DMatrix<f64>,
    b: DMatrix<f64>,
    c: DMatrix<f64>,
    d: DMatrix<f64>,
}

impl Assembly {
    /// Puts components side by side.
    pub fn new<'a>(
        coupling: &Coupling,
        parts: impl Iterator<Item = (usize, &'a Linear)> + Clone,
    ) -> Assembly {
        let (mut inputs, mut outputs, mut states) = (Vec::new(), Vec::new(), 0);
        for (component, linear) in parts.clone() {
            inputs.extend(coupling.inputs_of(component));
            outputs.extend(coupling.outputs_of(component));
            states += linear.x.len();
        }
        let (m, p) = (inputs.len(), outputs.len());
        let mut all = Assembly {
            inputs,
            outputs,
            dx: DVector::zeros(states),
            a: DMatrix::zeros(states, states),
            b: DMatrix::zeros(states, m),
            c: DMatrix::zeros(p, states),
            d: DMatrix::zeros(p, m),
        };
        let (mut x, mut u, mut y) = (0, 0, 0);
        for (_, linear) in parts {
            let (n, m, p) = (linear.a.nrows(), linear.b.ncols(), linear.c.nrows());
            all.dx.rows_mut(x, n).copy_from(&linear.dx);
            all.a.view_mut((x, x), (n, n)).copy_from(&linear.a);
            all.b.view_mut((x, u), (n, m)).copy_from(&linear.b);
            all.c.view_mut((y, x), (p, n)).copy_from(&linear.c);
            all.d.view_mut((y, u), (p, m)).copy_from(&linear.d);
            (x, u, y) = (x + n, u + m, y + p);
        }
        all
    }

    /// Who feeds whom: a row an input of `to`, a column an output of this.
    fn links(&self, coupling: &Coupling, to: &[usize]) -> DMatrix<f64> {
        links(coupling, to, &self.outputs)
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
    /// Of the component `own`, which is as `linear` says with the inputs `u`, among `others`. None if outputs and inputs
    /// determine each other in a loop.
    pub fn new(
        coupling: &Coupling,
        rule: Rule,
        begin: f64,
        own: (usize, &Linear),
        u: &[f64],
        others: &Assembly,
        slopes: Slopes<'_>,
    ) -> Option<Environment> {
        let (component, linear) = own;
        let own_inputs: Vec<usize> = coupling.inputs_of(component).collect();
        let own_outputs: Vec<usize> = coupling.outputs_of(component).collect();
        let among = others.links(coupling, &others.inputs);
        let from_own = links(coupling, &others.inputs, &own_outputs);
        let to_own = others.links(coupling, &own_inputs);
        let own_to_own = links(coupling, &own_inputs, &own_outputs);
        let inputs = others.inputs.len();
        // v = N (K C xi + K_s dy + what changes besides): inputs of the others that belong to each other.
        let n = (DMatrix::identity(inputs, inputs) - &among * &others.d).try_inverse()?;
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
        let (others_besides, own_besides) = (besides(&others.inputs), besides(&own_inputs));
        let a = &others.a + &others.b * &n * &among * &others.c;
        let to_own_through = &to_own * &others.d * &n;
        let by_slope = &to_own * &others.c + &to_own_through * &among * &others.c;
        let through = &to_own_through * &from_own + own_to_own;
        let own_count = own_inputs.len();
        let closed = (DMatrix::identity(own_count, own_count) - &through * &linear.d).try_inverse()?;
        let reduced = Hessenberg::new(a);
        let turned = reduced.q.transpose();
        Some(Environment {
            rule,
            begin,
            x: linear.x.clone(),
            u: DVector::from_column_slice(u),
            dx: &turned * &others.dx,
            b: &turned * &others.b * &n * &from_own,
            by_time: &turned * &others.b * &n * &others_besides,
            by_slope: &closed * by_slope * &reduced.q,
            besides: &closed * (own_besides + &to_own_through * &others_besides),
            through: closed * through * &linear.c,
            dy: DVector::zeros(own_outputs.len()),
            z: DVector::zeros(others.dx.len()),
            du: DVector::zeros(own_count),
            c: linear.c.clone(),
            d: linear.d.clone(),
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
        // Inputs that are held are no numbers here: they are as they were.
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
