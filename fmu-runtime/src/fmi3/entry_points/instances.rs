//! Versions, logging, and the life of an instance: creation, initialization, termination, reset, configuration.

/// The functions of this group: see [`__fmi3_entry_points`](crate::__fmi3_entry_points).
#[doc(hidden)]
#[macro_export]
macro_rules! __fmi3_entry_points_instances {
    () => {
        // SAFETY of all blocks: the caller keeps the contract of the standard, as `boundary` has it.

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
                    instance.set_debug_logging(loggingOn != fmi3False, &texts(categories, nCategories)?)
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
    };
}
