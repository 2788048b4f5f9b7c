//! The solver for stiff models on four published problems and on a building with a thousand events, for several tunings:
//! what is better on one case alone does not become the default.
//!
//! References are those of F. Mazzia and C. Magherini, *Test Set for Initial Value Problem Solvers*, 2008.

use std::cell::RefCell;

use fmu_importer::Fmu;
use fmu_importer::simulate::{Method, Simulation, Tuning};
use fmu_solvers::{ImplicitSystem, Options, Refused, System, integrate};

use crate::Outcome;

/// Relative tolerances that every case is run at.
const TOLERANCES: [f64; 2] = [1e-4, 1e-7];

type Right = fn(&[f64], &mut [f64]);
/// Entries column by column.
type Jacobian = fn(&[f64], &mut [f64]);

struct Problem {
    name: &'static str,
    right: Right,
    jacobian: Jacobian,
    start: &'static [f64],
    end: f64,
    reference: &'static [f64],
    /// Absolute over relative tolerance.
    absolute: f64,
    evaluations: usize,
}

/// Chemical kinetics over eleven decades of time (Robertson 1966).
fn robertson(x: &[f64], dx: &mut [f64]) {
    let (a, b, c) = (0.04 * x[0], 1e4 * x[1] * x[2], 3e7 * x[1] * x[1]);
    dx.copy_from_slice(&[b - a, a - b - c, c]);
}

fn robertson_jacobian(x: &[f64], j: &mut [f64]) {
    let (p, q, r) = (1e4 * x[2], 1e4 * x[1], 6e7 * x[1]);
    j.copy_from_slice(&[-0.04, 0.04, 0.0, p, -p - r, r, q, -q, 0.0]);
}

/// The growth of a plant under light (Schäfer 1975).
fn hires(x: &[f64], dx: &mut [f64]) {
    let reaction = 280.0 * x[5] * x[7];
    dx.copy_from_slice(&[
        -1.71 * x[0] + 0.43 * x[1] + 8.32 * x[2] + 0.0007,
        1.71 * x[0] - 8.75 * x[1],
        -10.03 * x[2] + 0.43 * x[3] + 0.035 * x[4],
        8.32 * x[1] + 1.71 * x[2] - 1.12 * x[3],
        -1.745 * x[4] + 0.43 * x[5] + 0.43 * x[6],
        -reaction + 0.69 * x[3] + 1.71 * x[4] - 0.43 * x[5] + 0.69 * x[6],
        reaction - 1.81 * x[6],
        -reaction + 1.81 * x[6],
    ]);
}

fn hires_jacobian(x: &[f64], j: &mut [f64]) {
    j.fill(0.0);
    let mut put = |row: usize, column: usize, value: f64| j[8 * column + row] = value;
    for (row, column, value) in [
        (0, 0, -1.71),
        (0, 1, 0.43),
        (0, 2, 8.32),
        (1, 0, 1.71),
        (1, 1, -8.75),
        (2, 2, -10.03),
        (2, 3, 0.43),
        (2, 4, 0.035),
        (3, 1, 8.32),
        (3, 2, 1.71),
        (3, 3, -1.12),
        (4, 4, -1.745),
        (4, 5, 0.43),
        (4, 6, 0.43),
        (5, 3, 0.69),
        (5, 4, 1.71),
        (5, 5, -280.0 * x[7] - 0.43),
        (5, 6, 0.69),
        (5, 7, -280.0 * x[5]),
        (6, 5, 280.0 * x[7]),
        (6, 6, -1.81),
        (6, 7, 280.0 * x[5]),
        (7, 5, -280.0 * x[7]),
        (7, 6, 1.81),
        (7, 7, -280.0 * x[5]),
    ] {
        put(row, column, value);
    }
}

/// The Oregonator: a chemical reaction that oscillates (Field and Noyes 1974).
fn orego(x: &[f64], dx: &mut [f64]) {
    dx.copy_from_slice(&[
        77.27 * (x[1] + x[0] * (1.0 - 8.375e-6 * x[0] - x[1])),
        (x[2] - (1.0 + x[0]) * x[1]) / 77.27,
        0.161 * (x[0] - x[2]),
    ]);
}

fn orego_jacobian(x: &[f64], j: &mut [f64]) {
    j.copy_from_slice(&[
        77.27 * (1.0 - 2.0 * 8.375e-6 * x[0] - x[1]),
        -x[1] / 77.27,
        0.161,
        77.27 * (1.0 - x[0]),
        -(1.0 + x[0]) / 77.27,
        0.0,
        0.0,
        1.0 / 77.27,
        -0.161,
    ]);
}

/// Van der Pol's oscillator with a parameter of 1e6.
fn van_der_pol(x: &[f64], dx: &mut [f64]) {
    dx.copy_from_slice(&[x[1], 1e6 * ((1.0 - x[0] * x[0]) * x[1] - x[0])]);
}

fn van_der_pol_jacobian(x: &[f64], j: &mut [f64]) {
    j.copy_from_slice(&[
        0.0,
        1e6 * (-2.0 * x[0] * x[1] - 1.0),
        1.0,
        1e6 * (1.0 - x[0] * x[0]),
    ]);
}

fn problems() -> [Problem; 4] {
    [
        Problem {
            name: "Robertson",
            right: robertson,
            jacobian: robertson_jacobian,
            start: &[1.0, 0.0, 0.0],
            end: 1e11,
            reference: &[0.2083340149701255e-7, 0.8333360770334713e-13, 0.999999979166505],
            absolute: 1e-8,
            evaluations: 0,
        },
        Problem {
            name: "HIRES",
            right: hires,
            jacobian: hires_jacobian,
            start: &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057],
            end: 321.8122,
            reference: &[
                0.7371312573325668e-3,
                0.1442485726316185e-3,
                0.5888729740967575e-4,
                0.1175651343283149e-2,
                0.2386356198831331e-2,
                0.6238968252742796e-2,
                0.2849998395185769e-2,
                0.2850001604814231e-2,
            ],
            absolute: 1e-4,
            evaluations: 0,
        },
        Problem {
            name: "OREGO",
            right: orego,
            jacobian: orego_jacobian,
            start: &[1.0, 2.0, 3.0],
            end: 360.0,
            reference: &[0.1000814870318523e1, 0.1228178521549917e4, 0.1320554942846706e3],
            absolute: 1e-3,
            evaluations: 0,
        },
        Problem {
            name: "Van der Pol",
            right: van_der_pol,
            jacobian: van_der_pol_jacobian,
            start: &[2.0, 0.0],
            end: 2.0,
            reference: &[0.1706167732170483e1, -0.8928097010247975],
            absolute: 1e-3,
            evaluations: 0,
        },
    ]
}

impl System for Problem {
    type Error = Refused;

    fn rhs(&mut self, _: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Refused> {
        self.evaluations += 1;
        (self.right)(x, dx);
        Ok(())
    }
}

impl ImplicitSystem for Problem {
    fn jacobian(&mut self, _: f64, x: &[f64], values: &mut [f64]) -> Result<(), Refused> {
        (self.jacobian)(x, values);
        Ok(())
    }
}

/// What a run took.
struct Row {
    steps: u64,
    factorizations: u64,
    evaluations: usize,
    error: f64,
}

fn solve(problem: Problem, tolerance: f64, tuning: Tuning) -> Outcome<Row> {
    let (start, end, reference) = (problem.start, problem.end, problem.reference);
    let mut options = Options::new(tolerance, vec![problem.absolute * tolerance; start.len()]);
    options.tuning = tuning;
    let problem = RefCell::new(problem);
    let (found, statistics) = integrate(Method::Bdf, &problem, 0.0, start, &options, |stepper| {
        while stepper.time() < end {
            stepper.step(end)?;
        }
        Ok::<_, fmu_solvers::Error>((stepper.states().to_vec(), stepper.statistics()))
    })??;
    let relative = found.iter().zip(reference).map(|(x, y)| ((x - y) / y).abs());
    Ok(Row {
        steps: statistics.steps,
        factorizations: statistics.factorizations,
        evaluations: problem.into_inner().evaluations,
        error: relative.fold(0.0, f64::max),
    })
}

/// The air temperatures of the building at the end of a run.
fn building(fmu: &Fmu, method: Method, tolerance: f64, tuning: Tuning) -> Outcome<(Vec<f64>, Row)> {
    let simulation = Simulation::new(fmu)
        .solver(method)
        .tolerance(tolerance)
        .tuning(tuning);
    let (results, summary) = simulation.run()?;
    let last = |name: &str| results.numbers(name).and_then(|values| values.last().copied());
    let end = results.columns().iter().filter_map(|column| last(&column.name));
    let row = Row {
        steps: summary.solver.steps,
        factorizations: summary.solver.factorizations,
        evaluations: summary.evaluations + summary.jacobians * summary.jacobian_groups,
        error: 0.0,
    };
    Ok((end.collect(), row))
}

/// The default, and one change of each of its choices.
fn tunings() -> Vec<(&'static str, Tuning)> {
    let with = |change: fn(&mut Tuning)| {
        let mut tuning = Tuning::default();
        change(&mut tuning);
        tuning
    };
    vec![
        ("default", Tuning::default()),
        ("steps grow from 1.1 on", with(|tuning| tuning.least_growth = 1.1)),
        ("steps grow from 1.3 on", with(|tuning| tuning.least_growth = 1.3)),
        ("steps grow from 1.5 on", with(|tuning| tuning.least_growth = 1.5)),
        ("steps grow from 2 on", with(|tuning| tuning.least_growth = 2.0)),
        ("growth up to 2", with(|tuning| tuning.most_growth = 2.0)),
        ("growth up to 4", with(|tuning| tuning.most_growth = 4.0)),
        ("growth up to 10", with(|tuning| tuning.most_growth = 10.0)),
        ("gain 0.5", with(|tuning| tuning.integral_gain = 0.5)),
        ("gain 0.7", with(|tuning| tuning.integral_gain = 0.7)),
        ("gain 0.9", with(|tuning| tuning.integral_gain = 0.9)),
        (
            "matrices within 20 %",
            with(|tuning| tuning.matrix_threshold = 0.2),
        ),
        (
            "matrices within 30 %",
            with(|tuning| tuning.matrix_threshold = 0.3),
        ),
        (
            "matrices within 50 %",
            with(|tuning| tuning.matrix_threshold = 0.5),
        ),
        (
            "new Jacobian at restarts",
            with(|tuning| tuning.fresh_at_restart = true),
        ),
        (
            "Jacobian kept at restarts",
            with(|tuning| tuning.fresh_at_restart = false),
        ),
    ]
}

/// Prints the table.
pub fn run(fmu: &str) -> Outcome<()> {
    let fmu = Fmu::open(fmu)?;
    let (exact, _) = building(&fmu, Method::Tsit45, 1e-10, Tuning::default())?;
    println!(
        "{:<26} {:<12} {:>9} {:>7} {:>9} {:>11} {:>9}",
        "tuning", "problem", "tolerance", "steps", "matrices", "evaluations", "error"
    );
    for (name, tuning) in tunings() {
        for tolerance in TOLERANCES {
            let show = |problem: &str, row: Row| {
                println!(
                    "{name:<26} {problem:<12} {tolerance:>9.0e} {:>7} {:>9} {:>11} {:>9.1e}",
                    row.steps, row.factorizations, row.evaluations, row.error
                );
            };
            for problem in problems() {
                let title = problem.name;
                show(title, solve(problem, tolerance, tuning)?);
            }
            let (end, row) = building(&fmu, Method::Bdf, tolerance, tuning)?;
            let error = end.iter().zip(&exact).map(|(a, b)| (a - b).abs());
            let error = error.fold(0.0, f64::max);
            show("Building", Row { error, ..row });
        }
    }
    Ok(())
}
