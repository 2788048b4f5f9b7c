//! What a communication step needs beside the memory: copies of the model over other scalars, and scratch. Snapshots
//! do not need it.

use super::series::Series;
use super::{CoSimulation, Stabilizer};
use crate::ModelError;
use crate::evaluator::Evaluator;
#[cfg(feature = "bdf")]
use crate::jacobian::Jacobian;
use crate::model::Model;
#[cfg(feature = "bdf")]
use crate::tangent::Tangent;
use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};

/// Room for the communication steps of one instance of a model.
pub struct Workspace<M: Model, E = ()> {
    pub(super) copies: Copies<M, E>,
    /// States.
    pub(super) x: Vec<f64>,
    /// Event indicators before, after, and between.
    pub(super) z: [Box<[f64]>; 3],
}

/// Copies of a model over other scalars.
///
/// They share its internal fields as they were when the copy was made. The evaluator's revision changes when these may
/// have changed; a stamp in the memory of the co-simulation distinguishes revisions that have the same number in
/// different futures of a snapshot.
pub(super) struct Copies<M: Model, E> {
    #[cfg(feature = "bdf")]
    narrow: Option<(Key, Tangent<M, 1>)>,
    #[cfg(feature = "bdf")]
    jacobian: Option<(Key, Jacobian<M>)>,
    series: Option<(Key, Series<M>)>,
    pub stabilizer: Option<Box<dyn Stabilizer>>,
    pub environment: E,
}

/// Stamp and revision.
pub(super) type Key = (u64, u64);

impl<M: Model> Default for Workspace<M> {
    fn default() -> Workspace<M> {
        Workspace::within(())
    }
}

impl<M: Model, E> Workspace<M, E> {
    /// For a model in an [`Environment`](super::Environment).
    pub fn within(environment: E) -> Workspace<M, E> {
        let indicators = vec![0.0; M::EVENT_INDICATORS].into_boxed_slice();
        Workspace {
            copies: Copies {
                #[cfg(feature = "bdf")]
                narrow: None,
                #[cfg(feature = "bdf")]
                jacobian: None,
                series: None,
                stabilizer: None,
                environment,
            },
            x: Vec::new(),
            z: [indicators.clone(), indicators.clone(), indicators],
        }
    }
}

impl<M: Model, E> Workspace<M, E> {
    /// The environment of the model.
    pub fn environment_mut(&mut self) -> &mut E {
        &mut self.copies.environment
    }

    /// Sets the source of the derivatives of stabilized inputs.
    pub fn set_stabilizer(&mut self, stabilizer: Option<Box<dyn Stabilizer>>) {
        self.copies.stabilizer = stabilizer;
    }

    /// Takes the copies of the model out, each by itself: their internal fields may panic when they are dropped.
    pub(crate) fn take_copies(&mut self) -> Vec<Box<dyn Any>> {
        let mut taken: Vec<Box<dyn Any>> = Vec::new();
        #[cfg(feature = "bdf")]
        {
            let (narrow, jacobian) = (self.copies.narrow.take(), self.copies.jacobian.take());
            taken.extend(narrow.map(|copy| Box::new(copy) as Box<dyn Any>));
            taken.extend(jacobian.map(|copy| Box::new(copy) as Box<dyn Any>));
        }
        taken.extend(
            self.copies
                .series
                .take()
                .map(|copy| Box::new(copy) as Box<dyn Any>),
        );
        taken
    }

    /// The values of the model as series in time, at the present point.
    pub fn series(
        &mut self,
        evaluator: &mut Evaluator<M>,
        cosimulation: &CoSimulation,
    ) -> Result<&Series<M>, ModelError> {
        let key = (cosimulation.surroundings.stamp, evaluator.revision());
        let series = current(&mut self.copies.series, key, || Series::new(evaluator.model()));
        series.evaluate(evaluator, &cosimulation.surroundings.inputs)?;
        Ok(series)
    }
}

#[cfg(feature = "bdf")]
impl<M: Model, E> Copies<M, E> {
    /// The model over dual numbers with one lane.
    pub fn narrow(&mut self, model: &M, key: Key) -> &mut Tangent<M, 1> {
        current(&mut self.narrow, key, || Tangent::new(model))
    }

    /// The Jacobian by the states.
    pub fn jacobian(&mut self, key: Key, new: impl FnOnce() -> Jacobian<M>) -> &mut Jacobian<M> {
        current(&mut self.jacobian, key, new)
    }
}

fn current<T>(copy: &mut Option<(Key, T)>, key: Key, new: impl FnOnce() -> T) -> &mut T {
    let up_to_date = copy.take().filter(|(of, _)| *of == key);
    &mut copy.insert(up_to_date.unwrap_or_else(|| (key, apart(new)))).1
}

/// A large model is copied on the stack: on that of this function, and only while it runs.
#[cold]
#[inline(never)]
fn apart<T>(new: impl FnOnce() -> T) -> T {
    new()
}

/// A stamp that no other memory has.
pub(super) fn new_stamp() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
