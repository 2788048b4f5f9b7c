//! What every environment does: run, reset, run two at once, end.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use fmi::description::{Causality, Initial, Variability, VariableKind};

use super::child::Probe;
use super::points::start_value;
use super::steps::Steps;
use crate::check::described::initial;
use crate::{Error, Experiment, Instance, InstanceOptions, Message, Status, Value};

pub(super) fn add(steps: &mut Steps, probe: &Probe) {
    steps.add("R1", "a run with its start values", run);
    steps.add("B3", "fmi2GetVersion and fmi2GetTypesPlatform", version);
    steps.add("B4", "its symbols", symbols);
    steps.add(
        "P12",
        "the description that the library has inside",
        own_description,
    );
    steps.add("R3", "its messages", messages);
    steps.add("R7", "its start values", start_values);
    steps.add(
        "R7",
        "values set before initialization",
        values_before_initialization,
    );
    steps.add("R8", "its texts", texts);
    steps.add("R14", "reset in the middle of a run", reset);
    steps.add("R22", "the same run again", again);
    if !probe.interface.can_be_instantiated_only_once_per_process {
        steps.add("R18", "two instances at once", two_instances);
        steps.add("R18", "two instances on two threads", two_threads);
    } else {
        steps.add("C5", "fmi2Instantiate while there is an instance", one_instance);
    }
    steps.add("R12", "a step beyond the stop time", stop_time);
    if probe.is_model_exchange() {
        steps.add("R19", "the invariants of Model Exchange", invariants);
        steps.add("C7", "completedIntegratorStepNotNeeded", step_events);
    } else {
        steps.add("C2", "fmi2GetRealOutputDerivatives", output_derivatives);
        steps.add("C3", "fmi2SetRealInputDerivatives", input_derivatives);
        steps.add("C4", "an asynchronous step", pending);
    }
}

fn run(probe: &mut Probe) -> Result<(), Error> {
    // If this fails, every other step would tell the same.
    probe.give_up = true;
    let mut driver = probe.running()?;
    driver.trace(&probe.plan, probe.plan.steps)?;
    if driver.is_running() {
        driver.terminate()?;
    } else {
        probe.skipped(format!(
            "behaviour after time {}, where its run ends",
            driver.time
        ));
    }
    if driver.silent_change {
        let problem = "an event changed continuous states, and valuesOfContinuousStatesChanged is false";
        probe.found("R19", problem);
    }
    drop(driver);
    probe.give_up = false;
    Ok(())
}

fn version(probe: &mut Probe) -> Result<(), Error> {
    if let Some(strange) = probe.library.strangeness() {
        probe.found("B3", strange);
    }
    Ok(())
}

fn symbols(probe: &mut Probe) -> Result<(), Error> {
    if let Some(problem) = probe.unresolved.take() {
        probe.found("B4", problem);
    }
    Ok(())
}

fn own_description(probe: &mut Probe) -> Result<(), Error> {
    let resources = probe.fmu.resources()?;
    let Some(inside) = probe.library.own_description(&resources) else {
        return Ok(());
    };
    let path = probe.fmu.folder()?.join("modelDescription.xml");
    let outside = std::fs::read(&path).map_err(|source| Error::Read { path, source })?;
    // Date and tool come from the packager, and white space matters to nobody.
    let read = |xml: &[u8]| {
        fmi::xml::read(xml).map(|mut description| {
            description.generation_date_and_time = None;
            description.generation_tool = None;
            description
        })
    };
    if let (Ok(inside), Ok(outside)) = (read(&inside), read(&outside))
        && inside != outside
    {
        probe.found(
            "P12",
            "modelDescription.xml differs from the description that the library has inside",
        );
    }
    Ok(())
}

fn messages(probe: &mut Probe) -> Result<(), Error> {
    let heard = Arc::new(Mutex::new(Vec::<Message>::new()));
    let listener = heard.clone();
    let options = InstanceOptions::new().logging(true).on_message(move |message| {
        if let Ok(mut heard) = listener.lock()
            && heard.len() < 1000
        {
            heard.push(message.clone());
        }
    });
    let strays = crate::log::strays();
    let mut driver = probe.instance_with(options)?;
    driver.initialize(&probe.plan)?;
    driver.trace(&probe.plan, probe.plan.steps.min(10))?;
    drop(driver);
    if crate::log::strays() > strays {
        probe.found(
            "R3",
            "a message came with another componentEnvironment than was given",
        );
    }
    let heard = std::mem::take(&mut *heard.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    if let Some(message) = heard.iter().find(|message| message.instance != "probe") {
        probe.found(
            "R3",
            format!("a message came with the instance name \"{}\"", message.instance),
        );
    }
    let categories: HashSet<_> = probe
        .fmu
        .description()
        .log_categories
        .iter()
        .map(|category| category.name.clone())
        .collect();
    let known = |message: &&Message| categories.is_empty() || categories.contains(&message.category);
    if let Some(message) = heard.iter().find(|message| !known(message)) {
        probe.found(
            "R3",
            format!("a message came with the category \"{}\"", message.category),
        );
    }
    Ok(())
}

/// Variables are looked at up to this many.
const MANY: usize = 5000;

fn start_values(probe: &mut Probe) -> Result<(), Error> {
    let mut driver = probe.instance()?;
    let instance: &mut Instance = &mut driver;
    instance.initialize(&probe.plan.experiment())?;
    let fmu = probe.fmu.clone();
    for variable in fmu.description().model_variables.iter().take(MANY) {
        // Discrete variables may have changed in the first event.
        let discrete = variable.variability == Variability::Discrete;
        let fixed =
            variable.causality == Causality::Input || initial(variable) == Some(Initial::Exact) && !discrete;
        let Some(start) = start_value(&variable.kind).filter(|_| fixed) else {
            continue;
        };
        let found = driver.get(&variable.name)?;
        let same = match (&found, &start) {
            // Descriptions have a few digits, libraries have all.
            (Value::Real(found), Value::Real(start)) => (found - start).abs() <= 1e-6 * start.abs(),
            (found, start) => found == start,
        };
        if !same {
            let name = &variable.name;
            probe.found(
                "R7",
                format!("`{name}` begins with {found}, its start value is {start}"),
            );
        }
    }
    Ok(())
}

fn values_before_initialization(probe: &mut Probe) -> Result<(), Error> {
    let mut driver = probe.instance()?;
    let fmu = probe.fmu.clone();
    let mut set = Vec::new();
    for variable in &fmu.description().model_variables {
        let parameter = variable.causality == Causality::Parameter;
        if let (true, Some(Value::Real(start))) = (parameter, start_value(&variable.kind)) {
            // A little is enough, and hardly leaves the range.
            let value = start + start.abs().max(1e-3) * 1e-6;
            match driver.set(&variable.name, value) {
                Ok(()) => set.push((&variable.name, value)),
                Err(error) if error.is_discard() => {}
                Err(error) => return Err(error),
            }
        }
        if set.len() >= 100 {
            break;
        }
    }
    let instance: &mut Instance = &mut driver;
    instance.initialize(&probe.plan.experiment())?;
    for (name, value) in set {
        let found = driver.real(name)?;
        if found.to_bits() != value.to_bits() {
            probe.found(
                "R7",
                format!("`{name}` was set to {value} before initialization, and is {found}"),
            );
        }
    }
    Ok(())
}

fn texts(probe: &mut Probe) -> Result<(), Error> {
    let fmu = probe.fmu.clone();
    let parameter = fmu.description().model_variables.iter().find(|variable| {
        variable.causality == Causality::Parameter && matches!(variable.kind, VariableKind::String { .. })
    });
    let Some(variable) = parameter else { return Ok(()) };
    for text in ["Ab3 \u{e4}\u{20ac}", ""] {
        let mut driver = probe.instance()?;
        let own = String::from(text);
        driver.set(&variable.name, own.as_str())?;
        drop(own);
        let instance: &mut Instance = &mut driver;
        instance.initialize(&probe.plan.experiment())?;
        let found = driver.string(&variable.name)?;
        if found != text {
            probe.found(
                "R8",
                format!("`{}` was set to \"{text}\", and is \"{found}\"", variable.name),
            );
        }
    }
    Ok(())
}

fn reset(probe: &mut Probe) -> Result<(), Error> {
    let (plan, few) = (probe.plan, probe.plan.steps.min(20));
    let fresh = probe.running()?.trace(&plan, few)?;
    let mut driver = probe.instance()?;
    // Something to forget.
    let fmu = probe.fmu.clone();
    for variable in fmu.description().model_variables.iter().take(100) {
        let parameter =
            variable.causality == Causality::Parameter && variable.variability != Variability::Constant;
        if let (true, Some(Value::Real(start))) = (parameter, start_value(&variable.kind)) {
            let _ = driver.set(&variable.name, start * (1.0 + 1e-3) + 1e-6);
        }
    }
    driver.initialize(&plan)?;
    driver.trace(&plan, few)?;
    driver.reset()?;
    driver.initialize(&plan)?;
    if driver.trace(&plan, few)? != fresh {
        probe.found(
            "R14",
            "the run after fmi2Reset differs from that of a fresh instance",
        );
    }
    Ok(())
}

fn again(probe: &mut Probe) -> Result<(), Error> {
    let plan = probe.plan;
    let first = probe.running()?.trace(&plan, plan.steps)?;
    if probe.running()?.trace(&plan, plan.steps)? != first {
        probe.found("R22", "two runs of two instances, one after the other, differ");
    }
    Ok(())
}

fn two_instances(probe: &mut Probe) -> Result<(), Error> {
    let (plan, few) = (probe.plan, probe.plan.steps.min(20));
    let alone = probe.running()?.trace(&plan, few)?;
    let (mut first, mut second) = (probe.running()?, probe.running()?);
    let (mut a, mut b) = (Vec::new(), Vec::new());
    first.note(&mut a)?;
    second.note(&mut b)?;
    // The second is half a run behind.
    for position in 0..few + few / 2 {
        if position < few {
            first.advance(&plan, &mut a)?;
        }
        if position >= few / 2 {
            second.advance(&plan, &mut b)?;
        }
    }
    if a != alone || b != alone {
        probe.found(
            "R18",
            "two instances that take turns do not run as one alone does",
        );
    }
    Ok(())
}

fn two_threads(probe: &mut Probe) -> Result<(), Error> {
    let (plan, few) = (probe.plan, probe.plan.steps.min(20));
    let alone = probe.running()?.trace(&plan, few)?;
    // Made here, run there: instances belong to no thread.
    let drivers = [probe.running()?, probe.running()?];
    let threads = drivers.map(|mut driver| {
        std::thread::spawn(move || {
            let trace = driver.trace(&plan, few);
            (driver, trace)
        })
    });
    for thread in threads {
        let Ok((driver, trace)) = thread.join() else {
            continue;
        };
        let trace = trace?;
        drop(driver);
        if trace != alone {
            probe.found("R18", "instances on two threads do not run as one alone does");
        }
    }
    Ok(())
}

/// Where one instance is all that there can be, asking for another must not harm it.
fn one_instance(probe: &mut Probe) -> Result<(), Error> {
    let (plan, few) = (probe.plan, probe.plan.steps.min(20));
    let alone = probe.running()?.trace(&plan, few)?;
    let mut driver = probe.running()?;
    // By the back door: the front door does not let a second one in.
    let second = probe.raw().ok();
    if driver.trace(&plan, few)? != alone {
        probe.found(
            "C5",
            "after a second instance was asked for, the first does not run as one alone does",
        );
    }
    drop(second);
    Ok(())
}

fn stop_time(probe: &mut Probe) -> Result<(), Error> {
    let plan = probe.plan;
    let few = plan.steps.min(5);
    let stop = plan.start + plan.step * few as f64;
    let mut driver = probe.instance()?;
    driver.initialize_for(&Experiment {
        start_time: plan.start,
        stop_time: Some(stop),
        tolerance: None,
    })?;
    for _ in 0..few {
        if !driver.is_running() {
            return Ok(());
        }
        // To the end exactly: the sum of the steps may lie beyond.
        let step = plan.step.min(stop - driver.time);
        driver.step(step)?;
    }
    if !driver.is_running() {
        return Ok(());
    }
    let beyond = if let Some(model) = driver.model_exchange() {
        let mut dx = vec![0.0; model.number_of_states()];
        model
            .set_time(stop + plan.step)
            .and_then(|()| model.derivatives(&mut dx))
    } else {
        driver.step(plan.step)
    };
    match beyond {
        Err(Error::Call {
            status: Status::Error,
            ..
        }) => {}
        Ok(()) if driver.ended => {}
        Ok(()) => probe.found(
            "R12",
            format!("the stop time is {stop}, and it goes on to {}", stop + plan.step),
        ),
        Err(error) => probe.found("R12", format!("expected fmi2Error beyond the stop time: {error}")),
    }
    Ok(())
}

fn invariants(probe: &mut Probe) -> Result<(), Error> {
    let plan = probe.plan;
    let mut driver = probe.running()?;
    for _ in 0..plan.steps.min(20) {
        let time = driver.time;
        let Some(model) = driver.model_exchange() else {
            return Ok(());
        };
        let nx = model.number_of_states();
        let (mut nominals, mut x, mut dx) = (vec![0.0; nx], vec![0.0; nx], vec![0.0; nx]);
        if nx > 0 {
            model.nominals_of_continuous_states(&mut nominals)?;
            if let Some(nominal) = nominals
                .iter()
                .find(|nominal| !(nominal.is_finite() && **nominal > 0.0))
            {
                probe.found(
                    "R19",
                    format!("fmi2GetNominalsOfContinuousStates answers {nominal}"),
                );
                return Ok(());
            }
            model.continuous_states(&mut x)?;
            model.derivatives(&mut dx)?;
            if !dx.iter().all(|dx| dx.is_finite()) {
                return Ok(());
            }
            // Away and back: whatever is cached must notice.
            let away: Vec<f64> = x
                .iter()
                .zip(&nominals)
                .map(|(x, nominal)| x + 1e-6 * nominal)
                .collect();
            let mut there = dx.clone();
            model.set_continuous_states(&away)?;
            let went = model.derivatives(&mut there);
            model.set_time(time)?;
            model.set_continuous_states(&x)?;
            let mut back = vec![0.0; nx];
            model.derivatives(&mut back)?;
            if went.is_ok() && back.iter().zip(&dx).any(|(a, b)| a.to_bits() != b.to_bits()) {
                probe.found(
                    "R19",
                    "derivatives differ after the states went away and came back",
                );
                return Ok(());
            }
        }
        driver.advance(&plan, &mut Vec::new())?;
        if !driver.is_running() {
            break;
        }
        if let Some(event) = driver.next_event().filter(|event| *event < driver.time) {
            probe.found(
                "R19",
                format!(
                    "at {} the next time event is at {event}, in the past",
                    driver.time
                ),
            );
            return Ok(());
        }
    }
    Ok(())
}

fn step_events(probe: &mut Probe) -> Result<(), Error> {
    let not_needed = probe
        .fmu
        .description()
        .model_exchange
        .as_ref()
        .is_some_and(|me| me.completed_integrator_step_not_needed);
    let (plan, mut driver) = (probe.plan, probe.running()?);
    for _ in 0..plan.steps {
        driver.advance(&plan, &mut Vec::new())?;
    }
    if not_needed && driver.had_step_event {
        probe.found(
            "C7",
            "fmi2CompletedIntegratorStep asks for event mode, and the flag says that it need not be called",
        );
    }
    Ok(())
}

fn output_derivatives(probe: &mut Probe) -> Result<(), Error> {
    let description = probe.fmu.description();
    let order = description
        .co_simulation
        .as_ref()
        .map_or(0, |cs| cs.max_output_derivative_order);
    let output = description.model_variables.iter().find(|variable| {
        variable.causality == Causality::Output
            && variable.variability == Variability::Continuous
            && matches!(variable.kind, VariableKind::Real { .. })
    });
    let Some(reference) = output
        .map(|variable| variable.value_reference)
        .filter(|_| order > 0)
    else {
        return Ok(());
    };
    let plan = probe.plan;
    let mut driver = probe.running()?;
    driver.step(plan.step)?;
    if let Some(slave) = driver
        .co_simulation()
        .filter(|slave| slave.state() == crate::State::StepComplete)
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
    let input = description.model_variables.iter().find(|variable| {
        variable.causality == Causality::Input
            && variable.variability == Variability::Continuous
            && matches!(variable.kind, VariableKind::Real { .. })
    });
    let Some(reference) = input.map(|variable| variable.value_reference).filter(|_| can) else {
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
