//! Intervals and shifts of clocks, and Scheduled Execution.

/// The functions of this group: see [`__fmi3_entry_points`](crate::__fmi3_entry_points).
#[doc(hidden)]
#[macro_export]
macro_rules! __fmi3_entry_points_clocks {
    () => {
        // SAFETY of all blocks: the caller keeps the contract of the standard, as `boundary` has it.

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
    };
}
