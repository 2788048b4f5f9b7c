//! Andersson 2016, section 9.3.2 (and the article of Andersson, Akesson and Fuehrer, section 6.2): the quarter car with
//! error control.

use fmu_master::settings::{Control, Norm, Per};
use fmu_results::plot::{Panel, Plot, Series};

use crate::bench::{Bench, Result};
use crate::reference::integrate;
use crate::table::Table;

/// Variables, and the nominal values that their FMUs declare.
pub(super) const VARIABLES: [(&str, f64); 4] = [
    ("wheel.x", 0.1),
    ("wheel.v", 2.0),
    ("chassis.x", 0.1),
    ("chassis.v", 0.5),
];
const TOLERANCE: f64 = 1e-4;
/// Accepted steps and error test failures of table 9.4, and the most steps that ours may take.
const PUBLISHED: [(u64, u64, u64); 3] = [(300, 4, 330), (92, 1, 92), (71, 5, 71)];
/// The most that an error may be, as a multiple of atol + rtol |y|.
const LIMIT: f64 = 30.0;

/// Equations 9.11 with the sign put right, as one system.
pub(super) fn equations(_t: f64, x: &[f64], dx: &mut [f64]) {
    let (m_w, m_c, k_w, k_c, d_c) = (40.0, 400.0, 150e3, 15e3, 1e3);
    let suspension = k_c * (x[0] - x[2]) + d_c * (x[1] - x[3]);
    dx[0] = x[1];
    dx[1] = (k_w * (0.1 - x[0]) - suspension) / m_w;
    dx[2] = x[3];
    dx[3] = suspension / m_c;
}

pub fn rows(bench: &Bench, table: &mut Table) -> Result<()> {
    table.note(
        "Errors are controlled per step, as in the thesis. Our tolerances are parts of the nominal values of the variables \
         (0.1 m, 2 m/s, 0.1 m, 0.5 m/s), which the thesis does not scale by; the error is held to its literal tolerance, too.",
    );
    let mut plot = Panel::new(Some("m"));
    for (order, (steps, failures, most)) in PUBLISHED.into_iter().enumerate() {
        let run = bench.couple("quarter-car", |settings| {
            settings.extrapolation = order as u32;
            // As the published figures were found.
            settings.control = Some(
                Control::new(TOLERANCE, 1.0)
                    .per(Per::Step)
                    .norm(Norm::RootMeanSquare),
            );
        })?;
        let run = run.whole()?;
        let reference = integrate(run.times(), &[0.0; 4], 1e-5, equations);
        let [mut literal, mut nominal] = [0.0, 0.0];
        for (column, (name, size)) in VARIABLES.into_iter().enumerate() {
            for (value, row) in run.values(name)?.iter().zip(&reference) {
                let (off, y) = ((value - row[column]).abs(), row[column].abs());
                literal = f64::max(literal, off / (TOLERANCE * (1.0 + y)));
                nominal = f64::max(nominal, off / (TOLERANCE * (size + y)));
            }
        }
        let source = "000 table 9.4, 004 t. 4";
        let taken = run.statistics.steps;
        table.row(
            source,
            format!("extrapolation {order}: accepted steps over 1 s"),
            steps,
            taken,
            format!("<= {most}"),
            taken <= most,
        );
        table.figure(
            source,
            format!("extrapolation {order}: error test failures"),
            failures,
            run.statistics.rejected,
        );
        table.row(
            source,
            format!("extrapolation {order}: error / (atol + rtol |y|), with {taken} steps"),
            "",
            format!("{literal:.1}"),
            format!("<= {LIMIT}"),
            literal <= LIMIT,
        );
        table.figure(
            source,
            format!("extrapolation {order}: the same, atol as a part of the nominal values"),
            "",
            format!("{nominal:.1}"),
        );
        plot = plot.with(Series::new(
            &format!("wheel, order {order}"),
            run.points("wheel.x")?,
        ));
        plot = plot.with(Series::new(
            &format!("chassis, order {order}"),
            run.points("chassis.x")?,
        ));
    }
    let plot = Plot::new("Quarter car with error control, tolerance 1e-4").with(plot);
    table.drawing(
        "quarter-car.svg",
        "Heights of wheel and chassis, at the communication points.",
        &plot,
    );
    Ok(())
}
