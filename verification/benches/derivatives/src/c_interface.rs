//! A model through its C functions, as a simulation tool calls them.

use std::ffi::CString;
use std::hint::black_box;
use std::ptr::{null, null_mut};

use fmu_runtime::ModelError;
use fmu_runtime::fmi2::model_description;
use fmu_runtime::model::Model;
use fmu_standard::fmi2::*;

/// The functions that the loops need.
#[derive(Clone, Copy)]
#[allow(missing_docs)]
pub struct Functions {
    pub instantiate: fmi2InstantiateTYPE,
    pub setup_experiment: fmi2SetupExperimentTYPE,
    pub enter_initialization: fmi2EnterInitializationModeTYPE,
    pub exit_initialization: fmi2ExitInitializationModeTYPE,
    pub new_discrete_states: fmi2NewDiscreteStatesTYPE,
    pub enter_continuous_time: fmi2EnterContinuousTimeModeTYPE,
    pub get_continuous_states: fmi2GetContinuousStatesTYPE,
    pub set_continuous_states: fmi2SetContinuousStatesTYPE,
    pub get_derivatives: fmi2GetDerivativesTYPE,
    pub get_directional_derivative: fmi2GetDirectionalDerivativeTYPE,
    pub free_instance: fmi2FreeInstanceTYPE,
}

/// A whole program: the C functions of a model, and a loop over them. A program has one model, because the
/// functions have the names of the standard.
#[macro_export]
macro_rules! c_program {
    ($model:ty) => {
        fmu_runtime::__private::fmi2_entry_points!($model);

        #[allow(non_snake_case)]
        mod symbols {
            use fmu_standard::fmi2::*;

            unsafe extern "C" {
                pub fn fmi2Instantiate(
                    name: fmi2String,
                    kind: fmi2Type,
                    guid: fmi2String,
                    resources: fmi2String,
                    functions: *const fmi2CallbackFunctions,
                    visible: fmi2Boolean,
                    logging: fmi2Boolean,
                ) -> fmi2Component;
                pub fn fmi2SetupExperiment(
                    c: fmi2Component,
                    has_tolerance: fmi2Boolean,
                    tolerance: fmi2Real,
                    start: fmi2Real,
                    has_stop: fmi2Boolean,
                    stop: fmi2Real,
                ) -> fmi2Status;
                pub fn fmi2EnterInitializationMode(c: fmi2Component) -> fmi2Status;
                pub fn fmi2ExitInitializationMode(c: fmi2Component) -> fmi2Status;
                pub fn fmi2NewDiscreteStates(c: fmi2Component, info: *mut fmi2EventInfo) -> fmi2Status;
                pub fn fmi2EnterContinuousTimeMode(c: fmi2Component) -> fmi2Status;
                pub fn fmi2GetContinuousStates(c: fmi2Component, x: *mut fmi2Real, n: usize) -> fmi2Status;
                pub fn fmi2SetContinuousStates(c: fmi2Component, x: *const fmi2Real, n: usize) -> fmi2Status;
                pub fn fmi2GetDerivatives(c: fmi2Component, dx: *mut fmi2Real, n: usize) -> fmi2Status;
                pub fn fmi2GetDirectionalDerivative(
                    c: fmi2Component,
                    unknowns: *const fmi2ValueReference,
                    unknown_count: usize,
                    knowns: *const fmi2ValueReference,
                    known_count: usize,
                    seed: *const fmi2Real,
                    derivative: *mut fmi2Real,
                ) -> fmi2Status;
                pub fn fmi2FreeInstance(c: fmi2Component);
            }
        }

        fn main() -> Result<(), fmu_runtime::ModelError> {
            $crate::c_interface::run::<$model>($crate::c_interface::Functions {
                instantiate: symbols::fmi2Instantiate,
                setup_experiment: symbols::fmi2SetupExperiment,
                enter_initialization: symbols::fmi2EnterInitializationMode,
                exit_initialization: symbols::fmi2ExitInitializationMode,
                new_discrete_states: symbols::fmi2NewDiscreteStates,
                enter_continuous_time: symbols::fmi2EnterContinuousTimeMode,
                get_continuous_states: symbols::fmi2GetContinuousStates,
                set_continuous_states: symbols::fmi2SetContinuousStates,
                get_derivatives: symbols::fmi2GetDerivatives,
                get_directional_derivative: symbols::fmi2GetDirectionalDerivative,
                free_instance: symbols::fmi2FreeInstance,
            })
        }
    };
}

/// Runs the loop that the arguments name: `evaluate` sets the states and gets the derivatives, `seed` gets the
/// derivatives of all state derivatives in one direction of all states.
pub fn run<M: Model>(functions: Functions) -> Result<(), ModelError> {
    // So that nothing is known of the functions but their addresses, as where a library is loaded.
    let functions = black_box(functions);
    let (name, rounds) = crate::arguments();
    let states = M::COUNTS.states;
    let guid = CString::new(fmu_standard::guid(&model_description::<M>()?))?;
    let callbacks = fmi2CallbackFunctions {
        logger: None,
        allocateMemory: None,
        freeMemory: None,
        stepFinished: None,
        componentEnvironment: null_mut(),
    };
    // The states come first in our models.
    let knowns: Vec<u32> = (0..states as u32).collect();
    let unknowns: Vec<u32> = knowns
        .iter()
        .map(|known| known + M::COUNTS.reals as u32)
        .collect();
    let (mut x, mut result) = (vec![0.0; states], vec![0.0; states]);
    let seed: Vec<f64> = (0..states).map(|i| 1.0 + i as f64).collect();
    // SAFETY: the calls follow the order of the standard, on an instance of our own, with arrays of the length that is passed.
    let worst = unsafe {
        let c = (functions.instantiate)(
            c"bench".as_ptr(),
            fmi2ModelExchange,
            guid.as_ptr(),
            null(),
            &callbacks,
            fmi2False,
            fmi2False,
        );
        if c.is_null() {
            return Err(ModelError::new("fmi2Instantiate gives no instance"));
        }
        let mut info = std::mem::zeroed();
        let mut worst = (functions.setup_experiment)(c, fmi2False, 0.0, 0.0, fmi2False, 0.0).0;
        worst |= (functions.enter_initialization)(c).0;
        worst |= (functions.exit_initialization)(c).0;
        worst |= (functions.new_discrete_states)(c, &mut info).0;
        worst |= (functions.enter_continuous_time)(c).0;
        worst |= (functions.get_continuous_states)(c, x.as_mut_ptr(), states).0;
        match name.as_str() {
            "evaluate" => {
                for _ in 0..rounds {
                    x[0] += 1e-9;
                    worst |= (functions.set_continuous_states)(c, x.as_ptr(), states).0;
                    worst |= (functions.get_derivatives)(c, result.as_mut_ptr(), states).0;
                }
            }
            "seed" => {
                for _ in 0..rounds {
                    worst |= (functions.get_directional_derivative)(
                        c,
                        unknowns.as_ptr(),
                        states,
                        knowns.as_ptr(),
                        states,
                        seed.as_ptr(),
                        result.as_mut_ptr(),
                    )
                    .0;
                }
            }
            other => return Err(ModelError::new(format!("no loop is called '{other}'"))),
        }
        (functions.free_instance)(c);
        worst
    };
    println!("{}", result.iter().sum::<f64>());
    match worst == fmi2OK.0 {
        true => Ok(()),
        false => Err(ModelError::new("a call does not give fmi2OK")),
    }
}
