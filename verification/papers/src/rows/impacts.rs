//! Andersson 2016, chapter 8: models with events through both interfaces, and what solvers take for one and the same model.

use fmu_importer::Fmu;
use fmu_importer::simulate::{Interface, Method, Results, Simulation, Summary};
use fmu_master::System;
use fmu_results::plot::{Panel, Plot, Series};

use crate::bench::{Bench, Result};
use crate::reference::integrate;
use crate::table::Table;

const INTERFACES: [(Interface, &str); 2] = [
    (Interface::ModelExchange, "Model Exchange"),
    (Interface::CoSimulation, "Co-Simulation"),
];

pub fn rows(bench: &Bench, table: &mut Table) -> Result<()> {
    woodpecker(bench, table)?;
    blocked_pendulum(bench, table)?;
    solvers(bench, table)?;
    similar_solvers(bench, table)
}

fn simulate(fmu: &Fmu, interface: Interface, stop: f64) -> Result<(Results, Summary)> {
    let simulation = Simulation::new(fmu).interface(interface).stop(stop);
    Ok(simulation.output_step(1e-3).tolerance(1e-6).run()?)
}

fn last(results: &Results, name: &str) -> Result<f64> {
    let last = results.numbers(name).and_then(<[f64]>::last);
    last.copied()
        .ok_or_else(|| format!("{name} was not recorded").into())
}

/// Figure 8.13: hits on the bar in 0.16 s and in 1 s.
fn woodpecker(bench: &Bench, table: &mut Table) -> Result<()> {
    let fmu = Fmu::open(bench.fmus.join("Woodpecker.fmu"))?;
    let mut panel = Panel::new(Some("rad"));
    for (interface, words) in INTERFACES {
        for (stop, published) in [(0.16, 2.0), (1.0, 11.0)] {
            let (results, _) = simulate(&fmu, interface, stop)?;
            let hits = last(&results, "hits")?;
            table.row(
                "000 figure 8.13",
                format!("woodpecker, {words}: hits by {stop} s"),
                published,
                hits,
                published,
                hits == published,
            );
            if interface == Interface::ModelExchange && stop == 0.16 {
                for name in ["phi_s", "phi_b"] {
                    let values = results.numbers(name).unwrap_or_default();
                    let points = results.times().iter().copied().zip(values.iter().copied());
                    panel = panel.with(Series::new(name, points.collect()));
                }
            }
        }
    }
    let plot = Plot::new("Woodpecker: angles of sleeve and bird").with(panel);
    table.drawing(
        "woodpecker.svg",
        "Figure 8.13 (left), through Model Exchange.",
        &plot,
    );
    Ok(())
}

/// Figure 8.4: the pendulum leaves the wall as fast as it came, and returns to where it was let go, again and again.
fn blocked_pendulum(bench: &Bench, table: &mut Table) -> Result<()> {
    const WALL: f64 = -0.75 * std::f64::consts::PI;
    // How long it falls from rest at 2.7 rad, from small steps and a line between the last two.
    let times: Vec<f64> = (0..=30_000).map(|k| 1e-4 * f64::from(k)).collect();
    let falls = integrate(&times, &[2.7, 0.0], 1e-4, |_, x, dx| {
        dx[0] = x[1];
        dx[1] = -9.81 * x[0].sin();
    });
    let beyond = falls
        .iter()
        .position(|x| x[0] < WALL)
        .ok_or("it never reaches the wall")?;
    let [before, behind] = [falls[beyond - 1][0], falls[beyond][0]];
    let fall = times[beyond - 1] + 1e-4 * (before - WALL) / (before - behind);
    let expected = ((10.0 / fall + 1.0) / 2.0).floor();
    let fmu = Fmu::open(bench.fmus.join("BlockedPendulum.fmu"))?;
    for (interface, words) in INTERFACES {
        let (results, _) = simulate(&fmu, interface, 10.0)?;
        let impacts = last(&results, "impacts")?;
        table.row(
            "000 figure 8.4",
            format!("blocked pendulum, {words}: impacts by 10 s"),
            "bounces",
            impacts,
            expected,
            impacts == expected,
        );
        let (angles, speeds) = (results.numbers("theta"), results.numbers("omega"));
        let states = angles.unwrap_or_default().iter().zip(speeds.unwrap_or_default());
        let energy = |theta: f64, omega: f64| 0.5 * omega * omega - 9.81 * theta.cos();
        let off = states.map(|(&theta, &omega)| (energy(theta, omega) - energy(2.7, 0.0)).abs());
        let off = off.fold(0.0, f64::max) / 9.81;
        table.row(
            "000 figure 8.4",
            format!("blocked pendulum, {words}: energy over 10 s, off by"),
            "",
            format!("{off:.1e}"),
            "<= 1e-3",
            off <= 1e-3,
        );
    }
    Ok(())
}

/// Table 8.1: all adaptive solvers on one model with events.
fn solvers(bench: &Bench, table: &mut Table) -> Result<()> {
    table.note(
        "The robot of tables 8.1 to 8.3 (36 states, 98 event indicators) is not ours to export. Their form is kept: all adaptive \
         solvers on one model with events (8.1, the woodpecker), two similar BDF methods on one model (8.2, that of the importer \
         and that inside of our FMUs), and one solver in two environments (8.3, the BDF inside of an FMU under `simulate` and \
         under the master). Their counts are figures beside ours, of another model.",
    );
    let fmu = Fmu::open(bench.fmus.join("Woodpecker.fmu"))?;
    for method in Method::ALL.into_iter().filter(|method| !method.is_fixed()) {
        let simulation = Simulation::new(&fmu)
            .interface(Interface::ModelExchange)
            .stop(1.0);
        let (results, summary) = simulation
            .solver(method)
            .tolerance(1e-6)
            .output_step(0.01)
            .run()?;
        let hits = last(&results, "hits")?;
        table.row(
            "000 table 8.1",
            format!("woodpecker, {method}: hits by 1 s"),
            "11 (IDA)",
            hits,
            "11",
            hits == 11.0,
        );
        let published = match method.is_implicit() {
            true => "1904, 4787, 65 (CVode)",
            false => "4480, 27602, - (Dopri5)",
        };
        table.figure(
            "000 table 8.1",
            format!("{method}: steps, evaluations, Jacobians (published: the robot)"),
            published,
            format!(
                "{}, {}, {}",
                summary.solver.steps, summary.evaluations, summary.jacobians
            ),
        );
    }
    Ok(())
}

/// Tables 8.2 and 8.3: x' = -x u^2 of example 6.3.1 with u = 1, from 1 to e^-10, at a tolerance of 1e-6.
fn similar_solvers(bench: &Bench, table: &mut Table) -> Result<()> {
    const STOP: f64 = 10.0;
    /// `solver.method` of our BDF.
    const BDF: i32 = 4;
    let path = bench.fmus.join("Driven.fmu");
    let fmu = Fmu::open(&path)?;
    let exact = |results: &Results| -> Result<f64> {
        let values = results.numbers("x").ok_or("x was not recorded")?;
        let errors = results
            .times()
            .iter()
            .zip(values)
            .map(|(t, x)| (x - (-t).exp()).abs());
        Ok(errors.fold(0.0, f64::max))
    };
    let simulation = Simulation::new(&fmu)
        .interface(Interface::ModelExchange)
        .solver(Method::Bdf);
    let simulation = simulation
        .set("u", 1.0)
        .stop(STOP)
        .output_step(STOP)
        .tolerance(1e-6);
    let (outside, summary) = simulation.run()?;
    let simulation = Simulation::new(&fmu)
        .interface(Interface::CoSimulation)
        .record("*");
    let simulation = simulation.set("u", 1.0).set("solver.method", BDF).tolerance(1e-6);
    let (inside, _) = simulation.stop(STOP).step(STOP).output_step(STOP).run()?;
    for (name, results) in [("of the importer", &outside), ("inside of the FMU", &inside)] {
        let off = exact(results)?;
        table.row(
            "000 table 8.2",
            format!("BDF {name}: largest error at 1e-6"),
            "",
            format!("{off:.1e}"),
            "<= 3e-5",
            off <= 3e-5,
        );
    }
    let (first, second) = (summary.solver.steps as f64, last(&inside, "statistics.steps")?);
    let ratio = (first / second).max(second / first);
    table.row(
        "000 table 8.2",
        "two similar BDF methods: steps",
        "1.15 (1904/1660)",
        format!("{ratio:.2} ({first:.0}/{second:.0})"),
        "<= 2",
        ratio <= 2.0,
    );
    let mut system = System::default()
        .component("driven", &path)
        .input("driven.u", 1.0)
        .set("driven.solver.method", BDF)
        .record("*");
    (system.settings.stop, system.settings.step) = (STOP, STOP);
    system.settings.tolerance = Some(1e-6);
    let run = bench.run(&system)?.whole()?;
    for (what, published) in [("steps", "1940, 2002"), ("evaluations", "8871, 9000")] {
        let (alone, coupled) = (
            last(&inside, &format!("statistics.{what}"))?,
            run.last(&format!("driven.statistics.{what}"))?,
        );
        table.row(
            "000 table 8.3",
            format!("one BDF under simulate and under the master: {what}"),
            published,
            format!("{alone:.0}, {coupled:.0}"),
            "the same",
            alone == coupled,
        );
    }
    Ok(())
}
