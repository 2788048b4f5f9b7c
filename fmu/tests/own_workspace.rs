//! The commands in a user's own workspace, made of the files that the README prints.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::{TestWorkspace, read_entry, stderr, stdout};

/// The folder of this repository.
fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// How dependencies are compiled here, package by package: so what is compiled here serves there.
fn profiles() -> String {
    let manifest = std::fs::read_to_string(repository().join("Cargo.toml")).unwrap();
    // A profile for a package that is not there would be warned of.
    let absent = ["cbindgen]", "random-models]"];
    let tables = manifest.split("\n[").skip(1);
    tables
        .filter(|table| table.starts_with("profile.dev.package.") || table.starts_with("profile.dev]"))
        .filter(|table| !absent.iter().any(|absent| table.contains(&format!(".{absent}"))))
        .map(|table| format!("[{}\n", table.trim_end()))
        .collect()
}

/// The files that the README prints for a workspace of one's own, by their names: the line before a block ends with the
/// name and a colon.
fn printed_files() -> Vec<(String, String)> {
    let readme = std::fs::read_to_string(repository().join("README.md")).unwrap();
    let mut files = Vec::new();
    let mut rest = readme.as_str();
    while let Some((before, after)) = rest.split_once("\n```") {
        let (first, after) = after.split_once('\n').unwrap();
        let (block, after) = after.split_once("```").unwrap();
        let name = before.trim_end().lines().last().unwrap_or_default();
        let name = name.strip_suffix("`:").and_then(|line| line.rsplit('`').next());
        if let Some(name) = name
            && (first == "toml" || first.starts_with("rust"))
        {
            files.push((name.to_owned(), block.to_owned()));
        }
        rest = after;
    }
    files
}

/// The workspace of the README, with this repository in the folder that it names or by another line.
fn workspace(source: &dyn Fn(&str) -> String, patch: &str) -> TestWorkspace {
    let workspace = TestWorkspace::new();
    let lock = std::fs::read_to_string(repository().join("Cargo.lock")).unwrap();
    workspace.write("Cargo.lock", &lock);
    let profiles = profiles();
    assert!(profiles.contains("clap_builder"), "{profiles}");
    let files = printed_files();
    for expected in [
        "Cargo.toml",
        ".cargo/config.toml",
        "xtask/Cargo.toml",
        "xtask/src/main.rs",
    ] {
        let (_, text) = files
            .iter()
            .find(|(name, _)| name == expected)
            .unwrap_or_else(|| panic!("the README prints no {expected}"));
        let text = match expected {
            "Cargo.toml" => format!("{}\n{patch}\n{profiles}", source(text)),
            // Under another name: both are built into one target folder, where `xtask` is the program that may be
            // running this test.
            "xtask/Cargo.toml" => renamed(text, "name = \"xtask\"", "name = \"own-xtask\""),
            ".cargo/config.toml" => renamed(text, "--package xtask", "--package own-xtask"),
            _ => text.clone(),
        };
        workspace.write(expected, &text);
    }
    workspace
}

/// A text with another name in it, which must be there.
fn renamed(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "the README prints no {from}: {text}");
    text.replace(from, to)
}

/// The path of a crate of this repository, as a manifest has it.
fn crate_path(name: &str) -> String {
    repository().join(name).display().to_string().replace('\\', "/")
}

fn cargo(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new("cargo");
    command.args(arguments).current_dir(folder);
    // What this test was built with need not be compiled again.
    let test = std::env::current_exe().unwrap();
    command.env("CARGO_TARGET_DIR", test.ancestors().nth(3).unwrap());
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "cargo {arguments:?}\n{}",
        stderr(&output)
    );
    output
}

/// By the folder, as the README prints it.
#[test]
fn a_new_model_is_tested_and_packaged_at_once() {
    let here = |text: &str| {
        let here = repository().display().to_string().replace('\\', "/");
        assert!(text.contains("\"../fmu-in-rust/fmu\"") && text.contains("\"../fmu-in-rust/fmu-runtime\""));
        text.replace("../fmu-in-rust", &here)
    };
    let workspace = workspace(&here, "");
    let root = workspace.root();
    let help = cargo(&root, &["xtask", "--help"]);
    assert!(
        stdout(&help).contains("package-fmu") && stdout(&help).contains("new-model"),
        "{}",
        stdout(&help)
    );

    let created = cargo(&root, &["xtask", "new-model", "heat-pump"]);
    assert_eq!(stdout(&created), "heat-pump\n");
    assert!(
        stderr(&created).contains("then run: cargo xtask package-fmu heat-pump"),
        "{}",
        stderr(&created)
    );

    let tested = cargo(&root, &["test", "--package", "heat-pump"]);
    assert!(stdout(&tested).contains("2 passed"), "{}", stdout(&tested));

    let packaged = cargo(&root, &["xtask", "package-fmu", "--all", "--out", "made"]);
    assert_eq!(stdout(&packaged), "made/HeatPump.fmu\n");
    assert!(!stderr(&packaged).contains("warning"), "{}", stderr(&packaged));
    let xml = read_entry(&root.join("made/HeatPump.fmu"), "modelDescription.xml");
    let description = fmu_standard::xml::read(xml).unwrap();
    assert_eq!(
        description.description.as_deref(),
        Some("A cup of coffee that cools down in a room.")
    );
    let names: Vec<&str> = description
        .model_variables
        .iter()
        .map(|variable| variable.name.as_str())
        .collect();
    let expected = [
        "temperature",
        "room",
        "capacity",
        "conductance",
        "heat_flow",
        "der(temperature)",
        "time",
    ];
    assert_eq!(names, expected);
}

/// By a version, as from a registry: a patch stands in for what is not published.
#[test]
fn a_workspace_may_name_versions() {
    let by_version = |text: &str| {
        let lines = text.lines().map(|line| match line.split_once(" = ") {
            Some(("fmu", _)) => {
                r#"fmu = { version = "0.1", default-features = false, features = ["package"] }"#
            }
            Some(("fmu-runtime", _)) => r#"fmu-runtime = "0.1""#,
            _ => line,
        });
        lines.map(|line| format!("{line}\n")).collect()
    };
    let patched = ["fmu", "fmu-runtime"]
        .map(|name| format!("{name} = {{ path = '{}' }}\n", crate_path(name)))
        .concat();
    let workspace = workspace(&by_version, &format!("[patch.crates-io]\n{patched}"));
    let root = workspace.root();
    cargo(&root, &["xtask", "new-model", "heat-pump"]);
    let manifest = std::fs::read_to_string(root.join("heat-pump/Cargo.toml")).unwrap();
    assert!(manifest.contains("fmu-runtime.workspace = true"), "{manifest}");
    cargo(&root, &["check", "--package", "heat-pump"]);
}

/// Runs git, which must be there and succeed; its output without the line break at the end.
fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(folder);
    for who in ["AUTHOR", "COMMITTER"] {
        // The same files make the same commit, so that cargo's cache has one checkout of them.
        command.env(format!("GIT_{who}_NAME"), "test");
        command.env(format!("GIT_{who}_EMAIL"), "test@localhost");
        command.env(format!("GIT_{who}_DATE"), "2000-01-01T00:00:00Z");
    }
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("this test needs git, which cannot be started: {error}"));
    assert!(
        output.status.success(),
        "git {arguments:?} in {}: this test needs git and a checkout of this repository\n{}",
        folder.display(),
        stderr(&output)
    );
    stdout(&output).trim_end().to_owned()
}

/// The address of a bare repository with the last commit of this one. Its history is left out: that of a checkout may be
/// incomplete, and cargo would copy it.
fn cloned() -> String {
    // One place for all runs: cargo keeps a copy per address.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fmu-in-rust.git");
    let repository = repository();
    let top = PathBuf::from(git(&repository, &["rev-parse", "--show-toplevel"]));
    assert_eq!(
        top.canonicalize().unwrap(),
        repository.canonicalize().unwrap(),
        "this test needs a checkout of this repository"
    );
    if folder.exists() {
        std::fs::remove_dir_all(&folder).unwrap();
    }
    let [from, to] = [&repository, &folder].map(|path| path.to_str().unwrap());
    git(&repository, &["clone", "--quiet", "--bare", from, to]);
    let commit = git(&folder, &["commit-tree", "-m", "As it is", "HEAD^{tree}"]);
    git(&folder, &["update-ref", "refs/heads/as-it-is", &commit]);
    git(&folder, &["symbolic-ref", "HEAD", "refs/heads/as-it-is"]);
    format!("file:///{}", to.replace('\\', "/").trim_start_matches('/'))
}

/// From a Git repository: the last commit of this one, by the line of the README with another address.
#[test]
fn a_workspace_may_name_a_git_repository() {
    let readme = std::fs::read_to_string(repository().join("README.md")).unwrap();
    let row = readme
        .lines()
        .find(|line| line.starts_with("| a Git repository |"));
    let line = row
        .and_then(|row| row.split('`').nth(1))
        .expect("a row of the table");
    let line = renamed(line, "https://example.org/fmu-in-rust", &cloned());
    let (name, source) = line.split_once(" = { ").expect("a dependency");
    let source = source.strip_suffix(" }").expect("its end");
    assert_eq!(name, "fmu-runtime");
    let by_git = |text: &str| {
        let text = renamed(text, "path = \"../fmu-in-rust/fmu-runtime\"", source);
        renamed(&text, "path = \"../fmu-in-rust/fmu\"", source)
    };
    let workspace = workspace(&by_git, "");
    let root = workspace.root();
    let created = workspace.fmu(&["new-model", "heat-pump"]);
    assert!(created.status.success(), "{}", stderr(&created));
    let manifest = std::fs::read_to_string(root.join("heat-pump/Cargo.toml")).unwrap();
    assert!(manifest.contains("fmu-runtime.workspace = true"), "{manifest}");
    cargo(&root, &["check", "--package", "heat-pump"]);
    // Both crates are those of the repository.
    let lock = std::fs::read_to_string(root.join("Cargo.lock")).unwrap();
    for name in ["fmu", "fmu-runtime"] {
        let package = lock
            .split("[[package]]")
            .find(|package| package.contains(&format!("name = \"{name}\"\n")));
        let package = package.unwrap_or_else(|| panic!("no {name} in {lock}"));
        assert!(package.contains("source = \"git+file:///"), "{package}");
    }
}
