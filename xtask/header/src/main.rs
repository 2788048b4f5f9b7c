//! `fmu-header VERSION OUT ENTRY_POINTS [SOURCE]...` writes the header of a version of FMI, 2 or 3;
//! `fmu-header --check VERSION OUT ENTRY_POINTS TYPES` writes a C file that compiles only if we and the headers of the standard agree. `cargo xtask header` and `test` run it.

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let check = arguments.first().is_some_and(|first| first == "--check");
    arguments.drain(..usize::from(check));
    let version = arguments.first().and_then(|first| fmu_header::Version::of(first));
    arguments.drain(..usize::from(version.is_some()));
    let paths: Vec<PathBuf> = arguments.into_iter().map(PathBuf::from).collect();
    let (out, text) = match (version, check, &paths[..]) {
        (Some(version), true, [out, entry_points, types]) => {
            (out, fmu_header::agreement(version, entry_points, types))
        }
        (Some(version), false, [out, entry_points, more @ ..]) => {
            (out, fmu_header::header(version, entry_points, more))
        }
        _ => {
            eprintln!(
                "usage: fmu-header VERSION OUT ENTRY_POINTS [SOURCE]...\n       fmu-header --check VERSION OUT ENTRY_POINTS TYPES"
            );
            return ExitCode::FAILURE;
        }
    };
    let written = text.and_then(|text| {
        std::fs::write(out, text).map_err(|source| fmu_header::Error::File {
            action: "write",
            path: out.clone(),
            source,
        })
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
