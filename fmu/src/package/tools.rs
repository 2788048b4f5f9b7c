//! What this machine has for building: standard libraries of targets, their sources, and programs that link.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use super::config::Configuration;
use super::linker;
use super::platform::Platform;
use super::toolchain::Toolchain;

/// What was found. The lists that `fmu platforms` prints depend on nothing else, so they can be tested for any machine.
#[derive(Clone, Debug)]
pub(crate) struct Tools {
    /// The platform of the machine.
    pub host: Platform,
    /// The version of rustc.
    pub release: String,
    /// The targets whose standard library is installed.
    pub installed: BTreeSet<String>,
    /// How rustup installs a target, without the target: `rustup target add`; absent where the toolchain is not rustup's.
    pub add_target: Option<String>,
    /// The programs on the path, of those that matter here.
    pub programs: BTreeSet<String>,
    /// Whether the C compiler of the machine has libraries of 32 bits.
    pub multilib: bool,
    /// The targets for which a configuration file or the environment names a linker.
    pub configured: BTreeSet<String>,
}

impl Tools {
    /// Looks around, for the usual platforms and some further targets.
    pub fn of(toolchain: &Toolchain, configuration: &Configuration, platforms: &[Platform]) -> Tools {
        let mut targets: BTreeSet<String> =
            platforms.iter().map(|platform| platform.triple.clone()).collect();
        targets.extend(
            Platform::usual(&toolchain.host)
                .into_iter()
                .map(|platform| platform.triple),
        );
        let names_linker = |triple: &&String| {
            std::env::var_os(linker_variable(triple)).is_some() || configuration.names_linker(triple)
        };
        let programs = linker::programs().chain(["apt-get", "dnf", "brew"]);
        Tools {
            host: toolchain.host.clone(),
            release: toolchain.release.clone(),
            installed: targets
                .iter()
                .filter(|triple| toolchain.has(triple))
                .cloned()
                .collect(),
            add_target: toolchain.add_target(),
            programs: programs
                .filter(|program| is_on_path(program))
                .map(str::to_owned)
                .collect(),
            multilib: [
                "/usr/lib32/libc.so",
                "/usr/lib/i386-linux-gnu/libc.so",
                "/usr/i686-linux-gnu/lib/libc.so",
            ]
            .iter()
            .any(|file| Path::new(file).exists()),
            configured: targets.iter().filter(names_linker).cloned().collect(),
        }
    }
}

/// The variable by which cargo takes the linker of a target.
pub(crate) fn linker_variable(triple: &str) -> String {
    format!(
        "CARGO_TARGET_{}_LINKER",
        triple.to_uppercase().replace(['-', '.'], "_")
    )
}

fn is_on_path(program: &str) -> bool {
    let path: OsString = std::env::var_os("PATH").unwrap_or_default();
    let file = |folder: &Path| folder.join(format!("{program}{}", std::env::consts::EXE_SUFFIX));
    std::env::split_paths(&path).any(|folder| file(&folder).is_file())
}
