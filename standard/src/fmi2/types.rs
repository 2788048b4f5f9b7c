//! The C types of FMI 2.0: types, constants and function types, in the order of the standard's headers and under their names.
//! [`fmi2Getter`], [`fmi2Setter`] and [`fmi2StatusGetter`] are ours: such function types differ in the type of the values alone.

use std::ffi::{CStr, c_char, c_double, c_int, c_uint, c_void};
use std::fmt;

use crate::shared::c_enum;

// ---- fmi2TypesPlatform.h

/// What `fmi2GetTypesPlatform` answers.
pub const fmi2TypesPlatform: &CStr = c"default";

/// Pointer to an instance of the FMU.
pub type fmi2Component = *mut c_void;
/// Pointer to the environment's own data, handed back to its callbacks.
pub type fmi2ComponentEnvironment = *mut c_void;
/// Pointer to a snapshot of an instance.
pub type fmi2FMUstate = *mut c_void;
/// Handle of a variable's value, per base type.
pub type fmi2ValueReference = c_uint;
/// A floating-point number.
pub type fmi2Real = c_double;
/// A whole number; also the value of an enumeration.
pub type fmi2Integer = c_int;
/// [`fmi2True`] or [`fmi2False`].
pub type fmi2Boolean = c_int;
/// A byte of UTF-8 text.
pub type fmi2Char = c_char;
/// A text, ended by a zero byte.
pub type fmi2String = *const fmi2Char;
/// A byte of a serialized snapshot.
pub type fmi2Byte = c_char;

/// The true [`fmi2Boolean`].
pub const fmi2True: fmi2Boolean = 1;
/// The false [`fmi2Boolean`].
pub const fmi2False: fmi2Boolean = 0;

// ---- fmi2FunctionTypes.h

c_enum! {
    /// How a call went.
    fmi2Status {
        /// All well.
        fmi2OK = 0,
        /// Not quite right, but the computation goes on; the logger has said why.
        fmi2Warning = 1,
        /// Not possible with these values; a smaller step or another value may be.
        fmi2Discard = 2,
        /// This instance cannot go on.
        fmi2Error = 3,
        /// No instance of this FMU can go on.
        fmi2Fatal = 4,
        /// An asynchronous step has begun.
        fmi2Pending = 5,
    }
}

c_enum! {
    /// The interface that an instance is made for.
    fmi2Type {
        /// Model Exchange: the environment integrates.
        fmi2ModelExchange = 0,
        /// Co-Simulation: the FMU integrates.
        fmi2CoSimulation = 1,
    }
}

c_enum! {
    /// What `fmi2GetXXXStatus` is asked for.
    fmi2StatusKind {
        /// The result of an asynchronous step, as `fmi2Status`.
        fmi2DoStepStatus = 0,
        /// A text about an asynchronous step that is under way.
        fmi2PendingStatus = 1,
        /// The end of the last step that succeeded, as `fmi2Real`.
        fmi2LastSuccessfulTime = 2,
        /// Whether the FMU wants the simulation to end, as `fmi2Boolean`.
        fmi2Terminated = 3,
    }
}

/// Takes a message: `message` is a format string of `printf`, its arguments follow.
pub type fmi2CallbackLogger = unsafe extern "C" fn(
    componentEnvironment: fmi2ComponentEnvironment,
    instanceName: fmi2String,
    status: fmi2Status,
    category: fmi2String,
    message: fmi2String,
    ...
);
/// Allocates like `calloc`.
pub type fmi2CallbackAllocateMemory = unsafe extern "C" fn(nobj: usize, size: usize) -> *mut c_void;
/// Frees what [`fmi2CallbackAllocateMemory`] gave.
pub type fmi2CallbackFreeMemory = unsafe extern "C" fn(obj: *mut c_void);
/// Called when an asynchronous step has ended.
pub type fmi2StepFinished =
    unsafe extern "C" fn(componentEnvironment: fmi2ComponentEnvironment, status: fmi2Status);

/// The environment's functions that an instance may call.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct fmi2CallbackFunctions {
    /// Where messages go.
    pub logger: Option<fmi2CallbackLogger>,
    /// The environment's allocator.
    pub allocateMemory: Option<fmi2CallbackAllocateMemory>,
    /// Its counterpart.
    pub freeMemory: Option<fmi2CallbackFreeMemory>,
    /// Null if the environment does not step asynchronously.
    pub stepFinished: Option<fmi2StepFinished>,
    /// First argument of `logger` and `stepFinished`.
    pub componentEnvironment: fmi2ComponentEnvironment,
}

/// What an update of the discrete states brought.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct fmi2EventInfo {
    /// The event iteration goes on.
    pub newDiscreteStatesNeeded: fmi2Boolean,
    /// The FMU wants the simulation to end.
    pub terminateSimulation: fmi2Boolean,
    /// Ask for the nominal values again.
    pub nominalsOfContinuousStatesChanged: fmi2Boolean,
    /// Ask for the continuous states again.
    pub valuesOfContinuousStatesChanged: fmi2Boolean,
    /// Whether `nextEventTime` means something.
    pub nextEventTimeDefined: fmi2Boolean,
    /// When the next time event is due.
    pub nextEventTime: fmi2Real,
}

// Common functions

/// `fmi2GetTypesPlatform`: "default".
pub type fmi2GetTypesPlatformTYPE = unsafe extern "C" fn() -> *const c_char;
/// `fmi2GetVersion`: "2.0".
pub type fmi2GetVersionTYPE = unsafe extern "C" fn() -> *const c_char;
/// `fmi2SetDebugLogging`: switches categories of messages on or off.
pub type fmi2SetDebugLoggingTYPE = unsafe extern "C" fn(
    c: fmi2Component,
    loggingOn: fmi2Boolean,
    nCategories: usize,
    categories: *const fmi2String,
) -> fmi2Status;

/// `fmi2Instantiate`: makes an instance; null if that fails.
pub type fmi2InstantiateTYPE = unsafe extern "C" fn(
    instanceName: fmi2String,
    fmuType: fmi2Type,
    fmuGUID: fmi2String,
    fmuResourceLocation: fmi2String,
    functions: *const fmi2CallbackFunctions,
    visible: fmi2Boolean,
    loggingOn: fmi2Boolean,
) -> fmi2Component;
/// `fmi2FreeInstance`: disposes of an instance.
pub type fmi2FreeInstanceTYPE = unsafe extern "C" fn(c: fmi2Component);

/// `fmi2SetupExperiment`: passes tolerance, start and stop time.
pub type fmi2SetupExperimentTYPE = unsafe extern "C" fn(
    c: fmi2Component,
    toleranceDefined: fmi2Boolean,
    tolerance: fmi2Real,
    startTime: fmi2Real,
    stopTimeDefined: fmi2Boolean,
    stopTime: fmi2Real,
) -> fmi2Status;
/// `fmi2EnterInitializationMode`: begins initialization.
pub type fmi2EnterInitializationModeTYPE = unsafe extern "C" fn(c: fmi2Component) -> fmi2Status;
/// `fmi2ExitInitializationMode`: ends initialization.
pub type fmi2ExitInitializationModeTYPE = unsafe extern "C" fn(c: fmi2Component) -> fmi2Status;
/// `fmi2Terminate`: ends the simulation run.
pub type fmi2TerminateTYPE = unsafe extern "C" fn(c: fmi2Component) -> fmi2Status;
/// `fmi2Reset`: back to the state after `fmi2Instantiate`.
pub type fmi2ResetTYPE = unsafe extern "C" fn(c: fmi2Component) -> fmi2Status;

/// Gets the values of variables of one type.
pub type fmi2Getter<T> = unsafe extern "C" fn(
    c: fmi2Component,
    vr: *const fmi2ValueReference,
    nvr: usize,
    value: *mut T,
) -> fmi2Status;
/// `fmi2GetReal`: values of Real variables.
pub type fmi2GetRealTYPE = fmi2Getter<fmi2Real>;
/// `fmi2GetInteger`: values of Integer and Enumeration variables.
pub type fmi2GetIntegerTYPE = fmi2Getter<fmi2Integer>;
/// `fmi2GetBoolean`: values of Boolean variables.
pub type fmi2GetBooleanTYPE = fmi2Getter<fmi2Boolean>;
/// `fmi2GetString`: values of String variables, owned by the FMU.
pub type fmi2GetStringTYPE = fmi2Getter<fmi2String>;

/// Sets the values of variables of one type.
pub type fmi2Setter<T> = unsafe extern "C" fn(
    c: fmi2Component,
    vr: *const fmi2ValueReference,
    nvr: usize,
    value: *const T,
) -> fmi2Status;
/// `fmi2SetReal`: sets Real variables.
pub type fmi2SetRealTYPE = fmi2Setter<fmi2Real>;
/// `fmi2SetInteger`: sets Integer and Enumeration variables.
pub type fmi2SetIntegerTYPE = fmi2Setter<fmi2Integer>;
/// `fmi2SetBoolean`: sets Boolean variables.
pub type fmi2SetBooleanTYPE = fmi2Setter<fmi2Boolean>;
/// `fmi2SetString`: sets String variables.
pub type fmi2SetStringTYPE = fmi2Setter<fmi2String>;

/// `fmi2GetFMUstate`: takes a snapshot.
pub type fmi2GetFMUstateTYPE =
    unsafe extern "C" fn(c: fmi2Component, FMUstate: *mut fmi2FMUstate) -> fmi2Status;
/// `fmi2SetFMUstate`: goes back to a snapshot.
pub type fmi2SetFMUstateTYPE = unsafe extern "C" fn(c: fmi2Component, FMUstate: fmi2FMUstate) -> fmi2Status;
/// `fmi2FreeFMUstate`: disposes of a snapshot.
pub type fmi2FreeFMUstateTYPE =
    unsafe extern "C" fn(c: fmi2Component, FMUstate: *mut fmi2FMUstate) -> fmi2Status;
/// `fmi2SerializedFMUstateSize`: bytes that a serialized snapshot takes.
pub type fmi2SerializedFMUstateSizeTYPE =
    unsafe extern "C" fn(c: fmi2Component, FMUstate: fmi2FMUstate, size: *mut usize) -> fmi2Status;
/// `fmi2SerializeFMUstate`: a snapshot as bytes.
pub type fmi2SerializeFMUstateTYPE = unsafe extern "C" fn(
    c: fmi2Component,
    FMUstate: fmi2FMUstate,
    serializedState: *mut fmi2Byte,
    size: usize,
) -> fmi2Status;
/// `fmi2DeSerializeFMUstate`: a snapshot from bytes.
pub type fmi2DeSerializeFMUstateTYPE = unsafe extern "C" fn(
    c: fmi2Component,
    serializedState: *const fmi2Byte,
    size: usize,
    FMUstate: *mut fmi2FMUstate,
) -> fmi2Status;

/// `fmi2GetDirectionalDerivative`: derivative of unknowns along a direction of knowns.
pub type fmi2GetDirectionalDerivativeTYPE = unsafe extern "C" fn(
    c: fmi2Component,
    vUnknown_ref: *const fmi2ValueReference,
    nUnknown: usize,
    vKnown_ref: *const fmi2ValueReference,
    nKnown: usize,
    dvKnown: *const fmi2Real,
    dvUnknown: *mut fmi2Real,
) -> fmi2Status;

// Functions of Model Exchange

/// `fmi2EnterEventMode`: from continuous-time mode to event mode.
pub type fmi2EnterEventModeTYPE = unsafe extern "C" fn(c: fmi2Component) -> fmi2Status;
/// `fmi2NewDiscreteStates`: one pass of the event iteration.
pub type fmi2NewDiscreteStatesTYPE =
    unsafe extern "C" fn(c: fmi2Component, fmi2eventInfo: *mut fmi2EventInfo) -> fmi2Status;
/// `fmi2EnterContinuousTimeMode`: from event mode to continuous-time mode.
pub type fmi2EnterContinuousTimeModeTYPE = unsafe extern "C" fn(c: fmi2Component) -> fmi2Status;
/// `fmi2CompletedIntegratorStep`: reports that a step is accepted.
pub type fmi2CompletedIntegratorStepTYPE = unsafe extern "C" fn(
    c: fmi2Component,
    noSetFMUStatePriorToCurrentPoint: fmi2Boolean,
    enterEventMode: *mut fmi2Boolean,
    terminateSimulation: *mut fmi2Boolean,
) -> fmi2Status;

/// `fmi2SetTime`: sets the independent variable.
pub type fmi2SetTimeTYPE = unsafe extern "C" fn(c: fmi2Component, time: fmi2Real) -> fmi2Status;
/// `fmi2SetContinuousStates`: sets all states.
pub type fmi2SetContinuousStatesTYPE =
    unsafe extern "C" fn(c: fmi2Component, x: *const fmi2Real, nx: usize) -> fmi2Status;

/// `fmi2GetDerivatives`: derivatives of all states.
pub type fmi2GetDerivativesTYPE =
    unsafe extern "C" fn(c: fmi2Component, derivatives: *mut fmi2Real, nx: usize) -> fmi2Status;
/// `fmi2GetEventIndicators`: the functions whose change of sign is an event.
pub type fmi2GetEventIndicatorsTYPE =
    unsafe extern "C" fn(c: fmi2Component, eventIndicators: *mut fmi2Real, ni: usize) -> fmi2Status;
/// `fmi2GetContinuousStates`: all states.
pub type fmi2GetContinuousStatesTYPE =
    unsafe extern "C" fn(c: fmi2Component, x: *mut fmi2Real, nx: usize) -> fmi2Status;
/// `fmi2GetNominalsOfContinuousStates`: nominal values of all states.
pub type fmi2GetNominalsOfContinuousStatesTYPE =
    unsafe extern "C" fn(c: fmi2Component, x_nominal: *mut fmi2Real, nx: usize) -> fmi2Status;

// Functions of Co-Simulation

/// `fmi2SetRealInputDerivatives`: inputs as polynomials of time.
pub type fmi2SetRealInputDerivativesTYPE = unsafe extern "C" fn(
    c: fmi2Component,
    vr: *const fmi2ValueReference,
    nvr: usize,
    order: *const fmi2Integer,
    value: *const fmi2Real,
) -> fmi2Status;
/// `fmi2GetRealOutputDerivatives`: derivatives of outputs by time.
pub type fmi2GetRealOutputDerivativesTYPE = unsafe extern "C" fn(
    c: fmi2Component,
    vr: *const fmi2ValueReference,
    nvr: usize,
    order: *const fmi2Integer,
    value: *mut fmi2Real,
) -> fmi2Status;
/// `fmi2DoStep`: computes one communication step.
pub type fmi2DoStepTYPE = unsafe extern "C" fn(
    c: fmi2Component,
    currentCommunicationPoint: fmi2Real,
    communicationStepSize: fmi2Real,
    noSetFMUStatePriorToCurrentPoint: fmi2Boolean,
) -> fmi2Status;
/// `fmi2CancelStep`: stops an asynchronous step.
pub type fmi2CancelStepTYPE = unsafe extern "C" fn(c: fmi2Component) -> fmi2Status;

/// Asks for something about the last step.
pub type fmi2StatusGetter<T> =
    unsafe extern "C" fn(c: fmi2Component, s: fmi2StatusKind, value: *mut T) -> fmi2Status;
/// `fmi2GetStatus`: asks for a status.
pub type fmi2GetStatusTYPE = fmi2StatusGetter<fmi2Status>;
/// `fmi2GetRealStatus`: asks for a number about the last step.
pub type fmi2GetRealStatusTYPE = fmi2StatusGetter<fmi2Real>;
/// `fmi2GetIntegerStatus`: asks for a whole number about the last step.
pub type fmi2GetIntegerStatusTYPE = fmi2StatusGetter<fmi2Integer>;
/// `fmi2GetBooleanStatus`: asks for a truth about the last step.
pub type fmi2GetBooleanStatusTYPE = fmi2StatusGetter<fmi2Boolean>;
/// `fmi2GetStringStatus`: asks for a text about the last step.
pub type fmi2GetStringStatusTYPE = fmi2StatusGetter<fmi2String>;

// ---- fmi2Functions.h

/// What `fmi2GetVersion` answers.
pub const fmi2Version: &CStr = c"2.0";
