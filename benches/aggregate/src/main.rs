//! What one solver over many FMUs costs, beside the same system in one FMU under the same solver.
//!
//! `pair FOLDER ROUNDS` races wheel and chassis against the quarter car, `rod FOLDER SEGMENTS ROUNDS` a rod in segments
//! against the whole rod. Both print the median milliseconds of both sides, the median of their ratios, and the steps of
//! both solvers; setup, which is not raced, is left out.

use std::error::Error;
use std::path::Path;

use importer::Fmu;
use master::aggregate::{Aggregate, Assembly, FmuModel, Settings, Statistics};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["pair", folder, rounds] => {
            let settings = Settings {
                stop: 20.0,
                output_step: 20.0,
                tolerance: 1e-8,
                ..Settings::default()
            };
            race(
                rounds.parse()?,
                || pair(folder.as_ref(), settings),
                || car(folder.as_ref(), settings),
            )
        }
        ["rod", folder, segments, rounds] => {
            let segments: usize = segments.parse()?;
            let settings = Settings {
                stop: 100.0,
                output_step: 100.0,
                ..Settings::default()
            };
            race(
                rounds.parse()?,
                || rod(folder.as_ref(), "RodSegment.fmu", segments, settings),
                || rod(folder.as_ref(), "WholeRod.fmu", 1, settings),
            )
        }
        _ => Err("pair FOLDER ROUNDS | rod FOLDER SEGMENTS ROUNDS".into()),
    }
}

fn race(
    rounds: usize,
    many: impl Fn() -> Outcome<Aggregate>,
    one: impl Fn() -> Outcome<Aggregate>,
) -> Outcome<()> {
    let run = |make: &dyn Fn() -> Outcome<Aggregate>| -> Outcome<(f64, Statistics)> {
        let mut system = make()?;
        let statistics = system.run(|_| true)?;
        let summary = &statistics.summary;
        Ok((1e3 * (summary.total - summary.setup).as_secs_f64(), statistics))
    };
    let (mut times, mut ratios) = ([Vec::new(), Vec::new()], Vec::new());
    let mut steps = [0, 0];
    for _ in 0..rounds {
        let (first, second) = (run(&many)?, run(&one)?);
        times[0].push(first.0);
        times[1].push(second.0);
        ratios.push(first.0 / second.0);
        steps = [first.1.summary.solver.steps, second.1.summary.solver.steps];
    }
    let median = |values: &mut Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let [mut many, mut one] = times;
    let (many, one, ratio) = (median(&mut many), median(&mut one), median(&mut ratios));
    println!("{many} {one} {ratio} {} {}", steps[0], steps[1]);
    Ok(())
}

fn add(system: &mut Assembly, name: &str, file: &Path) -> Outcome<()> {
    system.add(name, FmuModel::new(Fmu::open(file)?.model_exchange(name)?));
    Ok(())
}

fn pair(folder: &Path, settings: Settings) -> Outcome<Aggregate> {
    let mut system = Assembly::new();
    add(&mut system, "wheel", &folder.join("Wheel.fmu"))?;
    add(&mut system, "chassis", &folder.join("Chassis.fmu"))?;
    system
        .connect("wheel.x", "chassis.x_wheel")
        .connect("wheel.v", "chassis.v_wheel");
    system
        .connect("chassis.x", "wheel.x_chassis")
        .connect("chassis.v", "wheel.v_chassis");
    Ok(system.build(settings)?)
}

fn car(folder: &Path, settings: Settings) -> Outcome<Aggregate> {
    let mut system = Assembly::new();
    add(&mut system, "car", &folder.join("QuarterCar.fmu"))?;
    Ok(system.build(settings)?)
}

fn rod(folder: &Path, file: &str, segments: usize, settings: Settings) -> Outcome<Aggregate> {
    let fmu = Fmu::open(folder.join(file))?;
    let mut system = Assembly::new();
    for segment in 0..segments {
        let name = format!("s{segment}");
        system.add(&name, FmuModel::new(fmu.model_exchange(&name)?));
        if segment > 0 {
            let before = format!("s{}", segment - 1);
            system.connect(&format!("{before}.last"), &format!("{name}.left"));
            system.connect(&format!("{name}.first"), &format!("{before}.right"));
        }
    }
    system.fix("s0.left", 373.15);
    Ok(system.build(settings)?)
}
