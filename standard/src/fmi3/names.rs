//! The names of the functions, in the order of `fmi3Functions.h`.

/// The functions of all interfaces.
pub const COMMON_FUNCTIONS: [&str; 61] = [
    "fmi3GetVersion",
    "fmi3SetDebugLogging",
    "fmi3InstantiateModelExchange",
    "fmi3InstantiateCoSimulation",
    "fmi3InstantiateScheduledExecution",
    "fmi3FreeInstance",
    "fmi3EnterInitializationMode",
    "fmi3ExitInitializationMode",
    "fmi3EnterEventMode",
    "fmi3Terminate",
    "fmi3Reset",
    "fmi3GetFloat32",
    "fmi3GetFloat64",
    "fmi3GetInt8",
    "fmi3GetUInt8",
    "fmi3GetInt16",
    "fmi3GetUInt16",
    "fmi3GetInt32",
    "fmi3GetUInt32",
    "fmi3GetInt64",
    "fmi3GetUInt64",
    "fmi3GetBoolean",
    "fmi3GetString",
    "fmi3GetBinary",
    "fmi3GetClock",
    "fmi3SetFloat32",
    "fmi3SetFloat64",
    "fmi3SetInt8",
    "fmi3SetUInt8",
    "fmi3SetInt16",
    "fmi3SetUInt16",
    "fmi3SetInt32",
    "fmi3SetUInt32",
    "fmi3SetInt64",
    "fmi3SetUInt64",
    "fmi3SetBoolean",
    "fmi3SetString",
    "fmi3SetBinary",
    "fmi3SetClock",
    "fmi3GetNumberOfVariableDependencies",
    "fmi3GetVariableDependencies",
    "fmi3GetFMUState",
    "fmi3SetFMUState",
    "fmi3FreeFMUState",
    "fmi3SerializedFMUStateSize",
    "fmi3SerializeFMUState",
    "fmi3DeserializeFMUState",
    "fmi3GetDirectionalDerivative",
    "fmi3GetAdjointDerivative",
    "fmi3EnterConfigurationMode",
    "fmi3ExitConfigurationMode",
    "fmi3GetIntervalDecimal",
    "fmi3GetIntervalFraction",
    "fmi3GetShiftDecimal",
    "fmi3GetShiftFraction",
    "fmi3SetIntervalDecimal",
    "fmi3SetIntervalFraction",
    "fmi3SetShiftDecimal",
    "fmi3SetShiftFraction",
    "fmi3EvaluateDiscreteStates",
    "fmi3UpdateDiscreteStates",
];

/// The functions of Model Exchange alone.
pub const MODEL_EXCHANGE_FUNCTIONS: [&str; 10] = [
    "fmi3EnterContinuousTimeMode",
    "fmi3CompletedIntegratorStep",
    "fmi3SetTime",
    "fmi3SetContinuousStates",
    "fmi3GetContinuousStateDerivatives",
    "fmi3GetEventIndicators",
    "fmi3GetContinuousStates",
    "fmi3GetNominalsOfContinuousStates",
    "fmi3GetNumberOfEventIndicators",
    "fmi3GetNumberOfContinuousStates",
];

/// The functions of Co-Simulation alone.
pub const CO_SIMULATION_FUNCTIONS: [&str; 3] =
    ["fmi3EnterStepMode", "fmi3GetOutputDerivatives", "fmi3DoStep"];

/// The functions of Scheduled Execution alone.
pub const SCHEDULED_EXECUTION_FUNCTIONS: [&str; 1] = ["fmi3ActivateModelPartition"];

/// All functions, which a library must export whatever interfaces it offers.
///
/// ```
/// assert_eq!(fmu_standard::fmi3::functions().count(), 75);
/// ```
pub fn functions() -> impl Iterator<Item = &'static str> {
    COMMON_FUNCTIONS
        .into_iter()
        .chain(MODEL_EXCHANGE_FUNCTIONS)
        .chain(CO_SIMULATION_FUNCTIONS)
        .chain(SCHEDULED_EXECUTION_FUNCTIONS)
}

/// Calls a macro with all functions and their types, as `name: type,`, in the order of `fmi3Functions.h`.
///
/// ```
/// macro_rules! count {
///     ($($name:ident: $type:ident,)+) => { [$(stringify!($name)),+] };
/// }
/// let names = fmu_standard::fmi3_functions!(count);
/// assert!(names.into_iter().eq(fmu_standard::fmi3::functions()));
/// ```
#[macro_export]
macro_rules! fmi3_functions {
    ($then:ident) => {
        $then! {
            fmi3GetVersion: fmi3GetVersionTYPE,
            fmi3SetDebugLogging: fmi3SetDebugLoggingTYPE,
            fmi3InstantiateModelExchange: fmi3InstantiateModelExchangeTYPE,
            fmi3InstantiateCoSimulation: fmi3InstantiateCoSimulationTYPE,
            fmi3InstantiateScheduledExecution: fmi3InstantiateScheduledExecutionTYPE,
            fmi3FreeInstance: fmi3FreeInstanceTYPE,
            fmi3EnterInitializationMode: fmi3EnterInitializationModeTYPE,
            fmi3ExitInitializationMode: fmi3ExitInitializationModeTYPE,
            fmi3EnterEventMode: fmi3EnterEventModeTYPE,
            fmi3Terminate: fmi3TerminateTYPE,
            fmi3Reset: fmi3ResetTYPE,
            fmi3GetFloat32: fmi3GetFloat32TYPE,
            fmi3GetFloat64: fmi3GetFloat64TYPE,
            fmi3GetInt8: fmi3GetInt8TYPE,
            fmi3GetUInt8: fmi3GetUInt8TYPE,
            fmi3GetInt16: fmi3GetInt16TYPE,
            fmi3GetUInt16: fmi3GetUInt16TYPE,
            fmi3GetInt32: fmi3GetInt32TYPE,
            fmi3GetUInt32: fmi3GetUInt32TYPE,
            fmi3GetInt64: fmi3GetInt64TYPE,
            fmi3GetUInt64: fmi3GetUInt64TYPE,
            fmi3GetBoolean: fmi3GetBooleanTYPE,
            fmi3GetString: fmi3GetStringTYPE,
            fmi3GetBinary: fmi3GetBinaryTYPE,
            fmi3GetClock: fmi3GetClockTYPE,
            fmi3SetFloat32: fmi3SetFloat32TYPE,
            fmi3SetFloat64: fmi3SetFloat64TYPE,
            fmi3SetInt8: fmi3SetInt8TYPE,
            fmi3SetUInt8: fmi3SetUInt8TYPE,
            fmi3SetInt16: fmi3SetInt16TYPE,
            fmi3SetUInt16: fmi3SetUInt16TYPE,
            fmi3SetInt32: fmi3SetInt32TYPE,
            fmi3SetUInt32: fmi3SetUInt32TYPE,
            fmi3SetInt64: fmi3SetInt64TYPE,
            fmi3SetUInt64: fmi3SetUInt64TYPE,
            fmi3SetBoolean: fmi3SetBooleanTYPE,
            fmi3SetString: fmi3SetStringTYPE,
            fmi3SetBinary: fmi3SetBinaryTYPE,
            fmi3SetClock: fmi3SetClockTYPE,
            fmi3GetNumberOfVariableDependencies: fmi3GetNumberOfVariableDependenciesTYPE,
            fmi3GetVariableDependencies: fmi3GetVariableDependenciesTYPE,
            fmi3GetFMUState: fmi3GetFMUStateTYPE,
            fmi3SetFMUState: fmi3SetFMUStateTYPE,
            fmi3FreeFMUState: fmi3FreeFMUStateTYPE,
            fmi3SerializedFMUStateSize: fmi3SerializedFMUStateSizeTYPE,
            fmi3SerializeFMUState: fmi3SerializeFMUStateTYPE,
            fmi3DeserializeFMUState: fmi3DeserializeFMUStateTYPE,
            fmi3GetDirectionalDerivative: fmi3GetDirectionalDerivativeTYPE,
            fmi3GetAdjointDerivative: fmi3GetAdjointDerivativeTYPE,
            fmi3EnterConfigurationMode: fmi3EnterConfigurationModeTYPE,
            fmi3ExitConfigurationMode: fmi3ExitConfigurationModeTYPE,
            fmi3GetIntervalDecimal: fmi3GetIntervalDecimalTYPE,
            fmi3GetIntervalFraction: fmi3GetIntervalFractionTYPE,
            fmi3GetShiftDecimal: fmi3GetShiftDecimalTYPE,
            fmi3GetShiftFraction: fmi3GetShiftFractionTYPE,
            fmi3SetIntervalDecimal: fmi3SetIntervalDecimalTYPE,
            fmi3SetIntervalFraction: fmi3SetIntervalFractionTYPE,
            fmi3SetShiftDecimal: fmi3SetShiftDecimalTYPE,
            fmi3SetShiftFraction: fmi3SetShiftFractionTYPE,
            fmi3EvaluateDiscreteStates: fmi3EvaluateDiscreteStatesTYPE,
            fmi3UpdateDiscreteStates: fmi3UpdateDiscreteStatesTYPE,
            fmi3EnterContinuousTimeMode: fmi3EnterContinuousTimeModeTYPE,
            fmi3CompletedIntegratorStep: fmi3CompletedIntegratorStepTYPE,
            fmi3SetTime: fmi3SetTimeTYPE,
            fmi3SetContinuousStates: fmi3SetContinuousStatesTYPE,
            fmi3GetContinuousStateDerivatives: fmi3GetContinuousStateDerivativesTYPE,
            fmi3GetEventIndicators: fmi3GetEventIndicatorsTYPE,
            fmi3GetContinuousStates: fmi3GetContinuousStatesTYPE,
            fmi3GetNominalsOfContinuousStates: fmi3GetNominalsOfContinuousStatesTYPE,
            fmi3GetNumberOfEventIndicators: fmi3GetNumberOfEventIndicatorsTYPE,
            fmi3GetNumberOfContinuousStates: fmi3GetNumberOfContinuousStatesTYPE,
            fmi3EnterStepMode: fmi3EnterStepModeTYPE,
            fmi3GetOutputDerivatives: fmi3GetOutputDerivativesTYPE,
            fmi3DoStep: fmi3DoStepTYPE,
            fmi3ActivateModelPartition: fmi3ActivateModelPartitionTYPE,
        }
    };
}
