//! Documents and their code blocks.

// Each test program uses its part of this module.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

/// Documents outside the guide.
pub const DOCUMENTS: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "examples/README.md",
    "examples/systems/README.md",
    "verification/conformance/README.md",
];

/// Blocks that no test runs or reads: the document, the beginning of the block, and the reason.
pub const UNTESTED: &[(&str, &str, &str)] = &[
    ("ARCHITECTURE.md", "a struct and its equations", "a picture"),
    (
        "guide/src/first-model.md",
        "error: the state",
        "a message of the compiler, held by fmu-macros/tests/ui/equations",
    ),
    (
        "guide/src/checking.md",
        "warning R5",
        "needs an FMU that crashes; fmu/tests/check.rs has some",
    ),
    (
        "guide/src/surviving.md",
        "error: `Oscillator` in",
        "needs an FMU that crashes; fmu/tests/survive has some",
    ),
];

/// The folder of this repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The text of a file of this repository.
pub fn read(path: &Path) -> String {
    let path = repository().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The chapters of the guide, by their paths in this repository.
pub fn chapters() -> Vec<String> {
    let folder = repository().join("guide/src");
    let mut chapters: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".md"))
        .map(|name| format!("guide/src/{name}"))
        .collect();
    chapters.sort();
    chapters
}

/// A code block.
#[derive(Clone, Debug)]
pub struct Block {
    /// The document, by its path in this repository.
    pub document: String,
    /// The line of its first fence, from 1.
    pub line: usize,
    /// What stands behind the fence.
    pub language: String,
    /// The file that the line before the block names.
    pub file: Option<String>,
    /// The block before it in the document is an `sh` block.
    pub follows_a_command: bool,
    /// What stands between the fences.
    pub text: String,
}

impl Block {
    /// Where it is, for messages.
    pub fn place(&self) -> String {
        format!("{}:{}", self.document, self.line)
    }

    /// Whether it is one of [`UNTESTED`].
    pub fn is_untested(&self) -> bool {
        let is_this = |(document, begin, _): &(&str, &str, &str)| {
            self.document == *document && self.text.starts_with(begin)
        };
        UNTESTED.iter().any(is_this)
    }

    /// The command lines of a shell block, as words; comments are left out, lines that end with `\` are joined.
    pub fn commands(&self) -> Vec<Vec<String>> {
        let joined = self.text.replace("\\\n", " ");
        let lines = joined.lines().map(words);
        lines.filter(|words| !words.is_empty()).collect()
    }
}

/// The words of a command line, without quotes and up to a comment.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quote, mut is_word) = (String::new(), None, false);
    for letter in line.chars() {
        match (letter, quote) {
            (_, Some(open)) if letter == open => quote = None,
            ('\'' | '"', None) => (quote, is_word) = (Some(letter), true),
            ('#', None) if !is_word => break,
            (' ', None) => {
                if std::mem::take(&mut is_word) {
                    words.push(std::mem::take(&mut word));
                }
            }
            _ => {
                word.push(letter);
                is_word = true;
            }
        }
    }
    if is_word {
        words.push(word);
    }
    words
}

/// The code blocks of a document.
pub fn blocks(document: &str) -> Vec<Block> {
    let text = read(Path::new(document));
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Option<Block> = None;
    let mut before = "";
    for (number, line) in (1..).zip(text.lines()) {
        let fence = line.trim_start().strip_prefix("```");
        match (&mut open, fence) {
            (None, Some(language)) => {
                open = Some(Block {
                    document: document.to_owned(),
                    line: number,
                    language: language.trim().to_owned(),
                    file: named_file(before),
                    follows_a_command: blocks.last().is_some_and(|last| last.language == "sh"),
                    text: String::new(),
                });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) if !line.trim().is_empty() => before = line,
            (None, None) => {}
        }
        if fence.is_some() {
            before = "";
        }
    }
    assert!(open.is_none(), "{document}: a block has no end");
    blocks
}

/// `car.toml` of a line that ends with "`car.toml`:".
fn named_file(line: &str) -> Option<String> {
    let (_, name) = line.trim_end().strip_suffix("`:")?.rsplit_once('`')?;
    Some(name.to_owned())
}
