//! The report: the table as Markdown, with the equations of systems of ours, the master's sentences and drawings.

use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};

use crate::table::Table;

/// What was fitted, corrected or chosen, in one place.
const HONESTY: &str = "
## What is not as printed

Corrected, because the print contradicts itself or its physics:

- Petridis and Clauss, row 23: the letters of table 1 (d, d, Y) contradict section 5.4 (the result of GS1 increases extremely, \
  GSM fails, NRM is not quite exact at 0.1 and right at 0.001). The section is taken: w, e, d, and Y at 0.001.
- Andersson 2016, equation 9.11 (quarter car): the force of the chassis on the wheel has the wrong sign.
- Andersson 2016, equation 6.57 (double pendulum): the damper is missing in the outputs. It is left out, as printed; the \
  reference is the solution of just these equations.
- Andersson 2016, equations 8.16 and 8.17 (woodpecker): the inertia is J_B + m_B l_G^2, as its Modelica source has it. Figure 8.13 and the \
  thesis start it at an angle of the sleeve of -0.1; ours starts at -0.10344, where the sleeve touches the bar.
- Andersson 2016, table 6.5: equation 6.73 c has lost a term of 6.71 b and c. With smoothing, explicit steps are stable where those by \
  differences are (equation 6.41), and not up to rho(DL) = 1; that is what is measured.
- Viel 2014, equation 19: see 'viel'.
- Pannu 2015, equations 16 and 24: the signs of the spring and of the pivots are derived from the geometry.

Fitted or chosen, because the print does not say:

- Viel 2014: the leak. As printed, omega_0 tau = 0.5, the open loop never has a gain of 1: no step is unstable. With a leak \
  1 / (omega_0 tau) of 0.02 the limit is 0.0097 of the Nyquist period, as published (0.01).
- The quarter car: its tolerances are parts of nominal values (0.1 m, 2 m/s, 0.1 m, 0.5 m/s), which the thesis does not have. \
  The error is shown by its literal tolerances, too.
- Example 6.3.1 (smoothing): start values, end and tolerance. Its figures are reproduced with a plain BDF that restarts at \
  jumps. **With our default BDF smoothing brings no gain**: its history is corrected at jumps.
- Table 7.2: start values. All of chapter 7: CVode is replaced by our own BDF.
- The race car: its physics is ours, and small; only its couplings are those of the thesis.
- Systems of Petridis and Clauss without printed equations: equations of ours with the same purpose, cycles and number of FMUs.

Limits of our own that differ from a published figure:

- Viel 2014, table 2: the error of stabilized steps with backward Euler is at most 5.0 times that of explicit ones, beside the published 1.75 \
  (215/123); with the trapezoidal rule at most 1.0, beside 1.24 (152/123).
- Viel 2014, table 1: at least 20 times as many steps inside, beside 77. Ours count those of our own integrator, which has another order.
- Viel 2014, table 2: the times of 8 and 1.5 are held as evaluations: explicit steps take at least 8 times those of stabilized ones, \
  and these at most 2.5 times those of one piece, beside 1.5.
- Viel 2014, figure 9: an order of at least 1.95 counts as 2.
- The race car: two cores have to be at least 1.4 times as fast, beside the published 34 % less time (1.5 times).

Limits of our own, where the source has no number:

- Table 6.1: a coupling counts as unstable where its error grows tenfold over the second half of 1500 steps; the measured border may \
  be 5 % from the theoretical one.
- Aggregated systems: an error of at most twice that of the monolithic one, with at most 1.2 times its evaluations.
- `cargo xtask bench coupling` (ring): at most 2.2 times the time for twice as many connections.
- Letters: Y is within 1 % of the range, d within half of it.
- Smoothing: at most 0.7 of the steps and evaluations, or 10 % more than the published part.
- Published steps of error control (quarter car): 10 % more for order 0; at most the published ones for orders 1 and 2.
";

/// Writes the report and its drawings into a folder; returns its path.
pub fn write(table: &Table, folder: &Path) -> io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let mut text = String::from(
        "# The papers, reproduced\n\nEach system is a file of `examples/systems/`, coupled as FMUs by the library \
         `master`. References are closed forms, or the same equations without coupling, integrated with small steps of \
         the classical Runge-Kutta method; never the master itself. A row without a limit is a figure: it is listed, and \
         does not count as passed.\n",
    );
    text += HONESTY;
    let mut groups: Vec<&str> = table.rows.iter().map(|row| row.group.as_str()).collect();
    groups.dedup();
    for group in groups {
        let _ = writeln!(text, "\n## {group}\n");
        let _ = writeln!(
            text,
            "| source | what | published | ours | limit | |\n|---|---|---|---|---|---|"
        );
        for row in table.rows.iter().filter(|row| row.group == group) {
            let verdict = row.verdict.as_str();
            let cells = [&row.source, &row.what, &row.published, &row.ours, &row.limit];
            let cells = cells.map(|cell| cell.replace('|', "\\|"));
            let _ = writeln!(text, "| {} | {verdict} |", cells.join(" | "));
        }
        for note in table.notes.iter().filter(|note| note.group == group) {
            let _ = writeln!(text, "\n{}", note.text);
            if let Some((file, svg)) = &note.drawing {
                std::fs::write(folder.join(file), svg)?;
                let _ = writeln!(text, "\n![{}]({file})", note.text);
            }
        }
    }
    let _ = writeln!(text, "\n{} passed, {} failed", table.passed(), table.failed());
    let path = folder.join("report.md");
    std::fs::write(&path, text)?;
    Ok(path)
}
