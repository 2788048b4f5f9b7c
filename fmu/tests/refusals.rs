//! What cannot be packaged, and the sentence that says so.

mod common;

use common::{TestWorkspace, crates, description, fmu_in, source, stderr, stdout};
use fmu::package::{Build, Error, Options};

#[test]
fn a_library_that_is_no_fmu_is_refused() {
    let workspace = TestWorkspace::new();
    workspace.add_source("plain", "pub fn f() {}");
    workspace.add_source(
        "half",
        "#[unsafe(no_mangle)] pub extern \"C\" fn fmi2GetVersion() {}",
    );
    let package = |name| {
        workspace
            .package(&crates(&[name]).with_build(Build::Debug))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        package("plain"),
        "the crate `plain` exports no model; add `export_fmu!(TheModel);` to its src/lib.rs"
    );
    let half = package("half");
    assert!(
        half.contains(" does not export fmi2GetTypesPlatform, fmi2SetDebugLogging"),
        "{half}"
    );
    assert!(half.ends_with(", fmuDescribe"), "{half}");
}

#[test]
fn a_description_that_contradicts_itself_is_refused() {
    let workspace = TestWorkspace::new();
    let mut wrong = description("Decay");
    wrong.guid = "{00000000-0000-0000-0000-000000000000}".to_owned();
    workspace.add_source("guid", &source(&fmu_standard::xml::write(&wrong), ""));
    workspace.add_source("text", &source("<fmiModelDescription", ""));
    let package = |name| {
        workspace
            .package(&crates(&[name]).with_build(Build::Debug))
            .unwrap_err()
            .to_string()
    };
    let guid = package("guid");
    assert!(
        guid.contains("has the GUID {00000000-0000-0000-0000-000000000000}, but its interface gives {"),
        "{guid}"
    );
    let text = package("text");
    assert!(
        text.starts_with("the model description of the crate `text` cannot be read: "),
        "{text}"
    );
}

#[test]
fn two_crates_cannot_make_the_same_file() {
    let workspace = TestWorkspace::new();
    workspace.add_model("decay", "Decay");
    workspace.add_model("rot", "Decay");
    let error = workspace
        .package(&Options::default().with_build(Build::Debug))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the crates `decay` and `rot` both make Decay.fmu; rename one of the models"
    );
}

#[test]
fn what_cannot_be_packaged_is_named_with_the_next_step() {
    let workspace = TestWorkspace::new();
    workspace.add_model("decay", "Decay");
    let root = workspace.root().display().to_string();
    let say = |arguments: &[&str]| {
        let output = workspace.fmu(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        stderr(&output)
            .trim_end()
            .trim_start_matches("error: ")
            .replace(&root, "ROOT")
    };
    let package = |more: &[&str]| say(&[&["package-fmu", "decay"], more].concat());
    assert_eq!(
        say(&["package-fmu", "Decay"]),
        "there is no crate `Decay` in the workspace ROOT; did you mean `decay`? Those marked as FMUs are decay"
    );
    assert_eq!(
        say(&["package-fmu", "pendulum"]),
        "there is no crate `pendulum` in the workspace ROOT; those marked as FMUs are decay"
    );
    assert_eq!(
        say(&["package-fmu"]),
        "no crate is named; write `fmu package-fmu CRATE`, or `fmu package-fmu --all` for every crate of the workspace \
         that has `[package.metadata.fmu]`"
    );
    let arrays = "`--arrays scalar` is for FMI 3.0, and decay would be packaged for FMI 2.0, which has scalars only; add \
                  `--fmi 3` or `--fmi both`, or leave `--arrays` out";
    assert_eq!(package(&["--arrays", "scalar"]), arrays);
    assert_eq!(package(&["--arrays", "scalar", "--fmi", "2"]), arrays);
    assert_eq!(
        package(&["--target", "wasm32-unknown-unknown"]),
        "FMI has no platform for the target `wasm32-unknown-unknown`; libraries are for Linux, Windows and macOS"
    );
    assert_eq!(
        package(&["--target", "x86_64-atari-linux-gnu"]),
        "rustc knows no target `x86_64-atari-linux-gnu`; `rustc --print target-list` shows all"
    );
    assert_eq!(
        package(&["--target", "powerpc64-unknown-linux-gnu"]),
        "the standard library of Rust for `powerpc64-unknown-linux-gnu` is not installed; run: rustup target add \
         powerpc64-unknown-linux-gnu"
    );
    assert_eq!(
        package(&["--platform", "linux64,wim64"]),
        "there is no platform `wim64`; did you mean `win64`? There are linux64, win64, aarch64-linux, darwin64, \
         aarch64-darwin, linux32, win32, aarch64-windows, aarch32-linux, riscv64-linux (or their names of FMI 3.0), and `all`"
    );
    assert_eq!(
        package(&[
            "--platform",
            "x86_64-windows",
            "--target",
            "x86_64-pc-windows-msvc"
        ]),
        "the targets `x86_64-pc-windows-gnu` and `x86_64-pc-windows-msvc` both belong into binaries/win64; choose one of them"
    );
    assert_eq!(
        package(&[
            "--target",
            "x86_64-unknown-linux-gnu",
            "--target",
            "x86_64-unknown-linux-musl"
        ]),
        "the targets `x86_64-unknown-linux-gnu` and `x86_64-unknown-linux-musl` both belong into binaries/linux64; choose \
         one of them"
    );
}

#[test]
fn a_workspace_without_models_says_how_to_mark_one() {
    let workspace = TestWorkspace::new();
    workspace.write(
        "models/plain/Cargo.toml",
        "[package]\nname = 'plain'\nedition = '2024'\n",
    );
    workspace.write("models/plain/src/main.rs", "fn main() {}");
    let error = workspace.package(&Options::default()).unwrap_err();
    assert!(matches!(error, Error::NothingMarked { .. }));
    assert!(
        error
            .to_string()
            .ends_with("add a line `[package.metadata.fmu]` to the Cargo.toml of each model")
    );
    let error = workspace.package(&crates(&["plain"])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the crate `plain` has no library; a model is exported from src/lib.rs"
    );
}

#[test]
fn code_that_does_not_compile_fails_with_the_compilers_words() {
    let workspace = TestWorkspace::new();
    workspace.add_source("wrong", "pub fn f() -> u8 { \"text\" }");
    let output = workspace.fmu(&["package-fmu", "wrong", "--debug"]);
    let error = stderr(&output);
    assert!(error.contains("mismatched types"), "{error}");
    assert!(
        error.contains("error: the crate `wrong` does not build for "),
        "{error}"
    );
    assert_eq!(stdout(&output), "");
}

#[test]
fn without_a_workspace_cargo_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let output = fmu_in(folder.path(), &["package-fmu", "--all"], &[]);
    assert!(
        stderr(&output).contains("error: cargo cannot read the workspace of "),
        "{}",
        stderr(&output)
    );
    assert!(
        stderr(&output).contains("could not find `Cargo.toml`"),
        "{}",
        stderr(&output)
    );
}
