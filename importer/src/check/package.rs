//! P5 to P12: what is in the archive.

use std::collections::BTreeSet;

use super::object::machine_of_folder;
use super::rules::{
    Check::{Behaviour, Files},
    Rule, table,
};
use super::subject::{Readable, Subject};
use super::{Place, Places};

pub(super) static RULES: &[Rule] = table! {
    "P5" Error "2.3"
        "There are sources or a library for at least one platform"
        "add a library at binaries/<platform>/<modelIdentifier>, or the sources"
        => Files(implementation);
    "P6" Error "2.3"
        "The library of each platform has the name of the modelIdentifier"
        "name it binaries/<platform>/<modelIdentifier> with .so, .dll or .dylib"
        => Files(library_names);
    "P7" Warning "2.3"
        "Platform folders have the names of FMI 2.0 or the tuples of FMI 3.0"
        "use win64, linux64, darwin64, aarch64-darwin or the like"
        => Files(platform_names);
    "P8" Warning "2.3"
        "What the libraries need from outside the FMU is documented; what lies beside them is found there"
        "link statically, set RPATH to $ORIGIN for libraries in the same folder, or write \
         documentation/externalDependencies.txt"
        => Files(external_dependencies);
    "P9" Warning "2.3"
        "Licences lie in documentation/licenses, with license.txt or license.html as the first to read"
        "move the licence texts there"
        => Files(licences);
    "P10" Warning "2.3"
        "Folders in extra have names in reverse domain notation"
        "name them like extra/org.example.tool"
        => Files(extra);
    "P11" Error "2.3"
        "Files listed in SourceFiles, or in buildDescription.xml where there is one, lie in sources"
        "add the files, or take them out of the list"
        => Files(sources);
    "P12" Error "2.2"
        "modelDescription.xml is as it was exported"
        "export the model again instead of changing its description"
        => Behaviour;
};

fn implementation(subject: &Subject, places: &mut Places) {
    if subject.damage.is_some() {
        return;
    }
    let binaries = subject
        .files
        .iter()
        .any(|file| crate::files::platform_of(&file.path).is_some());
    if !binaries && !subject.has_folder("sources") {
        places.add(
            Place::default(),
            "there is neither a file in sources nor one in a folder of binaries",
        );
    }
}

fn library_names(subject: &Subject, places: &mut Places) {
    let Readable::Read(described) = &subject.description else {
        return;
    };
    let platforms: BTreeSet<_> = subject
        .files
        .iter()
        .filter_map(|file| crate::files::platform_of(&file.path))
        .collect();
    for platform in platforms {
        let suffix = match machine_of_folder(platform) {
            Some(machine) if machine.contains("windows") => "dll",
            Some(machine) if machine.contains("darwin") => "dylib",
            Some(machine) if machine.contains("linux") => "so",
            _ => continue,
        };
        for (interface, attributes) in described.interfaces() {
            let path = format!("binaries/{platform}/{}.{suffix}", attributes.model_identifier);
            if !subject.has(&path) {
                places.add(
                    Place {
                        file: path,
                        ..Place::default()
                    },
                    format!("the library for {interface} is not there"),
                );
            }
        }
    }
}

fn platform_names(subject: &Subject, places: &mut Places) {
    for platform in crate::files::platforms(&subject.files) {
        if machine_of_folder(&platform).is_none() {
            let file = format!("binaries/{platform}");
            places.add(
                Place {
                    file,
                    ..Place::default()
                },
                "is no name that the standard knows",
            );
        }
    }
}

/// Libraries that belong to the operating system.
fn is_system_library(name: &str) -> bool {
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
    ];
    let windows = [
        "kernel32.dll",
        "ntdll.dll",
        "user32.dll",
        "advapi32.dll",
        "ws2_32.dll",
        "bcrypt.dll",
        "bcryptprimitives.dll",
        "userenv.dll",
        "shell32.dll",
        "ole32.dll",
        "msvcrt.dll",
        "ucrtbase.dll",
        "gdi32.dll",
        "psapi.dll",
        "dbghelp.dll",
        "synchronization.dll",
        "winmm.dll",
        "shlwapi.dll",
        "version.dll",
        "oleaut32.dll",
    ];
    linux.iter().any(|system| file.starts_with(system))
        || windows.contains(&file)
        || file.starts_with("api-ms-win-")
        || lower.starts_with("/usr/lib/")
        || lower.starts_with("/system/library/")
}

fn external_dependencies(subject: &Subject, places: &mut Places) {
    let documented = ["txt", "html"]
        .iter()
        .any(|suffix| subject.has(&format!("documentation/externalDependencies.{suffix}")));
    for library in &subject.libraries {
        let place = || Place {
            file: library.path.clone(),
            ..Place::default()
        };
        for needed in library.needed.iter().filter(|needed| !is_system_library(needed)) {
            let name = needed.rsplit('/').next().unwrap_or(needed);
            let beside = format!("binaries/{}/{name}", library.platform());
            let windows =
                machine_of_folder(library.platform()).is_some_and(|machine| machine.contains("windows"));
            if subject
                .files
                .iter()
                .any(|file| file.path.eq_ignore_ascii_case(&beside))
            {
                let origin = library
                    .run_path
                    .as_ref()
                    .is_some_and(|path| path.contains("$ORIGIN"));
                let mach = needed.starts_with('@');
                if !windows && !mach && !origin {
                    places.add(
                        place(),
                        format!("it needs `{needed}`, which lies beside it, and has no RPATH $ORIGIN"),
                    );
                }
            } else if !documented {
                places.add(
                    place(),
                    format!("it needs `{needed}`, which the FMU does not bring along or document"),
                );
            }
        }
    }
}

fn licences(subject: &Subject, places: &mut Places) {
    let looks_like = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
        name.starts_with("license") || name.starts_with("licence") || name.starts_with("copying")
    };
    let inside = |path: &str| path.starts_with("documentation/licenses/");
    for file in &subject.files {
        // Sources and resources come with licences of their own, where they belong.
        let own = ["sources/", "resources/", "extra/"]
            .iter()
            .any(|folder| file.path.starts_with(folder));
        if looks_like(&file.path) && !inside(&file.path) && !own {
            places.add(
                Place {
                    file: file.path.clone(),
                    ..Place::default()
                },
                "a licence outside documentation/licenses",
            );
        }
    }
    let first = ["txt", "html"]
        .iter()
        .any(|suffix| subject.has(&format!("documentation/licenses/license.{suffix}")));
    if !first && subject.files.iter().any(|file| inside(&file.path)) {
        places.add(
            Place {
                file: "documentation/licenses".into(),
                ..Place::default()
            },
            "there is neither license.txt nor license.html",
        );
    }
}

fn extra(subject: &Subject, places: &mut Places) {
    let folders: BTreeSet<_> = subject
        .files
        .iter()
        .filter_map(|file| file.path.strip_prefix("extra/"))
        .map(|inside| inside.split_once('/').map_or(inside, |(folder, _)| folder))
        .collect();
    for folder in folders {
        let labels: Vec<_> = folder.split('.').collect();
        let label = |text: &&str| {
            !text.is_empty()
                && text
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
        };
        if labels.len() < 2 || !labels.iter().all(label) {
            places.add(
                Place {
                    file: format!("extra/{folder}"),
                    ..Place::default()
                },
                "is not in reverse domain notation",
            );
        }
    }
}

fn sources(subject: &Subject, places: &mut Places) {
    let mut missing = |name: &str, list: &str| {
        let path = format!("sources/{name}");
        if !subject.has(&path) {
            places.add(
                Place {
                    file: path,
                    ..Place::default()
                },
                format!("is listed in {list} and not there"),
            );
        }
    };
    if let Some(build) = &subject.build_description {
        let list = "sources/buildDescription.xml";
        for tag in build
            .split("<SourceFile")
            .skip(1)
            .filter(|tag| tag.starts_with(char::is_whitespace))
        {
            let tag = tag.split('>').next().unwrap_or_default();
            let name = tag.split_once("name=").and_then(|(_, value)| {
                let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
                value[1..].split(quote).next()
            });
            if let Some(name) = name {
                missing(name, list);
            }
        }
        return;
    }
    let Readable::Read(described) = &subject.description else {
        return;
    };
    for (interface, attributes) in described.interfaces() {
        for name in &attributes.source_files {
            missing(name, &format!("the SourceFiles of {interface}"));
        }
    }
}
