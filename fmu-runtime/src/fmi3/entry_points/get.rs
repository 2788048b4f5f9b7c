//! Reading values of variables.

/// The functions of this group: see [`__fmi3_entry_points`](crate::__fmi3_entry_points).
#[doc(hidden)]
#[macro_export]
macro_rules! __fmi3_entry_points_get {
    () => {
        // SAFETY of all blocks: the caller keeps the contract of the standard, as `boundary` has it.

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
    };
}
