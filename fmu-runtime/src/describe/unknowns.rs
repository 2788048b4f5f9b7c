//! What implicit unknowns depend on: blocks of equations that must be solved together, and the knowns of each.

use crate::evaluator::{Evaluator, Stale};
use crate::model::Model;
use crate::pattern::{Kind, UnknownDependencies};
use fmu_numerics::{Block, Matching, blocks};

/// What exploration found of one unknown or residual.
pub(super) type Found = UnknownDependencies;

/// The implicit unknowns, each with the knowns that it depends on. They are numbered as knowns, from a first one on.
pub(super) struct Solved {
    first: usize,
    /// For each unknown its knowns by ascending number, or why they could not be determined.
    unknowns: Vec<Result<Vec<(usize, Kind)>, String>>,
    /// What is left over, if the equations are structurally singular.
    unmatched: Option<Matching>,
}

impl Solved {
    /// Of the residuals' dependencies; the unknowns among the knowns begin with number `first`.
    pub fn new(first: usize, residuals: Vec<Found>) -> Solved {
        let n = residuals.len();
        let of_row = |residual: &Found| -> Vec<usize> {
            match residual.dense {
                Some(_) => (0..n).collect(),
                None => residual
                    .on
                    .iter()
                    .filter_map(|(known, _)| known.checked_sub(first))
                    .collect(),
            }
        };
        let rows: Vec<Vec<usize>> = residuals.iter().map(of_row).collect();
        let mut solved = Solved {
            first,
            unknowns: vec![Ok(Vec::new()); n],
            unmatched: None,
        };
        match blocks(&rows) {
            Ok(blocks) => {
                for block in blocks {
                    let found = solved.of_block(&block, &residuals);
                    for unknown in block.unknowns {
                        solved.unknowns[unknown] = found.clone();
                    }
                }
            }
            Err(matching) => solved.unmatched = Some(matching),
        }
        solved
    }

    /// What every unknown of a block depends on: by the implicit function theorem, its factors are made of all derivatives
    /// of the block's residuals by the block's unknowns, and of those by the known.
    fn of_block(&self, block: &Block, residuals: &[Found]) -> Result<Vec<(usize, Kind)>, String> {
        let mut own = Kind::Constant;
        let mut on: Vec<(usize, Kind)> = Vec::new();
        for &equation in &block.equations {
            let residual = &residuals[equation];
            if let Some(reason) = &residual.dense {
                return Err(reason.clone());
            }
            for &(known, kind) in &residual.on {
                match known.checked_sub(self.first) {
                    None => add(&mut on, known, kind),
                    Some(unknown) if block.unknowns.contains(&unknown) => own = own.max(kind),
                    Some(earlier) => {
                        for &(known, of_earlier) in self.unknowns[earlier].as_ref().map_err(Clone::clone)? {
                            add(&mut on, known, kind.max(of_earlier));
                        }
                    }
                }
            }
        }
        on.sort_unstable_by_key(|(known, _)| *known);
        on.iter_mut().for_each(|(_, kind)| *kind = (*kind).max(own));
        Ok(on)
    }

    /// The same dependencies with the knowns of the unknowns in place of these.
    pub fn without_unknowns(&self, found: Found) -> Found {
        if found.dense.is_some() || !found.on.iter().any(|(known, _)| *known >= self.first) {
            return found;
        }
        let mut on = Vec::new();
        for (known, kind) in found.on {
            match known
                .checked_sub(self.first)
                .map(|unknown| &self.unknowns[unknown])
            {
                None => add(&mut on, known, kind),
                Some(Ok(knowns)) => knowns
                    .iter()
                    .for_each(|(known, of)| add(&mut on, *known, kind.max(*of))),
                Some(Err(reason)) => {
                    return Found {
                        on,
                        dense: Some(reason.clone()),
                    };
                }
            }
        }
        on.sort_unstable_by_key(|(known, _)| *known);
        Found { on, dense: None }
    }

    /// A sentence, if the equations cannot determine the unknowns whatever their values are.
    pub fn singular(&self, name: impl Fn(usize) -> String) -> Option<String> {
        let matching = self.unmatched.as_ref()?;
        let list = |numbers: Vec<usize>| -> String {
            let names: Vec<String> = numbers
                .into_iter()
                .map(|number| format!("`{}`", name(number)))
                .collect();
            names.join(", ")
        };
        Some(format!(
            "the implicit equations are structurally singular: the residual of {} is left without an unknown to determine, \
             and no residual determines {}",
            list(matching.unmatched_equations()),
            list(matching.unmatched_unknowns())
        ))
    }
}

fn add(on: &mut Vec<(usize, Kind)>, known: usize, kind: Kind) {
    match on.iter_mut().find(|(other, _)| *other == known) {
        Some((_, other)) => *other = kind.max(*other),
        None => on.push((known, kind)),
    }
}

/// Solves the implicit equations of a model with its start values; a sentence if that is not possible.
pub fn check_unknowns<M: Model>(model: &M) -> Option<String> {
    if M::COUNTS.unknowns == 0 {
        return None;
    }
    let mut evaluator = Evaluator::new(Box::new(model.clone()));
    evaluator.enter_initialization(M::about().start_time.unwrap_or(0.0));
    let solved = evaluator.ensure(Stale::FOR_LOCALS);
    let error = solved.and_then(|()| evaluator.solved().map(|_| ())).err()?;
    Some(format!("with the start values, {error}"))
}
