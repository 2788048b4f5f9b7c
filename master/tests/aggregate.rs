//! Components under one solver, against closed forms.

use fmu_master::Error;
use fmu_master::aggregate::{Assembly, Closures, Differentiable, ExternalEvent, Matrices, NativeModel, Read};
use fmu_master::settings::{Settings, Solver};
use fmu_runtime::prelude::*;

/// x' = -x + b u, y = c x + d u
#[model]
pub struct FirstOrder {
    /// Input
    #[input(start = 0.0)]
    pub u: f64,
    /// State
    #[state(start = 1.0)]
    pub x: f64,
    /// Output
    #[output]
    pub y: f64,
    /// Factor of the input
    #[parameter(start = 1.0)]
    pub b: f64,
    /// Factor of the state in the output
    #[parameter(start = 1.0)]
    pub c: f64,
    /// Feed-through
    #[parameter(start = 0.0)]
    pub d: f64,
}

#[equations]
impl Model for FirstOrder {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            x: -self.x + self.b * self.u,
        }
    }
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            y: self.c * self.x + self.d * self.u,
        }
    }
}

/// A mass that is pushed.
#[model]
pub struct Mass {
    /// Force
    #[input(start = 0.0)]
    pub force: f64,
    /// Position
    #[state(start = 1.0, output)]
    pub x: f64,
    /// Velocity
    #[state(start = 0.0, output)]
    pub v: f64,
}

#[equations]
impl Model for Mass {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            x: self.v,
            v: self.force,
        }
    }
}

/// A spring that only passes something on: its force follows at once.
#[model]
pub struct Spring {
    /// Elongation
    #[input(start = 0.0)]
    pub x: f64,
    /// Force
    #[output]
    pub force: f64,
}

#[equations]
impl Model for Spring {
    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> { force: -self.x }
    }
}

/// A ball on an elastic ground that counts its bounces.
#[model]
pub struct Ball {
    /// Height
    #[state(start = 1.0, output)]
    pub h: f64,
    /// Velocity
    #[state(start = 0.0)]
    pub v: f64,
    /// Bounces so far
    #[discrete(start = 0, output)]
    pub bounces: i32,
    /// Bounces as a number
    #[discrete(start = 0.0, output)]
    pub level: f64,
}

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { h: self.v, v: -9.81 }
    }
    fn event_indicators(&self, _t: f64) -> [f64; 1] {
        [self.h]
    }
    fn event(&mut self, _at: Event) {
        if self.h <= 0.0 && self.v < 0.0 {
            self.h = 0.0;
            self.v = -self.v;
            self.bounces += 1;
            self.level += 1.0;
        }
    }
}

/// Fills at a rate that is set at events, and doubles what is set.
#[model]
pub struct Tank {
    /// Rate
    #[input(start = 0, min = 0, max = 100)]
    pub rate: i32,
    /// Another rate
    #[input(discrete, start = 0.0)]
    pub more: f64,
    /// Contents
    #[state(start = 0.0, output)]
    pub contents: f64,
    /// Events so far
    #[discrete(start = 0, output)]
    pub events: i32,
}

#[equations]
impl Model for Tank {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            contents: f64::from(self.rate) + self.more,
        }
    }
    fn event(&mut self, at: Event) {
        if !at.initial {
            self.events += 1;
        }
    }
}

fn native<M: fmu_runtime::model::Model>(model: M) -> NativeModel<M> {
    NativeModel::new(model).unwrap()
}

fn precise(stop: f64) -> Settings {
    Settings::default().stop(stop).tolerance(1e-8).step(stop / 100.0)
}

/// Andersson 2016, example 6.1.1: an algebraic loop where d1 d2 is not 0.
fn linear_example(d1: f64, d2: f64) -> Assembly {
    let mut system = Assembly::new();
    system.add(
        "first",
        native(FirstOrder {
            d: d1,
            ..FirstOrder::default()
        }),
    );
    let second = FirstOrder {
        b: 3.0,
        c: -5.0,
        d: d2,
        ..FirstOrder::default()
    };
    system.add("second", native(second));
    system
        .connect("first.y", "second.u")
        .connect("second.y", "first.u");
    system
}

/// exp(A t) x0 for a 2 by 2 matrix with complex eigenvalues.
fn exponential(a: [[f64; 2]; 2], x0: [f64; 2], t: f64) -> [f64; 2] {
    let mean = 0.5 * (a[0][0] + a[1][1]);
    let shifted = [[a[0][0] - mean, a[0][1]], [a[1][0], a[1][1] - mean]];
    let omega = (shifted[0][0] * shifted[1][1] - shifted[0][1] * shifted[1][0]).sqrt();
    let (sin, cos, decay) = ((omega * t).sin() / omega, (omega * t).cos(), (mean * t).exp());
    [0, 1].map(|row| decay * (cos * x0[row] + sin * (shifted[row][0] * x0[0] + shifted[row][1] * x0[1])))
}

#[test]
fn two_first_order_systems_with_and_without_a_loop_follow_their_closed_form() {
    for (d1, d2) in [(0.0, 0.0), (0.5, 0.0), (0.4, -0.6), (2.0, -2.0)] {
        for method in [Solver::Bdf, Solver::Esdirk34, Solver::Tsit45] {
            let settings = precise(3.0).solver(method);
            let mut system = linear_example(d1, d2).build(settings).unwrap();
            // y1 = (x1 - 5 d1 x2) / (1 - d1 d2), y2 = -5 x2 + d2 y1.
            let gain = 1.0 / (1.0 - d1 * d2);
            let (y1, y2) = ([gain, -5.0 * d1 * gain], [d2 * gain, -5.0 - 5.0 * d1 * d2 * gain]);
            let a = [[-1.0 + y2[0], y2[1]], [3.0 * y1[0], -1.0 + 3.0 * y1[1]]];
            let mut worst = 0.0_f64;
            system
                .run(|point| {
                    let x = exponential(a, [1.0, 1.0], point.t);
                    for (row, y) in [y1, y2].iter().zip(point.y) {
                        worst = worst.max((row[0] * x[0] + row[1] * x[1] - y).abs());
                    }
                    true
                })
                .unwrap();
            let statistics = system.statistics();
            assert!(worst < 1e-6, "{method} with d = {d1}, {d2}: {worst:e}");
            let is_loop = d1 != 0.0 && d2 != 0.0;
            // The dependencies are declared whatever the values of parameters are.
            assert_eq!(statistics.loops.len(), 1);
            assert!(!is_loop || statistics.loops[0].iterations > 0);
            assert_eq!(statistics.summary.time, 3.0);
        }
    }
}

#[test]
fn a_loop_of_gain_one_is_refused_with_its_variables() {
    let mut system = linear_example(1.0, 1.0).build(precise(1.0)).unwrap();
    let error = system.run(|_| true).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, Error::Loop { .. }), "{text}");
    assert!(text.contains("first.y") && text.contains("second.u"), "{text}");
}

#[test]
fn an_oscillator_of_a_mass_and_a_spring_swings_as_a_cosine() {
    for matrices in [Matrices::Dense, Matrices::Sparse] {
        let mut system = Assembly::new();
        system.add("mass", native(Mass::default()));
        system.add("spring", native(Spring::default()));
        system
            .connect("mass.x", "spring.x")
            .connect("spring.force", "mass.force");
        let mut system = system.build(precise(10.0).matrices(matrices)).unwrap();
        let mut worst = 0.0_f64;
        system
            .run(|point| {
                worst = worst.max((point.y[0] - point.t.cos()).abs());
                worst = worst.max((point.u[0] + point.t.cos()).abs());
                true
            })
            .unwrap();
        let statistics = system.statistics();
        assert!(worst < 1e-6, "{worst:e}");
        assert!(statistics.loops.is_empty());
        assert_eq!(statistics.summary.sparse, matrices == Matrices::Sparse);
        assert!(statistics.summary.jacobians > 0 && statistics.components[0].partial_evaluations > 0);
    }
}

#[differentiable]
fn hard_spring(t: f64, y: [f64; 2]) -> [f64; 1] {
    // 2 cos(t) - cos(t)^3 drives x = cos(t) through x'' = -2 x + x^3 - w.
    [-2.0 * y[0] + y[0] * y[0] * y[0] + y[1] - t * 0.0]
}

/// x'' = -2 x + x^3 + w with w = cos t - cos^3 t has the solution cos t.
#[test]
fn coupling_equations_of_outputs_external_inputs_and_time_have_exact_derivatives() {
    let w = |t: f64| [t.cos() - t.cos().powi(3), 0.0, 0.0];
    let mut by_closures = Assembly::new();
    by_closures.add("mass", native(Mass::default()));
    let external = by_closures.external_input(w, &[], &[]);
    let reads = ["mass.x".into(), Read::External(external)];
    let function = |_: f64, y: &[f64], u: &mut [f64]| u[0] = -2.0 * y[0] + y[0].powi(3) + y[1];
    let derivative = |_: f64, y: &[f64], d: &mut [f64]| d.copy_from_slice(&[-2.0 + 3.0 * y[0] * y[0], 1.0]);
    by_closures.equation(&reads, &["mass.force"], Closures::new(2, 1, function, derivative));
    let mut by_duals = Assembly::new();
    by_duals.add("mass", native(Mass::default()));
    let external = by_duals.external_input(w, &[], &[]);
    let reads = ["mass.x".into(), Read::External(external)];
    by_duals.equation(
        &reads,
        &["mass.force"],
        Differentiable::new(hard_spring, hard_spring),
    );
    let mut work = Vec::new();
    for system in [by_closures, by_duals] {
        let mut system = system.build(precise(6.0)).unwrap();
        let mut worst = 0.0_f64;
        system
            .run(|point| {
                worst = worst.max((point.y[0] - point.t.cos()).abs());
                true
            })
            .unwrap();
        let statistics = system.statistics();
        assert!(worst < 1e-5, "{worst:e}");
        work.push((statistics.summary.solver.steps, statistics.summary.jacobians));
    }
    assert_eq!(work[0], work[1]);
}

/// A sum 2 x + v / 2 - 1 into x' = -x + u.
#[test]
fn sums_have_gains_and_an_offset() {
    let mut system = Assembly::new();
    system.add(
        "mass",
        native(Mass {
            v: 2.0,
            ..Mass::default()
        }),
    );
    system.add(
        "low",
        native(FirstOrder {
            x: 0.0,
            ..FirstOrder::default()
        }),
    );
    system.sum(&[("mass.x", 2.0), ("mass.v", 0.5)], -1.0, "low.u");
    let mut system = system.build(precise(2.0)).unwrap();
    let mut worst = 0.0_f64;
    system
        .run(|point| {
            // The mass rolls freely: x = 1 + 2 t, so u = 2 + 4 t, and low = 4 t - 2 + 2 exp(-t).
            let exact = 4.0 * point.t - 2.0 + 2.0 * (-point.t).exp();
            worst = worst.max((point.y[2] - exact).abs());
            true
        })
        .unwrap();
    assert!(worst < 1e-6, "{worst:e}");
}

#[test]
fn external_inputs_may_jump_and_have_kinks() {
    let mut system = Assembly::new();
    system.add(
        "mass",
        native(Mass {
            x: 0.0,
            ..Mass::default()
        }),
    );
    // 0, then a ramp from 0.3 to 1, then -1 from 1.7 on.
    let force = fmu_master::signals::linear(vec![(0.3, 0.0), (1.0, 0.7), (1.7, 0.7), (1.7, -1.0)]);
    let force = system.external_input(force, &[0.3, 1.0], &[1.7]);
    system.give(force, "mass.force");
    let mut system = system.build(precise(2.0)).unwrap();
    let mut last = 0.0;
    system
        .run(|point| {
            last = point.y[1];
            true
        })
        .unwrap();
    let statistics = system.statistics();
    let exact = 0.5 * 0.7 * 0.7 + 0.7 * 0.7 - 0.3;
    assert!((last - exact).abs() < 1e-8, "{last} {exact}");
    assert_eq!(statistics.summary.events.input, 1);
}

/// The bounces of an elastic ball from 1 m are at sqrt(2 / g) (1 + 2 k).
#[test]
fn an_event_reaches_others_through_discrete_connections() {
    let mut system = Assembly::new();
    system.add("tank", native(Tank::default()));
    system.add("ball", native(Ball::default()));
    system.connect_discrete("ball.bounces", "tank.rate");
    system.connect("ball.level", "tank.more");
    let mut system = system.build(precise(3.0)).unwrap();
    let mut last = 0.0;
    system
        .run(|point| {
            last = point.y[0];
            true
        })
        .unwrap();
    let statistics = system.statistics();
    let fall = (2.0 / 9.81_f64).sqrt();
    let bounces: Vec<f64> = (0..)
        .map(|k| fall * f64::from(1 + 2 * k))
        .take_while(|t| *t < 3.0)
        .collect();
    // From each bounce on the tank fills by 2 more per second.
    let exact: f64 = bounces.iter().map(|bounce| 2.0 * (3.0 - bounce)).sum();
    assert!((last - exact).abs() < 1e-6, "{last} {exact}");
    assert_eq!(statistics.summary.events.state, bounces.len());
    let [tank, ball] = &statistics.components[..] else {
        panic!("two components");
    };
    assert_eq!(
        (tank.events, ball.events),
        (bounces.len() as u64, bounces.len() as u64)
    );
}

/// A mass on a spring between walls: elastic impacts of cos t at x = 0.5 keep it beyond, with the period 2 pi / 3.
#[test]
fn a_wall_is_an_external_event() {
    let mut system = Assembly::new();
    system.add("mass", native(Mass::default()));
    system.connect_with("mass.x", "mass.force", -1.0, 0.0);
    let wall = ExternalEvent::new(&["mass.x"], |_, y| y[0] - 0.5, &["mass.v"], |_, x| x[0] = -x[0]);
    system.event(wall);
    let mut system = system.build(precise(20.0)).unwrap();
    let mut worst = 0.0_f64;
    system
        .run(|point| {
            let third = std::f64::consts::FRAC_PI_3;
            let since = (point.t + third).rem_euclid(2.0 * third) - third;
            worst = worst.max((point.y[0] - since.cos()).abs());
            true
        })
        .unwrap();
    let statistics = system.statistics();
    assert!(worst < 1e-5, "{worst:e}");
    assert_eq!(
        statistics.external_events,
        [(20.0 / std::f64::consts::FRAC_PI_3 + 1.0) as usize / 2]
    );
}

#[test]
fn mistakes_are_sentences() {
    let problem = |change: fn(&mut Assembly)| {
        let mut system = linear_example(0.0, 0.0);
        change(&mut system);
        system.build(precise(1.0)).err().expect("a mistake").to_string()
    };
    assert!(
        problem(|system| {
            system.connect("first.y", "first.u");
        })
        .contains("first.u has two sources")
    );
    assert!(
        problem(|system| {
            system.connect("first.z", "third.u");
        })
        .contains("first has no output for 'first.z'")
    );
    assert!(
        problem(|system| {
            system.connect("third.y", "first.u");
        })
        .contains("there are first, second")
    );
    assert!(
        problem(|system| {
            system.connect_discrete("first.y", "second.none");
        })
        .contains("second")
    );
    let settings = Settings::default().stop(-1.0);
    assert!(
        linear_example(0.0, 0.0)
            .build(settings)
            .err()
            .unwrap()
            .to_string()
            .contains("is not a simulation")
    );
    let settings = precise(1.0).tolerance(1e-20);
    let sentence = linear_example(0.0, 0.0)
        .build(settings)
        .err()
        .unwrap()
        .to_string();
    assert!(sentence.contains("at least 1e-13"), "{sentence}");
}

/// x'' = 1e6 x beside one at rest: x grows as exp(1000 t), and its derivatives leave the numbers where 1e6 cosh(1000 t) does, at t = 0.6967.
#[test]
fn what_runs_away_is_named() {
    let mut system = Assembly::new();
    system.add("still", native(Mass::default()));
    system.add("away", native(Mass::default()));
    system.connect_with("away.x", "away.force", 1e6, 0.0);
    let error = system.build(precise(2.0)).unwrap().run(|_| true).unwrap_err();
    let sentence = error.to_string();
    assert!(
        sentence.contains("der(v)") && sentence.contains(" of away is inf at time 0.69"),
        "{sentence}"
    );
}

#[test]
fn a_model_that_cannot_step_is_refused_by_a_master() {
    let mut coupling = fmu_master::coupling::Coupling::default();
    coupling.add("mass", Vec::new(), Vec::new());
    let signals = fmu_master::signals::Signals::new();
    let components: Vec<Box<dyn fmu_master::component::Component>> = vec![Box::new(native(Mass::default()))];
    let refused = fmu_master::Master::new(coupling, components, signals, Settings::default());
    let sentence = refused.err().expect("it has no steps").to_string();
    assert!(
        sentence.contains("mass makes no communication steps: it can be aggregated only"),
        "{sentence}"
    );
}
