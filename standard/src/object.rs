//! What a shared library exports and needs, read from its bytes, whatever machine it is for: ELF, PE and Mach-O, also Mach-O files
//! for several processors (cargo feature `object`).

use std::collections::BTreeSet;

use object::read::elf::{ElfFile, FileHeader, ProgramHeader};
use object::read::macho::{FatArch, MachHeader, MachOFatFile32, MachOFatFile64, MachOFile};
use object::{Architecture, BinaryFormat, Endianness, FileKind, ImportFlags, NameOrOrdinal, Object, elf};

use crate::platform::{Machine, System};

/// A library in a platform folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LibraryFacts {
    /// Its path inside the FMU.
    pub path: String,
    /// The machines that it is for, such as `x86_64-linux`; empty if the file is not a library.
    pub machines: Vec<String>,
    /// Names of exported functions and data. Of a file for several processors, those that it exports for all of them.
    pub exports: BTreeSet<String>,
    /// The libraries that it needs.
    pub needed: Vec<String>,
    /// Symbols that another library must define, where the file does not say which (ELF).
    pub unresolved: BTreeSet<String>,
    /// Where needed libraries are searched for (ELF).
    pub run_path: Option<String>,
    /// The highest version of the GNU C library that it needs (ELF).
    pub glibc: Option<(u32, u32)>,
    /// Whether its stack is executable (ELF).
    pub executable_stack: bool,
    /// Its size.
    pub size: u64,
}

type Parsed<T> = Result<T, object::read::Error>;

impl LibraryFacts {
    /// The platform folder.
    pub fn platform(&self) -> &str {
        self.path.split('/').nth(1).unwrap_or_default()
    }

    /// The name without folder and suffix.
    pub fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// Reads the bytes of a library. What was understood before a damaged place counts.
    ///
    /// ```
    /// let facts = fmu_standard::object::LibraryFacts::read("binaries/linux64/ball.so", b"no library");
    /// assert_eq!((facts.stem(), facts.platform()), ("ball", "linux64"));
    /// assert!(facts.machines.is_empty());
    /// ```
    pub fn read(path: &str, bytes: &[u8]) -> Self {
        let mut facts = Self::of(path, bytes);
        let _ = facts.parse(bytes);
        facts
    }

    /// Reads the bytes of a library; the reason, as a sentence, if they are damaged.
    pub fn read_whole(path: &str, bytes: &[u8]) -> Result<Self, String> {
        let mut facts = Self::of(path, bytes);
        facts.parse(bytes).map_err(|error| error.to_string())?;
        Ok(facts)
    }

    fn of(path: &str, bytes: &[u8]) -> Self {
        Self {
            path: path.into(),
            size: bytes.len() as u64,
            ..Default::default()
        }
    }

    fn parse(&mut self, bytes: &[u8]) -> Parsed<()> {
        match FileKind::parse(bytes)? {
            FileKind::MachOFat32 => self.parse_fat(MachOFatFile32::parse(bytes)?.arches(), bytes),
            FileKind::MachOFat64 => self.parse_fat(MachOFatFile64::parse(bytes)?.arches(), bytes),
            _ => self.parse_one(bytes),
        }
    }

    fn parse_fat(&mut self, arches: &[impl FatArch], bytes: &[u8]) -> Parsed<()> {
        for (position, arch) in arches.iter().enumerate() {
            let earlier = std::mem::take(&mut self.exports);
            self.parse_one(arch.data(bytes)?)?;
            if position > 0 {
                self.exports.retain(|name| earlier.contains(name));
            }
        }
        Ok(())
    }

    fn parse_one(&mut self, bytes: &[u8]) -> Parsed<()> {
        let file = object::File::parse(bytes)?;
        self.machines.extend(machine(file.format(), file.architecture()));
        for export in file.exports()? {
            if let NameOrOrdinal::Name(name) = export?.name() {
                // Mach-O puts an underscore before every name of C.
                let plain = match file.format() {
                    BinaryFormat::MachO => name.strip_prefix(b"_").unwrap_or(name),
                    _ => name,
                };
                self.exports.insert(text(plain));
            }
        }
        match &file {
            object::File::Elf32(file) => self.parse_elf(file)?,
            object::File::Elf64(file) => self.parse_elf(file)?,
            object::File::MachO32(file) => self.parse_mach(file)?,
            object::File::MachO64(file) => self.parse_mach(file)?,
            _ => {}
        }
        for import in file.imports()? {
            let import = import?;
            match (import.flags(), import.name()) {
                (
                    ImportFlags::Elf {
                        version: Some(version),
                        ..
                    },
                    _,
                ) => {
                    self.glibc = self.glibc.max(glibc_version(&text(version)));
                }
                (ImportFlags::Elf { .. }, NameOrOrdinal::Name(name)) if !import.is_weak() => {
                    self.unresolved.insert(text(name));
                }
                _ if file.format() == BinaryFormat::Pe => self.need(text(import.library())),
                _ => {}
            }
        }
        Ok(())
    }

    fn parse_elf<E: FileHeader<Endian = Endianness>>(&mut self, file: &ElfFile<'_, E>) -> Parsed<()> {
        let endian = file.endian();
        let mut stacks = file
            .elf_program_headers()
            .iter()
            .filter(|header| header.p_type(endian) == elf::PT_GNU_STACK);
        // Without this header the loader makes the stack executable.
        self.executable_stack = stacks
            .next()
            .is_none_or(|stack| stack.p_flags(endian).contains(elf::PF_X));
        let table = file.elf_dynamic_table()?;
        for entry in &table {
            match entry.tag {
                elf::DT_NEEDED => self.need(text(table.string(entry)?)),
                elf::DT_RUNPATH | elf::DT_RPATH => self.run_path = Some(text(table.string(entry)?)),
                _ => {}
            }
        }
        Ok(())
    }

    fn parse_mach<M: MachHeader<Endian = Endianness>>(&mut self, file: &MachOFile<'_, M>) -> Parsed<()> {
        let mut commands = file.macho_load_commands()?;
        while let Some(command) = commands.next()? {
            if let Some(dylib) = command.dylib()?
                && command.cmd() != object::macho::LC_ID_DYLIB
            {
                self.need(text(command.string(file.endian(), dylib.dylib.name)?));
            }
        }
        Ok(())
    }

    fn need(&mut self, library: String) {
        if !library.is_empty() && !self.needed.contains(&library) {
            self.needed.push(library);
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// `GLIBC_2.34` as `(2, 34)`.
fn glibc_version(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.strip_prefix("GLIBC_")?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn machine(format: BinaryFormat, architecture: Architecture) -> Option<String> {
    let system = match format {
        BinaryFormat::Elf => System::Linux,
        BinaryFormat::Pe => System::Windows,
        BinaryFormat::MachO => System::Darwin,
        _ => return None,
    };
    let processor = match architecture {
        Architecture::X86_64 => "x86_64",
        Architecture::I386 => "x86",
        Architecture::Aarch64 => "aarch64",
        Architecture::Arm => "aarch32",
        Architecture::Riscv64 => "riscv64",
        Architecture::Riscv32 => "riscv32",
        Architecture::PowerPc64 => "ppc64",
        Architecture::PowerPc => "ppc32",
        _ => "other",
    };
    let processor = processor.to_owned();
    Some(Machine { processor, system }.tuple())
}

/// Whether linkers add an export of this name on their own.
pub fn is_usual_export(name: &str) -> bool {
    matches!(
        name,
        "_init" | "_fini" | "DllMain" | "DllMainCRTStartup" | "_edata" | "_end" | "__bss_start"
    )
}

/// Whether a needed library belongs to the operating system.
pub fn is_system_library(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let file = lower.rsplit('/').next().unwrap_or_default();
    let linux = [
        "libc.so",
        "libm.so",
        "libdl.so",
        "libpthread.so",
        "librt.so",
        "libgcc_s.so",
        "libutil.so",
        "ld-linux",
        "ld64",
        "linux-vdso",
        "libc.musl",
        "ld-musl",
    ];
    linux.iter().any(|system| file.starts_with(system))
        || is_windows_library(file)
        || lower.starts_with("/usr/lib/")
        || lower.starts_with("/system/library/")
}

/// Libraries that every Windows has in its system folder; those of Visual C++ are not among them.
fn is_windows_library(file: &str) -> bool {
    const NAMES: &str = "advapi32 avicap32 avrt bcrypt bcryptprimitives cabinet cfgmgr32 comctl32 comdlg32 credui crypt32 \
        cryptbase cryptsp d2d1 d3d11 d3d12 d3d9 dbgeng dbghelp dinput8 dnsapi dsound dwmapi dwrite dxgi dxva2 fltlib \
        gdi32 gdi32full gdiplus glu32 hid hlink httpapi imagehlp imm32 iphlpapi kernel32 kernelbase ktmw32 mf mfplat \
        mfreadwrite mpr msacm32 mscoree msi msimg32 msvcrt msvfw32 mswsock ncrypt netapi32 normaliz ntdll ntdsapi \
        odbc32 ole32 oleacc oleaut32 oledlg opengl32 pdh powrprof propsys psapi rasapi32 rpcrt4 rstrtmgr samlib \
        sechost secur32 sensapi setupapi shcore shell32 shlwapi snmpapi srvcli sspicli synchronization tdh ucrtbase \
        urlmon user32 userenv usp10 uxtheme version virtdisk wer wevtapi win32u windowscodecs winhttp wininet winmm \
        winscard winsta wintrust wkscli wldap32 ws2_32 wsock32 wtsapi32 xinput1_4 xinput9_1_0 xmllite";
    let stem = file.strip_suffix(".dll").or_else(|| file.strip_suffix(".drv"));
    stem.is_some_and(|stem| NAMES.split_whitespace().any(|name| name == stem) || stem == "winspool")
        || file.starts_with("api-ms-win-")
        || file.starts_with("ext-ms-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_as_numbers() {
        assert_eq!(glibc_version("GLIBC_2.2.5"), Some((2, 2)));
        assert!(glibc_version("GLIBC_2.34") > glibc_version("GLIBC_2.4"));
        assert_eq!(glibc_version("GCC_3.0"), None);
    }
}
