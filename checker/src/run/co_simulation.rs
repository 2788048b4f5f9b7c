//! C2, C3, C4, R13, R13a and R24: steps, and derivatives of inputs and outputs.

use fmu_standard::description::{Causality, Variability, VariableKind};

use super::arguments::must_refuse;
use super::child::Probe;
use super::raw::{Raw, raw};
use super::steps::Steps;
use fmu_importer::{Error, State, Step};

/// What every master does.
pub(super) fn add(steps: &mut Steps, probe: &Probe) {
    if probe.is_model_exchange() {
        return;
    }
    steps.add("C2", "fmi2GetRealOutputDerivatives", output_derivatives);
    steps.add("C3", "fmi2SetRealInputDerivatives", input_derivatives);
    steps.add("C4", "an asynchronous step", pending);
    steps.add("R13", "communication points that are off by rounding", rounding);
    steps.add("R13a", "a step that is discarded", discarded);
}

/// What none should do.
pub(super) fn add_rough(steps: &mut Steps, probe: &Probe) {
    if probe.is_model_exchange() {
        return;
    }
    odd_steps(steps);
    odd_orders(steps, probe);
}

/// The first continuous Real variable of a causality.
fn continuous(probe: &Probe, causality: Causality) -> Option<u32> {
    let variables = &probe.fmu.description().model_variables;
    let found = variables.iter().find(|variable| {
        variable.causality == causality
            && variable.variability == Variability::Continuous
            && matches!(variable.kind, VariableKind::Real { .. })
    });
    found.map(|variable| variable.value_reference)
}

fn output_derivatives(probe: &mut Probe) -> Result<(), Error> {
    let description = probe.fmu.description();
    let order = description
        .co_simulation
        .as_ref()
        .map_or(0, |cs| cs.max_output_derivative_order);
    let Some(reference) = continuous(probe, Causality::Output).filter(|_| order > 0) else {
        return Ok(());
    };
    let plan = probe.plan;
    let mut driver = probe.running()?;
    driver.step(plan.step)?;
    if let Some(slave) = driver
        .co_simulation()
        .filter(|slave| slave.state() == fmu_importer::State::StepComplete)
    {
        for order in 1..=order.min(10) as i32 {
            slave.real_output_derivatives(&[reference], &[order], &mut [0.0])?;
        }
    }
    Ok(())
}

fn input_derivatives(probe: &mut Probe) -> Result<(), Error> {
    let description = probe.fmu.description();
    let can = description
        .co_simulation
        .as_ref()
        .is_some_and(|cs| cs.can_interpolate_inputs);
    let Some(reference) = continuous(probe, Causality::Input).filter(|_| can) else {
        return Ok(());
    };
    let plan = probe.plan;
    let mut driver = probe.running()?;
    if let Some(slave) = driver.co_simulation() {
        slave.set_real_input_derivatives(&[reference], &[1], &[0.0])?;
    }
    driver.step(plan.step)
}

fn pending(probe: &mut Probe) -> Result<(), Error> {
    let can = probe
        .fmu
        .description()
        .co_simulation
        .as_ref()
        .is_some_and(|cs| cs.can_run_asynchronuously);
    let plan = probe.plan;
    let mut driver = probe.running()?;
    driver.step(plan.step)?;
    if driver.was_pending && !can {
        probe.found(
            "C4",
            "fmi2DoStep returned fmi2Pending, and canRunAsynchronuously is false",
        );
    }
    Ok(())
}

fn odd_steps(steps: &mut Steps) {
    let add = |steps: &mut Steps, place: &str, time: fn(&Probe) -> f64, step: fn(&Probe) -> f64| {
        let call = move |probe: &Probe, raw: &Raw| {
            raw!(
                probe.library,
                fmi2DoStep(raw.component, time(probe), step(probe), 1)
            )
        };
        steps.add("R13a", place, must_refuse("R13a", State::StepComplete, call));
    };
    add(
        steps,
        "fmi2DoStep with a negative step",
        |probe| probe.plan.start,
        |probe| -probe.plan.step,
    );
    add(
        steps,
        "fmi2DoStep with NaN as step",
        |probe| probe.plan.start,
        |_| f64::NAN,
    );
    add(
        steps,
        "fmi2DoStep from another time than the last step ended",
        |probe| probe.plan.start + 10.0 * probe.plan.step,
        |probe| probe.plan.step,
    );
}

/// Orders of derivatives that the description does not offer, and 0, which is not a derivative.
fn odd_orders(steps: &mut Steps, probe: &Probe) {
    let slave = probe.fmu.description().co_simulation.as_ref();
    let most = slave.map_or(0, |slave| slave.max_output_derivative_order);
    if let Some(reference) = continuous(probe, Causality::Output) {
        for order in [0, most.saturating_add(1).min(i32::MAX as u32) as i32, -1] {
            let place = format!("fmi2GetRealOutputDerivatives of order {order}");
            let call = move |probe: &Probe, raw: &Raw| {
                raw!(
                    probe.library,
                    fmi2GetRealOutputDerivatives(raw.component, &reference, 1, &order, &mut 0.0)
                )
            };
            steps.add("R24", place, must_refuse("R24", State::StepComplete, call));
        }
    }
    if let Some(reference) = continuous(probe, Causality::Input) {
        for order in [0, -1] {
            let place = format!("fmi2SetRealInputDerivatives of order {order}");
            let call = move |probe: &Probe, raw: &Raw| {
                raw!(
                    probe.library,
                    fmi2SetRealInputDerivatives(raw.component, &reference, 1, &order, &0.0)
                )
            };
            steps.add("R24", place, must_refuse("R24", State::StepComplete, call));
        }
    }
}

/// Masters add up their steps, so that times are off in the last digits: neither a gap nor a step beyond the end.
fn rounding(probe: &mut Probe) -> Result<(), Error> {
    let (plan, few) = (probe.plan, probe.plan.steps.min(5));
    let stop = plan.start + plan.step * few as f64;
    let drift = 1e-12 * (stop - plan.start);
    let mut driver = probe.instance()?;
    driver.initialize_for(&plan.experiment().until(stop))?;
    let Some(slave) = driver.co_simulation() else {
        return Ok(());
    };
    for k in 0..few {
        // Late by a little from the second step on, so that the last one ends behind the stop time.
        let late = if k == 0 { 0.0 } else { drift };
        let time = plan.start + plan.step * k as f64 + late;
        match slave.do_step(time, plan.step) {
            Ok(Step::Done) => {}
            Ok(_) => return Ok(()),
            Err(error) => {
                let problem = format!("times are off by {drift:e}, and {error}");
                probe.found("R13", problem);
                return Ok(());
            }
        }
    }
    Ok(())
}

/// After `fmi2Discard` a master asks how far the step came, and may end the simulation in order.
fn discarded(probe: &mut Probe) -> Result<(), Error> {
    let plan = probe.plan;
    let mut driver = probe.running()?;
    let Some(slave) = driver.co_simulation() else {
        return Ok(());
    };
    for k in 0..plan.steps {
        let time = plan.start + plan.step * k as f64;
        match slave.do_step(time, plan.step) {
            Ok(Step::Done) => {}
            // Another check reports an error.
            Ok(Step::Pending) | Err(_) => return Ok(()),
            Ok(Step::Discarded {
                last_successful_time, ..
            }) => {
                let end = time + plan.step;
                let problem = match last_successful_time {
                    None => Some("fmi2GetRealStatus does not report how far it came".into()),
                    Some(last) if !(last >= time - 1e-9 * plan.step && last <= end + 1e-9 * plan.step) => {
                        Some(format!(
                            "the step was from {time} to {end}, and the last successful time is {last}"
                        ))
                    }
                    Some(_) => None,
                };
                let terminated = slave.terminate();
                if let Some(problem) = problem {
                    probe.found("R13a", problem);
                }
                if let Err(error) = terminated {
                    probe.found("R13a", format!("after the step it cannot be terminated: {error}"));
                }
                return Ok(());
            }
        }
    }
    Ok(())
}
