//! What the Rust toolchain of the workspace has: its platform, its targets, where its sources are.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Error, Platform};

/// The toolchain that builds the workspace.
pub(crate) struct Toolchain {
    /// The platform of this machine.
    pub host: Platform,
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
            commit: field("commit-hash").unwrap_or_else(|| "unknown".to_owned()),
            sysroot: sysroot.trim().into(),
            rustc,
            directory: directory.to_owned(),
        })
    }

    /// Fails with what to install if the standard library of a target is missing.
    pub fn require_target(&self, platform: &Platform) -> Result<(), Error> {
        let triple = &platform.triple;
        if self.sysroot.join("lib/rustlib").join(triple).join("lib").is_dir() {
            return Ok(());
        }
        let known = answer(&self.rustc, &self.directory, &["--print", "target-list"])?;
        if known.lines().any(|line| line == triple) {
            Err(Error::MissingTarget {
                triple: triple.clone(),
            })
        } else {
            Err(Error::UnknownTarget {
                triple: triple.clone(),
            })
        }
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
