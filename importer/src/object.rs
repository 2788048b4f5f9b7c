//! What a library says about itself, read from its bytes, whatever machine it is for.

use object::read::elf::{ElfFile, FileHeader, ProgramHeader};
use object::read::macho::{FatArch, MachHeader, MachOFatFile32, MachOFatFile64, MachOFile};
use object::{Architecture, BinaryFormat, Endianness, FileKind, ImportFlags, NameOrOrdinal, Object, elf};

/// A library in a platform folder.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LibraryFacts {
    /// Its path inside the FMU.
    pub path: String,
    /// The machines that it is for, such as `x86_64-linux`; none if the file is no library.
    pub machines: Vec<String>,
    /// What it exports.
    pub exports: Vec<String>,
    /// The libraries that it needs.
    pub needed: Vec<String>,
    /// Where these are looked for (ELF).
    pub run_path: Option<String>,
    /// The highest version of the GNU C library that it needs (ELF).
    pub glibc: Option<(u32, u32)>,
    /// Whether its stack is executable (ELF).
    pub executable_stack: bool,
    /// Its size.
    pub size: u64,
}

type Parsed<T> = Result<T, object::read::Error>;

/// Whether a path inside an FMU is that of a library in a platform folder.
pub fn is_library(path: &str) -> bool {
    let suffix = |name: &str| {
        [".so", ".dll", ".dylib"]
            .iter()
            .any(|suffix| name.ends_with(suffix))
    };
    let inside = path
        .strip_prefix("binaries/")
        .and_then(|path| path.split_once('/'));
    inside.is_some_and(|(_, name)| !name.contains('/') && suffix(name))
}

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

    /// Reads the bytes of a library.
    pub fn read(path: &str, bytes: &[u8]) -> Self {
        let mut facts = Self {
            path: path.into(),
            size: bytes.len() as u64,
            ..Default::default()
        };
        // Whatever was understood before a damaged place counts.
        let _ = facts.parse(bytes);
        facts
    }

    fn parse(&mut self, bytes: &[u8]) -> Parsed<()> {
        match FileKind::parse(bytes)? {
            FileKind::MachOFat32 => self.parse_fat(MachOFatFile32::parse(bytes)?.arches(), bytes),
            FileKind::MachOFat64 => self.parse_fat(MachOFatFile64::parse(bytes)?.arches(), bytes),
            _ => self.parse_one(bytes),
        }
    }

    /// Libraries for several processors in one file; what all of them export counts.
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
                self.exports.push(text(plain));
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
            match import.flags() {
                ImportFlags::Elf {
                    version: Some(version),
                    ..
                } => {
                    self.glibc = self.glibc.max(glibc_version(&text(version)));
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

/// A machine by the name of FMI 3.0.
fn machine(format: BinaryFormat, architecture: Architecture) -> Option<String> {
    let system = match format {
        BinaryFormat::Elf => "linux",
        BinaryFormat::Pe => "windows",
        BinaryFormat::MachO => "darwin",
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
    Some(format!("{processor}-{system}"))
}

/// The machine that a platform folder stands for, by the name of FMI 3.0; `None` for names of a vendor's own.
pub fn machine_of_folder(folder: &str) -> Option<&str> {
    Some(match folder {
        "win32" => "x86-windows",
        "win64" => "x86_64-windows",
        "linux32" => "x86-linux",
        "linux64" => "x86_64-linux",
        "darwin32" => "x86-darwin",
        "darwin64" => "x86_64-darwin",
        tuple => {
            const PROCESSORS: [&str; 8] = [
                "aarch32", "aarch64", "riscv32", "riscv64", "x86", "x86_64", "ppc32", "ppc64",
            ];
            let mut parts = tuple.splitn(3, '-');
            let known = PROCESSORS.contains(&parts.next()?)
                && matches!(parts.next()?, "darwin" | "linux" | "windows" | "none");
            return known.then_some(tuple);
        }
    })
}
