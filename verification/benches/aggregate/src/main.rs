//! What one solver over many FMUs costs, beside the same system in one FMU under the same solver.
//!
//! `pair FOLDER ROUNDS` races wheel and chassis against the quarter car, `rod FOLDER SEGMENTS ROUNDS` a rod in segments
//! against the whole rod. Both print the median milliseconds of both sides, the median of their ratios, and the steps of
//! both solvers; setup, which is not raced, is left out.

use std::error::Error;
use std::path::Path;

use fmu_importer::Fmu;
use fmu_importer::simulate::{Interface, Simulation, Summary};
use fmu_master::aggregate::{Aggregate, Assembly, FmuModel};
use fmu_master::settings::Settings;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["pair", folder, rounds] => {
            let settings = Settings::default().stop(20.0).step(20.0).tolerance(1e-8);
            let folder: &Path = folder.as_ref();
            let open = |name: &str| Fmu::open(folder.join(name));
            let (wheel, chassis, car) = (open("Wheel.fmu")?, open("Chassis.fmu")?, open("QuarterCar.fmu")?);
            // One instance of each stays, and so do the libraries: loading is not raced.
            let _loaded = (
                wheel.model_exchange("w")?,
                chassis.model_exchange("c")?,
                car.model_exchange("q")?,
            );
            race(
                rounds.parse()?,
                || pair(&wheel, &chassis, settings),
                || simulation(&car, settings),
            )
        }
        ["rod", folder, segments, rounds] => {
            let segments: usize = segments.parse()?;
            let settings = Settings::default().stop(100.0).step(100.0);
            let folder: &Path = folder.as_ref();
            let (segment, whole) = (
                Fmu::open(folder.join("RodSegment.fmu"))?,
                Fmu::open(folder.join("WholeRod.fmu"))?,
            );
            let _loaded = (segment.model_exchange("s")?, whole.model_exchange("w")?);
            race(
                rounds.parse()?,
                || rod(&segment, segments, settings),
                || simulation(&whole, settings),
            )
        }
        _ => Err("pair FOLDER ROUNDS | rod FOLDER SEGMENTS ROUNDS".into()),
    }
}

/// The temperature at the left end of the rod; the whole rod has it as its start value.
const HOT: f64 = 373.15;

/// One FMU under the same solver.
fn simulation(fmu: &Fmu, settings: Settings) -> Simulation<'_> {
    Simulation::new(fmu)
        .interface(Interface::ModelExchange)
        .stop(settings.stop)
        .step(settings.step)
        .tolerance(settings.tolerance.unwrap_or(1e-6))
}

fn race<'f>(
    rounds: usize,
    many: impl Fn() -> Outcome<Aggregate>,
    one: impl Fn() -> Simulation<'f>,
) -> Outcome<()> {
    let took = |summary: &Summary| 1e3 * (summary.total - summary.setup).as_secs_f64();
    let (mut times, mut ratios) = ([Vec::new(), Vec::new()], Vec::new());
    let mut steps = [0, 0];
    for _ in 0..rounds {
        let mut many = many()?;
        many.run(|_| true)?;
        let first = &many.statistics().summary;
        let (_, second) = one().run()?;
        times[0].push(took(first));
        times[1].push(took(&second));
        ratios.push(took(first) / took(&second));
        steps = [first.solver.steps, second.solver.steps];
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

fn pair(wheel: &Fmu, chassis: &Fmu, settings: Settings) -> Outcome<Aggregate> {
    let mut system = Assembly::new();
    system.add("wheel", FmuModel::new(wheel.model_exchange("wheel")?));
    system.add("chassis", FmuModel::new(chassis.model_exchange("chassis")?));
    system
        .connect("wheel.x", "chassis.x_wheel")
        .connect("wheel.v", "chassis.v_wheel");
    system
        .connect("chassis.x", "wheel.x_chassis")
        .connect("chassis.v", "wheel.v_chassis");
    Ok(system.build(settings)?)
}

fn rod(fmu: &Fmu, segments: usize, settings: Settings) -> Outcome<Aggregate> {
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
    system.fix("s0.left", HOT);
    Ok(system.build(settings)?)
}
