//! The list of steps.

use super::child::Probe;
use super::{
    arguments, co_simulation, dependencies, derivatives, instantiate, lifecycle, model_exchange, ranges,
    references, snapshots, states, values,
};
use fmu_importer::Error;

/// Steps that may leave the FMU in disarray come in processes of their own, after all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// What every environment does.
    Gentle,
    /// What none should do: calls out of order, wrong arguments.
    Rough,
}

impl Pass {
    pub const ALL: [Self; 2] = [Self::Gentle, Self::Rough];

    pub fn name(self) -> &'static str {
        match self {
            Self::Gentle => "gentle",
            Self::Rough => "rough",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pass| pass.name() == name)
    }
}

/// One thing to try, on an instance of its own.
pub(super) struct Step {
    /// The rule that is broken if it fails or crashes.
    pub rule: &'static str,
    /// What is tried.
    pub place: String,
    /// Steps that need not be tried any more once one of the group has crashed; empty for none.
    pub group: &'static str,
    pub run: Run,
}

type Run = Box<dyn Fn(&mut Probe) -> Result<(), Error>>;

/// Steps under construction.
#[derive(Default)]
pub(super) struct Steps {
    pub list: Vec<Step>,
}

impl Steps {
    pub fn add(
        &mut self,
        rule: &'static str,
        place: impl Into<String>,
        run: impl Fn(&mut Probe) -> Result<(), Error> + 'static,
    ) {
        self.add_to("", rule, place, run);
    }

    pub fn add_to(
        &mut self,
        group: &'static str,
        rule: &'static str,
        place: impl Into<String>,
        run: impl Fn(&mut Probe) -> Result<(), Error> + 'static,
    ) {
        self.list.push(Step {
            rule,
            place: place.into(),
            group,
            run: Box::new(run),
        });
    }
}

/// All steps of a pass, the same in every child.
pub(super) fn list(pass: Pass, probe: &Probe) -> Vec<Step> {
    let mut steps = Steps::default();
    match pass {
        Pass::Gentle => {
            lifecycle::add(&mut steps, probe);
            values::add(&mut steps);
            model_exchange::add(&mut steps, probe);
            co_simulation::add(&mut steps, probe);
            #[cfg(feature = "simulate")]
            super::agreement::add(&mut steps, probe);
            snapshots::add(&mut steps, probe);
            derivatives::add(&mut steps, probe);
            dependencies::add(&mut steps, probe);
        }
        Pass::Rough => {
            instantiate::add(&mut steps, probe);
            states::add(&mut steps, probe);
            references::add(&mut steps, probe);
            arguments::add(&mut steps, probe);
            ranges::add(&mut steps, probe);
            co_simulation::add_rough(&mut steps, probe);
        }
    }
    steps.list
}
