//! The outputs over time from the start of a run: with steps, and by the equations of the linear model.
//!
//! Modes alone do not show how well a step follows a system: their factors may be nearly right while values that pass from one
//! component to another come too late in every step. Both trajectories follow from the start of the run, where slopes are known.

use nalgebra::{DMatrix, DVector};

use super::step_map::StepMaps;
use super::{Model, Stepping};

/// Differences up to this part of an output's largest size are not reported.
const MUCH: f64 = 0.05;
/// Outputs that stay below this part of their nominal value are rounding.
const SMALL: f64 = 1e-6;
/// The most multiplications that the trajectories may take.
const MOST_WORK: f64 = 3e7;
/// Growing values are followed up to this power of e: beyond it a linear model is not valid.
const GROWN: f64 = 3.0;

/// Where a run begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Beginning {
    /// The derivatives of all states.
    pub slopes: Vec<f64>,
    /// All outputs.
    pub outputs: Vec<f64>,
    /// Their nominal values.
    pub nominals: Vec<f64>,
}

/// An output that differs between the steps and the equations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Miss {
    /// Its number.
    pub output: usize,
    /// The time of the largest difference, from the start.
    pub time: f64,
    /// Its value then by the equations.
    pub exact: f64,
    /// By the steps.
    pub stepped: f64,
    /// The difference, as a part of its largest size by the equations.
    pub part: f64,
}

/// The output with the largest difference from the equations at the end of a step, if it exceeds 5 % of the size of the output.
///
/// Also outputs with feed-through, which some algorithms compute from inputs that come a step late. Later changes of external
/// signals are not foreseen.
///
/// ```
/// use fmu_master::advise::{Beginning, Model, Stepping, largest_deviation};
/// use nalgebra::DMatrix;
///
/// // x' = -x from 1 feeds y' = x from 0: a held input gives y(1) = h (1 + e^-h + e^-2h + ...), in place of 1 - e^-1.
/// let lag_and_integrator = Model {
///     a: DMatrix::from_row_slice(2, 2, &[-1.0, 0.0, 0.0, 0.0]),
///     b: DMatrix::from_row_slice(2, 1, &[0.0, 1.0]),
///     c: DMatrix::identity(2, 2),
///     d: DMatrix::zeros(2, 1),
///     l: DMatrix::from_row_slice(1, 2, &[1.0, 0.0]),
/// };
/// let beginning = Beginning {
///     slopes: vec![-1.0, 1.0],
///     outputs: vec![1.0, 0.0],
///     nominals: vec![1.0, 1.0],
/// };
/// let held = Stepping::extrapolated(1, 0);
/// let miss = largest_deviation(&lag_and_integrator, &held, 0.5, 1.0, &beginning).unwrap();
/// assert!(miss.output == 1 && (miss.stepped - 0.5 * (1.0 + (-0.5f64).exp())).abs() < 1e-9);
/// assert!((miss.exact - (1.0 - (-1.0f64).exp())).abs() < 1e-9);
/// assert_eq!(largest_deviation(&lag_and_integrator, &held, 0.05, 1.0, &beginning), None);
/// ```
pub fn largest_deviation(
    model: &Model,
    stepping: &Stepping,
    h: f64,
    duration: f64,
    beginning: &Beginning,
) -> Option<Miss> {
    let with_slopes = with_slopes(model, &beginning.slopes);
    let states = with_slopes.a.nrows();
    let StepMaps {
        onward: map,
        outputs: stepped_outputs,
    } = with_slopes.step_maps(h, stepping)?;
    let exact_outputs = with_slopes.closed_outputs()?;
    let coupled = with_slopes.coupled()?;
    let growth = crate::solve::eigenvalues(&coupled)?;
    let growth = growth.iter().map(|mode| mode.re).fold(0.0, f64::max);
    let duration = duration.min(GROWN / growth);
    let steps = (duration / h * (1.0 + 1e-9)).floor();
    let steps = steps.min(MOST_WORK / (map.nrows() as f64).powi(2)) as u64;
    let flow = (coupled * h).exp();
    // Both begin at 0, as differences from the start; the last state is the constant 1 that the slopes belong to.
    let mut stepped = DVector::zeros(map.nrows());
    let mut exact = DVector::zeros(states);
    (stepped[states - 1], exact[states - 1]) = (1.0, 1.0);
    let mut sizes: Vec<f64> = beginning.outputs.iter().map(|y| y.abs()).collect();
    let mut found: Vec<Option<Miss>> = vec![None; sizes.len()];
    for step in 1..=steps {
        let by_steps = &stepped_outputs * &stepped;
        stepped = &map * stepped;
        exact = &flow * exact;
        let outputs = [by_steps, &exact_outputs * &exact];
        for output in 0..sizes.len() {
            let start = beginning.outputs[output];
            let [stepped, exact] = [0, 1].map(|which: usize| start + outputs[which][output]);
            sizes[output] = sizes[output].max(exact.abs());
            let further = found[output].is_none_or(|miss| (stepped - exact).abs() > miss.part);
            if further {
                found[output] = Some(Miss {
                    output,
                    time: step as f64 * h,
                    exact,
                    stepped,
                    part: (stepped - exact).abs(),
                });
            }
        }
    }
    let size = |output: usize| sizes[output].max(SMALL * beginning.nominals[output].abs());
    let parts = found.into_iter().flatten().map(|miss| Miss {
        part: miss.part / size(miss.output).max(f64::MIN_POSITIVE),
        ..miss
    });
    let largest = parts.max_by(|one, other| one.part.total_cmp(&other.part));
    largest.filter(|miss| miss.part > MUCH)
}

/// The model with one more state, which is 1 all the time: states go on with their slopes at the start.
fn with_slopes(model: &Model, slopes: &[f64]) -> Model {
    let states = model.a.nrows();
    let mut a = DMatrix::zeros(states + 1, states + 1);
    a.view_mut((0, 0), (states, states)).copy_from(&model.a);
    a.view_mut((0, states), (states, 1))
        .copy_from(&DVector::from_column_slice(slopes));
    Model {
        a,
        b: model.b.clone().insert_row(states, 0.0),
        c: model.c.clone().insert_column(states, 0.0),
        d: model.d.clone(),
        l: model.l.clone(),
    }
}
