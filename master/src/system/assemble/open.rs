//! The FMUs of a system: opened once each, and instantiated for Co-Simulation.

use std::collections::HashMap;
use std::path::PathBuf;

use importer::{Fmu, InstanceOptions};

use super::super::{Component, System, SystemError};
use super::{AssembleOptions, Opened};

pub(super) fn open(system: &System, options: &AssembleOptions) -> Result<Vec<Opened>, SystemError> {
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
        let fmu = match fmus.get(&path) {
            Some(fmu) => fmu.clone(),
            None => {
                let fmu = Fmu::open_with(&path, &options.limits).map_err(failed)?;
                fmus.insert(path, fmu.clone());
                fmu
            }
        };
        let mut instance_options = InstanceOptions::new().logging(options.logging);
        if let Some(listener) = options.listener.clone() {
            instance_options = instance_options.on_message(move |message| listener(message));
        }
        let instance = fmu
            .co_simulation_with(&component.name, instance_options)
            .map_err(failed)?;
        opened.push(Opened {
            fmu,
            instance,
            fed: HashMap::new(),
            held: HashMap::new(),
            given: HashMap::new(),
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
