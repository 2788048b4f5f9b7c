//! Whether the coupling is stable: judged before the first step, and watched during the run.

use super::Master;
use super::growth::{Growth, Runaway};
use super::plan::{StepPlan, Unknowns};
use crate::component::Capabilities;
use crate::error::Error;
use crate::settings::{Algorithm, Correction};
use crate::solve::{Sparse, Square, companion, eigenvalues, spectral_radius, spectral_radius_by_products};

/// Feed-through may change with time: it is computed again after this many steps, and less often while it does not change.
const LOOK_AGAIN: u64 = 8;
const RAREST: u64 = 256;

/// A loop that collects more than this is next to singular: its steps are not made smaller without end.
const MOST_LAG: f64 = 1e3;

/// What is watched during a run.
#[derive(Debug, Default)]
pub(super) struct Watch {
    pub growth: Growth,
    /// The number of steps after which the feed-through of loops is computed again.
    look_at_loops: u64,
}

impl Master {
    /// Refuses an algorithm that is unstable however small the step, or whose iterations cannot converge (Andersson 2016,
    /// table 6.1), where components report their feed-through.
    pub(super) fn foresee(&mut self) -> Result<(), Error> {
        self.look_at_loops()?;
        for number in 0..self.plan.loops.len() {
            if self.leaves_open(number) && !self.provides_feed_through(number) {
                let unknowns = &self.plan.loops[number];
                let names = self.loop_names(&unknowns.outputs, &unknowns.inputs).join(" -> ");
                self.warnings.push(format!(
                    "whether the algebraic loop {names} is stable cannot be foreseen: a component does not provide its \
                     feed-through"
                ));
            }
        }
        Ok(())
    }

    /// Looks at what a step has led to.
    #[inline]
    pub(super) fn watch(&mut self) -> Result<(), Error> {
        if let Some(runaway) = self.memory.watch.growth.look(&self.state.values.y) {
            return self.runs_away(runaway);
        }
        if !self.plan.loops.is_empty() && self.statistics.steps >= self.memory.watch.look_at_loops {
            return self.look_at_loops();
        }
        Ok(())
    }

    #[cold]
    fn runs_away(&mut self, runaway: Runaway) -> Result<(), Error> {
        let Runaway {
            output,
            beyond,
            factor,
            sudden,
        } = runaway;
        let value = self.state.values.y[output];
        if (sudden || value.is_nan())
            && let Some(error) = self.not_finite()
        {
            return Err(error);
        }
        if value.is_finite()
            && !self.settings.insist
            && self.grows_by_itself(factor.unwrap_or(f64::INFINITY))?
        {
            return Ok(());
        }
        let grows = factor.map_or_else(String::new, |factor| {
            format!(" and grows by a factor of {factor:.2} from step to step")
        });
        let error = Error::Diverged {
            variable: self.coupling.outputs[output].name.clone(),
            time: self.state.t,
            value,
            grows,
            advice: self.way_out(),
        };
        // With `insist` large numbers are accepted, up to a point.
        match self.settings.insist && !beyond {
            true => Ok(()),
            false => Err(error),
        }
    }

    /// The error of an output that is not a number or infinite at the time that is reached, if there is one. Of several it is
    /// one whose component is fed with numbers only: others may only pass on what they got.
    pub(super) fn not_finite(&self) -> Option<Error> {
        let structure = self.coupling.structure();
        let y = &self.state.values.y;
        let sources = |output: usize| {
            let inputs = self.coupling.inputs_of(structure.outputs[output]);
            structure.sources[inputs].iter().flatten()
        };
        let is_own = |output: &usize| sources(*output).all(|source| y[*source].is_finite());
        let mut all = (0..y.len()).filter(|&output| !y[output].is_finite());
        let output = all.clone().find(is_own).or_else(|| all.next())?;
        Some(Error::NotANumber {
            variable: self.coupling.outputs[output].name.clone(),
            time: self.state.t,
            infinite: y[output].is_infinite(),
            inputs_are_finite: sources(output).next().is_some() && is_own(&output),
        })
    }

    /// What to do about values that grow, as far as the components allow it.
    fn way_out(&mut self) -> &'static str {
        let count = self.components.len();
        let mut all =
            |has: fn(&Capabilities) -> bool| (0..count).all(|component| has(&self.place(component).can));
        let snapshots = all(|can| can.snapshots && can.variable_step);
        let corrects = all(|can| can.directional_derivatives) || all(|can| can.outputs_follow_inputs);
        let explicit = matches!(
            self.settings.algorithm,
            Algorithm::Jacobi | Algorithm::GaussSeidel
        );
        let corrected = self.plan.loops.is_empty() || self.settings.correction != Correction::None;
        match (explicit, snapshots, corrects && !corrected) {
            (false, ..) => {
                "Take a smaller step or error control; if it stays so, the coupled system itself is unstable"
            }
            (true, true, true) => "Take a smaller step, error control, a correction, or the algorithm newton",
            (true, true, false) => "Take a smaller step, error control, or the algorithm newton",
            (true, false, true) => "Take a smaller step or a correction",
            (true, false, false) => {
                "Take a smaller step; if it stays so, the coupled system itself is unstable, and insist = true lets it grow"
            }
        }
    }

    /// Whether the algorithm leaves an algebraic loop to be closed by one step after another.
    fn leaves_open(&self, number: usize) -> bool {
        let closed = match self.settings.algorithm {
            Algorithm::Newton => true,
            // A correction comes after the iterations, which have to converge by themselves.
            Algorithm::IteratedGaussSeidel => false,
            Algorithm::Jacobi | Algorithm::GaussSeidel | Algorithm::Stabilized => {
                self.settings.correction != Correction::None
            }
        };
        if closed {
            return false;
        }
        let components = &self.plan.loops[number].components;
        let mut units = self.plan.groups.iter().flat_map(|group| &group.units);
        let solved = units.any(|unit| {
            unit.algorithm == Algorithm::Newton
                && unit.components.len() > 1
                && components.iter().all(|one| unit.components.contains(one))
        });
        !solved
    }

    pub(super) fn provides_feed_through(&mut self, number: usize) -> bool {
        let components = std::mem::take(&mut self.plan.loops[number].components);
        let all_provide = components
            .iter()
            .all(|&component| self.place(component).can.directional_derivatives);
        self.plan.loops[number].components = components;
        all_provide
    }

    fn look_at_loops(&mut self) -> Result<(), Error> {
        let steps = self.statistics.steps;
        self.memory.watch.look_at_loops = steps + steps.clamp(LOOK_AGAIN, RAREST);
        for number in 0..self.plan.loops.len() {
            if !self.leaves_open(number) || !self.provides_feed_through(number) {
                continue;
            }
            let mut unknowns = std::mem::take(&mut self.plan.loops[number]);
            let looked = self.look_at_loop(&mut unknowns);
            self.plan.loops[number] = unknowns;
            looked?;
        }
        Ok(())
    }

    /// The spectral radius of the feed-through around a loop, where all components step at once; `None` if one does
    /// not provide it.
    pub(super) fn radius_of(&mut self, unknowns: &mut Unknowns) -> Result<Option<f64>, Error> {
        if !self.try_feed_through(&unknowns.components)? {
            return Ok(None);
        }
        if self.look_around(unknowns) {
            unknowns.seen = None;
        }
        let held = vec![self.settings.quadratic.weights(0); unknowns.inputs.len()];
        let ready = vec![false; unknowns.inputs.len()];
        Ok(Some(radius_around(&unknowns.around, &ready, &held)))
    }

    /// Takes over how the inputs of a loop follow each other, by the feed-through that was asked for, and answers
    /// whether that is new.
    fn look_around(&mut self, unknowns: &mut Unknowns) -> bool {
        let mut is_new = false;
        for row in 0..unknowns.inputs.len() {
            for (column, entry) in unknowns.around.row_mut(row) {
                let gain = self.gain(unknowns.inputs[row], unknowns.inputs[column]);
                is_new |= *entry != gain;
                *entry = gain;
            }
        }
        is_new
    }

    fn look_at_loop(&mut self, unknowns: &mut Unknowns) -> Result<(), Error> {
        if !self.try_feed_through(&unknowns.components)? {
            return Ok(());
        }
        let algorithm = self.settings.algorithm;
        let iterates = algorithm.repeats();
        // Inputs that end at new outputs, or go on from where they were, have slopes that are differences, and derivatives
        // of outputs follow those through feed-through. (With smoothing Andersson 2016 loses a term from equation 6.71 to
        // 6.73, and has the radius of reported derivatives in table 6.5.)
        let smoothing = self.settings.smoothing;
        let order_of = |plan: &StepPlan, input: usize| match plan.orders[input] {
            _ if iterates => 0,
            order if !plan.from_source[input] || algorithm == Algorithm::GaussSeidel => order,
            order if smoothing => order.min(1),
            _ => 0,
        };
        let orders = unknowns.inputs.iter().map(|&input| order_of(&self.plan, input));
        let order = orders.max().unwrap_or(0);
        let is_new = self.look_around(unknowns);
        if is_new {
            self.memory.watch.look_at_loops = self.statistics.steps + LOOK_AGAIN;
        }
        let radius = match unknowns.seen {
            Some(radius) if !is_new => radius,
            _ => {
                let orders = unknowns.inputs.iter().map(|&input| order_of(&self.plan, input));
                let quadratic = self.settings.quadratic;
                let weights: Vec<&[f64]> = orders.map(|order| quadratic.weights(order)).collect();
                radius_around(&unknowns.around, &self.ready(unknowns), &weights)
            }
        };
        if is_new && self.settings.control.is_some() && !iterates {
            unknowns.lag = lag(&unknowns.around);
        }
        unknowns.seen = Some(radius);
        // Eigenvalues on the unit circle are stable (table 6.1). Those of differences are multiple there, and rounding
        // spreads them by the root of its own size; of large loops the radius is known to a few percent only.
        let rounding = match order {
            _ if unknowns.inputs.len() > LARGE => 0.05,
            0 => 1e-9,
            1 => 1e-7,
            _ => 1e-4,
        };
        if radius <= 1.0 + rounding {
            return Ok(());
        }
        let name = algorithm.as_str();
        let error = Error::Unstable {
            algorithm: match (iterates, order) {
                (true, _) => format!("{name} does not converge"),
                (false, 0) => format!("{name} is unstable"),
                (false, order) => {
                    format!("{name} with inputs extrapolated by differences of order {order} is unstable")
                }
            },
            variables: self.loop_names(&unknowns.outputs, &unknowns.inputs),
            time: self.state.t,
            radius,
            instead: match iterates {
                // A correction comes after the iterations, which have to converge by themselves.
                true => "Take the algorithm newton",
                false => "Take correction = \"linear\" or \"consistent\", or the algorithm newton",
            },
        };
        if !self.settings.insist {
            return Err(error);
        }
        if self.statistics.unstable == 0 {
            self.warnings.push(error.to_string());
        }
        self.statistics.unstable += 1;
        Ok(())
    }

    /// The largest factor by which algebraic loops that this component belongs to, and that steps close one after another,
    /// make the error of a step larger.
    pub(super) fn lag(&self, component: usize) -> f64 {
        let loops = self.plan.loops.iter();
        let own = loops.filter(|unknowns| unknowns.components.contains(&component));
        own.map(|unknowns| unknowns.lag).fold(1.0, f64::max)
    }

    /// The inputs of a loop whose sources step before the components that have them.
    fn ready(&self, unknowns: &Unknowns) -> Vec<bool> {
        if self.settings.algorithm.at_once() {
            return vec![false; unknowns.inputs.len()];
        }
        let mut place = vec![0; self.components.len()];
        let units = self.plan.groups.iter().flat_map(|group| &group.units);
        for (at, component) in units.flat_map(|unit| &unit.components).enumerate() {
            place[*component] = at;
        }
        let of = |component: usize| place[unknowns.components[component]];
        (0..unknowns.inputs.len())
            .map(|unknown| of(unknowns.source[unknown]) < of(unknowns.owner[unknown]))
            .collect()
    }
}

/// Beyond so many unknowns eigenvalues take too long.
const LARGE: usize = 200;

/// By how much an error of the inputs of a loop grows from step to step, or from iteration to iteration, for steps of size
/// 0. With `A`, how inputs follow inputs, and `P`, which takes those that are ready, it is carried on by
/// `A (I - P A)^-1 (I - P)`.
fn radius_around(a: &Sparse, ready: &[bool], weights: &[&[f64]]) -> f64 {
    let n = a.len();
    let mut inner = vec![0.0; n];
    // Each input that is ready follows from inputs that were ready before it: a chain that ends.
    let mut carry = |x: &[f64], y: &mut [f64]| {
        for (inner, (x, ready)) in inner.iter_mut().zip(x.iter().zip(ready)) {
            *inner = if *ready { 0.0 } else { *x };
        }
        for _ in 0..n {
            a.multiply(&inner, y);
            let mut changed = false;
            for ((inner, y), _) in inner.iter_mut().zip(&*y).zip(ready).filter(|(_, ready)| **ready) {
                changed |= *inner != *y;
                *inner = *y;
            }
            if !changed {
                break;
            }
        }
        a.multiply(&inner, y);
    };
    if n <= LARGE {
        let mut matrix = Square::zeros(n);
        let (mut x, mut y) = (vec![0.0; n], vec![0.0; n]);
        for column in 0..n {
            x[column] = 1.0;
            carry(&x, &mut y);
            x[column] = 0.0;
            y.iter()
                .enumerate()
                .for_each(|(row, y)| matrix[(row, column)] = *y);
        }
        return spectral_radius(&companion(&matrix, weights));
    }
    let longest = weights.iter().map(|weights| weights.len()).max().unwrap_or(1);
    let mut ahead = vec![0.0; n];
    spectral_radius_by_products(n * longest, |x, y| {
        for (input, ahead) in ahead.iter_mut().enumerate() {
            let earlier = weights[input].iter().enumerate();
            *ahead = earlier.map(|(age, weight)| weight * x[age * n + input]).sum();
        }
        let (newest, older) = y.split_at_mut(n);
        carry(&ahead, newest);
        older.copy_from_slice(&x[..older.len()]);
    })
}

/// How much larger the error is that a loop collects over many steps than the one that a whole step and two halves show. Each
/// step brings one more term of the series 1 + lambda + lambda^2 + ..., whose sum is 1 / (1 - lambda).
fn lag(around: &Sparse) -> f64 {
    let n = around.len();
    if n > LARGE {
        return 1.0;
    }
    let mut matrix = nalgebra::DMatrix::zeros(n, n);
    for row in 0..n {
        for (column, entry) in around.row(row) {
            matrix[(row, column)] = entry;
        }
    }
    let all = eigenvalues(&matrix).unwrap_or_default();
    let sums = all.iter().map(|one| 1.0 / (one - 1.0).norm());
    sums.fold(1.0, f64::max).min(MOST_LAG)
}
