//! R1 to R25: what an instance does when it is called, numbered as in the tests that our own FMUs pass.

use crate::check::rules::{Check::Behaviour, Rule, table};

pub(in crate::check) static RULES: &[Rule] = table! {
    "R1" Error "2.1"
        "With its start values the FMU initializes and runs"
        "look at the message of the FMU; simulate it with logging"
        => Behaviour;
    "R2" Warning "2.1.5"
        "fmi2Instantiate returns null for a blank name, an unknown interface or missing callbacks, and takes any form of a file URI"
        "check the arguments before they are used"
        => Behaviour;
    "R3" Warning "2.1.5"
        "Messages come with the environment and the instance name that were given, with a category of the description, and only while logging is on"
        "pass componentEnvironment and instanceName back, and declare all categories in LogCategories"
        => Behaviour;
    "R4" Error "3.2.3, 4.2.4"
        "A call that the state allows succeeds, and one that it does not allow fails without harm"
        "follow the tables of allowed calls"
        => Behaviour;
    "R4a" Warning "3.2.3, 4.2.4"
        "A call that the state does not allow returns fmi2Error"
        "keep the state of the instance and check it in every function"
        => Behaviour;
    "R5" Warning "2.1.2"
        "Null pointers are refused; with a count of 0 they are allowed"
        "check pointers before they are used"
        => Behaviour;
    "R6" Error "2.1.2"
        "A value reference that does not exist, or cannot be set, gives fmi2Error"
        "check value references against the variables of their type"
        => Behaviour;
    "R6a" Warning ""
        "A call that is refused sets nothing"
        "check all value references before the first value is set"
        => Behaviour;
    "R6b" Warning "2.2.7"
        "An output that is calculated cannot be set"
        "return fmi2Error"
        => Behaviour;
    "R7" Error "2.2.7"
        "Start values are those of the description, and what is set before initialization counts"
        "use the same start values in library and description"
        => Behaviour;
    "R8" Error "2.1.7"
        "Texts that are set are copied, and read back as they were"
        "copy the bytes; the caller's memory goes"
        => Behaviour;
    "R9" Warning "2.1.2"
        "A Boolean that is neither fmi2False nor fmi2True is survived, and never handed out"
        "refuse it, or take it for fmi2True"
        => Behaviour;
    "R10" Error "2.1.3"
        "NaN, infinite and huge inputs are survived"
        "let them spread or return fmi2Error or fmi2Discard"
        => Behaviour;
    "R11" Warning "2.2.3"
        "A parameter outside of min and max gives fmi2Discard and is not stored, an input gives fmi2Warning, a state passes"
        "compare what is set with min and max; states belong to the integrator, which may step over them"
        => Behaviour;
    "R12" Error "2.1.6"
        "Going beyond a defined stop time gives fmi2Error"
        "compare the time with the stop time, with room for rounding"
        => Behaviour;
    "R13" Warning "4.2.2"
        "fmi2DoStep refuses a step that is not positive and a gap in time, bears rounding, and tells how far a discarded step came"
        "check both arguments, with room for rounding; answer fmi2LastSuccessfulTime after fmi2Discard"
        => Behaviour;
    "R14" Error "2.1.6"
        "After fmi2Reset everything is as after fmi2Instantiate: the same run gives the same bits"
        "reset all variables, the solver and the discrete states included"
        => Behaviour;
    "R15" Error "2.1.5"
        "An instance can be freed in any state, and null as well"
        "free what is there, nothing else"
        => Behaviour;
    "R16" Error "2.1.8"
        "fmi2FreeFMUstate ignores null"
        "check the pointer and the pointer behind it"
        => Behaviour;
    "R17" Error "2.1.8"
        "From a snapshot the run is repeated bit for bit, also by way of bytes, in another instance and in another process"
        "put everything that matters into the snapshot, the solver's memory included"
        => Behaviour;
    "R17a" Warning "2.1.8"
        "Bytes that are no snapshot are refused"
        "write size and checksum into the bytes"
        => Behaviour;
    "R18" Error "2.1.5"
        "Two instances do not disturb each other, on any thread"
        "keep all data in the instance, or declare canBeInstantiatedOnlyOncePerProcess"
        => Behaviour;
    "R19" Error "3.2"
        "Nominal values are positive, derivatives are a function of time, states and inputs, and events tell what they change"
        "look at the call that is named"
        => Behaviour;
    "R19a" Warning "3.2.2"
        "An event indicator that changed its sign is not 0 after the event: its next change would be missed"
        "add a small value with the sign that it has now"
        => Behaviour;
    "R20" Error "2.1.9"
        "Directional derivatives agree with differences, and are linear in the seed"
        "correct the derivative of the unknown that is named"
        => Behaviour;
    "R22" Error "2.1"
        "The same run gives the same bits"
        "initialize all memory; do not depend on addresses or clocks"
        => Behaviour;
    "R23" Warning ""
        "Co-Simulation gives what Model Exchange of the same FMU gives"
        "compare both with a finer step; look at the integrator and the events inside fmi2DoStep"
        => Behaviour;
    "R24" Warning "4.2.1"
        "Derivatives of inputs and outputs have an order of at least 1, and of at most maxOutputDerivativeOrder"
        "check the orders"
        => Behaviour;
};
