//! The `extern "C"` functions of FMI 3.0, in the order of the standard's header, with its types and names. Each takes
//! its pointers apart and calls a function of the instance; the frame around every call (is it
//! allowed, panics, messages, the status) is [`Instance::call`](crate::instance::Instance::call).

/// Defines the C functions of FMI 3.0 for a model.
#[doc(hidden)]
#[macro_export]
macro_rules! __fmi3_entry_points {
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
                use $crate::__private::fmi3::boundary::{self, About, Arguments, Purpose};
                use $crate::__private::fmi3::{Handle, calls, function};
                use $crate::__private::instance::boundary::{
                    self as pointers, call_shortcut, place, read, slice, slice_mut, texts, write,
                };
                use $crate::__private::instance::{Experiment, Library};
                use $crate::__private::standard::fmi3::*;

                type M = __ExportedModel;
                // Packaging passes what the library was built from.
                static LIBRARY: Library = Library::new(::core::option_env!("FMU_BUILD_MARK"));
                /// In an FMU's library panics go to the logger; elsewhere they are also printed as ever.
                const ABOUT: About = About {
                    library: &LIBRARY,
                    quiet: cfg!(fmu_export),
                    scalar: cfg!(fmu_arrays = "scalar"),
                };

                // Inquire version numbers, and logging

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetVersion() -> *const c_char {
                    fmi3Version.as_ptr()
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3SetDebugLogging(
                    instance: fmi3Instance,
                    loggingOn: fmi3Boolean,
                    nCategories: usize,
                    categories: *const fmi3String,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3SetDebugLogging, |instance, _| {
                            instance
                                .set_debug_logging(loggingOn != fmi3False, &texts(categories, nCategories)?)
                        })
                    }
                }

                // Creation and destruction of instances

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3InstantiateModelExchange(
                    instanceName: fmi3String,
                    instantiationToken: fmi3String,
                    resourcePath: fmi3String,
                    _visible: fmi3Boolean,
                    loggingOn: fmi3Boolean,
                    instanceEnvironment: fmi3InstanceEnvironment,
                    logMessage: Option<fmi3LogMessageCallback>,
                ) -> fmi3Instance {
                    let arguments = Arguments {
                        name: instanceName,
                        token: instantiationToken,
                        resources: resourcePath,
                        logging_on: loggingOn != fmi3False,
                        environment: instanceEnvironment,
                        log: logMessage,
                    };
                    unsafe { boundary::instantiate::<M>(ABOUT, Purpose::ModelExchange, arguments) }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3InstantiateCoSimulation(
                    instanceName: fmi3String,
                    instantiationToken: fmi3String,
                    resourcePath: fmi3String,
                    _visible: fmi3Boolean,
                    loggingOn: fmi3Boolean,
                    eventModeUsed: fmi3Boolean,
                    earlyReturnAllowed: fmi3Boolean,
                    requiredIntermediateVariables: *const fmi3ValueReference,
                    nRequiredIntermediateVariables: usize,
                    instanceEnvironment: fmi3InstanceEnvironment,
                    logMessage: Option<fmi3LogMessageCallback>,
                    _intermediateUpdate: Option<fmi3IntermediateUpdateCallback>,
                ) -> fmi3Instance {
                    let arguments = Arguments {
                        name: instanceName,
                        token: instantiationToken,
                        resources: resourcePath,
                        logging_on: loggingOn != fmi3False,
                        environment: instanceEnvironment,
                        log: logMessage,
                    };
                    unsafe {
                        let required = slice(
                            requiredIntermediateVariables,
                            nRequiredIntermediateVariables,
                        );
                        let purpose = Purpose::CoSimulation {
                            event_mode_used: eventModeUsed != fmi3False,
                            early_return_allowed: earlyReturnAllowed != fmi3False,
                            intermediate_variable: required.and_then(|required| required.first().copied()),
                        };
                        boundary::instantiate::<M>(ABOUT, purpose, arguments)
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3InstantiateScheduledExecution(
                    instanceName: fmi3String,
                    instantiationToken: fmi3String,
                    resourcePath: fmi3String,
                    _visible: fmi3Boolean,
                    loggingOn: fmi3Boolean,
                    instanceEnvironment: fmi3InstanceEnvironment,
                    logMessage: Option<fmi3LogMessageCallback>,
                    _clockUpdate: Option<fmi3ClockUpdateCallback>,
                    _lockPreemption: Option<fmi3LockPreemptionCallback>,
                    _unlockPreemption: Option<fmi3UnlockPreemptionCallback>,
                ) -> fmi3Instance {
                    let arguments = Arguments {
                        name: instanceName,
                        token: instantiationToken,
                        resources: resourcePath,
                        logging_on: loggingOn != fmi3False,
                        environment: instanceEnvironment,
                        log: logMessage,
                    };
                    unsafe { boundary::instantiate::<M>(ABOUT, Purpose::ScheduledExecution, arguments) }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3FreeInstance(instance: fmi3Instance) {
                    unsafe { pointers::free::<M, Handle<M>>(instance) }
                }

                // Initialization, termination, reset

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3EnterInitializationMode(
                    instance: fmi3Instance,
                    toleranceDefined: fmi3Boolean,
                    tolerance: fmi3Float64,
                    startTime: fmi3Float64,
                    stopTimeDefined: fmi3Boolean,
                    stopTime: fmi3Float64,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(
                            instance,
                            &function::fmi3EnterInitializationMode,
                            |instance, _| {
                                let experiment = Experiment {
                                    tolerance: (toleranceDefined != fmi3False).then_some(tolerance),
                                    start: startTime,
                                    stop: (stopTimeDefined != fmi3False).then_some(stopTime),
                                };
                                calls::enter_initialization_mode(instance, experiment)
                            },
                        )
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3ExitInitializationMode(instance: fmi3Instance) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(
                            instance,
                            &function::fmi3ExitInitializationMode,
                            |instance, extra| calls::exit_initialization_mode(instance, extra),
                        )
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3EnterEventMode(instance: fmi3Instance) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(
                            instance,
                            &function::fmi3EnterEventMode,
                            |instance, extra| calls::enter_event_mode(instance, extra),
                        )
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3Terminate(instance: fmi3Instance) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3Terminate, |instance, _| {
                            instance.terminate()
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3Reset(instance: fmi3Instance) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3Reset, |instance, _| {
                            instance.reset()
                        })
                    }
                }

                // Values of variables

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetFloat32(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _values: *mut fmi3Float32,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3GetFloat32, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "Float32", nValues)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetFloat64(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    values: *mut fmi3Float64,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3GetFloat64, |instance, extra| {
                            calls::get_float64(
                                instance,
                                extra,
                                read(valueReferences, nValueReferences)?,
                                write(values, nValues)?,
                            )
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetInt8(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _values: *mut fmi3Int8,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3GetInt8, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "Int8", nValues)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetUInt8(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _values: *mut fmi3UInt8,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3GetUInt8, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "UInt8", nValues)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetInt16(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _values: *mut fmi3Int16,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3GetInt16, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "Int16", nValues)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetUInt16(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _values: *mut fmi3UInt16,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3GetUInt16, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "UInt16", nValues)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetInt32(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    values: *mut fmi3Int32,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3GetInt32, |instance, extra| {
                            calls::get_int32(
                                instance,
                                extra,
                                read(valueReferences, nValueReferences)?,
                                write(values, nValues)?,
                            )
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetUInt32(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _values: *mut fmi3UInt32,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3GetUInt32, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "UInt32", nValues)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetInt64(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    values: *mut fmi3Int64,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3GetInt64, |instance, extra| {
                            calls::get_int64(
                                instance,
                                extra,
                                read(valueReferences, nValueReferences)?,
                                write(values, nValues)?,
                            )
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetUInt64(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _values: *mut fmi3UInt64,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3GetUInt64, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "UInt64", nValues)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetBoolean(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    values: *mut fmi3Boolean,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3GetBoolean, |instance, extra| {
                            calls::get_boolean(
                                instance,
                                extra,
                                read(valueReferences, nValueReferences)?,
                                write(values, nValues)?,
                            )
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetString(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    values: *mut fmi3String,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3GetString, |instance, extra| {
                            calls::get_string(
                                instance,
                                extra,
                                read(valueReferences, nValueReferences)?,
                                write(values, nValues)?,
                            )
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetBinary(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _valueSizes: *mut usize,
                    _values: *mut fmi3Binary,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3GetBinary, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "Binary", nValues)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetClock(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _values: *mut fmi3Clock,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3GetClock, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "Clock", 0)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3SetFloat32(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _values: *const fmi3Float32,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3SetFloat32, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "Float32", nValues)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3SetFloat64(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    values: *const fmi3Float64,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3SetFloat64, |instance, extra| {
                            calls::set_float64(
                                instance,
                                extra,
                                read(valueReferences, nValueReferences)?,
                                read(values, nValues)?,
                            )
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3SetInt8(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _values: *const fmi3Int8,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3SetInt8, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "Int8", nValues)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3SetUInt8(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _values: *const fmi3UInt8,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3SetUInt8, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "UInt8", nValues)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3SetInt16(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _values: *const fmi3Int16,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3SetInt16, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "Int16", nValues)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3SetUInt16(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _values: *const fmi3UInt16,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3SetUInt16, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "UInt16", nValues)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3SetInt32(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    values: *const fmi3Int32,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3SetInt32, |instance, extra| {
                            calls::set_int32(
                                instance,
                                extra,
                                read(valueReferences, nValueReferences)?,
                                read(values, nValues)?,
                            )
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3SetUInt32(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _values: *const fmi3UInt32,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3SetUInt32, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "UInt32", nValues)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3SetInt64(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    values: *const fmi3Int64,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3SetInt64, |instance, extra| {
                            calls::set_int64(
                                instance,
                                extra,
                                read(valueReferences, nValueReferences)?,
                                read(values, nValues)?,
                            )
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3SetUInt64(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _values: *const fmi3UInt64,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3SetUInt64, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "UInt64", nValues)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3SetBoolean(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    values: *const fmi3Boolean,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3SetBoolean, |instance, extra| {
                            calls::set_boolean(
                                instance,
                                extra,
                                read(valueReferences, nValueReferences)?,
                                read(values, nValues)?,
                            )
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3SetString(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    values: *const fmi3String,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3SetString, |instance, extra| {
                            calls::set_string(
                                instance,
                                extra,
                                read(valueReferences, nValueReferences)?,
                                &texts(values, nValues)?,
                            )
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3SetBinary(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _valueSizes: *const usize,
                    _values: *const fmi3Binary,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3SetBinary, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "Binary", nValues)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3SetClock(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _values: *const fmi3Clock,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3SetClock, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "Clock", 0)
                        })
                    }
                }

                // Dependencies of elements

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetNumberOfVariableDependencies(
                    instance: fmi3Instance,
                    valueReference: fmi3ValueReference,
                    nDependencies: *mut usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(
                            instance,
                            &function::fmi3GetNumberOfVariableDependencies,
                            |instance, extra| {
                                let number = place(nDependencies)?;
                                *number = calls::number_of_dependencies(instance, extra, valueReference)?;
                                Ok(())
                            },
                        )
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetVariableDependencies(
                    instance: fmi3Instance,
                    dependent: fmi3ValueReference,
                    elementIndicesOfDependent: *mut usize,
                    independents: *mut fmi3ValueReference,
                    elementIndicesOfIndependents: *mut usize,
                    dependencyKinds: *mut fmi3DependencyKind,
                    nDependencies: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(
                            instance,
                            &function::fmi3GetVariableDependencies,
                            |instance, extra| {
                                let places = calls::Dependencies {
                                    elements: write(elementIndicesOfDependent, nDependencies)?,
                                    independents: write(independents, nDependencies)?,
                                    elements_of_independents: write(
                                        elementIndicesOfIndependents,
                                        nDependencies,
                                    )?,
                                    kinds: write(dependencyKinds, nDependencies)?,
                                };
                                calls::get_dependencies(instance, extra, dependent, places)
                            },
                        )
                    }
                }

                // Snapshots

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetFMUState(
                    instance: fmi3Instance,
                    FMUState: *mut fmi3FMUState,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3GetFMUState, |instance, _| {
                            pointers::change_snapshot(FMUState, |handle| instance.get_fmu_state(handle))
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3SetFMUState(
                    instance: fmi3Instance,
                    FMUState: fmi3FMUState,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3SetFMUState, |instance, _| {
                            instance.set_fmu_state(FMUState.addr())
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3FreeFMUState(
                    instance: fmi3Instance,
                    FMUState: *mut fmi3FMUState,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3FreeFMUState, |instance, _| {
                            match FMUState.is_null() {
                                true => Ok(()),
                                false => pointers::change_snapshot(FMUState, |handle| {
                                    instance.free_fmu_state(handle)
                                }),
                            }
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3SerializedFMUStateSize(
                    instance: fmi3Instance,
                    FMUState: fmi3FMUState,
                    size: *mut usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(
                            instance,
                            &function::fmi3SerializedFMUStateSize,
                            |instance, _| {
                                *place(size)? = instance.serialized_fmu_state_size(FMUState.addr())?;
                                Ok(())
                            },
                        )
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3SerializeFMUState(
                    instance: fmi3Instance,
                    FMUState: fmi3FMUState,
                    serializedState: *mut fmi3Byte,
                    size: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3SerializeFMUState, |instance, _| {
                            instance.serialize_fmu_state(FMUState.addr(), write(serializedState, size)?)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3DeserializeFMUState(
                    instance: fmi3Instance,
                    serializedState: *const fmi3Byte,
                    size: usize,
                    FMUState: *mut fmi3FMUState,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(
                            instance,
                            &function::fmi3DeserializeFMUState,
                            |instance, _| {
                                let bytes = read(serializedState, size)?;
                                pointers::change_snapshot(FMUState, |handle| {
                                    instance.deserialize_fmu_state(bytes, handle)
                                })
                            },
                        )
                    }
                }

                // Partial derivatives

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetDirectionalDerivative(
                    instance: fmi3Instance,
                    unknowns: *const fmi3ValueReference,
                    nUnknowns: usize,
                    knowns: *const fmi3ValueReference,
                    nKnowns: usize,
                    seed: *const fmi3Float64,
                    nSeed: usize,
                    sensitivity: *mut fmi3Float64,
                    nSensitivity: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(
                            instance,
                            &function::fmi3GetDirectionalDerivative,
                            |instance, extra| {
                                let references = (read(unknowns, nUnknowns)?, read(knowns, nKnowns)?);
                                let (seed, sensitivity) =
                                    (read(seed, nSeed)?, write(sensitivity, nSensitivity)?);
                                calls::get_directional_derivative(
                                    instance,
                                    extra,
                                    references,
                                    seed,
                                    sensitivity,
                                )
                            },
                        )
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetAdjointDerivative(
                    instance: fmi3Instance,
                    unknowns: *const fmi3ValueReference,
                    nUnknowns: usize,
                    knowns: *const fmi3ValueReference,
                    nKnowns: usize,
                    seed: *const fmi3Float64,
                    nSeed: usize,
                    sensitivity: *mut fmi3Float64,
                    nSensitivity: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(
                            instance,
                            &function::fmi3GetAdjointDerivative,
                            |instance, extra| {
                                let references = (read(unknowns, nUnknowns)?, read(knowns, nKnowns)?);
                                let (seed, sensitivity) =
                                    (read(seed, nSeed)?, write(sensitivity, nSensitivity)?);
                                calls::get_adjoint_derivative(instance, extra, references, seed, sensitivity)
                            },
                        )
                    }
                }

                // Configuration mode, which no mode of an instance allows: the frame refuses it

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3EnterConfigurationMode(instance: fmi3Instance) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3EnterConfigurationMode, |_, _| {
                            Ok(())
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3ExitConfigurationMode(instance: fmi3Instance) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(
                            instance,
                            &function::fmi3ExitConfigurationMode,
                            |_, _| Ok(()),
                        )
                    }
                }

                // Clocks

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetIntervalDecimal(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _intervals: *mut fmi3Float64,
                    _qualifiers: *mut fmi3IntervalQualifier,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3GetIntervalDecimal, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "Clock", 0)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetIntervalFraction(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _counters: *mut fmi3UInt64,
                    _resolutions: *mut fmi3UInt64,
                    _qualifiers: *mut fmi3IntervalQualifier,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3GetIntervalFraction, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "Clock", 0)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetShiftDecimal(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _shifts: *mut fmi3Float64,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3GetShiftDecimal, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "Clock", 0)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetShiftFraction(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _counters: *mut fmi3UInt64,
                    _resolutions: *mut fmi3UInt64,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3GetShiftFraction, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "Clock", 0)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3SetIntervalDecimal(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _intervals: *const fmi3Float64,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3SetIntervalDecimal, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "Clock", 0)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3SetIntervalFraction(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _counters: *const fmi3UInt64,
                    _resolutions: *const fmi3UInt64,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3SetIntervalFraction, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "Clock", 0)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3SetShiftDecimal(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _shifts: *const fmi3Float64,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3SetShiftDecimal, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "Clock", 0)
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3SetShiftFraction(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    _counters: *const fmi3UInt64,
                    _resolutions: *const fmi3UInt64,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3SetShiftFraction, |_, extra| {
                            extra.refuse::<M>(read(valueReferences, nValueReferences)?, "Clock", 0)
                        })
                    }
                }

                // Events

                // Discrete states have no equations of their own here, and the standard has the function ignored then.
                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3EvaluateDiscreteStates(instance: fmi3Instance) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3EvaluateDiscreteStates, |_, _| {
                            Ok(())
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3UpdateDiscreteStates(
                    instance: fmi3Instance,
                    discreteStatesNeedUpdate: *mut fmi3Boolean,
                    terminateSimulation: *mut fmi3Boolean,
                    nominalsOfContinuousStatesChanged: *mut fmi3Boolean,
                    valuesOfContinuousStatesChanged: *mut fmi3Boolean,
                    nextEventTimeDefined: *mut fmi3Boolean,
                    nextEventTime: *mut fmi3Float64,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(
                            instance,
                            &function::fmi3UpdateDiscreteStates,
                            |instance, _| {
                                let update = calls::Update {
                                    needed: place(discreteStatesNeedUpdate)?,
                                    terminate: place(terminateSimulation)?,
                                    nominals_changed: place(nominalsOfContinuousStatesChanged)?,
                                    states_changed: place(valuesOfContinuousStatesChanged)?,
                                    next_event_time_defined: place(nextEventTimeDefined)?,
                                    next_event_time: place(nextEventTime)?,
                                };
                                calls::update_discrete_states(instance, update)
                            },
                        )
                    }
                }

                // Model Exchange

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3EnterContinuousTimeMode(instance: fmi3Instance) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(
                            instance,
                            &function::fmi3EnterContinuousTimeMode,
                            |instance, _| instance.enter_continuous_time_mode(),
                        )
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3CompletedIntegratorStep(
                    instance: fmi3Instance,
                    _noSetFMUStatePriorToCurrentPoint: fmi3Boolean,
                    enterEventMode: *mut fmi3Boolean,
                    terminateSimulation: *mut fmi3Boolean,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(
                            instance,
                            &function::fmi3CompletedIntegratorStep,
                            |instance, _| {
                                let (enter, terminate) =
                                    (place(enterEventMode)?, place(terminateSimulation)?);
                                *enter = instance.completed_integrator_step()?.into();
                                *terminate = fmi3False;
                                Ok(())
                            },
                        )
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3SetTime(
                    instance: fmi3Instance,
                    time: fmi3Float64,
                ) -> fmi3Status {
                    unsafe {
                        call_shortcut::<M, _>(
                            instance,
                            &function::fmi3SetTime,
                            move |instance| instance.set_time_shortcut(time),
                            move |instance| instance.set_time(time),
                        )
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3SetContinuousStates(
                    instance: fmi3Instance,
                    continuousStates: *const fmi3Float64,
                    nContinuousStates: usize,
                ) -> fmi3Status {
                    unsafe {
                        call_shortcut::<M, _>(
                            instance,
                            &function::fmi3SetContinuousStates,
                            move |instance| {
                                instance.set_continuous_states_shortcut(slice(
                                    continuousStates,
                                    nContinuousStates,
                                ))
                            },
                            move |instance| {
                                instance.set_continuous_states(read(continuousStates, nContinuousStates)?)
                            },
                        )
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetContinuousStateDerivatives(
                    instance: fmi3Instance,
                    derivatives: *mut fmi3Float64,
                    nContinuousStates: usize,
                ) -> fmi3Status {
                    unsafe {
                        call_shortcut::<M, _>(
                            instance,
                            &function::fmi3GetContinuousStateDerivatives,
                            move |instance| {
                                instance.get_derivatives_shortcut(slice_mut(derivatives, nContinuousStates))
                            },
                            move |instance| instance.get_derivatives(write(derivatives, nContinuousStates)?),
                        )
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetEventIndicators(
                    instance: fmi3Instance,
                    eventIndicators: *mut fmi3Float64,
                    nEventIndicators: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(
                            instance,
                            &function::fmi3GetEventIndicators,
                            |instance, _| {
                                instance.get_event_indicators(write(eventIndicators, nEventIndicators)?)
                            },
                        )
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetContinuousStates(
                    instance: fmi3Instance,
                    continuousStates: *mut fmi3Float64,
                    nContinuousStates: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(
                            instance,
                            &function::fmi3GetContinuousStates,
                            |instance, _| {
                                instance.get_continuous_states(write(continuousStates, nContinuousStates)?)
                            },
                        )
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetNominalsOfContinuousStates(
                    instance: fmi3Instance,
                    nominals: *mut fmi3Float64,
                    nContinuousStates: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(
                            instance,
                            &function::fmi3GetNominalsOfContinuousStates,
                            |instance, _| instance.get_nominals(write(nominals, nContinuousStates)?),
                        )
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetNumberOfEventIndicators(
                    instance: fmi3Instance,
                    nEventIndicators: *mut usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(
                            instance,
                            &function::fmi3GetNumberOfEventIndicators,
                            |instance, _| {
                                *place(nEventIndicators)? = instance.number_of_event_indicators();
                                Ok(())
                            },
                        )
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetNumberOfContinuousStates(
                    instance: fmi3Instance,
                    nContinuousStates: *mut usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(
                            instance,
                            &function::fmi3GetNumberOfContinuousStates,
                            |instance, _| {
                                *place(nContinuousStates)? = instance.number_of_states();
                                Ok(())
                            },
                        )
                    }
                }

                // Co-Simulation

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3EnterStepMode(instance: fmi3Instance) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3EnterStepMode, |instance, _| {
                            instance.enter_step_mode()
                        })
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3GetOutputDerivatives(
                    instance: fmi3Instance,
                    valueReferences: *const fmi3ValueReference,
                    nValueReferences: usize,
                    orders: *const fmi3Int32,
                    values: *mut fmi3Float64,
                    nValues: usize,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(
                            instance,
                            &function::fmi3GetOutputDerivatives,
                            |instance, extra| {
                                let (references, orders) = (
                                    read(valueReferences, nValueReferences)?,
                                    read(orders, nValueReferences)?,
                                );
                                calls::get_output_derivatives(
                                    instance,
                                    extra,
                                    references,
                                    orders,
                                    write(values, nValues)?,
                                )
                            },
                        )
                    }
                }

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3DoStep(
                    instance: fmi3Instance,
                    currentCommunicationPoint: fmi3Float64,
                    communicationStepSize: fmi3Float64,
                    _noSetFMUStatePriorToCurrentPoint: fmi3Boolean,
                    eventHandlingNeeded: *mut fmi3Boolean,
                    terminateSimulation: *mut fmi3Boolean,
                    earlyReturn: *mut fmi3Boolean,
                    lastSuccessfulTime: *mut fmi3Float64,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3DoStep, |instance, extra| {
                            let end = calls::StepEnd {
                                event_handling_needed: place(eventHandlingNeeded)?,
                                terminate: place(terminateSimulation)?,
                                early_return: place(earlyReturn)?,
                                last_successful_time: place(lastSuccessfulTime)?,
                            };
                            let step = (currentCommunicationPoint, communicationStepSize);
                            calls::do_step(instance, extra, step, end)
                        })
                    }
                }

                // Scheduled Execution, which no mode of an instance allows: the frame refuses it

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmi3ActivateModelPartition(
                    instance: fmi3Instance,
                    _clockReference: fmi3ValueReference,
                    _activationTime: fmi3Float64,
                ) -> fmi3Status {
                    unsafe {
                        boundary::call::<M>(instance, &function::fmi3ActivateModelPartition, |_, _| {
                            Ok(())
                        })
                    }
                }

                // Beyond the standard: the model description, for packaging

                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn fmuDescribe3(
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
                    unsafe { boundary::describe::<M>(ABOUT, resources, sink, context) }
                }
            };
        };
    };
}

/// Defines the C functions of the versions that packaging asks for (`--cfg fmu_fmi="3"` or `"both"`; FMI 2.0 without a
/// word). `export_fmu!` calls it where a library for an FMU is built.
#[doc(hidden)]
#[macro_export]
macro_rules! __entry_points {
    ($model:ty) => {
        #[cfg(not(fmu_fmi = "3"))]
        $crate::__private::fmi2_entry_points!($model);
        #[cfg(any(fmu_fmi = "3", fmu_fmi = "both"))]
        $crate::__private::fmi3_entry_points!($model);
    };
}
