//! Native simulations: integrators, tolerances, signals, records and samples, against closed forms.

use fmu_runtime::native::{Native, Options, Signal, Solver};
use fmu_runtime::prelude::*;

/// A first-order lag: x' = rate (u - x)
#[model]
struct Lag {
    /// Input
    #[input(start = 0.0)]
    u: f64,
    /// State
    #[state(start = 1.0)]
    x: f64,
    /// Rate
    #[parameter(start = 2.0, unit = "1/s")]
    rate: f64,
    /// Output
    #[output]
    y: f64,
}

#[equations]
impl Model for Lag {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            x: self.rate * (self.u - self.x),
        }
    }

    fn outputs(&self, _t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            y: 3.0 * self.x + self.u,
        }
    }
}

/// x(t) of the lag with u = sin t, from x(0) = 1: a particular solution and a decay.
fn under_sine(rate: f64, t: f64) -> f64 {
    let particular = |t: f64| rate * (rate * t.sin() - t.cos()) / (1.0 + rate * rate);
    particular(t) + (1.0 - particular(0.0)) * (-rate * t).exp()
}

fn all_options() -> Vec<(Options, f64)> {
    vec![
        (Options::with(Solver::DormandPrince).with_tolerance(1e-10), 1e-8),
        (Options::with(Solver::RungeKutta4).with_max_step(1e-3), 1e-11),
        (Options::with(Solver::Euler).with_max_step(1e-4), 1e-3),
        #[cfg(feature = "bdf")]
        (Options::with(Solver::Bdf).with_tolerance(1e-9), 1e-6),
        #[cfg(feature = "bdf")]
        (Options::with(Solver::PlainBdf).with_tolerance(1e-9), 1e-6),
        #[cfg(feature = "bdf")]
        (
            Options::with(Solver::FirstAndSecondBdf).with_tolerance(1e-9),
            1e-6,
        ),
    ]
}

#[test]
fn every_integrator_follows_a_smooth_signal() {
    for (options, tolerated) in all_options() {
        let mut lag = Native::new(Lag::default());
        lag.drive("u", Signal::function(f64::sin)).unwrap();
        lag.initialize(0.0).unwrap();
        let table = lag.record(5.0, 0.25, options).unwrap();
        assert_eq!(table.len(), 21, "{options:?}");
        for (row, &t) in table.times().iter().enumerate() {
            assert!((t - 0.25 * row as f64).abs() < 1e-12);
            let exact = under_sine(2.0, t);
            let found = table.column("x").unwrap()[row];
            assert!(
                (found - exact).abs() < tolerated,
                "{options:?}: {found}, not {exact}"
            );
            let (y, u) = (table.column("y").unwrap()[row], table.column("u").unwrap()[row]);
            assert_eq!((y, u), (3.0 * found + u, t.sin()));
            assert_eq!(table.column("der(x)").unwrap()[row], 2.0 * (u - found));
        }
    }
}

/// x(t) of the lag with piecewise constant input.
fn under_steps(steps: &[(f64, f64)], t: f64) -> f64 {
    let mut x = 1.0;
    for (k, &(begin, u)) in steps.iter().enumerate() {
        let end = steps.get(k + 1).map_or(t, |next| next.0.min(t));
        if end > begin {
            x = u + (x - u) * (-2.0 * (end - begin)).exp();
        }
    }
    x
}

#[test]
fn jumps_are_met_exactly_by_every_integrator() {
    let steps = [(0.0, 1.0), (0.37, -2.0), (1.11, 5.0), (1.9, 0.0)];
    for (options, tolerated) in all_options() {
        let mut lag = Native::new(Lag::default());
        lag.drive("u", Signal::steps(steps)).unwrap();
        lag.initialize(0.0).unwrap();
        assert_eq!(lag.u, 1.0);
        for t in [0.2, 0.37, 1.0, 1.5, 3.0] {
            lag.simulate(t, options).unwrap();
            let exact = under_steps(&steps, t);
            assert!(
                (lag.x - exact).abs() < 2.0 * tolerated,
                "{options:?}: {}, not {exact}",
                lag.x
            );
        }
    }
}

/// What FMU users select by `solver.method` is what a program selects by the crossover, and neither of the other two.
#[cfg(feature = "bdf")]
#[test]
fn the_correction_of_the_first_and_second_derivative_is_a_solver_of_its_own() {
    use fmu_runtime::solver::bdf::Crossover;

    let run = |options: Options| {
        let mut lag = Native::new(Lag::default());
        let corners = (0..40).map(|k| (0.05 * f64::from(k), f64::from(k % 5)));
        lag.drive("u", Signal::steps(corners)).unwrap();
        lag.initialize(0.0).unwrap();
        lag.simulate(2.0, options.with_tolerance(1e-8)).unwrap();
        (lag.x.to_bits(), lag.statistics().steps)
    };
    let selected = run(Options::with(Solver::FirstAndSecondBdf));
    let crossover = Options::with(Solver::Bdf).with_crossover(Crossover::FirstAndSecond);
    assert_eq!(selected, run(crossover));
    assert_ne!(selected, run(Options::with(Solver::Bdf)));
    assert_ne!(selected, run(Options::with(Solver::PlainBdf)));
}

#[test]
fn lines_and_functions_with_breaks_agree() {
    let line = || Signal::line([(0.0, 0.0), (0.5, 1.0), (0.5, -1.0), (1.0, 0.0)]);
    let function = || {
        Signal::function(|t| match t {
            t if t < 0.5 => 2.0 * t,
            t if t < 1.0 => 2.0 * t - 2.0,
            _ => 0.0,
        })
        .with_breaks([0.5, 1.0])
    };
    let options = Options::default().with_tolerance(1e-11);
    let mut ends = Vec::new();
    for signal in [line(), function()] {
        let mut lag = Native::new(Lag::default());
        lag.drive("u", signal).unwrap();
        lag.initialize(0.0).unwrap();
        lag.simulate(2.0, options).unwrap();
        ends.push((lag.x, lag.statistics().steps));
    }
    // By hand: x' = 2 (u - x) with u = 2 t + c has the particular solution 2 t + c - 1.
    let mut x = -1.0 + 2.0 * (-1f64).exp() + 1.0;
    x = -1.0 + (x + 2.0) * (-1f64).exp();
    x *= (-2f64).exp();
    for (end, _) in &ends {
        assert!((end - x).abs() < 1e-9, "{end}, not {x}");
    }
    assert!(ends[0].1.abs_diff(ends[1].1) <= 2, "the same steps: {ends:?}");
}

/// Counts the changes of a switch
#[model]
struct Switch {
    /// Switch
    #[input(start = false)]
    on: bool,
    /// Position
    #[input(start = 0)]
    position: i32,
    /// Changes seen
    #[discrete(start = 0)]
    changes: i32,
    /// Last position
    #[discrete(start = 0)]
    last: i32,
    /// Time that the switch was on
    #[state(start = 0.0)]
    time_on: f64,
}

#[equations]
impl Model for Switch {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            time_on: if self.on { 1.0 } else { 0.0 },
        }
    }

    fn event(&mut self, at: Event) {
        if !at.initial {
            self.changes += 1;
        }
        self.last = self.position;
    }
}

#[test]
fn a_jump_of_a_discrete_input_is_an_event() {
    let mut switch = Native::new(Switch::default());
    let on = Signal::steps([(0.0, 0.0), (1.0, 1.0), (2.5, 0.0)]);
    switch.drive("on", on).unwrap();
    let position = Signal::steps([(0.0, 7.0), (1.0, 8.0), (3.0, 9.0)]);
    switch.drive("position", position).unwrap();
    switch.initialize(0.0).unwrap();
    assert_eq!(switch.last, 7);
    let table = switch.record(4.0, 0.5, Options::default()).unwrap();
    assert_eq!((switch.changes, switch.last), (3, 9), "t = 1 is one event");
    assert!((switch.time_on - 1.5).abs() < 1e-12);
    let rows: Vec<(f64, f64)> = table.points("changes");
    assert_eq!(rows.iter().filter(|row| row.0 == 1.0).count(), 2);
    assert!(rows.contains(&(1.0, 0.0)) && rows.contains(&(1.0, 1.0)));
}

#[test]
fn signals_that_cannot_be_are_refused() {
    let mut switch = Native::new(Switch::default());
    let wrong = switch.drive("off", Signal::constant(1.0)).unwrap_err();
    assert!(
        wrong.message().contains("the inputs are `on`, `position`"),
        "{wrong}"
    );
    let wrong = switch.drive("on", Signal::function(f64::sin)).unwrap_err();
    assert!(wrong.message().contains("Signal::steps"), "{wrong}");
    let mut lag = Native::new(Lag::default());
    lag.initialize(0.0).unwrap();
    assert!(lag.simulate(1.0, 0.0).is_err());
    assert!(lag.record(1.0, -1.0, Solver::DormandPrince).is_err());
}

/// A sampled sum: s <- a s + u, every millisecond
#[model]
struct Sum {
    /// Input
    #[input(discrete, start = 1.0)]
    u: f64,
    /// Sum
    #[discrete(start = 0.0, output)]
    s: f64,
    /// Samples
    #[discrete(start = 0)]
    samples: i32,
}

#[equations]
impl Model for Sum {
    fn next_event_time(&self, _t: f64) -> Option<f64> {
        Some(f64::from(self.samples + 1) / 1000.0)
    }

    fn event(&mut self, at: Event) {
        if at.scheduled {
            self.samples += 1;
            self.s = 0.999 * self.s + self.u;
        }
    }
}

#[test]
fn a_kilohertz_over_any_stretch_whatever_the_step() {
    let mut exact = 0.0;
    for _ in 0..100_000 {
        exact = 0.999 * exact + 1.0;
    }
    let ways = [
        Options::from(1e-3),
        Options::from(7.0),
        Options::default(),
        Options::with(Solver::Euler).with_max_step(1e-3),
    ];
    for options in ways {
        let mut sum = Native::new(Sum::default());
        sum.initialize(0.0).unwrap();
        sum.simulate(100.0, options).unwrap();
        assert_eq!((sum.samples, sum.s, sum.events()), (100_000, exact, 100_000));
    }
}

#[test]
fn samples_closer_than_a_billionth_of_a_communication_step_do_not_chatter() {
    /// Ticks at 1e-8 of the whole
    #[model]
    struct Fast {
        /// Ticks
        #[discrete(start = 0)]
        ticks: i32,
    }

    #[equations]
    impl Model for Fast {
        fn next_event_time(&self, _t: f64) -> Option<f64> {
            (self.ticks < 1000).then(|| 1e-7 * f64::from(self.ticks + 1))
        }

        fn event(&mut self, at: Event) {
            self.ticks += i32::from(at.scheduled);
        }
    }
    let mut fast = Native::new(Fast::default());
    fast.initialize(0.0).unwrap();
    fast.simulate(1000.0, Options::default()).unwrap();
    assert_eq!(fast.ticks, 1000);
}

#[test]
fn a_tolerance_pays_off_and_going_on_is_not_a_restart() {
    let mut errors = Vec::new();
    for tolerance in [1e-4, 1e-7, 1e-10] {
        let mut lag = Native::new(Lag::default());
        lag.drive("u", Signal::function(f64::sin)).unwrap();
        lag.initialize(0.0).unwrap();
        lag.simulate(5.0, Options::default().with_tolerance(tolerance))
            .unwrap();
        errors.push((lag.x - under_sine(2.0, 5.0)).abs());
    }
    assert!(
        errors[0] > 10.0 * errors[1] && errors[1] > 10.0 * errors[2],
        "{errors:?}"
    );

    let mut lag = Native::new(Lag::default());
    lag.initialize(0.0).unwrap();
    let options = Options::default().with_tolerance(1e-8);
    lag.simulate(1.0, options).unwrap();
    let before = lag.statistics();
    lag.simulate(1.5, options).unwrap();
    assert!(lag.statistics().steps > before.steps, "the same memory goes on");
    // Fields that were set in between count.
    lag.x = 4.0;
    lag.simulate(2.5, options).unwrap();
    assert!((lag.x - 4.0 * (-2f64).exp()).abs() < 1e-6);
}

#[test]
fn a_table_is_written_as_text() {
    let mut lag = Native::new(Lag::default());
    lag.initialize(0.0).unwrap();
    let table = lag.record(1.0, 0.5, Options::default()).unwrap();
    let text = table.to_csv();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("time,u,x,rate,y,der(x)"));
    assert_eq!(lines.next(), Some("0,0,1,2,3,-2"));
    assert_eq!(lines.count(), 2);
    assert_eq!(table.column("z"), None);
    assert!(table.points("z").is_empty());
}
