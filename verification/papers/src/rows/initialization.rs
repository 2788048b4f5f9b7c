//! Andersson 2016, chapter 5: initialization in the order that dependencies give.

use fmu_master::System;
use fmu_master::system::AssembleOptions;

use crate::bench::{Bench, Result};
use crate::table::Table;

pub fn rows(bench: &Bench, table: &mut Table) -> Result<()> {
    let run = bench.couple("division-by-zero", |_| {})?;
    let run = run.whole()?;
    let (y1, y2) = (run.values("one.x")?[0], run.values("two.y")?[0]);
    table.row(
        "000 example 5.1.2",
        "division by an input whose guess is 0: outputs at t0",
        "1, -1",
        format!("{y1}, {y2}"),
        "to 1e-12",
        (y1 - 1.0).abs() < 1e-12 && (y2 + 1.0).abs() < 1e-12,
    );

    let run = bench.couple("five-models", |_| {})?;
    let run = run.whole()?;
    // By hand, from y1 of the fourth model, which is 1; the loop is y2 = u2 + u3 with u3 = y2 / 2.
    let expected = [
        ("m1.y1", 1.0),
        ("m1.y2", 2.0),
        ("m1.y3", 3.0),
        ("m1.y4", 0.5),
        ("m2.y1", 3.0),
        ("m2.y2", 2.0),
        ("m3.y1", 2.0),
        ("m4.y1", 1.0),
        ("m5.y1", 3.0),
        ("m5.y2", 4.0),
    ];
    let mut off: f64 = 0.0;
    for (name, value) in expected {
        off = off.max((run.values(name)?[0] - value).abs());
    }
    let source = "000 section 5.3.1";
    table.row(
        source,
        "five models, one loop: all outputs at t0",
        "",
        format!("off by {off:.1e}"),
        "1e-7",
        off <= 1e-7,
    );

    let (plain, reduced) = evaluations(&bench.system("five-models")?, &bench.options())?;
    table.row(
        source,
        "five models: evaluations before and after algorithm 2",
        "fewer",
        format!("{plain}, {reduced}"),
        "6 (by hand)",
        reduced == 6 && plain > reduced,
    );
    let (plain, reduced) = evaluations(&bench.system("race-car")?, &bench.options())?;
    table.row(
        "000 section 5.3.2",
        "race car: evaluations with algorithm 2, at best one per model",
        "5",
        format!("{reduced} (without: {plain})"),
        "5",
        reduced == 5,
    );
    Ok(())
}

/// Evaluations that initialize a system, in the order of Tarjan's algorithm and in that of algorithm 2.
fn evaluations(system: &System, options: &AssembleOptions) -> Result<(usize, usize)> {
    let assembled = system.assemble_with(options)?;
    let structure = assembled.master.coupling().structure();
    let (plain, reduced) = (structure.plain_order(), structure.order());
    Ok((plain.evaluations(structure), reduced.evaluations(structure)))
}
