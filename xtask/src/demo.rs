//! `cargo xtask demo`: two models become FMUs, the FMUs become a car, and the car rolls over a step in the road.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use clap::Args;

use crate::chore::{Error, Place, Result, heading, run_shown};

/// Arguments of `demo`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Another system than the quarter car; its FMUs must exist.
    #[arg(value_name = "SYSTEM")]
    system: Option<PathBuf>,
}

const RUST: &str = "install a Rust toolchain";

/// Packages wheel and chassis, couples them, and prints the paths of the results.
pub fn run(arguments: Arguments) -> Result<()> {
    let begin = Instant::now();
    let place = Place::find()?;
    let out = place.folder("demo")?;
    let is_own = arguments.system.is_some();
    let system = match arguments.system {
        Some(system) => system,
        None => {
            heading("two models become FMUs: examples/systems/quarter-car");
            package(&place)?;
            place.root.join("examples/systems/quarter-car.toml")
        }
    };

    heading("building the command `fmu couple`");
    let fmu = fmu_command(&place, "couple")?;

    heading(&format!(
        "coupling them, with error control: {}",
        shown(&place, &system)
    ));
    let name = system
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let file = |ending: &str| out.join(format!("{name}{ending}"));
    let files = [
        ("--output", "results", file(".csv")),
        ("--plot", "plot", file(".svg")),
        ("--graph", "graph", file("-graph.svg")),
    ];
    let mut command = Command::new(fmu);
    command.arg("couple").arg(&system);
    if !is_own {
        // Wherever the target folder is: the system file names the usual one.
        command.arg("--fmus").arg(place.folder("fmu")?);
    }
    for (option, _, path) in &files {
        command.arg(option).arg(path);
    }
    let (status, _) = run_shown(&mut command, RUST)?;
    if !status.success() {
        return Err(Error::Failed {
            what: "the coupled simulation".to_owned(),
            detail: status.to_string(),
        });
    }

    heading(&format!("done, in {} s", begin.elapsed().as_secs()));
    for (_, what, path) in &files {
        println!("{what:>8}: {}", shown(&place, path));
    }
    println!("    next: cargo xtask test, or a model of your own: cargo xtask new-model NAME");
    Ok(())
}

/// The two FMUs, built without optimization across crates, which a demonstration does not need.
fn package(place: &Place) -> Result<()> {
    let own = std::env::current_exe().map_err(|source| Error::Start {
        program: "cargo xtask".to_owned(),
        source,
    })?;
    let (status, _) = run_shown(&mut packaging(place, &own), "run it as `cargo xtask demo`")?;
    match status.success() {
        true => Ok(()),
        false => Err(Error::Failed {
            what: "packaging".to_owned(),
            detail: status.to_string(),
        }),
    }
}

fn packaging(place: &Place, own: &Path) -> Command {
    let mut command = in_the_root(place, own);
    command.args([
        "package-fmu",
        "quarter-car:Wheel",
        "quarter-car:Chassis",
        "--quick",
    ]);
    command
}

/// A command in the folder of the workspace. A relative CARGO_TARGET_DIR counts from where the person is, which may be
/// elsewhere.
fn in_the_root(place: &Place, program: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(&place.root)
        .env("CARGO_TARGET_DIR", &place.target);
    command
}

/// Builds `fmu` with some features and no more: all of them take minutes.
pub fn fmu_command(place: &Place, features: &str) -> Result<PathBuf> {
    let (status, _) = run_shown(&mut building(place, features), RUST)?;
    match status.success() {
        true => Ok(place
            .target
            .join("debug")
            .join(format!("fmu{}", std::env::consts::EXE_SUFFIX))),
        false => Err(Error::Failed {
            what: "building the fmu command".to_owned(),
            detail: status.to_string(),
        }),
    }
}

fn building(place: &Place, features: &str) -> Command {
    let mut command = in_the_root(place, env!("CARGO").as_ref());
    command.args(["build", "--package", "fmu", "--bin", "fmu"]).args([
        "--no-default-features",
        "--features",
        features,
    ]);
    command
}

/// A path as a person in the workspace would write it.
fn shown(place: &Place, path: &Path) -> String {
    path.strip_prefix(&place.root)
        .unwrap_or(path)
        .display()
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_builds_go_into_the_target_folder_wherever_it_is() {
        let place = Place {
            root: "/work".into(),
            target: "/elsewhere/built".into(),
        };
        for command in [packaging(&place, "xtask".as_ref()), building(&place, "couple")] {
            assert_eq!(command.get_current_dir(), Some(Path::new("/work")));
            let target = command.get_envs().find(|(name, _)| *name == "CARGO_TARGET_DIR");
            let target = target.and_then(|(_, value)| value);
            assert_eq!(target, Some("/elsewhere/built".as_ref()), "{command:?}");
        }
    }
}
