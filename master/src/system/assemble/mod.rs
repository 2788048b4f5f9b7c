//! From names to numbers: opens the FMUs, resolves and checks all that the system names, and couples them.

#[cfg(feature = "aggregate")]
pub mod aggregate;
mod connect;
mod couple;
mod open;
mod run;
mod values;

pub use run::RunError;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use fmu_importer::archive::Limits;
use fmu_importer::remote::Host;
use fmu_importer::{BaseType, Fmu, Message, Value};
use fmu_standard::description::{ModelVariable, VariableKind};

use super::{Alias, Place, System, SystemError};
use crate::Master;
use crate::coupling::Link;
use crate::picture::Diagram;
use crate::record::Recorder;
use crate::settings::{Interface, setters};
use crate::signals::Signals;

/// Receives the messages of FMUs, on the thread from which each is sent.
pub type Listener = Arc<dyn Fn(&Message) + Send + Sync>;

/// How FMUs are opened.
///
/// ```
/// use fmu_master::system::AssembleOptions;
///
/// let options = AssembleOptions::default().strict_units(true).logging(true);
/// assert!(options.strict_units && !options.no_restart);
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct AssembleOptions {
    /// A folder in which FMUs are looked for first, by the names of their files.
    pub fmus: Option<PathBuf>,
    /// Limits for unpacking archives.
    pub limits: Limits,
    /// Whether FMUs log for debugging.
    pub logging: bool,
    /// Receives the messages of FMUs.
    pub listener: Option<Listener>,
    /// Units of values that do not fit are an error; they are a warning otherwise.
    pub strict_units: bool,
    /// A run that would start again with new instances is an error.
    pub no_restart: bool,
    /// Starts the processes of components that are isolated; without it there can be none.
    pub host: Option<Arc<dyn Host>>,
}

setters!(AssembleOptions {
    fmus: impl Into<Option<PathBuf>>,
    limits: Limits,
    logging: bool,
    listener: Listener,
    strict_units: bool,
    no_restart: bool,
    host: Arc<dyn Host>,
});

/// Receives a warning.
pub type Announce = Box<dyn FnMut(&str)>;

/// A system that is ready to run.
pub struct Assembled {
    /// Its master, not initialized.
    pub master: Master,
    /// What inputs are before anything is known.
    pub start: Vec<f64>,
    /// The coupled outputs that shall be recorded, by their numbers in the coupling.
    pub recorded: Vec<usize>,
    /// Reads all that shall be recorded.
    pub recorder: Recorder,
    /// The picture of it.
    pub diagram: Diagram,
    /// What was tolerated.
    pub warnings: Vec<String>,
    /// What was done differently from what the system says, and why.
    pub notes: Vec<String>,
    /// Receives the warnings of the master when it is initialized, before the first step.
    pub announce: Option<Announce>,
    maker: couple::Maker,
}

/// An FMU that is open.
struct Opened {
    fmu: Fmu,
    /// The interface through which it is simulated.
    interface: Interface,
    /// What feeds its Real inputs, by their positions.
    fed: HashMap<usize, Link>,
    /// What its other inputs are fed by.
    held: HashMap<usize, Held>,
    /// Its parameters and start values, in the order in which they count.
    values: Vec<Given>,
}

/// What a variable is fed by that changes at events only.
struct Held {
    from: Variable,
    gain: f64,
    offset: f64,
    map: Vec<(Value, Value)>,
}

/// A parameter or start value of an FMU, checked.
struct Given {
    position: usize,
    value: Value,
    place: Place,
}

/// A variable: component and position.
type Variable = (usize, usize);

/// All FMUs of a system, by the numbers of the components.
struct Workshop<'a> {
    system: &'a System,
    opened: Vec<Opened>,
    /// Units that do not fit are an error.
    strict_units: bool,
    /// What was tolerated.
    warnings: Vec<String>,
}

pub(super) fn assemble(system: &System, options: &AssembleOptions) -> Result<Assembled, SystemError> {
    let (workshop, signals) = Workshop::open(system, options, None)?;
    if let Some(sum) = system.sums.first() {
        let problem = format!(
            "{} is fed by a sum, which only the algorithm aggregate knows",
            sum.to
        );
        return Err(SystemError::wrong(&sum.place, problem));
    }
    couple::couple(workshop, signals, options)
}

impl<'a> Workshop<'a> {
    /// Opens the FMUs, checks values and connections, and gathers the signals from outside. With `needed`, all FMUs must have
    /// this interface.
    fn open(
        system: &'a System,
        options: &AssembleOptions,
        needed: Option<Interface>,
    ) -> Result<(Self, Signals), SystemError> {
        let mut workshop = Workshop {
            system,
            opened: open::open(system, options, needed)?,
            strict_units: options.strict_units,
            warnings: Vec::new(),
        };
        workshop.set_values()?;
        let mut signals = Signals::new();
        workshop.connect()?;
        workshop.connect_inputs(&mut signals)?;
        Ok((workshop, signals))
    }

    /// What another name stands for.
    fn aliases<'n>(&self, name: &'n str) -> impl Iterator<Item = &'a Alias> + use<'a, 'n> {
        let system = self.system;
        system.aliases.iter().filter(move |alias| alias.name == name)
    }

    /// The variable that a name means, `component.variable`.
    fn find(&self, name: &str, place: &Place) -> Result<Variable, SystemError> {
        let (component, variable) = self.split(name, place)?;
        let fmu = &self.opened[component].fmu;
        match fmu.variables().position(variable) {
            Some(position) => Ok((component, position)),
            None => {
                let variables = fmu.description().model_variables.iter();
                let near = fmu_importer::nearest(variables.map(|variable| variable.name.as_str()), variable);
                let of = &self.system.components[component].name;
                let problem = format!(
                    "{of} ({}) has no variable '{variable}'{}",
                    fmu.name(),
                    meant(near)
                );
                Err(SystemError::wrong(place, problem))
            }
        }
    }

    /// The component of a name, and the rest of the name. Names of components may have dots; the longest one counts.
    fn split<'n>(&self, name: &'n str, place: &Place) -> Result<(usize, &'n str), SystemError> {
        let components = || {
            self.system
                .components
                .iter()
                .map(|component| component.name.as_str())
        };
        let rest = |component: &str| name.strip_prefix(component)?.strip_prefix('.');
        let fitting = components().enumerate().filter_map(|(number, component)| {
            let rest = rest(component)?;
            Some((component.len(), number, rest))
        });
        if let Some((_, number, rest)) = fitting.max_by_key(|(length, ..)| *length) {
            return Ok((number, rest));
        }
        let Some((component, _)) = name.split_once('.') else {
            let problem = format!("'{name}' is not a variable: write component.variable");
            return Err(SystemError::wrong(place, problem));
        };
        Err(no_component(component, components(), place))
    }

    fn variable(&self, (component, position): Variable) -> &ModelVariable {
        &self.opened[component].fmu.description().model_variables[position]
    }

    /// `component.variable`.
    fn full_name(&self, variable: Variable) -> String {
        format!(
            "{}.{}",
            self.system.components[variable.0].name,
            self.variable(variable).name
        )
    }

    fn base_type(&self, variable: Variable) -> BaseType {
        BaseType::of(&self.variable(variable).kind)
    }
}

fn no_component<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone, place: &Place) -> SystemError {
    const FEW: usize = 10;
    let all: Vec<&str> = known.clone().collect();
    let hint = match fmu_importer::nearest(known, name) {
        Some(near) => meant(Some(near)),
        None if all.is_empty() => "; there are none".to_owned(),
        None if all.len() <= FEW => format!("; there are {}", all.join(", ")),
        None => String::new(),
    };
    SystemError::wrong(place, format!("no component is called '{name}'{hint}"))
}

fn meant(near: Option<&str>) -> String {
    near.map_or_else(String::new, |name| format!("; did you mean '{name}'?"))
}

/// What a variable is, in a sentence.
fn kind(kind: &VariableKind) -> &'static str {
    match kind {
        VariableKind::Real { .. } => "a Real",
        VariableKind::Integer { .. } => "an Integer",
        VariableKind::Boolean { .. } => "a Boolean",
        VariableKind::String { .. } => "a String",
        VariableKind::Enumeration { .. } => "an Enumeration",
        VariableKind::Binary { .. } => "a Binary",
        VariableKind::Clock { .. } => "a Clock",
    }
}
