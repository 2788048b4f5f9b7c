//! Which folder of an FMU a Rust target belongs to, and what linking for it takes.

use fmu_standard::platform::Machine;
pub use fmu_standard::platform::System;

use super::{Error, Version};

/// Where the library of one Rust target goes, and what it is called there.
#[derive(Clone, Debug, PartialEq, Eq)]
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

    /// The linker that is usual for this target on a machine of another kind, and where it comes from. `None` where
    /// the machine's own C compiler links.
    pub(crate) fn cross_linker(&self, host: &Platform) -> Option<Linker> {
        if self.triple == host.triple {
            return None;
        }
        let known = |program: &'static str, install: &str| {
            Some(Linker {
                program: Some(program),
                install: install.to_owned(),
            })
        };
        match (self.system, self.triple.as_str()) {
            (System::Windows, triple) if triple.ends_with("-gnu") && host.system != System::Windows => {
                if triple.starts_with("x86_64") {
                    known(
                        "x86_64-w64-mingw32-gcc",
                        "the package gcc-mingw-w64-x86-64 (Debian, Ubuntu) or mingw64-gcc (Fedora)",
                    )
                } else {
                    known(
                        "i686-w64-mingw32-gcc",
                        "the package gcc-mingw-w64-i686 (Debian, Ubuntu) or mingw32-gcc (Fedora)",
                    )
                }
            }
            (System::Windows, _) if host.system != System::Windows => Some(Linker {
                program: None,
                install:
                    "lld-link with the Windows SDK (`cargo install xwin` fetches it), or take the target \
                          x86_64-pc-windows-gnu, whose linker is a common package"
                        .to_owned(),
            }),
            (System::Darwin, _) if host.system != System::Darwin => Some(Linker {
                program: None,
                install: "a linker with the SDK of macOS, for example osxcross".to_owned(),
            }),
            (System::Linux, "aarch64-unknown-linux-gnu") => known(
                "aarch64-linux-gnu-gcc",
                "the package gcc-aarch64-linux-gnu (Debian, Ubuntu, Fedora)",
            ),
            (System::Linux, "armv7-unknown-linux-gnueabihf" | "arm-unknown-linux-gnueabihf") => known(
                "arm-linux-gnueabihf-gcc",
                "the package gcc-arm-linux-gnueabihf (Debian, Ubuntu)",
            ),
            (System::Linux, "riscv64gc-unknown-linux-gnu") => known(
                "riscv64-linux-gnu-gcc",
                "the package gcc-riscv64-linux-gnu (Debian, Ubuntu, Fedora)",
            ),
            (System::Linux, "x86_64-unknown-linux-gnu") => known(
                "x86_64-linux-gnu-gcc",
                "the package gcc-x86-64-linux-gnu (Debian, Ubuntu) or gcc-x86_64-linux-gnu (Fedora)",
            ),
            _ => None,
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

/// A linker for another platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Linker {
    /// Its usual command; `None` where there is no usual one.
    pub program: Option<&'static str>,
    /// What to install to have it.
    pub install: String,
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
    fn the_own_platform_needs_no_cross_linker() {
        let host = Platform::of("x86_64-unknown-linux-gnu").unwrap();
        assert_eq!(host.cross_linker(&host), None);
        let windows = Platform::of("x86_64-pc-windows-gnu").unwrap();
        assert_eq!(
            windows.cross_linker(&host).unwrap().program,
            Some("x86_64-w64-mingw32-gcc")
        );
        assert_eq!(
            windows.cross_linker(&Platform::of("x86_64-pc-windows-msvc").unwrap()),
            None
        );
    }
}
