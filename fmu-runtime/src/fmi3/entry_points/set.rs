//! Setting values of variables.

/// The functions of this group: see [`__fmi3_entry_points`](crate::__fmi3_entry_points).
#[doc(hidden)]
#[macro_export]
macro_rules! __fmi3_entry_points_set {
    () => {
        // SAFETY of all blocks: the caller keeps the contract of the standard, as `boundary` has it.

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
    };
}
