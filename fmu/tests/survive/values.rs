//! What an FMU claims and returns is not believed: numbers that are none, sizes, texts, pipes in place of files.

use std::process::Command;
use std::time::{Duration, Instant};

use test_support::fmus::{self, Recipe, TestFmu};
use test_support::zip::Entry;

/// Runs a command in the folder of an FMU: its exit code, and all that it prints.
fn run(fmu: &TestFmu, arguments: &str) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_fmu"))
        .args(arguments.split(' '))
        .current_dir(fmu.folder.path())
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

/// A system of two of the FMU.
fn write_pair(fmu: &TestFmu) {
    let system = "[simulation]\nstop = 1.0\nstep = 0.1\n\
                  [components.one]\nfmu = \"oscillator.fmu\"\n[components.two]\nfmu = \"oscillator.fmu\"\n";
    std::fs::write(fmu.folder.path().join("pair.toml"), system).unwrap();
}

#[test]
fn a_value_that_is_not_a_number_is_an_error_with_variable_and_time() {
    let fmu = fmus::faulty("NAN_OUTPUT");
    for in_process in [false, true] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fmu"));
        command.args([
            "simulate",
            "oscillator.fmu",
            "--interface",
            "cs",
            "--output",
            "out.csv",
        ]);
        command.args(in_process.then_some("--in-process"));
        let output = command.current_dir(fmu.folder.path()).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert_eq!(
            error.matches("y is not a number (NaN) at time 0.5").count(),
            1,
            "{error}"
        );
        let table = std::fs::read_to_string(fmu.folder.path().join("out.csv")).unwrap();
        assert_eq!(table.lines().count(), 302, "all rows are written");
    }
}

#[test]
fn an_output_that_is_not_a_number_is_an_error_though_it_is_not_recorded() {
    let fmu = fmus::faulty("NAN_OUTPUT");
    for interface in ["cs", "me"] {
        for recorded in ["x", "label"] {
            let output = Command::new(env!("CARGO_BIN_EXE_fmu"))
                .args(["simulate", "oscillator.fmu", "--interface", interface])
                .args(["--record", recorded, "--json", "--output", "out.csv"])
                .current_dir(fmu.folder.path())
                .output()
                .unwrap();
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            let case = format!("{interface} {recorded}: {error}");
            assert_eq!(output.status.code(), Some(1), "{case}");
            assert_eq!(error.matches("is not a number").count(), 1, "{case}");
            assert!(
                error.contains("error: y is not a number (NaN) at time 0.5"),
                "{case}"
            );
            let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
            assert_eq!(json["notFinite"]["variable"], "y", "{json}");
            assert_eq!(json["notFinite"]["value"], "NaN", "{json}");
            let table = std::fs::read_to_string(fmu.folder.path().join("out.csv")).unwrap();
            let header = format!("time,{recorded}");
            assert!(
                table.starts_with(&header) && table.lines().count() >= 302,
                "{table}"
            );
        }
    }
}

#[test]
fn an_infinite_value_is_an_error_with_variable_and_time() {
    // Differences of infinite values are not numbers.
    let fmu = Recipe {
        description: fmus::DESCRIPTION.replace(" providesDirectionalDerivative=\"true\"", ""),
        flags: vec!["-DFAULT_INFINITE_OUTPUT".into()],
        ..Default::default()
    }
    .build();
    let system = "record = [\"one.x\"]\n[simulation]\nstop = 1.0\nstep = 0.1\n\
                  [components.one]\nfmu = \"oscillator.fmu\"\n";
    std::fs::write(fmu.folder.path().join("one.toml"), system).unwrap();
    std::fs::write(
        fmu.folder.path().join("all.toml"),
        &system[system.find('\n').unwrap()..],
    )
    .unwrap();
    let cases = [
        (
            "simulate oscillator.fmu --interface cs --output out.csv",
            "y is infinite (inf) at time 0.5",
        ),
        (
            "simulate oscillator.fmu --interface me --output out.csv",
            "y is infinite (inf) at time 0.5",
        ),
        ("couple one.toml --output out.csv", "one.y is inf"),
        ("couple all.toml --insist --output out.csv", "one.y is inf"),
        (
            "linearize oscillator.fmu --at 0.9 --output out.csv",
            "the derivative of y by v of Oscillator is ",
        ),
    ];
    for (arguments, sentence) in cases {
        let output = Command::new(env!("CARGO_BIN_EXE_fmu"))
            .args(arguments.split(' '))
            .current_dir(fmu.folder.path())
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments}: {error}");
        assert_eq!(error.matches(sentence).count(), 1, "{arguments}: {error}");
    }
}

#[test]
fn matrices_that_are_not_numbers_are_an_error() {
    let fmu = Recipe {
        description: fmus::DESCRIPTION.replace(" providesDirectionalDerivative=\"true\"", ""),
        flags: vec!["-DFAULT_NAN_OUTPUT".into()],
        ..Default::default()
    }
    .build();
    let (code, said) = run(&fmu, "linearize oscillator.fmu --at 0.9");
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("the derivative of y by ") && said.contains("is NaN at time 0.9"),
        "{said}"
    );
}

#[test]
fn a_coupled_value_that_is_not_a_number_is_an_error_though_it_is_not_recorded() {
    let fmu = fmus::faulty("NAN_OUTPUT");
    // `y` feeds nothing, and `x` alone is recorded.
    let system = |more: &str| {
        format!(
            "record = [\"one.x\"]\n[simulation]\nstop = 1.0\nstep = 0.1\n{more}\n\
             [components.one]\nfmu = \"oscillator.fmu\"\n[components.two]\nfmu = \"oscillator.fmu\"\n"
        )
    };
    for more in ["", "[control]\ntolerance = 1e-3", "algorithm = \"gauss-seidel\""] {
        std::fs::write(fmu.folder.path().join("pair.toml"), system(more)).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_fmu"))
            .args(["couple", "pair.toml", "--output", "out.csv"])
            .current_dir(fmu.folder.path())
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{more}: {error}");
        let sentence = error.lines().find(|line| line.contains("is not a number (NaN)"));
        assert!(
            sentence.is_some_and(|line| line.contains("one.y") || line.contains("two.y")),
            "{more}: {error}"
        );
    }
}

#[test]
fn a_pipe_in_place_of_a_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.fmu");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    for command in ["info", "check", "simulate", "linearize", "couple"] {
        let begin = Instant::now();
        let output = Command::new(env!("CARGO_BIN_EXE_fmu"))
            .arg(command)
            .arg(&pipe)
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && error.contains("a pipe or a device"),
            "{command}: {error}"
        );
        assert!(begin.elapsed() < Duration::from_secs(5));
    }
}

#[test]
fn a_number_of_indicators_that_no_machine_has_room_for_is_refused() {
    let description = fmus::DESCRIPTION.replace(
        "numberOfEventIndicators=\"1\"",
        "numberOfEventIndicators=\"2000000000\"",
    );
    let fmu = Recipe {
        description,
        ..Default::default()
    }
    .build();
    write_pair(&fmu);
    for arguments in [
        "simulate oscillator.fmu",
        "linearize oscillator.fmu",
        "couple pair.toml --interface model-exchange",
        "couple pair.toml --interface model-exchange --isolate one",
        "check oscillator.fmu",
        "check --run oscillator.fmu",
    ] {
        let (code, said) = run(&fmu, arguments);
        assert_eq!(code, Some(1), "{arguments}: {said}");
        let claim = match arguments.starts_with("check") {
            true => "`numberOfEventIndicators`: it is 2000000000",
            false => "numberOfEventIndicators = 2000000000",
        };
        assert!(said.contains(claim), "{arguments}: {said}");
    }
}

#[test]
fn a_description_that_is_too_long_is_refused_before_it_is_unpacked() {
    // About 130 times as long as the archive, which alone would be allowed.
    let spaces = vec![b' '; 270 << 20];
    let begin = fmus::DESCRIPTION.find("<ModelVariables>").unwrap();
    let (head, tail) = fmus::DESCRIPTION.as_bytes().split_at(begin);
    let mut random = test_support::random::Random(1);
    let ballast: Vec<u8> = (0..2 << 20).map(|_| random.bits() as u8).collect();
    let fmu = fmus::write_archive(&[
        Entry::new("modelDescription.xml", &[head, &spaces, tail].concat()),
        Entry::stored("resources/ballast", &ballast),
    ]);
    let system = "[simulation]\nstop = 1.0\nstep = 0.1\n[components.one]\nfmu = \"test.fmu\"\n";
    std::fs::write(fmu.folder.path().join("one.toml"), system).unwrap();
    for arguments in [
        "info test.fmu",
        "check test.fmu",
        "check --run test.fmu",
        "simulate test.fmu",
        "linearize test.fmu",
        "couple one.toml",
    ] {
        let (code, said) = run(&fmu, arguments);
        assert!(matches!(code, Some(1 | 2)), "{arguments}: {said}");
        assert!(
            said.contains("bytes of description, more than the limit of 268435456")
                && said.contains("raise the limit (--max-size)"),
            "{arguments}: {said}"
        );
    }
}

#[test]
fn texts_of_an_fmu_are_read_with_care() {
    let fmu = fmus::faulty("BAD_TEXT");
    write_pair(&fmu);
    for (arguments, code) in [
        ("simulate oscillator.fmu --record label --in-process", 1),
        ("simulate oscillator.fmu --record label", 1),
        ("couple pair.toml --record *.label", 1),
        ("couple pair.toml --record *.label --isolate one --isolate two", 1),
        ("check --run oscillator.fmu", 1),
        // These read no text.
        ("linearize oscillator.fmu", 0),
        ("couple pair.toml --record *.x", 0),
    ] {
        let (found, said) = run(&fmu, arguments);
        assert_eq!(found, Some(code), "{arguments}: {said}");
        assert_eq!(
            code == 1,
            said.contains("fmi2GetString") && said.contains("memory that cannot be read"),
            "{arguments}: {said}"
        );
    }
}
