//! FMUs for Model Exchange as components that step, alone and beside FMUs for Co-Simulation, against closed forms.

use test_support::fmus;
use test_support::relay;
use test_support::ssp;

use fmu_importer::{BaseType, Fmu, State};
use fmu_master::component::{Component, Outcome, Stepping};
use fmu_master::model_exchange::{Solver, SteppedModel};
use fmu_master::settings::{Algorithm, Interface};
use fmu_master::{End, System};
use fmu_results::table::Results;
use fmus::{DESCRIPTION, Recipe};
use relay::{Folder, ball, last, run};

/// Two masses on springs of stiffness 4 without dampers, each pulled by the other: x1'' = -4 x1 + x2, x2'' = -4 x2 + x1.
const START: [f64; 2] = [1.0, -0.5];

fn masses(t: f64) -> [f64; 2] {
    let sum = 0.5 * (START[0] + START[1]) * (3.0_f64.sqrt() * t).cos();
    let difference = 0.5 * (START[0] - START[1]) * (5.0_f64.sqrt() * t).cos();
    [sum + difference, sum - difference]
}

fn without(interface: &str) -> String {
    let start = DESCRIPTION.find(&format!("  <{interface} ")).unwrap();
    let end = start + DESCRIPTION[start..].find("/>").unwrap() + 2;
    format!("{}{}", &DESCRIPTION[..start], &DESCRIPTION[end..])
}

/// A folder with the oscillator: with both interfaces, with each of them, and for Model Exchange without directional
/// derivatives; and with the ball.
fn folder() -> Folder {
    let folder = Folder::new();
    let exchange = without("CoSimulation");
    for (name, description) in [
        ("both.fmu", DESCRIPTION.to_owned()),
        ("me.fmu", exchange.clone()),
        ("cs.fmu", without("ModelExchange")),
        (
            "plain.fmu",
            exchange.replace("providesDirectionalDerivative=\"true\"", ""),
        ),
    ] {
        let recipe = Recipe {
            description,
            ..Recipe::default()
        };
        let bytes = std::fs::read(&recipe.build().path).unwrap();
        folder.write(name, &bytes);
    }
    folder.write("ball.fmu", &ball(str::to_owned));
    folder
}

/// The largest error of both masses, made of these FMUs.
fn error(folder: &Folder, fmus: [&str; 2], simulation: &str, components: &str) -> f64 {
    steps_and_error(folder, fmus, 2.0, simulation, components).1
}

/// The number of communication steps, and the largest error of both masses.
fn steps_and_error(
    folder: &Folder,
    fmus: [&str; 2],
    stop: f64,
    simulation: &str,
    components: &str,
) -> (usize, f64) {
    let text = format!(
        "record = ['*.x']\n[simulation]\nstop = {stop}\n{simulation}\n\
         [components.a]\nfmu = '{}'\nset = {{ x = {}, d = 0.0 }}\n{components}\n\
         [components.b]\nfmu = '{}'\nset = {{ x = {}, d = 0.0 }}\n\
         [[connections]]\nfrom = 'a.x'\nto = 'b.u'\nconvert = false\n\
         [[connections]]\nfrom = 'b.x'\nto = 'a.u'\nconvert = false\n",
        fmus[0], START[0], fmus[1], START[1]
    );
    let results = run(&mut folder.system(&text).unwrap());
    let columns = ["a.x", "b.x"].map(|name| results.numbers(name).unwrap());
    let times = results.times().iter().enumerate();
    let worst = times.fold(0.0, |worst: f64, (row, t)| {
        let exact = masses(*t);
        let one = |mass: usize| (columns[mass][row] - exact[mass]).abs();
        worst.max(one(0)).max(one(1))
    });
    (results.times().len() - 1, worst)
}

#[test]
fn both_interfaces_in_one_system_converge_under_every_algorithm() {
    let folder = folder();
    for algorithm in Algorithm::ALL {
        // Stabilized inputs are not held: `stabilized_models` has them.
        if algorithm == Algorithm::Stabilized {
            continue;
        }
        for fmus in [["me.fmu", "cs.fmu"], ["cs.fmu", "me.fmu"], ["me.fmu", "me.fmu"]] {
            let at = |step: f64| {
                let settings = format!(
                    "algorithm = '{}'\nstep = {step}\ntolerance = 1e-9",
                    algorithm.as_str()
                );
                error(&folder, fmus, &settings, "")
            };
            let (coarse, fine) = (at(0.02), at(0.01));
            // Inputs that are held over a step: the error is of first order.
            let (name, ratio) = (algorithm.as_str(), coarse / fine);
            assert!(fine < 0.03, "{name} {fmus:?} {fine:e}");
            assert!((1.7..2.4).contains(&ratio), "{name} {fmus:?} {coarse:e} {fine:e}");
        }
    }
}

#[test]
fn error_control_keeps_the_error_of_the_run_near_the_tolerance() {
    let folder = folder();
    for fmus in [["plain.fmu", "me.fmu"], ["me.fmu", "cs.fmu"]] {
        for algorithm in ["jacobi", "newton"] {
            let at = |tolerance: f64| {
                let settings =
                    format!("algorithm = '{algorithm}'\nstep = 0.01\n[control]\ntolerance = {tolerance:e}");
                error(&folder, fmus, &settings, "")
            };
            for tolerance in [1e-3, 1e-4] {
                let error = at(tolerance);
                assert!(
                    error <= 30.0 * 2.0 * tolerance,
                    "{algorithm} {fmus:?} {tolerance:e} {error:e}"
                );
            }
        }
    }
}

/// What the integrator inside leaves must not count as an error of the coupling, although a step is a small part of the run: with
/// inputs of second order and errors per unit step, the number of steps grows with the cube root of the tolerance, whatever the
/// integrator.
#[test]
fn error_control_does_not_measure_the_integrator_inside() {
    let folder = folder();
    for fmus in [["me.fmu", "me.fmu"], ["plain.fmu", "plain.fmu"]] {
        for solver in ["bdf", "dormand-prince"] {
            let run = |tolerance: f64| {
                let settings = format!(
                    "algorithm = 'jacobi'\nextrapolation = 2\nstep = 0.001\n[control]\ntolerance = {tolerance:e}"
                );
                let component = format!("solver = '{solver}'");
                let (steps, error) = steps_and_error(&folder, fmus, 20.0, &settings, &component);
                assert!(
                    error <= 10.0 * tolerance,
                    "{fmus:?} {solver} {tolerance:e}: {error:e}"
                );
                steps as f64
            };
            let (coarse, fine) = (run(1e-3), run(1e-5));
            assert!(coarse < 900.0, "{fmus:?} {solver}: {coarse}");
            assert!(fine < 6.0 * coarse, "{fmus:?} {solver}: {coarse} {fine}");
        }
    }
}

#[test]
fn inputs_are_followed_as_curves_of_second_order() {
    let folder = folder();
    for fmu in ["me.fmu", "plain.fmu"] {
        for (order, lowest) in [(1, 3.4), (2, 6.5)] {
            for solver in ["bdf", "dormand-prince"] {
                let at = |step: f64| {
                    let settings = format!("extrapolation = {order}\nstep = {step}\ntolerance = 1e-10");
                    error(&folder, [fmu, fmu], &settings, &format!("solver = '{solver}'"))
                };
                let (coarse, fine) = (at(0.04), at(0.02));
                assert!(
                    coarse / fine > lowest,
                    "{fmu} {solver}, order {order}: {coarse:e} {fine:e}"
                );
            }
        }
    }
}

/// A ball from a height of 1 under g = -8 that keeps half of its speed: it bounces at 0.5, 1.0, 1.25, 1.375, ...
fn height(t: f64) -> f64 {
    let (mut begin, mut speed) = (0.5, 2.0);
    if t < begin {
        return 1.0 - 4.0 * t * t;
    }
    while t > begin + speed / 4.0 {
        begin += speed / 4.0;
        speed *= 0.5;
    }
    (t - begin) * (speed - 4.0 * (t - begin))
}

#[test]
fn state_events_are_found_inside_a_step() {
    let folder = folder();
    for solver in ["bdf", "dormand-prince"] {
        for step in [0.13, 0.01] {
            let text = format!(
                "[simulation]\nstop = 1.3\nstep = {step}\ntolerance = 1e-9\n\
                 [components.ball]\nfmu = 'ball.fmu'\nsolver = '{solver}'\n"
            );
            let results = run(&mut folder.system(&text).unwrap());
            let h = results.numbers("ball.h").unwrap();
            let committed = results.numbers("ball.committed").unwrap();
            for (row, t) in results.times().iter().enumerate() {
                assert!(
                    (h[row] - height(*t)).abs() < 1e-7,
                    "{solver} {step} {t} {}",
                    h[row]
                );
                // But for the rounding of a sum.
                assert!(committed[row] <= *t + 1e-15, "{} is beyond {t}", committed[row]);
            }
            assert_eq!(last(&results, "ball.bounces"), 3.0);
            assert_eq!(last(&results, "ball.events"), 3.0);
        }
    }
}

fn stepped(folder: &Folder, fmu: &str, inputs: &[&str], outputs: &[&str], solver: Solver) -> SteppedModel {
    let instance = Fmu::open(folder.path(fmu)).unwrap().model_exchange("it").unwrap();
    let reference = |name: &&str| instance.fmu().value_reference(name, BaseType::Real).unwrap();
    let inputs: Vec<u32> = inputs.iter().map(reference).collect();
    let outputs: Vec<u32> = outputs.iter().map(reference).collect();
    let mut model = SteppedModel::new(instance, &inputs, &outputs, solver).unwrap();
    model.enter_initialization(0.0, 10.0, Some(1e-7)).unwrap();
    model.exit_initialization().unwrap();
    model
}

/// Steps to the end with inputs that jump and bend, and answers the bits of all outputs on the way.
fn outputs_of_steps(model: &mut SteppedModel, from: usize, to: usize, outputs: usize) -> Vec<u64> {
    let mut bits = Vec::new();
    for k in from..to {
        let t = 0.1 * k as f64;
        let inputs = [0.3 * t + f64::from(k % 3 == 0), f64::from(k as u32 / 4)];
        model
            .set_inputs(&inputs[..model.capabilities().input_derivatives.min(2) as usize])
            .unwrap();
        model.set_input_derivatives(1, &[0.3, 0.0]).unwrap();
        model.set_input_derivatives(2, &[0.1, 0.0]).unwrap();
        assert_eq!(model.step(t, 0.1, false).unwrap(), Outcome::Done);
        let mut y = vec![0.0; outputs];
        model.outputs(&mut y).unwrap();
        bits.extend(y.iter().map(|y| y.to_bits()));
    }
    bits
}

#[test]
fn a_repeated_step_gives_the_same_bits() {
    let folder = folder();
    for solver in Solver::OF_COMPONENTS {
        let mut model = stepped(&folder, "ball.fmu", &["u", "kick"], &["h", "v", "y"], solver);
        outputs_of_steps(&mut model, 0, 3, 3);
        model.save(0).unwrap();
        // Over the first bounce, the kick at 0.4, and more.
        let first = outputs_of_steps(&mut model, 3, 12, 3);
        model.save(1).unwrap();
        let rest = outputs_of_steps(&mut model, 12, 15, 3);
        model.restore(0).unwrap();
        model.set_inputs(&[7.0, -1.0]).unwrap();
        model.step(0.3, 0.05, false).unwrap();
        model.restore(0).unwrap();
        assert_eq!(outputs_of_steps(&mut model, 3, 12, 3), first, "{solver:?}");
        model.restore(1).unwrap();
        assert_eq!(outputs_of_steps(&mut model, 12, 15, 3), rest, "{solver:?}");
        model.restore(0).unwrap();
        assert_eq!(outputs_of_steps(&mut model, 3, 12, 3), first, "{solver:?}");
    }
}

#[test]
fn a_jump_of_an_input_is_an_event_and_a_continuous_joint_is_none() {
    let folder = folder();
    let mut model = stepped(&folder, "ball.fmu", &["u"], &["h"], Solver::Bdf);
    let events = |model: &mut SteppedModel| model.instance().integer("events").unwrap();
    // One line over four steps, then a bend.
    for k in 0..4 {
        let t = 0.05 * f64::from(k);
        model.set_inputs(&[2.0 * t]).unwrap();
        model.set_input_derivatives(1, &[2.0]).unwrap();
        model.step(t, 0.05, true).unwrap();
    }
    assert_eq!(events(&mut model), 0);
    model.set_inputs(&[0.4]).unwrap();
    model.set_input_derivatives(1, &[-2.0]).unwrap();
    model.step(0.2, 0.05, true).unwrap();
    assert_eq!(events(&mut model), 0);
    // Held at another value.
    model.set_inputs(&[0.0]).unwrap();
    model.step(0.25, 0.05, true).unwrap();
    assert_eq!(events(&mut model), 1);
    model.set_inputs(&[0.0]).unwrap();
    model.step(0.3, 0.05, true).unwrap();
    assert_eq!(events(&mut model), 1);
    // v = -8 t + the area under the input.
    let mut h = [0.0];
    model.outputs(&mut h).unwrap();
    let exact = -8.0 * 0.35 + 0.04 + 0.05 * 0.35;
    assert!((model.instance().real("v").unwrap() - exact).abs() < 1e-6);
}

#[test]
fn discrete_inputs_are_set_in_event_mode() {
    let folder = folder();
    let text = "[simulation]\nstop = 0.4\nstep = 0.1\ntolerance = 1e-9\n\
         [components.a]\nfmu = 'discrete.fmu'\nset = { kind = 1, period = 0.1 }\n\
         [components.ball]\nfmu = 'ball.fmu'\n\
         [[connections]]\nfrom = 'a.r_out'\nto = 'ball.kick'\n\
         [[connections]]\nfrom = 'a.i_out'\nto = 'ball.push'\n";
    folder.write("discrete.fmu", &relay::discrete());
    let results = run(&mut folder.system(text).unwrap());
    // Sample k, at (k + 1) / 10 under jacobi, brings a kick of k / 2 and a push of k; each change by 1.5 is added once.
    let v = results.numbers("ball.v").unwrap();
    let n = results.numbers("a.i_out").unwrap();
    for (row, t) in results.times().iter().enumerate() {
        let before = if row == 0 { n[0] } else { n[row - 1] };
        let exact = -8.0 * t + 1.5 * (before - n[0]);
        assert!((v[row] - exact).abs() < 1e-6, "{t} {} {exact}", v[row]);
    }
    assert_eq!(n, [0.0, 1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn outputs_feed_through_and_their_derivatives_are_exact() {
    let folder = folder();
    let mut model = stepped(&folder, "me.fmu", &["u"], &["x", "y"], Solver::Bdf);
    let can = model.capabilities();
    assert!(can.outputs_follow_inputs && can.directional_derivatives && can.output_derivatives == 2);
    model.set_inputs(&[0.5]).unwrap();
    model.set_input_derivatives(1, &[0.25]).unwrap();
    model.step(0.0, 0.3, true).unwrap();
    let (x, v) = (
        model.instance().real("x").unwrap(),
        model.instance().real("v").unwrap(),
    );
    let u = 0.5 + 0.3 * 0.25;
    let mut y = [0.0; 2];
    model.outputs(&mut y).unwrap();
    assert!((y[1] - (v + 2.0 * u)).abs() < 1e-14);
    let mut dy = [0.0; 2];
    model.output_derivatives(1, &mut dy).unwrap();
    let dv = -4.0 * x - 0.1 * v + u;
    assert!(
        (dy[0] - v).abs() < 1e-14 && (dy[1] - (dv + 2.0 * 0.25)).abs() < 1e-13,
        "{dy:?}"
    );
    let mut ddy = [0.0; 2];
    model.output_derivatives(2, &mut ddy).unwrap();
    let ddv = -4.0 * v - 0.1 * dv + 0.25;
    assert!(
        (ddy[0] - dv).abs() < 1e-6 && (ddy[1] - ddv).abs() < 1e-6,
        "{ddy:?} {dv} {ddv}"
    );
    let mut again = [0.0; 2];
    model.outputs(&mut again).unwrap();
    assert_eq!(y, again, "the model is where it was");
    let mut matrix = [9.0; 2];
    model.feed_through(&mut matrix).unwrap();
    assert_eq!(matrix, [0.0, 2.0]);
    // Without a step.
    model.set_inputs(&[3.0]).unwrap();
    model.outputs(&mut y).unwrap();
    assert!((y[1] - (v + 6.0)).abs() < 1e-14);
    assert_eq!(
        stepped(&folder, "plain.fmu", &["u"], &["x"], Solver::Bdf)
            .capabilities()
            .output_derivatives,
        0
    );
}

#[test]
fn a_model_without_snapshots_steps_once_and_is_never_repeated() {
    let folder = folder();
    folder.write(
        "ball.fmu",
        &ball(|text| text.replace("canGetAndSetFMUstate=\"true\"", "")),
    );
    let system = |simulation: &str| {
        format!(
            "[simulation]\nstop = 1.3\nstep = 0.13\ntolerance = 1e-9\n{simulation}\n\
             [components.ball]\nfmu = 'ball.fmu'\n\
             [[connections]]\nfrom = 'ball.v'\nto = 'ball.u'\ngain = 0.0\n"
        )
    };
    for algorithm in ["newton", "iterated-gauss-seidel"] {
        let refusal = folder.refusal(&system(&format!("algorithm = '{algorithm}'")));
        assert!(
            refusal.contains("ball cannot go back to an earlier time (canGetAndSetFMUstate)"),
            "{refusal}"
        );
        assert!(refusal.contains("jacobi"), "{refusal}");
    }
    for algorithm in ["jacobi", "gauss-seidel"] {
        let text = system(&format!("algorithm = '{algorithm}'"));
        let results = run(&mut folder.system(&text).unwrap());
        assert!((last(&results, "ball.h") - height(1.3)).abs() < 1e-7);
    }
}

#[test]
fn a_model_may_end_the_simulation_inside_a_step() {
    let folder = folder();
    let end = |set: &str| {
        let text = format!(
            "[simulation]\nstop = 2.0\nstep = 0.4\ntolerance = 1e-9\n\
             [components.ball]\nfmu = 'ball.fmu'\nset = {set}\n\
             [components.other]\nfmu = 'both.fmu'\nset = {{ d = 0.0 }}\n"
        );
        let mut results = Results::default();
        let end = folder.system(&text).unwrap().run(&mut results, |_| true).unwrap();
        (end, results)
    };
    let (ended, results) = end("{ most = 2 }");
    let End::Terminated { component, time } = &ended else {
        panic!("{ended:?}");
    };
    assert_eq!(component, "ball");
    assert!((time.unwrap() - 1.0).abs() < 1e-8, "{time:?}");
    // All come to that time.
    assert!((results.times().last().unwrap() - 1.0).abs() < 1e-8);
    assert!((last(&results, "other.x") - 2.0_f64.cos()).abs() < 1e-6);
    let (ended, _) = end("{ end_at = 0.7 }");
    assert!(
        matches!(ended, End::Terminated { time: Some(time), .. } if (0.7..=0.8).contains(&time)),
        "{ended:?}"
    );
}

#[test]
fn a_refused_evaluation_makes_the_step_smaller_and_inputs_newer() {
    let folder = folder();
    // The force is 2 cos(2 t). Beyond 0.53 derivatives are refused where it is above 1: in the step from 0.48, over which
    // it is held at 1.15, but not in one from 0.53.
    let text = "[simulation]\nstop = 0.56\nstep = 0.08\ntolerance = 1e-9\n\
         [components.ball]\nfmu = 'ball.fmu'\nset = { limit = 0.53 }\n\
         [components.force]\nfmu = 'both.fmu'\nset = { d = 0.0 }\n\
         [[connections]]\nfrom = 'force.x'\nto = 'ball.u'\ngain = 2.0\nconvert = false\n";
    let mut results = Results::default();
    let mut system = folder.system(text).unwrap();
    assert_eq!(system.run(&mut results, |_| true).unwrap(), End::Reached);
    assert_eq!(system.master.statistics().discarded, 1);
    assert!(results.times().iter().any(|t| (t - 0.53).abs() < 1e-6));
    let exact = 1.0 - 4.0 * 0.56 * 0.56 + 0.5 * (1.0 - 1.12_f64.cos());
    let h = last(&results, "ball.h");
    // Not more than the error of a force that is held.
    assert!((h - exact).abs() < 0.03, "{h} {exact}");
}

/// The states of both components after a run: which interface they were made for.
fn interfaces(folder: &Folder, text: &str) -> Vec<State> {
    let mut system = folder.system(text).unwrap();
    run(&mut system);
    let state = |number| system.master.component(number).as_fmu().unwrap().state();
    (0..2).map(state).collect()
}

#[test]
fn the_interface_is_a_setting_where_an_fmu_has_both() {
    let folder = folder();
    let text = |simulation: &str, a: &str, b: &str| {
        format!("[simulation]\n{simulation}\n[components.a]\n{a}\n[components.b]\n{b}\n")
    };
    let (cs, me) = (State::StepComplete, State::ContinuousTime);
    let both = "fmu = 'both.fmu'";
    let asked = |interface: &str| format!("{both}\ninterface = '{interface}'");
    assert_eq!(interfaces(&folder, &text("", both, "fmu = 'me.fmu'")), [cs, me]);
    assert_eq!(
        interfaces(&folder, &text("", &asked("model-exchange"), both)),
        [me, cs]
    );
    let all = "interface = 'model-exchange'";
    assert_eq!(interfaces(&folder, &text(all, both, "fmu = 'cs.fmu'")), [me, cs]);
    assert_eq!(
        interfaces(&folder, &text(all, both, &asked("co-simulation"))),
        [me, cs]
    );
    let refusal = |a: &str| folder.refusal(&text("", a, both));
    assert_eq!(
        refusal("fmu = 'me.fmu'\ninterface = 'co-simulation'"),
        "line 4, component a: Oscillator has no Co-Simulation interface, it is for Model Exchange"
    );
    assert_eq!(
        refusal(&asked("me")),
        "line 5: `interface` is co-simulation or model-exchange, not 'me'"
    );
    assert_eq!(
        refusal("fmu = 'me.fmu'\nsolver = 'rk4'"),
        "line 5: no integrator of a component is called 'rk4'; there are bdf, dormand-prince"
    );
    assert_eq!(
        refusal("fmu = 'both.fmu'\nsolver = 'bdf'"),
        "line 4: solver = \"bdf\" is for a component that steps through Model Exchange, and a does not; it steps by itself: \
         add interface = \"model-exchange\""
    );
    let program = System::new("pair")
        .model_exchange("a", folder.path("both.fmu"), Solver::DormandPrince)
        .component("b", folder.path("both.fmu"));
    assert_eq!(program.components[0].interface, Some(Interface::ModelExchange));
    assert!(program.assemble().is_ok());
}

#[test]
fn an_ssp_file_names_the_interface_of_a_component_that_steps() {
    let folder = folder();
    let component = |name: &str, source: &str, more: &str| {
        format!(
            "<ssd:Component name=\"{name}\" type=\"application/x-fmu-sharedlibrary\" source=\"{source}\"{more}><ssd:Connectors>\
             <ssd:Connector name=\"u\" kind=\"input\"/><ssd:Connector name=\"x\" kind=\"output\"/></ssd:Connectors>\
             </ssd:Component>\n"
        )
    };
    let open = |first: &str, second: &str| {
        let parts = component("a", "both.fmu", first) + &component("b", "me.fmu", second);
        let text = ssp::system(&ssp::elements(&parts));
        let mut system = System::open(folder.write("plant.ssd", text.as_bytes())).unwrap();
        system.settings.stop = 0.1;
        system.assemble()
    };
    let states = |first: &str, second: &str| {
        let mut system = open(first, second).unwrap();
        run(&mut system);
        [0, 1].map(|number| system.master.component(number).as_fmu().unwrap().state())
    };
    let (cs, me) = (State::StepComplete, State::ContinuousTime);
    assert_eq!(states("", ""), [cs, me]);
    assert_eq!(states(" implementation=\"any\"", ""), [cs, me]);
    assert_eq!(
        states(
            " implementation=\"ModelExchange\"",
            " implementation=\"ModelExchange\""
        ),
        [me, me]
    );
    let refused = open("", " implementation=\"CoSimulation\"")
        .err()
        .unwrap()
        .to_string();
    assert!(refused.contains("has no Co-Simulation interface"), "{refused}");
}
