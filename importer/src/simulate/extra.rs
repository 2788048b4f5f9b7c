//! Equations that are solved together with those of an FMU.

use fmu_numerics::Pattern;

use crate::partials::{Of, Partials};
use crate::{Error, Fmu, ModelExchange};

/// Equations dp/dt = g(t, x, u, p) beside an FMU with the states x: sensitivities, a Lyapunov equation, a filter
/// (Andersson, Åkesson and Führer 2016, 6.5).
///
/// The Jacobian that a solver is given has a block for the FMU and a block for these; what they owe to the states of
/// the FMU is left to the iteration of the solver, and to its error control.
pub trait ExtraEquations {
    /// How many unknowns there are.
    fn unknowns(&self) -> usize;

    /// The unknowns at the beginning; the FMU is initialized.
    fn start(&mut self, plant: &mut Plant) -> Result<Vec<f64>, Error>;

    /// g at the time and the states that the FMU has.
    fn derivatives(&mut self, plant: &mut Plant, p: &[f64], dp: &mut [f64]) -> Result<(), Error>;

    /// Where the Jacobian of g by p may have entries other than zero, as (row, column).
    fn pattern(&self, plant: &Plant) -> Vec<(usize, usize)>;

    /// The entries of the Jacobian of g by p, each handed to `entry` with row and column; several for one place add up.
    fn jacobian(
        &mut self,
        plant: &mut Plant,
        p: &[f64],
        entry: &mut dyn FnMut(usize, usize, f64),
    ) -> Result<(), Error>;

    /// The size of the unknowns, which scales the absolute tolerance.
    fn nominal(&self) -> f64 {
        1.0
    }
}

/// The FMU as extra equations see it: its linearization at the current point.
pub struct Plant {
    pub(crate) instance: ModelExchange,
    pub(super) a: Partials,
    b: Partials,
    /// The point that the instance is at.
    pub(super) x: Vec<f64>,
    inputs: Vec<u32>,
    a_values: Vec<f64>,
    /// A has been found for the point that the instance is at.
    a_is_here: bool,
    b_values: Vec<f64>,
    u: Vec<f64>,
}

impl Plant {
    pub(super) fn new(fmu: &Fmu, instance: ModelExchange, compressed: bool) -> Result<Self, Error> {
        let states: Vec<usize> = fmu.continuous_states()?.iter().map(|state| state.state).collect();
        let description = fmu.description();
        let inputs = crate::linearize::continuous_inputs(fmu);
        let unknowns = || description.model_structure.derivatives.iter().collect::<Vec<_>>();
        let a = Partials::new(
            fmu,
            &Of {
                unknowns: unknowns(),
                states: states.len(),
                knowns: states.clone(),
            },
            compressed,
        );
        let b = Partials::new(
            fmu,
            &Of {
                unknowns: unknowns(),
                states: 0,
                knowns: inputs.clone(),
            },
            compressed,
        );
        Ok(Self {
            instance,
            a_is_here: false,
            a_values: vec![0.0; a.pattern().entries()],
            b_values: vec![0.0; b.pattern().entries()],
            a,
            b,
            x: vec![0.0; states.len()],
            u: vec![0.0; inputs.len()],
            inputs: inputs
                .iter()
                .map(|position| description.model_variables[*position].value_reference)
                .collect(),
        })
    }

    /// An event may have changed factors that stay otherwise.
    pub(super) fn forget(&mut self) {
        self.a.forget();
        self.b.forget();
        self.moved();
    }

    /// The instance is at another point.
    pub(super) fn moved(&mut self) {
        self.a_is_here = false;
    }

    /// How many states the FMU has.
    pub fn states(&self) -> usize {
        self.x.len()
    }

    /// How many continuous inputs it has.
    pub fn inputs(&self) -> usize {
        self.inputs.len()
    }

    /// The states.
    pub fn state(&self) -> &[f64] {
        &self.x
    }

    /// Where A has entries.
    pub fn a_pattern(&self) -> &Pattern {
        self.a.pattern()
    }

    /// A, the derivatives of f by the states: its pattern and the entries in that order.
    pub fn a(&mut self) -> Result<(&Pattern, &[f64]), Error> {
        if !self.a_is_here {
            self.a.evaluate(&mut self.instance, &self.x, &mut self.a_values)?;
            self.a_is_here = true;
        }
        Ok((self.a.pattern(), &self.a_values))
    }

    /// B, the derivatives of f by the continuous inputs: its pattern and the entries in that order.
    pub fn b(&mut self) -> Result<(&Pattern, &[f64]), Error> {
        if !self.b.is_exact() {
            self.instance.get_reals(&self.inputs, &mut self.u)?;
        }
        self.b.evaluate(&mut self.instance, &self.u, &mut self.b_values)?;
        Ok((self.b.pattern(), &self.b_values))
    }

    pub(super) fn calls(&self) -> usize {
        self.a.calls + self.b.calls
    }
}
