//! Events that a step may pass over: an output that bounces in front of an integrator, and a thermostat whose input triggers its
//! events. Both halves of a step may agree with the whole step although all of them miss the event.

use fmu_master::System;
use fmu_master::settings::{Algorithm, Control, Settings};

use crate::bench::{Bench, Result};
use crate::table::Table;

const SOURCE: &str = "events";
/// Runs may be wrong by that many tolerances.
const MOST: f64 = 30.0;

pub fn rows(bench: &Bench, table: &mut Table) -> Result<()> {
    table.note(
        "`BouncingBall` feeds its height to an integrator: the bounces lie inside of steps, and what the integrator receives is \
         predicted beyond them. `Thermostat` switches a heating between 19 and 21 degrees, with held inputs: how late it switches shows in no value \
         at the end of a step. 30 tolerances is a limit of our own.",
    );
    for algorithm in Algorithm::ALL {
        for tolerance in [1e-3, 1e-4, 1e-5] {
            bounces(bench, table, algorithm, tolerance)?;
        }
        for tolerance in [1e-3, 1e-4] {
            switches(bench, table, algorithm, tolerance)?;
        }
    }
    Ok(())
}

fn settings(algorithm: Algorithm, stop: f64, tolerance: f64) -> Settings {
    Settings::default()
        .stop(stop)
        .step(0.05)
        .algorithm(algorithm)
        .extrapolation(1)
        .control(Some(Control::new(tolerance, stop)))
}

/// The integral of the height from the fall to the last bounce: each flight is a parabola, until the ball is slower than 1 mm/s.
fn flown() -> f64 {
    let (g, restitution) = (9.81_f64, 0.7);
    let fall = (2.0 / g).sqrt();
    let (mut sum, mut velocity) = (fall - g * fall.powi(3) / 6.0, restitution * g * fall);
    while velocity >= 1e-3 {
        let flight = 2.0 * velocity / g;
        sum += velocity * flight * flight / 2.0 - g * flight.powi(3) / 6.0;
        velocity *= restitution;
    }
    sum
}

fn bounces(bench: &Bench, table: &mut Table, algorithm: Algorithm, tolerance: f64) -> Result<()> {
    let system = System::new("bounces")
        .component("ball", "BouncingBall.fmu")
        .component("sum", "Integrator.fmu")
        .set("sum.y", 0.0)
        .connect("ball.h", "sum.u")
        .settings(settings(algorithm, 3.0, tolerance));
    let run = bench.run(&system)?;
    let label = format!("ball, {}, tolerance {tolerance:e}", algorithm.as_str());
    let limit = format!("off by <= {MOST} tolerances");
    if let Some(sentence) = run.sentence() {
        table.sentence(&label, &sentence);
        table.row(SOURCE, label, "", "an error", limit, false);
        return Ok(());
    }
    let sum = run.values("sum.y")?.last().copied().unwrap_or(f64::NAN);
    let off = (sum - flown()).abs() / (tolerance * (1.0 + flown()));
    let ours = format!("{sum:.6} for {:.6}: {off:.1} tolerances", flown());
    table.row(SOURCE, label, "", ours, limit, off <= MOST);
    Ok(())
}

fn switches(bench: &Bench, table: &mut Table, algorithm: Algorithm, tolerance: f64) -> Result<()> {
    const STOP: f64 = 5.0;
    let (start, low, high, hot) = (10.0_f64, 19.0_f64, 21.0_f64, 40.0_f64);
    let system = System::new("switches")
        .component("room", "FirstOrder.fmu")
        .component("thermostat", "Thermostat.fmu")
        .set("room.b", hot)
        .set("room.x", start)
        .connect("room.y", "thermostat.temperature")
        .connect("thermostat.on", "room.u")
        .settings(settings(algorithm, STOP, tolerance).extrapolation(0));
    let run = bench.run(&system)?;
    let label = format!("thermostat, {}, tolerance {tolerance:e}", algorithm.as_str());
    let limit = format!("<= {MOST} tolerances beyond 19 and 21, as often");
    if let Some(sentence) = run.sentence() {
        table.sentence(&label, &sentence);
        table.row(SOURCE, label, "", "an error", limit, false);
        return Ok(());
    }
    // x' = 40 - x while it heats, x' = -x while it does not.
    let first = ((hot - start) / (hot - high)).ln();
    let period = (high / low).ln() + ((hot - low) / (hot - high)).ln();
    let expected = 1.0
        + 2.0 * ((STOP - first) / period).floor()
        + if (STOP - first) % period > (high / low).ln() {
            1.0
        } else {
            0.0
        };
    let (values, on) = (run.values("room.y")?, run.values("thermostat.on")?);
    let after = run.times().iter().zip(values).filter(|(t, _)| **t > first);
    let beyond = after.map(|(_, value)| (low - value).max(value - high));
    let beyond = beyond.fold(0.0_f64, |most, beyond| {
        if beyond.is_nan() {
            f64::INFINITY
        } else {
            most.max(beyond)
        }
    });
    let counted = on.windows(2).filter(|pair| pair[0] != pair[1]).count() as f64;
    let tolerances = beyond / (tolerance * (1.0 + high));
    table.row(
        SOURCE,
        label,
        "",
        format!("{tolerances:.1} tolerances beyond, {counted} times"),
        format!("{limit}: {expected} +- 1"),
        tolerances <= MOST && (counted - expected).abs() <= 1.0,
    );
    Ok(())
}
