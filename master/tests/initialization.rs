//! Initialization of stepped components: consistent values of every type at the start, or an error or a warning that names
//! what is not.

use test_support::relay;

use fmu_importer::{BaseType, Value};
use fmu_master::component::{Capabilities, Component, ComponentError, Outcome, Stepping};
use fmu_master::coupling::{Coupling, DiscreteLink, Input, Link, Output};
use fmu_master::settings::{Algorithm, Settings};
use fmu_master::signals::Signals;
use fmu_master::{Error, Master};
use fmu_results::table::Results;
use relay::{Folder, run};

const ALGORITHMS: [&str; 4] = ["jacobi", "gauss-seidel", "iterated-gauss-seidel", "newton"];

/// Relays in a chain or a ring: `connections` are pairs of reader and source.
fn relays(algorithm: &str, names: &[&str], connections: &[(&str, &str)]) -> String {
    let mut text = format!("[simulation]\nstop = 0.3\nstep = 0.1\nalgorithm = '{algorithm}'\n");
    for name in names {
        text += &format!("[components.{name}]\nfmu = 'relay.fmu'\n");
    }
    for (to, from) in connections {
        for variable in ["count", "on", "text", "mode"] {
            text += &format!("[[connections]]\nfrom = '{from}.{variable}_out'\nto = '{to}.{variable}_in'\n");
        }
    }
    text
}

fn first(results: &Results, name: &str) -> f64 {
    results.numbers(name).unwrap()[0]
}

#[test]
fn a_chain_of_discrete_values_is_consistent_at_the_start() {
    let folder = Folder::new();
    for algorithm in ALGORITHMS {
        // In the file readers come first.
        let text = relays(
            algorithm,
            &["a", "b", "c", "d"],
            &[("a", "b"), ("b", "c"), ("c", "d")],
        );
        let results = run(&mut folder.system(&text).unwrap());
        assert_eq!(first(&results, "a.count_out"), 4.0, "{algorithm}");
        assert_eq!(first(&results, "a.on_out"), 0.0, "{algorithm}");
        assert_eq!(results.texts("a.text_out").unwrap()[0], "<<<<>>>>", "{algorithm}");
    }
}

#[test]
fn values_that_alternate_at_the_start_are_an_error_with_their_names() {
    let folder = Folder::new();
    for algorithm in ALGORITHMS {
        // Three inverters in a ring have no solution, and a counter that feeds itself has none.
        let text = relays(algorithm, &["a", "b", "c"], &[("a", "b"), ("b", "c"), ("c", "a")]);
        let mut assembled = folder.system(&text).unwrap();
        let error = assembled
            .run(&mut Results::default(), |_| true)
            .unwrap_err()
            .to_string();
        for part in [
            "t = 0",
            "100 rounds",
            "a.on_out -> c.on_in (..., ",
            "b.count_out -> a.count_in",
        ] {
            assert!(error.contains(part), "{algorithm}, {part}: {error}");
        }
        assert!(!error.contains("mode"), "modes settle: {error}");
    }
}

/// Discrete FMUs for Model Exchange, stepped: `connections` are pairs of reader and source.
fn models(algorithm: &str, components: &[(&str, &str)], connections: &[(&str, &str)]) -> String {
    let mut text = format!("[simulation]\nstop = 0.3\nstep = 0.1\nalgorithm = '{algorithm}'\n");
    for (name, values) in components {
        text += &format!("[components.{name}]\nfmu = 'discrete.fmu'\nset = {{ {values} }}\n");
    }
    for (to, from) in connections {
        for variable in ["r", "i", "b", "s", "e"] {
            text += &format!("[[connections]]\nfrom = '{from}.{variable}_out'\nto = '{to}.{variable}_in'\n");
        }
    }
    text
}

#[test]
fn stepped_model_exchange_fmus_are_consistent_at_the_start_or_an_error() {
    let folder = Folder::new();
    folder.write("discrete.fmu", &relay::discrete());
    for algorithm in ["jacobi", "gauss-seidel"] {
        let chain = [
            ("a", ""),
            ("b", "gain = 3.0"),
            ("c", ""),
            ("d", "r_in = 2.0, i_in = 5, b_in = true, s_in = 'x', e_in = 2"),
        ];
        let text = models(algorithm, &chain, &[("a", "b"), ("b", "c"), ("c", "d")]);
        let results = run(&mut folder.system(&text).unwrap());
        assert_eq!(first(&results, "a.r_out"), 6.0, "{algorithm}");
        assert_eq!(first(&results, "a.i_out"), 9.0, "{algorithm}");
        assert_eq!(first(&results, "a.b_out"), 1.0, "{algorithm}");
        assert_eq!(first(&results, "a.e_out"), 2.0, "{algorithm}");
        assert_eq!(results.texts("a.s_out").unwrap()[0], "<<<<x>>>>", "{algorithm}");

        let ring = [("a", "kind = 3"), ("b", "")];
        let text = models(algorithm, &ring, &[("a", "b"), ("b", "a")]);
        let mut assembled = folder.system(&text).unwrap();
        let error = assembled
            .run(&mut Results::default(), |_| true)
            .unwrap_err()
            .to_string();
        assert!(error.contains("a.b_out -> b.b_in (..., "), "{algorithm}: {error}");
    }
}

/// y = base + u (+ 10, if its discrete input is true); leaving initialization mode changes `base` to `later`, and the
/// discrete output from false to `flips`.
#[derive(Clone)]
struct Switch {
    base: f64,
    later: f64,
    flips: bool,
    follows: bool,
    u: f64,
    on: bool,
    flag: bool,
    /// What `y` is computed with, if it does not follow.
    seen: (f64, bool),
    initializing: bool,
    inputs: usize,
}

impl Switch {
    fn new(base: f64, later: f64, inputs: usize) -> Switch {
        Switch {
            base,
            later,
            flips: false,
            follows: true,
            u: 0.0,
            on: false,
            flag: false,
            seen: (0.0, false),
            initializing: false,
            inputs,
        }
    }
}

impl Component for Switch {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
            .outputs_follow_inputs(self.follows)
            .variable_step(true)
    }

    fn into_stepping(self: Box<Self>) -> Option<Box<dyn Stepping>> {
        Some(self)
    }

    fn set_inputs(&mut self, u: &[f64]) -> Result<(), ComponentError> {
        self.u = u.first().copied().unwrap_or(0.0);
        Ok(())
    }

    fn value(&mut self, _: BaseType, _: u32) -> Result<Value, ComponentError> {
        Ok(Value::Boolean(self.flag))
    }

    fn set_value(&mut self, _: u32, value: &Value) -> Result<(), ComponentError> {
        self.on = *value == Value::Boolean(true);
        Ok(())
    }

    fn enter_initialization(&mut self, _: f64, _: f64, _: Option<f64>) -> Result<(), ComponentError> {
        self.initializing = true;
        Ok(())
    }

    fn exit_initialization(&mut self) -> Result<(), ComponentError> {
        self.initializing = false;
        self.base = self.later;
        self.flag = self.flips;
        Ok(())
    }
}

impl Stepping for Switch {
    fn outputs(&mut self, y: &mut [f64]) -> Result<(), ComponentError> {
        if self.initializing || self.follows {
            self.seen = (self.u, self.on);
        }
        y[0] = self.base + self.seen.0 + if self.seen.1 { 10.0 } else { 0.0 };
        Ok(())
    }

    fn output_derivatives(&mut self, _: u32, _: &mut [f64]) -> Result<(), ComponentError> {
        Ok(())
    }

    fn feed_through(&mut self, matrix: &mut [f64]) -> Result<(), ComponentError> {
        matrix.fill(1.0);
        Ok(())
    }

    fn step(&mut self, _: f64, _: f64, _: bool) -> Result<Outcome, ComponentError> {
        self.seen = (self.u, self.on);
        Ok(Outcome::Done)
    }

    fn save(&mut self, _: usize) -> Result<(), ComponentError> {
        Err("no snapshots".into())
    }

    fn restore(&mut self, _: usize) -> Result<(), ComponentError> {
        Err("no snapshots".into())
    }
}

/// A chain in which each component reads the Real output of the one before; the last also reads the discrete output of
/// the first, if asked to. Readers come first.
fn chain(switches: &[Switch], discrete: bool) -> Result<Master, Error> {
    let mut coupling = Coupling::default();
    let count = switches.len();
    for (number, switch) in switches.iter().enumerate() {
        let inputs = (0..switch.inputs).map(|_| Input {
            name: format!("s{number}.u"),
            link: Link::Output {
                output: number + 1,
                gain: 1.0,
                offset: 0.0,
            },
        });
        let output = Output {
            name: format!("s{number}.y"),
            nominal: 1.0,
            feed_through: (0..switch.inputs).collect(),
        };
        coupling.add(&format!("s{number}"), inputs.collect(), vec![output]);
    }
    if discrete {
        coupling.discrete = vec![DiscreteLink {
            names: (format!("s{}.flag", count - 1), "s0.on".to_owned()),
            base_type: BaseType::Boolean,
            into: BaseType::Boolean,
            gain: 1.0,
            offset: 0.0,
            map: Vec::new(),
            from: (count - 1, 0),
            to: (0, 0),
        }];
    }
    let components = switches
        .iter()
        .cloned()
        .map(|one| Box::new(one) as Box<dyn Component>);
    let settings = Settings::default()
        .stop(1.0)
        .step(0.1)
        .algorithm(Algorithm::Jacobi);
    let mut master = Master::new(coupling, components.collect(), Signals::new(), settings)?;
    let start = vec![0.0; master.inputs().len()];
    master.initialize(&start)?;
    Ok(master)
}

#[test]
fn what_changes_when_initialization_ends_reaches_all_who_follow() {
    // The source jumps from 1 to 5 when initialization ends; all others add 2.
    let switches = [
        Switch::new(2.0, 2.0, 1),
        Switch::new(2.0, 2.0, 1),
        Switch::new(1.0, 5.0, 0),
    ];
    let master = chain(&switches, false).unwrap();
    assert_eq!(master.outputs(), [9.0, 7.0, 5.0]);
    assert_eq!(master.inputs(), [7.0, 5.0]);
    assert_eq!(master.warnings(), Vec::<String>::new());
}

#[test]
fn discrete_values_that_change_when_initialization_ends_reach_their_readers() {
    let mut source = Switch::new(1.0, 1.0, 0);
    source.flips = true;
    let master = chain(&[Switch::new(2.0, 2.0, 1), source], true).unwrap();
    assert_eq!(master.outputs(), [13.0, 1.0]);
    assert_eq!(master.warnings(), Vec::<String>::new());
}

#[test]
fn what_cannot_follow_is_a_warning_with_both_values() {
    let mut source = Switch::new(1.0, 5.0, 0);
    source.flips = true;
    let mut reader = Switch::new(2.0, 2.0, 1);
    reader.follows = false;
    let master = chain(&[reader, source], true).unwrap();
    assert_eq!(master.outputs(), [3.0, 5.0]);
    // The first step has the new value.
    assert_eq!(master.inputs(), [5.0]);
    let [real, discrete] = master.warnings() else {
        panic!("two warnings: {:?}", master.warnings());
    };
    assert!(
        real.starts_with("s0.u was initialized with 1, but s1.y gives 5 after initialization"),
        "{real}"
    );
    assert!(
        discrete.starts_with("s0.on was initialized with false, but s1.flag gives true"),
        "{discrete}"
    );
}
