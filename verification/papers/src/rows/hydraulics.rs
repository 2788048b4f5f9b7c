//! Viel 2014: two hydraulic lines that exchange energy nearly without loss, with held and with stabilized inputs.

use fmu_master::settings::Algorithm;
use fmu_master::stabilize::Rule;
use fmu_master::system::System;
use fmu_results::plot::{Panel, Plot, Series};

use super::nyquist;
use crate::bench::{Bench, Result, Run};
use crate::reference::{integrate, order};
use crate::table::Table;

/// Parameters of both lines: frequency, head loss, leak.
const LINE: [f64; 3] = [4568.5, 0.001, 0.02];
/// Steps of explicit and of stabilized runs; errors are compared at multiples of the larger one.
const SMALL: f64 = 1e-6;
const LARGE: f64 = 5e-5;
/// Rules, the published ratio of their error to that of explicit steps (#8 and #7 against #6), and the most that ours may have.
const RULES: [(Rule, &str, &str, f64); 2] = [
    (Rule::Trapezoidal, "trapezoidal (default)", "1.24 (152/123)", 1.0),
    (Rule::BackwardEuler, "backward Euler", "1.75 (215/123)", 5.0),
];

/// The linear system, and one with a fluid that stiffens and a loss that grows.
const VARIANTS: [(&str, [f64; 2]); 2] = [("linear", [0.0, 0.0]), ("nonlinear", [0.2, 0.5])];

pub fn rows(bench: &Bench, table: &mut Table) -> Result<()> {
    table.note(
        "Equation 19 takes the secant of the implicit rule for its slope. For r = 1 that is the slope of the linear model at \
         the end; for r = 1/2 it has half of the second-order term. Ours is the slope that belongs to the rule: `z` for the \
         backward Euler method, `2 z - dx` for the trapezoidal rule. The trapezoidal rule is the default. The nonlinear \
         variant has a stiffness of 1 + 0.2 e and a head loss of 1 + 0.5 |f|.",
    );
    limit(bench, table)?;
    nyquist::rows(table);
    micro_steps(bench, table)?;
    for (name, nonlinear) in VARIANTS {
        errors(bench, table, name, nonlinear)?;
    }
    orders(bench, table)?;
    loops_are_refused(bench, table)
}

fn system(bench: &Bench, nonlinear: [f64; 2]) -> Result<System> {
    let mut system = bench
        .system("hydraulics")?
        .record("left.effort")
        .record("right.flow");
    system = system.record("*.statistics.*");
    for line in ["left", "right"] {
        system = system
            .set(&format!("{line}.stiffening"), nonlinear[0])
            .set(&format!("{line}.turbulence"), nonlinear[1]);
    }
    Ok(system)
}

fn couple(bench: &Bench, nonlinear: [f64; 2], algorithm: Algorithm, rule: Rule, step: f64) -> Result<Run> {
    let mut system = system(bench, nonlinear)?;
    system.settings.algorithm = algorithm;
    system.settings.rule = rule;
    system.settings.step = step;
    bench.run(&system)?.whole()
}

/// The flow that is taken away, as the system file has it.
fn taken(t: f64) -> f64 {
    0.5 * ((t - 0.01) / 0.0005).clamp(0.0, 1.0)
}

/// The root of the mean square error of both coupling variables at multiples of the large step.
fn rms(run: &Run, nonlinear: [f64; 2]) -> Result<f64> {
    let [omega, zeta, leak] = LINE;
    let [stiffening, turbulence] = nonlinear;
    let is_common = |t: f64| (t / LARGE - (t / LARGE).round()).abs() < 1e-6;
    let common: Vec<usize> = (0..run.times().len())
        .filter(|&point| is_common(run.times()[point]))
        .collect();
    let times: Vec<f64> = common.iter().map(|&point| run.times()[point]).collect();
    let states = integrate(&times, &[0.0; 4], 2e-6, |t, x, dx| {
        let loss = |f: f64| 2.0 * zeta * (1.0 + turbulence * f.abs()) * f;
        let filled = |e: f64, f: f64| f * (1.0 + stiffening * e) - leak * e;
        dx[0] = omega * filled(x[0], x[1] - x[3]);
        dx[1] = omega * (1.0 - x[0] - loss(x[1]));
        dx[2] = omega * filled(x[2], x[3] - taken(t));
        dx[3] = omega * (x[0] - x[2] - loss(x[3]));
    });
    let (efforts, flows) = (run.values("left.effort")?, run.values("right.flow")?);
    let squares = common
        .iter()
        .zip(&states)
        .map(|(&point, state)| (efforts[point] - state[0]).powi(2) + (flows[point] - state[3]).powi(2));
    Ok((squares.sum::<f64>() / (2 * states.len()) as f64).sqrt())
}

fn evaluations(run: &Run) -> Result<f64> {
    Ok(run.last("left.statistics.evaluations")? + run.last("right.statistics.evaluations")?)
}

/// Table 1: steps of the integrators inside, of both lines in one piece and of lines that communicate every microsecond.
fn micro_steps(bench: &Bench, table: &mut Table) -> Result<()> {
    let whole = in_one_piece(bench, [0.0; 2])?.last("lines.statistics.steps")?;
    let run = couple(bench, [0.0; 2], Algorithm::Jacobi, Rule::default(), SMALL)?;
    let parts = run.last("left.statistics.steps")? + run.last("right.statistics.steps")?;
    let stop = run.times().last().copied().unwrap_or_default();
    let ratio = parts / whole;
    table.row(
        "001 table 1",
        "steps inside, co-simulated with H = 1 us / in one piece",
        "77 (2000000/26000)",
        format!("{ratio:.0} ({parts:.0}/{whole:.0})"),
        ">= 20",
        ratio >= 20.0,
    );
    table.row(
        "001 table 1",
        "longest step inside can be no longer than H: mean step in us",
        "1",
        format!("{:.2}", 2e6 * stop / parts),
        "<= 1",
        2e6 * stop / parts <= 1.0 + 1e-9,
    );
    Ok(())
}

/// Both lines in one FMU, with the same integrator: how often it evaluates them.
fn monolithic(bench: &Bench, nonlinear: [f64; 2]) -> Result<f64> {
    // An evaluation of it is one of each line.
    Ok(2.0 * in_one_piece(bench, nonlinear)?.last("lines.statistics.evaluations")?)
}

fn in_one_piece(bench: &Bench, nonlinear: [f64; 2]) -> Result<Run> {
    let mut lines = System::default()
        .component("lines", bench.fmus.join("TwoLines.fmu"))
        .input("lines.effort_before", 1.0)
        .input_points("lines.flow_behind", vec![(0.0, 0.0), (0.01, 0.0), (0.0105, 0.5)])
        .record("*.statistics.*");
    for line in ["left", "right"] {
        lines = lines
            .set(&format!("lines.{line}.stiffening"), nonlinear[0])
            .set(&format!("lines.{line}.turbulence"), nonlinear[1]);
    }
    lines.settings = system(bench, nonlinear)?.settings;
    lines.settings.algorithm = Algorithm::Jacobi;
    lines.settings.extrapolation = 1;
    bench.run(&lines)?.whole()
}

fn errors(bench: &Bench, table: &mut Table, name: &str, nonlinear: [f64; 2]) -> Result<()> {
    let explicit = couple(bench, nonlinear, Algorithm::Jacobi, Rule::default(), SMALL)?;
    let (held, work) = (rms(&explicit, nonlinear)?, evaluations(&explicit)?);
    table.figure(
        "001 table 2",
        format!("{name}: RMS error, explicit, H = 1 us"),
        "123 (#6)",
        format!("{held:.2e}"),
    );
    let alone = monolithic(bench, nonlinear)?;
    for (rule, words, published, most) in RULES {
        let run = couple(bench, nonlinear, Algorithm::Stabilized, rule, LARGE)?;
        let (ratio, fewer) = (rms(&run, nonlinear)? / held, work / evaluations(&run)?);
        table.row(
            "001 table 2",
            format!("{name}: RMS error, {words}, H = 50 us / explicit, 1 us"),
            published,
            format!("{ratio:.4}"),
            format!("<= {most}"),
            ratio <= most,
        );
        table.row(
            "001 table 2",
            format!("{name}: evaluations, explicit, 1 us / {words}, 50 us"),
            "8 (time)",
            format!("{fewer:.1} ({work:.0}/{:.0})", work / fewer),
            ">= 8",
            fewer >= 8.0,
        );
        let more = work / fewer / alone;
        table.row(
            "001 table 2",
            format!("{name}: evaluations, {words}, 50 us / monolithic"),
            "1.5 (time)",
            format!("{more:.2} ({:.0}/{alone:.0})", work / fewer),
            "<= 2.5",
            more <= 2.5,
        );
        // Held to its limit by `cargo xtask bench coupling`, where the master is optimized.
        let (slow, fast) = (explicit.statistics.time, run.statistics.time);
        let faster = slow.as_secs_f64() / fast.as_secs_f64();
        table.figure(
            "001 table 2",
            format!("{name}: wall time, explicit, 1 us / {words}, 50 us"),
            "8 (12 s / 1.5 s)",
            format!("{faster:.1}"),
        );
    }
    Ok(())
}

/// The limit of explicit steps, as the advice has it, and whether runs on both sides of it grow and decay.
fn limit(bench: &Bench, table: &mut Table) -> Result<()> {
    let mut quiet = system(bench, [0.0; 2])?.set("left.effort", 1.0);
    quiet.inputs.clear();
    quiet.settings.algorithm = Algorithm::Jacobi;
    let mut assembled = quiet.assemble_with(&bench.options())?;
    assembled.master.initialize(&assembled.start)?;
    let advice = assembled.master.advise()?;
    let held = advice.limits.as_ref().and_then(|limits| limits.first().copied());
    let limit = held.unwrap_or(f64::NAN);
    table.sentence("fmu couple --advise", &advice.to_string().replace('\n', "\n> "));
    table.row(
        "001 section 2.3",
        "advice: limit of explicit steps / Nyquist period",
        "0.01",
        format!(
            "{:.5} ({:.2} us)",
            limit / advice.nyquist().unwrap_or(f64::NAN),
            1e6 * limit
        ),
        "4.1 us +- 10 %",
        (limit / 4.1e-6 - 1.0).abs() <= 0.1,
    );
    quiet.settings.stop = 0.5;
    for (part, grows) in [(0.9, false), (1.1, true)] {
        quiet.settings.step = part * limit;
        let run = bench.run(&quiet)?.whole()?;
        let efforts = run.values("left.effort")?;
        let fifth = efforts.len() / 5;
        let size = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>().sqrt();
        let growth = size(&efforts[4 * fifth..]) / size(&efforts[3 * fifth..4 * fifth]);
        table.row(
            "001 section 2.3",
            format!("explicit steps of {part} of the limit: amplitude after 0.5 s / 0.4 s"),
            if grows { "grows" } else { "decays" },
            format!("{growth:.3}"),
            if grows { "> 1" } else { "< 1" },
            (growth > 1.0) == grows,
        );
    }
    quiet.settings.step = LARGE;
    let run = bench.run(&quiet)?;
    let sentence = run.sentence().unwrap_or_default();
    table.row(
        "001 section 2.3",
        "explicit steps of 50 us: refused on the way, with the variable",
        "diverges",
        if run.error.is_some() { "error" } else { "no error" },
        "error",
        sentence.contains("left.") || sentence.contains("right."),
    );
    table.sentence("explicit steps of 50 us", &sentence);
    Ok(())
}

/// Figure 9: how the error falls with the step.
fn orders(bench: &Bench, table: &mut Table) -> Result<()> {
    let steps = [7.5e-5, LARGE, 2.5e-5, 1.25e-5];
    let mut panel = Panel::new(Some("log10 RMS error"));
    for (rule, words, _, _) in RULES {
        let mut errors = Vec::new();
        for step in steps {
            let run = couple(bench, [0.0; 2], Algorithm::Stabilized, rule, step)?;
            errors.push(rms(&run, [0.0; 2])?);
        }
        let found = order(&steps[1..3], &errors[1..3]);
        table.row(
            "001 figure 9",
            format!("order of the error in H, {words}"),
            "",
            format!("{found:.2}"),
            ">= 1.95",
            found >= 1.95,
        );
        let points = steps.iter().rev().zip(errors.iter().rev());
        let points = points.map(|(step, error)| (1e6 * step, error.log10())).collect();
        panel = panel.with(Series::new(words, points));
    }
    let plot = Plot::new("RMS error against the communication step in us").with(panel);
    table.drawing(
        "figure-9.svg",
        "Error of stabilized steps against their size in us.",
        &plot,
    );
    Ok(())
}

/// The method assumes that there is no algebraic loop.
fn loops_are_refused(bench: &Bench, table: &mut Table) -> Result<()> {
    let run = bench.couple("loop-gain", |settings| settings.algorithm = Algorithm::Stabilized)?;
    let sentence = run.sentence().unwrap_or_default();
    table.row(
        "001 section 3.1",
        "stabilized steps with an algebraic loop: refused, with the loop",
        "",
        if run.error.is_some() { "error" } else { "no error" },
        "error",
        sentence.contains("loop") && sentence.contains("->"),
    );
    table.sentence("stabilized steps with a loop", &sentence);
    Ok(())
}
