//! Dependencies of elements, and partial derivatives.

/// The functions of this group: see [`__fmi3_entry_points`](crate::__fmi3_entry_points).
#[doc(hidden)]
#[macro_export]
macro_rules! __fmi3_entry_points_derivatives {
    () => {
        // SAFETY of all blocks: the caller keeps the contract of the standard, as `boundary` has it.

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
                            elements_of_independents: write(elementIndicesOfIndependents, nDependencies)?,
                            kinds: write(dependencyKinds, nDependencies)?,
                        };
                        calls::get_dependencies(instance, extra, dependent, places)
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
                        let (seed, sensitivity) = (read(seed, nSeed)?, write(sensitivity, nSensitivity)?);
                        calls::get_directional_derivative(instance, extra, references, seed, sensitivity)
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
                        let (seed, sensitivity) = (read(seed, nSeed)?, write(sensitivity, nSensitivity)?);
                        calls::get_adjoint_derivative(instance, extra, references, seed, sensitivity)
                    },
                )
            }
        }
    };
}
