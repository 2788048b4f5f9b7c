//! Values that users set arrive, also in FMUs that load their defaults in `fmi2SetupExperiment` or later: from system files, from
//! SSP bindings, through both interfaces, and under one solver.

use test_support::fmus;
use test_support::relay;
use test_support::ssp;
use test_support::zip;

use fmu_master::System;
use fmu_master::settings::{Advance, Interface, Settings};
use fmu_results::table::Results;
use fmus::{Recipe, TestFmu};
use relay::Folder;
use ssp::{connections, elements, inline, parameters, real, system, wire};
use zip::{Entry, archive};

const FAULTS: [&str; 3] = ["NONE", "DEFAULTS_IN_SETUP", "DEFAULTS_IN_ENTER"];
/// Of two masses, both at rest.
const START: [f64; 2] = [3.0, -1.0];
const STIFFNESS: f64 = 9.0;

/// x1'' = -9 x1 + x2 and x2'' = -9 x2 + x1: their sum swings with the square root of 8, their difference with that of 10.
fn masses(t: f64) -> [f64; 2] {
    let sum = 0.5 * (START[0] + START[1]) * ((STIFFNESS - 1.0).sqrt() * t).cos();
    let difference = 0.5 * (START[0] - START[1]) * ((STIFFNESS + 1.0).sqrt() * t).cos();
    [sum + difference, sum - difference]
}

fn oscillator(fault: &str) -> TestFmu {
    let recipe = Recipe {
        flags: vec![format!("-DFAULT_{fault}")],
        ..Recipe::default()
    };
    recipe.build()
}

fn settings() -> Settings {
    Settings::default().stop(1.0).step(1e-3).tolerance(Some(1e-8))
}

/// Runs a system, stepped or under one solver; its warnings, and all rows.
fn run(system: &System) -> (Vec<String>, Results) {
    let mut results = Results::default();
    let warnings = match system.advance {
        Advance::Aggregate => {
            let mut assembled = system
                .aggregate_with(&Default::default())
                .expect("it has equations");
            assembled.run(&mut results, |_| true).expect("it runs");
            assembled.aggregate.statistics().summary.warnings.clone()
        }
        _ => {
            let mut assembled = system.assemble().expect("it fits");
            assembled.run(&mut results, |_| true).expect("it runs");
            assembled.master.warnings().to_vec()
        }
    };
    (warnings, results)
}

/// The largest error of both masses.
fn error(results: &Results) -> f64 {
    let columns = ["a.x", "b.x"].map(|name| results.numbers(name).expect("it is recorded"));
    assert!(results.times().len() > 10, "some points");
    let rows = results.times().iter().enumerate();
    let off = rows.flat_map(|(row, &t)| {
        let exact = masses(t);
        [0, 1].map(|mass: usize| (columns[mass][row] - exact[mass]).abs())
    });
    off.fold(0.0, f64::max)
}

/// Held over steps of 1 ms, inputs leave errors of less than 1 % of the amplitudes; with the defaults (a stiffness of 4, both
/// masses at 1) the masses would be elsewhere by more than 1.
const STEPPED: f64 = 0.03;

#[test]
fn values_arrive_in_fmus_that_load_their_defaults_late_through_both_interfaces() {
    for fault in FAULTS {
        let fmu = oscillator(fault);
        for interface in Interface::ALL {
            let (warnings, results) = run(&two(&fmu, settings().interface(interface)));
            let error = error(&results);
            assert!(error < STEPPED, "{fault} {}: {error:e}", interface.as_str());
            assert!(
                !warnings.iter().any(|warning| warning.contains("was set to")),
                "{warnings:?}"
            );
        }
    }
}

#[test]
fn values_arrive_in_fmus_that_load_their_defaults_late_under_one_solver() {
    for fault in FAULTS {
        let fmu = oscillator(fault);
        let mut system = two(&fmu, settings().step(0.05));
        system.advance = Advance::Aggregate;
        let (warnings, results) = run(&system);
        let error = error(&results);
        assert!(error < 1e-4, "{fault}: {error:e}");
        assert!(
            !warnings.iter().any(|warning| warning.contains("was set to")),
            "{warnings:?}"
        );
    }
}

/// Two of the FMU, each the other's input.
fn two(fmu: &TestFmu, settings: Settings) -> System {
    let mut system = System::new("masses").settings(settings);
    for (name, start) in ["a", "b"].into_iter().zip(START) {
        system = system
            .component(name, fmu.path.clone())
            .set(&format!("{name}.x"), start)
            .set(&format!("{name}.k"), STIFFNESS)
            .set(&format!("{name}.d"), 0.0);
    }
    let mut system = system.connect("a.x", "b.u").connect("b.x", "a.u");
    for connection in &mut system.connections {
        connection.convert = false;
    }
    system
}

#[test]
fn values_of_ssp_bindings_arrive_in_fmus_that_load_their_defaults_late() {
    for fault in FAULTS {
        let fmu = std::fs::read(oscillator(fault).path).expect("the FMU");
        for implementation in ["CoSimulation", "ModelExchange"] {
            let component = |name: &str, start: f64| {
                let values = real("x", start) + &real("k", STIFFNESS) + &real("d", 0.0);
                format!(
                    "<ssd:Component name=\"{name}\" type=\"application/x-fmu-sharedlibrary\" source=\"resources/mass.fmu\" \
                     implementation=\"{implementation}\"><ssd:Connectors>\
                     <ssd:Connector name=\"u\" kind=\"input\"><ssc:Real/></ssd:Connector>\
                     <ssd:Connector name=\"x\" kind=\"output\"><ssc:Real/></ssd:Connector>\
                     </ssd:Connectors>{}</ssd:Component>\n",
                    parameters(&inline(&values))
                )
            };
            let text = system(
                &(elements(&(component("a", START[0]) + &component("b", START[1])))
                    + &connections(
                        &(wire("a.x", "b.u", "suppressUnitConversion")
                            + &wire("b.x", "a.u", "suppressUnitConversion")),
                    )),
            );
            let text = text.replace(">suppressUnitConversion<", " suppressUnitConversion=\"true\"><");
            let folder = Folder::new();
            let file = folder.write(
                "plant.ssp",
                &archive(&[
                    Entry::new("SystemStructure.ssd", text.as_bytes()),
                    Entry::new("resources/mass.fmu", &fmu),
                ]),
            );
            let mut opened = System::open(file).unwrap_or_else(|error| panic!("{error}\n{text}"));
            opened.settings = settings();
            let (warnings, results) = run(&opened);
            let error = error(&results);
            assert!(error < STEPPED, "{fault} {implementation}: {error:e}");
            assert!(
                !warnings.iter().any(|warning| warning.contains("was set to")),
                "{warnings:?}"
            );
        }
    }
}
