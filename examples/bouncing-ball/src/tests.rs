//! Parabolas between bounces, and rest in the end.

use super::BouncingBall;
use fmu_runtime::ModelError;
use fmu_runtime::native::Native;

const G: f64 = 9.81;
const E: f64 = 0.7;

/// What follows a bounce.
struct Flight {
    begin: f64,
    speed: f64,
}

/// Every bounce leaves the share `E` of the speed, until less than 1 mm/s is left.
fn flights() -> Vec<Flight> {
    let impact = (2.0 * G).sqrt();
    let mut flights = vec![Flight {
        begin: impact / G,
        speed: E * impact,
    }];
    while let Some(Flight { begin, speed }) = flights.last().filter(|flight| flight.speed >= 1e-3) {
        let next = Flight {
            begin: begin + 2.0 * speed / G,
            speed: E * speed,
        };
        flights.push(next);
    }
    flights
}

#[test]
fn it_rises_after_each_bounce_as_high_as_its_speed_allows() -> Result<(), ModelError> {
    let mut ball = Native::new(BouncingBall::default());
    ball.initialize(0.0)?;
    for (bounce, Flight { begin, speed }) in (1..).zip(&flights()[..20]) {
        ball.simulate(begin + speed / G, 1e-3)?;
        let height = E.powi(2 * bounce);
        assert!(
            (ball.h - height).abs() < 1e-13,
            "bounce {bounce}: {} m, not {height}",
            ball.h
        );
        assert!(ball.v.abs() < 1e-12, "bounce {bounce}: {} m/s at the top", ball.v);
    }
    Ok(())
}

#[test]
fn each_bounce_is_one_event_and_rest_is_the_last() -> Result<(), ModelError> {
    let mut ball = Native::new(BouncingBall::default());
    ball.initialize(0.0)?;
    let expected = flights();
    for (bounce, Flight { begin, .. }) in (1..).zip(&expected) {
        ball.simulate(begin - 1e-12, 1e-3)?;
        assert_eq!(ball.events(), bounce - 1, "too early for bounce {bounce}");
        ball.simulate(begin + 1e-12, 1e-3)?;
        assert_eq!(ball.events(), bounce, "too late for bounce {bounce}");
    }
    assert!(ball.resting);
    ball.simulate(10.0, 1e-3)?;
    assert_eq!((ball.h, ball.v, ball.events()), (0.0, 0.0, expected.len()));
    Ok(())
}
