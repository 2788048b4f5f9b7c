//! Pannu 2015, section 3: two pendula under one solver, as FMUs, as models in Rust, and mixed.

use std::f64::consts::FRAC_PI_2;

use fmu_importer::Fmu;
use fmu_master::aggregate::{
    Aggregate, Assembly, Differentiable, ExternalEvent, FmuModel, NativeModel, Read,
};
use fmu_master::settings::Settings;
use fmu_results::plot::{Panel, Plot, Series};
use fmu_runtime::native::Native;
use fmu_runtime::prelude::*;
use pendula::{CartesianPendulum, CoupledPendula, PolarPendulum};

use crate::bench::{Bench, Result};
use crate::table::Table;

const STOP: f64 = 5.0;
const POINTS: usize = 100;
/// The tolerance of the paper, and what the error against the monolithic model is held to.
const TOLERANCE: f64 = 1e-8;
const LIMIT: f64 = 1e-6;

/// The spring between bobs at y = (x1, y1, x2, y2) from their pivots, which have moved by w1 and w2: forces on both.
#[differentiable]
fn cartesian_spring(_t: f64, y: [f64; 6]) -> [f64; 4] {
    let [x1, y1, x2, y2, w1, w2] = y;
    let (across, up) = ((2.0 + w2 + x2) - (w1 + x1 - 2.0), y2 - y1);
    [across, up, -across, -up]
}

/// The same by angles.
#[differentiable]
fn polar_spring(t: f64, y: [f64; 4]) -> [f64; 4] {
    let [phi1, phi2, w1, w2] = y;
    let bobs = [phi1.sin(), -phi1.cos(), phi2.sin(), -phi2.cos(), w1, w2];
    cartesian_spring(t, bobs)
}

#[derive(Clone, Copy, PartialEq)]
enum Coordinates {
    Cartesian,
    Polar,
}

/// Which side is an FMU.
const MIXES: [(&str, [bool; 2]); 3] = [
    ("FMU + FMU", [true, true]),
    ("Rust + Rust", [false, false]),
    ("Rust + FMU", [false, true]),
];

fn add(bench: &Bench, system: &mut Assembly, coordinates: Coordinates, side: usize, fmu: bool) -> Result<()> {
    let (name, sign) = [("left", 1.0), ("right", -1.0)][side];
    match (coordinates, fmu) {
        (Coordinates::Cartesian, false) => {
            let model = CartesianPendulum {
                x1: sign,
                ..CartesianPendulum::default()
            };
            system.add(name, NativeModel::new(model).map_err(|error| error.to_string())?);
        }
        (Coordinates::Polar, false) => {
            let model = PolarPendulum {
                phi: sign * FRAC_PI_2,
                ..PolarPendulum::default()
            };
            system.add(name, NativeModel::new(model).map_err(|error| error.to_string())?);
        }
        (_, true) => {
            let (file, variable, start) = match coordinates {
                Coordinates::Cartesian => ("CartesianPendulum.fmu", "x1", sign),
                Coordinates::Polar => ("PolarPendulum.fmu", "phi", sign * FRAC_PI_2),
            };
            let mut instance = Fmu::open(bench.fmus.join(file))?.model_exchange(name)?;
            instance.set(variable, start)?;
            system.add(name, FmuModel::new(instance));
        }
    }
    Ok(())
}

/// Two pendula and the spring; pivots that move by a sine, or walls.
fn system(bench: &Bench, coordinates: Coordinates, fmus: [bool; 2], walls: bool) -> Result<Aggregate> {
    let mut system = Assembly::new();
    add(bench, &mut system, coordinates, 0, fmus[0])?;
    add(bench, &mut system, coordinates, 1, fmus[1])?;
    let amplitude = if walls { 0.0 } else { 1.0 };
    let sine = move |t: f64| [amplitude * t.sin(), amplitude * t.cos(), -amplitude * t.sin()];
    let pivot = Read::External(system.external_input(sine, &[], &[]));
    // The bobs feel the opposite of the second derivative of a sine: the sine.
    let inertia = system.external_input(sine, &[], &[]);
    system.give(inertia, "left.u1").give(inertia, "right.u1");
    let forces = ["left.u2", "left.u3", "right.u2", "right.u3"];
    match coordinates {
        Coordinates::Cartesian => {
            let reads = ["left.x1", "left.x2", "right.x1", "right.x2"].map(Read::Output);
            let reads: Vec<Read> = reads.into_iter().chain([pivot, pivot]).collect();
            system.equation(
                &reads,
                &forces,
                Differentiable::new(cartesian_spring, cartesian_spring),
            );
        }
        Coordinates::Polar => {
            let reads = ["left.phi".into(), "right.phi".into(), pivot, pivot];
            system.equation(&reads, &forces, Differentiable::new(polar_spring, polar_spring));
        }
    }
    if walls {
        let reverse = |_: f64, x: &mut [f64]| x.iter_mut().for_each(|x| *x = -*x);
        match coordinates {
            Coordinates::Cartesian => {
                let (left, right) = (["left.x3", "left.x4"], ["right.x3", "right.x4"]);
                system.event(ExternalEvent::new(&["left.x1"], |_, y| y[0], &left, reverse));
                system.event(ExternalEvent::new(
                    &["right.x1"],
                    |_, y| 0.3 - y[0],
                    &right,
                    reverse,
                ));
            }
            Coordinates::Polar => {
                let (left, right) = (["left.omega"], ["right.omega"]);
                system.event(ExternalEvent::new(
                    &["left.phi"],
                    |_, y| y[0].sin(),
                    &left,
                    reverse,
                ));
                let indicator = |_: f64, y: &[f64]| 0.3 - y[0].sin();
                system.event(ExternalEvent::new(&["right.phi"], indicator, &right, reverse));
            }
        }
    }
    Ok(system.build(
        Settings::default()
            .stop(STOP)
            .tolerance(TOLERANCE)
            .step(STOP / POINTS as f64),
    )?)
}

/// The angles of the monolithic model at all output points, and its impacts.
fn reference(walls: bool, step: f64) -> Result<(Vec<[f64; 2]>, usize)> {
    let mut whole = Native::new(CoupledPendula {
        amplitude: if walls { 0.0 } else { 1.0 },
        walls,
        ..CoupledPendula::default()
    });
    let said = |error: ModelError| error.to_string();
    whole.initialize(0.0).map_err(said)?;
    let mut angles = vec![whole.phi];
    for point in 1..=POINTS {
        whole
            .simulate(STOP * point as f64 / POINTS as f64, step)
            .map_err(said)?;
        angles.push(whole.phi);
    }
    Ok((angles, whole.impacts as usize))
}

/// The largest difference of two runs of the monolithic model.
fn apart(one: &[[f64; 2]], other: &[[f64; 2]]) -> f64 {
    let pairs = one.iter().flatten().zip(other.iter().flatten());
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

pub fn rows(bench: &Bench, table: &mut Table) -> Result<()> {
    table.note(
        "The monolithic model is written from the geometry (examples/systems/pendula) and solved by the classical \
         Runge-Kutta method with steps of 0.1 ms. Printed signs of w1, of the pivots and of the spring contradict each \
         other (equations 16 and 24); those here are derived: the spring pulls the bobs towards each other, and bobs feel \
         the opposite of the acceleration of their pivots.",
    );
    for walls in [false, true] {
        let (angles, impacts) = reference(walls, 1e-4)?;
        let exact = apart(&angles, &reference(walls, 2e-4)?.0);
        let what = if walls { "with walls" } else { "with moved pivots" };
        let what = format!("the monolithic model {what}, of half the step: change");
        table.row(
            "003 3.2, 3.3",
            what,
            "tol 1e-12",
            format!("{exact:.1e}"),
            "1e-11",
            exact < 1e-11,
        );
        let cases = match walls {
            false => [
                ("003 3.1, fig. 3", Coordinates::Cartesian),
                ("003 3.2, fig. 4, 5", Coordinates::Polar),
            ],
            true => [
                ("003 3.3, fig. 6", Coordinates::Cartesian),
                ("003 3.3, polar", Coordinates::Polar),
            ],
        };
        for (source, coordinates) in cases {
            let mut errors = Vec::new();
            for (mix, fmus) in MIXES {
                let case = (source, coordinates);
                errors.push(one(bench, table, case, (mix, fmus), (&angles, impacts), walls)?);
            }
            let most = errors.iter().copied().fold(0.0, f64::max);
            let apart = most - errors.iter().copied().fold(most, f64::min);
            let ours = format!("{apart:.1e}");
            table.row(
                source,
                "the three mixes: difference of their errors",
                "",
                ours,
                "1e-9",
                apart < 1e-9,
            );
        }
    }
    Ok(())
}

fn one(
    bench: &Bench,
    table: &mut Table,
    (source, coordinates): (&str, Coordinates),
    (mix, fmus): (&str, [bool; 2]),
    (angles, impacts): (&[[f64; 2]], usize),
    walls: bool,
) -> Result<f64> {
    let mut worst = 0.0_f64;
    let mut curves = [Vec::new(), Vec::new()];
    let mut system = system(bench, coordinates, fmus, walls)?;
    system.run(|point| {
        // Events have points of their own.
        let number = point.t * POINTS as f64 / STOP;
        if (number - number.round()).abs() < 1e-9 {
            let exact = angles[number.round() as usize];
            let errors = match coordinates {
                Coordinates::Polar => [0, 1, 0, 1].map(|side| point.y[side] - exact[side]),
                Coordinates::Cartesian => {
                    let bobs = [exact[0].sin(), -exact[0].cos(), exact[1].sin(), -exact[1].cos()];
                    [0, 1, 2, 3].map(|at| point.y[at] - bobs[at])
                }
            };
            worst = errors.iter().fold(worst, |worst, error| worst.max(error.abs()));
        }
        if coordinates == Coordinates::Cartesian {
            curves[0].push((point.t, point.y[0]));
            curves[1].push((point.t, point.y[2]));
        }
        true
    })?;
    let coordinates_name = match coordinates {
        Coordinates::Cartesian => "Cartesian",
        Coordinates::Polar => "polar",
    };
    let statistics = system.statistics();
    let work = format!("{worst:.1e} ({} steps)", statistics.summary.solver.steps);
    let what = format!("{mix}, {coordinates_name}: error at 1e-8 over 5 s");
    table.row(source, what, "", work, "1e-6", worst < LIMIT);
    if walls {
        let hits: usize = statistics.external_events.iter().sum();
        let what = format!("{mix}, {coordinates_name}: impacts");
        table.row(source, what, "", hits, impacts, hits == impacts);
    }
    if walls && fmus == [true, true] && coordinates == Coordinates::Cartesian {
        let [left, right] = curves;
        let panel = Panel::new(Some("m"))
            .with(Series::new("left, wall at 0", left))
            .with(Series::new("right, wall at 0.3", right));
        let plot = Plot::new("Displacement from the pivots").with(panel);
        table.drawing(
            "pendula-walls.svg",
            "Figure 6 of Pannu 2015: two FMUs and two walls.",
            &plot,
        );
    }
    Ok(worst)
}
