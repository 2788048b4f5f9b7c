//! The FMUs of a system under one solver.

use fmu_importer::simulate::SolverStep;
use fmu_importer::{BaseType, Fmu};
use fmu_results::table::Sink;
use fmu_standard::description::Causality;

use super::super::units::conversion;
use super::super::{Sum, System, SystemError};
use super::couple::{diagram, recorder};
use super::open::instantiate;
use super::{AssembleOptions, RunError, Variable, Workshop};
use crate::End;
use crate::aggregate::{Aggregate, Assembly, FmuModel};
use crate::coupling::Link;
use crate::picture::Diagram;
use crate::record::Recorder;
use crate::settings::Interface;

/// A system under one solver that is ready to run.
pub struct AssembledAggregate {
    /// All FMUs, not initialized.
    pub aggregate: Aggregate,
    /// Reads all that shall be recorded.
    pub recorder: Recorder,
    /// The picture of it.
    pub diagram: Diagram,
    /// What was tolerated.
    pub warnings: Vec<String>,
}

pub(in super::super) fn assemble(
    system: &System,
    options: &AssembleOptions,
) -> Result<AssembledAggregate, SystemError> {
    let (mut workshop, signals) = Workshop::open(system, options, Some(Interface::ModelExchange))?;
    let mut assembly = Assembly::new();
    assembly.signals(signals);
    let mut warnings = std::mem::take(&mut workshop.warnings);
    for (component, opened) in system.components.iter().zip(&workshop.opened) {
        let instance = instantiate(component, opened, options, Fmu::model_exchange_with)?;
        let said = opened.fmu.warnings();
        warnings.extend(
            said.iter()
                .map(|warning| format!("{}: {warning}", component.name)),
        );
        assembly.add(&component.name, FmuModel::new(instance));
    }
    workshop.wire(&mut assembly);
    let mut summed = Vec::new();
    for sum in &system.sums {
        summed.push(workshop.sum(sum, &mut assembly)?);
    }
    let mut aggregate = assembly.build(system.settings)?;
    let coupling = aggregate.coupling();
    let (recorder, _) = recorder(&mut workshop, coupling, &summed)?;
    warnings.append(&mut workshop.warnings);
    Ok(AssembledAggregate {
        diagram: diagram(&workshop, coupling),
        aggregate,
        recorder,
        warnings,
    })
}

impl Workshop<'_> {
    /// Hands all connections on.
    fn wire(&self, assembly: &mut Assembly) {
        let components = 0..self.opened.len();
        let all =
            components.flat_map(|component| self.real_outputs(component).map(move |at| (component, at)));
        let outputs: Vec<String> = all.map(|output| self.full_name(output)).collect();
        for (number, opened) in self.opened.iter().enumerate() {
            for (position, link) in &opened.fed {
                let to = self.full_name((number, *position));
                match *link {
                    Link::Output { output, gain, offset } => {
                        assembly.connect_with(&outputs[output], &to, gain, offset)
                    }
                    Link::Signal(signal) => assembly.give(signal, &to),
                    Link::Fixed(value) => assembly.fix(&to, value),
                };
            }
            for (position, held) in &opened.held {
                let (from, to) = (self.full_name(held.from), self.full_name((number, *position)));
                match held.map.is_empty() {
                    true => assembly.connect_discrete_with(&from, &to, held.gain, held.offset),
                    false => assembly.connect_discrete_by(&from, &to, held.map.clone()),
                };
            }
            for given in &opened.values {
                let name = self.full_name((number, given.position));
                if let fmu_importer::Value::Real(value) = given.value {
                    assembly.guess(&name, value);
                }
            }
        }
    }

    /// An input that is fed by a sum, with units converted.
    fn sum(&self, sum: &Sum, assembly: &mut Assembly) -> Result<Variable, SystemError> {
        let place = &sum.place;
        let to = self.find(&sum.to, place)?;
        let is = |variable: Variable, causality: Causality| {
            let found = self.variable(variable).causality;
            match found == causality && self.base_type(variable) == BaseType::Real {
                true => Ok(()),
                false => {
                    let name = self.full_name(variable);
                    Err(SystemError::wrong(
                        place,
                        format!(
                            "{name} is not a Real {causality}: a sum is of Real outputs for a Real input"
                        ),
                    ))
                }
            }
        };
        is(to, Causality::Input)?;
        let (mut terms, mut offset) = (Vec::new(), sum.offset);
        for (name, gain) in &sum.terms {
            let from = self.find(name, place)?;
            is(from, Causality::Output)?;
            let (factor, shift) = match sum.convert {
                false => (1.0, 0.0),
                true => conversion(&self.measure(from), &self.measure(to)).map_err(|problem| {
                    SystemError::wrong(place, format!("{name} -> {}: {problem}", sum.to))
                })?,
            };
            offset += gain * shift;
            terms.push((self.full_name(from), gain * factor));
        }
        let terms: Vec<(&str, f64)> = terms.iter().map(|(name, gain)| (name.as_str(), *gain)).collect();
        assembly.sum(&terms, offset, &self.full_name(to));
        Ok(to)
    }
}

impl AssembledAggregate {
    /// Initializes and simulates to the stop time. Each output point is a row for `sink`, as it comes; then `go_on` is
    /// called with its time, and may end the simulation there with false.
    pub fn run(&mut self, sink: &mut dyn Sink, go_on: impl FnMut(f64) -> bool) -> Result<End, RunError> {
        self.run_traced(sink, &mut |_| {}, go_on)
    }

    /// The same; each step of the solver is passed to `steps`.
    pub fn run_traced(
        &mut self,
        sink: &mut dyn Sink,
        steps: &mut dyn FnMut(SolverStep),
        mut go_on: impl FnMut(f64) -> bool,
    ) -> Result<End, RunError> {
        sink.begin(self.recorder.columns())?;
        let recorder = &mut self.recorder;
        let mut failed = None;
        let end = self.aggregate.run_traced(steps, |observed| {
            let time = observed.point().t;
            let row = recorder.read(observed)?;
            match sink.row(&row) {
                Ok(()) => Ok(go_on(time)),
                Err(error) => {
                    failed = Some(error);
                    Ok(false)
                }
            }
        })?;
        failed.map_or(Ok(end), |error| Err(error.into()))
    }
}
