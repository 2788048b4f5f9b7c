//! A model runs and is described under a renamed runtime as it would be under its own name.

use dynamics::ModelError;
use dynamics::native::Native;
use renamed_runtime::{Plant, Valve};

#[test]
fn the_plant_empties_until_its_valve_closes() -> Result<(), ModelError> {
    let mut plant = Native::new(Plant::default());
    plant.initialize(0.0)?;
    assert_eq!(plant.total, 2.0);
    plant.simulate(2.5, 1e-3)?;
    // The square root of the level falls by 1/4 per second, so it reaches 1/2 after 2 s.
    assert_eq!(plant.valve, Valve::Closed);
    let exact: f64 = 1.0 - 0.25 * 2.5;
    assert!(
        (plant.upper.level - exact * exact).abs() < 1e-9,
        "{}",
        plant.upper.level
    );
    Ok(())
}

#[test]
fn the_plant_has_the_description_of_an_fmu() -> Result<(), ModelError> {
    let description = dynamics::fmi2::model_description::<Plant>()?;
    let names: Vec<&str> = description
        .model_variables
        .iter()
        .map(|variable| variable.name.as_str())
        .collect();
    assert!(
        names.contains(&"lower.inflow") && names.contains(&"solver.method"),
        "{names:?}"
    );
    assert_eq!(description.type_definitions[0].name, "Valve");
    Ok(())
}

// The C functions, as `export_fmu!` defines them in the library of an FMU.
dynamics::__private::fmi2_entry_points!(Plant);
