//! C1 to C8: what the FMU says that it can do.

use super::Places;
use super::described::Described;
use super::rules::{
    Check::{Behaviour, Description},
    Rule, table,
};

pub(super) static RULES: &[Rule] = table! {
    "C1" Warning "3.3.1"
        "canSerializeFMUstate comes with canGetAndSetFMUstate"
        "importers that serialize fail"
        "set both, or none"
        => Description(serialization);
    "C2" Error "4.2.1"
        "Where maxOutputDerivativeOrder is larger than 0, fmi2GetRealOutputDerivatives works up to that order"
        "masters that extrapolate by derivatives fail"
        "implement it, or leave maxOutputDerivativeOrder out"
        => Behaviour;
    "C3" Error "4.2.1"
        "Where canInterpolateInputs is true, fmi2SetRealInputDerivatives works"
        "masters that interpolate inputs fail"
        "implement it, or leave canInterpolateInputs out"
        => Behaviour;
    "C4" Error "4.2.2"
        "Only an FMU with canRunAsynchronuously returns fmi2Pending"
        "importers that do not wait use results that are not there"
        "compute the step before fmi2DoStep returns, or set the flag"
        => Behaviour;
    "C5" Error "3.3.1"
        "An FMU with canBeInstantiatedOnlyOncePerProcess survives that a second instance is asked for"
        "a second instance ruins the first"
        "return null from fmi2Instantiate while there is an instance"
        => Behaviour;
    "C6" Note "3.3.1"
        "canNotUseMemoryManagementFunctions is true"
        "the FMU depends on the importer's allocator; nothing in FMI 2.0 forbids it"
        "allocate with the language's own means and set the flag"
        => Description(memory);
    "C7" Error "3.2.2"
        "With completedIntegratorStepNotNeeded the answers of fmi2CompletedIntegratorStep are not needed"
        "importers that skip the call miss events"
        "leave the flag out if there are step events"
        => Behaviour;
    "C8" Warning "2.1.2"
        "Functions behind capabilities that are not declared return, without a crash"
        "an importer that calls the function all the same is ended"
        "return fmi2Error"
        => Behaviour;
};

fn serialization(described: &Described, places: &mut Places) {
    for (interface, attributes) in described.interfaces() {
        if attributes.can_serialize_fmu_state && !attributes.can_get_and_set_fmu_state {
            let place = described.at_element(&format!("element `{interface}`"));
            places.add(place, "canSerializeFMUstate is true, canGetAndSetFMUstate is not");
        }
    }
}

fn memory(described: &Described, places: &mut Places) {
    for (interface, attributes) in described.interfaces() {
        if !attributes.can_not_use_memory_management_functions {
            places.add(
                described.at_element(&format!("element `{interface}`")),
                "it is not",
            );
        }
    }
}
