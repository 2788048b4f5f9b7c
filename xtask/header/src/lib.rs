//! The C header of what the library of an FMU exports.
//!
//! The functions are written once per version of FMI, in the macros `__fmi2_entry_points!` and `__fmi3_entry_points!` of
//! `fmu-runtime`, and exist only where the macro is used. cbindgen reads source text and expands no macros, so [`entry_points`] takes the body of such a macro, with a name
//! in place of the model, and [`header`] hands it to cbindgen as a file. The types are those of the standard's own
//! headers, which the header includes: every caller of an FMU in C has them.

mod agreement;

use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit::Visit;

pub use agreement::agreement;

/// A version of FMI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// FMI 2.0.
    Two,
    /// FMI 3.0.
    Three,
}

impl Version {
    /// The version that a word of the command line names.
    pub fn of(word: &str) -> Option<Version> {
        match word {
            "2" => Some(Version::Two),
            "3" => Some(Version::Three),
            _ => None,
        }
    }

    /// The macro with the functions.
    const fn entry_points(self) -> &'static str {
        match self {
            Version::Two => "__fmi2_entry_points",
            Version::Three => "__fmi3_entry_points",
        }
    }

    const fn about(self) -> &'static str {
        match self {
            Version::Two => ABOUT_2,
            Version::Three => ABOUT_3,
        }
    }

    /// The header of the standard with the types of functions.
    const fn types(self) -> &'static str {
        match self {
            Version::Two => "fmi2FunctionTypes.h",
            Version::Three => "fmi3FunctionTypes.h",
        }
    }
}

const ABOUT_2: &str = "\
/* What the library of an FMU exports: the functions of FMI 2.0; fmuDescribe, which hands out modelDescription.xml; and
 * fmuStabilizeInputs and fmuGetStates, for masters that stabilize strongly coupled systems.
 * Needs the headers of the standard, which come with it (https://fmi-standard.org). */";

const ABOUT_3: &str = "\
/* What the library of an FMU exports: the functions of FMI 3.0; and fmuDescribe3, which hands out modelDescription.xml.
 * Needs the headers of the standard, which come with it (https://fmi-standard.org). */";

/// Why there is no header.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// "read" or "write".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The source of the functions is not what this tool knows.
    #[error("{} {problem}", path.display())]
    Source {
        /// The file.
        path: PathBuf,
        /// What is wrong, as the rest of the sentence.
        problem: String,
    },
    /// cbindgen failed.
    #[error("cbindgen cannot make a header: {message}")]
    Bindgen {
        /// What it says.
        message: String,
    },
}

/// The header, from the file that defines the macro (or the folder, if the macro uses one macro per group of functions) and from
/// further source files with C functions.
pub fn header(version: Version, entry_points_file: &Path, more: &[PathBuf]) -> Result<String, Error> {
    let text = source_of(entry_points_file)?;
    let functions = entry_points(version, &text).map_err(|problem| Error::Source {
        path: entry_points_file.to_owned(),
        problem,
    })?;
    let config = cbindgen::Config {
        language: cbindgen::Language::C,
        cpp_compat: true,
        header: Some(version.about().to_owned()),
        include_guard: Some("FMU_EXPORTS_H".to_owned()),
        no_includes: true,
        sys_includes: vec!["stddef.h".to_owned()],
        includes: vec![version.types().to_owned()],
        usize_is_size_t: true,
        documentation_style: cbindgen::DocumentationStyle::C,
        ..cbindgen::Config::default()
    };
    bindings(&functions, more, config)
}

/// The text of a file, or of all files of a folder.
fn source_of(place: &Path) -> Result<String, Error> {
    if !place.is_dir() {
        return std::fs::read_to_string(place).map_err(file_error("read", place));
    }
    let entries = std::fs::read_dir(place).map_err(file_error("read", place))?;
    let mut files = Vec::new();
    for entry in entries {
        files.push(entry.map_err(file_error("read", place))?.path());
    }
    files.sort();
    let mut text = String::new();
    for file in files {
        text.push_str(&std::fs::read_to_string(&file).map_err(file_error("read", &file))?);
    }
    // In the text of several files, comments about one of them are in the wrong place.
    let is_about_a_file = |line: &&str| line.starts_with("//!");
    Ok(text
        .split_inclusive('\n')
        .filter(|line| !is_about_a_file(line))
        .collect())
}

/// What cbindgen makes of a source text and further files.
fn bindings(source: &str, more: &[PathBuf], config: cbindgen::Config) -> Result<String, Error> {
    let folder = tempfile::tempdir().map_err(file_error("write", Path::new("a temporary folder")))?;
    let file = folder.path().join("source.rs");
    std::fs::write(&file, source).map_err(file_error("write", &file))?;
    let builder = more
        .iter()
        .fold(cbindgen::Builder::new(), |builder, path| builder.with_src(path));
    let bindings = builder.with_config(config).with_src(&file).generate();
    let bindings = bindings.map_err(|error| Error::Bindgen {
        message: error.to_string(),
    })?;
    let mut header = Vec::new();
    bindings.write(&mut header);
    String::from_utf8(header).map_err(|error| Error::Bindgen {
        message: error.to_string(),
    })
}

fn file_error(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::File { action, path, source }
}

/// The bodies of the macro, and of those with longer names, as plain Rust; an error is the rest of a sentence that begins with the
/// file.
pub fn entry_points(version: Version, source: &str) -> Result<String, String> {
    let wanted = version.entry_points();
    let file = syn::parse_file(source).map_err(|error| format!("is not valid Rust: {error}"))?;
    let mut functions = Functions(TokenStream::new());
    let mut is_defined = false;
    for item in file.items {
        let syn::Item::Macro(definition) = item else {
            continue;
        };
        let Some(name) = definition.ident.as_ref().map(Ident::to_string) else {
            continue;
        };
        if name.starts_with(wanted) {
            is_defined |= name == wanted;
            functions.visit_file(&body(&name, definition.mac.tokens)?);
        }
    }
    if !is_defined {
        return Err(format!("defines no macro {wanted}"));
    }
    if functions.0.is_empty() {
        return Err(format!("has a macro {wanted} without exported functions"));
    }
    Ok(functions.0.to_string())
}

/// The body of a macro with one rule.
fn body(name: &str, definition: TokenStream) -> Result<syn::File, String> {
    let is_body =
        |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    let bodies: Vec<TokenTree> = definition.into_iter().filter(is_body).collect();
    let [TokenTree::Group(body)] = &bodies[..] else {
        return Err(format!(
            "defines a macro {name} with {} rules, where one was expected",
            bodies.len()
        ));
    };
    syn::parse2(without_variables(name, body.stream())?)
        .map_err(|error| format!("has a macro {name} whose body is not a list of items: {error}"))
}

/// The exported functions, wherever they are: in modules or blocks, which cbindgen does not enter.
struct Functions(TokenStream);

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        let exported = function
            .attrs
            .iter()
            .any(|attribute| attribute.meta.to_token_stream().to_string().contains("no_mangle"));
        if exported && function.sig.abi.is_some() {
            let syn::ItemFn { attrs, vis, sig, .. } = function;
            let sig = &with_callbacks(sig.clone());
            self.0.extend(quote! { #(#attrs)* #vis #sig {} });
        }
    }
}

/// The standard names types of callbacks, which are pointers: `Option` of one is the same type in C.
fn with_callbacks(mut signature: syn::Signature) -> syn::Signature {
    for argument in &mut signature.inputs {
        if let syn::FnArg::Typed(argument) = argument
            && let Some(callback) = callback_of(&argument.ty)
        {
            *argument.ty = callback;
        }
    }
    signature
}

/// `T` of `Option<T>`, where `T` is a name of the standard.
fn callback_of(kind: &syn::Type) -> Option<syn::Type> {
    let syn::Type::Path(path) = kind else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Option")?;
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first()? {
        syn::GenericArgument::Type(inner @ syn::Type::Path(name)) => {
            let name = name.path.get_ident()?.to_string();
            name.starts_with("fmi").then(|| inner.clone())
        }
        _ => None,
    }
}

/// Replaces `$name` by `name`, which makes a macro without repetitions plain Rust.
fn without_variables(wanted: &str, tokens: TokenStream) -> Result<TokenStream, String> {
    let mut plain = Vec::new();
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        plain.push(match token {
            TokenTree::Punct(punct) if punct.as_char() == '$' => match tokens.next() {
                Some(TokenTree::Ident(name)) if name == "crate" => {
                    Ident::new("fmu_runtime", Span::call_site()).into()
                }
                Some(TokenTree::Ident(name)) => name.into(),
                _ => return Err(format!("has a macro {wanted} with a repetition")),
            },
            // An argument that Rust does not use yet still has the standard's name.
            TokenTree::Ident(name) => match name.to_string().strip_prefix('_') {
                Some(used) if used.starts_with(|first: char| first.is_ascii_lowercase()) => {
                    Ident::new(used, name.span()).into()
                }
                _ => name.into(),
            },
            TokenTree::Group(group) => {
                Group::new(group.delimiter(), without_variables(wanted, group.stream())?).into()
            }
            other => other,
        });
    }
    Ok(plain.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header_of(macro_body: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("source.rs");
        let text = format!("macro_rules! __fmi2_entry_points {{ ($model:ty) => {{ {macro_body} }}; }}");
        std::fs::write(&file, text).unwrap();
        header(Version::Two, &file, &[]).unwrap()
    }

    #[test]
    fn functions_of_the_macro_become_prototypes() {
        let header = header_of(
            "const _: () = { type M = $model; use $crate::x; \
             #[unsafe(no_mangle)] pub unsafe extern \"C\" fn fmi2GetReal(c: fmi2Component, vr: *const fmi2ValueReference, \
             nvr: usize, _value: *mut fmi2Real) -> fmi2Status { call::<M>() } \
             pub fn not_exported() {} };",
        );
        let prototype = header
            .split("fmi2Status fmi2GetReal(")
            .nth(1)
            .unwrap_or_else(|| panic!("{header}"));
        let arguments: Vec<&str> = prototype
            .split(')')
            .next()
            .unwrap()
            .split(',')
            .map(str::trim)
            .collect();
        let expected = [
            "fmi2Component c",
            "const fmi2ValueReference *vr",
            "size_t nvr",
            "fmi2Real *value",
        ];
        assert_eq!(arguments, expected);
        assert!(!header.contains("not_exported"), "{header}");
        assert!(header.contains("#include \"fmi2FunctionTypes.h\""), "{header}");
    }

    #[test]
    fn a_source_without_the_macro_is_named() {
        assert_eq!(
            entry_points(Version::Two, "fn f() {}").unwrap_err(),
            "defines no macro __fmi2_entry_points"
        );
        let repetition = "macro_rules! __fmi2_entry_points { ($($x:ty)*) => { $(type X = $x;)* } }";
        assert_eq!(
            entry_points(Version::Two, repetition).unwrap_err(),
            "has a macro __fmi2_entry_points with a repetition"
        );
    }
}
