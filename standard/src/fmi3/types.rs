//! The C types of FMI 3.0: types, constants and function types, in the order of the standard's headers and under their names.
//! [`fmi3Getter`] and [`fmi3Setter`] are ours: most function types of values differ in the type of the values alone.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt;

use crate::shared::c_enum;

// ---- fmi3PlatformTypes.h

/// Pointer to an instance of the FMU.
pub type fmi3Instance = *mut c_void;
/// Pointer to the environment's own data, handed back to its callbacks.
pub type fmi3InstanceEnvironment = *mut c_void;
/// Pointer to a snapshot of an instance.
pub type fmi3FMUState = *mut c_void;
/// Handle of a variable.
pub type fmi3ValueReference = u32;
/// A floating-point number with 32 bits.
pub type fmi3Float32 = f32;
/// A floating-point number with 64 bits.
pub type fmi3Float64 = f64;
/// A signed integer with 8 bits.
pub type fmi3Int8 = i8;
/// An unsigned integer with 8 bits.
pub type fmi3UInt8 = u8;
/// A signed integer with 16 bits.
pub type fmi3Int16 = i16;
/// An unsigned integer with 16 bits.
pub type fmi3UInt16 = u16;
/// A signed integer with 32 bits.
pub type fmi3Int32 = i32;
/// An unsigned integer with 32 bits.
pub type fmi3UInt32 = u32;
/// A signed integer with 64 bits; also the value of an enumeration.
pub type fmi3Int64 = i64;
/// An unsigned integer with 64 bits.
pub type fmi3UInt64 = u64;
/// [`fmi3True`] or [`fmi3False`]: one byte.
pub type fmi3Boolean = u8;
/// A byte of UTF-8 text.
pub type fmi3Char = c_char;
/// A text, ended by a zero byte.
pub type fmi3String = *const fmi3Char;
/// A byte of binary data or of a serialized snapshot.
pub type fmi3Byte = u8;
/// Binary data; its length is passed beside it.
pub type fmi3Binary = *const fmi3Byte;
/// [`fmi3ClockActive`] or [`fmi3ClockInactive`]: one byte.
pub type fmi3Clock = u8;

/// The true [`fmi3Boolean`].
pub const fmi3True: fmi3Boolean = 1;
/// The false [`fmi3Boolean`].
pub const fmi3False: fmi3Boolean = 0;
/// The clock ticks.
pub const fmi3ClockActive: fmi3Clock = 1;
/// The clock does not tick.
pub const fmi3ClockInactive: fmi3Clock = 0;

// ---- fmi3Functions.h

/// The version that `fmi3GetVersion` returns.
pub const fmi3Version: &CStr = c"3.0";

// ---- fmi3FunctionTypes.h

c_enum! {
    /// How a call went.
    fmi3Status {
        /// It succeeded.
        fmi3OK = 0,
        /// It succeeded with a reservation, which the logger has reported.
        fmi3Warning = 1,
        /// It is not possible with these values; a smaller step or another value may be.
        fmi3Discard = 2,
        /// This instance cannot go on.
        fmi3Error = 3,
        /// No instance of this FMU can go on.
        fmi3Fatal = 4,
    }
}

c_enum! {
    /// How an unknown depends on a known.
    fmi3DependencyKind {
        /// Not at all.
        fmi3Independent = 0,
        /// The factor is a constant.
        fmi3Constant = 1,
        /// The factor is fixed after initialization.
        fmi3Fixed = 2,
        /// The factor changes with tunable parameters only.
        fmi3Tunable = 3,
        /// The factor changes at events only.
        fmi3Discrete = 4,
        /// No particular structure.
        fmi3Dependent = 5,
    }
}

c_enum! {
    /// What is known about the interval of a clock.
    fmi3IntervalQualifier {
        /// The interval is not known yet.
        fmi3IntervalNotYetKnown = 0,
        /// The interval is the one that was reported before.
        fmi3IntervalUnchanged = 1,
        /// The interval is new.
        fmi3IntervalChanged = 2,
    }
}

/// Takes a message.
pub type fmi3LogMessageCallback = unsafe extern "C" fn(
    instanceEnvironment: fmi3InstanceEnvironment,
    status: fmi3Status,
    category: fmi3String,
    message: fmi3String,
);
/// Takes the notice that a clock has ticked or changed its interval (Scheduled Execution).
pub type fmi3ClockUpdateCallback = unsafe extern "C" fn(instanceEnvironment: fmi3InstanceEnvironment);
/// Called inside a step: the environment may set inputs, read outputs or ask for an early return.
pub type fmi3IntermediateUpdateCallback = unsafe extern "C" fn(
    instanceEnvironment: fmi3InstanceEnvironment,
    intermediateUpdateTime: fmi3Float64,
    intermediateVariableSetRequested: fmi3Boolean,
    intermediateVariableGetAllowed: fmi3Boolean,
    intermediateStepFinished: fmi3Boolean,
    canReturnEarly: fmi3Boolean,
    earlyReturnRequested: *mut fmi3Boolean,
    earlyReturnTime: *mut fmi3Float64,
);
/// Begins a part that must not be preempted.
pub type fmi3LockPreemptionCallback = unsafe extern "C" fn();
/// Ends a part that must not be preempted.
pub type fmi3UnlockPreemptionCallback = unsafe extern "C" fn();

// Common functions
/// `fmi3GetVersion`: "3.0" or a longer version.
pub type fmi3GetVersionTYPE = unsafe extern "C" fn() -> *const c_char;
/// `fmi3SetDebugLogging`: switches categories of messages on or off.
pub type fmi3SetDebugLoggingTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    loggingOn: fmi3Boolean,
    nCategories: usize,
    categories: *const fmi3String,
) -> fmi3Status;
/// `fmi3InstantiateModelExchange`: makes an instance for Model Exchange; null if that fails.
pub type fmi3InstantiateModelExchangeTYPE = unsafe extern "C" fn(
    instanceName: fmi3String,
    instantiationToken: fmi3String,
    resourcePath: fmi3String,
    visible: fmi3Boolean,
    loggingOn: fmi3Boolean,
    instanceEnvironment: fmi3InstanceEnvironment,
    logMessage: Option<fmi3LogMessageCallback>,
) -> fmi3Instance;
/// `fmi3InstantiateCoSimulation`: makes an instance for Co-Simulation; null if that fails.
pub type fmi3InstantiateCoSimulationTYPE = unsafe extern "C" fn(
    instanceName: fmi3String,
    instantiationToken: fmi3String,
    resourcePath: fmi3String,
    visible: fmi3Boolean,
    loggingOn: fmi3Boolean,
    eventModeUsed: fmi3Boolean,
    earlyReturnAllowed: fmi3Boolean,
    requiredIntermediateVariables: *const fmi3ValueReference,
    nRequiredIntermediateVariables: usize,
    instanceEnvironment: fmi3InstanceEnvironment,
    logMessage: Option<fmi3LogMessageCallback>,
    intermediateUpdate: Option<fmi3IntermediateUpdateCallback>,
) -> fmi3Instance;
/// `fmi3InstantiateScheduledExecution`: makes an instance for Scheduled Execution; null if that fails.
pub type fmi3InstantiateScheduledExecutionTYPE = unsafe extern "C" fn(
    instanceName: fmi3String,
    instantiationToken: fmi3String,
    resourcePath: fmi3String,
    visible: fmi3Boolean,
    loggingOn: fmi3Boolean,
    instanceEnvironment: fmi3InstanceEnvironment,
    logMessage: Option<fmi3LogMessageCallback>,
    clockUpdate: Option<fmi3ClockUpdateCallback>,
    lockPreemption: Option<fmi3LockPreemptionCallback>,
    unlockPreemption: Option<fmi3UnlockPreemptionCallback>,
) -> fmi3Instance;
/// `fmi3FreeInstance`: disposes of an instance.
pub type fmi3FreeInstanceTYPE = unsafe extern "C" fn(instance: fmi3Instance);
/// `fmi3EnterInitializationMode`: passes tolerance, start and stop time, and begins initialization.
pub type fmi3EnterInitializationModeTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    toleranceDefined: fmi3Boolean,
    tolerance: fmi3Float64,
    startTime: fmi3Float64,
    stopTimeDefined: fmi3Boolean,
    stopTime: fmi3Float64,
) -> fmi3Status;
/// `fmi3ExitInitializationMode`: ends initialization.
pub type fmi3ExitInitializationModeTYPE = unsafe extern "C" fn(instance: fmi3Instance) -> fmi3Status;
/// `fmi3EnterEventMode`: begins the handling of an event.
pub type fmi3EnterEventModeTYPE = unsafe extern "C" fn(instance: fmi3Instance) -> fmi3Status;
/// `fmi3Terminate`: ends the simulation run.
pub type fmi3TerminateTYPE = unsafe extern "C" fn(instance: fmi3Instance) -> fmi3Status;
/// `fmi3Reset`: back to the state after instantiation.
pub type fmi3ResetTYPE = unsafe extern "C" fn(instance: fmi3Instance) -> fmi3Status;
/// Gets the values of variables of one type; arrays element by element.
pub type fmi3Getter<T> = unsafe extern "C" fn(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *mut T,
    nValues: usize,
) -> fmi3Status;
/// `fmi3GetFloat32`.
pub type fmi3GetFloat32TYPE = fmi3Getter<fmi3Float32>;
/// `fmi3GetFloat64`.
pub type fmi3GetFloat64TYPE = fmi3Getter<fmi3Float64>;
/// `fmi3GetInt8`.
pub type fmi3GetInt8TYPE = fmi3Getter<fmi3Int8>;
/// `fmi3GetUInt8`.
pub type fmi3GetUInt8TYPE = fmi3Getter<fmi3UInt8>;
/// `fmi3GetInt16`.
pub type fmi3GetInt16TYPE = fmi3Getter<fmi3Int16>;
/// `fmi3GetUInt16`.
pub type fmi3GetUInt16TYPE = fmi3Getter<fmi3UInt16>;
/// `fmi3GetInt32`.
pub type fmi3GetInt32TYPE = fmi3Getter<fmi3Int32>;
/// `fmi3GetUInt32`.
pub type fmi3GetUInt32TYPE = fmi3Getter<fmi3UInt32>;
/// `fmi3GetInt64`.
pub type fmi3GetInt64TYPE = fmi3Getter<fmi3Int64>;
/// `fmi3GetUInt64`.
pub type fmi3GetUInt64TYPE = fmi3Getter<fmi3UInt64>;
/// `fmi3GetBoolean`.
pub type fmi3GetBooleanTYPE = fmi3Getter<fmi3Boolean>;
/// `fmi3GetString`.
pub type fmi3GetStringTYPE = fmi3Getter<fmi3String>;
/// `fmi3GetBinary`: values of Binary variables.
pub type fmi3GetBinaryTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    valueSizes: *mut usize,
    values: *mut fmi3Binary,
    nValues: usize,
) -> fmi3Status;
/// `fmi3GetClock`: which clocks tick.
pub type fmi3GetClockTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *mut fmi3Clock,
) -> fmi3Status;
/// Sets the values of variables of one type; arrays element by element.
pub type fmi3Setter<T> = unsafe extern "C" fn(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *const T,
    nValues: usize,
) -> fmi3Status;
/// `fmi3SetFloat32`.
pub type fmi3SetFloat32TYPE = fmi3Setter<fmi3Float32>;
/// `fmi3SetFloat64`.
pub type fmi3SetFloat64TYPE = fmi3Setter<fmi3Float64>;
/// `fmi3SetInt8`.
pub type fmi3SetInt8TYPE = fmi3Setter<fmi3Int8>;
/// `fmi3SetUInt8`.
pub type fmi3SetUInt8TYPE = fmi3Setter<fmi3UInt8>;
/// `fmi3SetInt16`.
pub type fmi3SetInt16TYPE = fmi3Setter<fmi3Int16>;
/// `fmi3SetUInt16`.
pub type fmi3SetUInt16TYPE = fmi3Setter<fmi3UInt16>;
/// `fmi3SetInt32`.
pub type fmi3SetInt32TYPE = fmi3Setter<fmi3Int32>;
/// `fmi3SetUInt32`.
pub type fmi3SetUInt32TYPE = fmi3Setter<fmi3UInt32>;
/// `fmi3SetInt64`.
pub type fmi3SetInt64TYPE = fmi3Setter<fmi3Int64>;
/// `fmi3SetUInt64`.
pub type fmi3SetUInt64TYPE = fmi3Setter<fmi3UInt64>;
/// `fmi3SetBoolean`.
pub type fmi3SetBooleanTYPE = fmi3Setter<fmi3Boolean>;
/// `fmi3SetString`.
pub type fmi3SetStringTYPE = fmi3Setter<fmi3String>;
/// `fmi3SetBinary`: sets Binary variables.
pub type fmi3SetBinaryTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    valueSizes: *const usize,
    values: *const fmi3Binary,
    nValues: usize,
) -> fmi3Status;
/// `fmi3SetClock`: makes clocks tick.
pub type fmi3SetClockTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    values: *const fmi3Clock,
) -> fmi3Status;
/// `fmi3GetNumberOfVariableDependencies`: how many dependencies the elements of a variable have.
pub type fmi3GetNumberOfVariableDependenciesTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    valueReference: fmi3ValueReference,
    nDependencies: *mut usize,
) -> fmi3Status;
/// `fmi3GetVariableDependencies`: the dependencies of a variable, element by element.
pub type fmi3GetVariableDependenciesTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    dependent: fmi3ValueReference,
    elementIndicesOfDependent: *mut usize,
    independents: *mut fmi3ValueReference,
    elementIndicesOfIndependents: *mut usize,
    dependencyKinds: *mut fmi3DependencyKind,
    nDependencies: usize,
) -> fmi3Status;
/// `fmi3GetFMUState`: takes a snapshot.
pub type fmi3GetFMUStateTYPE =
    unsafe extern "C" fn(instance: fmi3Instance, FMUState: *mut fmi3FMUState) -> fmi3Status;
/// `fmi3SetFMUState`: goes back to a snapshot.
pub type fmi3SetFMUStateTYPE =
    unsafe extern "C" fn(instance: fmi3Instance, FMUState: fmi3FMUState) -> fmi3Status;
/// `fmi3FreeFMUState`: disposes of a snapshot.
pub type fmi3FreeFMUStateTYPE =
    unsafe extern "C" fn(instance: fmi3Instance, FMUState: *mut fmi3FMUState) -> fmi3Status;
/// `fmi3SerializedFMUStateSize`: how many bytes a snapshot has.
pub type fmi3SerializedFMUStateSizeTYPE =
    unsafe extern "C" fn(instance: fmi3Instance, FMUState: fmi3FMUState, size: *mut usize) -> fmi3Status;
/// `fmi3SerializeFMUState`: writes a snapshot as bytes.
pub type fmi3SerializeFMUStateTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    FMUState: fmi3FMUState,
    serializedState: *mut fmi3Byte,
    size: usize,
) -> fmi3Status;
/// `fmi3DeserializeFMUState`: makes a snapshot from bytes.
pub type fmi3DeserializeFMUStateTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    serializedState: *const fmi3Byte,
    size: usize,
    FMUState: *mut fmi3FMUState,
) -> fmi3Status;
/// `fmi3GetDirectionalDerivative`: the Jacobian times a seed.
pub type fmi3GetDirectionalDerivativeTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    unknowns: *const fmi3ValueReference,
    nUnknowns: usize,
    knowns: *const fmi3ValueReference,
    nKnowns: usize,
    seed: *const fmi3Float64,
    nSeed: usize,
    sensitivity: *mut fmi3Float64,
    nSensitivity: usize,
) -> fmi3Status;
/// `fmi3GetAdjointDerivative`: a seed times the Jacobian.
pub type fmi3GetAdjointDerivativeTYPE = fmi3GetDirectionalDerivativeTYPE;
/// `fmi3EnterConfigurationMode`: structural parameters may be set from here on.
pub type fmi3EnterConfigurationModeTYPE = unsafe extern "C" fn(instance: fmi3Instance) -> fmi3Status;
/// `fmi3ExitConfigurationMode`: ends that.
pub type fmi3ExitConfigurationModeTYPE = unsafe extern "C" fn(instance: fmi3Instance) -> fmi3Status;
/// `fmi3GetIntervalDecimal`: intervals of clocks in seconds.
pub type fmi3GetIntervalDecimalTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    intervals: *mut fmi3Float64,
    qualifiers: *mut fmi3IntervalQualifier,
) -> fmi3Status;
/// `fmi3GetIntervalFraction`: intervals of clocks as fractions.
pub type fmi3GetIntervalFractionTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    counters: *mut fmi3UInt64,
    resolutions: *mut fmi3UInt64,
    qualifiers: *mut fmi3IntervalQualifier,
) -> fmi3Status;
/// `fmi3GetShiftDecimal`: first ticks of clocks in seconds.
pub type fmi3GetShiftDecimalTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    shifts: *mut fmi3Float64,
) -> fmi3Status;
/// `fmi3GetShiftFraction`: first ticks of clocks as fractions.
pub type fmi3GetShiftFractionTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    counters: *mut fmi3UInt64,
    resolutions: *mut fmi3UInt64,
) -> fmi3Status;
/// `fmi3SetIntervalDecimal`: sets intervals of clocks in seconds.
pub type fmi3SetIntervalDecimalTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    intervals: *const fmi3Float64,
) -> fmi3Status;
/// `fmi3SetIntervalFraction`: sets intervals of clocks as fractions.
pub type fmi3SetIntervalFractionTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    counters: *const fmi3UInt64,
    resolutions: *const fmi3UInt64,
) -> fmi3Status;
/// `fmi3SetShiftDecimal`: sets first ticks of clocks in seconds.
pub type fmi3SetShiftDecimalTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    shifts: *const fmi3Float64,
) -> fmi3Status;
/// `fmi3SetShiftFraction`: sets first ticks of clocks as fractions.
pub type fmi3SetShiftFractionTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    counters: *const fmi3UInt64,
    resolutions: *const fmi3UInt64,
) -> fmi3Status;
/// `fmi3EvaluateDiscreteStates`: evaluates the equations of the current event iteration.
pub type fmi3EvaluateDiscreteStatesTYPE = unsafe extern "C" fn(instance: fmi3Instance) -> fmi3Status;
/// `fmi3UpdateDiscreteStates`: one event iteration.
pub type fmi3UpdateDiscreteStatesTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    discreteStatesNeedUpdate: *mut fmi3Boolean,
    terminateSimulation: *mut fmi3Boolean,
    nominalsOfContinuousStatesChanged: *mut fmi3Boolean,
    valuesOfContinuousStatesChanged: *mut fmi3Boolean,
    nextEventTimeDefined: *mut fmi3Boolean,
    nextEventTime: *mut fmi3Float64,
) -> fmi3Status;

// Functions of Model Exchange

/// `fmi3EnterContinuousTimeMode`: from event mode to continuous-time mode.
pub type fmi3EnterContinuousTimeModeTYPE = unsafe extern "C" fn(instance: fmi3Instance) -> fmi3Status;
/// `fmi3CompletedIntegratorStep`: reports that a step is accepted.
pub type fmi3CompletedIntegratorStepTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    noSetFMUStatePriorToCurrentPoint: fmi3Boolean,
    enterEventMode: *mut fmi3Boolean,
    terminateSimulation: *mut fmi3Boolean,
) -> fmi3Status;
/// `fmi3SetTime`: sets the independent variable.
pub type fmi3SetTimeTYPE = unsafe extern "C" fn(instance: fmi3Instance, time: fmi3Float64) -> fmi3Status;
/// `fmi3SetContinuousStates`: sets all states.
pub type fmi3SetContinuousStatesTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    continuousStates: *const fmi3Float64,
    nContinuousStates: usize,
) -> fmi3Status;
/// `fmi3GetContinuousStateDerivatives`: derivatives of all states.
pub type fmi3GetContinuousStateDerivativesTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    derivatives: *mut fmi3Float64,
    nContinuousStates: usize,
) -> fmi3Status;
/// `fmi3GetEventIndicators`: the functions whose change of sign is an event.
pub type fmi3GetEventIndicatorsTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    eventIndicators: *mut fmi3Float64,
    nEventIndicators: usize,
) -> fmi3Status;
/// `fmi3GetContinuousStates`: all states.
pub type fmi3GetContinuousStatesTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    continuousStates: *mut fmi3Float64,
    nContinuousStates: usize,
) -> fmi3Status;
/// `fmi3GetNominalsOfContinuousStates`: nominal values of all states.
pub type fmi3GetNominalsOfContinuousStatesTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    nominals: *mut fmi3Float64,
    nContinuousStates: usize,
) -> fmi3Status;
/// `fmi3GetNumberOfEventIndicators`: how many event indicators there are.
pub type fmi3GetNumberOfEventIndicatorsTYPE =
    unsafe extern "C" fn(instance: fmi3Instance, nEventIndicators: *mut usize) -> fmi3Status;
/// `fmi3GetNumberOfContinuousStates`: how many states there are.
pub type fmi3GetNumberOfContinuousStatesTYPE =
    unsafe extern "C" fn(instance: fmi3Instance, nContinuousStates: *mut usize) -> fmi3Status;

// Functions of Co-Simulation

/// `fmi3EnterStepMode`: from event mode to step mode.
pub type fmi3EnterStepModeTYPE = unsafe extern "C" fn(instance: fmi3Instance) -> fmi3Status;
/// `fmi3GetOutputDerivatives`: derivatives of outputs by time.
pub type fmi3GetOutputDerivativesTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    valueReferences: *const fmi3ValueReference,
    nValueReferences: usize,
    orders: *const fmi3Int32,
    values: *mut fmi3Float64,
    nValues: usize,
) -> fmi3Status;
/// `fmi3DoStep`: one communication step.
pub type fmi3DoStepTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    currentCommunicationPoint: fmi3Float64,
    communicationStepSize: fmi3Float64,
    noSetFMUStatePriorToCurrentPoint: fmi3Boolean,
    eventHandlingNeeded: *mut fmi3Boolean,
    terminateSimulation: *mut fmi3Boolean,
    earlyReturn: *mut fmi3Boolean,
    lastSuccessfulTime: *mut fmi3Float64,
) -> fmi3Status;

// Functions of Scheduled Execution

/// `fmi3ActivateModelPartition`: computes what belongs to a clock.
pub type fmi3ActivateModelPartitionTYPE = unsafe extern "C" fn(
    instance: fmi3Instance,
    clockReference: fmi3ValueReference,
    activationTime: fmi3Float64,
) -> fmi3Status;
