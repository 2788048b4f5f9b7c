//! What the Rust toolchain of the workspace has: its platform, its targets, where its sources are.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Error, Platform};

/// The toolchain that builds the workspace.
pub(crate) struct Toolchain {
    /// The platform of this machine.
    pub host: Platform,
    /// The version of rustc, such as `1.95.0`.
    pub release: String,
    /// The commit that rustc was made from.
    pub commit: String,
    /// The folder of the toolchain.
    pub sysroot: PathBuf,
    rustc: PathBuf,
    directory: PathBuf,
}

impl Toolchain {
    /// Asks the rustc that a folder would use (a `rust-toolchain.toml` there counts).
    pub fn of(directory: &Path) -> Result<Toolchain, Error> {
        let rustc = std::env::var_os("RUSTC")
            .map(PathBuf::from)
            .unwrap_or_else(|| "rustc".into());
        let version = answer(&rustc, directory, &["--version", "--verbose"])?;
        let field = |name: &str| {
            let line = version
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            line.map(str::to_owned)
        };
        let host = field("host").ok_or_else(|| Error::Tool {
            program: "rustc --version --verbose".to_owned(),
            message: "it names no host".to_owned(),
        })?;
        let sysroot = answer(&rustc, directory, &["--print", "sysroot"])?;
        Ok(Toolchain {
            host: Platform::of(&host)?,
            release: field("release").unwrap_or_else(|| "of an unknown version".to_owned()),
            commit: field("commit-hash").unwrap_or_else(|| "unknown".to_owned()),
            sysroot: sysroot.trim().into(),
            rustc,
            directory: directory.to_owned(),
        })
    }

    /// Whether the standard library of a target is installed.
    pub fn has(&self, triple: &str) -> bool {
        let folder = self.sysroot.join("lib/rustlib").join(triple).join("lib");
        let is_std = |name: &str| name.starts_with("libstd-") && name.ends_with(".rlib");
        let Ok(entries) = std::fs::read_dir(folder) else {
            return false;
        };
        entries
            .flatten()
            .any(|entry| is_std(&entry.file_name().to_string_lossy()))
    }

    /// Fails if rustc knows no such target.
    pub fn require_known(&self, platform: &Platform) -> Result<(), Error> {
        let known = answer(&self.rustc, &self.directory, &["--print", "target-list"])?;
        match known.lines().any(|line| line == platform.triple) {
            true => Ok(()),
            false => Err(Error::UnknownTarget {
                triple: platform.triple.clone(),
            }),
        }
    }

    /// How rustup installs a target for this toolchain, without the target; `None` if the toolchain is not rustup's.
    pub fn add_target(&self) -> Option<String> {
        let parent = self.sysroot.parent()?;
        let is_rustups = parent.ends_with("toolchains") && parent.parent()?.join("settings.toml").is_file();
        is_rustups.then(|| "rustup target add".to_owned())
    }
}

/// Standard output of a program that must succeed.
fn answer(program: &Path, directory: &Path, arguments: &[&str]) -> Result<String, Error> {
    let name = program.display().to_string();
    let output = Command::new(program)
        .args(arguments)
        .current_dir(directory)
        .output()
        .map_err(|source| Error::Run {
            program: name.clone(),
            source,
        })?;
    if !output.status.success() {
        return Err(Error::Tool {
            program: format!("{name} {}", arguments.join(" ")),
            message: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
