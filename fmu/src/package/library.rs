//! A built library as others will meet it: what it exports and what it needs, read from the object file.

use std::collections::BTreeSet;

use object::read::elf::{ElfFile, FileHeader, ProgramHeader};
use object::read::macho::{MachHeader, MachOFile};
use object::{Architecture, BinaryFormat, File, ImportFlags, NameOrOrdinal, Object, elf};

use fmu_standard::extension::{DESCRIBE, FUNCTIONS};

use super::platform::{Platform, System};

/// What the object file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Library {
    /// Names of exported functions and data.
    pub exports: BTreeSet<String>,
    /// Libraries that the loader has to find.
    pub needs: BTreeSet<String>,
    /// Undefined symbols without a named library (ELF only).
    pub unresolved: BTreeSet<String>,
    /// The highest version of the GNU C library that a symbol needs.
    pub glibc: Option<(u32, u32)>,
    /// Whether it asks for a stack that code can run on.
    pub executable_stack: bool,
    /// Its format.
    pub format: BinaryFormat,
    /// Its processor.
    pub architecture: Architecture,
}

impl Library {
    /// Reads an ELF, PE or Mach-O file.
    pub fn parse(bytes: &[u8]) -> Result<Library, object::read::Error> {
        let file = File::parse(bytes)?;
        let mut library = Library {
            exports: BTreeSet::new(),
            needs: BTreeSet::new(),
            unresolved: BTreeSet::new(),
            glibc: None,
            executable_stack: false,
            format: file.format(),
            architecture: file.architecture(),
        };
        for export in file.exports()? {
            if let NameOrOrdinal::Name(name) = export?.name() {
                // Mach-O puts an underscore before every name of C.
                let name = match library.format {
                    BinaryFormat::MachO => name.strip_prefix(b"_").unwrap_or(name),
                    _ => name,
                };
                library.exports.insert(text(name));
            }
        }
        for import in file.imports()? {
            let import = import?;
            if !import.library().is_empty() && library.format == BinaryFormat::Pe {
                library.needs.insert(text(import.library()));
            }
            if let ImportFlags::Elf { version, .. } = import.flags() {
                match (version, import.name()) {
                    (Some(version), _) => library.glibc = library.glibc.max(glibc_version(&text(version))),
                    (None, NameOrOrdinal::Name(name)) if !import.is_weak() => {
                        library.unresolved.insert(text(name));
                    }
                    _ => {}
                }
            }
        }
        match &file {
            File::Elf32(file) => library.read_elf(file)?,
            File::Elf64(file) => library.read_elf(file)?,
            File::MachO32(file) => library.read_mach(file)?,
            File::MachO64(file) => library.read_mach(file)?,
            _ => {}
        }
        Ok(library)
    }

    fn read_elf<Elf: FileHeader<Endian = object::Endianness>>(
        &mut self,
        file: &ElfFile<'_, Elf>,
    ) -> Result<(), object::read::Error> {
        let table = file.elf_dynamic_table()?;
        for entry in &table {
            if entry.tag == elf::DT_NEEDED {
                self.needs.insert(text(table.string(entry)?));
            }
        }
        let mut stacks = file
            .elf_program_headers()
            .iter()
            .filter(|h| h.p_type(file.endian()) == elf::PT_GNU_STACK);
        // Without this header the loader makes the stack executable.
        self.executable_stack = stacks
            .next()
            .is_none_or(|stack| stack.p_flags(file.endian()).contains(elf::PF_X));
        Ok(())
    }

    fn read_mach<Mach: MachHeader<Endian = object::Endianness>>(
        &mut self,
        file: &MachOFile<'_, Mach>,
    ) -> Result<(), object::read::Error> {
        let mut commands = file.macho_load_commands()?;
        while let Some(command) = commands.next()? {
            if let Some(dylib) = command.dylib()? {
                self.needs
                    .insert(text(command.string(file.endian(), dylib.dylib.name)?));
            }
        }
        Ok(())
    }

    /// What makes the library useless in an FMU, as the rest of a sentence that begins with its name.
    pub fn problems(&self, platform: &Platform) -> Vec<String> {
        let mut problems = Vec::new();
        let format = match platform.system {
            System::Linux => BinaryFormat::Elf,
            System::Windows => BinaryFormat::Pe,
            System::Darwin => BinaryFormat::MachO,
        };
        if self.format != format {
            problems.push(format!(
                "is a {:?} file, which {} cannot load",
                self.format, platform.folder
            ));
        }
        if expected_architecture(&platform.triple).is_some_and(|expected| expected != self.architecture) {
            problems.push(format!(
                "is made for {:?}, not for {}",
                self.architecture, platform.triple
            ));
        }
        let missing: Vec<&str> = required().filter(|name| !self.exports.contains(*name)).collect();
        if !missing.is_empty() {
            problems.push(format!("does not export {}", missing.join(", ")));
        }
        if self.executable_stack {
            problems.push("asks for an executable stack, which many systems refuse to load".to_owned());
        }
        problems
    }

    /// What the author should know, each a whole sentence.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let known =
            |name: &str| required().chain(FUNCTIONS).any(|known| known == name) || is_usual_export(name);
        let leaked: Vec<&str> = self
            .exports
            .iter()
            .map(String::as_str)
            .filter(|name| !known(name))
            .collect();
        if !leaked.is_empty() {
            warnings.push(format!(
                "the library also exports {}; another FMU in the same process could be given these",
                leaked.join(", ")
            ));
        }
        let foreign: Vec<&str> = self
            .needs
            .iter()
            .map(String::as_str)
            .filter(|name| !is_system_library(name))
            .collect();
        if !foreign.is_empty() {
            warnings.push(format!(
                "the library needs {}, which not every machine has; link statically, or say in documentation/ where to \
                 get it",
                foreign.join(", ")
            ));
        }
        // Symbols of the GNU C library have versions, those of musl do not.
        if self.glibc.is_some() && !self.unresolved.is_empty() && foreign.is_empty() {
            let names: Vec<&str> = self.unresolved.iter().map(String::as_str).collect();
            warnings.push(format!("no library is known to define {}", names.join(", ")));
        }
        warnings
    }
}

/// What every library of ours exports: both interfaces, and the description.
pub(crate) fn required() -> impl Iterator<Item = &'static str> {
    fmu_standard::fmi2::functions(true, true).chain([DESCRIBE])
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// `GLIBC_2.34` as `(2, 34)`.
fn glibc_version(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.strip_prefix("GLIBC_")?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn expected_architecture(triple: &str) -> Option<Architecture> {
    match triple.split('-').next()? {
        "x86_64" | "x86_64h" => Some(Architecture::X86_64),
        "i586" | "i686" => Some(Architecture::I386),
        "aarch64" => Some(Architecture::Aarch64),
        architecture if architecture.starts_with("riscv64") => Some(Architecture::Riscv64),
        architecture if architecture.starts_with("armv") => Some(Architecture::Arm),
        _ => None,
    }
}

/// What linkers add on their own.
fn is_usual_export(name: &str) -> bool {
    matches!(
        name,
        "_init" | "_fini" | "DllMain" | "DllMainCRTStartup" | "_edata" | "_end" | "__bss_start"
    )
}

fn is_system_library(name: &str) -> bool {
    if name.starts_with("/usr/lib/") || name.starts_with("/System/Library/") {
        return true;
    }
    let linux = [
        "libc.",
        "libm.",
        "libdl.",
        "libpthread.",
        "librt.",
        "libgcc_s.",
        "libutil.",
        "ld-linux",
        "ld-musl",
    ];
    if linux.iter().any(|prefix| name.starts_with(prefix)) {
        return true;
    }
    let windows = [
        "kernel32.dll",
        "kernelbase.dll",
        "ntdll.dll",
        "msvcrt.dll",
        "ucrtbase.dll",
        "userenv.dll",
        "user32.dll",
        "advapi32.dll",
        "ws2_32.dll",
        "bcrypt.dll",
        "bcryptprimitives.dll",
        "ole32.dll",
        "oleaut32.dll",
        "shell32.dll",
        "dbghelp.dll",
        "secur32.dll",
        "crypt32.dll",
    ];
    let lower = name.to_ascii_lowercase();
    lower.starts_with("api-ms-win-") || windows.contains(&lower.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete() -> Library {
        Library {
            exports: required().chain(["_init"]).map(str::to_owned).collect(),
            needs: ["libc.so.6", "libgcc_s.so.1"].map(str::to_owned).into(),
            unresolved: BTreeSet::new(),
            glibc: Some((2, 34)),
            executable_stack: false,
            format: BinaryFormat::Elf,
            architecture: Architecture::X86_64,
        }
    }

    fn linux() -> Platform {
        Platform::of("x86_64-unknown-linux-gnu").unwrap()
    }

    #[test]
    fn a_complete_library_is_fine() {
        assert_eq!(complete().problems(&linux()), Vec::<String>::new());
        assert_eq!(complete().warnings(), Vec::<String>::new());
    }

    #[test]
    fn each_problem_is_named() {
        let mut library = complete();
        library.exports.remove("fmi2DoStep");
        library.exports.remove("fmuDescribe");
        library.executable_stack = true;
        assert_eq!(
            library.problems(&linux()),
            [
                "does not export fmi2DoStep, fmuDescribe",
                "asks for an executable stack, which many systems refuse to load"
            ]
        );
        let arm = Platform::of("aarch64-pc-windows-msvc").unwrap();
        assert_eq!(
            complete().problems(&arm),
            [
                "is a Elf file, which aarch64-windows cannot load",
                "is made for X86_64, not for aarch64-pc-windows-msvc"
            ]
        );
    }

    #[test]
    fn leaks_and_foreign_libraries_are_warnings() {
        let mut library = complete();
        library.exports.insert("helper".to_owned());
        library.needs.insert("libpython3.11.so.1.0".to_owned());
        let warnings = library.warnings().join("\n");
        assert!(warnings.contains("also exports helper;"), "{warnings}");
        assert!(warnings.contains("needs libpython3.11.so.1.0,"), "{warnings}");
    }

    #[test]
    fn versions_compare_as_numbers() {
        assert_eq!(glibc_version("GLIBC_2.2.5"), Some((2, 2)));
        assert!(glibc_version("GLIBC_2.34") > glibc_version("GLIBC_2.4"));
        assert_eq!(glibc_version("GCC_3.0"), None);
    }
}
