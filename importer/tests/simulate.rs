//! Simulations of the oscillator against its closed form, by every solver and through both interfaces, and what becomes
//! of FMUs that misbehave.

use test_support::fmus;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fmu_importer::Fmu;
use fmu_importer::linearize::{Matrix, Style, matrix_market, write_text};
use fmu_importer::simulate::{
    CsvWriter, End, Inputs, Interface, Method, Results, SimulateError, Simulation, Sink,
};
use fmus::{DESCRIPTION, Recipe, TestFmu, faulty, oscillator};

fn open(fmu: &TestFmu) -> Fmu {
    Fmu::open(&fmu.path).unwrap()
}

/// x of x'' + d x' + k x = u with d = 0.1, k = 4 from x(0) = 1 at rest, for a constant u.
fn exact(time: f64, u: f64) -> f64 {
    let (decay, shift): (f64, f64) = (0.05, u / 4.0);
    let w = (4.0 - decay * decay).sqrt();
    let amplitude = 1.0 - shift;
    shift + amplitude * (-decay * time).exp() * ((w * time).cos() + decay / w * (w * time).sin())
}

fn worst(results: &Results, solution: impl Fn(f64) -> f64) -> f64 {
    let x = results.numbers("x").unwrap();
    let points = results.times().iter().zip(x);
    points
        .map(|(time, x)| (x - solution(*time)).abs())
        .fold(0.0, f64::max)
}

#[test]
fn every_solver_follows_the_closed_form_through_all_events() {
    let fmu = oscillator();
    let fmu = open(&fmu);
    for method in Method::ALL {
        let simulation = Simulation::new(&fmu).solver(method).tolerance(1e-7).step(1e-3);
        let (results, summary) = simulation.run().unwrap();
        let limit = if method == Method::Euler { 1e-2 } else { 2e-5 };
        let error = worst(&results, |t| exact(t, 0.0));
        assert!(error < limit, "{method}: {error:e}");
        assert_eq!((summary.time, summary.end), (3.0, End::Reached), "{method}");
        // x crosses zero twice, and each second is a time event.
        assert_eq!((summary.events.state, summary.events.time), (2, 3), "{method}");
        let crossing = results.event_times()[0];
        assert!(exact(crossing, 0.0).abs() < limit, "{method} {crossing}");
        assert_eq!(results.numbers("n").unwrap().last(), Some(&3.0));
        // 301 points, and besides them both sides of two crossings, and the far side of three seconds.
        assert_eq!(results.times().len(), 301 + 2 * 2 + 3, "{method}");
    }
}

#[test]
fn time_events_that_change_no_slope_are_no_restarts() {
    let fmu = oscillator();
    let (_, summary) = Simulation::new(&open(&fmu)).run().unwrap();
    // Crossings are located within a step, so the solver restarts; seconds are only counted.
    assert_eq!(summary.restarts, 2);
}

#[test]
fn co_simulation_gives_the_same() {
    let fmu = oscillator();
    let fmu = open(&fmu);
    let simulation = Simulation::new(&fmu)
        .interface(Interface::CoSimulation)
        .step(0.05)
        .output_step(0.1);
    let (results, summary) = simulation.run().unwrap();
    assert!(worst(&results, |t| exact(t, 0.0)) < 2e-3);
    assert_eq!((results.times().len(), summary.communication_steps), (31, 60));
    assert_eq!(results.times()[30], 3.0);
}

#[test]
fn inputs_jump_and_slope_as_the_table_says() {
    let fmu = oscillator();
    let fmu = open(&fmu);
    let table = "time,u\n0,0\n1,0\n1,2\n10,2\n";
    let simulation = Simulation::new(&fmu)
        .tolerance(1e-8)
        .stop(2.0)
        .inputs(Inputs::table(table).unwrap());
    let (results, summary) = simulation.run().unwrap();
    let y = results.numbers("y").unwrap();
    let at: Vec<usize> = (0..y.len()).filter(|row| results.times()[*row] == 1.0).collect();
    // Before and after the jump: v is the same, and y = v + 2 u.
    assert_eq!(at.len(), 2);
    assert!((y[at[1]] - y[at[0]] - 4.0).abs() < 1e-9);
    assert!(summary.events.input + summary.events.time >= 1 && summary.restarts >= 1);

    // From rest in the right place a constant input is all that acts.
    let constant = Inputs::function("u", |_| 3.0);
    let (results, _) = Simulation::new(&fmu)
        .tolerance(1e-8)
        .inputs(constant)
        .run()
        .unwrap();
    assert!(worst(&results, |t| exact(t, 3.0)) < 1e-6);

    // A ramp u = a t has the particular solution a t / k - a d / k².
    let ramp = |t: f64| 4.0 * t;
    let table = Inputs::table("time,u\n0,0\n3,12\n").unwrap();
    let by_table = Simulation::new(&fmu)
        .tolerance(1e-9)
        .inputs(table)
        .run()
        .unwrap()
        .0;
    let by_function = Simulation::new(&fmu)
        .tolerance(1e-9)
        .inputs(Inputs::function("u", ramp))
        .run()
        .unwrap()
        .0;
    let (a, b) = (by_table.numbers("x").unwrap(), by_function.numbers("x").unwrap());
    assert!((a.last().unwrap() - b.last().unwrap()).abs() < 1e-7);
}

#[test]
fn mistakes_in_inputs_are_sentences() {
    let fmu = oscillator();
    let fmu = open(&fmu);
    for (table, sentence) in [
        ("time,u\n0,0\n1\n", "line 3: 1 values for 2 names"),
        ("time,u\n0,zero\n", "line 2, column u: `zero` is not of type Real"),
        ("time,u\n1,0\n0,0\n", "line 3: time goes back to 0"),
        ("time,k\n0,0\n", "k of Oscillator is not an input"),
        ("time,uu\n0,0\n", "no variable `uu`"),
        ("time,u,u\n0,0,0\n", "given twice"),
        ("time,u\n", "no values"),
    ] {
        let result = Inputs::table(table).and_then(|inputs| Simulation::new(&fmu).inputs(inputs).run());
        let error = result.expect_err(table).to_string();
        assert!(error.contains(sentence), "{error}");
    }
}

#[test]
fn start_values_and_what_is_recorded() {
    let fmu = oscillator();
    let fmu = open(&fmu);
    let simulation = Simulation::new(&fmu)
        .set("k", 9.0)
        .set_text("mode", "2")
        .record("[xv]")
        .record("w")
        .record("m*");
    let (results, _) = simulation.stop(0.1).run().unwrap();
    let names: Vec<_> = results
        .columns()
        .iter()
        .map(|column| column.name.as_str())
        .collect();
    assert_eq!(names, ["mode", "w"]);
    assert_eq!(
        (
            results.numbers("w").unwrap()[0],
            results.numbers("mode").unwrap()[0]
        ),
        (3.0, 2.0)
    );
    let nothing = Simulation::new(&fmu).record("zz*").run().unwrap_err().to_string();
    assert!(nothing.contains("no variable of Oscillator fits"), "{nothing}");
    let text = Simulation::new(&fmu)
        .set_text("mode", "1.5")
        .run()
        .unwrap_err()
        .to_string();
    assert!(text.contains("`1.5` is not of type Integer"), "{text}");
    let backwards = Simulation::new(&fmu).stop(-1.0).run().unwrap_err().to_string();
    assert!(
        backwards.contains("must not be before the beginning"),
        "{backwards}"
    );
}

#[test]
fn rows_arrive_as_they_are_computed_and_an_interrupt_keeps_them() {
    struct Stops<S>(S, Arc<AtomicBool>);
    impl<S: Sink> Sink for Stops<S> {
        fn begin(&mut self, columns: &[fmu_importer::simulate::Column]) -> std::io::Result<()> {
            self.0.begin(columns)
        }
        fn row(&mut self, row: &fmu_importer::simulate::Row) -> std::io::Result<()> {
            self.1.fetch_or(row.time >= 1.0, Ordering::Relaxed);
            self.0.row(row)
        }
    }
    let fmu = oscillator();
    let fmu = open(&fmu);
    for interface in [Interface::ModelExchange, Interface::CoSimulation] {
        let flag = Arc::new(AtomicBool::new(false));
        let mut sink = Stops(CsvWriter::new(Vec::new()), flag.clone());
        let simulation = Simulation::new(&fmu).interface(interface).interrupt(flag);
        let summary = simulation.run_into(&mut sink).unwrap();
        assert_eq!(summary.end, End::Interrupted);
        assert!((1.0..1.5).contains(&summary.time));
        let text = String::from_utf8(sink.0.finish().unwrap()).unwrap();
        assert!(
            text.starts_with("time,x,y,n,flag\n0,1,0,0,1\n"),
            "{}",
            &text[..60]
        );
        assert_eq!(text.lines().count(), summary.rows + 1);
    }
}

#[test]
fn step_events_are_events() {
    let fmu = faulty("STEP_EVENT");
    let (results, summary) = Simulation::new(&open(&fmu)).tolerance(1e-7).run().unwrap();
    assert!(summary.events.step > 20);
    assert_eq!(summary.restarts, 2, "nothing changes, so nothing restarts");
    assert!(worst(&results, |t| exact(t, 0.0)) < 1e-5);
}

#[test]
fn events_without_end_are_errors() {
    let endless = Simulation::new(&open(&faulty("CHATTER"))).run().unwrap_err();
    assert!(
        matches!(endless, SimulateError::EventIteration { .. }),
        "{endless}"
    );
    for method in [Method::Bdf, Method::Tsit45, Method::Rk4] {
        let sliding = Simulation::new(&open(&faulty("SLIDING")))
            .solver(method)
            .run()
            .unwrap_err();
        let text = sliding.to_string();
        assert!(
            text.contains("chattering") && text.contains("event indicator 1"),
            "{method}: {text}"
        );
    }
}

#[test]
fn refusals_shorten_steps_and_errors_end_the_simulation() {
    // In Model Exchange x above 1.5 is refused, and x never comes there.
    let fmu = faulty("DISCARD");
    let fmu = open(&fmu);
    let (results, _) = Simulation::new(&fmu).tolerance(1e-7).run().unwrap();
    assert!(worst(&results, |t| exact(t, 0.0)) < 1e-5);
    // With this input it does.
    for method in Method::ALL {
        let inputs = Inputs::function("u", |_| 8.0);
        let error = Simulation::new(&fmu)
            .solver(method)
            .inputs(inputs)
            .run()
            .unwrap_err()
            .to_string();
        assert!(error.contains("x is too large"), "{method}: {error}");
    }
    // In Co-Simulation steps beyond 0.55 are discarded, so they are halved in vain.
    let simulation = Simulation::new(&fmu)
        .interface(Interface::CoSimulation)
        .output_step(0.1);
    let error = simulation.run().unwrap_err();
    assert!(
        matches!(error, SimulateError::Discarded { time, .. } if (0.5..=0.55).contains(&time)),
        "{error}"
    );

    let error = Simulation::new(&open(&faulty("DERIVATIVES_ERROR")))
        .run()
        .unwrap_err()
        .to_string();
    assert!(error.contains("division by zero"), "{error}");
}

#[test]
fn steps_in_the_background_are_waited_for() {
    let fmu = faulty("PENDING");
    let fmu = open(&fmu);
    let simulation = Simulation::new(&fmu)
        .interface(Interface::CoSimulation)
        .output_step(0.1);
    assert!(worst(&simulation.run().unwrap().0, |t| exact(t, 0.0)) < 2e-3);
}

#[test]
fn without_directional_derivatives_differences_do() {
    let recipe = Recipe {
        description: DESCRIPTION.replace("providesDirectionalDerivative=\"true\"", ""),
        ..Default::default()
    };
    let fmu = recipe.build();
    let (results, summary) = Simulation::new(&open(&fmu)).tolerance(1e-7).run().unwrap();
    assert!(worst(&results, |t| exact(t, 0.0)) < 1e-5);
    assert_eq!(summary.directional_derivatives, 0);
    assert!(summary.jacobians > 0);
}

#[test]
fn factors_that_stay_are_asked_for_once_between_events() {
    // d is tunable and k is fixed, so no entry of the Jacobian changes but at events.
    let fmu = oscillator();
    let (known, summary) = Simulation::new(&open(&fmu)).tolerance(1e-8).run().unwrap();
    let matrices = 1 + summary.events.total();
    assert!(summary.jacobians > matrices, "{summary:?}");
    assert!(summary.directional_derivatives <= 2 * matrices, "{summary:?}");
    assert_eq!(summary.jacobian_groups, 0);
    let kinds = " dependenciesKind=\"fixed tunable constant\"";
    assert!(DESCRIPTION.contains(kinds));
    let fmu = Recipe {
        description: DESCRIPTION.replace(kinds, ""),
        ..Default::default()
    }
    .build();
    let (asked, summary) = Simulation::new(&open(&fmu)).tolerance(1e-8).run().unwrap();
    assert!(
        summary.directional_derivatives >= summary.jacobians,
        "{summary:?}"
    );
    assert_eq!(known.numbers("x"), asked.numbers("x"));
}

#[test]
fn a_linearization_has_the_matrices_of_the_equations() {
    let without = Recipe {
        description: DESCRIPTION.replace("providesDirectionalDerivative=\"true\"", ""),
        ..Default::default()
    };
    for (fmu, exact) in [(oscillator(), true), (without.build(), false)] {
        let fmu = open(&fmu);
        let linear = Simulation::new(&fmu).set("k", 5.0).linearize(0.5).unwrap();
        let near = |matrix: &Matrix, expected: &[[f64; 2]]| {
            let dense = matrix.dense();
            assert_eq!((dense.len(), matrix.columns() <= 2), (expected.len(), true));
            for (row, expected) in dense.iter().zip(expected) {
                for (value, expected) in row.iter().zip(expected) {
                    let error = (value - expected).abs();
                    assert!(if exact { error == 0.0 } else { error < 1e-6 }, "{dense:?}");
                }
            }
        };
        near(&linear.a, &[[0.0, 1.0], [-5.0, -0.1]]);
        near(&linear.b, &[[0.0, 0.0], [1.0, 0.0]]);
        near(&linear.c, &[[1.0, 0.0], [0.0, 1.0]]);
        near(&linear.d, &[[0.0, 0.0], [2.0, 0.0]]);
        assert_eq!(
            (linear.outputs.as_slice(), linear.exact),
            (["x".to_string(), "y".into()].as_slice(), exact)
        );
        // Each column is found alone, so that the declared dependencies are checked without another call.
        assert_eq!(
            (linear.time, linear.calls, linear.checks),
            (0.5, if exact { 3 } else { 4 }, 0)
        );
        assert_eq!(linear.calls, linear.calls_without_compression);
        assert!(linear.warnings.is_empty(), "{:?}", linear.warnings);
        let text = matrix_market(&linear.a, Style::Sparse);
        assert!(
            !exact
                || text
                    == "%%MatrixMarket matrix coordinate real general\n2 2 3\n2 1 -5e0\n1 2 1e0\n2 2 -1e-1\n"
        );
        assert!(write_text(&linear, Style::Dense).starts_with("A (2 x 2)\n"));
    }
}

#[test]
fn dependencies_that_are_not_declared_are_in_the_matrices_all_the_same() {
    let output = |from: &str, to: &str| DESCRIPTION.replacen(from, to, 1);
    // An output that is a state; a derivative by a state; an output by an input.
    let cases = [
        (
            output(
                "index=\"1\" dependencies=\"1\" dependenciesKind=\"constant\"",
                "index=\"1\" dependencies=\"\"",
            ),
            "",
        ),
        (
            output(
                "index=\"12\" dependencies=\"1 2 5\" dependenciesKind=\"fixed tunable constant\"",
                "index=\"12\" dependencies=\"2 5\"",
            ),
            "`der(v)` depends on more than",
        ),
        (
            output(
                "index=\"6\" dependencies=\"2 5\" dependenciesKind=\"constant constant\"",
                "index=\"6\" dependencies=\"2\"",
            ),
            "`y` depends on more than",
        ),
    ];
    for (description, warning) in cases {
        for exact in [true, false] {
            let description = match exact {
                true => description.clone(),
                false => description.replace("providesDirectionalDerivative=\"true\"", ""),
            };
            let fmu = Recipe {
                description,
                ..Default::default()
            };
            let fmu = open(&fmu.build());
            let linear = Simulation::new(&fmu).set("k", 5.0).linearize(0.5).unwrap();
            let found = [&linear.a, &linear.b, &linear.c, &linear.d]
                .map(Matrix::dense)
                .concat()
                .concat();
            let expected = [0.0, 1.0, -5.0, -0.1, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 2.0];
            let near = |(found, expected): (&f64, &f64)| (found - expected).abs() < 1e-6;
            assert!(
                found.len() == 12 && found.iter().zip(&expected).all(near),
                "{found:?}"
            );
            let said = linear.warnings.join("\n");
            assert_eq!(said.is_empty(), warning.is_empty(), "{said}");
            assert!(said.contains(warning), "{said}");
        }
    }
}

/// 18 oscillators x'' = -w² x from rest at 1, so x = cos w t, and 98 levels that they cross: the size of a robot.
fn robot() -> TestFmu {
    let levels: Vec<String> = (0..98).map(|k| format!("{:.17}", level(k))).collect();
    let source = format!(
        r#"
#include <stdlib.h>
#include <string.h>
#include "interface.h"
typedef struct {{ double t, x[36]; int count; double z[98]; }} Model;
static const double levels[98] = {{ {} }};
static double w(int i) {{ return 1 + 0.1 * i; }}
static double indicator(const Model *m, int k) {{ return m->x[2 * (k % 18)] - levels[k]; }}
const char *fmi2GetTypesPlatform(void) {{ return "default"; }}
const char *fmi2GetVersion(void) {{ return "2.0"; }}
fmi2Component fmi2Instantiate(fmi2String n, fmi2Type t, fmi2String g, fmi2String r, const fmi2CallbackFunctions *f,
                              fmi2Boolean v, fmi2Boolean l) {{
    Model *m = calloc(1, sizeof *m);
    for (int i = 0; i < 18; i++) m->x[2 * i] = 1;
    return m;
}}
void fmi2FreeInstance(fmi2Component c) {{ free(c); }}
fmi2Status fmi2SetupExperiment(fmi2Component c, int a, double b, double d, int e, double f) {{ return fmi2OK; }}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) {{ return fmi2OK; }}
fmi2Status fmi2ExitInitializationMode(fmi2Component c) {{
    Model *m = c;
    for (int k = 0; k < 98; k++) m->z[k] = indicator(m, k);
    return fmi2OK;
}}
fmi2Status fmi2Terminate(fmi2Component c) {{ return fmi2OK; }}
fmi2Status fmi2EnterEventMode(fmi2Component c) {{ return fmi2OK; }}
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {{ return fmi2OK; }}
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {{
    Model *m = c;
    for (int k = 0; k < 98; k++) {{
        double now = indicator(m, k);
        if ((now > 0) != (m->z[k] > 0)) m->count++;
        m->z[k] = now;
    }}
    memset(info, 0, sizeof *info);
    return fmi2OK;
}}
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, int n, fmi2Boolean *e, fmi2Boolean *t) {{
    *e = *t = 0;
    return fmi2OK;
}}
fmi2Status fmi2SetTime(fmi2Component c, double t) {{ ((Model *)c)->t = t; return fmi2OK; }}
fmi2Status fmi2SetContinuousStates(fmi2Component c, const double x[], size_t n) {{
    memcpy(((Model *)c)->x, x, n * sizeof *x);
    return fmi2OK;
}}
fmi2Status fmi2GetContinuousStates(fmi2Component c, double x[], size_t n) {{
    memcpy(x, ((Model *)c)->x, n * sizeof *x);
    return fmi2OK;
}}
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, double x[], size_t n) {{
    for (size_t i = 0; i < n; i++) x[i] = 1;
    return fmi2OK;
}}
fmi2Status fmi2GetDerivatives(fmi2Component c, double dx[], size_t n) {{
    Model *m = c;
    for (int i = 0; i < 18; i++) {{
        dx[2 * i] = m->x[2 * i + 1];
        dx[2 * i + 1] = -w(i) * w(i) * m->x[2 * i];
    }}
    return fmi2OK;
}}
fmi2Status fmi2GetEventIndicators(fmi2Component c, double z[], size_t n) {{
    for (int k = 0; k < 98; k++) z[k] = indicator(c, k);
    return fmi2OK;
}}
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, double value[]) {{
    double dx[36];
    fmi2GetDerivatives(c, dx, 36);
    for (size_t i = 0; i < n; i++) value[i] = vr[i] < 36 ? ((Model *)c)->x[vr[i]] : dx[vr[i] - 36];
    return fmi2OK;
}}
fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n, int value[]) {{
    for (size_t i = 0; i < n; i++) value[i] = ((Model *)c)->count;
    return fmi2OK;
}}
"#,
        levels.join(", ")
    );
    let mut variables = String::new();
    for at in 0..36 {
        variables += &format!(
            "<ScalarVariable name='x{at}' valueReference='{at}' causality='output' variability='continuous' \
             initial='exact'><Real start='0'/></ScalarVariable>"
        );
    }
    for at in 0..36 {
        variables += &format!(
            "<ScalarVariable name='der(x{at})' valueReference='{}' initial='calculated'><Real \
             derivative='{}'/></ScalarVariable>",
            at + 36,
            at + 1
        );
    }
    variables += "<ScalarVariable name='count' valueReference='0' causality='output' variability='discrete' \
                  initial='calculated'><Integer/></ScalarVariable>";
    // Each derivative depends on its own oscillator only.
    let unknowns: String = (0..36)
        .map(|at| {
            format!(
                "<Unknown index='{}' dependencies='{} {}'/>",
                at + 37,
                at / 2 * 2 + 1,
                at / 2 * 2 + 2
            )
        })
        .collect();
    let description = format!(
        "<fmiModelDescription fmiVersion='2.0' modelName='Robot' guid='r' numberOfEventIndicators='98'><ModelExchange \
         modelIdentifier='oscillator'/><ModelVariables>{variables}</ModelVariables><ModelStructure><Derivatives>\
         {unknowns}</Derivatives></ModelStructure></fmiModelDescription>"
    );
    let folder = tempfile::tempdir().unwrap();
    let library = fmus::compile_source(folder.path(), &source);
    fmus::write_archive(&[
        test_support::zip::Entry::new("modelDescription.xml", description.as_bytes()),
        test_support::zip::Entry::new(&Recipe::default().library, &std::fs::read(library).unwrap()),
    ])
}

fn level(k: u32) -> f64 {
    // Spread, and never where an oscillator turns.
    -0.93 + 1.87 * f64::from(k) / 98.0
}

#[test]
fn a_robot_with_36_states_and_98_indicators_has_all_its_events() {
    let fmu = robot();
    let fmu = open(&fmu);
    let stop = 2.0;
    let mut crossings = Vec::new();
    for k in 0..98_u32 {
        let w = 1.0 + 0.1 * f64::from(k % 18);
        let first = level(k).acos() / w;
        let second = (std::f64::consts::TAU - level(k).acos()) / w;
        crossings.extend([first, second].into_iter().filter(|time| *time < stop));
    }
    crossings.sort_by(f64::total_cmp);
    for method in [Method::Bdf, Method::Tsit45] {
        let simulation = Simulation::new(&fmu)
            .solver(method)
            .stop(stop)
            .output_step(0.1)
            .tolerance(1e-7);
        let (results, summary) = simulation.run().unwrap();
        assert_eq!(
            results.numbers("count").unwrap().last(),
            Some(&(crossings.len() as f64)),
            "{method}"
        );
        let events = results.event_times();
        let apart: Vec<f64> = crossings
            .chunk_by(|a, b| b - a < 1e-6)
            .map(|near| near[0])
            .collect();
        assert!(events.len() >= apart.len(), "{method}");
        for crossing in &crossings {
            let nearest = events
                .iter()
                .map(|event| (event - crossing).abs())
                .fold(f64::INFINITY, f64::min);
            assert!(nearest < 1e-6, "{method}: {crossing} {nearest:e}");
        }
        // Differences, but in two evaluations and not in 36.
        assert_eq!(summary.jacobian_groups, 2);
        assert!(summary.events.state > 90);
    }
}
