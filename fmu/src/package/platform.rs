//! Which folder of an FMU a Rust target belongs to, and which target a platform's name stands for.

use fmu_standard::platform::Machine;
pub use fmu_standard::platform::System;

use super::{Error, Version};

/// The platforms that have a usual Rust target: the tuple of FMI 3.0 and the target. The order is that of `fmu platforms`.
const TARGETS: [(&str, &str); 10] = [
    ("x86_64-linux", "x86_64-unknown-linux-gnu"),
    ("x86_64-windows", "x86_64-pc-windows-gnu"),
    ("aarch64-linux", "aarch64-unknown-linux-gnu"),
    ("x86_64-darwin", "x86_64-apple-darwin"),
    ("aarch64-darwin", "aarch64-apple-darwin"),
    ("x86-linux", "i686-unknown-linux-gnu"),
    ("x86-windows", "i686-pc-windows-gnu"),
    ("aarch64-windows", "aarch64-pc-windows-gnullvm"),
    ("aarch32-linux", "armv7-unknown-linux-gnueabihf"),
    ("riscv64-linux", "riscv64gc-unknown-linux-gnu"),
];

/// What a machine with Windows builds with in place of the targets that end with `-gnu`.
const WINDOWS: [(&str, &str); 3] = [
    ("x86_64-windows", "x86_64-pc-windows-msvc"),
    ("x86-windows", "i686-pc-windows-msvc"),
    ("aarch64-windows", "aarch64-pc-windows-msvc"),
];

/// Where the library of one Rust target goes, and what it is called there.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Platform {
    /// The Rust target, for example `x86_64-unknown-linux-gnu`.
    pub triple: String,
    /// The folder below `binaries/`, for example `linux64`.
    pub folder: String,
    /// The operating system.
    pub system: System,
}

impl Platform {
    /// The platform of a Rust target: the six names of FMI 2.0 for x86, the tuples of FMI 3.0 for the rest.
    ///
    /// ```
    /// use fmu::package::Platform;
    ///
    /// assert_eq!(Platform::of("x86_64-pc-windows-msvc").unwrap().folder, "win64");
    /// assert_eq!(Platform::of("aarch64-unknown-linux-gnu").unwrap().folder, "aarch64-linux");
    /// assert!(Platform::of("wasm32-unknown-unknown").is_err());
    /// ```
    pub fn of(triple: &str) -> Result<Platform, Error> {
        let machine = Machine::of_target(triple).ok_or_else(|| Error::NoPlatform {
            triple: triple.to_owned(),
        })?;
        Ok(Platform {
            triple: triple.to_owned(),
            folder: machine.folder(),
            system: machine.system,
        })
    }

    /// The platform of a name, either of FMI 2.0 (`win64`) or of FMI 3.0 (`x86_64-windows`), with the Rust target that is usual
    /// for it on a machine such as `host`. The machine's own platform has its own target.
    ///
    /// ```
    /// use fmu::package::Platform;
    ///
    /// let linux = Platform::of("x86_64-unknown-linux-gnu").unwrap();
    /// assert_eq!(Platform::named("win64", &linux).unwrap().triple, "x86_64-pc-windows-gnu");
    /// assert_eq!(Platform::named("x86_64-linux", &linux).unwrap(), linux);
    /// assert!(Platform::named("win46", &linux).is_err());
    /// ```
    pub fn named(name: &str, host: &Platform) -> Result<Platform, Error> {
        let usual = Self::usual(host);
        let of_name =
            |platform: &&Platform| [platform.folder.as_str(), platform.tuple().as_str()].contains(&name);
        let found = usual.iter().find(of_name).cloned();
        found.ok_or_else(|| Error::UnknownPlatform {
            name: name.to_owned(),
            known: usual.into_iter().map(|platform| platform.folder).collect(),
        })
    }

    /// All platforms that have a usual Rust target on a machine such as `host`; its own platform comes first.
    pub(crate) fn usual(host: &Platform) -> Vec<Platform> {
        let target = |tuple, usual| {
            let mut windows = WINDOWS.iter().filter(|_| host.system == System::Windows);
            windows
                .find(|(other, _)| *other == tuple)
                .map_or(usual, |(_, target)| *target)
        };
        let others = TARGETS
            .iter()
            .filter_map(|&(tuple, usual)| Platform::of(target(tuple, usual)).ok());
        let others = others.filter(|platform| platform.folder != host.folder);
        std::iter::once(host.clone()).chain(others).collect()
    }

    /// The name by FMI 3.0.
    pub(crate) fn tuple(&self) -> String {
        self.folder_of(Version::Three)
    }

    /// The folder in an FMU of a version: FMI 3.0 has tuples for all platforms.
    ///
    /// ```
    /// use fmu::package::{Platform, Version};
    ///
    /// let linux = Platform::of("x86_64-unknown-linux-gnu").unwrap();
    /// assert_eq!(linux.folder_of(Version::Two), "linux64");
    /// assert_eq!(linux.folder_of(Version::Three), "x86_64-linux");
    /// ```
    pub fn folder_of(&self, version: Version) -> String {
        match (version, Machine::of_target(&self.triple)) {
            (Version::Three, Some(machine)) => machine.tuple(),
            _ => self.folder.clone(),
        }
    }

    /// What to install when linking for this target with the machine's own C compiler fails.
    pub(crate) fn linking_hint(&self) -> Option<&'static str> {
        match self.triple.as_str() {
            "i686-unknown-linux-gnu" | "i586-unknown-linux-gnu" => Some(
                "if linking failed, install 32-bit libraries: the package gcc-multilib (Debian, Ubuntu) or glibc-devel.i686 (Fedora)",
            ),
            triple if triple.ends_with("-msvc") => {
                Some("if linking failed, install the C++ build tools of Visual Studio")
            }
            triple if triple.ends_with("-apple-darwin") => {
                Some("if linking failed, install the command line tools: xcode-select --install")
            }
            triple if triple.contains("-linux-") => Some(
                "if linking failed, install a C linker: the package gcc, or build-essential (Debian, Ubuntu)",
            ),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(triple: &str) -> String {
        Platform::of(triple)
            .map(|platform| platform.folder)
            .unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn folders_are_those_of_the_standards() {
        for (triple, expected) in [
            ("x86_64-unknown-linux-gnu", "linux64"),
            ("x86_64-unknown-linux-musl", "linux64"),
            ("i686-unknown-linux-gnu", "linux32"),
            ("x86_64-pc-windows-msvc", "win64"),
            ("x86_64-pc-windows-gnu", "win64"),
            ("i686-pc-windows-gnu", "win32"),
            ("x86_64-apple-darwin", "darwin64"),
            ("i686-apple-darwin", "darwin32"),
            ("aarch64-apple-darwin", "aarch64-darwin"),
            ("aarch64-unknown-linux-gnu", "aarch64-linux"),
            ("aarch64-pc-windows-msvc", "aarch64-windows"),
            ("armv7-unknown-linux-gnueabihf", "aarch32-linux"),
            ("riscv64gc-unknown-linux-gnu", "riscv64-linux"),
            ("powerpc64le-unknown-linux-gnu", "ppc64-linux"),
        ] {
            assert_eq!(folder(triple), expected, "{triple}");
        }
    }

    #[test]
    fn targets_without_a_platform_are_refused() {
        for triple in [
            "wasm32-unknown-unknown",
            "aarch64-linux-android",
            "thumbv7em-none-eabihf",
            "",
        ] {
            assert!(Platform::of(triple).is_err(), "{triple}");
        }
    }

    #[test]
    fn a_name_of_either_version_stands_for_the_usual_target_of_the_machine() {
        let triple = |name: &str, host: &str| {
            Platform::named(name, &Platform::of(host).unwrap())
                .unwrap()
                .triple
        };
        let (linux, windows, mac) = (
            "x86_64-unknown-linux-gnu",
            "x86_64-pc-windows-msvc",
            "aarch64-apple-darwin",
        );
        for (name, tuple, host, expected) in [
            ("linux64", "x86_64-linux", linux, linux),
            (
                "linux64",
                "x86_64-linux",
                "x86_64-unknown-linux-musl",
                "x86_64-unknown-linux-musl",
            ),
            ("linux32", "x86-linux", linux, "i686-unknown-linux-gnu"),
            ("win64", "x86_64-windows", linux, "x86_64-pc-windows-gnu"),
            ("win64", "x86_64-windows", windows, windows),
            (
                "win64",
                "x86_64-windows",
                "x86_64-pc-windows-gnu",
                "x86_64-pc-windows-gnu",
            ),
            ("win32", "x86-windows", windows, "i686-pc-windows-msvc"),
            ("win32", "x86-windows", mac, "i686-pc-windows-gnu"),
            ("darwin64", "x86_64-darwin", mac, "x86_64-apple-darwin"),
            (
                "aarch64-linux",
                "aarch64-linux",
                windows,
                "aarch64-unknown-linux-gnu",
            ),
        ] {
            assert_eq!(triple(name, host), expected, "{name} on {host}");
            assert_eq!(triple(tuple, host), expected, "{tuple} on {host}");
        }
    }

    #[test]
    fn every_usual_target_belongs_to_its_platform() {
        for (tuple, target) in TARGETS.iter().chain(&WINDOWS) {
            assert_eq!(Platform::of(target).unwrap().tuple(), *tuple);
        }
    }
}
