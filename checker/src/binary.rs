//! B1 to B6: the libraries.

use std::collections::HashSet;

use fmu_standard::description::Interface;

use super::described::Described;
use super::rules::{
    Check::{Behaviour, Files},
    Rule, table,
};
use super::subject::{Readable, Subject};
use super::{Place, Places};
use fmu_standard::object::{LibraryFacts, is_usual_export};
use fmu_standard::platform::machine_of_folder;

pub(super) static RULES: &[Rule] = table! {
    "B1" Error "2.3"
        "A library exports all functions of the interfaces that it serves and of the capabilities that it declares"
        "importers fail when they load or call the function"
        "export the missing functions"
        => Files(functions);
    "B1a" Error "2.3"
        "A library also exports the functions behind capabilities that it does not declare"
        "FMPy and others load every function of the standard, and fail"
        "export the missing functions; where a capability is not offered they return fmi2Error"
        => Files(optional_functions);
    "B2" Error "2.1.1"
        "Functions in a library have their plain names, without the modelIdentifier in front"
        "importers do not find the functions"
        "define FMI2_FUNCTION_PREFIX for static libraries and sources alone"
        => Files(prefix);
    "B3" Error "2.1.4"
        "fmi2GetVersion answers 2.0 and fmi2GetTypesPlatform default"
        "importers that compare the version refuse the library"
        "return the constants of the standard's headers"
        => Behaviour;
    "B4" Warning ""
        "A library resolves its symbols, keeps its own to itself and needs no executable stack"
        "another library's symbols are used, or the system refuses to load it"
        "hide all symbols but those of the standard (-fvisibility=hidden) and link with -z noexecstack"
        => Files(manners);
    "B5" Error ""
        "No failure of the FMU ends the process"
        "the importer ends with the FMU, and work is lost"
        "catch panics and exceptions at every function of the interface, and never call exit or abort"
        => Behaviour;
    "B6" Error "2.3"
        "A library is for the platform that its folder names"
        "the library does not load on its platform"
        "put it into the folder of its platform, or build it for this one"
        => Files(machine);
};

fn at(library: &LibraryFacts) -> Place {
    Place {
        file: library.path.clone(),
        ..Place::default()
    }
}

/// The libraries that serve an interface, and the functions that they need.
fn serving(subject: &Subject) -> impl Iterator<Item = (&LibraryFacts, &str, Vec<&'static str>)> {
    let described = match &subject.description {
        Readable::Read(described) => Some(described),
        _ => None,
    };
    subject.libraries.iter().filter_map(move |library| {
        let model = &described?.model;
        let is =
            |identifier: Option<&String>| identifier.is_some_and(|identifier| identifier == library.stem());
        let me = model
            .model_exchange
            .as_ref()
            .map(|me| &me.interface.model_identifier);
        let cs = model
            .co_simulation
            .as_ref()
            .map(|cs| &cs.interface.model_identifier);
        if !is(me) && !is(cs) {
            return None;
        }
        let functions = fmu_standard::fmi2::functions(is(me), is(cs)).collect();
        Some((library, library.stem(), functions))
    })
}

/// Whether the description announces what a function is for.
fn is_announced(described: &Described, function: &str) -> bool {
    let some = |has: fn(&Interface) -> bool| described.interfaces().any(|(_, interface)| has(interface));
    let slave = described.model.co_simulation.as_ref();
    match function {
        "fmi2GetFMUstate" | "fmi2SetFMUstate" | "fmi2FreeFMUstate" => {
            some(|interface| interface.can_get_and_set_fmu_state)
        }
        "fmi2SerializedFMUstateSize" | "fmi2SerializeFMUstate" | "fmi2DeSerializeFMUstate" => {
            some(|interface| interface.can_serialize_fmu_state)
        }
        "fmi2GetDirectionalDerivative" => some(|interface| interface.provides_directional_derivative),
        "fmi2SetRealInputDerivatives" => slave.is_some_and(|cs| cs.can_interpolate_inputs),
        "fmi2GetRealOutputDerivatives" => slave.is_some_and(|cs| cs.max_output_derivative_order > 0),
        "fmi2CancelStep" | "fmi2GetStatus" | "fmi2GetIntegerStatus" | "fmi2GetStringStatus" => {
            slave.is_some_and(|cs| cs.can_run_asynchronuously)
        }
        _ => true,
    }
}

fn functions(subject: &Subject, places: &mut Places) {
    missing_functions(subject, places, true);
}

fn optional_functions(subject: &Subject, places: &mut Places) {
    missing_functions(subject, places, false);
}

fn missing_functions(subject: &Subject, places: &mut Places, announced: bool) {
    let Readable::Read(described) = &subject.description else {
        return;
    };
    for (library, identifier, functions) in serving(subject) {
        if library.machines.is_empty() {
            continue;
        }
        let exports: HashSet<_> = library.exports.iter().map(String::as_str).collect();
        let prefixed = |name: &str| exports.contains(format!("{identifier}_{name}").as_str());
        let missing: Vec<_> = functions
            .into_iter()
            .filter(|name| !exports.contains(name) && !prefixed(name))
            .filter(|name| is_announced(described, name) == announced)
            .collect();
        if !missing.is_empty() {
            places.add(at(library), format!("it does not export {}", missing.join(", ")));
        }
    }
}

fn prefix(subject: &Subject, places: &mut Places) {
    for (library, identifier, functions) in serving(subject) {
        let exports: HashSet<_> = library.exports.iter().map(String::as_str).collect();
        let wrong = functions.into_iter().find(|name| {
            !exports.contains(name) && exports.contains(format!("{identifier}_{name}").as_str())
        });
        if let Some(name) = wrong {
            places.add(
                at(library),
                format!("it exports {identifier}_{name} instead of {name}"),
            );
        }
    }
}

fn manners(subject: &Subject, places: &mut Places) {
    for (library, identifier, _) in serving(subject) {
        if library.executable_stack && library.machines.iter().any(|machine| machine.ends_with("linux")) {
            places.add(
                at(library),
                "it asks for an executable stack, which many systems refuse",
            );
        }
        let usual = |name: &str| {
            name.starts_with("fmi")
                || name.starts_with("fmu")
                || name.starts_with(&format!("{identifier}_fmi"))
                || is_usual_export(name)
                || name == "rust_eh_personality"
        };
        let leaked: Vec<_> = library
            .exports
            .iter()
            .filter(|name| !usual(name))
            .map(String::as_str)
            .collect();
        if let [first, rest @ ..] = &leaked[..] {
            let more = if rest.is_empty() {
                String::new()
            } else {
                format!(" and {} more", rest.len())
            };
            places.add(
                at(library),
                format!("it also exports `{first}`{more}: other libraries may be given these"),
            );
        }
    }
}

fn machine(subject: &Subject, places: &mut Places) {
    for library in &subject.libraries {
        let Some(expected) = machine_of_folder(library.platform()) else {
            continue;
        };
        // The tuple may go on with an ABI.
        let expected: String = expected.splitn(3, '-').take(2).collect::<Vec<_>>().join("-");
        if library.machines.is_empty() {
            places.add(at(library), "it is not a library");
        } else if !library.machines.contains(&expected) {
            let found = library.machines.join(" and ");
            places.add(
                at(library),
                format!("it is for {found}, its folder for {expected}"),
            );
        }
    }
}
