//! Words that readers have to decode stay away from code and prose.

use std::path::{Path, PathBuf};

/// Words that have a plain counterpart, as the words of sentences and as parts of names.
const WORDS: [&str; 5] = ["whoever", "told", "knot", "knots", "anew"];

/// Files that need one of them, with the reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("standard/src/units/symbols.rs", "knot", "the unit of speed"),
    ("checker/tests/check.rs", "knot", "the unit of speed"),
    (
        "master/tests/picture.rs",
        "knot",
        "a graph whose edges are tangled",
    ),
    (
        "verification/architecture/tests/prose.rs",
        "",
        "the words themselves",
    ),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the repository")
}

/// All Rust and Markdown files of the repository, by their paths from its root.
fn files() -> Vec<String> {
    let root = root();
    let (mut found, mut open) = (Vec::new(), vec![root.clone()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let entry = entry.expect("an entry");
            let (name, kind) = (entry.file_name(), entry.file_type().expect("a type"));
            let name = name.to_string_lossy();
            let is_ours = name == ".github" || !(name.starts_with('.') || name.starts_with("target"));
            if kind.is_dir() && is_ours {
                open.push(entry.path());
            } else if kind.is_file() && (name.ends_with(".rs") || name.ends_with(".md")) {
                let path = entry.path();
                let path = path.strip_prefix(&root).expect("below the root");
                found.push(path.display().to_string().replace('\\', "/"));
            }
        }
    }
    assert!(found.len() > 500, "only {} files", found.len());
    found.sort();
    found
}

/// The first word of a line that has a plain counterpart.
fn word(line: &str) -> Option<String> {
    let words = line.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase);
    words.into_iter().find(|word| WORDS.contains(&word.as_str()))
}

/// 'is no X' in place of 'is not an X', and 'Who feeds' in place of a noun. 'There is no X' is plain.
fn phrase(line: &str) -> Option<&'static str> {
    let inverted = line.match_indices("is no ").any(|(at, found)| {
        let before = line[..at].to_lowercase();
        let is_word = !before.ends_with(char::is_alphabetic);
        is_word && !before.ends_with("there ") && line[at + found.len()..].starts_with(char::is_uppercase)
    });
    match inverted {
        true => Some("is no"),
        false => line.contains("Who feeds").then_some("Who feeds"),
    }
}

#[test]
fn sentences_and_names_are_plain() {
    let (mut wrong, mut used) = (Vec::new(), vec![false; EXCEPTIONS.len()]);
    for path in files() {
        let text = std::fs::read_to_string(root().join(&path)).expect("a text");
        for (number, line) in text.lines().enumerate() {
            for found in word(line).into_iter().chain(phrase(line).map(str::to_owned)) {
                let exception = EXCEPTIONS
                    .iter()
                    .position(|(file, word, _)| *file == path && (word.is_empty() || *word == found));
                match exception {
                    Some(at) => used[at] = true,
                    None => wrong.push(format!("{path}:{}: {found:?}", number + 1)),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "say it in plain words:\n{}", wrong.join("\n"));
    for ((path, word, reason), used) in EXCEPTIONS.iter().zip(used) {
        assert!(
            used,
            "{path} does not need {word:?} any more ({reason}): remove it from the list"
        );
    }
}

#[test]
fn words_are_found_in_sentences_and_in_names() {
    assert_eq!(word("Whoever needs it").as_deref(), Some("whoever"));
    assert_eq!(word("fn begin_anew()").as_deref(), Some("anew"));
    assert_eq!(word("the canewood is untold"), None);
    assert_eq!(phrase("it is no FMU"), Some("is no"));
    assert_eq!(phrase("this is no FMU"), Some("is no"));
    assert_eq!(phrase("There is no FMU"), None);
    assert_eq!(phrase("the axis no X"), None);
}
