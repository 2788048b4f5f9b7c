//! Every mistake that an author can make, with the message that it gets.
//!
//! `tests/ui/` reads as documentation: a folder for each subject, a file for each mistake, a name that is a sentence.
//! The first line of a file says what is wrong. A line that a message points at ends in `//~`, once for each message,
//! and no other line is ever mentioned. After a change of the messages, `TRYBUILD=overwrite cargo test -p fmu-macros
//! --test ui` writes the expected ones again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui"))
        .expect("the folder of UI tests")
        .map(|entry| entry.expect("an entry of the folder of UI tests").path())
        .collect();
    folders.sort();
    folders
}

/// One test for all files: the crates that they need are built once.
#[test]
fn messages_are_as_expected() {
    let cases = trybuild::TestCases::new();
    for folder in folders() {
        let name = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if name == "pass" {
            cases.pass(format!("tests/ui/{name}/*.rs"));
        } else {
            cases.compile_fail(format!("tests/ui/{name}/*.rs"));
        }
    }
}

/// Errors by line, as the expected output has them.
fn errors_by_line(expected: &str) -> BTreeMap<usize, usize> {
    let mut errors = BTreeMap::new();
    let mut lines = expected.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("error") {
            let place = lines.next().unwrap_or_default();
            let line = place.rsplit(':').nth(1).and_then(|line| line.parse().ok());
            *errors.entry(line.unwrap_or(0)).or_insert(0) += 1;
        }
    }
    errors
}

#[test]
fn every_mistake_has_one_message_at_its_line() {
    for folder in folders() {
        if folder.ends_with("pass") {
            continue;
        }
        for entry in fs::read_dir(&folder).expect("a folder of UI tests") {
            let path = entry.expect("an entry of a folder of UI tests").path();
            if path.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let source = fs::read_to_string(&path).expect("a UI test");
            let expected = fs::read_to_string(path.with_extension("stderr")).expect("its expected output");
            let marked: BTreeMap<usize, usize> = source
                .lines()
                .enumerate()
                .filter_map(|(at, line)| {
                    let (_, marks) = line.rsplit_once("//~")?;
                    Some((at + 1, 1 + marks.len()))
                })
                .collect();
            assert_eq!(errors_by_line(&expected), marked, "{}", path.display());
            assert!(source.starts_with("// "), "{} says what is wrong", path.display());
            assert!(!expected.contains("warning"), "{}", path.display());
        }
    }
}
