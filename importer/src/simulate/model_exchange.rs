//! Model Exchange: an FMU under a solver of ours.

use std::cell::RefCell;
use std::time::Instant;

use super::experiment::Experiment;
use super::hybrid::{RunSettings, simulate};
use super::record::Recorder;
use super::settings::at;
use super::system::FmuSystem;
use super::{End, Plant, SimulateError, Simulation, Sink, Summary};
use crate::Error;

pub(super) fn run(
    mut simulation: Simulation,
    experiment: Experiment,
    mut recorder: Recorder,
    sink: &mut dyn Sink,
    at_end: impl FnOnce(&mut Plant, f64) -> Result<(), Error>,
) -> Result<Summary, SimulateError> {
    let begin = Instant::now();
    let fmu = simulation.fmu;
    let options = std::mem::take(&mut simulation.options);
    let mut instance = fmu.model_exchange_with(fmu.name(), options)?;
    let (inputs, warnings) = simulation.initialize(&mut instance, &experiment)?;
    // Not before: a mistake in the settings leaves no empty table behind.
    sink.begin(&recorder.columns)?;
    let described = fmu.description().model_exchange.as_ref();
    let needs_completed_steps = described.is_none_or(|me| !me.completed_integrator_step_not_needed);
    let plant = Plant::new(fmu, instance, simulation.compressed)?;
    let system = FmuSystem::new(
        plant,
        inputs,
        simulation.extra.take(),
        simulation.matrices,
        needs_completed_steps,
    );
    let (sparse, jacobian_groups) = (system.is_sparse(), system.plant.a.groups());
    let setup = begin.elapsed();
    let settings = RunSettings {
        method: simulation.method,
        start: experiment.start,
        stop: experiment.stop,
        output_step: experiment.output_step,
        fixed_step: simulation.step,
        tolerance: experiment.tolerance,
        tuning: simulation.tuning,
        interrupt: simulation.interrupt.take(),
        progress: simulation.progress.take(),
        steps: simulation.steps.take(),
    };
    let system = RefCell::new(system);
    let summary = simulate(&system, settings, &mut |system, time, event| {
        let row = system
            .timed(|system| recorder.read(&mut system.plant.instance, time, event))
            .map_err(at(time))?;
        sink.row(&row)?;
        Ok(true)
    })?;
    let mut system = system.into_inner();
    let time = summary.time;
    if summary.end != End::Interrupted {
        at_end(&mut system.plant, time).map_err(at(time))?;
    }
    system.plant.instance.terminate().map_err(at(time))?;
    Ok(Summary {
        setup,
        warnings,
        not_finite: recorder.not_finite,
        warned: system.plant.instance.warned(),
        first_warning: system.plant.instance.first_warning().map(str::to_owned),
        sparse,
        jacobian_groups,
        evaluations: system.evaluations,
        indicator_evaluations: system.indicator_evaluations,
        jacobians: system.jacobians,
        directional_derivatives: system.plant.calls(),
        in_fmu: system.in_fmu.total(),
        total: begin.elapsed(),
        ..summary
    })
}
