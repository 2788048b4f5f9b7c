//! The names of the functions, in the order of `fmi2Functions.h`.

/// The functions of both interfaces.
pub const COMMON_FUNCTIONS: [&str; 25] = [
    "fmi2GetTypesPlatform",
    "fmi2GetVersion",
    "fmi2SetDebugLogging",
    "fmi2Instantiate",
    "fmi2FreeInstance",
    "fmi2SetupExperiment",
    "fmi2EnterInitializationMode",
    "fmi2ExitInitializationMode",
    "fmi2Terminate",
    "fmi2Reset",
    "fmi2GetReal",
    "fmi2GetInteger",
    "fmi2GetBoolean",
    "fmi2GetString",
    "fmi2SetReal",
    "fmi2SetInteger",
    "fmi2SetBoolean",
    "fmi2SetString",
    "fmi2GetFMUstate",
    "fmi2SetFMUstate",
    "fmi2FreeFMUstate",
    "fmi2SerializedFMUstateSize",
    "fmi2SerializeFMUstate",
    "fmi2DeSerializeFMUstate",
    "fmi2GetDirectionalDerivative",
];

/// The functions of Model Exchange alone.
pub const MODEL_EXCHANGE_FUNCTIONS: [&str; 10] = [
    "fmi2EnterEventMode",
    "fmi2NewDiscreteStates",
    "fmi2EnterContinuousTimeMode",
    "fmi2CompletedIntegratorStep",
    "fmi2SetTime",
    "fmi2SetContinuousStates",
    "fmi2GetDerivatives",
    "fmi2GetEventIndicators",
    "fmi2GetContinuousStates",
    "fmi2GetNominalsOfContinuousStates",
];

/// The functions of Co-Simulation alone.
pub const CO_SIMULATION_FUNCTIONS: [&str; 9] = [
    "fmi2SetRealInputDerivatives",
    "fmi2GetRealOutputDerivatives",
    "fmi2DoStep",
    "fmi2CancelStep",
    "fmi2GetStatus",
    "fmi2GetRealStatus",
    "fmi2GetIntegerStatus",
    "fmi2GetBooleanStatus",
    "fmi2GetStringStatus",
];

/// The functions that a library must export for the interfaces that it offers, all of them even where a capability
/// is not declared (section 2.3).
///
/// ```
/// assert_eq!(fmu_standard::fmi2::functions(true, true).count(), 44);
/// ```
pub fn functions(model_exchange: bool, co_simulation: bool) -> impl Iterator<Item = &'static str> {
    let of_model_exchange = MODEL_EXCHANGE_FUNCTIONS
        .into_iter()
        .filter(move |_| model_exchange);
    let of_co_simulation = CO_SIMULATION_FUNCTIONS.into_iter().filter(move |_| co_simulation);
    COMMON_FUNCTIONS
        .into_iter()
        .chain(of_model_exchange)
        .chain(of_co_simulation)
}

/// Calls a macro with all functions and their types, as `name: type,`, in the order of `fmi2Functions.h`.
///
/// ```
/// macro_rules! count {
///     ($($name:ident: $type:ident,)+) => { [$(stringify!($name)),+] };
/// }
/// let names = fmu_standard::fmi2_functions!(count);
/// assert!(names.into_iter().eq(fmu_standard::fmi2::functions(true, true)));
/// ```
#[macro_export]
macro_rules! fmi2_functions {
    ($then:ident) => {
        $then! {
            fmi2GetTypesPlatform: fmi2GetTypesPlatformTYPE,
            fmi2GetVersion: fmi2GetVersionTYPE,
            fmi2SetDebugLogging: fmi2SetDebugLoggingTYPE,
            fmi2Instantiate: fmi2InstantiateTYPE,
            fmi2FreeInstance: fmi2FreeInstanceTYPE,
            fmi2SetupExperiment: fmi2SetupExperimentTYPE,
            fmi2EnterInitializationMode: fmi2EnterInitializationModeTYPE,
            fmi2ExitInitializationMode: fmi2ExitInitializationModeTYPE,
            fmi2Terminate: fmi2TerminateTYPE,
            fmi2Reset: fmi2ResetTYPE,
            fmi2GetReal: fmi2GetRealTYPE,
            fmi2GetInteger: fmi2GetIntegerTYPE,
            fmi2GetBoolean: fmi2GetBooleanTYPE,
            fmi2GetString: fmi2GetStringTYPE,
            fmi2SetReal: fmi2SetRealTYPE,
            fmi2SetInteger: fmi2SetIntegerTYPE,
            fmi2SetBoolean: fmi2SetBooleanTYPE,
            fmi2SetString: fmi2SetStringTYPE,
            fmi2GetFMUstate: fmi2GetFMUstateTYPE,
            fmi2SetFMUstate: fmi2SetFMUstateTYPE,
            fmi2FreeFMUstate: fmi2FreeFMUstateTYPE,
            fmi2SerializedFMUstateSize: fmi2SerializedFMUstateSizeTYPE,
            fmi2SerializeFMUstate: fmi2SerializeFMUstateTYPE,
            fmi2DeSerializeFMUstate: fmi2DeSerializeFMUstateTYPE,
            fmi2GetDirectionalDerivative: fmi2GetDirectionalDerivativeTYPE,
            fmi2EnterEventMode: fmi2EnterEventModeTYPE,
            fmi2NewDiscreteStates: fmi2NewDiscreteStatesTYPE,
            fmi2EnterContinuousTimeMode: fmi2EnterContinuousTimeModeTYPE,
            fmi2CompletedIntegratorStep: fmi2CompletedIntegratorStepTYPE,
            fmi2SetTime: fmi2SetTimeTYPE,
            fmi2SetContinuousStates: fmi2SetContinuousStatesTYPE,
            fmi2GetDerivatives: fmi2GetDerivativesTYPE,
            fmi2GetEventIndicators: fmi2GetEventIndicatorsTYPE,
            fmi2GetContinuousStates: fmi2GetContinuousStatesTYPE,
            fmi2GetNominalsOfContinuousStates: fmi2GetNominalsOfContinuousStatesTYPE,
            fmi2SetRealInputDerivatives: fmi2SetRealInputDerivativesTYPE,
            fmi2GetRealOutputDerivatives: fmi2GetRealOutputDerivativesTYPE,
            fmi2DoStep: fmi2DoStepTYPE,
            fmi2CancelStep: fmi2CancelStepTYPE,
            fmi2GetStatus: fmi2GetStatusTYPE,
            fmi2GetRealStatus: fmi2GetRealStatusTYPE,
            fmi2GetIntegerStatus: fmi2GetIntegerStatusTYPE,
            fmi2GetBooleanStatus: fmi2GetBooleanStatusTYPE,
            fmi2GetStringStatus: fmi2GetStringStatusTYPE,
        }
    };
}
