//! The facts that co-simulation needs about a model: found once, shared by all instances.

#[cfg(feature = "bdf")]
use super::jacobian::with_stabilized_inputs;
use super::{Options, Solver};
use crate::ModelError;
use crate::describe::{Described, Variable, described};
#[cfg(feature = "bdf")]
use crate::describe::{Stage, dependencies, instantiated};
use crate::model::Model;
#[cfg(feature = "bdf")]
use crate::pattern::Kind;
#[cfg(feature = "bdf")]
use crate::solver::bdf::{Bdf, Crossover};
#[cfg(feature = "bdf")]
use crate::solver::{Coloring, Pattern};
use crate::solver::{DormandPrince, Euler, Method, RungeKutta4, Still, Tolerance};
#[cfg(feature = "bdf")]
use std::path::Path;
use std::sync::Arc;

/// The continuous inputs, the nominal values of the states, and the pattern of the Jacobian.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Real slots of the continuous inputs, and their nominal values.
    pub(super) inputs: Arc<[usize]>,
    pub(super) input_nominals: Arc<[f64]>,
    /// One per state.
    pub(super) nominals: Arc<[f64]>,
    pub(super) indicators: usize,
    /// The pattern of the Jacobian with its colours; dense if it is not known.
    #[cfg(feature = "bdf")]
    pub(super) coloring: Option<Arc<Coloring>>,
}

impl Facts {
    /// From the model's own description. The Jacobian counts as dense: see `explored`.
    pub fn of<M: Model>() -> Result<Facts, ModelError> {
        Ok(Facts::of_described::<M>(&described::<M>()?))
    }

    fn of_described<M: Model>(described: &Described) -> Facts {
        let elements = described.elements();
        let inputs = || {
            elements
                .iter()
                .filter(|(variable, _)| variable.is_continuous_input())
        };
        let states = described.states().into_iter().map(|state| elements[state].0);
        Facts {
            inputs: inputs()
                .map(|(variable, element)| variable.slot + element)
                .collect(),
            input_nominals: inputs().map(|(variable, _)| variable.nominal()).collect(),
            nominals: states.map(Variable::nominal).collect(),
            indicators: M::EVENT_INDICATORS,
            #[cfg(feature = "bdf")]
            coloring: None,
        }
    }

    /// From the model's own description, with the pattern of its Jacobian: the equations are run for it, with the folder
    /// `resources`.
    #[cfg(feature = "bdf")]
    pub fn explored<M: Model>(resources: &Path) -> Result<Facts, ModelError> {
        Facts::explored_of(&*instantiated::<M>(resources)?)
    }

    /// The same for a model whose internal fields are filled.
    #[cfg(feature = "bdf")]
    pub fn explored_of<M: Model>(model: &M) -> Result<Facts, ModelError> {
        let described = described::<M>()?;
        let states = described.states();
        let first = described.elements().len();
        let derivatives: Vec<usize> = (first..first + states.len()).collect();
        let found = dependencies(model, &described, Stage::Simulation, &derivatives);
        let row = |row: Vec<(usize, Kind)>| -> Vec<usize> {
            let knowns = row.into_iter().map(|(known, _)| known);
            knowns
                .filter_map(|known| states.binary_search(&known).ok())
                .collect()
        };
        let pattern = Pattern::from_rows(states.len(), found.rows.into_iter().map(row));
        Ok(Facts::of_described::<M>(&described).with_pattern(pattern))
    }

    /// What the integrator of `options` needs for a model whose internal fields are filled. An
    /// [`Environment`](super::Environment) moves the inputs at the slots `driven`.
    pub(crate) fn for_options<M: Model>(
        model: &M,
        options: &Options,
        driven: &[usize],
    ) -> Result<Facts, ModelError> {
        let _ = (model, options);
        #[cfg(feature = "bdf")]
        let facts = match options.solver.is_implicit() {
            true => Facts::explored_of(model)?,
            false => Facts::of::<M>()?,
        };
        #[cfg(not(feature = "bdf"))]
        let facts = Facts::of::<M>()?;
        let inputs = facts.inputs.iter().zip(facts.input_nominals.iter());
        let (inputs, input_nominals): (Vec<usize>, Vec<f64>) =
            inputs.filter(|(slot, _)| !driven.contains(slot)).unzip();
        Ok(Facts {
            inputs: inputs.into(),
            input_nominals: input_nominals.into(),
            ..facts
        })
    }

    /// What the integrator needs that the model's attributes name, or may need if its parameters choose it.
    pub fn for_solver<M: Model>(resources: &std::path::Path) -> Result<Facts, ModelError> {
        #[cfg(feature = "bdf")]
        {
            let about = M::about();
            if about.solver.is_implicit() || about.solver_parameters {
                return Facts::explored::<M>(resources);
            }
        }
        let _ = resources;
        Facts::of::<M>()
    }

    /// With a Jacobian that has entries only where `pattern` has.
    #[cfg(feature = "bdf")]
    pub fn with_pattern(self, pattern: Pattern) -> Facts {
        Facts {
            coloring: Some(Arc::new(Coloring::new(pattern))),
            ..self
        }
    }

    /// With what the integrator needs.
    pub(super) fn prepared(&self, options: &Options) -> Facts {
        let _ = options;
        #[cfg(feature = "bdf")]
        if options.solver.is_implicit() && self.coloring.is_none() {
            let states = self.nominals.len();
            return self.clone().with_pattern(Pattern::full(states, states));
        }
        self.clone()
    }

    /// The nominal value of the input at a slot.
    pub(super) fn input_nominal(&self, slot: usize) -> f64 {
        let place = self.inputs.iter().position(|input| *input == slot);
        let nominal = place.map_or(1.0, |place| self.input_nominals[place].abs());
        if nominal > 0.0 { nominal } else { 1.0 }
    }

    /// An integrator for the states and the `stabilized` inputs, by their slots.
    pub(super) fn method(&self, options: &Options, stabilized: &[usize]) -> Method {
        let n = self.nominals.len() + stabilized.len();
        if n == 0 {
            return Method::Still(Still::default());
        }
        let inputs = stabilized.iter().map(|slot| self.input_nominal(*slot));
        let nominals = self.nominals.iter().copied().chain(inputs);
        let tolerance = Tolerance::of_nominals(options.tolerance, nominals);
        match options.solver {
            Solver::Euler => Method::Euler(Euler::new(n, options.max_step)),
            Solver::RungeKutta4 => Method::RungeKutta4(RungeKutta4::new(n, options.max_step)),
            Solver::DormandPrince => {
                Method::DormandPrince(DormandPrince::new(n, tolerance).with_max_step(options.max_step))
            }
            #[cfg(feature = "bdf")]
            Solver::Bdf | Solver::PlainBdf | Solver::FirstAndSecondBdf => {
                let pattern = match &self.coloring {
                    Some(coloring) => with_stabilized_inputs(coloring.pattern(), stabilized.len()),
                    None => Pattern::full(n, n),
                };
                let crossover = match options.solver {
                    Solver::PlainBdf => Crossover::RestartAtJumps,
                    Solver::FirstAndSecondBdf => Crossover::FirstAndSecond,
                    _ => options.crossover,
                };
                let bdf = Bdf::new(&pattern, tolerance)
                    .with_max_step(options.max_step)
                    .with_crossover(crossover);
                Method::Bdf(Box::new(bdf))
            }
        }
    }
}
