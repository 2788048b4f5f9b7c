//! Discrete inputs in an aggregate: they have the values of their sources at every event of the reader and of the source,
//! and nothing else changes them.

use test_support::exponential;
use test_support::relay;
use test_support::ssp;

use controller::Controller;
use dc_motor::DCMotor;
use exponential::advance;
use fmu_importer::Fmu;
use fmu_master::aggregate::{Assembly, FmuModel, NativeModel};
use fmu_master::settings::{Settings, Solver};
use fmu_master::{Error, System};
use fmu_results::table::Results;
use fmu_runtime::prelude::*;
use relay::{Folder, discrete, last};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("discrete.fmu", &discrete());
    folder
}

fn settings(stop: f64, output_step: f64) -> Settings {
    Settings::default().stop(stop).step(output_step).tolerance(1e-9)
}

/// Runs a system file under one solver.
fn run(text: &str) -> Result<Results, String> {
    let folder = folder();
    let path = folder.write("system.toml", text.as_bytes());
    let aggregate = System::open(path).and_then(|system| system.aggregate());
    let mut results = Results::default();
    let mut aggregate = aggregate.map_err(|error| error.to_string())?;
    let ended = aggregate.run(&mut results, |_| true);
    ended.map_err(|error| error.to_string())?;
    Ok(results)
}

/// A system file of discrete FMUs, each with its values, and connections `reader.i < source.i`.
fn file(components: &[(&str, &str)], connections: &[&str]) -> String {
    let mut text = "[simulation]\nstop = 0.95\nstep = 0.05\nalgorithm = 'aggregate'\n".to_owned();
    for (name, values) in components {
        text += &format!("[components.{name}]\nfmu = 'discrete.fmu'\nset = {{ {values} }}\n");
    }
    for connection in connections {
        let (to, from) = connection.split_once(" < ").unwrap();
        text += &format!("[[connections]]\nfrom = '{from}'\nto = '{to}'\n");
    }
    text
}

/// The row at a time, after its event if it has one.
fn at(results: &Results, time: f64) -> usize {
    let times = results.times();
    times.iter().rposition(|t| (t - time).abs() < 1e-9).unwrap()
}

/// The speed of the motor under the sampled controller, by the matrix exponential from sample to sample.
fn controlled_speed(motor: &DCMotor, controller: &Controller, stop: f64) -> f64 {
    let (armature, rotor) = (&motor.armature, &motor.rotor);
    let (l, j) = (armature.inductance, rotor.inertia);
    let a = vec![
        vec![-armature.resistance / l, -motor.constant / l],
        vec![motor.constant / j, -rotor.friction / j],
    ];
    let (mut x, mut integral, mut t) = (vec![0.0, 0.0], 0.0, 0.0);
    while t < stop - 1e-9 {
        let error = controller.reference - x[1];
        integral += controller.ts * error;
        let command = controller.kp * error + controller.ki * integral;
        let step = controller.ts.min(stop - t);
        x = advance(&a, &[command / l, 0.0], &x, step);
        t += step;
    }
    x[1]
}

#[test]
fn a_sampled_controller_sees_its_measurement() {
    let (motor, controller) = (
        DCMotor::default(),
        Controller {
            reference: 100.0,
            kp: 0.05,
            ki: 0.2,
            ..Controller::default()
        },
    );
    let stop = 3.05;
    let exact = controlled_speed(&motor, &controller, stop);
    assert!((exact - 100.0).abs() < 20.0, "the loop is stable: {exact}");
    for controller_first in [false, true] {
        let mut system = Assembly::new();
        let add = |system: &mut Assembly, of_motor: bool| match of_motor {
            true => system.add("motor", NativeModel::new(DCMotor::default()).unwrap()),
            false => system.add("controller", NativeModel::new(controller.clone()).unwrap()),
        };
        add(&mut system, !controller_first);
        add(&mut system, controller_first);
        system
            .connect("motor.speed", "controller.measurement")
            .connect("controller.command", "motor.voltage");
        let mut system = system.build(settings(stop, 0.05)).unwrap();
        let coupling = system.coupling();
        let speed = coupling
            .outputs
            .iter()
            .position(|output| output.name == "motor.speed")
            .unwrap();
        let mut end = 0.0;
        let ended = system.run(|point| {
            end = point.y[speed];
            true
        });
        ended.unwrap();
        assert_eq!(system.statistics().summary.events.time, 30);
        assert!((end - exact).abs() < 1e-5, "{end} {exact}");
    }
}

const TYPES: [char; 5] = ['r', 'i', 'b', 's', 'e'];

/// Connections of all types from one component to another.
fn all_types(to: &str, from: &str) -> Vec<String> {
    TYPES
        .iter()
        .map(|kind| format!("{to}.{kind}_in < {from}.{kind}_out"))
        .collect()
}

#[test]
fn values_of_every_type_pass_a_chain_within_one_event() {
    // In the file the last reader comes first. It samples at the same times as the source.
    let components = [
        ("a", "period = 0.1"),
        ("b", ""),
        ("c", "gain = 2.0, shift = 1.0"),
        ("d", "kind = 1, period = 0.1"),
    ];
    let links: Vec<String> = [("a", "b"), ("b", "c"), ("c", "d")]
        .iter()
        .flat_map(|(to, from)| all_types(to, from))
        .collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let results = run(&file(&components, &links)).unwrap();
    let value = |name: &str, row: usize| results.numbers(name).unwrap()[row];
    let mut seen = 0.0;
    for k in 0..9_i32 {
        let (row, sample) = (at(&results, 0.1 * f64::from(k) + 0.05), f64::from(k));
        let odd = f64::from(k % 2);
        assert_eq!(value("a.r_out", row), sample + 1.0);
        assert_eq!(value("a.i_out", row), sample + 3.0);
        assert_eq!(value("a.b_out", row), odd);
        assert_eq!(value("a.e_out", row), 1.0 + odd);
        assert_eq!(results.texts("a.s_out").unwrap()[row], format!("<<<{k}>>>"));
        // What each sample saw is of the same time.
        seen = (3.0 * seen + 10.0 * (sample + 2.0) + 100.0 * odd + sample + 1.0) % 1000.0;
        assert_eq!(value("a.seen", row), seen, "sample {k}");
        // A component takes part once: it sees no mixture of old and new values.
        assert_eq!(value("b.passes", row), sample + 1.0);
        assert_eq!(value("a.passes", row), sample + 1.0);
    }
}

#[test]
fn a_reader_of_two_ways_sees_both_new_values_at_once() {
    let components = [("a", ""), ("b", ""), ("c", ""), ("d", "kind = 1, period = 0.1")];
    let links = [
        "a.i_in < d.i_out",
        "a.r_in < b.r_out",
        "b.r_in < c.r_out",
        "c.r_in < d.r_out",
    ];
    let results = run(&file(&components, &links)).unwrap();
    assert_eq!(last(&results, "a.r_out"), 4.5);
    assert_eq!(last(&results, "a.i_out"), 10.0);
    assert_eq!(last(&results, "a.passes"), 10.0);
}

#[test]
fn a_loop_of_discrete_values_that_settles_is_no_error() {
    // r = 0.5 r + 1 has the solution 2.
    let components = [("a", "gain = 0.5, shift = 1.0"), ("b", "")];
    let results = run(&file(&components, &["a.r_in < b.r_out", "b.r_in < a.r_out"])).unwrap();
    assert!((last(&results, "b.r_out") - 2.0).abs() < 1e-12);
}

#[test]
fn values_that_alternate_end_in_an_error_with_their_names() {
    let links = ["a.b_in < b.b_out", "b.b_in < a.b_out", "b.i_in < a.i_out"];
    for from in ["0.5", "0.0"] {
        let inverter = format!("kind = 3, from = {from}");
        let error = run(&file(&[("a", &inverter), ("b", "")], &links)).unwrap_err();
        let time = format!("t = {}", from.trim_end_matches(".0"));
        for part in [
            "a.b_out -> b.b_in",
            "b.b_out -> a.b_in",
            "true, false, true",
            "100 rounds",
            &time,
        ] {
            assert!(error.contains(part), "{part}: {error}");
        }
        assert!(!error.contains("i_out"), "{error}");
    }
    let grows = run(&file(
        &[("a", "gain = -3.0, shift = 1.0"), ("b", "")],
        &["a.r_in < b.r_out", "b.r_in < a.r_out"],
    ));
    let error = grows.unwrap_err();
    assert!(error.contains("a.r_out -> b.r_in"), "{error}");
}

/// Decays as exp(-t), and has an event at t = 0.5 that changes nothing, if it is asked to.
#[model]
pub struct Decay {
    /// State
    #[state(start = 1.0, output)]
    pub x: f64,
    /// When it has an event
    #[parameter(start = 10.0)]
    pub at: f64,
    /// Whether that was
    #[discrete(start = false, output)]
    pub was: bool,
}

#[equations]
impl Model for Decay {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
    fn event(&mut self, at: Event) {
        self.was |= at.scheduled;
    }
    fn next_event_time(&self, _t: f64) -> Option<f64> {
        (!self.was).then_some(self.at)
    }
}

/// A relay that reads a decay through a connection or a sum, and how often it was called. Answers its last output.
fn sampled(decay: Decay, period: f64, sum: bool) -> (f64, usize) {
    let folder = folder();
    let fmu = Fmu::open(folder.path("discrete.fmu")).unwrap();
    let mut relay = fmu.model_exchange("relay").unwrap();
    relay.set("period", period).unwrap();
    let mut system = Assembly::new();
    system.add("relay", FmuModel::new(relay));
    system.add("decay", NativeModel::new(decay).unwrap());
    match sum {
        true => system.sum(&[("decay.x", 2.0)], 1.0, "relay.r_in"),
        false => system.connect_with("decay.x", "relay.r_in", 2.0, 1.0),
    };
    let (mut end, mut passes) = (0.0, 0);
    let mut system = system.build(settings(0.95, 0.05)).unwrap();
    let ended = system.run_with(|observed| {
        end = observed.point().y[0];
        let fmu = observed
            .component(0)
            .and_then(|component| component.as_fmu())
            .unwrap();
        passes = fmu.integer("passes").unwrap();
        Ok::<bool, Error>(true)
    });
    ended.unwrap();
    (end, passes as usize)
}

#[test]
fn a_discrete_input_of_a_continuous_output_is_sampled_at_events_and_triggers_none() {
    for sum in [false, true] {
        // Its own samples, the last at t = 0.75.
        let (end, passes) = sampled(Decay::default(), 0.25, sum);
        assert!((end - (2.0 * (-0.75_f64).exp() + 1.0)).abs() < 1e-7, "{end}");
        assert_eq!(passes, 4);
        // No event of anybody after the start.
        assert_eq!(sampled(Decay::default(), 0.0, sum), (3.0, 1));
        // An event of the source.
        let source = Decay {
            at: 0.5,
            ..Decay::default()
        };
        let (end, passes) = sampled(source, 0.0, sum);
        assert!((end - (2.0 * (-0.5_f64).exp() + 1.0)).abs() < 1e-7, "{end}");
        assert_eq!(passes, 2);
    }
}

#[test]
fn an_external_input_reaches_a_discrete_input_where_it_jumps() {
    let text = file(&[("a", "")], &[])
        + "[[inputs]]\nto = 'a.r_in'\npoints = [[0.0, 1.0], [0.5, 2.0], [0.5, 4.0], [1.0, 5.0]]\n";
    let results = run(&text).unwrap();
    let values = results.numbers("a.r_out").unwrap();
    assert_eq!(values[at(&results, 0.45)], 1.0);
    assert_eq!(values[at(&results, 0.55)], 4.0);
    assert_eq!(last(&results, "a.r_out"), 4.0);
}

#[test]
fn an_ssp_file_may_hold_fmus_for_model_exchange() {
    let component = |name: &str, values: &str| {
        let connectors: String = ["r_in", "r_out", "i_in", "i_out"]
            .iter()
            .map(|connector| {
                let kind = if connector.ends_with("in") {
                    "input"
                } else {
                    "output"
                };
                format!("<ssd:Connector name=\"{connector}\" kind=\"{kind}\"/>")
            })
            .collect();
        format!(
            "<ssd:Component name=\"{name}\" type=\"application/x-fmu-sharedlibrary\" implementation=\"ModelExchange\" \
             source=\"discrete.fmu\"><ssd:Connectors>{connectors}</ssd:Connectors>{}</ssd:Component>\n",
            ssp::parameters(&ssp::inline(values))
        )
    };
    let source =
        ssp::real("period", 0.1) + "<ssv:Parameter name=\"kind\"><ssv:Integer value=\"1\"/></ssv:Parameter>";
    let parts = ssp::elements(&(component("a", &ssp::real("gain", 2.0)) + &component("b", &source)));
    let wires = ssp::wire("b.r_out", "a.r_in", "") + &ssp::wire("b.i_out", "a.i_in", "");
    let text = ssp::system(&(parts + &ssp::connections(&wires)));
    let folder = folder();
    let mut system = System::open(folder.write("plant.ssd", text.as_bytes())).unwrap();
    (system.settings.stop, system.settings.step) = (0.95, 0.05);
    let mut results = Results::default();
    system.aggregate().unwrap().run(&mut results, |_| true).unwrap();
    assert_eq!(last(&results, "a.r_out"), 9.0);
    assert_eq!(last(&results, "a.i_out"), 10.0);
}

#[test]
fn fmus_for_co_simulation_alone_are_refused_with_what_to_do() {
    let text = "[simulation]\nalgorithm = 'aggregate'\n[components.a]\nfmu = 'relay.fmu'\n";
    let error = run(text).unwrap_err();
    assert!(error.contains("component a"), "{error}");
    assert!(error.contains("Model Exchange"), "{error}");
}

/// Counts up every 0.1 s, at times that are added up, with a state beside it.
#[model]
pub struct Adder {
    /// State
    #[state(start = 1.0, output)]
    pub x: f64,
    /// Samples so far
    #[discrete(start = 0.0, output)]
    pub count: f64,
    /// Time of the next sample
    #[discrete(start = 0.0)]
    pub next: f64,
}

#[equations]
impl Model for Adder {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }
    fn event(&mut self, at: Event) {
        if at.initial || at.scheduled {
            self.count += 1.0;
            self.next += 0.1;
        }
    }
    fn next_event_time(&self, _t: f64) -> Option<f64> {
        Some(self.next)
    }
}

#[test]
fn samples_whose_times_differ_by_rounding_are_at_the_same_time() {
    let folder = folder();
    let fmu = Fmu::open(folder.path("discrete.fmu")).unwrap();
    for (reader, source) in [("a", "b"), ("b", "a")] {
        let mut relay = fmu.model_exchange(reader).unwrap();
        relay.set("period", 0.1).unwrap();
        let mut relay = Some(FmuModel::new(relay));
        let mut system = Assembly::new();
        for name in ["a", "b"] {
            match relay.take_if(|_| name == reader) {
                Some(relay) => system.add(name, relay),
                None => system.add(name, NativeModel::new(Adder::default()).unwrap()),
            };
        }
        system.connect(&format!("{source}.count"), &format!("{reader}.r_in"));
        let mut system = system.build(settings(5.95, 0.05)).unwrap();
        let outputs = &system.coupling().outputs;
        let output = outputs
            .iter()
            .position(|output| output.name.ends_with("r_out"))
            .unwrap();
        let mut wrong = Vec::new();
        let ended = system.run(|point| {
            let place = point.t / 0.1;
            if (place - place.round()).abs() > 0.1 && point.y[output] != place.floor() + 1.0 {
                wrong.push((point.t, point.y[output]));
            }
            true
        });
        assert_eq!(wrong, [], "{reader} reads {source}");
        ended.unwrap();
        assert_eq!(system.statistics().summary.events.time, 59);
    }
}

/// A tank that fills up to a level, where a valve opens, and then runs dry slowly.
#[model]
pub struct Tank {
    /// Level
    #[state(start = 1.0, output)]
    pub h: f64,
    /// The sum of samples over time
    #[state(start = 0.0, output)]
    pub sum: f64,
    /// The last sample
    #[input(start = 0.0)]
    pub sampled: f64,
    /// Where the valve opens
    #[parameter(start = 1.5)]
    pub level: f64,
    /// Whether it is open
    #[discrete(start = false, output)]
    pub open: bool,
}

#[equations]
impl Model for Tank {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            h: if self.open { -0.01 } else { 0.02 },
            sum: self.sampled,
        }
    }
    fn event_indicators(&self, _t: f64) -> [f64; 1] {
        [if self.open { 1.0 } else { self.level - self.h }]
    }
    fn event(&mut self, _at: Event) {
        self.open |= self.h >= self.level;
    }
}

/// Samples each second.
#[model]
pub struct Sampler {
    /// What is sampled
    #[input(discrete, start = 0.0)]
    pub u: f64,
    /// The last sample
    #[discrete(start = 0.0, output)]
    pub y: f64,
    /// Samples so far
    #[discrete(start = 0)]
    pub count: i32,
}

#[equations]
impl Model for Sampler {
    fn event(&mut self, at: Event) {
        if at.initial || at.scheduled {
            self.y = self.u;
            self.count += 1;
        }
    }
    fn next_event_time(&self, _t: f64) -> Option<f64> {
        Some(f64::from(self.count))
    }
}

#[test]
fn a_state_event_within_roundings_of_a_sample_is_no_obstacle() {
    // The level is reached at t = 25, where a sample is, or so much later.
    let gaps = [
        0.0, 1e-14, 3e-14, 1e-13, 3e-13, 1e-12, 3e-12, 1e-11, 3e-11, 1e-10, 1e-9,
    ];
    for gap in gaps.iter().flat_map(|gap| [*gap, -gap]) {
        for (solver, tolerance) in [
            (Solver::Bdf, 1e-4),
            (Solver::Bdf, 3e-5),
            (Solver::Bdf, 1e-7),
            (Solver::Esdirk34, 1e-5),
            (Solver::TrBdf2, 1e-5),
            (Solver::Tsit45, 1e-5),
        ] {
            let tank = Tank {
                level: 1.5 + 0.02 * gap,
                ..Tank::default()
            };
            let mut system = Assembly::new();
            system.add("tank", NativeModel::new(tank).unwrap());
            system.add("sampler", NativeModel::new(Sampler::default()).unwrap());
            system
                .connect("tank.h", "sampler.u")
                .connect("sampler.y", "tank.sampled");
            let settings = Settings::default()
                .stop(27.5)
                .step(0.25)
                .tolerance(tolerance)
                .solver(solver);
            let mut system = system.build(settings).unwrap();
            let mut last = Vec::new();
            let ended = system.run(|point| {
                last = point.y.to_vec();
                true
            });
            let what = format!("{gap:e} {solver} {tolerance:e}");
            ended.unwrap_or_else(|error| panic!("{what}: {error}"));
            let level = |t: f64| match t <= 25.0 {
                true => 1.0 + 0.02 * t,
                false => 1.5 - 0.01 * (t - 25.0),
            };
            let sum: f64 = (0..27).map(|at| level(f64::from(at))).sum::<f64>() + 0.5 * level(27.0);
            let error = (last[0] - level(27.5)).abs().max((last[1] - sum).abs() / sum);
            assert!(error < tolerance, "{what}: {error:e}");
            assert_eq!(system.statistics().summary.events.state, 1, "{what}");
        }
    }
}
