//! The commands of the guide and the README are run in the order of each document, and print what stands behind them.

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use common::{Block, blocks, chapters, repository};
use tempfile::TempDir;

/// Commands of `cargo xtask` that are not run here, with the reason.
const NOT_RUN: &[(&str, &str)] = &[
    (
        "demo",
        "the first command of a newcomer; it builds `fmu` once more, and packages what is packaged here",
    ),
    ("test", "runs this test"),
    ("bench", "minutes, on an idle machine"),
    ("papers", "a part of `cargo xtask test`"),
    ("importers", "installs programs of others"),
    ("coupled-systems", "half an hour"),
    ("deny", "needs cargo-deny"),
    ("header", "a part of `cargo xtask test`"),
    ("fuzz-models", "minutes"),
    ("fuzz-calls", "a part of `cargo xtask test`"),
    ("fuzz-importer", "needs nightly Rust and cargo-fuzz"),
    ("kills", "minutes"),
    (
        "new-model",
        "run in a workspace of its own by fmu/tests/own_workspace.rs",
    ),
];

/// The documents whose commands are run.
fn documents() -> Vec<String> {
    let mut documents = chapters();
    documents.extend(["README.md", "examples/README.md", "examples/systems/README.md"].map(str::to_owned));
    documents
}

fn commands(block: &Block) -> Vec<Vec<String>> {
    match block.language.as_str() {
        "sh" => block.commands(),
        _ => Vec::new(),
    }
}

/// All FMUs that the documents package, in one folder; built once, without optimization across crates.
static FMUS: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guide-fmus");
    let mut crates = BTreeSet::new();
    for document in documents() {
        for words in blocks(&document).iter().flat_map(commands) {
            if let ["cargo", "xtask", "package-fmu", rest @ ..] =
                &words.iter().map(String::as_str).collect::<Vec<_>>()[..]
            {
                crates.extend(packaged(rest).map(str::to_owned));
            }
        }
    }
    let output = Command::new(env!("CARGO_BIN_EXE_guide-fmu"))
        .current_dir(repository())
        .arg("package-fmu")
        .args(&crates)
        .args(["--quick", "--out"])
        .arg(&folder)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    folder
});

/// The crates among the arguments of `package-fmu` that belong to this repository.
fn packaged<'a>(arguments: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    const WITH_A_VALUE: [&str; 3] = ["--out", "--platform", "--target"];
    let after_an_option = |index: usize| index > 0 && WITH_A_VALUE.contains(&arguments[index - 1]);
    let names = arguments.iter().enumerate();
    names
        .filter(move |(index, name)| !name.starts_with("--") && !after_an_option(*index))
        .map(|(_, name)| *name)
        .filter(|name| is_here(name))
}

fn is_here(name: &str) -> bool {
    let name = name.split(':').next().unwrap_or(name);
    let folder = repository();
    folder.join("examples").join(name).is_dir() || folder.join("examples/systems").join(name).is_dir()
}

/// A person with a shell in a folder, who reads one document from the beginning to the end.
struct Reader {
    folder: TempDir,
    /// FMUs were packaged without `--out`, into the target folder of the repository.
    uses_target: bool,
    output: Option<Output>,
}

impl Reader {
    fn new() -> Reader {
        let folder = tempfile::tempdir().unwrap();
        for entry in std::fs::read_dir(&*FMUS).unwrap() {
            let path = entry.unwrap().path();
            std::fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
        }
        Reader {
            folder,
            uses_target: false,
            output: None,
        }
    }

    fn read(&mut self, block: &Block) {
        if let Some(file) = &block.file {
            // Files of a user's workspace are written by the test of that workspace.
            if !file.contains('/') && !file.ends_with("Cargo.toml") {
                std::fs::write(self.folder.path().join(file), &block.text).unwrap();
            }
        }
        match block.language.as_str() {
            "sh" => {
                self.output = None;
                for words in block.commands() {
                    self.run(&words, block);
                }
            }
            "text" if block.follows_a_command && !block.is_untested() => self.compare(block),
            _ => {}
        }
    }

    fn run(&mut self, words: &[String], block: &Block) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let arguments = match &words[..] {
            ["fmu", "package-fmu" | "new-model", ..] => return,
            ["fmu", arguments @ ..] | ["cargo", "run", "--release", "-p", "fmu", "--", arguments @ ..] => {
                arguments
            }
            ["cargo", "xtask", "package-fmu", names @ ..] => {
                self.uses_target = !names.contains(&"--out");
                return;
            }
            ["cargo", "xtask", name, ..] => {
                let reason = NOT_RUN.iter().find(|(command, _)| command == name);
                assert!(
                    reason.is_some(),
                    "{}: `cargo xtask {name}` is neither run nor excused",
                    block.place()
                );
                return;
            }
            // Commands of others.
            _ => return,
        };
        let mut command = Command::new(env!("CARGO_BIN_EXE_guide-fmu"));
        command.current_dir(self.folder.path());
        for argument in arguments {
            // Systems of the examples name FMUs in the target folder of this repository.
            match argument.strip_prefix("examples/") {
                Some(_) => command.arg(repository().join(argument)),
                None => command.arg(argument),
            };
        }
        if self.uses_target
            && arguments
                .iter()
                .any(|argument| argument.starts_with("examples/systems/"))
        {
            command.arg("--fmus").arg(self.folder.path());
        }
        let output = command.output().unwrap();
        let fails = block.text.contains("# fails");
        assert!(
            output.status.success() != fails,
            "{}: `{}` ends with {}\n{}",
            block.place(),
            words.join(" "),
            output.status,
            said(&output)
        );
        self.output = Some(output);
    }

    /// Each line of the block is in one of the two outputs of the last command, in this order.
    fn compare(&self, block: &Block) {
        let Some(output) = &self.output else {
            panic!("{}: the command before this output is not run", block.place());
        };
        let texts = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        let mut streams = texts.each_ref().map(|text| text.lines());
        for expected in block.text.lines().filter(|line| line.trim() != "...") {
            let found = streams.iter_mut().any(|stream| {
                let mut ahead = stream.clone();
                let found = ahead.any(|line| matches(expected.trim_end(), line.trim_end()));
                if found {
                    *stream = ahead;
                }
                found
            });
            assert!(
                found,
                "{}: no line like\n{expected}\nin (after what was found before)\n{}",
                block.place(),
                said(output)
            );
        }
    }
}

fn said(output: &Output) -> String {
    let [out, err] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    err + &out
}

/// Whether a line is the expected one, in which `...` stands for anything.
fn matches(expected: &str, line: &str) -> bool {
    let mut parts = expected.split("...");
    let Some(mut rest) = line.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    if parts.is_empty() {
        return rest.is_empty();
    }
    for part in &parts[..parts.len() - 1] {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(parts[parts.len() - 1])
}

#[test]
fn dots_stand_for_anything() {
    assert!(matches("a ... c", "a b c") && matches("...", "") && matches("a", "a") && matches("a...", "a b"));
    assert!(!matches("a ... c", "a b d") && !matches("a", "a b") && !matches("b...", "a b"));
}

/// Commands and outputs of one document after the other.
#[test]
fn commands_print_what_the_documents_show() {
    for document in documents() {
        let blocks = blocks(&document);
        if blocks.iter().all(|block| commands(block).is_empty()) {
            continue;
        }
        let mut reader = Reader::new();
        for block in &blocks {
            reader.read(block);
        }
    }
}

#[test]
fn excuses_are_for_commands_that_exist() {
    use clap::CommandFactory;
    let command = xtask::Arguments::command();
    for (name, reason) in NOT_RUN {
        assert!(
            command.find_subcommand(name).is_some() && !reason.is_empty(),
            "{name}"
        );
    }
}
