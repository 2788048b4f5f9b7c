//! Linear components that solve their equations exactly for inputs that are polynomials: what is wrong then is the
//! coupling. They make communication steps, and take part in aggregates.

use fmu_importer::InputDerivatives;
use fmu_master::aggregate::Pattern;
use fmu_master::component::{
    Capabilities, Component, ComponentError, ModelExchange, Outcome, State, Stepping, Variables,
};
use fmu_master::stabilize;
use nalgebra::DMatrix;
use test_support::reference;

use crate::matrix::Rows;

/// `x' = a x + b u`, `y = c x + d u`.
#[derive(Clone, Debug)]
pub struct Plant {
    pub a: DMatrix<f64>,
    pub b: DMatrix<f64>,
    pub c: DMatrix<f64>,
    pub d: DMatrix<f64>,
    /// States at the beginning.
    pub x: Vec<f64>,
}

/// Time, states, inputs with their derivatives, and the outputs that are shown.
type Saved = (f64, Vec<f64>, [Vec<f64>; 3], Vec<f64>);

/// A plant in a run.
pub struct Linear {
    plant: Plant,
    a: Rows,
    b: Rows,
    c: Rows,
    d: Rows,
    /// What it can do.
    pub can: Capabilities,
    t: f64,
    x: Vec<f64>,
    /// Inputs, and their first and second derivatives.
    u: [Vec<f64>; 3],
    saved: Vec<Saved>,
    driven: Option<Box<dyn InputDerivatives>>,
    term: [Vec<f64>; 2],
    /// The outputs that take part in an aggregate.
    asked: Vec<usize>,
    /// It takes part in an aggregate, and names its states.
    shows_states: bool,
    /// The outputs at the end of the last step, for a component whose outputs do not follow inputs without a step.
    shown: Vec<f64>,
}

impl Linear {
    pub fn new(plant: &Plant) -> Linear {
        let (n, m) = (plant.a.nrows(), plant.b.ncols());
        Linear {
            a: Rows::new(&plant.a),
            b: Rows::new(&plant.b),
            c: Rows::new(&plant.c),
            d: Rows::new(&plant.d),
            can: Capabilities::default()
                .snapshots(true)
                .input_derivatives(2)
                .output_derivatives(2)
                .directional_derivatives(true)
                .outputs_follow_inputs(true)
                .variable_step(true)
                .states(Some(n)),
            t: 0.0,
            x: plant.x.clone(),
            u: [vec![0.0; m], vec![0.0; m], vec![0.0; m]],
            saved: Vec::new(),
            driven: None,
            term: [vec![0.0; n], vec![0.0; n]],
            asked: Vec::new(),
            shows_states: false,
            shown: Vec::new(),
            plant: plant.clone(),
        }
    }

    fn slopes(&self, x: &[f64], u: &[f64]) -> Vec<f64> {
        let mut dx = vec![0.0; self.x.len()];
        self.a.add(x, &mut dx);
        self.b.add(u, &mut dx);
        dx
    }

    fn evaluate_outputs(&self, y: &mut [f64]) {
        y.fill(0.0);
        self.c.add(&self.x, y);
        self.d.add(&self.u[0], y);
    }

    fn show(&mut self) {
        let mut shown = std::mem::take(&mut self.shown);
        shown.resize(self.plant.c.nrows(), 0.0);
        self.evaluate_outputs(&mut shown);
        self.shown = shown;
    }

    /// A step along the Taylor series, which needs no more than rounding lets count.
    fn series(&mut self, h: f64) {
        let [term, next] = &mut self.term;
        term.copy_from_slice(&self.x);
        let mut factor = 1.0;
        for k in 1..=40 {
            next.fill(0.0);
            self.a.add(term, next);
            if let Some(u) = self.u.get(k - 1) {
                self.b.add(u, next);
            }
            std::mem::swap(term, next);
            factor *= h / k as f64;
            let mut largest: f64 = 0.0;
            for (x, term) in self.x.iter_mut().zip(term.iter()) {
                let change = factor * term;
                *x += change;
                largest = largest.max(change.abs());
            }
            if k > 3 && largest < 1e-18 {
                break;
            }
        }
        let [u, du, ddu] = &mut self.u;
        for i in 0..u.len() {
            u[i] += h * (du[i] + 0.5 * h * ddu[i]);
            du[i] += h * ddu[i];
        }
    }

    /// States and driven inputs by the classical Runge-Kutta method; whether the inputs went on.
    fn integrate(&mut self, driven: &mut dyn InputDerivatives, h: f64) -> bool {
        let parts = (h / 0.01).ceil().max(1.0);
        let (dt, n) = (h / parts, self.x.len());
        for part in 0..parts as usize {
            let begin = self.t + part as f64 * dt;
            let mut z: Vec<f64> = self.x.iter().chain(&self.u[0]).copied().collect();
            let mut goes_on = true;
            reference::step(begin, &mut z, dt, |t, z, dz| {
                let (x, u) = z.split_at(n);
                let (dx, du) = dz.split_at_mut(n);
                dx.copy_from_slice(&self.slopes(x, u));
                goes_on = goes_on && driven.derivatives(t, u, x, dx, du);
            });
            if !goes_on {
                return false;
            }
            self.x.copy_from_slice(&z[..n]);
            self.u[0].copy_from_slice(&z[n..]);
        }
        true
    }
}

impl Component for Linear {
    fn capabilities(&self) -> Capabilities {
        self.can
    }

    fn into_stepping(self: Box<Self>) -> Option<Box<dyn Stepping>> {
        Some(self)
    }

    fn into_model_exchange(mut self: Box<Self>) -> Option<Box<dyn ModelExchange>> {
        self.shows_states = true;
        Some(self)
    }

    fn variables(&self) -> Variables {
        let names = |letter: char, count: usize| (1..=count).map(move |k| format!("{letter}{k}"));
        let states = if self.shows_states { self.x.len() } else { 0 };
        Variables::default()
            .states(names('x', states).map(|name| State::new(name, 1.0)).collect())
            .inputs(names('u', self.u[0].len()).map(|name| (name, 0.0)).collect())
            .outputs(names('y', self.plant.c.nrows()).map(|name| (name, 1.0)).collect())
    }

    fn set_inputs(&mut self, u: &[f64]) -> Result<(), ComponentError> {
        self.u[0].copy_from_slice(u);
        self.u[1].fill(0.0);
        self.u[2].fill(0.0);
        Ok(())
    }

    fn enter_initialization(&mut self, t: f64, _: f64, _: Option<f64>) -> Result<(), ComponentError> {
        self.t = t;
        Ok(())
    }

    fn exit_initialization(&mut self) -> Result<(), ComponentError> {
        if !self.can.outputs_follow_inputs && !self.shows_states {
            self.show();
        }
        Ok(())
    }
}

impl Stepping for Linear {
    fn set_input_derivatives(&mut self, order: u32, du: &[f64]) -> Result<(), ComponentError> {
        assert!(
            order <= self.can.input_derivatives,
            "it cannot follow order {order}"
        );
        self.u[order as usize].copy_from_slice(du);
        Ok(())
    }

    fn outputs(&mut self, y: &mut [f64]) -> Result<(), ComponentError> {
        match self.can.outputs_follow_inputs || self.shown.is_empty() {
            true => self.evaluate_outputs(y),
            false => y.copy_from_slice(&self.shown),
        }
        Ok(())
    }

    fn output_derivatives(&mut self, order: u32, dy: &mut [f64]) -> Result<(), ComponentError> {
        assert!(order <= self.can.output_derivatives, "it has no order {order}");
        let first = self.slopes(&self.x, &self.u[0]);
        let slope = match order {
            1 => first,
            _ => self.slopes(&first, &self.u[1]),
        };
        dy.fill(0.0);
        self.c.add(&slope, dy);
        self.d.add(&self.u[order as usize], dy);
        Ok(())
    }

    fn feed_through(&mut self, matrix: &mut [f64]) -> Result<(), ComponentError> {
        matrix.copy_from_slice(&self.d.entries);
        Ok(())
    }

    fn step(&mut self, t: f64, h: f64, _: bool) -> Result<Outcome, ComponentError> {
        assert!((t - self.t).abs() < 1e-12, "called at {t}, is at {}", self.t);
        match self.driven.take() {
            None => self.series(h),
            Some(mut driven) => {
                let went_on = self.integrate(&mut *driven, h);
                self.driven = Some(driven);
                if !went_on {
                    return Ok(Outcome::Discarded { reached: None });
                }
            }
        }
        self.t = t + h;
        if !self.can.outputs_follow_inputs {
            self.show();
        }
        Ok(Outcome::Done)
    }

    fn save(&mut self, place: usize) -> Result<(), ComponentError> {
        assert!(self.can.snapshots, "it has no snapshots");
        let now = (self.t, self.x.clone(), self.u.clone(), self.shown.clone());
        if self.saved.len() <= place {
            self.saved.resize(place + 1, now.clone());
        }
        self.saved[place] = now;
        Ok(())
    }

    fn restore(&mut self, place: usize) -> Result<(), ComponentError> {
        (self.t, self.x, self.u, self.shown) = self.saved[place].clone();
        Ok(())
    }

    fn linearize(&mut self, linear: &mut stabilize::Linear) -> Result<(), ComponentError> {
        linear.x.copy_from_slice(&self.x);
        linear.dx.copy_from_slice(&self.slopes(&self.x, &self.u[0]));
        linear.a.copy_from(&self.plant.a);
        linear.b.copy_from(&self.plant.b);
        linear.c.copy_from(&self.plant.c);
        linear.d.copy_from(&self.plant.d);
        Ok(())
    }

    fn stabilize(&mut self, derivatives: Box<dyn InputDerivatives>) -> Result<(), ComponentError> {
        self.driven = Some(derivatives);
        Ok(())
    }
}

impl ModelExchange for Linear {
    fn couple(&mut self, inputs: &[usize], outputs: &[usize]) -> Result<Pattern, ComponentError> {
        assert_eq!(inputs.len(), self.u[0].len());
        self.asked = outputs.to_vec();
        let (rows, columns) = (self.x.len() + outputs.len(), self.x.len() + inputs.len());
        let whole = self.whole();
        let entries = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let entries = entries.filter(|&at| whole[at] != 0.0);
        Ok(Pattern::new(rows, columns, entries))
    }

    fn set_time(&mut self, time: f64) -> Result<(), ComponentError> {
        self.t = time;
        Ok(())
    }

    fn set_states(&mut self, x: &[f64]) -> Result<(), ComponentError> {
        self.x.copy_from_slice(x);
        Ok(())
    }

    fn states(&mut self, x: &mut [f64]) -> Result<(), ComponentError> {
        x.copy_from_slice(&self.x);
        Ok(())
    }

    fn derivatives(&mut self, dx: &mut [f64]) -> Result<(), ComponentError> {
        dx.copy_from_slice(&self.slopes(&self.x, &self.u[0]));
        Ok(())
    }

    fn some_outputs(&mut self, which: &[usize], y: &mut [f64]) -> Result<(), ComponentError> {
        let mut all = vec![0.0; self.plant.c.nrows()];
        Stepping::outputs(self, &mut all)?;
        for (y, &output) in y.iter_mut().zip(which) {
            *y = all[output];
        }
        Ok(())
    }

    fn partials(&mut self, _: &[f64], _: &[f64], values: &mut [f64]) -> Result<(), ComponentError> {
        let whole = self.whole();
        // By columns, as the pattern has them.
        let entries = whole.iter().filter(|entry| **entry != 0.0);
        for (value, entry) in values.iter_mut().zip(entries) {
            *value = *entry;
        }
        Ok(())
    }
}

impl Linear {
    /// a and b above those rows of c and d that take part.
    fn whole(&self) -> DMatrix<f64> {
        let Plant { a, b, c, d, .. } = &self.plant;
        let (n, m, p) = (a.nrows(), b.ncols(), self.asked.len());
        DMatrix::from_fn(n + p, n + m, |row, column| match (row < n, column < n) {
            (true, true) => a[(row, column)],
            (true, false) => b[(row, column - n)],
            (false, true) => c[(self.asked[row - n], column)],
            (false, false) => d[(self.asked[row - n], column - n)],
        })
    }
}
