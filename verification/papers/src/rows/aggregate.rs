//! The same systems aggregated, co-simulated and monolithic: errors and work, in one table.

use fmu_master::System;
use fmu_master::aggregate::{Aggregate, Assembly, NativeModel, Pattern};
use fmu_master::component::{Capabilities, Component, ComponentError, ModelExchange, State, Variables};
use fmu_master::settings::{Advance, Algorithm, Control, Correction, Settings};
use fmu_results::table::Results;
use rod::WholeRod;

use super::{pendulum, quarter_car};
use crate::bench::{Bench, Result};
use crate::reference::integrate;
use crate::table::Table;

/// What all three are asked for.
const TOLERANCE: f64 = 1e-6;

type Function = fn(f64, &[f64], &mut [f64]);

/// Equations in one piece, as a component: what no coupling can be wrong about.
struct Whole {
    f: Function,
    t: f64,
    x: Vec<f64>,
    /// The states that are outputs.
    shown: Vec<usize>,
    base: Vec<f64>,
    moved: Vec<f64>,
}

impl Component for Whole {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn into_model_exchange(self: Box<Self>) -> Option<Box<dyn ModelExchange>> {
        Some(self)
    }

    fn variables(&self) -> Variables {
        let states = (0..self.x.len()).map(|state| State::new(format!("x{state}"), 1.0));
        let outputs = self.shown.iter().map(|state| (format!("y{state}"), 1.0));
        Variables::default()
            .states(states.collect())
            .outputs(outputs.collect())
    }

    fn enter_initialization(
        &mut self,
        _: f64,
        _: f64,
        _: Option<f64>,
    ) -> std::result::Result<(), ComponentError> {
        Ok(())
    }

    fn exit_initialization(&mut self) -> std::result::Result<(), ComponentError> {
        Ok(())
    }

    fn set_inputs(&mut self, _: &[f64]) -> std::result::Result<(), ComponentError> {
        Ok(())
    }
}

impl ModelExchange for Whole {
    fn couple(&mut self, _: &[usize], _: &[usize]) -> std::result::Result<Pattern, ComponentError> {
        Ok(Pattern::full(self.x.len(), self.x.len()))
    }

    fn set_time(&mut self, time: f64) -> std::result::Result<(), ComponentError> {
        self.t = time;
        Ok(())
    }

    fn set_states(&mut self, x: &[f64]) -> std::result::Result<(), ComponentError> {
        self.x.copy_from_slice(x);
        Ok(())
    }

    fn states(&mut self, x: &mut [f64]) -> std::result::Result<(), ComponentError> {
        x.copy_from_slice(&self.x);
        Ok(())
    }

    fn derivatives(&mut self, dx: &mut [f64]) -> std::result::Result<(), ComponentError> {
        (self.f)(self.t, &self.x, dx);
        Ok(())
    }

    fn some_outputs(&mut self, which: &[usize], y: &mut [f64]) -> std::result::Result<(), ComponentError> {
        for (y, output) in y.iter_mut().zip(which) {
            *y = self.x[self.shown[*output]];
        }
        Ok(())
    }

    fn partials(
        &mut self,
        x: &[f64],
        _: &[f64],
        values: &mut [f64],
    ) -> std::result::Result<(), ComponentError> {
        (self.f)(self.t, x, &mut self.base);
        for (column, values) in values.chunks_exact_mut(x.len()).enumerate() {
            let mut point = x.to_vec();
            point[column] += 1e-7;
            (self.f)(self.t, &point, &mut self.moved);
            for (value, (moved, base)) in values.iter_mut().zip(self.moved.iter().zip(&self.base)) {
                *value = (moved - base) / 1e-7;
            }
        }
        Ok(())
    }
}

fn whole(f: Function, x: &[f64], shown: &[usize], settings: Settings) -> Result<Aggregate> {
    let mut system = Assembly::new();
    let zeros = vec![0.0; x.len()];
    system.add(
        "whole",
        Whole {
            f,
            t: 0.0,
            x: x.to_vec(),
            shown: shown.to_vec(),
            base: zeros.clone(),
            moved: zeros,
        },
    );
    Ok(system.build(settings)?)
}

/// A system, the names of its outputs, and a reference for them.
struct Case<'a> {
    name: &'a str,
    system: System,
    outputs: Vec<String>,
    reference: &'a dyn Fn(&[f64]) -> Vec<Vec<f64>>,
    /// A usual size, of which errors are parts.
    size: f64,
}

impl Case<'_> {
    fn error(&self, results: &Results) -> Result<f64> {
        let reference = (self.reference)(results.times());
        let mut worst = 0.0_f64;
        for (column, name) in self.outputs.iter().enumerate() {
            let values = results
                .numbers(name)
                .ok_or_else(|| format!("{name} is not recorded"))?;
            for (value, row) in values.iter().zip(&reference) {
                worst = worst.max((value - row[column]).abs() / self.size);
            }
        }
        Ok(worst)
    }

    fn rows(mut self, bench: &Bench, table: &mut Table, mut monolithic: Aggregate) -> Result<()> {
        let source = "003 section 3";
        let (mut times, mut shown) = (Vec::new(), Vec::new());
        monolithic.run(|point| {
            times.push(point.t);
            shown.push(point.y.to_vec());
            true
        })?;
        let reference = (self.reference)(&times);
        let mut alone = 0.0_f64;
        for (row, exact) in shown.iter().zip(&reference) {
            for (column, value) in row.iter().enumerate() {
                // A rod in one piece shows its two ends.
                let is_last = row.len() < exact.len() && column > 0;
                let exact = exact[if is_last { exact.len() - 1 } else { column }];
                alone = alone.max((value - exact).abs() / self.size);
            }
        }
        let summary = &monolithic.statistics().summary;
        let work = format!(
            "{} steps, {} evaluations",
            summary.solver.steps, summary.evaluations
        );
        let most = summary.evaluations;
        table.figure(source, format!("{}, monolithic: work", self.name), "", work);
        let what = format!("{}, monolithic: error", self.name);
        table.figure(source, what, "", format!("{alone:.1e}"));

        let mut results = Results::default();
        let mut assembled = self.system.aggregate_with(&bench.options())?;
        assembled.run(&mut results, |_| true)?;
        let (error, summary) = (self.error(&results)?, &assembled.aggregate.statistics().summary);
        let work = format!(
            "{} steps, {} evaluations",
            summary.solver.steps, summary.evaluations
        );
        let what = format!("{}, aggregated: work", self.name);
        let limit = format!("1.2 x {most}");
        table.row(source, what, "", work, limit, 5 * summary.evaluations <= 6 * most);
        let what = format!("{}, aggregated: error", self.name);
        table.row(
            source,
            what,
            "",
            format!("{error:.1e}"),
            format!("2 x {alone:.1e}"),
            error <= 2.0 * alone,
        );

        let settings = &mut self.system.settings;
        settings.algorithm = Algorithm::Jacobi;
        settings.extrapolation = 2;
        self.system.advance = Advance::Stepping;
        let run = bench.run(&self.system)?.whole()?;
        let error = self.error(&run.results)?;
        let work = format!(
            "{error:.1e}, {} steps",
            run.statistics.steps + run.statistics.rejected
        );
        let what = format!("{}, co-simulated: error, work", self.name);
        table.figure(source, what, "", work);
        Ok(())
    }
}

fn settings(system: &System) -> Settings {
    Settings::default()
        .start(system.settings.start)
        .stop(system.settings.stop)
        .step(system.settings.step)
        .tolerance(TOLERANCE)
}

/// With error control of the same tolerance for the co-simulation.
fn asked(mut system: System, step: f64, stop: f64) -> System {
    let settings = &mut system.settings;
    (settings.step, settings.stop) = (step, stop);
    settings.control = Some(Control::new(TOLERANCE, stop));
    system.advance = Advance::Aggregate;
    system
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

pub fn rows(bench: &Bench, table: &mut Table) -> Result<()> {
    table.note(
        "The paper has no figures for these systems. The limits are ours: an error of at most twice that of the monolithic \
         system, and at most 1.2 times its evaluations.",
    );
    let system = asked(bench.system("quarter-car")?, 0.01, 1.0);
    let monolithic = whole(
        quarter_car::equations,
        &[0.0; 4],
        &[0, 1, 2, 3],
        settings(&system),
    )?;
    let case = Case {
        name: "quarter car",
        system,
        outputs: names(&["wheel.x", "wheel.v", "chassis.x", "chassis.v"]),
        reference: &|times| integrate(times, &[0.0; 4], 1e-5, quarter_car::equations),
        size: 1.0,
    };
    case.rows(bench, table, monolithic)?;

    let mut system = asked(bench.system("double-pendulum")?, 0.1, 10.0);
    system.settings.correction = Correction::Linear;
    let start = [-1.0, 0.0, 0.3, 0.0];
    let monolithic = whole(pendulum::equations, &start, &[0, 2], settings(&system))?;
    let angles = |times: &[f64]| {
        let states = integrate(times, &start, 1e-4, pendulum::equations).into_iter();
        states.map(|x| vec![x[0], x[2]]).collect()
    };
    let case = Case {
        name: "double pendulum",
        system,
        outputs: names(&["upper.alpha", "lower.alpha"]),
        reference: &angles,
        size: 1.0,
    };
    case.rows(bench, table, monolithic)?;
    rod_in_four(bench, table)
}

/// Cells of a segment.
const CELLS: usize = 100;
const SEGMENTS: usize = 4;
/// A rod of 1 m.
const SPACING: f64 = 1.0 / (CELLS * SEGMENTS + 1) as f64;
const HOT: f64 = 373.15;

fn rod_in_four(bench: &Bench, table: &mut Table) -> Result<()> {
    let mut system = System::default();
    let mut outputs = Vec::new();
    for segment in 1..=SEGMENTS {
        let name = format!("s{segment}");
        system = system.component(&name, bench.fmus.join("RodSegment.fmu"));
        system = system.set(&format!("{name}.spacing"), SPACING);
        outputs.extend([format!("{name}.first"), format!("{name}.last")]);
        if segment > 1 {
            let before = format!("s{}", segment - 1);
            system = system.connect(&format!("{before}.last"), &format!("{name}.left"));
            system = system.connect(&format!("{name}.first"), &format!("{before}.right"));
        }
    }
    system = system.input("s1.left", HOT);
    let system = asked(system, 1.0, 100.0);
    let cells = |_: f64, x: &[f64], dx: &mut [f64]| {
        let rate = 1.1e-4 / (SPACING * SPACING);
        for (i, dx) in dx.iter_mut().enumerate() {
            let left = if i > 0 { x[i - 1] } else { HOT };
            let right = x.get(i + 1).copied().unwrap_or(293.15);
            *dx = rate * (left - 2.0 * x[i] + right);
        }
    };
    let ends = |times: &[f64]| {
        let states = integrate(times, &[293.15; CELLS * SEGMENTS], 0.02, cells).into_iter();
        let of = |x: Vec<f64>| x.chunks(CELLS).flat_map(|own| [own[0], own[CELLS - 1]]).collect();
        states.map(of).collect()
    };
    let rod = WholeRod::<{ CELLS * SEGMENTS }> {
        left: HOT,
        spacing: SPACING,
        ..WholeRod::default()
    };
    let mut monolithic = Assembly::new();
    monolithic.add("rod", NativeModel::new(rod).map_err(|error| error.to_string())?);
    let case = Case {
        name: "rod in four",
        outputs,
        reference: &ends,
        size: 300.0,
        system: system.clone(),
    };
    case.rows(bench, table, monolithic.build(settings(&system))?)?;
    let Some(command) = &bench.command else {
        return Ok(());
    };
    let out = bench.fmus.join("rod.csv");
    let mut couple = std::process::Command::new(command);
    couple
        .arg("couple")
        .arg(bench.file("rod"))
        .arg("--fmus")
        .arg(&bench.fmus);
    let ran = couple.arg("--output").arg(&out).output()?;
    let rows = std::fs::read_to_string(&out)?.lines().count();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    let works = ran.status.success() && rows == 102 && said.contains("aggregate with bdf");
    let what = "fmu couple rod: a line of names and 101 points";
    table.row("command", what, "", format!("{rows} lines"), "102 lines", works);
    Ok(())
}
