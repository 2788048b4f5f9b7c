//! Error control over jumps of discrete links and over jumps that no step locates: every run ends, the error is held, and steps
//! at the minimum are counted.

mod common;

use common::{System, couple};
use fmu_importer::{BaseType, Value};
use fmu_master::component::{Capabilities, Component, ComponentError, Outcome, Stepping};
use fmu_master::coupling::{Coupling, DiscreteLink, Output};
use fmu_master::settings::{Algorithm, Control, Settings};
use fmu_master::signals::Signals;
use fmu_master::{Error, Master};

const ALGORITHMS: [Algorithm; 4] = [
    Algorithm::Jacobi,
    Algorithm::GaussSeidel,
    Algorithm::IteratedGaussSeidel,
    Algorithm::Newton,
];

/// When the source changes its value, and how fast the reader fills before and after that.
const JUMPS: [f64; 2] = [0.137, 0.77];
const RATES: [f64; 3] = [1.0, -2.0, 3.0];

/// What a discrete value means in this test: the position of its rate.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Boolean,
    /// Enumerations, too: to the master their values are Integers.
    Integer,
}

impl Kind {
    fn base_type(self) -> BaseType {
        match self {
            Kind::Boolean => BaseType::Boolean,
            Kind::Integer => BaseType::Integer,
        }
    }

    fn value(self, at: usize) -> Value {
        match self {
            Kind::Boolean => Value::Boolean(at % 2 == 1),
            Kind::Integer => Value::Integer(at as i32 + 1),
        }
    }

    fn rate(self, at: usize) -> f64 {
        match self {
            Kind::Boolean => RATES[at % 2],
            Kind::Integer => RATES[at],
        }
    }
}

/// A source of a discrete value, or a reader that fills by it.
struct Part {
    kind: Kind,
    reads: bool,
    /// The values that the reader understands, by the position of their rates.
    understood: Vec<Value>,
    t: f64,
    x: f64,
    rate: f64,
    saved: Vec<(f64, f64, f64)>,
}

impl Part {
    fn new(kind: Kind, reads: bool) -> Part {
        Part {
            kind,
            reads,
            understood: (0..3).map(|at| kind.value(at)).collect(),
            t: 0.0,
            x: 0.0,
            rate: kind.rate(0),
            saved: Vec::new(),
        }
    }
}

impl Component for Part {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
            .snapshots(true)
            .outputs_follow_inputs(true)
            .directional_derivatives(true)
            .variable_step(true)
    }

    fn into_stepping(self: Box<Self>) -> Option<Box<dyn Stepping>> {
        Some(self)
    }

    fn set_inputs(&mut self, _: &[f64]) -> Result<(), ComponentError> {
        Ok(())
    }

    fn value(&mut self, base_type: BaseType, _: u32) -> Result<Value, ComponentError> {
        assert_eq!(base_type, self.kind.base_type());
        let at = JUMPS.iter().filter(|jump| self.t >= **jump).count();
        Ok(self.kind.value(at))
    }

    fn set_value(&mut self, _: u32, value: &Value) -> Result<(), ComponentError> {
        let at = self.understood.iter().position(|understood| understood == value);
        let at = at.ok_or_else(|| format!("it does not know {value:?}"))?;
        self.rate = self.kind.rate(at);
        Ok(())
    }

    fn enter_initialization(&mut self, t: f64, _: f64, _: Option<f64>) -> Result<(), ComponentError> {
        self.t = t;
        Ok(())
    }
}

impl Stepping for Part {
    fn outputs(&mut self, y: &mut [f64]) -> Result<(), ComponentError> {
        y.fill(self.x);
        Ok(())
    }

    fn feed_through(&mut self, _: &mut [f64]) -> Result<(), ComponentError> {
        Ok(())
    }

    fn step(&mut self, t: f64, h: f64, _: bool) -> Result<Outcome, ComponentError> {
        self.t = t + h;
        self.x += h * if self.reads { self.rate } else { 0.0 };
        Ok(Outcome::Done)
    }

    fn save(&mut self, place: usize) -> Result<(), ComponentError> {
        self.saved
            .resize(self.saved.len().max(place + 1), (0.0, 0.0, 0.0));
        self.saved[place] = (self.t, self.x, self.rate);
        Ok(())
    }

    fn restore(&mut self, place: usize) -> Result<(), ComponentError> {
        (self.t, self.x, self.rate) = self.saved[place];
        Ok(())
    }
}

fn run(kind: Kind, settings: Settings) -> Result<Master, Error> {
    let mut master = coupled(kind, settings, |_, _| ())?;
    master.run(|_| true)?;
    Ok(master)
}

/// The initialized system, with a change to the link and to the reader.
fn coupled(
    kind: Kind,
    settings: Settings,
    change: impl Fn(&mut DiscreteLink, &mut Part),
) -> Result<Master, Error> {
    let mut coupling = Coupling::default();
    coupling.add("source", Vec::new(), Vec::new());
    let contents = Output {
        name: "store.x".to_owned(),
        nominal: 1.0,
        feed_through: Vec::new(),
    };
    coupling.add("store", Vec::new(), vec![contents]);
    let mut link = DiscreteLink {
        names: ("source.mode".to_owned(), "store.mode".to_owned()),
        base_type: kind.base_type(),
        into: kind.base_type(),
        gain: 1.0,
        offset: 0.0,
        map: Vec::new(),
        from: (0, 0),
        to: (1, 0),
    };
    let (source, mut reader) = (Part::new(kind, false), Part::new(kind, true));
    change(&mut link, &mut reader);
    coupling.discrete.push(link);
    let components: Vec<Box<dyn Component>> = vec![Box::new(source), Box::new(reader)];
    let mut master = Master::new(coupling, components, Signals::new(), settings)?;
    master.initialize(&[])?;
    Ok(master)
}

#[test]
fn jumps_of_discrete_links_are_located() {
    for kind in [Kind::Boolean, Kind::Integer] {
        let exact =
            kind.rate(0) * JUMPS[0] + kind.rate(1) * (JUMPS[1] - JUMPS[0]) + kind.rate(2) * (1.0 - JUMPS[1]);
        for algorithm in ALGORITHMS {
            for tolerance in [1e-3, 1e-4, 1e-5] {
                let settings = Settings::default()
                    .step(0.1)
                    .algorithm(algorithm)
                    .control(Some(Control::new(tolerance, 1.0)));
                let master = run(kind, settings).unwrap();
                // The contents are at most 1.2 on the way.
                let error = (master.outputs()[0] - exact).abs() / (tolerance * 2.2);
                assert!(
                    error <= 10.0,
                    "{kind:?} {algorithm:?} {tolerance:e}: {error} tolerances"
                );
                let statistics = master.statistics();
                assert!(
                    statistics.jumps >= 2 && statistics.steps + statistics.rejected < 400,
                    "{kind:?} {algorithm:?} {tolerance:e}: {statistics:?}"
                );
            }
        }
    }
}

#[test]
fn a_jump_that_no_step_locates_well_enough_is_accepted_at_the_minimum_and_counted() {
    for kind in [Kind::Boolean, Kind::Integer] {
        for algorithm in ALGORITHMS {
            let minimum = 0.01;
            let settings = Settings::default()
                .step(0.1)
                .algorithm(algorithm)
                .control(Some(Control::new(1e-4, 1.0).minimum(minimum)));
            let master = run(kind, settings).unwrap();
            let statistics = master.statistics();
            assert!(
                (1..=4).contains(&statistics.at_minimum)
                    && statistics.smallest_step >= minimum * (1.0 - 1e-9),
                "{kind:?} {algorithm:?}: {statistics:?}"
            );
            assert!(
                statistics.steps + statistics.rejected < 200,
                "{kind:?} {algorithm:?}: {statistics:?}"
            );
            let warned = master
                .warnings()
                .iter()
                .filter(|line| line.contains("store.x jumps at t ="));
            assert_eq!(warned.count(), 1, "{:?}", master.warnings());
        }
    }
}

/// An output that jumps on its own, and feeds an integrator.
#[test]
fn a_jump_of_an_output_at_the_minimum_step_is_counted() {
    for algorithm in ALGORITHMS {
        for extrapolation in 0..3 {
            let source = System::new(
                &[],
                0,
                1,
                |_, _, _| vec![],
                |t, _, _| vec![if t < 0.437 { 0.0 } else { 1.0 }],
            );
            let integrator = System::new(&[0.0], 1, 1, |_, _, u| vec![u[0]], |_, x, _| x.to_vec());
            let parts = vec![
                (source, vec![], vec![vec![]]),
                (integrator, vec![0], vec![vec![]]),
            ];
            let settings = Settings::default()
                .step(0.1)
                .algorithm(algorithm)
                .extrapolation(extrapolation)
                .differences(true)
                .control(Some(Control::new(1e-4, 1.0).minimum(0.01)));
            let mut master = couple(parts, settings).unwrap();
            master.initialize(&[0.0]).unwrap();
            master.run(|_| true).unwrap();
            let statistics = master.statistics();
            assert!(
                statistics.at_minimum >= 1 && statistics.steps + statistics.rejected < 200,
                "{algorithm:?} {extrapolation}: {statistics:?}"
            );
            let error = (master.outputs()[1] - 0.563).abs();
            assert!(error <= 0.01, "{algorithm:?} {extrapolation}: {error}");
        }
    }
}

/// One conversion of a link: the type of its source and of its input, factor, summand and mapping, and the values that the
/// input must be given for the values of the source.
type Conversion = (Kind, BaseType, f64, f64, Vec<(Value, Value)>, Vec<Value>);

#[test]
fn a_link_that_converts_its_value_jumps_with_the_value_of_its_input() {
    use Value::{Boolean, Integer, Real};
    let conversions: [Conversion; 5] = [
        (
            Kind::Integer,
            BaseType::Real,
            1.0,
            0.0,
            vec![],
            vec![Real(1.0), Real(2.0), Real(3.0)],
        ),
        (
            Kind::Integer,
            BaseType::Real,
            -2.0,
            0.5,
            vec![],
            vec![Real(-1.5), Real(-3.5), Real(-5.5)],
        ),
        (
            Kind::Boolean,
            BaseType::Real,
            3.0,
            1.0,
            vec![],
            vec![Real(1.0), Real(4.0)],
        ),
        (
            Kind::Boolean,
            BaseType::Integer,
            1.0,
            0.0,
            vec![],
            vec![Integer(0), Integer(1)],
        ),
        (
            Kind::Boolean,
            BaseType::Integer,
            1.0,
            0.0,
            vec![(Boolean(false), Integer(40)), (Boolean(true), Integer(70))],
            vec![Integer(40), Integer(70)],
        ),
    ];
    for (kind, into, gain, offset, map, understood) in conversions {
        let exact =
            kind.rate(0) * JUMPS[0] + kind.rate(1) * (JUMPS[1] - JUMPS[0]) + kind.rate(2) * (1.0 - JUMPS[1]);
        for algorithm in ALGORITHMS {
            let settings = Settings::default()
                .step(0.1)
                .algorithm(algorithm)
                .control(Some(Control::new(1e-4, 1.0)));
            let mut master = coupled(kind, settings, |link, reader| {
                (link.into, link.gain, link.offset) = (into, gain, offset);
                link.map = map.clone();
                reader.understood = understood.clone();
            })
            .unwrap();
            let case = format!("{kind:?} -> {into:?} {understood:?} {algorithm:?}");
            master
                .run(|_| true)
                .unwrap_or_else(|error| panic!("{case}: {error}"));
            let error = (master.outputs()[0] - exact).abs() / (1e-4 * 2.2);
            assert!(error <= 10.0, "{case}: {error} tolerances");
            assert!(
                master.statistics().jumps >= 2,
                "{case}: {:?}",
                master.statistics()
            );
        }
    }
}

#[test]
fn a_run_that_fails_inside_a_step_is_at_the_last_point_that_it_has_shown() {
    for control in [None, Some(Control::new(1e-4, 1.0))] {
        let settings = Settings::default()
            .step(0.1)
            .algorithm(Algorithm::Jacobi)
            .control(control);
        // The reader knows the first value only.
        let mut master = coupled(Kind::Integer, settings, |_, reader| reader.understood.truncate(1)).unwrap();
        let mut shown = 0.0;
        let end = master.run(|point| {
            shown = point.t;
            true
        });
        assert!(matches!(end, Err(Error::Component { .. })), "{end:?}");
        assert_eq!(master.time(), shown, "{control:?}");
    }
}
