//! Libraries of exporters for Python, such as PythonFMU: they expect that the interpreter is in the process, as it is in
//! hosts that are Python themselves, and do not name its library.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};

/// Versions of Python whose libraries are tried by name if there is none beside the programs.
const MINORS: std::ops::RangeInclusive<u32> = 8..=20;

/// Whether a library was not loaded because it lacks a symbol of Python; `reason` is what the operating system says.
pub fn is_missing(reason: &str, library: &Path) -> bool {
    let words = reason.replace(&*library.to_string_lossy(), "");
    let is_of_python = |word: &str| {
        let name = word.trim_start_matches('_').strip_prefix("Py");
        name.is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_uppercase() || letter == '_'))
    };
    words.contains("symbol")
        && words
            .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
            .any(is_of_python)
}

/// Loads the library of Python for all libraries that follow; false if there is none. It stays: the interpreter cannot be
/// unloaded.
pub fn load() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = MINORS
        .rev()
        .map(|minor| PathBuf::from(format!("libpython3.{minor}.so.1.0")));
    beside_programs(&path).into_iter().chain(names).any(|library| {
        // SAFETY: Python of this machine, which the FMU asks for; its initializers start no interpreter.
        let loaded = unsafe { Library::open(Some(&library), RTLD_NOW | RTLD_GLOBAL) };
        loaded.map(std::mem::forget).is_ok()
    })
}

/// The libraries of the programs `python3` in the search path, in its order: those that belong to the modules which the
/// interpreter finds.
fn beside_programs(search_path: &OsStr) -> Vec<PathBuf> {
    let programs = std::env::split_paths(search_path).map(|folder| folder.join("python3"));
    let mut libraries = Vec::new();
    for program in programs.filter_map(|program| program.canonicalize().ok()) {
        // `python3.11` is in `bin`; a script in its place has another name.
        let version = program.file_name().and_then(OsStr::to_str);
        let version = version.and_then(|name| name.strip_prefix("python"));
        let prefix = program.parent().and_then(Path::parent);
        if let (Some(version), Some(prefix)) = (version.filter(|version| version.contains('.')), prefix) {
            libraries.extend(of_version(prefix, version));
        }
    }
    libraries
}

fn of_version(prefix: &Path, version: &str) -> Vec<PathBuf> {
    let lib = prefix.join("lib");
    let mut folders = vec![lib.clone(), prefix.join("lib64")];
    // Debian has a folder per platform.
    let platforms = std::fs::read_dir(lib).into_iter().flatten().flatten();
    let platforms = platforms.filter(|entry| entry.file_name().to_string_lossy().contains("-linux-gnu"));
    folders.extend(platforms.map(|entry| entry.path()));
    let names = [
        format!("libpython{version}.so.1.0"),
        format!("libpython{version}.so"),
        format!("libpython{version}.dylib"),
    ];
    let files = folders
        .iter()
        .flat_map(|folder| names.iter().map(|name| folder.join(name)));
    files.filter(|file| file.is_file()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_of_python_are_known_by_their_names() {
        let library = Path::new("/tmp/Py_A/PyModel.so");
        for (reason, expected) in [
            ("/tmp/Py_A/PyModel.so: undefined symbol: _Py_NoneStruct", true),
            ("/tmp/Py_A/PyModel.so: undefined symbol: PyExc_ValueError", true),
            (
                "Error relocating /tmp/Py_A/PyModel.so: PyErr_Clear: symbol not found",
                true,
            ),
            ("symbol not found in flat namespace '_PyBool_Type'", true),
            ("/tmp/Py_A/PyModel.so: undefined symbol: Pyramid", false),
            ("/tmp/Py_A/PyModel.so: undefined symbol: sundials_Py", false),
            ("/tmp/Py_A/PyModel.so: cannot open shared object file", false),
        ] {
            assert_eq!(is_missing(reason, library), expected, "{reason}");
        }
    }
}
