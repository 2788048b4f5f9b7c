//! Jacobians of few evaluations: columns of one colour are followed in one direction, several colours at once.
//!
//! The result stays where the evaluation puts it, which is the compressed matrix of Curtis, Powell and Reid (1974): one
//! row per unknown, one column per colour. Callers read entries from there.

use std::sync::Arc;

use crate::model::Model;
use crate::scalar::Dual;
use crate::tangent::Tangent;
use crate::{Coloring, ModelError};
use fmu_numerics::RootFactors;

/// So many colours are followed at once.
const LANES: usize = 4;
/// A model that is larger than this over so many lanes is followed in one: its equations return their values on the
/// stack, of which some simulation tools give 2 MiB, and code without optimization takes several copies.
const LARGE: usize = 1 << 16;

/// Unknowns over dual numbers, as a [`Compressed`] Jacobian needs them.
pub trait Directional<const LANES: usize> {
    /// What can go wrong in the equations.
    type Error;

    /// Sets the lanes of all knowns: 1 in lane `l` of a known whose colour is `first + l`, and 0 in all others.
    fn seed(&mut self, color: &[u32], first: u32);
    /// Evaluates the unknowns, one per row.
    fn evaluate(&mut self, unknowns: &mut [Dual<LANES>]) -> Result<(), Self::Error>;
}

/// A Jacobian as its evaluation leaves it: one row per unknown, one column per colour.
pub struct Compressed<D, const LANES: usize> {
    model: D,
    coloring: Arc<Coloring>,
    /// The unknowns of each pass.
    unknowns: Box<[Dual<LANES>]>,
    /// The pass whose seeds the model has. They stay from one evaluation to the next.
    seeded: Option<usize>,
    /// Where each entry is among the unknowns, and in which lane.
    places: Box<[(u32, u8)]>,
}

impl<const LANES: usize, D: Directional<LANES>> Compressed<D, LANES> {
    /// Room for the Jacobian of `model`, whose knowns have these colours.
    pub fn new(model: D, coloring: Arc<Coloring>) -> Compressed<D, LANES> {
        let pattern = coloring.pattern();
        let rows = pattern.rows();
        let place = |(row, column): (usize, usize)| {
            let color = coloring.color_of()[column] as usize;
            ((color / LANES * rows + row) as u32, (color % LANES) as u8)
        };
        let places = pattern.iter().map(place).collect();
        Compressed {
            model,
            unknowns: vec![Dual::plain(0.0); coloring.passes(LANES) * rows].into(),
            coloring,
            seeded: None,
            places,
        }
    }

    /// What is evaluated; its values may be set, its lanes belong to the Jacobian.
    pub fn model(&mut self) -> &mut D {
        &mut self.model
    }

    /// Evaluates all of the Jacobian.
    #[inline]
    pub fn evaluate(&mut self) -> Result<(), D::Error> {
        let rows = self.coloring.pattern().rows();
        for pass in 0..self.coloring.passes(LANES) {
            if self.seeded != Some(pass) {
                self.model.seed(self.coloring.color_of(), (pass * LANES) as u32);
                self.seeded = Some(pass);
            }
            self.model
                .evaluate(&mut self.unknowns[pass * rows..(pass + 1) * rows])?;
        }
        Ok(())
    }

    /// The entries of the pattern, in its order.
    #[inline]
    pub fn entries(&self) -> impl Iterator<Item = f64> {
        let entry = |&(at, lane): &(u32, u8)| self.unknowns[at as usize].lanes[lane as usize % LANES];
        self.places.iter().map(entry)
    }
}

/// The Jacobian of a model's state derivatives by its states.
///
/// ```
/// use fmu_runtime::jacobian::Jacobian;
/// use fmu_runtime::prelude::*;
/// use fmu_runtime::{Coloring, Pattern};
///
/// /// Two tanks, one above the other
/// #[model]
/// struct Tanks {
///     /// Levels
///     #[state(start = 1.0)]
///     level: [f64; 2],
/// }
///
/// #[equations]
/// impl Model for Tanks {
///     fn derivatives(&self, _t: f64) -> Derivatives<Self> {
///         let out = self.level.map(|level| level.sqrt());
///         Derivatives::<Self> { level: [-out[0], out[0] - out[1]] }
///     }
/// }
///
/// // The first depends on itself, the second on both.
/// let coloring = Coloring::new(Pattern::from_rows(2, [vec![0], vec![0, 1]]));
/// let mut jacobian = Jacobian::new(&Tanks::default(), coloring.into());
/// jacobian.evaluate(0.0, &[4.0, 1.0])?;
/// let mut entries = [0.0; 3];
/// jacobian.entries(|entry, value| entries[entry] = value);
/// assert_eq!(entries, [-0.25, 0.25, -0.5]);
/// # Ok::<(), ModelError>(())
/// ```
pub struct Jacobian<M: Model>(Lanes<M>);

enum Lanes<M: Model> {
    Narrow(Compressed<Tangent<M, 1>, 1>),
    Wide(Compressed<Tangent<M, LANES>, LANES>),
}

impl<M: Model> Jacobian<M> {
    /// Room for the Jacobian of a model like `model`, internal fields included, by the colours of its states.
    pub fn new(model: &M, coloring: Arc<Coloring>) -> Jacobian<M> {
        let wide = coloring.colors() > 1 && size_of::<M::Lifted<Dual<LANES>>>() <= LARGE;
        let mut jacobian = Jacobian(match wide {
            true => Lanes::Wide(Compressed::new(Tangent::new(model), coloring)),
            false => Lanes::Narrow(Compressed::new(Tangent::new(model), coloring)),
        });
        jacobian.load(model);
        jacobian
    }

    /// Takes over the values of everything: needed where parameters, inputs or discrete variables have changed.
    /// Internal fields stay as they were in [`Jacobian::new`]: after an event, make a new one.
    pub fn load(&mut self, model: &M) {
        match &mut self.0 {
            Lanes::Narrow(compressed) => compressed.model.load_values(model),
            Lanes::Wide(compressed) => compressed.model.load_values(model),
        }
    }

    /// The same with the factors of [`Evaluator::solved`](crate::evaluator::Evaluator::solved), for a model with implicit
    /// unknowns: the next evaluation is at its time and states.
    pub fn load_solved(&mut self, (model, factors): (&M, Option<&RootFactors>)) {
        self.load(model);
        match &mut self.0 {
            Lanes::Narrow(compressed) => compressed.model.take_factors(factors),
            Lanes::Wide(compressed) => compressed.model.take_factors(factors),
        }
    }

    /// Evaluates at a time and states. Where the model has implicit unknowns, these are the ones of
    /// [`Jacobian::load_solved`].
    ///
    /// # Panics
    /// Where `x` is shorter than the states.
    #[inline]
    pub fn evaluate(&mut self, t: f64, x: &[f64]) -> Result<(), ModelError> {
        match &mut self.0 {
            Lanes::Narrow(compressed) => {
                compressed.model.set_values(t, x);
                compressed.evaluate()
            }
            Lanes::Wide(compressed) => {
                compressed.model.set_values(t, x);
                compressed.evaluate()
            }
        }
    }

    /// Hands out the entries of the last evaluation in the order of the pattern: position and value.
    #[inline]
    pub fn entries(&self, mut put: impl FnMut(usize, f64)) {
        let each = |(entry, value)| put(entry, value);
        match &self.0 {
            Lanes::Narrow(compressed) => compressed.entries().enumerate().for_each(each),
            Lanes::Wide(compressed) => compressed.entries().enumerate().for_each(each),
        }
    }
}
