//! Texts of an FMU that would steer a terminal: no command prints them as they are.

use test_support::fmus;

use std::process::Command;

use fmus::{DESCRIPTION, Recipe};

/// Whether a terminal would do something else than show it.
fn steers(character: char) -> bool {
    character.is_control() && !matches!(character, '\n' | '\t') || character == '\u{202e}'
}

#[test]
fn control_characters_of_names_and_texts_are_shown_as_escapes() {
    let nasty = "&#27;]0;title&#7;&#155;31m&#13;&#127;\u{202e}";
    let description = DESCRIPTION
        .replace("modelName=\"Oscillator\"", &format!("modelName=\"Osc{nasty}\""))
        .replace("A damped", &format!("A{nasty} damped"))
        .replace("name=\"y\"", &format!("name=\"y{nasty}\""))
        .replace("name=\"m/s\"", &format!("name=\"m/s{nasty}\""))
        .replace("unit=\"m/s\"", &format!("unit=\"m/s{nasty}\""))
        .replace("name=\"driven\"", &format!("name=\"driven{nasty}\""));
    assert_ne!(description, DESCRIPTION);
    // One that works, one whose error messages are shown, and one that logs such texts itself.
    let build = |flags: &[&str]| {
        Recipe {
            description: description.clone(),
            flags: flags.iter().map(ToString::to_string).collect(),
            ..Default::default()
        }
        .build()
    };
    let tests = [
        build(&[]),
        build(&["-DFAULT_INITIALIZATION_ERROR"]),
        build(&["-DFAULT_STEERING"]),
    ];
    let system = "[simulation]\nstop = 0.1\nstep = 0.01\n[components.a]\nfmu = 'oscillator.fmu'\n";
    let commands: [&[&str]; 9] = [
        &["info", "oscillator.fmu"],
        &["info", "--all", "oscillator.fmu"],
        &["check", "oscillator.fmu"],
        &["check", "--run", "oscillator.fmu"],
        &["linearize", "oscillator.fmu"],
        &["simulate", "oscillator.fmu", "--output", "out.csv", "--log"],
        &[
            "simulate",
            "oscillator.fmu",
            "--set",
            "nothing=1",
            "--output",
            "out.csv",
        ],
        &["couple", "system.toml", "--output", "out.csv", "--log"],
        &["couple", "system.toml", "--advise"],
    ];
    for test in &tests {
        std::fs::write(test.folder.path().join("system.toml"), system).expect("the system is written");
        for arguments in commands {
            let output = Command::new(env!("CARGO_BIN_EXE_fmu"))
                .args(arguments)
                .current_dir(test.folder.path())
                .output()
                .expect("the command runs");
            for stream in [&output.stdout, &output.stderr] {
                let text = String::from_utf8_lossy(stream);
                assert!(!text.contains(steers), "{arguments:?}: {text:?}");
            }
        }
        let shown = Command::new(env!("CARGO_BIN_EXE_fmu"))
            .args(["info", "oscillator.fmu"])
            .current_dir(test.folder.path())
            .output()
            .expect("the command runs");
        let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
        assert!(shown.contains("y\\u{1b}]0;title\\u{7}"), "{shown}");
    }
    let logged = Command::new(env!("CARGO_BIN_EXE_fmu"))
        .args(["simulate", "oscillator.fmu", "--output", "out.csv", "--log"])
        .current_dir(tests[2].folder.path())
        .output()
        .expect("the command runs");
    let logged = String::from_utf8_lossy(&logged.stderr).into_owned();
    assert!(
        logged.contains("[cat\\u{1b}[2Jegory] fmi2Warning: a \\u{1b}]0;title\\u{7}"),
        "{logged}"
    );
}
