//! Which platforms this machine can package for, and what to do for the others: `fmu platforms` and `--platform all`.

use std::fmt::Write as _;
use std::path::Path;

use super::config::Configuration;
use super::linker::{self, Linker, Remedy};
use super::platform::Platform;
use super::toolchain::Toolchain;
use super::tools::Tools;
use super::{Error, build};

/// What `fmu platforms` prints for a folder, whose configuration of cargo and rustup counts.
pub fn platforms(directory: &Path) -> Result<String, Error> {
    let toolchain = Toolchain::of(directory)?;
    let configuration = Configuration::of(directory, build::cargo_home().as_deref());
    Ok(list(&Tools::of(&toolchain, &configuration, &[])))
}

/// The platforms that can be packaged for, the machine's own first.
pub(crate) fn buildable(tools: &Tools) -> Vec<Platform> {
    let mut platforms = Platform::usual(&tools.host);
    platforms.retain(|platform| missing(platform, tools).is_empty());
    platforms
}

/// How to get what a platform lacks; empty if it can be built.
fn missing(platform: &Platform, tools: &Tools) -> Vec<Remedy> {
    [
        standard_library(platform, tools),
        linker::choose(platform, tools).err(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// How to get the standard library of a platform, unless it is there.
pub(crate) fn standard_library(platform: &Platform, tools: &Tools) -> Option<Remedy> {
    let triple = &platform.triple;
    if tools.installed.contains(triple) {
        return None;
    }
    Some(match &tools.add_target {
        Some(command) => Remedy::command(format!("{command} {triple}")),
        None => Remedy::advice(format!(
            "this Rust toolchain has no standard library for {triple}; install Rust with rustup (https://rustup.rs), then run: \
             rustup target add {triple}"
        )),
    })
}

/// The table of `fmu platforms`.
fn list(tools: &Tools) -> String {
    let mut text = format!(
        "This machine is {} with rustc {}. It can package for the platforms with `yes`; the others need what is listed.\n\n",
        tools.host.triple, tools.release
    );
    for platform in Platform::usual(&tools.host) {
        let remedies = missing(&platform, tools);
        let lines: Vec<String> = match remedies.is_empty() {
            true => vec![how(&platform, tools)],
            // Where no command helps, another command does not make it possible.
            false => match remedies.iter().find(|remedy| remedy.advice.is_some()) {
                Some(remedy) => remedy.lines().map(str::to_owned).collect(),
                None => remedies
                    .iter()
                    .flat_map(Remedy::lines)
                    .map(str::to_owned)
                    .collect(),
            },
        };
        let can = if remedies.is_empty() { "yes" } else { "no" };
        for (at, line) in lines.iter().enumerate() {
            let (name, can) = if at == 0 {
                (platform.folder.as_str(), can)
            } else {
                ("", "")
            };
            let _ = writeln!(text, "{name:<16} {can:<4} {line}");
        }
    }
    text
}

/// How a platform that can be built is built.
fn how(platform: &Platform, tools: &Tools) -> String {
    if *platform == tools.host {
        return format!("{} (this machine)", platform.triple);
    }
    match linker::choose(platform, tools) {
        Ok(Linker::Program(program)) => format!("{}, linked by {program}", platform.triple),
        Ok(Linker::Configured) => format!("{}, linked as configured", platform.triple),
        _ => platform.triple.clone(),
    }
}

#[cfg(test)]
#[path = "platforms_tests.rs"]
mod tests;
