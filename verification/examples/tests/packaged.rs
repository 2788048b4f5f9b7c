//! The examples of this workspace, packaged and linked as their users do.

use std::fs;
use std::path::{Path, PathBuf};

use bouncing_ball::BouncingBall;
use fmu::package::{Options, Progress};
use van_der_pol::VanDerPol;

/// Keeps the warnings.
#[derive(Default)]
struct Warnings(Vec<String>);

impl Progress for Warnings {
    fn step(&mut self, _verb: &str, _what: &str) {}

    fn warning(&mut self, text: &str) {
        self.0.push(text.to_owned());
    }
}

/// Packages an example of the workspace of a folder.
fn package_in(folder: &Path, name: &str, out: &Path) -> PathBuf {
    let options = Options::of([name]).with_out(out);
    let mut warnings = Warnings::default();
    let paths = fmu::package::package(folder, &options, &mut warnings).unwrap();
    assert_eq!(warnings.0, Vec::<String>::new());
    paths.into_iter().next().unwrap()
}

/// Packages an example of this workspace into a folder of its own and returns its description.
fn package(name: &str, out: &Path) -> fmu_standard::description::ModelDescription {
    let path = package_in(Path::new(env!("CARGO_MANIFEST_DIR")), name, out);
    let mut archive = zip::ZipArchive::new(fs::File::open(path).unwrap()).unwrap();
    let mut xml = Vec::new();
    let mut entry = archive.by_name("modelDescription.xml").unwrap();
    std::io::Read::read_to_end(&mut entry, &mut xml).unwrap();
    drop(entry);
    let description = fmu_standard::xml::read(xml).unwrap();
    let library = format!("/{}.{}", description.model_name, std::env::consts::DLL_EXTENSION);
    let mut names = archive.file_names().map(|name| name.unwrap().into_owned());
    assert!(
        names.any(|entry| entry.ends_with(&library)),
        "{library} is missing"
    );
    description
}

/// The folder of this repository.
fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_bouncing_ball_is_small_and_complete() {
    let folder = tempfile::tempdir().unwrap();
    let description = package("bouncing-ball", folder.path());
    assert_eq!(description.model_name, "BouncingBall");
    let names: Vec<&str> = description
        .model_variables
        .iter()
        .map(|variable| variable.name.as_str())
        .collect();
    assert_eq!(names[..3], ["h", "v", "g"]);
    let size = fs::metadata(folder.path().join("BouncingBall.fmu"))
        .unwrap()
        .len();
    assert!(size <= 500_000, "the FMU has {size} bytes");
}

/// The speed of the motor of the examples under the sampled controller, by the classical Runge-Kutta method.
fn controlled_speed(stop: f64) -> f64 {
    let (reference, kp, ki, ts) = (100.0, 0.05, 0.25, 0.1);
    let (constant, resistance, inductance, inertia, friction) = (0.05, 1.0, 0.01, 5e-4, 1e-4);
    let (mut x, mut integral, steps) = ([0.0, 0.0], 0.0, 2000);
    for _ in 0..(stop / ts).round() as usize {
        let error = reference - x[1];
        integral += ts * error;
        let voltage = kp * error + ki * integral;
        let h = ts / f64::from(steps);
        for _ in 0..steps {
            test_support::reference::step(0.0, &mut x, h, |_, x, dx| {
                dx[0] = (voltage - constant * x[1] - resistance * x[0]) / inductance;
                dx[1] = (constant * x[0] - friction * x[1]) / inertia;
            });
        }
    }
    x[1]
}

#[test]
fn a_sampled_controller_holds_the_speed_of_a_motor() {
    let folder = tempfile::tempdir().unwrap();
    package("dc-motor", folder.path());
    package("controller", folder.path());
    let systems = repository().join("examples/systems");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_example-tests"))
        .arg("couple")
        .arg(systems.join("controlled-motor.toml"))
        .arg("--fmus")
        .arg(folder.path())
        .args(["--stop", "3.1", "--tolerance", "1e-9"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let table = String::from_utf8(output.stdout).unwrap();
    let number = |line: &str| line.split(',').nth(1).and_then(|speed| speed.parse::<f64>().ok());
    let at = |time: &str| {
        table
            .lines()
            .filter(|line| line.starts_with(time))
            .find_map(number)
    };
    let (end, exact) = (at("3,").unwrap(), controlled_speed(3.0));
    assert!((end - exact).abs() < 1e-5, "{end} {exact}");
    assert!((exact - 100.0).abs() < 0.1, "{exact}");
}

#[test]
fn a_copy_of_this_workspace_makes_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    package("bouncing-ball", &folder.path().join("here"));
    let copy = folder.path().join("a copy");
    copy_folder(&repository(), &copy, &["target", ".git"]);
    package_in(&copy, "bouncing-ball", &folder.path().join("there"));

    let [here, there] =
        ["here", "there"].map(|out| fs::read(folder.path().join(out).join("BouncingBall.fmu")).unwrap());
    assert!(here == there, "the FMUs differ");
}

fn copy_folder(from: &Path, to: &Path, except: &[&str]) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        if except.iter().any(|other| name == *other) {
            continue;
        }
        let (from, to) = (entry.path(), to.join(&name));
        if from.is_dir() {
            copy_folder(&from, &to, except);
        } else {
            fs::copy(from, to).unwrap();
        }
    }
}

/// Its part is the model of another crate that is exported too: only one of the two may define the C functions.
#[test]
fn a_part_may_come_from_another_exported_crate() {
    let folder = tempfile::tempdir().unwrap();
    let description = package("driven-motor", folder.path());
    assert!(
        description
            .model_variables
            .iter()
            .any(|variable| variable.name.contains('.')),
        "no part in it"
    );
}

/// This test program contains both; with C functions in either it would not link.
#[test]
fn two_exported_models_link_into_one_program() {
    let (ball, oscillator) = (BouncingBall::default(), VanDerPol::default());
    assert_eq!(ball.derivatives(0.0).v, -9.81);
    assert_eq!(oscillator.derivatives(0.0).x0, 0.0);
}
