//! Which linker makes libraries for a platform, and what to install where there is none.

use super::platform::{Platform, System};
use super::tools::Tools;

/// What links for a platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Linker {
    /// What rustc takes on its own: the machine's C compiler.
    Own,
    /// What a configuration file or the environment names.
    Configured,
    /// A program of the machine that is made for the platform.
    Program(&'static str),
}

/// How to get what is missing: commands, or a sentence where no command does it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Remedy {
    /// What to run, in order.
    pub commands: Vec<String>,
    /// What to do where no command of this machine does it.
    pub advice: Option<String>,
}

impl Remedy {
    pub fn command(command: impl Into<String>) -> Remedy {
        Remedy {
            commands: vec![command.into()],
            advice: None,
        }
    }

    pub fn advice(advice: impl Into<String>) -> Remedy {
        Remedy {
            commands: Vec::new(),
            advice: Some(advice.into()),
        }
    }

    /// Each command, or the advice, as one line.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.commands.iter().chain(&self.advice).map(String::as_str)
    }

    /// The rest of a sentence: what to do.
    pub fn sentence(&self) -> String {
        match &self.advice {
            Some(advice) => advice.clone(),
            None => format!("run: {}", self.commands.join("; ")),
        }
    }
}

/// A linker that is made for one target, and the packages that contain it.
struct Cross {
    target: &'static str,
    program: &'static str,
    debian: &'static str,
    fedora: Option<&'static str>,
    homebrew: Option<&'static str>,
}

const CROSS: [Cross; 7] = [
    Cross {
        target: "x86_64-pc-windows-gnu",
        program: "x86_64-w64-mingw32-gcc",
        debian: "gcc-mingw-w64-x86-64",
        fedora: Some("mingw64-gcc mingw64-winpthreads-static"),
        homebrew: Some("mingw-w64"),
    },
    Cross {
        target: "i686-pc-windows-gnu",
        program: "i686-w64-mingw32-gcc",
        debian: "gcc-mingw-w64-i686",
        fedora: Some("mingw32-gcc mingw32-winpthreads-static"),
        homebrew: Some("mingw-w64"),
    },
    Cross {
        target: "aarch64-unknown-linux-gnu",
        program: "aarch64-linux-gnu-gcc",
        debian: "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
        fedora: None,
        homebrew: None,
    },
    Cross {
        target: "armv7-unknown-linux-gnueabihf",
        program: "arm-linux-gnueabihf-gcc",
        debian: "gcc-arm-linux-gnueabihf libc6-dev-armhf-cross",
        fedora: None,
        homebrew: None,
    },
    Cross {
        target: "riscv64gc-unknown-linux-gnu",
        program: "riscv64-linux-gnu-gcc",
        debian: "gcc-riscv64-linux-gnu libc6-dev-riscv64-cross",
        fedora: None,
        homebrew: None,
    },
    Cross {
        target: "i686-unknown-linux-gnu",
        program: "i686-linux-gnu-gcc",
        debian: "gcc-i686-linux-gnu libc6-dev-i386-cross",
        fedora: None,
        homebrew: None,
    },
    Cross {
        target: "x86_64-unknown-linux-gnu",
        program: "x86_64-linux-gnu-gcc",
        debian: "gcc-x86-64-linux-gnu libc6-dev-amd64-cross",
        fedora: None,
        homebrew: None,
    },
];

/// The programs that may link for another platform.
pub(crate) fn programs() -> impl Iterator<Item = &'static str> {
    CROSS.iter().map(|cross| cross.program)
}

/// The linker for a platform, or how to get one.
pub(crate) fn choose(platform: &Platform, tools: &Tools) -> Result<Linker, Remedy> {
    let host = &tools.host;
    let triple = platform.triple.as_str();
    if tools.configured.contains(triple) {
        return Ok(Linker::Configured);
    }
    if platform == host || (platform.system == host.system && host.system != System::Linux) {
        return Ok(Linker::Own);
    }
    if let Some(cross) = CROSS.iter().find(|cross| cross.target == triple) {
        if tools.programs.contains(cross.program) {
            return Ok(Linker::Program(cross.program));
        }
        return match triple {
            // `cc -m32`, with the 32-bit libraries of the same system.
            "i686-unknown-linux-gnu" if tools.multilib => Ok(Linker::Own),
            _ => Err(install(cross, platform, tools)),
        };
    }
    match platform.system {
        System::Windows if triple.ends_with("-msvc") => Err(Remedy::advice(
            "link with lld-link and the Windows SDK (`cargo install xwin` fetches the SDK), or take the target that ends with \
             -windows-gnu, whose linker is a common package",
        )),
        System::Windows => Err(Remedy::advice(
            "install llvm-mingw and name its compiler in .cargo/config.toml, or build on Windows",
        )),
        System::Darwin => Err(Remedy::advice(
            "build on macOS, or install a linker with its SDK, such as osxcross",
        )),
        // Another C library, or a processor that the machine's compiler may know.
        System::Linux if host.system == System::Linux => Ok(Linker::Own),
        System::Linux => Err(elsewhere(host.system)),
    }
}

/// How to get a cross linker with the package manager of the machine.
fn install(cross: &Cross, platform: &Platform, tools: &Tools) -> Remedy {
    let has = |program: &str| tools.programs.contains(program);
    if has("apt-get") {
        return Remedy::command(format!("apt-get install {}", cross.debian));
    }
    if let Some(packages) = cross.fedora.filter(|_| has("dnf")) {
        return Remedy::command(format!("dnf install {packages}"));
    }
    if let Some(packages) = cross.homebrew.filter(|_| has("brew")) {
        return Remedy::command(format!("brew install {packages}"));
    }
    match (platform.system, tools.host.system) {
        (System::Linux, System::Windows | System::Darwin) => elsewhere(tools.host.system),
        _ => Remedy::advice(format!(
            "install {}, which is in the package {} of Debian and Ubuntu",
            cross.program, cross.debian
        )),
    }
}

/// Where libraries for Linux are linked if not here.
fn elsewhere(host: System) -> Remedy {
    match host {
        System::Windows => Remedy::advice("package in the Windows Subsystem for Linux (`wsl --install`)"),
        _ => Remedy::advice("package on Linux, for example in a container"),
    }
}
