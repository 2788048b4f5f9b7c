//! Directional derivatives: the model over dual numbers, exact to rounding.

use super::problem::{Outcome, Problem};
use super::variables::NO_STATE;
use super::{Instance, Mode};
use crate::columns::{Columns, FEW};
use crate::evaluator::Stale;
use crate::model::Model;
use crate::reverse::{Known, Reverse};
use crate::tangent::{Tangent, Unknowns};

/// The model in reverse mode, and the revision of its internal fields.
pub(crate) struct Reversed<M: Model> {
    reverse: Reverse<M>,
    /// Forward mode, where it is cheaper for the last unknowns and knowns.
    columns: Option<Box<Columns<M>>>,
    revision: u64,
    buffers: Buffers,
}

/// The arguments of the last call, as reverse mode takes them. Hosts ask for the same derivatives again and again: what was
/// checked once need not be checked again in the same mode.
#[derive(Default)]
struct Buffers {
    checked: Option<(Mode, Stale, bool)>,
    /// How often other unknowns and knowns were asked for.
    tried: u32,
    unknown_slots: Vec<u32>,
    known_slots: Vec<u32>,
    knowns: Vec<Known>,
    weights: Vec<(u32, f64)>,
}

/// So many different sets of unknowns and knowns are examined for a way that is cheaper than reverse mode.
const MOST_TRIED: u32 = 8;

impl Buffers {
    /// What was found for these slots in this mode.
    fn find(&self, mode: Mode, unknowns: &[u32], knowns: &[u32]) -> Option<(Stale, bool)> {
        let (of, needs, has_parameters) = self.checked?;
        let is_same = of == mode && self.unknown_slots == unknowns && self.known_slots == knowns;
        is_same.then_some((needs, has_parameters))
    }
}

/// The model over dual numbers, and the revision of its internal fields.
pub(crate) struct Lifted<M: Model> {
    tangent: Tangent<M, 1>,
    revision: u64,
}

impl<M: Model> Instance<M> {
    /// The derivatives of the unknowns along a direction of the knowns; both are slots of Real variables.
    pub fn get_directional_derivative(
        &mut self,
        unknowns: &[u32],
        knowns: &[u32],
        seed: &[f64],
        derivative: &mut [f64],
    ) -> Outcome {
        let mode = self.run.mode;
        let (reals, states) = (M::COUNTS.reals, M::COUNTS.states);
        // What an integrator asks for: all state derivatives along one direction of all states. That these are
        // unknowns and knowns need not be checked then.
        let simulates = matches!(mode, Mode::ContinuousTime | Mode::Event | Mode::StepComplete);
        let all_derivatives = simulates
            && unknowns.len() == states
            && unknowns
                .iter()
                .zip(reals as u32..)
                .all(|(&unknown, own)| unknown == own);
        let all_states = simulates
            && knowns.len() == states
            && knowns
                .iter()
                .zip(&self.variables.states[..states])
                .all(|(known, own)| known == own);
        let mut needs = Stale::FOR_DERIVATIVES;
        if !all_derivatives {
            needs = self.check_unknowns(unknowns)?;
        }
        let has_parameters = !all_states && self.check_knowns(knowns)?;

        // Calculated parameters are constants here, unless parameters are knowns, but must have their values.
        self.run.evaluator.ensure(Stale::FOR_INITIAL)?;
        let (time, revision) = (self.run.evaluator.time(), self.run.evaluator.revision());
        let solved = self.run.evaluator.solved()?;
        let lifted = match &mut self.lifted {
            Some(lifted) if lifted.revision == revision => lifted,
            stale => stale.insert(Lifted {
                tangent: Tangent::new(solved.0),
                revision,
            }),
        };
        let tangent = &mut lifted.tangent;
        tangent.load_solved(solved, time);
        if all_states {
            tangent.seed_states(0, seed);
        } else {
            for (&known, &seed) in knowns.iter().zip(seed) {
                let slot = known as usize;
                match self.variables.state_of.get(slot) {
                    Some(&NO_STATE) => tangent.seed_real(slot, 0, seed),
                    Some(&state) => tangent.seed_state(state as usize, 0, seed),
                    None => tangent.seed_time(0, seed),
                }
            }
        }
        if has_parameters {
            tangent.evaluate_calculated()?;
        }
        tangent.evaluate(Unknowns {
            initial: mode == Mode::Initialization,
            derivatives: needs.has(Stale::DERIVATIVES),
            outputs: needs.has(Stale::OUTPUTS),
        })?;
        if all_derivatives {
            for (derivative, dual) in derivative[..states].iter_mut().zip(tangent.derivatives()) {
                *derivative = dual.lanes[0];
            }
            return Ok(());
        }
        for (derivative, &unknown) in derivative.iter_mut().zip(unknowns) {
            *derivative = match (unknown as usize).checked_sub(reals) {
                Some(state) => tangent.derivatives()[state].lanes[0],
                None => tangent.real(unknown as usize).lanes[0],
            };
        }
        Ok(())
    }

    /// Whether unknowns and knowns are such now: what the unknowns need, and whether parameters are among the knowns.
    fn check_parts(&self, unknowns: &[u32], knowns: &[u32]) -> Outcome<(Stale, bool)> {
        Ok((self.check_unknowns(unknowns)?, self.check_knowns(knowns)?))
    }

    /// What the unknowns need; an error if one is not an unknown now.
    fn check_unknowns(&self, unknowns: &[u32]) -> Outcome<Stale> {
        let mut needs = Stale::NOTHING;
        for &unknown in unknowns {
            match self.variables.reals.get(unknown as usize) {
                Some(entry) if entry.is_unknown_in(self.run.mode) => needs = needs | entry.needs,
                _ => return Err(self.no_part_of_it(unknown, "unknown")),
            }
        }
        Ok(needs)
    }

    /// Whether parameters are among the knowns; an error if one is not a known now.
    fn check_knowns(&self, knowns: &[u32]) -> Outcome<bool> {
        let mode = self.run.mode;
        let mut has_parameters = false;
        for &known in knowns {
            let is_time = known as usize == M::COUNTS.reals + M::COUNTS.states;
            match self.variables.reals.get(known as usize) {
                Some(entry) if is_time || entry.is_known_in(mode) => {}
                Some(entry) if self.vocabulary.parameters_are_knowns && entry.is_given_in(mode) => {
                    has_parameters = true;
                }
                _ => return Err(self.no_part_of_it(known, "known")),
            }
        }
        Ok(has_parameters)
    }

    /// The derivatives of a weighted sum of the unknowns with respect to each known: in reverse mode, one evaluation for
    /// all; with implicit unknowns in forward mode, one evaluation per known.
    pub fn get_adjoint_derivative(
        &mut self,
        unknowns: &[u32],
        knowns: &[u32],
        weights: &[f64],
        sensitivity: &mut [f64],
    ) -> Outcome {
        // Reverse mode records evaluations, not the search for implicit unknowns: it would take them for constants.
        if M::COUNTS.unknowns > 0 {
            self.check_parts(unknowns, knowns)?;
            return self.add_up_columns(unknowns, knowns, weights, sensitivity);
        }
        let kept = self
            .reversed
            .take()
            .and_then(|kept| kept.downcast::<Reversed<M>>().ok());
        let mode = self.run.mode;
        let found = kept
            .as_ref()
            .and_then(|kept| kept.buffers.find(mode, unknowns, knowns));
        let (needs, has_parameters) = match found {
            Some(found) => found,
            None => self.check_parts(unknowns, knowns)?,
        };
        self.run.evaluator.ensure(Stale::FOR_INITIAL)?;
        let new_model = || self.new_model();
        let (model, revision) = (self.run.evaluator.model(), self.run.evaluator.revision());
        let mut reversed = match kept {
            Some(kept) if kept.revision == revision => kept,
            kept => {
                let (columns, buffers) = match kept {
                    Some(kept) => (kept.columns.map(|columns| columns.renewed(model)), kept.buffers),
                    None => (None, Buffers::default()),
                };
                Box::new(Reversed {
                    reverse: Reverse::new(model),
                    columns,
                    revision,
                    buffers,
                })
            }
        };
        let Reversed {
            reverse,
            columns,
            buffers,
            ..
        } = &mut *reversed;
        if found.is_none() {
            *columns = match mode {
                // Initial equations have dependencies of their own.
                Mode::Initialization => None,
                // A host that requests different derivatives every time would wait for this each time.
                _ if buffers.tried >= MOST_TRIED => None,
                _ => Columns::of(&*new_model(), unknowns, knowns).map(|columns| columns.renewed(model)),
            };
            let known = |&slot: &u32| match self.variables.state_of.get(slot as usize) {
                Some(&NO_STATE) => Known::Real(slot as usize),
                Some(&state) => Known::State(state as usize),
                None => Known::Time,
            };
            buffers.tried += u32::from(unknowns.len().min(knowns.len()) >= FEW);
            buffers.checked = Some((mode, needs, has_parameters));
            buffers.unknown_slots.clear();
            buffers.unknown_slots.extend_from_slice(unknowns);
            buffers.known_slots.clear();
            buffers.known_slots.extend_from_slice(knowns);
            buffers.knowns.clear();
            buffers.knowns.extend(knowns.iter().map(known));
        }
        buffers.weights.clear();
        buffers
            .weights
            .extend(unknowns.iter().copied().zip(weights.iter().copied()));
        let evaluated = Unknowns {
            initial: self.run.mode == Mode::Initialization,
            derivatives: needs.has(Stale::DERIVATIVES),
            outputs: needs.has(Stale::OUTPUTS),
        };
        let point = (model, self.run.evaluator.time());
        let by = (&*buffers.knowns, has_parameters);
        if let Some(columns) = columns {
            let evaluations = columns.evaluations();
            let done = columns.differentiate(point, by, evaluated, &buffers.weights, sensitivity);
            self.reversed = Some(reversed);
            done?;
            self.logger.say_detail(|| {
                format!(
                    "derivatives of a sum of {} unknowns by {} knowns in forward mode, {evaluations} evaluation(s)",
                    unknowns.len(),
                    knowns.len()
                )
            });
            return Ok(());
        }
        let is_recorded = reverse.differentiate(point, by, evaluated, &buffers.weights, sensitivity);
        self.reversed = Some(reversed);
        match is_recorded? {
            true => {
                let counts = (unknowns.len(), knowns.len());
                self.logger.say_detail(|| {
                    format!(
                        "derivatives of a sum of {} unknowns by {} knowns in reverse mode",
                        counts.0, counts.1
                    )
                });
                Ok(())
            }
            false => {
                self.add_up_columns(unknowns, knowns, weights, sensitivity)?;
                self.warn_of_long_evaluation()
            }
        }
    }

    /// The first time that an evaluation is too long for reverse mode is worth a warning.
    fn warn_of_long_evaluation(&mut self) -> Outcome {
        if std::mem::replace(&mut self.has_warned_of_long_evaluation, true) {
            return Ok(());
        }
        Err(Problem::warning(
            "an evaluation has too many operations to be recorded for adjoint derivatives; they are computed by one evaluation per known, \
             exactly, and slowly",
        ))
    }

    /// The same in forward mode: one direction per known.
    fn add_up_columns(
        &mut self,
        unknowns: &[u32],
        knowns: &[u32],
        weights: &[f64],
        sensitivity: &mut [f64],
    ) -> Outcome {
        let mut column = vec![0.0; unknowns.len()];
        for (known, sensitivity) in knowns.iter().zip(sensitivity) {
            self.get_directional_derivative(unknowns, std::slice::from_ref(known), &[1.0], &mut column)?;
            let products = weights.iter().zip(&column);
            *sensitivity = products.map(|(weight, entry)| weight * entry).sum();
        }
        Ok(())
    }

    #[cold]
    fn no_part_of_it(&self, slot: u32, part: &str) -> Box<Problem> {
        let allowed = match (self.run.mode, part) {
            (Mode::Initialization, "known") if self.vocabulary.parameters_are_knowns => {
                "floating-point inputs, variables with initial = exact, and time"
            }
            (Mode::ContinuousTime, "known") if self.vocabulary.parameters_are_knowns => {
                "states, continuous inputs, parameters, discrete states and time"
            }
            (_, "known") if self.vocabulary.parameters_are_knowns => {
                "states, floating-point inputs, parameters, discrete states and time"
            }
            (Mode::Initialization, "unknown") => "the Real InitialUnknowns and local variables",
            (Mode::Initialization, _) => "Real inputs, Real variables with initial = exact, and time",
            (Mode::ContinuousTime, "unknown") => "continuous outputs, state derivatives and local variables",
            (Mode::ContinuousTime, _) => "states, continuous inputs and time",
            (_, "unknown") => "Real outputs, state derivatives and local variables",
            _ => "states, Real inputs and time",
        };
        let mode = self.vocabulary.place(self.run.mode);
        self.not_this_variable(
            slot,
            &format!("is not an allowed {part} in {mode}; these are {allowed}"),
        )
    }
}
