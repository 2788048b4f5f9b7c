//! A C file that compiles only if the Rust side and the headers of the standard agree: on the functions that a library
//! exports, on all types of `fmu_standard` (which an importer calls by), and on sizes, places and values.

use std::fmt::Write;
use std::mem::{offset_of, size_of};
use std::path::Path;

use fmu_standard::fmi2::*;
use fmu_standard::fmi3::*;
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;

use crate::{Error, Version, bindings, callback_of, file_error, header};

/// What the names of our types begin with beside those of the standard.
const OURS: &str = "rust_";

/// The text of the C file, from the file that defines the macro and from the file with the types.
pub fn agreement(version: Version, entry_points: &Path, types: &Path) -> Result<String, Error> {
    let standard = match version {
        Version::Two => "fmi2Functions.h",
        Version::Three => "fmi3Functions.h",
    };
    // The standard's prototypes come first, so that a differing one of ours is the error.
    let prototypes = header(version, entry_points, &[])?;
    let mut text = format!("#include \"{standard}\"\n\n{prototypes}\n");
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
    // `bool` of C is a byte here, because a Rust `bool` may have two values only: its size is compared below.
    let is_byte = |name: &String| matches!(name.as_str(), "fmi3Boolean" | "fmi3Clock");
    for name in names.iter().filter(|name| !is_byte(name)) {
        // The standard names types of functions, and calls through pointers to them.
        let pointer = if name.ends_with("TYPE") { " *" } else { "" };
        let _ = writeln!(
            text,
            "_Static_assert(__builtin_types_compatible_p({OURS}{name}, {name}{pointer}), \"type {name}\");"
        );
    }
    text.push_str(&match version {
        Version::Two => layout_2(),
        Version::Three => layout_3(),
    });
    Ok(text)
}

/// The type aliases of a source with names of ours, and the names that they had.
fn aliases(source: &str) -> Result<(String, Vec<String>), String> {
    let file = syn::parse_file(source).map_err(|error| format!("is not valid Rust: {error}"))?;
    let types: Vec<syn::ItemType> = file.items.iter().filter_map(function_type).collect();
    let mut names = Vec::new();
    let mut text = String::new();
    for item in file.items {
        let syn::Item::Type(mut alias) = item else {
            continue;
        };
        if !alias.generics.params.is_empty() {
            continue;
        }
        if let Some(function) = named_function(&alias.ty, &types) {
            *alias.ty = function;
        }
        names.push(alias.ident.to_string());
        alias.ident = quote::format_ident!("{OURS}{}", alias.ident);
        alias.attrs.clear();
        if let syn::Type::BareFn(function) = &mut *alias.ty {
            for argument in &mut function.inputs {
                if let Some(callback) = callback_of(&argument.ty) {
                    argument.ty = callback;
                }
            }
        }
        let _ = writeln!(text, "{}", alias.to_token_stream());
    }
    if names.is_empty() {
        return Err("defines no types".to_owned());
    }
    Ok((text, names))
}

fn function_type(item: &syn::Item) -> Option<syn::ItemType> {
    match item {
        syn::Item::Type(alias) if matches!(*alias.ty, syn::Type::BareFn(_)) => Some(alias.clone()),
        _ => None,
    }
}

/// The function type that another alias names, such as `fmi2Getter<fmi2Real>`, with the argument in place of the parameter.
fn named_function(named: &syn::Type, types: &[syn::ItemType]) -> Option<syn::Type> {
    let syn::Type::Path(path) = named else { return None };
    let last = path.path.segments.last()?;
    let function = types.iter().find(|function| function.ident == last.ident)?;
    let Some(syn::GenericParam::Type(parameter)) = function.generics.params.first() else {
        return Some((*function.ty).clone());
    };
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    let argument = arguments.args.first()?.to_token_stream();
    syn::parse2(with_argument(
        function.ty.to_token_stream(),
        &parameter.ident,
        &argument,
    ))
    .ok()
}

fn with_argument(tokens: TokenStream, parameter: &Ident, argument: &TokenStream) -> TokenStream {
    let replaced = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(name) if name == *parameter => argument.clone(),
        TokenTree::Group(group) => {
            let inner = with_argument(group.stream(), parameter, argument);
            TokenTree::from(Group::new(group.delimiter(), inner)).into()
        }
        other => other.into(),
    });
    replaced.collect()
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

/// Assertions about sizes and values of FMI 3.0.
fn layout_3() -> String {
    let mut text = String::new();
    for (name, size) in sizes![
        fmi3Instance,
        fmi3InstanceEnvironment,
        fmi3FMUState,
        fmi3ValueReference,
        fmi3Float32,
        fmi3Float64,
        fmi3Int8,
        fmi3UInt8,
        fmi3Int16,
        fmi3UInt16,
        fmi3Int32,
        fmi3UInt32,
        fmi3Int64,
        fmi3UInt64,
        fmi3Boolean,
        fmi3Char,
        fmi3String,
        fmi3Byte,
        fmi3Binary,
        fmi3Clock,
        fmi3Status,
        fmi3DependencyKind,
        fmi3IntervalQualifier,
    ] {
        let _ = writeln!(
            text,
            "_Static_assert(sizeof({name}) == {size}, \"size of {name}\");"
        );
    }
    for (name, value) in values![
        fmi3OK,
        fmi3Warning,
        fmi3Discard,
        fmi3Error,
        fmi3Fatal,
        fmi3Independent,
        fmi3Constant,
        fmi3Fixed,
        fmi3Tunable,
        fmi3Discrete,
        fmi3Dependent,
        fmi3IntervalNotYetKnown,
        fmi3IntervalUnchanged,
        fmi3IntervalChanged,
    ] {
        let _ = writeln!(text, "_Static_assert({name} == {value}, \"value of {name}\");");
    }
    for (name, value) in [
        ("fmi3True", fmi3True),
        ("fmi3False", fmi3False),
        ("fmi3ClockActive", fmi3ClockActive),
        ("fmi3ClockInactive", fmi3ClockInactive),
    ] {
        let _ = writeln!(text, "_Static_assert({name} == {value}, \"value of {name}\");");
    }
    text
}

/// Assertions about sizes, places and values of FMI 2.0.
fn layout_2() -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_of_a_function_type_is_written_with_its_argument() {
        let source = "pub type Getter<T> = unsafe extern \"C\" fn(c: Instance, value: *mut T) -> Status;\n\
                      pub type GetRealTYPE = Getter<Real>;\n\
                      pub type AgainTYPE = ResetTYPE;\n\
                      pub type ResetTYPE = unsafe extern \"C\" fn(c: Instance) -> Status;";
        let (text, names) = aliases(source).unwrap();
        assert_eq!(names, ["GetRealTYPE", "AgainTYPE", "ResetTYPE"]);
        let expected = "type rust_GetRealTYPE = unsafe extern \"C\" fn(c: Instance, value: *mut Real) -> Status;\n\
                        type rust_AgainTYPE = unsafe extern \"C\" fn(c: Instance) -> Status;\n\
                        type rust_ResetTYPE = unsafe extern \"C\" fn(c: Instance) -> Status;";
        let written: Vec<String> = syn::parse_file(&text.replace("pub ", ""))
            .unwrap()
            .items
            .iter()
            .map(|item| item.to_token_stream().to_string())
            .collect();
        let expected: Vec<String> = syn::parse_file(expected)
            .unwrap()
            .items
            .iter()
            .map(|item| item.to_token_stream().to_string())
            .collect();
        assert_eq!(written, expected);
    }
}
