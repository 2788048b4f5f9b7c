//! What `Fmu::open` makes of files that are well meant, broken, or hostile.

use test_support::fmus;
use test_support::packed;

use std::fs;
use std::path::Path;

use fmu_importer::archive::{ArchiveError, EntryProblem, Limits, NameProblem};
use fmu_importer::{Error, Experiment, Fmu};
use fmus::{DESCRIPTION, Recipe, oscillator, write_archive, write_bytes};
use test_support::zip::{Entry, archive};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn description() -> Entry {
    Entry::new("modelDescription.xml", DESCRIPTION.as_bytes())
}

/// Why an archive with one more entry is refused.
fn refusal(entry: Entry) -> ArchiveError {
    let test = write_archive(&[description(), entry]);
    match Fmu::open(&test.path).and_then(|fmu| fmu.folder()) {
        Err(Error::Archive { source, .. }) => *source,
        other => panic!("not refused: {other:?}"),
    }
}

fn entry_problem(entry: Entry) -> EntryProblem {
    match refusal(entry) {
        ArchiveError::Entry { problem, .. } => problem,
        other => panic!("refused for another reason: {other}"),
    }
}

#[test]
fn names_that_leave_the_folder_are_refused() {
    for (name, problem) in [
        ("../evil", NameProblem::Parent),
        ("resources/../../evil", NameProblem::Parent),
        ("resources\\..\\..\\evil", NameProblem::Parent),
        ("/../evil", NameProblem::Parent),
        ("\\..\\evil", NameProblem::Parent),
        ("C:evil", NameProblem::Absolute),
        ("c:/evil", NameProblem::Absolute),
        ("", NameProblem::Empty),
        (".", NameProblem::Empty),
        ("a\0b", NameProblem::Control),
        ("a\nb", NameProblem::Control),
        (&"a/".repeat(65), NameProblem::TooLong),
        (&"a".repeat(1025), NameProblem::TooLong),
    ] {
        assert_eq!(
            entry_problem(Entry::new(name, b"x")),
            EntryProblem::Name(problem),
            "{name:?}"
        );
    }
}

#[test]
fn links_devices_duplicates_and_encryption_are_refused() {
    let file = || Entry::new("resources/a", b"x");
    for mode in [0o120_777, 0o020_666, 0o060_666, 0o010_666, 0o140_666] {
        let special = Entry {
            unix_mode: mode,
            ..file()
        };
        assert_eq!(entry_problem(special), EntryProblem::Special);
    }
    for flags in [1, 1 << 6, 1 << 13] {
        let encrypted = Entry { flags, ..file() };
        assert_eq!(entry_problem(encrypted), EntryProblem::Encrypted);
    }
    assert_eq!(
        entry_problem(Entry::new("modelDescription.xml", b"x")),
        EntryProblem::Duplicate
    );
    assert_eq!(
        entry_problem(Entry::new("./modelDescription.xml", b"x")),
        EntryProblem::Duplicate
    );
    assert_eq!(
        entry_problem(Entry::new("modelDescription.xml/x", b"x")),
        EntryProblem::FileIsFolder
    );
    let other = Entry { method: 93, ..file() };
    assert_eq!(entry_problem(other), EntryProblem::Method(93));
}

#[test]
fn bytes_that_disagree_with_the_directory_are_refused() {
    let file = || Entry::new("resources/a", &[7; 1000]);
    let damaged = |entry: Entry| match refusal(entry) {
        ArchiveError::DamagedEntry { problem, .. } => problem,
        other => panic!("refused for another reason: {other}"),
    };
    let size = |size| Entry { size, ..file() };
    assert!(damaged(size(999)).contains("more bytes"));
    assert!(damaged(size(1001)).contains("fewer bytes"));
    assert!(damaged(Entry { crc32: 1, ..file() }).contains("checksum"));
    let mut cut = file();
    cut.packed.truncate(5);
    assert!(damaged(cut).contains("deflate"));
    let mut longer = file();
    longer.packed.extend([0; 9]);
    assert!(damaged(longer).contains("after its end"));
    let noise = Entry {
        packed: vec![0xff; 40],
        ..file()
    };
    assert!(damaged(noise).contains("deflate"));
    let two_names = Entry {
        local_name: Some(b"resources/b".into()),
        ..file()
    };
    assert!(damaged(two_names).contains("different names"));
}

#[test]
fn damaged_bzip2_and_lzma_streams_are_refused() {
    let damaged = |entry: Entry| match refusal(entry) {
        ArchiveError::DamagedEntry { problem, .. } => problem,
        other => panic!("refused for another reason: {other}"),
    };
    let bytes: Vec<u8> = (0..5000_u32).map(|k| ((k * k) >> 5) as u8).collect();
    for (name, file) in [
        ("bzip2", packed::bzip2("resources/a", &bytes)),
        ("LZMA", packed::lzma("resources/a", &bytes, true)),
        ("LZMA", packed::lzma("resources/a", &bytes, false)),
    ] {
        let changed = |change: &dyn Fn(&mut Entry)| {
            let mut file = file.clone();
            change(&mut file);
            damaged(file)
        };
        assert!(changed(&|file| file.size = 4999).contains("bytes"), "{name}");
        assert!(changed(&|file| file.crc32 = 1).contains("checksum"), "{name}");
        assert!(changed(&|file| file.packed.truncate(100)).contains(name));
        assert!(changed(&|file| file.packed.truncate(3)).contains(name));
        assert!(changed(&|file| file.packed.fill(0xff)).contains(name));
        assert!(
            changed(&|file| file.packed.extend([0; 9])).contains("after its end"),
            "{name}"
        );
    }
    // A dictionary of 4 GiB for 5000 bytes is not made.
    let mut wide = packed::lzma("resources/a", &bytes, true);
    wide.packed[5..9].fill(0xff);
    let test = write_archive(&[description(), wide]);
    assert_eq!(Fmu::open(&test.path).unwrap().read("resources/a").unwrap(), bytes);
}

#[test]
fn bombs_are_refused_before_they_go_off_and_let_through_on_demand() -> Outcome {
    let zeros = vec![0; 80 << 20];
    let test = write_archive(&[description(), Entry::new("resources/zeros", &zeros)]);
    let error = Fmu::open(&test.path).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("(limit: 200 times); if you trust it, raise the limit"),
        "{error}"
    );
    let limits = Limits::default().with_ratio(2000);
    let folder = Fmu::open_with(&test.path, &limits)?;
    assert_eq!(fs::metadata(folder.resources()?.join("zeros"))?.len(), 80 << 20);
    for limits in [
        limits.with_bytes(1 << 20),
        limits.with_entries(1),
        limits.with_description(100),
    ] {
        let error = Fmu::open_with(&test.path, &limits).unwrap_err();
        let Error::Archive { source, .. } = &error else {
            panic!("{error}")
        };
        assert!(matches!(**source, ArchiveError::Limit { .. }), "{error}");
    }

    // Two entries that share their bytes.
    let mut bytes = archive(&[description(), Entry::stored("resources/a", &[1; 100])]);
    let at = bytes
        .windows(4)
        .rposition(|w| w == b"PK\x01\x02")
        .ok_or("no directory")?;
    bytes[at + 42..at + 46].copy_from_slice(&10_u32.to_le_bytes());
    let error = Fmu::open(&write_bytes(&bytes).path).unwrap_err();
    assert!(error.to_string().contains("shares its bytes"), "{error}");
    Ok(())
}

#[test]
fn a_truncated_file_never_opens() {
    let bytes = archive(&[description(), Entry::stored("resources/a", &[3; 50])]);
    for length in (0..bytes.len()).step_by(7).chain(bytes.len() - 30..bytes.len()) {
        let test = write_bytes(&bytes[..length]);
        assert!(
            Fmu::open(&test.path).is_err(),
            "{length} bytes of {}",
            bytes.len()
        );
    }
    // Missing at the front: the offsets do not fit.
    let test = write_bytes(&bytes[10..]);
    assert!(Fmu::open(&test.path).and_then(|fmu| fmu.folder()).is_err());
}

#[test]
fn bytes_before_the_archive_do_no_harm() -> Outcome {
    let mut bytes = b"#!/bin/sh\nexit\n".to_vec();
    bytes.extend(archive(&[description(), Entry::new("resources/a", b"text")]));
    let test = write_bytes(&bytes);
    let fmu = Fmu::open(&test.path)?;
    assert_eq!(fs::read(fmu.resources()?.join("a"))?, b"text");
    Ok(())
}

#[test]
fn backslashes_are_read_as_slashes_with_a_warning() -> Outcome {
    let test = write_archive(&[description(), Entry::new("resources\\deep\\a.txt", b"text")]);
    let fmu = Fmu::open(&test.path)?;
    assert_eq!(
        fmu.warnings(),
        ["entry `resources\\deep\\a.txt` has backslashes in its name; zip archives have forward slashes"]
    );
    assert_eq!(fs::read(fmu.resources()?.join("deep").join("a.txt"))?, b"text");
    Ok(())
}

#[test]
fn the_temporary_folder_is_private_and_goes_in_the_end() -> Outcome {
    let test = oscillator();
    let fmu = Fmu::open(&test.path)?;
    let mut slave = fmu.co_simulation("slave")?;
    let folder = fmu.folder()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&folder)?.permissions().mode() & 0o777, 0o700);
    }
    assert!(folder.join("resources").is_dir());
    drop(fmu);
    assert!(folder.exists(), "the instance needs it");
    slave.initialize(&Experiment::default())?;
    drop(slave);
    assert!(!folder.exists());
    Ok(())
}

#[test]
fn nothing_stays_behind_after_an_error() -> Outcome {
    // A folder of our own for temporary files, seen by a child process alone.
    if let Ok(path) = std::env::var("IMPORTER_TEST_OPEN") {
        let error = Fmu::open(&path).and_then(|fmu| fmu.folder()).unwrap_err();
        assert!(error.to_string().contains("checksum"), "{error}");
        return Ok(());
    }
    let damaged = Entry {
        crc32: 1,
        ..Entry::new("resources/b", b"x")
    };
    let test = write_archive(&[description(), Entry::new("resources/a", b"x"), damaged]);
    let temporary = tempfile::tempdir()?;
    let status = std::process::Command::new(std::env::current_exe()?)
        .args(["--exact", "nothing_stays_behind_after_an_error"])
        .env("IMPORTER_TEST_OPEN", &test.path)
        .env("TMPDIR", temporary.path())
        .status()?;
    assert!(status.success());
    assert_eq!(fs::read_dir(temporary.path())?.count(), 0);
    Ok(())
}

#[test]
fn a_folder_opens_like_a_file() -> Outcome {
    let test = oscillator();
    let packed = Fmu::open(&test.path)?;
    let folder = tempfile::tempdir()?;
    let copy = |from: &Path, to: &Path| -> std::io::Result<()> {
        fs::create_dir_all(to.parent().unwrap_or(to))?;
        fs::copy(from, to).map(drop)
    };
    for file in packed.files() {
        copy(
            &packed.folder()?.join(&file.path),
            &folder.path().join(&file.path),
        )?;
    }
    let unpacked = Fmu::open(folder.path())?;
    assert_eq!(unpacked.description(), packed.description());
    let mut slave = unpacked.co_simulation("slave")?;
    slave.initialize(&Experiment::default())?;
    slave.do_step(0.0, 0.1)?;
    drop((slave, unpacked));
    assert!(
        folder.path().join("modelDescription.xml").exists(),
        "a folder that is not ours stays"
    );
    fs::remove_file(folder.path().join("modelDescription.xml"))?;
    assert!(matches!(
        Fmu::open(folder.path()),
        Err(Error::NoDescription { .. })
    ));
    Ok(())
}

#[test]
fn other_versions_and_other_files_are_sentences() {
    let sentence = |entries: &[Entry]| {
        let test = write_archive(entries);
        let name = test.path.display().to_string();
        Fmu::open(&test.path).unwrap_err().to_string().replace(&name, "X")
    };
    for version in ["1.0", "3.0", "3.0.1"] {
        let xml = format!("<fmiModelDescription fmiVersion=\"{version}\" modelName=\"m\" guid=\"g\"/>");
        assert_eq!(
            sentence(&[Entry::new("modelDescription.xml", xml.as_bytes())]),
            format!(
                "X is an FMU of FMI {version}; FMI 2.0 is supported (Model Exchange and Co-Simulation): export the \
                 model as FMI 2.0"
            )
        );
    }
    assert_eq!(
        sentence(&[Entry::new("SystemStructure.ssd", b"<x/>")]),
        "X has no modelDescription.xml in its root: it is not an FMU"
    );
    let xml = DESCRIPTION.replace("start=\"0.1\"", "start=\"0,1\"");
    assert_eq!(
        sentence(&[Entry::new("modelDescription.xml", xml.as_bytes())]),
        "X, modelDescription.xml: line 52, column 20: attribute `start` of `Real` is \"0,1\", expected a number"
    );
    let test = write_bytes(b"no archive");
    assert!(
        Fmu::open(&test.path)
            .unwrap_err()
            .to_string()
            .ends_with("it is not a zip archive, or its end is missing")
    );
    assert!(matches!(Fmu::open("no such file"), Err(Error::Read { .. })));
}

#[test]
fn libraries_are_found_by_either_name_of_the_platform() -> Outcome {
    for folder in fmu_importer::platform_folders() {
        let library = format!("binaries/{folder}/oscillator.so");
        let test = Recipe {
            library,
            ..Default::default()
        }
        .build();
        let fmu = Fmu::open(&test.path)?;
        fmu.co_simulation("slave")?;
        assert_eq!(fmu.platforms(), [*folder]);
        assert_eq!(fmu.warnings(), [""; 0]);
    }
    Ok(())
}

#[test]
fn a_library_of_another_name_is_found_if_it_is_the_only_one() -> Outcome {
    let library = format!("binaries/{}/other.so", fmu_importer::platform_folders()[0]);
    let recipe = || Recipe {
        library: library.clone(),
        ..Default::default()
    };
    let test = recipe().build();
    let fmu = Fmu::open(&test.path)?;
    fmu.co_simulation("slave")?;
    assert_eq!(
        fmu.warnings(),
        [format!(
            "the library is `{library}`, not `oscillator.so` after the model identifier"
        )]
    );
    let third = library.replace("other", "third");
    let test = Recipe {
        more: vec![Entry::new(&third, b"x")],
        ..recipe()
    }
    .build();
    assert!(matches!(
        Fmu::open(&test.path)?.co_simulation("slave"),
        Err(Error::NoLibrary { .. })
    ));
    Ok(())
}

#[test]
fn an_error_for_a_machine_without_a_library_lists_the_libraries() -> Outcome {
    let test = Recipe {
        library: "binaries/amiga/oscillator.so".into(),
        ..Default::default()
    }
    .build();
    let error = Fmu::open(&test.path)?.model_exchange("model").unwrap_err();
    assert!(error.to_string().ends_with("it has amiga"), "{error}");

    let xml = DESCRIPTION
        .replace("<ModelExchange", "<Ignored")
        .replace("</ModelExchange", "</Ignored");
    let test = write_archive(&[Entry::new("modelDescription.xml", xml.as_bytes())]);
    let fmu = Fmu::open(&test.path)?;
    let error = fmu.model_exchange("model").unwrap_err();
    assert_eq!(
        error.to_string(),
        "Oscillator has no Model Exchange interface, it is for Co-Simulation"
    );
    let error = fmu.co_simulation("slave").unwrap_err();
    assert!(
        error.to_string().ends_with("there is none for any machine"),
        "{error}"
    );
    Ok(())
}

#[test]
fn a_library_that_is_none_is_a_sentence() -> Outcome {
    let library = format!("binaries/{}/oscillator.so", fmu_importer::platform_folders()[0]);
    let test = write_archive(&[description(), Entry::new(&library, b"no library")]);
    let error = Fmu::open(&test.path)?.co_simulation("slave").unwrap_err();
    assert!(matches!(error, Error::Load { .. }), "{error}");
    Ok(())
}

#[test]
fn what_the_standard_does_not_know_is_tolerated_and_kept() -> Outcome {
    let xml = DESCRIPTION
        .replace(
            "<ModelVariables>",
            "<Novelty since=\"4.0\"><Deep/></Novelty><ModelVariables>",
        )
        .replace("<Real start=\"0.1\"", "<Real novelty=\"1\" start=\"0.1\"");
    let test = write_archive(&[Entry::new("modelDescription.xml", xml.as_bytes())]);
    let fmu = Fmu::open(&test.path)?;
    assert_eq!(fmu.description().model_variables.len(), 15);
    let annotations = &fmu.description().vendor_annotations;
    assert_eq!(annotations[0].tool, "by hand");
    assert_eq!(annotations[0].xml, "<note>kept</note>");
    assert_eq!(fmu.read("modelDescription.xml")?, xml.as_bytes());
    assert!(matches!(fmu.read("../secret"), Err(Error::Read { .. })));
    Ok(())
}
