//! P5 to P12: what is in the archive.

use std::collections::BTreeSet;

use super::rules::{
    Check::{Behaviour, Files},
    Rule, table,
};
use super::subject::{Readable, Subject};
use super::{Place, Places};
use fmu_standard::object::is_system_library;
use fmu_standard::platform::{System, machine_of_folder, platform_of};

pub(super) static RULES: &[Rule] = table! {
    "P5" Error "2.3"
        "There are sources or a library for at least one platform"
        "there is nothing to run"
        "add a library at binaries/<platform>/<modelIdentifier>, or the sources"
        => Files(implementation);
    "P6" Error "2.3"
        "The library of each platform has the name of the modelIdentifier"
        "importers that go by the name do not find the library"
        "name it binaries/<platform>/<modelIdentifier> with .so, .dll or .dylib"
        => Files(library_names);
    "P7" Note "2.3"
        "Platform folders have the names of FMI 2.0 or the tuples of FMI 3.0"
        "importers ignore the library, and may say that there is none"
        "use win64, linux64, darwin64, aarch64-darwin or the like"
        => Files(platform_names);
    "P8" Warning "2.3"
        "What the libraries need from outside the FMU is documented; what lies beside them is found there"
        "the library does not load on machines without these files"
        "link statically, set RPATH to $ORIGIN for libraries in the same folder, or write \
         documentation/externalDependencies.txt"
        => Files(external_dependencies);
    "P9" Note "2.3"
        "Licences lie in documentation/licenses, with license.txt or license.html as the first to read"
        "licences are overlooked"
        "move the licence texts there"
        => Files(licences);
    "P10" Note "2.3"
        "Folders in extra have names in reverse domain notation"
        "two tools may use the same folder"
        "name them like extra/org.example.tool"
        => Files(extra);
    "P11" Error "2.3"
        "In an FMU without libraries, files listed in SourceFiles, or in buildDescription.xml, lie in sources"
        "the sources, which are all that there is, do not build"
        "add the files, or take them out of the list"
        => Files(only_sources);
    "P11a" Warning "2.3"
        "In an FMU with libraries, files listed in SourceFiles, or in buildDescription.xml, lie in sources"
        "the FMU cannot be built for platforms that it has no library for"
        "add the files, or take them out of the list"
        => Files(sources_beside_libraries);
    "P12" Error "2.2"
        "modelDescription.xml is as it was exported"
        "importers use the library by a description that is not its own"
        "export the model again instead of changing its description"
        => Behaviour;
};

fn implementation(subject: &Subject, places: &mut Places) {
    if subject.damage.is_some() {
        return;
    }
    let binaries = subject.files.iter().any(|file| platform_of(&file.path).is_some());
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
        .filter_map(|file| platform_of(&file.path))
        .collect();
    for platform in platforms {
        let Some(system) = System::of_folder(platform) else {
            continue;
        };
        let suffix = system.extension();
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
    for platform in fmu_importer::internal::files::platforms(&subject.files) {
        if machine_of_folder(&platform).is_none() {
            let file = format!("binaries/{platform}");
            places.add(
                Place {
                    file,
                    ..Place::default()
                },
                "is not a name that the standard knows",
            );
        }
    }
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
            let windows = System::of_folder(library.platform()) == Some(System::Windows);
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

fn only_sources(subject: &Subject, places: &mut Places) {
    if subject.libraries.is_empty() {
        sources(subject, places);
    }
}

fn sources_beside_libraries(subject: &Subject, places: &mut Places) {
    if !subject.libraries.is_empty() {
        sources(subject, places);
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

#[cfg(test)]
mod tests {
    use super::is_system_library;

    #[test]
    fn libraries_of_the_system_are_known_by_their_names() {
        for name in [
            "KERNEL32.dll",
            "CRYPT32.dll",
            "IPHLPAPI.DLL",
            "RPCRT4.dll",
            "COMDLG32.dll",
            "OPENGL32.dll",
            "WSOCK32.dll",
            "WINSPOOL.DRV",
            "api-ms-win-crt-runtime-l1-1-0.dll",
            "ext-ms-win-ntuser-window-l1-1-0.dll",
            "libc.so.6",
            "ld-linux-x86-64.so.2",
            "/usr/lib/libSystem.B.dylib",
        ] {
            assert!(is_system_library(name), "{name}");
        }
        for name in [
            "VCRUNTIME140.dll",
            "MSVCP140.dll",
            "libsundials.so.6",
            "mykernel32.dll",
            "kernel32",
        ] {
            assert!(!is_system_library(name), "{name}");
        }
    }
}
