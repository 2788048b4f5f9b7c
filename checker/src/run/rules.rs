//! R1 to R29: what an instance does when it is called, numbered as in the tests that our own FMUs pass.

use crate::rules::{Check::Behaviour, Rule, table};

pub(crate) static RULES: &[Rule] = table! {
    "R1" Error "2.1"
        "With its start values the FMU initializes and runs"
        "the FMU does not run"
        "look at the message of the FMU; simulate it with logging"
        => Behaviour;
    "R1a" Warning "4.2.2"
        "A slave that does not take any step size has one that it takes as stepSize of DefaultExperiment"
        "importers guess a step, and every step is refused"
        "add stepSize to DefaultExperiment"
        => Behaviour;
    "R1b" Warning ""
        "In a run with its start values all Real variables are numbers"
        "results are not numbers, and solvers do not converge"
        "look at the equation of the variable that is named"
        => Behaviour;
    "R1c" Error "2.3"
        "The library can be loaded"
        "the FMU does not run on this machine"
        "install what the message names, or ask for an FMU that brings it along"
        => Behaviour;
    "R2" Note "2.1.5"
        "fmi2Instantiate returns null for a blank name, an unknown interface or missing callbacks"
        "mistakes of an importer are found late, or end it"
        "check the arguments before they are used"
        => Behaviour;
    "R2a" Warning "2.1.5"
        "fmi2Instantiate takes any form of a file URI, and none where there are no resources"
        "importers that write the URI differently get no instance"
        "read file:/a, file:///a and escaped letters, and only when a resource is needed"
        => Behaviour;
    "R3" Warning "2.1.5"
        "Messages come with the environment and the instance name that were given, with a category of the description, and only while logging is on"
        "messages get lost, or an importer follows a wrong pointer"
        "pass componentEnvironment and instanceName back, and declare all categories in LogCategories"
        => Behaviour;
    "R4" Warning "3.2.3, 4.2.4"
        "A call that the state allows succeeds, and one that it does not allow fails without harm"
        "importers that make the call there fail"
        "follow the tables of allowed calls"
        => Behaviour;
    "R4a" Note "3.2.3, 4.2.4"
        "A call that the state does not allow returns fmi2Error"
        "mistakes of an importer are found late"
        "keep the state of the instance and check it in every function"
        => Behaviour;
    "R5" Note "2.1.2"
        "Null pointers are refused; with a count of 0 they are allowed"
        "mistakes of an importer end it"
        "check pointers before they are used"
        => Behaviour;
    "R6" Warning "2.1.2"
        "A value reference that does not exist, or cannot be set, gives fmi2Error"
        "mistakes of an importer end it, or give values of nothing"
        "check value references against the variables of their type"
        => Behaviour;
    "R6a" Note ""
        "A call that is refused sets nothing"
        "after a refused call it is not known what was set"
        "check all value references before the first value is set"
        => Behaviour;
    "R6b" Note "2.2.7"
        "An output that is calculated cannot be set"
        "mistakes of an importer are found late"
        "return fmi2Error"
        => Behaviour;
    "R7" Error "2.2.7"
        "What is set before initialization counts"
        "parameters that a person sets have no effect"
        "keep what is set, and calculate with it"
        => Behaviour;
    "R7a" Warning "2.2.7"
        "Start values are those of the description"
        "an importer that sets start values gets other results than one that does not"
        "use the same start values in library and description"
        => Behaviour;
    "R8" Error "2.1.7"
        "Texts that are set are copied, and read back as they were"
        "texts that a person sets have no effect"
        "copy the bytes; the caller's memory goes"
        => Behaviour;
    "R9" Note "2.1.2"
        "A Boolean that is neither fmi2False nor fmi2True is survived, and never handed out"
        "an importer that compares with fmi2True takes the wrong branch"
        "refuse it, or take it for fmi2True"
        => Behaviour;
    "R10" Warning "2.1.3"
        "NaN, infinite and huge inputs are survived"
        "a diverging master is ended instead of getting an error"
        "let them spread or return fmi2Error or fmi2Discard"
        => Behaviour;
    "R11" Note "2.2.3"
        "A parameter outside of min and max gives fmi2Discard and is not stored, an input gives fmi2Warning"
        "values outside of the declared range are calculated with"
        "compare what is set with min and max"
        => Behaviour;
    "R11a" Warning "2.2.3"
        "Inputs and states outside of min and max are taken"
        "solvers and masters that overshoot for a short time are ended"
        "return fmi2Warning for inputs and fmi2OK for states: what overshoots comes back"
        => Behaviour;
    "R12" Note "2.1.6"
        "Completing a step beyond a defined stop time gives fmi2Error"
        "data beyond the end of a table may be used"
        "compare the time with the stop time, with room for rounding"
        => Behaviour;
    "R13" Warning "4.2.2"
        "fmi2DoStep bears rounding in the communication points"
        "masters that add up their steps are refused"
        "compare times with room for rounding"
        => Behaviour;
    "R13a" Note "4.2.2"
        "fmi2DoStep refuses a step that is not positive and a gap in time, and reports how far a discarded step came"
        "mistakes of an importer are found late"
        "check both arguments; answer fmi2LastSuccessfulTime after fmi2Discard"
        => Behaviour;
    "R14" Error "2.1.6"
        "After fmi2Reset everything is as after fmi2Instantiate: the same run gives the same bits"
        "a second run in the same instance gives other results"
        "reset all variables, the solver and the discrete states included"
        => Behaviour;
    "R15" Error "2.1.5"
        "An instance can be freed in any state"
        "the importer ends with the FMU when it gives up"
        "free what is there, nothing else"
        => Behaviour;
    "R15a" Note "2.1.5"
        "fmi2FreeInstance ignores null"
        "mistakes of an importer end it"
        "check the pointer"
        => Behaviour;
    "R16" Note "2.1.8"
        "fmi2FreeFMUstate ignores null"
        "mistakes of an importer end it"
        "check the pointer and the pointer behind it"
        => Behaviour;
    "R17" Error "2.1.8"
        "From a snapshot the run is repeated bit for bit, also by way of bytes, in another instance and in another process"
        "masters that repeat steps calculate wrongly"
        "put everything that matters into the snapshot, the solver's memory included"
        => Behaviour;
    "R17a" Note "2.1.8"
        "Bytes that are not a snapshot are refused"
        "damaged bytes are calculated with"
        "write size and checksum into the bytes"
        => Behaviour;
    "R17b" Warning ""
        "The library has the mark of the build that the description names"
        "bytes of snapshots are refused, and the documentation is about another build"
        "package the FMU again, with library and description of one build"
        => Behaviour;
    "R18" Error "2.1.5"
        "Two instances do not disturb each other, on any thread"
        "coupled systems with two of them calculate wrongly"
        "keep all data in the instance, or declare canBeInstantiatedOnlyOncePerProcess"
        => Behaviour;
    "R19" Error "3.2"
        "Nominal values are positive, derivatives are a function of time, states and inputs, and events report what they change"
        "solvers calculate wrongly or do not converge"
        "look at the call that is named"
        => Behaviour;
    "R19a" Warning "3.2.2"
        "An event indicator that changed its sign is not 0 after the event: its next change would be missed"
        "the next event of this indicator is missed"
        "add a small value with the sign that it has now"
        => Behaviour;
    "R19b" Error "3.2.2"
        "The next event time, where one is defined, is a number"
        "solvers never meet the event, or do not end"
        "set nextEventTimeDefined to fmi2False where there is no next event"
        => Behaviour;
    "R20" Error "2.1.9"
        "Directional derivatives agree with differences as well as differences agree with each other"
        "implicit solvers and linearizations are wrong"
        "correct the derivative of the unknown that is named"
        => Behaviour;
    "R20a" Note "2.1.9"
        "Directional derivatives are exact, and linear in the seed"
        "solvers take a few more iterations: the standard allows derivatives by differences"
        "calculate them from the equations"
        => Behaviour;
    "R22" Warning "2.1"
        "The same run gives the same bits"
        "results cannot be reproduced"
        "initialize all memory; do not depend on addresses or clocks"
        => Behaviour;
    "R23" Warning ""
        "Co-Simulation gives what Model Exchange of the same FMU gives"
        "one of the two interfaces calculates wrongly"
        "compare both with a finer step; look at the integrator and the events inside fmi2DoStep"
        => Behaviour;
    "R24" Note "4.2.1"
        "Derivatives of inputs and outputs have an order of at least 1, and of at most maxOutputDerivativeOrder"
        "mistakes of an importer are found late"
        "check the orders"
        => Behaviour;
    "R26" Warning ""
        "The FMU leaves the working folder of the process as it is"
        "files of the importer are written to and looked for in another folder"
        "use whole paths; fmi2Instantiate gets the one of the resources"
        => Behaviour;
    "R26a" Warning ""
        "The FMU leaves the umask as it is"
        "files that the importer writes have other permissions"
        "set the permissions of the files of the FMU, not the umask"
        => Behaviour;
    "R26b" Warning ""
        "The FMU leaves signal handlers and blocked signals as they are"
        "Ctrl-C and the crash reports of the importer do not work any more"
        "handle no signals in a library; switch off those of a runtime inside"
        => Behaviour;
    "R26c" Warning ""
        "The FMU leaves the floating-point mode as it is: rounding, traps, subnormal numbers"
        "the importer and other FMUs calculate otherwise, or are ended by a trap"
        "save and restore the mode around a calculation; link without -ffast-math, which changes it on loading"
        => Behaviour;
    "R26d" Warning ""
        "The FMU leaves the locale as it is"
        "the importer reads and writes numbers with a decimal comma"
        "use functions that take a locale (newlocale, strtod_l), not setlocale"
        => Behaviour;
    "R26e" Warning ""
        "The FMU closes no files that it has not opened"
        "files and connections of the importer are closed, and what it writes later is lost or goes to another file"
        "close the numbers that were opened, each once; do not close all numbers"
        => Behaviour;
    "R27" Warning ""
        "The FMU writes nothing to the standard streams"
        "results that an importer writes there are spoiled, and messages are not seen where there is no terminal"
        "pass messages to the logger callback"
        => Behaviour;
    "R28" Warning ""
        "The FMU leaves no process behind"
        "processes pile up, and hold files, ports and licences"
        "end in fmi2FreeInstance what was started, and wait for it"
        => Behaviour;
    "R29" Warning ""
        "The FMU gets along with the memory of --max-memory"
        "the machine stops responding, or ends other programs"
        "look for memory that is never freed; raise the limit for a large model"
        => Behaviour;
};
