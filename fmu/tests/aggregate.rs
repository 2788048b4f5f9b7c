//! `fmu couple --algorithm aggregate` as a person runs it.

use test_support::fmus;

use std::process::Command;

/// Two oscillators; the first one pushes the second one.
const TWO: &str = "\
[simulation]
stop = 2.0
step = 0.1
[components.first]
fmu = 'oscillator.fmu'
[components.second]
fmu = 'oscillator.fmu'
[[connections]]
from = 'first.x'
to = 'second.u'
";

#[test]
fn a_trace_has_a_row_per_step_of_the_solver() {
    let fmu = fmus::oscillator();
    let file = |name: &str| fmu.folder.path().join(name);
    std::fs::write(file("two.toml"), TWO).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_fmu"))
        .args([
            "couple",
            "two.toml",
            "--algorithm",
            "aggregate",
            "--output",
            "out.csv",
        ])
        .args([
            "--trace",
            "steps.csv",
            "--stats",
            "stats.json",
            "--plot",
            "out.svg",
        ])
        .current_dir(fmu.folder.path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let trace = std::fs::read_to_string(file("steps.csv")).expect("the trace");
    let mut lines = trace.lines();
    assert_eq!(
        lines.next(),
        Some("time,step,error,order,rejected,iterations,events")
    );
    let rows: Vec<Vec<f64>> = lines
        .map(|line| {
            line.split(',')
                .map(|cell| cell.parse().expect("a number"))
                .collect()
        })
        .collect();
    let stats = std::fs::read_to_string(file("stats.json")).expect("the statistics");
    let stats: serde_json::Value = serde_json::from_str(&stats).expect("JSON");
    assert_eq!(stats["steps"], rows.len());
    assert!(rows.windows(2).all(|pair| pair[0][0] <= pair[1][0]), "{trace}");
    assert!(rows.iter().all(|row| row[1] > 0.0), "{trace}");
    assert!(rows.iter().all(|row| (0.0..=1.0).contains(&row[2])), "{trace}");
    assert!(file("out.trace.svg").exists());
}
