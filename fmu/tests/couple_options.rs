//! Options of `fmu couple` that choose interfaces and solvers, as a person gives them.

use test_support::fmus;

use std::path::Path;
use std::process::Command;

/// Two oscillators without dampers that pull at each other: x1'' = -4 x1 + x2, x2'' = -4 x2 + x1.
const PAIR: &str = "\
record = ['*.x']
[simulation]
stop = 2.0
step = 0.1
algorithm = 'stabilized'
tolerance = 1e-9
[components.a]
fmu = 'oscillator.fmu'
set = { x = 1.0, d = 0.0 }
[components.b]
fmu = 'oscillator.fmu'
set = { x = -0.5, d = 0.0 }
[[connections]]
from = 'a.x'
to = 'b.u'
convert = false
[[connections]]
from = 'b.x'
to = 'a.u'
convert = false
";

/// Runs the pair with some options: exit code, standard output and standard error.
fn couple(folder: &Path, options: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_fmu"))
        .args(["couple", "pair.toml"])
        .args(options)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// The error of a.x at the end.
fn error(table: &str) -> f64 {
    let row: Vec<f64> = table.lines().last().map_or_else(Vec::new, |row| {
        row.split(',').map(|cell| cell.parse().unwrap()).collect()
    });
    assert_eq!(row[0], 2.0);
    let exact = 0.25 * (3.0_f64.sqrt() * 2.0).cos() + 0.75 * (5.0_f64.sqrt() * 2.0).cos();
    (row[1] - exact).abs()
}

#[test]
fn interface_and_solver_are_chosen_on_the_command_line() {
    let fmu = fmus::oscillator();
    let folder = fmu.folder.path();
    std::fs::write(folder.join("pair.toml"), PAIR).unwrap();
    // Foreign FMUs for Co-Simulation cannot be stabilized, and Model Exchange can.
    let (code, table, said) = couple(folder, &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("a does not let its inputs be states of its integration"),
        "{said}"
    );
    assert!(error(&table) > 1e-3, "{}", error(&table));
    let (code, table, said) = couple(folder, &["--interface", "model-exchange"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains("warning"), "{said}");
    assert!(error(&table) < 1e-4, "{}", error(&table));
    // The same to within the tolerance, by another integrator.
    let (code, other, said) = couple(
        folder,
        &["--interface", "model-exchange", "--solver", "dormand-prince"],
    );
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains("warning"), "{said}");
    assert!(error(&other) < 1e-4 && other != table);
}

#[test]
fn a_solver_without_effect_and_unknown_words_are_said() {
    let fmu = fmus::oscillator();
    let folder = fmu.folder.path();
    std::fs::write(folder.join("pair.toml"), PAIR).unwrap();
    let (code, _, said) = couple(folder, &["--solver", "bdf"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains(
            "warning: --solver bdf has no effect: no FMU steps through Model Exchange; add --interface model-exchange"
        ),
        "{said}"
    );
    let (code, _, said) = couple(folder, &["--solver", "magic"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("there is no solver `magic`; there are bdf"),
        "{said}"
    );
    let (code, _, said) = couple(folder, &["--interface", "me"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("co-simulation, model-exchange"), "{said}");
}
