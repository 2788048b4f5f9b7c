//! The C interface as a C compiler sees it.

use std::collections::HashSet;
use std::mem::{offset_of, size_of};

use fmu_standard::fmi2::*;

#[test]
fn function_names() {
    let all: Vec<_> = functions(true, true).collect();
    assert_eq!(all.len(), 44);
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), 44);
    assert!(
        all.iter()
            .all(|name| name.starts_with("fmi2") && fmu_standard::naming::is_c_identifier(name))
    );
    assert_eq!(functions(true, false).count(), 35);
    assert_eq!(functions(false, true).count(), 34);
    assert!(functions(false, true).any(|name| name == "fmi2DoStep"));
    assert!(!functions(true, false).any(|name| name == "fmi2DoStep"));
}

#[test]
fn layout() {
    let pointer = size_of::<*const ()>();
    assert_eq!(size_of::<fmi2CallbackFunctions>(), 5 * pointer);
    assert_eq!(offset_of!(fmi2CallbackFunctions, stepFinished), 3 * pointer);
    assert_eq!(
        offset_of!(fmi2CallbackFunctions, componentEnvironment),
        4 * pointer
    );
    assert_eq!(size_of::<fmi2Status>(), size_of::<i32>());
    assert_eq!(offset_of!(fmi2EventInfo, nextEventTimeDefined), 16);
    assert!(offset_of!(fmi2EventInfo, nextEventTime) >= 20);
    // A null function pointer is `None`.
    let zero: Option<fmi2StepFinished> = None;
    assert_eq!(size_of_val(&zero), pointer);
}

#[test]
fn constants() {
    assert_eq!(fmi2Version.to_str(), Ok("2.0"));
    assert_eq!(fmi2TypesPlatform.to_str(), Ok("default"));
    assert_eq!(
        [
            fmi2OK,
            fmi2Warning,
            fmi2Discard,
            fmi2Error,
            fmi2Fatal,
            fmi2Pending
        ]
        .map(|s| s.0),
        [0, 1, 2, 3, 4, 5]
    );
    assert_eq!([fmi2ModelExchange, fmi2CoSimulation].map(|t| t.0), [0, 1]);
    let kinds = [
        fmi2DoStepStatus,
        fmi2PendingStatus,
        fmi2LastSuccessfulTime,
        fmi2Terminated,
    ];
    assert_eq!(kinds.map(|k| k.0), [0, 1, 2, 3]);
    assert_eq!(fmi2LastSuccessfulTime.to_string(), "fmi2LastSuccessfulTime");
    assert_eq!(format!("{:?}", fmi2Type(9)), "fmi2Type(9)");
}

#[test]
fn the_calling_sequence_has_every_function_that_needs_an_instance() {
    use fmu_standard::fmi2::calls::{self, State};
    let without = ["fmi2GetTypesPlatform", "fmi2GetVersion", "fmi2Instantiate"];
    let names: Vec<_> = calls::ALL.iter().map(|call| call.name).collect();
    let expected: Vec<_> = functions(true, true)
        .filter(|name| !without.contains(name))
        .collect();
    assert_eq!(names, expected);
    for call in calls::ALL {
        // An FMU that reported a fatal error must not be called; the tolerant column adds to the strict ones.
        assert!(!call.allowed().has(State::Fatal), "{}", call.name);
        for state in State::ALL {
            assert!(
                !(call.tolerant.has(state) && call.allowed().has(state)),
                "{}",
                call.name
            );
            assert!(
                !call.debugging.has(state) || call.allowed().has(state),
                "{}",
                call.name
            );
            let of_other = match state {
                State::Event | State::ContinuousTime => call.co_simulation,
                State::StepComplete | State::StepInProgress | State::StepFailed | State::StepCanceled => {
                    call.model_exchange
                }
                _ => continue,
            };
            assert!(!of_other.has(state), "{} while {state}", call.name);
        }
    }
}
