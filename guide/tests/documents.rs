//! Every code block of the README, the guide and the other documents is tested.
//!
//! | language | how it is tested |
//! |---|---|
//! | `rust` | a doctest of this crate (`lib.rs`); here only that the document is listed there |
//! | `toml` | a system file is read by `fmu_master`, a manifest or a configuration of cargo by `toml` |
//! | `sh` | every command line is parsed by the command's own definition; `fmu` commands and `package-fmu` are also run |
//! | `text` | behind a command: the output of that command must contain each line, where `...` stands for anything |
//!
//! A line that ends with a file name and a colon, such as `car.toml`:, names the file that the next block is written to
//! before the commands run. Blocks that are not tested are listed in `common::UNTESTED` with the reason.

mod common;

use std::collections::BTreeSet;
use std::path::Path;

use clap::CommandFactory;
use common::{Block, DOCUMENTS, UNTESTED, blocks, chapters, read, repository};
use fmu_master::System;

#[test]
fn every_block_has_a_language_that_is_tested() {
    for block in all_blocks() {
        let known = match block.language.split(',').next().unwrap_or_default() {
            "rust" => !block.language.contains("ignore"),
            "toml" | "sh" => true,
            "csv" => block.file.is_some(),
            "text" => block.follows_a_command || block.is_untested(),
            _ => false,
        };
        assert!(
            known,
            "{}: a block of language `{}` that is not tested",
            block.place(),
            block.language
        );
    }
}

#[test]
fn exceptions_are_for_blocks_that_exist() {
    for (document, begin, reason) in UNTESTED {
        assert!(!reason.is_empty());
        assert!(
            blocks(document).iter().any(|block| block.text.starts_with(begin)),
            "{document} has no block that begins with {begin:?}"
        );
    }
}

/// rustdoc compiles them because `lib.rs` includes the document.
#[test]
fn rust_code_is_compiled_by_doctests() {
    let listed = read(Path::new("guide/lib.rs"));
    for block in all_blocks()
        .iter()
        .filter(|block| block.language.starts_with("rust"))
    {
        let path = match block.document.strip_prefix("guide/") {
            Some(chapter) => chapter.to_owned(),
            None => format!("../{}", block.document),
        };
        assert!(
            listed.contains(&format!("\"{path}\"")),
            "{}: add {path} to guide/lib.rs",
            block.place()
        );
    }
}

#[test]
fn toml_is_a_system_a_manifest_or_a_configuration() {
    let folder = tempfile::tempdir().unwrap();
    for block in all_blocks().iter().filter(|block| block.language == "toml") {
        let table: toml::Table =
            toml::from_str(&block.text).unwrap_or_else(|error| panic!("{}: {error}", block.place()));
        let of_cargo = ["package", "workspace", "dependencies", "alias", "patch"];
        if of_cargo.iter().any(|key| table.contains_key(*key)) {
            continue;
        }
        let path = folder.path().join("system.toml");
        std::fs::write(&path, &block.text).unwrap();
        std::fs::write(folder.path().join("load.csv"), "time,load\n0,0\n1,20\n").unwrap();
        if let Err(error) = System::open(&path) {
            panic!("{}: {error}", block.place());
        }
    }
}

/// The subcommands of `fmu`, as its `main` has them.
fn fmu_command() -> clap::Command {
    fmu::cli::command()
}

#[test]
fn every_command_line_is_one_that_the_command_accepts() {
    for block in all_blocks().iter().filter(|block| block.language == "sh") {
        for line in block.commands() {
            let words: Vec<&str> = line.iter().map(String::as_str).collect();
            let place = block.place();
            match words[..] {
                ["fmu", ref arguments @ ..] => parse(fmu_command(), "fmu", arguments, &place),
                // The command of this repository has no features but `package`.
                [
                    "cargo",
                    "xtask",
                    "info" | "check" | "simulate" | "linearize" | "couple",
                    ..,
                ] => {
                    panic!("{place}: `cargo xtask` has no such command; use `fmu`")
                }
                ["cargo", "xtask", ref arguments @ ..] => {
                    parse(xtask::Arguments::command(), "cargo xtask", arguments, &place);
                }
                // Commands of others, with arguments that their own documentation describes.
                [
                    "cargo",
                    "test" | "new" | "install" | "doc" | "fmt" | "clippy" | "run" | "build",
                    ..,
                ]
                | ["cd" | "git" | "mdbook" | "pip" | "fmpy", ..] => {}
                // The C driver, which the tests of the C interface build and run.
                ["target/conformance/driver", ..] => {}
                _ => panic!("{place}: no test knows the command `{}`", words.join(" ")),
            }
        }
    }
}

fn parse(command: clap::Command, name: &str, arguments: &[&str], place: &str) {
    let words = std::iter::once(&name).chain(arguments).copied();
    if let Err(error) = command.try_get_matches_from(words) {
        use clap::error::ErrorKind::{DisplayHelp, DisplayVersion};
        assert!(
            matches!(error.kind(), DisplayHelp | DisplayVersion),
            "{place}: {error}"
        );
    }
}

/// The tables of commands say what the help says.
#[test]
fn tables_of_commands_repeat_the_help() {
    let own = ["info", "check", "simulate", "linearize", "couple"];
    for (document, prefix, command, left_out) in [
        ("README.md", "fmu", fmu_command(), &[][..]),
        (
            "CONTRIBUTING.md",
            "cargo xtask",
            xtask::Arguments::command(),
            &own[..],
        ),
    ] {
        let text = read(Path::new(document));
        let listed = |sub: &&clap::Command| !sub.is_hide_set() && !left_out.contains(&sub.get_name());
        for sub in command.get_subcommands().filter(listed) {
            let about = sub.get_about().unwrap().to_string();
            let row = format!("| `{prefix} {}` | ", sub.get_name());
            let said = text.lines().find_map(|line| line.strip_prefix(&row));
            let said =
                said.unwrap_or_else(|| panic!("{document} has no row for {prefix} {}", sub.get_name()));
            assert!(
                said.replace('`', "").starts_with(&about),
                "{document}: {said}\nthe help: {about}"
            );
        }
    }
}

#[test]
fn links_lead_to_files_that_exist() {
    for document in all_documents() {
        let text = read(Path::new(&document));
        let folder = repository().join(&document).parent().unwrap().to_owned();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = target.split('#').next().unwrap_or_default();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            assert!(
                folder.join(target).exists(),
                "{document} links to {target}, which does not exist"
            );
            let is_chapter = document.starts_with("guide/src/");
            assert!(
                !is_chapter || !target.starts_with(".."),
                "{document} links to {target}, which is not a part of the book"
            );
        }
    }
}

/// `folder/` and `folder/file.rs` in backticks are paths in this repository, unless they belong to a user's workspace.
#[test]
fn paths_of_this_repository_exist() {
    for document in [
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "guide/src/extending.md",
        "guide/src/decisions.md",
    ] {
        if !repository().join(document).exists() {
            continue;
        }
        for word in read(Path::new(document)).split('`').skip(1).step_by(2) {
            let is_path = word.contains('/')
                && (word.ends_with('/')
                    || word.ends_with(".rs")
                    || word.ends_with(".md")
                    || word.ends_with(".py"))
                && !word.contains([' ', '*', '<', '\n']);
            assert!(
                !is_path || repository().join(word).exists(),
                "{document}: {word} does not exist"
            );
        }
    }
}

/// Every crate of others that ours use has a reason in the last chapter.
#[test]
fn every_dependency_has_a_reason() {
    let chapter = read(Path::new("guide/src/decisions.md"));
    let reasons = chapter.split("\n## Dependencies\n").nth(1).unwrap();
    let workspace: toml::Table = toml::from_str(&read(Path::new("Cargo.toml"))).unwrap();
    let ours = &workspace["workspace"]["dependencies"];
    let published = ours.as_table().unwrap().values();
    let paths = published.filter_map(|one| one.get("path")?.as_str());
    for path in paths.chain(["xtask", "xtask/header"]) {
        let manifest: toml::Table = toml::from_str(&read(&Path::new(path).join("Cargo.toml"))).unwrap();
        let targets = manifest.get("target").and_then(toml::Value::as_table);
        let tables = targets.into_iter().flatten().map(|(_, table)| table);
        let tables = tables.filter_map(|table| table.get("dependencies"));
        let own = ["dependencies", "build-dependencies"].into_iter();
        for table in own.filter_map(|key| manifest.get(key)).chain(tables) {
            for name in table.as_table().unwrap().keys() {
                let is_ours = ours.get(name).is_some();
                assert!(
                    is_ours || reasons.contains(&format!("`{name}`")),
                    "{path} depends on {name}; guide/src/decisions.md gives no reason"
                );
            }
        }
    }
}

/// A newcomer runs the first block of the README and waits for both commands.
#[test]
fn the_readme_begins_with_two_commands() {
    let blocks = blocks("README.md");
    let first = blocks.iter().find(|block| block.language == "sh").unwrap();
    assert_eq!(first.text, "cargo xtask demo\ncargo xtask test\n");
}

#[test]
fn the_architecture_is_one_page() {
    let words = read(Path::new("ARCHITECTURE.md")).split_whitespace().count();
    assert!(words <= 1400, "{words} words; move details to the guide");
}

#[test]
fn the_summary_lists_every_chapter() {
    let summary = read(Path::new("guide/src/SUMMARY.md"));
    let listed: BTreeSet<String> = summary
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .map(|chapter| format!("guide/src/{}", chapter.trim_start_matches("./")))
        .collect();
    let mut present = chapters();
    present.retain(|chapter| chapter != "guide/src/SUMMARY.md");
    assert_eq!(listed, present.into_iter().collect());
}

fn all_documents() -> Vec<String> {
    let others = DOCUMENTS.iter().map(|document| (*document).to_owned());
    others
        .filter(|document| repository().join(document).exists())
        .chain(chapters())
        .collect()
}

fn all_blocks() -> Vec<Block> {
    all_documents()
        .iter()
        .flat_map(|document| blocks(document))
        .collect()
}
