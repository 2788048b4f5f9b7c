//! Prints what it costs a multistep method to go on where inputs jump: tables 7.2 and 7.3 of Andersson 2016, published and ours.

#[path = "../tests/common/mod.rs"]
mod common;

use common::segments::{Table, table_7_2, table_7_3};

fn main() {
    print("Right mass, 20 linear segments (table 7.2)", &table_7_2());
    print("Left pendulum, 40 constant segments (table 7.3)", &table_7_3());
}

fn print(title: &str, table: &Table) {
    println!("{title}");
    println!(
        "{:>15} {:>13} {:>13} {:>13} {:>13} {:>5} {:>9}",
        "", "steps", "evaluations", "Jacobians", "error fails", "x''", "error"
    );
    for column in table {
        let (s, [steps, evaluations, jacobians, failures]) = (column.statistics, column.published);
        println!(
            "{:>15} {:>6} ({:>4}) {:>6} ({:>4}) {:>6} ({:>4}) {:>6} ({:>4}) {:>5} {:>9.1e}",
            format!("{:?}", column.crossover),
            s.steps,
            steps,
            s.evaluations,
            evaluations,
            s.jacobians,
            jacobians,
            s.error_failures,
            failures,
            s.second_derivatives,
            column.error,
        );
    }
    println!("(in brackets: published; x'': second derivatives along the solution)\n");
}
