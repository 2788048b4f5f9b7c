//! Tables 7.2 and 7.3 of Andersson 2016, ours above the published ones.

use crate::segments::{Table, table_7_2, table_7_3};

/// Prints the tables, and in the last line what matters of them: for each, evaluations and error of the corrected
/// predictor, as parts of those of a restart.
pub fn print() {
    let tables = [table_7_2(), table_7_3()];
    let [masses, pendula] = &tables;
    table(
        "Right mass, 20 linear segments (Andersson 2016, table 7.2)",
        masses,
    );
    table(
        "Left pendulum, 40 constant segments (Andersson 2016, table 7.3)",
        pendula,
    );
    let ratios = tables.iter().flat_map(|[restart, .., corrected]| {
        [
            corrected.cost() as f64 / restart.cost() as f64,
            corrected.error / restart.error,
        ]
    });
    let ratios: Vec<String> = ratios.map(|ratio| format!("{ratio:.4}")).collect();
    println!("{}", ratios.join(" "));
}

fn table(title: &str, table: &Table) {
    println!("{title}");
    let names = [
        "restart",
        "proceed",
        "corrected in x'",
        "in x' and x''",
        "adaptive",
    ];
    println!("{:>22}{}", "", names.map(|name| format!("{name:>17}")).concat());
    let row = |name: &str, cells: [String; 5]| {
        println!("{name:>22}{}", cells.map(|cell| format!("{cell:>17}")).concat());
    };
    let counts = ["steps", "evaluations", "Jacobians", "failed error tests"];
    for (k, name) in counts.into_iter().enumerate() {
        let ours = table.each_ref().map(|column| {
            let s = column.statistics;
            [s.steps, s.evaluations, s.jacobians, s.error_failures][k].to_string()
        });
        row(name, ours);
        row(
            "published",
            table.each_ref().map(|column| {
                let published = column.published.map(|published| published[k].to_string());
                published.unwrap_or_default()
            }),
        );
    }
    let second = |of: &crate::segments::Column| of.statistics.second_derivatives.to_string();
    row("x'' by derivatives", table.each_ref().map(second));
    row(
        "largest error",
        table.each_ref().map(|column| format!("{:.1e}", column.error)),
    );
    println!();
}
