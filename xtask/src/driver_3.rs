//! The C driver of FMI 3.0 in `verification/conformance/driver_3`: built against the standard's own headers, run on unpacked FMUs, and
//! tested by planted faults.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use fmu_standard::description::{ModelDescription, VariableKind};
use fmu_standard::fmi3::calls::{self, State, States};

use crate::chore::{Error, Result, Tally, file, run_quiet};
use crate::driver::{COMPILER, c_files, unpack};
use crate::test::{Session, by_closing_lines};

/// The planted faults, and the beginning of the name of the test that must find each.
const FAULTS: &[(&str, &str)] = &[
    ("missing_function", "1 functions"),
    ("any_token", "2 instantiation"),
    ("never_silent", "3 silence"),
    ("configures", "4 calling sequence, Model Exchange"),
    ("steps_in_event_mode", "4 calling sequence, Co-Simulation"),
    ("any_count", "5 values"),
    ("returns_early", "6 steps and events"),
    ("always_events", "6 steps and events"),
    ("refuses_events", "6 steps and events"),
    ("forgets_the_way_back", "7 snapshots"),
    ("takes_damaged_bytes", "7 snapshots"),
    ("wrong_adjoint", "8 derivatives"),
    ("wrong_direction", "8 derivatives"),
];

/// The model that faults are planted in: it has states, parameters and events.
const FAULTY: &str = "BouncingBall";

/// The letters of states in the facts, which are those of the standard's table in `fmu_standard`.
const LETTERS: [(State, char); 6] = [
    (State::Instantiated, 'I'),
    (State::Initialization, 'Z'),
    (State::Event, 'E'),
    (State::ContinuousTime, 'C'),
    (State::Step, 'P'),
    (State::Terminated, 'T'),
];

/// Takes FMUs through all tests, then the driver through all planted faults.
pub fn check(session: &Session<'_>, headers: &Path, fmus: &[PathBuf]) -> Result<Tally> {
    let place = session.place;
    let work = place.folder("conformance/driver_3")?;
    let program = work.join("driver_3");
    let sources = place.root.join("verification/conformance");
    let mut files = c_files(&sources.join("driver_3"))?;
    files.push(sources.join("driver/check.c"));
    files.sort();
    run_quiet(
        "compiling the C driver of FMI 3.0",
        Command::new("cc")
            .args(["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-I"])
            .arg(headers)
            .args(files)
            .arg("-o")
            .arg(&program)
            .args(["-ldl", "-lm"]),
        COMPILER,
    )?;
    let mut checks = Vec::new();
    let mut faulty = None;
    for fmu in fmus {
        let name = fmu.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let folder = work.join(&name);
        unpack(fmu, &folder)?;
        let facts = work.join(format!("{name}.txt"));
        std::fs::write(&facts, facts_of(&folder)?).map_err(file(&facts, "cannot be written"))?;
        if name == FAULTY {
            faulty = Some((fmu.clone(), facts.clone()));
        }
        let mut command = Command::new(&program);
        command.arg(&facts);
        let inputs = session.inputs(&[], std::slice::from_ref(fmu))?;
        let mut check = session.check("c-interface-3", fmu, inputs, command);
        check.title = name;
        checks.push(check);
    }
    let tally = session.passed.run(checks, COMPILER, by_closing_lines)?;
    let Some((fmu, facts)) = faulty else {
        return Ok(tally);
    };
    let inputs = session.inputs(&[], &[fmu])?;
    let planted = session
        .passed
        .once("planted faults 3", inputs, || plant(&program, &facts))?;
    Ok(tally + planted)
}

/// Every fault must be found by its test.
fn plant(program: &Path, facts: &Path) -> Result<Tally> {
    let mut tally = Tally::default();
    for (fault, test) in FAULTS {
        let output = Command::new(program)
            .arg(facts)
            .args([test, fault])
            .output()
            .map_err(|source| Error::Start {
                program: program.display().to_string(),
                source,
            })?;
        // 0: no test has failed, 2: there is no such fault.
        let is_found = output.status.code() == Some(1);
        if !is_found {
            println!("FAILED the fault {fault} of FMI 3.0 is not found by '{test}'");
        }
        tally = tally + Tally::one(is_found);
    }
    println!("{} of {} faults of FMI 3.0 found", tally.passed, FAULTS.len());
    Ok(tally)
}

/// The facts of an unpacked FMU, one per line.
fn facts_of(folder: &Path) -> Result<String> {
    let path = folder.join("modelDescription.xml");
    let xml = std::fs::read_to_string(&path).map_err(file(&path, "cannot be read"))?;
    let description = fmu_standard::fmi3::read(&xml).map_err(|error| Error::Description {
        path,
        detail: error.to_string(),
    })?;
    let exchange = description.model_exchange.as_ref();
    let identifier = exchange.map_or("", |exchange| &exchange.interface.model_identifier);
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        system => system,
    };
    let machine = format!("{}-{system}", std::env::consts::ARCH);
    let library = folder
        .join("binaries")
        .join(machine)
        .join(format!("{identifier}.{}", std::env::consts::DLL_EXTENSION));
    let resources = folder.join("resources");
    let experiment = description.default_experiment.unwrap_or_default();
    let stop = experiment.stop_time.unwrap_or(1.0);
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "token {}", description.guid);
    let _ = writeln!(text, "library {}", library.display());
    match resources.is_dir() {
        true => writeln!(text, "resources {}/", resources.display()),
        false => writeln!(text, "resources "),
    }
    .ok();
    let step = experiment.step_size.unwrap_or(stop / 100.0);
    let _ = writeln!(text, "experiment {stop} {step}");
    let _ = writeln!(
        text,
        "size {} {}",
        description.number_of_states(),
        description.event_indicators()
    );
    variables(&mut text, &description);
    for call in calls::ALL {
        let letters = |states: States| -> String {
            let allowed = LETTERS.iter().filter(|(state, _)| states.has(*state));
            allowed.map(|(_, letter)| letter).collect()
        };
        let _ = writeln!(
            text,
            "call {} =.{} =.{} =.{}",
            call.name,
            letters(call.model_exchange),
            letters(call.co_simulation),
            letters(call.tolerant)
        );
    }
    Ok(text)
}

fn variables(text: &mut String, description: &ModelDescription) {
    let structure = &description.model_structure;
    let listed = |unknowns: &[fmu_standard::description::Unknown], position: usize| {
        let mut positions = unknowns.iter().map(|unknown| unknown.variable.position());
        positions.any(|listed| listed == Some(position))
    };
    let is_state = |position: usize| {
        let derivatives = structure.derivatives.iter();
        let mut variables = derivatives.filter_map(|unknown| description.variable(unknown.variable));
        variables.any(|variable| match &variable.kind {
            VariableKind::Real { derivative, .. } => {
                derivative.and_then(|state| state.position()) == Some(position)
            }
            _ => false,
        })
    };
    for (position, variable) in description.model_variables.iter().enumerate() {
        let kind = match &variable.kind {
            VariableKind::Real { attributes, .. } => attributes.float.as_str(),
            VariableKind::Integer { attributes, .. } => attributes.integer.as_str(),
            other => other.name(),
        };
        let _ = writeln!(
            text,
            "variable {} {kind} {} {} {} {} {} {}",
            variable.value_reference,
            variable.elements(),
            variable.causality,
            variable.variability,
            u8::from(listed(&structure.derivatives, position)),
            u8::from(is_state(position)),
            u8::from(listed(&structure.event_indicators, position)),
        );
    }
}
