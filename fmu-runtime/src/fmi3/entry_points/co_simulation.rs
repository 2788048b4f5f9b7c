//! Co-Simulation.

/// The functions of this group: see [`__fmi3_entry_points`](crate::__fmi3_entry_points).
#[doc(hidden)]
#[macro_export]
macro_rules! __fmi3_entry_points_co_simulation {
    () => {
        // SAFETY of all blocks: the caller keeps the contract of the standard, as `boundary` has it.

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
    };
}
