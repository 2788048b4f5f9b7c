//! Coupled FMUs of this workspace that discard steps and end the simulation, as a person makes and runs them.

mod common;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use common::{TestWorkspace, fmu_in, stderr};

const SOURCE: &str = "//! A tank that does not give more than it has, and an end.
use fmu_runtime::prelude::*;

/// A tank: less than nothing is an error that a smaller step avoids.
#[model]
pub struct Tank {
    /// Level
    #[state(start = 1.0, output)]
    level: f64,
    /// What flows out
    #[input]
    flow: f64,
}

#[equations]
impl Model for Tank {
    fn derivatives(&self, _t: f64) -> Result<Derivatives<Self>, ModelError> {
        if self.level < 0.0 {
            return Err(ModelError::new(\"the tank is empty\").recoverable());
        }
        Ok(Derivatives::<Self> { level: -self.flow })
    }
}

/// Decays, and ends the simulation after a while.
#[model]
pub struct Ending {
    /// What is left
    #[state(start = 1.0, output)]
    x: f64,
    /// When it ends
    #[parameter(start = 0.25)]
    end: f64,
}

#[equations]
impl Model for Ending {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.x }
    }

    fn next_event_time(&self, _t: f64) -> Option<f64> {
        Some(self.end)
    }

    fn event(&mut self, at: Event) -> Next {
        if at.scheduled { Next::Terminate } else { Next::Continue }
    }
}

export_fmu!(Tank, Ending);
";

/// The folder with both FMUs; packaged once.
fn folder() -> &'static Path {
    static MADE: OnceLock<(TestWorkspace, PathBuf)> = OnceLock::new();
    let make = || {
        let workspace = TestWorkspace::new();
        workspace.add_with_runtime("stops", "", "models = ['Tank', 'Ending']", SOURCE);
        let output = workspace.package_in("several-models", &["stops", "--debug", "--out", "made"]);
        assert!(output.status.success(), "{}", stderr(&output));
        let made = workspace.root().join("made");
        (workspace, made)
    };
    &MADE.get_or_init(make).1
}

/// Rows and statistics of a run.
struct Ran {
    columns: Vec<String>,
    rows: Vec<Vec<f64>>,
    stats: serde_json::Value,
    said: String,
}

impl Ran {
    fn column(&self, name: &str) -> Vec<f64> {
        let at = self.columns.iter().position(|column| column == name).expect(name);
        self.rows.iter().map(|row| row[at]).collect()
    }
}

fn couple(name: &str, system: &str, arguments: &[&str]) -> Ran {
    let folder = folder();
    let file = |extension: &str| folder.join(format!("{name}.{extension}")).display().to_string();
    std::fs::write(file("toml"), system).unwrap();
    let (toml, csv, json) = (file("toml"), file("csv"), file("json"));
    let mut all = vec!["couple", &toml, "--output", &csv, "--stats", &json];
    all.extend(arguments);
    let output = fmu_in(folder, &all, &[]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = std::fs::read_to_string(&csv).unwrap();
    let mut lines = text.lines();
    let columns = lines.next().unwrap().split(',').map(str::to_owned).collect();
    let rows = lines.map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect());
    Ran {
        columns,
        rows: rows.collect(),
        stats: serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap(),
        said: stderr(&output),
    }
}

/// Explicit steps would empty the tank beyond its bottom: the FMU discards them, and they are repeated smaller.
#[test]
fn a_step_that_an_fmu_discards_is_repeated_smaller() {
    let system = "[simulation]\nstop = 1.0\nstep = 0.2\ninsist = true\ntolerance = 1e-9\n\
                  [components.tank]\nfmu = 'Tank.fmu'\n\
                  [components.other]\nfmu = 'Ending.fmu'\nset = { end = 100.0 }\n\
                  [[connections]]\nfrom = 'tank.level'\nto = 'tank.flow'\ngain = 8.0\n";
    for algorithm in ["jacobi", "gauss-seidel"] {
        let ran = couple(algorithm, system, &["--algorithm", algorithm]);
        let (times, level) = (ran.column("time"), ran.column("tank.level"));
        assert!(ran.stats["discarded"].as_u64().unwrap() > 0, "{}", ran.said);
        assert_eq!(ran.stats["restarts"], 0);
        assert_eq!(*times.last().unwrap(), 1.0);
        assert!(level.iter().all(|level| *level >= -1e-6), "{level:?}");
        // The flow is held over each step: after 1/8 the tank is empty.
        for (at, pair) in times.windows(2).enumerate() {
            let held = level[at] * (1.0 - 8.0 * (pair[1] - pair[0]));
            assert!((level[at + 1] - held).abs() < 1e-6, "{times:?} {level:?}");
        }
        for (t, x) in times.iter().zip(ran.column("other.x")) {
            assert!((x - (-t).exp()).abs() < 1e-6, "{algorithm}: {x} at {t}");
        }
        for point in 0..=5 {
            let at = 0.2 * f64::from(point);
            assert!(times.iter().any(|t| (t - at).abs() < 1e-12), "{at}: {times:?}");
        }
    }
}

#[test]
fn an_fmu_ends_the_simulation_for_all() {
    let system = "[simulation]\nstop = 1.0\nstep = 0.1\ntolerance = 1e-9\n\
                  [components.first]\nfmu = 'Ending.fmu'\nset = { end = 100.0 }\n\
                  [components.second]\nfmu = 'Ending.fmu'\n";
    let runs: [&[&str]; 6] = [
        &["--algorithm", "jacobi"],
        &["--algorithm", "gauss-seidel"],
        &["--algorithm", "iterated-gauss-seidel"],
        &["--algorithm", "newton"],
        &["--algorithm", "stabilized"],
        &["--tolerance", "1e-4"],
    ];
    for (number, arguments) in runs.iter().enumerate() {
        let ran = couple(&format!("ends{number}"), system, arguments);
        assert_eq!(ran.stats["end"], "by FMU", "{}", ran.said);
        assert_eq!(ran.stats["restarts"], 0);
        assert!(ran.said.contains("(second ended the simulation)"), "{}", ran.said);
        let times = ran.column("time");
        assert!(
            (times.last().unwrap() - 0.25).abs() < 1e-9,
            "{arguments:?}: {times:?}"
        );
        for name in ["first.x", "second.x"] {
            for (t, x) in times.iter().zip(ran.column(name)) {
                assert!(
                    (x - (-t).exp()).abs() < 1e-6,
                    "{arguments:?}: {name} at {t} is {x}"
                );
            }
        }
    }
}
