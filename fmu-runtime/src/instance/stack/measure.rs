//! The stack that a model needs, measured: a short life of an instance on a painted stack.

use super::super::{
    Experiment, Function, Host, Instance, Interface, Library, Outcome, Settings, Status, Vocabulary,
};
use crate::model::Model;
use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// What any host's thread has to spare for a call.
const SMALL_STACK: usize = 256 << 10;

/// A note if the calls of the model need more stack than some hosts have.
pub fn note<M: Model>(
    library: &'static Library,
    vocabulary: &'static Vocabulary,
    resources: &Path,
) -> Option<String> {
    let own = match super::is_needed::<M>() {
        true => format!(
            "the FMU runs them on a stack of its own of {} MiB",
            super::size::<M>() >> 20
        ),
        false => "threads of some hosts have no more".to_owned(),
    };
    match measured::<M>(library, vocabulary, resources) {
        Some(bytes) if bytes <= SMALL_STACK => None,
        Some(bytes) => Some(format!(
            "calls of this model need {} KiB of stack (measured): {own}",
            bytes.div_ceil(1024)
        )),
        None => super::is_needed::<M>().then(|| {
            format!(
                "this model is large ({} KiB in memory), and its calls may need more than 256 KiB of stack: {own}",
                size_of::<M>() >> 10
            )
        }),
    }
}

/// The bytes of stack that the calls of an FMU need, for both interfaces; `None` where it cannot be measured.
#[cfg(all(unix, target_arch = "x86_64"))]
fn measured<M: Model>(
    library: &'static Library,
    vocabulary: &'static Vocabulary,
    resources: &Path,
) -> Option<usize> {
    let needs = [Interface::ModelExchange, Interface::CoSimulation].map(|interface| {
        let mut stack = super::Stack::new(super::size::<M>())?;
        stack.paint();
        stack.run(|| live::<M>(library, vocabulary, interface, resources));
        Some(stack.used())
    });
    needs.into_iter().max().flatten()
}

#[cfg(not(all(unix, target_arch = "x86_64")))]
fn measured<M: Model>(_: &'static Library, _: &'static Vocabulary, _: &Path) -> Option<usize> {
    None
}

/// An environment that wants no messages.
struct Silent;

impl Host for Silent {
    fn log(&self, _: &CStr, _: Status, _: Option<&CStr>, _: &str) {}
}

/// Any function: here the sequence of calls is known to be right.
static ANY: Function = Function {
    name: "",
    model_exchange: u32::MAX,
    co_simulation: u32::MAX,
    unconditional: 0,
    may_discard: true,
    is_light: false,
    never: None,
};

/// A call of every kind that evaluates the model. Whether it succeeds does not matter here.
#[cfg_attr(not(all(unix, target_arch = "x86_64")), expect(dead_code))]
fn live<M: Model>(
    library: &'static Library,
    vocabulary: &'static Vocabulary,
    interface: Interface,
    resources: &Path,
) {
    let settings = Settings {
        name: c"stack",
        interface,
        logging_on: false,
        host: Box::new(Silent),
        vocabulary,
    };
    let created = catch_unwind(AssertUnwindSafe(|| {
        Instance::<M>::create(library, settings, || Ok(resources.to_owned()))
    }));
    let Ok(Ok(mut instance)) = created else {
        return;
    };
    let mut call = |body: &mut dyn FnMut(&mut Instance<M>) -> Outcome| {
        instance.call(&ANY, body);
    };
    let about = M::about();
    let start = about.start_time.unwrap_or(0.0);
    let states = M::COUNTS.states;
    call(&mut |instance| {
        instance.setup_experiment(Experiment {
            tolerance: None,
            start,
            stop: None,
        })
    });
    call(&mut Instance::enter_initialization_mode);
    call(&mut Instance::exit_initialization_mode);
    match interface {
        Interface::ModelExchange => {
            call(&mut |instance| instance.new_discrete_states().map(|_| ()));
            call(&mut Instance::enter_continuous_time_mode);
            call(&mut |instance| instance.get_derivatives(&mut vec![0.0; states]));
            call(&mut |instance| instance.get_event_indicators(&mut vec![0.0; M::EVENT_INDICATORS]));
        }
        Interface::CoSimulation => {
            // Short, so that it is one step of the integrator, with all that belongs to one.
            let step = 1e-3 * about.step_size.unwrap_or(1e-3);
            call(&mut |instance| instance.do_step(start, step));
        }
    }
    let slots: Vec<u32> = (0..(M::COUNTS.reals + states) as u32).collect();
    call(&mut |instance| instance.get_reals(&slots, &mut vec![0.0; slots.len()]));
    call(&mut |instance| match instance.variables.states.first() {
        Some(&state) => {
            let derivative = [M::COUNTS.reals as u32];
            instance.get_directional_derivative(&derivative, &[state], &[1.0], &mut [0.0])
        }
        None => Ok(()),
    });
    let mut snapshot = 0;
    call(&mut |instance| instance.get_fmu_state(&mut snapshot));
    call(&mut |instance| instance.set_fmu_state(snapshot));
    call(&mut Instance::reset);
    instance.free();
}
