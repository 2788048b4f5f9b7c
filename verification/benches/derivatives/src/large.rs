//! The heat rod with many points: its pattern, its Jacobian, and how little stack they take.

use std::path::Path;
use std::sync::Arc;

use fmu_runtime::fmi2::full_description;
use fmu_runtime::jacobian::Jacobian;
use fmu_runtime::model::Equations;
use fmu_runtime::tangent::{Tangent, Unknowns};
use fmu_runtime::{Coloring, ModelError, Pattern};

use crate::HeatRod;

/// A rod whose calculated parameters have their values.
pub fn rod<const N: usize>() -> Result<Box<HeatRod<N>>, ModelError> {
    let mut rod = Box::new(HeatRod::<N>::default());
    rod.update_calculated()?;
    Ok(rod)
}

/// The colours of the Jacobian, by the dependencies that the model description publishes.
pub fn coloring<const N: usize>() -> Result<Coloring, ModelError> {
    let (description, _) = full_description::<HeatRod<N>>(Path::new(""))?;
    let rows = description.model_structure.derivatives.into_iter().map(|row| {
        // Temperatures are the first variables.
        let on = row.depends_on().into_iter().flatten().map(|(column, _)| column);
        on.filter(|&column| column < N).collect::<Vec<_>>()
    });
    Ok(Coloring::new(Pattern::from_rows(N, rows)))
}

/// A derivative, one seed and the coloured Jacobian.
pub fn evaluate_all<const N: usize>() -> Result<(), ModelError> {
    let rod = rod::<N>()?;
    let mut dx = vec![0.0; N];
    rod.eval_derivatives(0.0, &mut dx)?;
    assert_eq!(dx[0], rod.rate * (rod.left - rod.temperature[0]));

    let mut tangent = Box::new(Tangent::<HeatRod<N>, 1>::new(&rod));
    tangent.load(&rod, 0.0);
    tangent.seed_state(1, 0, 1.0);
    tangent.evaluate(Unknowns::DERIVATIVES)?;
    let along: Vec<f64> = tangent.derivatives()[..4].iter().map(|d| d.lanes[0]).collect();
    assert_eq!(along, [rod.rate, -2.0 * rod.rate, rod.rate, 0.0]);

    let coloring = coloring::<N>()?;
    assert_eq!(coloring.colors(), 3);
    let coloring = Arc::new(coloring);
    let mut jacobian = Jacobian::new(&*rod, coloring.clone());
    jacobian.evaluate(0.0, &rod.temperature)?;
    let mut values = vec![0.0; coloring.pattern().entries()];
    jacobian.entries(|entry, value| values[entry] = value);
    let middle = coloring.pattern().range(N / 2);
    assert_eq!(values[middle], [rod.rate, -2.0 * rod.rate, rod.rate]);
    Ok(())
}

/// Calls `evaluate` from a thread with a stack of 2 MiB, which is what many simulation tools give.
pub fn on_a_small_stack(
    evaluate: impl FnOnce() -> Result<(), ModelError> + Send + 'static,
) -> Result<(), ModelError> {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(evaluate)?;
    thread
        .join()
        .unwrap_or_else(|_| Err(ModelError::new("the thread panicked")))
}
