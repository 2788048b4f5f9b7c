//! The functions of the standard on the side that has the FMU: arguments out of a request, results into the answer.

use std::ffi::CString;

use fmu_standard::fmi2::{self, fmi2Status};

use super::super::client::NOT_CALLED;
use super::super::message::{Message, Reader};
use super::super::{reply, request};
use super::{Numbers, Server, derivatives, put_text};
use crate::watch::number_of;

/// Calls a function of the FMU; what the library lacks, the other side does not call.
macro_rules! call {
    ($server:expr, $function:ident $(, $argument:expr)* $(,)?) => {{
        let server: &Server = $server;
        let function = server.library.as_ref()?.functions.$function?;
        let component = server.instance.as_ref()?.component;
        server.link.set_running(const { number_of(stringify!($function)) });
        // SAFETY: the instance is alive, the other side has checked that the call is allowed, and each array has as many
        // elements as the number beside it says.
        let status = unsafe { function(component, $($argument),*) };
        server.link.set_running(0);
        status
    }};
}

/// The numbers of the functions, as patterns.
macro_rules! numbers {
    ($($name:ident: $function:ident,)+) => {$(
        const $name: u32 = number_of(stringify!($function));
    )+};
}

numbers! {
    SET_DEBUG_LOGGING: fmi2SetDebugLogging,
    INSTANTIATE: fmi2Instantiate,
    FREE_INSTANCE: fmi2FreeInstance,
    SETUP_EXPERIMENT: fmi2SetupExperiment,
    ENTER_INITIALIZATION_MODE: fmi2EnterInitializationMode,
    EXIT_INITIALIZATION_MODE: fmi2ExitInitializationMode,
    TERMINATE: fmi2Terminate,
    RESET: fmi2Reset,
    GET_REAL: fmi2GetReal,
    GET_INTEGER: fmi2GetInteger,
    GET_BOOLEAN: fmi2GetBoolean,
    GET_STRING: fmi2GetString,
    SET_REAL: fmi2SetReal,
    SET_INTEGER: fmi2SetInteger,
    SET_BOOLEAN: fmi2SetBoolean,
    SET_STRING: fmi2SetString,
    GET_STATE: fmi2GetFMUstate,
    SET_STATE: fmi2SetFMUstate,
    FREE_STATE: fmi2FreeFMUstate,
    STATE_SIZE: fmi2SerializedFMUstateSize,
    SERIALIZE: fmi2SerializeFMUstate,
    DESERIALIZE: fmi2DeSerializeFMUstate,
    DIRECTIONAL_DERIVATIVE: fmi2GetDirectionalDerivative,
    ENTER_EVENT_MODE: fmi2EnterEventMode,
    NEW_DISCRETE_STATES: fmi2NewDiscreteStates,
    ENTER_CONTINUOUS_TIME_MODE: fmi2EnterContinuousTimeMode,
    COMPLETED_INTEGRATOR_STEP: fmi2CompletedIntegratorStep,
    SET_TIME: fmi2SetTime,
    SET_CONTINUOUS_STATES: fmi2SetContinuousStates,
    GET_DERIVATIVES: fmi2GetDerivatives,
    GET_EVENT_INDICATORS: fmi2GetEventIndicators,
    GET_CONTINUOUS_STATES: fmi2GetContinuousStates,
    GET_NOMINALS: fmi2GetNominalsOfContinuousStates,
    SET_INPUT_DERIVATIVES: fmi2SetRealInputDerivatives,
    GET_OUTPUT_DERIVATIVES: fmi2GetRealOutputDerivatives,
    DO_STEP: fmi2DoStep,
    CANCEL_STEP: fmi2CancelStep,
    GET_STATUS: fmi2GetStatus,
    GET_REAL_STATUS: fmi2GetRealStatus,
    GET_INTEGER_STATUS: fmi2GetIntegerStatus,
    GET_BOOLEAN_STATUS: fmi2GetBooleanStatus,
    GET_STRING_STATUS: fmi2GetStringStatus,
}

/// Begins the answer.
fn answer(out: &mut Message, status: fmi2Status) -> &mut Message {
    out.clear().put(reply::ANSWER).put(status.0)
}

/// A snapshot that the other side knows as a number.
fn snapshot(reader: &mut Reader) -> Option<fmi2::fmi2FMUstate> {
    let address: u64 = reader.take()?;
    Some(std::ptr::with_exposed_provenance_mut(address as usize))
}

fn number_of_snapshot(state: fmi2::fmi2FMUstate) -> u64 {
    state.expose_provenance() as u64
}

/// A length from a request, if there is memory for as many numbers.
fn room<T: Clone + Default>(values: &mut Vec<T>, length: u64) -> Option<()> {
    let length = usize::try_from(length).ok()?;
    values.clear();
    values.try_reserve(length).ok()?;
    values.resize(length, T::default());
    Some(())
}

impl Server {
    /// Does what is asked for; `None` for a request that makes no sense.
    pub(super) fn call(&mut self, function: u32, reader: &mut Reader, out: &mut Message) -> Option<()> {
        let mut numbers = std::mem::take(&mut self.numbers);
        let answered = self.call_with(&mut numbers, function, reader, out);
        self.numbers = numbers;
        answered
    }

    fn call_with(
        &mut self,
        numbers: &mut Numbers,
        function: u32,
        reader: &mut Reader,
        out: &mut Message,
    ) -> Option<()> {
        let Numbers {
            references,
            others,
            integers,
            reals,
            results,
        } = numbers;
        let status = match function {
            INSTANTIATE => self.instantiate(reader)?,
            FREE_INSTANCE => {
                call!(self, fmi2FreeInstance);
                self.instance = None;
                fmi2::fmi2OK
            }
            SET_DEBUG_LOGGING => {
                let on: i32 = reader.take()?;
                let count: u64 = reader.take()?;
                let categories = texts(reader, count as usize)?;
                let pointers: Vec<_> = categories.iter().map(|text| text.as_ptr()).collect();
                call!(self, fmi2SetDebugLogging, on, pointers.len(), pointers.as_ptr())
            }
            SETUP_EXPERIMENT => {
                let (has_tolerance, tolerance) = (reader.take()?, reader.take()?);
                let (start, has_stop, stop) = (reader.take()?, reader.take()?, reader.take()?);
                call!(
                    self,
                    fmi2SetupExperiment,
                    has_tolerance,
                    tolerance,
                    start,
                    has_stop,
                    stop
                )
            }
            ENTER_INITIALIZATION_MODE => call!(self, fmi2EnterInitializationMode),
            EXIT_INITIALIZATION_MODE => call!(self, fmi2ExitInitializationMode),
            TERMINATE => call!(self, fmi2Terminate),
            RESET => call!(self, fmi2Reset),
            ENTER_EVENT_MODE => call!(self, fmi2EnterEventMode),
            ENTER_CONTINUOUS_TIME_MODE => call!(self, fmi2EnterContinuousTimeMode),
            CANCEL_STEP => call!(self, fmi2CancelStep),
            GET_REAL => {
                reader.array(references)?;
                results.resize(references.len(), 0.0);
                let (from, to) = (references.as_ptr(), results.as_mut_ptr());
                let status = call!(self, fmi2GetReal, from, references.len(), to);
                answer(out, status).array(results);
                return Some(());
            }
            GET_INTEGER | GET_BOOLEAN => {
                reader.array(references)?;
                integers.resize(references.len(), 0);
                let (from, count, to) = (references.as_ptr(), references.len(), integers.as_mut_ptr());
                let status = match function {
                    GET_INTEGER => call!(self, fmi2GetInteger, from, count, to),
                    _ => call!(self, fmi2GetBoolean, from, count, to),
                };
                answer(out, status).array(integers);
                return Some(());
            }
            GET_STRING => {
                reader.array(references)?;
                let mut pointers = vec![std::ptr::null(); references.len()];
                let (from, to) = (references.as_ptr(), pointers.as_mut_ptr());
                let status = call!(self, fmi2GetString, from, references.len(), to);
                answer(out, status);
                if status == fmi2::fmi2OK || status == fmi2::fmi2Warning {
                    pointers.into_iter().for_each(|pointer| put_text(out, pointer));
                }
                return Some(());
            }
            SET_REAL => {
                reader.array(references)?;
                reader.array(reals)?;
                same(references, reals)?;
                call!(
                    self,
                    fmi2SetReal,
                    references.as_ptr(),
                    references.len(),
                    reals.as_ptr()
                )
            }
            SET_INTEGER | SET_BOOLEAN => {
                reader.array(references)?;
                reader.array(integers)?;
                same(references, integers)?;
                let (to, count, from) = (references.as_ptr(), references.len(), integers.as_ptr());
                match function {
                    SET_INTEGER => call!(self, fmi2SetInteger, to, count, from),
                    _ => call!(self, fmi2SetBoolean, to, count, from),
                }
            }
            SET_STRING => {
                reader.array(references)?;
                let values = texts(reader, references.len())?;
                let pointers: Vec<_> = values.iter().map(|text| text.as_ptr()).collect();
                call!(
                    self,
                    fmi2SetString,
                    references.as_ptr(),
                    pointers.len(),
                    pointers.as_ptr()
                )
            }
            GET_STATE => {
                let mut state = snapshot(reader)?;
                let status = call!(self, fmi2GetFMUstate, &mut state);
                answer(out, status).put(number_of_snapshot(state));
                return Some(());
            }
            SET_STATE => {
                let state = snapshot(reader)?;
                call!(self, fmi2SetFMUstate, state)
            }
            FREE_STATE => {
                let mut state = snapshot(reader)?;
                call!(self, fmi2FreeFMUstate, &mut state)
            }
            STATE_SIZE => {
                let (state, mut size) = (snapshot(reader)?, 0);
                let status = call!(self, fmi2SerializedFMUstateSize, state, &mut size);
                answer(out, status).put(size as u64);
                return Some(());
            }
            SERIALIZE => {
                let (state, mut bytes) = (snapshot(reader)?, Vec::<u8>::new());
                room(&mut bytes, reader.take()?)?;
                let to = bytes.as_mut_ptr().cast();
                let status = call!(self, fmi2SerializeFMUstate, state, to, bytes.len());
                answer(out, status).array(&bytes);
                return Some(());
            }
            DESERIALIZE => {
                let bytes = reader.blob()?;
                let mut state = snapshot(reader)?;
                let from = bytes.as_ptr().cast();
                let status = call!(self, fmi2DeSerializeFMUstate, from, bytes.len(), &mut state);
                answer(out, status).put(number_of_snapshot(state));
                return Some(());
            }
            DIRECTIONAL_DERIVATIVE => {
                reader.array(references)?;
                reader.array(others)?;
                reader.array(reals)?;
                same(others, reals)?;
                results.resize(references.len(), 0.0);
                let status = call!(
                    self,
                    fmi2GetDirectionalDerivative,
                    references.as_ptr(),
                    references.len(),
                    others.as_ptr(),
                    others.len(),
                    reals.as_ptr(),
                    results.as_mut_ptr(),
                );
                answer(out, status).array(results);
                return Some(());
            }
            NEW_DISCRETE_STATES => {
                let mut info = fmi2::fmi2EventInfo::default();
                let status = call!(self, fmi2NewDiscreteStates, &mut info);
                answer(out, status)
                    .put(info.newDiscreteStatesNeeded)
                    .put(info.terminateSimulation)
                    .put(info.nominalsOfContinuousStatesChanged)
                    .put(info.valuesOfContinuousStatesChanged)
                    .put(info.nextEventTimeDefined)
                    .put(info.nextEventTime);
                return Some(());
            }
            COMPLETED_INTEGRATOR_STEP => {
                let (mut event, mut end) = (fmi2::fmi2False, fmi2::fmi2False);
                let before = reader.take()?;
                let status = call!(self, fmi2CompletedIntegratorStep, before, &mut event, &mut end);
                answer(out, status).put(event).put(end);
                return Some(());
            }
            SET_TIME => {
                let time = reader.take()?;
                call!(self, fmi2SetTime, time)
            }
            SET_CONTINUOUS_STATES => {
                reader.array(reals)?;
                call!(self, fmi2SetContinuousStates, reals.as_ptr(), reals.len())
            }
            GET_DERIVATIVES | GET_EVENT_INDICATORS | GET_CONTINUOUS_STATES | GET_NOMINALS => {
                room(results, reader.take()?)?;
                let (to, count) = (results.as_mut_ptr(), results.len());
                let status = match function {
                    GET_DERIVATIVES => call!(self, fmi2GetDerivatives, to, count),
                    GET_EVENT_INDICATORS => call!(self, fmi2GetEventIndicators, to, count),
                    GET_CONTINUOUS_STATES => call!(self, fmi2GetContinuousStates, to, count),
                    _ => call!(self, fmi2GetNominalsOfContinuousStates, to, count),
                };
                answer(out, status).array(results);
                return Some(());
            }
            SET_INPUT_DERIVATIVES => {
                reader.array(references)?;
                reader.array(integers)?;
                reader.array(reals)?;
                same(references, integers)?;
                same(references, reals)?;
                let (orders, values) = (integers.as_ptr(), reals.as_ptr());
                call!(
                    self,
                    fmi2SetRealInputDerivatives,
                    references.as_ptr(),
                    references.len(),
                    orders,
                    values
                )
            }
            GET_OUTPUT_DERIVATIVES => {
                reader.array(references)?;
                reader.array(integers)?;
                same(references, integers)?;
                results.resize(references.len(), 0.0);
                let (orders, values) = (integers.as_ptr(), results.as_mut_ptr());
                let status = call!(
                    self,
                    fmi2GetRealOutputDerivatives,
                    references.as_ptr(),
                    references.len(),
                    orders,
                    values
                );
                answer(out, status).array(results);
                return Some(());
            }
            DO_STEP => {
                let (time, step, before) = (reader.take()?, reader.take()?, reader.take()?);
                call!(self, fmi2DoStep, time, step, before)
            }
            GET_STATUS => {
                let (kind, mut value) = (fmi2::fmi2StatusKind(reader.take()?), fmi2::fmi2OK);
                let status = call!(self, fmi2GetStatus, kind, &mut value);
                answer(out, status).put(value.0);
                return Some(());
            }
            GET_REAL_STATUS => {
                let (kind, mut value) = (fmi2::fmi2StatusKind(reader.take()?), 0.0);
                let status = call!(self, fmi2GetRealStatus, kind, &mut value);
                answer(out, status).put(value);
                return Some(());
            }
            GET_INTEGER_STATUS | GET_BOOLEAN_STATUS => {
                let (kind, mut value) = (fmi2::fmi2StatusKind(reader.take()?), 0);
                let status = match function {
                    GET_INTEGER_STATUS => call!(self, fmi2GetIntegerStatus, kind, &mut value),
                    _ => call!(self, fmi2GetBooleanStatus, kind, &mut value),
                };
                answer(out, status).put(value);
                return Some(());
            }
            GET_STRING_STATUS => {
                let (kind, mut value) = (fmi2::fmi2StatusKind(reader.take()?), std::ptr::null());
                let status = call!(self, fmi2GetStringStatus, kind, &mut value);
                put_text(answer(out, status), value);
                return Some(());
            }
            request::ADVANCE => return self.advance(numbers, reader, out),
            request::STABILIZE => {
                reader.array(references)?;
                let stabilize = self.library.as_ref()?.stabilize_inputs?;
                let component = self.instance.as_ref()?.component;
                let context = std::sync::Arc::as_ptr(&self.line).cast_mut().cast();
                // SAFETY: the instance is alive, the array has this length, and the line lives as long as the server.
                unsafe {
                    stabilize(
                        component,
                        references.as_ptr(),
                        references.len(),
                        Some(derivatives),
                        context,
                    )
                }
            }
            request::STATES => {
                room(results, reader.take()?)?;
                reals.resize(results.len(), 0.0);
                let get = self.library.as_ref()?.get_states?;
                let component = self.instance.as_ref()?.component;
                // SAFETY: the instance is alive, and both arrays have this length.
                let status = unsafe { get(component, results.as_mut_ptr(), reals.as_mut_ptr(), reals.len()) };
                answer(out, status).array(results).array(reals);
                return Some(());
            }
            _ => return None,
        };
        answer(out, status);
        Some(())
    }

    /// Inputs, a step, outputs.
    fn advance(&mut self, numbers: &mut Numbers, reader: &mut Reader, out: &mut Message) -> Option<()> {
        let Numbers {
            references,
            others,
            reals,
            results,
            ..
        } = numbers;
        reader.array(references)?;
        reader.array(reals)?;
        same(references, reals)?;
        let (time, step, before) = (reader.take()?, reader.take()?, reader.take()?);
        reader.array(others)?;
        results.resize(others.len(), 0.0);
        let went_on = |status: fmi2Status| status == fmi2::fmi2OK || status == fmi2::fmi2Warning;
        let mut statuses = [NOT_CALLED; 3];
        let mut goes_on = true;
        if !references.is_empty() {
            let (to, values) = (references.as_ptr(), reals.as_ptr());
            let status = call!(self, fmi2SetReal, to, references.len(), values);
            (statuses[0], goes_on) = (status.0, went_on(status));
        }
        if goes_on {
            let status = call!(self, fmi2DoStep, time, step, before);
            (statuses[1], goes_on) = (status.0, went_on(status));
        }
        if goes_on && !others.is_empty() {
            let (from, values) = (others.as_ptr(), results.as_mut_ptr());
            statuses[2] = call!(self, fmi2GetReal, from, others.len(), values).0;
        }
        answer(out, fmi2::fmi2OK).array(&statuses);
        if statuses[2] != NOT_CALLED {
            out.array(results);
        }
        Some(())
    }
}

fn same<A, B>(one: &[A], other: &[B]) -> Option<()> {
    (one.len() == other.len()).then_some(())
}

fn texts(reader: &mut Reader, count: usize) -> Option<Vec<CString>> {
    let text = |_| CString::new(reader.blob()?).ok();
    (0..count).map(text).collect()
}
