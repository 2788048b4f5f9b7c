//! Inputs of tables over time: kinks, jumps and points of time that roundings keep apart, in both interfaces.

use test_support::fmus;

use fmu_importer::Fmu;
use fmu_importer::simulate::{Inputs, Interface, Simulation};
use fmus::{DESCRIPTION, Recipe, TestFmu, oscillator};

fn open(fmu: &TestFmu) -> Fmu {
    Fmu::open(&fmu.path).unwrap()
}

/// Without spring and damper v is the integral of u, and y = v + 2 u.
fn integrator<'f>(fmu: &'f Fmu, table: &str) -> Simulation<'f> {
    Simulation::new(fmu)
        .interface(Interface::CoSimulation)
        .set("k", 0.0)
        .set("d", 0.0)
        .inputs(Inputs::table(table).unwrap())
        .stop(1.0)
}

#[test]
fn co_simulation_meets_the_kinks_of_a_table() {
    let fmu = oscillator();
    let fmu = open(&fmu);
    // A pulse of area 1; held from kink to kink, its second half has all of it.
    let pulse = "time,u\n0,0\n0.5,0\n0.501,1000\n0.502,0\n1,0\n";
    let simulation = integrator(&fmu, pulse).output_step(1.0).record("v");
    let (results, summary) = simulation.run().unwrap();
    let v = results.numbers("v").unwrap();
    assert!((v.last().unwrap() - 1.0).abs() < 1e-9, "{v:?}");
    assert_eq!(results.times(), [0.0, 1.0], "kinks are not events");
    assert_eq!((summary.communication_steps, summary.events.input), (4, 0));
}

#[test]
fn co_simulation_records_both_sides_of_a_jump() {
    let fmu = oscillator();
    let fmu = open(&fmu);
    let table = "time,u\n0,0\n0.25,0\n0.25,2\n1,2\n";
    let simulation = integrator(&fmu, table).output_step(0.5).record("*");
    let (results, _) = simulation.run().unwrap();
    assert_eq!(results.times(), [0.0, 0.25, 0.25, 0.5, 1.0]);
    assert_eq!(results.numbers("u").unwrap(), [0.0, 0.0, 2.0, 2.0, 2.0]);
    for (y, exact) in results
        .numbers("y")
        .unwrap()
        .iter()
        .zip([0.0, 0.0, 4.0, 4.5, 5.5])
    {
        assert!((y - exact).abs() < 1e-9, "{y} is not {exact}");
    }
}

#[test]
fn steps_of_one_size_are_reported() {
    let fixed = "canHandleVariableCommunicationStepSize=\"false\"";
    let description = DESCRIPTION.replace("canHandleVariableCommunicationStepSize=\"true\"", fixed);
    let fmu = Recipe {
        description,
        ..Default::default()
    }
    .build();
    let fmu = open(&fmu);
    let table = "time,u\n0,0\n0.25,1\n0.25,3\n0.5,0\n";
    let warnings = |step: f64| {
        let (_, summary) = integrator(&fmu, table).output_step(step).run().unwrap();
        summary.warnings.join("\n")
    };
    assert_eq!(warnings(0.25), "");
    let said = warnings(0.5);
    assert!(said.contains("inputs change at time 0.25, between two"), "{said}");
    assert!(said.contains("canHandleVariableCommunicationStepSize"), "{said}");
}

#[test]
fn a_point_that_roundings_keep_apart_from_an_event_is_that_event() {
    let fmu = oscillator();
    let fmu = open(&fmu);
    // Ten steps are a rounding less than the second at which the event is, or more.
    for step in [0.1_f64.next_down(), 0.1_f64.next_up()] {
        assert_ne!(10.0 * step, 1.0);
        let (results, _) = Simulation::new(&fmu).output_step(step).stop(1.5).run().unwrap();
        let times = results.times();
        let seconds = times.iter().filter(|time| **time == 1.0).count();
        assert_eq!(seconds, 2, "before and after the event");
        for pair in times.windows(2) {
            let gap = pair[1] - pair[0];
            assert!(gap == 0.0 || gap > 1e-6, "{pair:?} with {step}");
        }
    }
}

#[test]
fn a_table_that_begins_late_is_reported() {
    let fmu = oscillator();
    let fmu = open(&fmu);
    for interface in [Interface::ModelExchange, Interface::CoSimulation] {
        let warnings = |table: &str| {
            let simulation = integrator(&fmu, table).interface(interface);
            simulation.run().unwrap().1.warnings
        };
        assert!(warnings("time,u\n0,1\n1,1\n").is_empty());
        let said = warnings("time,u\n0.5,1\n1,1\n").join("\n");
        assert!(
            said.contains("begins at time 0.5, after the start at 0"),
            "{said}"
        );
    }
}
