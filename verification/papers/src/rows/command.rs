//! The command `fmu couple` on systems that run away: it ends with an error that names the variables.

use std::process::Command;

use crate::bench::{Bench, Result};
use crate::table::Table;

/// A system, what is asked of it, and variables of which the sentence has to name one.
const DIVERGING: [(&str, &[&str], [&str; 2]); 9] = [
    ("loop-gain", &["--algorithm", "jacobi"], ["one.y", "two.y"]),
    ("loop-gain", &["--algorithm", "gauss-seidel"], ["one.y", "two.y"]),
    (
        "linear-example",
        &["--set", "one.d=2", "--set", "two.d=3"],
        ["one.y", "two.y"],
    ),
    (
        "double-pendulum",
        &["--correction", "none"],
        ["upper.y1", "lower.y1"],
    ),
    (
        "petridis-04",
        &["--algorithm", "gauss-seidel"],
        ["row1.x", "row2.x"],
    ),
    (
        "petridis-05",
        &["--algorithm", "gauss-seidel"],
        ["row1.x", "row2.x"],
    ),
    (
        "petridis-10",
        &["--algorithm", "iterated-gauss-seidel"],
        ["node.vi", "branch1.ii"],
    ),
    ("petridis-19", &["--algorithm", "gauss-seidel"], ["x.y", "y.y"]),
    (
        "petridis-23",
        &["--algorithm", "gauss-seidel"],
        ["source.y", "capacitor.i"],
    ),
];

pub fn rows(bench: &Bench, table: &mut Table) -> Result<()> {
    let Some(command) = &bench.command else {
        table.note("The command was not built; `cargo xtask papers` builds it.");
        return Ok(());
    };
    for (system, arguments, names) in DIVERGING {
        for insist in [false, true] {
            let mut couple = Command::new(command);
            couple
                .arg("couple")
                .arg(bench.file(system))
                .arg("--fmus")
                .arg(&bench.fmus);
            couple
                .arg("--output")
                .arg(bench.fmus.join("diverging.csv"))
                .args(arguments);
            if insist {
                // Without the prediction, the numbers themselves have to show it.
                couple.arg("--insist");
            }
            let output = couple.output()?;
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let error = said
                .lines()
                .find(|line| line.starts_with("error"))
                .unwrap_or_default();
            let code = output
                .status
                .code()
                .map_or("killed".to_owned(), |code| code.to_string());
            let what = format!("fmu couple {system} {}", arguments.join(" "));
            if insist {
                let warned = said.contains("warning") && names.iter().any(|name| said.contains(name));
                let what = format!("{what} --insist: says so");
                let ours = if warned { "warns" } else { "silent" };
                table.row(
                    "command",
                    what,
                    "",
                    format!("exit {code}, {ours}"),
                    "a warning that names a variable",
                    warned,
                );
            } else {
                let named = names.iter().any(|name| error.contains(name));
                let failed = !output.status.success() && named;
                table.row(
                    "command",
                    what,
                    "",
                    format!("exit {code}"),
                    "not 0, and names a variable",
                    failed,
                );
            }
        }
    }
    Ok(())
}
