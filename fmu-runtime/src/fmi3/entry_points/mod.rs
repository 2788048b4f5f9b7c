//! The `extern "C"` functions of FMI 3.0, in the order of the standard's header, with its types and names. Each takes
//! its pointers apart and calls a function of the instance; the frame around every call (is it
//! allowed, panics, messages, the status) is [`Instance::call`](crate::instance::Instance::call).

mod clocks;
mod co_simulation;
mod derivatives;
mod get;
mod instances;
mod model_exchange;
mod set;
mod snapshots;

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

                $crate::__fmi3_entry_points_instances!();
                $crate::__fmi3_entry_points_get!();
                $crate::__fmi3_entry_points_set!();
                $crate::__fmi3_entry_points_derivatives!();
                $crate::__fmi3_entry_points_snapshots!();
                $crate::__fmi3_entry_points_clocks!();
                $crate::__fmi3_entry_points_model_exchange!();
                $crate::__fmi3_entry_points_co_simulation!();

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
