//! Sampled functions and parts: exact recursions, several rates, ticks without drift.

use fmu_runtime::evaluator::Evaluator;
use fmu_runtime::native::{Native, Options, Signal, Solver};
use fmu_runtime::prelude::*;
use fmu_runtime::stored::{Reader, Writer};

/// A proportional-integral controller: its difference equation and nothing else
#[model]
#[derive(Debug)]
struct Pi {
    /// Error
    #[input(start = 0.0)]
    error: f64,
    /// Command
    #[discrete(start = 0.0, output)]
    command: f64,
    /// Integral
    #[discrete(start = 0.0)]
    integral: f64,
    /// Proportional gain
    #[parameter(start = 2.0)]
    kp: f64,
    /// Integral gain times sample time
    #[parameter(start = 0.25)]
    ki: f64,
}

#[equations]
impl Model for Pi {
    #[sampled]
    fn control(&mut self) {
        self.integral += self.ki * self.error;
        self.command = self.kp * self.error + self.integral;
    }
}

/// A first-order plant under a sampled controller
#[model]
#[derive(Debug)]
struct Loop {
    /// Controlled value
    #[state(start = 0.0, output)]
    x: f64,
    /// Pole
    #[parameter(start = 3.0)]
    a: f64,
    /// Sample time
    #[parameter(start = 0.1, unit = "s")]
    ts: f64,
    /// Controller
    #[part(connect(error))]
    #[sampled(period = "ts")]
    pi: Pi,
}

#[equations]
impl Model for Loop {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            x: self.pi.command - self.a * self.x,
        }
    }

    fn connections(&self, _t: f64) -> Connections<Self> {
        Connections::<Self> {
            pi_error: 1.0 - self.x,
        }
    }
}

/// The loop at the samples, by the exact solution between two of them.
fn exact_loop(samples: usize) -> Vec<(f64, f64)> {
    let (a, ts, kp, ki) = (3.0_f64, 0.1_f64, 2.0, 0.25);
    let decay = (-a * ts).exp();
    let (mut x, mut integral, mut rows) = (0.0, 0.0, Vec::new());
    for _ in 0..samples {
        let error = 1.0 - x;
        integral += ki * error;
        let command = kp * error + integral;
        rows.push((x, command));
        x = decay * x + (1.0 - decay) * command / a;
    }
    rows
}

#[test]
fn a_sampled_loop_is_its_exact_recursion() {
    let exact = exact_loop(100);
    for options in [
        Options::default().with_tolerance(1e-11),
        Options::with(Solver::RungeKutta4).with_max_step(1e-3),
        #[cfg(feature = "bdf")]
        Options::with(Solver::Bdf).with_tolerance(1e-11),
    ] {
        let mut closed = Native::new(Loop::default());
        closed.initialize(0.0).unwrap();
        for (k, (x, command)) in exact.iter().enumerate() {
            closed.simulate(0.1 * k as f64 + 1e-6, options).unwrap();
            assert!((closed.pi.command - command).abs() < 1e-7, "{k}: {options:?}");
            let before = closed.x - 1e-6 * (command - 3.0 * closed.x);
            assert!((before - x).abs() < 1e-7, "{k}: {before}, not {x}, {options:?}");
        }
    }
}

/// Two rates and a phase
#[model]
struct Rates {
    /// Fast samples
    #[discrete(start = 0)]
    fast: i32,
    /// Slow samples
    #[discrete(start = 0)]
    slow: i32,
    /// Samples with a phase
    #[discrete(start = 0)]
    shifted: i32,
    /// Fast period
    #[parameter(start = 0.1)]
    t1: f64,
    /// Slow period
    #[parameter(start = 0.3)]
    t2: f64,
    /// Samples whose time is not the exact one
    #[discrete(start = 0)]
    wrong: i32,
    /// What a slow sample has seen of the fast ones
    #[discrete(start = 0)]
    seen: i32,
}

#[equations]
impl Model for Rates {
    #[sampled(period = "t1")]
    fn at_fast(&mut self, t: f64) {
        self.wrong += i32::from(!is_near(t, f64::from(self.fast) * self.t1));
        self.fast += 1;
    }

    #[sampled(period = "t2")]
    fn at_slow(&mut self, at: Event) {
        self.wrong += i32::from(!is_near(at.time, f64::from(self.slow) * self.t2));
        self.slow += 1;
        self.seen = self.fast;
    }

    #[sampled(period = 0.6, offset = 0.05)]
    fn at_shifted(&mut self, t: f64) -> Result<(), ModelError> {
        self.wrong += i32::from(!is_near(t, 0.05 + f64::from(self.shifted) * 0.6));
        self.shifted += 1;
        Ok(())
    }
}

/// Ticks that are one event happen at the first of their times, which differ by roundings.
fn is_near(t: f64, exact: f64) -> bool {
    (t - exact).abs() <= 2.0 * f64::EPSILON * exact
}

#[test]
fn rates_that_meet_are_one_event() {
    let mut rates = Native::new(Rates::default());
    rates.initialize(0.0).unwrap();
    assert_eq!((rates.fast, rates.slow, rates.shifted), (1, 1, 0));
    rates.simulate(600.02, Options::default()).unwrap();
    assert_eq!((rates.fast, rates.slow, rates.shifted), (6001, 2001, 1000));
    assert_eq!(rates.wrong, 0);
    assert_eq!(rates.seen, 6001, "in the order of their declaration");
    // All slow samples coincide with fast ones, the shifted ones with none.
    assert_eq!(rates.events(), 6000 + 1000);
}

#[test]
fn a_million_ticks_do_not_drift() {
    let mut rates = Native::new(Rates {
        t1: 1e-3,
        t2: 7e-3,
        ..Rates::default()
    });
    rates.initialize(0.0).unwrap();
    rates.simulate(1000.0 - 1e-4, Options::default()).unwrap();
    assert_eq!(rates.fast, 1_000_000);
    assert_eq!(rates.slow, 142_858);
    assert_eq!(rates.wrong, 0);
}

#[test]
fn the_ticks_of_one_clock_are_exact_multiples() {
    /// One clock
    #[model]
    struct Ticks {
        /// Ticks
        #[discrete(start = 0)]
        ticks: i32,
        /// Ticks that are not exactly the offset and a multiple of the period
        #[discrete(start = 0)]
        inexact: i32,
        /// Period
        #[parameter(start = 0.1)]
        period: f64,
        /// Offset
        #[parameter(start = 0.03)]
        offset: f64,
    }

    #[equations]
    impl Model for Ticks {
        #[sampled(period = "period", offset = "offset")]
        fn tick(&mut self, t: f64) {
            let exact = self.offset + f64::from(self.ticks) * self.period;
            self.inexact += i32::from(t != exact);
            self.ticks += 1;
        }
    }
    for options in [Options::default(), Options::from(0.1), Options::from(12.3)] {
        let mut ticks = Native::new(Ticks::default());
        ticks.initialize(0.0).unwrap();
        ticks.simulate(100_000.0, options).unwrap();
        assert_eq!(
            (ticks.ticks, ticks.inexact, ticks.events()),
            (1_000_000, 0, 1_000_000)
        );
    }
}

#[test]
fn the_start_of_the_simulation_is_where_ticks_are_counted_from() {
    let mut pi = Native::new(Loop::default());
    pi.initialize(17.25).unwrap();
    assert_eq!(pi.upcoming_event(), Some(17.25 + 0.1));
    pi.simulate(17.36, Options::default()).unwrap();
    assert_eq!((pi.events(), pi.upcoming_event()), (1, Some(17.25 + 2.0 * 0.1)));
}

#[test]
fn a_period_may_change() {
    let mut rates = Native::new(Rates::default());
    rates.initialize(0.0).unwrap();
    rates.simulate(0.25, Options::default()).unwrap();
    assert_eq!(rates.fast, 3);
    rates.t1 = 0.5;
    // From the next event on, which is the sample at 0.3.
    rates.simulate(1.0, Options::default()).unwrap();
    assert_eq!(rates.fast, 5, "at 0.3 and 0.8");
    rates.simulate(1.35, Options::default()).unwrap();
    assert_eq!(rates.fast, 6, "at 1.3");
}

#[test]
fn what_has_no_period_is_an_error() {
    let mut pi = Native::new(Pi::default());
    let error = pi.initialize(0.0).unwrap_err();
    assert!(error.message().contains("`fn control` has no period"), "{error}");
    let mut closed = Native::new(Loop {
        ts: 0.0,
        ..Loop::default()
    });
    let error = closed.initialize(0.0).unwrap_err();
    assert!(error.message().contains("greater than 0"), "{error}");
}

/// Parts of parts, and arrays of them
#[model]
struct Bank {
    /// Cells
    #[part(connect(error))]
    #[sampled(period = 0.5, offset = 0.25)]
    cells: [Pi; 3],
    /// With a period of its own
    #[part]
    rates: Rates,
    /// Own samples
    #[discrete(start = 0)]
    own: i32,
}

#[equations]
impl Model for Bank {
    fn connections(&self, t: f64) -> Connections<Self> {
        Connections::<Self> {
            cells_error: [t, 2.0 * t, 3.0 * t],
        }
    }

    #[sampled(period = 1.0)]
    fn count(&mut self) {
        self.own += 1;
    }

    fn next_event_time(&self, t: f64) -> Option<f64> {
        Some(t.floor() + 1.0)
    }

    fn event(&mut self, at: Event) {
        if at.scheduled {
            self.own += 100;
        }
    }
}

#[test]
fn arrays_of_parts_and_other_time_events_go_together() {
    let mut bank = Native::new(Bank::default());
    bank.initialize(0.0).unwrap();
    bank.simulate(1.8, Options::default()).unwrap();
    // Samples at 0.25, 0.75, 1.25 and 1.75 of the error i t.
    for (i, cell) in bank.cells.iter().enumerate() {
        let i = (i + 1) as f64;
        assert_eq!(cell.integral, 0.25 * i * (0.25 + 0.75 + 1.25 + 1.75));
        assert_eq!(cell.command, 2.0 * i * 1.75 + cell.integral);
    }
    assert_eq!((bank.rates.fast, bank.rates.slow), (19, 7));
    assert_eq!(bank.own, 102, "two samples, one announced event");
}

#[test]
fn a_snapshot_goes_on_with_the_same_samples() {
    let run = |evaluator: &mut Evaluator<Bank>| {
        let mut times = Vec::new();
        for _ in 0..50 {
            evaluator.begin_event();
            let next = evaluator.event_pass().unwrap().next_event_time.unwrap();
            times.push((evaluator.time(), evaluator.model().cells[2].integral));
            evaluator.set_time(next);
        }
        times
    };
    let mut evaluator = Evaluator::new(Box::new(Bank::default()));
    evaluator.enter_initialization(0.0);
    evaluator.exit_initialization().unwrap();
    run(&mut evaluator);
    let mut bytes = Vec::new();
    evaluator.write_to(&mut Writer(&mut bytes));
    let mut copy = evaluator.clone();
    let mut read = Evaluator::read_from(Box::new(Bank::default()), &mut Reader(&bytes)).unwrap();
    let expected = run(&mut evaluator);
    assert_eq!(run(&mut copy), expected);
    assert_eq!(run(&mut read), expected);
}

#[test]
fn a_signal_is_sampled_where_it_jumps() {
    /// Holds its input
    #[model]
    struct Hold {
        /// Input
        #[input(start = 0.0)]
        u: f64,
        /// Held value
        #[discrete(start = 0.0)]
        y: f64,
    }

    #[equations]
    impl Model for Hold {
        #[sampled(period = 0.5)]
        fn hold(&mut self) {
            self.y = self.u;
        }
    }
    let mut hold = Native::new(Hold::default());
    let signal = Signal::line([(0.0, 0.0), (0.5, 1.0), (0.5, 5.0), (1.0, 6.0)]);
    hold.drive("u", signal).unwrap();
    hold.initialize(0.0).unwrap();
    let table = hold.record(1.2, 0.1, Options::default()).unwrap();
    let after = |t: f64| {
        let rows = table.points("y").into_iter();
        rows.rev().find(|row| row.0 == t).unwrap().1
    };
    assert_eq!(after(0.0), 0.0);
    assert_eq!(after(0.5), 1.0, "a sample comes before a jump at the same time");
    assert_eq!(after(1.0), 6.0);
}
