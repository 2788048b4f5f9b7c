//! The stack that a model needs, measured: a short life of an instance on a painted stack.

use super::super::functions::{Function, Interface};
use super::super::instance::{Arguments, Instance};
use super::super::library::Library;
use super::super::lifecycle::Experiment;
use crate::model::Model;
use std::ffi::CStr;

/// The bytes of stack that the calls of an FMU need, for both interfaces; `None` where it cannot be measured.
/// `resources` is the location of the resources, as the host gives it.
#[cfg(all(unix, target_arch = "x86_64"))]
pub fn measured<M: Model>(library: &'static Library, guid: &CStr, resources: &CStr) -> Option<usize> {
    let needs = [Interface::ModelExchange, Interface::CoSimulation].map(|interface| {
        let mut stack = super::Stack::new(super::size::<M>())?;
        stack.paint();
        stack.run(|| live::<M>(library, interface, guid, resources));
        Some(stack.used())
    });
    needs.into_iter().max().flatten()
}

#[cfg(not(all(unix, target_arch = "x86_64")))]
pub fn measured<M: Model>(_: &'static Library, _: &CStr, _: &CStr) -> Option<usize> {
    None
}

/// A call of every kind that evaluates the model. Whether it succeeds does not matter here.
#[cfg_attr(not(all(unix, target_arch = "x86_64")), expect(dead_code))]
fn live<M: Model>(library: &'static Library, interface: Interface, guid: &CStr, resources: &CStr) {
    let callbacks = fmu_standard::fmi2::fmi2CallbackFunctions {
        logger: None,
        allocateMemory: None,
        freeMemory: None,
        stepFinished: None,
        componentEnvironment: std::ptr::null_mut(),
    };
    let arguments = Arguments {
        name: Some(c"stack"),
        interface: match interface {
            Interface::ModelExchange => fmu_standard::fmi2::fmi2ModelExchange,
            Interface::CoSimulation => fmu_standard::fmi2::fmi2CoSimulation,
        },
        guid: Some(guid),
        resources: Some(resources),
        callbacks: &callbacks,
        logging_on: false,
    };
    let Some(mut instance) = Instance::<M>::create(library, &arguments) else {
        return;
    };
    let about = M::about();
    let start = about.start_time.unwrap_or(0.0);
    let states = M::COUNTS.states;
    instance.call(Function::SetupExperiment, |instance| {
        instance.setup_experiment(Experiment {
            tolerance: None,
            start,
            stop: None,
        })
    });
    instance.call(
        Function::EnterInitializationMode,
        Instance::enter_initialization_mode,
    );
    instance.call(
        Function::ExitInitializationMode,
        Instance::exit_initialization_mode,
    );
    match interface {
        Interface::ModelExchange => {
            let mut info = Default::default();
            instance.call(Function::NewDiscreteStates, |instance| {
                instance.new_discrete_states(&mut info)
            });
            instance.call(
                Function::EnterContinuousTimeMode,
                Instance::enter_continuous_time_mode,
            );
            let mut derivatives = vec![0.0; states];
            instance.call(Function::GetDerivatives, |instance| {
                instance.get_derivatives(&mut derivatives)
            });
            let mut indicators = vec![0.0; M::EVENT_INDICATORS];
            instance.call(Function::GetEventIndicators, |instance| {
                instance.get_event_indicators(&mut indicators)
            });
        }
        Interface::CoSimulation => {
            // Short, so that it is one step of the integrator, with all that belongs to one.
            let step = 1e-3 * about.step_size.unwrap_or(1e-3);
            instance.call(Function::DoStep, |instance| instance.do_step(start, step));
        }
    }
    let references: Vec<u32> = (0..(M::COUNTS.reals + states) as u32).collect();
    let mut values = vec![0.0; references.len()];
    instance.call(Function::GetReal, |instance| {
        instance.get_real(&references, &mut values)
    });
    if let Some(&state) = instance.variables.states.first() {
        let derivative = [M::COUNTS.reals as u32];
        instance.call(Function::GetDirectionalDerivative, |instance| {
            instance.get_directional_derivative(&derivative, &[state], &[1.0], &mut [0.0])
        });
    }
    let mut snapshot = 0;
    instance.call(Function::GetFMUstate, |instance| {
        instance.get_fmu_state(&mut snapshot)
    });
    instance.call(Function::SetFMUstate, |instance| instance.set_fmu_state(snapshot));
    instance.call(Function::Reset, Instance::reset);
    instance.free();
}
