//! P1 to P4: the archive.

use super::rules::{Check::Files, Rule, table};
use super::subject::Subject;
use super::{Place, Places};
use fmu_importer::archive::{ArchiveError, EntryProblem, Method};

pub(super) static RULES: &[Rule] = table! {
    "P1" Error "2.3"
        "The FMU is a zip archive that unpacks, by deflate or store alone, not encrypted"
        "importers cannot unpack it"
        "pack the FMU again with a plain zip tool"
        => Files(readable);
    "P1a" Warning "2.3"
        "The archive needs version 2.0 of the format alone, and stored files have their sizes before them"
        "importers with simple unzip libraries cannot unpack it"
        "pack the FMU again with a plain zip tool"
        => Files(plain_format);
    "P2" Error "2.3"
        "There are no links in the archive"
        "importers refuse the archive, or write through the link"
        "put the file itself in the place of the link"
        => Files(links);
    "P3" Error "2.3"
        "Names in the archive have forward slashes, are relative, stay inside it and mean one file each"
        "FMPy and others refuse the archive, or do not find its files"
        "pack the FMU again with a tool that writes plain relative names"
        => Files(names);
    "P3a" Warning "2.3"
        "No name in the archive occurs twice, no two differ in case alone, and all are ASCII"
        "one of two files is lost or a name is garbled on other operating systems"
        "rename the files: other operating systems may lose or garble them"
        => Files(portable_names);
    "P4" Error "2.3"
        "modelDescription.xml lies in the root of the archive, in UTF-8"
        "importers find no description, or cannot read it"
        "put it into the root, and save it as UTF-8"
        => Files(description);
    "P4a" Note "2.3"
        "modelDescription.xml declares its encoding, UTF-8"
        "none known where the text is ASCII"
        "begin it with `<?xml version=\"1.0\" encoding=\"UTF-8\"?>`"
        => Files(encoding);
    "P13" Warning "2.3"
        "The extension of the file is .fmu"
        "tools that go by the extension do not open it"
        "rename the file"
        => Files(extension);
};

fn entry(name: &str) -> Place {
    Place {
        item: format!("entry `{name}`"),
        ..Place::default()
    }
}

fn readable(subject: &Subject, places: &mut Places) {
    if let Some(damage) = &subject.damage {
        places.add(Place::default(), damage.to_string());
    }
    let Some(archive) = &subject.archive else { return };
    for (position, problem) in &archive.problems {
        use EntryProblem::{Encrypted, Method, Overlap, Unusual};
        if matches!(problem, Encrypted | Method(_) | Overlap | Unusual(_)) {
            places.add(entry(&archive.entries[*position].name), problem.to_string());
        }
    }
    for damage in &archive.damaged {
        match damage {
            ArchiveError::DamagedEntry { entry: name, problem } => places.add(entry(name), *problem),
            other => places.add(Place::default(), other.to_string()),
        }
    }
}

fn plain_format(subject: &Subject, places: &mut Places) {
    let Some(archive) = &subject.archive else { return };
    for (position, problem) in &archive.problems {
        if matches!(problem, EntryProblem::VersionNeeded(_)) {
            places.add(entry(&archive.entries[*position].name), problem.to_string());
        }
    }
    for found in &archive.entries {
        // Sizes after the bytes: only deflate says by itself where it ends.
        if found.flags & 1 << 3 != 0 && found.method == Method::Stored && found.size > 0 {
            places.add(
                entry(&found.name),
                "is stored, and yet its size stands after its bytes (bit 3)",
            );
        }
    }
}

fn links(subject: &Subject, places: &mut Places) {
    let Some(archive) = &subject.archive else { return };
    for (position, problem) in &archive.problems {
        if matches!(problem, EntryProblem::Special) {
            places.add(
                entry(&archive.entries[*position].name),
                "is a link or a special file",
            );
        }
    }
}

fn names(subject: &Subject, places: &mut Places) {
    let Some(archive) = &subject.archive else { return };
    for (position, problem) in &archive.problems {
        use EntryProblem::{Backslashes, Duplicate, FileIsFolder, Name, Rooted};
        if matches!(problem, Name(_) | Backslashes | Rooted | Duplicate | FileIsFolder) {
            places.add(entry(&archive.entries[*position].name), problem.to_string());
        }
    }
}

fn portable_names(subject: &Subject, places: &mut Places) {
    let Some(archive) = &subject.archive else { return };
    for (position, problem) in &archive.problems {
        if matches!(problem, EntryProblem::CaseDuplicate(_) | EntryProblem::Repeated) {
            places.add(entry(&archive.entries[*position].name), problem.to_string());
        }
    }
    for found in &archive.entries {
        if !found.name.is_ascii() {
            places.add(entry(&found.name), "has characters beyond ASCII in its name");
        }
    }
}

fn description(subject: &Subject, places: &mut Places) {
    let place = || Place {
        file: "modelDescription.xml".into(),
        ..Place::default()
    };
    let Some(xml) = &subject.xml else {
        if subject.damage.is_none() {
            let deeper = subject
                .files
                .iter()
                .find(|file| file.path.ends_with("/modelDescription.xml"));
            let problem = match deeper {
                Some(file) => format!("it lies at `{}`, not in the root", file.path),
                None => "there is none".into(),
            };
            places.add(place(), problem);
        }
        return;
    };
    if let Err(error) = str::from_utf8(xml) {
        places.add(place(), format!("byte {} is not UTF-8", error.valid_up_to()));
    }
}

fn encoding(subject: &Subject, places: &mut Places) {
    let Some(xml) = &subject.xml else { return };
    let place = || Place {
        file: "modelDescription.xml".into(),
        ..Place::default()
    };
    match declared_encoding(xml) {
        Some(encoding) if encoding.eq_ignore_ascii_case("utf-8") => {}
        Some(encoding) => places.add(place(), format!("it declares the encoding `{encoding}`")),
        None => places.add(place(), "it declares no encoding in its first line"),
    }
}

/// The encoding of the XML declaration.
fn declared_encoding(xml: &[u8]) -> Option<String> {
    let xml = xml.strip_prefix(b"\xef\xbb\xbf").unwrap_or(xml);
    let declaration = xml.strip_prefix(b"<?xml")?.split(|byte| *byte == b'>').next()?;
    let declaration = String::from_utf8_lossy(declaration).into_owned();
    let (_, value) = declaration.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    Some(value[1..].split(quote).next()?.into())
}

fn extension(subject: &Subject, places: &mut Places) {
    let is_fmu = |extension: &std::ffi::OsStr| extension.eq_ignore_ascii_case("fmu");
    if !subject.path.is_dir() && !subject.path.extension().is_some_and(is_fmu) {
        places.add(Place::default(), "the extension is another one");
    }
}
