//! The `extern "C"` functions of FMI 2.0, in the order of the standard's header, with its types and names. Each takes
//! its pointers apart and calls a function of the instance; the frame around every call (is it
//! allowed, panics, messages, the status) is [`Instance::call`](crate::instance::Instance::call).

/// Defines the C functions of an FMU for a model. `export_fmu!` calls it where a library for an FMU is built.
#[doc(hidden)]
#[macro_export]
macro_rules! __fmi2_entry_points {
    ($model:ty) => {
        const _: () = {
            // Named out here, where none of the names imported below can be taken for the model's.
            type __ExportedModel = $model;

            // SAFETY of all blocks below: the caller keeps the contract of the standard, as `boundary` has it.
            #[allow(
                clippy::all,
                missing_docs,
                non_snake_case,
                unexpected_cfgs,
                unsafe_code
            )]
            const _: () = {
                use ::std::ffi::{c_char, c_int, c_void};
                use $crate::__private::fmi2::{boundary, calls, function};
                use $crate::__private::instance::boundary::{
                    self as pointers, call, call_shortcut, place, read, slice, slice_mut, texts, write,
                };
                use $crate::__private::instance::{Experiment, Instance, Library};
                use $crate::__private::standard::fmi2::*;

                type M = __ExportedModel;
                // Packaging passes what the library was built from.
                static LIBRARY: Library = Library::new(::core::option_env!("FMU_BUILD_MARK"));
                /// In an FMU's library panics go to the logger; elsewhere they are also printed as ever.
                const QUIET: bool = cfg!(fmu_export);

                // Inquire version numbers, and logging

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2GetTypesPlatform() -> *const c_char {
                    fmi2TypesPlatform.as_ptr()
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2GetVersion() -> *const c_char {
                    fmi2Version.as_ptr()
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2SetDebugLogging(
                    c: fmi2Component,
                    loggingOn: fmi2Boolean,
                    nCategories: usize,
                    categories: *const fmi2String,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::SetDebugLogging, |instance| {
                            instance
                                .set_debug_logging(loggingOn != fmi2False, &texts(categories, nCategories)?)
                        })
                    }
                }

                // Creation and destruction of instances

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2Instantiate(
                    instanceName: fmi2String,
                    fmuType: fmi2Type,
                    fmuGUID: fmi2String,
                    fmuResourceLocation: fmi2String,
                    functions: *const fmi2CallbackFunctions,
                    _visible: fmi2Boolean,
                    loggingOn: fmi2Boolean,
                ) -> fmi2Component {
                    unsafe {
                        boundary::instantiate::<M>(
                            (&LIBRARY, QUIET),
                            instanceName,
                            fmuType,
                            fmuGUID,
                            fmuResourceLocation,
                            functions,
                            loggingOn != fmi2False,
                        )
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2FreeInstance(c: fmi2Component) {
                    unsafe { pointers::free::<M, Instance<M>>(c) }
                }

                // Initialization, termination, reset

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2SetupExperiment(
                    c: fmi2Component,
                    toleranceDefined: fmi2Boolean,
                    tolerance: fmi2Real,
                    startTime: fmi2Real,
                    stopTimeDefined: fmi2Boolean,
                    stopTime: fmi2Real,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::SetupExperiment, |instance| {
                            instance.setup_experiment(Experiment {
                                tolerance: (toleranceDefined != fmi2False).then_some(tolerance),
                                start: startTime,
                                stop: (stopTimeDefined != fmi2False).then_some(stopTime),
                            })
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2EnterInitializationMode(c: fmi2Component) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::EnterInitializationMode, |instance| {
                            calls::enter_initialization_mode(instance)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2ExitInitializationMode(c: fmi2Component) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::ExitInitializationMode, |instance| {
                            instance.exit_initialization_mode()
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2Terminate(c: fmi2Component) -> fmi2Status {
                    unsafe { call::<M, _>(c, &function::Terminate, |instance| instance.terminate()) }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2Reset(c: fmi2Component) -> fmi2Status {
                    unsafe { call::<M, _>(c, &function::Reset, |instance| instance.reset()) }
                }

                // Values of variables

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2GetReal(
                    c: fmi2Component,
                    vr: *const fmi2ValueReference,
                    nvr: usize,
                    value: *mut fmi2Real,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::GetReal, |instance| {
                            instance.get_reals(read(vr, nvr)?, write(value, nvr)?)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2GetInteger(
                    c: fmi2Component,
                    vr: *const fmi2ValueReference,
                    nvr: usize,
                    value: *mut fmi2Integer,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::GetInteger, |instance| {
                            instance.get_integers(read(vr, nvr)?, write(value, nvr)?)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2GetBoolean(
                    c: fmi2Component,
                    vr: *const fmi2ValueReference,
                    nvr: usize,
                    value: *mut fmi2Boolean,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::GetBoolean, |instance| {
                            calls::get_boolean(instance, read(vr, nvr)?, write(value, nvr)?)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2GetString(
                    c: fmi2Component,
                    vr: *const fmi2ValueReference,
                    nvr: usize,
                    value: *mut fmi2String,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::GetString, |instance| {
                            instance.get_strings(read(vr, nvr)?, write(value, nvr)?)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2SetReal(
                    c: fmi2Component,
                    vr: *const fmi2ValueReference,
                    nvr: usize,
                    value: *const fmi2Real,
                ) -> fmi2Status {
                    unsafe {
                        call_shortcut::<M, _>(
                            c,
                            &function::SetReal,
                            move |instance| instance.set_reals_shortcut(slice(vr, nvr), slice(value, nvr)),
                            move |instance| instance.set_reals(read(vr, nvr)?, read(value, nvr)?),
                        )
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2SetInteger(
                    c: fmi2Component,
                    vr: *const fmi2ValueReference,
                    nvr: usize,
                    value: *const fmi2Integer,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::SetInteger, |instance| {
                            instance.set_integers(read(vr, nvr)?, read(value, nvr)?)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2SetBoolean(
                    c: fmi2Component,
                    vr: *const fmi2ValueReference,
                    nvr: usize,
                    value: *const fmi2Boolean,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::SetBoolean, |instance| {
                            calls::set_boolean(instance, read(vr, nvr)?, read(value, nvr)?)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2SetString(
                    c: fmi2Component,
                    vr: *const fmi2ValueReference,
                    nvr: usize,
                    value: *const fmi2String,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::SetString, |instance| {
                            instance.set_strings(read(vr, nvr)?, &texts(value, nvr)?)
                        })
                    }
                }

                // Snapshots

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2GetFMUstate(
                    c: fmi2Component,
                    FMUstate: *mut fmi2FMUstate,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::GetFMUstate, |instance| {
                            pointers::change_snapshot(FMUstate, |handle| instance.get_fmu_state(handle))
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2SetFMUstate(
                    c: fmi2Component,
                    FMUstate: fmi2FMUstate,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::SetFMUstate, |instance| {
                            instance.set_fmu_state(FMUstate.addr())
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2FreeFMUstate(
                    c: fmi2Component,
                    FMUstate: *mut fmi2FMUstate,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::FreeFMUstate, |instance| {
                            match FMUstate.is_null() {
                                true => Ok(()),
                                false => pointers::change_snapshot(FMUstate, |handle| {
                                    instance.free_fmu_state(handle)
                                }),
                            }
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2SerializedFMUstateSize(
                    c: fmi2Component,
                    FMUstate: fmi2FMUstate,
                    size: *mut usize,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::SerializedFMUstateSize, |instance| {
                            *place(size)? = instance.serialized_fmu_state_size(FMUstate.addr())?;
                            Ok(())
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2SerializeFMUstate(
                    c: fmi2Component,
                    FMUstate: fmi2FMUstate,
                    serializedState: *mut fmi2Byte,
                    size: usize,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::SerializeFMUstate, |instance| {
                            let room = pointers::bytes_mut(serializedState, size)?;
                            instance.serialize_fmu_state(FMUstate.addr(), room)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2DeSerializeFMUstate(
                    c: fmi2Component,
                    serializedState: *const fmi2Byte,
                    size: usize,
                    FMUstate: *mut fmi2FMUstate,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::DeSerializeFMUstate, |instance| {
                            let bytes = pointers::bytes(serializedState, size)?;
                            pointers::change_snapshot(FMUstate, |handle| {
                                instance.deserialize_fmu_state(bytes, handle)
                            })
                        })
                    }
                }

                // Partial derivatives

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2GetDirectionalDerivative(
                    c: fmi2Component,
                    vUnknown_ref: *const fmi2ValueReference,
                    nUnknown: usize,
                    vKnown_ref: *const fmi2ValueReference,
                    nKnown: usize,
                    dvKnown: *const fmi2Real,
                    dvUnknown: *mut fmi2Real,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::GetDirectionalDerivative, |instance| {
                            let (unknowns, knowns) =
                                (read(vUnknown_ref, nUnknown)?, read(vKnown_ref, nKnown)?);
                            let (seed, derivative) = (read(dvKnown, nKnown)?, write(dvUnknown, nUnknown)?);
                            instance.get_directional_derivative(unknowns, knowns, seed, derivative)
                        })
                    }
                }

                // Model Exchange

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2EnterEventMode(c: fmi2Component) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::EnterEventMode, |instance| {
                            instance.enter_event_mode()
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2NewDiscreteStates(
                    c: fmi2Component,
                    fmi2eventInfo: *mut fmi2EventInfo,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::NewDiscreteStates, |instance| {
                            calls::new_discrete_states(instance, place(fmi2eventInfo)?)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2EnterContinuousTimeMode(c: fmi2Component) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::EnterContinuousTimeMode, |instance| {
                            instance.enter_continuous_time_mode()
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2CompletedIntegratorStep(
                    c: fmi2Component,
                    _noSetFMUStatePriorToCurrentPoint: fmi2Boolean,
                    enterEventMode: *mut fmi2Boolean,
                    terminateSimulation: *mut fmi2Boolean,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::CompletedIntegratorStep, |instance| {
                            let (enter, terminate) = (place(enterEventMode)?, place(terminateSimulation)?);
                            *enter = instance.completed_integrator_step()?.into();
                            *terminate = fmi2False;
                            Ok(())
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2SetTime(c: fmi2Component, time: fmi2Real) -> fmi2Status {
                    unsafe {
                        call_shortcut::<M, _>(
                            c,
                            &function::SetTime,
                            move |instance| instance.set_time_shortcut(time),
                            move |instance| calls::set_time(instance, time),
                        )
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2SetContinuousStates(
                    c: fmi2Component,
                    x: *const fmi2Real,
                    nx: usize,
                ) -> fmi2Status {
                    unsafe {
                        call_shortcut::<M, _>(
                            c,
                            &function::SetContinuousStates,
                            move |instance| instance.set_continuous_states_shortcut(slice(x, nx)),
                            move |instance| instance.set_continuous_states(read(x, nx)?),
                        )
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2GetDerivatives(
                    c: fmi2Component,
                    derivatives: *mut fmi2Real,
                    nx: usize,
                ) -> fmi2Status {
                    unsafe {
                        call_shortcut::<M, _>(
                            c,
                            &function::GetDerivatives,
                            move |instance| instance.get_derivatives_shortcut(slice_mut(derivatives, nx)),
                            move |instance| instance.get_derivatives(write(derivatives, nx)?),
                        )
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2GetEventIndicators(
                    c: fmi2Component,
                    eventIndicators: *mut fmi2Real,
                    ni: usize,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::GetEventIndicators, |instance| {
                            instance.get_event_indicators(write(eventIndicators, ni)?)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2GetContinuousStates(
                    c: fmi2Component,
                    x: *mut fmi2Real,
                    nx: usize,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::GetContinuousStates, |instance| {
                            instance.get_continuous_states(write(x, nx)?)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2GetNominalsOfContinuousStates(
                    c: fmi2Component,
                    x_nominal: *mut fmi2Real,
                    nx: usize,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::GetNominalsOfContinuousStates, |instance| {
                            instance.get_nominals(write(x_nominal, nx)?)
                        })
                    }
                }

                // Co-Simulation

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2SetRealInputDerivatives(
                    c: fmi2Component,
                    vr: *const fmi2ValueReference,
                    nvr: usize,
                    order: *const fmi2Integer,
                    value: *const fmi2Real,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::SetRealInputDerivatives, |instance| {
                            let (vr, order) = (read(vr, nvr)?, read(order, nvr)?);
                            instance.set_input_derivatives(vr, order, read(value, nvr)?)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2GetRealOutputDerivatives(
                    c: fmi2Component,
                    vr: *const fmi2ValueReference,
                    nvr: usize,
                    order: *const fmi2Integer,
                    value: *mut fmi2Real,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::GetRealOutputDerivatives, |instance| {
                            let (vr, order) = (read(vr, nvr)?, read(order, nvr)?);
                            instance.get_output_derivatives(vr, order, write(value, nvr)?)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2DoStep(
                    c: fmi2Component,
                    currentCommunicationPoint: fmi2Real,
                    communicationStepSize: fmi2Real,
                    _noSetFMUStatePriorToCurrentPoint: fmi2Boolean,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::DoStep, |instance| {
                            instance.do_step(currentCommunicationPoint, communicationStepSize)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2CancelStep(c: fmi2Component) -> fmi2Status {
                    // No mode of an instance allows it, so the frame refuses it.
                    unsafe { call::<M, _>(c, &function::CancelStep, |_| Ok(())) }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2GetStatus(
                    c: fmi2Component,
                    s: fmi2StatusKind,
                    value: *mut fmi2Status,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::GetStatus, |instance| {
                            *place(value)? = calls::get_status(instance, s)?;
                            Ok(())
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2GetRealStatus(
                    c: fmi2Component,
                    s: fmi2StatusKind,
                    value: *mut fmi2Real,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::GetRealStatus, |instance| {
                            *place(value)? = calls::get_real_status(instance, s)?;
                            Ok(())
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2GetIntegerStatus(
                    c: fmi2Component,
                    s: fmi2StatusKind,
                    value: *mut fmi2Integer,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::GetIntegerStatus, |_| {
                            *place(value)? = calls::get_integer_status(s)?;
                            Ok(())
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2GetBooleanStatus(
                    c: fmi2Component,
                    s: fmi2StatusKind,
                    value: *mut fmi2Boolean,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::GetBooleanStatus, |instance| {
                            *place(value)? = calls::get_boolean_status(instance, s)?;
                            Ok(())
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi2GetStringStatus(
                    c: fmi2Component,
                    s: fmi2StatusKind,
                    value: *mut fmi2String,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::GetStringStatus, |_| {
                            place(value)?;
                            calls::get_string_status(s)
                        })
                    }
                }

                // Beyond the standard: strongly coupled co-simulation

                /// Makes continuous Real inputs of a co-simulation states of its internal integration: `derivatives` is
                /// asked for their derivatives `du` at a time, where they are `u` and the model has the states `x` with the
                /// derivatives `dx`; anything but fmi2OK, fmi2Warning or fmi2Discard from it is an error. What fmi2SetReal
                /// sets is where a step begins, fmi2GetReal returns where it has ended. A null function, or no inputs, bring
                /// the standard's behaviour back; so does fmi2Reset. Allowed from fmi2Instantiate on, between steps.
                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmuStabilizeInputs(
                    c: fmi2Component,
                    vr: *const fmi2ValueReference,
                    nvr: usize,
                    derivatives: Option<
                        unsafe extern "C" fn(
                            context: *mut c_void,
                            time: fmi2Real,
                            u: *const fmi2Real,
                            nu: usize,
                            x: *const fmi2Real,
                            dx: *const fmi2Real,
                            nx: usize,
                            du: *mut fmi2Real,
                        ) -> fmi2Status,
                    >,
                    context: *mut c_void,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::StabilizeInputs, |instance| {
                            let stabilizer = boundary::stabilizer(derivatives, context);
                            instance.stabilize_inputs(read(vr, nvr)?, stabilizer)
                        })
                    }
                }

                /// The continuous states of a co-simulation and their derivatives, in the order of ModelStructure, with the
                /// inputs as they are now.
                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmuGetStates(
                    c: fmi2Component,
                    x: *mut fmi2Real,
                    dx: *mut fmi2Real,
                    nx: usize,
                ) -> fmi2Status {
                    unsafe {
                        call::<M, _>(c, &function::GetStates, |instance| {
                            instance.get_states(write(x, nx)?, write(dx, nx)?)
                        })
                    }
                }

                // Beyond the standard: the model description, for packaging

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmuDescribe(
                    resources: *const c_char,
                    sink: Option<
                        unsafe extern "C" fn(
                            context: *mut c_void,
                            kind: c_int,
                            text: *const c_char,
                            length: usize,
                        ),
                    >,
                    context: *mut c_void,
                ) -> c_int {
                    unsafe { boundary::describe::<M>((&LIBRARY, QUIET), resources, sink, context) }
                }
            };
        };
    };
}
