//! Packaging through the public door, with real builds of small models.

mod common;

use std::fs;

use common::{
    Recorder, TestWorkspace, crates, description, entries, fmu_in, read_entry, source, stderr, stdout,
};
use fmu::package::{Build, Options};

#[test]
fn an_fmu_has_library_description_documentation_licences_and_resources() {
    let workspace = TestWorkspace::new();
    workspace.add_model("decay", "Decay");
    workspace.write("models/decay/resources/tables/k.csv", "1,2\n");

    let output = workspace.fmu(&["package-fmu", "decay"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stdout(&output), "target/fmu/Decay.fmu\n");

    let fmu = workspace.root().join("target/fmu/Decay.fmu");
    let library = format!("Decay.{}", std::env::consts::DLL_EXTENSION);
    let mut names = entries(&fmu);
    let binary = names.remove(0);
    assert!(
        binary.starts_with("binaries/") && binary.ends_with(&library),
        "{binary}"
    );
    assert_eq!(
        names,
        [
            "documentation/index.html",
            "documentation/licenses/LICENSE",
            "documentation/licenses/license.txt",
            "modelDescription.xml",
            "resources/tables/k.csv"
        ]
    );
    let xml = String::from_utf8(read_entry(&fmu, "modelDescription.xml")).unwrap();
    assert_eq!(fmu_standard::xml::read(&xml).unwrap(), description("Decay"));
    let page = String::from_utf8(read_entry(&fmu, "documentation/index.html")).unwrap();
    assert!(page.contains("Decays &amp; fades"), "{page}");
    let licenses = String::from_utf8(read_entry(&fmu, "documentation/licenses/license.txt")).unwrap();
    assert!(
        licenses.starts_with("decay 0.1.0: MIT\n    LICENSE\n"),
        "{licenses}"
    );
}

#[test]
fn the_command_reports_each_step_on_standard_error() {
    let workspace = TestWorkspace::new();
    workspace.add_model("decay", "Decay");
    workspace.add_model("growth", "Growth");
    let output = workspace.fmu(&["package-fmu", "--all", "--debug", "--out", "made here"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stdout(&output), "made here/Decay.fmu\nmade here/Growth.fmu\n");

    let ours = ["Building", "Describing", "Checked", "Packaged"];
    let lines: Vec<String> = stderr(&output)
        .lines()
        .filter(|line| ours.contains(&line.split_whitespace().next().unwrap_or_default()))
        .map(without_numbers)
        .collect();
    let glibc = if cfg!(target_env = "gnu") {
        ", needs GLIBC # or newer"
    } else {
        ""
    };
    let folder = fmu::package::Platform::of(&host()).unwrap().folder;
    let extension = std::env::consts::DLL_EXTENSION;
    let mut expected = Vec::new();
    for (name, model) in [("decay", "Decay"), ("growth", "Growth")] {
        expected.extend([
            format!("    Building {name} for {folder} (debug)"),
            format!("  Describing {name}"),
            format!("     Checked {folder}/{model}.{extension}: # symbols, # MB{glibc}"),
        ]);
    }
    // All of them are put into their places at the end.
    expected.extend(
        ["Decay", "Growth"].map(|model| {
            format!("    Packaged {model}.fmu: # variables, # state, no event indicators, # MB")
        }),
    );
    assert_eq!(
        lines,
        expected
            .iter()
            .map(|line| without_numbers(line))
            .collect::<Vec<_>>()
    );
}

#[test]
fn a_place_that_fmus_cannot_have_is_found_before_it_is_said_that_they_are_packaged() {
    let workspace = TestWorkspace::new();
    workspace.add_model("decay", "Decay");
    workspace.write("afile", "not a folder\n");
    for out in ["afile", "afile/sub"] {
        let output = workspace.fmu(&["package-fmu", "--debug", "decay", "--out", out]);
        let said = stderr(&output);
        assert!(!output.status.success() && !said.contains("Building"), "{said}");
        assert!(
            said.contains("a folder is needed, and ")
                && said.contains("afile is not one; give --out a folder"),
            "{said}"
        );
    }
    workspace.write("out/Decay.fmu/inside", "");
    let output = workspace.fmu(&["package-fmu", "--debug", "decay", "--out", "out"]);
    let said = stderr(&output);
    assert!(!output.status.success() && !said.contains("Packaged"), "{said}");
    assert!(
        said.contains("Decay.fmu: there is a folder of that name"),
        "{said}"
    );
}

/// Sizes and versions differ from machine to machine.
fn without_numbers(line: &str) -> String {
    let number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let words = line.split(' ').map(|word| if number(word) { "#" } else { word });
    words.collect::<Vec<_>>().join(" ").replace("KB", "MB")
}

fn host() -> String {
    let version = std::process::Command::new("rustc").arg("-vV").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap()
        .to_owned()
}

#[test]
fn the_same_sources_give_the_same_bytes_in_another_folder() {
    let make = |folder: &TestWorkspace| {
        // A panic with its place, and a crate beside: both are where paths get into libraries.
        let boom = "if std::env::args().count() > 1_000_000 { part::boom(3) }";
        folder.add_source(
            "part",
            "pub fn boom(n: usize) { [1, 2, 3].get(n).expect(file!()); }",
        );
        folder.add_source(
            "decay",
            &source(&fmu_standard::xml::write(&description("Decay")), boom),
        );
        let manifest = folder.root().join("models/decay/Cargo.toml");
        let text = fs::read_to_string(&manifest).unwrap() + "[dependencies]\npart = { path = '../part' }\n";
        fs::write(manifest, text).unwrap();
        let paths = folder.package(&crates(&["decay"])).unwrap();
        fs::read(&paths[0]).unwrap()
    };
    let (one, two) = (TestWorkspace::new(), TestWorkspace::new());
    let (first, second) = (make(&one), make(&two));
    assert!(first == second, "the FMUs differ");

    let fmu = one.root().join("target/fmu/Decay.fmu");
    let licenses = String::from_utf8(read_entry(&fmu, "documentation/licenses/license.txt")).unwrap();
    assert!(
        licenses.contains("\npart 0.1.0: MIT\n    LICENSE\n"),
        "{licenses}"
    );
    let library = read_entry(&fmu, &entries(&fmu)[0]);
    let root = one.root();
    let place = root.to_str().unwrap().as_bytes();
    assert!(
        !library.windows(place.len()).any(|window| window == place),
        "the library knows where it was built"
    );
    let home = std::env::home_dir().unwrap().join(".cargo");
    let home = home.to_str().unwrap().as_bytes();
    assert!(
        !library.windows(home.len()).any(|window| window == home),
        "the library knows who built it"
    );
}

#[test]
fn panics_unwind_whatever_profile_configuration_and_environment_say() {
    let workspace = TestWorkspace::new();
    workspace.write(
        "Cargo.toml",
        "[workspace]\nresolver = '2'\nmembers = ['models/*']\n[profile.release]\npanic = 'abort'\n\
         [profile.fmu-release]\ninherits = 'release'\npanic = 'abort'\n",
    );
    workspace.write(
        ".cargo/config.toml",
        "[build]\nrustflags = ['-Cpanic=abort']\n[profile.fmu-release]\npanic = 'abort'\n",
    );
    workspace.add_source("decay", &source("", "panic!(\"a wire came loose\");"));
    let environment = [
        ("RUSTFLAGS", "-C panic=abort"),
        ("CARGO_PROFILE_FMU_RELEASE_PANIC", "abort"),
    ];
    let output = fmu_in(&workspace.root(), &["package-fmu", "decay"], &environment);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let error = stderr(&output);
    let expected =
        "error: the model of the crate `decay` cannot be described: it panicked, and the panic was caught";
    assert!(error.contains(expected), "{error}");
    assert!(error.contains("warning: the rustflags of"), "{error}");
}

#[test]
fn a_failed_run_changes_nothing() {
    let workspace = TestWorkspace::new();
    workspace.add_model("decay", "Decay");
    workspace.add_source(
        "wrong",
        &source("", "return Err(\"the table has no rows\".to_owned());"),
    );
    workspace.write("out/Decay.fmu", "as it was");
    let options = Options::default().with_out("out").with_build(Build::Debug);
    let error = workspace.package(&options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the model of the crate `wrong` cannot be described: the table has no rows"
    );
    let arguments = ["package-fmu", "--all", "--debug", "--out", "out"];
    let said = stderr(&fmu_in(&workspace.root(), &arguments, &[]));
    let expected = "warning: Decay.fmu was not written, although complete: \
                    the FMUs of one command are written together or not at all";
    assert!(said.contains(expected), "{said}");
    assert_eq!(
        fs::read_to_string(workspace.root().join("out/Decay.fmu")).unwrap(),
        "as it was"
    );
    assert_eq!(
        fs::read_dir(workspace.root().join("out")).unwrap().count(),
        1,
        "something was left behind"
    );
}

#[test]
fn a_date_is_written_only_if_one_is_given() {
    let workspace = TestWorkspace::new();
    workspace.add_model("decay", "Decay");
    let arguments = ["package-fmu", "decay", "--debug"];
    let output = fmu_in(
        &workspace.root(),
        &arguments,
        &[("SOURCE_DATE_EPOCH", "1000000000")],
    );
    assert!(output.status.success(), "{}", stderr(&output));
    let xml = read_entry(
        &workspace.root().join("target/fmu/Decay.fmu"),
        "modelDescription.xml",
    );
    let read = fmu_standard::xml::read(std::str::from_utf8(&xml).unwrap()).unwrap();
    assert_eq!(
        read.generation_date_and_time.as_deref(),
        Some("2001-09-09T01:46:40Z")
    );
    assert_eq!(read.guid, description("Decay").guid);

    let output = fmu_in(
        &workspace.root(),
        &arguments,
        &[("SOURCE_DATE_EPOCH", "yesterday")],
    );
    assert!(
        stderr(&output).starts_with("error: SOURCE_DATE_EPOCH is `yesterday`; it must be"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn what_the_library_exports_beyond_the_standard_is_a_warning() {
    let workspace = TestWorkspace::new();
    let leak = "\n#[unsafe(no_mangle)] pub extern \"C\" fn helper() {}\n";
    workspace.add_source(
        "decay",
        &(source(&fmu_standard::xml::write(&description("Decay")), "") + leak),
    );
    let mut recorder = Recorder::default();
    let options = crates(&["decay"]).with_build(Build::Debug);
    fmu::package::package(&workspace.root(), &options, &mut recorder).unwrap();
    assert_eq!(recorder.warnings.len(), 1, "{:?}", recorder.warnings);
    assert!(
        recorder.warnings[0].starts_with("the library also exports helper;"),
        "{:?}",
        recorder.warnings
    );
}

#[cfg(unix)]
#[test]
fn commands_that_package_at_once_in_one_target_folder_get_their_own_libraries() {
    use std::os::unix::fs::PermissionsExt;

    // Two workspaces whose crates have one name: their libraries have one path, and each build replaces that of the other.
    let [first, second] = ["First", "Second"].map(|model| {
        let workspace = TestWorkspace::new();
        workspace.add_model("plant", model);
        (model, workspace)
    });
    // A cargo that takes its time to end leaves the other command time to build.
    let folder = tempfile::tempdir().unwrap();
    let slow_cargo = folder.path().join("cargo");
    let script = format!(
        "#!/bin/sh\n'{}' \"$@\"\ncode=$?\n[ \"$1\" = rustc ] && sleep 1\nexit $code\n",
        env!("CARGO")
    );
    fs::write(&slow_cargo, script).unwrap();
    fs::set_permissions(&slow_cargo, fs::Permissions::from_mode(0o755)).unwrap();
    let environment = [
        ("CARGO", slow_cargo.display().to_string()),
        (
            "CARGO_TARGET_DIR",
            folder.path().join("target").display().to_string(),
        ),
    ];
    let environment = environment
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let package = |(model, workspace): &(&str, TestWorkspace)| {
        for round in 0..2 {
            let arguments = ["package-fmu", "plant", "--debug", "--out", "made"];
            let output = fmu_in(&workspace.root(), &arguments, &environment);
            assert!(
                output.status.success(),
                "{model}, round {round}: {}",
                stderr(&output)
            );
            let fmu = workspace.root().join(format!("made/{model}.fmu"));
            let library = format!("/{model}.{}", std::env::consts::DLL_EXTENSION);
            let entry = entries(&fmu).into_iter().find(|name| name.ends_with(&library));
            let text = format!("modelName=\"{model}\"");
            let bytes = read_entry(&fmu, &entry.unwrap());
            let is_own = bytes.windows(text.len()).any(|window| window == text.as_bytes());
            assert!(
                is_own,
                "{model}, round {round}: the library is that of another model"
            );
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| package(&first));
        scope.spawn(|| package(&second));
    });
}

#[test]
fn an_fmu_that_breaks_a_rule_is_not_written_and_the_rule_is_named() {
    let workspace = TestWorkspace::new();
    let mut broken = description("Decay");
    // The structure lacks the output.
    broken.model_structure.outputs.clear();
    broken.guid = fmu_standard::guid(&broken);
    workspace.add_source("decay", &source(&fmu_standard::xml::write(&broken), ""));
    let output = workspace.fmu(&["package-fmu", "decay", "--out", "made"]);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("made/Decay.fmu is not written, because `fmu check --strict` would complain:"),
        "{said}"
    );
    assert!(
        said.contains("\n  warning M1: Outputs lists every variable of causality output"),
        "{said}"
    );
    assert!(stdout(&output).is_empty());
    let made = fs::read_dir(workspace.root().join("made")).unwrap();
    assert_eq!(made.count(), 0, "nothing is written, and nothing is left");
}
