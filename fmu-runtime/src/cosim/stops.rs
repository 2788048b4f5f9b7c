//! Communication steps that stop at events, and events that the environment handles.

use super::workspace::new_stamp;
use super::{CoSimulation, Environment, Failure, Happening, Reached, Workspace};
use crate::Next;
use crate::evaluator::{Evaluator, Pass};
use crate::model::Model;

/// What a communication step does at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtEvent {
    /// Handles it and goes on.
    Handle,
    /// Handles it and stops.
    HandleAndStop,
    /// Stops before it: the environment handles it.
    Stop,
}

/// Where a communication step stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stops {
    /// At an event before the end of the step.
    pub inside: AtEvent,
    /// At an event at the end of the step.
    pub at_end: AtEvent,
}

impl Stops {
    /// At its end only: all events are handled inside.
    pub const AT_END: Stops = Stops {
        inside: AtEvent::Handle,
        at_end: AtEvent::Handle,
    };

    /// For an environment that handles events itself (`handles`), and that lets a step end early (`early`).
    pub const fn of(handles: bool, early: bool) -> Stops {
        Stops {
            inside: match (handles, early) {
                (_, false) => AtEvent::Handle,
                (false, true) => AtEvent::HandleAndStop,
                (true, true) => AtEvent::Stop,
            },
            at_end: match handles {
                false => AtEvent::Handle,
                true => AtEvent::Stop,
            },
        }
    }
}

/// How a communication step ended. The evaluator's time is where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// At its end.
    End,
    /// After an event before its end.
    AfterEvent,
    /// Before an event, which the environment has to handle.
    BeforeEvent,
    /// The model has ended the simulation.
    Termination,
}

impl From<Reached> for Stopped {
    fn from(reached: Reached) -> Stopped {
        match reached {
            Reached::End => Stopped::End,
            Reached::Termination => Stopped::Termination,
        }
    }
}

impl CoSimulation {
    /// After the evaluator's initialization, where the environment handles the initial event: begins to integrate.
    /// [`CoSimulation::end_event`] goes on after the event.
    pub fn start<M: Model, E: Environment<M>>(
        &mut self,
        evaluator: &Evaluator<M>,
        workspace: &mut Workspace<M, E>,
    ) {
        *self = self.restarted();
        workspace.x.resize(self.method.states().len(), 0.0);
        self.gather(evaluator, &mut workspace.x);
        self.method.restart(evaluator.time(), &workspace.x);
    }

    /// As [`CoSimulation::advance`], with stops at events.
    pub fn advance_to_event<M: Model>(
        &mut self,
        evaluator: &mut Evaluator<M>,
        workspace: &mut Workspace<M>,
        (end, stops): (f64, Stops),
        mut on_event: impl FnMut(&Happening),
    ) -> Result<Stopped, Failure> {
        match self.run(evaluator, end) {
            Some(result) => result.map(Stopped::from),
            None => self.watch(evaluator, workspace, (end, stops), &mut on_event),
        }
    }

    /// As [`CoSimulation::advance_to_event`], for a step of fixed size in which nothing can happen; `None` if it is another one. After
    /// a failure that another step may avoid, everything is as before.
    #[inline]
    pub fn advance_or_go_back<M: Model>(
        &mut self,
        evaluator: &mut Evaluator<M>,
        workspace: &mut Workspace<M>,
        end: f64,
    ) -> Option<Result<Stopped, Failure>> {
        let result = self.run_or_go_back(evaluator, &mut workspace.x, end)?;
        Some(result.map(Stopped::from))
    }

    /// The environment begins to handle an event.
    pub fn begin_event(&mut self) {
        self.events += 1;
        self.last_event_time = self.time();
    }

    /// One pass of an event that the environment iterates.
    pub fn note_pass(&mut self, pass: &Pass) {
        self.surroundings.stamp = new_stamp();
        self.event_requested = false;
        match pass.next {
            Next::Iterate => {}
            Next::Continue => self.next_event_time = pass.next_event_time,
            Next::Terminate => self.terminated = true,
        }
    }

    /// The environment has handled an event: goes on from there.
    pub fn end_event<M: Model>(
        &mut self,
        evaluator: &mut Evaluator<M>,
        workspace: &mut Workspace<M>,
    ) -> Result<(), Failure> {
        workspace.x.resize(self.method.states().len(), 0.0);
        let entered = evaluator.enter_continuous_time();
        let entered = entered.and_then(|()| evaluator.event_indicators(&mut self.z));
        entered.map_err(|error| self.failure(error.into()))?;
        self.gather(evaluator, &mut workspace.x);
        let before = self.method.states().iter();
        let is_same = before
            .zip(&workspace.x)
            .all(|(before, now)| before.to_bits() == now.to_bits());
        match is_same {
            true => self.method.cross_over(),
            false => self.method.jump(self.time(), &workspace.x),
        }
        Ok(())
    }
}
