//! The child: loads the FMU and takes one step after the other.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use fmu_standard::description::Interface;
use fmu_standard::fmi2;

use super::drive::{Driver, Plan};
use super::protocol::{Line, Writer};
use super::steps::{self, Pass, Step};
use super::surroundings::Surroundings;
use super::{family, keeper};
use fmu_importer::internal::Library;
use fmu_importer::{Error, Fmu, InstanceOptions};

/// The first argument of a process that keeps another one; the second is the limit of memory in bytes.
pub(super) const KEEP: &str = "keep";

/// The first argument of a process that runs the FMU.
pub(super) const PROBE: &str = "probe";

/// What a step works with.
pub(super) struct Probe {
    pub fmu: Fmu,
    pub library: Arc<Library>,
    pub kind: fmi2::fmi2Type,
    pub interface: Interface,
    pub plan: Plan,
    /// The position of each continuous-time state among the variables, and its number among the states.
    pub states: HashMap<usize, usize>,
    /// The indices in `InitialUnknowns`.
    pub initial_unknowns: HashSet<usize>,
    /// What the library cannot resolve.
    pub unresolved: Option<String>,
    /// A folder for what leads from one process to the next.
    pub notes: PathBuf,
    writer: Writer,
    place: String,
    surroundings: Surroundings,
    pass: Pass,
    /// The FMU may be in disarray: go on in another process.
    pub replace: bool,
    /// Nothing that follows makes sense.
    pub give_up: bool,
    /// How many instances this process has made.
    pub made: Cell<usize>,
}

impl Probe {
    fn open(
        folder: &Path,
        notes: PathBuf,
        writer: Writer,
        kind: fmi2::fmi2Type,
        pass: Pass,
    ) -> Result<Self, Error> {
        let surroundings = Surroundings::new(&notes);
        let fmu = Fmu::open(folder)?;
        let description = fmu.description();
        let interface = match kind {
            fmi2::fmi2ModelExchange => description.model_exchange.as_ref().map(|me| &me.interface),
            _ => description.co_simulation.as_ref().map(|cs| &cs.interface),
        };
        let interface = interface.cloned().unwrap_or_default();
        let mut path = fmu.folder()?;
        path.extend(fmu.library_file(&interface.model_identifier)?.split('/'));
        let unresolved = fmu_importer::internal::unresolved(&path);
        let states = fmu.continuous_states().unwrap_or_default();
        let unknowns = &description.model_structure.initial_unknowns;
        Ok(Self {
            states: states.iter().map(|state| state.state).zip(0..).collect(),
            initial_unknowns: unknowns
                .iter()
                .filter_map(|unknown| unknown.variable.position())
                .collect(),
            library: fmu.library(&interface.model_identifier)?,
            plan: Plan::of(description).as_noted(&notes),
            fmu,
            kind,
            interface,
            unresolved,
            notes,
            writer,
            place: "loading its library".into(),
            surroundings,
            pass,
            replace: false,
            give_up: false,
            made: Cell::new(0),
        })
    }

    pub fn is_model_exchange(&self) -> bool {
        self.kind == fmi2::fmi2ModelExchange
    }

    /// Reports that a rule is broken here.
    pub fn found(&mut self, rule: &str, problem: impl Into<String>) {
        let line = Line::Found {
            rule: rule.into(),
            place: self.place.clone(),
            problem: problem.into(),
        };
        self.writer.write(&line);
    }

    pub fn skipped(&mut self, reason: impl Into<String>) {
        self.writer.write(&Line::Skipped(reason.into()));
    }

    /// A fresh instance.
    pub fn instance(&self) -> Result<Driver, Error> {
        self.instance_with(InstanceOptions::new())
    }

    pub fn instance_with(&self, options: InstanceOptions) -> Result<Driver, Error> {
        self.made.set(self.made.get() + 1);
        Driver::new(&self.fmu, self.kind, "probe", options)
    }

    /// A fresh instance, initialized, and in continuous-time mode if it is for Model Exchange.
    pub fn running(&self) -> Result<Driver, Error> {
        let mut driver = self.instance()?;
        driver.initialize(&self.plan)?;
        Ok(driver)
    }

    /// Reports what the FMU changed in its process. Messages about a mistaken call are harmless.
    fn look_around(&mut self) {
        let was_closed = self.writer.was_closed();
        for (rule, problem) in self.surroundings.look(self.pass == Pass::Gentle, was_closed) {
            self.found(rule, problem);
        }
    }

    fn take(&mut self, position: usize, step: &Step) {
        self.place.clone_from(&step.place);
        self.writer.write(&Line::At {
            step: position,
            rule: step.rule.into(),
            place: step.place.clone(),
            group: step.group.into(),
        });
        let only_once = self.interface.can_be_instantiated_only_once_per_process;
        match (step.run)(self) {
            Ok(()) => {}
            // Whether it may be the second one after the first is freed, the standard leaves open.
            Err(_) if only_once && self.made.get() > 1 => self.skipped(format!(
                "{}, which takes a second instance, because of canBeInstantiatedOnlyOncePerProcess",
                step.place
            )),
            Err(error) => self.found(step.rule, error.to_string()),
        }
        self.replace |= only_once;
        self.look_around();
        // After fmi2Fatal no instance of this process can be called: further steps would report that, not their cause.
        self.replace |= self.library.fatal.load(Ordering::Relaxed);
    }
}

/// What a child process does, called with the arguments that [`super::RunOptions::command`] does not have; the answer
/// is its exit code.
///
/// Whatever program serves as the child calls this and nothing else.
pub fn child(arguments: &[OsString]) -> u8 {
    match arguments {
        [first, memory, rest @ ..] if first == KEEP => {
            let memory = memory.to_str().and_then(|memory| memory.parse().ok());
            let (Some(memory), [_, file, ..]) = (memory, rest) else {
                return 2;
            };
            keeper::keep(memory, rest, file.as_ref())
        }
        [first, rest @ ..] if first == PROBE => {
            family::end_with_the_parent();
            family::end_at_faults();
            probe(rest)
        }
        _ => 2,
    }
}

fn probe(arguments: &[OsString]) -> u8 {
    let [folder, file, rest @ ..] = arguments else {
        return 2;
    };
    let rest: Vec<_> = rest.iter().map(|argument| argument.to_string_lossy()).collect();
    let [interface, pass, from, without] = &rest[..] else {
        return 2;
    };
    let (Some(pass), Ok(from)) = (Pass::from_name(pass), from.parse::<usize>()) else {
        return 2;
    };
    let Ok(writer) = Writer::open(file.as_ref()) else {
        return 2;
    };
    let Ok(mut last_words) = Writer::open(file.as_ref()) else {
        return 2;
    };
    let kind = match interface.as_ref() {
        "me" => fmi2::fmi2ModelExchange,
        _ => fmi2::fmi2CoSimulation,
    };
    let notes = Path::new(file).parent().unwrap_or(Path::new("")).to_path_buf();
    let mut probe = match Probe::open(folder.as_ref(), notes, writer, kind, pass) {
        Ok(probe) => probe,
        Err(error) => {
            last_words.write(&Line::Found {
                rule: if matches!(error, Error::Load { .. }) {
                    "R1c"
                } else {
                    "R1"
                }
                .into(),
                place: "opening it".into(),
                problem: error.to_string(),
            });
            last_words.write(&Line::GiveUp);
            return 0;
        }
    };
    probe.look_around();
    let without: Vec<_> = without.split(',').collect();
    let list = steps::list(pass, &probe);
    if from > list.len() {
        // Unloading the library has been tried.
        last_words.write(&Line::Done);
        std::process::exit(0);
    }
    for (position, step) in list.iter().enumerate().skip(from) {
        if !step.group.is_empty() && without.contains(&step.group) {
            continue;
        }
        probe.take(position, step);
        if probe.give_up {
            last_words.write(&Line::GiveUp);
            return 0;
        }
        if probe.replace {
            last_words.write(&Line::Replace);
            // Without destructors: the FMU may have left them nothing to destroy.
            std::process::exit(0);
        }
    }
    last_words.write(&Line::At {
        step: list.len(),
        rule: "B5".into(),
        place: "unloading its library".into(),
        group: String::new(),
    });
    drop((list, probe));
    last_words.write(&Line::Done);
    0
}
