//! Linearizes an FMU: A, B, C and D of dx/dt = A x + B u, y = C x + D u around a point of its simulation.
//!
//! Columns are found together where the declared dependencies allow it, by directional derivatives if the FMU has them
//! (Andersson, Åkesson and Führer 2016, 4.1). One more evaluation checks the declaration, unless each column is found
//! alone; where it is incomplete, it is not used.
//!
//! ```no_run
//! use fmu_importer::Fmu;
//! use fmu_importer::simulate::Simulation;
//!
//! let fmu = Fmu::open("VanDerPol.fmu")?;
//! let linear = Simulation::new(&fmu).set("mu", 2.0).linearize(1.5)?;
//! println!("d{}/d{} = {}", linear.derivatives[0], linear.states[1], linear.a.get(0, 1));
//! println!("{} calls of fmi2GetDirectionalDerivative", linear.calls);
//! # Ok::<(), fmu_importer::simulate::SimulateError>(())
//! ```

mod format;
mod matrix;

use fmu_standard::description::{Causality, Unknown, Variability, VariableKind};

pub use format::{Style, matrix_market, write_text};
pub use matrix::Matrix;

use crate::partials::{Of, Partials};
use crate::simulate::{Plant, SimulateError};
use crate::{Error, Fmu};

/// dx/dt = A x + B u, y = C x + D u for small deviations from a point.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Linearization {
    /// The time of the point.
    pub time: f64,
    /// The continuous states, which name the columns of A and C.
    pub states: Vec<String>,
    /// Their derivatives, which name the rows of A and B.
    pub derivatives: Vec<String>,
    /// The continuous inputs, which name the columns of B and D.
    pub inputs: Vec<String>,
    /// The Real outputs that change continuously, which name the rows of C and D.
    pub outputs: Vec<String>,
    /// The states at the point.
    pub x: Vec<f64>,
    /// The inputs at the point.
    pub u: Vec<f64>,
    /// Derivatives of the states' derivatives by the states.
    pub a: Matrix,
    /// Derivatives of the states' derivatives by the inputs.
    pub b: Matrix,
    /// Derivatives of the outputs by the states.
    pub c: Matrix,
    /// Derivatives of the outputs by the inputs.
    pub d: Matrix,
    /// Whether the entries are exact, and not differences.
    pub exact: bool,
    /// How often `fmi2GetDirectionalDerivative` was called, or the FMU was evaluated for differences.
    pub calls: usize,
    /// How many of them checked the declared dependencies.
    pub checks: usize,
    /// How often it would have been without the declared dependencies.
    pub calls_without_compression: usize,
    /// What the person who uses the matrices should know.
    pub warnings: Vec<String>,
}

impl Linearization {
    /// The names of row and column of the first entry that is infinite or not a number, and its value.
    pub(crate) fn not_finite(&self) -> Option<(&str, &str, f64)> {
        let matrices = [
            (&self.a, &self.derivatives, &self.states),
            (&self.b, &self.derivatives, &self.inputs),
            (&self.c, &self.outputs, &self.states),
            (&self.d, &self.outputs, &self.inputs),
        ];
        matrices.into_iter().find_map(|(matrix, rows, columns)| {
            let (row, column, value) = matrix.iter().find(|(_, _, value)| !value.is_finite())?;
            Some((rows[row].as_str(), columns[column].as_str(), value))
        })
    }
}

/// Positions of the inputs that a linearization is by.
pub(crate) fn continuous_inputs(fmu: &Fmu) -> Vec<usize> {
    let variables = fmu.description().model_variables.iter().enumerate();
    let continuous = variables.filter(|(_, variable)| {
        variable.causality == Causality::Input
            && variable.variability == Variability::Continuous
            && matches!(variable.kind, VariableKind::Real { .. })
    });
    continuous.map(|(position, _)| position).collect()
}

/// Linearizes where the instance is.
pub(crate) fn linearize(
    fmu: &Fmu,
    plant: &mut Plant,
    time: f64,
    compressed: bool,
) -> Result<Linearization, Error> {
    let description = fmu.description();
    let variables = &description.model_variables;
    let states: Vec<usize> = fmu.continuous_states()?.iter().map(|state| state.state).collect();
    let inputs = continuous_inputs(fmu);
    let continuous = |unknown: &&Unknown| {
        description.variable(unknown.variable).is_some_and(|variable| {
            variable.variability == Variability::Continuous
                && matches!(variable.kind, VariableKind::Real { .. })
        })
    };
    let derivatives: Vec<&Unknown> = description.model_structure.derivatives.iter().collect();
    let outputs: Vec<&Unknown> = description
        .model_structure
        .outputs
        .iter()
        .filter(continuous)
        .collect();
    let name = |position: &usize| variables[*position].name.clone();
    let unknown_name = |unknown: &&Unknown| {
        let variable = description.variable(unknown.variable);
        variable.map_or_else(String::new, |variable| variable.name.clone())
    };
    let of = Of {
        unknowns: derivatives.iter().chain(&outputs).copied().collect(),
        knowns: states.iter().chain(&inputs).copied().collect(),
        states: states.len(),
    };
    let mut partials = Partials::new(fmu, &of, compressed);
    let references: Vec<u32> = inputs.iter().map(|at| variables[*at].value_reference).collect();
    let mut u = vec![0.0; references.len()];
    if !u.is_empty() {
        plant.instance.get_reals(&references, &mut u)?;
    }
    let at: Vec<f64> = plant.state().iter().chain(&u).copied().collect();
    let mut values = vec![0.0; partials.pattern().entries()];
    let undeclared = match compressed {
        true => partials.evaluate_and_check(&mut plant.instance, &at, &mut values)?,
        false => {
            partials.evaluate(&mut plant.instance, &at, &mut values)?;
            None
        }
    };
    let checks = usize::from(compressed && !partials.is_alone());
    let mut warnings = Vec::new();
    if let Some(row) = undeclared {
        warnings.push(format!(
            "`{}` depends on more than {} declares (rule M8 of `fmu check --run`): its dependencies are not used, and each \
             column is found alone",
            unknown_name(&of.unknowns[row]),
            fmu.name()
        ));
        let undeclared = |unknown: &&Unknown| Unknown {
            dependencies: None,
            dependencies_kind: None,
            ..(*unknown).clone()
        };
        let unknowns: Vec<Unknown> = of.unknowns.iter().map(undeclared).collect();
        let of = Of {
            unknowns: unknowns.iter().collect(),
            ..of
        };
        let (calls, evaluations) = (partials.calls, partials.evaluations);
        partials = Partials::new(fmu, &of, false);
        (partials.calls, partials.evaluations) = (calls, evaluations);
        values = vec![0.0; partials.pattern().entries()];
        partials.evaluate(&mut plant.instance, &at, &mut values)?;
    }
    let whole = Matrix::new(partials.pattern().clone(), values);
    let (n, m) = (states.len(), inputs.len());
    let rows = derivatives.len() + outputs.len();
    Ok(Linearization {
        time,
        states: states.iter().map(name).collect(),
        derivatives: derivatives.iter().map(unknown_name).collect(),
        inputs: inputs.iter().map(name).collect(),
        outputs: outputs.iter().map(unknown_name).collect(),
        x: plant.state().to_vec(),
        u,
        a: whole.block(0..n, 0..n),
        b: whole.block(0..n, n..n + m),
        c: whole.block(n..rows, 0..n),
        d: whole.block(n..rows, n..n + m),
        exact: partials.is_exact(),
        calls: partials.calls + partials.evaluations,
        checks,
        calls_without_compression: n + m + usize::from(!partials.is_exact()),
        warnings,
    })
}

impl crate::simulate::Simulation<'_> {
    /// Simulates up to a time, and linearizes there (Model Exchange).
    pub fn linearize(self, time: f64) -> Result<Linearization, SimulateError> {
        self.run_to_linearize(time)
    }
}
