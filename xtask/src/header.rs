//! `cargo xtask header`: the C header of what an FMU's library exports, made by `xtask/header`, and its comparison with
//! the headers of the standard.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::chore::{Error, Place, Result, Tally, file, run_quiet};
use crate::driver::COMPILER;

/// A version of FMI, as the crate in `xtask/header` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    Two,
    Three,
}

impl Version {
    fn word(self) -> &'static str {
        match self {
            Version::Two => "2",
            Version::Three => "3",
        }
    }

    /// Where the functions are written.
    fn entry_points(self) -> &'static str {
        match self {
            Version::Two => "fmu-runtime/src/fmi2/entry_points.rs",
            Version::Three => "fmu-runtime/src/fmi3/entry_points",
        }
    }

    /// Where their types are.
    fn types(self) -> &'static str {
        match self {
            Version::Two => "standard/src/fmi2/types.rs",
            Version::Three => "standard/src/fmi3/types.rs",
        }
    }

    fn differences(self) -> &'static [(&'static str, &'static str, &'static str)] {
        match self {
            Version::Two => &DIFFERENCES,
            Version::Three => &DIFFERENCES_3,
        }
    }
}

/// Arguments of `header`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// A crate whose own C functions are added to those of FMI.
    #[arg(value_name = "CRATE")]
    name: Option<String>,
    /// The version of FMI: 2 or 3.
    #[arg(long, value_name = "VERSION", value_parser = ["2", "3"], default_value = "2")]
    fmi: String,
    /// The file to write [default: target/fmu/fmu.h (fmu3.h for FMI 3.0), or CRATE.h].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Writes the header; its path is the last line.
pub fn run(arguments: Arguments) -> Result<()> {
    let place = Place::find()?;
    let version = match arguments.fmi.as_str() {
        "3" => Version::Three,
        _ => Version::Two,
    };
    let out = match arguments.out {
        Some(out) => out,
        None => {
            let default = if version == Version::Three { "fmu3" } else { "fmu" };
            let name = arguments.name.as_deref().unwrap_or(default);
            place.folder("fmu")?.join(format!("{name}.h"))
        }
    };
    let source = arguments.name.map(|name| source_of(&place, &name)).transpose()?;
    generate(&place, (version, &[]), &out, source.as_deref())?;
    println!("{}", out.display());
    Ok(())
}

/// The root source file of a crate's library.
fn source_of(place: &Place, name: &str) -> Result<PathBuf> {
    let mut command = cargo_metadata::MetadataCommand::new();
    let metadata = command
        .manifest_path(place.root.join("Cargo.toml"))
        .no_deps()
        .exec()?;
    let package = metadata.packages.iter().find(|package| package.name == name);
    let library = package.and_then(|package| package.targets.iter().find(|target| target.is_lib()));
    library
        .map(|library| library.src_path.clone().into())
        .ok_or_else(|| Error::Failed {
            what: format!("looking for the crate `{name}`"),
            detail: "this workspace has no such crate with a library".to_owned(),
        })
}

/// Runs the crate in `xtask/header`, which is built only when it is needed.
fn generate(
    place: &Place,
    (version, options): (Version, &[&str]),
    out: &Path,
    more: Option<&Path>,
) -> Result<()> {
    // With the features that the whole workspace and its tests ask for, so that nothing is built twice.
    run_quiet(
        "building the crate that writes the header",
        Command::new(env!("CARGO")).current_dir(&place.root).args([
            "build",
            "--quiet",
            "--workspace",
            "--bin",
            "fmu-header",
            "--test",
            "header",
        ]),
        "install a Rust toolchain",
    )?;
    let program = format!("fmu-header{}", std::env::consts::EXE_SUFFIX);
    let mut command = Command::new(place.target.join("debug").join(program));
    command.current_dir(&place.root);
    command
        .args(options)
        .arg(version.word())
        .arg(out)
        .arg(place.root.join(version.entry_points()))
        .args(more);
    run_quiet("writing the header", &mut command, "install a Rust toolchain").map(drop)
}

/// Ways in which a signature or a type can differ from the standard: a text of the header, and what is put there.
const DIFFERENCES: [(&str, &str, &str); 6] = [
    (
        "the type of an argument",
        "fmi2Real tolerance",
        "fmi2Integer tolerance",
    ),
    (
        "an argument that is not constant",
        "const fmi2Integer *order",
        "fmi2Integer *order",
    ),
    (
        "an argument too many",
        "fmi2Reset(fmi2Component c)",
        "fmi2Reset(fmi2Component c, int how)",
    ),
    (
        "the type of the result",
        "void fmi2FreeInstance",
        "fmi2Status fmi2FreeInstance",
    ),
    (
        "the type of a callback",
        "(*rust_fmi2CallbackFreeMemory)(void",
        "(*rust_fmi2CallbackFreeMemory)(const void",
    ),
    (
        "the place of a field",
        "offsetof(fmi2EventInfo, nextEventTime) == ",
        "offsetof(fmi2EventInfo, nextEventTime) == 1",
    ),
];

/// The same for FMI 3.0.
const DIFFERENCES_3: [(&str, &str, &str); 6] = [
    (
        "the type of an argument",
        "fmi3Float64 communicationStepSize",
        "fmi3Float32 communicationStepSize",
    ),
    (
        "an argument that is not constant",
        "const fmi3Int32 *orders",
        "fmi3Int32 *orders",
    ),
    (
        "an argument too many",
        "fmi3Reset(fmi3Instance instance)",
        "fmi3Reset(fmi3Instance instance, int how)",
    ),
    (
        "the type of the result",
        "void fmi3FreeInstance",
        "fmi3Status fmi3FreeInstance",
    ),
    (
        "the type of a callback",
        "(*rust_fmi3ClockUpdateCallback)(fmi3InstanceEnvironment",
        "(*rust_fmi3ClockUpdateCallback)(const fmi3Int32 *",
    ),
    (
        "the value of a constant",
        "_Static_assert(fmi3Dependent == 5",
        "_Static_assert(fmi3Dependent == 4",
    ),
];

/// Compiles the headers of both versions, each as [`check_version`] does.
pub fn check(place: &Place, headers: &Path) -> Result<Tally> {
    let two = check_version(place, headers, Version::Two)?;
    Ok(two + check_version(place, headers, Version::Three)?)
}

/// Compiles the header together with the standard's own; then, as a test of this test, with planted differences, none of
/// which may compile.
fn check_version(place: &Place, headers: &Path, version: Version) -> Result<Tally> {
    let folder = place.folder("conformance/header")?;
    let source = folder.join(format!("agrees{}.c", version.word()));
    let types = place.root.join(version.types());
    generate(place, (version, &["--check"]), &source, Some(&types))?;
    let text = std::fs::read_to_string(&source).map_err(file(&source, "cannot be read"))?;
    let mut tally = Tally::default();
    let mut report = |name: &str, result: std::result::Result<(), String>| {
        tally = tally + Tally::one(result.is_ok());
        match result {
            Ok(()) => println!("  passed  {name}"),
            Err(why) => println!("  FAILED  {name}\n{why}"),
        }
    };

    let compiled = compile(&source, headers).map_err(|error| error.to_string());
    let name = format!(
        "every prototype and every type is that of FMI {}.0",
        version.word()
    );
    report(&name, compiled);
    for (name, original, planted) in version.differences() {
        let different = folder.join("differs.c");
        std::fs::write(&different, text.replace(*original, planted))
            .map_err(file(&different, "cannot be written"))?;
        let found = match (text.contains(*original), compile(&different, headers)) {
            (true, Err(Error::Failed { .. })) => Ok(()),
            (true, Err(other)) => return Err(other),
            (true, Ok(())) => Err("it compiles".to_owned()),
            (false, _) => Err(format!("the header has no `{original}`")),
        };
        report(&format!("found: {name}"), found);
    }
    Ok(tally)
}

fn compile(source: &Path, headers: &Path) -> Result<()> {
    let mut command = Command::new("cc");
    command
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I"])
        .arg(headers)
        .arg(source);
    run_quiet("compiling the header", &mut command, COMPILER).map(drop)
}
