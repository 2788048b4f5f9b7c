//! What a built library exports and needs: whether it can be part of an FMU, and warnings for its author.

use fmu_standard::extension::FUNCTIONS;
use fmu_standard::object::{LibraryFacts, is_system_library, is_usual_export};
use fmu_standard::platform::Machine;

use super::platform::Platform;
use super::version::{Version, Versions};

/// What makes a library useless in an FMU, as the rest of a sentence that begins with its name.
pub fn problems(library: &LibraryFacts, platform: &Platform, versions: Versions) -> Vec<String> {
    let mut problems = Vec::new();
    if let Some(machine) = Machine::of_target(&platform.triple).filter(Machine::is_known)
        && !library.machines.contains(&machine.tuple())
    {
        let found = library.machines.join(" and ");
        problems.push(format!("is made for {found}, not for {}", platform.triple));
    }
    let missing: Vec<&str> = required(versions)
        .filter(|name| !library.exports.contains(*name))
        .collect();
    if !missing.is_empty() {
        problems.push(format!("does not export {}", missing.join(", ")));
    }
    if library.executable_stack {
        problems.push("asks for an executable stack, which many systems refuse to load".to_owned());
    }
    problems
}

/// What the author of a library should know, each a whole sentence.
pub fn warnings(library: &LibraryFacts, versions: Versions) -> Vec<String> {
    let mut warnings = Vec::new();
    let is_ours = |name: &str| {
        required(versions)
            .chain(further(versions))
            .any(|known| known == name)
    };
    let known = |name: &str| is_ours(name) || is_usual_export(name);
    let leaked: Vec<&str> = library
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
    let foreign: Vec<&str> = library
        .needed
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
    if library.glibc.is_some() && !library.unresolved.is_empty() && foreign.is_empty() {
        let names: Vec<&str> = library.unresolved.iter().map(String::as_str).collect();
        warnings.push(format!("no library is known to define {}", names.join(", ")));
    }
    warnings
}

/// What every library of ours exports for some versions: all interfaces, and the description.
pub(crate) fn required(versions: Versions) -> impl Iterator<Item = &'static str> {
    versions.each().iter().flat_map(|version| {
        let functions: Vec<&str> = match version {
            Version::Two => fmu_standard::fmi2::functions(true, true).collect(),
            Version::Three => fmu_standard::fmi3::functions().collect(),
        };
        functions.into_iter().chain([version.describe()])
    })
}

/// What a library of ours may export beyond that.
fn further(versions: Versions) -> impl Iterator<Item = &'static str> {
    let functions = FUNCTIONS.into_iter();
    functions.filter(move |_| versions.each().contains(&Version::Two))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete() -> LibraryFacts {
        let mut library = LibraryFacts::default();
        library.machines = vec!["x86_64-linux".to_owned()];
        library.exports = required(Versions::Two)
            .chain(["_init"])
            .map(str::to_owned)
            .collect();
        library.needed = ["libc.so.6", "libgcc_s.so.1"].map(str::to_owned).into();
        library.glibc = Some((2, 34));
        library
    }

    fn linux() -> Platform {
        Platform::of("x86_64-unknown-linux-gnu").unwrap()
    }

    #[test]
    fn a_complete_library_is_fine() {
        assert_eq!(
            problems(&complete(), &linux(), Versions::Two),
            Vec::<String>::new()
        );
        assert_eq!(warnings(&complete(), Versions::Two), Vec::<String>::new());
    }

    #[test]
    fn each_problem_is_named() {
        let mut library = complete();
        library.exports.remove("fmi2DoStep");
        library.exports.remove("fmuDescribe");
        library.executable_stack = true;
        assert_eq!(
            problems(&library, &linux(), Versions::Two),
            [
                "does not export fmi2DoStep, fmuDescribe",
                "asks for an executable stack, which many systems refuse to load"
            ]
        );
        let arm = Platform::of("aarch64-pc-windows-msvc").unwrap();
        assert_eq!(
            problems(&complete(), &arm, Versions::Two),
            ["is made for x86_64-linux, not for aarch64-pc-windows-msvc"]
        );
    }

    #[test]
    fn leaks_and_foreign_libraries_are_warnings() {
        let mut library = complete();
        library.exports.insert("helper".to_owned());
        library.needed.push("libpython3.11.so.1.0".to_owned());
        let warnings = warnings(&library, Versions::Two).join("\n");
        assert!(warnings.contains("also exports helper;"), "{warnings}");
        assert!(warnings.contains("needs libpython3.11.so.1.0,"), "{warnings}");
    }

    #[test]
    fn each_version_asks_for_its_functions_and_no_others() {
        let missing = |versions| problems(&complete(), &linux(), versions).join("");
        for versions in [Versions::Three, Versions::Both] {
            let missing = missing(versions);
            assert!(missing.contains("fmi3GetVersion, "), "{missing}");
            assert!(missing.ends_with("fmuDescribe3"), "{missing}");
            assert!(!missing.contains("fmi2"), "{missing}");
        }
        let leaked = warnings(&complete(), Versions::Three).join("");
        assert!(
            leaked.contains("also exports") && leaked.contains("fmi2DoStep"),
            "{leaked}"
        );
    }
}
