//! What every environment does: run, reset, run two at once, end.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fmu_standard::description::{Causality, ModelVariable, Variability, VariableKind};

use super::child::Probe;
use super::points::start_value;
use super::step_size;
use super::steps::Steps;
use fmu_importer::{Error, InstanceOptions, Message, State, Status, Value};

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
    steps.add("R3", "its messages while logging is off", silence);
    steps.add("R14", "reset in the middle of a run", reset);
    for state in [State::Instantiated, State::Initialization, State::Terminated] {
        steps.add("R14", format!("reset while {state}"), move |probe| {
            reset_from(probe, state)
        });
    }
    steps.add("R22", "the same run again", again);
    if !probe.interface.can_be_instantiated_only_once_per_process {
        steps.add("R18", "two instances at once", two_instances);
        steps.add("R18", "two instances on two threads", two_threads);
    } else {
        steps.add("R18", "an instance on another thread", another_thread);
        steps.add("C5", "fmi2Instantiate while there is an instance", one_instance);
    }
    steps.add("R12", "a step beyond the stop time", stop_time);
}

/// How long a run may take, of which a step of the check has several.
const PATIENCE: Duration = Duration::from_secs(1);

fn run(probe: &mut Probe) -> Result<(), Error> {
    // If this fails, every other step would report the same.
    probe.give_up = true;
    // By the first instance of the process: some FMUs fail in a second one, which is not a matter of R1.
    match whole_run(probe) {
        Ok(true) => {}
        Ok(false) => {
            if step_size::choose(probe)? {
                whole_run(probe)?;
            }
        }
        Err(error) if step_size::is_refusal(&error) => match step_size::choose(probe)? {
            true => whole_run(probe).map(drop)?,
            false => return Err(error),
        },
        Err(error) => return Err(error),
    }
    probe.give_up = false;
    Ok(())
}

/// A run; `false` if it ended before its first step was done.
fn whole_run(probe: &mut Probe) -> Result<bool, Error> {
    let mut driver = probe.running()?;
    let (start, begin, mut trace) = (driver.time, Instant::now(), Vec::new());
    driver.note(&mut trace)?;
    for done in 1..=probe.plan.steps {
        driver.advance(&probe.plan, &mut trace)?;
        // A slow FMU does not hang: shorter runs are enough for it.
        if begin.elapsed() > PATIENCE && done < probe.plan.steps {
            probe.plan.steps = done;
            step_size::note(probe);
            break;
        }
    }
    if driver.is_running() {
        driver.terminate()?;
    } else {
        probe.skipped(format!(
            "behaviour after time {}, where its run ends",
            // Steps add roundings up.
            (driver.time * 1e9).round() / 1e9
        ));
    }
    if let Some((reference, time)) = driver.not_a_number {
        let variables = &probe.fmu.description().model_variables;
        let real = |variable: &&ModelVariable| {
            variable.value_reference == reference && matches!(variable.kind, VariableKind::Real { .. })
        };
        let name = variables
            .iter()
            .find(real)
            .map_or("?", |variable| &variable.name)
            .to_owned();
        probe.found("R1b", format!("`{name}` is not a number at time {time}"));
    }
    if driver.silent_change {
        let problem = "an event changed continuous states, and valuesOfContinuousStatesChanged is false";
        probe.found("R19", problem);
    }
    Ok(driver.time > start)
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
    // Date and tool come from the packager, and white space does not matter.
    let read = |xml: &[u8]| {
        fmu_standard::xml::read(xml).map(|mut description| {
            description.generation_date_and_time = None;
            description.generation_tool = None;
            description
        })
    };
    if let (Ok(inside), Ok(outside)) = (read(&inside), read(&outside))
        // As texts, too: a NaN differs from itself.
        && inside != outside
        && fmu_standard::xml::write(&inside) != fmu_standard::xml::write(&outside)
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
    let strays = fmu_importer::internal::strays();
    let mut driver = probe.instance_with(options)?;
    driver.initialize(&probe.plan)?;
    driver.trace(&probe.plan, probe.plan.steps.min(10))?;
    drop(driver);
    if fmu_importer::internal::strays() > strays {
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

fn silence(probe: &mut Probe) -> Result<(), Error> {
    let heard = Arc::new(Mutex::new(None));
    let listener = heard.clone();
    let options = InstanceOptions::new().logging(false).on_message(move |message| {
        if let (Ok(mut heard), Status::Ok) = (listener.lock(), message.status) {
            heard.get_or_insert_with(|| message.text.clone());
        }
    });
    let mut driver = probe.instance_with(options)?;
    driver.initialize(&probe.plan)?;
    driver.trace(&probe.plan, probe.plan.steps.min(10))?;
    drop(driver);
    let heard = heard
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
        .take();
    if let Some(text) = heard {
        probe.found("R3", format!("loggingOn is false, and it says \"{text}\""));
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

/// From states beside the run itself.
fn reset_from(probe: &mut Probe, state: State) -> Result<(), Error> {
    let (plan, few) = (probe.plan, probe.plan.steps.min(20));
    let fresh = probe.running()?.trace(&plan, few)?;
    let mut driver = match state {
        State::Terminated => probe.running()?,
        _ => probe.instance()?,
    };
    match state {
        State::Terminated => driver.terminate()?,
        State::Initialization => {
            driver.setup_experiment(&plan.experiment())?;
            driver.enter_initialization_mode()?;
        }
        _ => {}
    }
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

fn another_thread(probe: &mut Probe) -> Result<(), Error> {
    let (plan, few) = (probe.plan, probe.plan.steps.min(20));
    let here = probe.running()?.trace(&plan, few)?;
    let mut driver = probe.running()?;
    let thread = std::thread::spawn(move || driver.trace(&plan, few));
    let Ok(there) = thread.join() else { return Ok(()) };
    if there? != here {
        probe.found(
            "R18",
            "an instance does not run on another thread as it does on its own",
        );
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
    driver.initialize_for(&plan.experiment().until(stop))?;
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
        // Solvers evaluate beyond the end and interpolate back; to complete a step there is another matter.
        model
            .set_time(stop + plan.step)
            .and_then(|()| model.completed_integrator_step(true))
            .and_then(|_| model.enter_event_mode())
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
