//! `cargo xtask package-crates`: the crates as they would be published. Packs them, builds a model in a workspace of its
//! own against the packed files, packages it as an FMU, and simulates that.

use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::{Metadata, MetadataCommand, Package};
use clap::Args;

use crate::chore::{Error, Place, Result, file, heading, run_quiet, run_shown};

/// Arguments of `package-crates`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Lets cargo build each crate from its packed files, too, one by one.
    #[arg(long)]
    verify: bool,
    /// Packs files that are not committed, too.
    #[arg(long)]
    allow_dirty: bool,
}

/// A model whose solution is known: x = exp(-k t).
const MODEL: &str = r#"//! A model outside of the repository.

use fmu_runtime::prelude::*;

/// Decays with a constant rate.
#[model(stop_time = 1.0, tolerance = 1e-9)]
pub struct Decay {
    /// What is left
    #[state(start = 1.0, output)]
    x: f64,
    /// Rate
    #[parameter(start = 2.0)]
    k: f64,
}

#[equations]
impl Model for Decay {
    fn derivatives(&self, _t: f64) -> Derivatives<Self> {
        Derivatives::<Self> { x: -self.k * self.x }
    }
}

export_fmu!(Decay);
"#;

const COMMAND: &str = "fn main() -> std::process::ExitCode {\n    fmu::cli::main()\n}\n";

/// Packs, builds, packages and simulates.
pub fn run(arguments: Arguments) -> Result<()> {
    let place = Place::find()?;
    let metadata = MetadataCommand::new()
        .manifest_path(place.root.join("Cargo.toml"))
        .no_deps()
        .exec()?;
    let packages = published(&metadata);

    heading("packing");
    let mut command = cargo(&place.root);
    command
        .arg("package")
        .args(["--target-dir".as_ref(), place.target.as_os_str()]);
    if !arguments.verify {
        command.arg("--no-verify");
    }
    if arguments.allow_dirty {
        command.arg("--allow-dirty");
    }
    for package in &packages {
        command.args(["--package", package.name.as_str()]);
    }
    succeed("cargo package", &mut command)?;

    let folder = place.folder("package-crates")?;
    std::fs::remove_dir_all(&folder).map_err(file(&folder, "cannot be removed"))?;
    std::fs::create_dir_all(&folder).map_err(file(&folder, "cannot be made"))?;
    let mut unpacked = Vec::new();
    for package in &packages {
        let name = format!("{}-{}", package.name, package.version);
        let archive = place.target.join("package").join(format!("{name}.crate"));
        let mut tar = Command::new("tar");
        // Packed files have one fixed time, by which cargo would take those of an earlier run for the same.
        tar.arg("-xzmf").arg(&archive).arg("-C").arg(&folder);
        run_quiet("unpacking", &mut tar, "tar")?;
        unpacked.push((package.name.to_string(), folder.join(name)));
    }
    println!("{} crates, below {}", unpacked.len(), folder.display());

    heading("a workspace of its own");
    let workspace = folder.join("workspace");
    write_workspace(&place.root, &workspace, &unpacked)?;
    // Dependencies that this repository has compiled serve there, too.
    let fmu = |arguments: &[&str]| {
        let mut command = cargo(&workspace);
        command
            .env("CARGO_TARGET_DIR", &place.target)
            .args(["run", "--quiet", "--package", "command", "--"])
            .args(arguments);
        command
    };
    succeed(
        "fmu package-fmu",
        &mut fmu(&["package-fmu", "decay", "--out", "."]),
    )?;
    succeed(
        "fmu check",
        &mut fmu(&["check", "--run", "--strict", "Decay.fmu"]),
    )?;
    succeed(
        "fmu simulate",
        &mut fmu(&["simulate", "Decay.fmu", "--set", "k=3", "--output", "decay.csv"]),
    )?;
    let table = workspace.join("decay.csv");
    let text = std::fs::read_to_string(&table).map_err(file(&table, "cannot be read"))?;
    let x = final_value(&text).ok_or_else(|| failed("fmu simulate", "the table has no values"))?;
    let error = (x - (-3.0_f64).exp()).abs();
    if error.is_nan() || error > 1e-6 {
        return Err(failed("fmu simulate", &format!("x(1) = {x}, not exp(-3)")));
    }
    println!("x(1) = {x}, with an error of {error:.1e}");
    Ok(())
}

/// The crates that may be published.
fn published(metadata: &Metadata) -> Vec<&Package> {
    let may_be_published = |package: &&Package| package.publish.as_ref().is_none_or(|list| !list.is_empty());
    metadata
        .workspace_packages()
        .into_iter()
        .filter(may_be_published)
        .collect()
}

/// A model crate and the command, which depend on the packed crates by path. Packed crates depend on each other by
/// version, so each is patched.
fn write_workspace(root: &Path, workspace: &Path, unpacked: &[(String, PathBuf)]) -> Result<()> {
    let path = |name: &str| {
        let found = unpacked.iter().find(|(other, _)| other == name);
        let path = found
            .map(|(_, path)| path.display().to_string())
            .unwrap_or_default();
        path.replace('\\', "/")
    };
    let patches: String = unpacked
        .iter()
        .map(|(name, _)| format!("{name} = {{ path = \"{}\" }}\n", path(name)))
        .collect();
    let manifest = root.join("Cargo.toml");
    let ours = std::fs::read_to_string(&manifest).map_err(file(&manifest, "cannot be read"))?;
    let package = |name: &str, more: &str| {
        format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\nlicense = \"MIT\"\n{more}"
        )
    };
    let lock = root.join("Cargo.lock");
    for (name, text) in [
        (
            "Cargo.toml",
            format!(
                "[workspace]\nresolver = \"2\"\nmembers = [\"decay\", \"command\"]\n\n[patch.crates-io]\n{patches}\n{}",
                profiles(&ours)
            ),
        ),
        (
            "Cargo.lock",
            std::fs::read_to_string(&lock).map_err(file(&lock, "cannot be read"))?,
        ),
        (
            "decay/Cargo.toml",
            package(
                "decay",
                &format!(
                    "\n[package.metadata.fmu]\n\n[dependencies]\nfmu-runtime = {{ path = \"{}\" }}\n\n\
                     [lints.rust]\nunexpected_cfgs = {{ level = \"warn\", check-cfg = [\"cfg(fmu_export, values(any()))\"] }}\n",
                    path("fmu-runtime")
                ),
            ),
        ),
        ("decay/src/lib.rs", MODEL.to_owned()),
        (
            "command/Cargo.toml",
            package(
                "command",
                &format!("\n[dependencies]\nfmu = {{ path = \"{}\" }}\n", path("fmu")),
            ),
        ),
        ("command/src/main.rs", COMMAND.to_owned()),
    ] {
        let target = workspace.join(name);
        let parent = target.parent().unwrap_or(workspace);
        std::fs::create_dir_all(parent).map_err(file(parent, "cannot be made"))?;
        std::fs::write(&target, text).map_err(file(&target, "cannot be written"))?;
    }
    Ok(())
}

/// The profiles of this workspace for dependencies of others, so that what is compiled for it serves another one.
fn profiles(manifest: &str) -> String {
    // A profile for a package that is not there would be warned of.
    let absent = ["cbindgen]", "random-models]"];
    let tables = manifest.split("\n[").skip(1);
    tables
        .filter(|table| table.starts_with("profile.dev"))
        .filter(|table| !absent.iter().any(|absent| table.contains(&format!(".{absent}"))))
        .map(|table| format!("[{}\n\n", table.trim_end()))
        .collect()
}

/// The last value of the first variable in a table.
fn final_value(table: &str) -> Option<f64> {
    table.lines().last()?.split(',').nth(1)?.parse().ok()
}

fn cargo(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(folder);
    command
}

fn succeed(what: &str, command: &mut Command) -> Result<()> {
    let (status, _) = run_shown(command, "install Rust")?;
    match status.success() {
        true => Ok(()),
        false => Err(failed(what, &status.to_string())),
    }
}

fn failed(what: &str, detail: &str) -> Error {
    Error::Failed {
        what: what.to_owned(),
        detail: detail.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_last_row_has_the_final_value() {
        assert_eq!(super::final_value("time,x\n0,1\n1,0.25\n"), Some(0.25));
        assert_eq!(super::final_value("time,x\n"), None);
    }
}
