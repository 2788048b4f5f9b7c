//! Platforms: the folders of an FMU that hold its libraries, by the names of FMI 2.0 and of FMI 3.0, and what libraries are
//! called there.
//!
//! ```
//! use fmu_standard::platform::{Machine, machine_of_folder};
//!
//! let windows = Machine::of_target("x86_64-pc-windows-msvc").unwrap();
//! assert_eq!(windows.folder(), "win64");
//! assert_eq!(windows.tuple(), "x86_64-windows");
//! assert_eq!(machine_of_folder("win64"), Some("x86_64-windows"));
//! assert_eq!(machine_of_folder("my-own"), None);
//! ```

use std::env::consts;
use std::fmt;

/// The operating systems of the platform folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum System {
    /// Libraries are ELF files, `.so`.
    Linux,
    /// Libraries are PE files, `.dll`.
    Windows,
    /// Libraries are Mach-O files, `.dylib`.
    Darwin,
}

impl System {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Linux, Self::Windows, Self::Darwin];

    /// The file extension of shared libraries, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Linux => "so",
            Self::Windows => "dll",
            Self::Darwin => "dylib",
        }
    }

    /// The name in a tuple of FMI 3.0.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linux => "linux",
            Self::Windows => "windows",
            Self::Darwin => "darwin",
        }
    }

    /// The system that a platform folder is for; `None` for names of a vendor's own and for machines without a system.
    pub fn of_folder(folder: &str) -> Option<Self> {
        let machine = machine_of_folder(folder)?;
        let name = machine.split('-').nth(1)?;
        Self::ALL.into_iter().find(|system| system.name() == name)
    }
}

/// The processors in tuples of FMI 3.0.
const PROCESSORS: [&str; 8] = [
    "aarch32", "aarch64", "riscv32", "riscv64", "x86", "x86_64", "ppc32", "ppc64",
];

/// The folders of FMI 2.0 and the machines that they stand for, by the tuples of FMI 3.0.
const FOLDERS: [(&str, &str); 6] = [
    ("win32", "x86-windows"),
    ("win64", "x86_64-windows"),
    ("linux32", "x86-linux"),
    ("linux64", "x86_64-linux"),
    ("darwin32", "x86-darwin"),
    ("darwin64", "x86_64-darwin"),
];

/// A processor and an operating system.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Machine {
    /// The processor, by the name of FMI 3.0 if it has one.
    pub processor: String,
    /// The operating system.
    pub system: System,
}

impl Machine {
    /// The machine of a Rust target such as `x86_64-unknown-linux-gnu`; `None` for systems that FMI does not know.
    pub fn of_target(triple: &str) -> Option<Self> {
        let mut parts = triple.split('-');
        let processor = parts.next().unwrap_or_default();
        let rest: Vec<&str> = parts.collect();
        let system = if rest.contains(&"windows") {
            System::Windows
        } else if rest.contains(&"darwin") {
            System::Darwin
        } else if rest.contains(&"linux") && !rest.iter().any(|part| part.starts_with("android")) {
            System::Linux
        } else {
            return None;
        };
        let processor = match processor {
            "x86_64h" => "x86_64",
            "i586" | "i686" => "x86",
            "arm64e" => "aarch64",
            "powerpc" => "ppc32",
            "powerpc64" | "powerpc64le" => "ppc64",
            _ if processor.starts_with("arm") || processor.starts_with("thumb") => "aarch32",
            _ if processor.starts_with("riscv32") => "riscv32",
            _ if processor.starts_with("riscv64") => "riscv64",
            _ => processor,
        };
        Some(Self {
            processor: processor.to_owned(),
            system,
        })
    }

    /// The name by FMI 3.0, for example `x86_64-linux`.
    pub fn tuple(&self) -> String {
        format!("{}-{}", self.processor, self.system.name())
    }

    /// The folder in an FMU of FMI 2.0: one of its six names for x86, the tuple of FMI 3.0 for the rest.
    pub fn folder(&self) -> String {
        let tuple = self.tuple();
        let named = FOLDERS.iter().find(|(_, machine)| *machine == tuple);
        named.map_or(tuple, |(folder, _)| (*folder).to_owned())
    }

    /// Whether FMI 3.0 has a name for the processor.
    pub fn is_known(&self) -> bool {
        PROCESSORS.contains(&self.processor.as_str())
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tuple())
    }
}

/// The machine that a platform folder stands for, by the tuple of FMI 3.0; `None` for names of a vendor's own.
///
/// The tuple may go on with an ABI.
pub fn machine_of_folder(folder: &str) -> Option<&str> {
    if let Some((_, machine)) = FOLDERS.iter().find(|(name, _)| *name == folder) {
        return Some(machine);
    }
    let mut parts = folder.splitn(3, '-');
    let is_known = PROCESSORS.contains(&parts.next()?)
        && matches!(parts.next()?, "darwin" | "linux" | "windows" | "none");
    is_known.then_some(folder)
}

/// The platform folders below `binaries/` for this machine, by the names of FMI 2.0 and of FMI 3.0, best first.
pub fn platform_folders() -> &'static [&'static str] {
    match (consts::OS, consts::ARCH) {
        ("linux", "x86_64") => &["linux64", "x86_64-linux"],
        ("linux", "x86") => &["linux32", "x86-linux"],
        // FMI 2.0 has no name for it; tools use the tuple of 3.0, and some this one.
        ("linux", "aarch64") => &["aarch64-linux", "linuxarm64"],
        ("windows", "x86_64") => &["win64", "x86_64-windows"],
        ("windows", "x86") => &["win32", "x86-windows"],
        ("windows", "aarch64") => &["aarch64-windows"],
        ("macos", "x86_64") => &["darwin64", "x86_64-darwin"],
        // A library in darwin64 may be for both processors.
        ("macos", "aarch64") => &["aarch64-darwin", "darwin64"],
        _ => &[],
    }
}

/// The file name of the library of a model identifier on this machine.
///
/// ```
/// if cfg!(target_os = "linux") {
///     assert_eq!(fmu_standard::platform::library_name("BouncingBall"), "BouncingBall.so");
/// }
/// ```
pub fn library_name(model_identifier: &str) -> String {
    format!("{model_identifier}{}", consts::DLL_SUFFIX)
}

/// The platform folder that a path inside an FMU belongs to.
pub fn platform_of(path: &str) -> Option<&str> {
    let (platform, _) = path.strip_prefix("binaries/")?.split_once('/')?;
    Some(platform)
}

/// Whether a path inside an FMU is that of a library in a platform folder.
pub fn is_library(path: &str) -> bool {
    let Some((_, name)) = path
        .strip_prefix("binaries/")
        .and_then(|path| path.split_once('/'))
    else {
        return false;
    };
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    !name.contains('/')
        && System::ALL
            .iter()
            .any(|system| extension == Some(system.extension()))
}
