//! Matrices of partial derivatives: exact ones by `fmi2GetDirectionalDerivative`, differences where the FMU has none,
//! in as few evaluations as the declared dependencies allow (Andersson, Åkesson and Führer 2016, 4.1).

use std::collections::HashMap;

use fmu_numerics::{Coloring, Pattern};
use fmu_standard::description::{DependencyKind, ModelDescription, Unknown, VariableKind};

use crate::{Error, Fmu, ModelExchange};

/// FMUs that solve equations inside give values that are right to this part.
const SOLVED_TO: f64 = 1e-10;

/// What partial derivatives are taken of and by, and where they may differ from zero.
#[derive(Clone, Debug)]
pub struct Partials {
    unknowns: Vec<u32>,
    knowns: Vec<u32>,
    /// How many of the knowns, which come first, are all continuous states in their order.
    states: usize,
    pattern: Pattern,
    /// Columns that are found together.
    groups: Vec<Vec<usize>>,
    /// The same, once the entries that stay between events are known.
    varying: Vec<Vec<usize>>,
    /// Entries that stay between events: their `dependenciesKind` says that the factor does not change.
    stays: Vec<bool>,
    /// All entries as they were found last; those that stay are true until [`Partials::forget`].
    known: Option<Vec<f64>>,
    exact: bool,
    /// Sizes of the knowns, for differences.
    scales: Vec<f64>,
    seed: Vec<f64>,
    result: Vec<f64>,
    base: Vec<f64>,
    moved: Vec<f64>,
    /// While declared dependencies are checked column by column: the largest change of each unknown by a known that it
    /// does not declare.
    beside: Option<Vec<f64>>,
    /// Calls of `fmi2GetDirectionalDerivative`.
    pub calls: usize,
    /// Evaluations for differences.
    pub evaluations: usize,
}

/// Positions in `model_variables` of what a matrix is made of.
pub struct Of<'a> {
    /// What partial derivatives are of: entries of the model structure.
    pub unknowns: Vec<&'a Unknown>,
    /// What they are by. States first, all of them and in their order; then inputs.
    pub knowns: Vec<usize>,
    /// How many of them are states: all or none.
    pub states: usize,
}

impl Of<'_> {
    /// Where the declared dependencies let entries differ from zero.
    pub fn pattern(&self, description: &ModelDescription) -> Pattern {
        let entries = self.entries(description).into_iter();
        let places = entries.map(|(row, column, _)| (row, column));
        Pattern::new(self.unknowns.len(), self.knowns.len(), places)
    }

    /// The entries that dependencies declare, each with whether it stays between events. An unknown without
    /// dependencies depends on all.
    fn entries(&self, description: &ModelDescription) -> Vec<(usize, usize, bool)> {
        let variables = &description.model_variables;
        let reference = |position: usize| variables[position].value_reference;
        let knowns = self.knowns.iter().enumerate();
        let columns: HashMap<u32, usize> = knowns.map(|(at, known)| (reference(*known), at)).collect();
        // The column of a known; only Reals have one.
        let column_of = |position: usize| {
            let variable = variables.get(position)?;
            let is_real = matches!(variable.kind, VariableKind::Real { .. });
            columns
                .get(&variable.value_reference)
                .copied()
                .filter(|_| is_real)
        };
        let mut entries = Vec::new();
        for (row, unknown) in self.unknowns.iter().enumerate() {
            let Some(dependencies) = unknown.depends_on() else {
                entries.extend((0..self.knowns.len()).map(|column| (row, column, false)));
                continue;
            };
            let first = entries.len();
            for (position, kind) in dependencies {
                let column = column_of(position);
                entries.extend(column.map(|column| (row, column, kind != DependencyKind::Dependent)));
            }
            // An output that is itself a state depends on it. Some FMUs do not list that.
            if let Some(column) = unknown.variable.position().and_then(column_of)
                && !entries[first..].iter().any(|entry| entry.1 == column)
            {
                entries.push((row, column, true));
            }
        }
        entries
    }
}

impl Partials {
    /// `compressed` finds columns together that the dependencies let be found together.
    pub fn new(fmu: &Fmu, of: &Of, compressed: bool) -> Self {
        let variables = &fmu.description().model_variables;
        let reference = |position: usize| variables[position].value_reference;
        let knowns: Vec<u32> = of.knowns.iter().map(|position| reference(*position)).collect();
        let entries = of.entries(fmu.description());
        let places = entries.iter().map(|(row, column, _)| (*row, *column));
        let pattern = Pattern::new(of.unknowns.len(), knowns.len(), places);
        let mut stays = vec![compressed; pattern.entries()];
        for (row, column, _) in entries.iter().filter(|(_, _, stays)| !stays) {
            if let Some(position) = pattern.position(*row, *column) {
                stays[position] = false;
            }
        }
        let groups = if compressed {
            Coloring::new(pattern.clone()).groups()
        } else {
            (0..knowns.len()).map(|column| vec![column]).collect()
        };
        let varying = match stays.contains(&true) {
            true => Coloring::of_entries(pattern.clone(), |position| !stays[position]).groups(),
            false => groups.clone(),
        };
        let unknowns: Vec<u32> = of
            .unknowns
            .iter()
            .filter_map(|unknown| unknown.variable.position().map(reference))
            .collect();
        let interface = fmu.description().model_exchange.as_ref().map(|me| &me.interface);
        let scales = of.knowns.iter().map(|position| nominal(fmu, *position)).collect();
        Self {
            seed: vec![0.0; knowns.len()],
            result: vec![0.0; unknowns.len()],
            base: vec![0.0; unknowns.len()],
            moved: vec![0.0; knowns.len()],
            scales,
            states: of.states,
            exact: interface.is_some_and(|interface| interface.provides_directional_derivative),
            unknowns,
            knowns,
            pattern,
            groups,
            varying,
            stays,
            known: None,
            beside: None,
            calls: 0,
            evaluations: 0,
        }
    }

    /// Where entries are.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// How many evaluations one matrix takes, once what stays is known.
    pub fn groups(&self) -> usize {
        self.varying.len()
    }

    /// After an event, factors may be others that stay until the next one.
    pub fn forget(&mut self) {
        self.known = None;
    }

    /// Whether entries are exact, and not differences.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// The entries at the values that the instance has, which are `at` for the knowns; in the order of the pattern.
    pub fn evaluate(
        &mut self,
        instance: &mut ModelExchange,
        at: &[f64],
        values: &mut [f64],
    ) -> Result<(), Error> {
        // Differences are too inexact to be kept.
        let known = self.known.take().filter(|_| self.exact);
        let groups = match &known {
            Some(known) => {
                values.copy_from_slice(known);
                std::mem::take(&mut self.varying)
            }
            None => std::mem::take(&mut self.groups),
        };
        let result = match self.exact {
            true => self.directional(instance, &groups, known.is_some(), values),
            false => self.differences(instance, at, &groups, values),
        };
        match known {
            Some(known) => (self.varying, self.known) = (groups, Some(known)),
            None => {
                self.groups = groups;
                if result.is_ok() && self.stays.contains(&true) {
                    self.known = Some(values.to_vec());
                }
            }
        }
        result
    }

    /// Whether each column is found alone.
    pub fn is_alone(&self) -> bool {
        self.groups.iter().all(|group| group.len() == 1)
    }

    /// The same as [`Partials::evaluate`], and looks for an unknown that depends on more than is declared; the answer is
    /// its row. Where each column is found alone, this takes no further evaluation, and otherwise one.
    pub fn evaluate_and_check(
        &mut self,
        instance: &mut ModelExchange,
        at: &[f64],
        values: &mut [f64],
    ) -> Result<Option<usize>, Error> {
        if !self.is_alone() {
            self.evaluate(instance, at, values)?;
            return self.find_along_all(instance, at, values);
        }
        self.beside = Some(vec![0.0; self.unknowns.len()]);
        let evaluated = self.evaluate(instance, at, values);
        let beside = self.beside.take().unwrap_or_default();
        evaluated?;
        let step: Vec<f64> = match self.exact {
            true => vec![1.0; at.len()],
            false => (0..at.len())
                .map(|column| self.moved_to(at, column) - at[column])
                .collect(),
        };
        let (sizes, noise) = (self.sizes(values, &step), self.noise());
        let largest = sizes.iter().copied().fold(0.0, f64::max);
        // Exact derivatives of solved equations are less exact than those of explicit ones.
        let part = if self.exact { 1e-6 } else { 1e-2 };
        let differs = |row: &usize| beside[*row] > part * sizes[*row] + noise[*row] + SOLVED_TO * largest;
        Ok((0..beside.len()).find(differs))
    }

    /// Notes how much unknowns have changed by a known that they do not declare.
    fn note_beside(&mut self, column: usize, change: impl Fn(&Self, usize) -> f64) {
        let Some(mut beside) = self.beside.take() else {
            return;
        };
        let mut declared = self.pattern.column(column).iter().peekable();
        for (row, largest) in beside.iter_mut().enumerate() {
            match declared.next_if_eq(&&row) {
                Some(_) => {}
                None => *largest = largest.max(change(self, row).abs()),
            }
        }
        self.beside = Some(beside);
    }

    /// How much each unknown changes along a step, without regard to signs.
    fn sizes(&self, values: &[f64], step: &[f64]) -> Vec<f64> {
        let mut sizes = vec![0.0; self.unknowns.len()];
        for (column, step) in step.iter().enumerate() {
            for position in self.pattern.range(column) {
                sizes[self.pattern.row(position)] += (values[position] * step).abs();
            }
        }
        sizes
    }

    /// How inexact each difference is.
    fn noise(&self) -> Vec<f64> {
        let noise = |base: &f64| if self.exact { 0.0 } else { SOLVED_TO * base.abs() };
        self.base.iter().map(noise).collect()
    }

    /// Where a known is moved to for a difference.
    fn moved_to(&self, at: &[f64], column: usize) -> f64 {
        at[column] + f64::EPSILON.sqrt() * at[column].abs().max(self.scales[column])
    }

    /// Looks for an unknown that depends on more than is declared: along a direction in which all knowns change, `values`
    /// must give what the FMU gives. Takes one evaluation.
    fn find_along_all(
        &mut self,
        instance: &mut ModelExchange,
        at: &[f64],
        values: &[f64],
    ) -> Result<Option<usize>, Error> {
        // Of different sizes, so that two missing entries do not cancel each other.
        let weight = |column: usize| 1.0 + (column as f64 * 0.618_033_988_749_895).fract();
        let mut step = vec![0.0; at.len()];
        if self.exact {
            step.iter_mut()
                .enumerate()
                .for_each(|(column, step)| *step = weight(column));
            instance.directional_derivative(&self.unknowns, &self.knowns, &step, &mut self.result)?;
            self.calls += 1;
        } else {
            let size = |column: usize| at[column].abs().max(self.scales[column]);
            let moved: Vec<f64> = (0..at.len())
                .map(|column| at[column] + f64::EPSILON.sqrt() * size(column) * weight(column))
                .collect();
            let read = self
                .set(instance, &moved)
                .and_then(|()| instance.get_reals(&self.unknowns, &mut self.result));
            self.set(instance, at)?;
            read?;
            self.evaluations += 1;
            step = moved.iter().zip(at).map(|(moved, at)| moved - at).collect();
            for (result, base) in self.result.iter_mut().zip(&self.base) {
                *result -= base;
            }
        }
        let (sizes, noise) = (self.sizes(values, &step), self.noise());
        for (column, step) in step.iter().enumerate() {
            for position in self.pattern.range(column) {
                self.result[self.pattern.row(position)] -= values[position] * step;
            }
        }
        let largest = sizes.iter().copied().fold(0.0, f64::max);
        let differs =
            |row: &usize| self.result[*row].abs() > 1e-2 * sizes[*row] + noise[*row] + SOLVED_TO * largest;
        Ok((0..self.unknowns.len()).find(differs))
    }

    fn directional(
        &mut self,
        instance: &mut ModelExchange,
        groups: &[Vec<usize>],
        varying_only: bool,
        values: &mut [f64],
    ) -> Result<(), Error> {
        for group in groups {
            for column in group {
                self.seed[*column] = 1.0;
            }
            let result =
                instance.directional_derivative(&self.unknowns, &self.knowns, &self.seed, &mut self.result);
            for column in group {
                self.seed[*column] = 0.0;
            }
            result?;
            self.calls += 1;
            if let [column] = group[..] {
                self.note_beside(column, |partials, row| partials.result[row]);
            }
            for column in group {
                for position in self.pattern.range(*column) {
                    if !(varying_only && self.stays[position]) {
                        values[position] = self.result[self.pattern.row(position)];
                    }
                }
            }
        }
        Ok(())
    }

    fn differences(
        &mut self,
        instance: &mut ModelExchange,
        at: &[f64],
        groups: &[Vec<usize>],
        values: &mut [f64],
    ) -> Result<(), Error> {
        instance.get_reals(&self.unknowns, &mut self.base)?;
        self.evaluations += 1;
        let result = groups
            .iter()
            .try_for_each(|group| self.difference(instance, at, group, values));
        self.set(instance, at)?;
        result
    }

    fn difference(
        &mut self,
        instance: &mut ModelExchange,
        at: &[f64],
        group: &[usize],
        values: &mut [f64],
    ) -> Result<(), Error> {
        self.moved.copy_from_slice(at);
        for column in group {
            self.moved[*column] = self.moved_to(at, *column);
        }
        let moved = std::mem::take(&mut self.moved);
        let result = self
            .set(instance, &moved)
            .and_then(|()| instance.get_reals(&self.unknowns, &mut self.result));
        self.moved = moved;
        result?;
        self.evaluations += 1;
        if let [column] = *group {
            self.note_beside(column, |partials, row| partials.result[row] - partials.base[row]);
        }
        for column in group {
            // What was really added, after rounding.
            let step = self.moved[*column] - at[*column];
            for position in self.pattern.range(*column) {
                let row = self.pattern.row(position);
                values[position] = (self.result[row] - self.base[row]) / step;
            }
        }
        Ok(())
    }

    fn set(&self, instance: &mut ModelExchange, values: &[f64]) -> Result<(), Error> {
        let (states, inputs) = values.split_at(self.states);
        if !states.is_empty() {
            instance.set_continuous_states(states)?;
        }
        if !inputs.is_empty() {
            instance.set_reals(&self.knowns[self.states..], inputs)?;
        }
        Ok(())
    }
}

/// The declared size of a Real variable, 1 where none is.
fn nominal(fmu: &Fmu, position: usize) -> f64 {
    let attributes = fmu.real_attributes(position);
    let nominal = attributes
        .and_then(|attributes| attributes.nominal)
        .unwrap_or(1.0);
    if nominal.is_finite() && nominal != 0.0 {
        nominal.abs()
    } else {
        1.0
    }
}
