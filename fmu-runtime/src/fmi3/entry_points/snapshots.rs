//! Snapshots.

/// The functions of this group: see [`__fmi3_entry_points`](crate::__fmi3_entry_points).
#[doc(hidden)]
#[macro_export]
macro_rules! __fmi3_entry_points_snapshots {
    () => {
        // SAFETY of all blocks: the caller keeps the contract of the standard, as `boundary` has it.

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
                boundary::call::<M>(
                    instance,
                    &function::fmi3FreeFMUState,
                    |instance, _| match FMUState.is_null() {
                        true => Ok(()),
                        false => {
                            pointers::change_snapshot(FMUState, |handle| instance.free_fmu_state(handle))
                        }
                    },
                )
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
    };
}
