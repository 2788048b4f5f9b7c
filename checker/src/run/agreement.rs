//! R23: Co-Simulation against Model Exchange of the same FMU.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::child::Probe;
use super::drive::Plan;
use super::steps::Steps;
use fmu_importer::Error;
use fmu_importer::simulate::{Interface, Results, Simulation};

pub(super) fn add(steps: &mut Steps, probe: &Probe) {
    if !probe.is_model_exchange() && probe.fmu.description().model_exchange.is_some() {
        steps.add("R23", "a run against Model Exchange", compare);
    }
}

/// How exact the integrator of a slave must be: a fixed step of Euler's, as is common, is not more.
const ROOM: f64 = 0.05;
/// Part of the points that may be further off: those around events that are not found exactly.
const EXCEPTIONS: f64 = 0.1;
/// A run ends there, so that a slow FMU is not taken for one that hangs.
const PATIENCE: Duration = Duration::from_millis(800);

fn compare(probe: &mut Probe) -> Result<(), Error> {
    let runs =
        [Interface::ModelExchange, Interface::CoSimulation].map(|interface| simulate(probe, interface));
    let [Some(exact), Some(slave)] = runs else {
        // A run that fails is reported elsewhere.
        return Ok(());
    };
    let plan = probe.plan;
    let points = points(&plan, &exact).zip(self::points(&plan, &slave));
    let points: Vec<_> = points
        .filter_map(|(exact, slave)| Some((exact?, slave?)))
        .collect();
    for column in exact.columns() {
        let (Some(exact), Some(slave)) = (exact.numbers(&column.name), slave.numbers(&column.name)) else {
            continue;
        };
        let size = exact.iter().fold(0.0, |size: f64, value| size.max(value.abs()));
        let off = |(a, b): &&(usize, usize)| (exact[*a] - slave[*b]).abs() > ROOM * size;
        let worst = points.iter().filter(off).max_by(|one, other| {
            let distance = |(a, b): &(usize, usize)| (exact[*a] - slave[*b]).abs();
            distance(one).total_cmp(&distance(other))
        });
        if let Some((a, b)) = worst
            && points.iter().filter(off).count() as f64 > (EXCEPTIONS * points.len() as f64).max(2.0)
        {
            let (name, exact_value, slave_value) = (&column.name, exact[*a], slave[*b]);
            let problem = format!("`{name}` is {slave_value} where Model Exchange gives {exact_value}");
            probe.found("R23", problem);
        }
    }
    Ok(())
}

fn simulate(probe: &Probe, interface: Interface) -> Option<Results> {
    let (plan, begin) = (probe.plan, Instant::now());
    let enough = Arc::new(AtomicBool::new(false));
    let tired = enough.clone();
    let simulation = Simulation::new(&probe.fmu)
        .interface(interface)
        .start(plan.start)
        .stop(plan.start + plan.step * plan.steps as f64)
        .output_step(plan.step)
        .tolerance(1e-6)
        .interrupt(enough)
        .progress(move |_| {
            if begin.elapsed() > PATIENCE {
                tired.store(true, Ordering::Relaxed);
            }
        });
    simulation.run().ok().map(|(results, _)| results)
}

/// For each point of the plan the last row there, if the run came so far.
fn points<'r>(plan: &Plan, results: &'r Results) -> impl Iterator<Item = Option<usize>> + 'r {
    let plan = *plan;
    (0..=plan.steps).map(move |k| {
        let time = plan.start + k as f64 * plan.step;
        results
            .times()
            .iter()
            .rposition(|row| (row - time).abs() <= 1e-6 * plan.step)
    })
}
