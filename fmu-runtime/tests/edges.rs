//! `rising` and `falling`, hysteresis and friction that sticks: events at closed forms, without indicators by hand.

use fmu_runtime::evaluator::Evaluator;
use fmu_runtime::native::{Native, Options, Solver};
use fmu_runtime::parts::StickSlip;
use fmu_runtime::prelude::*;
use fmu_runtime::stored::{Reader, Writer};

const LOW: f64 = 1.0;

/// A tank whose valve opens and closes at two levels
#[model]
struct Tank {
    /// Level
    #[state(start = 1.5)]
    level: f64,
    /// Upper level
    #[parameter(start = 2.0)]
    high: f64,
    /// Valve open
    #[discrete(start = false)]
    open: bool,
    /// Times that the valve was opened
    #[discrete(start = 0)]
    opened: i32,
    /// Time of the last change
    #[discrete(start = 0.0)]
    changed: f64,
    /// An alarm by time and count
    #[discrete(start = 0)]
    alarms: i32,
}

#[equations]
impl Model for Tank {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            level: if self.open { -0.5 } else { 0.25 },
        }
    }

    fn event(&mut self, at: Event) {
        if rising(self.level > self.high) {
            self.open = true;
            self.opened += 1;
            self.changed = at.time;
        }
        if falling(self.level >= LOW) {
            self.open = false;
            self.changed = at.time;
        }
        if rising(at.time > 5.25 && self.opened < 3) || rising(self.opened > 2) {
            self.alarms += 1;
        }
    }
}

fn all_options() -> Vec<Options> {
    vec![
        Options::default(),
        Options::with(Solver::RungeKutta4).with_max_step(0.3),
        #[cfg(feature = "bdf")]
        Options::with(Solver::Bdf),
    ]
}

#[test]
fn edges_come_where_their_conditions_change() {
    for options in all_options() {
        let mut tank = Native::new(Tank::default());
        tank.initialize(0.0).unwrap();
        assert_eq!(tank.indicators().unwrap().len(), 3, "integers are not watched");
        // Up in 2 s, then down in 2 s and up in 4 s, again and again.
        let mut exact = vec![2.0];
        while exact.len() < 10 {
            let step = if exact.len() % 2 == 1 { 2.0 } else { 4.0 };
            exact.push(exact[exact.len() - 1] + step);
        }
        for (k, t) in exact.iter().enumerate() {
            tank.simulate(t + 0.5, options).unwrap();
            assert!(
                (tank.changed - t).abs() < 1e-9,
                "{k}: {}, {options:?}",
                tank.changed
            );
            assert_eq!((tank.open, tank.opened), (k % 2 == 0, (k as i32 + 2) / 2));
        }
        // At t = 5.25, and with the third time at t = 14.
        assert_eq!(tank.alarms, 2);
        // A level is passed on the way there and on the way back.
        assert_eq!(tank.events(), 2 * exact.len() + 1);
    }
}

#[test]
fn nothing_rises_at_the_start() {
    let mut tank = Native::new(Tank {
        level: 3.0,
        ..Tank::default()
    });
    tank.initialize(0.0).unwrap();
    assert_eq!((tank.opened, tank.open), (0, false));
    // A field that is set by hand changes the condition, too.
    tank.level = 0.5;
    tank.simulate(0.5, Options::default()).unwrap();
    assert_eq!((tank.opened, tank.events()), (0, 1), "it has fallen");
    tank.level = 2.5;
    tank.simulate(1.0, Options::default()).unwrap();
    assert_eq!((tank.opened, tank.open), (1, true));
}

/// Two tanks as parts
#[model]
struct Pair {
    /// Tanks
    #[part]
    tanks: [Tank; 2],
    /// The second one is the higher one
    #[discrete(start = false)]
    second: bool,
}

#[equations]
impl Model for Pair {
    fn event(&mut self, _: Event) {
        if rising(self.tanks[1].level > self.tanks[0].level) {
            self.second = true;
        }
        if falling(self.tanks[1].level > self.tanks[0].level) {
            self.second = false;
        }
    }
}

#[test]
fn parts_have_edges_of_their_own_and_snapshots_contain_them() {
    let mut model = Pair::default();
    (model.tanks[0].level, model.tanks[1].level) = (1.9, 1.0);
    let mut pair = Native::new(model.clone());
    pair.initialize(0.0).unwrap();
    // The first one falls from t = 0.4 on: 2 - (t - 0.4) / 2 = 1 + t / 4.
    let meet = 1.2 / 0.75;
    pair.simulate(meet - 1e-6, Options::default()).unwrap();
    assert!(!pair.second && pair.tanks[0].open);
    pair.simulate(meet + 1e-6, Options::default()).unwrap();
    assert!(pair.second && pair.tanks[1].opened == 0);

    let mut evaluator = Evaluator::new(Box::new(model));
    evaluator.enter_initialization(0.0);
    evaluator.exit_initialization().unwrap();
    evaluator.event_pass().unwrap();
    let mut bytes = Vec::new();
    evaluator.write_to(&mut Writer(&mut bytes));
    let mut read = Evaluator::read_from(Box::new(Pair::default()), &mut Reader(&bytes)).unwrap();
    for evaluator in [&mut evaluator, &mut read] {
        evaluator.set_states(&[2.5, 1.0]);
        for _ in 0..2 {
            evaluator.begin_event();
            evaluator.event_pass().unwrap();
            assert_eq!(evaluator.model().tanks[0].opened, 1, "an edge is seen once");
        }
    }
}

/// A mass on a spring and on a belt that moves
#[model]
struct Belt {
    /// Position
    #[state(start = 0.0)]
    x: f64,
    /// Velocity
    #[state(start = 0.5)]
    v: f64,
    /// Stiffness
    #[parameter(start = 4.0)]
    k: f64,
    /// Velocity of the belt
    #[parameter(start = 0.5)]
    belt: f64,
    /// Friction
    #[part(connect(velocity, load), default = StickSlip { sliding: 2.0, breakaway: 3.0, ..StickSlip::default() })]
    friction: StickSlip,
}

#[equations]
impl Model for Belt {
    fn connections(&self, _t: f64) -> Connections<Self> {
        Connections::<Self> {
            friction_velocity: self.v - self.belt,
            friction_load: -self.k * self.x,
        }
    }

    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            x: self.v,
            v: self.friction.force - self.k * self.x,
        }
    }
}

#[test]
fn a_mass_on_a_belt_sticks_and_slips_with_the_exact_period() {
    // It sticks until k x = 3, then oscillates with frequency 2 around k x = 2 until it moves with the belt again.
    let (frequency, belt, far, centre) = (2.0_f64, 0.5, 0.75, 0.5);
    let phase = f64::atan2((far - centre) * frequency, belt);
    let slip = (2.0 * std::f64::consts::PI - 2.0 * phase) / frequency;
    let stick = 2.0 * (far - centre) / belt;
    for options in [
        Options::default().with_tolerance(1e-10),
        #[cfg(feature = "bdf")]
        Options::with(Solver::Bdf).with_tolerance(1e-9),
    ] {
        let mut mass = Native::new(Belt::default());
        mass.initialize(0.0).unwrap();
        let mut t = far / belt;
        for round in 0..5 {
            mass.simulate(t - 1e-5, options).unwrap();
            assert_eq!(mass.friction.direction, 0, "round {round}");
            assert!((mass.x - (far - 1e-5 * belt)).abs() < 1e-6, "{}", mass.x);
            mass.simulate(t + 0.5 * slip, options).unwrap();
            assert_eq!(mass.friction.direction, -1);
            let angle = 0.5 * slip * frequency;
            let exact = centre + (far - centre) * angle.cos() + belt / frequency * angle.sin();
            assert!((mass.x - exact).abs() < 1e-6, "{}, not {exact}", mass.x);
            mass.simulate(t + slip + 1e-5, options).unwrap();
            assert_eq!(mass.friction.direction, 0);
            assert!((mass.v - belt).abs() < 1e-6);
            t += slip + stick;
        }
        assert!(mass.events() <= 15, "{} events", mass.events());
    }
}
