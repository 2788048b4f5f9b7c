//! All components at once, with inputs that are extrapolated (Andersson 2016, algorithm 3).

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::Master;
use super::curves::Curves;
use super::place::Place;
use super::step::Ended;
use crate::component::Outcome;
use crate::error::Error;
use crate::settings::Parallel;

/// Work beside the longest component that makes it worthwhile to wake another thread.
const WORTHWHILE: Duration = Duration::from_micros(30);

/// Steps after which the times of the components are measured again: few at first, because a few steps may take long.
const LOOK_AGAIN: std::ops::RangeInclusive<u64> = 4..=256;

/// The memory of components that step at once.
#[derive(Debug, Default)]
pub(super) struct AtOnce {
    longest_first: Vec<usize>,
    pays: bool,
    look_again: u64,
}

impl AtOnce {
    pub fn new(components: Vec<usize>) -> AtOnce {
        AtOnce {
            longest_first: components,
            ..AtOnce::default()
        }
    }
}

impl Master {
    #[inline]
    pub(super) fn jacobi(&mut self, h: f64, final_: bool) -> Result<Ended, Error> {
        // Plain steps come here only where it pays to make them in parallel.
        if self.memory.plain.possible {
            return self.jacobi_in_parallel(h, final_);
        }
        if !self.plan.all_alone {
            return self.jacobi_of_units(h, final_);
        }
        self.at_once(h, final_)
    }

    /// A step of all components, which know nothing of each other while they make it.
    #[inline]
    pub(super) fn at_once(&mut self, h: f64, final_: bool) -> Result<Ended, Error> {
        if !self.plan.samplers.is_empty() {
            return self.then_samplers(h, final_);
        }
        if self.in_parallel() {
            return self.jacobi_in_parallel(h, final_);
        }
        self.in_turn(0..self.components.len(), h, final_)
    }

    /// Some components one after another, which know nothing of each other.
    fn in_turn(
        &mut self,
        components: impl Iterator<Item = usize>,
        h: f64,
        final_: bool,
    ) -> Result<Ended, Error> {
        let mut ended = Ended::Done;
        for component in components {
            let outcome = self.advance(component, h, final_)?;
            if outcome != Outcome::Done {
                ended = ended.and(component, outcome);
            }
        }
        Ok(ended)
    }

    /// A step of all components but those that sample at its end, and then of those, with what the others have come to.
    fn then_samplers(&mut self, h: f64, final_: bool) -> Result<Ended, Error> {
        let ended = match self.in_parallel() {
            true => self.jacobi_in_parallel(h, final_)?,
            false => {
                let first = std::mem::take(&mut self.memory.at_once.longest_first);
                let ended = self.in_turn(first.iter().copied(), h, final_);
                self.memory.at_once.longest_first = first;
                ended?
            }
        };
        if ended != Ended::Done {
            return Ok(ended);
        }
        for at in 0..self.memory.at_once.longest_first.len() {
            self.hand_on(self.memory.at_once.longest_first[at], h)?;
        }
        for at in 0..self.plan.samplers.len() {
            let ended = self.advance_and_aim(self.plan.samplers[at], h, final_)?;
            if ended != Ended::Done {
                return Ok(ended);
            }
        }
        Ok(Ended::Done)
    }

    /// Units with an algorithm of their own solve their loops between inputs that are extrapolated.
    fn jacobi_of_units(&mut self, h: f64, final_: bool) -> Result<Ended, Error> {
        let mut groups = std::mem::take(&mut self.plan.groups);
        let mut ended = Ok(Ended::Done);
        'all: for group in &mut groups {
            for unit in &mut group.units {
                ended = self.advance_unit(unit, h, final_);
                if ended.as_ref().ok() != Some(&Ended::Done) {
                    break 'all;
                }
            }
        }
        self.plan.groups = groups;
        ended
    }

    /// Whether it pays to step in parallel, as far as is known.
    #[inline]
    pub(super) fn in_parallel(&mut self) -> bool {
        match self.settings.parallel {
            Parallel::Never => false,
            Parallel::Always => self.plan.all_alone,
            Parallel::WhenItPays => {
                if self.memory.at_once.look_again == 0 {
                    let (soon, late) = LOOK_AGAIN.into_inner();
                    self.memory.at_once.look_again = self.statistics.steps.clamp(soon, late);
                    self.memory.at_once.pays = self.would_pay();
                }
                self.memory.at_once.look_again -= 1;
                self.memory.at_once.pays
            }
        }
    }

    fn would_pay(&mut self) -> bool {
        let (mut sum, mut longest) = (Duration::ZERO, Duration::ZERO);
        for component in 0..self.components.len() {
            let each = self.place(component).clock.each();
            sum += each;
            longest = longest.max(each);
        }
        self.plan.all_alone && sum - longest > WORTHWHILE && rayon::current_num_threads() > 1
    }

    /// Threads take one component after another, those that take longest first.
    fn jacobi_in_parallel(&mut self, h: f64, final_: bool) -> Result<Ended, Error> {
        if self.memory.at_once.look_again.is_multiple_of(64) {
            let mut longest_first = std::mem::take(&mut self.memory.at_once.longest_first);
            longest_first.sort_by_key(|&component| std::cmp::Reverse(self.place(component).clock.each()));
            self.memory.at_once.longest_first = longest_first;
        }
        if self.memory.extrapolation.keeps_used {
            let all = 0..self.state.values.u.len();
            self.memory
                .extrapolation
                .used
                .take(&self.memory.extrapolation.curves, all);
        }
        let work = Work {
            components: &self.components,
            order: &self.memory.at_once.longest_first,
            next: AtomicUsize::new(0),
            curves: &self.memory.extrapolation.curves,
            t: self.state.t,
            h,
            final_,
        };
        work.share(rayon::current_num_threads().min(self.components.len()));
        let mut ended = Ended::Done;
        for component in 0..self.components.len() {
            let one = self.components[component]
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner);
            match one.outcome.take() {
                Some(Ok(Outcome::Done)) => self.state.values.y[one.outputs.clone()].copy_from_slice(&one.y),
                Some(Ok(outcome)) => ended = ended.and(component, outcome),
                Some(Err(source)) => return Err(self.component_error(component, source)),
                None => {}
            }
        }
        Ok(ended)
    }
}

/// A step that threads share.
struct Work<'a> {
    components: &'a [Mutex<Place>],
    order: &'a [usize],
    next: AtomicUsize,
    curves: &'a Curves,
    t: f64,
    h: f64,
    final_: bool,
}

impl Work<'_> {
    fn share(&self, threads: usize) {
        if threads > 1 {
            rayon::join(|| self.take_part(), || self.share(threads - 1));
        } else {
            self.take_part();
        }
    }

    fn take_part(&self) {
        loop {
            let next = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(&component) = self.order.get(next) else {
                return;
            };
            let mut one = self.components[component]
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            one.advance_aside(self.curves, self.t, self.h, self.final_);
        }
    }
}
