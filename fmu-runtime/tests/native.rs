//! Models in plain tests, without an FMU around them.

use fmu_runtime::native::Native;
use fmu_runtime::prelude::*;

/// A ball that bounces and comes to rest
#[model]
struct Ball {
    /// Height
    #[state(start = 1.0)]
    h: f64,
    /// Velocity
    #[state(start = 0.0)]
    v: f64,
    /// Coefficient of restitution
    #[parameter(start = 0.7)]
    e: f64,
    /// Lying on the ground
    #[discrete(start = false)]
    resting: bool,
    #[internal]
    bounces: Vec<f64>,
}

const G: f64 = 9.81;

#[equations]
impl Model for Ball {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> {
            h: self.v,
            v: if self.resting { 0.0 } else { -G },
        }
    }

    fn event_indicators(&self, _t: f64) -> [f64; 1] {
        [self.h]
    }

    fn event(&mut self, at: Event) {
        if self.h <= 0.0 && self.v < 0.0 {
            self.bounces.push(at.time);
            self.h = 0.0;
            self.v *= -self.e;
            self.resting = self.v < 1e-3;
            if self.resting {
                self.v = 0.0;
            }
        }
    }
}

/// Times of the bounces until the ball rises with less than 1 mm/s.
fn exact_bounces(h: f64, e: f64) -> Vec<f64> {
    let (mut t, mut speed) = ((2.0 * h / G).sqrt(), (2.0 * G * h).sqrt());
    let mut bounces = vec![t];
    while e * speed >= 1e-3 {
        speed *= e;
        t += 2.0 * speed / G;
        bounces.push(t);
    }
    bounces
}

#[test]
fn one_event_a_bounce_and_none_at_rest() {
    // With long steps the last bounces all fall into one.
    for step in [0.001, 0.1] {
        let mut ball = Native::new(Ball::default());
        ball.initialize(0.0).unwrap();
        ball.simulate(3.0, step).unwrap();
        let exact = exact_bounces(1.0, 0.7);
        assert_eq!(ball.events(), exact.len(), "step {step}");
        for (found, exact) in ball.bounces.iter().zip(exact) {
            assert!((found - exact).abs() < 1e-9, "{found}, not {exact}");
        }
        assert!(ball.resting && ball.h == 0.0 && ball.v == 0.0 && ball.time() == 3.0);
    }
}

#[test]
fn a_ball_that_starts_on_the_ground_rises_without_an_event() {
    let mut ball = Native::new(Ball {
        h: 0.0,
        v: 2.0,
        ..Ball::default()
    });
    ball.initialize(0.0).unwrap();
    assert!(ball.indicators().unwrap()[0] > 0.0);
    ball.simulate(0.2, 0.01).unwrap();
    assert_eq!(ball.events(), 0);
    ball.simulate(0.5, 0.01).unwrap();
    assert_eq!(ball.events(), 1);
    assert!((ball.bounces[0] - 4.0 / G).abs() < 1e-12);
}

/// Counts seconds, says so, and ends at a limit
#[model(log_categories("ticks" = "Every second"))]
struct Clock {
    /// Seconds
    #[discrete(start = 0)]
    seconds: i32,
    /// The last one
    #[parameter(start = 3)]
    limit: i32,
    /// Time since the last second
    #[output]
    since: f64,
    /// Steps that were reported
    #[discrete(start = 0)]
    steps: i32,
    /// Events that the model asked for after a step
    #[discrete(start = 0)]
    step_events: i32,
}

#[equations]
impl Model for Clock {
    fn outputs(&self, t: f64) -> Outputs<Self> {
        Outputs::<Self> {
            since: t - self.seconds as f64,
        }
    }

    fn next_event_time(&self, _t: f64) -> Option<f64> {
        Some(f64::from(self.seconds + 1))
    }

    fn completed_step(&mut self, _t: f64) -> bool {
        self.steps += 1;
        self.steps == 2
    }

    fn event(&mut self, at: Event) -> Next {
        self.step_events += i32::from(at.step);
        if at.scheduled {
            self.seconds += 1;
            log!("ticks", "second {} of {}", self.seconds, self.limit);
        }
        match self.seconds < self.limit {
            true => Next::Continue,
            false => Next::Terminate,
        }
    }
}

#[test]
fn time_events_step_events_messages_and_an_end() {
    let mut clock = Native::new(Clock::default());
    clock.limit = 2;
    clock.initialize(0.0).unwrap();
    assert_eq!(clock.upcoming_event(), Some(1.0));
    let mut times = Vec::new();
    clock
        .simulate_with(10.0, 0.4, |t, clock| times.push((t, clock.since)))
        .unwrap();
    assert!(clock.is_over() && clock.time() == 2.0);
    assert_eq!((clock.seconds, clock.step_events, clock.events()), (2, 1, 3));
    assert!(
        times.contains(&(1.0, 1.0)) && times.contains(&(1.0, 0.0)),
        "both sides of the event"
    );
    let texts: Vec<&str> = clock.messages().iter().map(|message| &*message.text).collect();
    assert_eq!(texts, ["second 1 of 2", "second 2 of 2"]);
}

#[test]
fn events_can_be_fired_by_hand() {
    let mut clock = Native::new(Clock::default());
    clock.initialize(0.5).unwrap();
    assert_eq!(clock.since, 0.5);
    assert_eq!(clock.fire().unwrap(), Next::Continue);
    assert_eq!(clock.seconds, 0, "the second is not over");
    clock.set_time(1.0);
    clock.fire().unwrap();
    assert_eq!((clock.seconds, clock.since), (1, 0.0));
}

/// Sees nothing but events
#[model]
struct Restless {
    /// Falls to 0, and is thrown down again
    #[state(start = 1.0)]
    x: f64,
}

#[equations]
impl Model for Restless {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -1.0 }
    }

    fn event_indicators(&self, _t: f64) -> [f64; 1] {
        [self.x]
    }

    fn event(&mut self, _at: Event) {
        if self.x < 0.0 {
            self.x = f64::MIN_POSITIVE;
        }
    }
}

#[test]
fn events_without_end_are_an_error() {
    let mut restless = Native::new(Restless::default());
    restless.initialize(0.0).unwrap();
    let error = restless.simulate(2.0, 0.1).unwrap_err();
    assert!(error.message().contains("chatters"), "{error}");
}
