//! Values that are set before a simulation or by its inputs: items of enumerations by name, ranges, and what cannot be
//! set.

use test_support::fmus;

use fmu_importer::Fmu;
use fmu_importer::simulate::{Inputs, Interface, Simulation};
use fmus::{DESCRIPTION, Recipe, TestFmu, faulty, oscillator};

fn open(fmu: &TestFmu) -> Fmu {
    Fmu::open(&fmu.path).unwrap()
}

fn refusal(simulation: Simulation) -> String {
    simulation.stop(0.1).run().expect_err("it is refused").to_string()
}

#[test]
fn items_of_enumerations_go_by_their_names() {
    let fmu = oscillator();
    let fmu = open(&fmu);
    let mode = |text: &str| Simulation::new(&fmu).set_text("mode", text).record("mode");
    for (text, item) in [("free", 1.0), ("driven", 2.0), ("2", 2.0)] {
        let (results, _) = mode(text).stop(0.1).run().unwrap();
        assert_eq!(results.numbers("mode").unwrap()[0], item, "{text}");
    }
    let error = refusal(mode("broken"));
    assert!(
        error.contains("`broken` is not of type Integer, and not one of free, driven"),
        "{error}"
    );

    let parameter =
        "name=\"mode\" valueReference=\"1\" causality=\"parameter\" variability=\"fixed\" initial=\"exact\"";
    let input = "name=\"mode\" valueReference=\"1\" causality=\"input\" variability=\"discrete\"";
    assert!(DESCRIPTION.contains(parameter));
    let driven = Recipe {
        description: DESCRIPTION.replace(parameter, input),
        ..Default::default()
    }
    .build();
    let driven = open(&driven);
    let by_table = |text: &str| {
        let table = Inputs::table(&format!("time,mode\n0,{text}\n")).unwrap();
        Simulation::new(&driven).inputs(table).record("mode")
    };
    let (results, _) = by_table("driven").stop(0.1).run().unwrap();
    assert_eq!(results.numbers("mode").unwrap()[0], 2.0);
    let error = refusal(by_table("broken"));
    assert!(
        error.contains("line 2, column mode: `broken` is not of type Integer, and not one of"),
        "{error}"
    );
}

#[test]
fn what_nobody_can_set_is_refused_before_the_fmu_is_asked() {
    let fmu = oscillator();
    let fmu = open(&fmu);
    for (name, reason) in [
        ("y", "it is an output, which the FMU computes"),
        ("der(x)", "the FMU computes it"),
        ("w", "the FMU computes it"),
        ("time", "it is the time"),
    ] {
        let error = refusal(Simulation::new(&fmu).set(name, 1.0));
        assert_eq!(error, format!("{name} of Oscillator cannot be set: {reason}"));
        let table = Inputs::table(&format!("time,{name}\n0,1\n")).unwrap();
        let error = refusal(Simulation::new(&fmu).inputs(table));
        let expected = format!("{name} of Oscillator is not an input, and cannot be set: {reason}");
        assert!(error.ends_with(&expected), "{error}");
    }
    // States and discrete outputs with a start value can.
    let (results, _) = Simulation::new(&fmu).set("x", 0.25).stop(0.1).run().unwrap();
    assert_eq!(results.numbers("x").unwrap()[0], 0.25);
}

#[test]
fn a_silent_refusal_names_variable_value_and_range() {
    let fmu = faulty("SILENT");
    let fmu = open(&fmu);
    let error = refusal(Simulation::new(&fmu).set("d", 0.2).set("k", -1.5));
    assert!(
        error.ends_with("fmi2Discard: k = -1.5 is less than its minimum 0"),
        "{error}"
    );
    let error = refusal(Simulation::new(&fmu).set("mode", 7));
    assert!(
        error.ends_with("mode = 7 is outside its range from 1 to 2"),
        "{error}"
    );
    // An FMU that says why is quoted.
    let fmu = oscillator();
    let error = refusal(Simulation::new(&open(&fmu)).set("k", -1.5));
    assert!(error.ends_with("fmi2Discard: k must not be negative"), "{error}");
}

#[test]
fn numbers_are_finite() {
    let fmu = oscillator();
    let fmu = open(&fmu);
    for text in ["nan", "inf", "1e400"] {
        let error = refusal(Simulation::new(&fmu).set_text("k", text));
        assert!(
            error.contains(&format!("`{text}` is not a finite number")),
            "{error}"
        );
        let table = Inputs::table(&format!("time,u\n0,0\n1,{text}\n")).unwrap();
        let error = refusal(Simulation::new(&fmu).inputs(table));
        assert!(
            error.contains("line 3, column u") && error.contains("not a finite number"),
            "{error}"
        );
    }
    let error = refusal(Simulation::new(&fmu).set("k", f64::INFINITY));
    assert!(error.contains("not a finite number"), "{error}");
    let error = Simulation::new(&fmu)
        .stop(f64::NAN)
        .run()
        .unwrap_err()
        .to_string();
    assert_eq!(error, "the end of the simulation, NaN, is not a finite number");
}

#[test]
fn the_first_column_is_the_time() {
    let fmu = oscillator();
    let fmu = open(&fmu);
    for (table, sentence) in [
        (
            "u\n0\n1\n",
            "line 1: the first column is the time, and u is a variable of Oscillator",
        ),
        ("time,uu\n0,1\n", "line 1: Oscillator has no variable `uu`"),
        ("time,u [N]\n0,1\n", "names stand without units"),
    ] {
        let error = refusal(Simulation::new(&fmu).inputs(Inputs::table(table).unwrap()));
        assert!(error.contains(sentence), "{error}");
    }
    let (results, _) = Simulation::new(&fmu)
        .inputs(Inputs::table("t / s,u\n0,3\n").unwrap())
        .stop(0.1)
        .run()
        .unwrap();
    assert_eq!(results.numbers("y").unwrap()[0], 6.0);
}

#[test]
fn a_pattern_that_fits_nothing_is_named() {
    let fmu = oscillator();
    let fmu = open(&fmu);
    let simulation = Simulation::new(&fmu).record("x").record("z*").stop(0.1);
    let (results, summary) = simulation.run().unwrap();
    assert_eq!(results.columns().len(), 1);
    assert_eq!(
        summary.warnings,
        ["no variable of Oscillator fits z*, which is to be recorded"]
    );
    let error = refusal(Simulation::new(&fmu).record("z*").record("q"));
    assert!(error.ends_with("to be recorded: z*, q"), "{error}");
}

/// The values that an FMU ends up with, after all of its kinds of variables were set.
fn kept(fault: &str, interface: Interface) -> (Vec<f64>, Vec<String>) {
    let fmu = faulty(fault);
    let fmu = open(&fmu);
    let names = ["k", "d", "x", "mode", "armed", "w"];
    let mut simulation = Simulation::new(&fmu)
        .interface(interface)
        .set("k", 9.0)
        .set("d", 0.5)
        .set("x", 2.0)
        .set("mode", 2)
        .set("armed", false)
        .set("label", "mine")
        .record("label");
    for name in names {
        simulation = simulation.record(name);
    }
    let (results, summary) = simulation.stop(0.1).run().unwrap();
    assert_eq!(results.texts("label").unwrap()[0], "mine", "{fault}");
    let first = names.map(|name| results.numbers(name).unwrap()[0]);
    (first.to_vec(), summary.warnings)
}

#[test]
fn values_arrive_wherever_the_fmu_loads_its_defaults() {
    let expected = [9.0, 0.5, 2.0, 2.0, 0.0, 3.0];
    for interface in [Interface::ModelExchange, Interface::CoSimulation] {
        for fault in [
            "NONE",
            "DEFAULTS_IN_SETUP",
            "DEFAULTS_IN_ENTER",
            "EVALUATED_IN_SETUP",
        ] {
            let (values, warnings) = kept(fault, interface);
            assert_eq!(values, expected, "{fault} {interface:?}");
            assert!(warnings.is_empty(), "{fault}: {warnings:?}");
        }
        let (values, warnings) = kept("IGNORED_VALUE", interface);
        assert_eq!(values[..2], [4.0, 0.5]);
        assert_eq!(
            warnings,
            ["the parameter k was set to 9, but the FMU goes on with 4"]
        );
        // An FMU that refuses to report the value is not asked again, and the run continues.
        let (values, warnings) = kept("STRICT_READING", interface);
        assert_eq!(values, expected);
        assert!(warnings.is_empty(), "{warnings:?}");
    }
}

#[test]
fn of_several_values_and_names_of_a_variable_the_last_one_counts() {
    for fault in ["NONE", "DEFAULTS_IN_SETUP", "DEFAULTS_IN_ENTER"] {
        let fmu = faulty(fault);
        let simulation = open(&fmu);
        let simulation = Simulation::new(&simulation)
            .set("k", 9.0)
            .set("k", 16.0)
            .record("k");
        let (results, summary) = simulation.stop(0.1).run().unwrap();
        assert_eq!(results.numbers("k").unwrap()[0], 16.0, "{fault}");
        assert!(summary.warnings.is_empty(), "{:?}", summary.warnings);
    }
}

#[test]
fn warnings_of_an_fmu_are_counted() {
    let fmu = faulty("WARNING");
    let (_, summary) = Simulation::new(&open(&fmu))
        .interface(Interface::CoSimulation)
        .stop(1.0)
        .step(0.25)
        .output_step(0.25)
        .run()
        .unwrap();
    assert_eq!(summary.warned, 4);
    let fmu = oscillator();
    let (_, summary) = Simulation::new(&open(&fmu)).stop(0.1).run().unwrap();
    assert_eq!(summary.warned, 0);
}
