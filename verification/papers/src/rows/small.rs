//! Small systems on which masters differ: a loop without states, a loop gain of -1.8, an oscillator in two halves.

use fmu_master::settings::{Algorithm, Correction, Settings};

use crate::bench::{Bench, Result};
use crate::reference::{integrate, order};
use crate::table::Table;

/// Those that step over communication points, and take algebraic loops.
const ALGORITHMS: [Algorithm; 4] = [
    Algorithm::Jacobi,
    Algorithm::GaussSeidel,
    Algorithm::IteratedGaussSeidel,
    Algorithm::Newton,
];

pub fn rows(bench: &Bench, table: &mut Table) -> Result<()> {
    algebraic_loop(bench, table)?;
    loop_gain(bench, table)?;
    oscillator(bench, table)
}

fn algebraic_loop(bench: &Bench, table: &mut Table) -> Result<()> {
    for algorithm in ALGORITHMS {
        let run = bench.couple("algebraic-loop", |settings| settings.algorithm = algorithm)?;
        let what = format!("x = 1 - y, y = x (gain -1, no states), {}", algorithm.as_str());
        match run.sentence() {
            None => {
                let off = run.deviation(&["x.y", "y.y"], &vec![vec![0.5, 0.5]; run.times().len()])?;
                let ours = format!("off by {off:.1e}");
                table.row("small", what, "", ours, "1/2, to 1e-7", off <= 2e-7);
            }
            Some(sentence) => {
                let solves = algorithm == Algorithm::Newton;
                refused(table, &what, &sentence, &["x.y", "y.y"], solves);
            }
        }
    }
    Ok(())
}

/// A refusal of an explicit step or of a sweep is as good as a right answer if it names the variables; what promises to solve
/// loops must solve them.
fn refused(table: &mut Table, what: &str, sentence: &str, names: &[&str], solves: bool) {
    let named = names.iter().all(|name| sentence.contains(name));
    let limit = if solves {
        "solves the loop"
    } else {
        "names all variables of the loop"
    };
    table.row("small", what, "", "refused", limit, named && !solves);
    table.sentence(what, sentence);
}

/// y1 = x1 + 1.8 y2, y2 = x2 - y1, and x' = -x + u for both.
fn loop_gain_equations(_t: f64, x: &[f64], dx: &mut [f64]) {
    let [y1, y2] = loop_gain_outputs(x);
    dx[0] = -x[0] + y2;
    dx[1] = -x[1] + y1;
}

fn loop_gain_outputs(x: &[f64]) -> [f64; 2] {
    let y1 = (x[0] + 1.8 * x[1]) / 2.8;
    [y1, x[1] - y1]
}

fn loop_gain(bench: &Bench, table: &mut Table) -> Result<()> {
    let set = |algorithm, correction| {
        move |settings: &mut Settings| {
            (settings.algorithm, settings.correction) = (algorithm, correction);
            settings.extrapolation = 1;
        }
    };
    for algorithm in ALGORITHMS {
        let run = bench.couple("loop-gain", set(algorithm, Correction::None))?;
        let what = format!("loop gain -1.8, {}", algorithm.as_str());
        match run.sentence() {
            None => right(table, &what, &run)?,
            Some(sentence) => {
                let solves = algorithm == Algorithm::Newton;
                refused(table, &what, &sentence, &["one.y", "two.y"], solves);
            }
        }
        // A correction comes after a step; what iterates over steps has to converge by itself.
        if algorithm.repeats() {
            continue;
        }
        for correction in [Correction::Linear, Correction::Consistent] {
            let run = bench.couple("loop-gain", set(algorithm, correction))?;
            let what = format!(
                "loop gain -1.8, {}, {} correction",
                algorithm.as_str(),
                correction.as_str()
            );
            match run.sentence() {
                None => right(table, &what, &run)?,
                Some(sentence) => refused(table, &what, &sentence, &["one.y", "two.y"], true),
            }
        }
    }
    Ok(())
}

fn right(table: &mut Table, what: &str, run: &crate::bench::Run) -> Result<()> {
    let states = integrate(run.times(), &[1.0, 1.0], 1e-3, loop_gain_equations);
    let outputs: Vec<Vec<f64>> = states.iter().map(|x| loop_gain_outputs(x).to_vec()).collect();
    let off = run.deviation(&["one.y", "two.y"], &outputs)?;
    table.row(
        "small",
        what,
        "",
        format!("off by {off:.1e}"),
        "right to 1 %",
        off <= 0.01,
    );
    Ok(())
}

fn oscillator(bench: &Bench, table: &mut Table) -> Result<()> {
    let steps = [0.2, 0.1, 0.05, 0.025];
    // What the algorithm promises: held inputs are of order 1, lines over the step of order 2.
    let promises = [
        (Algorithm::Jacobi, 0, 1.0),
        (Algorithm::GaussSeidel, 0, 1.0),
        (Algorithm::Jacobi, 1, 2.0),
        (Algorithm::IteratedGaussSeidel, 1, 2.0),
        (Algorithm::IteratedGaussSeidel, 2, 2.0),
        (Algorithm::Newton, 1, 2.0),
        (Algorithm::Newton, 2, 2.0),
    ];
    for (algorithm, extrapolation, promised) in promises {
        let mut errors = Vec::new();
        for step in steps {
            let run = bench.couple("oscillator", |settings| {
                (settings.algorithm, settings.extrapolation, settings.step) =
                    (algorithm, extrapolation, step);
            })?;
            let run = run.whole()?;
            let exact: Vec<Vec<f64>> = run.times().iter().map(|t| vec![t.cos(), -t.sin()]).collect();
            errors.push(run.deviation(&["position.y", "velocity.y"], &exact)?);
        }
        let found = order(&steps, &errors);
        table.row(
            "small",
            format!(
                "oscillator, {}, order {extrapolation}: convergence",
                algorithm.as_str()
            ),
            "",
            format!("{found:.2} ({:.1e})", errors[errors.len() - 1]),
            format!(">= {}", promised - 0.1),
            found >= promised - 0.1,
        );
    }
    Ok(())
}
