//! Model Exchange FMUs with inputs that are states of the integration, their linear models, and what only some FMUs do:
//! step events, changing nominal values, stiffness. Everything against closed forms.

use test_support::fmus;
use test_support::relay;

use fmu_importer::{BaseType, Fmu};
use fmu_master::component::{Component, Outcome, Stepping};
use fmu_master::model_exchange::{Solver, SteppedModel};
use fmu_master::stabilize::Linear;
use fmus::{DESCRIPTION, Recipe};
use relay::{Folder, ball, filler, last, run};

/// The oscillator for Model Exchange alone, `exact.fmu` with directional derivatives and `plain.fmu` without, for
/// Co-Simulation alone as `cs.fmu`; the ball and the vessel.
fn folder() -> Folder {
    let folder = Folder::new();
    let without = |interface: &str| {
        let start = DESCRIPTION.find(&format!("  <{interface} ")).unwrap();
        let end = start + DESCRIPTION[start..].find("/>").unwrap() + 2;
        format!("{}{}", &DESCRIPTION[..start], &DESCRIPTION[end..])
    };
    let exchange = without("CoSimulation");
    let plain = exchange.replace("providesDirectionalDerivative=\"true\"", "");
    for (name, description) in [
        ("exact.fmu", exchange),
        ("plain.fmu", plain),
        ("cs.fmu", without("ModelExchange")),
    ] {
        let recipe = Recipe {
            description,
            ..Recipe::default()
        };
        folder.write(name, &std::fs::read(&recipe.build().path).unwrap());
    }
    folder.write("ball.fmu", &ball(str::to_owned));
    folder.write("filler.fmu", &filler());
    folder
}

/// Two masses on springs of stiffness 4, each pulled by the other with the force `pull` x:
/// x1'' = -4 x1 + pull x2, x2'' = -4 x2 + pull x1.
fn masses(t: f64, pull: f64) -> [f64; 2] {
    let (sum, difference) = (
        0.25 * ((4.0 - pull).sqrt() * t).cos(),
        0.75 * ((4.0 + pull).sqrt() * t).cos(),
    );
    [sum + difference, sum - difference]
}

fn pair(fmus: [&str; 2], simulation: &str, component: &str, pull: f64) -> String {
    format!(
        "record = ['*.x']\n[simulation]\nstop = 2.0\n{simulation}\n\
         [components.a]\nfmu = '{}'\nset = {{ x = 1.0, d = 0.0 }}\n{component}\n\
         [components.b]\nfmu = '{}'\nset = {{ x = -0.5, d = 0.0 }}\n\
         [[connections]]\nfrom = 'a.x'\nto = 'b.u'\nconvert = false\ngain = {pull}\n\
         [[connections]]\nfrom = 'b.x'\nto = 'a.u'\nconvert = false\ngain = {pull}\n",
        fmus[0], fmus[1]
    )
}

/// The largest error of both masses, and the warnings.
fn error(
    folder: &Folder,
    fmus: [&str; 2],
    simulation: &str,
    component: &str,
    pull: f64,
) -> (f64, Vec<String>) {
    let mut system = folder.system(&pair(fmus, simulation, component, pull)).unwrap();
    let results = run(&mut system);
    let columns = ["a.x", "b.x"].map(|name| results.numbers(name).unwrap());
    let mut worst: f64 = 0.0;
    for (row, t) in results.times().iter().enumerate() {
        let exact = masses(*t, pull);
        for mass in 0..2 {
            worst = worst.max((columns[mass][row] - exact[mass]).abs());
        }
    }
    (worst, system.master.warnings().to_vec())
}

#[test]
fn inputs_of_model_exchange_fmus_are_states_of_the_integration() {
    let folder = folder();
    for fmu in ["exact.fmu", "plain.fmu"] {
        for solver in ["bdf", "dormand-prince"] {
            let at = |algorithm: &str, step: f64| {
                let simulation = format!("algorithm = '{algorithm}'\nstep = {step}\ntolerance = 1e-10");
                error(
                    &folder,
                    [fmu, fmu],
                    &simulation,
                    &format!("solver = '{solver}'"),
                    3.0,
                )
            };
            let ((held, _), (coarse, warnings), (fine, _)) =
                (at("jacobi", 0.1), at("stabilized", 0.1), at("stabilized", 0.05));
            let ratio = coarse / fine;
            assert!(
                warnings.iter().all(|warning| !warning.contains("extrapolated")),
                "{warnings:?}"
            );
            assert!(coarse < 1e-3 * held, "{fmu} {solver}: {held:e} {coarse:e}");
            // At least of second order in the step.
            assert!(ratio > 3.5, "{fmu} {solver}: {coarse:e} {fine:e}");
        }
    }
}

/// The equations are linear: values of a millionth with nominal values of a millionth are as accurate as those of 1 with nominal
/// values of 1. With a nominal value of 1 the solver would take no notice of their errors.
#[test]
fn small_inputs_are_resolved_by_their_nominal_values() {
    const SMALL: f64 = 1e-6;
    let folder = folder();
    let start = DESCRIPTION.find("  <CoSimulation ").unwrap();
    let end = start + DESCRIPTION[start..].find("/>").unwrap() + 2;
    let exchange = format!("{}{}", &DESCRIPTION[..start], &DESCRIPTION[end..]);
    let states = [
        (
            "<Real declaredType=\"Position\" start=\"1\"/>",
            "<Real declaredType=\"Position\" start=\"1\" nominal=\"1e-6\"/>",
        ),
        (
            "<Real unit=\"m/s\" start=\"0\"/>",
            "<Real unit=\"m/s\" start=\"0\" nominal=\"1e-6\"/>",
        ),
    ];
    let input = "causality=\"input\" variability=\"continuous\">\n      <Real start=\"0\"/>";
    for (name, with_input) in [("small.fmu", true), ("coarse.fmu", false)] {
        let mut description = exchange.clone();
        for (from, to) in states {
            assert!(description.contains(from), "{from}");
            description = description.replace(from, to);
        }
        assert!(description.contains(input), "{description}");
        if with_input {
            description = description.replace(
                input,
                &input.replace("start=\"0\"", "start=\"0\" nominal=\"1e-6\""),
            );
        }
        let recipe = Recipe {
            description,
            flags: vec!["-DSTATE_NOMINALS=1e-6".to_owned()],
            ..Recipe::default()
        };
        folder.write(name, &std::fs::read(&recipe.build().path).unwrap());
    }
    let simulation = "algorithm = 'stabilized'\nstep = 0.02\ntolerance = 1e-6";
    for solver in ["bdf", "dormand-prince"] {
        let component = format!("solver = '{solver}'");
        let (ones, _) = error(&folder, ["exact.fmu", "exact.fmu"], simulation, &component, 3.0);
        let of_size = |fmu: &str| {
            let text = pair([fmu, fmu], simulation, &component, 3.0)
                .replace("x = 1.0", "x = 1e-6")
                .replace("x = -0.5", "x = -0.5e-6");
            let results = run(&mut folder.system(&text).unwrap());
            let columns = ["a.x", "b.x"].map(|name| results.numbers(name).unwrap());
            let mut worst: f64 = 0.0;
            for (row, t) in results.times().iter().enumerate() {
                for (column, exact) in columns.iter().zip(masses(*t, 3.0)) {
                    worst = worst.max((column[row] / SMALL - exact).abs());
                }
            }
            worst
        };
        let (small, coarse) = (of_size("small.fmu"), of_size("coarse.fmu"));
        // The same but for roundings; with a nominal value of 1 there are other steps.
        assert!((small / ones - 1.0).abs() < 1e-3, "{solver}: {ones:e} {small:e}");
        assert!(
            (coarse / ones - 1.0).abs() > 1e-2,
            "{solver}: {ones:e} {coarse:e}"
        );
    }
}

#[test]
fn one_that_cannot_take_part_is_named_and_the_others_still_are_stabilized() {
    let folder = folder();
    let simulation = "algorithm = 'stabilized'\nstep = 0.01\ntolerance = 1e-9";
    let (mixed, warnings) = error(&folder, ["exact.fmu", "cs.fmu"], simulation, "", 1.0);
    assert!(
        warnings
            .iter()
            .any(|warning| warning.starts_with("b does not let its inputs be states")),
        "{warnings:?}"
    );
    assert!(
        !warnings.iter().any(|warning| warning.starts_with("a does not")),
        "{warnings:?}"
    );
    assert!(mixed < 0.03, "{mixed:e}");
}

#[test]
fn an_event_inside_a_stabilized_step_is_found_where_it_is() {
    let folder = folder();
    // The ball is pushed by a mass of its own size, which does not notice: u = 2 cos(2 t) would be its force.
    let text = |algorithm: &str, step: f64| {
        format!(
            "[simulation]\nstop = 0.9\nstep = {step}\ntolerance = 1e-10\nalgorithm = '{algorithm}'\n\
             [components.ball]\nfmu = 'ball.fmu'\n\
             [components.force]\nfmu = 'plain.fmu'\nset = {{ x = 1.0, d = 0.0 }}\n\
             [[connections]]\nfrom = 'force.x'\nto = 'ball.u'\ngain = 2.0\nconvert = false\n"
        )
    };
    // h = 1 - 4 t^2 + (1 - cos 2t) / 2 until it is 0, then with half of the speed upwards.
    let height = |t: f64| 1.0 - 4.0 * t * t + 0.5 * (1.0 - (2.0 * t).cos());
    let (mut below, mut above) = (0.5, 0.7);
    for _ in 0..60 {
        let middle = 0.5 * (below + above);
        if height(middle) > 0.0 {
            below = middle
        } else {
            above = middle
        }
    }
    let speed = -0.5 * (-8.0 * below + (2.0 * below).sin());
    let after = |t: f64| {
        let s = t - below;
        // v' = -8 + 2 cos 2t from the bounce on.
        (speed - (2.0 * below).sin()) * s - 4.0 * s * s + 0.5 * ((2.0 * below).cos() - (2.0 * t).cos())
    };
    let results = run(&mut folder.system(&text("stabilized", 0.3)).unwrap());
    for (row, t) in results.times().iter().enumerate() {
        let exact = if *t < below { height(*t) } else { after(*t) };
        let h = results.numbers("ball.h").unwrap()[row];
        // The linear model has the force with an error of second order.
        assert!((h - exact).abs() < 2e-4, "{t} {h} {exact}");
    }
    assert_eq!(last(&results, "ball.bounces"), 1.0);
    assert!(last(&results, "ball.committed") <= 0.9 + 1e-15);
    let held = run(&mut folder.system(&text("jacobi", 0.3)).unwrap());
    assert!((last(&held, "ball.h") - after(0.9)).abs() > 1e-2);
}

#[test]
fn stabilized_steps_of_model_exchange_fmus_can_be_repeated() {
    let folder = folder();
    for tolerance in [1e-3, 1e-5] {
        let simulation =
            format!("algorithm = 'stabilized'\nstep = 0.1\n[control]\ntolerance = {tolerance:e}");
        let (error, _) = error(&folder, ["plain.fmu", "exact.fmu"], &simulation, "", 3.0);
        assert!(error <= 30.0 * 2.0 * tolerance, "{tolerance:e} {error:e}");
    }
}

fn stepped(folder: &Folder, fmu: &str, set: &[(&str, f64)], solver: Solver) -> SteppedModel {
    let mut instance = Fmu::open(folder.path(fmu)).unwrap().model_exchange("it").unwrap();
    for (name, value) in set {
        instance.set_start(name, *value).unwrap();
    }
    let reference = |name: &str| instance.fmu().value_reference(name, BaseType::Real).unwrap();
    let outputs = match fmu {
        "filler.fmu" => vec![reference("q"), reference("v")],
        _ => vec![reference("x"), reference("y")],
    };
    let inputs = [reference("u")];
    let mut model = SteppedModel::new(instance, &inputs, &outputs, solver).unwrap();
    model.enter_initialization(0.0, 10.0, Some(1e-7)).unwrap();
    model.exit_initialization().unwrap();
    model
}

#[test]
fn a_linear_model_is_exact_or_by_differences() {
    let folder = folder();
    for (fmu, error) in [("exact.fmu", 0.0), ("plain.fmu", 1e-7)] {
        let mut model = stepped(&folder, fmu, &[("d", 0.5)], Solver::Bdf);
        model.set_inputs(&[0.25]).unwrap();
        let mut linear = Linear::new(2, 1, 2);
        model.linearize(&mut linear).unwrap();
        let near = |found: &[f64], exact: &[f64]| {
            let close = found.iter().zip(exact).all(|(a, b)| (a - b).abs() <= error);
            assert!(close, "{fmu} {found:?} {exact:?}");
        };
        // x' = v, v' = -4 x - d v + u, y = v + 2 u; columns.
        near(linear.x.as_slice(), &[1.0, 0.0]);
        near(linear.dx.as_slice(), &[0.0, -3.75]);
        near(linear.a.as_slice(), &[0.0, -4.0, 1.0, -0.5]);
        near(linear.b.as_slice(), &[0.0, 1.0]);
        near(linear.c.as_slice(), &[1.0, 0.0, 0.0, 1.0]);
        near(linear.d.as_slice(), &[0.0, 2.0]);
        // Nothing has moved.
        let mut y = [0.0; 2];
        model.outputs(&mut y).unwrap();
        assert_eq!(y, [1.0, 0.5]);
    }
}

#[test]
fn advice_and_forecast_know_model_exchange_fmus() {
    let folder = folder();
    for fmu in ["exact.fmu", "plain.fmu"] {
        let mut system = folder.system(&pair([fmu, fmu], "step = 0.01", "", 1.0)).unwrap();
        let start = system.start.clone();
        system.master.initialize(&start).unwrap();
        let advice = system.master.advise().unwrap();
        assert_eq!(advice.states, Some(4));
        // The faster of the two modes.
        assert!(
            (advice.fastest.unwrap() - 5.0_f64.sqrt()).abs() < 1e-5,
            "{advice:?}"
        );
        assert!(advice.stabilizes && advice.model_exchange);
        // Held forces feed energy into the difference of both masses, and say so before the run.
        let (_, warnings) = error(&folder, [fmu, fmu], "step = 0.1", "", 1.0);
        assert!(
            warnings
                .iter()
                .any(|warning| warning.contains("are not accurate over the whole run")),
            "{warnings:?}"
        );
        let (_, warnings) = error(&folder, [fmu, fmu], "step = 0.001", "", 1.0);
        assert!(warnings.is_empty(), "{warnings:?}");
    }
}

/// Steps with these sizes; answers the bits of q and v behind each step.
fn bits(model: &mut SteppedModel, from: usize, to: usize) -> Vec<[u64; 2]> {
    let step = |k: usize| {
        model.set_inputs(&[1.0]).unwrap();
        assert_eq!(model.step(0.25 * k as f64, 0.25, false).unwrap(), Outcome::Done);
        let mut y = [0.0; 2];
        model.outputs(&mut y).unwrap();
        y.map(f64::to_bits)
    };
    (from..to).map(step).collect()
}

#[test]
fn a_step_event_and_new_nominal_values_are_taken_up() {
    let folder = folder();
    for solver in Solver::OF_COMPONENTS {
        let at_end = |announce: f64| {
            let set = [("level", 1.1), ("rate", 50.0), ("announce", announce)];
            let mut model = stepped(&folder, "filler.fmu", &set, solver);
            bits(&mut model, 0, 4);
            // Before the step in which it happens.
            model.save(0).unwrap();
            let first = bits(&mut model, 4, 12);
            let real = |model: &mut SteppedModel, name| model.instance().real(name).unwrap();
            let (switched, v) = (real(&mut model, "switched"), real(&mut model, "v"));
            assert!(real(&mut model, "committed") <= 3.0, "{solver:?}");
            // v = t - (1 - exp(-50 t)) / 50 is 1.1 at 1.12; the event is at the end of a step of the integrator.
            assert!((1.12..1.25 + 1e-12).contains(&switched), "{solver:?} {switched}");
            let exact = 1e-9 * (switched - 3.0).exp();
            model.restore(0).unwrap();
            assert_eq!(bits(&mut model, 4, 12), first, "{solver:?}");
            (v - exact).abs() / exact
        };
        let (announced, not) = (at_end(1.0), at_end(0.0));
        assert!(announced < 1e-4, "{solver:?} {announced:e}");
        // By the old nominal value, 1, there is nothing to resolve. (The steps of the explicit method are limited by q.)
        assert!(
            solver == Solver::DormandPrince || not > 100.0 * announced,
            "{solver:?} {announced:e} {not:e}"
        );
    }
}

#[test]
fn a_stiff_model_takes_few_evaluations_and_keeps_to_its_closed_form() {
    let folder = folder();
    let rate = 1e6;
    let set = [("rate", rate)];
    let mut model = stepped(&folder, "filler.fmu", &set, Solver::default());
    let mut y = [0.0; 2];
    for k in 0..100 {
        let t = 0.01 * f64::from(k);
        // A ramp: q follows it by 1 / rate.
        model.set_inputs(&[t]).unwrap();
        model.set_input_derivatives(1, &[1.0]).unwrap();
        assert_eq!(model.step(t, 0.01, true).unwrap(), Outcome::Done);
        model.outputs(&mut y).unwrap();
        let t = 0.01 * f64::from(k + 1);
        // With q(0) = 0: q = t - (1 - exp(-rate t)) / rate.
        assert!((y[0] - (t - 1.0 / rate)).abs() < 1e-7, "{t} {y:?}");
        assert!((y[1] - (0.5 * t * t - t / rate)).abs() < 1e-6, "{t} {y:?}");
    }
    let evaluations = model.instance().real("evaluations").unwrap();
    // An explicit method needs a step per 3 / rate: 300 000 steps.
    assert!(evaluations < 3000.0, "{evaluations}");
}
