//! The C interface of FMI 3.0.

use std::collections::HashSet;
use std::mem::size_of;

use fmu_standard::fmi3::*;

#[test]
fn names_are_those_of_c_and_occur_once() {
    let all: Vec<_> = functions().collect();
    assert_eq!(all.len(), 75);
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
    assert!(
        all.iter()
            .all(|name| name.starts_with("fmi3") && fmu_standard::naming::is_c_identifier(name))
    );
}

#[test]
fn types_have_the_sizes_of_c() {
    assert_eq!(size_of::<fmi3Boolean>(), size_of::<bool>());
    assert_eq!(size_of::<fmi3Clock>(), size_of::<bool>());
    assert_eq!(size_of::<fmi3Status>(), size_of::<std::ffi::c_int>());
    assert_eq!(size_of::<Option<fmi3LogMessageCallback>>(), size_of::<usize>());
    assert_eq!(
        (size_of::<fmi3Float32>(), size_of::<fmi3ValueReference>()),
        (4, 4)
    );
    assert_eq!((size_of::<fmi3Int64>(), size_of::<fmi3UInt16>()), (8, 2));
}

#[test]
fn statuses_have_the_numbers_of_the_header() {
    assert_eq!((fmi3OK.0, fmi3Fatal.0), (0, 4));
    assert_eq!((fmi3Independent.0, fmi3Dependent.0), (0, 5));
    assert_eq!(fmi3IntervalChanged.0, 2);
    assert_eq!(fmi3Status(9).to_string(), "fmi3Status(9)");
}

#[test]
fn the_calling_sequence_has_every_function_that_needs_an_instance() {
    use fmu_standard::fmi3::calls::{self, State};
    let names: Vec<_> = calls::ALL.iter().map(|call| call.name).collect();
    let expected: Vec<_> = functions()
        .filter(|name| *name != "fmi3GetVersion" && !name.starts_with("fmi3Instantiate"))
        .collect();
    assert_eq!(names, expected);
    for call in calls::ALL {
        let columns = [call.model_exchange, call.co_simulation, call.scheduled_execution];
        // States that an interface does not have.
        let foreign = [
            &[
                State::Step,
                State::IntermediateUpdate,
                State::ClockActivation,
                State::ClockUpdate,
            ][..],
            &[State::ContinuousTime, State::ClockActivation, State::ClockUpdate],
            &[
                State::Event,
                State::ContinuousTime,
                State::Step,
                State::IntermediateUpdate,
            ],
        ];
        for (column, foreign) in columns.into_iter().zip(foreign) {
            assert!(!column.has(State::Fatal), "{}", call.name);
            for &state in foreign {
                assert!(!column.has(state), "{} while {state}", call.name);
            }
        }
        for state in State::ALL {
            let strict = columns.iter().any(|column| column.has(state));
            assert!(
                !(call.tolerant.has(state) && strict),
                "{} while {state}",
                call.name
            );
        }
    }
    // Functions of one interface alone are allowed in no other.
    for call in calls::ALL {
        let of = |list: &[&str]| list.contains(&call.name);
        let none = |states: calls::States| State::ALL.iter().all(|state| !states.has(*state));
        assert!(
            !of(&MODEL_EXCHANGE_FUNCTIONS) || none(call.co_simulation),
            "{}",
            call.name
        );
        assert!(
            !of(&CO_SIMULATION_FUNCTIONS) || none(call.model_exchange),
            "{}",
            call.name
        );
        assert!(
            !of(&SCHEDULED_EXECUTION_FUNCTIONS) || none(call.co_simulation),
            "{}",
            call.name
        );
    }
}
