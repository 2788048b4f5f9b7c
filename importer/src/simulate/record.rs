//! What is recorded of a simulation.

use std::collections::HashSet;

use fmu_results::table::{Column, Row, Values};
use fmu_standard::description::Causality;

use super::NotFinite;
use crate::{BaseType, Error, Fmu, Glob, Instance};

/// Reads recorded variables, without allocation once the texts have their size.
pub(super) struct Recorder {
    pub columns: Vec<Column>,
    references: [Vec<u32>; 4],
    values: Values,
    /// The names of the Real variables that are read: recorded ones first, then outputs that are not recorded.
    names: Vec<String>,
    /// The first value of them that was infinite or not a number.
    pub not_finite: Option<NotFinite>,
}

impl Recorder {
    /// The variables that fit one of the patterns; without patterns the outputs, or the states where there are none.
    pub fn new(fmu: &Fmu, patterns: &[Glob]) -> Self {
        let variables = &fmu.description().model_variables;
        // Derivatives that name no states do no harm to Co-Simulation, which does not need them.
        let states = fmu.continuous_states().unwrap_or_default();
        let states: Vec<usize> = states.iter().map(|state| state.state).collect();
        let has_outputs = variables
            .iter()
            .any(|variable| variable.causality == Causality::Output);
        let wanted = |position: usize| {
            let variable = &variables[position];
            match patterns {
                _ if variable.causality == Causality::Independent => false,
                [] if has_outputs => variable.causality == Causality::Output,
                [] => states.contains(&position),
                patterns => patterns.iter().any(|pattern| pattern.matches(&variable.name)),
            }
        };
        let mut recorder = Self {
            columns: Vec::new(),
            references: Default::default(),
            values: Values::default(),
            names: Vec::new(),
            not_finite: None,
        };
        for position in (0..variables.len()).filter(|position| wanted(*position)) {
            let variable = &variables[position];
            let base_type = BaseType::of(&variable.kind);
            if base_type == BaseType::Real {
                recorder.names.push(variable.name.clone());
            }
            recorder.references[base_type as usize].push(variable.value_reference);
            recorder.values.add(base_type.into());
            recorder.columns.extend(fmu.column(position));
        }
        // An output that is not recorded may be wrong as well.
        let reals = &mut recorder.references[BaseType::Real as usize];
        let mut read: HashSet<u32> = reals.iter().copied().collect();
        for variable in variables.iter().filter(|variable| {
            variable.causality == Causality::Output && BaseType::of(&variable.kind) == BaseType::Real
        }) {
            if read.insert(variable.value_reference) {
                reals.push(variable.value_reference);
                recorder.names.push(variable.name.clone());
            }
        }
        recorder.values.reals.resize(reals.len(), 0.0);
        recorder
    }

    pub fn read(&mut self, instance: &mut Instance, time: f64, event: bool) -> Result<Row<'_>, Error> {
        let [reals, integers, booleans, strings] = &self.references;
        let values = &mut self.values;
        if !reals.is_empty() {
            instance.get_reals(reals, &mut values.reals)?;
            if self.not_finite.is_none()
                && let Some(at) = values.reals.iter().position(|value| !value.is_finite())
            {
                self.not_finite = Some(NotFinite {
                    variable: self.names[at].clone(),
                    time,
                    value: values.reals[at],
                });
            }
        }
        if !integers.is_empty() {
            instance.get_integers(integers, &mut values.integers)?;
        }
        if !booleans.is_empty() {
            instance.get_booleans(booleans, &mut values.booleans)?;
        }
        if !strings.is_empty() {
            instance.get_strings(strings, &mut values.strings)?;
        }
        Ok(self.values.row(time, event))
    }
}
