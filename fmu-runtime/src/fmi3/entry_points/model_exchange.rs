//! Events, and Model Exchange.

/// The functions of this group: see [`__fmi3_entry_points`](crate::__fmi3_entry_points).
#[doc(hidden)]
#[macro_export]
macro_rules! __fmi3_entry_points_model_exchange {
    () => {
        // SAFETY of all blocks: the caller keeps the contract of the standard, as `boundary` has it.

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
                        let (enter, terminate) = (place(enterEventMode)?, place(terminateSimulation)?);
                        *enter = instance.completed_integrator_step()?.into();
                        *terminate = fmi3False;
                        Ok(())
                    },
                )
            }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn fmi3SetTime(instance: fmi3Instance, time: fmi3Float64) -> fmi3Status {
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
                        instance.set_continuous_states_shortcut(slice(continuousStates, nContinuousStates))
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
                    |instance, _| instance.get_event_indicators(write(eventIndicators, nEventIndicators)?),
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
                    |instance, _| instance.get_continuous_states(write(continuousStates, nContinuousStates)?),
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
    };
}
