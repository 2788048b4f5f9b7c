//! Tables 7.2 and 7.3 of Andersson 2016: what a communication point costs a multistep method.

use test_support::segments::{table_7_2, table_7_3};

#[test]
fn communication_points_are_no_restarts() {
    for (name, table) in [("7.2", table_7_2()), ("7.3", table_7_3())] {
        let [restart, proceed, first, both, corrected] = &table;
        assert!(
            corrected.cost() as f64 <= 0.6 * restart.cost() as f64,
            "table {name}: {}",
            corrected.cost()
        );
        assert!(
            corrected.error <= 1.2 * restart.error,
            "table {name}: {:e}",
            corrected.error
        );
        assert!(corrected.statistics.evaluations < proceed.statistics.evaluations);
        let [_, evaluations, ..] = both.published.unwrap();
        assert!(corrected.statistics.evaluations < evaluations, "table {name}");
        // Equations 7.11 to 7.15 alone: both corrections are better than a restart, proceeding is worst, as published.
        let steps = [corrected, both, first, restart, proceed].map(|column| column.statistics.steps);
        let [corrected, both, first, restart, proceed] = steps;
        let ordered = corrected < both && both < first.min(restart) && first.max(restart) < proceed;
        assert!(ordered, "table {name}: {steps:?}");
    }
}
