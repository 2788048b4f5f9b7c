//! Coupling equations u = c(y, w, t): components without states, so that the graph and the Jacobian need to know
//! nothing of them.

use fmu_numerics::Pattern;

use crate::component::{Capabilities, Component, ComponentError, ModelExchange, Variables};

/// Inputs of components as a function of outputs and time (Pannu 2015, equation 2c).
pub trait CouplingEquation: Send {
    /// How many outputs of components it reads.
    fn reads(&self) -> usize;

    /// How many inputs of components it gives.
    fn gives(&self) -> usize;

    /// u = c(t, y).
    fn evaluate(&mut self, t: f64, y: &[f64], u: &mut [f64]);

    /// The derivatives of c by y, one row per input.
    fn derivative(&mut self, t: f64, y: &[f64], matrix: &mut [f64]);

    /// Whether an input depends on an output at all.
    fn depends(&self, _input: usize, _output: usize) -> bool {
        true
    }
}

/// A coupling equation of two closures: the function and its derivative.
pub struct Closures<F, D> {
    reads: usize,
    gives: usize,
    function: F,
    derivative: D,
}

impl<F, D> Closures<F, D>
where
    F: FnMut(f64, &[f64], &mut [f64]) + Send,
    D: FnMut(f64, &[f64], &mut [f64]) + Send,
{
    /// `function(t, y, u)` and `derivative(t, y, matrix)`, the matrix with one row per input.
    pub fn new(reads: usize, gives: usize, function: F, derivative: D) -> Self {
        Self {
            reads,
            gives,
            function,
            derivative,
        }
    }
}

impl<F, D> CouplingEquation for Closures<F, D>
where
    F: FnMut(f64, &[f64], &mut [f64]) + Send,
    D: FnMut(f64, &[f64], &mut [f64]) + Send,
{
    fn reads(&self) -> usize {
        self.reads
    }

    fn gives(&self) -> usize {
        self.gives
    }

    fn evaluate(&mut self, t: f64, y: &[f64], u: &mut [f64]) {
        (self.function)(t, y, u);
    }

    fn derivative(&mut self, t: f64, y: &[f64], matrix: &mut [f64]) {
        (self.derivative)(t, y, matrix);
    }
}

/// A sum of outputs, each with a factor, and an offset.
#[derive(Clone, Debug, PartialEq)]
pub struct Sum {
    /// The factors.
    pub gains: Vec<f64>,
    /// Added to the sum.
    pub offset: f64,
}

impl CouplingEquation for Sum {
    fn reads(&self) -> usize {
        self.gains.len()
    }

    fn gives(&self) -> usize {
        1
    }

    fn evaluate(&mut self, _: f64, y: &[f64], u: &mut [f64]) {
        let terms = self.gains.iter().zip(y).map(|(gain, y)| gain * y);
        u[0] = self.offset + terms.sum::<f64>();
    }

    fn derivative(&mut self, _: f64, _: &[f64], matrix: &mut [f64]) {
        matrix.copy_from_slice(&self.gains);
    }
}

/// A coupling equation as a component: its inputs are what it reads, its outputs what it gives.
pub(super) struct EquationComponent {
    equation: Box<dyn CouplingEquation>,
    time: f64,
    y: Vec<f64>,
    u: Vec<f64>,
    matrix: Vec<f64>,
    pattern: Pattern,
}

impl EquationComponent {
    pub fn new(equation: Box<dyn CouplingEquation>) -> EquationComponent {
        let (reads, gives) = (equation.reads(), equation.gives());
        EquationComponent {
            equation,
            time: 0.0,
            y: vec![0.0; reads],
            u: vec![0.0; gives],
            matrix: vec![0.0; reads * gives],
            pattern: Pattern::full(0, 0),
        }
    }

    /// The name of what it reads or gives, among all of that kind.
    pub fn name(position: usize) -> String {
        position.to_string()
    }
}

impl Component for EquationComponent {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn into_model_exchange(self: Box<Self>) -> Option<Box<dyn ModelExchange>> {
        Some(self)
    }

    fn variables(&self) -> Variables {
        let all = |count: usize, number: f64| (0..count).map(|at| (Self::name(at), number)).collect();
        Variables {
            inputs: all(self.y.len(), 0.0),
            outputs: all(self.u.len(), 1.0),
            ..Variables::default()
        }
    }

    fn enter_initialization(&mut self, start: f64, _: f64, _: Option<f64>) -> Result<(), ComponentError> {
        self.set_time(start)
    }

    fn set_inputs(&mut self, u: &[f64]) -> Result<(), ComponentError> {
        self.y.copy_from_slice(u);
        Ok(())
    }
}

impl ModelExchange for EquationComponent {
    fn couple(&mut self, inputs: &[usize], outputs: &[usize]) -> Result<Pattern, ComponentError> {
        let complete = |list: &[usize], count: usize| list.iter().copied().eq(0..count);
        if !complete(inputs, self.y.len()) || !complete(outputs, self.u.len()) {
            return Err("all that a coupling equation reads and gives has to be connected".into());
        }
        let (rows, columns) = (self.u.len(), self.y.len());
        let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let places = places.filter(|(row, column)| self.equation.depends(*row, *column));
        self.pattern = Pattern::new(rows, columns, places);
        Ok(self.pattern.clone())
    }

    fn set_time(&mut self, time: f64) -> Result<(), ComponentError> {
        self.time = time;
        Ok(())
    }

    fn set_states(&mut self, _: &[f64]) -> Result<(), ComponentError> {
        Ok(())
    }

    fn states(&mut self, _: &mut [f64]) -> Result<(), ComponentError> {
        Ok(())
    }

    fn derivatives(&mut self, _: &mut [f64]) -> Result<(), ComponentError> {
        Ok(())
    }

    fn some_outputs(&mut self, which: &[usize], y: &mut [f64]) -> Result<(), ComponentError> {
        self.equation.evaluate(self.time, &self.y, &mut self.u);
        for (y, output) in y.iter_mut().zip(which) {
            *y = self.u[*output];
        }
        Ok(())
    }

    fn partials(&mut self, _: &[f64], u: &[f64], values: &mut [f64]) -> Result<(), ComponentError> {
        self.equation.derivative(self.time, u, &mut self.matrix);
        for ((row, column), value) in self.pattern.iter().zip(values) {
            *value = self.matrix[row * self.y.len() + column];
        }
        Ok(())
    }
}
