//! FMUs of exporters for Python expect that the interpreter is in the process: the command brings it along.

#![cfg(target_os = "linux")]

use test_support::fmus;

use std::path::{Path, PathBuf};
use std::process::Command;

/// A Python that has only what the FMU needs: `bin/python3`, a link as usual, and its library. Returns `bin`.
fn install(prefix: &Path) -> PathBuf {
    let (bin, lib) = (prefix.join("bin"), prefix.join("lib/any-linux-gnu"));
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::create_dir_all(&lib).unwrap();
    let library = fmus::compile_source(prefix, "int _Py_TestStruct = 1;\n");
    std::fs::rename(library, lib.join("libpython3.99.so.1.0")).unwrap();
    std::fs::write(bin.join("python3.99"), "").unwrap();
    std::os::unix::fs::symlink("python3.99", bin.join("python3")).unwrap();
    bin
}

#[test]
fn the_python_of_the_search_path_is_loaded_where_an_fmu_expects_it() {
    let fmu = fmus::faulty("PYTHON");
    let folder = fmu.folder.path();
    let system = "[simulation]\nstop = 0.1\nstep = 0.01\n[components.a]\nfmu = 'oscillator.fmu'\n\
                  [components.b]\nfmu = 'oscillator.fmu'\n";
    std::fs::write(folder.join("pair.toml"), system).unwrap();
    let bin = install(&folder.join("python"));
    // A script in front of it, as version managers have them, is not taken for it.
    let scripts = folder.join("scripts");
    std::fs::create_dir(&scripts).unwrap();
    std::fs::write(scripts.join("python3"), "#!/bin/sh\n").unwrap();
    let with_python = std::env::join_paths([&scripts, &bin]).unwrap();
    for arguments in [
        "simulate oscillator.fmu --stop 0.1",
        "simulate oscillator.fmu --stop 0.1 --in-process",
        "linearize oscillator.fmu",
        "couple pair.toml",
        "couple pair.toml --isolate *",
        "check --run oscillator.fmu",
    ] {
        let run = |path: &std::ffi::OsStr| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_fmu"));
            command.args(arguments.split(' ')).current_dir(folder);
            let output = command.env("PATH", path).output().unwrap();
            let said = [output.stdout, output.stderr].concat();
            (output.status.code(), String::from_utf8_lossy(&said).into_owned())
        };
        let (code, said) = run(&with_python);
        assert_eq!(code, Some(0), "{arguments}: {said}");
        let (code, said) = run(scripts.as_os_str());
        assert_eq!(code, Some(1), "{arguments}: {said}");
        assert!(
            said.contains("undefined symbol: _Py_TestStruct"),
            "{arguments}: {said}"
        );
    }
}
