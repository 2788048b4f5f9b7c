//! The FMUs of a system: opened once each, and instantiated once all that the system says of them is found to be right, since
//! that is when their own code runs.

use std::collections::HashMap;
use std::ops::DerefMut;
use std::path::PathBuf;

use fmu_importer::{Error, Fmu, Instance, InstanceOptions};

use super::super::{Component, System, SystemError};
use super::{AssembleOptions, Opened};
use crate::settings::Interface;

/// Opens all FMUs. `needed` is the interface that the algorithm needs; none: those that system and components name.
pub(super) fn open(
    system: &System,
    options: &AssembleOptions,
    needed: Option<Interface>,
) -> Result<Vec<Opened>, SystemError> {
    if system.components.is_empty() {
        let place = Default::default();
        return Err(SystemError::wrong(&place, "there are no components"));
    }
    let mut fmus: HashMap<PathBuf, Fmu> = HashMap::new();
    let mut opened = Vec::new();
    for (number, component) in system.components.iter().enumerate() {
        let earlier = &system.components[..number];
        if earlier.iter().any(|other| other.name == component.name) {
            let problem = format!("two components are called '{}'", component.name);
            return Err(SystemError::wrong(&component.place, problem));
        }
        let failed = |source| SystemError::Fmu {
            place: component.place.clone(),
            component: component.name.clone(),
            source: Box::new(source),
        };
        let path = path(component, options);
        if system.unpacked.is_some() && !path.exists() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let problem = format!("{name} is not in the archive; --fmus DIR names a folder to look in");
            return Err(SystemError::wrong(&component.place, problem));
        }
        let fmu = match fmus.get(&path) {
            Some(fmu) => fmu.clone(),
            None => {
                let fmu = Fmu::open_with(&path, &options.limits).map_err(failed)?;
                fmus.insert(path, fmu.clone());
                fmu
            }
        };
        let description = fmu.description();
        let has = |interface: &Interface| match interface {
            Interface::CoSimulation => description.co_simulation.is_some(),
            Interface::ModelExchange => description.model_exchange.is_some(),
        };
        let found = Interface::ALL.into_iter().find(has);
        let preferred = Some(system.settings.interface).filter(has);
        let interface = needed.or(component.interface).or(preferred).or(found);
        let interface = interface.unwrap_or_default();
        if !has(&interface) {
            return Err(failed(Error::NoInterface {
                fmu: fmu.name().to_owned(),
                interface: interface.name(),
                other: found.map(Interface::name),
            }));
        }
        if let (Some(solver), true) = (
            component.solver,
            needed.is_some() || interface == Interface::CoSimulation,
        ) {
            let instead = match needed {
                Some(_) => "aggregate has one solver for all, which stands under [simulation]",
                None => "it steps by itself: add interface = \"model-exchange\"",
            };
            let problem = format!(
                "solver = \"{}\" is for a component that steps through Model Exchange, and {} does not; {instead}",
                solver.as_str(),
                component.name
            );
            return Err(SystemError::wrong(&component.place, problem));
        }
        opened.push(Opened {
            fmu,
            interface,
            fed: HashMap::new(),
            held: HashMap::new(),
            values: Vec::new(),
        });
    }
    Ok(opened)
}

/// Where the FMU is: in the folder that was asked for, or where the system says.
fn path(component: &Component, options: &AssembleOptions) -> PathBuf {
    let in_folder = options.fmus.as_ref().zip(component.fmu.file_name());
    in_folder
        .map(|(folder, name)| folder.join(name))
        .filter(|path| path.exists())
        .unwrap_or_else(|| component.fmu.clone())
}

/// Makes the instance of a component, of the kind that `make` makes, and gives it its values.
pub(super) fn instantiate<I: DerefMut<Target = Instance>>(
    component: &Component,
    opened: &Opened,
    options: &AssembleOptions,
    make: fn(&Fmu, &str, InstanceOptions) -> Result<I, fmu_importer::Error>,
) -> Result<I, SystemError> {
    let mut how = InstanceOptions::new().logging(options.logging);
    if let Some(listener) = options.listener.clone() {
        how = how.on_message(move |message| listener(message));
    }
    if component.isolated {
        let Some(host) = options.host.clone() else {
            let problem = format!(
                "{} is isolated, and this program starts no processes for FMUs",
                component.name
            );
            return Err(SystemError::wrong(&component.place, problem));
        };
        how = how.host(host);
    }
    let instance = make(&opened.fmu, &component.name, how);
    let mut instance = instance.map_err(|source| SystemError::Fmu {
        place: component.place.clone(),
        component: component.name.clone(),
        source: Box::new(source),
    })?;
    for given in &opened.values {
        let variable = &opened.fmu.description().model_variables[given.position].name;
        instance
            .set_start(variable, given.value.clone())
            .map_err(|error| {
                let problem = format!("{}.{variable} cannot be set: {error}", component.name);
                SystemError::wrong(&given.place, problem)
            })?;
    }
    Ok(instance)
}
