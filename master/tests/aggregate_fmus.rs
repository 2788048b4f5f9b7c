//! FMUs of C under one solver: their own events, steps that they want to hear of, and partial derivatives that have to be
//! found by differences.

use test_support::fmus;

use test_support::relay;

use fmu_importer::Fmu;
use fmu_master::Master;
use fmu_master::aggregate::{Assembly, FmuModel};
use fmu_master::component::Component;
use fmu_master::coupling::{Coupling, Input, Link, Output};
use fmu_master::model_exchange::SteppedModel;
use fmu_master::settings::{Settings, Solver};
use fmu_master::signals::Signals;
use fmu_master::statistics::Statistics;
use fmus::{DESCRIPTION, Recipe, TestFmu, oscillator};

const STOP: f64 = 3.5;
/// Where both masses begin, at rest.
const START: [f64; 2] = [1.0, -0.5];

/// Two masses on springs of stiffness 4 without dampers, each pulled by the other: x1'' = -4 x1 + x2, x2'' = -4 x2 + x1.
/// Their sum swings with the square root of 3, their difference with that of 5.
fn exact(t: f64) -> [f64; 2] {
    let sum = 0.5 * (START[0] + START[1]) * (3.0_f64.sqrt() * t).cos();
    let difference = 0.5 * (START[0] - START[1]) * (5.0_f64.sqrt() * t).cos();
    [sum + difference, sum - difference]
}

/// How often a mass passes the middle.
fn passages(mass: usize) -> usize {
    let points = (0..=35_000).map(|k| exact(f64::from(k) * 1e-4)[mass] > 0.0);
    let points: Vec<bool> = points.collect();
    points.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// Runs both masses, and answers the largest error.
fn run(fmu: &TestFmu) -> (f64, Statistics) {
    let fmu = Fmu::open(&fmu.path).unwrap();
    let mut system = Assembly::new();
    for (name, start) in ["a", "b"].into_iter().zip(START) {
        let mut mass = fmu.model_exchange(name).unwrap();
        mass.set("x", start).unwrap();
        mass.set("d", 0.0).unwrap();
        system.add(name, FmuModel::new(mass));
    }
    system.connect("a.x", "b.u").connect("b.x", "a.u");
    let settings = Settings::default().stop(STOP).step(0.05).tolerance(1e-8);
    let mut worst = 0.0_f64;
    let mut system = system.build(settings).unwrap();
    let ended = system.run(|point| {
        let [a, b] = exact(point.t);
        worst = worst.max((point.y[0] - a).abs()).max((point.y[2] - b).abs());
        true
    });
    ended.unwrap();
    (worst, system.statistics().clone())
}

/// One mass as equations.
fn mass(fmu: &Fmu, number: usize) -> FmuModel {
    let mut mass = fmu.model_exchange(["a", "b"][number]).unwrap();
    mass.set("x", START[number]).unwrap();
    mass.set("d", 0.0).unwrap();
    FmuModel::new(mass)
}

#[test]
fn equations_of_an_fmu_step_where_a_master_asks_for_steps() {
    let test = oscillator();
    let fmu = Fmu::open(&test.path).unwrap();
    let mut coupling = Coupling::default();
    let mut components: Vec<Box<dyn Component>> = Vec::new();
    for number in 0..2 {
        let model = mass(&fmu, number);
        let variables = model.variables();
        let link = Link::Output {
            output: variables.outputs.len() * (1 - number),
            gain: 1.0,
            offset: 0.0,
        };
        let input = |(name, _): &(String, f64)| Input {
            name: name.clone(),
            link,
        };
        let output = |(name, nominal): &(String, f64)| Output {
            name: name.clone(),
            nominal: *nominal,
            feed_through: Vec::new(),
        };
        coupling.add(
            ["a", "b"][number],
            variables.inputs.iter().map(input).collect(),
            variables.outputs.iter().map(output).collect(),
        );
        components.push(Box::new(model));
    }
    let settings = Settings::default()
        .stop(STOP)
        .step(0.01)
        .extrapolation(2)
        .tolerance(1e-8);
    let mut master = Master::new(coupling, components, Signals::new(), settings).unwrap();
    master.initialize(&[START[1], START[0]]).unwrap();
    let mut worst = 0.0_f64;
    let ended = master.run(|point| {
        let [a, b] = exact(point.t);
        let b_error = (point.y[point.y.len() / 2] - b).abs();
        worst = worst.max((point.y[0] - a).abs()).max(b_error);
        true
    });
    ended.unwrap();
    assert!(worst < 1e-4, "{worst:e}");
}

#[test]
fn a_stepped_fmu_gives_its_equations_to_an_aggregate() {
    let test = oscillator();
    let fmu = Fmu::open(&test.path).unwrap();
    let mut system = Assembly::new();
    for (name, start) in ["a", "b"].into_iter().zip(START) {
        let mut instance = fmu.model_exchange(name).unwrap();
        instance.set("x", start).unwrap();
        instance.set("d", 0.0).unwrap();
        let stepped = SteppedModel::new(instance, &[], &[], Solver::Bdf).unwrap();
        system.add_component(name, Box::new(stepped)).unwrap();
    }
    system.connect("a.x", "b.u").connect("b.x", "a.u");
    let settings = Settings::default().stop(STOP).step(0.05).tolerance(1e-8);
    let mut worst = 0.0_f64;
    let ended = system.build(settings).unwrap().run(|point| {
        worst = worst.max((point.y[0] - exact(point.t)[0]).abs());
        true
    });
    ended.unwrap();
    assert!(worst < 1e-6, "{worst:e}");
}

#[test]
fn each_fmu_has_its_own_events() {
    let (worst, statistics) = run(&oscillator());
    assert!(worst < 1e-6, "{worst:e}");
    // Both count the seconds, at the same times.
    let (time, state) = (3, passages(0) + passages(1));
    assert_eq!(statistics.summary.events.time, time);
    assert_eq!(statistics.summary.events.state, state);
    for (mass, component) in statistics.components.iter().enumerate() {
        assert_eq!(
            component.events as usize,
            time + passages(mass),
            "{}",
            component.name
        );
    }
}

#[test]
fn an_fmu_may_want_an_event_after_each_step() {
    let fmu = fmus::faulty("STEP_EVENT");
    let (worst, statistics) = run(&fmu);
    assert!(worst < 1e-6, "{worst:e}");
    assert!(statistics.summary.events.step > 10);
    assert_eq!(statistics.summary.events.state, passages(0) + passages(1));
}

#[test]
fn fmus_without_directional_derivatives_are_differentiated_by_differences() {
    let exact = run(&oscillator()).1;
    let plain = Recipe {
        description: DESCRIPTION.replace("providesDirectionalDerivative=\"true\"", ""),
        ..Recipe::default()
    };
    let (worst, statistics) = run(&plain.build());
    assert!(worst < 1e-6, "{worst:e}");
    // The same Jacobian, at the price of evaluations: the solver takes about as many steps.
    let (steps, others) = (statistics.summary.solver.steps, exact.summary.solver.steps);
    assert!(steps * 10 <= others * 11, "{steps} {others}");
}

/// The oscillator counts seconds by time events, and marks passages of the middle by state events; a relay repeats both.
#[test]
fn events_of_one_fmu_change_another() {
    let (folder, mass) = (relay::Folder::new(), oscillator());
    let path = folder.write("discrete.fmu", &relay::discrete());
    let mut system = Assembly::new();
    let relay = Fmu::open(path).unwrap().model_exchange("relay").unwrap();
    system.add("relay", FmuModel::new(relay));
    let mass = Fmu::open(&mass.path).unwrap().model_exchange("mass").unwrap();
    system.add("mass", FmuModel::new(mass));
    system
        .connect_discrete("mass.n", "relay.i_in")
        .connect_discrete("mass.flag", "relay.b_in")
        .connect("mass.x", "relay.r_in");
    let settings = Settings::default().stop(STOP).step(0.05).tolerance(1e-8);
    let mut rows = Vec::new();
    let mut system = system.build(settings).unwrap();
    let ended = system.run_with(|observed| {
        let event = observed.event;
        let mut read = |component: usize, integer: &str, boolean: &str| {
            let instance = observed
                .component(component)
                .and_then(|one| one.as_fmu())
                .unwrap();
            (
                instance.integer(integer).unwrap(),
                instance.boolean(boolean).unwrap(),
            )
        };
        rows.push((event, read(1, "n", "flag"), read(0, "i_out", "b_out")));
        Ok(true)
    });
    ended.unwrap();
    let events = system.statistics().summary.events;
    assert!(events.time == 3 && events.state > 1, "{events:?}");
    for (_, (n, flag), (repeated, mark)) in &rows {
        assert_eq!((n + 1, *flag), (*repeated, *mark));
    }
    assert!(rows.iter().any(|row| row.1.1) && rows.iter().any(|row| !row.1.1));
    assert_eq!(rows.last().map(|row| row.1.0), Some(3));
}
