//! Matrices of partial derivatives: exact ones by `fmi2GetDirectionalDerivative`, differences where the FMU has none,
//! in as few evaluations as the declared dependencies allow (Andersson, Åkesson and Führer 2016, 4.1).

use std::collections::HashMap;

use fmi::description::{DependencyKind, ModelDescription, ScalarVariable, Unknown, VariableKind};
use fmu_numerics::Pattern;

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
        let real = |index: u32| {
            let variable = (index as usize).checked_sub(1).and_then(|at| variables.get(at));
            variable.filter(|variable| matches!(variable.kind, VariableKind::Real { .. }))
        };
        let column_of = |variable: &ScalarVariable| columns.get(&variable.value_reference);
        let mut entries = Vec::new();
        for (row, unknown) in self.unknowns.iter().enumerate() {
            let Some(dependencies) = &unknown.dependencies else {
                entries.extend((0..self.knowns.len()).map(|column| (row, column, false)));
                continue;
            };
            let kinds = unknown.dependencies_kind.as_deref().unwrap_or_default();
            let first = entries.len();
            for (at, index) in dependencies.iter().enumerate() {
                let column = real(*index).and_then(&column_of);
                let kind = kinds.get(at).copied().unwrap_or(DependencyKind::Dependent);
                entries.extend(column.map(|column| (row, *column, kind != DependencyKind::Dependent)));
            }
            // An output that is itself a state depends on it. Some FMUs do not list that.
            if let Some(&column) = real(unknown.index).and_then(&column_of)
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
            if let Ok(at) = pattern.column(*column).binary_search(row) {
                stays[pattern.range(*column).start + at] = false;
            }
        }
        let groups = if compressed {
            pattern.groups()
        } else {
            (0..knowns.len()).map(|column| vec![column]).collect()
        };
        let varying = match stays.contains(&true) {
            true => pattern.groups_for(|position| !stays[position]),
            false => groups.clone(),
        };
        let unknowns: Vec<u32> = of
            .unknowns
            .iter()
            .map(|unknown| reference(unknown.index as usize - 1))
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

    /// Looks for an unknown that depends on more than is declared, and returns its row: along a direction in which all
    /// knowns change, `values` must give what the FMU gives. Takes one evaluation.
    pub fn find_undeclared(
        &mut self,
        instance: &mut ModelExchange,
        at: &[f64],
        values: &[f64],
    ) -> Result<Option<usize>, Error> {
        // Of different sizes, so that two missing entries do not cancel each other.
        let weight = |column: usize| 1.0 + (column as f64 * 0.618_033_988_749_895).fract();
        let (mut step, mut noise) = (vec![0.0; at.len()], vec![0.0; self.unknowns.len()]);
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
            for (noise, (result, base)) in noise.iter_mut().zip(self.result.iter_mut().zip(&self.base)) {
                *noise = SOLVED_TO * base.abs();
                *result -= base;
            }
        }
        let mut sizes = vec![0.0; self.unknowns.len()];
        for (column, step) in step.iter().enumerate() {
            for position in self.pattern.range(column) {
                let (row, part) = (self.pattern.row(position), values[position] * step);
                self.result[row] -= part;
                sizes[row] += part.abs();
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
            let size = at[*column].abs().max(self.scales[*column]);
            self.moved[*column] += f64::EPSILON.sqrt() * size;
        }
        let moved = std::mem::take(&mut self.moved);
        let result = self
            .set(instance, &moved)
            .and_then(|()| instance.get_reals(&self.unknowns, &mut self.result));
        self.moved = moved;
        result?;
        self.evaluations += 1;
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
