//! A C file that compiles only if the Rust side and the headers of the standard agree: on the functions that a library
//! exports, on all types of `fmu_standard::fmi2` (which an importer calls by), and on sizes, places and values.

use std::fmt::Write;
use std::mem::{offset_of, size_of};
use std::path::Path;

use fmu_standard::fmi2::*;
use quote::ToTokens;

use crate::{Error, bindings, file_error, header};

/// What the names of our types begin with beside those of the standard.
const OURS: &str = "rust_";

/// The text of the C file, from the file that defines the macro and from the file with the types.
pub fn agreement(entry_points: &Path, types: &Path) -> Result<String, Error> {
    // The standard's prototypes come first, so that a differing one of ours is the error.
    let mut text = format!("#include \"fmi2Functions.h\"\n\n{}\n", header(entry_points, &[])?);
    let source = std::fs::read_to_string(types).map_err(file_error("read", types))?;
    let (source, names) = aliases(&source).map_err(|problem| Error::Source {
        path: types.to_owned(),
        problem,
    })?;
    let config = cbindgen::Config {
        language: cbindgen::Language::C,
        no_includes: true,
        usize_is_size_t: true,
        export: cbindgen::ExportConfig {
            include: names.iter().map(|name| format!("{OURS}{name}")).collect(),
            ..cbindgen::ExportConfig::default()
        },
        ..cbindgen::Config::default()
    };
    text.push_str(&bindings(&source, &[], config)?);
    for name in &names {
        // The standard names types of functions, and calls through pointers to them.
        let pointer = if name.ends_with("TYPE") { " *" } else { "" };
        let _ = writeln!(
            text,
            "_Static_assert(__builtin_types_compatible_p({OURS}{name}, {name}{pointer}), \"type {name}\");"
        );
    }
    text.push_str(&layout());
    Ok(text)
}

/// The type aliases of a source with names of ours, and the names that they had.
fn aliases(source: &str) -> Result<(String, Vec<String>), String> {
    let file = syn::parse_file(source).map_err(|error| format!("is no Rust: {error}"))?;
    let mut names = Vec::new();
    let mut text = String::new();
    for item in file.items {
        let syn::Item::Type(mut alias) = item else {
            continue;
        };
        names.push(alias.ident.to_string());
        alias.ident = quote::format_ident!("{OURS}{}", alias.ident);
        alias.attrs.clear();
        let _ = writeln!(text, "{}", alias.to_token_stream());
    }
    if names.is_empty() {
        return Err("defines no types".to_owned());
    }
    Ok((text, names))
}

macro_rules! sizes {
    ($($type:ident),+ $(,)?) => {
        [$((stringify!($type), size_of::<$type>())),+]
    };
}

macro_rules! offsets {
    ($($type:ident: $($field:ident),+;)+) => {
        [$($((stringify!($type), stringify!($field), offset_of!($type, $field))),+),+]
    };
}

macro_rules! values {
    ($($name:ident),+ $(,)?) => {
        [$((stringify!($name), $name.0)),+]
    };
}

/// Assertions about sizes, places and values.
fn layout() -> String {
    let mut text = String::new();
    for (name, size) in sizes![
        fmi2Component,
        fmi2ComponentEnvironment,
        fmi2FMUstate,
        fmi2ValueReference,
        fmi2Real,
        fmi2Integer,
        fmi2Boolean,
        fmi2Char,
        fmi2String,
        fmi2Byte,
        fmi2Status,
        fmi2Type,
        fmi2StatusKind,
        fmi2CallbackFunctions,
        fmi2EventInfo,
    ] {
        let _ = writeln!(
            text,
            "_Static_assert(sizeof({name}) == {size}, \"size of {name}\");"
        );
    }
    for (name, field, offset) in offsets! {
        fmi2CallbackFunctions: logger, allocateMemory, freeMemory, stepFinished, componentEnvironment;
        fmi2EventInfo: newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged,
            valuesOfContinuousStatesChanged, nextEventTimeDefined, nextEventTime;
    } {
        let _ = writeln!(
            text,
            "_Static_assert(offsetof({name}, {field}) == {offset}, \"place of {name}.{field}\");"
        );
    }
    for (name, value) in values![
        fmi2OK,
        fmi2Warning,
        fmi2Discard,
        fmi2Error,
        fmi2Fatal,
        fmi2Pending,
        fmi2ModelExchange,
        fmi2CoSimulation,
        fmi2DoStepStatus,
        fmi2PendingStatus,
        fmi2LastSuccessfulTime,
        fmi2Terminated,
    ] {
        let _ = writeln!(text, "_Static_assert({name} == {value}, \"value of {name}\");");
    }
    for (name, value) in [("fmi2True", fmi2True), ("fmi2False", fmi2False)] {
        let _ = writeln!(text, "_Static_assert({name} == {value}, \"value of {name}\");");
    }
    text
}
