//! Derivatives of a weighted sum of many unknowns in forward mode: where few colours reach all knowns, that is cheaper than to record
//! and to go back.

use crate::describe::{Role, Stage, dependencies, described};
use crate::model::Model;
use crate::reverse::Known;
use crate::scalar::Dual;
use crate::tangent::{Tangent, Unknowns};
use crate::{Coloring, ModelError, Pattern};

/// So many colours are followed at once.
const LANES: usize = 4;
/// A model that is larger than this over so many lanes is not followed: its equations return their values on the stack.
const LARGE: usize = 1 << 16;
/// With more evaluations than this, reverse mode is cheaper.
const PASSES: usize = 3;
/// With fewer unknowns or knowns than this, reverse mode is cheap.
pub(crate) const FEW: usize = 16;

/// The columns of the Jacobian of some unknowns, by colours of the knowns.
pub(crate) struct Columns<M: Model> {
    tangent: Tangent<M, LANES>,
    coloring: Coloring,
    /// The rows of the unknowns, state derivatives or slots behind them, in the order of the pattern.
    unknowns: Box<[u32]>,
    weights: Box<[f64]>,
}

impl<M: Model> Columns<M> {
    /// For these slots of unknowns and knowns, where it is worth while. The equations of `model` are run to find what depends on what.
    pub fn of(model: &M, unknowns: &[u32], knowns: &[u32]) -> Option<Box<Columns<M>>> {
        let lifted = size_of::<M::Lifted<Dual<LANES>>>();
        if M::COUNTS.unknowns > 0 || lifted > LARGE || unknowns.len() < FEW || knowns.len() < FEW {
            return None;
        }
        let described = described::<M>().ok()?;
        let elements = described.elements();
        let states = described.states();
        // The element that a slot of a Real variable is; behind them come state derivatives and time.
        let mut element_of = vec![None; M::COUNTS.reals];
        for (number, (variable, element)) in elements.iter().enumerate() {
            let is_real =
                variable.base() == crate::describe::Base::Real && variable.field.role != Role::Constant;
            if let Some(place) = element_of.get_mut(variable.slot + element).filter(|_| is_real) {
                *place = Some(number);
            }
        }
        let number_of = |slot: u32| match (slot as usize).checked_sub(M::COUNTS.reals) {
            Some(behind) => Some(elements.len() + behind),
            None => element_of[slot as usize],
        };
        let mut column_of = vec![None; elements.len() + states.len() + 1];
        for (column, &known) in knowns.iter().enumerate() {
            // A known that is named twice belongs to two columns: reverse mode takes that.
            if column_of[number_of(known)?].replace(column).is_some() {
                return None;
            }
        }
        let numbers: Option<Vec<usize>> = unknowns.iter().map(|&unknown| number_of(unknown)).collect();
        let found = dependencies(model, &described, Stage::Simulation, &numbers?);
        let rows = found.rows.into_iter().map(|row| {
            let columns = row.into_iter().filter_map(|(known, _)| column_of[known]);
            columns.collect::<Vec<_>>()
        });
        let coloring = Coloring::new(Pattern::from_rows(knowns.len(), rows));
        (coloring.passes(LANES) <= PASSES).then(|| {
            Box::new(Columns {
                tangent: Tangent::new(model),
                coloring,
                unknowns: unknowns.into(),
                weights: vec![0.0; unknowns.len()].into(),
            })
        })
    }

    /// The same for a model with other internal fields.
    pub fn renewed(mut self: Box<Self>, model: &M) -> Box<Columns<M>> {
        self.tangent = Tangent::new(model);
        self
    }

    /// The number of evaluations of [`Columns::differentiate`].
    pub fn evaluations(&self) -> usize {
        self.coloring.passes(LANES)
    }

    /// As [`Reverse::differentiate`](crate::reverse::Reverse::differentiate), for the unknowns and knowns that it was made for.
    pub fn differentiate(
        &mut self,
        (model, time): (&M, f64),
        (knowns, calculated): (&[Known], bool),
        evaluated: Unknowns,
        weights: &[(u32, f64)],
        gradient: &mut [f64],
    ) -> Result<(), ModelError> {
        let Columns {
            tangent,
            coloring,
            unknowns,
            weights: own,
        } = self;
        // What no unknown depends on has no colour.
        gradient.fill(0.0);
        for (own, (_, weight)) in own.iter_mut().zip(weights) {
            *own = *weight;
        }
        let reals = M::COUNTS.reals as u32;
        let are_derivatives = unknowns
            .iter()
            .zip(reals..)
            .all(|(&unknown, wanted)| unknown == wanted);
        for pass in 0..coloring.passes(LANES) {
            tangent.load(model, time);
            for (known, &color) in knowns.iter().zip(coloring.color_of()) {
                let lane = (color as usize).wrapping_sub(pass * LANES);
                if lane < LANES {
                    match *known {
                        Known::State(state) => tangent.seed_state(state, lane, 1.0),
                        Known::Real(slot) => tangent.seed_real(slot, lane, 1.0),
                        Known::Time => tangent.seed_time(lane, 1.0),
                    }
                }
            }
            if calculated {
                tangent.evaluate_calculated()?;
            }
            tangent.evaluate(evaluated)?;
            let tangent = &*tangent;
            let derivatives = tangent.derivatives();
            for (column, &color) in coloring.color_of().iter().enumerate() {
                let lane = (color as usize).wrapping_sub(pass * LANES);
                if lane >= LANES {
                    continue;
                }
                let rows = coloring.pattern().column(column);
                gradient[column] = match are_derivatives {
                    true => rows
                        .iter()
                        .map(|&row| own[row] * derivatives[row].lanes[lane])
                        .sum(),
                    false => rows
                        .iter()
                        .map(|&row| {
                            let dual = match unknowns[row].checked_sub(reals) {
                                Some(state) => derivatives[state as usize],
                                None => tangent.real(unknowns[row] as usize),
                            };
                            own[row] * dual.lanes[lane]
                        })
                        .sum(),
                };
            }
        }
        Ok(())
    }
}
